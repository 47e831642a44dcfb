"""Hand arrays over to PEs on any node, by post."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from redcoll import config
from redcoll.errors import NotInGroupError
from redcoll.groups.far.commons import FarCommons
from redcoll.groups.parcels import INLINE_BYTES, SLOTS, Array, Route
from redcoll.groups.post import GIVEN_UP, PARCEL, TAKEN, Arrival, Post
from redcoll.groups.sender import in_words


class _Sent(NamedTuple):
    """A parcel that has been handed over, and not been taken."""

    to: int
    stamp: int
    """The recipient's."""
    room_bytes: int
    """What it occupies of the room."""
    is_wanted: Callable[[], bool]


class FarOutbox:
    """What this PE hands over; the recipients say what they have taken."""

    def __init__(self, commons: FarCommons, post: Post) -> None:
        self._commons = commons
        self._post = post
        self._ticket = 0
        self._sent: dict[int, _Sent] = {}
        self._room_bytes = config.HANDOVER_BYTES.get()
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
        """As of :class:`redcoll.groups.sender.Sender`."""
        n_bytes = 0 if data is None else data.nbytes
        # One that is larger than the room is waited for, and must leave some to others.
        is_large = n_bytes > self._room_bytes
        room_bytes = self._room_bytes // 2 if is_large else n_bytes
        if room_bytes <= INLINE_BYTES:
            room_bytes = 0
        # First of all what may fail: once a parcel is counted it has to go.
        body = None if data is None else data.view(np.uint8).copy()
        self._await_room(room_bytes)
        self._ticket += 1
        ticket = self._ticket
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

        def absent() -> list[int]:
            if ready():
                return []
            if not sent.is_wanted():
                raise NotInGroupError(f"{self._commons.name(sent.to)} left without taking it all")
            return [sent.to]

        doing = f"handing {n_bytes} bytes over to {self._commons.name(sent.to)} in pieces"
        self._commons.wait(ready, absent, lambda: doing)

    def _await_room(self, room_bytes: int) -> None:
        def has_room() -> bool:
            return len(self._sent) < SLOTS and room_bytes <= self._free_bytes

        def ready() -> bool:
            self._post.progress()
            return has_room()

        def absent() -> list[int]:
            self._reclaim_unwanted()
            return sorted({sent.to for sent in self._sent.values()})

        if not has_room() and not ready():
            self._reclaim_unwanted()
            self._commons.wait(
                ready, absent, lambda: in_words(room_bytes, is_full=len(self._sent) >= SLOTS)
            )

    def _reclaim_unwanted(self) -> None:
        """Free what will be taken by nobody any more."""
        is_wanted: dict[int, bool] = {}
        for ticket, sent in list(self._sent.items()):
            if sent.stamp not in is_wanted:
                is_wanted[sent.stamp] = self._commons.fate(sent.to) is None and sent.is_wanted()
            if not is_wanted[sent.stamp]:
                self._free(ticket)
