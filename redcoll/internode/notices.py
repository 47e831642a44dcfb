"""Send reports between node leaders about members that are late, timed out or exited.

A message holds the whole state of a node. A leader reports late members only to leaders that have
received its earlier messages, so messages do not pile up at a leader that computes for a long time.
It reports immediately when a member has timed out or exited. It sends nothing while all waits are
short.
"""

from __future__ import annotations

import os
import threading
import time
from array import array
from typing import Final, Protocol

from redcoll._mpi4py import MPI
from redcoll.internode.one_way import OneWay, Said
from redcoll.internode.room import Room
from redcoll.liveness import deadlines
from redcoll.memory.node_scratch import NodeScratch
from redcoll.protocol.descriptor import ONE_WAY
from redcoll.topology import Layout

TAG: Final = 2
_TELL_AFTER_S: Final = 0.05
_NOBODY: Final = -1
_NODE, _ROUND, _ABSENT, _AWAITED, _HEADER = range(5)
_PLACE: Final = _HEADER + 4
"""Words of a message. From word ``_HEADER`` on, it has the header that the leader has sent in the
round. From word ``_PLACE`` on, it has a text that says where the absent member is in the
program."""
_PLACE_BYTES: Final = 192
_DEADLINE: Final = _PLACE + _PLACE_BYTES // 8
"""This word is 1 + the team rank of the member whose wait ended at a deadline. The next words have
the text of the deadline."""
_DEADLINE_WORDS: Final = 1 + deadlines.TEXT_WORDS
_ENDS: Final = _DEADLINE + _DEADLINE_WORDS
"""From this word on, a message has the state and the last round of each member of the node."""


class Waiting(Protocol):
    """The channel whose waits the reports are about."""

    sequence: int
    """The number of the current round."""

    def late(self) -> list[int]:
        """Return the members on this node that have not arrived."""

    def sends(self) -> tuple[int, list[int]]:
        """Return the node for whose message the leader waits, and the header that it has sent.

        Without such a node return -1, and without a header zeros.
        """

    def where(self, rank: int, /) -> str:
        """Return where a member is in the program; empty if unknown."""


class Notices:
    """A leader's side of the reports.

    Members of the caller's node read the states of members on other nodes in ``room``. ``scratch``
    has the states of the members on the caller's node.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        room: Room,
        scratch: NodeScratch,
        waiting: Waiting,
        one_way: OneWay,
    ) -> None:
        self._one_way = one_way
        self._layout = layout
        self._room = room
        self._scratch = scratch
        self._fence = scratch.window.fence
        self._waiting = waiting
        self._places: dict[int, str] = {}
        """The call sites of absent members of other nodes, as reported."""
        self._others = [other for other in range(len(layout.nodes)) if other != layout.node]
        self._late = dict.fromkeys(self._others, (0, _NOBODY, _NOBODY))
        """For each node, the round in which its leader waits, and the member and the node for which
        the leader waits."""
        self._headers: dict[int, tuple[int, Said]] = {}
        """For each node that has reported a wait, the last such round, and the leader's call."""
        self._since = 0, 0.0
        """The round of the last long wait, and the time when this wait called :meth:`move`
        first."""
        no_header, no_ends = [0] * 4, [0] * (_DEADLINE_WORDS + 2 * len(layout.members))
        nothing = [0, _NOBODY, _NOBODY, *no_header, *_words(""), *no_ends]
        self._about = nothing
        self._told = dict.fromkeys(self._others, nothing)
        self._comm = comm
        self._sends: dict[int, list[MPI.Request]] = {other: [] for other in self._others}
        self._sent: list[array[int]] = []
        """Buffers of messages that have not been received."""
        self._lock = threading.RLock()
        self._is_moving = self._is_leaving = self._is_quiet = self._is_closed = False
        self._last: list[MPI.Request] = []
        """The request of the barrier in :meth:`close`; empty before :meth:`close`."""
        most = max(map(len, layout.nodes))
        self._received = array("q", [0] * (_ENDS + 2 * most))
        self._matched: list[MPI.Message] = []
        """The message that is being received, if any."""

    def absent(self) -> list[int]:
        """Return the members on other nodes that the caller waits for.

        The result has the members that leaders reported as late, and the leaders of nodes without a
        report.
        """
        firsts, current = self._layout.firsts, self._waiting.sequence
        awaited, header = self._waiting.sends()
        if awaited >= 0 and header[0] & ONE_WAY:
            return [self._last_of(awaited)]
        found = []
        for other, (number, member, _) in self._late.items():
            if number < current:
                found.append(firsts[other])
            elif number == current and member != _NOBODY:
                found.append(member)
                if self._room.words[self._room.end_of(firsts[other])]:
                    found.append(firsts[other])  # this leader has timed out or exited
        return found or [firsts[other] for other in self._others]

    def _last_of(self, node: int) -> int:
        """Return the member at the end of a chain of one-way waits that begins with a node."""
        for _ in self._others:
            number, member, awaited = self._late[node]
            if number != self._waiting.sequence:
                break
            if member != _NOBODY:
                return member
            if awaited not in self._late:
                break
            node = awaited
        return self._layout.firsts[node]

    def number(self) -> int:
        """Return the number of the caller's round."""
        return self._waiting.sequence

    def has_passed(self, node: int, number: int) -> bool:
        """Return whether a leader has reported that it has gone on after a round."""
        at = self._room.end_of(self._layout.firsts[node])
        has_ended = self._room.words[at] != 0
        return self._late[node][0] > number or (has_ended and self._room.words[at + 1] >= number)

    def dispute(self, number: int) -> None:
        """Open a dispute about a round."""
        with self._lock:
            self._one_way.open(number)

    def named(self) -> list[int]:
        """Return the members that other leaders have reported as late in this round."""
        return [
            member
            for number, member, _ in self._late.values()
            if number == self._waiting.sequence and member != _NOBODY
        ]

    def where(self, member: int) -> str:
        """Return where a late member of another node is in the program, as reported."""
        return self._places.get(member, "")

    def move(self) -> None:
        """Receive reports of other leaders, and send new reports.  Called in every long wait."""
        # Only one thread at a time may exchange reports. A closed team exchanges no reports.
        with self._lock:
            if self._is_closed or self._is_moving:
                return  # a signal's handler has interrupted this method and called it again
            self._is_moving = True
            try:
                self._receive()
                # A leader opens a dispute before it reports its end, so look for disputes last.
                self._one_way.receive(self._waiting.sequence)
                self._compare_headers()
                if not self._is_quiet:
                    self._tell()
            finally:
                self._is_moving = False

    def _receive(self) -> None:
        while True:
            # ``extend`` is one C call, so no signal handler can raise between the match and the
            # append. After an interrupt the next call completes the receive.
            if not self._matched:
                found = map(self._comm.Improbe, [MPI.ANY_SOURCE], [TAG])
                self._matched.extend(filter(None, found))
            if not self._matched:
                return
            if self._matched[0]:
                self._matched[0].Recv([self._received, MPI.INT64_T])
            self._take()
            self._matched.clear()

    def _take(self) -> None:
        received, words = self._received, self._room.words
        node = received[_NODE]
        self._late[node] = received[_ROUND], received[_ABSENT], received[_AWAITED]
        word, count, extra, number = received[_HEADER:_PLACE]
        self._headers[node] = number, (word, count, extra)
        text = received[_PLACE:_DEADLINE].tobytes().partition(b"\0")[0]
        self._places[received[_ABSENT]] = text.decode(errors="ignore")
        at = self._room.deadline
        if received[_DEADLINE] and not words[at]:
            # Write the text before the states, so that a member that reads a state can also read
            # the text.
            for place, word in enumerate(received[_DEADLINE:_ENDS]):
                words[at + place] = word
        for place, member in enumerate(self._layout.nodes[node]):
            state, last = received[_ENDS + 2 * place : _ENDS + 2 * place + 2]
            at = self._room.end_of(member)
            words[at + 1] = last
            if self._fence is not None:
                # Release: a member that reads the new state also reads this last round.
                self._fence()
            words[at] = state

    def _compare_headers(self) -> None:
        """Look for a dispute about a round in which another leader waits, or has waited."""
        if self._headers:
            word, count, extra, own_number = self._waiting.sends()[1]
            own = word, count, extra
            for number, theirs in self._headers.values():
                self._one_way.compare(number, theirs, own if number == own_number else None)

    def _tell(self) -> None:
        number, member, *header = self._about[: _PLACE - 1]
        if not self._is_leaving:
            number, member = self._find_late(number, member)
            if number == self._waiting.sequence:
                awaited, sent = self._waiting.sends()
                header = [awaited, *sent]
        place = _words(self._waiting.where(member) if member != _NOBODY else "")
        # Read the states before the deadline, because members write their states last.
        ends = self._near_ends()
        self._about = about = [number, member, *header, *place, *self._near_deadline(), *ends]
        for other, told in self._told.items():
            # `about` lacks the first word of a message.
            is_urgent = told[_DEADLINE - 1 :] != about[_DEADLINE - 1 :]
            if told != about and (is_urgent or self._has_received(other)):
                self._send(other, about)

    def _near_ends(self) -> list[int]:
        """Return state and last round of each member on this node."""
        words, ends = self._room.words, []
        for member, at in zip(self._layout.members, self._scratch.states, strict=True):
            ends.append(words[at])
            if self._fence is not None:
                # Acquire: the last round that belongs to the state is visible from here on.
                self._fence()
            ends.append(words[self._room.end_of(member) + 1])
        return ends

    def _near_deadline(self) -> list[int]:
        """Return the words of a deadline that ended a wait on this node; zeros if none did."""
        for place, member in enumerate(self._layout.members):
            words = self._scratch.deadline_words(place)
            if words[0]:
                return [member + 1, *words]
        return [0] * _DEADLINE_WORDS

    def _find_late(self, number: int, member: int) -> tuple[int, int]:
        """If the wait is long, return its round and a late member, and otherwise the arguments."""
        now_s, current = time.monotonic(), self._waiting.sequence
        since, since_s = self._since
        if since != current:
            self._since = current, now_s
        elif number < current and now_s - since_s > _TELL_AFTER_S:
            number = current
        if number == current:
            absent = self._waiting.late()
            member = absent[0] if absent else _NOBODY
        return number, member

    def leave(self) -> None:
        """Stop reporting late members. Then the report of the last exit is the last message."""
        self._is_leaving = True

    def _send(self, other: int, about: list[int]) -> None:
        data = array("q", [self._layout.node, *about])
        self._sent.append(data)
        whom = self._layout.firsts[other]
        # Use synchronous sends, whose requests complete only after the message was received.
        # ``extend`` is one C call, so no signal handler can raise between the send and the append.
        self._sends[other].extend(map(self._comm.Issend, [[data, MPI.INT64_T]], [whom], [TAG]))
        self._told[other] = about

    def _has_received(self, other: int) -> bool:
        """Return whether a leader has received all messages of the caller."""
        sends = self._sends[other]
        while sends and sends[0].Test():
            sends.pop(0)
        if not any(self._sends.values()):
            self._sent.clear()
        return not sends

    def is_state_received(self) -> bool:
        """Return whether all leaders have received the present state of this node."""
        return self._is_everything_received() and all(
            told == self._about for told in self._told.values()
        )

    def _is_everything_received(self) -> bool:
        """Return whether all leaders have received all messages of the caller."""
        with self._lock:
            return all(map(self._has_received, self._others))

    def close(self, comm: MPI.Intracomm) -> None:
        """Complete all messages.  Collective over the leaders, whose communicator is ``comm``."""
        # Take the lock, because other threads of the program may be in move().
        with self._lock:
            self._is_quiet = True
        # A leader enters the barrier only after its messages have been received. So after the
        # barrier no leader has messages to receive.
        while not self._is_everything_received():
            self._go_on()
        if not self._last:
            # ``extend`` is one C call, so no signal handler can raise between the start and the
            # append.
            self._last.extend(map(MPI.Intracomm.Ibarrier, [comm]))
        while not self._last[0].Test():
            self._go_on()
        with self._lock:
            self._is_closed = True

    def _go_on(self) -> None:
        self.move()
        os.sched_yield()


def _words(text: str) -> array[int]:
    """Return a text as words of a message."""
    return array("q", text.encode()[:_PLACE_BYTES].ljust(_PLACE_BYTES, b"\0"))
