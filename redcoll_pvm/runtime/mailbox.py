"""Messages between PEs: buffered, tagged, taken in any order.

A message is bytes with a tag of the caller's. It travels by post, and what has arrived is
matched here: by source, by tag, in order per source.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import PeerLostError
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.message_transport import LETTER, Arrival, Post

_GRACE_LOOKS = 3
"""Looks, a tenth of a second apart, for a message of a PE that has gone."""


class Letter:
    """A message that arrives, or has arrived."""

    __slots__ = ("arrival", "body", "source", "tag")

    def __init__(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.source = arrival.source
        self.tag = arrival.numbers[0]
        self.body = arrival.body


class Mail:
    """The messages of a PE."""

    def __init__(self, commons: Commons, post: Post) -> None:
        self._commons = commons
        self._post = post
        self._incoming: list[Letter] = []
        post.deliver(LETTER, self._receive)

    def _receive(self, arrival: Arrival) -> None:
        self._incoming.append(Letter(arrival))

    def send(self, to: int, tag: int, body: NDArray[np.uint8]) -> None:
        """Send a message; ``body`` must not be changed afterwards.

        Parameters
        ----------
        to
            The recipient, which may be this PE. Nothing happens if it has gone.
        tag
            Any number of 63 bits.
        body
            One-dimensional and contiguous.
        """
        if to == self._commons.index:
            self._post.progress()
            self._receive(Arrival(to, (tag,), body))
        else:
            self._post.send(to, LETTER, (tag,), body)

    def find(self, is_wanted: Callable[[Letter], bool]) -> Letter | None:
        """The first message that matches and is whole, None if there is none yet.

        A message that still arrives keeps later ones of its kind back; one whose sender has died
        before it had arrived is thrown away.
        """
        self._post.progress()
        while (letter := self._first(is_wanted)) is not None:
            if letter.arrival.is_whole():
                return letter
            if not letter.arrival.is_lost:
                return None
            self._incoming.remove(letter)
        return None

    def _first(self, is_wanted: Callable[[Letter], bool]) -> Letter | None:
        """The first message that matches, whole or not."""
        return next(filter(is_wanted, self._incoming), None)

    def take(self, letter: Letter) -> None:
        """Remove a message that ``find`` returned."""
        self._incoming.remove(letter)

    def receive(
        self, is_wanted: Callable[[Letter], bool], source: int | None, doing: str
    ) -> Letter:
        """Wait for a message and remove it.

        Parameters
        ----------
        is_wanted
            Which.
        source
            The PE that it comes from, None for any.
        doing
            The call in words.

        Raises
        ------
        PeerLostError
            The source has gone, or no other PE is left, and nothing is under way; or it is the
            caller, and has sent nothing.
        CollectiveTimeoutError
            ``REDCOLL_TIMEOUT`` has passed.
        """
        found: list[Letter] = []
        looks_left = _GRACE_LOOKS

        def ready() -> bool:
            letter = self.find(is_wanted)
            if letter is not None:
                found.append(letter)
            return bool(found)

        def absent() -> list[int]:
            nonlocal looks_left
            letter = self._first(is_wanted)
            if letter is not None:
                # Of who has died it is soon found lost; who has left stays until it has gone out.
                is_settled = letter.arrival.is_whole() or self._commons.is_dead(letter.source)
                return [] if is_settled else [letter.source]
            left = [pe for pe in self._commons.others() if source in (None, pe)]
            if not left:
                # What it sent before it went may still be under way.
                looks_left -= 1
                if looks_left < 0:
                    raise PeerLostError(f"{doing}: {self._whose_end(source)}")
            return left

        self._commons.wait(ready, absent, lambda: doing, for_the_departed=True)
        self.take(found[0])
        return found[0]

    def _whose_end(self, source: int | None) -> str:
        """Why nothing comes from there."""
        if source == self._commons.index:
            return "the caller has not sent it"
        who = "every other PE" if source is None else self._commons.name(source)
        return f"{who} has gone, and no message is there"
