"""Posts of one node's members as one message, and back into the mirrors elsewhere.

A message begins with two words: its form, and how many posts it is about. Then follow

``SOME``: of each post the member's place on its node, and its head: so far these have come;
``ALL``: the same with the payload that each head tells of;
``ALIKE``: one head that all of them share, and the payload of the first.

A member's *slot* is a head of its posts and the room right behind it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, Final

from redcoll.kernels._rounds import HEAD_BYTES, STATUS, WORD
from redcoll.signature import FAILED, INLINE_BYTES

SOME, ALL, ALIKE = 0, 1, 2

NOTHING, IN_SLOT, ON_STAGE = 0, 1, 2
"""What a post's payload is: none or in the head, a short vector in the slot, a chunk on either
stage."""

WORD_BYTES: Final = 8
HEAD_WORDS: Final = HEAD_BYTES // WORD_BYTES
MESSAGE_BYTES: Final = 2 * WORD_BYTES
"""Before the first post."""


def payload(kind: int, n_bytes: int, side: int = 0) -> int:
    """A payload in one word of a post."""
    return n_bytes << 2 | (kind + side if n_bytes else NOTHING)


def in_slot(n_bytes: int) -> int:
    """The same for a short vector: what fits travels in the head itself."""
    return payload(IN_SLOT, n_bytes) if n_bytes > INLINE_BYTES else 0


def _place(word: int, status: int, slot: int, stage: int, chunk_bytes: int) -> tuple[int, int]:
    """Where in a node's memory the payload of a member's post is, and its length."""
    if word & FAILED:
        return slot + HEAD_BYTES, status
    kind, n_bytes = status & 3, status >> 2
    if kind < ON_STAGE:
        return slot + HEAD_BYTES, n_bytes
    return stage + (kind - ON_STAGE) * chunk_bytes, n_bytes


def pack(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    is_folded: bool,
    is_final: bool,
    into: bytearray | memoryview,
    fence: Callable[[], Any] | None,
) -> int:
    """Put the posts of a node's members into a message.

    Parameters
    ----------
    memory
        The node's.
    rows
        Where a member's slot is and its first stage, by place.
    chunk_bytes
        Length of a stage.
    sequence
        The round's. Unless the message is final, members may not have posted yet.
    is_folded
        Whether the first payload stands for all of them; the heads are alike then.
    is_final
        Whether payloads go with the heads, and all members have posted.
    into
        The message.
    fence
        Orders loads where the machine does not, else None.

    Returns
    -------
    int
        Its length in bytes.
    """
    words = memory.cast("q")
    view = memoryview(into)
    numbers = view[: len(into) // WORD_BYTES * WORD_BYTES].cast("q")
    slots = [
        (place, slot, stage)
        for place, (slot, stage) in enumerate(zip(rows[0::2], rows[1::2], strict=True))
        if words[slot // WORD_BYTES] >= sequence
    ]
    if fence is not None:
        # Acquire: what members wrote before the numbers just read is visible from here on.
        fence()
    form = SOME
    if is_final:
        form = ALIKE if is_folded or _are_alike(words, rows) else ALL
    at = MESSAGE_BYTES
    count = 0
    for place, slot, stage in slots:
        head = words[slot // WORD_BYTES : slot // WORD_BYTES + HEAD_WORDS]
        if form != ALIKE:
            numbers[at // WORD_BYTES] = place
            at += WORD_BYTES
        view[at : at + HEAD_BYTES] = memory[slot : slot + HEAD_BYTES]
        at += HEAD_BYTES
        count += 1
        start, n_bytes = _place(head[WORD], head[STATUS], slot, stage, chunk_bytes)
        if is_final and n_bytes:
            view[at : at + n_bytes] = memory[start : start + n_bytes]
            at += -(-n_bytes // WORD_BYTES) * WORD_BYTES
        if form == ALIKE:
            break
    numbers[0] = form
    numbers[1] = count
    return at


def _are_alike(words: memoryview, rows: array[int]) -> bool:
    """Whether members posted the same words, and nothing besides."""
    first = rows[0] // WORD_BYTES
    if words[first + WORD] & FAILED or words[first + STATUS]:
        return False
    same = words[first + 1 : first + HEAD_WORDS]
    others = [slot // WORD_BYTES for slot in rows[2::2]]
    return all(words[other + 1 : other + HEAD_WORDS] == same for other in others)


def deliver(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    message: memoryview,
    fence: Callable[[], Any] | None,
) -> bool:
    """Store the posts of a message into the mirrors of a node's members.

    Parameters
    ----------
    rows
        Where the mirrors are, as in :func:`pack`.
    fence
        Orders stores where the machine does not, else None.

    Returns
    -------
    bool
        Whether it was the node's last message of the round.
    """
    words = memory.cast("q")
    numbers = message.cast("q")
    form, count = numbers[0], numbers[1]
    at = MESSAGE_BYTES
    heads = []
    entries = len(rows) // 2 if form == ALIKE else count
    for place in range(entries):
        if form != ALIKE:
            place = numbers[at // WORD_BYTES]  # noqa: PLW2901
            at += WORD_BYTES
        slot, stage = rows[2 * place], rows[2 * place + 1]
        if form != ALIKE or place == 0:
            head = numbers[at // WORD_BYTES : at // WORD_BYTES + HEAD_WORDS]
            at += HEAD_BYTES
            start, n_bytes = _place(head[WORD], head[STATUS], slot, stage, chunk_bytes)
            if form != SOME and n_bytes:
                memory[start : start + n_bytes] = message[at : at + n_bytes]
                at += -(-n_bytes // WORD_BYTES) * WORD_BYTES
        words[slot // WORD_BYTES + 1 : slot // WORD_BYTES + HEAD_WORDS] = head[1:]
        heads.append(slot // WORD_BYTES)
    if fence is not None:
        fence()
    for mirror in heads:
        # Release: whoever of the node sees this number sees the posts and what they carry.
        words[mirror] = sequence
    return form != SOME
