"""Define the measured thresholds of the kernels. docs/decisions gives the reasons."""

from __future__ import annotations

from typing import Final, NamedTuple


class Thresholds(NamedTuple):
    """The best values measured for one kernel."""

    small_bytes: int
    """The size of the longest vector that takes a single round, after which every rank folds all of
    it (``REDCOLL_SMALL_BYTES``)."""
    chunk_bytes: int
    """The size of the chunks in which ordinary arrays pass through staging buffers
    (``REDCOLL_CHUNK_BYTES``)."""
    spin: int
    """Number of polls of a header before a wait first yields, if each rank has a core
    (``REDCOLL_SPIN``)."""
    polls_per_clock: int
    """Number of slow polls between two reads of the clock."""
    ahead: int
    """The number of rounds, including the current one, that a member can publish before it compares
    the other members' headers. This holds for calls in which it needs no data of other members
    (``REDCOLL_AHEAD``)."""


NUMPY: Final = Thresholds(
    # In Python, computing and addressing slices takes longer than folding 32 KiB.
    small_bytes=32 << 10,
    # Each chunk takes a dozen calls in Python, so chunks must not be too small.
    chunk_bytes=512 << 10,
    spin=200,
    # Each poll is a Python call that takes microseconds.
    polls_per_clock=16,
    # The NumPy kernel compares headers in every round.
    ahead=1,
)
COMPILED: Final = Thresholds(
    # Folding longer vectors in slices is faster, except for ordinary arrays on 2 ranks.
    small_bytes=4 << 10,
    # Chunks of this size leave the writer's second-level cache, from which other cores read slowly.
    chunk_bytes=512 << 10,
    spin=200,
    # Before each of these polls, the compiled kernel polls in C for 0.1 ms.
    polls_per_clock=1,
    # In a scan of 16 ranks on 2 cores, each time slice of a rank lasts for several calls.
    ahead=128,
)
# On several nodes the network determines these values, so both kernels share them.
VECTORS_BYTES_ACROSS: Final = 1 << 20
"""Size of the memory on each node for the vectors of all members, or of all nodes."""
INLINE_BYTES_ACROSS: Final = 128 << 10
"""Up to this size in total, all nodes' vectors travel to all nodes together with the headers."""
LEAST_INLINE_BYTES_ACROSS: Final = 192
PARTS_BYTES_ACROSS: Final = 256 << 10
"""Up to this size, each leader folds a part of a vector, and the parts travel with the headers."""
BLOCKS_BYTES_ACROSS: Final = 16 << 10
"""A longer vector of a reduce_scatter is split: each node receives only the blocks of its members.
This holds if the ranks of each node are consecutive in the team, and each node's blocks fit into a
part."""
LEADER_BYTES_ACROSS: Final = 512 << 10
"""Up to this size in total, a leader alone folds the vectors of its node."""
CHUNK_BYTES_ACROSS: Final = 1 << 20
"""Longer vectors travel along rails in chunks of this size, in which each owner has a slice."""
TABLE: Final = {"numpy": NUMPY, "compiled": COMPILED}


def inline_bytes_across(nodes: int) -> int:
    """Return the size of a node's longest vector that travels with the header to all nodes."""
    if nodes == 2:  # for two nodes, parts would save no bytes
        return PARTS_BYTES_ACROSS
    return max(LEAST_INLINE_BYTES_ACROSS, INLINE_BYTES_ACROSS // nodes // 64 * 64)


def fold_bytes_across(nodes: int, members: int) -> int:
    """Return the size of the longest vector that leaders fold, for up to ``members`` on a node."""
    least = inline_bytes_across(nodes)
    return max(least, min(PARTS_BYTES_ACROSS, LEADER_BYTES_ACROSS // members))
