"""Model the time of a round on a node with many ranks, from the cache lines that the round moves.

``python benchmarks/many_cores.py`` counts the lines that one member reads and writes in a round, by
running the NumPy kernel on memory that counts accesses. From the counts it computes the time of a
round, for today's protocol and for a protocol with two levels. docs/many_cores.md explains the
result.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from redcoll.kernels.numpy import Channel
from redcoll.protocol.descriptor import BARRIER, pack
from redcoll.team.sizes import Segment, Sizes

RANKS = (2, 4, 8, 16, 32, 64, 128, 256)
ONE_WAY_NS = 130
"""Time until another core sees a line that this core has written; 125 to 135 ns were measured."""
_PER_LINE = 8
"""Words of a cache line."""

OVERLAPPED_NS = ONE_WAY_NS / 10
"""Assumed time of each further line if a core reads ten lines at the same time."""


class Counting:
    """Words of memory that record which cache lines are read and written."""

    def __init__(self, words: Any) -> None:
        self._words = words
        self.read: set[int] = set()
        self.written: set[int] = set()

    def __getitem__(self, at: int) -> Any:
        self.read.add(at // _PER_LINE)
        return self._words[at]

    def __setitem__(self, at: int, value: Any) -> None:
        self.written.add(at // _PER_LINE)
        self._words[at] = value


def count(ranks: int) -> tuple[int, int]:
    """Return how many cache lines the last member to arrive only reads, and how many it writes."""
    segment = Segment(Sizes(small_bytes=256, fold_bytes=256, chunk_bytes=4096, ahead=1))
    memory = memoryview(bytearray(ranks * segment.bytes + segment.common_bytes))
    scratch = segment.scratch(memory, segment.starts(ranks))
    hooks: Any = SimpleNamespace(start_wait=None, raise_mismatch=None, run_silently=None)
    members: list[Any] = [Channel(scratch, index, 0, None, hooks) for index in range(ranks)]
    for member in members[1:]:
        member.publish(pack(BARRIER), 0, 0, -1, -1, 0)
    counting = Counting(vars(members[0])["_words"])
    vars(members[0])["_words"] = counting
    members[0].round(pack(BARRIER))
    return len(counting.read - counting.written), len(counting.written)


def flat(ranks: int, line_ns: float) -> float:
    """Return the time of a round of 8 bytes, in which each rank reads all other headers."""
    return ONE_WAY_NS + (ranks - 1) * line_ns


def two_levels(ranks: int, line_ns: float) -> tuple[float, int]:
    """Return the time of a round with the best group size, and the group size.

    The first rank of a group reads the group's headers and packs the 8 bytes of each header into
    lines. For each group, every rank reads one header and the group's packed lines.
    """

    def time(group: int) -> float:
        packed = 1 + -(-group // _PER_LINE)
        return 2 * ONE_WAY_NS + (group - 1 + -(-ranks // group) * packed) * line_ns

    return min((time(group), group) for group in range(2, ranks + 1))


def main() -> int:
    """Print the table."""
    times = ("overlapped", "overlapped, two levels", "one by one", "one by one, two levels")
    print(f"| ranks | read | written | {' | '.join(times)} |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for ranks in RANKS:
        cells = [str(ranks), *map(str, count(ranks))]
        for line_ns in (OVERLAPPED_NS, ONE_WAY_NS):
            best, group = two_levels(ranks, line_ns)
            cells += [f"{flat(ranks, line_ns) / 1e3:.2f}", f"{best / 1e3:.2f} (groups of {group})"]
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
