"""Vectors beyond the small path: folded in slices, directly or through staging.

*Direct*: all members' arrays lie on the symmetric heap, so the owner of a slice folds
it from everybody's source into everybody's target. Two rounds, no copy besides.

*Staged*: arrays are private, so they pass through the team's scratch chunk by chunk. One
round per chunk says both "chunk c is staged" and "chunk c-1 is folded".

Which of them is taken depends on what all members posted, never on local knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.collectives._addressing import Operands, offsets, operands_of
from redcoll.collectives.internode import fold_across, fold_pieces
from redcoll.memory.heap import address_of
from redcoll.protocol.descriptor import EXSCAN, SCAN, Call, root_of
from redcoll.protocol.partition import Block, Parts
from redcoll.team import Team

Array = NDArray[Any]


def _teach(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    first: int,
    last: int,
    parts: Parts | None = None,
) -> None:
    """Let the kernel know a call, to do the next one like it by itself.

    Parameters
    ----------
    first, last
        What part of the result this PE gets.
    parts
        How the blocks pass through staging, if each PE folds its own only.
    """
    channel = team.channel
    # The kernel does it where every member folds its slice, by plain operations.
    is_plain = channel.learns_long and channel.folders == team.size and not call.op.is_user
    if not is_plain:
        return
    heaps = None
    blocks = []
    if team.is_in_world and world.is_running():
        heap = world.start().heap
        heaps = [address_of(heap.view(pe, 0, np.uint8, 1)) for pe in team.pes]
        found = map(heap.live_addresses, (target, source))
        blocks = [block for block in found if block is not None]
    root, mark = root_of(call.word), call.extra ^ call.op.mark << 1
    offsets = None if parts is None else parts.offsets
    collective = call.word & 255
    channel.learn_long(call, collective, root, mark, source, first, last, heaps, blocks, offsets)


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
    at_source, at_target = offsets(team, target, source)
    if at_source < 0:
        stage_first()
    team.round(call.word, call.count, call.extra, at_source, at_target)
    private = sum(offset < 0 for offset in team.channel.locations()[0])
    if private == 0:
        return operands_of(team, call)
    if private < team.size:
        if at_source >= 0:
            stage_first()
        team.round(call.word, call.count, call.extra)
    return None


def fold_own_block(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    parts: Parts,
    direct: Callable[[Guard, Operands], None],
) -> None:
    """A large call on one node in which each PE folds its own block alone.

    Parameters
    ----------
    direct
        ``direct(guard, operands)`` folds it, all sources being addressable.
    """
    channel = team.channel
    guard = Guard(team, call)
    first, last = parts.offsets[team.index], parts.offsets[team.index + 1]
    _teach(team, call, target, source, first, last, parts)
    operands = enter(team, call, source, source, lambda: channel.stage_parts(parts, source, 0))
    if operands is None:
        channel.staged_parts(call, guard.run, parts, source, target)
    else:
        direct(guard, operands)
        team.round(call.word, call.count, call.extra)
    guard.conclude()
    guard.finish()


class Guard:
    """Runs the folds of one call; keeps a user function's exception for the last round.

    Predefined operations follow the hardware silently (``Team.quiet``).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None
        self._came_through = True

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

    def fold(self, operands: Sequence[Array], out: Array) -> None:
        """Fold whole operands into ``out``."""
        if len(operands) == 1:
            out[...] = operands[0]
            return
        self.run(self._team.kernel.fold_to_many, operands, [out], 0, out.size)

    def conclude(self) -> None:
        """Tell the others whether this member's function came through, and hear of theirs."""
        call = self._call
        if call.op.is_user:
            self._came_through = self._team.conclude(call.word, self._error, call.count, call.extra)

    def finish(self) -> None:
        """Raise on all members alike if a user's function raised on any.

        Raises
        ------
        RemoteOpError
            It was on another member.
        """
        self._team.raise_unless(self._came_through, self._error)


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
    direct: Callable[[Guard, Operands, Block], None],
    into: Array | None,
    first: int = 0,
) -> None:
    """A large call in which each PE folds its slice of every range.

    Parameters
    ----------
    direct
        ``direct(guard, operands, slice)`` folds this PE's slice of the whole vector,
        all arrays being addressable.
    into
        What this PE wants of the result: as many elements from ``first`` on.
    """
    if team.folds_by_nodes and not call.op.is_user:
        fold_across(team, call, target, source, into, first)
        return
    channel = team.channel
    guard = Guard(team, call)
    if not team.layout.is_one_node:
        fold_pieces(team, call, source, into, first, guard.fold, team.size)
        guard.conclude()
        guard.finish()
        return
    part = call.count if into is None else into.size
    _teach(team, call, target if into is None else into, source, first, first + part)
    operands = enter(team, call, target, source, lambda: channel.stage(call, source, 0))
    if operands is not None:
        direct(guard, operands, channel.own_slice(call.count, call.element.dtype.itemsize))
        # All targets are complete, and all sources free, once all have posted.
        team.round(call.word, call.count, call.extra)
    else:
        channel.staged(call, guard.run, source, into, first)
    guard.conclude()
    guard.finish()
