"""THE table of the C types that stand in routines' names, and how arrays are held against it."""

from __future__ import annotations

from typing import Any

import numpy as np

from redcoll.errors import DatatypeError

# OpenSHMEM 1.4, tables 3 (standard RMA types) and 5 (point-to-point synchronization types);
# the complex types take part in reductions alone.
C_TYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for name, code in (
        ("float", np.float32),
        ("double", np.float64),
        ("longdouble", np.longdouble),
        ("char", np.byte),
        ("schar", np.byte),
        ("short", np.short),
        ("int", np.intc),
        ("long", "l"),
        ("longlong", np.longlong),
        ("uchar", np.ubyte),
        ("ushort", np.ushort),
        ("uint", np.uintc),
        ("ulong", "L"),
        ("ulonglong", np.ulonglong),
        ("int8", np.int8),
        ("int16", np.int16),
        ("int32", np.int32),
        ("int64", np.int64),
        ("uint8", np.uint8),
        ("uint16", np.uint16),
        ("uint32", np.uint32),
        ("uint64", np.uint64),
        ("size", np.uintp),
        ("ptrdiff", np.intp),
        ("complexf", np.complex64),
        ("complexd", np.complex128),
    )
}

RMA_TYPES = tuple(name for name in C_TYPES if not name.startswith("complex"))
WAIT_TYPES = (
    *("short", "int", "long", "longlong", "ushort", "uint", "ulong", "ulonglong"),
    *("int32", "int64", "uint32", "uint64", "size", "ptrdiff"),
)
# OpenSHMEM 1.5, tables 6 to 8: atomic operations; the extended types can be fetched, set
# and swapped.
ATOMIC_TYPES = (
    *("int", "long", "longlong", "uint", "ulong", "ulonglong"),
    *("int32", "int64", "uint32", "uint64", "size", "ptrdiff"),
)
EXTENDED_ATOMIC_TYPES = ("float", "double", *ATOMIC_TYPES)
BITWISE_ATOMIC_TYPES = ("uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64")
OLD_ATOMIC_TYPES = ("int", "long", "longlong")
OLD_EXTENDED_ATOMIC_TYPES = ("float", "double", *OLD_ATOMIC_TYPES)
OLD_WAIT_TYPES = ("short", "int", "long", "longlong")

LONG = C_TYPES["long"]


def is_like(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether elements of both types are the same in memory and in meaning.

    Two C types may be one: ``long`` and ``long long`` have different characters in NumPy.
    """
    return dtype is wanted or (
        dtype.kind == wanted.kind and dtype.itemsize == wanted.itemsize and dtype.isnative
    )


def require(array: Any, wanted: np.dtype[Any] | None, name: str) -> None:
    """Refuse what is no array, or not of the type that the routine's name says, if any.

    Raises
    ------
    DatatypeError
        It is none.
    """
    if not isinstance(array, np.ndarray):
        raise DatatypeError(f"{name} is {describe(array)}; it must be a numpy.ndarray")
    if wanted is not None:
        require_type(array, wanted, name)


def describe(value: object) -> str:
    """A value that should have been an array, in words."""
    return "None" if value is None else f"a {type(value).__name__}"


def number_type(dtype: np.dtype[Any] | None) -> str:
    """The annotation of a single value of this type; that of any number for none."""
    if dtype is not None and dtype.kind in "iu":
        return "int"
    return "np.longdouble" if dtype == np.longdouble != np.float64 else "float"


def require_type(array: np.ndarray[Any, Any], wanted: np.dtype[Any], name: str) -> None:
    """Refuse an array of another type than the routine's name says.

    Raises
    ------
    DatatypeError
        It is of another type.
    """
    if not is_like(array.dtype, wanted):
        raise DatatypeError(f"{name} is of {array.dtype}; this routine takes {wanted}")
