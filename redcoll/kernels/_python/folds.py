"""Fold arrays with NumPy. A fold is the arithmetic of a reduction, without communication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.kernels.interface import Segments
from redcoll.ops import AND, MOST_ACCUMULATED, OR, PLAIN_SUM, XOR, Op

_BLOCK_BYTES: Final = 32 << 10
"""Folds run over blocks of this size, so that accumulator and operand stay in the core's caches."""
# If a row has at most 128 bytes, `accumulate` on a matrix is faster than a call for each row.
_NARROW_BYTES: Final = 128
_ACCUMULATED: Final = frozenset({PLAIN_SUM.code, AND.code, OR.code, XOR.code})
_MOST_VIEWS_KEPT: Final = 4
"""Number of lists of operands whose views are kept. Rounds use two lists alternately, and the fold
of a node's vectors uses two other lists."""


class Rows(list[Array]):
    """All members' vectors, as the rows of a matrix."""

    matrix: Array


def fold(op: Op, operands: Sequence[Array], out: Array) -> None:
    """Compute ``out = ((x0 op x1) op x2) ...`` element by element.

    ``out`` can be the first or second operand, but not a later one. If the operation has a
    ``fold``, that function computes the result instead.
    """
    if len(operands) == 1:
        out[...] = operands[0]
        return
    wide = op.accumulator(out.dtype) if out.itemsize <= MOST_ACCUMULATED else None
    if wide is not None:
        total = operands[0].astype(wide)
        for operand in operands[1:]:
            op.combine(total, operand.astype(wide), total)
        out[...] = total
        return
    if op.fold is not None:
        op.fold(operands, out)
        return
    combine = op.combine
    if (
        isinstance(operands, Rows)
        and isinstance(combine, np.ufunc)
        and op.code in _ACCUMULATED
        and out.nbytes <= _NARROW_BYTES
    ):
        # `accumulate` computes the same left fold in one call, instead of one call for each
        # operand.
        out[...] = combine.accumulate(operands.matrix, 0, out.dtype)[-1]
        return
    combine(operands[0], operands[1], out)
    for operand in operands[2:]:
        combine(out, operand, out)


def fold_segments(segments: Segments, operands: Sequence[Array], out: Array) -> None:
    """Fold packed vectors of bytes, segment by segment.

    The operations must have no ``fold`` function.
    """
    if len(operands) == 1:
        out[...] = operands[0]
        return
    # Keep the views, because making the views of a short segment takes longer than its fold.
    found = segments.views.get(id(operands))
    if found is None or found[0] is not operands or found[1] is not out:
        if len(segments.views) >= _MOST_VIEWS_KEPT:
            segments.views.clear()
        found = segments.views[id(operands)] = operands, out, _views_of(segments, operands, out)
    for op, parts, into in found[2]:
        op.combine(parts[0], parts[1], into)
        for part in parts[2:]:
            op.combine(into, part, into)


def _views_of(
    segments: Segments, operands: Sequence[Array], out: Array
) -> list[tuple[Op, list[Array], Array]]:
    return [
        (op, [each[start:stop].view(dtype) for each in operands], out[start:stop].view(dtype))
        for op, dtype, start, stop in segments.rows
    ]


def fold_to_many(
    op: Op, sources: Sequence[Array], targets: Sequence[Array], start: int, stop: int
) -> None:
    """Fold ``[start, stop)`` of all sources into the same elements of every target.

    A target can be one of the sources.
    """
    into = targets[0]
    # The fold accumulates in the first target. If the third or a later source shares memory with
    # this target, the fold would overwrite the source too early.
    is_free = not any(np.may_share_memory(into, source) for source in sources[2:])
    for first, last, part in _blocks(sources[0].dtype, start, stop):
        folded = into[first:last] if is_free else part
        fold(op, [source[first:last] for source in sources], folded)
        for target in targets[is_free:]:
            target[first:last] = folded


def scan(
    op: Op,
    sources: Sequence[Array],
    targets: Sequence[Array],
    start: int,
    stop: int,
    is_inclusive: bool,
) -> None:
    """Set ``[start, stop)`` of target i to the fold of the sources up to i.

    Without ``is_inclusive``, source i itself is left out, and target 0 is unchanged. ``targets[i]``
    can be the same array as ``sources[i]``.
    """
    if op.fold is not None:
        # Compute the last target first, because target i can be the same array as source i. The
        # targets before target i do not need source i.
        for index in reversed(range(not is_inclusive, len(sources))):
            operands = [source[start:stop] for source in sources[: index + is_inclusive]]
            fold(op, operands, targets[index][start:stop])
        return
    dtype = sources[0].dtype
    wide = op.accumulator(dtype) or dtype
    for first, last, prefix in _blocks(wide, start, stop):
        following = np.empty_like(prefix)
        for index, (source, target) in enumerate(zip(sources, targets, strict=True)):
            if index == 0:
                following[...] = source[first:last]
            else:
                op.combine(prefix, source[first:last].astype(wide, copy=False), following)
            if is_inclusive:
                target[first:last] = following
            elif index:
                target[first:last] = prefix
            prefix, following = following, prefix  # noqa: PLW2901 - the two buffers alternate


def _blocks(dtype: np.dtype[Any], start: int, stop: int) -> Iterator[tuple[int, int, Array]]:
    """Yield the start and stop of each block, and a scratch array of the block's size."""
    step = max(1, _BLOCK_BYTES // dtype.itemsize)
    scratch = np.empty(max(0, min(step, stop - start)), dtype)
    for first in range(start, stop, step):
        last = min(first + step, stop)
        yield first, last, scratch[: last - first]
