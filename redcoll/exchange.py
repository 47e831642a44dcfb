"""Between nodes: long vectors, from each node's part to the whole.

The members of a node share a fold in slices. As many of each node take part as the smallest
node has, so that every slice has one owner on each node: its *mates* exchange what their nodes
have folded, and each folds these parts in the order of the nodes, to the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from redcoll.courier import BULK
from redcoll.topology import Layout
from redcoll.waiting import Wait, Watch

Array = NDArray[Any]

PIECE_BYTES: Final = 256 << 10
"""Parts travel in pieces of this size, one being folded while the one before is under way."""
DEPTH: Final = 2

_QUICK_LOOKS: Final = 40


class Exchange:
    """One member's part in it, by MPI's messages.

    Parameters
    ----------
    comm
        The team's members in their order.
    layout
        Which of them share a node.
    watch
        How to wait for the members.
    """

    def __init__(self, comm: MPI.Intracomm, layout: Layout, watch: Watch) -> None:
        self._comm = comm
        self._watch = watch
        self.node = layout.node
        self.owners = min(len(members) for members in layout.nodes)
        """How many of each node own a slice: its first members."""
        place = layout.members.index(comm.Get_rank())
        self._mates = [pes[place] for pes in layout.nodes] if place < self.owners else []
        self._buffers: dict[tuple[int, int], Array] = {}
        self._receives: list[list[tuple[int, MPI.Request]]] = [[] for _ in range(DEPTH)]
        self._sends: list[list[MPI.Request]] = [[] for _ in range(DEPTH)]

    def own_part(self, turn: int, dtype: np.dtype[Any], count: int) -> Array:
        """Where this node's part of a piece is to be folded; ``turn`` counts the pieces."""
        return self._buffer(turn % DEPTH, self.node, dtype, count)

    def _buffer(self, side: int, node: int, dtype: np.dtype[Any], count: int) -> Array:
        buffer = self._buffers.get((side, node))
        n_bytes = count * dtype.itemsize
        if buffer is None or buffer.size < n_bytes:
            buffer = self._buffers[side, node] = np.empty(max(n_bytes, PIECE_BYTES), np.uint8)
        return buffer[:n_bytes].view(dtype)

    def begin(self, turn: int, part: Array, to_node: int | None) -> None:
        """Send this node's part of a piece and expect the others', without waiting.

        Parameters
        ----------
        part
            As :meth:`own_part` gave it.
        to_node
            The one node that needs the parts; None if all do.
        """
        side = turn % DEPTH
        if to_node is None or to_node == self.node:
            for node, mate in enumerate(self._mates):
                if node != self.node:
                    into = self._buffer(side, node, part.dtype, part.size).view(np.uint8)
                    request = self._comm.Irecv([into, MPI.BYTE], mate, BULK)
                    self._receives[side].append((mate, request))
        for node, mate in enumerate(self._mates):
            if node != self.node and (to_node is None or to_node == node):
                data = [part.view(np.uint8), MPI.BYTE]
                self._sends[side].append(self._comm.Isend(data, mate, BULK))

    def end(self, turn: int, part: Array, doing: Callable[[], str]) -> list[Array]:
        """All nodes' parts of a piece, in the order of the nodes, once they are here.

        They stay as they are until the piece after the next begins.
        """
        side = turn % DEPTH
        self._await(side, doing)
        return [self._buffer(side, node, part.dtype, part.size) for node in range(len(self._mates))]

    def _await(self, side: int, doing: Callable[[], str]) -> None:
        receives, sends = self._receives[side], self._sends[side]

        def is_over() -> bool:
            # The sends count too: their buffer is used again.
            receives[:] = [each for each in receives if not each[1].Test()]
            if receives:
                return False
            sends[:] = [each for each in sends if not each.Test()]
            return not sends

        for _ in range(_QUICK_LOOKS):
            if is_over():
                return
            os.sched_yield()

        def absent() -> list[int]:
            return [mate for mate, _ in receives]

        wait = Wait(self._watch, absent, doing)
        while not is_over():
            wait.turn()
