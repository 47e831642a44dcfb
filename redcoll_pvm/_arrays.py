"""Map PVM's datatypes to NumPy's dtypes, and check the arrays that programs pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from redcoll.arguments import Array, plain
from redcoll.errors import ArgumentError, DatatypeError
from redcoll_pvm import constants as pvm

DTYPES: dict[int, np.dtype[Any]] = {
    pvm.PVM_STR: np.dtype(np.uint8),
    pvm.PVM_BYTE: np.dtype(np.int8),
    pvm.PVM_SHORT: np.dtype(np.int16),
    pvm.PVM_INT: np.dtype(np.int32),
    pvm.PVM_FLOAT: np.dtype(np.float32),
    pvm.PVM_CPLX: np.dtype(np.complex64),
    pvm.PVM_DOUBLE: np.dtype(np.float64),
    pvm.PVM_DCPLX: np.dtype(np.complex128),
    pvm.PVM_LONG: np.dtype(np.int64),
    pvm.PVM_USHORT: np.dtype(np.uint16),
    pvm.PVM_UINT: np.dtype(np.uint32),
    pvm.PVM_ULONG: np.dtype(np.uint64),
}
"""NumPy's dtype for each of PVM's datatypes. PVM_BYTE is a signed char."""

NAMES = {value: name for name, value in vars(pvm).items() if name.startswith("PVM_")}

REDUCIBLE = {
    code: dtype
    for code, dtype in DTYPES.items()
    if code not in (pvm.PVM_USHORT, pvm.PVM_UINT, pvm.PVM_ULONG)
}
"""The datatypes that pvm_reduce, pvm_gather and pvm_scatter accept."""

_BYTES = {pvm.PVM_STR, pvm.PVM_BYTE}


def vector(name: str, data: Any, datatype: int, count: int | None, *, writable: bool) -> Array:
    """Return the first ``count`` elements of ``data`` (None: all) as a one-dimensional view.

    ``data`` is an array or another object that supports the buffer protocol. ``name`` is the name
    of ``data`` in error messages. PVM_STR and PVM_BYTE accept elements of any one-byte type. Raises
    DatatypeError if ``data`` has no buffer, or elements of another type. Raises ArgumentError if
    ``data`` is not C-contiguous, is too short, or is read-only although ``writable`` is true.
    """
    dtype = DTYPES[datatype]
    array = plain(data, name) if isinstance(data, np.ndarray) else _array_of(name, data, dtype)
    flags = array.flags
    if not flags.c_contiguous:
        raise ArgumentError(f"{name} is not contiguous; it must be, in C order")
    if array.dtype != dtype:
        if datatype not in _BYTES or array.dtype.itemsize != 1 or array.dtype.hasobject:
            raise DatatypeError(
                f"{name} has elements of {array.dtype}; {NAMES[datatype]} takes {dtype}"
            )
        array = array.view(dtype)
    if count is None:
        count = array.size
    if array.size < count:
        raise ArgumentError(f"{name} has {array.size} elements, fewer than the {count} asked for")
    if writable and not flags.writeable:
        raise ArgumentError(f"{name} is read-only; the result goes there")
    if array.ndim != 1:
        array = array.reshape(-1)
    return array if array.size == count else array[:count]


def _array_of(name: str, data: Any, dtype: np.dtype[Any]) -> Array:
    try:
        return np.asarray(memoryview(data))
    except Exception as error:  # noqa: BLE001 - whatever an object's own buffer raises
        raise DatatypeError(
            f"{name} is a {type(data).__name__}; it must be an array of {dtype}"
        ) from (None if isinstance(error, TypeError) else error)
