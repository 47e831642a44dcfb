"""The model beside times that were measured: how far it is off."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redcoll.bench.results import YARDSTICK, Record, Run
from redcoll.bench.tables import human_bytes, microseconds
from redcoll.errors import ArgumentError
from redcoll.model import algorithms
from redcoll.model.machine import Layout, Machine
from redcoll.model.parameters import Parameters

COLLECTIVE = "allreduce"
PATH = "private"
OURS = "core"


@dataclass(frozen=True)
class Comparison:
    """One measured time, and the computed one."""

    pes: tuple[int, ...]
    """On each node."""
    n_bytes: int
    lane: str
    measured_s: float
    computed_s: float

    @property
    def factor(self) -> float:
        """How far they are apart, from 1; infinite where one of them is no time."""
        if not (self.measured_s > 0 and self.computed_s > 0):
            return math.inf
        quotient = self.computed_s / self.measured_s
        return max(quotient, 1 / quotient)


def node_pes(run: Run, pes: int) -> tuple[int, ...]:
    """How many of a run's first ``pes`` PEs were on each node.

    Raises
    ------
    ArgumentError
        The run does not say where its PEs were.
    """
    nodes = run.facts.get("nodes")
    if nodes is None:
        raise ArgumentError(
            "--check: the results do not say where the PEs were; measure anew, or say --layout"
        )
    mine = nodes[:pes]
    return tuple(mine.count(node) for node in dict.fromkeys(mine))


def compare(
    runs: Iterable[Run], parameters: Parameters, layout: Sequence[int] | None = None
) -> list[Comparison]:
    """Compare all times of allreduce on private arrays, redcoll's and mpi4py's.

    Parameters
    ----------
    runs
        What the benchmark measured.
    parameters
        Of the machine on which it did.
    layout
        PEs of each node, where the runs do not say; of jobs of so many PEs only.

    Raises
    ------
    ArgumentError
        The runs hold no such time, or do not say where their PEs were.
    """
    found = []
    for run in runs:
        for record in run.records:
            if record.cell.collective != COLLECTIVE or record.path != PATH or record.error:
                continue
            if record.lane not in (OURS, YARDSTICK) or not record.seconds:
                continue
            if layout is None:
                found.append(_compare(record, node_pes(run, record.cell.pes), parameters))
            elif record.cell.pes == sum(layout):
                found.append(_compare(record, tuple(layout), parameters))
    if not found:
        raise ArgumentError(
            f"--check: there are no times of {COLLECTIVE} on {PATH} arrays in these results"
        )
    return found


def _compare(record: Record, pes: tuple[int, ...], parameters: Parameters) -> Comparison:
    machine = Machine(parameters, Layout.of(pes))
    n_bytes = record.cell.n_bytes
    computed = algorithms.mpi_s if record.lane == YARDSTICK else algorithms.redcoll_s
    measured_s = statistics.median(record.seconds)
    return Comparison(pes, n_bytes, record.lane, measured_s, computed(machine, n_bytes))


def table(found: Iterable[Comparison]) -> list[list[str]]:
    """A table; the first row is its head."""
    head = ["PEs on nodes", "bytes", "lane", "measured", "computed", "factor"]
    rows = [
        [
            "+".join(map(str, each.pes)),
            human_bytes(each.n_bytes),
            each.lane,
            microseconds(each.measured_s),
            microseconds(each.computed_s),
            f"{each.factor:.2f}",
        ]
        for each in found
    ]
    return [head, *rows]


def verdict(found: Sequence[Comparison], within: float) -> tuple[str, bool]:
    """A line on how many are within the factor, for redcoll alone, and whether all are."""
    factors = [each.factor for each in found if each.lane == OURS]
    close = sum(factor <= within for factor in factors)
    worst = max(factors, default=math.nan)
    text = f"{close} of {len(factors)} times of redcoll are within a factor {within:g}"
    return f"{text}; the worst is {worst:.2f}", bool(factors) and close == len(factors)
