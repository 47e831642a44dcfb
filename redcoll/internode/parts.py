"""Fold vectors of medium size: each node leader folds one part of all nodes' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from redcoll.arguments import Array
from redcoll.internode.exchange import Exchange, around
from redcoll.internode.rails import op_of_mpi
from redcoll.internode.room import Room
from redcoll.kernels.interface import Fold
from redcoll.protocol.descriptor import NO_ROOT, REDUCE_SCATTER, Call, root_of
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import Block, even_slices, round_up
from redcoll.topology import Layout


def blocks_of_nodes(layout: Layout, call: Call, most_bytes: int) -> list[Block] | None:
    """Return each node's block in a reduce_scatter without ``counts``; None for other calls.

    Also return None if a node has several separate blocks, or if its block is longer than
    ``most_bytes``.
    """
    order = [member for members in layout.nodes for member in members]
    if call.word & 255 != REDUCE_SCATTER or call.extra or order != sorted(order):
        return None
    each = call.count // len(order)
    if max(map(len, layout.nodes)) * each * call.element.dtype.itemsize > most_bytes:
        return None
    return list(pairwise([0, *accumulate(len(members) * each for members in layout.nodes)]))


def is_free_of_order(call: Call, order: str) -> bool:
    """Return whether the operands of a call may be folded in any order.

    ``order`` is the value of ``REDCOLL_ORDER``. With ``mpi``, the results may differ by rounding.
    Otherwise all orders must have the same result.
    """
    dtype = call.element.dtype
    return op_of_mpi(call.op, dtype) is not None and (order == "mpi" or dtype.kind in "biu")


class Parts:
    """A leader's views of the parts of a call's vectors, and the steps that exchange the parts.

    ``fold`` calls the kernel's fold without warnings of NumPy. ``order`` is the value of
    ``REDCOLL_ORDER``.
    """

    def __init__(
        self,
        exchange: Exchange,
        room: Room,
        layout: Layout,
        call: Call,
        dtype: np.dtype[Any],
        fold: Fold,
        order: str,
    ) -> None:
        nodes, node = len(layout.nodes), layout.node
        self._fold, self._op = fold, call.op
        blocks = blocks_of_nodes(layout, call, room.most_part_bytes)
        self.is_complete = blocks is not None
        """Whether the members of each node need only their node's part of the result."""
        bounds = blocks or even_slices(call.count, nodes, dtype.itemsize)
        self.sizes = [(stop - start) * dtype.itemsize for start, stop in bounds]
        """Bytes of each node's part."""
        root = root_of(call.word)
        # Only this node needs the result; None if all nodes need it.
        to_node = None if root == NO_ROOT else layout.node_of(root)
        self.folded = exchange.vector[: call.count * dtype.itemsize].view(dtype)
        """This node's fold of its members' vectors."""
        parts = [self.folded[start:stop] for start, stop in bounds]
        own, part_bytes = self.sizes[node], round_up(max(self.sizes), LINE)
        has_pairs = nodes & (nodes - 1) == 0
        if has_pairs and is_free_of_order(call, order):
            steps, self.operands = exchange.steps_of_halves(part_bytes, parts)
        else:
            steps, arrived = exchange.steps_of_parts(part_bytes, [each.view(np.uint8) for each in parts])
            self.operands = [[each[:own].view(dtype) for each in parts] for parts in arrived]
        self.plan = exchange.plan(steps, call)
        start, stop = bounds[node]
        self.results = [
            np.frombuffer(room.memory, dtype, stop - start, at + start * dtype.itemsize)
            for at in room.vectors
        ]
        self.plan_back: Any = None
        """The steps that bring all parts of the result to the nodes that need it; None if each node
        needs only its own part."""
        self.sent_back: list[Array] = []
        """The places from which these steps send this node's part; empty if they send it from
        :attr:`results`."""
        if not self.is_complete and has_pairs:
            whole = [np.frombuffer(room.memory, np.uint8, sum(self.sizes), at) for at in room.vectors]
            self.plan_back = exchange.plan(exchange.steps_back(whole, self.sizes, to_node))
        elif not self.is_complete:
            sizes = [self.sizes[each] for each in around(node, nodes)]
            into = room.vectors if to_node in (None, node) else None
            self.plan_back = exchange.plan(exchange.steps(sizes, into, to_node))
            self.sent_back += [exchange.sent(side, 0, own).view(dtype) for side in (0, 1)]

    def take(self, sources: Sequence[Array]) -> None:
        """Fold the vectors of this node's members. The exchange sends the parts of this fold."""
        if len(sources) == 1:
            self.folded[...] = sources[0]
        else:
            self._fold(self._op, sources, self.folded)

    def fold_all(self, side: int) -> None:
        """Fold all nodes' parts into this node's part of the result."""
        self._fold(self._op, self.operands[side], self.results[side])
        if self.sent_back:
            self.sent_back[side][...] = self.results[side]
