"""Hand an array over to another PE and go on: parcels in bounded shared memory.

Each PE has a room of its own for what it hands over. It alone writes there; the
recipient reads in place, and says when it has taken the parcel. So nobody waits for
anybody, except a sender whose room is full. A parcel larger than the room goes through
it in pieces, as the recipient takes them.

Segment of one PE::

    published   ticket of the newest parcel, and its slot
    tickets     by slot: which parcel it holds; 0 while it changes
    taken       by slot: the ticket of the parcel that was taken from it (the recipient writes)
    heads       by slot: recipient, key, label, where the array is, pieces filled and taken
    inline      by slot: room for a small array
    room        blocks for larger arrays

Tickets count the parcels of a sender, so that a recipient reads them in order.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll import config
from redcoll.errors import ConfigError, NotInGroupError
from redcoll.groups.commons import Commons
from redcoll.heap import Allocator
from redcoll.slices import LINE_BYTES as LINE
from redcoll.window import SharedWindow, room_bytes, round_up

Array = NDArray[Any]
Key = tuple[int, int, int]
"""To whom, about what, from whom: the recipient's stamp, the subject, the sender."""

_SLOT_BITS = 8
SLOTS = 1 << _SLOT_BITS
"""Parcels that a PE may have outstanding."""
_INLINE_BYTES = 256
_HEAD_WORDS = 16
_LEAST_ROOM_BYTES = 16 << 10
_TICKETS_AT = LINE // 8
_TAKEN_AT = _TICKETS_AT + SLOTS
_HEADS_AT = _TAKEN_AT + SLOTS
_INLINE_AT = 8 * (_HEADS_AT + SLOTS * _HEAD_WORDS)
_ROOM_AT = round_up(_INLINE_AT + SLOTS * _INLINE_BYTES, 4096)
_HEAD = struct.Struct("14q")
# Words of a head behind those that a parcel is made of.
_FILLED, _DRAINED = 12, 13
_GIVEN_UP = -1


class Label(NamedTuple):
    """What is written on a parcel, besides its address."""

    instance: int
    """The sender's, in the group."""
    stamp: int
    """Of the sender's membership."""
    form: int
    """The element type, as sender and recipient number it."""
    n_elements: int
    refusal: int = 0
    """Not 0: there is nothing inside, for this reason."""


class Parcel(NamedTuple):
    """A parcel that has arrived: where it is, its key, its label, its array."""

    sender: int
    slot: int
    ticket: int
    key: Key
    instance: int
    stamp: int
    form: int
    n_elements: int
    refusal: int
    n_bytes: int
    at: int
    """Byte in the sender's segment where the array, or the first piece, lies."""
    piece_bytes: int
    """Bytes that are there at a time; 0 if all."""


class _Sent(NamedTuple):
    """A parcel that has been handed over."""

    slot: int
    ticket: int
    block: int
    """Where in the room, -1 if inline."""
    to: int
    is_wanted: Callable[[], bool]


class Handover:
    """The rooms of all PEs.  Creating it is collective over the commons."""

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self.room_bytes = self._agreed_room_bytes()
        self._window = SharedWindow(
            commons.comm, _ROOM_AT + self.room_bytes, f"handover ({config.HANDOVER_BYTES.name})"
        )
        self._words = self._window.words
        self._memory = self._window.memory
        self._fence = self._window.fence
        self._starts = [i * self._window.segment_bytes for i in range(commons.size)]
        self._published = [start // 8 for start in self._starts]
        self._me = commons.index
        self._own = self._published[self._me]

        self._ticket = 0
        self._free_slots = list(range(SLOTS))
        self._room = Allocator(self.room_bytes)
        self._sent: deque[_Sent] = deque()

        self._seen = [0] * commons.size
        self._addresses: set[int] = set()
        self._arrived: dict[Key, deque[Parcel]] = {}
        self._unwanted: dict[Key, int] = {}
        commons.progress_hooks.append(self.look)

    def _agreed_room_bytes(self) -> int:
        wish = (config.HANDOVER_BYTES.get(), config.HANDOVER_BYTES.is_set())
        told = self._commons.comm.allgather(wish)
        if len(set(told)) > 1:
            sizes = ", ".join(f"PE {pe}: {size}" for pe, (size, _) in enumerate(told))
            raise ConfigError(
                f"{config.HANDOVER_BYTES.name} must be the same on all PEs; found {sizes}"
            )
        size, is_asked_for = wish
        if not is_asked_for:
            share = room_bytes(self._commons.comm) // 4 // self._commons.size - _ROOM_AT
            size = min(size, share)
        return round_up(max(size, _LEAST_ROOM_BYTES), 4096)

    # -- sending ----------------------------------------------------------------------

    def send(
        self,
        to: int,
        key: Key,
        label: Label,
        data: Array | None,
        is_wanted: Callable[[], bool],
    ) -> None:
        """Hand ``data`` over to PE ``to``; it may be changed afterwards.

        Parameters
        ----------
        to
            The recipient.
        key
            The recipient's stamp, the subject, the caller.
        label
            What the recipient has to know.
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
        for _ in range(min(4, len(self._sent))):
            self._reclaim_first()
        n_bytes = 0 if data is None else data.nbytes
        piece_bytes = 0
        if n_bytes > self.room_bytes:
            piece_bytes = self.room_bytes // 4 // LINE * LINE
        block_bytes = 2 * piece_bytes or n_bytes
        if not self._free_slots or (
            block_bytes > _INLINE_BYTES and self._room.largest_free_bytes < block_bytes
        ):
            self._await_room(block_bytes)
        # From here on until the parcel is published nothing may fail.
        slot = self._free_slots.pop()
        if block_bytes > _INLINE_BYTES:
            block = self._room.allocate(block_bytes)
            at = _ROOM_AT + block
        else:
            block = -1
            at = _INLINE_AT + slot * _INLINE_BYTES
        if data is not None and not piece_bytes:
            self._view(self._me, at, data.dtype, len(data))[...] = data
        ticket = self._publish(slot, to, key, label, n_bytes, at, piece_bytes)
        sent = _Sent(slot, ticket, block, to, is_wanted)
        self._sent.append(sent)
        if data is not None and piece_bytes:
            try:
                self._stream(sent, data.view(np.uint8), at, piece_bytes)
            except BaseException:
                head = self._own + _HEADS_AT + slot * _HEAD_WORDS
                self._words[head + _FILLED] = _GIVEN_UP
                raise

    def _publish(
        self, slot: int, to: int, key: Key, label: Label, n_bytes: int, at: int, piece_bytes: int
    ) -> int:
        words, own, fence = self._words, self._own, self._fence
        ticket = self._ticket + 1
        self._ticket = ticket
        words[own + _TICKETS_AT + slot] = 0
        if fence is not None:
            fence()
        head = own + _HEADS_AT + slot * _HEAD_WORDS
        _HEAD.pack_into(self._memory, head * 8, to, *key, *label, n_bytes, at, piece_bytes, 0, 0)
        if fence is not None:
            fence()
        words[own + _TICKETS_AT + slot] = ticket
        if fence is not None:
            fence()
        words[own] = ticket << _SLOT_BITS | slot
        return ticket

    def _stream(self, sent: _Sent, data: NDArray[np.uint8], at: int, piece_bytes: int) -> None:
        """Pass the array through two pieces in turn, one filled while the other is taken."""
        words = self._words
        head = self._own + _HEADS_AT + sent.slot * _HEAD_WORDS
        done = 0

        def ready() -> bool:
            return (
                done - words[head + _DRAINED] <= piece_bytes
                or words[self._own + _TAKEN_AT + sent.slot] == sent.ticket
            )

        def absent() -> list[int]:
            if ready():
                return []
            if not sent.is_wanted():
                raise NotInGroupError(f"{self._commons.name(sent.to)} left without taking it all")
            return [sent.to]

        doing = f"handing {data.nbytes} bytes over to {self._commons.name(sent.to)} in pieces"
        while done < data.nbytes:
            self._commons.wait(ready, absent, lambda: doing)
            if words[self._own + _TAKEN_AT + sent.slot] == sent.ticket:
                return
            piece = data[done : done + piece_bytes]
            start = at + done // piece_bytes % 2 * piece_bytes
            self._view(self._me, start, piece.dtype, len(piece))[...] = piece
            done += len(piece)
            if self._fence is not None:
                self._fence()
            words[head + _FILLED] = done

    def _reclaim_first(self) -> None:
        """Free what the oldest parcel occupies if it has been taken; else look at it later."""
        sent = self._sent.popleft()
        if self._words[self._own + _TAKEN_AT + sent.slot] == sent.ticket:
            self._free(sent)
        else:
            self._sent.append(sent)

    def _free(self, sent: _Sent) -> None:
        self._free_slots.append(sent.slot)
        if sent.block >= 0:
            self._room.free(sent.block)

    def _await_room(self, block_bytes: int) -> None:
        def ready() -> bool:
            for _ in range(len(self._sent)):
                self._reclaim_first()
            return bool(self._free_slots) and (
                block_bytes <= _INLINE_BYTES or self._room.largest_free_bytes >= block_bytes
            )

        def absent() -> list[int]:
            # What nobody will take any more makes room as well.
            for _ in range(len(self._sent)):
                sent = self._sent.popleft()
                if self._commons.fate(sent.to) is None and sent.is_wanted():
                    self._sent.append(sent)
                else:
                    self._free(sent)
            return sorted({sent.to for sent in self._sent})

        self._commons.wait(
            ready,
            absent,
            lambda: f"room for {block_bytes} bytes to hand over ({config.HANDOVER_BYTES.name})",
        )

    # -- receiving --------------------------------------------------------------------

    def admit(self, stamp: int) -> None:
        """Take parcels for this stamp from now on."""
        self._addresses.add(stamp)

    def dismiss(self, stamp: int) -> None:
        """Take none any more, and throw away what has arrived."""
        self._addresses.discard(stamp)
        for key in [key for key in self._arrived if key[0] == stamp]:
            for parcel in self._arrived.pop(key):
                self.release(parcel)
        for key in [key for key in self._unwanted if key[0] == stamp]:
            del self._unwanted[key]

    def look(self) -> None:
        """See what has arrived from anybody."""
        words, seen = self._words, self._seen
        for sender, at in enumerate(self._published):
            if words[at] != seen[sender]:
                self._read(sender)

    def has(self, sender: int, key: Key) -> bool:
        """Whether a parcel of this sender has arrived; looks."""
        if self._words[self._published[sender]] != self._seen[sender]:
            self._read(sender)
        return key in self._arrived

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

    def skip(self, key: Key) -> None:
        """Throw away the next parcel, when it comes or if it is there."""
        if key in self._arrived:
            self.release(self.pop(key))
        else:
            self._unwanted[key] = self._unwanted.get(key, 0) + 1

    def release(self, parcel: Parcel) -> None:
        """Let the sender have its room back; views of the parcel's data end here."""
        if self._fence is not None:
            self._fence()
        self._words[self._published[parcel.sender] + _TAKEN_AT + parcel.slot] = parcel.ticket

    def data(self, parcel: Parcel, dtype: np.dtype[Any]) -> Array:
        """The array inside, writable; in the sender's room as long as it is not released.

        Raises
        ------
        PeerLostError, NotInGroupError
            It comes in pieces, and the sender has died or given up before the last.
        CollectiveTimeoutError
            It comes in pieces, and the next did not for ``REDCOLL_TIMEOUT``.
        """
        if not parcel.piece_bytes:
            return self._view(parcel.sender, parcel.at, dtype, parcel.n_bytes // dtype.itemsize)
        whole = np.empty(parcel.n_bytes, np.uint8)
        words, sender = self._words, parcel.sender
        head = self._published[sender] + _HEADS_AT + parcel.slot * _HEAD_WORDS
        done = 0
        doing = f"taking {parcel.n_bytes} bytes in pieces"

        def ready() -> bool:
            filled = words[head + _FILLED]
            if filled == _GIVEN_UP:
                raise NotInGroupError(f"{doing}: {self._commons.name(sender)} has given up")
            return filled > done

        while done < len(whole):
            self._commons.wait(ready, lambda: [] if ready() else [sender], lambda: doing)
            if self._fence is not None:
                self._fence()
            n_bytes = min(parcel.piece_bytes, len(whole) - done)
            start = parcel.at + done // parcel.piece_bytes % 2 * parcel.piece_bytes
            whole[done : done + n_bytes] = self._view(sender, start, whole.dtype, n_bytes)
            done += n_bytes
            if self._fence is not None:
                self._fence()
            words[head + _DRAINED] = done
        return whole.view(dtype)

    def _read(self, sender: int) -> None:
        """Note the parcels that a sender has published since the last look."""
        words, at = self._words, self._published[sender]
        published = words[at]
        last, newest = self._seen[sender] >> _SLOT_BITS, published >> _SLOT_BITS
        self._seen[sender] = published
        if self._fence is not None:
            self._fence()
        if newest == last + 1:
            self._note(sender, published & (SLOTS - 1), newest)
            return
        tickets = words[at + _TICKETS_AT : at + _TICKETS_AT + SLOTS].tolist()
        new = sorted((ticket, slot) for slot, ticket in enumerate(tickets) if ticket > last)
        for ticket, slot in new:
            if ticket <= newest:
                self._note(sender, slot, ticket)

    def _note(self, sender: int, slot: int, ticket: int) -> None:
        words, at = self._words, self._published[sender]
        head = at + _HEADS_AT + slot * _HEAD_WORDS
        to, mine, subject, _, *rest = words[head : head + _FILLED].tolist()
        if self._fence is not None:
            self._fence()
        # Others' parcels may be taken, and their slots be used anew, while this PE reads.
        if to != self._me or words[at + _TICKETS_AT + slot] != ticket:
            return
        key = (mine, subject, sender)
        parcel = Parcel(sender, slot, ticket, key, *rest)
        if mine not in self._addresses:
            self.release(parcel)
        elif key in self._unwanted:
            self.release(parcel)
            self._unwanted[key] -= 1
            if not self._unwanted[key]:
                del self._unwanted[key]
        else:
            self._arrived.setdefault(key, deque()).append(parcel)

    def _view(self, pe: int, at: int, dtype: np.dtype[Any], count: int) -> Array:
        return np.frombuffer(self._memory, dtype, count, self._starts[pe] + at)
