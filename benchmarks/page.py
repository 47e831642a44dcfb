"""Render the performance pages of the documentation from results in JSON files.

``python benchmarks/page.py DIRECTORY PAGE`` reads the JSON files of the directory, except those
that belong to other pages. It writes the page and its charts. Next to each JSON file it writes a
page with all results of the file, and a picture. Equal files give equal pages.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import charts
import goals
import startup

from redcoll.bench import plot, results, tables
from redcoll.bench.results import BASELINE, LIMIT, OPENSHMEM, Point, Run, geometric_mean

_NOTE = "<!-- Rendered by `make bench` from JSON files: change nothing here. -->"

_INTRODUCTION = """\
# How fast is redcoll on one node?

This page is for people who decide whether redcoll is worth an import. It compares redcoll with
mpi4py in the same jobs, on one node. [](performance_hosts.md) has several hosts, and
[](scaling.md) computes many nodes.
"""

_ANSWERS = """\
## What else differs

The same call also gives other answers:

![Table: five calls, and what mpi4py on two MPI libraries and redcoll give](_generated/answers.svg)

`examples/mpi4py` has programs for most rows; [](from_mpi4py.md) explains them.
"""

_SLOWER = """\
## Where redcoll is slower

![Heat map: speed of redcoll against mpi4py by kind of call and bytes]({slower})

* **Without the compiled kernel.** With ordinary arrays, the NumPy kernel is slower than mpi4py in
  {numpy}.
* **At the start of a job**, by the time that the imports take: see below.
* **On several nodes**, in some calls: [](performance_hosts.md).
* **`pvm_reduce` of short vectors.** It carries messages of any task, in any order.
"""

_METHOD = f"""\
## How it is measured

`make bench` runs `python -m redcoll bench` on each MPI and with each kernel, with 2, 4, 8 and 16
ranks.

* The two libraries take turns in the same job, repeat by repeat, in a new order each time.
* A repeat is a batch of calls. The calls rotate through several sets of buffers, and each rank
  writes to its source before each call. A batch takes as long as its slowest rank.
* Times are medians over the repeats. A speed-up is the median over the repeats of {BASELINE}'s
  time divided by redcoll's.
* Every result is checked. redcoll's must have the bits of a left fold by NumPy.
* Other programs on the machine are noticed: each page of rows says how busy they kept the cores.

Measure your own machine in a minute:

```console
$ mpiexec -n 2 python -m redcoll bench
```
"""

_ROWS = f"""\
## All rows

In these tables `core/symmetric` is `redcoll.allreduce` on symmetric arrays and `core/private` the
same on ordinary arrays. `shmem`, `mpi` and `pvm` are the APIs. `{LIMIT}` is a copy baseline: each
rank copies its source to its target, between two rounds. `{OPENSHMEM}` is
`shmem_double_sum_to_all` called from C (`make bench-peers`).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write pages and pictures; return the exit code."""
    parser = argparse.ArgumentParser(description="Render the performance pages.")
    parser.add_argument("directory", type=Path, help="with the JSON files; gets pictures and rows")
    parser.add_argument("page", type=Path, help="the Markdown file to write")
    options = parser.parse_args(arguments)
    of_others = set(_startups(options.directory))
    for kind in ("hosts", "peers"):
        of_others |= set(options.directory.glob(f"{kind}-*.json"))
    files = sorted(set(options.directory.glob("*.json")) - of_others)
    if not files:
        parser.error(f"there are no results in {options.directory}")
    by_file = {path: results.load([path]) for path in files}
    for path, runs in by_file.items():
        path.with_suffix(".md").write_text(rows_page(path, runs))
    startups = [json.loads(path.read_text()) for path in _startups(options.directory)]
    options.page.write_text(render(by_file, options.page, startups))
    return 0


def _startups(directory: Path) -> list[Path]:
    return sorted(directory.glob("startup-*.json"))


def render(
    by_file: dict[Path, list[Run]], page: Path, startups: Sequence[dict[str, Any]] = ()
) -> str:
    """Draw the charts; return the text of the page."""
    directory = next(iter(by_file)).parent
    runs = [run for each in by_file.values() for run in each]
    found = [point for point in results.points(runs) if _is_drop_in(point)]
    compiled = [point for point in found if point.kernel == "compiled"]
    by_numpy = [point for point in found if point.kernel == "numpy"]
    links = {}
    for name, draw in charts.CHARTS.items():
        draw(directory / f"{name}.png", found)
        links[name] = Path(os.path.relpath(directory / f"{name}.png", page.parent)).as_posix()
    parts = [
        _NOTE + "\n",
        _INTRODUCTION,
        _in_short(compiled, runs[0]),
        _sums(compiled, links["speedup"]),
        _kinds(compiled),
        _ANSWERS,
        _SLOWER.format(slower=links["slower"], numpy=_slower_cells(by_numpy)),
        *([_startup(startups)] if startups else []),
        _METHOD,
        _targets(results.points(runs), startups),
        _ROWS,
        _links(by_file, page),
    ]
    return "\n".join(parts)


def _is_drop_in(point: Point) -> bool:
    """Return whether a point has correct times of redcoll.MPI on ordinary arrays.

    All PEs of the job must have measured together, on one node and without a competitor.
    """
    alone = not (point.shared_job or point.has_competitor) and point.nodes == 1
    return alone and point.label == "mpi/private" and point.error is None


def _speed(ratio: float) -> str:
    """Return a ratio of times as text: "3.2x faster"."""
    if math.isnan(ratio):
        return "-"
    factor, word = (1 / ratio, "faster") if ratio <= 1 else (ratio, "slower")
    return f"{_factor(factor)}x {word}"


def _factor(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _mean(found: Iterable[Point]) -> str:
    return _speed(geometric_mean(point.ratio for point in found))


def _slower_cells(found: Sequence[Point]) -> str:
    words = []
    for mpi in _mpis(found):
        mine = [point for point in found if point.mpi == mpi]
        slower = sum(point.ratio > 1 for point in mine)
        words.append(f"{slower} of {len(mine)} configurations on {mpi}")
    return " and ".join(words) or "no configuration measured"


def _mpis(found: Iterable[Point]) -> list[str]:
    return list(dict.fromkeys(point.mpi for point in found))


def _in_short(found: Sequence[Point], run: Run) -> str:
    faster = sum(point.ratio < 1 for point in found)
    means = ", ".join(
        f"{_mean(point for point in found if point.mpi == mpi)} on {mpi}" for mpi in _mpis(found)
    )
    facts = run.facts
    return (
        "With the compiled kernel, redcoll was faster than mpi4py in\n"
        f"**{faster} of {len(found)}** configurations. The geometric mean is {means or '-'}.\n"
        "A configuration is a kind of call, a number of ranks and a number of bytes, on ordinary\n"
        "NumPy arrays with `from redcoll import MPI`.\n\n"
        f"The machine is one virtual machine: {facts['cpu']}, {facts['cpus']} cores.\n"
        "Rows with † are **oversubscribed**: they have more ranks than cores.\n"
    )


def _sums(found: Sequence[Point], link: str) -> str:
    mine = [p for p in found if (p.cell.collective, p.cell.op, p.cell.type) == charts.SUM]
    sizes = sorted({point.cell.n_bytes for point in mine})
    lines = [
        "## Allreduce",
        "",
        f"![Chart: speed-up of Allreduce by bytes, 2 ranks on 2 cores]({link})",
        "",
        "Times faster than mpi4py, sum of float64:",
        "",
        f"| MPI | ranks | {' | '.join(map(tables.human_bytes, sizes))} |",
        f"|---|---:|{'---:|' * len(sizes)}",
    ]
    known = {(p.mpi, p.cell.pes, p.cell.n_bytes): p for p in mine}
    for mpi, pes in sorted({(p.mpi, p.cell.pes) for p in mine}):
        row = [known.get((mpi, pes, size)) for size in sizes]
        words = ["-" if point is None else _factor(1 / point.ratio) for point in row]
        lines.append(f"| {mpi} | {_ranks(pes)} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def _ranks(pes: int) -> str:
    return f"{pes}†" if pes > charts.CORES else str(pes)


def _kinds(found: Sequence[Point]) -> str:
    few: Callable[[Point], bool] = lambda point: point.cell.pes <= charts.CORES  # noqa: E731
    mpis = _mpis(found)
    heads = [f"{mpi}, {which}" for mpi in mpis for which in ("2 ranks", "4 to 16 ranks†")]
    lines = [
        "## Other calls and types",
        "",
        "Geometric means over all sizes:",
        "",
        f"| call | {' | '.join(heads)} |",
        f"|---|{'---:|' * len(heads)}",
    ]
    for kind in charts.kinds(found):
        mine = [p for p in found if (p.cell.collective, p.cell.op, p.cell.type) == kind]
        words = []
        for mpi in mpis:
            of_mpi = [point for point in mine if point.mpi == mpi]
            words += [_mean(p for p in of_mpi if few(p)), _mean(p for p in of_mpi if not few(p))]
        lines.append(f"| {' '.join(kind)} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def _startup(found: Sequence[dict[str, Any]]) -> str:
    lines = [
        "## Start of a job",
        "",
        "From the start of the launcher until the last rank has left its first barrier. In",
        "brackets is the ratio to NumPy and mpi4py. 16 ranks on 2 cores are oversubscribed.",
        "",
        *startup.table(found),
        "",
    ]
    return "\n".join(lines)


def _targets(found: Iterable[Point], startups: Sequence[dict[str, Any]]) -> str:
    verdicts = [each for each in goals.judge(found) if not each.is_mean]
    missed = [each for each in verdicts if not each.is_met]
    late = [
        (each, program, ratio)
        for each in startups
        for program in startup.PROGRAMS
        if (ratio := startup.ratio(each, program)) > startup.MOST
    ]
    head = "These miss their target, as a ratio of redcoll's time:"
    lines = [
        "## Targets that are missed",
        "",
        f"`benchmarks/goals.py` has the targets. {len(verdicts)} cells were measured.",
        head if missed or late else "All are met.",
        "",
    ]
    lines += [
        f"* {each.goal.name}, {each.mpi}: {tables.number(each.ratio)} instead of {each.most:.2f} "
        f"({each.where})"
        for each in missed
    ]
    lines += [
        f"* the start of a job, {each['mpi']}: {tables.number(ratio)} instead of "
        f"{startup.MOST:.2f} ({program}, {each['pes']} PEs)"
        for each, program, ratio in late
    ]
    return "\n".join([*lines, ""])


def _links(by_file: dict[Path, list[Run]], page: Path) -> str:
    names = [
        Path(os.path.relpath(path.with_suffix(""), page.parent)).as_posix() for path in by_file
    ]
    links = [f"* [](<{name}.md>)" for name in names]
    return "\n".join([*links, "", "```{toctree}", ":hidden:", "", *names, "```", ""])


def rows_page(path: Path, runs: Sequence[Run]) -> str:
    """Draw the picture of a JSON file; return the page with all results of the file."""
    groups = tables.groups(results.points(runs))
    facts = runs[0].facts
    has_c = any(record.lane == OPENSHMEM for run in runs for record in run.records)
    where = " compared with OpenSHMEM" if has_c else ""
    picture = path.with_suffix(".png")
    heading = plot.draw(picture, results.points(runs))
    lines = [
        _NOTE,
        "",
        f"# {facts['mpi']}, {facts['kernel']} kernel{where}",
        "",
        "Reference: all rows of [](../performance.md) from one MPI library with one kernel.",
        "",
        *_machine(runs),
        "",
        "Cells have microseconds for one call, and in brackets the ratio to the best of mpi4py.",
        "",
        f"![Time against size: {tables.title(heading)}]({picture.name})",
        "",
    ]
    for key, group in groups.items():
        lines += [f"## {tables.title(key)}", "", *_table(group), ""]
    lines += _absences(runs)
    return "\n".join(lines)


def _machine(runs: Sequence[Run]) -> list[str]:
    facts = runs[0].facts
    dates = sorted(run.facts["date"][:10] for run in runs)
    days = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    others = max(run.facts["others_cores"] or 0 for run in runs)
    software = [
        f"{name} {facts[name.lower()]}" for name in ("redcoll", "mpi4py", "NumPy", "Python")
    ]
    return [
        "| | |",
        "|---|---|",
        f"| machine | {facts['cpu']}, {facts['cpus']} cores, {facts['system']} |",
        f"| software | {', '.join(software)} |",
        f"| thread level | {facts['thread_level']} |",
        f"| date | {days} |",
        f"| repeats | {facts['options']['repeats']} |",
        f"| other programs | at most {others:.2f} cores busy during a run |",
    ]


def _table(group: Sequence[Point]) -> list[str]:
    names = tables.labels(group)
    known = tables.lookup(group)
    peers = {point.label for point in group if point.is_peer}
    lines = [
        f"| ranks | bytes | {' | '.join(names)} |",
        f"|---:|---:|{'---:|' * len(names)}",
    ]
    for pes, n_bytes in tables.grid(group):
        words = [_ranks(pes), tables.human_bytes(n_bytes)]
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
