"""Reduce_scatter: fold all members' vectors, and give each member one block of the result."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
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
from redcoll.protocol.partition import LINE_BYTES, Block
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

    Every member must be on a rail, MPI's displacements must reach the end of the source, and a part
    of each block must fit into a staging buffer.
    """
    nodes, node = team.layout.nodes, team.node
    is_even = len({len(members) for members in nodes}) == 1
    if node is None or not is_even or source.nbytes > _MOST_BYTES_OF_MPI:
        return False
    return node.sizes.chunk_bytes >= team.size * LINE_BYTES


def _along_rails(team: Team, call: Call, target: Array, source: Array, blocks: list[Block]) -> None:
    """Fold this node's part of each block of the rail, and send each part to the block's member."""
    rails_of_blocks = [[blocks[i] for i in rail] for rail in zip(*team.layout.nodes, strict=True)]
    with agreed_rails(team, call) as (node, rails):
        sent, its_blocks = source, rails_of_blocks[node.index]
        if node.size > 1:
            sent = _fold_on_node(team, node, call, source, rails_of_blocks)
            ends = [0, *accumulate(stop - start for start, stop in its_blocks)]
            its_blocks = list(pairwise(ends))
        rails.scatter(sent, its_blocks, target, partial(fold_parts, team, call), call.describe)


def _fold_on_node(
    team: Team, node: Team, call: Call, source: Array, rails: list[list[Block]]
) -> Array:
    """Return this node's folds of the blocks of the caller's rail, one after the other.

    The vectors pass through staging piece by piece. A piece has a part of every block. ``rails``
    has start and stop of each rail's blocks, in elements.
    """
    near, dtype, me = node.channel, source.dtype, node.index
    length = node.sizes.chunk_bytes // (team.size * LINE_BYTES) * LINE_BYTES // dtype.itemsize
    longest = max(stop - start for blocks in rails for start, stop in blocks)

    def parts(rail: int, piece: int) -> Iterator[tuple[int, int, int]]:
        """Yield start and stop of each part of a piece, and its place in a staging buffer."""
        for place, (start, stop) in enumerate(rails[rail], rail * len(rails[rail])):
            first = min(start + piece * length, stop)
            yield first, min(first + length, stop), place * length

    def stage(piece: int) -> None:
        buffer = near.buffers(dtype)[0][piece & 1][me]
        for rail in range(node.size):
            for start, stop, at in parts(rail, piece) if rail != me else ():
                buffer[at : at + stop - start] = source[start:stop]

    begins = list(accumulate((stop - start for start, stop in rails[me]), initial=0))
    folded = np.empty(begins.pop(), dtype)
    for piece in range(-(-longest // length)):
        # Two pieces later, this staging buffer is free, because members join a round only after
        # they have folded the piece before. The last piece needs no further round, because every
        # call of the team begins with a round.
        stage(piece)
        near.round(call.word, call.count, call.extra)
        buffers = near.buffers(dtype)[0][piece & 1]
        for begin, (start, stop, at) in zip(begins, parts(me, piece), strict=True):
            if start < stop:
                operands = [buffer[at : at + stop - start] for buffer in buffers]
                operands[me] = source[start:stop]
                into = folded[begin + piece * length :][: stop - start]
                team.run_silently(team.kernel.fold, call.op, operands, into)
    return folded
