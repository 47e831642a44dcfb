"""The measured thresholds of the kernels, in one table; docs/decisions gives the reasons."""

from __future__ import annotations

from typing import Final, NamedTuple


class Thresholds(NamedTuple):
    """The best values measured for one kernel."""

    small_bytes: int
    """The longest vector that goes through one round in which every rank folds all of it
    (``REDCOLL_SMALL_BYTES``)."""
    chunk_bytes: int
    """Ordinary arrays pass through the staging buffers in chunks of this size
    (``REDCOLL_CHUNK_BYTES``)."""
    spin: int
    """Number of polls of a header before a wait first yields, if each rank has a core
    (``REDCOLL_SPIN``)."""
    polls_per_clock: int
    """Number of slow polls of a wait from one reading of the clock to the next."""
    ahead: int
    """The most rounds, with the current one, that a member can have published without comparing the
    headers of the others. This holds for calls in which it needs no other vectors
    (``REDCOLL_AHEAD``)."""


NUMPY: Final = Thresholds(
    # In Python, cutting and addressing slices costs more than folding 32 KiB.
    small_bytes=32 << 10,
    # Each chunk costs a dozen calls in Python.
    chunk_bytes=512 << 10,
    spin=200,
    # Each poll is a Python call, so polls follow each other within microseconds.
    polls_per_clock=16,
    # The NumPy kernel compares headers in every round.
    ahead=1,
)
COMPILED: Final = Thresholds(
    # Longer vectors are faster in slices, except for ordinary arrays on 2 ranks.
    small_bytes=4 << 10,
    # Data that stays in the writer's second-level cache is slow to read for other cores.
    chunk_bytes=512 << 10,
    spin=200,
    # The compiled kernel polls 0.1 ms in C before each of these polls.
    polls_per_clock=1,
    # In a scan of 16 ranks on 2 cores, each time slice of a rank lasts for several calls.
    ahead=128,
)
# On several nodes the network determines these values, so both kernels share them.
VECTORS_BYTES_ACROSS: Final = 1 << 20
"""Bytes on each node for the vectors of all members, or of all nodes."""
INLINE_BYTES_ACROSS: Final = 128 << 10
"""All nodes' vectors travel with the headers to all nodes, up to this number of bytes in total."""
LEAST_INLINE_BYTES_ACROSS: Final = 192
PARTS_BYTES_ACROSS: Final = 256 << 10
"""The longest fold in which each leader folds a part that travels with the headers."""
LEADER_BYTES_ACROSS: Final = 512 << 10
"""A leader alone folds the vectors of its node, up to this number of bytes in total."""
CHUNK_BYTES_ACROSS: Final = 1 << 20
"""Longer vectors travel in pieces of this size, in which each owner has a slice."""
TABLE: Final = {"numpy": NUMPY, "compiled": COMPILED}


def inline_bytes_across(nodes: int) -> int:
    """Return the longest vector of a node that travels with the header to all nodes."""
    if nodes == 2:  # two nodes exchange the same number of bytes in both ways
        return PARTS_BYTES_ACROSS
    return max(LEAST_INLINE_BYTES_ACROSS, INLINE_BYTES_ACROSS // nodes // 64 * 64)


def fold_bytes_across(nodes: int, members: int) -> int:
    """Return the longest vector that leaders fold, with at most ``members`` on a node."""
    least = inline_bytes_across(nodes)
    return max(least, min(PARTS_BYTES_ACROSS, LEADER_BYTES_ACROSS // members))
