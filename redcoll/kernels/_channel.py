"""The posts of a team, on one memoryview over its window.

What makes it quick enough: a flag is looked at by indexing that view (some 20 ns, where a
NumPy scalar costs 100), and views of the staging are made once per shape of call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels._folds import Rows, fold_to_many
from redcoll.signature import FAILED, Call, Post, Scratch
from redcoll.slices import Block, Parts, even_slices

Array = NDArray[Any]
Buffers = tuple[list[list[Array]], list[Array]]

HEAD_BYTES: Final = 64
INLINE_BYTES: Final = 8
# Words of a post's head. The last one holds a payload of up to 8 bytes, so that the
# smallest reductions move one cache line per PE.
_SEQUENCE, WORD, COUNT, EXTRA, _SOURCE, _TARGET, STATUS, PAYLOAD = range(8)
_INLINE_AT: Final = 8 * PAYLOAD
_LEAST_ROWS: Final = 4
"""From so many members on their vectors are also kept as the rows of a matrix."""
_YIELDS: Final = range(20)
_sched_yield = os.sched_yield


class Channel:
    """The posts of a team as one member sees them.

    Every member has two slots in its segment, used in turn by the parity of the
    sequence number: a head of 64 bytes, and staging for a small vector behind it.

    Parameters
    ----------
    scratch
        The team's window and what lies where in it.
    me
        The caller's index.
    spin
        Looks before the first turn of a wait.
    fence
        Orders stores and loads where the machine does not, else None.
    turns
        Called when a wait is slow; gives the function to call between looks.
    disagree
        Called when the members' posts differ; raises the error that says how.
    give_up
        Called with the exception that ends a wait early.
    """

    learns_long = False
    """Whether calls beyond the small path can be learnt, by ``learn_long``."""

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], Any] | None,
        turns: Callable[[], Callable[[], bool]],
        disagree: Callable[[], NoReturn],
        give_up: Callable[[BaseException], None],
    ) -> None:
        self.sequence = 0
        self.size = len(scratch.slots)
        self.me = me
        self.folder, self.folders = me, self.size
        """Of how many members that share a fold of long vectors this is which."""
        self.near: Sequence[int] = range(self.size)
        """Indices of the members on the caller's node."""
        self._scratch = scratch
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        slot_bytes = scratch.slot_bytes
        self._starts = [[slot + side * slot_bytes for slot in scratch.slots] for side in (0, 1)]
        self._heads = [[start // 8 for start in starts] for starts in self._starts]
        self._others = [
            [head for index, head in enumerate(heads) if index != me] for heads in self._heads
        ]
        self._room = slot_bytes - HEAD_BYTES
        self._spin = range(spin)
        self._fence = fence
        self._turns = turns
        self._disagree = disagree
        self._give_up = give_up
        self._posted: list[Call | None] = [None, None]
        self._buffers: dict[np.dtype[Any], Buffers] = {}
        self.unwaited = False
        """Whether the last round was declined, and not waited for."""
        self.carried = 0
        """What the next post has to take along to other nodes (:mod:`._bundles`)."""

    def views(self, dtype: np.dtype[Any], count: int) -> tuple[list[Array], list[Array]]:
        """Per parity, every member's staging as a vector."""
        at = self._payload_at(count * dtype.itemsize)
        even, odd = (self._rows(dtype, count, starts, at) for starts in self._starts)
        return even, odd

    def _rows(
        self, dtype: np.dtype[Any], count: int, starts: Sequence[int], at: int
    ) -> list[Array]:
        vectors = [np.frombuffer(self._memory, dtype, count, start + at) for start in starts]
        if self.size < _LEAST_ROWS:
            return vectors
        rows = Rows(vectors)
        strides = (starts[1] - starts[0], dtype.itemsize)
        rows.matrix = np.ndarray((self.size, count), dtype, self._memory, starts[0] + at, strides)
        return rows

    @staticmethod
    def _payload_at(n_bytes: int) -> int:
        """Where in a slot a payload of this length is."""
        return _INLINE_AT if n_bytes <= INLINE_BYTES else HEAD_BYTES

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """One round that carries ``source``: every member's contribution, in order.

        The views stay valid until the caller enters the round after the next.
        """
        if self.unwaited:
            self._catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        parity = sequence & 1
        views: list[Array] = call.views[parity]
        views[self.me][...] = source
        words = self._words
        head = self._heads[parity][self.me]
        if self._posted[parity] is not call:
            self._posted[parity] = call
            words[head + WORD] = call.word
            words[head + COUNT] = call.count
            words[head + EXTRA] = call.extra
        if self._fence is not None:
            self._fence()
        # Release: whoever sees this number sees the vector and the words above.
        words[head] = sequence
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        return views

    def post(self, call: Call, source: Array) -> None:
        """The first half of :meth:`exchange`: stage and post, without waiting.

        Until :meth:`collect` has been called the channel is good for nothing else.
        """
        if self.unwaited:
            self._catch_up()
        call.views[(self.sequence + 1) & 1][self.me][...] = source
        self.publish(call.word, call.count, call.extra, -1, -1, 0)

    def collect(self, call: Call) -> list[Array]:
        """The second half of :meth:`exchange`, after :meth:`post`."""
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        views: list[Array] = call.views[self.sequence & 1]
        return views

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member each one's ``tag`` and ``data``, in order.

        ``data`` must fit where a small vector is staged.
        """
        if self.unwaited:
            self._catch_up()
        memory = self._memory
        at = self._starts[(self.sequence + 1) & 1][self.me] + self._payload_at(len(data))
        memory[at : at + len(data)] = data
        self.publish(word, 0, extra, tag, len(data), 0)
        self.await_all()
        if not self.agrees(word, 0, extra):
            self._disagree()
        words = self._words
        parity = self.sequence & 1
        result = []
        for start, head in zip(self._starts[parity], self._heads[parity], strict=True):
            length = words[head + _TARGET]
            at = start + self._payload_at(length)
            result.append((words[head + _SOURCE], bytes(memory[at : at + length])))
        return result

    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Post, wait for everybody's post, compare."""
        self.publish(word, count, extra, source, target, 0)
        self.await_all()
        if not self.agrees(word, count, extra):
            self._disagree()

    def agrees(self, word: int, count: int, extra: int) -> bool:
        """Whether all members posted these words in the round just waited for."""
        words = self._words
        for other in self._others[self.sequence & 1]:
            if (
                words[other + WORD] != word
                or words[other + COUNT] != count
                or words[other + EXTRA] != extra
            ):
                return False
        return True

    def await_all(self) -> None:
        """Wait until every member has posted the current round."""
        sequence = self.sequence
        words = self._words
        for other in self._others[sequence & 1]:
            if words[other] < sequence:
                self._wait(sequence, other)
        if self._fence is not None:
            # Acquired: what the others wrote before their posts is visible from here on.
            self._fence()

    def await_near(self) -> None:
        """Wait until every member on this node has posted the current round."""
        sequence = self.sequence
        heads = self._heads[sequence & 1]
        for index in self.near:
            if self._words[heads[index]] < sequence:
                self._wait(sequence, heads[index])
        if self._fence is not None:
            # Acquired: what they wrote before their posts is visible from here on.
            self._fence()

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Post without waiting."""
        if self.unwaited:
            self._catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        parity = sequence & 1
        self._posted[parity] = None
        words = self._words
        head = self._heads[parity][self.me]
        words[head + WORD] = word
        words[head + COUNT] = count
        words[head + EXTRA] = extra
        words[head + _SOURCE] = source
        words[head + _TARGET] = target
        words[head + STATUS] = status or self.carried
        self.carried = 0
        if self._fence is not None:
            self._fence()
        # Release: whoever sees this number sees the words above, and what the caller
        # stored into shared memory before.
        words[head] = sequence

    def decline(self, word: int, text: str) -> None:
        """Post that the caller will not take part in the coming round, and why.

        Does not wait; the next post does, so that no slot is reused under a reader.
        """
        self._write_text(text)
        self.publish(word | FAILED, 0, 0, -1, -1, self._text_bytes)
        self.unwaited = True

    def conclude(self, word: int, text: str | None) -> bool:
        """A round that says whether each member came through; True if all did."""
        if text is None:
            self.publish(word, 0, 0, -1, -1, 0)
        else:
            self._write_text(text)
            self.publish(word | FAILED, 0, 0, -1, -1, self._text_bytes)
        self.await_all()
        return text is None and self.agrees(word, 0, 0)

    def buffers(self, dtype: np.dtype[Any]) -> Buffers:
        """The staging for private arrays, as vectors of this type.

        ``stages[parity][member]`` holds a chunk of a member's source, ``results[parity]``
        what the members together folded of a chunk.
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

    def stage(self, call: Call, source: Array, chunk: int) -> None:
        """Copy a chunk of ``source`` into this PE's staging, but for the slice it folds."""
        stages, _ = self.buffers(source.dtype)
        start, stop, first, last = self.chunk(call, chunk)
        buffer = stages[chunk & 1][self.me]
        buffer[:first] = source[start : start + first]
        buffer[last : stop - start] = source[start + last : stop]

    def put_on_stage(self, side: int, part: Array) -> None:
        """Copy a part of a private source to where the others read it after the next post."""
        self.buffers(part.dtype)[0][side][self.me][: part.size] = part

    def staged(
        self,
        call: Call,
        run: Callable[..., None],
        source: Array,
        into: Array | None,
        at: int,
    ) -> None:
        """The staged path of a fold, as :meth:`staged_with`: the kernel's best way."""
        self.staged_with(call, run, source, into, at)

    def staged_with(
        self,
        call: Call,
        run: Callable[..., None],
        source: Array,
        into: Array | None,
        at: int,
    ) -> None:
        """The staged path of a fold by ``run``, from chunk 0 staged on all members.

        One round per chunk says that it is staged, and that the one before is folded. A
        buffer is used again two chunks later: by then the round in between has shown that
        everybody is done with it.

        Parameters
        ----------
        run
            ``run(loop, operands, ...)`` calls a loop of the kernel.
        into
            Receives as many elements of the result from ``at`` on; None for none.
        """
        stages, results = self.buffers(source.dtype)
        chunks = -(-call.count // len(results[0]))
        # What wants the whole result gets this PE's slices as they are folded.
        own = into if into is not None and into.size == call.count else None

        def copy_out(chunk: int) -> None:
            if into is not None:
                self.copy_out(call, chunk, into, at, own is not None)

        for chunk in range(chunks):
            if chunk:
                self.stage(call, source, chunk)
                self.round(call.word, call.count, call.extra)
            start, _, first, last = self.chunk(call, chunk)
            if first < last:
                operands = [stage[first:last] for stage in stages[chunk & 1]]
                operands[self.me] = source[start + first : start + last]
                outs = [results[chunk & 1][first:last]]
                if own is not None:
                    outs.append(own[start + first : start + last])
                run(fold_to_many, operands, outs, 0, last - first)
            if chunk:
                copy_out(chunk - 1)
        self.round(call.word, call.count, call.extra)
        copy_out(chunks - 1)

    def copy_out(self, call: Call, chunk: int, into: Array, at: int, has_own: bool) -> None:
        """Copy what this PE wants of a chunk's result.

        Parameters
        ----------
        into
            Receives as many elements from ``at`` on.
        has_own
            Whether this PE's slice is there already.
        """
        _, results = self.buffers(into.dtype)
        start, stop, first, last = self.chunk(call, chunk)
        gaps = [(start, start + first), (start + last, stop)] if has_own else [(start, stop)]
        for low, high in gaps:
            low, high = max(low, at), min(high, at + into.size)  # noqa: PLW2901
            if low < high:
                into[low - at : high - at] = results[chunk & 1][low - start : high - start]

    def parts(self, offsets: Sequence[int], itemsize: int) -> Parts | None:
        """How so many blocks pass through staging part by part; None if slices do better."""
        parts = Parts(offsets, self.me, itemsize, self._scratch.chunk_bytes)
        return parts if parts.fits else None

    def stage_parts(self, parts: Parts, source: Array, chunk: int) -> None:
        """Copy what the others fold of ``source`` in a chunk into this PE's staging."""
        stage = self.buffers(source.dtype)[0][chunk & 1][self.me]
        for block in range(self.size):
            start, stop = parts.part(block, chunk)
            if block != self.me and start < stop:
                at = parts.place(self.me, block)
                stage[at : at + stop - start] = source[start:stop]

    def staged_parts(
        self,
        call: Call,
        run: Callable[..., None],
        parts: Parts,
        source: Array,
        target: Array,
    ) -> None:
        """Fold this PE's block into ``target``, from chunk 0 of parts staged on all members.

        One round per chunk says that it is staged; a buffer is used again two chunks
        later, as in :meth:`staged_with`.
        """
        me = self.me
        stages = self.buffers(source.dtype)[0]
        for chunk in range(parts.chunks):
            if chunk:
                self.stage_parts(parts, source, chunk)
                self.round(call.word, call.count, call.extra)
            start, stop = parts.part(me, chunk)
            if start < stop:
                operands = []
                for member, stage in enumerate(stages[chunk & 1]):
                    at = parts.place(member, me)
                    operands.append(stage[at : at + stop - start])
                operands[me] = source[start:stop]
                first = parts.offsets[me]
                out = target[start - first : stop - first]
                run(fold_to_many, operands, [out], 0, stop - start)
        # The staging is free once all have posted.
        self.round(call.word, call.count, call.extra)

    def chunk(self, call: Call, chunk: int) -> tuple[int, int, int, int]:
        """Start and stop of a chunk; first and last but one, in it, of this PE's slice."""
        itemsize = call.element.dtype.itemsize
        length = self._scratch.chunk_bytes // itemsize
        start = chunk * length
        stop = min(start + length, call.count)
        return start, stop, *self.own_slice(stop - start, itemsize)

    def own_slice(self, count: int, itemsize: int) -> Block:
        """Start and stop of what this PE folds of so many elements."""
        if self.folder >= self.folders:
            return count, count
        return even_slices(count, self.folders, itemsize)[self.folder]

    def posts(self) -> list[Post]:
        """What every member posted in the round just waited for."""
        parity = self.sequence & 1
        result = []
        for start, head in zip(self._starts[parity], self._heads[parity], strict=True):
            _, word, count, extra, source, target, status = self._words[head : head + 7]
            text = ""
            if word & FAILED:
                at = start + HEAD_BYTES
                text = bytes(self._memory[at : at + status]).decode(errors="replace")
            result.append(Post(word, count, extra, source, target, text))
        return result

    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Heap offsets of all members' sources and targets, as posted in this round."""
        heads = self._heads[self.sequence & 1]
        words = self._words
        return (
            tuple([words[head + _SOURCE] for head in heads]),
            tuple([words[head + _TARGET] for head in heads]),
        )

    def absent(self) -> list[int]:
        """Indices of the members that have not posted the current round."""
        heads = self._heads[self.sequence & 1]
        return [i for i, head in enumerate(heads) if self._words[head] < self.sequence]

    def has_come(self, call: Call | None) -> bool:  # noqa: ARG002 - matters over several nodes
        """Whether every member has posted the current round; does not wait.

        Parameters
        ----------
        call
            What was given to :meth:`post`; None where the post carries nothing.
        """
        return not self.absent()

    def _write_text(self, text: str) -> None:
        data = text.encode()[: self._room]
        at = self._starts[(self.sequence + 1) & 1][self.me] + HEAD_BYTES
        if self.unwaited:
            self._catch_up()
        self._memory[at : at + len(data)] = data
        self._text_bytes = len(data)

    def _wait(self, sequence: int, head: int) -> None:
        """Until the member whose post is at ``head`` has reached ``sequence``."""
        try:
            self._wait_long(sequence, head)
        except BaseException as error:
            self._give_up(error)
            raise

    def _wait_long(self, sequence: int, head: int) -> None:
        words = self._words
        for _ in self._spin:
            if words[head] >= sequence:
                return
        # Where PEs outnumber cores most waits end within a few of these.
        for _ in _YIELDS:
            _sched_yield()
            if words[head] >= sequence:
                return
        turn = self._turns()
        while words[head] < sequence:
            turn()

    def _catch_up(self) -> None:
        """Wait out a round that this member declined."""
        self.unwaited = False
        self.await_all()
