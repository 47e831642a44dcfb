# ruff: noqa: ARG001 - the compiled functions have the same arguments and need them
"""Pass messages through the shared memory of a node."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from redcoll.ops import Op

_sched_yield = os.sched_yield


def await_change(
    words: memoryview, at: int, mask: int, value: int, limit_s: float, spin: int
) -> bool:
    """Wait a short time for ``words[at] & mask`` to differ from ``value``; return whether it does.

    Python's signal handlers may be delayed until ``limit_s`` has passed. ``spin`` is the number of
    polls before the first yield.
    """
    for _ in range(spin):
        if words[at] & mask != value:
            return True
    until_s = monotonic() + limit_s
    while monotonic() < until_s:
        _sched_yield()
        if words[at] & mask != value:
            return True
    return False


def collect(
    words: memoryview,
    expected: array[int],
    seen: array[int],
    slot_bits: int,
    slot_words: int,
    head_words: int,
    heads: list[tuple[int, ...]],
    limit_s: float,
    spin: int,
) -> None:
    """Collect the expected messages in their order. Stop at the first message that is not expected.

    The caller handles the remaining messages itself. This Python version collects no messages,
    because it would not be faster than the Python code of the caller.

    Parameters
    ----------
    words
        64-bit integers.
    expected
        Six words for each message. The first is the index of the word by which the sender
        publishes. The second is the index of the sender's first header. The others are words 2 to
        5 of the expected header. Word 5 of the header is the sender.
    seen
        For each sender, the last published value that the caller has seen. This function updates
        these values.
    slot_bits
        Number of low bits of a published value that give the slot.
    slot_words
        Number of words from one slot to the next.
    head_words
        Number of words of a header.
    heads
        Receives the headers of the collected messages.
    limit_s, spin
        See :func:`await_change`. The limit applies to each message.
    """


def fold_at(
    op: Op, memory: memoryview, starts: Sequence[int], index: int, own: NDArray[Any]
) -> bool:
    """Fold several arrays in shared memory, and the array ``own``, into ``own``.

    This Python version does nothing, because it would not be faster than the Python code of the
    caller. ``starts`` has the offsets of the arrays in bytes. The function can overwrite the first
    array. ``own`` is operand number ``index``, counted from 0. It is one-dimensional, contiguous
    and writable. Return False if there is no loop for this operation and type.
    """
    return False


def hand_over(
    words: memoryview,
    at: int,
    head: tuple[int, ...],
    data: NDArray[Any] | None,
    data_at: int,
    published_at: int,
    published: int,
    fence: Callable[[], Any] | None,
) -> None:
    """Store a header and an array in shared memory, and publish them.

    The first word of the header shows whether a message is valid. A reader that sees any of the new
    data no longer sees the old first word. A reader that sees the published value sees all of the
    data.

    Parameters
    ----------
    words
        64-bit integers.
    at, head
        Index of the header, and its words.
    data_at, data
        Offset of the array in bytes, and the array. It is one-dimensional and contiguous, or None.
    published_at, published
        Index and new value of the word that publishes the message.
    fence
        A function that orders stores and loads; None if the processor orders them.
    """
    rest = array("q", head[1:])
    # Invalidate the header first. If an error or interrupt follows, no valid message is left.
    words[at] = 0
    if fence is not None:
        fence()
    words[at + 1 : at + len(head)] = rest
    if data is not None:
        np.frombuffer(words, data.dtype, data.size, data_at)[...] = data
    words[at] = head[0]
    if fence is not None:
        fence()
    words[published_at] = published


compare_swap: Final = None
"""None, because Python has no atomic compare-and-swap."""
