"""The posts of a team on several nodes, as one member sees them.

Members elsewhere have mirrors on this node, kept by its courier (:mod:`redcoll.courier`): what
is written on rounds goes as on one node, but for what follows from posts having to travel:

* a post says how long its payload is, and where;
* a PE's own slice is staged too, since it is read on other nodes;
* a long vector is folded once on each node, in slices among the node's own members.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from redcoll.courier import IN_SLOT, ON_STAGE, Courier, payload
from redcoll.errors import CollectiveError
from redcoll.kernels import _channel
from redcoll.kernels._channel import INLINE_BYTES
from redcoll.ops import Op
from redcoll.signature import FAILED, Call, Scratch
from redcoll.topology import Layout

Array = NDArray[Any]


class Channel(_channel.Channel):
    """The posts of a team on several nodes; parameters as on one node, and these.

    Parameters
    ----------
    layout
        Which members share a node.
    courier
        The node's, on its first member.
    fate
        Why a member will never come again; None as far as it still may.
    """

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], Any] | None,
        turns: Callable[[], Callable[[], bool]],
        disagree: Callable[[], NoReturn],
        give_up: Callable[[BaseException], None],
        *,
        layout: Layout,
        courier: Courier | None,
        fate: Callable[[int], str | None],
    ) -> None:
        super().__init__(scratch, me, spin, fence, turns, disagree, give_up)
        self.folder, self.folders = layout.members.index(me), len(layout.members)
        self._near = layout.members
        self._fate = fate
        self._courier = courier
        self._carried = 0

    # What the kernels know to shorten is not known here.

    def small(self, *_: object) -> bool:
        """No call is short here."""
        return False

    def learn(self, *_: object) -> None:
        """Told of a shape of small call."""

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[tuple[int, int]],
    ) -> None:
        """Told of a small call on arrays that are in order."""

    def _rows(
        self, dtype: np.dtype[Any], count: int, starts: Sequence[int], at: int
    ) -> list[Array]:
        # Members do not follow each other in steps here.
        return [np.frombuffer(self._memory, dtype, count, start + at) for start in starts]

    # -- what is posted -------------------------------------------------------------

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Post without waiting, and with it what has been staged."""
        if self.unwaited:
            self._catch_up()
        if not word & FAILED:
            status, self._carried = self._carried, 0
        super().publish(word, count, extra, source, target, status)

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """One round that carries ``source``: every member's contribution, in order."""
        self.post(call, source)
        return self.collect(call)

    def post(self, call: Call, source: Array) -> None:
        """The first half of :meth:`exchange`."""
        if self.unwaited:
            self._catch_up()
        self._carry_in_slot(source.nbytes)
        super().post(call, source)

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member each one's ``tag`` and ``data``, in order."""
        if self.unwaited:
            self._catch_up()
        self._carry_in_slot(len(data))
        return super().share(word, extra, tag, data)

    def _carry_in_slot(self, n_bytes: int) -> None:
        # What fits travels in the head itself.
        self._carried = payload(IN_SLOT, n_bytes) if n_bytes > INLINE_BYTES else 0

    def stage(self, call: Call, source: Array, chunk: int) -> None:
        """Copy a chunk of ``source`` to where it is carried from with the next post."""
        start, stop, _, _ = self._chunk(call, chunk)
        self.put_on_stage(chunk & 1, source[start:stop])

    def put_on_stage(self, side: int, part: Array) -> None:
        """Copy a part of a private source to where it is carried from with the next post."""
        super().put_on_stage(side, part)
        self._carried = payload(ON_STAGE, part.nbytes, side)

    def decline(self, word: int, text: str) -> None:
        """Post that the caller will not take part in the coming round, and why."""
        self._carried = 0
        super().decline(word, text)
        if self._courier is not None:
            # The others' posts come and go through this PE.
            with contextlib.suppress(CollectiveError):
                self._catch_up()

    # -- waiting --------------------------------------------------------------------

    def await_all(self) -> None:
        """Wait until every member has posted the current round."""
        if self._courier is None:
            super().await_all()
            return
        try:
            self._courier.carry(self.sequence, self._turns)
        except BaseException as error:
            self._give_up(error)
            raise
        if self._fence is not None:
            self._fence()

    def absent(self) -> list[int]:
        """Indices of the members that have not posted the current round."""
        if self._courier is not None:
            self._courier.look(self.sequence)
            return super().absent()
        absent = super().absent()
        # Posts from elsewhere appear when the node's own are complete, and never without
        # the courier.
        near = [index for index in absent if index in self._near]
        if absent and not near and self._fate(self._near[0]) is not None:
            return [self._near[0]]
        return near or absent
