"""Pack arrays into the active send buffer, unpack them from the active receive buffer.

``pvm_pkint(ip, nitem, stride)`` takes ``nitem`` elements, every ``stride``-th, of an array
of PVM_INT (int32), or of a list of numbers. ``pvm_upkint`` sets the elements of such an
array, or of a list, in the same way. So for every type; strings have calls of their own.

Items must be unpacked in the order and as the type in which they were packed, not
necessarily in the same portions. All calls return 0 or

* ``PvmNoBuf``: there is no such buffer (``pvm_initsend``, ``pvm_recv``);
* ``PvmBadParam``: ``nitem`` below 0, ``stride`` below 1, no array;
* ``PvmNoData``: the message has no more items;
* ``PvmMismatch``: its next items are of another type; nothing is unpacked then

and raise ``DatatypeError`` for an array of other elements, ``ArgumentError`` for one that is
too short, read-only or not contiguous, and for a number of items that is no integer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import integer
from redcoll.errors import ArgumentError, DatatypeError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, NAMES, vector
from redcoll_pvm._buffers import buffers, strided
from redcoll_pvm._task import PvmError, call, enroll

__all__ = ["pvm_pkbyte", "pvm_pkcplx", "pvm_pkdcplx", "pvm_pkdouble", "pvm_pkfloat", "pvm_pkint",
           "pvm_pklong", "pvm_pkshort", "pvm_pkstr", "pvm_pkuint", "pvm_pkulong", "pvm_pkushort",
           "pvm_upkbyte", "pvm_upkcplx", "pvm_upkdcplx", "pvm_upkdouble", "pvm_upkfloat",
           "pvm_upkint", "pvm_upklong", "pvm_upkshort", "pvm_upkstr", "pvm_upkuint",
           "pvm_upkulong", "pvm_upkushort"]  # fmt: skip

Array = NDArray[Any]
Call = Callable[[Any, int, int], int]


def pack(datatype: int, data: Any, nitem: int, stride: int) -> int:
    """Pack ``nitem`` items of any type but PVM_STR; the calls of this module in one."""
    enroll()
    buffer = buffers.require_send()
    nitem, stride = integer(nitem, "nitem"), integer(stride, "stride")
    if data is None or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    if _is_numbers(data, datatype):
        data = _from_numbers(datatype, data)
    array = _flat(data, datatype, writable=False)
    buffer.pack(datatype, array[strided("the array", array.size, nitem, stride)])
    return pvm.PvmOk


def unpack(datatype: int, data: Any, nitem: int, stride: int) -> int:
    """Unpack ``nitem`` items of any type but PVM_STR; the calls of this module in one."""
    enroll()
    buffer = buffers.require_receive()
    nitem, stride = integer(nitem, "nitem"), integer(stride, "stride")
    if data is None or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(data, list):
        where = strided("the list", len(data), nitem, stride)
        data[where] = buffer.unpack(datatype, nitem).tolist()
        return pvm.PvmOk
    array = _flat(data, datatype, writable=True)
    where = strided("the array", array.size, nitem, stride)
    array[where] = buffer.unpack(datatype, nitem)
    return pvm.PvmOk


def _flat(data: Any, datatype: int, *, writable: bool) -> Array:
    # Looked at first, for what has no buffer has no size either.
    vector("the array", data, datatype, 0, writable=writable)
    size = data.size if isinstance(data, np.ndarray) else np.asarray(memoryview(data)).size
    return vector("the array", data, datatype, size, writable=writable)


def _is_numbers(data: Any, datatype: int) -> bool:
    """Whether ``data`` is one or more of Python's or NumPy's numbers, and not memory."""
    if isinstance(data, bytes):  # NumPy's, too
        return False
    if isinstance(data, np.generic):
        # PVM_BYTE takes any bytes, which are not to be numbers of its range.
        return datatype != pvm.PVM_BYTE or data.itemsize != 1
    if isinstance(data, (int, float, complex)):
        return True
    return isinstance(data, Sequence) and not _has_buffer(data)


def _has_buffer(data: Any) -> bool:
    try:
        memoryview(data)
    except TypeError:
        return False
    return True


def _from_numbers(datatype: int, numbers: Any) -> Array:
    """An array of Python's numbers, each as it is."""
    dtype = DTYPES[datatype]
    try:
        if dtype.kind in "iu":
            return _from_integers(datatype, np.atleast_1d(np.asarray(numbers, object)))
        array = np.atleast_1d(np.asarray(numbers))
        if array.dtype.hasobject and all(isinstance(each, Number) for each in array.flat):
            # Integers, most likely, that none of NumPy's types holds.
            array = np.array(list(map(dtype.type, array.flat)))
        return array.astype(dtype, casting="same_kind")
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise DatatypeError(f"{numbers!r} are no items of {NAMES[datatype]}") from None


def _from_integers(datatype: int, integers: Array) -> Array:
    dtype = DTYPES[datatype]
    info = np.iinfo(dtype)
    for each in integers.flat:
        number = int(each) if isinstance(each, np.bool_) else operator.index(each)
        if not info.min <= number <= info.max:
            raise ArgumentError(f"{each!r} does not fit into {NAMES[datatype]}, {dtype}")
    return integers.astype(dtype)


def _packer(name: str, datatype: int) -> Call:
    def packs(xp: Any, nitem: int, stride: int) -> int:
        return pack(datatype, xp, nitem, stride)

    return _named(f"pvm_pk{name}", packs, f"Pack ``nitem`` items of {NAMES[datatype]}.")


def _unpacker(name: str, datatype: int) -> Call:
    def unpacks(xp: Any, nitem: int, stride: int) -> int:
        return unpack(datatype, xp, nitem, stride)

    return _named(f"pvm_upk{name}", unpacks, f"Unpack ``nitem`` items of {NAMES[datatype]}.")


def _named(name: str, function: Call, text: str) -> Call:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{text}\n\nSee :mod:`redcoll_pvm.packing` and pvm_pack(3PVM), pvm_unpack(3PVM)."
    )
    return call(prints=True)(function)


pvm_pkbyte = _packer("byte", pvm.PVM_BYTE)
pvm_pkshort = _packer("short", pvm.PVM_SHORT)
pvm_pkint = _packer("int", pvm.PVM_INT)
pvm_pklong = _packer("long", pvm.PVM_LONG)
pvm_pkushort = _packer("ushort", pvm.PVM_USHORT)
pvm_pkuint = _packer("uint", pvm.PVM_UINT)
pvm_pkulong = _packer("ulong", pvm.PVM_ULONG)
pvm_pkfloat = _packer("float", pvm.PVM_FLOAT)
pvm_pkdouble = _packer("double", pvm.PVM_DOUBLE)
pvm_pkcplx = _packer("cplx", pvm.PVM_CPLX)
pvm_pkdcplx = _packer("dcplx", pvm.PVM_DCPLX)

pvm_upkbyte = _unpacker("byte", pvm.PVM_BYTE)
pvm_upkshort = _unpacker("short", pvm.PVM_SHORT)
pvm_upkint = _unpacker("int", pvm.PVM_INT)
pvm_upklong = _unpacker("long", pvm.PVM_LONG)
pvm_upkushort = _unpacker("ushort", pvm.PVM_USHORT)
pvm_upkuint = _unpacker("uint", pvm.PVM_UINT)
pvm_upkulong = _unpacker("ulong", pvm.PVM_ULONG)
pvm_upkfloat = _unpacker("float", pvm.PVM_FLOAT)
pvm_upkdouble = _unpacker("double", pvm.PVM_DOUBLE)
pvm_upkcplx = _unpacker("cplx", pvm.PVM_CPLX)
pvm_upkdcplx = _unpacker("dcplx", pvm.PVM_DCPLX)


@call(prints=True)
def pvm_pkstr(sp: Any) -> int:
    """Pack a string, in UTF-8 (pvm_pack(3PVM)).

    Parameters
    ----------
    sp
        A ``str``; or bytes, or an array of them. It is taken up to the first NUL.

    Returns
    -------
    int
        0; ``PvmNoBuf``; ``PvmBadParam`` for None.

    Raises
    ------
    DatatypeError
        ``sp`` is something else.
    ArgumentError
        It has a character that UTF-8 has not, other than those by which ``pvm_upkstr``
        tells of bytes that are no UTF-8.
    """
    enroll()
    buffer = buffers.require_send()
    if sp is None:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(sp, np.ndarray) and sp.dtype.kind == "S":
        sp = sp.tobytes()
    text = _encoded(sp) if isinstance(sp, str) else _flat(sp, pvm.PVM_STR, writable=False).tobytes()
    buffer.pack(pvm.PVM_STR, np.frombuffer(text.split(b"\0")[0], np.uint8))
    return pvm.PvmOk


def _encoded(text: str) -> bytes:
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise ArgumentError(f"sp is {text!r}; it must be a string of UTF-8: {error}") from None


@call(prints=True)
def pvm_upkstr(cp: Any) -> int:
    """Unpack a string (pvm_unpack(3PVM)).

    Parameters
    ----------
    cp
        A list, whose first element becomes the ``str``, with surrogates for bytes that are no
        UTF-8; or a writable array of bytes,
        which is set to the string's bytes and a NUL.

    Returns
    -------
    int
        0; ``PvmNoBuf``; ``PvmBadParam`` for None; ``PvmNoData``; ``PvmMismatch``.

    Raises
    ------
    ArgumentError
        The array is too short; nothing is unpacked.
    """
    enroll()
    buffer = buffers.require_receive()
    if cp is None:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(cp, list):
        cp[:1] = [buffer.unpack_string().decode(errors="surrogateescape")]
        return pvm.PvmOk
    target = _flat(cp, pvm.PVM_STR, writable=True)
    if target.size <= buffer.next_bytes():
        raise ArgumentError(
            f"cp has {target.size} bytes; the string and its NUL take {buffer.next_bytes() + 1}"
        )
    text = buffer.unpack_string() + b"\0"
    target[: len(text)] = np.frombuffer(text, np.uint8)
    return pvm.PvmOk
