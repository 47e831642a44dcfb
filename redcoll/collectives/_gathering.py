"""Help the collectives that only move elements: broadcast, collect, fcollect and alltoall.

All arrays are symmetric, so every member reads what it needs from the other members' heaps. The
first round shows that all sources are complete. The second round shows that all members have read
them. Short vectors travel with the headers of a single round instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from redcoll import world
from redcoll.arguments import Array, plain
from redcoll.collectives._arguments import flat, prepare
from redcoll.errors import ArgumentError, OverlapError
from redcoll.ops import Op
from redcoll.protocol.descriptor import NO_ROOT, Call
from redcoll.team import Team

COPY = Op("COPY", 0, "biufcp", np.add)
"""A placeholder for the operation in calls that only copy. It is never applied."""


def prepare_copy(
    team: Team,
    collective: int,
    target: Array,
    source: Array,
    root: int = NO_ROOT,
    extra: int = 0,
    target_count: int | None = None,
    *,
    may_coincide: bool = False,
) -> Call:
    """Check a call that only copies symmetric arrays; return its :class:`Call`.

    With ``may_coincide`` target and source may be the same elements.
    """
    with team.checking(collective):
        target, source = plain(target, "target"), plain(source, "source")
        check_symmetric(team, target=target, source=source)
        if not may_coincide:
            check_disjoint(target, source)
    return prepare(team, collective, target, source, COPY, root, extra, target_count)


def carried_sources(team: Team, call: Call, source: Array) -> Iterator[tuple[int, list[Array]]]:
    """Yield all members' sources piece by piece, for teams on several nodes.

    Each piece is a pair: the index of its first element, and a list with one view for each member.
    The collective is complete when the generator is exhausted.
    """
    source = flat(source)
    if call.is_small:
        yield 0, team.channel.exchange(call, source)
        return
    team.round(call.word, call.count, call.extra)
    yield from team.channel.pieces(call, source, [call.count] * team.size)


def check_symmetric(team: Team, **arrays: Array) -> None:
    """Refuse arrays that the other members cannot address.

    Raise ``SymmetryError`` if an array is not on the symmetric heap, ``StateError`` if its memory
    has been freed, and ``ArgumentError`` if the team has members outside the job.
    """
    if not team.members.is_in_world:
        raise ArgumentError(
            f"{team!r} has members outside the job, which have no symmetric arrays; pass a team of "
            "the job's PEs"
        )
    heap = world.start().heap
    for name, array in arrays.items():
        heap.require(array, name)


def check_disjoint(target: Array, source: Array) -> None:
    """Raise ``OverlapError`` if the arrays share memory."""
    if np.may_share_memory(target, source):
        raise OverlapError("target and source overlap; in this call they must be disjoint")


def gather_sources(
    team: Team, call: Call, source: Array, wanted: int | None = None
) -> Iterator[tuple[int, Array]]:
    """Yield every member's index and source, for teams on one node.

    A source is valid until the caller takes the next source. The collective is complete when the
    generator is exhausted. If ``wanted`` is the index of a member, yield only the source of that
    member.
    """
    source = flat(source)
    me, size = team.index, team.size
    order = [*range(me, size), *range(me)] if wanted is None else [wanted]
    if call.is_small:
        channel = team.channel
        if wanted in (None, me):
            views = channel.exchange(call, source)
        else:
            # This member publishes a header without its vector, because no member reads that
            # vector.
            channel.round(call.word, call.count, call.extra)
            views = call.views[channel.sequence % len(call.views)]
        for index in order:
            yield index, views[index]
        return
    heap = world.start().heap
    team.round(call.word, call.count, call.extra, heap.offset(source))
    offsets, _ = team.channel.locations()
    for index in order:
        yield (
            index,
            heap.view(team.members.pes[index], offsets[index], call.element.dtype, call.count),
        )
    # After this round all members have read all sources, so members may change their sources.
    team.round(call.word, call.count, call.extra)
