"""Compare redcoll's times on several MPI libraries with the targets.

``python benchmarks/peers_page.py DIRECTORY PAGE`` reads the files ``peers-*.json`` of
``benchmarks/peers.py`` and ``startup-*.json`` of ``benchmarks/startup.py``. It prints the missed
targets and writes the page. Equal files give equal pages.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import goals
import startup
from peers import COPY, GLOO, MPI4PY, ORDINARY, SHARED, SYMMETRIC

from redcoll.bench.results import geometric_mean
from redcoll.bench.tables import human_bytes, number

LIBRARIES = ("MPICH", "Open MPI", "Intel MPI")
LARGE_BYTES = 1 << 20
SHARED_BYTES = 32 << 10
"""``shared_arrays()`` shares arrays of at least this size."""

_INTRODUCTION = """\
<!-- Rendered by `make bench-goals` from JSON files: change nothing here. -->

# How fast is redcoll next to other MPI libraries?

This page is for people who can choose their MPI library, and for people who want to add a library
to the comparison. [](performance.md) has more kinds of calls, on MPICH and Open MPI.

The tables have median times of an allreduce in microseconds: sum of float64, {cores} cores of a
virtual machine (AMD EPYC), {repeats} repeats. Rows with † are **oversubscribed**: they have more
ranks than cores. `mpi4py` is the library's own `Allreduce` in its quickest setting for each row.
The other columns are `Allreduce` of `redcoll.MPI` in the same job, on ordinary arrays, on
[symmetric arrays](glossary.md#memory-and-arrays), and on arrays that were made under
[`redcoll.shared_arrays()`](shared_arrays.md).
"""

_GOALS = """\
## Does redcoll reach its targets?

The table has ratios of redcoll's time to that of `mpi4py`, where it names no other time. Except for
the geometric means, it has the largest ratio of all rows below. The first number of a cell is for 2
ranks, which have a core each, and the number with † is for more ranks than cores. Bold numbers are
above their limit. Where there are two limits, the second is for Intel MPI. `benchmarks/goals.py`
has the limits. [](performance_hosts.md) compares several hosts with theirs.
"""

_METHOD = """\
## How it is measured

* A rank writes to its source before each call. All calls of a row use the same pair of arrays, so
  the caches hold them. [](performance.md) rotates through several pairs, and its times are longer.
* The series take turns, repeat by repeat. A ratio is the median over the repeats. A call takes as
  long as on its slowest rank.
* For the ratio to a copy, all ranks copy their source to their target, and then wait for the last
  rank in a barrier of `redcoll.MPI`.
* The two cores of this virtual machine share a cache at some times, and share no cache at other
  times. The times of 2 ranks then differ by up to 2x. All files of 2 ranks are from times with a
  shared cache. Without a shared cache, redcoll missed more targets on Intel MPI: ordinary arrays
  of 1 MiB took 1.17, and `shared_arrays()` of 32 KiB took 0.702. Symmetric arrays of 1 MiB and
  8 MiB took 1.37 and 1.50 of a copy. These are medians over 16 other runs of
  `benchmarks/peers.py`, whose files are not kept. With the other libraries, this version has not
  been measured without a shared cache.
* On 2 cores of another virtual machine (Intel Xeon, 2.5 GHz), ordinary arrays of 32 KiB, 1 MiB and
  8 MiB took 0.88, 1.17 and 0.78 of Intel MPI's time. `shared_arrays()` took 0.34, 0.49 and 0.45.
  These are medians of 9 runs. In 3 runs each with MPICH and Open MPI, `shared_arrays()` of these
  sizes took 0.27 to 0.41. These files are not kept either.
* The highest thread level makes MPICH's collectives slow. Set `MPI4PY_RC_THREAD_LEVEL=serialized`
  if only one thread at a time calls MPI. Waiting ranks then hold their cores, so rows with † do not
  use this setting.

`make bench-goals` measures on MPICH, Open MPI and Intel MPI, each in its own virtual environment,
and writes this page. To measure one library, run in its environment:

```console
$ python benchmarks/peers.py docs/performance --ranks 2,4,16
```

The program prints a table for each setting. It writes the times of all repeats to
`docs/performance/peers-mpich-2.json` and similar files. `--gloo` times gloo in the place of the MPI
library. It needs `torch` in the environment.

## Add a peer

A new setting of a known library is one line in `SETTINGS` of `benchmarks/peers.py`: its name, and
the environment variables that make it. A new MPI library needs an entry there with the name that
`MPI.get_vendor()` of mpi4py returns, and a place in `LIBRARIES` of `benchmarks/peers_page.py`.

A library that is no MPI library needs a series in `_measure`, as gloo has: a function that takes
the source and the target, and the two arrays. Its sum must be right, because `_batch` compares it
with the expected one.
"""


class Cell(NamedTuple):
    """The times of all series for ``ranks`` and ``n_bytes``, in the library's fastest setting."""

    library: str
    ranks: int
    is_crowded: bool
    """Whether there are more ranks than cores."""
    n_bytes: int
    us: dict[str, list[float]]

    def median(self, series: str) -> float:
        """Return the median time of a series in microseconds."""
        return statistics.median(self.us[series])

    def ratio(self, series: str, peer: str = MPI4PY) -> float:
        """Return the median ratio of a series' time to the peer's time, over all repeats."""
        pairs = zip(self.us[series], self.us[peer], strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    def __str__(self) -> str:
        mark = "†" if self.is_crowded else ""
        return f"{self.library}, {self.ranks}{mark} ranks, {human_bytes(self.n_bytes)}"


class Target(NamedTuple):
    """A target: a name, a limit for each library, and a function that returns a cell's ratio."""

    name: str
    limits: Sequence[float]
    ratio: Callable[[Cell], float]
    least_bytes: int = 0
    is_mean: bool = False

    def judge(self, cells: Sequence[Cell], library: str) -> tuple[str, list[str]]:
        """Return the text of a library's entry in the table, and a line for each miss."""
        limit = self.limits[LIBRARIES.index(library)]
        mine = [
            each for each in cells if each.library == library and each.n_bytes >= self.least_bytes
        ]
        words, misses = [], []
        for is_crowded in (False, True):
            ratios = {str(each): self.ratio(each) for each in mine if each.is_crowded == is_crowded}
            if not ratios:
                continue
            values = list(ratios.values())
            found = geometric_mean(values) if self.is_mean else max(values)
            words.append(_word(found, limit, is_crowded=is_crowded))
            if self.is_mean and found > limit:
                where = "more ranks than cores†" if is_crowded else "a core for each rank"
                ratios = {f"{library}, {where}": found}
            misses += [
                f"* {self.name}: {number(ratio)} instead of {limit} ({where})"
                for where, ratio in ratios.items()
                if ratio > limit and (found > limit or not self.is_mean)
            ]
        return " / ".join(words), misses


def _word(ratio: float, limit: float, *, is_crowded: bool) -> str:
    text = f"{number(ratio)}{'†' if is_crowded else ''}"
    return f"**{text}**" if ratio > limit else text


def _us(median: float) -> str:
    """Return a time in microseconds with two or three digits."""
    return f"{median:.2f}" if median < 10 else f"{float(f'{median:.3g}'):,.0f}"


def targets() -> list[Target]:
    """Return the targets of ``benchmarks/goals.py``."""
    symmetric = [goals.SYMMETRIC[each] for each in LIBRARIES]
    ordinary = [goals.ORDINARY[each] for each in LIBRARIES]
    same = len(LIBRARIES)
    return [
        Target(
            "symmetric arrays, geometric mean",
            [each.mean for each in symmetric],
            lambda cell: cell.ratio(SYMMETRIC),
            is_mean=True,
        ),
        Target(
            "symmetric arrays",
            [each.cell for each in symmetric],
            lambda cell: cell.ratio(SYMMETRIC),
        ),
        Target(
            "symmetric arrays to a copy, 1 MiB and more",
            [goals.COPY_MOST] * same,
            lambda cell: cell.ratio(SYMMETRIC, COPY),
            LARGE_BYTES,
        ),
        Target(
            "ordinary arrays, geometric mean",
            [each.mean for each in ordinary],
            lambda cell: cell.ratio(ORDINARY),
            is_mean=True,
        ),
        Target(
            "ordinary arrays",
            [each.cell for each in ordinary],
            lambda cell: cell.ratio(ORDINARY),
        ),
        Target(
            "`shared_arrays()` to symmetric arrays, 32 KiB and more",
            [goals.SHARED_TO_SYMMETRIC_MOST] * same,
            lambda cell: cell.ratio(SHARED, SYMMETRIC),
            SHARED_BYTES,
        ),
        Target(
            "`shared_arrays()`, 32 KiB and more",
            [goals.SHARED_MOST] * same,
            lambda cell: cell.ratio(SHARED),
            SHARED_BYTES,
        ),
    ]


def read(directory: Path) -> tuple[list[Cell], int, int]:
    """Return the cells of all files, the number of cores, and the number of repeats."""
    cells = []
    cores = repeats = 0
    for path in sorted(directory.glob("peers-*.json")):
        if path.name.startswith(f"peers-{GLOO}-"):
            continue
        found: list[dict[str, Any]] = json.loads(path.read_text())
        for place in range(len(found[0]["rows"])):
            rows = [each["rows"][place] for each in found]
            row = min(rows, key=lambda each: statistics.median(each["us"][MPI4PY]))
            cores, ranks = found[0]["cores"], found[0]["ranks"]
            repeats = len(row["us"][MPI4PY])
            vendor = found[0]["vendor"]
            cells.append(Cell(vendor, ranks, ranks > cores, row["bytes"], row["us"]))
    return sorted(cells), cores, repeats


def compare(cells: Sequence[Cell], starts: Sequence[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the table of the targets, and a line for each cell that misses its target."""
    lines = [
        f"| target | limit | {' | '.join(LIBRARIES)} |",
        "|---|---:|" + "---:|" * len(LIBRARIES),
    ]
    misses = []
    for target in targets():
        words = []
        for library in LIBRARIES:
            word, missed = target.judge(cells, library)
            words.append(word or "not measured")
            misses += missed
        limits = " / ".join(map(str, dict.fromkeys(target.limits)))
        lines.append(f"| {target.name} | {limits} | {' | '.join(words)} |")
    of_library = {each["mpi"]: each for each in starts}
    for program in startup.PROGRAMS:
        if not program.startswith("redcoll"):
            continue
        words = []
        for library in LIBRARIES:
            if library not in of_library:
                words.append("not measured")
                continue
            ratio = startup.ratio(of_library[library], program)
            words.append(_word(ratio, startup.MOST, is_crowded=True))
            if ratio > startup.MOST:
                where = f"{library}, {of_library[library]['pes']}† ranks"
                misses.append(
                    f"* start of `{program}`: {ratio:.2f} instead of {startup.MOST} ({where})"
                )
        lines.append(f"| start of `{program}` | {startup.MOST} | {' | '.join(words)} |")
    return lines, misses


def _times(cells: Sequence[Cell], library: str) -> list[str]:
    series = (MPI4PY, ORDINARY, SYMMETRIC, SHARED)
    lines = [
        f"## {library}",
        "",
        f"| ranks | bytes | {' | '.join(series[:-1])} | `{SHARED}` |",
        "|---:|---:|" + "---:|" * len(series),
    ]
    for cell in cells:
        if cell.library == library:
            words = [_us(cell.median(each)) for each in series]
            mark = "†" if cell.is_crowded else ""
            lines.append(
                f"| {cell.ranks}{mark} | {human_bytes(cell.n_bytes)} | {' | '.join(words)} |"
            )
    return [*lines, ""]


def _gloo(directory: Path) -> list[str]:
    path = directory / "peers-gloo-2.json"
    if not path.exists():
        return []
    [found] = json.loads(path.read_text())
    series = (GLOO, ORDINARY, SYMMETRIC, SHARED)
    lines = [
        "## gloo",
        "",
        "gloo is the library for CPUs inside PyTorch. It sums in place. MPICH is the MPI library",
        f"of redcoll in this job of {found['ranks']} ranks:",
        "",
        f"| bytes | {' | '.join(series[:-1])} | `{SHARED}` |",
        "|---:|" + "---:|" * len(series),
    ]
    for row in found["rows"]:
        words = [_us(statistics.median(row["us"][each])) for each in series]
        lines.append(f"| {human_bytes(row['bytes'])} | {' | '.join(words)} |")
    return [*lines, ""]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the misses and write the page; return the exit code."""
    parser = argparse.ArgumentParser(description="Compare with the targets, and write the page.")
    parser.add_argument("directory", type=Path, help="the folder with the JSON files")
    parser.add_argument("page", type=Path, help="the page to write")
    options = parser.parse_args(arguments)
    cells, cores, repeats = read(options.directory)
    starts = [
        json.loads(path.read_text()) for path in sorted(options.directory.glob("startup-*.json"))
    ]
    table, misses = compare(cells, starts)
    print("\n".join(["targets that are missed:", *misses] if misses else ["all targets are met"]))
    lines = [
        _INTRODUCTION.format(cores=cores, repeats=repeats),
        _GOALS,
        *table,
        "",
        *(["These cells miss their target:", "", *misses, ""] if misses else []),
        *(line for library in LIBRARIES for line in _times(cells, library)),
        *_gloo(options.directory),
        _METHOD.rstrip("\n"),
    ]
    options.page.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
