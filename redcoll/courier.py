"""Between nodes: one PE of each carries its node's posts to the others, and theirs home.

Every node has, beside the segments of its own members, a mirror segment for each member
elsewhere. The *courier*, a node's first member, sends what its node's members have posted to
the couriers of the other nodes, each to each, and stores what comes from them into the
mirrors, sequence number last. So a PE sees the posts of all members in its own node's memory,
and waits for those from elsewhere as it waits for its neighbours.

What a message says is the kernels' business (:mod:`redcoll.kernels._bundles`).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.engines import Engine, Prepared, Request
from redcoll.kernels._bundles import MESSAGE_BYTES, SOME, WORD_BYTES
from redcoll.kernels._rounds import HEAD_BYTES
from redcoll.peers import LEFT, OPEN
from redcoll.signature import Scratch
from redcoll.topology import Layout

POSTS: Final = 1
NOTICE: Final = 2
BULK: Final = 3
RESULTS: Final = 4
"""Tags of messages on a team's communicator: posts, a member's end, parts of long vectors, what
came out of them."""

_SPIN: Final = 60
_QUICK_LOOKS: Final = 40
_TELL_AFTER_S: Final = 0.05
"""After so long in one wait the other nodes are told which members have arrived."""
_MOST_KEPT: Final = 16
"""Lengths of message for which a request to send is kept."""


def longest_bytes(scratch: Scratch, members: int) -> int:
    """Length of the longest message about so many members of a node."""
    most = WORD_BYTES + HEAD_BYTES + max(scratch.room_bytes, scratch.chunk_bytes)
    return MESSAGE_BYTES + members * most


def _room(n_bytes: int) -> memoryview:
    """Memory for a message, of which only what has been used is there."""
    return np.empty(n_bytes, np.uint8).data


class Courier:
    """Of one node, for one team.

    Parameters
    ----------
    comm
        The team's members in their order.
    engine
        Moves messages between couriers.
    layout
        Which of them share a node.
    scratch
        The node's memory: segments of its own members and mirrors of the others.
    states
        Words of the members' states, by index.
    fence
        Orders stores and loads where the machine does not, else None.
    kernel
        What packs messages and takes them apart.
    turns
        Called when a wait is slow; gives the function to call between looks.
    has_core
        Whether no other member wants the caller's core.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        engine: Engine,
        layout: Layout,
        scratch: Scratch,
        states: Sequence[int],
        fence: Callable[[], Any] | None,
        kernel: ModuleType,
        turns: Callable[[], Callable[[], object]],
        has_core: bool,
    ) -> None:
        self._comm = comm
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        self._states = states
        self._fence = fence
        self._turns = turns
        self._pack = kernel.pack
        self._deliver = kernel.deliver
        self._chunk_bytes = scratch.chunk_bytes

        def rows(members: Sequence[int]) -> list[array[int]]:
            return [
                array(
                    "q",
                    [
                        at
                        for index in members
                        for at in (
                            scratch.heads[index] + side * scratch.head_step,
                            scratch.stages[index],
                        )
                    ],
                )
                for side in (0, 1)
            ]

        self._rows = rows(layout.members)
        outgoing = [_room(longest_bytes(scratch, len(layout.members))) for _ in (0, 1)]
        self._outgoing = outgoing
        self._far = [
            _Far(engine, pes, rows(pes), longest_bytes(scratch, len(pes)), outgoing)
            for pes in layout.nodes
            if pes != layout.members
        ]
        self._sequence = 0
        # With neighbours it yields at once, so that they can look, too.
        self._spin = range(_SPIN if has_core and len(layout.members) == 1 else 0)
        self._sent = 0
        self._start_s = 0.0
        self._told = 0
        self._notices: list[tuple[int, int, int]] = []
        self._hearing = threading.RLock()
        self._is_hearing = False
        self._is_freed = False
        self._is_closed = False

    # -- posts ----------------------------------------------------------------------

    def carry(self, sequence: int, is_folded: bool) -> None:
        """Until the node's posts, all there, have gone out and those of all others are here.

        Parameters
        ----------
        sequence
            The round's.
        is_folded
            Whether the node's short vectors have been folded into the first.
        """
        side = sequence & 1
        self._send(sequence, is_folded)
        for _ in self._spin:
            if self._is_over(side):
                return
        for _ in range(_QUICK_LOOKS):
            if self._is_over(side):
                return
            os.sched_yield()
        turn = self._turns()
        while not self._is_over(side):
            turn()

    def has_sent(self, sequence: int) -> bool:
        """Whether the node's posts of this round have been sent."""
        return self._sent == sequence

    def unsent(self) -> list[int]:
        """Indices of the couriers for which something has not left yet."""
        return [far.courier for far in self._far if not far.has_left()]

    def _send(self, sequence: int, is_folded: bool) -> None:
        if sequence == self._sent:
            return
        if sequence != self._sequence:
            self._begin(sequence)
        side = sequence & 1
        self._sent = sequence
        n_bytes = self._pack(
            self._memory,
            self._rows[side],
            self._chunk_bytes,
            sequence,
            is_folded,
            True,
            self._outgoing[side],
            self._fence,
        )
        for far in self._far:
            far.send(side, n_bytes)

    def _begin(self, sequence: int) -> None:
        # In this order: another thread, which hears of an end, must not take the posts of this
        # round for delivered.
        for far in self._far:
            far.is_complete = False
        self._sequence = sequence
        self._start_s = 0.0
        self._told = 0

    def _is_over(self, side: int) -> bool:
        is_over = True
        for far in self._far:
            if not far.is_complete and not ((far.is_here or far.test()) and self._take(far, side)):
                is_over = False
        # A long message leaves with this PE's help only: what comes after may be without MPI.
        # And its buffer is used again. To look for what comes moves also what goes.
        return is_over and all(far.has_left() for far in self._far)

    def _take(self, far: _Far, side: int) -> bool:
        """Store what has come from a node; whether that was the last of this round."""
        is_complete: bool = self._deliver(
            self._memory,
            far.rows[side],
            self._chunk_bytes,
            self._sequence,
            far.message,
            self._fence,
        )
        far.is_complete = is_complete
        far.expect()
        return is_complete

    def meanwhile(self, sequence: int) -> None:
        """While members of this node are missing: tell which, and hear of others.

        Of the other nodes only what is not their last is taken in: with it a member could go on,
        and change what has not been sent yet.
        """
        if sequence != self._sequence:
            self._begin(sequence)
        side = sequence & 1
        now_s = time.monotonic()
        if not self._start_s:
            self._start_s = now_s
        elif now_s - self._start_s > _TELL_AFTER_S:
            self._announce(side)
        for far in self._far:
            if far.has_come() and far.is_some():
                self._take(far, side)

    def _announce(self, side: int) -> None:
        rows = self._rows[side]
        words = self._words
        arrived = sum(words[slot // WORD_BYTES] >= self._sequence for slot in rows[0::2])
        if arrived == self._told:
            return
        self._told = arrived
        into = bytearray(MESSAGE_BYTES + len(rows) // 2 * (WORD_BYTES + HEAD_BYTES))
        n_bytes = self._pack(
            self._memory, rows, self._chunk_bytes, self._sequence, False, False, into, self._fence
        )
        data = memoryview(into)[:n_bytes]
        # Who sees that all have come goes on, to what only the posts themselves bring.
        if data.cast("q")[1] == len(self._rows[side]) // 2:
            return
        for far in self._far:
            far.announce(data)

    # -- members that go ------------------------------------------------------------

    def hear(self) -> None:
        """Store into the mirrors which members elsewhere have left or given up."""
        # One thread at a time, and nothing while a team is closed by another one.
        with self._hearing:
            if self._is_freed or self._is_hearing:
                return  # a signal has interrupted it
            self._is_hearing = True
            try:
                self._hear()
            finally:
                self._is_hearing = False

    def _hear(self) -> None:
        while (message := self._comm.Improbe(MPI.ANY_SOURCE, NOTICE)) is not None:
            notice = array("q", (0, 0, 0))
            message.Recv([notice, MPI.INT64_T])
            self._notices.append((notice[0], notice[1], notice[2]))
        waiting = []
        for index, state, sequence in self._notices:
            # What it posted before may still be on its way.
            if state == LEFT and self._expects(index, sequence):
                waiting.append((index, state, sequence))
            elif state == LEFT or self._words[self._states[index]] == OPEN:
                self._words[self._states[index]] = state
        self._notices = waiting

    def _expects(self, index: int, sequence: int) -> bool:
        """Whether a member's post of this round is still to come."""
        if self._is_closed or sequence < self._sequence:
            return False
        far = next(far for far in self._far if index in far.members)
        return sequence > self._sequence or not far.is_complete

    def free(self) -> None:
        """Send and hear no more: for a team that is closed in order."""
        with self._hearing:
            self._is_freed = True
        if self.unsent():
            # Of a round that was begun and never completed.
            _under_way.append(self._far)
            return
        for far in self._far:
            far.free_sends()

    def close(self) -> None:
        """Expect no more messages; a second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        for far in self._far:
            far.cancel()


class _Far:
    """Another node as a courier sees it."""

    def __init__(
        self,
        engine: Engine,
        members: tuple[int, ...],
        rows: list[array[int]],
        most_bytes: int,
        outgoing: list[memoryview],
    ) -> None:
        self._engine = engine
        self.members = members
        self.courier = members[0]
        self.rows = rows
        """Where its members' mirrors are, by the round's parity."""
        self.is_complete = True
        """Whether all its posts of this round have been delivered; before the first, nothing."""
        self._outgoing = outgoing
        self._sends: dict[tuple[int, int], Prepared] = {}
        self._sending: Prepared | None = None
        self._announcements: list[tuple[Request, memoryview]] = []
        self.message = _room(most_bytes)
        """What has come last."""
        self._numbers = self.message[: 2 * WORD_BYTES].cast("q")
        self._receive = engine.prepare_receive(self.message, self.courier, POSTS)
        self.test = self._receive.Test
        """Whether the next message is here."""
        self.is_here = False
        """Whether it is, and that has been noticed before."""
        self._receive.Start()

    def send(self, side: int, n_bytes: int) -> None:
        """Send so much of one of the buffers for that, without waiting."""
        request = self._sends.get((side, n_bytes))
        if request is None:
            if len(self._sends) == _MOST_KEPT:
                self.free_sends()
            data = self._outgoing[side][:n_bytes]
            request = self._engine.prepare_send(data, self.courier, POSTS)
            self._sends[side, n_bytes] = request
        self._sending = request
        request.Start()

    def announce(self, data: memoryview) -> None:
        """Send that besides, without waiting."""
        self._announcements.append((self._engine.send(data, self.courier, POSTS), data))

    def has_left(self) -> bool:
        """Whether all that was sent has."""
        if self._sending is not None and self._sending.Test():
            self._sending = None
        if self._announcements:
            self._announcements = [each for each in self._announcements if not each[0].Test()]
        return self._sending is None and not self._announcements

    def has_come(self) -> bool:
        """Whether a message is here; :meth:`expect` makes room for the next."""
        self.is_here = self.is_here or self.test()
        return self.is_here

    def is_some(self) -> bool:
        """Whether the message here says only which members have arrived so far."""
        return self._numbers[0] == SOME

    def expect(self) -> None:
        """Have done with the message that is here, and let the next one come."""
        self.is_here = False
        self._receive.Start()

    def free_sends(self) -> None:
        """Forget what was prepared to be sent; all of it has left."""
        while self._sends:
            # First out of the table: after an interrupt none is freed twice.
            _, request = self._sends.popitem()
            request.Free()

    def cancel(self) -> None:
        """Expect no more messages."""
        with contextlib.suppress(MPI.Exception):
            if not self.is_here:
                self._receive.Cancel()
                # One that has begun to come cannot be stopped, and may never be here.
                if not self._receive.Test():
                    _under_way.append(self.message)
            self._receive.Free()


_under_way: list[Any] = []
"""What MPI may still read or write for couriers that have ended."""


def tell_the_end(
    comm: MPI.Intracomm, layout: Layout, index: int, state: int, sequence: int
) -> list[tuple[MPI.Request, array[int]]]:
    """Tell all other nodes, without waiting, that a member will post nothing after ``sequence``.

    Returns
    -------
    list
        To be kept as long as the process lives.
    """
    notice = array("q", (index, state, sequence))
    others = [members[0] for members in layout.nodes if members != layout.members]
    return [(comm.Isend([notice, MPI.INT64_T], courier, NOTICE), notice) for courier in others]
