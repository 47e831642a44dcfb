"""Exchange the vectors of a team on several nodes, for one member."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from struct import Struct
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.internode.leaders import Leader
from redcoll.internode.parts import Parts, blocks_of_nodes
from redcoll.internode.room import SHORT_BYTES, Room, bytes_each
from redcoll.internode.rounds import Rounds
from redcoll.internode.steps import around
from redcoll.internode.vectors import Vectors
from redcoll.kernels._python.fastpath import KnownArrays
from redcoll.kernels.base import BaseChannel
from redcoll.kernels.interface import Fold, SmallCall, TeamHooks
from redcoll.kernels.thresholds import ONE_WAY_BYTES_ACROSS
from redcoll.ops import Op
from redcoll.protocol.descriptor import ALLREDUCE, NO_ROOT, REDUCE, Call, root_of
from redcoll.topology import Layout

_HEAD: Final = Struct("qq")
"""The tag and the length of data that members share."""


class Channel(Rounds):
    """The channel of a team on several nodes. A kernel's channel does the same on one node.

    ``order`` is the value of ``REDCOLL_ORDER``. ``compiled`` is the kernel's ``CompiledCalls``,
    which performs known calls; if it is None, Python performs them. The other arguments are those
    of :class:`Rounds`.
    """

    learns_long = False
    records_calls = False

    def __init__(
        self,
        near: BaseChannel,
        layout: Layout,
        index: int,
        room: Room,
        order: str,
        fold: Fold,
        fence: Callable[[], object] | None,
        hooks: TeamHooks,
        compiled: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(near, layout, room, fold, fence, hooks)
        self._me = index
        self._place = layout.members.index(index)
        self._sizes = [len(members) for members in layout.nodes]
        placed = [member for members in layout.nodes for member in members]
        self._places = [placed.index(member) for member in range(self._size)]
        """For each team rank, the member's place in a list of all members, node after node."""
        self._around = around(layout.node, len(layout.nodes))
        self._order = order
        self._known = KnownArrays()
        self.recognizes = frozenset({ALLREDUCE})
        self.small: SmallCall = self._small
        if compiled is not None:
            release = room.memory[8 * room.release :][:16]
            ahead = room.memory[8 * room.ahead :][:8]
            self._calls = compiled(self, near, release, ahead)
            self.recognizes = near.recognizes
            self.small = self._calls.small
            self.round = self._calls.round  # type: ignore[method-assign]

    def lead(self, leader: Leader) -> None:
        """Let the caller do the work of a node leader."""
        self.leader = leader
        if self._calls is not None:
            self._calls.lead(leader.compiled, leader.one_way)

    # -- calls that are known ---------------------------------------------------------

    def _small(
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = NO_ROOT,  # noqa: ARG002 - an allreduce has neither root nor mark
        mark: int = 0,  # noqa: ARG002
    ) -> bool:
        """Perform a small allreduce if its arrays have passed checks before; else return False."""
        if collective != ALLREDUCE:
            return False
        known = self._known.find(target, source, op)
        if known is None:
            return False
        call = known.call
        views = self.exchange(call, source)
        combine = known.on_numbers
        if combine is None:
            self._fold(call.op, views, target)
        else:
            result = views[0].item()
            for view in views[1:]:
                result = combine(result, view.item())
            target[0] = result
        return True

    def small_segments(self, *_: object) -> bool:
        """Return False, so that the caller exchanges and folds packed vectors itself."""
        return False

    def long_segment(self, *_: object) -> bool:
        """Return False, so that the caller reduces long vectors by a further call."""
        return False

    def learn(self, call: Call, *shape: Any) -> None:
        """Let the compiled kernel remember the shape of a small call, if the kernel can do it."""
        vectors: Vectors = call.views
        if self._calls is None or not call.count:
            return
        if vectors.by_side is None:
            self._plan(vectors, call)
        if vectors.prepared is None and vectors.blocks is None:
            vectors.prepared = self._prepare(vectors, call)
        if vectors.prepared is not None:
            self._calls.learn(call, *shape)

    def _prepare(self, vectors: Vectors, call: Call) -> Any:
        """Prepare the places of a call's vectors for the compiled kernel.

        Return None if Python must perform the call.
        """
        leader, parts, node = self.leader, vectors.parts, self._layout.node
        own, travelling = [], None
        if parts is not None:
            own = [parts.folded, parts.folded]
            plans = parts.plan_after, parts.plan_back
            travelling = parts.operands, parts.results, parts.sent_back, *plans
        elif leader is not None or not call.is_folded:
            mine = node if call.is_folded else self._me
            own = [views[mine] for views in vectors.by_side]
        said = call.word, call.count, call.extra
        root = root_of(call.word)
        has_root = root != NO_ROOT and self._layout.node_of(root) == node
        plans = vectors.plan, vectors.plan_one_way
        return self._calls.prepare(
            said, call.is_folded, own, vectors.by_side, *plans, node, has_root, travelling
        )

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Remember the arrays of a small call, which have passed all checks."""
        if self._calls is None:
            self._known.trust(call, target, source, op)
        else:
            self._near.trust(call, target, source, op, blocks)

    def views(self, dtype: np.dtype[Any], count: int) -> Vectors:
        """Return the places of the vectors of a call."""
        return Vectors(self._near.views(dtype, count), dtype, count)

    # -- rounds -------------------------------------------------------------------------

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """Run one round with ``source``; return the vectors to fold, in order.

        The vectors are the nodes' folds if nodes fold their members' vectors, or else all members'
        vectors.

        The views stay valid until the caller publishes again.
        """
        near, vectors = self._near, call.views
        self.catch_up()
        if vectors.by_side is None:
            self._plan(vectors, call)
        self.sequence += 1
        operands: list[Array] = vectors.by_side[self.sequence & 1]
        if call.is_folded:
            vectors.near[(near.sequence + 1) % len(vectors.near)][self._place][...] = source
        else:
            operands[self._me][...] = source
        word, count, extra = call.word, call.count, call.extra
        near.publish(word, count, extra, -1, -1, 0)
        if not self._agree(word, count, extra, call):
            self._hooks.raise_mismatch(self)
        return operands

    def _plan(self, vectors: Vectors, call: Call) -> None:
        """Find the places of a call's vectors, for both parities of the round."""
        dtype, count = vectors.dtype, vectors.count
        n_bytes = count * dtype.itemsize
        blocks = [n_bytes if call.is_folded else n_bytes * size for size in self._sizes]
        if call.is_folded and self._travels_in_parts(call, n_bytes):
            if self.leader is not None:
                room, layout = self._room, self._layout
                vectors.parts = Parts(
                    self.leader, room, layout, call, dtype, self._fold, self._order
                )
                vectors.plan = vectors.parts.plan
            starts = [[start] for start in self._room.vectors]
        elif max(blocks) > self._room.inline_bytes:
            vectors.blocks = blocks
            starts = [
                [start + n_bytes * place for place in self._places] for start in self._room.vectors
            ]
        else:
            blocks = [blocks[node] for node in self._around]
            if max(blocks) <= SHORT_BYTES:
                blocks = [SHORT_BYTES] * len(blocks)
            if self.leader is not None:
                self._plan_messages(self.leader, vectors, call, blocks)
            starts = self._starts(blocks, n_bytes, call.is_folded)
        vectors.by_side = [
            [np.frombuffer(self._room.memory, dtype, count, start) for start in its_starts]
            for its_starts in starts
        ]

    def _plan_messages(
        self, leader: Leader, vectors: Vectors, call: Call, blocks: Sequence[int]
    ) -> None:
        """Plan the messages of short vectors. ``blocks`` has the bytes of each node's vectors."""
        to_node, of_vectors = None, leader.steps.of_vectors
        if call.word & 255 == REDUCE:
            to_node = self._layout.node_of(root_of(call.word))
            is_short = vectors.count * vectors.dtype.itemsize <= ONE_WAY_BYTES_ACROSS
            if call.is_folded and is_short and leader.one_way.most[0] > 1:
                vectors.plan_one_way = leader.plan(
                    of_vectors(blocks, None, to_node, is_one_way=True)
                )
        if max(blocks) > SHORT_BYTES:
            vectors.plan = leader.plan(of_vectors(blocks, None, to_node))

    def _travels_in_parts(self, call: Call, n_bytes: int) -> bool:
        """Return whether each leader folds one part of the nodes' vectors."""
        if n_bytes > self._room.inline_bytes:
            return True
        if n_bytes <= SHORT_BYTES:
            return False
        return blocks_of_nodes(self._layout, call, self._room.most_part_bytes) is not None

    def _starts(self, blocks: list[int], n_bytes: int, is_folded: bool) -> list[list[int]]:
        """Return the offsets of the vectors that travel with headers.

        The index of the outer list is the parity of the round. The index of the inner lists is the
        node if nodes fold their members' vectors, or else the member.
        """
        found = []
        for side in (0, 1):
            by_node = dict(zip(self._around, self._room.starts(side, blocks), strict=True))
            starts = [by_node[node] for node in range(len(blocks))]
            if not is_folded:
                sizes = zip(starts, self._sizes, strict=True)
                by_place = [at + i * n_bytes for at, size in sizes for i in range(size)]
                starts = [by_place[place] for place in self._places]
            found.append(starts)
        return found

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """Run one round; return the ``tag`` and ``data`` of every member, by team rank."""
        near, room = self._near, self._room
        self.catch_up()
        self.sequence += 1
        side = self.sequence & 1
        start, step = room.vectors[side], bytes_each(self._size)
        at = start + self._place * step
        room.memory[at : at + len(data)] = data
        near.publish(word, 0, extra, tag, len(data), 0)

        def bring() -> None:
            leader = self.leader
            assert leader is not None  # noqa: S101 - for the type checker
            own: list[bytes | memoryview] = []
            for place, head in enumerate(zip(*near.locations(), strict=True)):
                at = start + place * step
                own += [_HEAD.pack(*head), room.memory[at : at + head[1]]]
            everything = b"".join(leader.gather_bytes(b"".join(own)))
            room.memory[start : start + len(everything)] = everything

        if not self._agree(word, 0, extra, after=bring):
            self._hooks.raise_mismatch(self)
        result: list[Any] = [None] * self._size
        at = start
        for index in chain(*self._layout.nodes):
            its_tag, length = _HEAD.unpack_from(room.memory, at)
            at += _HEAD.size
            result[index] = its_tag, bytes(room.memory[at : at + length])
            at += length
        return result

    def pieces(
        self, call: Call, source: Array, counts: Sequence[int]
    ) -> Iterator[tuple[int, list[Array]]]:
        """Bring all members' vectors to all nodes, piece by piece.

        The members have agreed in an earlier round. ``counts`` has the number of elements of
        each member's vector. For each piece, yield the index of its first element, and views of the
        members' pieces by team rank. The views stay valid until the next piece.
        """
        dtype, most = source.dtype, max(counts)
        step = bytes_each(self._size) // dtype.itemsize
        for start in range(0, most, step):
            length = min(step, most - start)
            views = self._next_vectors(dtype, length, self._places)
            part = source[start : start + length]
            views[self._me][: part.size] = part
            blocks = [size * length * dtype.itemsize for size in self._sizes]
            self._bring(call, partial(Leader.gather, blocks=blocks))
            pairs = zip(views, counts, strict=True)
            yield start, [view[: max(0, count - start)] for view, count in pairs]

    def pieces_of(self, call: Call, source: Array, root: int) -> Iterator[tuple[int, Array]]:
        """Bring a member's vector to all nodes; yield the first index and a view of each piece."""
        dtype = source.dtype
        step = self._room.vectors_bytes // dtype.itemsize
        node = self._layout.node_of(root)
        for start in range(0, source.size, step):
            length = min(step, source.size - start)
            [view] = self._next_vectors(dtype, length, [0])
            if self._me == root:
                view[...] = source[start : start + length]
            self._bring(call, partial(Leader.broadcast, n_bytes=view.nbytes, node=node))
            yield start, view

    def _next_vectors(self, dtype: np.dtype[Any], count: int, places: Sequence[int]) -> list[Array]:
        """Begin a round; return views of the round's buffer for vectors of ``count`` elements.

        ``places`` are the indices of the vectors in the buffer.
        """
        self.catch_up()
        self.sequence += 1
        start, n_bytes = self._room.vectors[self.sequence & 1], count * dtype.itemsize
        return [
            np.frombuffer(self._room.memory, dtype, count, start + place * n_bytes)
            for place in places
        ]
