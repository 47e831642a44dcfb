"""Vectors beyond the small path: folded in slices, directly or through staging.

*Direct*: all members' arrays lie on the symmetric heap, so the owner of a slice folds
it from everybody's source into everybody's target. Two rounds, no copy besides.

*Staged*: arrays are private, so they pass through the team's scratch chunk by chunk. One
round per chunk says both "chunk c is staged" and "chunk c-1 is folded".

Which of them is taken depends on what all members posted, never on local knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.collectives.internode import NodesFold
from redcoll.heap import address_of
from redcoll.signature import EXSCAN, NO_ROOT, SCAN, Call, root_of
from redcoll.slices import Block
from redcoll.team import Team

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Operands:
    """All members' sources and targets, when they can be addressed directly."""

    at: tuple[tuple[int, ...], tuple[int, ...]]
    """Heap offsets of the sources and of the targets."""
    sources: list[Array]
    targets: list[Array]
    """As long as the sources; only for collectives whose targets are."""


def _operands(team: Team, call: Call) -> Operands:
    """Everybody's arrays as posted; views made for the last call serve again."""
    at = team.channel.locations()
    known: Operands | None = call.locations
    if known is not None and known.at == at:
        return known
    heap = world.start().heap
    dtype, count = call.element.dtype, call.count
    sources, targets = (
        [heap.view(pe, offset, dtype, count) for pe, offset in zip(team.pes, each, strict=True)]
        for each in at
    )
    operands = call.locations = Operands(at, sources, targets)
    return operands


def offsets(team: Team, target: Array, source: Array) -> tuple[int, int]:
    """Where source and target lie on the heap; (-1, -1) unless both do."""
    if not (team.is_in_world and world.is_running()):
        return -1, -1
    heap = world.start().heap
    at_source, at_target = heap.offset(source), heap.offset(target)
    if at_source < 0 or at_target < 0:
        return -1, -1
    return at_source, at_target


def _teach(team: Team, call: Call, target: Array, source: Array, first: int, last: int) -> None:
    """Let the kernel know a call, to do the next one like it by itself.

    Parameters
    ----------
    first, last
        What part of the result this PE gets.
    """
    channel = team.channel
    # The kernel does it where every member folds its slice, by plain operations.
    is_plain = team.layout.is_one_node and channel.folders == team.size and not call.op.is_user
    if not (channel.learns_long and is_plain):
        return
    heaps = None
    blocks = []
    if team.is_in_world and world.is_running():
        heap = world.start().heap
        heaps = [address_of(heap.view(pe, 0, np.uint8, 1)) for pe in team.pes]
        found = map(heap.live_addresses, (target, source))
        blocks = [block for block in found if block is not None]
    root, mark = root_of(call.word), call.extra ^ call.op.mark << 1
    channel.learn_long(call, call.word & 255, root, mark, source, first, last, heaps, blocks)


def enter(
    team: Team, call: Call, target: Array, source: Array, stage_first: Callable[[], None]
) -> Operands | None:
    """The first round of a large call: everybody's arrays, or None for the staged path.

    On return from the staged choice chunk 0 of every member is staged: those with
    private arrays know at once that it will be needed, and stage it before the round;
    only where some arrays are symmetric does it take a round more.
    """
    if call.word & 255 in (SCAN, EXSCAN):
        _teach(team, call, target, source, 0, call.count)
    # On several nodes members cannot address each other's heaps.
    at_source, at_target = offsets(team, target, source) if team.layout.is_one_node else (-1, -1)
    if at_source < 0:
        stage_first()
    team.round(call.word, call.count, call.extra, at_source, at_target)
    private = sum(offset < 0 for offset in team.channel.locations()[0])
    if private == 0:
        return _operands(team, call)
    if private < team.size:
        if at_source >= 0:
            stage_first()
        team.round(call.word, call.count, call.extra)
    return None


class Guard:
    """Runs the folds of one call; keeps a user function's exception for the last round.

    Predefined operations follow the hardware silently (``Team.quiet``).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None

    def run(self, loop: Callable[..., None], operands: Sequence[Array], *rest: Any) -> None:
        """``loop(op, operands, *rest)``, a loop of the kernel."""
        op = self._call.op
        try:
            if not op.is_user:
                self._team.quiet.run(loop, op, operands, *rest)
            elif self._error is None:
                loop(op, [read_only(operand) for operand in operands], *rest)
        except Exception as error:
            if not op.is_user:
                raise
            self._error = error

    def finish(self) -> None:
        """Raise on all members alike if a user's function raised on any.

        Raises
        ------
        RemoteOpError
            It was on another member.
        """
        if self._call.op.is_user:
            self._team.conclude(self._call.word, self._error)


def read_only(operand: Array) -> Array:
    """A view that a user's function cannot write through: it may be another PE's memory."""
    view = operand.view()
    view.flags.writeable = False
    return view


def run_large(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    direct: Callable[[Guard | NodesFold, Operands, Block], None] | None,
    into: Array | None,
    first: int = 0,
    root: int = NO_ROOT,
) -> None:
    """A large call in which each PE folds its slice of every range.

    Parameters
    ----------
    direct
        ``direct(guard, operands, slice)`` folds this PE's slice of the whole vector,
        all arrays being addressable; None if all have to be staged.
    into
        What this PE wants of the result: as many elements from ``first`` on.
    root
        Index of the one member that wants the result, if only one does.
    """
    if team.node is None or team.exchange is None or call.op.is_user:
        _on_node(team, Guard(team, call), call, target, source, direct, into, first)
        return
    # Nobody sends before all nodes agree, also on the way that they take: by it the vector is
    # cut into what they exchange.
    team.round(call.word, call.count, call.extra, *offsets(team, target, source))
    if min(team.channel.locations()[0]) < 0:
        direct = None
    to_node = None if root == NO_ROOT else team.layout.node_of(root)
    fold = NodesFold(team, team.exchange, call, to_node)
    with team.in_step:
        _on_node(team.node, fold, call, target, source, direct, into, first)


def _on_node(
    team: Team,
    guard: Guard | NodesFold,
    call: Call,
    target: Array,
    source: Array,
    direct: Callable[[Guard | NodesFold, Operands, Block], None] | None,
    into: Array | None,
    first: int,
) -> None:
    channel = team.channel
    if direct is not None and isinstance(guard, Guard):
        part = call.count if into is None else into.size
        _teach(team, call, target if into is None else into, source, first, first + part)
    with team.in_step:
        if direct is None:
            channel.stage(call, source, 0)
            team.round(call.word, call.count, call.extra)
            operands = None
        else:
            operands = enter(team, call, target, source, lambda: channel.stage(call, source, 0))
        if direct is not None and operands is not None:
            direct(guard, operands, channel.own_slice(call.count, call.element.dtype.itemsize))
            # All targets are complete, and all sources free, once all have posted.
            team.round(call.word, call.count, call.extra)
        elif isinstance(guard, NodesFold):
            channel.staged_with(call, guard.run, source, into, first)
        else:
            channel.staged(call, guard.run, source, into, first)
    guard.finish()
