"""Allocate offsets. Equal calls in equal order give equal offsets on all ranks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from redcoll.config import HEAP_BYTES
from redcoll.errors import HeapError
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up


class Allocator:
    """A best-fit allocator of offsets in ``[0, capacity_bytes)``, in units of a cache line."""

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes - capacity_bytes % LINE
        self.used_bytes = 0
        self._live: dict[int, int] = {}
        self._starts: list[int] = []
        # The free blocks are sorted by (size, start), to find a block that is large enough. Two
        # more indices, by start and by end, find neighbours to merge.
        self._by_size: list[tuple[int, int]] = []
        self._free_from: dict[int, int] = {}
        self._free_to: dict[int, int] = {}
        if self.capacity_bytes:
            self._add_free(0, self.capacity_bytes)

    @property
    def blocks(self) -> int:
        """Number of live blocks, which are allocated and not freed."""
        return len(self._live)

    @property
    def largest_free_bytes(self) -> int:
        """Size of the largest free block."""
        return self._by_size[-1][0] if self._by_size else 0

    def allocate(self, n_bytes: int, alignment: int = LINE) -> int:
        """Return the offset of a new block, or raise ``HeapError`` if there is no room."""
        size = max(LINE, round_up(n_bytes, LINE))
        for at in range(bisect_left(self._by_size, (size, 0)), len(self._by_size)):
            free_bytes, free_start = self._by_size[at]
            start = round_up(free_start, max(alignment, LINE))
            if start + size <= free_start + free_bytes:
                break
        else:
            raise HeapError(
                f"symmetric heap: {n_bytes} bytes asked for, {self.largest_free_bytes} bytes is "
                f"the largest free block ({self.used_bytes} of {self.capacity_bytes} bytes in "
                f"use); free arrays, or set {HEAP_BYTES.variable} to a larger size"
            )
        self._take_free(free_start)
        if start > free_start:
            self._add_free(free_start, start - free_start)
        rest = free_start + free_bytes - (start + size)
        if rest:
            self._add_free(start + size, rest)
        self._live[start] = size
        insort(self._starts, start)
        self.used_bytes += size
        return start

    def free(self, start: int) -> None:
        """Free a block.  ``start`` must be an offset that ``allocate`` returned."""
        size = self._live.pop(start)
        del self._starts[bisect_left(self._starts, start)]
        self.used_bytes -= size
        end = start + size
        if end in self._free_from:
            end += self._take_free(end)
        if start in self._free_to:
            start = self._free_to[start]
            self._take_free(start)
        self._add_free(start, end - start)

    def is_start(self, start: int) -> bool:
        """Return whether a live block starts at ``start``."""
        return start in self._live

    def size_of(self, start: int) -> int:
        """Return the size in bytes of the live block that starts at ``start``."""
        return self._live[start]

    def block_of(self, offset: int, n_bytes: int) -> int | None:
        """Return the start of the live block that contains all these bytes, or None."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return None
        start = self._starts[at]
        return start if offset + n_bytes <= start + self._live[start] else None

    def _add_free(self, start: int, size: int) -> None:
        self._free_from[start] = size
        self._free_to[start + size] = start
        insort(self._by_size, (size, start))

    def _take_free(self, start: int) -> int:
        size = self._free_from.pop(start)
        del self._free_to[start + size]
        del self._by_size[bisect_left(self._by_size, (size, start))]
        return size
