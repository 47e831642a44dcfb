"""Measure the wall-clock time of a batch of calls. The benchmark has no other stopwatch."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Sequence

_FASTEST_GROWTH = 10
_MOST_CALLS = 1_000_000


Step = tuple[Callable[[], object], memoryview, int]
"""A call on a set of buffers, the bytes of the source, and a mark: the first byte of the source in
this call. A mark is 0 or 1, which is valid in every element type."""


def steps(calls: Sequence[Callable[[], object]], heads: Sequence[memoryview]) -> list[Step]:
    """Return two rotations through the buffer sets: one with mark 0, and one with mark 1.

    If a loop repeats these steps, consecutive calls use different buffer sets.
    """
    return [(call, head, mark) for mark in (0, 1) for call, head in zip(calls, heads, strict=True)]


def last_mark(n_calls: int, n_sets: int, which: int) -> int:
    """Return the mark of the last call on buffer set ``which``, in a batch of ``n_calls``."""
    rotations = (n_calls - 1 - which) // n_sets
    return rotations & 1


def run(cycle: Sequence[Step], n_calls: int) -> None:
    """Make ``n_calls`` calls, one after the other."""
    for call, head, mark in itertools.islice(itertools.cycle(cycle), n_calls):
        head[0] = mark
        call()


def elapsed_s(
    cycle: Sequence[Step],
    n_calls: int,
    *,
    prepare: Callable[[], object],
    start: Callable[[], object],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the seconds that this process takes for a batch of calls.

    ``prepare`` and then ``start`` are called before the clock starts. ``prepare`` warms up and
    cleans the targets. ``start`` lets all processes start together. ``clock`` must not measure CPU
    time, because a collective spends most of its time in waits.
    """
    prepare()
    collects = gc.isenabled()
    gc.disable()
    try:
        start()
        begin = clock()
        run(cycle, n_calls)
        return clock() - begin
    finally:
        if collects:
            gc.enable()


def calibrate(measure: Callable[[int], float], least: int, batch_s: float) -> int:
    """Return how many calls a batch must have to take ``batch_s``, but at least ``least``.

    ``measure`` returns the seconds for a number of calls. The function must return the same value
    on all PEs, so that all PEs get the same number of calls.
    """
    n_calls = least
    while True:
        took_s = max(measure(n_calls), 1e-9)
        if took_s >= batch_s / 4:
            # Measure again and keep the shorter time, because another program may have delayed the
            # first batch.
            took_s = max(min(took_s, measure(n_calls)), 1e-9)
        if took_s >= batch_s / 4 or n_calls >= _MOST_CALLS:
            wanted = int(n_calls * batch_s / took_s)
            return min(max(wanted, least), _MOST_CALLS)
        growth = min(max(batch_s / 2 / took_s, 2), _FASTEST_GROWTH)
        n_calls = min(int(n_calls * growth), _MOST_CALLS)
