"""Fold vectors of medium size: each node leader folds one part of all nodes' vectors.

In some reduces the only part goes to the leader of the root's node.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from redcoll.arguments import Array
from redcoll.internode.exchange import Exchange
from redcoll.internode.rails import op_of_mpi
from redcoll.internode.room import Room
from redcoll.internode.steps import Step, around, is_power_of_two
from redcoll.kernels.interface import Fold
from redcoll.kernels.thresholds import direct_bytes_across, parts_bytes_across
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
        n_bytes = call.count * dtype.itemsize
        folds_on_way = is_power_of_two(nodes) and is_free_of_order(call, order)
        root = root_of(call.word)
        to_node = None if root == NO_ROOT else layout.node_of(root)
        goes_to_root = to_node is not None and n_bytes <= direct_bytes_across(nodes)
        most_in_headers = parts_bytes_across(nodes, is_ordered=not folds_on_way)
        follows = goes_to_root or n_bytes > most_in_headers
        blocks: list[Block] | None
        if goes_to_root:
            blocks = [(0, call.count if each == to_node else 0) for each in range(nodes)]
        else:
            most_bytes = exchange.arrived.size // nodes if follows else room.most_part_bytes
            blocks = blocks_of_nodes(layout, call, most_bytes)
        bounds = blocks or even_slices(call.count, nodes, dtype.itemsize)
        self.sizes = [(stop - start) * dtype.itemsize for start, stop in bounds]
        """Bytes of each node's part."""
        self.folded = exchange.vector[:n_bytes].view(dtype)
        """This node's fold of its members' vectors."""
        start, stop = bounds[node]
        self.results = [
            np.frombuffer(room.memory, dtype, stop - start, at + start * dtype.itemsize)
            for at in room.vectors
        ]
        self.plan: Any = None
        """The steps in which the parts travel with the headers; None if they follow the headers."""
        self.plan_after: Any = None
        """The steps in which the parts follow the headers; None if they travel with the headers."""
        parts = [self.folded[start:stop] for start, stop in bounds]
        part_bytes, own = round_up(max(self.sizes), LINE), self.sizes[node]
        if follows:
            rows = list(exchange.arrived[: (nodes - 1) * own].reshape(nodes - 1, own))
            rows.insert(node, parts[node].view(np.uint8))
            sends = [each.view(np.uint8) if each.size else None for each in parts]
            after = exchange.steps.to_all(rows if own else [None] * nodes, sends)
            self.plan_after = exchange.plan([after, after])
            operands = [row.view(dtype) for row in rows]
            self.operands = [operands, operands]
        elif folds_on_way:
            steps, self.operands = exchange.steps.of_halves(part_bytes, parts)
            self.plan = exchange.plan(steps, call)
        else:
            as_bytes = [each.view(np.uint8) for each in parts]
            steps, arrived = exchange.steps.of_parts(part_bytes, as_bytes)
            self.operands = [[each[:own].view(dtype) for each in row] for row in arrived]
            self.plan = exchange.plan(steps)
        self.sent_back: list[Array] = []
        """The places from which the next steps send this node's part; empty if they send it from
        :attr:`results`."""
        self.plan_back: Any = None
        """The steps that bring all parts of the result to the nodes that need it; None if each node
        needs only its own part."""
        if blocks is None:
            self.plan_back = exchange.plan(self._steps_back(exchange, room, layout, to_node))

    def _steps_back(
        self, exchange: Exchange, room: Room, layout: Layout, to_node: int | None
    ) -> list[list[Step]]:
        """Return the steps that bring all parts of the result to ``to_node``.

        With None, they bring the parts to all nodes.
        """
        nodes, node = len(layout.nodes), layout.node
        places = [np.frombuffer(room.memory, np.uint8, sum(self.sizes), at) for at in room.vectors]
        if is_power_of_two(nodes):
            return exchange.steps.back(places, self.sizes, to_node)
        is_wanted = to_node in (None, node)
        if self.plan is not None:
            own = self.sizes[node]
            self.sent_back += [
                exchange.steps.place_to_send(side, 0, own).view(self.folded.dtype)
                for side in (0, 1)
            ]
            sizes = [self.sizes[each] for each in around(node, nodes)]
            return exchange.steps.of_vectors(sizes, room.vectors if is_wanted else None, to_node)
        found = []
        for place in places:
            parts = np.split(place, [*accumulate(self.sizes)][:-1])
            receives = parts if is_wanted else [None] * nodes
            sends = [parts[node] if to_node in (None, each) else None for each in range(nodes)]
            found.append(exchange.steps.to_all(receives, sends))
        return found

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
