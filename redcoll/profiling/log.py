"""Keep the log of one rank: its calls, with their start and stop times."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from types import CodeType
from typing import Any, Final, NamedTuple

from redcoll._mpi4py import MPI
from redcoll.protocol import call_sites

_MOST_KEPT: Final = 100_000
"""The most calls in a rank's log. If there are more, it keeps half of them, then a quarter, and so
on."""
_MOST_NOTED: Final = 4096
NO_GROUP: Final = -1

is_on = False
"""Whether calls are passed to :func:`note`."""
_lock = threading.Lock()


class Entry(NamedTuple):
    """One call in the log of a rank."""

    site: str
    call: str
    way: str
    n_bytes: int
    group: int
    """The index of the group of ranks, or -1 if it is unknown."""
    number: int
    """The number of the call among those of the group."""
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
        """Calls are kept if these bits of their hash are 0."""
        self.offset_s = 0.0
        """The number to add to this rank's clock to get the clock of rank 0."""
        self.error_s = 0.0
        self._counts: dict[int, int] = {}
        self._known: dict[int, tuple[object, int]] = {}
        self._sites: dict[tuple[int, int], tuple[object, str]] = {}

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_known", "_sites")  # objects of this process
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def add(
        self,
        code: CodeType,
        instruction: int,
        owner: object,
        named: tuple[str, str, int, float, float],
    ) -> None:
        """Add a call that this instruction made on a communicator or team."""
        key = id(code), instruction
        found = self._sites.get(key)
        if found is None:
            found = code, call_sites.site_of(code, instruction)
            self._sites[key] = found
        site = found[1]
        call, way, n_bytes, start_s, stop_s = named
        group = self._group_of(owner)
        total = self.totals.setdefault((site, call, way, group), [0, 0, 0.0])
        total[0] += 1
        total[1] += n_bytes
        total[2] += stop_s - start_s
        number = self._counts[group] = self._counts.get(group, 0) + 1
        if not _hash(number) & self.mask:
            self.entries.append(Entry(site, call, way, n_bytes, group, number, start_s, stop_s))
            while len(self.entries) > _MOST_KEPT:
                self.mask = 2 * self.mask + 1
                self.entries = thinned(self.entries, self.mask)

    def _group_of(self, owner: object) -> int:
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


def _hash(number: int) -> int:
    # Do not use the number itself, because a rank may be late in every tenth step, for example.
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
    """Return the ranks in the job of a communicator or of a team; none if they are unknown."""
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


_log = Log()
_noted: list[tuple[CodeType, int, object, tuple[str, str, int, float, float]]] = []
"""Calls that are not in the log yet, because entering many at once is faster."""
_theirs: dict[int, CodeType] = {}
"""Code of the program, by identity."""


def note(owner: object, call: str, way: str, n_bytes: int, start_s: float, stop_s: float) -> None:
    """Add a call to the log.  The caller's caller made it."""
    frame: Any = sys._getframe(2)  # noqa: SLF001 - the only cheap way
    if id(frame.f_code) not in _theirs:
        while frame is not None and call_sites.is_ours(frame.f_code):
            frame = frame.f_back
        if frame is None:
            return
        _theirs[id(frame.f_code)] = frame.f_code
    _noted.append((frame.f_code, frame.f_lasti, owner, (call, way, n_bytes, start_s, stop_s)))
    if len(_noted) >= _MOST_NOTED:
        _enter_noted()


def _enter_noted() -> None:
    """Enter the calls that were noted into the log."""
    with _lock:
        noted, _noted[:] = _noted[:], []
        for each in noted:
            _log.add(*each)


def begin() -> None:
    """Record the calls of this rank from now on."""
    global _log, is_on  # noqa: PLW0603 - one profile at a time
    _log = Log()
    _noted.clear()
    is_on = True


def end() -> Log:
    """Stop recording; return what was recorded."""
    global is_on  # noqa: PLW0603
    is_on = False
    _enter_noted()
    _log.rank = MPI.COMM_WORLD.Get_rank()
    return _log
