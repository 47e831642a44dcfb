"""Define the table of element types: plain types, and pairs of a value with its index.

The headers of a round carry the code of a row, so codes are fixed and equal on all PEs. Pair types
have MPI's layout (MPI-4.1, section 6.9.4: an aligned C struct of value and index). Pair types are
NumPy structured dtypes with the fields ``value`` and ``index``.

NumPy has no type for small floats such as bfloat16. The package ``ml_dtypes`` registers these types
with NumPy. redcoll does not depend on this package, and recognises the types by name and size.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from redcoll.arguments import integer
from redcoll.errors import ArgumentError, DatatypeError

Kind = Literal["b", "i", "u", "f", "c", "p", "s"]
"""In this order: bool, signed, unsigned, float, complex, pair, structure of a program."""

KIND_WORDS: dict[str, str] = {
    "b": "bool",
    "i": "signed integer",
    "u": "unsigned integer",
    "f": "real",
    "c": "complex",
    "p": "(value, index) pair",
}


class ElementType(NamedTuple):
    """A row of the table of element types."""

    code: int
    name: str
    dtype: np.dtype[Any]
    kind: Kind


def pair_dtype(value: object, index: object = np.int64) -> np.dtype[np.void]:
    """Return the structured dtype of (value, index) pairs in C layout.

    Parameters
    ----------
    value
        dtype of the values: any real or integer type.
    index
        dtype of the indices (default: ``numpy.int64``). With another dtype, reductions take only
        the pairs in ``MPI_PAIRS``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> pairs = np.zeros(1, redcoll.pair_dtype(np.float64))
    >>> pairs[0] = (-redcoll.my_pe(), redcoll.my_pe())
    >>> redcoll.allreduce(pairs, pairs, redcoll.MINLOC)
    >>> int(pairs["index"][0]) == redcoll.n_pes() - 1
    True
    """
    return np.dtype([("value", value), ("index", index)], align=True)


_PLAIN: tuple[tuple[int, str, Kind], ...] = (
    (1, "bool", "b"),
    (2, "int8", "i"),
    (3, "int16", "i"),
    (4, "int32", "i"),
    (5, "int64", "i"),
    (6, "uint8", "u"),
    (7, "uint16", "u"),
    (8, "uint32", "u"),
    (9, "uint64", "u"),
    (10, "float16", "f"),
    (11, "float32", "f"),
    (12, "float64", "f"),
    (13, "longdouble", "f"),
    (14, "complex64", "c"),
    (15, "complex128", "c"),
    (16, "clongdouble", "c"),
)

# The nine pair types of MPI by name, in the order of the standard. 2INT and 2INTEGER have the same
# layout and equal dtypes.
MPI_PAIRS: dict[str, np.dtype[np.void]] = {
    "FLOAT_INT": pair_dtype(np.float32, np.intc),
    "DOUBLE_INT": pair_dtype(np.float64, np.intc),
    "LONG_INT": pair_dtype(np.dtype("l"), np.intc),
    "2INT": pair_dtype(np.intc, np.intc),
    "SHORT_INT": pair_dtype(np.short, np.intc),
    "LONG_DOUBLE_INT": pair_dtype(np.longdouble, np.intc),
    "2REAL": pair_dtype(np.float32, np.float32),
    "2DOUBLE_PRECISION": pair_dtype(np.float64, np.float64),
    "2INTEGER": pair_dtype(np.int32, np.int32),
}


def _table() -> tuple[ElementType, ...]:
    rows = [ElementType(code, name, np.dtype(name), kind) for code, name, kind in _PLAIN]
    seen = {row.dtype for row in rows}
    wide = [(f"({row.name}, int64)", pair_dtype(row.dtype)) for row in rows if row.kind in "iuf"]
    for code, (name, dtype) in enumerate([*MPI_PAIRS.items(), *wide], start=20):
        if dtype not in seen:
            seen.add(dtype)
            rows.append(ElementType(code, name, dtype, "p"))
    return tuple(rows)


ELEMENT_TYPES: tuple[ElementType, ...] = _table()

SMALL_FLOATS: dict[tuple[str, int], int] = {
    ("bfloat16", 2): 17,
    ("float8_e4m3fn", 1): 18,
    ("float8_e5m2", 1): 19,
    ("float8_e4m3", 1): 50,
}
"""The codes of the small floats of ``ml_dtypes``, by name and size in bytes."""
FLOAT32: np.dtype[Any] = np.dtype(np.float32)

_BY_DTYPE = {row.dtype: row for row in ELEMENT_TYPES}
_NAMES = {row.code: row.name for row in ELEMENT_TYPES}
_NAMES |= {code: name for (name, _), code in SMALL_FLOATS.items()}
_STRUCTURE = 62
_NAMES[_STRUCTURE] = "structure"
_SMALL_FLOAT_NAMES = {name for name, _ in SMALL_FLOATS}
_LARGEST_SMALL_FLOAT = max(size for _, size in SMALL_FLOATS)


def element_type(dtype: np.dtype[Any]) -> ElementType:
    """Return the row of a dtype. Raise ``DatatypeError`` if the table has no row for the dtype."""
    row = _BY_DTYPE.get(dtype)
    if row is not None:
        return row
    code = SMALL_FLOATS.get((dtype.name, dtype.itemsize))
    if code is not None:
        row = _BY_DTYPE[dtype] = ElementType(code, dtype.name, dtype, "f")
        return row
    if not dtype.isnative:
        raise DatatypeError(
            f"element type {dtype}: its byte order is not this machine's; "
            "convert with .astype(dtype.newbyteorder('='))"
        )
    if dtype.names is not None:
        raise DatatypeError(
            f"element type {dtype}: structured types must be (value, index) pairs in C layout; "
            "make one with redcoll.pair_dtype(value, index)"
        )
    raise DatatypeError(
        f"element type {dtype} is not reduced; it must be one of "
        "bool, the integers, the floats, the complex types and (value, index) pairs, or a small "
        f"float of ml_dtypes: {', '.join(name for name, _ in SMALL_FLOATS)}"
    )


def any_element_type(dtype: np.dtype[Any]) -> ElementType:
    """Return the row of a dtype. The dtype can be a structure, for compiled user functions.

    Raise ``DatatypeError`` if elements hold Python objects.
    """
    if dtype.names is None or dtype in _BY_DTYPE:
        return element_type(dtype)
    if dtype.hasobject:
        raise DatatypeError(f"element type {dtype} holds Python objects, which are not reduced")
    return ElementType(_STRUCTURE, "structure", dtype, "s")


def name_of(code: int) -> str | None:
    """Return the name of the element type with this code; None if the code is unknown."""
    return _NAMES.get(code)


def is_small_float(dtype: np.dtype[Any]) -> bool:
    """Return whether ``dtype`` is a small float of ``ml_dtypes``."""
    return dtype.itemsize <= _LARGEST_SMALL_FLOAT and dtype.name in _SMALL_FLOAT_NAMES


def small_float(name: str) -> np.dtype[Any] | None:
    """Return the dtype of a small float; None if ``ml_dtypes`` is not installed."""
    try:
        dtype: np.dtype[Any] = np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    except (ImportError, AttributeError):
        return None
    return dtype


# -- the values that elements can hold -------------------------------------------------------------

_DOUBLE = 8
"""Bytes of a Python float."""


def checked_element(value: Any, dtype: np.dtype[Any], name: str = "value") -> Any:
    """Return ``value`` if an element of this type can hold it. Integers become plain ints.

    Raise ``ArgumentError`` if ``value`` is not a number of this type's kind, or is too large for
    the type.
    """
    if dtype.kind in "iu":
        least, most = limits(dtype)
        if type(value) is not int:
            value = integer(value, name)
        if not least <= value <= most:
            raise ArgumentError(f"{name} is {value}; {dtype} holds {least} to {most}")
    elif dtype.kind == "f" and (dtype.itemsize < _DOUBLE or type(value) is not float):
        _check_real(value, dtype, name)
    return value


def _check_real(value: Any, dtype: np.dtype[Any], name: str) -> None:
    size = _size(value)
    if size is None:
        raise ArgumentError(f"{name} is {value!r}; it must be a {dtype}")
    if dtype.itemsize <= _DOUBLE:
        became_infinite = math.isinf(size) and size != abs(value)
        if became_infinite or _infinite_from(dtype) <= size < math.inf:
            most = np.finfo(dtype).max
            raise ArgumentError(f"{name} is {value}; {dtype} holds up to {most}")


def _size(value: Any) -> float | None:
    """Return the absolute value of a real number; None if ``value`` is not a real number.

    The result is infinite if ``value`` is too large for a double.
    """
    if isinstance(value, np.complexfloating):
        return None
    try:
        # Use neither float(), which accepts text, nor NumPy, which accepts any buffer.
        return math.fabs(value)
    except OverflowError:
        return math.inf  # an integer that is too large for a double
    except (TypeError, ValueError):
        return None


@cache
def _infinite_from(dtype: np.dtype[Any]) -> float:
    """Return the least number that becomes infinite in an element of a floating type."""
    info = np.finfo(dtype)
    if dtype.itemsize >= _DOUBLE:
        return math.inf
    # A number rounds to infinity if it exceeds the largest finite number by at least half a unit in
    # the last place.
    return float(info.max) + 2.0 ** (info.maxexp - info.nmant - 2)


@cache
def limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest integer that an element can hold."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)
