"""Hand an array over to another PE and go on; ``parcels`` says how the array lies in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.memory.allocator import Allocator
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.transport import (
    DRAINED,
    FILLED,
    GIVEN_UP,
    INLINE_AT,
    INLINE_BYTES,
    ROOM_AT,
    SLOT_BITS,
    SLOT_WORDS,
    SLOTS,
    SLOTS_AT,
    TAKEN,
    TICKET,
    Array,
    Rooms,
    Route,
)
from redcoll_pvm.runtime.sender import Sender


class _Sent(NamedTuple):
    """A parcel that has been handed over."""

    number: int
    """Of its slot."""
    slot: int
    """That slot's first word in the window."""
    ticket: int
    block: int
    """Where in the room, -1 if inline."""
    to: int
    is_wanted: Callable[[], bool]


class Outbox(Sender):
    """What this PE hands over."""

    def __init__(self, commons: Commons, rooms: Rooms) -> None:
        super().__init__(commons)
        self._view = rooms.view
        self._words = rooms.words
        self._hand_over = commons.kernel.hand_over
        self._fence = rooms.fence
        self._me = commons.index
        self._own = rooms.segments[self._me]
        self._start = 8 * self._own
        self._slots = rooms.slots[self._me]
        self._free_slots = list(range(SLOTS))
        self._room_bytes = rooms.own_bytes
        self._room = Allocator(rooms.own_bytes)
        self._sent: deque[_Sent] = deque()

    def send(
        self,
        route: Route,
        form: int,
        count: int,
        refusal: int,
        data: Array | None,
        is_wanted: Callable[[], bool],
    ) -> None:
        """See :meth:`redcoll_pvm.runtime.sender.Sender.send`."""
        for _ in range(min(4, len(self._sent))):
            self._reclaim_first()
        n_bytes = 0 if data is None else data.nbytes
        piece_bytes = 0
        if n_bytes > self._room_bytes:
            piece_bytes = self._room_bytes // 4 // LINE * LINE
        block_bytes = 2 * piece_bytes or n_bytes
        if not self._has_room(block_bytes):
            self._await_room(block_bytes)
        # From here on until the parcel is published nothing may fail.
        number = self._free_slots.pop()
        slot = self._slots + number * SLOT_WORDS
        if block_bytes > INLINE_BYTES:
            block = self._room.allocate(block_bytes)
            at = ROOM_AT + block
        else:
            block = -1
            at = SLOTS_AT + number * 8 * SLOT_WORDS + INLINE_AT
        ticket = self.ticket + 1
        self.ticket = ticket
        if piece_bytes:
            self._words[slot + FILLED] = self._words[slot + DRAINED] = 0
        # First the ticket: whoever still reads the slot's former parcel sees that it has gone.
        self._hand_over(
            self._words,
            slot + TICKET,
            (ticket, slot, *route, form, count, refusal, n_bytes, at, piece_bytes),
            None if piece_bytes else data,
            self._start + at,
            self._own,
            ticket << SLOT_BITS | number,
            self._fence,
        )
        sent = _Sent(number, slot, ticket, block, route.to, is_wanted)
        self._sent.append(sent)
        if data is not None and piece_bytes:
            try:
                self._stream(sent, data.view(np.uint8), at, piece_bytes)
            except BaseException:
                self._words[slot + FILLED] = GIVEN_UP
                raise

    def _stream(self, sent: _Sent, data: NDArray[np.uint8], at: int, piece_bytes: int) -> None:
        """Pass the array through two pieces in turn, one filled while the other is taken."""
        words = self._words
        slot = sent.slot
        done = 0

        def ready() -> bool:
            return done - words[slot + DRAINED] <= piece_bytes or words[slot + TAKEN] == sent.ticket

        while done < data.nbytes:
            self._await_taking(ready, sent.to, sent.is_wanted, data.nbytes)
            if words[slot + TAKEN] == sent.ticket:
                return
            piece = data[done : done + piece_bytes]
            start = at + done // piece_bytes % 2 * piece_bytes
            self._view(self._me, start, piece.dtype, len(piece))[...] = piece
            done += len(piece)
            if self._fence is not None:
                self._fence()
            words[slot + FILLED] = done

    def _reclaim_first(self) -> None:
        """Free what the oldest parcel occupies if it has been taken; else look at it later."""
        sent = self._sent.popleft()
        if self._words[sent.slot + TAKEN] == sent.ticket:
            self._free(sent)
        else:
            self._sent.append(sent)

    def _free(self, sent: _Sent) -> None:
        self._free_slots.append(sent.number)
        if sent.block >= 0:
            self._room.free(sent.block)

    def _reclaim_unwanted(self) -> None:
        """Free what has been taken, or will be taken by nobody any more."""
        for _ in range(len(self._sent)):
            sent = self._sent[0]
            if self._commons.fate(sent.to) is None and sent.is_wanted():
                self._reclaim_first()
            else:
                self._free(self._sent.popleft())

    def _forget(self, gone: set[int]) -> None:
        for _ in range(len(self._sent)):
            sent = self._sent.popleft()
            if sent.to in gone:
                self._free(sent)
            else:
                self._sent.append(sent)

    def _has_room(self, block_bytes: int) -> bool:
        return bool(self._free_slots) and (
            block_bytes <= INLINE_BYTES or self._room.largest_free_bytes >= block_bytes
        )

    def _finds_room(self, block_bytes: int) -> bool:
        for _ in range(len(self._sent)):
            self._reclaim_first()
        return self._has_room(block_bytes)

    def _is_full(self) -> bool:
        return not self._free_slots

    def _recipients(self) -> set[int]:
        return {sent.to for sent in self._sent}
