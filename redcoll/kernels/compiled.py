"""The hot loops, compiled: what has no compiled loop runs on the NumPy twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from redcoll.datatypes import element_type
from redcoll.kernels import numpy, thresholds
from redcoll.kernels._compiled import fastpath, folds
from redcoll.kernels._compiled.fastpath import FastPath, know_name
from redcoll.kernels._compiled.handover import await_change, collect, compare_swap, hand_over
from redcoll.kernels._python import fastpath as python_fastpath
from redcoll.ops import Op
from redcoll.protocol.descriptor import Call
from redcoll.protocol.partition import Parts

__all__ = ["Channel", "await_change", "collect", "compare_swap", "fold", "fold_at",
           "fold_to_many", "hand_over", "know_heap", "know_name", "scan"]  # fmt: skip

Array = NDArray[Any]

NAME: Final = "compiled"
SMALL_BYTES, CHUNK_BYTES, SPIN, TURNS_PER_CLOCK, AHEAD = thresholds.COMPILED


class Channel(FastPath, numpy.Channel):
    """As in the NumPy twin; what is called in every round is compiled."""

    def trust(
        self,
        call: Call,  # noqa: ARG002 - its shape has been learnt
        target: Array | None,  # noqa: ARG002 - looked at in every call
        source: Array,  # noqa: ARG002
        op: Op,  # noqa: ARG002
        blocks: Sequence[tuple[int, int]],
    ) -> None:
        """As in the NumPy twin."""
        for block in blocks:
            self.vouch(*block)

    def staged(
        self,
        call: Call,
        run: Callable[..., None],
        source: Array,
        into: Array | None,
        at: int,
    ) -> None:
        """As in the NumPy twin."""
        if call.op.is_user or not self.pipeline(call, source, into, at):
            self.staged_with(call, run, source, into, at)

    def staged_parts(
        self,
        call: Call,
        run: Callable[..., None],
        parts: Parts,
        source: Array,
        target: Array,
    ) -> None:
        """As in the NumPy twin."""
        if call.op.is_user or not self.pipeline_parts(call, source, target, parts.offsets):
            super().staged_parts(call, run, parts, source, target)


def know_heap(start: int, stop: int, epoch: Sequence[int]) -> None:
    """As in the NumPy twin, whose tables serve teams on several nodes."""
    fastpath.know_heap(start, stop, epoch)
    python_fastpath.know_heap(start, stop, epoch)


def fold(op: Op, operands: Sequence[Array], out: Array) -> None:
    """As in the NumPy twin."""
    code = element_type(out.dtype).code
    if not folds.fold(op.code, code, operands, out, out.size):
        numpy.fold(op, operands, out)


def fold_at(op: Op, memory: memoryview, starts: Sequence[int], index: int, own: Array) -> bool:
    """As in the NumPy twin."""
    code = element_type(own.dtype).code
    return folds.fold_at(op.code, code, memory, starts, index, own)


def fold_to_many(
    op: Op, sources: Sequence[Array], targets: Sequence[Array], start: int, stop: int
) -> None:
    """As in the NumPy twin."""
    dtype = sources[0].dtype
    code = element_type(dtype).code
    if not folds.fold_to_many(op.code, code, sources, targets, start, stop - start, dtype.itemsize):
        numpy.fold_to_many(op, sources, targets, start, stop)


def scan(
    op: Op,
    sources: Sequence[Array],
    targets: Sequence[Array],
    start: int,
    stop: int,
    is_inclusive: bool,
) -> None:
    """As in the NumPy twin."""
    dtype = sources[0].dtype
    code = element_type(dtype).code
    if not folds.scan(
        op.code, code, sources, targets, start, stop - start, dtype.itemsize, is_inclusive
    ):
        numpy.scan(op, sources, targets, start, stop, is_inclusive)
