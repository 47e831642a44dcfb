"""Rooms and parcels: how an array lies in shared memory on its way to another PE.

Each PE has a room of its own for what it hands over (:mod:`redcoll_pvm.runtime.shared_transport`). It alone
writes there; the recipient reads in place, and says when it has taken the parcel
(:mod:`redcoll_pvm.runtime.inbox`). So nobody waits for anybody, except a sender whose room is
full. A parcel larger than the room goes through it in pieces, as the recipient takes them.

Segment of one PE::

    published   ticket of the newest parcel, and its slot
    slots       one for each parcel that may be outstanding
    room        blocks for larger arrays

and a slot::

    taken       the ticket of the parcel that was taken from it (the recipient writes)
    filled, drained     of a parcel that comes in pieces: bytes so far
    head        ticket, recipient, key, label, where the array is
    inline      room for a small array

Tickets count the parcels of a sender, so that a recipient reads them in order. A head's
ticket changes before the rest of it, and is published after. What is
meant for a membership that has ended is left alone by the recipient, for the sender may use
its slot anew at any time.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.memory.shared_window import SharedWindow, room_bytes
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll_pvm import _settings
from redcoll_pvm.runtime.task_set import Commons

Array = NDArray[Any]
Key = tuple[int, int, int]
"""To whom, about what, from whom: the recipient's stamp, the subject, the sender."""

SLOT_BITS = 8
SLOTS = 1 << SLOT_BITS
"""Parcels that a PE may have outstanding. Who looks after missing some looks through all."""
INLINE_BYTES = 256
"""Largest array that lies in its slot."""
GIVEN_UP = -1
"""Instead of what is filled: the rest does not come."""

# Words of a slot.
TAKEN, FILLED, DRAINED, TICKET = range(4)
HEAD_WORDS = 14
HEAD = struct.Struct(f"{HEAD_WORDS}q")
"""From the ticket on: :class:`Parcel`."""
INLINE_AT = round_up(8 * TICKET + HEAD.size, LINE)
"""Byte of a slot."""
SLOT_WORDS = (INLINE_AT + INLINE_BYTES) // 8

# Bytes of a segment.
SLOTS_AT = LINE
ROOM_AT = round_up(SLOTS_AT + SLOTS * SLOT_WORDS * 8, 4096)

_LEAST_ROOM_BYTES = 16 << 10


class Route(NamedTuple):
    """From whom to whom, about what: the same for all parcels of a kind."""

    to: int
    """The recipient."""
    recipient_stamp: int
    """Of its membership."""
    subject: int
    sender: int
    instance: int
    """The sender's, in the group."""
    stamp: int
    """Of the sender's membership."""


class Parcel(NamedTuple):
    """A parcel that has arrived: the words of its head."""

    ticket: int
    slot: int
    """Its first word in the window."""
    to: int
    recipient_stamp: int
    subject: int
    sender: int
    instance: int
    """The sender's, in the group."""
    stamp: int
    """Of the sender's membership."""
    form: int
    """The element type, as sender and recipient number it."""
    n_elements: int
    refusal: int
    """Not 0: there is nothing inside, for this reason."""
    n_bytes: int
    at: int
    """Byte in the sender's segment where the array, or the first piece, lies."""
    piece_bytes: int
    """Bytes that are there at a time; 0 if all."""

    @property
    def key(self) -> Key:
        """In which queue it stands."""
        return (self.recipient_stamp, self.subject, self.sender)


class Rooms:
    """The rooms of all PEs.  Creating it is collective over the commons."""

    def __init__(self, commons: Commons) -> None:
        self.own_bytes = _room_bytes(commons.comm)
        """Size of each PE's room."""
        window = SharedWindow(
            commons.comm, ROOM_AT + self.own_bytes, f"handover ({_settings.HANDOVER_BYTES.name})"
        )
        self.words = window.words
        self.memory = window.memory
        self.fence = window.fence
        self.starts = [pe * window.segment_bytes for pe in range(commons.size)]
        """By PE: the first byte of its segment."""
        self.segments = [start // 8 for start in self.starts]
        """By PE: the first word of its segment, which is the published one."""
        self.slots = [(start + SLOTS_AT) // 8 for start in self.starts]
        """By PE: the first word of its first slot."""

    def view(self, pe: int, at: int, dtype: np.dtype[Any], count: int) -> Array:
        """``count`` elements from byte ``at`` of a PE's segment on."""
        return np.frombuffer(self.memory, dtype, count, self.starts[pe] + at)


def _room_bytes(comm: MPI.Intracomm) -> int:
    """What the setting says; the default shrinks to what is there."""
    free_bytes = room_bytes(comm)
    wanted_bytes = _settings.HANDOVER_BYTES.get()
    if not _settings.HANDOVER_BYTES.is_set():
        share = free_bytes // 4 // comm.Get_size() - ROOM_AT
        wanted_bytes = max(min(wanted_bytes, share), _LEAST_ROOM_BYTES)
    # Set or not may differ among the PEs even where the value does not.
    return int(comm.bcast(round_up(wanted_bytes, 4096), root=0))
