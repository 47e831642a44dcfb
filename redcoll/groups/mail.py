"""Messages between PEs: buffered, tagged, taken in any order.

A message is bytes with a tag of the caller's. It travels over MPI, on a communicator of
its own: a short one whole, a longer one as an announcement and a body that the recipient
fetches. Sending never waits for the recipient. Arriving messages are drawn out of MPI
whenever this PE waits or calls, and matched here: by source, by tag, in order per source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from redcoll.errors import PeerLostError
from redcoll.groups.commons import Commons

_HEAD, _BODY = 1, 2
"""MPI's tags: what every message starts with, and what a long one goes on with."""
_SHORT_BYTES = 8 << 10
_HEAD_WORDS = 2
_GRACE_LOOKS = 3
"""Looks, a tenth of a second apart, for a message of a PE that has gone."""


class Letter:
    """A message that arrives, or has arrived."""

    __slots__ = ("_rest", "body", "source", "tag")

    def __init__(
        self, source: int, tag: int, body: NDArray[np.uint8], rest: MPI.Request | None = None
    ) -> None:
        self.source = source
        self.tag = tag
        self.body = body
        self._rest = rest

    def is_whole(self) -> bool:
        """Whether all of the body has arrived."""
        if self._rest is not None and self._rest.Test():
            self._rest = None
        return self._rest is None


class Mail:
    """The messages of a PE.  Creating it is collective over the commons."""

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self._comm = commons.comm.Dup()
        self._outgoing: deque[tuple[int, MPI.Request, Any]] = deque()
        self._incoming: list[Letter] = []
        commons.progress_hooks.append(self.progress)

    # -- sending ----------------------------------------------------------------------

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
        self.progress()
        if to == self._commons.index:
            self._incoming.append(Letter(to, tag, body))
            return
        if self._commons.fate(to) is not None:
            return
        head = np.array([tag, body.nbytes], np.int64).view(np.uint8)
        if body.nbytes <= _SHORT_BYTES:
            self._post(to, np.concatenate((head, body)), _HEAD)
        else:
            self._post(to, head, _HEAD)
            self._post(to, body, _BODY)

    def _post(self, to: int, data: NDArray[np.uint8], mpi_tag: int) -> None:
        request = self._comm.Isend([data, MPI.BYTE], to, mpi_tag)
        if not request.Test():
            self._outgoing.append((to, request, data))

    # -- receiving --------------------------------------------------------------------

    def progress(self) -> None:
        """Move what is under way."""
        for _ in range(len(self._outgoing)):
            sent = self._outgoing.popleft()
            if not sent[1].Test():
                self._outgoing.append(sent)
        status = MPI.Status()
        while (message := self._comm.Improbe(MPI.ANY_SOURCE, _HEAD, status)) is not None:
            data = np.empty(status.Get_count(MPI.BYTE), np.uint8)
            message.Recv([data, MPI.BYTE])
            source = status.Get_source()
            tag, n_bytes = data[: 8 * _HEAD_WORDS].view(np.int64).tolist()
            if n_bytes <= _SHORT_BYTES:
                self._incoming.append(Letter(source, tag, data[8 * _HEAD_WORDS :]))
                continue
            body = np.empty(n_bytes, np.uint8)
            rest = self._comm.Irecv([body, MPI.BYTE], source, _BODY)
            self._incoming.append(Letter(source, tag, body, rest))

    def find(self, is_wanted: Callable[[Letter], bool]) -> Letter | None:
        """The first message that matches and is whole, None if there is none yet.

        A message that still arrives keeps later ones of its kind back.
        """
        self.progress()
        for letter in self._incoming:
            if is_wanted(letter):
                return letter if letter.is_whole() else None
        return None

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
            The source has gone, or no other PE is left, and nothing is under way.
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
            left = [pe for pe in self._commons.others() if source in (None, pe)]
            is_arriving = any(is_wanted(letter) for letter in self._incoming)
            if not left and not is_arriving:
                # What it sent before it went may still be under way.
                looks_left -= 1
                if looks_left < 0:
                    who = "every other PE" if source is None else self._commons.name(source)
                    raise PeerLostError(f"{doing}: {who} has gone, and no message is there")
            return left

        self._commons.wait(ready, absent, lambda: doing)
        self.take(found[0])
        return found[0]

    # -- the end ----------------------------------------------------------------------

    def is_flushed(self) -> bool:
        """Whether all that was sent is out of this PE's hands, or its recipient has died."""
        self.progress()
        dead = {to for to, _, _ in self._outgoing if self._commons.is_dead(to)}
        if dead:
            self._outgoing = deque(sent for sent in self._outgoing if sent[0] not in dead)
        return not self._outgoing
