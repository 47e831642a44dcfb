"""Compute the sizes of a team's scratch memory, and the place of each part in its MPI window.

The segment of a member has these parts::

    0            a cache line: the member's state, the member that it waits for, and
                 from word 3 on, the text of the deadline that ended its wait
    64           headers, a cache line each; the number of a round selects the header
    payload      2 x a short vector: buffers for rounds with odd and even numbers
    record       the member's call sites (:mod:`redcoll.protocol.call_sites`)
    stage        2 x a chunk: staging buffers for ordinary arrays, used alternately

After the segments of all members there is::

    result       2 x a chunk: the result of folding the members' chunks

On several nodes each node has its own window for its members. In the window, the data that travel
between nodes are after the results (:mod:`redcoll.internode.room`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.comm import least
from redcoll.internode.room import bytes_each
from redcoll.kernels import thresholds
from redcoll.kernels.interface import Kernel
from redcoll.memory.shared_window import room_bytes
from redcoll.protocol.call_sites import RECORD_BYTES
from redcoll.protocol.layout import Scratch
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll.team.settings import Told
from redcoll.topology import Layout

_TEXT_BYTES: Final = 512
"""The least size of a payload buffer, which must also hold the text of an error."""
_PAGE: Final = 4096
_LEAST_CHUNK_BYTES: Final = 32 << 10
_ROOM_SHARE: Final = 16
"""By default a team's chunks take at most 1 / 16 of the free shared memory."""
AWAITED: Final = 1
"""The word of a member in the wait-for graph, counted from the member's state word."""


class Sizes(NamedTuple):
    """Sizes that are equal on all members of a team."""

    small_bytes: int
    """Size in bytes of the longest vector that needs only one round."""
    fold_bytes: int
    """On several nodes: size in bytes of the longest vector that each node folds before the only
    round between nodes."""
    chunk_bytes: int
    """Size in bytes of the chunks of longer vectors."""
    ahead: int
    """The number of calls that a member can begin before the other members arrive at the first of
    these calls."""


def agree(
    settings: Told, kernel: Kernel, layout: Layout, near: MPI.Intracomm, comm: MPI.Intracomm
) -> tuple[Sizes, Sizes]:
    """Return the sizes of a team, and of its team on the caller's node.  Collective over the team.

    ``settings`` are equal on all members. ``near`` has the members on the caller's node, and
    ``comm`` has all members.
    """
    small = settings.value(config.SMALL_BYTES)
    chunk = settings.value(config.CHUNK_BYTES)
    ahead = settings.value(config.AHEAD)
    if kernel.AHEAD == 1:
        ahead = 1
    elif ahead is None:
        ahead = kernel.AHEAD if layout.is_one_node else thresholds.AHEAD_ACROSS
    if layout.is_one_node:
        if chunk is None:
            chunk = _fitting(kernel.CHUNK_BYTES, layout, near)
        if small is None:
            small = kernel.SMALL_BYTES
        sizes = Sizes(small, small, round_up(chunk, LINE), ahead)
        return sizes, sizes
    if chunk is None:
        # Nodes exchange the chunks of a vector, so chunks have the same size on all nodes.
        chunk = thresholds.chunk_bytes_across(len(layout.members))
        chunk = least(comm, _fitting(chunk, layout, near))
    nodes = len(layout.nodes)
    is_open_mpi = MPI.get_vendor()[0] == "Open MPI"
    most_members = max(map(len, layout.nodes))
    folded = thresholds.fold_bytes_across(nodes, most_members, is_open_mpi=is_open_mpi)
    if small is None:
        small = thresholds.inline_bytes_across(nodes)
    else:
        folded = min(small, folded)
    # In a round that shares objects, each member's part of the buffer also holds a tag and a
    # length.
    small = min(small, bytes_each(sum(map(len, layout.nodes))) - LINE)
    sizes = Sizes(small, folded, round_up(chunk, LINE), ahead)
    most = max(small, folded)
    # On its node a member publishes at most two rounds after its leader's last release, and there
    # are two headers.
    return sizes, sizes._replace(small_bytes=most, fold_bytes=most, ahead=1)


def _fitting(chunk: int, layout: Layout, near: MPI.Intracomm) -> int:
    """Return the size of a chunk, smaller than ``chunk`` if shared memory is scarce."""
    members = len(layout.members)
    room = room_bytes(near)
    while chunk > _LEAST_CHUNK_BYTES and 2 * chunk * (members + 1) > room // _ROOM_SHARE:
        chunk //= 2
    return chunk


class Segment:
    """The division of a member's segment into parts.

    ``wide_bytes`` is the number of bytes after the results, for data that travel between nodes.
    """

    def __init__(self, sizes: Sizes, wide_bytes: int = 0) -> None:
        self._chunk_bytes = sizes.chunk_bytes
        self._room_bytes = round_up(max(sizes.small_bytes, _TEXT_BYTES), LINE)
        # When member A begins a round, the headers that it compared last can be `ahead` rounds old.
        # Member B can be `ahead` rounds behind A. So a header must stay valid for `2 * ahead`
        # rounds.
        self._depth = 2 * sizes.ahead
        self._head_step, self._room_step = LINE, self._room_bytes
        self._rooms_at = LINE + self._depth * LINE
        if sizes.ahead == 1:
            self._head_step = self._room_step = LINE + self._room_bytes
            self._rooms_at = 2 * LINE
        self._record_at = round_up(self._rooms_at + self._room_step + self._room_bytes, LINE)
        self._stage_at = round_up(self._record_at + RECORD_BYTES, _PAGE)
        self.bytes = round_up(self._stage_at + 2 * self._chunk_bytes, _PAGE)
        """Bytes of a segment."""
        self.common_bytes = 2 * self._chunk_bytes + round_up(wide_bytes, LINE)
        """Bytes after all segments."""

    def starts(self, members: int) -> list[int]:
        """Return the offset of each member's segment, in the order of the members."""
        return [index * self.bytes for index in range(members)]

    def wide_start(self, members: int) -> int:
        """Return the offset of the part after the results, for data between nodes."""
        return members * self.bytes + 2 * self._chunk_bytes

    def scratch(self, memory: memoryview, starts: list[int]) -> Scratch:
        """Return the offsets of all parts in a window whose segments start at ``starts``."""
        return Scratch(
            memory,
            heads=tuple(start + LINE for start in starts),
            depth=self._depth,
            head_step=self._head_step,
            rooms=tuple(start + self._rooms_at for start in starts),
            room_step=self._room_step,
            room_bytes=self._room_bytes,
            records=tuple(start + self._record_at for start in starts),
            stages=tuple(start + self._stage_at for start in starts),
            results=len(starts) * self.bytes,
            chunk_bytes=self._chunk_bytes,
        )
