"""Define the measured thresholds of the kernels. docs/decisions gives the reasons."""

from __future__ import annotations

from typing import Final, NamedTuple


class Thresholds(NamedTuple):
    """The best values measured for one kernel."""

    small_bytes: int
    """The size of the longest vector that ranks exchange in a single round. Every rank then folds
    the whole vector (``REDCOLL_SMALL_BYTES``)."""
    chunk_bytes: int
    """The size of the chunks in which ordinary arrays pass through staging buffers
    (``REDCOLL_CHUNK_BYTES``)."""
    spin: int
    """Number of polls of a header before a wait first yields, if each rank has a core
    (``REDCOLL_SPIN``)."""
    polls_per_clock: int
    """Number of polls in Python between two reads of the clock."""
    ahead: int
    """The number of rounds, including the current one, that a member can publish before it compares
    the other members' headers. The number applies to calls in which the member does not need the
    data of all members (``REDCOLL_AHEAD``)."""


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
    # It is faster to fold longer vectors in slices, except for ordinary arrays on 2 ranks.
    small_bytes=4 << 10,
    # Chunks of this size do not stay in the second-level cache of the core that writes them. Other
    # cores read slowly from that cache.
    chunk_bytes=512 << 10,
    spin=200,
    # Before each of these polls, the compiled kernel polls in C for 0.1 ms.
    polls_per_clock=1,
    # With 16 ranks on 2 cores, run-ahead lets a rank make several scans in each of its time slices.
    ahead=128,
)
# On several nodes the network determines these values, so both kernels share them.
VECTORS_BYTES_ACROSS: Final = 1 << 20
"""Size of a buffer on each node. The buffer holds the vectors of all members of the node, or the
vectors of all nodes."""
INLINE_BYTES_ACROSS: Final = 128 << 10
"""If the vectors of all nodes have at most this size in total, they travel to all nodes together
with the headers."""
LEAST_INLINE_BYTES_ACROSS: Final = 192
PARTS_BYTES_ACROSS: Final = 256 << 10
"""If a vector has at most this size, each leader folds a part of the vector, and the parts travel
with the headers. :func:`direct_bytes_across` has the exception."""
SINGLE_PART_BYTES_ACROSS: Final = 12 << 10
"""If the order of the operands matters and each node's part has more than this size, the parts
follow the headers, each in its own message."""
DIRECT_BYTES_ACROSS: Final = 256 << 10
"""On up to ``NODES_OF_DIRECT`` nodes, the vectors of a reduce of at most this size go to the root's
node, which alone folds them. There this is faster than parts."""
NODES_OF_DIRECT: Final = 4
LEADER_BYTES_ACROSS: Final = 1 << 20
"""If the vectors of a node have at most this size in total, the leader alone folds them. From
``NODES_OF_LONG_PARTS`` nodes on, they can have twice this size. With Open MPI they can have four
times this size on any number of nodes, because there rails are slower."""
NODES_OF_LONG_PARTS: Final = 4
CHUNKS_BYTES_ACROSS: Final = 8 << 20
"""Vectors that the leaders do not fold travel along rails, in chunks. Each rail has a slice of each
chunk. The chunks of all members of a node have at most this size in total."""
LEAST_CHUNK_BYTES_ACROSS: Final = 1 << 20
ONE_WAY_BYTES_ACROSS: Final = 16 << 10
"""If the vector of a reduce has at most this size and travels with the headers, node leaders other
than the root's run ahead."""
AHEAD_ACROSS: Final = 1024
"""The number of calls, including the current one, that a node leader can begin before it waits for
all nodes. The number applies to reduces of up to ``ONE_WAY_BYTES_ACROSS`` (``REDCOLL_AHEAD``)."""
BLOCK_BYTES_OF_MPI: Final = 64 << 10
"""With ``REDCOLL_ORDER=mpi``, MPI combines the nodes' folds of a slice if each node's block of the
slice has less than this size. MPI's reductions need fewer messages."""
TABLE: Final = {"numpy": NUMPY, "compiled": COMPILED}


def inline_bytes_across(nodes: int) -> int:
    """Return the size of the longest vector that a node sends to all nodes with a header."""
    if nodes == 2:  # for two nodes, parts would save no bytes
        return PARTS_BYTES_ACROSS
    return max(LEAST_INLINE_BYTES_ACROSS, INLINE_BYTES_ACROSS // nodes // 64 * 64)


def parts_bytes_across(nodes: int, *, is_ordered: bool) -> int:
    """Return the size of the longest vector whose parts travel with the headers.

    ``is_ordered`` is whether the order of the operands matters.
    """
    if nodes == 2 or not is_ordered:
        return PARTS_BYTES_ACROSS
    return min(PARTS_BYTES_ACROSS, nodes * SINGLE_PART_BYTES_ACROSS)


def direct_bytes_across(nodes: int) -> int:
    """Return the size of the longest vector that each node sends to the root's node of a reduce."""
    return DIRECT_BYTES_ACROSS if nodes <= NODES_OF_DIRECT else 0


def fold_bytes_across(nodes: int, members: int, *, is_open_mpi: bool = False) -> int:
    """Return the size of the longest vector that leaders fold.

    ``members`` is the largest number of members on a node.
    """
    on_node = LEADER_BYTES_ACROSS
    if is_open_mpi:
        on_node *= 4
    elif nodes >= NODES_OF_LONG_PARTS:
        on_node *= 2
    most = min(on_node // members, VECTORS_BYTES_ACROSS)
    if nodes * SINGLE_PART_BYTES_ACROSS > most:
        most = min(most, PARTS_BYTES_ACROSS)
    return max(inline_bytes_across(nodes), most)


def chunk_bytes_across(members: int) -> int:
    """Return the size of the chunks of long vectors on a node with this number of members."""
    return max(LEAST_CHUNK_BYTES_ACROSS, CHUNKS_BYTES_ACROSS // members)
