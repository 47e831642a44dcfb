"""What has arrived from other PEs, in a queue for each key, until it is taken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from redcoll_pvm.runtime.transport import Array, Key, Parcel


class Queues(ABC):
    """What others hand over to this PE: a queue for each key."""

    def __init__(self) -> None:
        self._addresses: set[int] = set()
        self._arrived: dict[Key, deque[Parcel]] = {}
        self._unwanted: dict[Key, deque[int]] = {}

    def admit(self, stamp: int) -> None:
        """Take parcels for this stamp from now on."""
        self._addresses.add(stamp)

    def dismiss(self, stamp: int) -> None:
        """Take none any more, and throw away what has arrived."""
        self.look()
        # More may arrive while one is released.
        while keys := [key for key in self._arrived if key[0] == stamp]:
            for key in keys:
                self.release(self.pop(key))
        for key in [key for key in self._unwanted if key[0] == stamp]:
            del self._unwanted[key]
        self._addresses.discard(stamp)

    def first(self, key: Key) -> Parcel:
        """The oldest parcel that has arrived."""
        return self._arrived[key][0]

    def pop(self, key: Key) -> Parcel:
        """The oldest parcel that has arrived; ``release`` it."""
        queue = self._arrived[key]
        parcel = queue.popleft()
        if not queue:
            del self._arrived[key]
        return parcel

    def arrived(self) -> Iterable[Key]:
        """What has arrived and not been taken."""
        return self._arrived.keys()

    def skip(self, key: Key, stamp: int) -> None:
        """Throw away the sender's next parcel, when it comes or if it is there.

        Parameters
        ----------
        key
            In which queue.
        stamp
            The sender's membership; what it hands over in a later one is not meant.
        """
        if key not in self._arrived:
            self._unwanted.setdefault(key, deque()).append(stamp)
        elif self.first(key).stamp <= stamp:
            self.release(self.pop(key))

    def expected(self, keys: Sequence[Key]) -> array[int]:  # noqa: ARG002
        """What :meth:`collect` takes for one parcel of each of these keys."""
        return array("q")

    def collect(self, expected: array[int]) -> list[Parcel] | None:  # noqa: ARG002
        """One parcel for each key, None if something else is or comes in between.

        Waits a moment for each that is late. What has come nevertheless is noted.
        """
        return None

    @abstractmethod
    def look(self) -> None:
        """See what has arrived from anybody."""

    @abstractmethod
    def has(self, sender: int, key: Key) -> bool:
        """Whether a parcel of this sender has arrived; looks."""

    @abstractmethod
    def linger(self, sender: int, limit_s: float) -> bool:
        """Wait a little for a parcel of this sender that has not been seen."""

    @abstractmethod
    def release(self, parcel: Parcel) -> None:
        """Let the sender have its room back; views of the parcel's data end here."""

    @abstractmethod
    def data(self, parcel: Parcel, dtype: np.dtype[Any]) -> Array:
        """The array inside, writable; valid as long as the parcel is not released.

        Raises
        ------
        PeerLostError, NotInGroupError
            It comes by and by, and the sender has died or given up before the end.
        CollectiveTimeoutError
            It comes by and by, and no more of it did for ``REDCOLL_TIMEOUT``.
        """

    def _keep(self, parcel: Parcel) -> None:
        key = parcel.key
        if self._unwanted and self._is_unwanted(key, parcel.stamp):
            self.release(parcel)
        elif key in self._arrived:
            self._arrived[key].append(parcel)
        else:
            self._arrived[key] = deque((parcel,))

    def _is_unwanted(self, key: Key, stamp: int) -> bool:
        """Whether the parcel that comes next is to be thrown away; asked once for each."""
        stamps = self._unwanted.get(key)
        if stamps is None:
            return False
        # Who has left since will not make the call of then.
        while stamps and stamps[0] < stamp:
            stamps.popleft()
        is_unwanted = bool(stamps)
        if is_unwanted:
            stamps.popleft()
        if not stamps:
            del self._unwanted[key]
        return is_unwanted
