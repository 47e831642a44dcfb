"""Collect and fcollect: concatenate all members' vectors on all members."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from redcoll import world
from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, plain
from redcoll.collectives._arguments import check_arrays, flat, team_of
from redcoll.collectives._gathering import check_symmetric, gather_sources, prepare_copy, short_call
from redcoll.errors import ArgumentError, OverlapError
from redcoll.memory.heap import address_of
from redcoll.protocol.descriptor import COLLECT, FCOLLECT, Call
from redcoll.team import Team, TeamLike, revoking
from redcoll.world import team_of_call

_INT64 = np.dtype(np.int64)


@revoking(team_of_call)
def fcollect(
    target: Array,
    source: Array,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on every member to all members' sources, one after the other in team order.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given.

    Parameters
    ----------
    target
        C-contiguous symmetric array with ``team.size`` times as many elements as ``source``,
        disjoint from ``source``.
    source
        C-contiguous symmetric array with the same number of elements on all members.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError``, ``SymmetryError`` or
        ``OverlapError``.
    StateError
        The memory of an array has been freed.
    CollectiveMismatchError
        Members passed different counts or types. All members raise it.
    """
    team = team_of(team, active_set)
    with team.checking(FCOLLECT):
        source = plain(source, "source")
    count = source.size
    call = prepare_copy(team, FCOLLECT, target, source, target_count=count * team.size)
    rows = flat(target).reshape(team.size, count)
    for index, start, piece in gather_sources(team, call, source):
        rows[index, start : start + piece.size] = piece


@revoking(team_of_call)
def collect(
    target: Array,
    source: Array,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> int:
    """Concatenate sources whose lengths can differ; arguments are those of :func:`fcollect`.

    Returns
    -------
    int
        The number of elements that were written, from the start of ``target`` on. ``target`` can be
        longer. ``source`` can lie in the part of ``target`` that is not written.

    Raises
    ------
    ArgumentError
        The target of a member is too short, or a member's source overlaps the part of ``target``
        that would be written (``OverlapError``). All members raise it.
    """
    team = team_of(team, active_set)
    with team.checking(COLLECT):
        target, source = plain(target, "target"), plain(source, "source")
        check_symmetric(team, target=target, source=source)
        # The sizes of the members' arrays travel as integers.
        call = short_call(team, COLLECT, source.dtype, _INT64, 4)
        check_arrays(target, source, target.size, may_overlap=True)
        heap = world.start().heap
        sizes = [source.size, target.size, _clear(target, source), heap.offset(source)]
        own = np.array(sizes, _INT64)
    told = team.channel.exchange(call, own)
    counts, rooms, clear, offsets = zip(*(each.tolist() for each in told), strict=True)
    total = int(sum(counts))
    if min(*rooms, *clear) >= total:
        _fetch(team, call, flat(source), flat(target), counts, offsets)
    what = f"collect: the members' sources have {total} elements together; "
    if min(rooms) < total:
        index = rooms.index(min(rooms))
        raise team.common(
            ArgumentError(f"{what}the target of PE {team.members.pes[index]} has {rooms[index]}")
        )
    if min(clear) < total:
        index = clear.index(min(clear))
        raise team.common(
            OverlapError(
                f"{what}target and source of PE {team.members.pes[index]} overlap from element "
                f"{clear[index]} of the target on; what is written must be disjoint from the source"
            )
        )
    return total


def _clear(target: Array, source: Array) -> int:
    """Return how many elements at the start of ``target`` do not overlap ``source``."""
    if not np.may_share_memory(target, source):
        return target.size
    return max(0, address_of(source) - address_of(target)) // target.itemsize


def _fetch(
    team: Team,
    call: Call,
    source: Array,
    target: Array,
    counts: Sequence[int],
    offsets: Sequence[int],
) -> None:
    """Copy every member's source into its place in ``target``."""
    heap = world.start().heap
    ends = list(accumulate(counts))
    if not team.layout.is_one_node:
        for start, views in team.channel.pieces(call, source, counts):
            for end, count, view in zip(ends, counts, views, strict=True):
                at = end - count + start
                target[at : at + view.size] = view
        return
    size, first = team.size, team.index
    # Members start with different sources, so that they do not all read the same memory at once.
    for index in (*range(first, size), *range(first)):
        theirs = heap.view(team.members.pes[index], offsets[index], source.dtype, counts[index])
        target[ends[index] - counts[index] : ends[index]] = theirs
    # After this round all members have read all sources, so members may change their sources.
    team.round(call.word)
