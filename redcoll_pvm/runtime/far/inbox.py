"""Take what PEs on any node have handed over by post."""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from redcoll.errors import NotInGroupError, PeerLostError
from redcoll_pvm.runtime.far.commons import FarCommons
from redcoll_pvm.runtime.transport import Array, Key, Parcel
from redcoll_pvm.runtime.message_transport import GIVEN_UP, PARCEL, TAKEN, Arrival, Post
from redcoll_pvm.runtime.queues import Queues


class FarInbox(Queues):
    """What has arrived for this PE; parcels lie in its own memory until they are released."""

    def __init__(self, commons: FarCommons, post: Post) -> None:
        super().__init__()
        self._commons = commons
        self._post = post
        self._arrivals: dict[tuple[int, int], Arrival] = {}
        self._given_up: set[tuple[int, int]] = set()
        # For a membership that this PE has asked for, and not heard of yet.
        self._early: list[Parcel] = []
        self._newest_stamp = 0
        self.received = [0] * commons.size
        """By PE: how many parcels have come from there, ever."""
        post.deliver(PARCEL, self._receive)
        post.deliver(GIVEN_UP, self._hear_of_end)

    def admit(self, stamp: int) -> None:
        """As of :class:`Queues`."""
        super().admit(stamp)
        self._newest_stamp = max(self._newest_stamp, stamp)
        early, self._early = self._early, []
        for parcel in early:
            self._sort_in(parcel)

    def _receive(self, arrival: Arrival) -> None:
        parcel = Parcel._make(arrival.numbers)
        self._arrivals[parcel.sender, parcel.ticket] = arrival
        self.received[parcel.sender] += 1
        self._sort_in(parcel)

    def _sort_in(self, parcel: Parcel) -> None:
        if parcel.recipient_stamp in self._addresses:
            self._keep(parcel)
        elif parcel.recipient_stamp > self._newest_stamp:
            self._early.append(parcel)
        else:
            self.release(parcel)

    def _hear_of_end(self, arrival: Arrival) -> None:
        which = (arrival.source, arrival.numbers[0])
        if which in self._arrivals:
            self._given_up.add(which)

    def look(self) -> None:
        """As of :class:`Queues`."""
        self._post.progress()

    def has(self, sender: int, key: Key) -> bool:  # noqa: ARG002
        """As of :class:`Queues`."""
        if key not in self._arrived:
            self._post.progress()
        return key in self._arrived

    def linger(self, sender: int, limit_s: float) -> bool:
        """As of :class:`Queues`."""
        count = self.received[sender]
        until_s = monotonic() + limit_s
        while self.received[sender] == count:
            if monotonic() >= until_s:
                return False
            self._commons.registry.give_way()
            self._post.progress()
        return True

    def release(self, parcel: Parcel) -> None:
        """As of :class:`Queues`."""
        which = (parcel.sender, parcel.ticket)
        if self._arrivals.pop(which, None) is not None:
            self._given_up.discard(which)
            self._post.send(parcel.sender, TAKEN, (parcel.ticket,))

    def data(self, parcel: Parcel, dtype: np.dtype[Any]) -> Array:
        """As of :class:`Queues`."""
        which = (parcel.sender, parcel.ticket)
        arrival = self._arrivals[which]
        doing = f"taking {parcel.n_bytes} bytes in pieces"

        def ready() -> bool:
            self._post.progress()
            if which in self._given_up:
                name = self._commons.name(parcel.sender)
                raise NotInGroupError(f"{doing}: {name} has given up")
            is_whole = arrival.is_whole()
            if arrival.is_lost:
                raise PeerLostError(f"{doing}: {self._commons.name(parcel.sender)} has died")
            return is_whole

        def absent() -> list[int]:
            # Of who has died it is soon found lost; who has left stays until it has gone out.
            return [] if self._commons.is_dead(parcel.sender) else [parcel.sender]

        self._commons.wait(ready, absent, lambda: doing, for_the_departed=True)
        return arrival.body.view(dtype)
