"""Render the page about several hosts from the results of ``several_hosts.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from redcoll.bench import results, tables
from redcoll.bench.results import Point, Run

Layout = tuple[int, int]
"""Number of hosts, and number of ranks on each host."""
CALLS = {"allreduce": "Allreduce", "reduce": "Reduce", "reduce_scatter": "Reduce_scatter_block"}
"""The name of the MPI call, by the benchmark's name of the collective."""
MOST_MEAN = 0.7
"""Largest allowed geometric mean of allreduce's ratios with several ranks on each host."""
MOST_GROWTH = 1.15
"""Largest allowed growth of the ratio from 4 to 16 hosts, with one rank on each host."""


def most(collective: str, order: str, ranks: int) -> float:
    """Return the largest ratio to mpi4py that redcoll may have."""
    if collective != "allreduce":
        return 1.2
    if ranks > 1:
        return 1.0
    return 1.2 if order == "mpi" else 1.4


_INTRODUCTION = """\
<!-- Rendered by `make bench-hosts` from performance/hosts-*.json: change nothing here. -->

# How fast is redcoll on several hosts?

This page is for people who run jobs on more than one node. It compares redcoll with mpi4py in the
same jobs: allreduce, reduce and reduce_scatter, float64 sums, ordinary arrays.

The hosts are network namespaces on one machine, which TCP connects. They share its cores: rows
with † are **oversubscribed**, with more ranks than cores. `make bench-hosts` needs root.
redcoll and mpi4py take turns in each job, and every result is checked.

Each cell has redcoll's microseconds for one call and, in brackets, the median of the ratios to
mpi4py's time. Ratios in bold are above their limit:

* `Allreduce`, 1 rank on each host: 1.4 with `REDCOLL_ORDER=node`, 1.2 with `REDCOLL_ORDER=mpi`.
  The ratio on 16 hosts is at most 1.15 times that on 4.
* `Allreduce`, 2 or 4 ranks on each host: 1.0, and 0.7 for the geometric mean.
* `Reduce` and `Reduce_scatter_block`: 1.2. The root is rank 0 in all calls, so MPI's other ranks
  need not wait. In redcoll they need not wait up to 16 KiB ([](decisions/between-nodes.md)).

```{figure} performance/hosts.png
:alt: ratio of redcoll's time to mpi4py's by the number of hosts, a line for each size

Allreduce in order `node`. Below 1 redcoll is faster.
```

Packets and bytes on the links are those that a host sends for one allreduce of 8 bytes, the mean
of all hosts. Packets are in bold where they grow faster than the logarithm of the hosts.
"""


def layout_of(run: Run) -> Layout:
    """Return the number of hosts of a job, and the largest number of ranks on a host."""
    ranks = Counter(run.facts["nodes"])
    return len(ranks), max(ranks.values())


def _name(layout: Layout, runs: Sequence[Run]) -> str:
    hosts, ranks = layout
    return f"{hosts} x {ranks}{'†' if hosts * ranks > runs[0].facts['cpus'] else ''}"


def render(runs: Iterable[Run]) -> str:
    """Return the page."""
    return f"{_INTRODUCTION}\n{sections(runs)}"


def sections(runs: Iterable[Run]) -> str:
    """Return the sections of the page, with the tables of each MPI and network."""
    by_mpi: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: layout_of(run)[::-1]):
        over = run.facts.get("network", "TCP")
        by_mpi.setdefault(f"{run.facts['mpi']} over {over}", []).append(run)
    parts = []
    for name, mine in by_mpi.items():
        parts += [f"## {name}", ""]
        shown = ""
        for order in dict.fromkeys(run.facts.get("order", "node") for run in mine):
            ordered = [run for run in mine if run.facts.get("order", "node") == order]
            machine = _machine(ordered)
            if machine != shown:
                parts += [machine, ""]
                shown = machine
            for collective, call in CALLS.items():
                parts += _table(ordered, collective, f"### `{call}`, order `{order}`", order)
            parts += _links(ordered, order)
    return "\n".join(parts)


def _machine(runs: Sequence[Run]) -> str:
    facts = runs[0].facts
    others = max(run.facts["others_cores"] or 0 for run in runs)
    days = " and ".join(sorted({run.facts["date"][:10] for run in runs}))
    return (
        f"{facts['cpu']}, {facts['cpus']} cores in all, {facts['system']}; mpi4py "
        f"{facts['mpi4py']}, Python {facts['python']}. {days}; medians of "
        f"{facts['options']['repeats']} repeats. Other programs kept at most {others:.2f} cores "
        "busy during a run."
    )


def _table(runs: Sequence[Run], collective: str, heading: str, order: str) -> list[str]:
    """Return a table with a row for each layout and a column for each size."""
    cells: dict[tuple[Layout, int], Point] = {}
    for run in runs:
        for point in results.points([run]):
            if point.label == "core/private" and point.cell.collective == collective:
                cells[layout_of(run), point.cell.n_bytes] = point
    if not cells:
        return []
    sizes = sorted({n_bytes for _, n_bytes in cells})
    lines = [
        heading,
        "",
        f"| hosts x ranks | {' | '.join(map(tables.human_bytes, sizes))} |",
        f"|---:|{'---:|' * len(sizes)}",
    ]
    n_missed = 0
    for layout in dict.fromkeys(layout for layout, _ in cells):
        words = []
        for n_bytes in sizes:
            if (layout, n_bytes) not in cells:
                words.append("-")
                continue
            point = cells[layout, n_bytes]
            four = cells.get(((4, 1), n_bytes)) if layout == (16, 1) else None
            is_missed = misses(point, order, layout, four)
            n_missed += is_missed
            words.append(_cell(point, is_missed=is_missed))
        lines.append(f"| {_name(layout, runs)} | {' | '.join(words)} |")
    verdict = f"{n_missed} of {len(cells)} cells miss their limit."
    several = [point.ratio for (layout, _), point in cells.items() if layout[1] > 1]
    if several and collective == "allreduce":
        mean = results.geometric_mean(several)
        word = "meets" if mean <= MOST_MEAN else "**misses**"
        verdict += f" The geometric mean on 2 or 4 ranks a host, {mean:.2f}, {word} its limit."
    return [*lines, "", verdict, ""]


def misses(point: Point, order: str, layout: Layout, four: Point | None = None) -> bool:
    """Return whether a cell misses a limit.

    ``four`` is the cell on 4 hosts. In an allreduce, its ratio limits the ratio on 16 hosts.
    """
    if point.error is not None:
        return True
    limit = most(point.cell.collective, order, layout[1])
    if four is not None and point.cell.collective == "allreduce":
        limit = min(limit, MOST_GROWTH * four.ratio)
    return not point.ratio <= limit


def _cell(point: Point, *, is_missed: bool) -> str:
    if point.error is not None:
        return "**wrong**"
    mark = "**" if is_missed else ""
    return f"{tables.microseconds(point.median_s)} ({mark}{tables.number(point.ratio)}{mark})"


def _links(runs: Sequence[Run], order: str) -> list[str]:
    counted = {layout_of(run): run.facts["links"] for run in runs if "links" in run.facts}
    if not counted:
        return []
    lines = [
        f"### Packets and bytes on the links, order `{order}`",
        "",
        "| hosts x ranks | redcoll packets | redcoll bytes | mpi4py packets | mpi4py bytes |",
        "|---:|---:|---:|---:|---:|",
    ]
    for layout, links in counted.items():
        two = counted.get((2, layout[1]), links)["redcoll"]["mean_packets"]
        grows = links["redcoll"]["mean_packets"] > np.log2(layout[0]) * two
        words = [
            f"{links[name][f'mean_{unit}']:.{digits}f}"
            for name in ("redcoll", "mpi4py")
            for unit, digits in (("packets", 1), ("bytes", 0))
        ]
        if grows:
            words[0] = f"**{words[0]}**"
        lines.append(f"| {_name(layout, runs)} | {' | '.join(words)} |")
    return [*lines, ""]
