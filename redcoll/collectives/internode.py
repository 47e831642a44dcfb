"""Long vectors over several nodes: folded on each node, and then from node to node.

All nodes agree in one round; then each goes its own way through its memory, as a team of its
own (``Team.node``), in which the owners of the slices exchange what they have folded
(:mod:`redcoll.exchange`) before they store it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from redcoll.exchange import DEPTH, PIECE_BYTES, Exchange
from redcoll.signature import Call
from redcoll.slices import cut
from redcoll.team import Team

Array = NDArray[Any]


class NodesFold:
    """Runs the folds of one call, each with the same slice's on all other nodes.

    Parameters
    ----------
    team
        On several nodes, which fold before they exchange.
    to_node
        The one node that wants the result; None if all do.
    """

    def __init__(self, team: Team, exchange: Exchange, call: Call, to_node: int | None) -> None:
        self._team = team
        self._exchange = exchange
        self._call = call
        self._to_node = to_node
        self._is_wanted = to_node is None or to_node == exchange.node
        self._turn = 0

    def run(
        self,
        _: Callable[..., None],
        sources: Sequence[Array],
        targets: Sequence[Array],
        start: int,
        stop: int,
    ) -> None:
        """Fold ``[start, stop)`` of the sources of all nodes into every target."""
        dtype = self._call.element.dtype
        under_way: list[tuple[int, Array, list[Array]]] = []
        for first, last in cut(start, stop, max(1, PIECE_BYTES // dtype.itemsize)):
            if len(under_way) == DEPTH:
                self._finish(*under_way.pop(0))
            part = self._exchange.own_part(self._turn, dtype, last - first)
            self._team.fold(self._call.op, [source[first:last] for source in sources], part)
            self._exchange.begin(self._turn, part, self._to_node)
            under_way.append((self._turn, part, [target[first:last] for target in targets]))
            self._turn += 1
        for piece in under_way:
            self._finish(*piece)

    def _finish(self, turn: int, part: Array, targets: list[Array]) -> None:
        try:
            parts = self._exchange.end(turn, part, self._call.describe)
        except BaseException as error:
            self._team.give_up(error)
            raise
        if self._is_wanted and targets:
            self._team.quiet.run(
                self._team.kernel.fold_to_many, self._call.op, parts, targets, 0, part.size
            )

    def finish(self) -> None:
        """Nothing is left to tell: no user's function has run."""
