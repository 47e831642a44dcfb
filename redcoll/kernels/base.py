"""Define methods that both kernels' channels share. These methods are not on hot paths.

These methods address the team's window by offsets, without tables. A kernel implements the other
methods of :class:`redcoll.kernels.interface.NodeChannel`, and keeps tables that make them fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.kernels._python.folds import Rows, fold_to_many
from redcoll.kernels.interface import (
    Buffers,
    Fence,
    InternodeChannel,
    NodeChannel,
    Run,
    TeamHooks,
)
from redcoll.protocol.descriptor import AHEAD, ALLREDUCE, FAILED, Call, describe
from redcoll.protocol.layout import Post, Scratch
from redcoll.protocol.partition import Block, Parts, even_slices

_MOST_TURNS: Final = 2
"""If :meth:`BaseChannel.views` has at most this number of entries, they are made in advance."""
_LEAST_ROWS: Final = 4
"""With at least this number of members, the views are in :class:`Rows`, for faster folds."""


class _ViewsByTurn:
    """The entries of :meth:`BaseChannel.views`, if there are many.

    An entry is made each time it is used, because all entries together would take megabytes.
    """

    def __init__(self, vectors: Array) -> None:
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, turn: int) -> list[Array]:
        return _rows(self._vectors[turn])


def _rows(matrix: Array) -> list[Array]:
    """Return the members' vectors, which are the rows of a matrix."""
    if len(matrix) < _LEAST_ROWS:
        return list(matrix)
    rows = Rows(matrix)
    rows.matrix = matrix
    return rows


class BaseChannel(NodeChannel):
    """The methods that the channels of both kernels share.

    ``scratch`` has the node's window and the offsets of all its parts. ``me`` is the caller's place
    among the members of its node. ``spin`` is the number of polls of a header before a wait yields.
    """

    recognizes = frozenset({ALLREDUCE})
    """The collectives whose repeated small calls the kernel recognises."""
    learns_long = False
    """Whether the kernel implements ``learn_long``, for vectors longer than the eager buffers."""
    records_calls = False

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,  # noqa: ARG002 - the constructor of a kernel uses these two arguments
        fence: Fence,  # noqa: ARG002
        hooks: TeamHooks,
    ) -> None:
        self.size = len(scratch.heads)
        self.me = me
        self.folder, self.folders = me, self.size
        """The caller's place among the members that fold long vectors, and the number of these
        members."""
        self.members: Sequence[int] = range(self.size)
        """The team ranks of the members of the node."""
        self._scratch = scratch
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        self._hooks = hooks
        self._buffers: dict[np.dtype[Any], Buffers] = {}

    # -- rounds -----------------------------------------------------------------------

    def views(self, dtype: np.dtype[Any], count: int) -> Sequence[list[Array]] | _ViewsByTurn:
        """Return entries, each of which has a view of every member's short vector.

        Round n uses entry ``n % k``, where k is the number of entries.
        """
        first, step, turn_step, turns = self._scratch.payloads(count * dtype.itemsize)
        shape, steps = (turns, self.size, count), (turn_step, step, dtype.itemsize)
        vectors = np.ndarray(shape, dtype, self._memory, first, steps)
        return _ViewsByTurn(vectors) if turns > _MOST_TURNS else [_rows(each) for each in vectors]

    def small_segments(self, *_: Any, **__: Any) -> bool:
        """Return False, so that the caller exchanges packed vectors and then folds them."""
        return False

    def long_segment(self, *_: Any, **__: Any) -> bool:
        """Return False, so that the caller reduces the vector in a further call."""
        return False

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """Publish ``tag`` and ``data`` in one round; return the pairs of all members, in order.

        ``data`` must fit into an eager buffer.
        """
        if self.unwaited:
            self.catch_up()
        scratch, memory = self._scratch, self._memory
        at = scratch.payload(self.me, self.sequence + 1, len(data))
        memory[at : at + len(data)] = data
        self.publish(word, 0, extra, tag, len(data), 0)
        self.await_all()
        if not self.agrees(word, 0, extra):
            self._hooks.raise_mismatch(self)
        result = []
        for member, (its_tag, length) in enumerate(zip(*self.locations(), strict=True)):
            at = scratch.payload(member, self.sequence, length)
            result.append((its_tag, bytes(memory[at : at + length])))
        return result

    def decline(self, word: int, text: str) -> None:
        """Publish that the caller does not take part in the coming round, and why.

        The caller's next call waits until all members have arrived at this round. So the caller
        does not overwrite a header while a member reads it.
        """
        self._publish_error(word, 0, 0, text)
        self.unwaited = True

    def conclude(self, word: int, count: int, extra: int, text: str | None) -> bool:
        """Run a round in which each member reports success or failure.

        Return whether all members succeeded.
        """
        if text is None:
            self.publish(word, count, extra, -1, -1, 0)
        else:
            self._publish_error(word, count, extra, text)
        self.await_all()
        do_agree = self.agrees(word, count, extra)
        return text is None and do_agree

    def _publish_error(self, word: int, count: int, extra: int, text: str) -> None:
        if self.unwaited:
            self.catch_up()
        data = text.encode()[: self._scratch.room_bytes]
        at = self._scratch.room(self.me, self.sequence + 1)
        self._memory[at : at + len(data)] = data
        # Record the call site before the header is published. Members that read the header also
        # read the site, and this member may exit soon afterwards.
        self.note_site(self.sequence + 1)
        self.publish(word | FAILED, count, extra, -1, -1, len(data))

    def posts(self, sequence: int) -> list[Post]:
        """Return the headers of all members in a recent round."""
        result = []
        sites = self.call_sites
        if sequence == self.sequence:
            if not sites.of(self.me, sequence):
                # The NumPy kernel records no call site in a round. So each member records its site
                # now.
                self.note_site(sequence)
            # The compiled kernel records a site only after the header is published.
            sites.await_all(sequence)
        for member in range(self.size):
            _, word, count, extra, source, target, status = self._header(member, sequence)
            text = ""
            if word & FAILED:
                # A later round may have reused the buffer.
                text = "its own error says what"
                if sequence == self.sequence:
                    at = self._scratch.room(member, sequence)
                    text = bytes(self._memory[at : at + status]).decode(errors="replace")
            site = sites.of(member, sequence)
            result.append(Post(word, count, extra, source, target, text, status == AHEAD, site))
        return result

    def _header(self, member: int, sequence: int) -> list[int]:
        at = self._scratch.head(member, sequence) // 8
        return self._words[at : at + 7].tolist()

    def said(self) -> tuple[int, int, int]:
        """Return word, count and extra of the caller's last header."""
        _, word, count, extra, *_ = self._header(self.me, self.sequence)
        return word, count, extra

    def absent(self) -> list[int]:
        """Return the team ranks of the members for which the caller waits."""
        sequence = self.sequence - self.behind
        return [
            rank
            for member, rank in enumerate(self.members)
            if self._header(member, sequence)[0] < sequence
        ]

    # -- where members are --------------------------------------------------------------

    def where(self, rank: int) -> str:
        """Describe the call in which a team rank waits, or else its last call."""
        member = self.members.index(rank)
        wait = self.call_sites.wait_of(member)
        if wait:
            return f"waiting in {wait}"
        headers = [self._header(member, turn) for turn in range(self._scratch.depth)]
        sequence, word, count, extra, *_ = max(headers)
        if not sequence:
            return "no call on this team yet"
        site = self.call_sites.of(member, sequence)
        return f"last call {describe(word, count, extra)}{' at ' if site else ''}{site}"

    # -- staging ----------------------------------------------------------------------

    def buffers(self, dtype: np.dtype[Any]) -> Buffers:
        """Return the staging buffers for ordinary arrays, as vectors of this type.

        The result is the pair ``stages, results``. ``stages[side][member]`` holds a chunk of a
        member's source. ``results[side]`` holds the fold of a chunk. Chunks use the two sides
        alternately.
        """
        known = self._buffers.get(dtype)
        if known is None:
            scratch = self._scratch
            count = scratch.chunk_bytes // dtype.itemsize

            def vector(at: int, side: int) -> Array:
                return np.frombuffer(self._memory, dtype, count, at + side * scratch.chunk_bytes)

            known = self._buffers[dtype] = (
                [[vector(at, side) for at in scratch.stages] for side in (0, 1)],
                [vector(scratch.results, side) for side in (0, 1)],
            )
        return known

    def put_on_stage(self, side: int, part: Array) -> None:
        """Copy a part of an ordinary source to the caller's staging buffer."""
        self.buffers(part.dtype)[0][side][self.me][: part.size] = part

    def in_turn(
        self, call: Call, turns: int, stage: Callable[[int], None], *, is_first_staged: bool = True
    ) -> Iterator[int]:
        """Yield 0 to ``turns - 1``. Before n is yielded, all members have staged for turn n.

        One more round follows the last turn. ``stage(turn)`` fills the staging buffers of side
        ``turn & 1``, which turn ``turn - 2`` used before. No member uses these buffers any more.
        Each member published its header of turn ``turn - 1`` after its work on turn ``turn - 2``,
        and the caller has waited for these headers.

        With ``is_first_staged``, all members must have staged for turn 0 and completed a round
        before this call.
        """
        for turn in range(turns):
            if turn or not is_first_staged:
                stage(turn)
                self.round(call.word, call.count, call.extra)
            yield turn
        self.round(call.word, call.count, call.extra)

    def stage(self, call: Call, source: Array, chunk: int) -> None:
        """Copy a chunk of ``source`` to staging, except for the slice that the caller folds."""
        stages, _ = self.buffers(source.dtype)
        start, stop, first, last = self.chunk(call, chunk)
        buffer = stages[chunk & 1][self.me]
        buffer[:first] = source[start : start + first]
        buffer[last : stop - start] = source[start + last : stop]

    def staged(self, call: Call, run: Run, source: Array, into: Array | None, at: int) -> None:
        """Fold a vector chunk by chunk. All members have staged chunk 0.

        The round of a chunk also shows that all members have folded the chunk before it.
        ``run(loop, operands, ...)`` calls a loop of the kernel. ``into`` receives the caller's part
        of the result, which starts at element ``at``. ``into`` is None if the caller gets no part.
        """
        stages, results = self.buffers(source.dtype)
        length = self._scratch.chunk_bytes // source.dtype.itemsize
        chunks = -(-call.count // length)
        # If the caller gets the whole result, it also folds its own slices directly into its
        # target.
        own = into if into is not None and into.size == call.count else None

        for chunk in self.in_turn(call, chunks, lambda chunk: self.stage(call, source, chunk)):
            start, _, first, last = self.chunk(call, chunk)
            if first < last:
                operands = [stage[first:last] for stage in stages[chunk & 1]]
                operands[self.me] = source[start + first : start + last]
                outs = [results[chunk & 1][first:last]]
                if own is not None:
                    outs.append(own[start + first : start + last])
                run(fold_to_many, operands, outs, 0, last - first)
            if chunk and into is not None:
                self.copy_out(call, chunk - 1, into, at, own is not None)
        if into is not None:
            self.copy_out(call, chunks - 1, into, at, own is not None)

    def copy_out(self, call: Call, chunk: int, into: Array, at: int, has_own: bool) -> None:
        """Copy the caller's part of a chunk's result.

        ``into`` receives the caller's part of the result, which starts at element ``at``. With
        ``has_own``, ``into`` has the caller's slice already.
        """
        _, results = self.buffers(into.dtype)
        start, stop, first, last = self.chunk(call, chunk)
        gaps = [(start, start + first), (start + last, stop)] if has_own else [(start, stop)]
        for low, high in gaps:
            low, high = max(low, at), min(high, at + into.size)  # noqa: PLW2901
            if low < high:
                into[low - at : high - at] = results[chunk & 1][low - start : high - start]

    def parts(self, offsets: Sequence[int], itemsize: int) -> Parts | None:
        """Return how blocks are divided for staging; None if staging whole slices is faster."""
        parts = Parts(offsets, self.me, itemsize, self._scratch.chunk_bytes)
        return parts if parts.fits else None

    def stage_parts(self, parts: Parts, source: Array, chunk: int) -> None:
        """Stage the parts of ``source`` that the other members fold in a chunk."""
        stage = self.buffers(source.dtype)[0][chunk & 1][self.me]
        for block in range(self.size):
            start, stop = parts.part(block, chunk)
            if block != self.me and start < stop:
                at = parts.place(self.me, block)
                stage[at : at + stop - start] = source[start:stop]

    def staged_parts(self, call: Call, run: Run, parts: Parts, source: Array, out: Array) -> None:
        """Fold the caller's block into ``out``. All members have staged their parts of chunk 0."""
        me = self.me
        stages = self.buffers(source.dtype)[0]
        for chunk in self.in_turn(
            call, parts.chunks, lambda chunk: self.stage_parts(parts, source, chunk)
        ):
            start, stop = parts.part(me, chunk)
            if start < stop:
                places = [parts.place(member, me) for member in range(self.size)]
                operands = [
                    stage[at : at + stop - start]
                    for at, stage in zip(places, stages[chunk & 1], strict=True)
                ]
                operands[me] = source[start:stop]
                first = parts.offsets[me]
                run(fold_to_many, operands, [out[start - first : stop - first]], 0, stop - start)

    def chunk(self, call: Call, chunk: int) -> tuple[int, int, int, int]:
        """Return start and stop of a chunk, and of the caller's slice within the chunk."""
        itemsize = call.element.dtype.itemsize
        length = self._scratch.chunk_bytes // itemsize
        start = chunk * length
        stop = min(start + length, call.count)
        return start, stop, *self.own_slice(stop - start, itemsize)

    def own_slice(self, count: int, itemsize: int) -> Block:
        """Return start and stop of the caller's slice of ``count`` elements."""
        if self.folder >= self.folders:
            return count, count
        return even_slices(count, self.folders, itemsize)[self.folder]


class TeamChannel(BaseChannel, InternodeChannel):
    """The channel of a team, as the collectives see it.

    A team on one node has a ``BaseChannel``, and a team on several nodes has an
    ``InternodeChannel``. So a channel has the methods of only one of these types.
    """
