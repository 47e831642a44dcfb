"""Memory management (OpenSHMEM 1.5, section 9.3), and where another PE's memory is.

What C returns as an address comes as an array of bytes; ``.view(dtype)`` makes of it
what the program wants. All PEs must allocate and free in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import arrays, world
from redcoll.errors import ArgumentError, StateError
from redcoll.memory.heap import Heap
from redcoll.onesided import rma
from redcoll.protocol.descriptor import ALLOCATE
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._outermost import outermost
from redcoll_shmem.constants import (
    SHMEM_MALLOC_ATOMICS_REMOTE,
    SHMEM_MALLOC_SIGNAL_REMOTE,
)

Array = NDArray[Any]
Bytes = NDArray[np.uint8]

__all__ = [
    "shfree",
    "shmalloc",
    "shmem_addr_accessible",
    "shmem_align",
    "shmem_calloc",
    "shmem_free",
    "shmem_malloc",
    "shmem_malloc_with_hints",
    "shmem_pe_accessible",
    "shmem_ptr",
    "shmem_realloc",
    "shmemalign",
    "shrealloc",
]


@outermost
def shmem_malloc(size: int) -> Bytes | None:
    """Allocate symmetric memory.  Collective over all PEs, with equal sizes.

    Parameters
    ----------
    size
        Bytes.

    Returns
    -------
    ndarray of uint8 or None
        ``size`` unset bytes; None for size 0, at once and without the other PEs.

    Raises
    ------
    ArgumentError
        ``size`` is negative.
    HeapError
        On all PEs alike: the symmetric heap is exhausted.
    CollectiveMismatchError
        PEs ask for different sizes.
    """
    return _allocate("shmem_malloc", lambda: integer(size, "size"))


@outermost
def shmem_malloc_with_hints(size: int, hints: int) -> Bytes | None:
    """Allocate symmetric memory for a purpose.  Otherwise as :func:`shmem_malloc`.

    Parameters
    ----------
    size
        Bytes.
    hints
        ``SHMEM_MALLOC_ATOMICS_REMOTE`` and ``SHMEM_MALLOC_SIGNAL_REMOTE``, added up, or 0;
        all memory serves both.
    """

    def check() -> int:
        integer(hints, "hints", 0, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE)
        return integer(size, "size")

    return _allocate("shmem_malloc_with_hints", check)


@outermost
def shmem_calloc(count: int, size: int) -> Bytes | None:
    """Allocate symmetric memory of zeros.  Otherwise as :func:`shmem_malloc`.

    Parameters
    ----------
    count
        Number of objects.
    size
        Bytes of each.
    """
    return _allocate(
        "shmem_calloc", lambda: integer(count, "count") * integer(size, "size"), clear=True
    )


@outermost
def shmem_align(alignment: int, size: int) -> Bytes | None:
    """Allocate symmetric memory at a multiple of an address.  Otherwise as :func:`shmem_malloc`.

    Parameters
    ----------
    alignment
        Bytes; a power of two up to 4096. All memory is aligned to 64.
    size
        Bytes.
    """
    return _allocate("shmem_align", lambda: integer(size, "size"), alignment)


def _allocate(
    routine: str, check: Callable[[], int], align: Any = 64, *, clear: bool = False
) -> Bytes | None:
    job = world.start()
    with job.team.checking(ALLOCATE, routine):
        alignment = arrays.alignment_of(align, "alignment")
        n_bytes = check()
    if n_bytes == 0:
        return None
    return _bytes_at(
        job.heap, job.allocate(n_bytes, alignment, fill="of zeros" if clear else ""), n_bytes
    )


def _bytes_at(heap: Heap, offset: int, n_bytes: int) -> Bytes:
    return heap.array(offset, (n_bytes,), np.uint8, "C")


@outermost
def shmem_realloc(ptr: Array | None, size: int) -> Bytes | None:
    """Move symmetric memory to a block of another size.  Collective over all PEs.

    Parameters
    ----------
    ptr
        What an allocation returned, or a view that starts there; None for a new block.
    size
        Bytes of the new block, which starts with what the old one held; 0 to free it.

    Returns
    -------
    ndarray of uint8 or None
        The new block; None for size 0. The old array must not be used any more.

    Raises
    ------
    ArgumentError
        ``size`` is negative, or ``ptr`` does not start at an allocation.
    StateError
        The memory has been freed already.
    HeapError
        There is no room for both; the old block is as it was.
    CollectiveMismatchError
        PEs pass other blocks or sizes; the old block is as it was.
    """
    if ptr is None:
        return shmem_malloc(size)
    job = world.start()
    heap = job.heap
    with job.team.checking(ALLOCATE, "shmem_realloc"):
        n_bytes = integer(size, "size")
        start = heap.start_of(ptr)
    if n_bytes == 0:
        job.free(start)
        return None
    # Once all have entered here, nobody stores into the old block any more.
    result = _bytes_at(heap, job.allocate(n_bytes, replaced=start), n_bytes)
    kept = min(n_bytes, heap.allocator.size_of(start))
    result[:kept] = _bytes_at(heap, start, kept)
    # And nobody into the new one before it has been filled here.
    job.free(start)
    return result


@outermost
def shmem_free(ptr: Array | None) -> None:
    """Free symmetric memory.  Collective over all PEs; None does nothing.

    Parameters
    ----------
    ptr
        What an allocation returned, or a view that starts there.

    Raises
    ------
    ArgumentError
        It does not start at an allocation (``SymmetryError``: it is not on the heap).
    StateError
        It has been freed already.
    """
    if ptr is not None:
        arrays.free(ptr)


def shmem_ptr(target: Array, pe: int) -> Array | None:
    """A symmetric array as it lies on another PE, for plain loads and stores.

    Parameters
    ----------
    target
        Symmetric array, also a strided view of one.
    pe
        Number of the PE.

    Returns
    -------
    ndarray or None
        The same elements on that PE; None where its memory cannot be reached.

    Raises
    ------
    ArgumentError
        There is no such PE, or ``target`` is not symmetric.
    StateError
        Its memory has been freed.
    """
    try:
        return rma.reachable(target, pe, "target")
    except (ArgumentError, StateError) as error:
        refuse("shmem_ptr", error)


def shmem_pe_accessible(pe: int) -> bool:
    """Whether the job has this PE.

    Parameters
    ----------
    pe
        Number of the PE.
    """
    try:
        rma.check_pe(pe)
    except ArgumentError:
        return False
    return True


def shmem_addr_accessible(addr: object, pe: int) -> bool:
    """Whether an array is symmetric, so that this PE's can be reached.

    Parameters
    ----------
    addr
        Any array; anything else is not symmetric.
    pe
        Number of the PE.
    """
    if not (isinstance(addr, np.ndarray) and shmem_pe_accessible(pe)):
        return False
    try:
        world.start().heap.require(addr, "addr")
    except (ArgumentError, StateError):
        return False
    return True


shmalloc = shmem_malloc
shmemalign = shmem_align
shrealloc = shmem_realloc
shfree = shmem_free
