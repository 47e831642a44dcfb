"""What hands arrays over to other PEs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from redcoll import config
from redcoll.groups.parcels import SLOTS, Array, Route


class Sender(Protocol):
    """The way from this PE to the others."""

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


def in_words(block_bytes: int, *, is_full: bool) -> str:
    """What a sender waits for."""
    if is_full:
        return f"handing over while all of the {SLOTS} before have not been taken"
    return f"room for {block_bytes} bytes to hand over ({config.HANDOVER_BYTES.name})"
