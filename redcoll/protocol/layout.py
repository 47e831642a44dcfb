"""Where the posts and buffers of a team's members lie in its window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

INLINE_BYTES: Final = 8
"""A vector of up to so many bytes travels in the line of its post."""


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
