"""Reduce_scatter: fold all members' vectors, and give each member one block of the result."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Final

import numpy as np

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, plain, shown
from redcoll.collectives._arguments import flat, prepare, team_of
from redcoll.collectives._folding import fold
from redcoll.collectives._sliced import run_large
from redcoll.collectives.internode import agreed_rails, fold_parts
from redcoll.errors import ArgumentError
from redcoll.op_lookup import OpLike, spelled
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import NO_ROOT, REDUCE_SCATTER, Call
from redcoll.protocol.partition import Block
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common

_MOST_BYTES_OF_MPI: Final = 2**31 - 1
"""The largest displacement that MPI libraries without large counts accept."""


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
    folds_by_nodes = team.folds_by_nodes and call.op.folds_by_nodes(call.element)
    if folds_by_nodes and _has_rails_of_members(team, source):
        _along_rails(team, call, target, source, list(pairwise(offsets)))
    else:
        run_large(team, call, target, source, upto, offsets)


def _has_rails_of_members(team: Team, source: Array) -> bool:
    """Return whether rails can carry the members' blocks without cutting them into slices.

    Every member must be on a rail, the blocks of each node's members must follow each other, and
    MPI's displacements must reach the end of the source.
    """
    nodes = team.layout.nodes
    order = [member for members in nodes for member in members]
    is_even = len({len(members) for members in nodes}) == 1
    return is_even and order == sorted(order) and source.nbytes <= _MOST_BYTES_OF_MPI


def _along_rails(team: Team, call: Call, target: Array, source: Array, blocks: list[Block]) -> None:
    """Fold this node's part of each block of the rail, and send each part to the block's member."""
    nodes = team.layout.nodes
    with agreed_rails(team, call) as (node, rails):
        its_blocks = [blocks[members[node.index]] for members in nodes]
        sent = source
        if node.size > 1:
            ends = [0, *accumulate(stop - start for start, stop in its_blocks)]
            its_blocks = list(pairwise(ends))
            sent = np.empty(ends[-1], source.dtype)
            for members, (start, stop) in zip(nodes, its_blocks, strict=True):
                counts = [blocks[member][1] - blocks[member][0] for member in members]
                if sum(counts):
                    part = source[blocks[members[0]][0] : blocks[members[-1]][1]]
                    op = call.op.in_float32 or call.op  # the vectors are widened already
                    reduce_scatter(sent[start:stop], part, op, counts, team=node)
        rails.scatter(sent, its_blocks, target, partial(fold_parts, team, call), call.describe)
