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
from redcoll.collectives._arguments import live_blocks
from redcoll.collectives.internode import fold_across, fold_pieces
from redcoll.memory.heap import address_of
from redcoll.protocol.descriptor import NO_ROOT, Call, root_of
from redcoll.protocol.partition import Parts
from redcoll.team import Team


def teach(
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
    if not channel.learns_long or channel.folders != team.size or call.op.may_raise:
        return
    heaps = arenas = None
    blocks = []
    if team.members.arenas is not None:
        arenas = [memory.ctypes.data for memory in team.members.arenas]
    if team.members.is_in_world and world.is_running():
        heap = world.start().heap
        heaps = [address_of(heap.view(pe, 0, np.uint8, 1)) for pe in team.members.pes]
        blocks = live_blocks(target, source)
    root, mark = root_of(call.word), call.extra ^ call.op.mark << 1
    ends = None if parts is None else parts.offsets
    channel.learn_long(
        call, call.word & 255, root, mark, source, first, last, heaps, arenas, blocks, ends
    )


def enter(
    team: Team, call: Call, target: Array, source: Array, stage_first: Callable[[], None]
) -> Operands | None:
    """Run the first round of a long call; return all members' arrays, or None for staging.

    If the result is None, chunk 0 of every member is staged. A member with ordinary arrays knows
    beforehand that the call will be staged, so it stages its chunk before the round. Members with
    symmetric arrays learn only in this round that they must stage their chunks. If there are such
    members, all members run a second round.
    """
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


class Guard:
    """Runs the folds of one call, and keeps an exception of a user's function for the last round.

    Predefined operations and compiled functions cannot raise. They run without NumPy's
    floating-point warnings (``Team.run_silently``).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None

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
        """Raise on all members if a user's function raised on one of them, after one more round."""
        call = self._call
        if call.op.may_raise:
            came_through = self._team.conclude(call.word, self._error, call.count, call.extra)
            self._team.raise_unless(came_through, self._error)


def read_only(operand: Array) -> Array:
    """Return a read-only view, so that a user's function cannot write to another PE's memory."""
    view = operand.view()
    view.flags.writeable = False
    return view


def run_large(
    team: Team, call: Call, target: Array, source: Array, upto: int, offsets: Sequence[int]
) -> None:
    """Carry out a long call in which each PE folds its slice of every chunk, or its own block.

    The arguments are those of :func:`redcoll.collectives._folding.fold`.
    """
    into = target if upto else None
    first = offsets[team.index] if offsets else 0
    # The members publish the places of arrays that can hold the whole result.
    whole = target if target.size == call.count else source
    if team.folds_by_nodes and call.op.folds_by_nodes(call.element):
        fold_across(team, call, whole, source, into, first)
        return
    channel = team.channel
    guard = Guard(team, call)
    if not team.layout.is_one_node:
        fold_pieces(team, call, source, target, first, guard.fold, upto)
        guard.conclude()
        return
    itemsize = call.element.dtype.itemsize
    parts = channel.parts(offsets, itemsize) if offsets else None
    teach(team, call, target, source, first, first + target.size, parts)

    def stage_first() -> None:
        if parts is None:
            channel.stage(call, source, 0)
        else:
            channel.stage_parts(parts, source, 0)

    operands = enter(team, call, whole, source, stage_first)
    fold_to_many = team.kernel.fold_to_many
    if operands is None and parts is not None:
        channel.staged_parts(call, guard.run, parts, source, target)
    elif operands is None:
        channel.staged(call, guard.run, source, into, first)
    else:
        if offsets:
            # Each PE writes only its own target, so only the sources must be in shared memory.
            own = [each[first : offsets[team.index + 1]] for each in operands.sources]
            guard.run(fold_to_many, own, [target], 0, target.size)
        else:
            root = root_of(call.word)
            targets = operands.targets if root == NO_ROOT else [operands.targets[root]]
            own_slice = channel.own_slice(call.count, itemsize)
            guard.run(fold_to_many, operands.sources, targets, *own_slice)
        # After this round all targets are complete, and no member reads the sources any more.
        team.round(call.word, call.count, call.extra)
    guard.conclude()
