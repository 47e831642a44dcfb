"""Put and get of elements, or blocks of them, that do not lie side by side.

One-sided, with a step on each side.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, DatatypeError
from redcoll.onesided import rma

Array = NDArray[Any]


def iput(
    target: Array,
    source: Array,
    target_step: int,
    source_step: int,
    count: int,
    pe: int,
    dtype: np.dtype[Any] | None = None,
    block: int = 1,
) -> None:
    """Store ``count`` blocks of elements of ``source`` into ``target`` on a PE.

    Parameters
    ----------
    target
        Symmetric array, contiguous; a block is written at every ``target_step``-th
        element, from the first, and nothing between.
    source
        Any contiguous array of the same type, of which a block is read at every
        ``source_step``-th element; it may be reused on return.
    target_step, source_step
        From the start of one block to that of the next, in elements; at least ``block``.
    count
        How many blocks to copy.
    pe
        Number of the PE.
    dtype
        What the memory of both arrays is to be read as, if not as their own type.
    block
        Elements of a block, that lie side by side.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``, ``SymmetryError``).
    StateError
        The memory has been freed.
    """
    there, far = rma.reach(target, pe, "target")
    here = rma.flat(source, "source")

    def put_far(to: Array, of: Array) -> None:
        if far is not None:
            far.put(pe, rma.offset(there), np.ascontiguousarray(of), to.strides[0])

    store = _assign if far is None else put_far
    steps = (target_step, source_step)
    _copy(there, here, steps, (count, block), dtype, store, writeable=target)


def iget(
    target: Array,
    source: Array,
    target_step: int,
    source_step: int,
    count: int,
    pe: int,
    dtype: np.dtype[Any] | None = None,
    block: int = 1,
) -> None:
    """Load ``count`` blocks of elements of ``source`` on a PE into ``target``.

    ``target`` may be private.

    Arguments and errors are those of :func:`iput`.
    """
    there, far = rma.reach(source, pe, "source")
    here = rma.flat(target, "target")

    def get_far(to: Array, of: Array) -> None:
        if far is not None:
            got = np.empty(of.shape, of.dtype)
            far.get(pe, rma.offset(there), got, of.strides[0])
            to[...] = got

    load = _assign if far is None else get_far
    steps = (target_step, source_step)
    _copy(here, there, steps, (count, block), dtype, load, writeable=target)


def _assign(to: Array, of: Array) -> None:
    to[...] = of


def _copy(
    to: Array,
    of: Array,
    steps: tuple[int, int],
    shape: tuple[int, int],
    dtype: np.dtype[Any] | None,
    copy: Callable[[Array, Array], None],
    *,
    writeable: Array,
) -> None:
    if not writeable.flags.writeable:
        raise ArgumentError("target is read-only; it must be writable")
    if dtype is not None:
        to, of = _as(to, dtype, "target"), _as(of, dtype, "source")
    elif to.dtype != of.dtype:
        raise DatatypeError(
            f"target is of {to.dtype}, source of {of.dtype}; they must be of one type"
        )
    block = shape[1]
    to_step, of_step = _step(steps[0], "dst", block), _step(steps[1], "sst", block)
    if min(shape) > 0:
        copy(_blocks(to, shape, to_step, "target"), _blocks(of, shape, of_step, "source"))


def _as(vector: Array, dtype: np.dtype[Any], name: str) -> Array:
    size = dtype.itemsize
    if vector.itemsize not in (1, size):
        raise DatatypeError(
            f"{name} is of {vector.dtype}, {vector.itemsize} bytes an element; this routine takes "
            f"elements of {size} bytes, or a view of plain bytes"
        )
    data = vector.view(np.uint8)
    return data[: data.size // size * size].view(dtype)


def _step(value: Any, name: str, block: int) -> int:
    try:
        step = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is {value!r}; it must be an integer") from None
    least = max(block, 1)
    if step < least:
        which = "" if block <= 1 else ", the size of a block"
        raise ArgumentError(f"{name} is {step}; it must be at least {least}{which}")
    return step


def _blocks(vector: Array, shape: tuple[int, int], step: int, name: str) -> Array:
    """The blocks of a vector that begin ``step`` elements apart, as rows."""
    count, block = shape
    span = (count - 1) * step + block
    if span > vector.size:
        what = "elements" if block == 1 else f"blocks of {block} elements"
        raise ArgumentError(
            f"{count} {what}, {step} apart, take {span} elements of {name}; it has {vector.size}"
        )
    size = vector.itemsize
    # Of a single block the step says nothing, and may be more than any array has.
    step = step if count > 1 else block
    return np.ndarray(shape, vector.dtype, vector, 0, (step * size, size))
