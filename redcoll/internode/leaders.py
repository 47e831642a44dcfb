"""Do the work of a node leader in each round."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.internode.exchange import Exchange
from redcoll.internode.notices import Notices
from redcoll.internode.parts import Parts
from redcoll.internode.room import DISPUTES_BYTES, Room
from redcoll.kernels.interface import Fold
from redcoll.protocol.layout import Post
from redcoll.topology import Layout

_LENGTHS_OF_TEXT: Final = 512, 80, 0


class Leader(Exchange):
    """A leader's side of the rounds.  Construction is collective over the leaders.

    ``notices`` has the leader's reports of late and lost members. The other arguments are those of
    :class:`Exchange`.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        room: Room,
        notices: Notices,
        fold: Fold,
        turns: Callable[[], Callable[[], bool]],
        functions: Any,
        compiled: Callable[..., Any] | None,
    ) -> None:
        super().__init__(comm, layout, room, fold, turns, functions, compiled)
        self._comm = comm
        self.notices = notices
        self._under_way: list[Any] = []
        """Requests and buffers that MPI may still use."""

    def combine(self, side: int, parts: Parts) -> None:
        """Fold this node's part of the result, and send the part to the nodes that need it."""
        if parts.plan_after is not None:
            self.exchange(side, 0, 0, 0, False, parts.plan_after)
        parts.fold_all(side)
        if parts.plan_back is not None:
            self.exchange(side, 0, 0, 0, False, parts.plan_back)

    def gather(self, side: int, blocks: Sequence[int]) -> None:
        """Bring each node's block of the vectors to all nodes.

        ``blocks`` has the sizes of the blocks in bytes.
        """
        whole = [self._vectors(side, sum(blocks)), blocks, MPI.BYTE]
        self._complete(self._comm.Iallgatherv, MPI.IN_PLACE, whole)

    def broadcast(self, side: int, n_bytes: int, node: int) -> None:
        """Copy the first ``n_bytes`` of the vectors on one node to all nodes."""
        self._complete(self._comm.Ibcast, [self._vectors(side, n_bytes), MPI.BYTE], node)

    def _vectors(self, side: int, n_bytes: int) -> memoryview:
        at = self._room.vectors[side]
        return self._room.memory[at : at + n_bytes]

    def _complete(self, start: Callable[..., MPI.Request], *arguments: Any) -> None:
        """Start a collective on these arguments, and wait until it is complete."""
        self._under_way += arguments
        # ``extend(map(...))`` is one C call, so no signal handler can raise between the start of
        # the request and its storage.
        self._under_way.extend(map(start, *([each] for each in arguments)))
        self.finish(partial(self._completes, self._under_way[-1]))
        self._under_way.clear()

    def gather_bytes(self, own: bytes) -> list[bytes]:
        """Exchange byte strings; return the strings of all leaders, by node."""
        lengths = array("q", [0] * self._comm.Get_size())
        mine = array("q", [len(own)])
        self._complete(self._comm.Iallgather, [mine, MPI.INT64_T], [lengths, 1, MPI.INT64_T])
        everything = np.empty(sum(lengths), np.uint8)
        into = [everything, lengths.tolist(), MPI.BYTE]
        self._complete(self._comm.Iallgatherv, [own, MPI.BYTE], into)
        ends = zip(lengths, accumulate(lengths), strict=True)
        return [everything[end - length : end].tobytes() for length, end in ends]

    def tell_posts(self, near: Sequence[tuple[int, Post]]) -> None:
        """Exchange the headers of all members, and write them to the node's memory."""
        own = [
            [index, each.word, each.count, each.extra, each.text, each.site] for index, each in near
        ]
        told = self.gather_bytes(json.dumps(own).encode())
        # Make one row for all members with equal headers, so that the text of a large job stays
        # short.
        rows: dict[tuple[Any, ...], list[int]] = {}
        for node in told:
            for index, *post in json.loads(node):
                rows.setdefault(tuple(post), []).append(index)
        for length in _LENGTHS_OF_TEXT:
            shown = [
                [*post[:3], post[3][:length], post[4] if length else "", who]
                for post, who in rows.items()
            ]
            data = zlib.compress(json.dumps(shown).encode())
            if len(data) <= DISPUTES_BYTES - 8:
                break
        else:
            # Too many members made different calls. Report the first two calls, as if all other
            # members had made the second call.
            rest = [index for row in shown[1:] for index in row[5]]
            data = zlib.compress(json.dumps([shown[0], [*shown[1][:5], rest]]).encode())
        room = self._room
        room.words[room.disputes // 8] = len(data)
        room.memory[room.disputes + 8 : room.disputes + 8 + len(data)] = data


def told_posts(room: Room, size: int) -> list[Post]:
    """Read the headers of all members that the leader has written."""
    length = room.words[room.disputes // 8]
    data = bytes(room.memory[room.disputes + 8 : room.disputes + 8 + length])
    posts: list[Any] = [None] * size
    for word, count, extra, text, site, members in json.loads(zlib.decompress(data)):
        for index in members:
            posts[index] = Post(word, count, extra, -1, -1, text, is_ahead=False, site=site)
    return posts
