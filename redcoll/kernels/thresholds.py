"""The measured thresholds of the kernels, in one table; docs/decisions says why."""

from __future__ import annotations

from typing import Final, NamedTuple


class Thresholds(NamedTuple):
    """What one kernel was found to do best with."""

    small_bytes: int
    """Up to so long a vector goes through one round in which every PE folds all of it
    (``REDCOLL_SMALL_BYTES``)."""
    chunk_bytes: int
    """Private vectors pass through the scratch in pieces of this size
    (``REDCOLL_CHUNK_BYTES``)."""
    spin: int
    """Looks at a post before the first turn of a wait, where each PE has a core
    (``REDCOLL_SPIN``)."""
    turns_per_clock: int
    """Turns of a wait between two looks at the clock."""
    ahead: int
    """Rounds, with the current one, that a member may have posted before it has compared what
    the others posted, where it does not fold their vectors (``REDCOLL_AHEAD``)."""


NUMPY: Final = Thresholds(
    # Cutting and addressing slices costs more in Python than to fold 32 KiB.
    small_bytes=32 << 10,
    # Each chunk costs a dozen calls in Python.
    chunk_bytes=512 << 10,
    spin=200,
    # A turn is a call in Python, so they follow each other closely.
    turns_per_clock=16,
    # It compares in every round.
    ahead=1,
)
COMPILED: Final = Thresholds(
    # Beyond it slices pay, but for private arrays at 2 PEs.
    small_bytes=4 << 10,
    # What lies in the second-level cache of who wrote it is slow to read for the others.
    chunk_bytes=512 << 10,
    spin=200,
    # A turn follows a tenth of a millisecond in compiled code.
    turns_per_clock=1,
    # In a scan of 16 PEs on 2 cores each turn of a PE is worth some calls to the next one.
    ahead=128,
)
# Over several nodes the network counts, and not the kernel.
VECTORS_BYTES_ACROSS: Final = 1 << 20
"""Room on each node for what all members, or all nodes, have of a vector."""
INLINE_BYTES_ACROSS: Final = 128 << 10
"""All nodes' vectors go to all nodes with the headers, up to this number of bytes in sum."""
LEAST_INLINE_BYTES_ACROSS: Final = 192
PARTS_BYTES_ACROSS: Final = 256 << 10
"""The longest fold in which each leader folds a part that comes with the headers."""
LEADER_BYTES_ACROSS: Final = 512 << 10
"""A leader alone folds the vectors of its node up to this number of bytes in sum."""
CHUNK_BYTES_ACROSS: Final = 1 << 20
"""Longer ones go in pieces of this size, in which each owner has a slice."""
TABLE: Final = {"numpy": NUMPY, "compiled": COMPILED}


def inline_bytes_across(nodes: int) -> int:
    """Return how long a vector of a node may be that goes to all nodes with the header."""
    if nodes == 2:  # two nodes exchange as many bytes either way
        return PARTS_BYTES_ACROSS
    return max(LEAST_INLINE_BYTES_ACROSS, INLINE_BYTES_ACROSS // nodes // 64 * 64)


def fold_bytes_across(nodes: int, members: int) -> int:
    """Return how long a vector may be that the leaders fold, of at most ``members`` on a node."""
    least = inline_bytes_across(nodes)
    return max(least, min(PARTS_BYTES_ACROSS, LEADER_BYTES_ACROSS // members))
