"""Who folds which part of a vector: pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

LINE_BYTES = 64
"""Bytes of a cache line: what two PEs write to is at least this far apart."""

Block = tuple[int, int]
"""Start and stop in elements."""


def even_slices(count: int, n: int, itemsize: int) -> list[Block]:
    """``count`` elements in ``n`` slices as even as whole cache lines allow."""
    grain = max(1, LINE_BYTES // itemsize)
    grains = -(-count // grain)
    ends = [min(index * grains // n * grain, count) for index in range(n + 1)]
    return list(pairwise(ends))


def cut(start: int, stop: int, step: int) -> Iterator[Block]:
    """``[start, stop)`` in chunks of at most ``step`` elements."""
    for at in range(start, stop, step):
        yield at, min(at + step, stop)


class Parts:
    """How blocks of which each PE folds one pass through staging, a part of each at a time.

    A PE's staging holds what the others want of its source; nobody stages its own block.

    Parameters
    ----------
    offsets
        Where the blocks begin, one for each PE, and where the last ends, in elements.
    me
        Whose staging, and whose block.
    itemsize
        Bytes of an element.
    chunk_bytes
        Room of a PE's staging.
    """

    def __init__(self, offsets: Sequence[int], me: int, itemsize: int, chunk_bytes: int) -> None:
        self.offsets = offsets
        self.me = me
        self.n = len(offsets) - 1
        grain = max(1, LINE_BYTES // itemsize)
        room = chunk_bytes // itemsize // max(1, self.n - 1)
        self.length = room // grain * grain
        """Elements of every block in one chunk."""

    @property
    def fits(self) -> bool:
        """Whether this pays: there is room, and no block is much longer than the others."""
        longest = max(stop - start for start, stop in pairwise(self.offsets))
        return self.length > 0 and longest * self.n <= 2 * self.offsets[-1]

    @property
    def chunks(self) -> int:
        """How many chunks it takes."""
        longest = max(stop - start for start, stop in pairwise(self.offsets))
        return -(-longest // self.length)

    def part(self, block: int, chunk: int) -> Block:
        """Where a chunk's part of a block lies in the vector; it may be empty."""
        stop = self.offsets[block + 1]
        start = min(self.offsets[block] + chunk * self.length, stop)
        return start, min(start + self.length, stop)

    def place(self, member: int, block: int) -> int:
        """Where in a member's staging its part of another's block begins."""
        return (block - (block > member)) * self.length


def round_up(n_bytes: int, step: int) -> int:
    """The next multiple of ``step``."""
    return -(-n_bytes // step) * step
