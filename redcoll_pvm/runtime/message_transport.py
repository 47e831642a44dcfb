"""What goes between PEs by MPI's messages: whole, never lost, in order from each sender.

A piece of mail has a kind, a few numbers and bytes. A short one travels whole, a longer one
as an announcement and a body that the recipient fetches. Sending never waits for the
recipient. What arrives is drawn out of MPI whenever this PE waits or calls, and passed to
whoever has asked for its kind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll_pvm.runtime.task_set import Commons

Body = NDArray[np.uint8]

LETTER, PARCEL, TAKEN, GIVEN_UP = range(4)
"""Kinds: a message of the program's, and what contributions between nodes need."""

_HEAD, _BODY = 1, 2
"""MPI's tags: what all mail starts with, and what a long piece goes on with."""
_SHORT_BYTES = 8 << 10
_FIXED_WORDS = 3
"""Kind, how many numbers, how many bytes."""
_LOOK_EVERY_S = 0.1
_GRACE_S = 0.5
"""So long after its sender was found dead the rest of a body may still come."""


class Arrival:
    """What has arrived, or still arrives."""

    __slots__ = ("_rest", "body", "is_lost", "numbers", "source")

    def __init__(
        self, source: int, numbers: Sequence[int], body: Body, rest: MPI.Request | None = None
    ) -> None:
        self.source = source
        self.numbers = numbers
        self.body = body
        self.is_lost = False
        """Whether the rest of the body will not come: the sender has died."""
        self._rest = rest

    def is_moving(self) -> bool:
        """Whether MPI may still write into the body."""
        if self._rest is not None:
            try:
                is_over = self._rest.Test()
            except MPI.Exception:
                # MPICH reads in the sender's memory, and finds it gone.
                is_over = self.is_lost = True
            if is_over:
                self._rest = None
        return self._rest is not None

    def is_whole(self) -> bool:
        """Whether all of the body has arrived."""
        return not (self.is_moving() or self.is_lost)


class Post:
    """The mail of a PE.  Creating it is collective over the commons."""

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self._comm = commons.comm.Dup()
        self._outgoing: deque[tuple[int, MPI.Request, Any]] = deque()
        # Kept while MPI writes into them, wanted or not.
        self._arriving: deque[Arrival] = deque()
        # By PE: when it was found dead with something of its arriving.
        self._dead_since_s: dict[int, float] = {}
        self._next_look_s = 0.0
        self._takers: dict[int, Callable[[Arrival], object]] = {}
        self._is_busy = False
        commons.progress_hooks.append(self.progress)

    def deliver(self, kind: int, taker: Callable[[Arrival], object]) -> None:
        """Have all mail of a kind passed to ``taker``."""
        self._takers[kind] = taker

    def send(self, to: int, kind: int, numbers: Sequence[int], body: Body | None = None) -> None:
        """Send to another PE; ``body`` must not be changed afterwards.

        Parameters
        ----------
        to
            Another PE. Nothing happens if it has gone.
        kind
            What it is.
        numbers
            Of 64 bits.
        body
            One-dimensional and contiguous; None for nothing.
        """
        self.progress()
        if self._commons.fate(to) is not None:
            return
        n_bytes = 0 if body is None else body.nbytes
        head = np.array([kind, len(numbers), n_bytes, *numbers], np.int64).view(np.uint8)
        if body is not None and n_bytes <= _SHORT_BYTES:
            head = np.concatenate((head, body))
        self._start(to, head, _HEAD)
        if body is not None and n_bytes > _SHORT_BYTES:
            self._start(to, body, _BODY)

    def _start(self, to: int, data: Body, mpi_tag: int) -> None:
        request = self._comm.Isend([data, MPI.BYTE], to, mpi_tag)
        if not request.Test():
            self._outgoing.append((to, request, data))

    def progress(self) -> None:
        """Move what is under way."""
        # Who is handed something may send: what comes next can wait until it has done so.
        if self._is_busy:
            return
        self._is_busy = True
        try:
            for errand in self._commons.errands:
                errand()
            self._move()
        finally:
            self._is_busy = False

    def _move(self) -> None:
        for _ in range(len(self._outgoing)):
            sent = self._outgoing.popleft()
            if not sent[1].Test():
                self._outgoing.append(sent)
        for _ in range(len(self._arriving)):
            arrival = self._arriving.popleft()
            if arrival.is_moving():
                self._arriving.append(arrival)
        if self._arriving:
            self._find_lost(monotonic())
        status = MPI.Status()
        while (message := self._comm.Improbe(MPI.ANY_SOURCE, _HEAD, status)) is not None:
            data = np.empty(status.Get_count(MPI.BYTE), np.uint8)
            message.Recv([data, MPI.BYTE])
            self._take(status.Get_source(), data)

    def _find_lost(self, now_s: float) -> None:
        """Give up what comes from the dead, a while after they have died."""
        if now_s < self._next_look_s:
            return
        self._next_look_s = now_s + _LOOK_EVERY_S
        for arrival in self._arriving:
            if self._commons.is_dead(arrival.source):
                dead_since_s = self._dead_since_s.setdefault(arrival.source, now_s)
                if now_s - dead_since_s >= _GRACE_S:
                    arrival.is_lost = True

    def _take(self, source: int, data: Body) -> None:
        fixed = 8 * _FIXED_WORDS
        kind, n_numbers, n_bytes = data[:fixed].view(np.int64).tolist()
        start = fixed + 8 * n_numbers
        numbers = data[fixed:start].view(np.int64).tolist()
        if n_bytes <= _SHORT_BYTES:
            arrival = Arrival(source, numbers, data[start:])
        else:
            body = np.empty(n_bytes, np.uint8)
            rest = self._comm.Irecv([body, MPI.BYTE], source, _BODY)
            arrival = Arrival(source, numbers, body, rest)
            self._arriving.append(arrival)
        self._takers[kind](arrival)

    def is_flushed(self) -> bool:
        """Whether all that was sent is out of this PE's hands, or its recipient has died."""
        self.progress()
        dead = {to for to, _, _ in self._outgoing if self._commons.is_dead(to)}
        if dead:
            self._outgoing = deque(sent for sent in self._outgoing if sent[0] not in dead)
        return not self._outgoing
