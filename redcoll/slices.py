"""Who folds which part of a vector: pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
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
