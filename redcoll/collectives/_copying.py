"""What the collectives that only move elements have in common.

All arrays are symmetric, so every member fetches what it needs straight from the others'
heaps: one round says that all sources are final, a second that all have been read. Short
vectors travel in the posts of a single round instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.arguments import plain
from redcoll.collectives._prepare import flat, prepare
from redcoll.errors import ArgumentError, OverlapError
from redcoll.ops import Op
from redcoll.signature import NO_ROOT, Call
from redcoll.slices import cut
from redcoll.team import Team

Array = NDArray[Any]

COPY = Op("COPY", 0, "biufcp", np.add)
"""Stands for the operation in calls that combine nothing; never applied, and 0 in the posts."""


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
    """The shape of a call, after the checks of :func:`prepare` and those of symmetric arrays.

    Parameters
    ----------
    may_coincide
        Whether target and source may be the same elements.
    """
    with team.checking(collective):
        target, source = plain(target, "target"), plain(source, "source")
        check_symmetric(team, target=target, source=source)
        if not may_coincide:
            check_disjoint(target, source)
    return prepare(team, collective, target, source, COPY, root, extra, target_count)


def streamed(team: Team, call: Call, index: int, source: Array, count: int) -> Array:
    """One member's vector of ``count`` elements, which comes in chunks through the posts.

    For teams on several nodes, which cannot address each other's memory.
    """
    dtype = source.dtype
    received = np.empty(count, dtype)
    stages = team.channel.buffers(dtype)[0]
    # The buffer was used two rounds ago: the round since then has shown that everybody has
    # copied it.
    for chunk, (start, stop) in enumerate(cut(0, count, len(stages[0][index]))):
        side = chunk & 1
        if index == team.index:
            team.channel.put_on_stage(side, source[start:stop])
        team.round(call.word, call.count, call.extra)
        received[start:stop] = stages[side][index][: stop - start]
    # Nobody stages again before all have copied.
    team.round(call.word, call.count, call.extra)
    return received


def check_symmetric(team: Team, **arrays: Array) -> None:
    """Refuse arrays that the other members cannot reach.

    Raises
    ------
    SymmetryError
        An array is private.
    StateError
        Its memory has been freed.
    ArgumentError
        The team has members outside the job.
    """
    if not team.is_in_world:
        raise ArgumentError(f"{team!r} has members outside the job; they have no symmetric arrays")
    heap = world.start().heap
    for name, array in arrays.items():
        heap.require(array, name)


def check_disjoint(target: Array, source: Array) -> None:
    """Refuse arrays that share memory.

    Raises
    ------
    OverlapError
        They do.
    """
    if np.may_share_memory(target, source):
        raise OverlapError("target and source overlap; here they must be disjoint")


def gather_sources(
    team: Team, call: Call, source: Array, wanted: int | None = None
) -> Iterator[tuple[int, Array]]:
    """Every member's index and source, to be read as they come.

    A generator: the collective is over when it is exhausted.

    Parameters
    ----------
    wanted
        The one member whose source is needed; None for all.
    """
    source = flat(source)
    me, size = team.index, team.size
    order = [*range(me, size), *range(me)] if wanted is None else [wanted]
    if call.is_small:
        channel = team.channel
        if wanted in (None, me):
            views = channel.exchange(call, source)
        else:
            # Its own is not copied, nor carried to other nodes.
            channel.round(call.word, call.count, call.extra)
            views = call.views[channel.sequence % len(call.views)]
        for index in order:
            yield index, views[index]
        return
    if not team.layout.is_one_node:
        team.round(call.word, call.count, call.extra)
        for index in sorted(order):
            yield index, streamed(team, call, index, source, call.count)
        return
    heap = world.start().heap
    team.round(call.word, call.count, call.extra, heap.offset(source))
    offsets, _ = team.channel.locations()
    for index in order:
        yield index, heap.view(team.pes[index], offsets[index], call.element.dtype, call.count)
    # All sources may be changed again once all have read them.
    team.round(call.word, call.count, call.extra)
