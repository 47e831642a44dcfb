"""Pack arrays into the active send buffer, and unpack arrays from the active receive buffer.

``pvm_pkint(ip, nitem, stride)`` packs ``nitem`` elements of an int32 array or of a list of numbers.
The call takes every ``stride``-th element. ``pvm_upkint`` sets every ``stride``-th element of such
an array or list. Each other type has a pair of calls, and strings have a pair, too.

Unpack the items in the order in which they were packed, and with the same types. A call can unpack
more or fewer items than one call has packed. All calls return 0 or the code of an error:

* ``PvmNoBuf``: there is no active buffer (call ``pvm_initsend`` or ``pvm_recv`` first);
* ``PvmBadParam``: ``nitem`` is below 0, ``stride`` is below 1, or the array is None;
* ``PvmNoData``: the message has no more items;
* ``PvmMismatch``: the next items have another type, and nothing is unpacked.

The calls raise ``DatatypeError`` for an array of another element type. They raise ``ArgumentError``
for an array that is too short, read-only or not contiguous, and for numbers that are not integers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from redcoll.arguments import Array, integer
from redcoll.errors import ArgumentError, DatatypeError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, NAMES, vector
from redcoll_pvm._buffers import buffers, required, strided
from redcoll_pvm._task import PvmError, call, enroll

__all__ = ["pvm_pkbyte", "pvm_pkcplx", "pvm_pkdcplx", "pvm_pkdouble", "pvm_pkfloat", "pvm_pkint",
           "pvm_pklong", "pvm_pkshort", "pvm_pkstr", "pvm_pkuint", "pvm_pkulong", "pvm_pkushort",
           "pvm_upkbyte", "pvm_upkcplx", "pvm_upkdcplx", "pvm_upkdouble", "pvm_upkfloat",
           "pvm_upkint", "pvm_upklong", "pvm_upkshort", "pvm_upkstr", "pvm_upkuint",
           "pvm_upkulong", "pvm_upkushort"]  # fmt: skip

Call = Callable[[Any, int, int], int]


def pack(datatype: int, data: Any, nitem: int, stride: int) -> int:
    """Pack ``nitem`` items of any type except PVM_STR."""
    enroll()
    buffer = required(buffers.send)
    nitem, stride = integer(nitem, "nitem"), integer(stride, "stride")
    if data is None or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    if _is_numbers(data, datatype):
        data = _from_numbers(datatype, data)
    array = vector("the array", data, datatype, None, writable=False)
    buffer.pack(datatype, array[strided("the array", array.size, nitem, stride)])
    return pvm.PvmOk


def unpack(datatype: int, data: Any, nitem: int, stride: int) -> int:
    """Unpack ``nitem`` items of any type except PVM_STR."""
    enroll()
    buffer = required(buffers.receive)
    nitem, stride = integer(nitem, "nitem"), integer(stride, "stride")
    if data is None or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(data, list):
        where = strided("the list", len(data), nitem, stride)
        data[where] = buffer.unpack(datatype, nitem).tolist()
        return pvm.PvmOk
    array = vector("the array", data, datatype, None, writable=True)
    where = strided("the array", array.size, nitem, stride)
    array[where] = buffer.unpack(datatype, nitem)
    return pvm.PvmOk


def _is_numbers(data: Any, datatype: int) -> bool:
    """Return whether ``data`` is a number or a list of numbers, instead of a buffer."""
    if isinstance(data, bytes):  # np.bytes_ is a subclass
        return False
    if isinstance(data, np.generic):
        # PVM_BYTE takes a one-byte scalar unchanged. The same applies to arrays of one-byte types.
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
    """Return the numbers as an array.

    Raises ArgumentError for an integer that is out of range, and DatatypeError for items of a kind
    that does not convert, such as complex numbers for a real datatype.
    """
    dtype = DTYPES[datatype]
    try:
        if dtype.kind in "iu":
            return _from_integers(datatype, np.atleast_1d(np.asarray(numbers, object)))
        array = np.atleast_1d(np.asarray(numbers))
        if array.dtype.hasobject and all(isinstance(each, Number) for each in array.flat):
            # The numbers are most likely integers that are too large for NumPy's integer types.
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


def _routine(verb: str, work: Callable[[int, Any, int, int], int], type_name: str) -> Call:
    """Make the call that packs or unpacks items of a type."""
    datatype = getattr(pvm, f"PVM_{type_name.upper()}")

    def routine(xp: Any, nitem: int, stride: int) -> int:
        return work(datatype, xp, nitem, stride)

    routine.__name__ = routine.__qualname__ = f"pvm_{verb}{type_name}"
    routine.__doc__ = (
        f"{work.__name__.capitalize()} ``nitem`` items of {NAMES[datatype]}.\n\n"
        "See :mod:`redcoll_pvm.packing` and pvm_pack(3PVM), pvm_unpack(3PVM)."
    )
    return call(prints=True)(routine)


pvm_pkbyte = _routine("pk", pack, "byte")
pvm_pkshort = _routine("pk", pack, "short")
pvm_pkint = _routine("pk", pack, "int")
pvm_pklong = _routine("pk", pack, "long")
pvm_pkushort = _routine("pk", pack, "ushort")
pvm_pkuint = _routine("pk", pack, "uint")
pvm_pkulong = _routine("pk", pack, "ulong")
pvm_pkfloat = _routine("pk", pack, "float")
pvm_pkdouble = _routine("pk", pack, "double")
pvm_pkcplx = _routine("pk", pack, "cplx")
pvm_pkdcplx = _routine("pk", pack, "dcplx")

pvm_upkbyte = _routine("upk", unpack, "byte")
pvm_upkshort = _routine("upk", unpack, "short")
pvm_upkint = _routine("upk", unpack, "int")
pvm_upklong = _routine("upk", unpack, "long")
pvm_upkushort = _routine("upk", unpack, "ushort")
pvm_upkuint = _routine("upk", unpack, "uint")
pvm_upkulong = _routine("upk", unpack, "ulong")
pvm_upkfloat = _routine("upk", unpack, "float")
pvm_upkdouble = _routine("upk", unpack, "double")
pvm_upkcplx = _routine("upk", unpack, "cplx")
pvm_upkdcplx = _routine("upk", unpack, "dcplx")


@call(prints=True)
def pvm_pkstr(sp: Any) -> int:
    """Pack a string, in UTF-8 (pvm_pack(3PVM)).

    Parameters
    ----------
    sp
        A ``str``, bytes, or an array of bytes. Only the part before the first NUL is packed.

    Returns
    -------
    int
        0; or ``PvmNoBuf``; or ``PvmBadParam`` if ``sp`` is None.

    Raises
    ------
    DatatypeError
        ``sp`` is of another class.
    ArgumentError
        ``sp`` has a character that UTF-8 cannot encode. Surrogates from ``pvm_upkstr``, which
        represent bytes that are not valid UTF-8, are allowed.
    """
    enroll()
    buffer = required(buffers.send)
    if sp is None:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(sp, str):
        try:
            sp = sp.encode(errors="surrogateescape")
        except UnicodeEncodeError as error:
            raise ArgumentError(f"sp is {sp!r}; it must be a string of UTF-8: {error}") from None
    elif isinstance(sp, np.ndarray) and sp.dtype.kind == "S":
        sp = sp.tobytes()
    text = vector("the array", sp, pvm.PVM_STR, None, writable=False).tobytes()
    buffer.pack(pvm.PVM_STR, np.frombuffer(text.split(b"\0")[0], np.uint8))
    return pvm.PvmOk


@call(prints=True)
def pvm_upkstr(cp: Any) -> int:
    """Unpack a string (pvm_unpack(3PVM)).

    Parameters
    ----------
    cp
        A list, whose first element is set to the string as a ``str``, with surrogates for bytes
        that are not valid UTF-8. Or a writable array of bytes, which receives the string's bytes
        and a NUL.

    Returns
    -------
    int
        0; or ``PvmNoBuf``, ``PvmNoData`` or ``PvmMismatch``; or ``PvmBadParam`` if ``cp`` is None.

    Raises
    ------
    ArgumentError
        The array is too short. Nothing is unpacked.
    """
    enroll()
    buffer = required(buffers.receive)
    if cp is None:
        raise PvmError(pvm.PvmBadParam)
    if isinstance(cp, list):
        cp[:1] = [buffer.unpack_string().decode(errors="surrogateescape")]
        return pvm.PvmOk
    target = vector("the array", cp, pvm.PVM_STR, None, writable=True)
    before = buffer.at
    text = buffer.unpack_string() + b"\0"
    if target.size < len(text):
        buffer.at = before
        raise ArgumentError(f"cp has {target.size} bytes; the string and its NUL take {len(text)}")
    target[: len(text)] = np.frombuffer(text, np.uint8)
    return pvm.PvmOk
