"""Short forms of objects: a tag that says what it is, and its bytes.

Only for objects of exactly these types, whose copies are in every way like them: ``int``,
``float``, ``complex``, ``bool``, numpy's scalars and arrays of the core's plain types, and
tuples of such.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from redcoll.datatypes import ELEMENT_TYPES

Array = NDArray[Any]
Short = tuple[int, bytes]

OTHER: Final = 0
"""An object without a short form."""
LONG: Final = 1
"""An array too long to be shared; the bytes are only its head: type, order and shape."""
_INT, _FLOAT, _COMPLEX, _BOOL, _SCALAR, _ARRAY, _TUPLE = range(2, 9)

_NO_FORM: Short = (OTHER, b"")
_MOST_DEPTH = 16
"""Tuples nested more deeply have no short form: pickle goes deeper than Python functions do."""

_PLAIN = [row for row in ELEMENT_TYPES if row.kind != "p"]
_DTYPES = {row.code: row.dtype for row in _PLAIN}
# By character: two types of one size are two types in results.
_CODES = {row.dtype.char: row.code for row in _PLAIN}

_DOUBLE = struct.Struct("<d")
_TWO_DOUBLES = struct.Struct("<dd")
_LONG = struct.Struct("<q")
_ITEM = struct.Struct("<BI")
_HEAD = struct.Struct("<BBB")
"""Of an array: code of the type, whether in Fortran order, number of extents, which follow."""


def _encode_int(obj: int, _room: int) -> Short:
    try:
        return _INT, _LONG.pack(obj)
    except struct.error:
        return _INT, obj.to_bytes(obj.bit_length() // 8 + 1, "little", signed=True)


def _encode_float(obj: float, _room: int) -> Short:
    return _FLOAT, _DOUBLE.pack(obj)


def _encode_complex(obj: complex, _room: int) -> Short:
    return _COMPLEX, _TWO_DOUBLES.pack(obj.real, obj.imag)


def _encode_bool(obj: bool, _room: int) -> Short:
    return _BOOL, b"\x01" if obj else b""


def _encode_scalar(obj: np.generic, _room: int) -> Short:
    return _SCALAR, bytes([_CODES[obj.dtype.char]]) + obj.tobytes()


def _encode_array(obj: Array, room: int) -> Short:
    code = _CODES.get(obj.dtype.char)
    if code is None or not obj.dtype.isnative:
        return _NO_FORM
    is_fortran = obj.flags.f_contiguous and not obj.flags.c_contiguous
    head = _HEAD.pack(code, is_fortran, obj.ndim) + struct.pack(f"<{obj.ndim}q", *obj.shape)
    if len(head) + obj.nbytes > room:
        return LONG, head
    return _ARRAY, head + obj.tobytes("F" if is_fortran else "C")


def _encode_tuple(obj: tuple[Any, ...], room: int, depth: int = 1) -> Short:
    parts = []
    for item in obj:
        if type(item) is not tuple:
            tag, data = encode(item, room)
        elif depth < _MOST_DEPTH:
            tag, data = _encode_tuple(item, room, depth + 1)
        else:
            return _NO_FORM
        if tag in (OTHER, LONG):
            return _NO_FORM
        parts += [_ITEM.pack(tag, len(data)), data]
    return _TUPLE, b"".join(parts)


_ENCODERS: dict[type, Callable[[Any, int], Short]] = {
    int: _encode_int,
    float: _encode_float,
    complex: _encode_complex,
    bool: _encode_bool,
    np.ndarray: _encode_array,
    tuple: _encode_tuple,
    **{row.dtype.type: _encode_scalar for row in _PLAIN},
}


def encode(obj: Any, room: int) -> Short:
    """Tag and bytes of an object, of at most ``room`` bytes; ``OTHER`` if it has no such form."""
    encoder = _ENCODERS.get(type(obj))
    if encoder is None:
        return _NO_FORM
    short = encoder(obj, room)
    return short if len(short[1]) <= room else _NO_FORM


def _decode_int(data: bytes) -> int:
    if len(data) == _LONG.size:
        value: int = _LONG.unpack(data)[0]  # quicker
        return value
    return int.from_bytes(data, "little", signed=True)


def _decode_scalar(data: bytes) -> Any:
    return np.frombuffer(data, _DTYPES[data[0]], 1, 1)[0]


def shape_of(head: bytes) -> tuple[np.dtype[Any], bool, tuple[int, ...]]:
    """Type, whether in Fortran order, and shape of an array from its head."""
    code, is_fortran, n_extents = _HEAD.unpack_from(head)
    return _DTYPES[code], bool(is_fortran), struct.unpack_from(f"<{n_extents}q", head, _HEAD.size)


def _decode_array(data: bytes) -> Array:
    dtype, is_fortran, shape = shape_of(data)
    at = _HEAD.size + 8 * len(shape)
    flat = np.frombuffer(data, dtype, (len(data) - at) // dtype.itemsize, at)
    return flat.reshape(shape, order="F" if is_fortran else "C").copy(order="K")


def _decode_tuple(data: bytes) -> tuple[Any, ...]:
    items = []
    at = 0
    while at < len(data):
        tag, length = _ITEM.unpack_from(data, at)
        at += _ITEM.size
        items.append(decode(tag, data[at : at + length]))
        at += length
    return tuple(items)


_DECODERS: dict[int, Callable[[bytes], Any]] = {
    _INT: _decode_int,
    _FLOAT: lambda data: _DOUBLE.unpack(data)[0],
    _COMPLEX: lambda data: complex(*_TWO_DOUBLES.unpack(data)),
    _BOOL: bool,
    _SCALAR: _decode_scalar,
    _ARRAY: _decode_array,
    _TUPLE: _decode_tuple,
}


def decode(tag: int, data: bytes) -> Any:
    """A new object from its short form."""
    return _DECODERS[tag](data)
