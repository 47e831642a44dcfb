"""Find the offsets of arrays on the symmetric heap, and make arrays from offsets.

This module does not communicate. Allocations are deterministic: PEs that request the same sizes in
the same order get the same offsets. ``redcoll.world`` checks that the PEs do so.
"""

from __future__ import annotations

from array import array as array_of_words
from collections.abc import Sequence
from ctypes import addressof, c_char
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from redcoll.arguments import Array, plain
from redcoll.errors import ArgumentError, StateError, SymmetryError
from redcoll.memory.allocator import Allocator
from redcoll.memory.shared_window import SharedWindow


def address_of(array: Array) -> int:
    """Return the address of an array's first element."""
    # The buffer of a contiguous array gives its address five times faster than NumPy's own
    # functions. Every call on new arrays needs the address several times.
    try:
        return addressof(c_char.from_buffer(cast("Any", array)))
    except (TypeError, ValueError, BufferError):
        return int(array.__array_interface__["data"][0])


def _extent(array: Array) -> tuple[int, int]:
    """Return the offset of an array's lowest byte from its first element, and its size in bytes."""
    if array.flags.forc or not array.size:
        return 0, array.nbytes
    reaches = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    below = sum(reach for reach in reaches if reach < 0)
    return below, sum(reach for reach in reaches if reach > 0) - below + array.itemsize


class Heap:
    """The heaps of the node's PEs, in the address space of this PE.

    ``pes`` has the numbers of the node's PEs, in the order of the window's segments. Each heap has
    ``n_bytes`` at the start of a segment.
    """

    def __init__(self, window: SharedWindow, pes: Sequence[int], n_bytes: int) -> None:
        self.allocator = Allocator(n_bytes)
        self._heaps = {pe: window.segment(index) for index, pe in enumerate(pes)}
        # All arrays on this heap are views of `own`, and NumPy also makes `own` the `base` of a
        # view of such a view. So one comparison shows whether an array is on this heap.
        self.own: NDArray[np.uint8] = window.segment(window.index)
        self._address = int(self.own.ctypes.data)
        self.epoch_word = array_of_words("q", [0])
        """A copy of ``epoch`` that compiled code can read."""
        self.epoch = 0
        """A number that grows when a block or the whole heap is freed. Then earlier checks of
        arrays are no longer valid."""

    def release(self, start: int) -> None:
        """Free the block that starts at ``start``."""
        self.allocator.free(start)
        self.doubt()

    def doubt(self) -> None:
        """Invalidate all earlier checks of arrays."""
        self.epoch += 1
        self.epoch_word[0] = self.epoch

    def own_addresses(self) -> tuple[int, int]:
        """Return the addresses at which the heap of this PE starts and stops."""
        return self._address, self._address + self.allocator.capacity_bytes

    def live_addresses(self, array: Array) -> tuple[int, int] | None:
        """Return the start and stop addresses of the live block that holds an array, or None."""
        offset = self.offset(array)
        start = self.allocator.block_of(offset, array.nbytes) if offset >= 0 else None
        if start is None:
            return None
        return self._address + start, self._address + start + self.allocator.size_of(start)

    def offset(self, array: Array) -> int:
        """Return the offset of an array in the heap of this PE; -1 if the array is elsewhere."""
        at = address_of(array) - self._address
        is_there = array.base is self.own or 0 <= at < self.allocator.capacity_bytes
        return at if is_there else -1

    def require(self, array: Array, name: str) -> int:
        """Return the offset of an array that must lie in a live block of the heap.

        Raise ``SymmetryError`` if the array is not on the heap, and ``StateError`` if it has been
        freed.
        """
        offset = self.offset(array)
        if offset < 0:
            raise SymmetryError(
                f"{name} is a private array; it must be symmetric: allocate it on all PEs, "
                "as redcoll.empty does"
            )
        below, n_bytes = _extent(array)
        self.require_live(offset + below, n_bytes, name)
        return offset

    def refuse_freed(self, array: Array, name: str) -> None:
        """Raise ``StateError`` if an array is on this PE's heap, but its memory has been freed."""
        if array.size:
            offset = self.offset(array)
            if offset >= 0:
                self.require_live(offset, array.nbytes, name)

    def require_live(self, offset: int, n_bytes: int, name: str) -> None:
        """Raise ``StateError`` unless these bytes of the heap are inside one live block."""
        if self.allocator.block_of(offset, n_bytes) is None:
            raise StateError(f"{name} lies in memory of the symmetric heap that has been freed")

    def reaches(self, pe: int) -> bool:
        """Return whether a PE's heap is in this node's memory."""
        return pe in self._heaps

    def view(self, pe: int, offset: int, dtype: DTypeLike, count: int) -> Array:
        """Return ``count`` elements at ``offset`` in the heap of a PE of this node."""
        kind = np.dtype(dtype)
        return self._heaps[pe][offset : offset + count * kind.itemsize].view(kind)

    def array(self, offset: int, shape: tuple[int, ...], dtype: DTypeLike, order: str) -> Array:
        """Return this PE's memory at ``offset`` as an array of this shape."""
        # Do not slice the heap, because NumPy gives an empty slice the address of the heap's start.
        return np.ndarray(shape, dtype, self.own, offset, order="F" if order == "F" else "C")

    def start_of(self, array: Array, name: str = "array") -> int:
        """Return the offset of the block that starts where ``array`` starts.

        ``name`` is the name of ``array`` in messages. Raise ``ArgumentError`` if no block starts
        there, ``StateError`` if the block has been freed already, and ``SymmetryError`` if
        ``array`` is not on the heap.
        """
        offset = self.offset(plain(array, name))
        if offset < 0:
            raise SymmetryError(
                f"{name} is not on the symmetric heap; pass the array that was allocated there"
            )
        if self.allocator.is_start(offset):
            return offset
        if self.allocator.block_of(offset, 1) is None:
            raise StateError(f"the memory of {name} has been freed already; free an array once")
        raise ArgumentError(
            f"{name} does not start at its allocation; pass the array that was allocated"
        )
