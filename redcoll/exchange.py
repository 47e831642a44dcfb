"""Between nodes: long vectors, from each node's part to the whole.

The members of a node share a fold in slices. As many of each node take part as the smallest
node has, so that every slice has one owner on each node: its *mates* exchange what their nodes
have folded of it, piece by piece, and fold these parts in the order of the nodes, to the same bits.

*Whole*: each mate sends its part to those that need it, and they fold all of it.

*Shared*: each mate folds one share of the piece, and sends the others what came out. It takes
two messages, one after the other, but no more bytes on more nodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from redcoll.courier import BULK, RESULTS
from redcoll.engines import Engine, Request
from redcoll.slices import Block, even_slices
from redcoll.topology import Layout
from redcoll.waiting import Wait, Watch

Array = NDArray[Any]
Fold = Callable[[Sequence[Array], Sequence[Array]], None]
"""``fold(parts, targets)`` folds parts, in their order, into every target."""

DEPTH: Final = 4
"""Pieces whose parts are under way at a time."""

_SHARED_FROM: Final = 3
"""From so many nodes on mates share the fold of a piece."""
_QUICK_LOOKS: Final = 40


class Exchange:
    """One member's part in it.

    Parameters
    ----------
    engine
        Moves messages between members.
    layout
        Which of them share a node.
    index
        The caller's.
    watch
        How to wait for the members.
    """

    def __init__(self, engine: Engine, layout: Layout, index: int, watch: Watch) -> None:
        self._engine = engine
        self._watch = watch
        self.node = layout.node
        self._mates = layout.mates(index)
        self._courier = layout.members[0]
        self._buffers: dict[tuple[int, int], Array] = {}
        self._pieces: list[_Piece | None] = [None] * DEPTH

    def own_part(self, turn: int, dtype: np.dtype[Any], count: int) -> Array:
        """Where this node's part of a piece may be folded; ``turn`` counts the pieces."""
        return self._buffer(turn, self.node, dtype, count)

    def _buffer(self, turn: int, node: int, dtype: np.dtype[Any], count: int) -> Array:
        side = turn % DEPTH
        buffer = self._buffers.get((side, node))
        n_bytes = count * dtype.itemsize
        if buffer is None or buffer.size < n_bytes:
            buffer = self._buffers[side, node] = np.empty(n_bytes, np.uint8)
        return buffer[:n_bytes].view(dtype)

    def begin(self, turn: int, part: Array, to_node: int | None) -> None:
        """Send this node's part of a piece and expect the others', without waiting.

        Parameters
        ----------
        part
            Stays as it is until :meth:`finish`.
        to_node
            The one node that needs the parts; None if all do.
        """
        nodes = len(self._mates)
        is_shared = to_node is None and nodes >= _SHARED_FROM
        blocks = [(0, part.size)] * nodes
        if is_shared:
            blocks = even_slices(part.size, nodes, part.itemsize)
        start, stop = blocks[self.node]
        is_wanted = to_node in (None, self.node)
        piece = _Piece(blocks if is_shared else None, [part[start:stop]] * nodes, is_wanted)
        self._pieces[turn % DEPTH] = piece
        for node, mate in enumerate(self._mates):
            if node != self.node and is_wanted:
                piece.parts[node] = self._buffer(turn, node, part.dtype, stop - start)
                self._receive(piece, piece.parts[node], mate, BULK)
        for node, mate in enumerate(self._mates):
            if node != self.node and to_node in (None, node):
                self._send(piece, part[slice(*blocks[node])], mate, BULK)

    def _receive(self, piece: _Piece, into: Array, mate: int, tag: int) -> None:
        if into.size:
            request = self._engine.receive(into.view(np.uint8), mate, tag)
            piece.receives.append((mate, request))

    def _send(self, piece: _Piece, data: Array, mate: int, tag: int) -> None:
        if data.size:
            piece.sends.append((mate, self._engine.send(data.view(np.uint8), mate, tag)))

    def finish(
        self, turn: int, targets: Sequence[Array], fold: Fold, doing: Callable[[], str]
    ) -> None:
        """Fold the nodes' parts of a piece, once they are here, into every target.

        Parameters
        ----------
        targets
            None where the result is not needed.
        doing
            The call in words.
        """
        piece = self._pieces[turn % DEPTH]
        if piece is None:
            raise ValueError(f"turn={turn}: this piece has not been begun")
        self._await(piece, doing)
        if targets and piece.is_wanted:
            self._fold_piece(piece, targets, fold, doing)
        # It refers to the caller's arrays. One that fails is kept, for MPI may write to them.
        self._pieces[turn % DEPTH] = None

    def _fold_piece(
        self, piece: _Piece, targets: Sequence[Array], fold: Fold, doing: Callable[[], str]
    ) -> None:
        if piece.blocks is None:
            fold(piece.parts, targets)
            return
        result = targets[0]
        own = result[slice(*piece.blocks[self.node])]
        fold(piece.parts, [own])
        for node, mate in enumerate(self._mates):
            if node != self.node:
                self._receive(piece, result[slice(*piece.blocks[node])], mate, RESULTS)
                self._send(piece, own, mate, RESULTS)
        self._await(piece, doing)
        for target in targets[1:]:
            target[...] = result

    def _await(self, piece: _Piece, doing: Callable[[], str]) -> None:
        for _ in range(_QUICK_LOOKS):
            if piece.is_quiet():
                return
            os.sched_yield()

        def absent() -> list[int]:
            # What a mate sent before it left may have come since.
            if piece.is_quiet():
                return []
            # Of ends elsewhere this PE hears by its node's courier.
            is_alone = self._watch.peers.fate(self._courier) is not None
            return [self._courier] if is_alone else piece.mates()

        wait = Wait(self._watch, absent, doing)
        while not piece.is_quiet():
            wait.turn()


class _Piece:
    """A piece under way.

    Parameters
    ----------
    blocks
        Which share of it each mate folds; None where they fold all of it.
    parts
        What is to be folded here, by node.
    is_wanted
        Whether this node needs the result.
    """

    def __init__(self, blocks: list[Block] | None, parts: list[Array], is_wanted: bool) -> None:
        self.blocks = blocks
        self.parts = parts
        self.is_wanted = is_wanted
        self.receives: list[tuple[int, Request]] = []
        self.sends: list[tuple[int, Request]] = []

    def mates(self) -> list[int]:
        """Whom the caller waits for: who has not sent, or else who has not received."""
        return [mate for mate, _ in self.receives or self.sends]

    def is_quiet(self) -> bool:
        """Whether all that was sent and expected has left and come."""
        self.receives = [each for each in self.receives if not each[1].Test()]
        if self.receives:
            return False
        # The sends count too: their memory is used again.
        self.sends = [each for each in self.sends if not each[1].Test()]
        return not self.sends
