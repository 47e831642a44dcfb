"""Make pictures of a profile: the trace of its calls, and the chart of its waits."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from redcoll.profiling.profile import Profile

_ARROW_S: Final = 1e-5
"""The shortest wait, in seconds, for which a trace has an arrow."""


def write_trace(profile: Profile, file: str | os.PathLike[str]) -> None:
    """Write the calls in Chrome's trace format."""
    firsts_s = [float(log.calls["start_s"].min()) for log in profile.logs if len(log.calls)]
    base_s = min(firsts_s, default=0.0)
    events: list[dict[str, Any]] = [
        {"name": "thread_name", "ph": "M", "pid": 0, "tid": log.rank, "ts": 0,
         "args": {"name": f"rank {log.rank}"}}
        for log in profile.logs
    ]  # fmt: skip
    for log in profile.logs:
        keys = list(log.totals)
        for at, _, n_bytes, from_s, to_s in log.calls.tolist():
            events.append(
                {
                    "name": f"{keys[at].call} {keys[at].site}",
                    "cat": "redcoll",
                    "ph": "X",
                    "pid": 0,
                    "tid": log.rank,
                    "ts": (from_s - base_s) * 1e6,
                    "dur": (to_s - from_s) * 1e6,
                    "args": {"bytes": n_bytes, "by": keys[at].way},
                }
            )
    arrows = 0
    for found in profile.matched():
        for place, (log, calls, waited_s) in enumerate(
            zip(found.logs, found.calls, found.waited_s, strict=True)
        ):
            has_arrow = (found.last != place) & (waited_s >= _ARROW_S)
            stops_s = np.maximum(calls["stop_s"], found.arrival_s)
            for last, arrival_s, stop_s in zip(
                found.last[has_arrow].tolist(),
                found.arrival_s[has_arrow].tolist(),
                stops_s[has_arrow].tolist(),
                strict=True,
            ):
                arrows += 1
                ends = ("s", found.logs[last].rank, arrival_s), ("f", log.rank, stop_s)
                for phase, rank, at_s in ends:
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
    ranks = list(profile.waits)
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
