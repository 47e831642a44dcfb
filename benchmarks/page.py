"""Render the performance page of the documentation from results in JSON files.

``python benchmarks/page.py DIRECTORY PAGE`` reads the JSON files of the directory, except
those of benchmarks/several_hosts.py. It draws a picture next to each file, and writes the page.
Equal files give an equal page.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import goals
import startup

from redcoll.bench import plot, results, tables
from redcoll.bench.results import BASELINE, LIMIT, OPENSHMEM, Point, Run

_INTRODUCTION = f"""\
<!-- Rendered from the JSON files of the directory below by `make bench`: change nothing here. -->

# Performance

What redcoll's reductions cost, measured beside those of the MPI library underneath and beside the
limit of the machine. Absolute times drift with the machine and with what else it does; ratios
taken in one run do so far less, and are what to look at.

## How it is measured

`make bench` runs `python -m redcoll bench`, on each MPI and with each kernel, in jobs of 2, 4, 8
and 16 PEs.

* Everything compared takes turns in the same job, repeat by repeat, in an order drawn anew for each
  repeat, the same on all PEs.
* A repeat is a batch of calls back to back. They rotate through several sets of buffers, and each
  PE writes to its source before each call: no call finds the data of the one before. Warm-up is
  outside the clock. A batch takes as long as its slowest PE.
* Times are medians over the repeats. A ratio is the median of the ratios within each repeat, to
  whatever `{BASELINE}` did best (on private or on symmetric arrays).
* Every result is checked: redcoll's bit for bit against a left fold by NumPy, the peers' within
  the rounding of any order.
* `{LIMIT}` is the machine's limit for an allreduce: each PE copies its source to its target once,
  between two rounds; as many bytes as must be read and written, and no arithmetic.
* PEs of a job that do not take part in a cell sleep.

`core/symmetric` is `redcoll.allreduce` on symmetric arrays, `core/private` the same on ordinary
NumPy arrays; `shmem`, `mpi` and `pvm` are the APIs. `{OPENSHMEM}` is `shmem_double_sum_to_all`
called from C (`make bench-peers`). Several hosts have a page of their own:
[](performance_hosts.md).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write pictures and page; return the exit code."""
    parser = argparse.ArgumentParser(description="Render the performance page.")
    parser.add_argument("directory", type=Path, help="with the JSON files; gets the pictures")
    parser.add_argument("page", type=Path, help="the Markdown file to write")
    options = parser.parse_args(arguments)
    of_others = {*_startups(options.directory), *options.directory.glob("hosts-*.json")}
    files = sorted(set(options.directory.glob("*.json")) - of_others)
    if not files:
        parser.error(f"there are no results in {options.directory}")
    startups = [json.loads(path.read_text()) for path in _startups(options.directory)]
    options.page.write_text(render(files, options.page, startups))
    return 0


def _startups(directory: Path) -> list[Path]:
    return sorted(directory.glob("startup-*.json"))


def render(files: Sequence[Path], page: Path, startups: Sequence[dict[str, Any]] = ()) -> str:
    """Draw the pictures; return the text of the page."""
    by_file = {path: results.load([path]) for path in files}
    everything = [point for runs in by_file.values() for point in results.points(runs)]
    parts = [_INTRODUCTION, _goals(everything)]
    if startups:
        parts.append(_startup(startups))
    parts += [_section(path, runs, page) for path, runs in by_file.items()]
    return "\n".join(parts)


def _goals(found: Iterable[Point]) -> str:
    lines = [
        "## Goals",
        "",
        "| goal | MPI | measured | met | worst ratio | mean | allowed mean |",
        "|---|---|---|---|---|---|---|",
    ]
    verdicts = goals.judge(found)
    for goal in goals.GOALS:
        name = f"{goal.name}: {goal.lane}/{goal.path}, {goal.kernel} kernel, to {goal.peer}"
        mpis = dict.fromkeys(each.mpi for each in verdicts if each.goal is goal)
        for mpi in mpis:
            mine = [each for each in verdicts if each.goal is goal and each.mpi == mpi]
            cells = [each for each in mine if not each.is_mean]
            mean = next((each for each in mine if each.is_mean), None)
            met = sum(each.is_met for each in cells)
            worst = max(cells, key=lambda each: _or_worst(each.ratio / each.most))
            words = [
                name,
                mpi,
                f"{len(cells)} of {goal.n_cells}",
                f"{met} of {len(cells)}",
                f"{tables.number(worst.ratio)} of {worst.most:.2f} ({worst.where})",
                "-" if mean is None else tables.number(mean.ratio),
                "-" if mean is None else f"{mean.most:.2f}",
            ]
            lines.append(f"| {' | '.join(words)} |")
        if not mpis:
            lines.append(f"| {name} | - | not measured | - | - | - | - |")
    return "\n".join([*lines, ""])


def _startup(found: Sequence[dict[str, Any]]) -> str:
    lines = [
        "## Start-up",
        "",
        "From the start of the launcher until the last PE is through its first barrier; in",
        f"brackets the ratio to mpi4py alone, of which {startup.MOST} is allowed.",
        "",
        *startup.table(found),
        "",
    ]
    return "\n".join(lines)


def _or_worst(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _section(path: Path, runs: Sequence[Run], page: Path) -> str:
    groups = tables.groups(point for point in results.points(runs))
    facts = runs[0].facts
    is_beside_c = any(record.lane == OPENSHMEM for run in runs for record in run.records)
    where = " beside OpenSHMEM" if is_beside_c else ""
    picture = path.with_suffix(".png")
    heading = plot.draw(picture, results.points(runs))
    link = Path(os.path.relpath(picture, page.parent)).as_posix()
    lines = [
        f"## {facts['mpi']}, {facts['kernel']} kernel{where}",
        "",
        _machine(runs),
        "",
        f"![Time against size: {tables.title(heading)}]({link})",
        "",
    ]
    for key, group in groups.items():
        lines += [f"### {tables.title(key)}", "", *_table(group), ""]
    lines += _absences(runs)
    return "\n".join(lines)


def _machine(runs: Sequence[Run]) -> str:
    facts = runs[0].facts
    dates = sorted(run.facts["date"][:10] for run in runs)
    days = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    others = max(run.facts["others_cores"] or 0 for run in runs)
    cores = f"{facts['cores']} core{'s' * (facts['cores'] != 1)}"
    return (
        f"{facts['cpu']}, {cores}, {facts['system']}; redcoll {facts['redcoll']}, "
        f"mpi4py {facts['mpi4py']} (thread level {facts['thread_level']}), NumPy "
        f"{facts['numpy']}, Python {facts['python']}. {days}; medians of "
        f"{facts['options']['repeats']} repeats; other programs kept at most {others:.2f} cores "
        "busy during a run."
    )


def _table(group: Sequence[Point]) -> list[str]:
    names = tables.labels(group)
    known = tables.lookup(group)
    peers = {point.label for point in group if point.is_peer}
    lines = [
        "Microseconds a call, and in brackets the ratio to the best of mpi4py.",
        "",
        f"| PEs | bytes | {' | '.join(names)} |",
        f"|---:|---:|{'---:|' * len(names)}",
    ]
    for pes, n_bytes in tables.grid(group):
        words = [str(pes), tables.human_bytes(n_bytes)]
        words += [_entry(known.get((pes, n_bytes, name)), name in peers) for name in names]
        lines.append(f"| {' | '.join(words)} |")
    means = [
        ""
        if name in peers
        else f"({tables.number(tables.mean_ratio(p for p in group if p.label == name))})"
        for name in names
    ]
    lines.append(f"| | mean | {' | '.join(means)} |")
    return lines


def _entry(point: Point | None, is_peer: bool) -> str:
    if point is None:
        return "-"
    if point.error is not None:
        return "**wrong**"
    time = tables.microseconds(point.median_s)
    return time if is_peer else f"{time} ({tables.number(point.ratio)})"


def _absences(runs: Sequence[Run]) -> list[str]:
    rows = tables.absences(runs)
    return ["Not measured:", "", *(f"* {row}" for row in rows), ""] if rows else []


if __name__ == "__main__":
    sys.exit(main())
