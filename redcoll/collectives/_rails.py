"""Reduce_scatter of long vectors over several nodes: each rail carries its members' blocks.

On each node, every member folds the node's vectors in the blocks of its rail. Then the members of a
rail exchange these folds (:mod:`redcoll.internode.rails`). So the nodes do not cut the blocks into
slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives._addressing import offsets, operands_of
from redcoll.collectives.internode import agreed_rails, fold_parts
from redcoll.protocol.descriptor import Call
from redcoll.protocol.partition import Block, Parts
from redcoll.team import Team

_MOST_BYTES_OF_MPI: Final = 2**31 - 1
"""The largest displacement that MPI libraries without large counts accept."""


def rails_of_members(
    team: Team, source: Array, blocks: Sequence[Block]
) -> list[list[Block]] | None:
    """Return the members' blocks by rail and node; None if rails cannot carry them, or are slow.

    Every member must be on a rail, and MPI's displacements must reach the end of the source. Nodes
    with several members stage the rails, as :class:`Parts` divides them.
    """
    nodes, node = team.layout.nodes, team.node
    size = len(nodes[0])
    if node is None or {len(each) for each in nodes} != {size}:
        return None
    rails = [[blocks[member] for member in rail] for rail in zip(*nodes, strict=True)]
    is_staged = size == 1 or _parts(node, rails, source.itemsize) is not None
    return rails if is_staged and source.nbytes <= _MOST_BYTES_OF_MPI else None


def _parts(node: Team, rails: list[list[Block]], itemsize: int) -> Parts | None:
    """Return how the rails are divided for staging on a node; None if this would be slow."""
    return node.channel.parts([0, *accumulate(map(_length, rails))], itemsize)


def along_rails(
    team: Team, call: Call, target: Array, source: Array, by_rail: list[list[Block]]
) -> None:
    """Perform a reduce_scatter. ``by_rail`` is the result of :func:`rails_of_members`."""
    with agreed_rails(team, call) as (node, rails):
        sent, blocks = source, by_rail[node.index]
        if node.size > 1:
            sent = _NodeFold(team, node, call, source, by_rail).run()
            blocks = list(pairwise(accumulate((stop - start for start, stop in blocks), initial=0)))
        rails.scatter(sent, blocks, target, partial(fold_parts, team, call), call.describe)


class _Part(NamedTuple):
    """A part of a block: start and stop in the vector, and the place in its piece."""

    start: int
    stop: int
    at: int


class _NodeFold:
    """Folds the vectors of a node in the blocks of the caller's rail, for one call.

    If all sources are in shared memory, the members read them there. Otherwise each member stages
    the blocks of the other members' rails, piece by piece.
    """

    def __init__(
        self, team: Team, node: Team, call: Call, source: Array, by_rail: list[list[Block]]
    ) -> None:
        self._team, self._node, self._call, self._source = team, node, call, source
        parts = _parts(node, by_rail, source.itemsize)
        if parts is None:
            raise TypeError(f"{node!r} cannot stage these blocks")
        self._length, self._place = parts.length, parts.place
        self._pieces = [_cut(blocks, parts.length) for blocks in by_rail]
        self._blocks = by_rail[node.index]
        self._result = np.empty(_length(self._blocks), source.dtype)

    def run(self) -> Array:
        """Return the folds of all blocks of the rail, one after the other."""
        node = self._node
        own_places = offsets(node, self._source, self._source)
        if own_places[0] < 0:
            self._stage(0)
        self._round(*own_places)
        places = node.channel.locations()[0]
        if min(places) >= 0:
            self._fold_directly()
        else:
            self._fold_staged(is_staged=max(places) < 0)
        return self._result

    def _fold_directly(self) -> None:
        sources, into = operands_of(self._node, self._call).sources, 0
        for start, stop in self._blocks:
            self._fold(start, stop, into, [each[start:stop] for each in sources])
            into += stop - start
        self._round()  # now all members can change their sources

    def _fold_staged(self, *, is_staged: bool) -> None:
        """Fold all pieces. With ``is_staged``, all members have staged piece 0."""
        channel, me = self._node.channel, self._node.index
        own = self._pieces[me]
        for piece in range(max(map(len, self._pieces))):
            # A buffer is used again two pieces later. Then it is free, because a member joins a
            # round only after it has folded the piece before. The last piece needs no further
            # round, because every call of the team begins with a round.
            if piece or not is_staged:
                self._stage(piece)
                self._round()
            buffers = channel.buffers(self._source.dtype)[0][piece & 1]
            for start, stop, at in own[piece] if piece < len(own) else ():
                operands = [
                    buffer[self._place(member, me) + at :][: stop - start]
                    for member, buffer in enumerate(buffers)
                ]
                self._fold(start, stop, piece * self._length + at, operands)

    def _stage(self, piece: int) -> None:
        me = self._node.index
        buffer = self._node.channel.buffers(self._source.dtype)[0][piece & 1][me]
        for rail, pieces in enumerate(self._pieces):
            if rail != me and piece < len(pieces):
                first = self._place(me, rail)
                for start, stop, at in pieces[piece]:
                    buffer[first + at : first + at + stop - start] = self._source[start:stop]

    def _fold(self, start: int, stop: int, into: int, operands: list[Array]) -> None:
        """Fold the members' versions of a part of the vector. The caller's own is its source."""
        if start < stop:
            operands[self._node.index] = self._source[start:stop]
            target = self._result[into : into + stop - start]
            team = self._team
            team.run_silently(team.kernel.fold, self._call.op, operands, target)

    def _round(self, *places: int) -> None:
        self._node.round(self._call.word, self._call.count, self._call.extra, *places)


def _length(blocks: Sequence[Block]) -> int:
    return sum(stop - start for start, stop in blocks)


def _cut(blocks: Sequence[Block], length: int) -> list[list[_Part]]:
    """Cut blocks that follow each other into pieces of ``length`` elements.

    The last piece can be shorter. Return the parts of each piece.
    """
    pieces: list[list[_Part]] = []
    at = length
    for start, stop in blocks:
        while start < stop:
            if at == length:
                pieces.append([])
                at = 0
            end = min(stop, start + length - at)
            pieces[-1].append(_Part(start, end, at))
            at += end - start
            start = end  # noqa: PLW2901
    return pieces
