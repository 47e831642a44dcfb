"""Between nodes: one PE of each carries its node's posts to the others, and theirs home.

Every node has, beside the segments of its own members, a mirror segment for each member
elsewhere. The *courier*, a node's first member, sends what its node's members have posted to
the couriers of the other nodes, each to each, and stores what comes from them into the
mirrors, sequence number last. So a PE sees the posts of all members in its own node's memory,
and waits for those from elsewhere as it waits for its neighbours.

A message holds one or more posts: a count, then for each the member's index, the eight words
of its head, and the payload that the head tells of.
"""

from __future__ import annotations

import contextlib
import os
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

from mpi4py import MPI

from redcoll.kernels._channel import HEAD_BYTES, STATUS, WORD
from redcoll.signature import FAILED, Scratch
from redcoll.topology import Layout
from redcoll.waiting import LEFT, OPEN

POSTS: Final = 1
NOTICE: Final = 2
BULK: Final = 3
"""Tags of messages on a team's communicator: posts, a member's end, parts of long vectors."""

NOTHING, IN_SLOT, ON_STAGE = 0, 1, 2
"""What a post's payload is: none, a short vector in the slot, a chunk on either stage."""

_WORD: Final = 8
_HEAD_WORDS: Final = HEAD_BYTES // _WORD
_QUICK_LOOKS: Final = 40
_TELL_AFTER_S: Final = 0.05
"""After so long in one wait the other nodes are told which members have arrived."""


def payload(kind: int, n_bytes: int, side: int = 0) -> int:
    """A payload in one word of a post."""
    return n_bytes << 2 | (kind + side if n_bytes else NOTHING)


class Courier:
    """Of one node, for one team.

    Parameters
    ----------
    comm
        The team's members in their order.
    layout
        Which of them share a node.
    scratch
        The node's memory: segments of its own members and mirrors of the others.
    states
        Words of the members' states, by index.
    fence
        Orders stores and loads where the machine does not, else None.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        scratch: Scratch,
        states: Sequence[int],
        fence: Callable[[], Any] | None,
    ) -> None:
        self._comm = comm
        self._layout = layout
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        self._scratch = scratch
        self._states = states
        self._fence = fence
        self._slots = [[at + side * scratch.slot_bytes for at in scratch.slots] for side in (0, 1)]
        self._own = layout.members
        most = max(scratch.slot_bytes, HEAD_BYTES + scratch.chunk_bytes) + _WORD
        self._far = [_Far(comm, pes, most) for pes in layout.nodes if pes != layout.members]
        self._outgoing = [bytearray(_WORD + len(self._own) * most) for _ in (0, 1)]
        self._sends: list[list[MPI.Request]] = [[], []]
        self._kept: list[list[bytearray]] = [[], []]
        self._sent: set[int] = set()
        self._sequence = 0
        self._start_s = 0.0
        self._notices: list[tuple[int, int, int]] = []

    # -- posts ----------------------------------------------------------------------

    def carry(self, sequence: int, turns: Callable[[], Callable[[], object]]) -> None:
        """Until the posts of this round have gone out and those of all others are here."""
        for _ in range(_QUICK_LOOKS):
            if self.look(sequence):
                return
            os.sched_yield()
        turn = turns()
        while not self.look(sequence):
            turn()

    def look(self, sequence: int) -> bool:
        """Send and fetch what there is; whether nothing of this round is missing."""
        if sequence != self._sequence:
            self._begin(sequence)
        if len(self._sent) < len(self._own) and not self._send(sequence):
            # The mirrors stay as they are: with them complete a member might go on, and
            # change what has not been sent yet.
            for far in self._far:
                far.fetch()
            return False
        is_complete = True
        for far in self._far:
            while not far.is_complete():
                message = far.fetch()
                if message is None:
                    is_complete = False
                    break
                far.message = None
                far.arrived += self._deliver(message, sequence)
        # A long message leaves with this PE's help only: what comes after may be without MPI.
        return is_complete and MPI.Request.Testall(self._sends[sequence & 1])

    def _begin(self, sequence: int) -> None:
        self._sequence = sequence
        self._sent.clear()
        self._start_s = 0.0
        for far in self._far:
            far.arrived = 0
        # The buffer was sent from two rounds ago; everybody has had it since.
        MPI.Request.Waitall(self._sends[sequence & 1])
        self._sends[sequence & 1], self._kept[sequence & 1] = [], []

    def _send(self, sequence: int) -> bool:
        """Send posts to the other nodes once all are there; whether that is so."""
        words = self._words
        slots = self._slots[sequence & 1]
        ready = [
            index
            for index in self._own
            if index not in self._sent and words[slots[index] // _WORD] >= sequence
        ]
        is_all = len(ready) + len(self._sent) == len(self._own)
        if not is_all and not (ready and self._is_slow()):
            return False
        if self._fence is not None:
            # Acquired: what the members wrote before their posts is visible from here on.
            self._fence()
        into = self._outgoing[sequence & 1]
        if self._sent:
            into = bytearray(len(into))
            self._kept[sequence & 1].append(into)
        n_bytes = self._pack(ready, slots, into)
        self._sent.update(ready)
        for far in self._far:
            request = self._comm.Isend([into, n_bytes, MPI.BYTE], far.courier, POSTS)
            self._sends[sequence & 1].append(request)
        return is_all

    def _is_slow(self) -> bool:
        now_s = time.monotonic()
        if not self._start_s:
            self._start_s = now_s
        return now_s - self._start_s > _TELL_AFTER_S

    def _pack(self, ready: Sequence[int], slots: Sequence[int], into: bytearray) -> int:
        """Put these members' posts into a message; its length."""
        memory, words = self._memory, self._words
        view = memoryview(into)
        numbers = view[: len(into) // _WORD * _WORD].cast("q")
        numbers[0] = len(ready)
        at = _WORD
        for index in ready:
            slot = slots[index]
            numbers[at // _WORD] = index
            view[at + _WORD : at + _WORD + HEAD_BYTES] = memory[slot : slot + HEAD_BYTES]
            at += _WORD + HEAD_BYTES
            head = words[slot // _WORD : slot // _WORD + _HEAD_WORDS]
            start, n_bytes = self._place(head[WORD], head[STATUS], slot, index)
            if n_bytes:
                view[at : at + n_bytes] = memory[start : start + n_bytes]
                at += -(-n_bytes // _WORD) * _WORD
        return at

    def _place(self, word: int, status: int, slot: int, index: int) -> tuple[int, int]:
        """Where in the node's memory the payload of a member's post is, and its length."""
        if word & FAILED:
            return slot + HEAD_BYTES, status
        kind, n_bytes = status & 3, status >> 2
        if kind < ON_STAGE:
            return slot + HEAD_BYTES, n_bytes
        side = kind - ON_STAGE
        return self._scratch.stages[index] + side * self._scratch.chunk_bytes, n_bytes

    def _deliver(self, message: memoryview, sequence: int) -> int:
        """Store the posts of a message into their mirrors; how many there were."""
        numbers = message.cast("q")
        memory, words = self._memory, self._words
        slots = self._slots[sequence & 1]
        count = numbers[0]
        at = 1
        arrived = []
        for _ in range(count):
            index = numbers[at]
            head = numbers[at + 1 : at + 1 + _HEAD_WORDS]
            at += 1 + _HEAD_WORDS
            slot = slots[index]
            start, n_bytes = self._place(head[WORD], head[STATUS], slot, index)
            if n_bytes:
                memory[start : start + n_bytes] = message[at * _WORD : at * _WORD + n_bytes]
                at += -(-n_bytes // _WORD)
            words[slot // _WORD + 1 : slot // _WORD + _HEAD_WORDS] = head[1:]
            arrived.append(slot // _WORD)
        if self._fence is not None:
            self._fence()
        for mirror in arrived:
            # Release: whoever of the node sees this number sees the post and its payload.
            words[mirror] = sequence
        return count

    # -- members that go ------------------------------------------------------------

    def hear(self) -> None:
        """Store into the mirrors which members elsewhere have left or given up."""
        while self._comm.Iprobe(MPI.ANY_SOURCE, NOTICE):
            notice = array("q", (0, 0, 0))
            self._comm.Recv([notice, MPI.INT64_T], MPI.ANY_SOURCE, NOTICE)
            self._notices.append((notice[0], notice[1], notice[2]))
        waiting = []
        for index, state, sequence in self._notices:
            # What it posted before may still be on its way.
            if state == LEFT and sequence >= self._sequence:
                waiting.append((index, state, sequence))
            elif self._words[self._states[index]] == OPEN:
                self._words[self._states[index]] = state
        self._notices = waiting

    def complete(self) -> None:
        """Until what was sent has left; the others have had it when a team is closed in order."""
        for requests in self._sends:
            MPI.Request.Waitall(requests)

    def close(self) -> None:
        """Expect no more messages."""
        for far in self._far:
            far.cancel()


class _Far:
    """Another node as a courier sees it."""

    def __init__(self, comm: MPI.Intracomm, members: Sequence[int], most_bytes: int) -> None:
        self._comm = comm
        self.courier = members[0]
        self._count = len(members)
        self._buffer = bytearray(_WORD + len(members) * most_bytes)
        self._request: MPI.Request | None = None
        self.message: memoryview | None = None
        """What has come and has not been delivered yet."""
        self.arrived = 0
        """Posts of this round that have been delivered."""

    def is_complete(self) -> bool:
        """Whether all its posts of this round have been delivered."""
        return self.arrived == self._count

    def fetch(self) -> memoryview | None:
        """The next message, if it has come; it stays until ``message`` is set to None."""
        if self.message is not None:
            return self.message
        if self._request is None:
            buffer = [self._buffer, MPI.BYTE]
            self._request = self._comm.Irecv(buffer, self.courier, POSTS)
        if self._request.Test():
            self._request = None
            self.message = memoryview(self._buffer)
        return self.message

    def cancel(self) -> None:
        if self._request is not None:
            with contextlib.suppress(MPI.Exception):
                self._request.Cancel()
                self._request.Wait()
            self._request = None


def tell_the_end(
    comm: MPI.Intracomm, layout: Layout, index: int, state: int, sequence: int
) -> list[tuple[MPI.Request, array[int]]]:
    """Tell other nodes, without waiting, that a member will post nothing after ``sequence``.

    Not all: those 1, 2, 4, ... nodes on. Whoever waits there gives up then, and tells others.

    Returns
    -------
    list
        To be kept as long as the process lives.
    """
    notice = array("q", (index, state, sequence))
    nodes = layout.nodes
    step, sent = 1, []
    while step < len(nodes):
        courier = nodes[(layout.node + step) % len(nodes)][0]
        request = comm.Isend([notice, MPI.INT64_T], courier, NOTICE)
        sent.append((request, notice))
        step *= 2
    return sent
