"""Fold long vectors over several nodes.

In :func:`fold_across` all members first agree in one round. Then each node folds its members'
vectors in its own shared memory, as a team (``Team.node``). A vector is divided into chunks, and a
chunk into slices. All nodes have the same slices, and on each node one member owns each slice. The
owner sends the node's part of the slice along its rail while the node folds the next chunk
(:mod:`redcoll.internode.rails`).

In :func:`fold_pieces` MPI carries all vectors to all nodes, and every member folds what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from redcoll.arguments import Array
from redcoll.collectives._addressing import Operands, offsets, operands_of
from redcoll.internode.rails import Rails, op_of_mpi
from redcoll.protocol.descriptor import NO_ROOT, REDUCE, Call, root_of
from redcoll.team import Team


def fold_pieces(
    team: Team,
    call: Call,
    source: Array,
    target: Array,
    first: int,
    fold: Callable[[Sequence[Array], Array], None],
    upto: int,
) -> None:
    """Fold long vectors that MPI carries to all nodes, piece by piece.

    ``target`` receives this PE's part of the result, which starts at element ``first``.
    ``fold(operands, out)`` folds the operands into ``out``. This PE folds the vectors of the first
    ``upto`` members. With 0 it gets no part.
    """
    team.round(call.word, call.count, call.extra)
    for start, views in team.channel.pieces(call, source, [call.count] * team.size):
        low, high = max(start, first), min(start + views[0].size, first + target.size)
        if upto and low < high:
            operands = [view[low - start : high - start] for view in views[:upto]]
            fold(operands, target[low - first : high - first])


@contextmanager
def agreed_rails(team: Team, call: Call) -> Iterator[tuple[Team, Rails]]:
    """Run the round of a call that uses rails; provide the team of this node, and the rails.

    Because of this round, no member sends before all members agree about the call. The round is
    complete only at the end of the context.
    """
    node, rails = team.node, team.rails
    if node is None or rails is None:
        raise TypeError(f"{team!r} does not fold node by node")
    team.round(call.word, call.count, call.extra)
    team.channel.completed -= 1
    yield node, rails
    team.channel.completed += 1


def fold_parts(team: Team, call: Call, parts: Sequence[Array], targets: Sequence[Array]) -> None:
    """Fold the nodes' parts of a slice or block into each target."""
    fold_to_many = team.kernel.fold_to_many
    team.run_silently(fold_to_many, call.op, parts, targets, 0, parts[0].size)


def fold_across(
    team: Team, call: Call, target: Array, source: Array, into: Array | None, first: int
) -> None:
    """Fold long vectors over several nodes by a predefined operation.

    ``target`` is an array that is long enough for the whole result. This PE publishes the place of
    this array. ``into`` receives this PE's part of the result, which starts at element ``first``.
    ``into`` is None if this PE gets no part.
    """
    with agreed_rails(team, call) as (node, rails):
        pieces = _Pieces(team, node, rails, call)
        if node.size == 1 and (into is None or into.size == call.count):
            pieces.fold_directly([source], [] if into is None else [into])
            return
        operands = _operands(node, call, target, source, into)
        if operands is None:
            pieces.fold_staged(source, into, first)
            return
        root, near, targets = root_of(call.word), team.layout.members, operands.targets
        if root != NO_ROOT:
            targets = [targets[near.index(root)]] if root in near else []
        pieces.fold_directly(operands.sources, targets)
        # After this round all targets on this node are complete.
        node.round(call.word, call.count, call.extra)


def _operands(
    node: Team, call: Call, target: Array, source: Array, into: Array | None
) -> Operands | None:
    """Return this node's arrays; None if the call must be staged on this node.

    The call must be staged if an array is not in shared memory, or is shorter than the whole
    result.
    """
    is_whole = call.word & 255 == REDUCE or (into is not None and into.size == call.count)
    places = offsets(node, target, source) if is_whole else (-1, -1)
    node.round(call.word, call.count, call.extra, *places)
    return None if min(node.channel.locations()[0]) < 0 else operands_of(node, call)


class _Pieces:
    """Folds this PE's slice of every chunk over all nodes, for one call."""

    def __init__(self, team: Team, node: Team, rails: Rails, call: Call) -> None:
        self._team = team
        self._node = node
        self._rails = rails
        self._call = call
        self._fold_parts = partial(fold_parts, team, call)
        root = root_of(call.word)
        self._to_node = None if root == NO_ROOT else team.layout.node_of(root)
        dtype = call.element.dtype
        self._op_of_mpi = op_of_mpi(call.op, dtype) if rails.order == "mpi" else None
        length = node.sizes.chunk_bytes // dtype.itemsize
        self._chunks = -(-call.count // length)

    def _slice(self, chunk: int) -> tuple[int, int, int]:
        """Return the start of a chunk, and start and stop of this PE's slice in the chunk."""
        start, _, first, last = self._node.channel.chunk(self._call, chunk)
        return start, first, last

    def _begin(self, chunk: int, sources: Sequence[Array]) -> None:
        """Fold this node's part of a slice, and start to send the part."""
        if len(sources) == 1:
            part = sources[0]
        else:
            part = self._rails.own_part(chunk, sources[0].dtype, sources[0].size)
            self._team.run_silently(self._team.kernel.fold, self._call.op, sources, part)
        self._rails.begin(chunk, part, self._to_node, self._op_of_mpi)

    def _finish(self, chunk: int, targets: Sequence[Array]) -> None:
        """Wait for the nodes' parts of a slice, and fold them."""
        self._rails.finish(chunk, targets, self._to_node, self._fold_parts, self._call.describe)

    def fold_directly(self, sources: Sequence[Array], targets: Sequence[Array]) -> None:
        """Fold the sources of this node into the targets without staging."""
        # Begin and finish the slices in the same order as fold_staged(), which other nodes may run.
        for chunk in range(self._chunks + 1):
            if chunk < self._chunks:
                start, first, last = self._slice(chunk)
                if first < last:
                    self._begin(chunk, [each[start + first : start + last] for each in sources])
            if chunk:
                start, first, last = self._slice(chunk - 1)
                if first < last:
                    own = slice(start + first, start + last)
                    self._finish(chunk - 1, [target[own] for target in targets])

    def fold_staged(self, source: Array, into: Array | None, at: int) -> None:
        """Fold through this node's staging buffers, with one round for each chunk.

        A round shows that chunk c is staged, and that chunk c - 2 is folded over all nodes.
        Meanwhile the parts of chunk c - 1 are in flight. A buffer is reused two chunks later, after
        a round has shown that all members have read the buffer.

        ``into`` receives this PE's part of the result, which starts at element ``at``. ``into`` is
        None if this PE gets no part.
        """
        call, channel = self._call, self._node.channel
        stages, results = channel.buffers(source.dtype)
        # If this PE gets the whole result, its own slices go to its target directly.
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
