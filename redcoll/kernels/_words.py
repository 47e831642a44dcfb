"""Words of shared memory that other PEs change at a time of their own."""

from __future__ import annotations

import os
from typing import Final

_YIELDS: Final = range(20)
_sched_yield = os.sched_yield


def await_change(words: memoryview, at: int, mask: int, value: int, spin: int) -> bool:
    """Whether ``words[at] & mask`` soon becomes another number than ``value``.

    Waits a fraction of a millisecond at most, with the core given away between looks.

    Parameters
    ----------
    words
        64-bit integers.
    at
        Which of them.
    mask, value
        What is looked at, and what it is as long as nothing has happened.
    spin
        Looks before the core is given away for the first time.
    """
    for _ in range(spin):
        if words[at] & mask != value:
            return True
    for _ in _YIELDS:
        _sched_yield()
        if words[at] & mask != value:
            return True
    return False


compare_swap: Final = None
"""Atomically store a number where another one is found: there is none without a compiler."""
