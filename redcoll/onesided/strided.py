"""Put and get elements, or blocks of elements, that have gaps between them in memory.

Source and target can have different steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redcoll.arguments import Array, integer, not_writable, require_itemsize, two_types
from redcoll.errors import ArgumentError
from redcoll.onesided import rma

STEP_NAMES = ("target_step", "source_step")


def iput(
    target: Array,
    source: Array,
    target_step: int,
    source_step: int,
    count: int,
    pe: int,
    dtype: np.dtype[Any] | None = None,
    block: int = 1,
    step_names: tuple[str, str] = STEP_NAMES,
) -> None:
    """Store ``count`` blocks of elements of ``source`` into ``target`` on a PE.

    A block has ``block`` consecutive elements. Both arrays are contiguous, and ``target`` is
    symmetric. The steps are distances in elements from the start of one block to the start of the
    next. A step must be at least ``block``. Elements of ``target`` between blocks stay unchanged.
    The caller can reuse ``source`` on return. With ``dtype`` both arrays are viewed as arrays of
    this type. ``step_names`` has the names of the steps in error messages. Raise ``ArgumentError``,
    ``DatatypeError`` or ``SymmetryError`` for a wrong argument, and ``StateError`` if the memory
    has been freed.
    """
    there, remote = rma.reach(target, pe, "target")
    here = rma.flat(source, "source")

    def put_remote(to: Array, of: Array) -> None:
        if remote is not None:
            remote.put(pe, rma.offset(there), np.ascontiguousarray(of), to.strides[0])

    store = _assign if remote is None else put_remote
    steps = _steps((target_step, source_step), step_names, block)
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
    step_names: tuple[str, str] = STEP_NAMES,
) -> None:
    """Load ``count`` blocks of elements of ``source`` on a PE into ``target``.

    ``target`` can be an ordinary array. Other arguments and errors are those of :func:`iput`.
    """
    there, remote = rma.reach(source, pe, "source")
    here = rma.flat(target, "target")

    def get_remote(to: Array, of: Array) -> None:
        if remote is not None:
            got = np.empty(of.shape, of.dtype)
            remote.get(pe, rma.offset(there), got, of.strides[0])
            to[...] = got

    load = _assign if remote is None else get_remote
    steps = _steps((target_step, source_step), step_names, block)
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
        raise not_writable("target")
    if dtype is not None:
        to, of = _as(to, dtype, "target"), _as(of, dtype, "source")
    elif to.dtype != of.dtype:
        raise two_types(to, of)
    if min(shape) > 0:
        copy(_blocks(to, shape, steps[0], "target"), _blocks(of, shape, steps[1], "source"))


def _as(vector: Array, dtype: np.dtype[Any], name: str) -> Array:
    size = dtype.itemsize
    require_itemsize(vector, size, name)
    data = vector.view(np.uint8)
    return data[: data.size // size * size].view(dtype)


def _steps(values: tuple[Any, Any], names: tuple[str, str], block: int) -> tuple[int, int]:
    steps = integer(values[0], names[0]), integer(values[1], names[1])
    least = max(block, 1)
    for step, name in zip(steps, names, strict=True):
        if step < least:
            which = "" if block <= 1 else ", the size of a block"
            raise ArgumentError(f"{name} is {step}; it must be at least {least}{which}")
    return steps


def _blocks(vector: Array, shape: tuple[int, int], step: int, name: str) -> Array:
    """Return blocks of a vector as rows. The blocks start ``step`` elements apart."""
    count, block = shape
    span = (count - 1) * step + block
    if span > vector.size:
        what = "elements" if block == 1 else f"blocks of {block} elements"
        raise ArgumentError(
            f"{count} {what}, {step} apart, take {span} elements of {name}; it has {vector.size}"
        )
    size = vector.itemsize
    # A single block needs no step. The caller's step may be too large for a stride of NumPy.
    step = step if count > 1 else block
    return np.ndarray(shape, vector.dtype, vector, 0, (step * size, size))
