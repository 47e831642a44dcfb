"""mpi4py's buffer specifications as vectors of the core.

What mpi4py takes as a message (mpi4py 4.1, ``msgbuffer.pxi``): an object that exports a
buffer, or a list or tuple of it with datatype, count and displacement. Beyond that, arrays
in any memory layout: elements are taken in the array's own logical (C) order.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll.datatypes import element_type
from redcoll.errors import DatatypeError
from redcoll.MPI._types import datatype_of, dtype_of, pair_element
from redcoll.signature import INLINE_BYTES

Array = NDArray[Any]

_CPU = 1
"""DLPack's number for plain memory."""


_DEVICE_BYTES = INLINE_BYTES
"""So much of a device's memory is copied, since who reduces it may find the others gone ahead."""


class UnfitError(TypeError):
    """A message that the core cannot reduce: MPI must, or mpi4py says what is wrong."""


class _Device:
    """Some bytes in a device's memory and a copy of them here; MPI itself moves them."""

    def __init__(self, obj: Any, interface: dict[str, Any]) -> None:
        self._obj = obj
        self.copy = np.empty(interface["shape"], np.dtype(interface["typestr"]))
        self.load()

    def load(self) -> None:
        """Bring the device's bytes here."""
        self._move(self._obj, self.copy)

    def store(self) -> None:
        """Bring the copy to the device."""
        self._move(self.copy, self._obj)

    @staticmethod
    def _move(source: Any, target: Any) -> None:
        mpi.COMM_SELF.Sendrecv([source, mpi.BYTE], 0, 0, [target, mpi.BYTE], 0, 0)


@dataclass(slots=True)
class Vector:
    """The elements of one message."""

    elements: Array
    """C-contiguous vector of a type of the core."""
    home: Array | None
    """Where results go, if ``elements`` is only a copy."""
    datatype: mpi.Datatype | None
    """The datatype that the message names, if any."""
    device: _Device | None = None
    """Whose copy the elements, or their home, are a part of."""

    @property
    def count(self) -> int:
        """Number of elements."""
        return self.elements.size

    def reload(self) -> None:
        """Copy all elements again from where they belong, if these are a copy."""
        if self.device is not None:
            self.device.load()
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
        if self.device is not None:
            self.device.store()

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
    device = _on_device(obj, writable=writable)
    array = _as_array(obj if device is None else device.copy, writable=writable)
    dtype = _element(array, datatype)
    total = None if count is None else count * max(blocks, 1)
    if dtype in (array.dtype, pair_element(array.dtype) or array.dtype):  # float64 equals None
        if displacement or total not in (None, array.size):
            array = _cut(_memory(array), total, displacement)
        vector = _whole(array, dtype, datatype, load=load)
    else:
        vector = Vector(_reinterpret(_memory(array), dtype, total, displacement), None, datatype)
    if blocks and vector.count % blocks:
        raise UnfitError
    vector.device = device
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
        raise UnfitError
    if len(message) < 4 and isinstance(count, (list, tuple)):
        if len(count) != 2:
            raise UnfitError
        count, displacement = count
    if isinstance(datatype, str):
        try:
            datatype = mpi.Datatype.fromcode(datatype)
        except ValueError:
            raise UnfitError from None
    if datatype is not None and not isinstance(datatype, mpi.Datatype):
        raise UnfitError
    return obj, _number(count), _number(displacement) or 0, datatype


def _number(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise UnfitError from None
    if number < 0:
        raise UnfitError
    return number


def _on_device(obj: Any, *, writable: bool) -> _Device | None:
    """The few bytes of an object in a device's memory; None if it is anything else."""
    interface = None if isinstance(obj, np.ndarray) else _interface(obj)
    if interface is None or interface.get("strides") is not None:
        return None
    dtype = np.dtype(interface["typestr"])
    if math.prod(interface["shape"]) * dtype.itemsize > _DEVICE_BYTES:
        return None
    if writable and interface["data"][1]:
        return None
    return _Device(obj, interface)


def _interface(obj: Any) -> dict[str, Any] | None:
    """How the object says that its memory is a device's, after what NumPy can read itself."""
    try:
        memoryview(obj)
    except TypeError:
        return getattr(obj, "__cuda_array_interface__", None)
    except (ValueError, BufferError, NotImplementedError):
        pass
    return None


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
            raise UnfitError from None
    # Without a base it would be a copy, which numpy makes of formats that it does not know.
    if (
        array.dtype.hasobject
        or (writable and not array.flags.writeable)
        or (array is not obj and array.base is None)
    ):
        raise UnfitError
    return array


def _from_dlpack(obj: Any) -> Array:
    try:
        if obj.__dlpack_device__()[0] != _CPU:
            raise UnfitError
        array: Array = np.from_dlpack(obj)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        raise UnfitError from None
    if array.flags.writeable or not array.flags.c_contiguous or not array.nbytes:
        return array
    # Before NumPy 2.1 such arrays are always read-only; mpi4py writes to them.
    memory: Any = mpi.buffer.fromaddress(array.ctypes.data, array.nbytes)
    writable: Array = np.frombuffer(memory, array.dtype).reshape(array.shape)
    return writable


def _element(array: Array, datatype: mpi.Datatype | None) -> np.dtype[Any]:
    """The core's element type of a message."""
    if datatype is not None:
        named = dtype_of(datatype)
        if named is None:
            raise UnfitError
        return named
    if array.dtype.names is not None:
        pair = pair_element(array.dtype)
        if pair is None:
            raise UnfitError
        return pair
    try:
        return element_type(array.dtype).dtype
    except DatatypeError:
        raise UnfitError from None


def _whole(
    array: Array, dtype: np.dtype[Any], datatype: mpi.Datatype | None, *, load: bool
) -> Vector:
    if array.dtype != dtype and _layout(array.dtype) == _layout(dtype):
        array = array.view(dtype)  # the same struct under other names
    if array.dtype == dtype and array.flags.c_contiguous:
        # Arrays that are vectors stay the objects that they are: kernels know them again.
        return Vector(array if array.ndim == 1 else array.reshape(-1), None, datatype)
    vector = Vector(np.empty(array.size, dtype), array, datatype)
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
    raise UnfitError


def _cut(memory: Array, count: int | None, displacement: int) -> Array:
    """``count`` elements from ``displacement`` on."""
    left = memory.size - displacement
    if left < 0:
        raise UnfitError
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
            raise UnfitError
        count = left // dtype.itemsize
    return _cut(raw[: raw.size // dtype.itemsize * dtype.itemsize].view(dtype), count, displacement)
