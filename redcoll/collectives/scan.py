"""Scan and exscan: give every member the left fold of the vectors of all previous members.

A scan also includes the member's own vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array
from redcoll.collectives._arguments import flat, prepare, team_of
from redcoll.collectives._folding import fold
from redcoll.collectives._sliced import Guard, enter, teach
from redcoll.collectives.internode import fold_pieces
from redcoll.op_lookup import OpLike, spelled
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import EXSCAN, SCAN, Call
from redcoll.protocol.partition import cut
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common


def scan(
    target: Array,
    source: Array,
    op: OpLike = SUM,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on member i to the left fold of ``source`` of members 0 to i.

    Collective over the team. Arguments and errors are those of :func:`allreduce`. If the vectors
    have at most 8 bytes, a member may get a mismatch with members of higher team rank in a later
    call.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> so_far = np.zeros(1, int)
    >>> redcoll.scan(so_far, np.ones(1, int))
    >>> int(so_far[0]) == redcoll.my_pe() + 1
    True
    """
    try:
        _prefix(SCAN, target, source, op, team, active_set)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def exscan(
    target: Array,
    source: Array,
    op: OpLike = SUM,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on member i to the left fold of ``source`` of members 0 to i - 1.

    Collective over the team. The target of member 0 stays unchanged. Arguments and errors are
    those of :func:`scan`.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> before = np.zeros(1, int)
    >>> redcoll.exscan(before, np.ones(1, int))
    >>> int(before[0]) == redcoll.my_pe()
    True
    """
    try:
        _prefix(EXSCAN, target, source, op, team, active_set)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def _prefix(
    collective: int,
    target: Array,
    source: Array,
    op: OpLike,
    team: TeamLike | None,
    active_set: ActiveSet | None,
) -> None:
    if type(team) is not Team or active_set is not None:
        team = team_of(team, active_set)
    if team.small(collective, target, source, op) or (
        type(op) is not Op and team.small(collective, target, source, spelled(op))
    ):
        return
    _check_and_make(team, collective, target, source, op)


def _check_and_make(team: Team, collective: int, target: Array, source: Array, op: OpLike) -> None:
    upto = team.index + (collective == SCAN)
    call = prepare(team, collective, target, source, op, members=upto)
    fold(team, call, flat(target), flat(source), upto, large=_large)


def _large(
    team: Team, call: Call, target: Array, source: Array, upto: int, _offsets: Sequence[int]
) -> None:
    me, is_inclusive = team.index, call.word & 255 == SCAN
    itemsize = call.element.dtype.itemsize
    guard = Guard(team, call)
    if not team.layout.is_one_node:
        fold_pieces(team, call, source, target, 0, guard.fold, upto)
        guard.conclude()
        return
    loop = team.kernel.scan
    stages, _ = team.channel.buffers(call.element.dtype)
    chunks = list(cut(0, call.count, len(stages[0][me])))

    def stage(chunk: int) -> None:
        start, stop = chunks[chunk]
        team.channel.put_on_stage(chunk & 1, source[start:stop])

    def copy_out(chunk: int) -> None:
        start, stop = chunks[chunk]
        if upto:
            target[start:stop] = stages[chunk & 1][me][: stop - start]

    teach(team, call, target, source, 0, call.count)
    operands = enter(team, call, target, source, lambda: stage(0))
    if operands is not None:
        block = team.channel.own_slice(call.count, itemsize)
        guard.run(loop, operands.sources, operands.targets, *block, is_inclusive)
        # After this round all targets are complete, and no member reads the sources any more.
        team.round(call.word, call.count, call.extra)
    else:
        for chunk in team.channel.in_turn(call, len(chunks), stage):
            # The loop overwrites each member's staged vector with the member's result. So each
            # member finds the result in its own staging buffer.
            start, stop = chunks[chunk]
            block = team.channel.own_slice(stop - start, itemsize)
            rows = stages[chunk & 1]
            guard.run(loop, rows, rows, *block, is_inclusive)
            if chunk:
                copy_out(chunk - 1)
        copy_out(len(chunks) - 1)
    guard.conclude()
