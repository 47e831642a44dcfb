"""Define the targets for redcoll's speed on one node, and compare results with them.

``python benchmarks/goals.py FILE...`` compares the JSON files of ``python -m redcoll bench`` with
the targets. With ``--strict`` the command fails if a target is missed. ``benchmarks/peers_page.py``
compares the results of ``benchmarks/peers.py`` on three MPI libraries with the same targets.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from redcoll.bench import results
from redcoll.bench.cases import Cell
from redcoll.bench.results import BASELINE, LIMIT, OPENSHMEM, Point, geometric_mean
from redcoll.bench.tables import human_bytes, number

PES = (2, 4, 8, 16)
SIZES = (8, 1 << 10, 32 << 10, 1 << 20, 8 << 20)
CROWDED_PES = (2, 16)
"""For each of these numbers of PEs, a job runs next to another program."""
Kind = tuple[str, str, str]
"""Collective, operation and element type."""


class Limits(NamedTuple):
    """Largest allowed ratios of redcoll's time to the MPI library's time for the same call."""

    cell: float
    """The limit for each cell."""
    mean: float
    """The limit for the geometric mean over all cells."""


SYMMETRIC = {
    "MPICH": Limits(0.75, 0.25),
    "Open MPI": Limits(0.75, 0.25),
    "Intel MPI": Limits(0.75, 0.45),
}
"""Limits for symmetric arrays, by MPI library."""
ORDINARY = {
    "MPICH": Limits(1.0, 0.4),
    "Open MPI": Limits(1.0, 0.4),
    "Intel MPI": Limits(1.1, 0.75),
}
"""Limits for ordinary arrays, by MPI library."""
COPY_MOST = 1.3
"""Largest allowed ratio of the time on long symmetric arrays to the time of a copy."""
SHARED_TO_SYMMETRIC_MOST = 1.15
"""Largest allowed ratio of the time on shared arrays to the time on symmetric arrays."""
SHARED_MOST = 0.7
"""Largest allowed ratio of the time on shared arrays to the MPI library's time."""

_SUM: Kind = ("allreduce", "sum", "float64")
_OTHER_COLLECTIVES: tuple[Kind, ...] = (
    ("reduce", "sum", "float64"),
    ("reduce_scatter", "sum", "float64"),
    ("scan", "sum", "float64"),
)
_OTHER_TYPES: tuple[Kind, ...] = (
    ("allreduce", "maxloc", "double_int"),
    ("allreduce", "sum", "int32"),
    ("allreduce", "max", "float32"),
    ("allreduce", "sum", "complex128"),
)


@dataclass(frozen=True)
class Goal:
    """A target for the times of one lane with one kernel."""

    name: str
    kernel: str
    lane: str
    path: str
    kinds: Sequence[Kind]
    most: Callable[[int], float]
    """A function that returns the largest allowed ratio for a number of bytes."""
    most_on_average: float = math.inf
    """Largest allowed geometric mean over all cells."""
    peer: str = BASELINE
    """The peer to which the ratios refer."""
    pes: Sequence[int] = PES
    sizes: Sequence[int] = SIZES
    has_competitor: bool = False
    """Whether the goal concerns jobs in which another program shares the core of PE 0."""

    def concerns(self, cell: Cell) -> bool:
        """Return whether the goal concerns this cell."""
        return (
            (cell.collective, cell.op, cell.type) in self.kinds
            and cell.pes in self.pes
            and cell.n_bytes in self.sizes
        )

    @property
    def n_cells(self) -> int:
        """Number of cells that the goal concerns on one MPI library."""
        return len(self.kinds) * len(self.pes) * len(self.sizes)


def _numpy_most(n_bytes: int) -> float:
    if n_bytes >= 1 << 20:
        return 0.75
    return 1.0 if n_bytes >= 1 << 10 else 1.2


# These goals are for MPICH and Open MPI. The two libraries have equal limits, so use MPICH's.
GOALS: tuple[Goal, ...] = (
    Goal(
        "symmetric arrays",
        "compiled",
        "core",
        "symmetric",
        (_SUM,),
        lambda _: SYMMETRIC["MPICH"].cell,
        SYMMETRIC["MPICH"].mean,
    ),
    Goal(
        "symmetric arrays against the memcpy limit",
        "compiled",
        "core",
        "symmetric",
        (_SUM,),
        lambda _: COPY_MOST,
        peer=LIMIT,
        sizes=(1 << 20, 8 << 20),
    ),
    Goal(
        "arrays of any kind",
        "compiled",
        "mpi",
        "private",
        (_SUM,),
        lambda _: ORDINARY["MPICH"].cell,
        ORDINARY["MPICH"].mean,
    ),
    Goal("other collectives", "compiled", "mpi", "private", _OTHER_COLLECTIVES, lambda _: 1.0),
    Goal("other types", "compiled", "mpi", "private", _OTHER_TYPES, lambda _: 0.9),
    Goal("other types, symmetric", "compiled", "core", "symmetric", _OTHER_TYPES, lambda _: 0.9),
    Goal(
        "SHMEM from Python against SHMEM from C",
        "compiled",
        "shmem",
        "symmetric",
        (_SUM,),
        lambda _: 1.5,
        peer=OPENSHMEM,
        pes=(2,),
        sizes=(8,),
    ),
    Goal(
        "beside a busy program",
        "compiled",
        "core",
        "symmetric",
        (_SUM,),
        lambda _: 1.0,
        pes=CROWDED_PES,
        has_competitor=True,
    ),
    Goal("without a compiler", "numpy", "core", "symmetric", (_SUM,), _numpy_most),
)


@dataclass(frozen=True)
class Verdict:
    """The comparison of a cell, or of the mean of all cells, with a goal."""

    goal: Goal
    mpi: str
    where: str
    ratio: float
    most: float
    is_mean: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the ratio is small enough. A wrong result never meets a goal."""
        return self.ratio <= self.most

    def __str__(self) -> str:
        word = "pass" if self.is_met else "MISS"
        return f"{word}  {number(self.ratio):>5} <= {self.most:.2f}  {self.where}"


def judge(found: Iterable[Point]) -> list[Verdict]:
    """Compare all measured cells with all goals.

    The verdict of a mean comes after the verdicts of its cells.
    """
    verdicts = []
    found = _preferred(found)
    mpis = list(dict.fromkeys(point.mpi for point in found))
    for goal in GOALS:
        for mpi in mpis:
            mine = [
                point
                for point in found
                if (point.mpi, point.kernel, point.lane, point.path)
                == (mpi, goal.kernel, goal.lane, goal.path)
                and (point.has_competitor, point.nodes) == (goal.has_competitor, 1)
                and goal.concerns(point.cell)
                # Skip cells for which ``goal.peer`` has no time. Keep cells with a wrong result.
                and not (math.isnan(_ratio(goal, point)) and point.error is None)
            ]
            ratios = [_ratio(goal, point) for point in mine]
            verdicts += [
                Verdict(goal, mpi, _where(point.cell), ratio, goal.most(point.cell.n_bytes))
                for point, ratio in zip(mine, ratios, strict=True)
            ]
            if mine and goal.most_on_average < math.inf:
                where = f"geometric mean of {len(mine)} of {goal.n_cells} cells"
                mean = geometric_mean(ratios)
                verdicts.append(Verdict(goal, mpi, where, mean, goal.most_on_average, is_mean=True))
    return verdicts


def _preferred(found: Iterable[Point]) -> list[Point]:
    """Return one point for each MPI, kernel, cell and lane.

    A point without ``shared_job`` replaces a point of a larger job.
    """
    best: dict[tuple[str, str, bool, int, Cell, str], Point] = {}
    for point in found:
        jobs = (point.mpi, point.kernel, point.has_competitor, point.nodes)
        key = (*jobs, point.cell, point.label)
        if key not in best or not point.shared_job:
            best[key] = point
    return sorted(best.values(), key=lambda point: point.cell)


def _ratio(goal: Goal, point: Point) -> float:
    if point.error is not None:
        return math.nan
    return point.ratios[goal.peer]


def _where(cell: Cell) -> str:
    return f"{cell.collective} {cell.op} {cell.type}, {cell.pes} PEs, {human_bytes(cell.n_bytes)}"


def report(found: Iterable[Point]) -> tuple[str, bool]:
    """Return all verdicts as text, and whether all measured goals were met."""
    verdicts = judge(found)
    lines: list[str] = []
    unmeasured = []
    for goal in GOALS:
        mine = [verdict for verdict in verdicts if verdict.goal is goal]
        if not mine:
            unmeasured.append(goal.name)
            continue
        lines.append(
            f"{goal.name}: {goal.kernel} kernel, {goal.lane}/{goal.path}, ratio to {goal.peer}"
        )
        lines += [f"  {verdict}  ({verdict.mpi})" for verdict in mine]
    if unmeasured:
        lines.append(f"not measured: {'; '.join(unmeasured)}")
    missed = sum(not verdict.is_met for verdict in verdicts)
    lines.append(f"{len(verdicts) - missed} of {len(verdicts)} goals met")
    return "\n".join(lines), missed == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the results in JSON files; return the exit code."""
    parser = argparse.ArgumentParser(description="Compare results with redcoll's targets.")
    parser.add_argument("files", type=Path, nargs="+", help="written by python -m redcoll bench")
    parser.add_argument("--strict", action="store_true", help="fail where a target is missed")
    options = parser.parse_args(arguments)
    text, are_met = report(results.points(results.load(options.files)))
    print(text)
    return int(options.strict and not are_met)


if __name__ == "__main__":
    sys.exit(main())
