"""Carry contributions as MPI messages, for tasks on several nodes."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np

from redcoll.arguments import Array
from redcoll_pvm import _settings
from redcoll_pvm.runtime.message_transport import (
    CONTRIBUTION,
    TAKEN,
    IncomingMessage,
    MessageTransport,
)
from redcoll_pvm.runtime.task_set import TaskSet
from redcoll_pvm.runtime.transport import Endpoint, Header, MatchKey, Sent, Transport


class MpiTransport(Transport):
    """Transports contributions from and to the calling task.

    Contributions that have arrived are in the recipient's memory. The recipient notifies the sender
    when it has taken a contribution.
    """

    def __init__(self, tasks: TaskSet, messages: MessageTransport) -> None:
        super().__init__(tasks, _settings.HANDOVER_BYTES.get())
        self._messages = messages
        self._unused_bytes = self._buffer_bytes
        self.sent = [0] * tasks.size
        """How many contributions the caller has sent to each task."""
        self.received = [0] * tasks.size
        """How many contributions have arrived from each task."""
        self.give_way: Callable[[], object] = os.sched_yield
        """A function that is called between polls."""
        # Contributions for a new membership, whose incarnation this task does not know yet.
        self._early: list[Header] = []
        self._newest = 0
        messages.deliver(CONTRIBUTION, self._receive)
        messages.deliver(TAKEN, lambda message: self._free(message.numbers[0]))

    # -- sending -------------------------------------------------------------------

    def _send(
        self,
        endpoint: Endpoint,
        details: tuple[int, int, int, int],
        data: Array | None,
        space_bytes: int,
    ) -> None:
        # Copy before counting: the copy can fail, but a contribution that is counted must be sent.
        body = None if data is None else data.view(np.uint8).copy()
        ticket = self.ticket = self.ticket + 1
        self._sent[ticket] = Sent(endpoint.to, endpoint.recipient_incarnation, space_bytes)
        self._unused_bytes -= space_bytes
        self.sent[endpoint.to] += 1
        # The header's slot and offset have no meaning in this transport.
        numbers = (ticket, 0, *endpoint, *details, -1)
        self._messages.send(endpoint.to, CONTRIBUTION, numbers, body)

    def _reclaim(self) -> None:
        self._tasks.progress()

    def _free(self, ticket: int) -> None:
        # The entry is missing if _drop_unwanted() has freed the contribution already.
        sent = self._sent.pop(ticket, None)
        if sent is not None:
            self._unused_bytes += sent.space_bytes

    def _free_bytes(self) -> int:
        return self._unused_bytes

    # -- receiving -----------------------------------------------------------------

    def admit(self, incarnation: int) -> None:
        """See :meth:`Transport.admit`."""
        super().admit(incarnation)
        self._newest = max(self._newest, incarnation)
        early, self._early = self._early, []
        for header in early:
            self._sort(header)

    def _receive(self, message: IncomingMessage) -> None:
        header = Header._make(message.numbers)
        self._bodies[header.sender, header.ticket] = message
        self.received[header.sender] += 1
        self._sort(header)

    def _sort(self, header: Header) -> None:
        if header.recipient_incarnation in self._incarnations:
            self._keep(header)
        elif header.recipient_incarnation > self._newest:
            self._early.append(header)
        else:
            self.release(header)

    def poll(self) -> None:
        """See :meth:`Transport.poll`."""
        self._tasks.progress()

    def has(self, key: MatchKey) -> bool:
        """See :meth:`Transport.has`."""
        if key not in self.arrived:
            self._tasks.progress()
        return key in self.arrived

    def spin_for(self, sender: int, limit_s: float) -> None:
        """See :meth:`Transport.spin_for`."""
        count = self.received[sender]
        until_s = monotonic() + limit_s
        while self.received[sender] == count and monotonic() < until_s:
            self.give_way()
            self._tasks.progress()

    def release(self, header: Header) -> None:
        """See :meth:`Transport.release`."""
        if self._bodies.pop((header.sender, header.ticket), None) is not None:
            self._messages.send(header.sender, TAKEN, (header.ticket,))

    def data(self, header: Header, dtype: np.dtype[Any]) -> Array:
        """See :meth:`Transport.data`."""
        return self._body(header).view(dtype)
