"""Long vectors over several nodes: folded on each node, and then from node to node.

All nodes agree in one round; then each goes its own way through its memory, as a team of its
own (``Team.node``). A vector goes in chunks, a chunk in slices, one for each owner on a node,
alike on all nodes. What an owner has folded of its slice goes to its mates on the other nodes
(:mod:`redcoll.exchange`) while the next chunk is folded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from redcoll.collectives._operands import Operands, offsets, operands_of
from redcoll.exchange import DEPTH, Exchange
from redcoll.signature import NO_ROOT, REDUCE, Call, root_of
from redcoll.team import Team

Array = NDArray[Any]


def fold_across(
    team: Team, call: Call, target: Array, source: Array, into: Array | None, first: int
) -> None:
    """A long fold over several nodes by an operation of redcoll's own.

    Parameters
    ----------
    target
        The array whose place on the symmetric heap is told; all of the result goes there.
    into
        What this PE wants of the result: as many elements from ``first`` on.
    """
    node, exchange = team.node, team.exchange
    if node is None or exchange is None:
        raise TypeError(f"{team!r} does not fold node by node")
    # Nobody sends before all nodes agree.
    team.round(call.word, call.count, call.extra)
    pieces = _Pieces(team, node, exchange, call)
    if node.size == 1 and (into is None or into.size == call.count):
        pieces.fold_directly([source], [] if into is None else [into])
        return
    operands = _operands(node, call, target, source, into)
    if operands is None:
        pieces.fold_staged(source, into, first)
        return
    root = root_of(call.word)
    near = team.layout.members
    targets = operands.targets
    if root != NO_ROOT:
        targets = [targets[near.index(root)]] if root in near else []
    pieces.fold_directly(operands.sources, targets)
    # All targets on this node are complete once all have posted.
    node.round(call.word, call.count, call.extra)


def _operands(
    node: Team, call: Call, target: Array, source: Array, into: Array | None
) -> Operands | None:
    """The arrays of one node where all can be addressed, and are of full length."""
    is_whole = call.word & 255 == REDUCE or (into is not None and into.size == call.count)
    node.round(
        call.word,
        call.count,
        call.extra,
        *(offsets(node, target, source) if is_whole else (-1, -1)),
    )
    return None if min(node.channel.locations()[0]) < 0 else operands_of(node, call)


class _Pieces:
    """One PE's slices of the chunks of a call, on their way between the nodes."""

    def __init__(self, team: Team, node: Team, exchange: Exchange, call: Call) -> None:
        self._team = team
        self._node = node
        self._exchange = exchange
        self._call = call
        root = root_of(call.word)
        self._to_node = None if root == NO_ROOT else team.layout.node_of(root)
        length = node.chunk_bytes // call.element.dtype.itemsize
        self._chunks = -(-call.count // length)

    def _slice(self, chunk: int) -> tuple[int, int, int]:
        """Where a chunk starts; start and stop, in it, of this PE's slice."""
        start, _, first, last = self._node.channel.chunk(self._call, chunk)
        return start, first, last

    def _begin(self, chunk: int, sources: Sequence[Array]) -> None:
        """Fold this node's part of a slice, and send it off."""
        if len(sources) == 1:
            part = sources[0]
        else:
            part = self._exchange.own_part(chunk, sources[0].dtype, sources[0].size)
            self._team.fold(self._call.op, sources, part)
        self._exchange.begin(chunk, part, self._to_node)

    def _finish(self, chunk: int, targets: Sequence[Array]) -> None:
        """Fold the nodes' parts of a slice, once they are here."""
        self._exchange.finish(chunk, targets, self._fold_to_many, self._call.describe)

    def _fold_to_many(self, parts: Sequence[Array], targets: Sequence[Array]) -> None:
        self._team.quiet.run(
            self._team.kernel.fold_to_many, self._call.op, parts, targets, 0, parts[0].size
        )

    def fold_directly(self, sources: Sequence[Array], targets: Sequence[Array]) -> None:
        """From the sources of all on this node into targets, by addressing them."""
        under_way: deque[tuple[int, list[Array]]] = deque()
        for chunk in range(self._chunks):
            start, first, last = self._slice(chunk)
            if first == last:
                continue
            if len(under_way) == DEPTH:
                self._finish(*under_way.popleft())
            own = slice(start + first, start + last)
            self._begin(chunk, [source[own] for source in sources])
            under_way.append((chunk, [target[own] for target in targets]))
        while under_way:
            self._finish(*under_way.popleft())

    def fold_staged(self, source: Array, into: Array | None, at: int) -> None:
        """Through this node's scratch, one round a chunk.

        A round says that chunk c is staged, and that chunk c - 2 is folded over all nodes; what
        chunk c - 1 lacks is under way meanwhile. Each buffer is used again two chunks later:
        the round in between has shown that everybody is done with it.

        Parameters
        ----------
        into
            Receives as many elements of the result from ``at`` on; None for none.
        """
        call, channel = self._call, self._node.channel
        stages, results = channel.buffers(source.dtype)
        # What wants the whole result gets this PE's slices as they are folded.
        own = into if into is not None and into.size == call.count else None
        for chunk in range(self._chunks + 2):
            if chunk < self._chunks:
                channel.stage(call, source, chunk)
            self._node.round(call.word, call.count, call.extra)
            if chunk < self._chunks:
                start, first, last = self._slice(chunk)
                if first < last:
                    operands = [stage[first:last] for stage in stages[chunk & 1]]
                    operands[self._node.index] = source[start + first : start + last]
                    self._begin(chunk, operands)
            if 1 <= chunk <= self._chunks:
                start, first, last = self._slice(chunk - 1)
                if first < last:
                    targets = [results[(chunk - 1) & 1][first:last]]
                    if own is not None:
                        targets.append(own[start + first : start + last])
                    self._finish(chunk - 1, targets)
            if chunk >= 2 and into is not None:
                channel.copy_out(call, chunk - 2, into, at, own is not None)
