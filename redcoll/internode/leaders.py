"""Do the work of a node leader in each round."""

from __future__ import annotations

import json
import time
import zlib
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any, Final, NoReturn

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.internode.exchange import Exchange
from redcoll.internode.notices import Notices
from redcoll.internode.one_way import OneWay, Row
from redcoll.internode.parts import Parts
from redcoll.internode.room import DISPUTES_BYTES, Room
from redcoll.kernels.interface import Fold
from redcoll.liveness.progress import poll
from redcoll.protocol.descriptor import DELEGATED
from redcoll.protocol.layout import UNKNOWN_POST, Post
from redcoll.topology import Layout

_LENGTHS_OF_TEXT: Final = 512, 80, 0
_MOST_BYTES: Final = DISPUTES_BYTES - 8
_OVERTAKING_S: Final = 5.0
_LEAST_TESTS: Final = 100
"""The time and the number of tests for which a leader waits for another leader that has reported
that it has gone on. A lost packet can delay a message for seconds."""
_ANSWER_S: Final = 1.0
"""The time for which a leader waits until the others have told their calls in a dispute."""


class Leader(Exchange):
    """A leader's side of the rounds.  Construction is collective over the leaders.

    ``notices`` has the leader's reports of late and lost members, and ``one_way`` its record of
    one-way rounds. The other arguments are those of :class:`Exchange`.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        room: Room,
        notices: Notices,
        one_way: OneWay,
        fold: Fold,
        turns: Callable[[], Callable[[], bool]],
        dispute: Callable[[int], NoReturn],
        functions: Any,
        compiled: Callable[..., Any] | None,
    ) -> None:
        super().__init__(comm, layout, room, fold, turns, dispute, functions, compiled)
        self._comm = comm
        self.notices = notices
        self.one_way = one_way
        self._under_way: list[Any] = []
        """Requests and buffers that MPI may still use."""

    def combine(self, number: int, parts: Parts) -> None:
        """Fold this node's part of the result, and send the part to the nodes that need it."""
        if parts.plan_after is not None:
            self.exchange(number, 0, 0, 0, False, parts.plan_after)
        parts.fold_all(number & 1)
        if parts.plan_back is not None:
            self.exchange(number, 0, 0, 0, False, parts.plan_back)

    def finish(self, test: Callable[[], bool]) -> None:
        """Poll until a request is complete, as ``Exchange`` does; raise if there is a dispute."""
        number, since_s, tests = self.notices.number(), 0.0, 0

        def is_over() -> bool:
            nonlocal since_s, tests
            if test():
                return True
            if self.one_way.disputed:
                self._dispute(self.one_way.disputed)
            if self.awaited >= 0 and self.notices.has_passed(self.awaited, number):
                now_s = time.monotonic()
                since_s = since_s or now_s
                tests += 1
                if now_s - since_s > _OVERTAKING_S and tests > _LEAST_TESTS:
                    self._dispute(number)
            return False

        poll(is_over, self._turns)

    def answers(self, number: int) -> list[Row]:
        """Open a dispute about a round; return the calls of all members that are known."""
        self.notices.dispute(number)
        until_s = time.monotonic() + _ANSWER_S
        while not self.one_way.have_all_answered() and time.monotonic() < until_s:
            self.notices.move()
            time.sleep(1e-3)
        return self.one_way.rows()

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
        told = self.gather_bytes(json.dumps([row_of(*each) for each in near]).encode())
        found = [row for node in told for row in json.loads(node)]
        if any(word & DELEGATED for _, word, *_ in found):
            self.one_way.stop()
        write_posts(self._room, found)


def row_of(member: int, post: Post) -> Row:
    """Return the row of a member for the headers that leaders tell each other."""
    return [member, post.word, post.count, post.extra, post.text, post.site, post.is_ahead]


def write_posts(room: Room, found: Sequence[Row]) -> None:
    """Write the headers of members to the node's memory."""
    # Make one row for all members with equal headers, so that the text of a large job stays short.
    rows: dict[tuple[Any, ...], list[int]] = {}
    for index, *post in found:
        rows.setdefault(tuple(post), []).append(index)
    for length in _LENGTHS_OF_TEXT:
        shown = [
            [*post[:3], post[3][:length], post[4] if length else "", post[5], _runs(who)]
            for post, who in rows.items()
        ]
        data = _packed(shown)
        if len(data) <= _MOST_BYTES:
            break
    else:
        # Too many members made different calls. Report the first two calls, as if all other members
        # had made the second call. If they still have too many runs, leave out the last runs.
        _, *others = rows.values()
        shown[1:] = [[*row[:-1], _runs(list(chain(*others)))] for row in shown[1:2]]
        while len(data := _packed(shown)) > _MOST_BYTES:
            for *_, runs in shown:
                del runs[max(2, len(runs) // 4 * 2) :]
    room.words[room.disputes // 8] = len(data)
    room.memory[room.disputes + 8 : room.disputes + 8 + len(data)] = data


def _runs(members: list[int]) -> list[int]:
    """Return the first member of each run of consecutive members, and the end of the run."""
    runs: list[int] = []
    for member in sorted(members):
        if runs and runs[-1] == member:
            runs[-1] += 1
        else:
            runs += [member, member + 1]
    return runs


def _packed(rows: list[Any]) -> bytes:
    return zlib.compress(json.dumps(rows).encode())


def told_posts(room: Room, size: int) -> list[Post]:
    """Read the headers that the leader has written. A member without a header has told no call."""
    length = room.words[room.disputes // 8]
    data = bytes(room.memory[room.disputes + 8 : room.disputes + 8 + length])
    posts = [UNKNOWN_POST] * size
    for word, count, extra, text, site, is_ahead, runs in json.loads(zlib.decompress(data)):
        post = Post(word, count, extra, -1, -1, text, is_ahead, site)
        for start, stop in zip(runs[::2], runs[1::2], strict=True):
            posts[start:stop] = [post] * (stop - start)
    return posts
