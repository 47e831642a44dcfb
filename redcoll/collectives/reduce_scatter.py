"""Reduce_scatter: fold all members' vectors, and give each member one block of the result."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import accumulate, pairwise

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, plain, shown
from redcoll.collectives._arguments import flat, prepare, team_of
from redcoll.collectives._folding import fold
from redcoll.collectives._rails import along_rails, rails_of_members
from redcoll.collectives._sliced import run_large
from redcoll.errors import ArgumentError
from redcoll.op_lookup import OpLike, spelled
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import NO_ROOT, REDUCE_SCATTER, Call
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common


def reduce_scatter(
    target: Array,
    source: Array,
    op: OpLike = SUM,
    counts: Sequence[int] | None = None,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on member i to block i of the left fold of all members' ``source``.

    Collective over the team. Arguments and errors are those of :func:`allreduce`, with these
    differences:

    Parameters
    ----------
    target
        Array for the caller's block, with exactly the number of elements of that block.
    source
        The blocks of all members, one after the other.
    counts
        Number of elements of each member's block; the same list on all members. By default all
        blocks have the same size.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> block = np.zeros(2)
    >>> redcoll.reduce_scatter(block, np.ones(2 * redcoll.n_pes()))
    >>> bool((block == redcoll.n_pes()).all())
    True
    """
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        try:
            source = plain(source, "source")
            offsets, mark = _offsets(team, source, counts)
        except Exception:
            # Enter this context only after an error. If it were around the checks, a small call
            # would be 25 % slower.
            with team.checking(REDUCE_SCATTER):
                raise
        if team.small(REDUCE_SCATTER, target, source, op, NO_ROOT, mark) or (
            type(op) is not Op
            and team.small(REDUCE_SCATTER, target, source, spelled(op), NO_ROOT, mark)
        ):
            return
        _check_and_make(team, target, source, op, offsets, mark)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def _check_and_make(
    team: Team, target: Array, source: Array, op: OpLike, offsets: list[int], mark: int
) -> None:
    part = offsets[team.index], offsets[team.index + 1]
    call = prepare(team, REDUCE_SCATTER, target, source, op, extra=mark, part=part)
    fold(team, call, flat(target), flat(source), team.size, offsets, _large)


def _offsets(team: Team, source: Array, counts: Sequence[int] | None) -> tuple[list[int], int]:
    """Return the starts of all blocks, the end of the last block, and a hash of ``counts``."""
    if counts is None:
        length, rest = divmod(source.size, team.size)
        if rest:
            raise ArgumentError(
                f"source has {source.size} elements; for {team.size} members it must have a "
                f"multiple of {team.size}: pass counts for blocks of different sizes"
            )
        return [i * length for i in range(team.size + 1)], 0
    try:
        lengths = [integer(count, "an element of counts") for count in counts]
    except ArgumentError:
        raise
    except Exception as error:  # noqa: BLE001 - a sequence of the program can raise any exception
        raise ArgumentError(f"counts is {shown(counts)}; it must be a sequence of integers") from (
            None if isinstance(error, TypeError) else error
        )
    if len(lengths) != team.size or min(lengths) < 0 or sum(lengths) != source.size:
        raise ArgumentError(
            f"counts is {lengths}; it must be {team.size} numbers from 0 that add up to the "
            f"{source.size} elements of source"
        )
    return [0, *accumulate(lengths)], zlib.crc32(repr(lengths).encode()) | 1 << 32


def _large(
    team: Team, call: Call, target: Array, source: Array, upto: int, offsets: Sequence[int]
) -> None:
    if team.folds_by_nodes and call.op.folds_by_nodes(call.element):
        blocks = list(pairwise(offsets))
        rails = rails_of_members(team, source, blocks)
        if rails is not None:
            along_rails(team, call, target, source, rails)
            return
    run_large(team, call, target, source, upto, offsets)
