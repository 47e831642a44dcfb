"""Plan a run: its cells and lanes, and the memory that they take."""

from __future__ import annotations

import itertools
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
    """The cells and lanes to measure."""

    pes_sets: Sequence[int]
    """Numbers of PEs. For each number n, the first n PEs of the job measure."""
    collectives: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    """Operations with their element types."""
    sizes: Sequence[int]
    """Sizes in bytes of each PE's source."""
    apis: Sequence[str]
    paths: Sequence[str]
    peers: Sequence[str]
    repeats: int = 5
    batch_s: float = 0.03
    """Duration of the calls of each lane in each repeat, in seconds. There is at least one call for
    each buffer set."""
    has_competitor: bool = False
    """Whether another program shares the core of PE 0."""

    def cells(self, pes: int) -> list[Cell]:
        """Return the cells of a set of PEs."""
        kinds = itertools.product(self.collectives, self.pairs, self.sizes)
        return [Cell(collective, *pair, pes, n_bytes) for collective, pair, n_bytes in kinds]

    @property
    def all_cells(self) -> list[Cell]:
        """The cells of all sets."""
        return [cell for pes in self.pes_sets for cell in self.cells(pes)]

    @property
    def heap_bytes(self) -> int:
        """Bytes of each PE's symmetric heap that the cells take."""
        # Count sources, targets and the two work arrays of the SHMEM API. A work array is half as
        # large as a source.
        largest = max(cell.count * cell.dtype.itemsize for cell in self.all_cells)
        return Arena.needs_bytes(self.all_cells) + largest + _SPARE_HEAP_BYTES


def reserve_heap(plan: Plan) -> None:
    """Set the heap size that the plan needs, before redcoll starts.

    Raise ``ArgumentError`` if the environment sets a smaller size.
    """
    if world.is_running() or SYMMETRIC not in plan.paths:
        return
    setting = config.HEAP_BYTES
    if not setting.is_set():
        os.environ[setting.name] = str(plan.heap_bytes)
    elif setting.get() < plan.heap_bytes:
        raise ArgumentError(
            f"{setting.variable} is {setting.get()} bytes; these cells need {plan.heap_bytes}: "
            "unset the variable, or leave out the largest --bytes"
        )
