"""Help the collectives that only move elements: broadcast, collect, fcollect and alltoall.

All arrays are symmetric, so every member reads what it needs from the other members' heaps. The
first round shows that all sources are complete. The second round shows that all members have read
them. Short vectors travel with the headers of a single round instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from redcoll import world
from redcoll.arguments import Array, plain
from redcoll.collectives._arguments import flat, prepare
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, OverlapError
from redcoll.ops import Op
from redcoll.protocol.descriptor import GATHER, NO_ROOT, Call, pack
from redcoll.team import Team

COPY = Op("COPY", 0, "biufcp", np.add)
"""A placeholder for the operation in calls that only copy. It is never applied."""
_LEAST_BYTES = 128
"""A vector of this size fits into every eager buffer."""


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
        if not may_coincide and np.may_share_memory(target, source):
            raise OverlapError("target and source overlap; in this call they must be disjoint")
    return prepare(team, collective, target, source, COPY, root, extra, target_count)


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


def gather_sources(
    team: Team, call: Call, source: Array, wanted: int | None = None
) -> Iterator[tuple[int, int, Array]]:
    """Yield all members' sources in pieces: team rank, index of the first element, and elements.

    A piece is valid until the caller takes the next piece. On one node, each source is one piece.
    The collective is complete when the generator is exhausted. If ``wanted`` is the team rank of a
    member, yield only the source of that member.
    """
    source = flat(source)
    me, size, channel = team.index, team.size, team.channel
    if not team.layout.is_one_node and not (call.is_small and wanted is None):
        team.round(call.word, call.count, call.extra)
        if wanted is not None:
            for start, view in channel.pieces_of(call, source, wanted):
                yield wanted, start, view
            return
        for start, views in channel.pieces(call, source, [call.count] * size):
            for index, view in enumerate(views):
                yield index, start, view
        return
    order = [*range(me, size), *range(me)] if wanted is None else [wanted]
    if call.is_small:
        if wanted in (None, me):
            views = channel.exchange(call, source)
        else:
            # This member publishes a header without its vector, because no member reads that
            # vector.
            channel.round(call.word, call.count, call.extra)
            views = call.views[channel.sequence % len(call.views)]
        for index in order:
            yield index, 0, views[index]
        return
    heap = world.start().heap
    team.round(call.word, call.count, call.extra, heap.offset(source))
    offsets, _ = channel.locations()
    for index in order:
        pe = team.members.pes[index]
        yield index, 0, heap.view(pe, offsets[index], call.element.dtype, call.count)
    # After this round all members have read all sources, so members may change their sources.
    team.round(call.word, call.count, call.extra)


# -- short vectors ------------------------------------------------------------------------


def most_bytes(team: Team) -> int:
    """Return the largest size of a vector for :func:`gather`. The size is equal on all members."""
    return max(team.sizes.small_bytes, _LEAST_BYTES)


def gather(team: Team, vector: Array, extra: int = 0) -> Array:
    """Return a matrix whose rows are the members' vectors in team order. Collective over the team.

    ``extra`` is a number, such as a hash, for all other arguments that must be equal on all
    members. Raise ``CollectiveMismatchError`` on all members if they passed different types, sizes
    or ``extra``.
    """
    call = short_call(team, GATHER, vector.dtype, vector.dtype, vector.size, extra)
    return np.array(team.channel.exchange(call, vector))


def short_call(
    team: Team,
    collective: int,
    shown: np.dtype[Any],
    dtype: np.dtype[Any],
    count: int,
    extra: int = 0,
) -> Call:
    """Return a call that exchanges short vectors. ``shown`` is the element type in messages."""
    key = collective, shown, count, extra
    call = team.calls.get(key)
    if not isinstance(call, Call):
        word = pack(collective, element=element_type(shown).code)
        views = team.channel.views(dtype, count)
        call = Call(word, count, extra, COPY, element_type(dtype), is_small=True, views=views)
        team.remember(key, call)
    return call
