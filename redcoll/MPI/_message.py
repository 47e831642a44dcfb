"""Parse messages, mpi4py's buffer specifications, into vectors of the core.

In mpi4py a message is a buffer: an object with Python's buffer interface or with DLPack. A message
can also be a list or tuple of a buffer and, optionally, a count, a displacement and a datatype.
redcoll also accepts arrays in any memory layout, and reduces their elements in logical (C) order.

:func:`parse` parses every message. :func:`whole_array` is faster, but knows only simple messages.
This module is longer than 400 lines because mpi4py allows many forms of a message.
"""

from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll.arguments import Array
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.kernels.interface import Kernel
from redcoll.memory.heap import address_of
from redcoll.MPI._datatypes import datatype_of, dtype_of, pair_element, unlimited

_NO_ARRAY: tuple[None, int] = (None, 0)
_CPU = 1
"""DLPack's number for the CPU as a device."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""NumPy's kinds of elements by DLPack's type codes."""


class UnsupportedError(TypeError):
    """The core cannot reduce this message: MPI must reduce it, or mpi4py rejects it.

    The text of the exception is the reason that ``REDCOLL_REPORT`` prints.
    """


class Message:
    """The elements of a message.

    ``elements`` is a C-contiguous vector of an element type of the core. ``original`` is the
    program's array, if ``elements`` is a copy of it. ``datatype`` is the datatype that the message
    names, if any.
    """

    __slots__ = ("datatype", "elements", "original")

    def __init__(
        self, elements: Array, original: Array | None, datatype: mpi.Datatype | None
    ) -> None:
        self.elements = elements
        self.original = original
        self.datatype = datatype

    @property
    def count(self) -> int:
        """Number of elements."""
        return self.elements.size

    def read(self) -> None:
        """Copy all elements from the program's array, if ``elements`` is a copy."""
        for ours, theirs in self._copies():
            ours[:] = theirs.reshape(-1)

    def write_back(self, count: int | None = None) -> None:
        """Copy the first ``count`` elements (default: all) to the program's array."""
        n = self.elements.size if count is None else count
        for ours, theirs in self._copies():
            theirs.flat[:n] = ours[:n]

    def _copies(self) -> list[tuple[Array, Array]]:
        """Return what ``elements`` copies: pairs of its arrays and the program's arrays."""
        ours, theirs = self.elements, self.original
        if theirs is None:
            return []
        names = theirs.dtype.names
        if names is None or theirs.dtype == ours.dtype:
            return [(ours, theirs)]
        # The fields of a pair have other names in the program's array.
        fields = zip(("value", "index"), names, strict=True)
        return [(ours[own], theirs[name]) for own, name in fields]

    def is_of_type(self, other: Message) -> bool:
        """Return whether mpi4py would use the same datatype for both messages."""
        if self.datatype is None and other.datatype is None:
            return self.elements.dtype == other.elements.dtype
        mine = self.datatype or datatype_of(self.elements.dtype)
        theirs = other.datatype or datatype_of(other.elements.dtype)
        if mine is None or theirs is None:
            return self.elements.dtype == other.elements.dtype
        return bool(mine == theirs)

    def is_same(self, other: Message) -> bool:
        """Return whether both messages have the same memory, so that the call is in place."""
        a, b = self.elements, other.elements
        if self.original is not None or other.original is not None or a.size != b.size:
            return False
        return np.may_share_memory(a, b) and address_of(a) == address_of(b)


def parse(
    message: Any,
    *,
    writable: bool = False,
    load: bool = True,
    blocks: int = 0,
    structure: np.dtype[Any] | None = None,
) -> Message:
    """Parse a message as mpi4py does.  Local.

    Raise ``UnsupportedError`` if the core cannot reduce the message, and ``ArgumentError`` if the
    buffer is too short for the count, or cannot be divided into the blocks. MPI defines parts of a
    buffer, and other datatypes than its own, by the order of memory. So the core does not reduce
    such messages of arrays in Fortran order.

    With ``writable``, the message receives a result. Without ``load``, a copy of the elements is
    left uninitialized. If ``blocks`` is not 0, the message holds this number of blocks, and its
    count is the count of one block. Arrays of the dtype ``structure``, which a compiled operation
    takes, need no datatype.
    """
    obj, count, displacement, datatype = _unpack(message)
    array = _as_array(obj, writable=writable)
    dtype = _element(array, datatype, structure)
    total = None if count is None else count * max(blocks, 1)
    # Never compare a dtype with None, because NumPy's float64 equals None.
    if dtype in (array.dtype, pair_element(array.dtype) or array.dtype):
        if displacement or total not in (None, array.size):
            array = _cut(_memory(array), total, displacement)
        vector = _whole(array, dtype, datatype, load=load)
    else:
        vector = Message(_reinterpret(_memory(array), dtype, total, displacement), None, datatype)
    if blocks and vector.count % blocks:
        # Raise here, because MPI would raise only on this rank, while the other ranks wait in MPI.
        raise ArgumentError(
            f"message has {vector.count} elements; the number must be a multiple of the number "
            f"of blocks, {blocks}"
        )
    return vector


def whole_array(message: Any, n_items: int, kernel: Kernel) -> tuple[Array | None, int]:
    """Return the array of a simple message, and the handle of its datatype or 0.  Local.

    A simple message is a whole array. If the message has a datatype, it must fit the array's dtype.
    For all other messages the array is None, and :func:`parse` must parse them. The array is also
    None if the message is a list or tuple of more than ``n_items`` entries.
    """
    if type(message) is np.ndarray:
        return message, 0
    if type(message) is not list and type(message) is not tuple:
        return _NO_ARRAY
    length = len(message)
    if not 2 <= length <= n_items:
        return _NO_ARRAY
    array, datatype = message[0], message[-1]
    if type(array) is not np.ndarray:
        return _NO_ARRAY
    if length == 3 and (type(message[1]) is not int or message[1] != array.size):
        return _NO_ARRAY
    handle = _handle(datatype, array.dtype, kernel)
    return (array, handle) if handle else _NO_ARRAY


def _handle(datatype: Any, own: np.dtype[Any], kernel: Kernel) -> int:
    """Return a datatype's handle if its elements are of the dtype ``own``; otherwise 0.

    ``own`` is the dtype of the message's array. Datatypes with restrictions on operations give 0.
    """
    if not isinstance(datatype, mpi.Datatype):
        return 0
    handle = datatype.handle
    named = unlimited().get(handle)
    # "!=" alone is not enough, because NumPy's float64 equals None.
    if named is None or (named is not own and named != own):
        return 0
    # Comparing structured dtypes takes longer than reducing a pair, so the kernel remembers the
    # match. It remembers only predefined datatypes, because MPI may reuse the handle of a freed
    # datatype.
    if datatype.is_predefined:
        kernel.know_name(datatype, own)
    return handle


def _unpack(message: Any) -> tuple[Any, int | None, int, mpi.Datatype | None]:
    """Return object, count, displacement and datatype of a message in any form."""
    count: Any = None
    displacement: Any = None
    datatype: Any = None
    if not isinstance(message, (list, tuple)):
        return message, None, 0, None
    if len(message) == 2:
        obj, second = message
        if isinstance(second, (mpi.Datatype, str)):
            datatype = second
        else:
            count = second
    elif len(message) == 3:
        obj, count, datatype = message
    elif len(message) == 4:
        obj, count, displacement, datatype = message
    else:
        raise UnsupportedError("buffer")
    if len(message) < 4 and isinstance(count, (list, tuple)):
        if len(count) != 2:
            raise UnsupportedError("buffer")
        count, displacement = count
    if isinstance(datatype, str):
        try:
            datatype = mpi.Datatype.fromcode(datatype)
        except ValueError:
            raise UnsupportedError("buffer") from None
    if datatype is not None and not isinstance(datatype, mpi.Datatype):
        raise UnsupportedError("buffer")
    return obj, _number(count), _number(displacement) or 0, datatype


def _number(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise UnsupportedError("buffer") from None
    if number < 0:
        raise UnsupportedError("buffer")
    return number


def _as_array(obj: Any, *, writable: bool) -> Array:
    """Return an array that shares the memory of an object."""
    array: Array
    if isinstance(obj, np.ndarray):
        array = np.asarray(obj)
    elif isinstance(obj, (mpi.BottomType, mpi.InPlaceType)):  # Python sees an empty buffer in them
        raise UnsupportedError("buffer")
    else:
        try:
            array = np.asarray(memoryview(obj))
        except TypeError:
            array = _from_dlpack(obj)
        except (ValueError, BufferError, NotImplementedError):
            raise UnsupportedError("buffer") from None
    # An array without a base is a copy. NumPy copies buffers whose format it does not know.
    if (
        array.dtype.hasobject
        or (writable and not array.flags.writeable)
        or (array is not obj and array.base is None)
    ):
        raise UnsupportedError("buffer")
    return array


class _Tensor(ctypes.Structure):
    """DLPack's struct ``DLTensor``, to which a capsule points."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _Packed:
    """An object that exposes the memory of a DLPack object through NumPy's array interface.

    Like mpi4py, this class does not consume the capsule. A NumPy array on this memory keeps this
    object alive, and so the capsule. ``numpy.from_dlpack`` would keep only the tensor alive, but
    some libraries free the tensor together with its capsule.
    """

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
        kind = _KINDS.get(tensor.code)
        if kind is None or tensor.lanes != 1:
            raise UnsupportedError("element type")
        dtype = np.dtype(f"{kind}{tensor.bits // 8}")
        strides = None
        if tensor.ndim and tensor.strides:
            strides = tuple(each * dtype.itemsize for each in tensor.strides[: tensor.ndim])
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "shape": tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else (),
            "strides": strides,
        }


def _from_dlpack(obj: Any) -> Array:
    try:
        device = obj.__dlpack_device__()[0]
        packed = _Packed(obj.__dlpack__()) if device == _CPU else None
    except AttributeError:
        is_on_device = hasattr(obj, "__cuda_array_interface__")
        raise UnsupportedError("device buffer" if is_on_device else "buffer") from None
    except (TypeError, ValueError, RuntimeError, BufferError):
        raise UnsupportedError("buffer") from None
    if packed is None:
        raise UnsupportedError("device buffer")
    return np.asarray(packed)


def _element(
    array: Array, datatype: mpi.Datatype | None, structure: np.dtype[Any] | None
) -> np.dtype[Any]:
    """Return the core's element type of a message."""
    is_structure = structure is not None and array.dtype == structure
    if is_structure and (datatype is None or _is_made_for(datatype, array.dtype)):
        return array.dtype
    if datatype is not None:
        named = dtype_of(datatype)
        if named is None:
            is_predefined = datatype.is_predefined
            raise UnsupportedError(
                f"datatype {datatype.name}" if is_predefined else "derived datatype"
            )
        return named
    if array.dtype.names is not None:
        pair = pair_element(array.dtype)
        if pair is None:
            raise UnsupportedError("element type")
        return pair
    try:
        return element_type(array.dtype).dtype
    except DatatypeError:
        raise UnsupportedError("element type") from None


def _is_made_for(datatype: mpi.Datatype, structure: np.dtype[Any]) -> bool:
    """Return whether a datatype of MPI describes this structure: same fields, offsets and size.

    The last answer is an attribute of the datatype. MPI deletes the attribute with the datatype, so
    a later datatype with the same handle has no answer yet.
    """
    if datatype.is_predefined:
        return False
    key = _answer_key()
    known: Any = datatype.Get_attr(key)
    if known is None or known[0] != structure:
        known = structure, _describes(datatype, structure)
        datatype.Set_attr(key, known)
    return bool(known[1])


@functools.cache
def _answer_key() -> int:
    """Return the key of the attribute, which MPI does not copy to a duplicate."""
    return mpi.Datatype.Create_keyval()


def _describes(datatype: mpi.Datatype, structure: np.dtype[Any]) -> bool:
    from mpi4py.util import dtlib

    own = None
    try:
        own = dtlib.from_numpy_dtype(structure)
        # Convert both datatypes by mpi4py, which gives their fields the same names.
        return bool(dtlib.to_numpy_dtype(datatype) == dtlib.to_numpy_dtype(own))
    except (ValueError, TypeError, NotImplementedError, AssertionError):
        return False  # mpi4py cannot describe the datatype or the structure
    finally:
        if own is not None:
            own.Free()


def _whole(
    array: Array, dtype: np.dtype[Any], datatype: mpi.Datatype | None, *, load: bool
) -> Message:
    if array.dtype != dtype and _layout(array.dtype) == _layout(dtype):
        array = array.view(dtype)  # the two dtypes differ only in the names of their fields
    if array.dtype == dtype and array.flags.c_contiguous:
        # Do not copy: the kernel's fast path recognises an array by its identity.
        return Message(array if array.ndim == 1 else array.reshape(-1), None, datatype)
    # Equal dtypes can have different type characters, such as "l" and "q". Keep the array's dtype.
    own = array.dtype if array.dtype == dtype else dtype
    vector = Message(np.empty(array.size, own), array, datatype)
    if load:
        vector.read()
    return vector


def _layout(dtype: np.dtype[Any]) -> list[Any]:
    fields: Any = dtype.fields or {}
    return [dtype.itemsize, *(fields[name][:2] for name in dtype.names or ())]


def _memory(array: Array) -> Array:
    """Return the elements of an array whose order in memory is C order."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    is_fortran = array.flags.f_contiguous
    raise UnsupportedError("part of an array in Fortran order" if is_fortran else "buffer")


def _cut(memory: Array, count: int | None, displacement: int) -> Array:
    """Return ``count`` elements from index ``displacement`` on."""
    left = memory.size - displacement
    if left < 0:
        raise UnsupportedError("buffer")
    if count is not None and count > left:
        raise ArgumentError(
            f"message has count {count} and displacement {displacement}; together they must not "
            f"exceed the {memory.size} elements of the buffer"
        )
    return memory[displacement:] if count is None else memory[displacement : displacement + count]


def _reinterpret(
    memory: Array, dtype: np.dtype[Any], count: int | None, displacement: int
) -> Array:
    """Return the memory of an array as elements of the message's datatype."""
    raw = memory.view(np.uint8)
    if count is None:
        left = raw.size - displacement * dtype.itemsize
        if left % dtype.itemsize:
            raise UnsupportedError("buffer")
        count = left // dtype.itemsize
    return _cut(raw[: raw.size // dtype.itemsize * dtype.itemsize].view(dtype), count, displacement)
