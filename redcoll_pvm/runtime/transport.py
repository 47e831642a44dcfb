"""The interface through which contributions travel from task to task.

A sender writes a contribution and continues. It waits only if its send buffer is full, or if 256 of
its contributions have not been taken yet. The recipient keeps what has arrived in a queue per
match key until a call takes it. On one node contributions lie in shared memory
(:mod:`redcoll_pvm.runtime.shared_transport`), on several nodes they are MPI messages
(:mod:`redcoll_pvm.runtime.mpi_transport`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.ops import Op
from redcoll_pvm import _settings
from redcoll_pvm.runtime.message_transport import IncomingMessage
from redcoll_pvm.runtime.task_set import TaskSet

Array = NDArray[Any]
MatchKey = tuple[int, int, int]
"""The recipient's incarnation, the subject of the call, the sender."""

SLOTS = 256
"""Contributions of a sender that may wait to be taken."""
INLINE_BYTES = 256
"""Largest contribution that takes no space in the send buffer."""


class Endpoint(NamedTuple):
    """The sender, the recipient, and the calls: ``subject`` stands for their kind and tag."""

    to: int
    recipient_incarnation: int
    subject: int
    sender: int
    instance: int
    """The sender's instance in the group."""
    incarnation: int
    """The sender's incarnation."""


class Header(NamedTuple):
    """A contribution that has arrived."""

    ticket: int
    """Contributions of a sender count from 1."""
    slot: int
    """First word of its slot in shared memory."""
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
        """The queue that the contribution belongs to."""
        return (self.recipient_incarnation, self.subject, self.sender)


class Sent(NamedTuple):
    """A contribution that has not been taken yet."""

    to: int
    incarnation: int
    """The recipient's incarnation."""
    is_wanted: Callable[[], bool]
    space_bytes: int
    """Bytes of the send buffer that it occupies."""
    slot: int = 0
    """The number of its slot, in shared memory only."""
    block: int = 0
    """Where its block begins in the send buffer, in shared memory only."""


class Transport(ABC):
    """Contributions from and to the calling task."""

    def __init__(self, tasks: TaskSet, buffer_bytes: int) -> None:
        self._tasks = tasks
        self._buffer_bytes = buffer_bytes
        self.ticket = 0
        """Number of the contribution that was sent last."""
        self._sent: dict[int, Sent] = {}
        self._incarnations: set[int] = set()
        self._arrived: dict[MatchKey, deque[Header]] = {}
        self._unwanted: dict[MatchKey, deque[int]] = {}

    # -- sending -------------------------------------------------------------------

    def send(
        self,
        endpoint: Endpoint,
        dtype_code: int,
        count: int,
        error_code: int,
        data: Array | None,
        is_wanted: Callable[[], bool],
    ) -> None:
        """Send a contribution; ``data`` may change afterwards.

        ``data`` is one-dimensional and contiguous, or None. ``is_wanted`` returns whether the
        recipient can still take the contribution; it is called when space is short. Raises
        CollectiveTimeoutError if there was no space for ``REDCOLL_TIMEOUT``.
        """
        n_bytes = 0 if data is None else data.nbytes
        # A contribution that is larger than the buffer needs all of it, and travels as a message.
        space_bytes = min(n_bytes, self._buffer_bytes) if n_bytes > INLINE_BYTES else 0
        if not self._has_space(space_bytes):
            self._await_space(space_bytes)
        details = (dtype_code, count, error_code, n_bytes)
        self._send(endpoint, details, data, space_bytes, is_wanted)

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
        is_wanted: dict[int, bool] = {}
        for ticket, sent in list(self._sent.items()):
            if sent.incarnation not in is_wanted:
                is_gone = self._tasks.fate(sent.to) is not None
                is_wanted[sent.incarnation] = not is_gone and sent.is_wanted()
            if not is_wanted[sent.incarnation]:
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
        is_wanted: Callable[[], bool],
    ) -> None: ...

    @abstractmethod
    def _reclaim(self) -> None:
        """Free the space of contributions that have been taken."""

    @abstractmethod
    def _free(self, ticket: int) -> None:
        """Free the space of a contribution."""

    @abstractmethod
    def _free_bytes(self) -> int:
        """Return how many bytes one more contribution can occupy."""

    # -- receiving -----------------------------------------------------------------

    def admit(self, incarnation: int) -> None:
        """Start to keep contributions for this membership of the caller."""
        self._incarnations.add(incarnation)

    def dismiss(self, incarnation: int) -> None:
        """Stop keeping contributions for this membership, and drop those that have arrived."""
        self.poll()
        # More contributions can arrive while one is released.
        while keys := [key for key in self._arrived if key[0] == incarnation]:
            for key in keys:
                self.release(self.pop(key))
        for key in [key for key in self._unwanted if key[0] == incarnation]:
            del self._unwanted[key]
        self._incarnations.discard(incarnation)

    def arrived(self) -> Iterable[MatchKey]:
        """Return the keys of the queues that are not empty."""
        return self._arrived.keys()

    def first(self, key: MatchKey) -> Header:
        """Return the oldest contribution of a queue."""
        return self._arrived[key][0]

    def pop(self, key: MatchKey) -> Header:
        """Take the oldest contribution of a queue; :meth:`release` it."""
        queue = self._arrived[key]
        header = queue.popleft()
        if not queue:
            del self._arrived[key]
        return header

    def discard(self, key: MatchKey, incarnation: int) -> None:
        """Drop the next contribution of a queue, now or when it arrives.

        Contributions of memberships after ``incarnation``, the sender's, are not affected.
        """
        if key not in self._arrived:
            self._unwanted.setdefault(key, deque()).append(incarnation)
        elif self.first(key).incarnation <= incarnation:
            self.release(self.pop(key))

    def _keep(self, header: Header) -> None:
        key = header.key
        if self._unwanted and self._is_unwanted(key, header.incarnation):
            self.release(header)
        elif key in self._arrived:
            self._arrived[key].append(header)
        else:
            self._arrived[key] = deque((header,))

    def _is_unwanted(self, key: MatchKey, incarnation: int) -> bool:
        """Return whether to drop a contribution; called once for each that arrives."""
        incarnations = self._unwanted.get(key)
        if incarnations is None:
            return False
        # A member that has left since then will not make the call that was discarded.
        while incarnations and incarnations[0] < incarnation:
            incarnations.popleft()
        is_unwanted = bool(incarnations)
        if is_unwanted:
            incarnations.popleft()
        if not incarnations:
            del self._unwanted[key]
        return is_unwanted

    def expected(self, keys: Sequence[MatchKey]) -> array[int]:  # noqa: ARG002
        """Return the argument of :meth:`collect` for one contribution of each queue."""
        return array("q")

    def collect(self, expected: array[int]) -> list[Header] | None:  # noqa: ARG002
        """Take one contribution of each queue in one call of the kernel, if no other arrives.

        Spins a little for each late contribution. Otherwise returns None, and all contributions
        that have arrived are in the queues.
        """
        return None

    def fold(
        self,
        op: Op,  # noqa: ARG002
        data: Array,  # noqa: ARG002
        before: int,  # noqa: ARG002
        headers: Sequence[Header],  # noqa: ARG002
    ) -> bool:
        """Combine contributions, and ``data`` after the first ``before`` of them, into ``data``.

        One call of the kernel does it. Returns False, with nothing done, if it cannot.
        """
        return False

    @abstractmethod
    def poll(self) -> None:
        """Read the contributions that have arrived."""

    @abstractmethod
    def has(self, key: MatchKey) -> bool:
        """Return whether a queue has a contribution; polls."""

    @abstractmethod
    def spin_for(self, sender: int, limit_s: float) -> None:
        """Spin until a contribution arrives from a task."""

    @abstractmethod
    def release(self, header: Header) -> None:
        """Let the sender reuse the space; views of the array end here."""

    @abstractmethod
    def data(self, header: Header, dtype: np.dtype[Any]) -> Array:
        """Return the array, writable and valid until the contribution is released.

        Raises PeerLostError if the sender died before all of the array had arrived.
        """

    def _body(self, header: Header, find: Callable[[], IncomingMessage | None]) -> Array:
        """Wait for the array of a contribution that travels as a message."""
        doing = f"receiving {header.n_bytes} bytes from {self._tasks.name(header.sender)}"

        def ready() -> bool:
            self._tasks.progress()
            message = find()
            return message is not None and message.is_whole()

        def absent() -> list[int]:
            return [] if ready() else [header.sender]

        self._tasks.wait(ready, absent, lambda: doing, is_delivery=True)
        message = find()
        return np.empty(0, np.uint8) if message is None else message.body
