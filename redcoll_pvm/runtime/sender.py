"""What hands arrays over to other PEs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from redcoll.errors import NotInGroupError
from redcoll_pvm import _settings
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.transport import SLOTS, Array, Route


class Sender(ABC):
    """The way from this PE to the others.

    Parameters
    ----------
    commons
        All of them.
    """

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self.ticket = 0
        """Of the parcel that was handed over last; they count from 1."""

    @abstractmethod
    def send(
        self,
        route: Route,
        form: int,
        count: int,
        refusal: int,
        data: Array | None,
        is_wanted: Callable[[], bool],
    ) -> None:
        """Hand ``data`` over to another PE; it may be changed afterwards.

        Parameters
        ----------
        route
            To whom, and about what.
        form, count, refusal
            What else the recipient has to know.
        data
            One-dimensional and contiguous; None for nothing.
        is_wanted
            Whether the recipient may still take the parcel. Asked when room is short.

        Raises
        ------
        NotInGroupError
            The array is larger than the room, and the recipient will not take the rest.
        CollectiveTimeoutError
            The room was full, or the rest not taken, for ``REDCOLL_TIMEOUT``.
        """

    def has_place(self) -> bool:
        """Whether an empty parcel can be handed over without waiting."""
        if not self._finds_room(0):
            self._forget({to for to in self._recipients() if self._commons.fate(to) is not None})
        return not self._is_full()

    def await_place(self) -> None:
        """Wait until it can be; raises as :meth:`send` does."""
        self._await_room(0)

    @abstractmethod
    def _finds_room(self, n_bytes: int) -> bool:
        """Whether so many bytes can be handed over now; looks what has been taken."""

    @abstractmethod
    def _is_full(self) -> bool:
        """Whether not even an empty parcel can be handed over before another has been taken."""

    @abstractmethod
    def _recipients(self) -> set[int]:
        """Of parcels that have not been taken."""

    @abstractmethod
    def _reclaim_unwanted(self) -> None:
        """Free what will be taken by nobody any more."""

    @abstractmethod
    def _forget(self, gone: set[int]) -> None:
        """Free what was meant for these, who will not take it any more; without waiting."""

    def _await_room(self, n_bytes: int) -> None:
        """Wait until so many bytes can be handed over."""

        def ready() -> bool:
            return self._finds_room(n_bytes)

        def absent() -> list[int]:
            self._reclaim_unwanted()
            return sorted(self._recipients())

        def doing() -> str:
            if self._is_full():
                return f"handing over while all of the {SLOTS} before have not been taken"
            return f"room for {n_bytes} bytes to hand over ({_settings.HANDOVER_BYTES.name})"

        if not ready():
            self._reclaim_unwanted()
            self._commons.wait(ready, absent, doing)

    def _await_taking(
        self, ready: Callable[[], bool], to: int, is_wanted: Callable[[], bool], n_bytes: int
    ) -> None:
        """Wait until a PE has taken enough, by ``ready()``, of what is larger than the room."""

        def absent() -> list[int]:
            if ready():
                return []
            if not is_wanted():
                raise NotInGroupError(f"{self._commons.name(to)} left without taking it all")
            return [to]

        self._commons.wait(
            ready,
            absent,
            lambda: f"handing {n_bytes} bytes over to {self._commons.name(to)} in pieces",
        )
