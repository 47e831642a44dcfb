"""The posts of a team on several nodes, as one member sees them.

Members elsewhere have mirrors on this node, kept by its courier (:mod:`redcoll.courier`): what
is written on rounds goes as on one node, but for what follows from posts having to travel:

* a post says how long its payload is, and where;
* a PE's own slice is staged too, since it is read on other nodes;
* where the order is node by node, the courier folds its node's short vectors into the first of
  them before it sends: only the first members' vectors count then;
* a long vector is folded once on each node, in slices among the node's own members.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels import _known
from redcoll.kernels._bundles import ON_STAGE, in_slot, payload
from redcoll.kernels._large import Large
from redcoll.kernels._rounds import EXTRA, WORD
from redcoll.ops import Op
from redcoll.signature import Call
from redcoll.topology import Layout

Array = NDArray[Any]


class Carrier(Protocol):
    """What a channel wants of its node's courier."""

    def carry(self, sequence: int, is_folded: bool) -> None:
        """Until the node's posts, all there, have gone out and those of all others are here."""

    def unsent(self) -> list[int]:
        """Indices of the couriers for which something has not left yet."""

    def meanwhile(self, sequence: int) -> None:
        """Send and fetch what there is, while the node's own posts are not complete."""


class Across(Large):
    """Over a kernel's channel: the posts of a team on several nodes.

    Parameters
    ----------
    layout
        Which members share a node.
    courier
        The node's, on its first member.
    fate
        Why a member will never come again; None as far as it still may.
    fold
        The kernel's loop, silent.
    by_nodes
        Collectives whose order is node by node.
    others
        As for the kernel's channel.
    """

    def __init__(
        self,
        *others: Any,
        layout: Layout,
        courier: Carrier | None,
        fate: Callable[[int], str | None],
        fold: Callable[[Op, Sequence[Array], Array], None],
        by_nodes: frozenset[int],
        **kernel: Any,
    ) -> None:
        super().__init__(*others, **kernel)
        self.near = layout.members
        self.folder, self.folders = self.near.index(self.me), len(self.near)
        self.firsts = layout.firsts
        """Of each node; their vectors are all that count where nodes fold before they send."""
        self.courier = courier
        self.is_folded = False
        """Whether the vectors of this node have been folded into the first in this round."""
        self._fate = fate
        self._fold = fold
        self._by_nodes = by_nodes

    def _rows(self, dtype: np.dtype[Any], count: int, starts: Sequence[int]) -> list[Array]:
        # Members do not follow each other in steps here.
        return [np.frombuffer(self._memory, dtype, count, start) for start in starts]

    # -- what is posted -------------------------------------------------------------

    def folds_by_nodes(self, call: Call) -> bool:
        """Whether nodes fold the vectors of a call before they send."""
        return call.word & 255 in self._by_nodes and not call.op.is_user

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """One round that carries ``source``: every member's contribution, in order."""
        if self.unwaited:
            self._catch_up()
        self.carried = in_slot(source.nbytes)
        views: list[Array] = call.views[(self.sequence + 1) % len(call.views)]
        views[self.me][...] = source
        self.publish(call.word, call.count, call.extra, -1, -1, 0)
        if self.courier is not None and self.folds_by_nodes(call):
            self._fold_node(call)
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        return views

    def _fold_node(self, call: Call) -> None:
        """Fold this node's vectors into the first of them, where all are of one call."""
        self.await_near()
        words = self._words
        wanted = (call.word, call.count, call.extra)
        heads = [self._heads[self.sequence & 1][index] for index in self.near]
        if any(tuple(words[head + WORD : head + EXTRA + 1]) != wanted for head in heads):
            return
        views = call.views[self.sequence & 1]
        near = [views[index] for index in self.near]
        if len(near) > 1:
            self._fold(call.op, near, near[0])
        self.is_folded = True

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member each one's ``tag`` and ``data``, in order."""
        if self.unwaited:
            self._catch_up()
        self.carried = in_slot(len(data))
        return super().share(word, extra, tag, data)

    def stage(self, call: Call, source: Array, chunk: int) -> None:
        """Copy a chunk of ``source`` to where it is carried from with the next post."""
        start, stop, _, _ = self.chunk(call, chunk)
        self.put_on_stage(chunk & 1, source[start:stop])

    def put_on_stage(self, side: int, part: Array) -> None:
        """Copy a part of a private source to where it is carried from with the next post."""
        super().put_on_stage(side, part)
        self.carried = payload(ON_STAGE, part.nbytes, side)

    def staged(self, *arguments: Any) -> None:
        """The staged path of a fold; every chunk has to be carried."""
        self.staged_with(*arguments)

    def decline(self, word: int, text: str) -> None:
        """Post that the caller will not take part in the coming round, and why."""
        self.carried = 0
        super().decline(word, text)
        if self.courier is not None:
            # The others' posts come and go through this PE.
            self._catch_up()

    # -- waiting --------------------------------------------------------------------

    def absent(self) -> list[int]:
        """Indices of the members that have not posted the current round."""
        absent = super().absent()
        # Posts from elsewhere appear when the node's own are complete, and never without
        # the courier.
        near = [index for index in absent if index in self.near]
        if self.courier is not None:
            if near:
                self.courier.meanwhile(self.sequence)
            # A message that has not left needs the other courier, too.
            return near or super().absent() or self.courier.unsent()
        if absent and not near and self._fate(self.near[0]) is not None:
            return [self.near[0]]
        return near or absent


class AcrossChannel(Across, _known.Channel):
    """The same over the NumPy kernel's; what that knows to shorten is not known here."""

    def small(self, *_: object) -> bool:
        """No call is short here."""
        return False

    def learn(self, *_: object) -> None:
        """Told of a shape of small call."""

    def trust(self, *_: object) -> None:
        """Told of a small call on arrays that are in order."""

    def await_all(self) -> None:
        """Wait until every member has posted the current round."""
        if self.courier is None:
            super().await_all()
            return
        self.await_near()
        is_folded, self.is_folded = self.is_folded, False
        self.courier.carry(self.sequence, is_folded)
