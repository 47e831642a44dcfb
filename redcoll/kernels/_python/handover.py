# ruff: noqa: ARG001 - the compiled twin needs the arguments
"""Words of shared memory that other PEs change at a time of their own."""

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
    """Wait a little for ``words[at] & mask`` to differ from ``value``; whether it does.

    Parameters
    ----------
    words
        64-bit integers.
    at
        Which of them.
    mask, value
        What is looked at, and what it is as long as nothing has happened.
    limit_s
        How long, at most; Python's signal handlers may have to wait for the end of it.
    spin
        Looks before the core is given away for the first time.
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
    """Wait for parcels that others hand over, as far as they come in turn and one by one.

    Without a compiler nothing is gained by that: the caller goes on as if none had come.

    Parameters
    ----------
    words
        64-bit integers.
    expected
        Six words for each parcel: which word its sender publishes at, where the heads in
        its slots begin, and words 2 to 5 of the head, the last of which is the sender.
    seen
        By sender: what was published last as far as the caller has seen; brought up to date.
    slot_bits, slot_words, head_words
        Lower bits of what is published, which say the slot; words from one slot to the
        next; words of a head.
    heads
        Appended to: the heads of those that have come.
    limit_s, spin
        As for :func:`await_change`, for each parcel.
    """


def fold_at(
    op: Op, memory: memoryview, starts: Sequence[int], index: int, own: NDArray[Any]
) -> bool:
    """Left fold of arrays in shared memory, and one more, into that one.

    Without a compiler nothing is gained by that.

    Parameters
    ----------
    memory, starts
        Where the arrays begin, in bytes; the first may be overwritten.
    index
        Which operand ``own`` is, from 0.
    own
        One-dimensional, contiguous and writable; the result goes there.

    Returns
    -------
    bool
        False if nothing has been done, for want of such a loop.
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
    """Store a head and an array in shared memory, and publish them.

    Whoever sees any of it no longer sees the head's first word that was there before; whoever
    sees what is published sees all.

    Parameters
    ----------
    words
        64-bit integers.
    at, head
        Where the head goes, and its words.
    data_at, data
        Byte where the array goes; one-dimensional and contiguous, None for nothing.
    published_at, published
        The word that publishes.
    fence
        Orders stores and loads where the machine does not, else None.
    """
    rest = array("q", head[1:])
    # What ends this before its end, an interrupt too, leaves no parcel behind.
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
"""Atomically store a number where another one is found: there is none without a compiler."""
