"""Which rank was late: by call site the calls, their time, the waiting, and the last to arrive.

:mod:`redcoll.tally` times the public functions. While a profile is on, it passes each call to
:func:`note`. At the end the ranks' logs are compared: in each call, a rank waited from its own
arrival until the last arrival. All processes of a host have one clock. The clocks of several hosts
are compared once, at the end.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.liveness import aborting
from redcoll.protocol import call_sites
from redcoll.topology import Process

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_KEPT: Final = 100_000
"""The most calls in a rank's log. From then on it keeps every second one, every fourth, ..."""
_MOST_NOTED: Final = 4096
_ROWS: Final = 10
_ARROW_S: Final = 1e-5
"""Arrows in a trace show waits from this time on."""
_PINGS: Final = 10
_NO_GROUP: Final = -1

is_on = False
"""Whether calls come to :func:`note`."""
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
        """By site, call, way and group: calls, bytes and seconds, of all calls."""
        self.groups: list[tuple[tuple[int, ...], int]] = []
        """The ranks of each group, and its number among the groups with these ranks."""
        self.mask = 0
        """Calls are kept if these bits of their hash are 0."""
        self.offset_s = 0.0
        """To add to the clock of this rank to get that of rank 0."""
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
            return _NO_GROUP
        known = self._known.get(id(owner))
        if known is None:
            ranks = _ranks_of(owner)
            index = _NO_GROUP
            if ranks:
                same = sum(each == ranks for each, _ in self.groups)
                index = len(self.groups)
                self.groups.append((ranks, same))
            # The reference keeps the identity from being used again.
            known = self._known[id(owner)] = owner, index
        return known[1]


def _hash(number: int) -> int:
    # Not the number itself: a rank may be late in every tenth step.
    return number * 0x9E3779B97F4A7C15 >> 40 & 0xFFFFFF


def thinned(entries: Sequence[Entry], mask: int) -> list[Entry]:
    """Return the entries that a log with this mask keeps; they are the same on all ranks."""
    return [entry for entry in entries if not _hash(entry.number) & mask]


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
"""Calls that are not in the log yet: entering them together is faster."""
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


# -- what the logs say ----------------------------------------------------------------------


class Row(NamedTuple):
    """The calls of one call site on one communicator."""

    site: str
    call: str
    way: str
    """``redcoll``, or the reason why MPI reduced."""
    ranks: int
    """The number of ranks that made these calls."""
    calls: int
    n_bytes: int
    inside_s: float
    """Time in the call, mean of the ranks."""
    waiting_s: float
    """The part of it before the last rank arrived, mean of the ranks."""


class Late(NamedTuple):
    """A rank that others waited for at one call site."""

    rank: int
    site: str
    times: int
    """The number of calls in which this rank arrived last."""
    seconds: float
    """How long the other ranks waited for it in these calls, mean of these ranks."""


class Profile:
    """The calls of all ranks in a part of the program.

    ``with redcoll.profile() as p`` makes one. All ranks have it after the block.
    """

    def __init__(self) -> None:
        self._logs: list[Log] = []
        self._rows: list[Row] = []
        self._late: list[Late] = []
        self._waits: dict[int, float] = {}
        self.is_complete = False
        """Whether the logs of all ranks are there."""

    def take(self, logs: Sequence[Log], *, is_complete: bool) -> None:
        """Compare the logs of the ranks."""
        self._logs = list(logs)
        self.is_complete = is_complete
        waits: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        late: defaultdict[tuple[int, str], list[float]] = defaultdict(lambda: [0, 0.0])
        self._waits = defaultdict(float)
        for weight, found in self._matched():
            last, its = found[-1]
            total_s = 0.0
            for log, entry in found:
                waited_s = min(max(_start(last, its) - _start(log, entry), 0.0), _length(entry))
                waits[entry.site, entry.call, entry.way] += weight * waited_s
                self._waits[log.rank] += weight * waited_s
                total_s += waited_s
            sums = late[last.rank, its.site]
            sums[0] += weight
            sums[1] += weight * total_s / (len(found) - 1)
        self._late = sorted(
            (Late(*key, int(times), seconds) for key, (times, seconds) in late.items()),
            key=lambda each: -each.seconds,
        )
        sums_of: defaultdict[tuple[str, str, str], list[Any]] = defaultdict(
            lambda: [set(), 0, 0, 0.0]
        )
        for log in logs:
            for (site, call, way, _), (calls, n_bytes, seconds) in log.totals.items():
                each = sums_of[site, call, way]
                each[0].add(log.rank)
                each[1] += int(calls)
                each[2] += int(n_bytes)
                each[3] += seconds
        self._rows = sorted(
            (
                Row(*key, len(ranks), calls, n_bytes, inside / len(ranks), waits[key] / len(ranks))
                for key, (ranks, calls, n_bytes, inside) in sums_of.items()
            ),
            key=lambda row: -row.inside_s,
        )

    def _matched(self) -> Iterator[tuple[int, list[tuple[Log, Entry]]]]:
        """Yield each call of several ranks in the order of arrival, and the calls it stands for."""
        mask = max((log.mask for log in self._logs), default=0)
        calls: defaultdict[Any, list[tuple[Log, Entry]]] = defaultdict(list)
        for log in self._logs:
            for entry in thinned(log.entries, mask):
                if entry.group != _NO_GROUP:
                    calls[log.groups[entry.group], entry.number].append((log, entry))
        for (group, _), found in calls.items():
            if len(found) == len(group[0]) > 1:
                found.sort(key=lambda each: _start(*each))
                yield mask + 1, found

    def rows(self) -> list[Row]:
        """Return the call sites, the one with the most time first."""
        return list(self._rows)

    def late(self) -> list[Late]:
        """Return which ranks arrived last, and where; the one that cost the most time first."""
        return list(self._late)

    def table(self) -> str:
        """Return the first ten call sites as a table, and the ranks that were late."""
        calls = sum(row.calls for row in self._rows)
        inside = sum(row.inside_s for row in self._rows)
        waiting = sum(row.waiting_s for row in self._rows)
        share = f", {100 * waiting / inside:.3g} % of it waiting" if inside else ""
        note = "" if self.is_complete else "; rank 0 alone, because other ranks sent no calls"
        lines = [f"redcoll: {calls:,} calls, {inside:.3g} s a rank{share}{note}"]
        shown = self._rows[:_ROWS]
        width = max([len(row.site) for row in shown] + [9])
        lines.append(
            f"  {'call site':<{width}}  {'call':<22}  {'calls':>10}  {'bytes':>14}"
            f"  {'seconds':>9}  {'waiting':>9}  late"
        )
        for row in shown:
            at = next((each for each in self._late if each.site == row.site), None)
            last = f"rank {at.rank}: {at.times:,}x, {at.seconds:.3g} s" if at is not None else ""
            call = row.call if row.way == "redcoll" else f"{row.call} (MPI)"
            lines.append(
                f"  {row.site:<{width}}  {call:<22}  {row.calls:>10,}  {row.n_bytes:>14,}"
                f"  {row.inside_s:>9.4f}  {row.waiting_s:>9.4f}  {last}"
            )
        if len(self._rows) > _ROWS:
            lines.append(f"  and {len(self._rows) - _ROWS} more call sites")
        return "\n".join(lines) + "\n"

    def trace(self, file: str | os.PathLike[str]) -> None:
        """Write all calls in Chrome's trace format, which https://ui.perfetto.dev shows.

        Each rank has a track, and each call a slice. Arrows lead from the last rank that arrived to
        those that waited for it.
        """
        base_s = min((_start(log, each) for log in self._logs for each in log.entries), default=0.0)
        events: list[dict[str, Any]] = [
            {"name": "thread_name", "ph": "M", "pid": 0, "tid": log.rank, "ts": 0,
             "args": {"name": f"rank {log.rank}"}}
            for log in self._logs
        ]  # fmt: skip
        events += [
            {
                "name": f"{entry.call} {entry.site}",
                "cat": "redcoll",
                "ph": "X",
                "pid": 0,
                "tid": log.rank,
                "ts": (_start(log, entry) - base_s) * 1e6,
                "dur": _length(entry) * 1e6,
                "args": {"bytes": entry.n_bytes, "by": entry.way},
            }
            for log in self._logs
            for entry in log.entries
        ]
        arrows = 0
        for _, found in self._matched():
            last, its = found[-1]
            arrival_s = _start(last, its)
            for log, entry in found[:-1]:
                if min(arrival_s - _start(log, entry), _length(entry)) < _ARROW_S:
                    continue
                arrows += 1
                stop_s = max(_start(log, entry) + _length(entry), arrival_s)
                for phase, rank, at_s in (("s", last.rank, arrival_s), ("f", log.rank, stop_s)):
                    events.append({
                        "name": "waited for", "cat": "redcoll", "ph": phase, "bp": "e", "pid": 0,
                        "id": arrows, "tid": rank, "ts": (at_s - base_s) * 1e6,
                    })  # fmt: skip
        error_us = max((log.error_s for log in self._logs), default=0.0) * 1e6
        shown = {
            "traceEvents": events,
            "displayTimeUnit": "ns",
            "otherData": {
                "ranks": len(self._logs),
                "one_of_calls": max((log.mask for log in self._logs), default=0) + 1,
                "clock_error_us": error_us,
            },
        }
        Path(file).write_text(json.dumps(shown))

    def plot(self, file: str | os.PathLike[str]) -> None:
        """Draw how long each rank waited, and how long others waited for it.

        It needs matplotlib.
        """
        from matplotlib.figure import Figure

        cost: defaultdict[int, float] = defaultdict(float)
        for late in self._late:
            cost[late.rank] += late.seconds
        ranks = [log.rank for log in self._logs]
        figure = Figure(figsize=(7, 1.8 + 0.4 * len(ranks)), layout="constrained")
        axes = figure.add_subplot()
        axes.barh([rank - 0.2 for rank in ranks], [self._waits[rank] for rank in ranks], 0.4,
                  label="this rank waited", color="#9ecae1")  # fmt: skip
        axes.barh([rank + 0.2 for rank in ranks], [cost[rank] for rank in ranks], 0.4,
                  label="the others waited for this rank", color="#d94801", hatch="//")  # fmt: skip
        worst = max(ranks, key=lambda rank: cost[rank])
        axes.set_title(f"The others waited {cost[worst]:.2g} s for rank {worst}")
        axes.set_xlabel("seconds")
        axes.set_ylabel("rank")
        axes.set_yticks(ranks)
        axes.invert_yaxis()
        figure.legend(loc="outside lower center", ncols=2)
        figure.savefig(file)


def _start(log: Log, entry: Entry) -> float:
    return entry.start_s + log.offset_s


def _length(entry: Entry) -> float:
    return entry.stop_s - entry.start_s


# -- begin and end ----------------------------------------------------------------------------


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


def align(log: Log, comm: MPI.Intracomm, wait: Callable[[MPI.Request], bool]) -> bool:
    """Compare the clocks of all hosts with that of rank 0.  Collective over ``comm``.

    Returns
    -------
    bool
        False if a rank did not take part in time.
    """
    rank, size = comm.Get_rank(), comm.Get_size()
    host = Process.here().host.encode()[:64].ljust(64, b"\0")
    hosts = bytearray(64 * size)
    if not wait(comm.Iallgather([host, MPI.BYTE], [hosts, MPI.BYTE])):
        return False
    names = [bytes(hosts[64 * each : 64 * each + 64]) for each in range(size)]
    offsets = dict.fromkeys(names, (0.0, 0.0))
    for name in sorted(set(names) - {names[0]}):
        first = names.index(name)
        # All ranks take part in each exchange: the program may wait for any point-to-point message.
        best = (float("inf"), 0.0)
        for _ in range(_PINGS):
            clocks = bytearray(8 * size)
            start_s = time.monotonic()
            mine = memoryview(bytearray(8)).cast("d")
            mine[0] = start_s
            if not wait(comm.Ibarrier()):
                return False
            mine[0] = time.monotonic()
            if not wait(comm.Iallgather([mine, MPI.BYTE], [clocks, MPI.BYTE])):
                return False
            spent_s = time.monotonic() - start_s
            there = memoryview(clocks).cast("d")
            best = min(best, (spent_s, there[0] - there[first]))
        offsets[name] = best[1], best[0]
    log.offset_s, log.error_s = offsets[names[rank]]
    return True


def finish(
    wait: Callable[[MPI.Request], bool], gather: Callable[[bytes], list[bytes] | None]
) -> None:
    """Publish the profile of the job on rank 0.  All processes call it at exit."""
    log = end()
    complete = gather(pickle.dumps(log)) if align(log, MPI.COMM_WORLD, wait) else None
    if MPI.COMM_WORLD.Get_rank():
        return
    result = Profile()
    if complete is None:
        result.take([log], is_complete=False)
    else:
        logs = [pickle.loads(each) for each in complete]  # noqa: S301 - our own
        result.take(logs, is_complete=True)
    publish(result)


def finish_alone() -> None:
    """Publish the profile of rank 0 alone."""
    result = Profile()
    result.take([end()], is_complete=False)
    publish(result)


def publish(result: Profile) -> None:
    """Print the table, and write the trace if ``REDCOLL_PROFILE`` names a file for it."""
    file = config.PROFILE.get()
    if file is None:
        return
    try:
        if file.endswith(".json"):
            result.trace(file)
        elif file != config.TO_STDERR:
            Path(file).write_text(result.table())
            return
    except OSError as error:
        aborting.report(f"redcoll: {config.PROFILE.name}={file}: {error.strerror}\n")
    aborting.report(result.table())
