"""A team's scratch: how large its parts are, and where in the window each of them lies.

One member's segment::

    0            state line: a word of its state (open, gave up, left), one of whom it waits for
    64           heads of posts, a line each, used in turn by the sequence number
    room         2 x short vector: its staging for odd and even numbers
    stage        2 x chunk: chunks of a private source in turn

and behind all segments::

    result       2 x chunk: what the members together folded of a chunk

On several nodes each node has a window of its own, for its own members alone; what goes between
nodes lies behind the results (:mod:`redcoll.internode.room`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, NamedTuple

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.comm import least
from redcoll.internode.room import bytes_each
from redcoll.kernels import thresholds
from redcoll.memory.shared_window import room_bytes
from redcoll.protocol.layout import Scratch
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll.topology import Layout

_TEXT_BYTES: Final = 512
"""A room also has to hold the text of a refusal."""
_PAGE: Final = 4096
_LEAST_CHUNK_BYTES: Final = 32 << 10
_ROOM_SHARE: Final = 16
"""A team takes no more than this part of the shared memory left, as far as it can choose."""


def awaited_beside(state: int) -> int:
    """Where in the words of a window a member says whom it waits for, by where its state is."""
    return state + 1


class Sizes(NamedTuple):
    """What the members of a team have agreed on."""

    small_bytes: int
    """Of a vector that goes through one round, at most."""
    fold_bytes: int
    """Of a vector that the nodes fold in one round, at most; on several nodes."""
    chunk_bytes: int
    """Of a piece of a longer one."""
    ahead: int
    """So many calls a member may begin before the others have come to the first of them."""


def agree(
    settings: Mapping[str, Any],
    kernel: ModuleType,
    layout: Layout,
    near: MPI.Intracomm,
    wider: MPI.Intracomm | None,
) -> Sizes:
    """The sizes of a team.  Collective over the team, and over a wider one that this is part of.

    Parameters
    ----------
    settings
        The values of the settings, the same on all members.
    kernel
        Whose defaults count.
    layout
        Which of the members share a node.
    near
        Those on the caller's node.
    wider
        The members of the team whose members on one node these are.
    """
    small = settings[config.SMALL_BYTES.name]
    chunk = settings[config.CHUNK_BYTES.name]
    ahead = settings[config.AHEAD.name]
    if chunk is None and layout.is_one_node:
        chunk = kernel.CHUNK_BYTES if wider is None else thresholds.CHUNK_BYTES_ACROSS
        chunk = _fitting(chunk, layout, near)
        if wider is not None:
            # All nodes cut a vector alike: what they exchange has to fit together.
            chunk = least(wider, chunk)
    if not layout.is_one_node:
        members = sum(map(len, layout.nodes))
        most = bytes_each(members) - LINE  # with which a post is shared
        nodes = len(layout.nodes)
        folded = thresholds.fold_bytes_across(nodes, max(map(len, layout.nodes)))
        if small is None:
            small = thresholds.inline_bytes_across(nodes)
        else:
            folded = min(small, folded)
        return Sizes(min(small, most), folded, 0, 1)
    if small is None:
        small = kernel.SMALL_BYTES
    if kernel.AHEAD == 1 or wider is not None:
        ahead = 1
    elif ahead is None:
        ahead = kernel.AHEAD
    return Sizes(small, small, round_up(chunk, LINE), ahead)


def _fitting(chunk: int, layout: Layout, near: MPI.Intracomm) -> int:
    """So large a chunk, or a smaller one where shared memory is scarce."""
    members = len(layout.members)
    room = room_bytes(near)
    while chunk > _LEAST_CHUNK_BYTES and 2 * chunk * (members + 1) > room // _ROOM_SHARE:
        chunk //= 2
    return chunk


class Segment:
    """How a member's segment is divided.

    Parameters
    ----------
    sizes
        Of its parts.
    wide_bytes
        What lies behind the results, for the team whose members on one node these are.
    """

    def __init__(self, sizes: Sizes, wide_bytes: int = 0) -> None:
        self._chunk_bytes = sizes.chunk_bytes
        self._room_bytes = round_up(max(sizes.small_bytes, _TEXT_BYTES), LINE)
        # A member may be ahead of what it has compared, and so may those who have yet to compare
        # with it: no head is used again within twice as many rounds.
        self._depth = 2 * sizes.ahead
        self._head_step, self._room_step = LINE, self._room_bytes
        self._rooms_at = LINE + self._depth * LINE
        if sizes.ahead == 1:
            self._head_step = self._room_step = LINE + self._room_bytes
            self._rooms_at = 2 * LINE
        self._stage_at = round_up(self._rooms_at + self._room_step + self._room_bytes, _PAGE)
        self.bytes = round_up(self._stage_at + 2 * self._chunk_bytes, _PAGE)
        """Its length."""
        self.common_bytes = 2 * self._chunk_bytes + round_up(wide_bytes, LINE)
        """What lies behind all segments."""

    def starts(self, members: int) -> list[int]:
        """Where each member's segment is, by index."""
        return [index * self.bytes for index in range(members)]

    def wide_start(self, members: int) -> int:
        """Where that is which lies behind the results."""
        return members * self.bytes + 2 * self._chunk_bytes

    def scratch(self, memory: memoryview, starts: list[int]) -> Scratch:
        """Where everything lies in a window with segments that start there."""
        return Scratch(
            memory,
            heads=tuple(start + LINE for start in starts),
            depth=self._depth,
            head_step=self._head_step,
            rooms=tuple(start + self._rooms_at for start in starts),
            room_step=self._room_step,
            room_bytes=self._room_bytes,
            stages=tuple(start + self._stage_at for start in starts),
            results=len(starts) * self.bytes,
            chunk_bytes=self._chunk_bytes,
        )
