"""Compare the logs of all ranks, and find the late ranks at each call site."""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.comm import gather_objects
from redcoll.profiling import pictures
from redcoll.profiling.log import Calls, Log, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redcoll._mpi4py import MPI

_ROWS: Final = 10


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
    """Mean over the ranks of the time in the call."""
    waiting_s: float
    """Mean over the ranks of the time in the call before the last rank arrived."""


class Late(NamedTuple):
    """A rank for which others waited at one call site."""

    rank: int
    site: str
    times: int
    """The number of calls in which this rank arrived last."""
    seconds: float
    """Mean over the other ranks of the time for which they waited for this rank in these calls."""


class Matched(NamedTuple):
    """The kept calls that all ranks of a group made, sorted by number."""

    logs: list[Log]
    calls: list[Calls]
    """The calls in each log."""
    last: NDArray[np.intp]
    """For each call, the index in ``logs`` of the rank that arrived last."""
    arrival_s: NDArray[np.float64]
    """The time of the last arrival in each call."""
    waited_s: list[NDArray[np.float64]]
    """For each log, the time for which its rank waited in each call."""


class Profile:
    """The calls of all ranks in a part of the program.

    ``with redcoll.profile() as p`` makes a profile. After the block all ranks have its rows and its
    late ranks, and rank 0 has each call.
    """

    def __init__(self) -> None:
        self.logs: list[Log] = []
        """The calls of each rank. Ranks other than 0 have no logs."""
        self.waits: dict[int, float] = {}
        """How long each rank waited, in seconds."""
        self.is_complete = False
        """Whether the profile has the calls of all ranks."""
        self._rows: list[Row] = []
        self._late: list[Late] = []

    def take(self, logs: Sequence[Log], *, is_complete: bool) -> None:
        """Compare the logs of the ranks."""
        self.logs = list(logs)
        mask = self._mask
        # For each rank and key: how long the rank waited, in how many calls it was last, and how
        # long the others waited for it in these calls.
        sums = {log.rank: np.zeros((3, len(log.totals))) for log in logs}
        scales = {log.rank: self._scales(log) for log in logs}
        for found in self.matched():
            waits_s = [
                waited_s * scales[log.rank][calls["key"]]
                for log, calls, waited_s in zip(
                    found.logs, found.calls, found.waited_s, strict=True
                )
            ]
            others_s = np.sum(waits_s, axis=0) / (len(waits_s) - 1)
            for place, (log, calls) in enumerate(zip(found.logs, found.calls, strict=True)):
                is_last = found.last == place
                for at, weights in enumerate((waits_s[place], is_last, is_last * others_s)):
                    sums[log.rank][at] += _sums(log, calls, weights)
        self.waits = {rank: float(waited_s.sum()) for rank, (waited_s, _, _) in sums.items()}
        waits: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        late: defaultdict[tuple[int, str], list[float]] = defaultdict(lambda: [0, 0.0])
        for log in logs:
            for key, waited, n_last, others in zip(
                log.totals, *sums[log.rank].tolist(), strict=True
            ):
                waits[key[:3]] += waited
                if n_last:
                    late[log.rank, key.site][0] += n_last * (mask + 1)
                    late[log.rank, key.site][1] += others
        self._late = sorted(
            (Late(*key, int(n), seconds) for key, (n, seconds) in late.items()),
            key=lambda each: -each.seconds,
        )
        sums_of: defaultdict[tuple[str, str, str], list[Any]] = defaultdict(
            lambda: [set(), 0, 0, 0.0]
        )
        for log in logs:
            for key, (calls_made, n_bytes, seconds) in log.totals.items():
                each = sums_of[key[:3]]
                each[0].add(log.rank)
                each[1] += int(calls_made)
                each[2] += int(n_bytes)
                each[3] += seconds
        self._rows = sorted(
            (
                Row(*of, len(ranks), calls, n_bytes, inside / len(ranks), waits[of] / len(ranks))
                for of, (ranks, calls, n_bytes, inside) in sums_of.items()
            ),
            key=lambda row: -row.inside_s,
        )
        self.is_complete = is_complete

    def share(self, comm: MPI.Intracomm) -> None:
        """Give the profile of rank 0 to all ranks, without the calls.  Collective over ``comm``.

        If the profile of rank 0 is not complete, other ranks keep their own.
        """
        mine = {name: value for name, value in vars(self).items() if name != "logs"}
        found = gather_objects(comm, {} if comm.Get_rank() else mine)[0]
        if found["is_complete"] and comm.Get_rank():
            vars(self).update(found, logs=[])

    @property
    def _mask(self) -> int:
        """The mask of the calls that all logs keep."""
        return max((log.mask for log in self.logs), default=0)

    def _scales(self, log: Log) -> NDArray[np.float64]:
        """Return the time of all calls divided by the time of the kept calls, by key.

        Multiply waits by this ratio of times, not by the ratio of the numbers of calls. Otherwise a
        single long wait in a kept call would count many times. The scaled waits could then be
        longer than all calls together.
        """
        calls = thinned(log.calls, self._mask)
        kept_s = _sums(log, calls, calls["stop_s"] - calls["start_s"])
        all_s = np.array([seconds for *_, seconds in log.totals.values()])
        scales: NDArray[np.float64] = np.ones(len(all_s))
        np.divide(all_s, kept_s, out=scales, where=kept_s > 0)
        return scales

    def matched(self) -> Iterator[Matched]:
        """Yield the calls of each group that all ranks of the group made, and their waits."""
        groups: defaultdict[Any, list[tuple[Log, Calls]]] = defaultdict(list)
        for log in self.logs:
            calls = thinned(log.calls, self._mask)
            group = np.array([key.group for key in log.totals], np.int64)[calls["key"]]
            order = np.argsort(group)
            edges = np.searchsorted(group[order], range(len(log.groups) + 1))
            for name, first, last in zip(log.groups, edges, edges[1:], strict=False):
                groups[name].append((log, _once(calls[order[first:last]])))
        for (ranks, _), found in groups.items():
            if not len(found) == len(ranks) > 1:
                continue
            logs = [log for log, _ in found]
            numbers = functools.reduce(
                functools.partial(np.intersect1d, assume_unique=True),
                [calls["number"] for _, calls in found],
            )
            of = [calls[np.searchsorted(calls["number"], numbers)] for _, calls in found]
            starts_s = np.array([calls["start_s"] for calls in of])
            arrival_s = starts_s.max(axis=0)
            waited_s = [np.minimum(arrival_s, calls["stop_s"]) - calls["start_s"] for calls in of]
            yield Matched(logs, of, starts_s.argmax(axis=0), arrival_s, waited_s)

    def rows(self) -> list[Row]:
        """Return the call sites in descending order of their time."""
        return list(self._rows)

    def late(self) -> list[Late]:
        """Return the late ranks at each call site, in descending order of ``seconds``."""
        return list(self._late)

    def table(self) -> str:
        """Return the first ten call sites as a table, and the ranks that were late."""
        calls = sum(row.calls for row in self._rows)
        inside = sum(row.inside_s for row in self._rows)
        waiting = sum(row.waiting_s for row in self._rows)
        share = f", {100 * waiting / inside:.3g} % of it waiting" if inside else ""
        note = ""
        if not self.is_complete:
            note = f"; rank {self.logs[0].rank} alone, because other ranks sent no calls"
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

        Each rank has a track, and each call is a slice. Arrows lead from the rank that arrived last
        to the ranks that waited for it. Only rank 0 writes the file. Other ranks write it only if
        the block raised an exception.
        """
        if self.logs:
            pictures.write_trace(self, file)

    def plot(self, file: str | os.PathLike[str]) -> None:
        """Draw how long each rank waited, and how long others waited for it.

        This method needs matplotlib.
        """
        pictures.plot(self, file)


def _sums(log: Log, calls: Calls, weights: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the weights of calls by key."""
    sums: NDArray[Any] = np.bincount(calls["key"], weights, len(log.totals))
    return sums


def _once(calls: Calls) -> Calls:
    """Return the calls whose number no other call has, sorted by number."""
    _, first, times = np.unique(calls["number"], return_index=True, return_counts=True)
    found: Calls = calls[first[times == 1]]
    return found
