"""Define the interface through which contributions travel from task to task.

A sender writes a contribution and continues. The sender waits only if its send buffer is full, or
if 256 of its contributions have not been taken yet. The recipient has a queue for each match key. A
contribution that has arrived stays in its queue until a call takes it. On one node, contributions
are in shared memory (:mod:`redcoll_pvm.runtime.shared_transport`). On several nodes, they are MPI
messages (:mod:`redcoll_pvm.runtime.mpi_transport`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from redcoll.arguments import Array
from redcoll.ops import Op
from redcoll_pvm import _settings
from redcoll_pvm.runtime.message_transport import IncomingMessage
from redcoll_pvm.runtime.task_set import TaskSet

MatchKey = tuple[int, int, int]
"""The recipient's incarnation, the subject (kind of call and tag), and the sender."""

SLOTS = 256
"""Limit on the number of a sender's contributions that have not been taken yet."""
INLINE_BYTES = 256
"""Contributions up to this size in bytes take no space in the send buffer."""


class Endpoint(NamedTuple):
    """The route of a contribution: recipient, subject (kind of call and tag) and sender."""

    to: int
    recipient_incarnation: int
    subject: int
    sender: int
    instance: int
    """The sender's instance in the group."""
    incarnation: int
    """The sender's incarnation."""


class Header(NamedTuple):
    """The header of a contribution."""

    ticket: int
    """The number of the contribution. A sender counts its contributions from 1."""
    slot: int
    """The index of the first word of the contribution's slot in shared memory."""
    to: int
    recipient_incarnation: int
    subject: int
    sender: int
    instance: int
    incarnation: int
    dtype_code: int
    n_elements: int
    error_code: int
    """If not 0, the sender's call has failed, and there is no array."""
    n_bytes: int
    at: int
    """Offset of the array in the sender's segment; -1 if the array travels as a message."""

    @property
    def key(self) -> MatchKey:
        """The key of the queue to which the contribution belongs."""
        return (self.recipient_incarnation, self.subject, self.sender)


class Sent(NamedTuple):
    """A contribution that has not been taken yet."""

    to: int
    incarnation: int
    """The recipient's incarnation."""
    space_bytes: int
    """Bytes of the send buffer that the contribution occupies."""
    slot: int = 0
    """The number of the contribution's slot. Only shared memory has slots."""
    block: int = 0
    """The offset of its block in the send buffer. Only shared memory has blocks."""


class Transport(ABC):
    """Transports contributions from and to the calling task."""

    def __init__(self, tasks: TaskSet, buffer_bytes: int) -> None:
        self._tasks = tasks
        self._buffer_bytes = buffer_bytes
        self.ticket = 0
        """Number of the contribution that was sent last."""
        self._sent: dict[int, Sent] = {}
        self._incarnations: set[int] = set()
        self.arrived: dict[MatchKey, deque[Header]] = {}
        """The queues that are not empty, with the oldest contribution first."""
        self._unwanted: dict[MatchKey, deque[int]] = {}
        self._bodies: dict[tuple[int, int], IncomingMessage] = {}
        """The arrays that travel as messages, by sender and ticket."""
        self.holds: Callable[[int], bool] = lambda _: True
        """Returns whether a membership still exists. The argument is its incarnation."""

    # -- sending -------------------------------------------------------------------

    def send(
        self, endpoint: Endpoint, dtype_code: int, count: int, error_code: int, data: Array | None
    ) -> None:
        """Send a contribution. ``data`` can change afterwards.

        ``data`` is one-dimensional and contiguous, or None. Raises CollectiveTimeoutError if no
        space became free within ``REDCOLL_TIMEOUT``.
        """
        n_bytes = 0 if data is None else data.nbytes
        # A contribution that is larger than the buffer travels as a message, but counts as if it
        # filled the buffer.
        space_bytes = min(n_bytes, self._buffer_bytes) if n_bytes > INLINE_BYTES else 0
        if not self._has_space(space_bytes):
            self._await_space(space_bytes)
        self._send(endpoint, (dtype_code, count, error_code, n_bytes), data, space_bytes)

    def has_slot(self) -> bool:
        """Return whether a contribution without an array can be sent without waiting."""
        self._reclaim()
        return self._has_space(0)

    def _await_space(self, n_bytes: int) -> None:
        def ready() -> bool:
            self._reclaim()
            return self._has_space(n_bytes)

        def absent() -> list[int]:
            self._drop_unwanted()
            return sorted({sent.to for sent in self._sent.values()})

        def doing() -> str:
            if len(self._sent) >= SLOTS:
                return f"sending while {SLOTS} contributions wait to be taken"
            return f"space for {n_bytes} bytes to send ({_settings.HANDOVER_BYTES.name})"

        if not ready():
            self._drop_unwanted()
            self._tasks.wait(ready, absent, doing)

    def _drop_unwanted(self) -> None:
        """Free the space of contributions that no call will take."""
        recipients = {(sent.incarnation, sent.to) for sent in self._sent.values()}
        fate = self._tasks.fate
        gone = {each for each, to in recipients if fate(to) is not None or not self.holds(each)}
        for ticket, sent in list(self._sent.items()):
            if sent.incarnation in gone:
                self._free(ticket)

    def _has_space(self, n_bytes: int) -> bool:
        return len(self._sent) < SLOTS and (n_bytes == 0 or self._free_bytes() >= n_bytes)

    @abstractmethod
    def _send(
        self,
        endpoint: Endpoint,
        details: tuple[int, int, int, int],
        data: Array | None,
        space_bytes: int,
    ) -> None: ...

    @abstractmethod
    def _reclaim(self) -> None:
        """Free the space of contributions that have been taken."""

    @abstractmethod
    def _free(self, ticket: int) -> None:
        """Free the space of a contribution."""

    @abstractmethod
    def _free_bytes(self) -> int:
        """Return how many bytes another contribution can occupy."""

    # -- receiving -----------------------------------------------------------------

    def admit(self, incarnation: int) -> None:
        """Start to keep contributions for this membership of the caller."""
        self._incarnations.add(incarnation)

    def dismiss(self, incarnation: int) -> None:
        """Stop keeping contributions for this membership, and drop those that have arrived."""
        self.poll()
        # More contributions can arrive during a release.
        while keys := [key for key in self.arrived if key[0] == incarnation]:
            for key in keys:
                self.release(self.pop(key))
        for key in [key for key in self._unwanted if key[0] == incarnation]:
            del self._unwanted[key]
        self._incarnations.discard(incarnation)

    def pop(self, key: MatchKey) -> Header:
        """Take the oldest contribution of a queue.  The caller must :meth:`release` it."""
        queue = self.arrived[key]
        header = queue.popleft()
        if not queue:
            del self.arrived[key]
        return header

    def discard(self, key: MatchKey, incarnation: int) -> None:
        """Drop the next contribution of a queue, now or when it arrives.

        ``incarnation`` is the sender's incarnation. Contributions of the sender's later memberships
        are not dropped.
        """
        if key not in self.arrived:
            self._unwanted.setdefault(key, deque()).append(incarnation)
        elif self.arrived[key][0].incarnation <= incarnation:
            self.release(self.pop(key))

    def _keep(self, header: Header) -> None:
        key = header.key
        if self._unwanted and self._is_unwanted(key, header.incarnation):
            self.release(header)
        elif key in self.arrived:
            self.arrived[key].append(header)
        else:
            self.arrived[key] = deque((header,))

    def _is_unwanted(self, key: MatchKey, incarnation: int) -> bool:
        """Return whether to drop a contribution that has arrived.

        If the result is True, the method forgets one :meth:`discard`. So call the method only once
        for each contribution.
        """
        incarnations = self._unwanted.get(key)
        if incarnations is None:
            return False
        # If this contribution belongs to a later membership of the sender, contributions of earlier
        # memberships will not arrive any more. So forget their discards.
        while incarnations and incarnations[0] < incarnation:
            incarnations.popleft()
        is_unwanted = bool(incarnations)
        if is_unwanted:
            incarnations.popleft()
        if not incarnations:
            del self._unwanted[key]
        return is_unwanted

    def expected(self, keys: Sequence[MatchKey]) -> array[int]:  # noqa: ARG002
        """Return the argument with which :meth:`collect` takes one contribution from each queue."""
        return array("q")

    def collect(self, expected: array[int]) -> list[Header] | None:  # noqa: ARG002
        """Take all expected contributions in one call of the kernel.

        The kernel spins for up to 1 ms for each late contribution. The kernel stops if this time
        has passed, or if an unexpected contribution arrives. Then the result is None, and the
        contributions that have arrived are in the queues.
        """
        return None

    def fold(
        self,
        op: Op,  # noqa: ARG002
        data: Array,  # noqa: ARG002
        before: int,  # noqa: ARG002
        headers: Sequence[Header],  # noqa: ARG002
    ) -> bool:
        """Combine contributions and ``data`` into ``data``, in one call of the kernel.

        ``data`` comes after the first ``before`` contributions. If the kernel has no suitable loop,
        nothing changes, and the result is False.
        """
        return False

    @abstractmethod
    def poll(self) -> None:
        """Read the contributions that have arrived."""

    @abstractmethod
    def has(self, key: MatchKey) -> bool:
        """Poll; return whether a queue has a contribution."""

    @abstractmethod
    def spin_for(self, sender: int, limit_s: float) -> None:
        """Spin until a contribution arrives from a task, for at most ``limit_s``."""

    @abstractmethod
    def release(self, header: Header) -> None:
        """Let the sender reuse the space of a contribution. Its array is not valid afterwards."""

    @abstractmethod
    def data(self, header: Header, dtype: np.dtype[Any]) -> Array:
        """Return the array of a contribution. It is writable, and valid until :meth:`release`.

        Raises PeerLostError if the sender died before the whole array arrived.
        """

    def _body(self, header: Header) -> Array:
        """Wait for an array that travels as a message, and return the array."""
        which = (header.sender, header.ticket)
        doing = f"receiving {header.n_bytes} bytes from {self._tasks.names[header.sender]}"

        def ready() -> bool:
            self._tasks.progress()
            return which in self._bodies and self._bodies[which].is_whole()

        def absent() -> list[int]:
            return [] if ready() else [header.sender]

        self._tasks.wait(ready, absent, lambda: doing, is_delivery=True)
        return self._bodies[which].body
