"""Symmetric memory: blocks, and arrays in them.

All but :func:`fromalloc` are collective over all PEs, which must call in the same order
with equal sizes and types. Memory is freed by the program, never by the garbage collector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from redcoll import arrays, world
from redcoll.arguments import flag
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.protocol.descriptor import ALLOCATE
from redcoll_shmem._arguments import integer
from redcoll_shmem._outermost import outermost
from redcoll_shmem._types import describe
from redcoll_shmem.shmem._checks import Array
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
"""Of all memory, in bytes, unless more is asked for: a cache line."""


def _alignment(align: int | None, hints: int | None) -> int:
    """``align`` as the core wants it, which checks it; hints make no difference."""
    if hints is not None:
        with world.start().team.checking(ALLOCATE):
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
        Number of objects, and bytes of each.
    align
        Bytes, a power of two up to 4096; all memory is aligned to 64.
    hints
        Members of ``MALLOC``.
    clear
        Whether the bytes are set to zero.

    Returns
    -------
    memoryview
        ``count * size`` bytes; also none at all, at a place of their own.

    Raises
    ------
    HeapError
        The symmetric heap is exhausted.
    CollectiveMismatchError
        PEs ask for different sizes.
    """
    alignment = _alignment(align, hints)
    with world.start().team.checking(ALLOCATE, "alloc"):
        n_bytes = integer(count, "count") * integer(size, "size")
        make = arrays.zeros if flag(clear, "clear") else arrays.empty
    return make(n_bytes, np.uint8, align=alignment).data


@outermost
def free(mem: memoryview | Array) -> None:
    """Free what :func:`alloc`, or a function that makes arrays, has returned.

    Does nothing once the library has ended.

    Raises
    ------
    FreedError
        It has been freed already; a ``KeyError``.
    ArgumentError
        It does not start at an allocation (``SymmetryError``: it is not symmetric).
    """
    if not world.is_running():
        return
    # What is neither is refused where it is looked up.
    block = np.asarray(mem) if isinstance(mem, memoryview) else mem
    try:
        arrays.free(block)
    except StateError as error:
        freed = FreedError(str(error))
        vars(freed).update(vars(error))  # also that the other PEs have been told
        raise freed from None


def fromalloc(
    mem: memoryview,
    shape: _Shape | None = None,
    dtype: DTypeLike | None = None,
    order: Literal["C", "F"] = "C",
) -> Array:
    """Make an array of a block's memory; it is not copied.

    Parameters
    ----------
    mem
        What :func:`alloc` has returned.
    shape
        Extents in elements, for the whole block; a vector unless given.
    dtype
        Type of the elements; ``float`` unless given.
    order
        ``"C"`` or ``"F"``.

    Raises
    ------
    DatatypeError
        ``mem`` is no memoryview.
    ArgumentError
        Elements of this type, or an array of this shape, do not fill the block.
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
    """Symmetric array of zeros, or of unset elements if ``clear`` is false."""
    with world.start().team.checking(ALLOCATE, "new_array"):
        make = arrays.zeros if flag(clear, "clear") else arrays.empty
    return make(shape, dtype, order, align=_alignment(align, hints))


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
    """Symmetric copy of an array, which may differ in its values between PEs.

    Returns when the elements of all PEs are set.
    """
    return arrays.array(obj, dtype, order, align=_alignment(align, hints))


@outermost
def empty(
    shape: _Shape,
    dtype: DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    align: int | None = None,
    hints: int | None = None,
) -> Array:
    """Symmetric array of unset elements."""
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
    """Symmetric array of zeros."""
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
    """Symmetric array of ones.  Returns when the elements of all PEs are set."""
    return arrays.ones(shape, dtype, order, align=_alignment(align, hints))


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
    """Symmetric array of one value, which may differ between PEs.

    Returns when the elements of all PEs are set. Integers wrap: -1 is the largest number
    of an unsigned type.
    """
    return arrays.full(shape, fill_value, dtype, order, align=_alignment(align, hints))
