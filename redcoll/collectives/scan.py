"""Scan and exscan: every member gets the fold of those before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.activeset import ActiveSet
from redcoll.collectives._large import (
    BLOCK_BYTES,
    Guard,
    Pieces,
    Staging,
    cut,
    enter,
    even_blocks,
    run_staged,
)
from redcoll.collectives._prepare import flat, prepare, team_of
from redcoll.collectives._whole import fold_whole
from redcoll.ops import SUM, Op
from redcoll.signature import EXSCAN, SCAN, Call
from redcoll.team import Team

Array = NDArray[Any]


def scan(
    target: Array,
    source: Array,
    op: Op = SUM,
    *,
    team: Team | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """``target = source[0] op ... op source[i]`` on member i, its own source included.

    Collective over the team. Arguments and errors are those of :func:`allreduce`.
    """
    _prefix(SCAN, target, source, op, team, active_set)


def exscan(
    target: Array,
    source: Array,
    op: Op = SUM,
    *,
    team: Team | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """``target = source[0] op ... op source[i - 1]`` on member i.

    Collective over the team. The target of member 0 is left untouched. Arguments and
    errors are those of :func:`allreduce`.
    """
    _prefix(EXSCAN, target, source, op, team, active_set)


def _prefix(
    collective: int,
    target: Array,
    source: Array,
    op: Op,
    team: Team | None,
    active_set: ActiveSet | None,
) -> None:
    if team is None or active_set is not None:
        team = team_of(team, active_set)
    call = prepare(team, collective, target, source, op)
    target, source = flat(target), flat(source)
    upto = team.index + (collective == SCAN)
    if call.count == 0:
        return
    if team.size == 1:
        if upto:
            target[...] = source
    elif call.op.is_user and (call.is_small or not call.op.elementwise):
        result = fold_whole(team, call, target, source, upto)
        if result is not None:
            target[...] = result
    elif call.is_small:
        views = team.channel.exchange(call, source)
        if views is None:
            team.raise_mismatch()
        if upto:
            team.kernel.fold(call.op, views[:upto], target)
    else:
        _large(team, call, target, source, is_inclusive=collective == SCAN)


def _large(team: Team, call: Call, target: Array, source: Array, *, is_inclusive: bool) -> None:
    blocks = even_blocks(call.count, team.size)
    pieces = Pieces(team, call, blocks)
    staging = Staging(team, call, source, pieces)
    guard = Guard(team, call)
    me = team.index
    members = range(team.size)
    operands = enter(team, call, target, source, lambda: staging.stage(0, own_too=True))

    if operands is not None:
        targets = operands.targets
        step = max(1, BLOCK_BYTES // call.element.dtype.itemsize)
        for start, stop in cut(*blocks[me], step):
            rows = [each[start:stop] for each in operands.sources]
            _run_through(guard, rows, [each[start:stop] for each in targets], is_inclusive)
        # Everybody's slices are in everybody's target once all have posted.
        team.round(call.word, call.count, call.extra)
    else:

        def work(chunk: int) -> None:
            # The prefixes replace what was staged: member i finds its own where it
            # put its source.
            start, stop = pieces.of(chunk, me)
            if start < stop:
                rows = [staging.staged(chunk, member, me) for member in members]
                _run_through(guard, rows, rows, is_inclusive)

        def deliver(chunk: int) -> None:
            if is_inclusive or me:
                for owner in members:
                    start, stop = pieces.of(chunk, owner)
                    target[start:stop] = staging.staged(chunk, me, owner)

        run_staged(team, call, pieces, staging, work, deliver, own_too=True)
    guard.finish()


def _run_through(guard: Guard, rows: list[Array], targets: list[Array], is_inclusive: bool) -> None:
    """Accumulate through the rows; ``targets[i]`` may be ``rows[i]``."""
    prefix = rows[0].copy()
    if is_inclusive:
        targets[0][...] = prefix
    for row, into in zip(rows[1:], targets[1:], strict=True):
        following = np.empty_like(prefix)
        guard.fold([prefix, row], following)
        into[...] = following if is_inclusive else prefix
        prefix = following
