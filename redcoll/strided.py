"""Put and get of elements that do not lie side by side: one-sided, with a step on each side."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import rma
from redcoll.errors import ArgumentError, DatatypeError

Array = NDArray[Any]


def iput(
    target: Array,
    source: Array,
    target_step: int,
    source_step: int,
    count: int,
    pe: int,
    dtype: np.dtype[Any] | None = None,
) -> None:
    """Store ``count`` elements of ``source`` into ``target`` on a PE.

    Parameters
    ----------
    target
        Symmetric array, contiguous; every ``target_step``-th element is written, from the
        first, and nothing between.
    source
        Any contiguous array of the same type, of which every ``source_step``-th element
        is read; it may be reused on return.
    target_step, source_step
        At least 1, in elements.
    count
        How many elements to copy.
    pe
        Number of the PE.
    dtype
        What the memory of both arrays is to be read as, if not as their own type.

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
    _copy(there, here, (target_step, source_step), count, dtype, store, writeable=target)


def iget(
    target: Array,
    source: Array,
    target_step: int,
    source_step: int,
    count: int,
    pe: int,
    dtype: np.dtype[Any] | None = None,
) -> None:
    """Load ``count`` elements of ``source`` on a PE into ``target``, which may be private.

    Arguments and errors are those of :func:`iput`.
    """
    there, far = rma.reach(source, pe, "source")
    here = rma.flat(target, "target")

    def get_far(to: Array, of: Array) -> None:
        if far is not None:
            got = np.empty(of.size, of.dtype)
            far.get(pe, rma.offset(there), got, of.strides[0])
            to[...] = got

    load = _assign if far is None else get_far
    _copy(here, there, (target_step, source_step), count, dtype, load, writeable=target)


def _assign(to: Array, of: Array) -> None:
    to[...] = of


def _copy(
    to: Array,
    of: Array,
    steps: tuple[int, int],
    count: int,
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
    to_step, of_step = _step(steps[0], "dst"), _step(steps[1], "sst")
    if count > 0:
        to_span = _span(to, count, to_step, "target")
        of_span = _span(of, count, of_step, "source")
        copy(to[:to_span:to_step], of[:of_span:of_step])


def _as(vector: Array, dtype: np.dtype[Any], name: str) -> Array:
    size = dtype.itemsize
    if vector.itemsize not in (1, size):
        raise DatatypeError(
            f"{name} is of {vector.dtype}, {vector.itemsize} bytes an element; this routine takes "
            f"elements of {size} bytes, or a view of plain bytes"
        )
    data = vector.view(np.uint8)
    return data[: data.size // size * size].view(dtype)


def _step(value: Any, name: str) -> int:
    try:
        step = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is {value!r}; it must be an integer") from None
    if step < 1:
        raise ArgumentError(f"{name} is {step}; it must be at least 1")
    return step


def _span(vector: Array, count: int, step: int, name: str) -> int:
    """Elements from the first to the last of ``count``, ``step`` apart."""
    span = (count - 1) * step + 1
    if span > vector.size:
        raise ArgumentError(
            f"{count} elements, {step} apart, take {span} elements of {name}; it has {vector.size}"
        )
    return span
