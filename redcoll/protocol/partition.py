"""Divide vectors among the members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

LINE_BYTES = 64
"""Bytes of a cache line. Slices start at multiples of this size, so two ranks never write to the
same line."""

Block = tuple[int, int]
"""Start and stop in elements."""


def even_slices(count: int, n: int, itemsize: int) -> list[Block]:
    """Divide ``count`` elements into ``n`` slices of whole cache lines, as evenly as possible."""
    grain = max(1, LINE_BYTES // itemsize)
    grains = -(-count // grain)
    ends = [min(index * grains // n * grain, count) for index in range(n + 1)]
    return list(pairwise(ends))


def cut(start: int, stop: int, step: int) -> Iterator[Block]:
    """Divide ``[start, stop)`` into chunks of at most ``step`` elements."""
    for at in range(start, stop, step):
        yield at, min(at + step, stop)


class Parts:
    """The division of a vector for staging, when each member folds only its own block.

    A chunk contains a part of every block. A member stages the parts of the other members' blocks.
    ``offsets`` has the start of each member's block, and the end of the last block, in elements.
    ``me`` is the caller's index among the members. ``chunk_bytes`` is the size of a member's
    staging buffer.
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
        """Return whether staging is possible, and no block is more than twice the mean length."""
        longest = max(stop - start for start, stop in pairwise(self.offsets))
        return self.length > 0 and longest * self.n <= 2 * self.offsets[-1]

    @property
    def chunks(self) -> int:
        """Return the number of chunks."""
        longest = max(stop - start for start, stop in pairwise(self.offsets))
        return -(-longest // self.length)

    def part(self, block: int, chunk: int) -> Block:
        """Return start and stop of a chunk's part of a block; the part can be empty."""
        stop = self.offsets[block + 1]
        start = min(self.offsets[block] + chunk * self.length, stop)
        return start, min(start + self.length, stop)

    def place(self, member: int, block: int) -> int:
        """Return the offset of another member's block in a member's staging buffer, in elements."""
        return (block - (block > member)) * self.length


def round_up(n_bytes: int, step: int) -> int:
    """Return the least multiple of ``step`` that is at least ``n_bytes``."""
    return -(-n_bytes // step) * step
