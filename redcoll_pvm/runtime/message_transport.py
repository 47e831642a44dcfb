"""Carry messages between tasks by MPI, without loss and in the order in which they are sent.

A message has a kind, some numbers and a body. A short message is one MPI message. A long message is
two MPI messages, a head and a body. The recipient posts a receive for the body after it has
received the head. Sending never waits for the recipient.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
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


class MessageComm:
    """A communicator on which a send never waits for the recipient."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self.comm = comm
        # Messages that MPI has not sent yet. The list keeps their data alive.
        self._sends: deque[tuple[int, MPI.Request, Any]] = deque()

    def send(self, to: int, data: Any, tag: int) -> None:
        """Start to send a message. ``data`` must not change afterwards."""
        request = self.comm.Isend([data, MPI.BYTE], to, tag)
        if not request.Test():
            self._sends.append((to, request, data))

    def progress(self) -> None:
        """Forget the messages that MPI has sent."""
        for _ in range(len(self._sends)):
            sent = self._sends.popleft()
            if not sent[1].Test():
                self._sends.append(sent)

    def pending(self) -> list[int]:
        """Return the recipients of the messages that MPI has not sent yet."""
        return [to for to, _, _ in self._sends]

    def receive(self, source: int, tag: int) -> Iterator[tuple[int, bytearray]]:
        """Receive the messages that have arrived; yield source and data of each message."""
        status = MPI.Status()
        while (message := self.comm.Improbe(source, tag, status)) is not None:
            data = bytearray(status.Get_count(MPI.BYTE))
            message.Recv([data, MPI.BYTE])
            yield status.Get_source(), data


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

    @property
    def tag(self) -> int:
        """The tag of a message of the program."""
        return self.numbers[0]

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
        self._comm = MessageComm(tasks.comm.Dup())
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
        self._comm.send(to, head, _HEAD)
        if body is not None and n_bytes > _SHORT_BYTES:
            self._comm.send(to, body, _BODY)

    def _progress(self) -> None:
        self._comm.progress()
        for _ in range(len(self._arriving)):
            message = self._arriving.popleft()
            if not message.is_whole():
                self._arriving.append(message)
        for source, data in self._comm.receive(MPI.ANY_SOURCE, _HEAD):
            self._receive(source, np.frombuffer(data, np.uint8))

    def _receive(self, source: int, data: Bytes) -> None:
        fixed = 8 * _FIXED_WORDS
        kind, n_numbers, n_bytes = data[:fixed].view(np.int64).tolist()
        start = fixed + 8 * n_numbers
        numbers = data[fixed:start].view(np.int64).tolist()
        if n_bytes <= _SHORT_BYTES:
            message = IncomingMessage(source, numbers, data[start:])
        else:
            body = np.empty(n_bytes, np.uint8)
            rest = self._comm.comm.Irecv([body, MPI.BYTE], source, _BODY)
            message = IncomingMessage(source, numbers, body, rest)
            self._arriving.append(message)
        self._receivers[kind](message)

    def is_flushed(self) -> bool:
        """Return whether MPI has sent everything, except messages to tasks that have died."""
        self._tasks.progress()
        return all(map(self._tasks.has_died, self._comm.pending()))
