"""The paths of long vectors: chunk by chunk through staging that all members see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels._python.folds import fold_to_many
from redcoll.kernels._python.rounds import Rounds
from redcoll.protocol.descriptor import Call
from redcoll.protocol.layout import Scratch
from redcoll.protocol.partition import Block, Parts, even_slices

Array = NDArray[Any]
Buffers = tuple[list[list[Array]], list[Array]]


class Pipeline(Rounds):
    """Over the rounds of a team: vectors that do not fit into its slots.

    Parameters
    ----------
    scratch, me, others
        As for the rounds.
    """

    learns_long = False
    """Whether calls beyond the small path can be learnt, by ``learn_long``."""

    def __init__(self, scratch: Scratch, me: int, *others: Any) -> None:
        super().__init__(scratch, me, *others)
        self.folder, self.folders = me, self.size
        """Of how many members that share a fold of long vectors this is which."""
        self._scratch = scratch
        self._buffers: dict[np.dtype[Any], Buffers] = {}

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
