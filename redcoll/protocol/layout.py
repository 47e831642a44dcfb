"""Define the layout of a team's window: the words of a header, and the offsets of all buffers.

The compiled kernel has the same constants in C, and tests/unit/test_layout.py compares the values.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SEQUENCE, WORD, COUNT, EXTRA, SOURCE, TARGET, STATUS, PAYLOAD = range(8)
"""The words of a header, which is one cache line. The number of the round is written last, and
publishes the other words."""
INLINE_AT: Final = 8 * PAYLOAD
INLINE_BYTES: Final = 8
"""Vectors of up to 8 bytes travel in the header, starting at byte ``INLINE_AT``."""

IN_ARENA: Final = 1 << 62
"""A bit in the offset of an array. An array whose offset has this bit is in its rank's arena, not
on the heap."""

ROW_PUBLISHED, ROW_HEADS, ROW_KEY = range(3)
"""The first words of a row that describes an expected message. ``ROW_PUBLISHED`` has the index of
the word by which the sender publishes. ``ROW_HEADS`` has the index of the sender's first header.
The key of the message starts at ``ROW_KEY``."""
ROW_SENDER: Final = 5
ROW_WORDS: Final = 6
HEAD_KEY: Final = 2
"""The word of a message's header at which the key begins. The key has ``ROW_WORDS - ROW_KEY``
words."""


class Scratch(NamedTuple):
    """The offsets in bytes of the headers and buffers of all members in a team's window."""

    memory: memoryview
    heads: tuple[int, ...]
    """The offset of each member's first header. A member uses its headers in a cycle."""
    depth: int
    """Number of headers of a member, a power of two. If the number is 2, each header is next to its
    eager buffer."""
    head_step: int
    """Bytes from one header to the next."""
    rooms: tuple[int, ...]
    """The offset of each member's first eager buffer, for short vectors. The second buffer is
    ``room_step`` bytes later. Rounds use the two buffers alternately."""
    room_step: int
    """Bytes from the first eager buffer to the second."""
    room_bytes: int
    records: tuple[int, ...]
    """The record of each member's call sites (:mod:`redcoll.protocol.call_sites`)."""
    stages: tuple[int, ...]
    """The offset of each member's first staging buffer; the second follows it."""
    results: int
    """The offset of the team's first result buffer; the second follows it."""
    chunk_bytes: int
    """Size of a staging or result buffer."""

    def head(self, member: int, sequence: int) -> int:
        """Return the offset of a member's header in this round."""
        return self.heads[member] + (sequence & self.depth - 1) * self.head_step

    def room(self, member: int, sequence: int) -> int:
        """Return the offset of a member's eager buffer in this round."""
        return self.rooms[member] + (sequence & 1) * self.room_step

    def payload(self, member: int, sequence: int, n_bytes: int) -> int:
        """Return the offset of a member's short vector of this length in this round."""
        if n_bytes <= INLINE_BYTES:
            return self.head(member, sequence) + INLINE_AT
        return self.room(member, sequence)

    def payloads(self, n_bytes: int) -> tuple[int, int, int, int]:
        """Return where payloads of this length are: first offset, two steps, number of places.

        Each member has several places, and round n uses place ``n % places``. The first step is the
        distance between members, and the second step is the distance between places.
        """
        first = self.payload(0, 0, n_bytes)
        step = self.payload(1, 0, n_bytes) - first if len(self.heads) > 1 else 0
        places = self.depth if n_bytes <= INLINE_BYTES else 2
        return first, step, self.payload(0, 1, n_bytes) - first, places


class Post(NamedTuple):
    """The header that a member published in a round.

    ``source`` and ``target`` are offsets of the member's arrays on the symmetric heap, or -1 for
    ordinary arrays. ``text`` describes the member's error, if there is one. ``site`` is the
    member's call site, if it is known.
    """

    word: int
    count: int  # type: ignore[assignment] # hides a method of tuples
    extra: int
    source: int
    target: int
    text: str
    is_ahead: bool
    site: str = ""


UNKNOWN_POST: Final = Post(0, 0, 0, -1, -1, "", is_ahead=False)
"""The header of a member whose call is not known."""
