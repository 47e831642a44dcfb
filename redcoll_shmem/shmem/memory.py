"""Allocate and free symmetric blocks and arrays.

All calls except :func:`fromalloc` are collective over all PEs. The PEs must make these calls in the
same order, with equal sizes and types. The garbage collector does not free symmetric memory, so the
program must free the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from redcoll import arrays, world
from redcoll.arguments import Array, flag
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.protocol.descriptor import ALLOCATE
from redcoll_shmem._arguments import integer
from redcoll_shmem._calls import outermost
from redcoll_shmem._types import describe
from redcoll_shmem.shmem._errors import FreedError

__all__ = [
    "alloc",
    "array",
    "del_array",
    "empty",
    "free",
    "fromalloc",
    "full",
    "new_array",
    "ones",
    "zeros",
]

_Shape = int | Sequence[int]


_ALIGNMENT = 64
"""The default alignment of memory in bytes: a cache line."""


def _alignment(routine: str, align: int | None, hints: int | None) -> int:
    """Return the alignment, or the default. Check that ``hints`` is an integer.

    :mod:`redcoll.arrays` checks the alignment later.
    """
    if hints is not None:
        with world.start().team.checking(ALLOCATE, routine):
            integer(hints, "hints")
    return _ALIGNMENT if align is None else align


@outermost
def alloc(
    count: int,
    size: int = 1,
    align: int | None = None,
    hints: int | None = None,
    clear: bool = True,
) -> memoryview:
    """Allocate a block of symmetric memory.

    Parameters
    ----------
    count, size
        Number of objects, and bytes of each object.
    align
        Alignment in bytes, a power of two up to 4096 (default: 64).
    hints
        Members of ``MALLOC``. redcoll ignores the hints.
    clear
        Whether to set the bytes to zero.

    Returns
    -------
    memoryview
        ``count * size`` bytes. Even a block of 0 bytes has its own address.

    Raises
    ------
    HeapError
        The symmetric heap is exhausted. All PEs raise this error.
    CollectiveMismatchError
        PEs passed different sizes. All PEs raise this error.
    """
    alignment = _alignment("alloc", align, hints)
    with world.start().team.checking(ALLOCATE, "alloc"):
        n_bytes = integer(count, "count") * integer(size, "size")
        make = arrays.zeros if flag(clear, "clear") else arrays.empty
    return make(n_bytes, np.uint8, align=alignment).data


@outermost
def free(mem: memoryview | Array) -> None:
    """Free the result of :func:`alloc`, or of a function that makes arrays.

    The call does nothing after the library has stopped.

    Raises
    ------
    FreedError
        The memory has been freed already. This error is a ``KeyError``.
    ArgumentError
        ``mem`` is not the start of a block or array that the library allocated. If ``mem`` is not
        symmetric, the error is a ``SymmetryError``.
    """
    if not world.is_running():
        return
    # arrays.free() takes only arrays. It refuses an object that is neither array nor memoryview.
    block = np.asarray(mem) if isinstance(mem, memoryview) else mem
    try:
        arrays.free(block)
    except StateError as error:
        freed = FreedError(str(error))
        vars(freed).update(vars(error))  # copies the mark of an error that all PEs raise
        raise freed from None


def fromalloc(
    mem: memoryview,
    shape: _Shape | None = None,
    dtype: DTypeLike | None = None,
    order: Literal["C", "F"] = "C",
) -> Array:
    """Make an array on a block's memory, without a copy.

    Parameters
    ----------
    mem
        The result of :func:`alloc`.
    shape
        The shape of the array, which must fill the block (default: a vector).
    dtype
        Type of the elements (default: ``float``).
    order
        ``"C"`` or ``"F"``.

    Raises
    ------
    DatatypeError
        ``mem`` is not a memoryview.
    ArgumentError
        An array of this type and shape does not fill the block.
    """
    if not isinstance(mem, memoryview):
        raise DatatypeError(f"fromalloc: mem is {describe(mem)}; it must be a memoryview")
    block = np.asarray(mem)
    try:
        vector = block.view(float if dtype is None else dtype)
        return vector.reshape(vector.shape if shape is None else shape, order=order)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"fromalloc: {block.nbytes} bytes: {error}") from None


@outermost
def new_array(
    shape: _Shape,
    dtype: DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
    clear: bool = True,
) -> Array:
    """Make a symmetric array of zeros. If ``clear`` is false, elements are not initialized."""
    with world.start().team.checking(ALLOCATE, "new_array"):
        make = arrays.zeros if flag(clear, "clear") else arrays.empty
    return make(shape, dtype, order, align=_alignment("new_array", align, hints))


@outermost
def del_array(a: Array) -> None:
    """Free a symmetric array, as :func:`free` does."""
    free(a)


@outermost
def array(
    obj: Any,
    dtype: DTypeLike | None = None,
    *,
    order: Literal["K", "A", "C", "F"] = "K",
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Make a symmetric copy of an array. The values can differ between PEs.

    The call returns when the elements of all PEs are set.
    """
    return arrays.array(obj, dtype, order, align=_alignment("array", align, hints))


@outermost
def empty(
    shape: _Shape,
    dtype: DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Make a symmetric array whose elements are not initialized."""
    return new_array(shape, dtype, order, align=align, hints=hints, clear=False)


@outermost
def zeros(
    shape: _Shape,
    dtype: DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Make a symmetric array of zeros."""
    return new_array(shape, dtype, order, align=align, hints=hints)


@outermost
def ones(
    shape: _Shape,
    dtype: DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Make a symmetric array of ones.  When the call returns, the elements of all PEs are set."""
    return arrays.ones(shape, dtype, order, align=_alignment("ones", align, hints))


@outermost
def full(
    shape: _Shape,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Make a symmetric array that is filled with a value. The value can differ between PEs.

    When the call returns, the elements of all PEs are set. A value outside the range of an integer
    type wraps, so -1 becomes the largest number of an unsigned type.
    """
    return arrays.full(shape, fill_value, dtype, order, align=_alignment("full", align, hints))
