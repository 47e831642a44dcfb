"""Make the arrays to reduce, in several sets that calls use in rotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from redcoll.arguments import Array
from redcoll.bench.cases import Cell
from redcoll.protocol.partition import LINE_BYTES, round_up

_POISON = 0xA5


@dataclass(frozen=True)
class Buffers:
    """The arrays of a PE for a cell. Each buffer set has a source and a target."""

    sources: list[Array]
    targets: list[Array]

    @property
    def pairs(self) -> list[tuple[Array, Array]]:
        """The target and the source of each buffer set."""
        return list(zip(self.targets, self.sources, strict=True))

    @property
    def heads(self) -> list[memoryview]:
        """The memory of each source, as bytes."""
        return [source.view(np.uint8).data for source in self.sources]

    def fill(self, patterns: Sequence[Array]) -> None:
        """Fill every source with its pattern, repeated."""
        for source, pattern in zip(self.sources, patterns, strict=True):
            source[...] = np.resize(pattern, source.size)

    def poison(self) -> None:
        """Overwrite every target, so that an old result cannot be taken for a new one."""
        for target in self.targets:
            target.view(np.uint8)[...] = _POISON

    def is_poisoned(self, which: int) -> bool:
        """Return whether a target has not been written since ``poison``."""
        return bool((self.targets[which].view(np.uint8) == _POISON).all())


def private(cell: Cell) -> Buffers:
    """Make ordinary arrays, each with its own memory, like those of a program."""
    return Buffers(
        [np.empty(cell.count, cell.dtype) for _ in range(cell.n_sets)],
        [np.empty(cell.target_count, cell.dtype) for _ in range(cell.n_sets)],
    )


class Arena:
    """A block of symmetric memory that the cells use one after the other.

    Construction is collective over all PEs, because a part of the PEs cannot allocate symmetric
    memory. ``allocate`` makes a symmetric array of a given number of bytes.
    """

    def __init__(self, cells: Sequence[Cell], allocate: Callable[[int], Array]) -> None:
        self.memory = allocate(self.needs_bytes(cells))

    @staticmethod
    def needs_bytes(cells: Sequence[Cell]) -> int:
        """Return the bytes that the largest cell takes on each PE."""
        return max(
            cell.n_sets * (_room_bytes(cell, cell.count) + _room_bytes(cell, cell.target_count))
            for cell in cells
        )

    def buffers(self, cell: Cell) -> Buffers:
        """Return the arrays of a cell. They reuse the memory of the previous cell."""
        at = 0
        arrays: list[Array] = []
        for count in [cell.count] * cell.n_sets + [cell.target_count] * cell.n_sets:
            n_bytes = count * cell.dtype.itemsize
            arrays.append(self.memory[at : at + n_bytes].view(cell.dtype))
            at += _room_bytes(cell, count)
        return Buffers(arrays[: cell.n_sets], arrays[cell.n_sets :])


def _room_bytes(cell: Cell, count: int) -> int:
    return round_up(count * cell.dtype.itemsize, LINE_BYTES)
