"""Layout of a team's window: the words of a header, and the places of all buffers.

The compiled kernel has the same numbers in C; tests/unit/test_layout.py compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HEADER_BYTES: Final = 64
"""A header is one cache line."""
SEQUENCE, WORD, COUNT, EXTRA, SOURCE, TARGET, STATUS, PAYLOAD = range(8)
"""The words of a header. The number of the round is written last: it publishes the others."""
INLINE_AT: Final = 8 * PAYLOAD
INLINE_BYTES: Final = 8
"""Vectors of up to this number of bytes travel in the header, from byte ``INLINE_AT`` on."""

ROW_PUBLISHED, ROW_HEADS, ROW_KEY = range(3)
"""The first words of a row that describes a parcel to collect: the index of the word by which its
sender publishes, the index of its first head, and the key."""
ROW_SENDER: Final = 5
ROW_WORDS: Final = 6
HEAD_KEY: Final = 2
"""The word of a parcel's head at which its key begins; it has ``ROW_WORDS - ROW_KEY`` words."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where in a team's window everything lies; offsets in bytes, by member."""

    memory: memoryview
    heads: tuple[int, ...]
    """The first head of a member. Posts go through its heads in turn."""
    depth: int
    """Heads of a member, a power of two. Of two each stands right before its room."""
    head_step: int
    """Bytes from a head to the next."""
    rooms: tuple[int, ...]
    """The first room of a member, where short vectors are staged; used by the round's parity."""
    room_step: int
    """Bytes from the first room to the second."""
    room_bytes: int
    stages: tuple[int, ...]
    """The first staging buffer of a member; the second follows it."""
    results: int
    """The first result buffer of the team; the second follows it."""
    chunk_bytes: int
    """Size of a staging or result buffer."""

    def head(self, member: int, sequence: int) -> int:
        """Return where a member's header of this round is."""
        return self.heads[member] + (sequence & self.depth - 1) * self.head_step

    def room(self, member: int, sequence: int) -> int:
        """Return where a member's eager buffer of this round is."""
        return self.rooms[member] + (sequence & 1) * self.room_step

    def payload(self, member: int, sequence: int, n_bytes: int) -> int:
        """Return where a member's short vector of this length is in this round."""
        if n_bytes <= INLINE_BYTES:
            return self.head(member, sequence) + INLINE_AT
        return self.room(member, sequence)

    def payloads(self, n_bytes: int) -> tuple[int, int, int, int]:
        """Return the first payload of this length, the steps by member and by turn, and the turns.

        The round with number n uses turn ``n % turns``. Members follow each other in equal steps.
        """
        first = self.payload(0, 0, n_bytes)
        step = self.payload(1, 0, n_bytes) - first if len(self.heads) > 1 else 0
        turns = self.depth if n_bytes <= INLINE_BYTES else 2
        return first, step, self.payload(0, 1, n_bytes) - first, turns


@dataclass(frozen=True, slots=True)
class Post:
    """One member's post, read back."""

    word: int
    count: int
    extra: int
    source: int
    """Offset of its source on the symmetric heap, -1 if it is not there."""
    target: int
    """Offset of its target on the symmetric heap, -1 if it is not there."""
    text: str
    """Why it failed, if it did."""
    is_ahead: bool
    """Whether it went on before all had come."""
