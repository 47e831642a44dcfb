"""Define the C types in the names of routines, and check the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import Array, not_array
from redcoll.errors import DatatypeError

# In OpenSHMEM 1.4, table 3 has the standard RMA types, and table 5 has the types of point-to-point
# synchronization. Only reductions take the complex types.
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
# Tables 6 to 8 of OpenSHMEM 1.5 have the types of atomic operations. The extended types include
# reals, which programs can only fetch, set and swap.
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


def array_of(dtype: np.dtype[Any] | None, other: type[np.generic] | None = None) -> Any:
    """Return the annotation of an array of type ``dtype``. None means any type.

    ``other`` is a second element type that the array can have.
    """
    if dtype is None:
        return Array
    element: Any = dtype.type if other is None else dtype.type | other
    return NDArray[element]


def number_of(dtype: np.dtype[Any] | None) -> type:
    """Return the annotation of a value of type ``dtype``. None means any number."""
    if dtype is not None and dtype.kind in "iu":
        return int
    return np.longdouble if dtype == np.longdouble != np.float64 else float


def name_of(verb: str, type_name: str | None) -> str:
    """Return the name of the routine for a type, or of the generic form if the type is None."""
    return f"shmem_{type_name}_{verb}" if type_name else f"shmem_{verb}"


def dtype_of(type_name: str | None) -> np.dtype[Any] | None:
    """Return the element type for the type in a routine's name, or None if the name has no type."""
    return C_TYPES[type_name] if type_name else None


def of_type(dtype: np.dtype[Any] | None) -> str:
    """Return the words that follow "ndarray" in a docstring."""
    return "" if dtype is None else f" of {dtype}"


def is_like(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Return whether ``dtype`` has the kind and size of ``wanted``, in native byte order.

    NumPy distinguishes C types that have equal elements. For example, ``long`` and ``long long``
    have different type characters.
    """
    return dtype is wanted or (
        dtype.kind == wanted.kind and dtype.itemsize == wanted.itemsize and dtype.isnative
    )


def require(array: Any, wanted: np.dtype[Any] | None, name: str) -> None:
    """Raise ``DatatypeError`` if an argument is not an array, or has another type than ``wanted``.

    If ``wanted`` is None, all types are allowed.
    """
    if not isinstance(array, np.ndarray):
        raise not_array(array, name)
    if wanted is not None:
        require_type(array, wanted, name)


def require_integers(array: Any, name: str) -> None:
    """Raise ``DatatypeError`` if an argument is not an array of integers."""
    require(array, None, name)
    if array.dtype.kind not in "iu":
        raise DatatypeError(f"{name} is of {array.dtype}; it must be of an integer type")


def require_type(array: np.ndarray[Any, Any], wanted: np.dtype[Any], name: str) -> None:
    """Raise ``DatatypeError`` if an array's element type is not the routine's type."""
    if not is_like(array.dtype, wanted):
        raise DatatypeError(f"{name} is of {array.dtype}; this routine takes {wanted}")


def describe(value: object) -> str:
    """Return words for messages about a value that is not an array."""
    return "None" if value is None else f"a {type(value).__name__}"
