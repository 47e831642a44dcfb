"""Keep the log of one rank: its calls, with their start and stop times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from redcoll.kernels._python.recorder import hashed

MOST_KEPT: Final = 100_000
"""The largest number of calls in a rank's log. If there are more calls, the log keeps half of the
calls, then a quarter, and so on."""
NO_GROUP: Final = -1


class Entry(NamedTuple):
    """One call in the log of a rank."""

    site: str
    call: str
    way: str
    """``redcoll``, or the reason why MPI made the call."""
    n_bytes: int
    group: int
    """The index of the group of ranks, or -1 if it is unknown."""
    number: int
    """The number of this call, which is equal on all ranks of the group."""
    start_s: float
    stop_s: float


class Log:
    """The calls of one rank."""

    def __init__(self) -> None:
        self.rank = 0
        self.entries: list[Entry] = []
        self.totals: dict[tuple[str, str, str, int], list[float]] = {}
        """The sums of calls, bytes and seconds over all calls, by site, call, way and group."""
        self.groups: list[tuple[tuple[int, ...], int]] = []
        """The ranks of each group, and the group's number among all groups with these ranks."""
        self.mask = 0
        """The log keeps a call if these bits are 0 in the hash of the call's number."""
        self.offset_s = 0.0
        """The number to add to this rank's clock to get the clock of rank 0."""
        self.error_s = 0.0

    def new_group(self, ranks: tuple[int, ...]) -> int:
        """Add a group of ranks; return its index, or ``NO_GROUP`` if there are no ranks."""
        if not ranks:
            return NO_GROUP
        same = sum(each == ranks for each, _ in self.groups)
        self.groups.append((ranks, same))
        return len(self.groups) - 1


def thinned(entries: Sequence[Entry], mask: int) -> list[Entry]:
    """Return the entries of the calls that every log with this mask keeps."""
    return [entry for entry in entries if not hashed(entry.number) & mask]


def start(log: Log, entry: Entry) -> float:
    """Return the time at which a call began, on the clock of rank 0."""
    return entry.start_s + log.offset_s


def length(entry: Entry) -> float:
    """Return how long a call took, in seconds."""
    return entry.stop_s - entry.start_s
