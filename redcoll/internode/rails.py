"""Exchange long vectors between nodes, slice by slice along rails.

The members of a node divide a vector into slices. Each slice has one owner on each node, and a
member owns at most one slice. So there are as many slices as the smallest node has members. The
owners of one slice form a *rail*. They exchange their nodes' folds of the slice, piece by piece.
Each owner folds one block of the piece in the order of the nodes, and sends the result to the other
owners. With ``REDCOLL_ORDER=mpi``, MPI combines the nodes' folds if the blocks would be short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.arguments import Array
from redcoll.kernels.thresholds import BLOCK_BYTES_OF_MPI, CHUNKS_BYTES_ACROSS
from redcoll.liveness.progress import Wait, Watch, poll
from redcoll.ops import AND, MAX, MIN, OR, PROD, SUM, XOR, Op
from redcoll.protocol.partition import LINE_BYTES, Block, even_slices
from redcoll.topology import Layout

Fold = Callable[[Sequence[Array], Sequence[Array]], None]
"""``fold(parts, targets)`` folds parts, in their order, into every target.

A target can be one of the parts.
"""

_OF_MPI: Final = {
    SUM.code: (MPI.SUM, "bBhHiIlLqQfdgFDG"),
    PROD.code: (MPI.PROD, "bBhHiIlLqQfdgFDG"),
    MAX.code: (MPI.MAX, "bBhHiIlLqQ"),
    MIN.code: (MPI.MIN, "bBhHiIlLqQ"),
    AND.code: (MPI.BAND, "bBhHiIlLqQ"),
    OR.code: (MPI.BOR, "bBhHiIlLqQ"),
    XOR.code: (MPI.BXOR, "bBhHiIlLqQ"),
}
"""MPI's operation for each operation of redcoll. For the listed types, the results of the two
operations differ only by rounding. Real types are missing for MAX and MIN, because MPI does not
define results for NaN."""


def op_of_mpi(op: Op, dtype: np.dtype[Any]) -> MPI.Op | None:
    """Return MPI's operation with the same result up to rounding; None if MPI has none."""
    found, types = _OF_MPI.get((op.in_float32 or op).code, (None, ""))
    return found if dtype.char in types and dtype.isnative else None


class Rails:
    """A member's side of the exchange along its rail.

    ``comm`` has the members of the caller's rail, in the order of the nodes; None if the caller is
    not on a rail. ``order`` is the value of ``REDCOLL_ORDER``: ``node`` or ``mpi``. ``late``
    returns the members for which node leaders wait, as far as the caller knows. ``completes``
    returns whether a request is complete, or will be complete within a short time.
    """

    def __init__(
        self,
        comm: MPI.Intracomm | None,
        layout: Layout,
        index: int,
        order: str,
        watch: Watch,
        late: Callable[[], list[int]],
        completes: Callable[[MPI.Request], bool] = MPI.Request.Test,
    ) -> None:
        self._comm = comm
        self.order = order
        self._watch = watch
        self._late = late
        self._completes = completes
        self._node = layout.node
        self._near = layout.members
        self._others = [member for member in layout.rail_of(index) if member != index]
        self._buffers: dict[tuple[str, int], Array] = {}
        self._under_way: dict[int, tuple[Array, list[Array]]] = {}
        """For each piece in flight, the part that is sent, and the buffers that receive."""
        self._held: dict[int, list[Any]] = {0: [], 1: []}
        """The objects that MPI may still use, by the parity of the piece. The last object is the
        request."""

    def own_part(self, turn: int, dtype: np.dtype[Any], count: int) -> Array:
        """Return a buffer for this node's fold of piece number ``turn``."""
        return self._buffer("part", turn, dtype, count)

    def _buffer(self, name: str, turn: int, dtype: np.dtype[Any], count: int) -> Array:
        key = name, turn & 1
        n_bytes = count * dtype.itemsize
        buffer = self._buffers.get(key)
        if buffer is None or buffer.size < n_bytes:
            buffer = self._buffers[key] = np.empty(n_bytes, np.uint8)
        return buffer[:n_bytes].view(dtype)

    def begin(self, turn: int, part: Array, to_node: int | None, op: MPI.Op | None) -> None:
        """Start to exchange this node's part of a piece with the other nodes.

        The members of a rail begin and finish pieces in the same order. At most two pieces are in
        flight. ``part`` is this node's fold of the piece. It must not change until :meth:`finish`.
        ``to_node`` is the only node that needs the result; None if all nodes need it. ``op`` is the
        operation by which MPI combines the parts if the nodes' blocks are short; None to fold all
        parts in order.
        """
        assert self._comm is not None  # noqa: S101 - for the type checker
        nodes = len(self._others) + 1
        if op is not None and part.nbytes < nodes * BLOCK_BYTES_OF_MPI:
            whole = self._buffer("result", turn, part.dtype, part.size)
            self._under_way[turn] = part, [whole]
            if to_node is None:
                self._start(turn, self._comm.Iallreduce, part, whole, op)
            else:
                self._start(turn, self._comm.Ireduce, part, whole, op, to_node)
            return
        blocks = even_slices(part.size, nodes, part.itemsize)
        self._under_way[turn] = part, self._send_blocks(turn, part, blocks)

    def _send_blocks(self, turn: int, vector: Array, blocks: Sequence[Block]) -> list[Array]:
        """Start to send each node its block of a vector.

        Return the arrays that receive the nodes' versions of the caller's block. The caller's own
        version stays in ``vector``, because MPI is slow to copy from a rank to itself.
        """
        assert self._comm is not None  # noqa: S101 - for the type checker
        nodes, node = len(blocks), self._node
        start, stop = blocks[node]
        received = self._buffer("blocks", turn, vector.dtype, nodes * (stop - start))
        rows = list(received.reshape(nodes, stop - start))
        rows[node] = vector[start:stop]
        own = rows[node].nbytes
        lengths = [(stop - start) * vector.itemsize for start, stop in blocks]
        starts = [start * vector.itemsize for start, _ in blocks]
        arriving = [own] * nodes
        lengths[node] = arriving[node] = 0
        self._start(
            turn,
            self._comm.Ialltoallv,
            [vector.view(np.uint8), lengths, starts, MPI.BYTE],
            [received.view(np.uint8), arriving, [own * i for i in range(nodes)], MPI.BYTE],
        )
        return rows

    def _start(self, turn: int, start: Callable[..., MPI.Request], *arguments: Any) -> None:
        """Start a collective; keep its arguments, because MPI may use them after a failure."""
        held = self._held[turn & 1]
        held += arguments
        # ``extend`` is one C call, so no signal handler can raise between the start and the append.
        held.extend(map(start, *([each] for each in arguments)))

    def finish(
        self,
        turn: int,
        targets: Sequence[Array],
        to_node: int | None,
        fold: Fold,
        doing: Callable[[], str],
    ) -> None:
        """Fold the nodes' parts of a piece into every target.

        ``targets`` is empty if the caller does not need the result. ``to_node`` has the same
        meaning as in :meth:`begin`, and ``doing`` describes the call for messages.
        """
        assert self._comm is not None  # noqa: S101 - for the type checker
        part, rows = self._under_way[turn]
        self._await(turn, doing)
        is_wanted = bool(targets) and to_node in (None, self._node)
        if len(rows) == 1:
            for target in targets if is_wanted else []:
                target[...] = rows[0]
            del self._under_way[turn]
            return
        result = targets[0] if is_wanted else self._buffer("result", turn, part.dtype, part.size)
        blocks = even_slices(part.size, len(rows), part.itemsize)
        own = result[slice(*blocks[self._node])]
        fold(rows, [own])
        lengths = [(stop - start) * part.itemsize for start, stop in blocks]
        whole = [result.view(np.uint8), lengths, MPI.BYTE]
        if to_node is None and len(set(lengths)) == 1:
            whole = [whole[0], own.nbytes, MPI.BYTE]
            self._start(turn, self._comm.Iallgather, MPI.IN_PLACE, whole)
        elif to_node is None:
            self._start(turn, self._comm.Iallgatherv, MPI.IN_PLACE, whole)
        elif to_node == self._node:
            self._start(turn, self._comm.Igatherv, MPI.IN_PLACE, whole, to_node)
        else:
            own_bytes = [own.view(np.uint8), MPI.BYTE]
            self._start(turn, self._comm.Igatherv, own_bytes, None, to_node)
        self._await(turn, doing)
        for target in targets[1:] if is_wanted else []:
            target[...] = result
        del self._under_way[turn]

    def scatter(
        self,
        sent: Array,
        blocks: Sequence[Block],
        target: Array,
        fold: Fold,
        doing: Callable[[], str],
    ) -> None:
        """Send each node its block, and fold the blocks that arrive into ``target``.

        Collective over the rail. The blocks travel piece by piece, with two pieces in flight.
        ``blocks`` has start and stop of each node's block of ``sent``, in elements. ``sent`` must
        not change until this method returns. ``target`` receives the fold of the caller's block, in
        the order of the nodes. ``doing`` describes the call for messages.
        """
        nodes = len(blocks)
        length = max(1, CHUNKS_BYTES_ACROSS // nodes // LINE_BYTES) * LINE_BYTES // sent.itemsize
        n_pieces = -(-max(stop - start for start, stop in blocks) // length)
        rows: dict[int, list[Array]] = {}
        for piece in range(n_pieces + 1):
            if piece < n_pieces:
                parts = [_piece_of(block, piece * length, length) for block in blocks]
                rows[piece & 1] = self._send_blocks(piece, sent, parts)
            if piece:
                self._await(piece - 1, doing)
                start, stop = _piece_of((0, target.size), (piece - 1) * length, length)
                if start < stop:
                    fold(rows[piece - 1 & 1], [target[start:stop]])

    def _absent(self) -> list[int]:
        peers = self._watch.peers
        # Ignore members that exited normally, because they have completed this call.
        lost = (each for each in self._near if not peers.has_left_in_order(each))
        return [each for each in lost if peers.fate(each)] or self._others + self._late()

    def _await(self, turn: int, doing: Callable[[], str]) -> None:
        held = self._held[turn & 1]
        poll(
            partial(self._completes, held[-1]), lambda: Wait(self._watch, self._absent, doing).poll
        )
        held.clear()


def _piece_of(block: Block, first: int, length: int) -> Block:
    """Return start and stop of a block's piece, which begins at element ``first`` of the block.

    The piece has ``length`` elements, or fewer at the end of the block.
    """
    start, stop = block
    return min(start + first, stop), min(start + first + length, stop)
