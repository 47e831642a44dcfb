"""Let the members of an active set wait for each other at the set's first use.

MPI's call that creates a communicator of a group has no deadline. So the members first exchange
messages, until all members have arrived. This wait can be interrupted or time out.

The leader is the first member. The leader sends a call to the other members, and each member that
is in the rendezvous answers. When all members have answered, the leader releases them. An answer
always belongs to the leader's latest call. This also holds after members have withdrawn and joined
again. A member that withdraws after its answer also sends a message about the withdrawal.
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Sequence
from typing import Final, cast

from redcoll._mpi4py import MPI
from redcoll.errors import CollectiveTimeoutError
from redcoll.liveness.progress import Wait, Watch

_CALL, _JOINED, _WITHDRAWN, _GO, _LACKING = range(5)
"""Kinds of messages. A ``_LACKING`` message has the number of a PE. All other messages have the
number of a call."""
_calls = itertools.count(1)
"""Numbers for the calls of this process as a leader. They are unique, so that the leader does not
mistake an old answer for an answer to a new call."""
_REPORT_EVERY_S: Final = 0.05
"""Seconds between reports of a waiting leader. Members that have answered receive the reports. A
report names an absent PE."""

_FIRST_TAG = 0x4000
"""On the communicator of all PEs, this tag and all higher tags belong to rendezvous and to the MPI
calls that follow them."""

Key = tuple[int, int, int]
"""Start, log_stride and size of an active set."""
NODE: Key = (-1, 0, 0)
"""The key of the team of a node. No active set starts at PE -1."""


def tag_of(key: Key, n_pes: int) -> int:
    """Return the tag of the messages of a set's rendezvous. MPI uses the next tag.

    Each set has two tags of its own, because sets can have the same leader. compat(openmpi 5.0):
    MPI_Comm_create_group sends plain messages with the tag that it gets, so no other message on the
    communicator may have that tag.
    """
    start, log_stride, size = key
    number = 0
    if key != NODE:
        number = 1 + (start * n_pes.bit_length() + log_stride) * n_pes + size - 1
    # In a job of very many PEs some sets share tags.
    most = cast("int", MPI.COMM_WORLD.Get_attr(MPI.TAG_UB))  # only COMM_WORLD always has it
    return _FIRST_TAG + 2 * (number % ((most - _FIRST_TAG) // 2))


class Rendezvous:
    """The part of one member in a rendezvous.

    ``comm`` has all PEs. ``pes`` has the members, including the caller. The first member is the
    leader. Other sets with the same leader have other tags.
    """

    def __init__(self, comm: MPI.Intracomm, pes: Sequence[int], tag: int) -> None:
        self._comm = comm
        self._pes = pes
        self._tag = tag
        self._leader = pes[0]
        self._is_leader = comm.Get_rank() == pes[0]
        self._others = list(pes[1:] if self._is_leader else pes[:1])
        self._words = {pe: array("q", (0, 0)) for pe in self._others}
        self._receives: dict[int, MPI.Request] = {}
        self._sends: list[tuple[MPI.Request, array[int]]] = []
        self._call = 0
        """The number of the last call; 0 before the first call."""
        self._next_report_s = 0.0
        self._joined: set[int] = set()
        self._withdrawn: set[int] = set()
        self._reported: dict[int, int] = {}
        self._may_go = False
        self.waiting_for: int | None = None
        """The PE that the leader waits for, if the leader has reported it to this member."""

    def wait(self, watch: Watch, doing: str) -> None:
        """Wait until all members are in the rendezvous. An exception makes the caller withdraw.

        ``doing`` names the call in error messages.
        """

        def missing() -> list[int]:
            absent = self.absent()
            if absent and self.waiting_for is not None:
                absent = [self.waiting_for]
            # A PE that exited after it answered counts as missing, too.
            left = (pe for pe in self._pes if pe not in absent and watch.peers.has_left(pe))
            return absent and [*absent, *left]

        wait = Wait(watch, missing, lambda: doing)
        try:
            self.join()
            while not self.try_complete():
                wait.poll()
        except BaseException as error:
            # Withdraw, so that a member that arrives later does not count this PE as waiting. If
            # the leader has released the members already, a timeout has no effect.
            if not (self.withdraw() and isinstance(error, CollectiveTimeoutError)):
                raise

    def join(self) -> None:
        """Enter the rendezvous.

        The member stays until it calls :meth:`withdraw`, or until :meth:`try_complete` succeeds.
        """
        self._next_report_s = time.monotonic() + _REPORT_EVERY_S
        self.waiting_for = None
        self._receives = {pe: self._expect(pe) for pe in self._others}
        if self._is_leader:
            self._call = next(_calls)
            for answers in (self._joined, self._withdrawn, self._reported):
                answers.clear()
            for pe in self._others:
                self._send(pe, _CALL, self._call)
        elif self._call:
            self._send(self._leader, _JOINED, self._call)

    def absent(self) -> list[int]:
        """Return the PEs that this member waits for.

        The leader waits for all members that have not joined. The other members wait for the
        leader.
        """
        for pe in self._others:
            while pe in self._receives and self._receives[pe].Test():
                self._take(pe)
                if self._may_go:
                    # Receive no more, because the next message belongs to another rendezvous.
                    self._receives.clear()
                else:
                    self._receives[pe] = self._expect(pe)
        if not self._is_leader:
            return [] if self._may_go else self._others
        # Report absent members first, because they may be the reason why other members withdrew.
        answered = self._joined | self._withdrawn
        absent = [pe for pe in self._others if pe not in answered] or sorted(self._withdrawn)
        now_s = time.monotonic()
        if absent and now_s > self._next_report_s:
            self._next_report_s = now_s + _REPORT_EVERY_S
            self._sends = [each for each in self._sends if not each[0].Test()]
            for pe in self._joined:
                if self._reported.get(pe) != absent[0]:
                    self._reported[pe] = absent[0]
                    self._send(pe, _LACKING, absent[0])
        return absent

    def withdraw(self) -> bool:
        """Leave the rendezvous; return True if the leader has already released the members.

        If the leader releases the members during this call, the leader waits until this member
        joins again.
        """
        self.absent()  # receive messages that have arrived
        self._cancel_receives()
        if self._may_go:
            MPI.Request.Waitall([request for request, _ in self._sends])
        elif not self._is_leader and self._call:
            self._send(self._leader, _WITHDRAWN, self._call)
        return self._may_go

    def try_complete(self) -> bool:
        """Return whether the rendezvous is complete, so that all members continue.

        The rendezvous is complete when all members have joined and no member has withdrawn.
        """
        if self.absent():
            return False
        self._cancel_receives()
        if self._withdrawn:
            self._receives = {pe: self._expect(pe) for pe in self._others}
            return False
        if self._is_leader:
            for pe in self._others:
                self._send(pe, _GO, self._call)
        MPI.Request.Waitall([request for request, _ in self._sends])
        return True

    def _take(self, pe: int) -> None:
        kind, value = self._words[pe]
        if kind == _CALL:
            self._call = value
            self._send(self._leader, _JOINED, value)
        elif kind == _GO:
            self._may_go = True
        elif kind == _LACKING:
            self.waiting_for = value
        elif value == self._call:
            (self._joined if kind == _JOINED else self._withdrawn).add(pe)
            (self._withdrawn if kind == _JOINED else self._joined).discard(pe)
            self._reported.pop(pe, None)

    def _send(self, pe: int, kind: int, value: int) -> None:
        data = array("q", (kind, value))
        self._sends.append((self._comm.Isend([data, MPI.INT64_T], pe, self._tag), data))

    def _expect(self, pe: int) -> MPI.Request:
        return self._comm.Irecv([self._words[pe], MPI.INT64_T], pe, self._tag)

    def _cancel_receives(self) -> None:
        status = MPI.Status()
        for pe, request in self._receives.items():
            request.Cancel()
            request.Wait(status)
            if not status.Is_cancelled():
                self._take(pe)
        self._receives.clear()
