"""Compare the logs of all ranks, and find the late ranks at each call site."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from redcoll.profiling import pictures
from redcoll.profiling.log import NO_GROUP, Entry, Log, length, start, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS: Final = 10
_Key: TypeAlias = tuple[str, str, str, int]
"""Site, call, way and group: a key of a log's totals."""


def _key(entry: Entry) -> _Key:
    return entry.site, entry.call, entry.way, entry.group


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


class Profile:
    """The calls of all ranks in a part of the program.

    ``with redcoll.profile() as p`` makes a profile. After the block all ranks have the profile.
    """

    def __init__(self) -> None:
        self.logs: list[Log] = []
        self._rows: list[Row] = []
        self._late: list[Late] = []
        self.waits: dict[int, float] = {}
        self.is_complete = False
        """Whether the profile has the logs of all ranks."""

    def take(self, logs: Sequence[Log], *, is_complete: bool) -> None:
        """Compare the logs of the ranks."""
        self.logs = list(logs)
        self.is_complete = is_complete
        waits: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        late: defaultdict[tuple[int, str], list[float]] = defaultdict(lambda: [0, 0.0])
        self.waits = defaultdict(float)
        scales = self._scales()
        for weight, found in self.matched():
            last, its = found[-1]
            total_s = 0.0
            for log, entry in found:
                waited_s = min(max(start(last, its) - start(log, entry), 0.0), length(entry))
                waited_s *= scales[log.rank, _key(entry)]
                waits[entry.site, entry.call, entry.way] += waited_s
                self.waits[log.rank] += waited_s
                total_s += waited_s
            sums = late[last.rank, its.site]
            sums[0] += weight
            sums[1] += total_s / (len(found) - 1)
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

    @property
    def _mask(self) -> int:
        """The mask of the calls that all logs keep."""
        return max((log.mask for log in self.logs), default=0)

    def _scales(self) -> defaultdict[tuple[int, _Key], float]:
        """Return the time of all calls divided by the time of the kept calls, by rank and key.

        Multiply waits by this ratio of times, not by the ratio of the numbers of calls. Otherwise a
        single long wait in a kept call would count many times. The scaled waits could then be
        longer than all calls together.
        """
        scales: defaultdict[tuple[int, _Key], float] = defaultdict(lambda: 1.0)
        if self._mask == 0:
            return scales
        for log in self.logs:
            kept_s: defaultdict[_Key, float] = defaultdict(float)
            for entry in thinned(log.entries, self._mask):
                kept_s[_key(entry)] += length(entry)
            for key, seconds in kept_s.items():
                if seconds:
                    scales[log.rank, key] = log.totals[key][2] / seconds
        return scales

    def matched(self) -> Iterator[tuple[int, list[tuple[Log, Entry]]]]:
        """For each kept call, yield how many calls it represents, and its entries by arrival."""
        mask = self._mask
        calls: defaultdict[Any, list[tuple[Log, Entry]]] = defaultdict(list)
        for log in self.logs:
            for entry in thinned(log.entries, mask):
                if entry.group != NO_GROUP:
                    calls[log.groups[entry.group], entry.number].append((log, entry))
        for (group, _), found in calls.items():
            ranks = {log.rank for log, _ in found}
            if len(found) == len(ranks) == len(group[0]) > 1:
                found.sort(key=lambda each: start(*each))
                yield mask + 1, found

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
        to the ranks that waited for it.
        """
        pictures.write_trace(self, file)

    def plot(self, file: str | os.PathLike[str]) -> None:
        """Draw how long each rank waited, and how long others waited for it.

        This method needs matplotlib.
        """
        pictures.plot(self, file)
