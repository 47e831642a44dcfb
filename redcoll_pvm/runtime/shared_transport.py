"""Carry contributions in shared memory, for tasks on one node.

Each task has a segment. A task writes its contributions to its own segment, and the recipients read
the contributions there. The segment has these parts::

    published   ticket and slot of the newest contribution
    slots       a slot for each contribution that has not been taken
    buffer      blocks for larger arrays

A slot has these parts::

    taken       ticket of the last contribution that was taken; the recipient writes this word
    header      see :class:`redcoll_pvm.runtime.transport.Header`
    inline      space for a small array

A recipient reads the contributions of a sender in the order of their tickets. The sender
invalidates a header's ticket before it changes the rest of the header. The recipient does not
access contributions for a membership that has ended, because the sender can reuse their slots at
any time. An array that is larger than the buffer travels as an MPI message.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.arguments import Array
from redcoll.comm import gather_objects
from redcoll.memory.allocator import Allocator
from redcoll.memory.shared_window import SharedWindow, room_bytes
from redcoll.ops import Op
from redcoll.protocol.layout import ROW_WORDS
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll_pvm import _settings
from redcoll_pvm.runtime.message_transport import CONTRIBUTION, IncomingMessage, MessageTransport
from redcoll_pvm.runtime.task_set import TaskSet
from redcoll_pvm.runtime.transport import (
    INLINE_BYTES,
    SLOTS,
    Endpoint,
    Header,
    MatchKey,
    Sent,
    Transport,
)

_SLOT_BITS = 8  # SLOTS is 2 ** _SLOT_BITS
# Words of a slot.
_TAKEN, _HEADER = 0, 1
_HEADER_WORDS = len(Header._fields)
_HEADER_STRUCT = struct.Struct(f"{_HEADER_WORDS}q")
_INLINE_AT = round_up(8 * _HEADER + _HEADER_STRUCT.size, LINE)
_SLOT_WORDS = (_INLINE_AT + INLINE_BYTES) // 8
# Offsets in a segment, in bytes.
_SLOTS_AT = LINE
_BUFFER_AT = round_up(_SLOTS_AT + SLOTS * _SLOT_WORDS * 8, 4096)
_LEAST_BUFFER_BYTES = 16 << 10

_RECLAIMED_BY_EACH = 4
"""Number of old contributions that each send checks. The send frees the space of contributions that
have been taken. If no space is left, the send checks all old contributions."""


def _buffer_bytes(comm: MPI.Intracomm) -> int:
    """Return the size of each task's buffer. The default shrinks if shared memory is scarce."""
    wanted_bytes = _settings.HANDOVER_BYTES.get()
    if not _settings.HANDOVER_BYTES.is_set():
        share = room_bytes(comm) // 4 // comm.Get_size() - _BUFFER_AT
        wanted_bytes = max(min(wanted_bytes, share), _LEAST_BUFFER_BYTES)
    # Use the size of task 0 everywhere. The sizes can differ if only some tasks set the variable.
    return gather_objects(comm, round_up(wanted_bytes, 4096))[0]


class SharedTransport(Transport):
    """Transports contributions from and to the calling task.  Construction is collective."""

    def __init__(self, tasks: TaskSet, messages: MessageTransport) -> None:
        buffer_bytes = _buffer_bytes(tasks.comm)
        super().__init__(tasks, buffer_bytes)
        self._messages = messages
        segment_bytes = _BUFFER_AT + buffer_bytes
        window = SharedWindow(
            tasks.comm, segment_bytes, f"handover ({_settings.HANDOVER_BYTES.name})"
        )
        self._words = window.words
        self._memory = window.memory
        self._fence = window.fence
        # For each task: the byte offset of its segment, the index of its published word, and the
        # index of the first word of its slots.
        self._starts = [task * window.segment_bytes for task in range(tasks.size)]
        self._published = [start // 8 for start in self._starts]
        self._slots = [(start + _SLOTS_AT) // 8 for start in self._starts]
        self._hand_over = tasks.kernel.hand_over
        self._fold_at = tasks.kernel.fold_at
        self._me = tasks.me
        self._buffer = Allocator(buffer_bytes)
        self._free_slots = list(range(SLOTS))
        self._seen = array("q", [0] * tasks.size)
        self._unwanted_bodies: set[tuple[int, int]] = set()
        messages.deliver(CONTRIBUTION, self._receive_body)
        tasks.progress_callbacks.append(self.poll)

    # -- sending -------------------------------------------------------------------

    def _send(
        self,
        endpoint: Endpoint,
        details: tuple[int, int, int, int],
        data: Array | None,
        space_bytes: int,
    ) -> None:
        is_message = details[-1] > self._buffer_bytes
        body = data.view(np.uint8).copy() if data is not None and is_message else None
        number = self._free_slots.pop()
        slot = self._slots[self._me] + number * _SLOT_WORDS
        ticket = self.ticket = self.ticket + 1
        if space_bytes:
            block = self._buffer.allocate(space_bytes)
            at = _BUFFER_AT + block
        else:
            block = -1
            at = _SLOTS_AT + number * 8 * _SLOT_WORDS + _INLINE_AT
        incarnation = endpoint.recipient_incarnation
        self._sent[ticket] = Sent(endpoint.to, incarnation, space_bytes, number, block)
        if body is not None:
            self._messages.send(endpoint.to, CONTRIBUTION, (ticket,), body)
        self._hand_over(
            self._words,
            slot + _HEADER,
            (ticket, slot, *endpoint, *details, -1 if is_message else at),
            None if is_message else data,
            self._starts[self._me] + at,
            self._published[self._me],
            ticket << _SLOT_BITS | number,
            self._fence,
        )
        self._reclaim(_RECLAIMED_BY_EACH)

    def _reclaim(self, most: int = SLOTS) -> None:
        words, slots = self._words, self._slots[self._me]
        for ticket, sent in list(islice(self._sent.items(), most)):
            if words[slots + sent.slot * _SLOT_WORDS + _TAKEN] == ticket:
                self._free(ticket)

    def _free(self, ticket: int) -> None:
        sent = self._sent.pop(ticket)
        self._free_slots.append(sent.slot)
        if sent.block >= 0:
            self._buffer.free(sent.block)

    def _free_bytes(self) -> int:
        return self._buffer.largest_free_bytes

    # -- receiving -----------------------------------------------------------------

    def poll(self) -> None:
        """See :meth:`Transport.poll`."""
        words, seen = self._words, self._seen
        for sender, at in enumerate(self._published):
            if words[at] != seen[sender]:
                self._read(sender)

    def has(self, key: MatchKey) -> bool:
        """See :meth:`Transport.has`."""
        sender = key[2]
        if self._words[self._published[sender]] != self._seen[sender]:
            self._read(sender)
        return key in self.arrived

    def spin_for(self, sender: int, limit_s: float) -> None:
        """See :meth:`Transport.spin_for`."""
        at, seen = self._published[sender], self._seen[sender]
        self._tasks.await_change(self._words, at, -1, seen, limit_s)

    def expected(self, keys: Sequence[MatchKey]) -> array[int]:
        """See :meth:`Transport.expected`."""
        rows = array("q")
        for incarnation, subject, sender in keys:
            headers = self._slots[sender] + _HEADER
            rows.extend((self._published[sender], headers, self._me, incarnation, subject, sender))
        return rows

    def collect(self, expected: array[int]) -> list[Header] | None:
        """See :meth:`Transport.collect`."""
        if self.arrived or self._unwanted:
            return None
        found: list[tuple[int, ...]] = []
        is_done = False
        try:
            self._tasks.collect(
                self._words, expected, self._seen, _SLOT_BITS, _SLOT_WORDS, _HEADER_WORDS, found
            )
            headers = [Header._make(words) for words in found]
            is_done = len(headers) * ROW_WORDS == len(expected)
        finally:
            if not is_done:
                for words in found:
                    self._keep(Header._make(words))
        return headers if is_done else None

    def fold(self, op: Op, data: Array, before: int, headers: Sequence[Header]) -> bool:
        """See :meth:`Transport.fold`."""
        starts = []
        for header in headers:
            if header.at < 0:
                return False
            starts.append(self._starts[header.sender] + header.at)
        is_folded: bool = self._fold_at(op, self._memory, starts, before, data)
        return is_folded

    def data(self, header: Header, dtype: np.dtype[Any]) -> Array:
        """See :meth:`Transport.data`."""
        if header.at < 0:
            return self._body(header).view(dtype)
        start = self._starts[header.sender] + header.at
        return np.frombuffer(self._memory, dtype, header.n_elements, start)

    def release(self, header: Header) -> None:
        """See :meth:`Transport.release`."""
        if header.at < 0:
            which = (header.sender, header.ticket)
            if self._bodies.pop(which, None) is None:
                self._unwanted_bodies.add(which)
        # If the membership has ended, do not write to the slot, because the sender may reuse it.
        if header.recipient_incarnation in self._incarnations:
            if self._fence is not None:
                self._fence()
            self._words[header.slot + _TAKEN] = header.ticket

    def _receive_body(self, message: IncomingMessage) -> None:
        which = (message.source, message.numbers[0])
        if which in self._unwanted_bodies:
            self._unwanted_bodies.remove(which)
        else:
            self._bodies[which] = message

    def _read(self, sender: int) -> None:
        """Read the contributions that a sender has published since the last poll."""
        words, slots = self._words, self._slots[sender]
        published = words[self._published[sender]]
        last, newest = self._seen[sender] >> _SLOT_BITS, published >> _SLOT_BITS
        self._seen[sender] = published
        if self._fence is not None:
            self._fence()
        if newest == last + 1:
            self._read_slot(slots + (published & (SLOTS - 1)) * _SLOT_WORDS, newest)
            return
        tickets = words[slots + _HEADER : slots + SLOTS * _SLOT_WORDS : _SLOT_WORDS].tolist()
        new = sorted((ticket, number) for number, ticket in enumerate(tickets) if ticket > last)
        for ticket, number in new:
            # A header with a ticket above ``newest`` may be incomplete.
            if ticket <= newest:
                self._read_slot(slots + number * _SLOT_WORDS, ticket)

    def _read_slot(self, slot: int, ticket: int) -> None:
        header = Header._make(_HEADER_STRUCT.unpack_from(self._memory, (slot + _HEADER) * 8))
        if self._fence is not None:
            self._fence()
        # The sender can reuse the slot during this read, if the contribution is for another task or
        # for a membership that has ended. So keep the contribution only after these tests.
        if (
            header.to == self._me
            and self._words[slot + _HEADER] == ticket
            and header.recipient_incarnation in self._incarnations
        ):
            self._keep(header)
