"""Measure in a running job: cell by cell, with all lanes in each repeat."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI

import redcoll
from redcoll import config
from redcoll.arguments import Array
from redcoll.bench import cases, results, timing
from redcoll.bench.apis import Core, MpiApi, Pvm, Shmem
from redcoll.bench.buffers import Arena, Buffers
from redcoll.bench.cases import Cell, Nodes
from redcoll.bench.competitor import competitor
from redcoll.bench.lanes import SYMMETRIC, Absent, Lane, Members
from redcoll.bench.peers import Memcpy, Mpi4py, Shmem4py
from redcoll.bench.plan import Plan, reserve_heap
from redcoll.bench.progress import Progress
from redcoll.bench.results import Load, Record, Run
from redcoll.environment import format_bytes
from redcoll.errors import ArgumentError

LANES: dict[str, type[Lane]] = {
    lane.name: lane for lane in (Core, Shmem, MpiApi, Pvm, Mpi4py, Memcpy, Shmem4py)
}
Patterns = list[list[Array]]
"""The contents of the sources, by buffer set and member."""
_WARM_UP_SHARE = 0.1
_SHORTEST_NAP_S, _LONGEST_NAP_S = 1e-3, 0.2
_CALIBRATION = 1 << 20
"""During checks and calibration, this number replaces the repeat's number in the data's seed."""


def measure(plan: Plan, progress: Progress) -> Run | None:
    """Measure all cells; return the results on PE 0, None elsewhere.  Collective over all PEs.

    Raise ``ArgumentError`` if the plan needs more PEs than the job has, or a larger heap than the
    environment sets.
    """
    comm = MPI.COMM_WORLD
    if max(plan.pes_sets) > comm.Get_size():
        raise ArgumentError(
            f"--pes-sets is {max(plan.pes_sets)}; it must be at most {comm.Get_size()}, the number "
            "of ranks"
        )
    reserve_heap(plan)
    redcoll.init()
    session = _Session(plan, progress)
    idle = comm.Dup()
    before = Load.now(comm)
    has_competitor = plan.has_competitor and comm.Get_rank() == 0
    try:
        with competitor() if has_competitor else contextlib.nullcontext():
            for pes in plan.pes_sets:
                if comm.Get_rank() < pes:
                    session.measure_set(pes)
                sleep_until_all(idle)
    finally:
        progress.close()
    idle.Free()
    session.close()
    others = Load.now(comm).others_since(before)
    if comm.Get_rank():
        return None
    options = {"repeats": plan.repeats, "batch_s": plan.batch_s, "competitor": plan.has_competitor}
    return Run(results.facts(others, options), session.absent, session.records)


def sleep_until_all(comm: MPI.Intracomm) -> None:
    """Wait in a barrier, and sleep between polls.  Collective over ``comm``.

    PEs that arrive early poll less and less often, because they can share cores with PEs that still
    measure.
    """
    request = comm.Ibarrier()
    nap_s = _SHORTEST_NAP_S
    while not request.Test():
        time.sleep(nap_s)
        nap_s = min(nap_s * 1.5, _LONGEST_NAP_S)


@dataclass
class _Entry:
    """A lane and its times so far in the present cell."""

    lane: Lane
    buffers: Buffers
    cycle: list[timing.Step]
    n_calls: int = 0
    seconds: list[float] = field(default_factory=list)
    error: str | None = None


class _Session:
    """The measurement of a job: its lanes, and the results so far."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.records: list[Record] = []
        self.absent: list[dict[str, str]] = []
        self._plan = plan
        self._progress = progress
        self._lanes: list[Lane] = []
        for name, path in itertools.product((*plan.apis, *plan.peers), plan.paths):
            self._add_lane(name, path)
        self._arena: Arena | None = None
        if SYMMETRIC in plan.paths:
            self._arena = Arena(plan.all_cells, lambda size: redcoll.empty(size, np.uint8))
        progress.begin(len(plan.all_cells) * plan.repeats)

    def _add_lane(self, name: str, path: str) -> None:
        lane = reason = None
        try:
            lane = LANES[name](path, self._plan.all_cells)
        except Absent as error:
            reason = str(error)
        if not self._is_absent(MPI.COMM_WORLD, name, path, reason) and lane is not None:
            self._lanes.append(lane)

    def close(self) -> None:
        """Free the lanes and the symmetric memory.  Collective over all PEs."""
        for lane in self._lanes:
            lane.close()
        if self._arena is not None:
            redcoll.free(self._arena.memory)

    def _is_absent(self, comm: MPI.Intracomm, name: str, path: str, reason: str | None) -> bool:
        """Report the first PE's reason for the absence of a lane.  Collective over ``comm``.

        Return whether a PE has a reason.
        """
        first = next(filter(None, comm.allgather(reason)), None)
        row = {"lane": name, "path": path, "reason": first or ""}
        if first and row not in self.absent:
            self.absent.append(row)
        return first is not None

    def measure_set(self, pes: int) -> None:
        """Measure all cells of a set of PEs.  Collective over the set."""
        members = Members.first(pes)
        for lane in self._lanes:
            lane.enter(members)
        for cell in self._plan.cells(pes):
            self._measure_cell(cell, members)
        for lane in self._lanes:
            lane.leave()
        members.comm.Free()

    def _measure_cell(self, cell: Cell, members: Members) -> None:
        buffers: dict[str, Buffers] = {}
        patterns = _patterns(cell, _CALIBRATION)
        found = [self._enter(cell, lane, members, buffers, patterns) for lane in self._lanes]
        entries = [entry for entry in found if entry is not None]
        for repeat in range(self._plan.repeats):
            self._progress.show(f"{cell.collective} {cell.op} {cell.type}, {cell.pes} PEs, "
                                f"{format_bytes(cell.n_bytes)} bytes")  # fmt: skip
            patterns = _patterns(cell, repeat)
            for each in buffers.values():
                each.fill([rows[members.index] for rows in patterns])
            for entry in _turn(entries, repeat):
                if entry.error is None:
                    entry.seconds.append(_time(entry, members, entry.n_calls) / entry.n_calls)
                    entry.error = _verify(cell, entry, members, patterns)
            self._progress.advance()
        self.records += [
            Record(cell, each.lane.name, each.lane.path, each.n_calls, each.seconds, each.error)
            for each in entries
        ]

    def _enter(
        self,
        cell: Cell,
        lane: Lane,
        members: Members,
        buffers: dict[str, Buffers],
        patterns: Patterns,
    ) -> _Entry | None:
        """Run a cell on a lane, check and calibrate it; return None if the lane cannot run it."""
        entry = reason = None
        try:
            if lane.memory not in buffers:
                buffers[lane.memory] = lane.buffers(cell, self._arena)
            own = buffers[lane.memory]
            own.fill([rows[members.index] for rows in patterns])
            own.poison()
            calls = lane.calls(cell, members, own)
            entry = _Entry(lane, own, timing.steps(calls, own.heads), cell.n_sets)
            timing.run(entry.cycle, cell.n_sets)
        except Absent as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - peers raise many kinds of errors
            text = str(error).partition("\n")[0]
            reason = f"{cell.op} of {cell.type}: {type(error).__name__}: {text}"
        if self._is_absent(members.comm, lane.name, lane.path, reason) or entry is None:
            return None
        entry.error = _verify(cell, entry, members, patterns)
        if entry.error is None:
            contender = entry
            entry.n_calls = timing.calibrate(
                lambda n_calls: _time(contender, members, n_calls), cell.n_sets, self._plan.batch_s
            )
        return entry


def _turn(entries: list[_Entry], repeat: int) -> list[_Entry]:
    """Return a random order of the lanes for a repeat, equal on all PEs.

    Each repeat first writes new data to all sources. Then each lane finds the processor's caches as
    the previous lane left them. So the order changes from repeat to repeat.
    """
    return random.Random(repeat).sample(entries, len(entries))  # noqa: S311 - an order


def _patterns(cell: Cell, repeat: int) -> Patterns:
    return [
        [cases.contribution(cell, (repeat, which), index) for index in range(cell.pes)]
        for which in range(cell.n_sets)
    ]


def _time(entry: _Entry, members: Members, n_calls: int) -> float:
    """Return the seconds of the slowest member for a batch.  Collective over the members."""

    def prepare() -> None:
        timing.run(entry.cycle, max(1, int(n_calls * _WARM_UP_SHARE)))
        entry.buffers.poison()

    seconds = timing.elapsed_s(
        entry.cycle, n_calls, prepare=prepare, start=lambda: redcoll.barrier(team=members.team)
    )
    return float(members.comm.allreduce(seconds, MPI.MAX))


def _verify(cell: Cell, entry: _Entry, members: Members, patterns: Patterns) -> str | None:
    """Return the first error in the results of the last batch on any member; None without an error.

    Collective over the members.
    """
    n_calls = entry.n_calls
    if entry.lane.is_in_place:
        # The calls have overwritten their sources, so call once more on known contents.
        entry.buffers.fill([rows[members.index] for rows in patterns])
        n_calls = cell.n_sets
        timing.run(entry.cycle, n_calls)
    trouble = None
    is_strict = config.ORDER.get() == "strict"
    nodes = members.team.layout.nodes if entry.lane.folds_by_nodes and not is_strict else ()
    for which, rows in enumerate(patterns):
        mark = timing.last_mark(n_calls, cell.n_sets, which)
        trouble = trouble or _difference(cell, entry, members.index, rows, which, mark, nodes)
    if entry.lane.is_in_place:
        entry.buffers.fill([rows[members.index] for rows in patterns])
    told = members.comm.allgather(trouble)
    return next((f"PE {pe}: {text}" for pe, text in enumerate(told) if text), None)


def _tolerance_per_pe(lane: Lane, nodes: Nodes) -> float:
    if config.ORDER.get() == "mpi" and len(nodes) > 1:
        # MPI combines the nodes' results, so allow the error of MPI's order.
        return max(lane.tolerance_per_pe, Mpi4py.tolerance_per_pe)
    return lane.tolerance_per_pe


def _difference(
    cell: Cell, entry: _Entry, index: int, rows: list[Array], which: int, mark: int, nodes: Nodes
) -> str | None:
    lane, buffers = entry.lane, entry.buffers
    wanted: Array | None
    if lane.copies:
        wanted = cases.copied(cell, rows[index], mark)
    else:
        wanted = cases.expected(cell, index, rows, mark, nodes)
    if wanted is None:
        is_intact = lane.is_in_place or buffers.is_poisoned(which)
        return None if is_intact else "its target was written to"
    found = (buffers.sources if lane.is_in_place else buffers.targets)[which]
    return cases.difference(found, wanted, tolerance=_tolerance_per_pe(lane, nodes) * cell.pes)
