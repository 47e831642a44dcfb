"""Make and free symmetric arrays, which have the same offset in the heap of every PE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from redcoll.arguments import Array, integer, shown, summary
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.memory.heap import Heap
from redcoll.protocol.descriptor import ALLOCATE, BARRIER, FREE, pack
from redcoll.team import revoking
from redcoll.world import start, team_of_call

_MOST_ALIGNMENT = 4096
"""The size of a page. The heap itself has this alignment."""


_MOST_EXTENT = int(np.iinfo(np.intp).max)


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        if isinstance(shape, np.ndarray | Sequence) and not isinstance(shape, str):
            extents = tuple(integer(extent, "an extent") for extent in shape)
        else:
            extents = (integer(shape, "shape"),)
    except Exception as error:  # noqa: BLE001 - a sequence of the program can raise any exception
        raise ArgumentError(f"shape is {shown(shape)}; it must be integers") from (
            None if isinstance(error, ArgumentError) else error
        )
    if any(extent < 0 for extent in extents):
        raise ArgumentError(f"shape is {shown(shape)}; extents must be at least 0")
    return extents


@revoking(team_of_call)
def empty(
    shape: int | Sequence[int], dtype: DTypeLike = float, order: str = "C", *, align: int = 64
) -> Array:
    """Return a new symmetric array whose elements are not set.

    Collective over all PEs, which must pass equal arguments. The array is a plain ndarray on the
    symmetric heap, and has the same offset in the heap of every PE.

    Parameters
    ----------
    shape
        Extents in elements.
    dtype
        Any NumPy type without Python objects.
    order
        ``"C"`` or ``"F"``.
    align
        Alignment in bytes, a power of two up to 4096.

    Raises
    ------
    HeapError
        The heap is exhausted.
    CollectiveMismatchError
        PEs pass different sizes.
    """
    return _new(shape, dtype, order, align)


@revoking(team_of_call)
def zeros(
    shape: int | Sequence[int], dtype: DTypeLike = float, order: str = "C", *, align: int = 64
) -> Array:
    """Return a new symmetric array of zeros; see :func:`empty`.

    Examples
    --------
    >>> import redcoll
    >>> counts = redcoll.zeros(4, int)
    >>> counts.tolist()
    [0, 0, 0, 0]
    >>> redcoll.free(counts)
    """
    return _new(shape, dtype, order, align, clear=True)


def _new(
    shape: int | Sequence[int],
    dtype: DTypeLike,
    order: str,
    align: int,
    *,
    clear: bool = False,
    values: Array | None = None,
) -> Array:
    world = start()
    with world.team.checking(ALLOCATE):
        kind = _dtype(dtype)
        alignment = alignment_of(align)
        _check_order(order)
        extents = _shape(shape)
        n_bytes = kind.itemsize * math.prod(extents)
        if n_bytes <= world.heap.allocator.capacity_bytes:
            _check_shape(world.heap, extents, kind)
        elif values is not None and max(extents) > _MOST_EXTENT:
            raise ArgumentError(f"shape is {shown(shape)}; extents must be at most {_MOST_EXTENT}")
        # Convert before the allocation: if the conversion fails on one PE, no PE has allocated
        # memory.
        fitting = None if values is None else _fitting(values, extents, kind)
    fill = "of values" if fitting is not None else "of zeros" if clear else ""
    offset = world.allocate(n_bytes, alignment, fill=fill)
    result = world.heap.array(offset, extents, kind, order)
    if fitting is not None:
        np.copyto(result, fitting)
        # After this round the elements of all PEs are set.
        world.team.round(pack(BARRIER))
    return result


def _fitting(values: Array, extents: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """Convert ``values`` to the dtype ``kind``, and broadcast them to ``extents``."""
    try:
        # Leading extents of 1 are dropped, as in an assignment in NumPy.
        excess = max(values.ndim - len(extents), 0)
        converted = values.reshape(values.shape[excess:]).astype(kind, casting="unsafe", copy=False)
        return np.broadcast_to(converted, extents)
    except FloatingPointError:
        raise  # the program requested this exception by numpy.errstate
    except Exception as error:
        raise ArgumentError(
            f"fill_value is {shown(values)}; it must fit an array of {extents} of {kind} "
            f"({summary(error)})"
        ) from error


def _dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        kind = np.dtype(dtype)
    except Exception as error:  # noqa: BLE001 - whatever an object's own dtype raises
        raise DatatypeError(f"dtype is {shown(dtype)}; it must be a NumPy type") from (
            None if isinstance(error, TypeError) else error
        )
    if kind.hasobject:
        raise DatatypeError(f"dtype is {kind}; Python objects cannot be shared between PEs")
    return kind


def _check_order(order: Any) -> None:
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ArgumentError(f"order is {shown(order)}; it must be 'C' or 'F'")


def _check_shape(heap: Heap, extents: tuple[int, ...], kind: np.dtype[Any]) -> None:
    """Refuse a shape that NumPy does not take.

    Such a shape has too many extents, or an extent that is too long. NumPy refuses a long extent
    even if another extent is 0.
    """
    try:
        heap.array(0, extents, kind, "C")
    except ValueError as error:
        raise ArgumentError(
            f"shape is {extents}; it must be one that NumPy takes ({error})"
        ) from None


def alignment_of(align: Any, name: str = "align") -> int:
    """Return ``align`` as an int.

    Raise ``ArgumentError`` if ``align`` is not a power of two, or is larger than a page (the
    alignment of the heap).
    """
    try:
        alignment = integer(align, name)
    except ArgumentError:
        alignment = 0
    if not 1 <= alignment <= _MOST_ALIGNMENT or alignment & (alignment - 1):
        raise ArgumentError(
            f"{name} is {shown(align)}; it must be a power of two from 1 to {_MOST_ALIGNMENT}"
        )
    return alignment


@revoking(team_of_call)
def full(
    shape: int | Sequence[int],
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    align: int = 64,
) -> Array:
    """Return a new symmetric array that is filled with ``fill_value``.

    The value may differ between PEs. The other arguments are those of :func:`empty`. When the call
    returns, the elements of all PEs are set.
    """
    given = _as_array(fill_value, "fill_value", may_be_objects=dtype is not None)
    return _new(shape, given.dtype if dtype is None else dtype, order, align, values=given)


def _as_array(
    values: ArrayLike, name: str, dtype: DTypeLike | None = None, *, may_be_objects: bool = False
) -> Array:
    """Return the values as an array of type ``dtype``; None means the values' own type."""
    with start().team.checking(ALLOCATE):
        kind = None if dtype is None else _dtype(dtype)
        try:
            result = np.asarray(values, kind)
        except Exception as error:
            raise ArgumentError(
                f"{name} is {shown(values)}; it must be what numpy.asarray takes"
                f"{'' if kind is None else f' as {kind}'} ({summary(error)})"
            ) from error
        if result.dtype.hasobject and not may_be_objects:
            raise DatatypeError(
                f"{name} is {shown(values)}; Python objects cannot be shared between PEs"
            )
        return result


@revoking(team_of_call)
def ones(
    shape: int | Sequence[int], dtype: DTypeLike = float, order: str = "C", *, align: int = 64
) -> Array:
    """Return a new symmetric array of ones; see :func:`empty`."""
    return full(shape, 1, dtype, order, align=align)


@revoking(team_of_call)
def array(
    values: ArrayLike, dtype: DTypeLike | None = None, order: Any = "C", *, align: int = 64
) -> Array:
    """Return a symmetric copy of ``values``.

    The values may differ between PEs, but their size and type must be equal.
    The other arguments are those of :func:`empty`. When the call returns, the elements of all PEs
    are set.

    Parameters
    ----------
    order
        ``"C"``, ``"F"``, ``"A"`` or ``"K"``: the order of elements in memory, as for
        :func:`numpy.array`.
    """
    given = _as_array(values, "values", dtype)
    with start().team.checking(ALLOCATE):
        if not isinstance(order, str) or order not in ("C", "F", "A", "K"):
            raise ArgumentError(f"order is {shown(order)}; it must be 'C', 'F', 'A' or 'K'")
    layout = np.empty_like(given, order=cast("Any", order), subok=False)
    # Order the axes by descending stride.
    axes = sorted(range(given.ndim), key=lambda axis: -layout.strides[axis])
    ordered = given.transpose(axes)
    result = full(ordered.shape, ordered, given.dtype, align=align)
    return result.transpose(np.argsort(axes)) if given.ndim > 1 else result


@revoking(team_of_call)
def free(array: Array) -> None:
    """Free the memory of a symmetric array.  Collective over all PEs.

    ``array`` may be any view whose first element is the first element of the allocation.

    Raises
    ------
    SymmetryError
        ``array`` is not on the symmetric heap.
    StateError
        The memory of ``array`` has been freed already.
    """
    world = start()
    with world.team.checking(FREE):
        offset = world.heap.start_of(array)
    world.free(offset)
