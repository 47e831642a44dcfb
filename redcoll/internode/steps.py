"""Plan the messages that node leaders exchange, in a logarithmic number of steps.

In step k a leader sends to the leader 2^k nodes before it (Bruck et al., IEEE TPDS 8, 1997). A team
on 2^m nodes uses recursive doubling instead: two leaders exchange messages in step k if the numbers
of their nodes differ only in bit k. Short vectors go to all nodes, but in a reduce only to the
root's node, along a tree. Before step k the sender holds the vectors of 2^k nodes, and its message
contains them.

A longer vector is split, and each node gets only the part that it folds. A part travels in step k
if bit k is set in the distance from its source to its destination. If the order of the operands
does not matter, a leader on 2^m nodes also folds the parts that it passes on (recursive halving).
After the headers have shown that all nodes agree, the parts of a long vector travel to all nodes at
once. In a reduce on few nodes, the whole vector then travels to the root's node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.arguments import Array
from redcoll.internode.room import Room
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.topology import Layout

Bytes = NDArray[np.uint8]
Copies = list[tuple[Bytes, Bytes]]
"""Pairs of a destination and a source."""
Folds = list[tuple[Array, list[Array]]]
"""Pairs of a destination and its operands."""

_WORD: Final = 8


def is_power_of_two(nodes: int) -> bool:
    """Return whether the leaders of this number of nodes exchange messages in pairs."""
    return not nodes & (nodes - 1)


def around(node: int, nodes: int, direction: int = 1) -> list[int]:
    """Return the numbers of all nodes by their distance from a node, which is the first.

    A leader receives from the node at each step's distance in the direction 1, and sends to the
    node in the direction -1.
    """
    if is_power_of_two(nodes):
        return [node ^ distance for distance in range(nodes)]
    return [(node + direction * distance) % nodes for distance in range(nodes)]


class Step(NamedTuple):
    """A step of an exchange."""

    receive: MPI.Prequest | None
    """The request that receives a message with a header; None if no such message arrives."""
    send: MPI.Prequest | None
    """The request that sends the message; None if the length of the message is not fixed."""
    message: list[Any] | None
    """The message to send; None if none is sent."""
    to: int
    """The node that gets the message."""
    at: int
    """The index of the first word of the received header; -1 if no header arrives."""
    pack: Copies
    """The copies that fill the message."""
    unpack: Copies
    """The copies to make after the receive."""
    folds: Folds
    """The folds to compute after the receive, if all headers agree so far."""
    into: list[Any] | None = None
    """The place of a message without a header, which comes from the node ``to``; None if no such
    message arrives."""
    waits: bool = True
    """Whether the next step begins only after the receive. Otherwise the exchange waits for the
    message at its end."""
    source: int = -1
    """The node that sends the message with a header; -1 if no such message arrives."""


def _in_tree(place: int, distance: int, nodes: int) -> tuple[int, int]:
    """Return how many vectors a node sends and receives in one step along a binomial tree.

    ``place`` is the node's distance to the root's node. The step bridges ``distance`` nodes.
    """
    if place % (2 * distance) == distance:
        return min(distance, nodes - place), 0
    if place % (2 * distance) == 0:
        return 0, max(0, min(distance, nodes - place - distance))
    return 0, 0


class Steps:
    """Plans the messages of a leader.

    ``receives`` are requests that receive the messages with headers. The first index is the parity
    of the round, and the second index is the step.
    """

    def __init__(
        self, layout: Layout, room: Room, receives: Sequence[Sequence[MPI.Prequest]]
    ) -> None:
        self._nodes, self._node = len(layout.nodes), layout.node
        self._room = room
        self._receives = receives
        self._sources = around(self._node, self._nodes)
        self._targets = around(self._node, self._nodes, -1)

    def of_vectors(
        self,
        blocks: Sequence[int],
        into: Sequence[int] | None = None,
        to_node: int | None = None,
        *,
        is_one_way: bool = False,
    ) -> list[list[Step]]:
        """Return the steps that bring all nodes' vectors to all nodes, or only to ``to_node``.

        The index of the outer list is the parity of the round. ``blocks`` has the bytes of each
        node's vectors, in the order of :func:`around`. ``into`` has an offset in the
        node's memory for each parity of the round. From this offset on, the received vectors are
        stored in the order of the nodes. Without ``into`` the vectors stay where they arrive. With
        ``to_node`` the vectors travel along a binomial tree, and all other messages have only
        headers. With ``is_one_way`` there are no other messages.
        """
        found = []
        place = None if to_node is None else self._targets.index(to_node)
        for side in (0, 1):
            steps: list[Step] = []
            for step, distance in enumerate(self._room.distances):
                to_send = to_receive = min(distance, self._nodes - distance)
                if place is not None:
                    to_send, to_receive = _in_tree(place, distance, self._nodes)
                n_sent = sum(blocks[:to_send])
                n_received = sum(blocks[distance : distance + to_receive])
                received = self._received(side, step, n_received)
                copies: Copies = []
                if 2 * distance < self._nodes and place != 0:
                    # A later step sends the vectors that this step receives, so copy them to the
                    # send buffer.
                    start = sum(blocks[:distance])
                    copies.append((self.place_to_send(side, start, n_received), received))
                if into is not None:
                    copies += self._in_order(received, blocks, distance, into[side])
                planned = self._step(side, step, n_sent, [], copies)
                if is_one_way and not to_receive:
                    planned = planned._replace(receive=None, at=-1, source=-1)
                if is_one_way and not to_send:
                    planned = planned._replace(message=None)
                if not is_one_way or to_send or to_receive:
                    steps.append(planned)
            found.append(steps)
        return found

    def _in_order(self, received: Bytes, blocks: Sequence[int], first: int, start: int) -> Copies:
        """Return the copies that bring the received blocks to their places by node."""
        copies, at = [], 0
        sizes = dict(zip(self._sources, blocks, strict=True))
        for each in range(first, min(2 * first, self._nodes)):
            part = received[at : at + blocks[each]]
            place = start + sum(sizes[node] for node in range(self._sources[each]))
            copies.append((np.frombuffer(self._room.memory, np.uint8, part.size, place), part))
            at += part.size
        return copies

    def of_parts(
        self, part_bytes: int, own: Sequence[Bytes]
    ) -> tuple[list[list[Step]], list[list[Bytes]]]:
        """Return the steps that bring each node the parts to fold, and the parts that arrive here.

        The index of the outer lists is the parity of the round. A part has at most ``part_bytes``,
        a multiple of a cache line. ``own`` has the parts of the caller's vector, in the order of
        the nodes that fold them. Each exchange reads these parts. The parts in the second result
        are in the order of the nodes that sent them. A received part has ``part_bytes``, and the
        caller's own part has its own length.
        """
        nodes, node = self._nodes, self._node
        found, arrived = [], []
        for side in (0, 1):
            steps: list[Step] = []
            parts = {node: own[node]}
            held = {distance: own[self._targets[distance]] for distance in range(1, nodes)}
            for step, hop in enumerate(self._room.distances):
                chosen = [distance for distance in held if distance & hop]
                sent = [held[distance] for distance in chosen]
                to_send, rows = self._step_of_parts(side, step, part_bytes, sent)
                steps.append(to_send)
                for distance, part in zip(chosen, rows, strict=True):
                    held[distance] = part
                    if distance < 2 * hop:  # this was its last hop
                        parts[self._sources[distance]] = part
            found.append(steps)
            arrived.append([parts[each] for each in range(nodes)])
        return found, arrived

    def of_halves(
        self, part_bytes: int, own: Sequence[Array]
    ) -> tuple[list[list[Step]], list[list[Array]]]:
        """Return the steps of a recursive halving, and the two operands of the last fold.

        The number of nodes must be a power of two. In each step a leader sends half of its parts.
        It folds the parts that arrive and the other half into ``own``. After the last step the
        caller computes the fold. The arguments are those of :meth:`of_parts`, but ``own``
        has arrays of elements.
        """
        found, last = [], []
        for side in (0, 1):
            steps: list[Step] = []
            held = [own[to] for to in self._targets]
            operands: list[Array] = []
            for step, hop in enumerate(self._room.distances):
                # Bit k of the distance to a part's node tells whether the part travels in step k.
                held, sent = held[::2], held[1::2]
                to_send, rows = self._step_of_parts(
                    side, step, part_bytes, [part.view(np.uint8) for part in sent]
                )
                for part, row in zip(held, rows, strict=True):
                    other = row[: part.nbytes].view(part.dtype)
                    operands = [other, part] if self._node & hop else [part, other]
                    if len(held) > 1:
                        to_send.folds.append((part, operands))
                steps.append(to_send)
            found.append(steps)
            last.append(operands)
        return found, last

    def _step_of_parts(
        self, side: int, step: int, part_bytes: int, parts: Sequence[Bytes]
    ) -> tuple[Step, Iterable[Bytes]]:
        """Return the step that sends parts, and the places where as many parts arrive."""
        shape = len(parts), part_bytes
        n_bytes = len(parts) * part_bytes
        places = self.place_to_send(side, 0, n_bytes).reshape(shape)
        pack = [(at[: part.size], part) for at, part in zip(places, parts, strict=True)]
        rows = self._received(side, step, n_bytes).reshape(shape)
        return self._step(side, step, n_bytes, pack, []), rows

    def back(
        self, results: Sequence[Bytes], sizes: Sequence[int], to_node: int | None
    ) -> list[list[Step]]:
        """Return the steps that bring each node's part of a result to the nodes that need it.

        The number of nodes must be a power of two. ``results`` has the place of the result for each
        parity of the round. The parts lie there in the order of the nodes, and ``sizes`` has their
        sizes. ``to_node`` is the only node that needs the result; None if all nodes need it. The
        messages have no headers, so all nodes must agree about the call.
        """
        ends = [0, *accumulate(sizes)]
        place = None if to_node is None else self._node ^ to_node
        found = []
        for result in results:
            steps: list[Step] = []
            for distance in self._room.distances:
                # The caller has the parts of this many nodes.
                start = self._node & -distance
                other = start ^ distance
                is_sent = place is None or place % (2 * distance) == distance
                arrives = place is None or place % (2 * distance) == 0
                message = [result[ends[start] : ends[start + distance]], MPI.BYTE]
                into = [result[ends[other] : ends[other + distance]], MPI.BYTE]
                to = self._node ^ distance
                if is_sent or arrives:
                    step = Step(None, None, message if is_sent else None, to, -1, [], [], [])
                    steps.append(step._replace(into=into if arrives else None))
            found.append(steps)
        return found

    def to_all(self, receives: Sequence[Bytes | None], sends: Sequence[Bytes | None]) -> list[Step]:
        """Return the steps that send a message to each node at once, and receive as many.

        Both arguments have a place for each node. No message travels for the caller's node, and for
        a place that is None. The messages have no headers, so all nodes must agree about the call.
        """
        steps: list[Step] = []
        for node in self._sources[1:]:
            if (into := receives[node]) is not None:
                step = Step(None, None, None, node, -1, [], [], [], [into, MPI.BYTE], waits=False)
                steps.append(step)
        steps += [
            Step(None, None, [message, MPI.BYTE], node, -1, [], [], [])
            for node in self._targets[1:]
            if (message := sends[node]) is not None
        ]
        return steps

    def place_to_send(self, side: int, start: int, n_bytes: int) -> Bytes:
        """Return a range of the vectors in the send buffer. The caller's own vectors are first."""
        at = self._room.sent[side] + LINE + start
        return np.frombuffer(self._room.memory, np.uint8, n_bytes, at)

    def _received(self, side: int, step: int, n_bytes: int) -> Bytes:
        """Return the vectors in the receive buffer of a step."""
        start = self._room.received[side][step][0] + LINE
        return np.frombuffer(self._room.memory, np.uint8, n_bytes, start)

    def _step(self, side: int, step: int, n_bytes: int, pack: Copies, unpack: Copies) -> Step:
        start = self._room.sent[side]
        message = [self._room.memory[start : start + LINE + n_bytes], MPI.BYTE]
        at = self._room.received[side][step][0] // _WORD
        distance = self._room.distances[step]
        to, source = self._targets[distance], self._sources[distance]
        receive = self._receives[side][step]
        return Step(receive, None, message, to, at, pack, unpack, [], source=source)
