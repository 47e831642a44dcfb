"""Offsets of the members' arrays in the symmetric heap, and views of the arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from redcoll import world
from redcoll.protocol.descriptor import Call
from redcoll.team import Team

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Operands:
    """All members' sources and targets, if this PE can load from and store to them."""

    at: tuple[tuple[int, ...], tuple[int, ...]]
    """Heap offsets of the sources and of the targets."""
    sources: list[Array]
    targets: list[Array]
    """As long as the sources. Only collectives with targets of that length use them."""


def operands_of(team: Team, call: Call) -> Operands:
    """Return the arrays that the members published; reuse the views of the last call if equal."""
    at = team.channel.locations()
    known: Operands | None = call.locations
    if known is not None and known.at == at:
        return known
    heap = world.start().heap
    dtype, count = call.element.dtype, call.count
    sources, targets = (
        [
            heap.view(pe, offset, dtype, count)
            for pe, offset in zip(team.members.pes, each, strict=True)
        ]
        for each in at
    )
    operands = call.locations = Operands(at, sources, targets)
    return operands


def offsets(team: Team, target: Array, source: Array) -> tuple[int, int]:
    """Return the offsets of source and target in the heap; (-1, -1) unless both are there."""
    if not (team.members.is_in_world and world.is_running()):
        return -1, -1
    heap = world.start().heap
    at_source, at_target = heap.offset(source), heap.offset(target)
    if at_source < 0 or at_target < 0:
        return -1, -1
    return at_source, at_target
