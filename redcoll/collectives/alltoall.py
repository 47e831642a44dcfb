"""Alltoall: send a different block from each member to each member."""

from __future__ import annotations

import zlib

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, plain
from redcoll.collectives._arguments import flat, team_of
from redcoll.collectives._gathering import gather_sources, prepare_copy
from redcoll.errors import ArgumentError
from redcoll.protocol.descriptor import ALLTOALL
from redcoll.team import TeamLike, revoking
from redcoll.world import team_of_call


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
    """Set block i of ``target`` on member j to block j of ``source`` on member i.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given.

    Parameters
    ----------
    target, source
        Disjoint C-contiguous symmetric arrays. An array with step ``step`` must have ``(team.size *
        count - 1) * step + 1`` elements. If ``count`` is 0, the arrays must be empty.
    count
        The number of elements in a block.
    target_step, source_step
        Distance between consecutive elements, inside blocks and between blocks; 1 means no gaps.
        Elements of ``target`` in the gaps stay unchanged.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError``, ``SymmetryError`` or
        ``OverlapError``.
    StateError
        The memory of an array has been freed.
    CollectiveMismatchError
        Members passed different counts, steps or types. All members raise it.
    """
    team = team_of(team, active_set)
    with team.checking(ALLTOALL):
        count = integer(count, "count", 0)
        target_step = integer(target_step, "target_step", 1)
        source_step = integer(source_step, "source_step", 1)
        source = plain(source, "source")
        wanted = span(team.size, count, source_step)
        if source.size != wanted:
            raise ArgumentError(
                f"source has {source.size} elements; with count {count} and source_step "
                f"{source_step} it must have {wanted} for {team.size} blocks"
            )
    extra = zlib.crc32(f"{count} {target_step} {source_step}".encode()) | 1 << 32
    target_count = span(team.size, count, target_step)
    call = prepare_copy(team, ALLTOALL, target, source, extra=extra, target_count=target_count)
    to = flat(target)[::target_step]
    start, stop = team.index * count, (team.index + 1) * count
    for index, at, theirs in gather_sources(team, call, source):
        first = index * count
        if theirs.size == source.size:
            to[first : first + count] = theirs[::source_step][start:stop]
            continue
        # Find the range of this PE's elements that the piece contains.
        low = max(start, -(-at // source_step))
        high = min(stop, -(-(at + theirs.size) // source_step))
        if low < high:
            piece = theirs[low * source_step - at :: source_step]
            to[first + low - start : first + high - start] = piece[: high - low]


def span(size: int, count: int, step: int) -> int:
    """Return the length of an array that holds ``size * count`` elements at distance ``step``."""
    return (size * count - 1) * step + 1 if count else 0
