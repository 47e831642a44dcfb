"""Make pictures of a profile: the trace of its calls, and the chart of its waits."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from redcoll.profiling.log import length, start

if TYPE_CHECKING:
    from redcoll.profiling.profile import Profile

_ARROW_S: Final = 1e-5
"""The shortest wait, in seconds, for which a trace has an arrow."""


def write_trace(profile: Profile, file: str | os.PathLike[str]) -> None:
    """Write the calls in Chrome's trace format."""
    base_s = min((start(log, each) for log in profile.logs for each in log.entries), default=0.0)
    events: list[dict[str, Any]] = [
        {"name": "thread_name", "ph": "M", "pid": 0, "tid": log.rank, "ts": 0,
         "args": {"name": f"rank {log.rank}"}}
        for log in profile.logs
    ]  # fmt: skip
    events += [
        {
            "name": f"{entry.call} {entry.site}",
            "cat": "redcoll",
            "ph": "X",
            "pid": 0,
            "tid": log.rank,
            "ts": (start(log, entry) - base_s) * 1e6,
            "dur": length(entry) * 1e6,
            "args": {"bytes": entry.n_bytes, "by": entry.way},
        }
        for log in profile.logs
        for entry in log.entries
    ]
    arrows = 0
    for _, found in profile.matched():
        last, its = found[-1]
        arrival_s = start(last, its)
        for log, entry in found[:-1]:
            if min(arrival_s - start(log, entry), length(entry)) < _ARROW_S:
                continue
            arrows += 1
            stop_s = max(start(log, entry) + length(entry), arrival_s)
            for phase, rank, at_s in (("s", last.rank, arrival_s), ("f", log.rank, stop_s)):
                events.append({
                    "name": "waited for", "cat": "redcoll", "ph": phase, "bp": "e", "pid": 0,
                    "id": arrows, "tid": rank, "ts": (at_s - base_s) * 1e6,
                })  # fmt: skip
    error_us = max((log.error_s for log in profile.logs), default=0.0) * 1e6
    shown = {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "ranks": len(profile.logs),
            "one_of_calls": max((log.mask for log in profile.logs), default=0) + 1,
            "clock_error_us": error_us,
        },
    }
    Path(file).write_text(json.dumps(shown))


def plot(profile: Profile, file: str | os.PathLike[str]) -> None:
    """Draw the waits of each rank."""
    from matplotlib.figure import Figure

    cost: defaultdict[int, float] = defaultdict(float)
    for late in profile.late():
        cost[late.rank] += late.seconds
    ranks = [log.rank for log in profile.logs]
    figure = Figure(figsize=(7, 1.8 + 0.4 * len(ranks)), layout="constrained")
    axes = figure.add_subplot()
    axes.barh([rank - 0.2 for rank in ranks], [profile.waits[rank] for rank in ranks], 0.4,
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
