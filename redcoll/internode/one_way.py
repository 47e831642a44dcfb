"""Let node leaders return from a small reduce before the others have arrived.

In a *one-way* round of a reduce, messages travel only along a tree to the root's node. A leader
waits for the nodes below it in the tree, sends one message, and returns. A round is one-way if all
members have agreed on the same call in an earlier round, unless too many rounds before it were
one-way. So all leaders that make the same call know whether its round is one-way. A member that
does not need the result can be one round ahead of its leader's last release (:attr:`Room.ahead`).

If calls differ, some leaders wait for messages that others do not send. Such a *dispute* is found
in one of these ways. A member of the leader's node makes another call in a one-way round, or has
gone on in a round in which calls differ. A message has the number of another round or another call.
A leader reports that it waits in another call of the same round. A leader has passed the round in
which the caller waits for its message. Or another leader reports a dispute. Then all leaders send
each other the calls of their members in the disputed round. Messages may be left over, so the team
cannot go on.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Callable
from typing import Any, Final

from redcoll._mpi4py import MPI
from redcoll.protocol.descriptor import ONE_WAY
from redcoll.topology import Layout

TAG: Final = 3
_MOST_AGREED: Final = 1024
"""The limit of a leader's record of agreed calls. All leaders add the same calls in the same order,
so their records are equal."""

Said = tuple[int, int, int]
"""Word, count and extra of a call."""
Row = list[Any]
"""A member's team rank, the three words of its call, the text of its error, its call site, and
whether it ran ahead."""


class OneWay:
    """A leader's record of one-way rounds, and its side of a dispute.

    At most ``most - 1`` rounds in a row are one-way. ``rows_of`` returns the rows of the members on
    the caller's node for a round.

    The compiled kernel also changes :attr:`recent` and :attr:`first`, and reads :attr:`most`.
    """

    def __init__(
        self, comm: MPI.Intracomm, layout: Layout, most: int, rows_of: Callable[[int], list[Row]]
    ) -> None:
        self._comm = comm
        self._layout = layout
        self._rows_of = rows_of
        self.most = array("q", [most])
        """The only item is the limit."""
        self.agreed: set[Said] = set()
        """The calls whose rounds can be one-way."""
        self.recent: list[Said] = []
        """The calls of the one-way rounds after the last other round."""
        self.first = 0, 0
        """The number of the first of these rounds, and the number that the node's own channel gave
        it."""
        self._before: tuple[tuple[int, int], list[Said]] = self.first, []
        """The same for the previous one-way rounds, which may still come into dispute."""
        self.disputed = 0
        """The number of the round that is in dispute; 0 if there is none."""
        self._told: dict[int, list[Row]] = {}
        """The rows of each node that has answered."""
        self._received: list[Any] = []
        """All messages of other leaders: the number of a round, a node, and its rows."""
        self._status, self._data = MPI.Status(), bytearray()
        self._matched: list[MPI.Message] = []
        """The message that is being received, if any."""
        self._sent: list[Any] = []
        """Requests and buffers of messages, which MPI may use until the process ends."""

    def allows(self, said: Said) -> bool:
        """Return whether the coming round, in which a reduce makes this call, is one-way."""
        return said in self.agreed and len(self.recent) + 1 < self.most[0]

    def stop(self) -> None:
        """Make no more rounds one-way, because of a dispute or a reduction by MPI itself.

        After such a reduction the program may again pass data that redcoll does not support, but on
        some ranks only. MPI can do that reduction only if no rank has run ahead.
        """
        self.most[0] = 1

    def note(self, number: int, near: int, said: Said) -> None:
        """Record a one-way round, before its exchange.

        ``near`` is its number in the node's own channel.
        """
        if not self.recent:
            self.first = number, near
        self.recent.append(said)

    def agree(self, said: Said) -> None:
        """Let later rounds with this call be one-way, after all members have agreed on the call."""
        if len(self.agreed) < _MOST_AGREED:
            self.agreed.add(said)

    def ahead(self, number: int, said: Said) -> int:
        """Return the word :attr:`Room.ahead` after a round that was not one-way."""
        return number + self.most[0] - 1 << 1 | (said in self.agreed)

    def settle(self) -> None:
        """Record that a round is complete that was not one-way."""
        if self.recent:
            self._before = self.first, list(self.recent)
            self.recent.clear()

    def digest(self) -> int:
        """Return a number that is equal on all leaders if their last one-way rounds are equal."""
        return zlib.crc32(repr(self.recent).encode())

    def call_in(self, number: int) -> tuple[Said, int] | None:
        """Return the call of a recent one-way round, and its number in the node's own channel.

        Return None if the round is not among these rounds.
        """
        for (first, near), calls in ((self.first, self.recent), self._before):
            if 0 <= number - first < len(calls):
                return calls[number - first], near + number - first
        return None

    # -- disputes -----------------------------------------------------------------------

    def compare(self, number: int, theirs: Said, own: Said | None) -> None:
        """Open a dispute about a round if another leader makes another call in it.

        ``own`` is the call that the caller makes in this round, if the caller is in this round.
        """
        if own is None and (found := self.call_in(number)) is not None:
            word, count, extra = found[0]
            own = word | ONE_WAY, count, extra
        if own is not None and own != theirs and (own[0] | theirs[0]) & ONE_WAY:
            self.open(number)

    def open(self, number: int) -> None:
        """Tell all leaders the calls of this node's members in a round that is in dispute."""
        if self.disputed and number >= self.disputed:
            return
        node, rows = self._layout.node, self._rows_of(number)
        self.stop()
        self._told = {node: rows}
        data = array("b", json.dumps([number, node, rows]).encode())
        for other, whom in enumerate(self._layout.firsts):
            if other != node:
                # ``extend`` is one C call, so no signal handler can raise between the send and the
                # append.
                self._sent.append(data)
                self._sent.extend(map(self._comm.Isend, [[data, MPI.BYTE]], [whom], [TAG]))
        # If a signal handler raises before this, the next call repeats everything.
        self.disputed = number

    def receive(self, current: int) -> None:
        """Receive what other leaders tell, and answer if a dispute is new.

        ``current`` is the number of the caller's round. The caller answers when it has reached the
        disputed round.
        """
        while True:
            # ``extend`` is one C call, so no signal handler can raise between the match and the
            # append. After an interrupt the next call completes the receive.
            if not self._matched:
                found = map(self._comm.Improbe, [MPI.ANY_SOURCE], [TAG], [self._status])
                self._matched.extend(filter(None, found))
            if not self._matched:
                break
            if self._matched[0]:
                self._data = bytearray(self._status.Get_count(MPI.BYTE))
                self._matched[0].Recv([self._data, MPI.BYTE])
            self._received.append(json.loads(self._data))
            self._matched.clear()
        for number, node, rows in self._received:
            if number <= current:
                self.open(number)
                if number == self.disputed:
                    self._told[node] = rows

    def rows(self) -> list[Row]:
        """Return the rows of all nodes that have answered."""
        return [row for rows in self._told.values() for row in rows]

    def have_all_answered(self) -> bool:
        """Return whether all leaders have told their calls in the disputed round."""
        return len(self._told) == len(self._layout.nodes)
