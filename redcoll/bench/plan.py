"""What to measure, and the memory it takes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from redcoll import config, world
from redcoll.bench.buffers import Arena
from redcoll.bench.cases import Cell
from redcoll.bench.lanes import SYMMETRIC
from redcoll.errors import ArgumentError

_SPARE_HEAP_BYTES = 1 << 20


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    pes_sets: Sequence[int]
    """The first so many PEs of the job, each in turn."""
    collectives: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    """Operations with their element types."""
    sizes: Sequence[int]
    """Bytes of each PE's source."""
    apis: Sequence[str]
    paths: Sequence[str]
    peers: Sequence[str]
    repeats: int = 5
    batch_s: float = 0.03
    """Seconds of calls in each repeat of each lane; at least one call per buffer set."""
    has_competitor: bool = False
    """Whether another program shares the core of PE 0."""

    def cells(self, pes: int) -> list[Cell]:
        """The cells of one set of PEs."""
        return [
            Cell(collective, op, type_name, pes, n_bytes)
            for collective in self.collectives
            for op, type_name in self.pairs
            for n_bytes in self.sizes
        ]

    @property
    def all_cells(self) -> list[Cell]:
        """The cells of all sets."""
        return [cell for pes in self.pes_sets for cell in self.cells(pes)]

    @property
    def heap_bytes(self) -> int:
        """What the cells take of the symmetric heap of each PE."""
        # Sources and targets, and the two work arrays of the SHMEM API, each half a source.
        largest = max(cell.count * cell.dtype.itemsize for cell in self.all_cells)
        return Arena.needs_bytes(self.all_cells) + largest + _SPARE_HEAP_BYTES


def reserve_heap(plan: Plan) -> None:
    """Have a heap of the size that the plan needs.  Before redcoll starts.

    Raises
    ------
    ArgumentError
        The environment asks for a smaller one.
    """
    if world.is_running() or SYMMETRIC not in plan.paths:
        return
    setting = config.HEAP_BYTES
    if not setting.is_set():
        os.environ[setting.name] = str(plan.heap_bytes)
    elif setting.get() < plan.heap_bytes:
        raise ArgumentError(
            f"{setting.variable} is {setting.get()} bytes; these cells need {plan.heap_bytes}: "
            "unset it, or leave out the largest --bytes"
        )
