"""Find the members' arrays on the heap or in arenas, and make views of the arrays.

The *place* of an array is its offset on the heap. For an array in an arena, the place is its offset
in the arena with the bit ``IN_ARENA`` set.
"""

from __future__ import annotations

from typing import NamedTuple

from redcoll import world
from redcoll.arguments import Array
from redcoll.memory import arena
from redcoll.memory.heap import address_of
from redcoll.protocol.descriptor import Call
from redcoll.protocol.layout import IN_ARENA
from redcoll.team import Team


class Operands(NamedTuple):
    """The sources and targets of all members. This PE can load from them and store to them."""

    at: tuple[tuple[int, ...], tuple[int, ...]]
    """The places of all sources, and of all targets."""
    sources: list[Array]
    targets: list[Array]
    """Views that are as long as the sources. Only collectives whose targets have this length use
    these views."""


def operands_of(team: Team, call: Call) -> Operands:
    """Return views of the arrays whose places the members published in the last round.

    If the members published the same places in the last call, reuse the views of that call.
    """
    at = team.channel.locations()
    known: Operands | None = call.locations
    if known is not None and known.at == at:
        return known
    sources, targets = (
        [_view(team, call, member, place) for member, place in enumerate(each)] for each in at
    )
    operands = call.locations = Operands(at, sources, targets)
    return operands


def _view(team: Team, call: Call, member: int, place: int) -> Array:
    """Return a view of the array at this place of a member's memory."""
    dtype, count = call.element.dtype, call.count
    if place & IN_ARENA:
        assert team.members.arenas is not None  # noqa: S101 - for the type checker
        start = place ^ IN_ARENA
        return team.members.arenas[member][start : start + count * dtype.itemsize].view(dtype)
    return world.start().heap.view(team.members.pes[member], place, dtype, count)


def offsets(team: Team, target: Array, source: Array) -> tuple[int, int]:
    """Return the places of source and target, or (-1, -1) if an array has no place."""
    at_source, at_target = _place(team, source), _place(team, target)
    if at_source < 0 or at_target < 0:
        return -1, -1
    return at_source, at_target


def _place(team: Team, array: Array) -> int:
    """Return an array's place on this rank's heap or in its arena; -1 for all other arrays."""
    if team.members.is_in_world and world.is_running():
        offset = world.start().heap.offset(array)
        if offset >= 0:
            return offset
    if team.members.arenas is not None:
        offset = arena.offset(address_of(array))
        if offset >= 0:
            return offset | IN_ARENA
    return -1
