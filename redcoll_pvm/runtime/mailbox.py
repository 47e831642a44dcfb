"""Keep the program's messages, which have tags and can be received in any order.

A receive chooses by source and tag among the messages that have arrived. Messages from one source
match in the order in which they were sent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import PeerLostError
from redcoll_pvm.runtime.message_transport import MESSAGE, IncomingMessage, MessageTransport
from redcoll_pvm.runtime.task_set import TaskSet

Wanted = Callable[[IncomingMessage], bool]
"""A function that returns whether a receive takes a message."""

_GRACE_POLLS = 3
"""If the sender has left, a receive fails after this number of polls, which are 0.1 s apart."""


class Mailbox:
    """The messages that have arrived for a task. The mailbox also sends messages."""

    def __init__(self, tasks: TaskSet, messages: MessageTransport) -> None:
        self._tasks = tasks
        self._messages = messages
        self._arrived: list[IncomingMessage] = []
        messages.deliver(MESSAGE, self._arrived.append)

    def send(self, to: int, tag: int, body: NDArray[np.uint8]) -> None:
        """Send a message to a task, which may be the caller.

        ``body`` is one-dimensional and contiguous, and must not change afterwards. If the task has
        left or died, the call does nothing.
        """
        if to == self._tasks.me:
            self._tasks.progress()
            self._arrived.append(IncomingMessage(to, (tag,), body))
        else:
            self._messages.send(to, MESSAGE, (tag,), body)

    def find(self, is_wanted: Wanted) -> IncomingMessage | None:
        """Return the first message that matches, if it is complete; otherwise None.

        If the first match is still arriving, the result is None even if a later match is complete.
        An incomplete message is dropped if its sender has died.
        """
        self._tasks.progress()
        while (message := self._first(is_wanted)) is not None:
            if message.is_whole():
                return message
            if not self._tasks.has_died(message.source):
                return None
            self._arrived.remove(message)
        return None

    def _first(self, is_wanted: Wanted) -> IncomingMessage | None:
        return next(filter(is_wanted, self._arrived), None)

    def remove(self, message: IncomingMessage) -> None:
        """Remove a message that ``find`` returned."""
        self._arrived.remove(message)

    def receive(self, is_wanted: Wanted, source: int | None, doing: str) -> IncomingMessage:
        """Wait for a message and remove it.

        ``source`` is the task that sends the message, or None for any task. ``doing`` describes the
        call. Raises PeerLostError if no matching message is in flight, and the source has left or
        died. With None as ``source``, this error means that all other tasks have left or died. The
        call also raises PeerLostError if the source is the caller, and the caller has sent no
        matching message.
        """
        found: list[IncomingMessage] = []
        polls_left = _GRACE_POLLS

        def ready() -> bool:
            message = self.find(is_wanted)
            if message is not None:
                found.append(message)
            return bool(found)

        def absent() -> list[int]:
            nonlocal polls_left
            message = self._first(is_wanted)
            if message is not None:
                # If is_over is true, the next poll takes the complete message, or drops the
                # incomplete message.
                is_over = message.is_whole() or self._tasks.has_died(message.source)
                return [] if is_over else [message.source]
            left = [task for task in self._tasks.others() if source in (None, task)]
            if not left:
                polls_left -= 1
                if polls_left < 0:
                    raise PeerLostError(f"{doing}: {self._why_none_comes(source)}")
            return left

        self._tasks.wait(ready, absent, lambda: doing, is_delivery=True)
        self.remove(found[0])
        return found[0]

    def _why_none_comes(self, source: int | None) -> str:
        if source == self._tasks.me:
            return "the caller has not sent it"
        who = "every other PE" if source is None else self._tasks.names[source]
        return f"{who} has gone, and no message is there"
