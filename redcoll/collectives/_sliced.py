"""Fold long vectors in slices, directly or through staging buffers.

*Direct*: if all members' arrays lie in shared memory, each member folds its slice from all members'
sources into all members' targets. The direct way takes two rounds and no copies.

*Staged*: ordinary arrays pass through the team's staging buffers chunk by chunk. One round for each
chunk shows both "chunk c is staged" and "chunk c-1 is folded".

Every member chooses one of the ways by the headers of all members, so all members choose the same
way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redcoll import world
from redcoll.arguments import Array
from redcoll.collectives._addressing import Operands, offsets, operands_of
from redcoll.collectives.internode import fold_across, fold_pieces
from redcoll.memory.heap import address_of
from redcoll.protocol.descriptor import EXSCAN, SCAN, Call, root_of
from redcoll.protocol.partition import Block, Parts
from redcoll.team import Team


def _teach(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    first: int,
    last: int,
    parts: Parts | None = None,
) -> None:
    """Cache a call in the kernel, which then performs later equal calls without Python code.

    ``first`` and ``last`` are start and stop of the part of the result that this PE gets. ``parts``
    is the division of the blocks, if each PE folds only its own block.
    """
    channel = team.channel
    # The kernel can perform the call only if every member folds a slice, and if no Python code of
    # the program runs.
    is_plain = channel.learns_long and channel.folders == team.size and not call.op.may_raise
    if not is_plain:
        return
    heaps = arenas = None
    blocks = []
    if team.members.arenas is not None:
        arenas = [memory.ctypes.data for memory in team.members.arenas]
    if team.members.is_in_world and world.is_running():
        heap = world.start().heap
        heaps = [address_of(heap.view(pe, 0, np.uint8, 1)) for pe in team.members.pes]
        found = map(heap.live_addresses, (target, source))
        blocks = [block for block in found if block is not None]
    root, mark = root_of(call.word), call.extra ^ call.op.mark << 1
    offsets = None if parts is None else parts.offsets
    collective = call.word & 255
    channel.learn_long(
        call, collective, root, mark, source, first, last, heaps, arenas, blocks, offsets
    )


def enter(
    team: Team, call: Call, target: Array, source: Array, stage_first: Callable[[], None]
) -> Operands | None:
    """Run the first round of a long call; return all members' arrays, or None for staging.

    If the result is None, chunk 0 of every member is staged. A member with ordinary arrays knows
    beforehand that the call will be staged, so it stages its chunk before the round. Members with
    symmetric arrays learn in this round that they must stage, and then stage their chunks. If there
    are such members, all members run a second round.
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
    """On one node, carry out a long call in which each PE folds only its own block.

    ``direct(guard, operands)`` folds the block if this PE can address all sources.
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
    """Runs the folds of one call, and keeps an exception of a user's function for the last round.

    Predefined operations and compiled functions cannot raise. They run without NumPy's
    floating-point warnings (``Team.run_silently``).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None
        self._came_through = True

    def run(self, loop: Callable[..., None], operands: Sequence[Array], *rest: Any) -> None:
        """Call ``loop(op, operands, *rest)``, a loop of the kernel."""
        op = self._call.op
        try:
            if not op.may_raise:
                self._team.run_silently(loop, op, operands, *rest)
            elif self._error is None:
                loop(op, [read_only(operand) for operand in operands], *rest)
        except Exception as error:
            if not op.may_raise:
                raise
            self._error = error

    def fold(self, operands: Sequence[Array], out: Array) -> None:
        """Fold the operands, in their full length, into ``out``."""
        if len(operands) == 1:
            out[...] = operands[0]
            return
        self.run(self._team.kernel.fold_to_many, operands, [out], 0, out.size)

    def conclude(self) -> None:
        """If the operation may raise, run a round that shows all members whether it raised."""
        call = self._call
        if call.op.may_raise:
            self._came_through = self._team.conclude(call.word, self._error, call.count, call.extra)

    def finish(self) -> None:
        """Raise on all members if a user's function raised on one of them."""
        self._team.raise_unless(self._came_through, self._error)


def read_only(operand: Array) -> Array:
    """Return a read-only view, so that a user's function cannot write to another PE's memory."""
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
    """Carry out a long call in which each PE folds its slice of every chunk.

    ``direct(guard, operands, slice)`` folds this PE's slice of the whole vector if the PE can
    address all arrays. ``into`` receives this PE's part of the result, which starts at element
    ``first``. ``into`` is None if this PE gets no part.
    """
    if team.folds_by_nodes and call.op.folds_by_nodes(call.element):
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
        # After this round all targets are complete, and no member reads the sources any more.
        team.round(call.word, call.count, call.extra)
    else:
        channel.staged(call, guard.run, source, into, first)
    guard.conclude()
    guard.finish()
