"""Alltoall: every member sends each a block of its own."""

from __future__ import annotations

import zlib
from typing import Any

from numpy.typing import NDArray

from redcoll.activeset import ActiveSet
from redcoll.arguments import integer, plain
from redcoll.collectives._arguments import flat, team_of
from redcoll.collectives._gathering import carried_sources, gather_sources, prepare_copy
from redcoll.errors import ArgumentError
from redcoll.protocol.descriptor import ALLTOALL
from redcoll.team import Team, TeamLike, revoking
from redcoll.world import team_of_call

Array = NDArray[Any]


@revoking(team_of_call)
def alltoall(
    target: Array,
    source: Array,
    count: int,
    target_step: int = 1,
    source_step: int = 1,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Block i of ``target`` = block j of member i's ``source``, on member j.

    Collective over the team: all PEs unless ``team`` or ``active_set`` names others.

    Parameters
    ----------
    target, source
        C-contiguous symmetric arrays, disjoint, of ``span(team.size, count, step)``
        elements.
    count
        Elements of a block.
    target_step, source_step
        Distance between one element and the next, the next block's first included;
        1 for elements that lie side by side. What lies between is left untouched.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``, ``SymmetryError``, ``OverlapError``).
    StateError
        The memory of an array has been freed.
    CollectiveMismatchError
        Members called with other counts, steps or types: on all alike.
    """
    if type(team) is not Team or active_set is not None:
        team = team_of(team, active_set)
    with team.checking(ALLTOALL):
        count = integer(count, "count", 0)
        target_step = integer(target_step, "target_step", 1)
        source_step = integer(source_step, "source_step", 1)
        source = plain(source, "source")
        wanted = span(team.size, count, source_step)
        if source.size != wanted:
            raise ArgumentError(
                f"count is {count}, source_step {source_step}; {team.size} blocks then take "
                f"{wanted} elements, source has {source.size}"
            )
    extra = zlib.crc32(f"{count} {target_step} {source_step}".encode()) | 1 << 32
    target_count = span(team.size, count, target_step)
    call = prepare_copy(team, ALLTOALL, target, source, extra=extra, target_count=target_count)
    to = flat(target)[::target_step]
    start, stop = team.index * count, (team.index + 1) * count
    if not team.layout.is_one_node:
        for at, views in carried_sources(team, call, source):
            # Which elements of this PE's block lie in this piece.
            low = max(start, -(-at // source_step))
            high = min(stop, -(-(at + views[0].size) // source_step))
            for index, view in enumerate(views) if low < high else ():
                first = index * count + low - start
                to[first : first + high - low] = view[low * source_step - at :: source_step][
                    : high - low
                ]
        return
    for index, theirs in gather_sources(team, call, source):
        to[index * count : (index + 1) * count] = theirs[::source_step][start:stop]


def span(size: int, count: int, step: int) -> int:
    """Elements from the first to the last of ``size`` blocks of ``count``, ``step`` apart."""
    return (size * count - 1) * step + 1 if count else 0
