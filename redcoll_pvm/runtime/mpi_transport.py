"""Hand arrays over to PEs on any node, by post."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from redcoll_pvm import _settings
from redcoll_pvm.runtime.far.commons import FarCommons
from redcoll_pvm.runtime.transport import INLINE_BYTES, SLOTS, Array, Route
from redcoll_pvm.runtime.message_transport import GIVEN_UP, PARCEL, TAKEN, Arrival, Post
from redcoll_pvm.runtime.sender import Sender


class _Sent(NamedTuple):
    """A parcel that has been handed over, and not been taken."""

    to: int
    stamp: int
    """The recipient's."""
    room_bytes: int
    """What it occupies of the room."""
    is_wanted: Callable[[], bool]


class FarOutbox(Sender):
    """What this PE hands over; the recipients say what they have taken."""

    _commons: FarCommons

    def __init__(self, commons: FarCommons, post: Post) -> None:
        super().__init__(commons)
        self._post = post
        self._sent: dict[int, _Sent] = {}
        self._room_bytes = _settings.HANDOVER_BYTES.get()
        self._free_bytes = self._room_bytes
        post.deliver(TAKEN, self._reclaim)

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
        n_bytes = 0 if data is None else data.nbytes
        # One that is larger than the room is waited for, and must leave some to others.
        is_large = n_bytes > self._room_bytes
        room_bytes = self._room_bytes // 2 if is_large else n_bytes
        if room_bytes <= INLINE_BYTES:
            room_bytes = 0
        # First of all what may fail: once a parcel is counted it has to go.
        body = None if data is None else data.view(np.uint8).copy()
        if not self._has_room(room_bytes):
            self._await_room(room_bytes)
        self.ticket += 1
        ticket = self.ticket
        self._sent[ticket] = _Sent(route.to, route.recipient_stamp, room_bytes, is_wanted)
        self._free_bytes -= room_bytes
        self._commons.sent_to[route.to] += 1
        # Slot and place mean nothing here.
        numbers = (ticket, 0, *route, form, count, refusal, n_bytes, 0, 0)
        self._post.send(route.to, PARCEL, numbers, body)
        if is_large:
            try:
                self._await_taken(ticket, n_bytes)
            except BaseException:
                self._post.send(route.to, GIVEN_UP, (ticket,))
                raise

    def _reclaim(self, arrival: Arrival) -> None:
        self._free(arrival.numbers[0])

    def _free(self, ticket: int) -> None:
        # It may have been freed because nobody would take it any more.
        sent = self._sent.pop(ticket, None)
        if sent is not None:
            self._free_bytes += sent.room_bytes

    def _await_taken(self, ticket: int, n_bytes: int) -> None:
        sent = self._sent[ticket]

        def ready() -> bool:
            self._post.progress()
            return ticket not in self._sent

        self._await_taking(ready, sent.to, sent.is_wanted, n_bytes)

    def _has_room(self, room_bytes: int) -> bool:
        return not self._is_full() and room_bytes <= self._free_bytes

    def _finds_room(self, room_bytes: int) -> bool:
        self._post.progress()
        return self._has_room(room_bytes)

    def _is_full(self) -> bool:
        return len(self._sent) >= SLOTS

    def _recipients(self) -> set[int]:
        return {sent.to for sent in self._sent.values()}

    def _reclaim_unwanted(self) -> None:
        """Free what will be taken by nobody any more."""
        is_wanted: dict[int, bool] = {}
        for ticket, sent in list(self._sent.items()):
            if sent.stamp not in is_wanted:
                is_wanted[sent.stamp] = self._commons.fate(sent.to) is None and sent.is_wanted()
            if not is_wanted[sent.stamp]:
                self._free(ticket)

    def _forget(self, gone: set[int]) -> None:
        for ticket in [ticket for ticket, sent in self._sent.items() if sent.to in gone]:
            self._free(ticket)
