"""Keep the log of one rank: its calls, with their start and stop times."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any, Final, NamedTuple

from redcoll._mpi4py import MPI
from redcoll.protocol import call_sites
from redcoll.team import Team

MOST_KEPT: Final = 100_000
"""The most calls in a rank's log. If there are more calls, the log keeps half of the calls, then a
quarter, and so on."""
NO_GROUP: Final = -1


class Entry(NamedTuple):
    """One call in the log of a rank."""

    site: str
    call: str
    way: str
    n_bytes: int
    group: int
    """The index of the group of ranks, or -1 if it is unknown."""
    number: int
    """A number of this call, equal on all ranks of the group."""
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
        """The ranks of each group, and its number among the groups with these ranks."""
        self.mask = 0
        """A call is kept if these bits in the hash of its number are 0."""
        self.offset_s = 0.0
        """The number to add to this rank's clock to get the clock of rank 0."""
        self.error_s = 0.0
        self._counts: dict[int, int] = {}
        self._known: dict[int, tuple[object, int]] = {}
        self._sites: dict[tuple[int, int], tuple[object, str]] = {}

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_known", "_sites")  # objects of this process
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def site_of(self, code: CodeType, instruction: int) -> str:
        """Return the text of a call site."""
        key = id(code), instruction
        found = self._sites.get(key)
        if found is None:
            # Keep a reference, so that no other object gets this id.
            found = self._sites[key] = code, call_sites.site_of(code, instruction)
        return found[1]

    def add(self, entry: Entry) -> None:
        """Add a call."""
        self.add_total(entry, 1, entry.n_bytes, entry.stop_s - entry.start_s)
        if not _hash(entry.number) & self.mask:
            self.entries.append(entry)
            if len(self.entries) > MOST_KEPT:
                self.thin(2 * self.mask + 1)

    def add_total(self, like: Entry, calls: int, n_bytes: int, seconds: float) -> None:
        """Add to the totals of the calls with the same site, call, way and group."""
        key = like.site, like.call, like.way, like.group
        total = self.totals.setdefault(key, [0, 0, 0.0])
        total[0] += calls
        total[1] += n_bytes
        total[2] += seconds

    def thin(self, mask: int) -> None:
        """Keep the entries that a log with this mask keeps, or fewer."""
        self.mask |= mask
        self.entries = thinned(self.entries, self.mask)
        while len(self.entries) > MOST_KEPT:
            self.mask = 2 * self.mask + 1
            self.entries = thinned(self.entries, self.mask)

    def group_of(self, owner: object) -> int:
        """Return the index of the group of a team or a communicator."""
        if owner is None:
            return NO_GROUP
        known = self._known.get(id(owner))
        if known is None:
            ranks = _ranks_of(owner)
            index = NO_GROUP
            if ranks:
                same = sum(each == ranks for each, _ in self.groups)
                index = len(self.groups)
                self.groups.append((ranks, same))
            # Keep a reference, so that no other object gets this id.
            known = self._known[id(owner)] = owner, index
        return known[1]

    def number_of(self, owner: object, group: int) -> int:
        """Return the number of the call that has just ended on a team or a communicator."""
        if isinstance(owner, Team) and owner.can_go_on:
            return owner.channel.sequence  # the same on all members
        self._counts[group] = number = self._counts.get(group, 0) - 1
        return number


def _hash(number: int) -> int:
    # Use a hash instead of the number, because a rank may be late in every tenth step, for example.
    return number * 0x9E3779B97F4A7C15 >> 40 & 0xFFFFFF


def thinned(entries: Sequence[Entry], mask: int) -> list[Entry]:
    """Return the entries that a log with this mask keeps; they are the same on all ranks."""
    return [entry for entry in entries if not _hash(entry.number) & mask]


def start(log: Log, entry: Entry) -> float:
    """Return when a call began, on the clock of rank 0."""
    return entry.start_s + log.offset_s


def length(entry: Entry) -> float:
    """Return how long a call took, in seconds."""
    return entry.stop_s - entry.start_s


def _ranks_of(owner: object) -> tuple[int, ...]:
    """Return the job's numbers of the ranks of a communicator or team; empty if unknown."""
    comm = getattr(owner, "comm", owner)
    if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
        return ()
    world = MPI.COMM_WORLD.Get_group()
    group = comm.Get_group()
    try:
        return tuple(group.Translate_ranks(list(range(group.Get_size())), world))
    finally:
        group.Free()
        world.Free()
