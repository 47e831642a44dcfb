"""Take what other PEs have handed over; :mod:`redcoll_pvm.runtime.transport` says how it lies."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from redcoll.errors import NotInGroupError
from redcoll.protocol.layout import ROW_WORDS
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.transport import (
    DRAINED,
    FILLED,
    GIVEN_UP,
    HEAD,
    HEAD_WORDS,
    SLOT_BITS,
    SLOT_WORDS,
    SLOTS,
    TAKEN,
    TICKET,
    Array,
    Key,
    Parcel,
    Rooms,
)
from redcoll_pvm.runtime.queues import Queues


class Inbox(Queues):
    """What lies in the rooms of others for this PE."""

    def __init__(self, commons: Commons, rooms: Rooms) -> None:
        super().__init__()
        self._commons = commons
        self._view = rooms.view
        self._words = rooms.words
        self._memory = rooms.memory
        self._fence = rooms.fence
        self._me = commons.index
        self._segments = rooms.segments
        self._slots = rooms.slots
        self._seen = array("q", [0] * commons.size)
        commons.progress_hooks.append(self.look)

    def look(self) -> None:
        """See what has arrived from anybody."""
        words, seen = self._words, self._seen
        for sender, at in enumerate(self._segments):
            if words[at] != seen[sender]:
                self._read(sender)

    def has(self, sender: int, key: Key) -> bool:
        """Whether a parcel of this sender has arrived; looks."""
        if self._words[self._segments[sender]] != self._seen[sender]:
            self._read(sender)
        return key in self._arrived

    def expected(self, keys: Sequence[Key]) -> array[int]:
        """What :meth:`collect` takes for one parcel of each of these keys."""
        rows = array("q")
        for stamp, subject, sender in keys:
            heads = self._slots[sender] + TICKET
            rows.extend((self._segments[sender], heads, self._me, stamp, subject, sender))
        return rows

    def collect(self, expected: array[int]) -> list[Parcel] | None:
        """One parcel for each key, None if something else is or comes in between.

        Waits a moment for each that is late. What has come nevertheless is noted.
        """
        if self._arrived or self._unwanted:
            return None
        heads: list[tuple[int, ...]] = []
        is_done = False
        try:
            self._commons.collect(
                self._words, expected, self._seen, SLOT_BITS, SLOT_WORDS, HEAD_WORDS, heads
            )
            parcels = [Parcel._make(head) for head in heads]
            is_done = len(parcels) * ROW_WORDS == len(expected)
        finally:
            if not is_done:
                for head in heads:
                    self._keep(Parcel._make(head))
        return parcels if is_done else None

    def linger(self, sender: int, limit_s: float) -> bool:
        """Wait a little for a parcel of this sender that has not been seen."""
        at, seen = self._segments[sender], self._seen[sender]
        return self._commons.await_change(self._words, at, -1, seen, limit_s)

    def release(self, parcel: Parcel) -> None:
        """Let the sender have its room back; views of the parcel's data end here."""
        # Once the membership has ended the sender takes its room by itself.
        if parcel.recipient_stamp in self._addresses:
            if self._fence is not None:
                self._fence()
            self._words[parcel.slot + TAKEN] = parcel.ticket

    def data(self, parcel: Parcel, dtype: np.dtype[Any]) -> Array:
        """The array inside, writable; in the sender's room as long as it is not released.

        Raises
        ------
        PeerLostError, NotInGroupError
            It comes in pieces, and the sender has died or given up before the last.
        CollectiveTimeoutError
            It comes in pieces, and the next did not for ``REDCOLL_TIMEOUT``.
        """
        if not parcel.piece_bytes:
            return self._view(parcel.sender, parcel.at, dtype, parcel.n_bytes // dtype.itemsize)
        whole = np.empty(parcel.n_bytes, np.uint8)
        words, sender = self._words, parcel.sender
        slot = parcel.slot
        done = 0
        doing = f"taking {parcel.n_bytes} bytes in pieces"

        def ready() -> bool:
            filled = words[slot + FILLED]
            if filled == GIVEN_UP:
                raise NotInGroupError(f"{doing}: {self._commons.name(sender)} has given up")
            return filled > done

        while done < len(whole):
            self._commons.wait(ready, lambda: [] if ready() else [sender], lambda: doing)
            if self._fence is not None:
                self._fence()
            n_bytes = min(parcel.piece_bytes, len(whole) - done)
            start = parcel.at + done // parcel.piece_bytes % 2 * parcel.piece_bytes
            whole[done : done + n_bytes] = self._view(sender, start, whole.dtype, n_bytes)
            done += n_bytes
            if self._fence is not None:
                self._fence()
            words[slot + DRAINED] = done
        return whole.view(dtype)

    def _read(self, sender: int) -> None:
        """Note the parcels that a sender has published since the last look."""
        words, slots = self._words, self._slots[sender]
        published = words[self._segments[sender]]
        last, newest = self._seen[sender] >> SLOT_BITS, published >> SLOT_BITS
        self._seen[sender] = published
        if self._fence is not None:
            self._fence()
        if newest == last + 1:
            self._note(slots + (published & (SLOTS - 1)) * SLOT_WORDS, newest)
            return
        tickets = words[slots + TICKET : slots + SLOTS * SLOT_WORDS : SLOT_WORDS].tolist()
        new = sorted((ticket, number) for number, ticket in enumerate(tickets) if ticket > last)
        for ticket, number in new:
            # What is newer still is not published: its head may not be whole.
            if ticket <= newest:
                self._note(slots + number * SLOT_WORDS, ticket)

    def _note(self, slot: int, ticket: int) -> None:
        parcel = Parcel._make(HEAD.unpack_from(self._memory, (slot + TICKET) * 8))
        if self._fence is not None:
            self._fence()
        # Others' parcels may be taken, and their slots be used anew, while this PE reads;
        # so may one for a membership that has ended: that is not this PE's to touch.
        if (
            parcel.to != self._me
            or self._words[slot + TICKET] != ticket
            or parcel.recipient_stamp not in self._addresses
        ):
            return
        self._keep(parcel)
