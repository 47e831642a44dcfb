"""Implement the compiled kernel. NumPy folds if the operation and type have no compiled loop.

The files of :mod:`redcoll.kernels._python` with the same names document the functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.datatypes import element_type
from redcoll.kernels import numpy, thresholds
from redcoll.kernels._compiled import fastpath, folds
from redcoll.kernels._compiled.fastpath import FastPath, KnownCalls, know_name
from redcoll.kernels._compiled.handover import await_change, collect, compare_swap, hand_over
from redcoll.kernels._python import fastpath as python_fastpath
from redcoll.kernels.base import BaseChannel
from redcoll.kernels.interface import Run, Segments
from redcoll.ops import Op
from redcoll.protocol.descriptor import Call
from redcoll.protocol.partition import Parts

__all__ = ["Channel", "KnownCalls", "await_change", "collect", "compare_swap", "fold", "fold_at",
           "fold_segments", "fold_to_many", "hand_over", "know_heap", "know_name",
           "scan"]  # fmt: skip


NAME: Final = "compiled"
SMALL_BYTES, CHUNK_BYTES, SPIN, POLLS_PER_CLOCK, AHEAD = thresholds.COMPILED

# Few programs use these functions. A job starts faster without their modules.
_RARE: Final = {
    "CompiledCalls": "internode",
    "CompiledExchange": "exchange",
    "MPIFunctions": "exchange",
    "accumulate": "exact",
    "accumulate_products": "exact",
    "copy_arrays": "items",
    "keep_results": "items",
    "pattern_of": "items",
    "round_sums": "exact",
}


def __getattr__(name: str) -> Any:
    if name not in _RARE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"redcoll.kernels._compiled.{_RARE[name]}")
    return globals().setdefault(name, getattr(module, name))


class Channel(FastPath, BaseChannel):
    """The compiled kernel's channel.

    The hot methods are compiled. The other methods are in ``BaseChannel``.
    """

    def staged(self, call: Call, run: Run, source: Array, into: Array | None, at: int) -> None:
        """Fold a vector chunk by chunk, in one compiled call if a compiled loop exists."""
        if not self.pipeline(call, source, into, at):
            super().staged(call, run, source, into, at)

    def staged_parts(self, call: Call, run: Run, parts: Parts, source: Array, out: Array) -> None:
        """Fold the caller's block, in one compiled call if a compiled loop exists."""
        if not self.pipeline(call, source, out, 0, parts.offsets):
            super().staged_parts(call, run, parts, source, out)


def know_heap(start: int, stop: int, epoch: Sequence[int]) -> None:
    """Set the bounds of this rank's symmetric heap, and the word that each ``free`` increments."""
    fastpath.know_heap(start, stop, epoch)
    # Teams on several nodes use the Python fast path, which has its own copy of these values.
    python_fastpath.know_heap(start, stop, epoch)


def _loop_of(op: Op, dtype: np.dtype[Any]) -> tuple[int, int, int]:
    """Return the codes of operation and type, and the address of a compiled user function."""
    if op.address_of is not None:
        return op.code, 0, op.address_of(dtype)
    return op.code, 0 if op.is_user else element_type(dtype).code, 0


def fold(op: Op, operands: Sequence[Array], out: Array) -> None:
    """Fold vectors into ``out``."""
    code, type_code, function = _loop_of(op, out.dtype)
    if not folds.fold(code, type_code, operands, out, out.size, function):
        numpy.fold(op, operands, out)


def fold_at(op: Op, memory: memoryview, starts: Sequence[int], index: int, own: Array) -> bool:
    """Fold several arrays in shared memory, and the array ``own``, into ``own``.

    Return False if there is no compiled loop for this operation and type.
    """
    code = element_type(own.dtype).code
    return folds.fold_at(op.code, code, memory, starts, index, own)


def fold_segments(segments: Segments, operands: Sequence[Array], out: Array) -> None:
    """Fold packed vectors of bytes, segment by segment."""
    if len(operands) == 1 or not folds.fold_segments(segments.table, operands, out):
        numpy.fold_segments(segments, operands, out)


def fold_to_many(
    op: Op, sources: Sequence[Array], targets: Sequence[Array], start: int, stop: int
) -> None:
    """Fold ``[start, stop)`` of all sources into the same elements of every target."""
    dtype = sources[0].dtype
    code, type_code, function = _loop_of(op, dtype)
    if not folds.fold_to_many(
        code, type_code, sources, targets, start, stop - start, dtype.itemsize, function
    ):
        numpy.fold_to_many(op, sources, targets, start, stop)


def scan(
    op: Op,
    sources: Sequence[Array],
    targets: Sequence[Array],
    start: int,
    stop: int,
    is_inclusive: bool,
) -> None:
    """Set ``[start, stop)`` of target i to the fold of the sources up to i."""
    dtype = sources[0].dtype
    code, type_code, function = _loop_of(op, dtype)
    if not folds.scan(
        code, type_code, sources, targets, start, stop - start, dtype.itemsize, is_inclusive,
        function,
    ):  # fmt: skip
        numpy.scan(op, sources, targets, start, stop, is_inclusive)
