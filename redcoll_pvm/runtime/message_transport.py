"""Carry messages between tasks by MPI, without loss and in the order in which they are sent.

A message has a kind, some numbers and a body. A short message is one MPI message. A long message is
two MPI messages, a head and a body. The recipient posts a receive for the body after it has
received the head. Sending never waits for the recipient.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll_pvm.runtime.task_set import TaskSet

Bytes = NDArray[np.uint8]

MESSAGE, CONTRIBUTION, TAKEN = range(3)
"""Kinds of message: a message of the program; a contribution or its body; a notice that a
contribution was taken."""

_HEAD, _BODY = 1, 2
"""MPI's tags for heads of messages, and for long bodies."""
_SHORT_BYTES = 8 << 10
_FIXED_WORDS = 3
"""Words at the start of each head: the kind, how many numbers follow, and the bytes of the body."""


class IncomingMessage:
    """A message that has arrived, or is arriving."""

    __slots__ = ("_is_lost", "_rest", "body", "numbers", "source")

    def __init__(
        self, source: int, numbers: Sequence[int], body: Bytes, rest: MPI.Request | None = None
    ) -> None:
        self.source = source
        self.numbers = numbers
        self.body = body
        self._rest = rest
        self._is_lost = False

    def is_whole(self) -> bool:
        """Return whether the whole body has arrived.

        If the sender has died, the body may never arrive.
        """
        if self._rest is not None and not self._is_lost:
            try:
                if self._rest.Test():
                    self._rest = None
            except MPI.Exception:
                # MPICH reads the body from the memory of the sender, whose process has ended.
                self._is_lost = True
        return self._rest is None


class MessageTransport:
    """Sends and receives the messages of a task.  Construction is collective."""

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks
        self._comm = tasks.comm.Dup()
        self._outgoing: deque[tuple[int, MPI.Request, Any]] = deque()
        # MPI writes into the bodies of these messages, so keep the messages alive.
        self._arriving: deque[IncomingMessage] = deque()
        self._receivers: dict[int, Callable[[IncomingMessage], object]] = {}
        tasks.progress_callbacks.append(self._progress)

    def deliver(self, kind: int, receiver: Callable[[IncomingMessage], object]) -> None:
        """Pass all messages of a kind to ``receiver``."""
        self._receivers[kind] = receiver

    def send(self, to: int, kind: int, numbers: Sequence[int], body: Bytes | None = None) -> None:
        """Send to another task.  If the task has left or died, the call does nothing.

        The numbers have 64 bits. ``body`` is one-dimensional and contiguous, and must not change
        afterwards.
        """
        self._tasks.progress()
        if self._tasks.fate(to) is not None:
            return
        n_bytes = 0 if body is None else body.nbytes
        head = np.array([kind, len(numbers), n_bytes, *numbers], np.int64).view(np.uint8)
        if body is not None and n_bytes <= _SHORT_BYTES:
            head = np.concatenate((head, body))
        self._start(to, head, _HEAD)
        if body is not None and n_bytes > _SHORT_BYTES:
            self._start(to, body, _BODY)

    def _start(self, to: int, data: Bytes, mpi_tag: int) -> None:
        request = self._comm.Isend([data, MPI.BYTE], to, mpi_tag)
        if not request.Test():
            self._outgoing.append((to, request, data))

    def _progress(self) -> None:
        for _ in range(len(self._outgoing)):
            sent = self._outgoing.popleft()
            if not sent[1].Test():
                self._outgoing.append(sent)
        for _ in range(len(self._arriving)):
            message = self._arriving.popleft()
            if not message.is_whole():
                self._arriving.append(message)
        status = MPI.Status()
        while (found := self._comm.Improbe(MPI.ANY_SOURCE, _HEAD, status)) is not None:
            data = np.empty(status.Get_count(MPI.BYTE), np.uint8)
            found.Recv([data, MPI.BYTE])
            self._receive(status.Get_source(), data)

    def _receive(self, source: int, data: Bytes) -> None:
        fixed = 8 * _FIXED_WORDS
        kind, n_numbers, n_bytes = data[:fixed].view(np.int64).tolist()
        start = fixed + 8 * n_numbers
        numbers = data[fixed:start].view(np.int64).tolist()
        if n_bytes <= _SHORT_BYTES:
            message = IncomingMessage(source, numbers, data[start:])
        else:
            body = np.empty(n_bytes, np.uint8)
            rest = self._comm.Irecv([body, MPI.BYTE], source, _BODY)
            message = IncomingMessage(source, numbers, body, rest)
            self._arriving.append(message)
        self._receivers[kind](message)

    def is_flushed(self) -> bool:
        """Return whether MPI has sent everything, except messages to tasks that have died."""
        self._tasks.progress()
        return all(self._tasks.is_dead(to) for to, _, _ in self._outgoing)
