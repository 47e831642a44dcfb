"""mpi4py's buffer specifications as vectors of the core.

What mpi4py takes as a message (mpi4py 4.1, ``msgbuffer.pxi``): an object that exports a
buffer, or a list or tuple of it with datatype, count and displacement. Beyond that, arrays
in any memory layout: elements are taken in the array's own logical (C) order.
"""

from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll.datatypes import element_type
from redcoll.errors import DatatypeError
from redcoll.MPI._datatypes import datatype_of, dtype_of, pair_element

Array = NDArray[Any]

_CPU = 1
"""DLPack's number for plain memory."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""NumPy's kinds of element by DLPack's codes."""


class UnfitError(TypeError):
    """A message that the core cannot reduce: MPI must, or mpi4py says what is wrong.

    The text says why, in a few words.
    """


@dataclass(slots=True)
class Vector:
    """The elements of one message."""

    elements: Array
    """C-contiguous vector of a type of the core."""
    home: Array | None
    """Where results go, if ``elements`` is only a copy."""
    datatype: mpi.Datatype | None
    """The datatype that the message names, if any."""

    @property
    def count(self) -> int:
        """Number of elements."""
        return self.elements.size

    def reload(self) -> None:
        """Copy all elements again from where they belong, if these are a copy."""
        if self.home is None:
            return
        if self.home.dtype.names is not None:
            for ours, theirs in zip(("value", "index"), self.home.dtype.names, strict=True):
                self.elements[ours] = self.home[theirs].reshape(-1)
        else:
            self.elements[:] = self.home.reshape(-1)

    def put_back(self, count: int | None = None) -> None:
        """Copy the first ``count`` elements (all unless given) to where they belong."""
        if self.home is not None:
            n = self.elements.size if count is None else count
            if self.home.dtype.names is not None:
                for ours, theirs in zip(("value", "index"), self.home.dtype.names, strict=True):
                    self.home[theirs].flat[:n] = self.elements[ours][:n]
            else:
                self.home.flat[:n] = self.elements[:n]

    def is_of_type(self, other: Vector) -> bool:
        """Whether mpi4py would see one datatype in both messages."""
        if self.datatype is None and other.datatype is None:
            return self.elements.dtype == other.elements.dtype
        mine = self.datatype or datatype_of(self.elements.dtype)
        theirs = other.datatype or datatype_of(other.elements.dtype)
        if mine is None or theirs is None:
            return self.elements.dtype == other.elements.dtype
        return bool(mine == theirs)


def take(message: Any, *, writable: bool = False, load: bool = True, blocks: int = 0) -> Vector:
    """The vector of a message.

    Parameters
    ----------
    message
        As mpi4py takes it.
    writable
        Whether results will be put into it.
    load
        Whether its elements are wanted; otherwise a copy starts unset.
    blocks
        If not 0, the message holds so many blocks and its count is that of one.

    Raises
    ------
    UnfitError
        It is nothing that the core can reduce.
    ValueError
        It is shorter than its count says.
    """
    obj, count, displacement, datatype = _unpack(message)
    array = _as_array(obj, writable=writable)
    dtype = _element(array, datatype)
    total = None if count is None else count * max(blocks, 1)
    if dtype in (array.dtype, pair_element(array.dtype) or array.dtype):  # float64 equals None
        if displacement or total not in (None, array.size):
            array = _cut(_memory(array), total, displacement)
        vector = _whole(array, dtype, datatype, load=load)
    else:
        vector = Vector(_reinterpret(_memory(array), dtype, total, displacement), None, datatype)
    if blocks and vector.count % blocks:
        # Not left to MPI, where this rank would raise and the others wait for it.
        raise ValueError(
            f"message: number of datatype items {vector.count} is not a multiple of the required "
            f"number of blocks {blocks}"
        )
    return vector


def _unpack(message: Any) -> tuple[Any, int | None, int, mpi.Datatype | None]:
    """Object, count, displacement and datatype, in mpi4py's ways to say them."""
    if type(message) is np.ndarray:
        return message, None, 0, None
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
        raise UnfitError("buffer")
    if len(message) < 4 and isinstance(count, (list, tuple)):
        if len(count) != 2:
            raise UnfitError("buffer")
        count, displacement = count
    if isinstance(datatype, str):
        try:
            datatype = mpi.Datatype.fromcode(datatype)
        except ValueError:
            raise UnfitError("buffer") from None
    if datatype is not None and not isinstance(datatype, mpi.Datatype):
        raise UnfitError("buffer")
    return obj, _number(count), _number(displacement) or 0, datatype


def _number(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise UnfitError("buffer") from None
    if number < 0:
        raise UnfitError("buffer")
    return number


def _as_array(obj: Any, *, writable: bool) -> Array:
    """An array on the memory of an object."""
    array: Array
    if isinstance(obj, np.ndarray):
        array = np.asarray(obj)
    else:
        try:
            array = np.asarray(memoryview(obj))
        except TypeError:
            array = _from_dlpack(obj)
        except (ValueError, BufferError, NotImplementedError):
            raise UnfitError("buffer") from None
    # Without a base it would be a copy, which numpy makes of formats that it does not know.
    if (
        array.dtype.hasobject
        or (writable and not array.flags.writeable)
        or (array is not obj and array.base is None)
    ):
        raise UnfitError("buffer")
    return array


class _Tensor(ctypes.Structure):
    """DLPack's ``DLTensor``, which a capsule points to."""

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
    """The memory of a DLPack object, as NumPy reads it.

    The capsule is only read, as mpi4py does, and lives as long as the array. A consumer, such as
    ``numpy.from_dlpack``, would keep the tensor alone, and some tensors die with their capsule.
    """

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
        kind = _KINDS.get(tensor.code)
        if kind is None or tensor.lanes != 1:
            raise UnfitError("element type")
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
        raise UnfitError("buffer on a device" if is_on_device else "buffer") from None
    except (TypeError, ValueError, RuntimeError, BufferError):
        raise UnfitError("buffer") from None
    if packed is None:
        raise UnfitError("buffer on a device")
    return np.asarray(packed)


def _element(array: Array, datatype: mpi.Datatype | None) -> np.dtype[Any]:
    """The core's element type of a message."""
    if datatype is not None:
        named = dtype_of(datatype)
        if named is None:
            raise UnfitError("datatype")
        return named
    if array.dtype.names is not None:
        pair = pair_element(array.dtype)
        if pair is None:
            raise UnfitError("element type")
        return pair
    try:
        return element_type(array.dtype).dtype
    except DatatypeError:
        raise UnfitError("element type") from None


def _whole(
    array: Array, dtype: np.dtype[Any], datatype: mpi.Datatype | None, *, load: bool
) -> Vector:
    if array.dtype != dtype and _layout(array.dtype) == _layout(dtype):
        array = array.view(dtype)  # the same struct under other names
    if array.dtype == dtype and array.flags.c_contiguous:
        # Arrays that are vectors stay the objects that they are: kernels know them again.
        return Vector(array if array.ndim == 1 else array.reshape(-1), None, datatype)
    # Of the array's own type: MPI has two names for one type of C, and so has NumPy.
    own = array.dtype if array.dtype == dtype else dtype
    vector = Vector(np.empty(array.size, own), array, datatype)
    if load:
        vector.reload()
    return vector


def _layout(dtype: np.dtype[Any]) -> list[Any]:
    fields: Any = dtype.fields or {}
    return [dtype.itemsize, *(fields[name][:2] for name in dtype.names or ())]


def _memory(array: Array) -> Array:
    """The elements in the order of memory, which must be in one piece."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    if array.flags.f_contiguous:
        return array.T.reshape(-1)
    raise UnfitError("buffer")


def _cut(memory: Array, count: int | None, displacement: int) -> Array:
    """``count`` elements from ``displacement`` on."""
    left = memory.size - displacement
    if left < 0:
        raise UnfitError("buffer")
    if count is not None and count > left:
        raise ValueError(
            f"message: count {count} (displacement {displacement}) reaches past the end of the "
            f"buffer of {memory.size} elements"
        )
    return memory[displacement:] if count is None else memory[displacement : displacement + count]


def _reinterpret(
    memory: Array, dtype: np.dtype[Any], count: int | None, displacement: int
) -> Array:
    """Raw memory, of whatever array, as elements of the type that the message names."""
    raw = memory.view(np.uint8)
    if count is None:
        left = raw.size - displacement * dtype.itemsize
        if left % dtype.itemsize:
            raise UnfitError("buffer")
        count = left // dtype.itemsize
    return _cut(raw[: raw.size // dtype.itemsize * dtype.itemsize].view(dtype), count, displacement)
