"""Manage symmetric memory (OpenSHMEM 1.5, section 9.3), and access another PE's memory.

Where C returns an address, these routines return an array of bytes, which the program can cast by
``.view(dtype)``. All PEs must allocate and free in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import arrays, world
from redcoll.arguments import Array
from redcoll.arrays import array, empty, free, full, ones, zeros
from redcoll.errors import ArgumentError, StateError
from redcoll.memory.heap import Heap
from redcoll.onesided import rma
from redcoll.protocol.descriptor import ALLOCATE, FREE
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._calls import outermost
from redcoll_shmem.constants import SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE

Bytes = NDArray[np.uint8]

__all__ = [
    "array",
    "empty",
    "free",
    "full",
    "ones",
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
    "zeros",
]


@outermost
def shmem_malloc(size: int) -> Bytes | None:
    """Allocate symmetric memory.  Collective over all PEs, with equal sizes.

    Parameters
    ----------
    size
        Number of bytes.

    Returns
    -------
    ndarray of uint8 or None
        ``size`` bytes, which are not initialized. If the size is 0, the call returns None, and does
        not wait for other PEs.

    Raises
    ------
    ArgumentError
        ``size`` is negative.
    HeapError
        The symmetric heap is exhausted. All PEs raise this error.
    CollectiveMismatchError
        PEs passed different sizes. All PEs raise this error.
    """
    return _allocate("shmem_malloc", lambda: integer(size, "size"))


@outermost
def shmem_malloc_with_hints(size: int, hints: int) -> Bytes | None:
    """Allocate symmetric memory as :func:`shmem_malloc` does, with hints about its use.

    Parameters
    ----------
    size
        Number of bytes.
    hints
        0, or a sum of ``SHMEM_MALLOC_ATOMICS_REMOTE`` and ``SHMEM_MALLOC_SIGNAL_REMOTE``. The hints
        have no effect, because all memory supports atomic operations and signals.
    """

    def check() -> int:
        integer(hints, "hints", 0, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE)
        return integer(size, "size")

    return _allocate("shmem_malloc_with_hints", check)


@outermost
def shmem_calloc(count: int, size: int) -> Bytes | None:
    """Allocate symmetric memory as :func:`shmem_malloc` does, and set it to zero.

    Parameters
    ----------
    count
        Number of objects.
    size
        Size of each object in bytes.
    """
    return _allocate(
        "shmem_calloc", lambda: integer(count, "count") * integer(size, "size"), clear=True
    )


@outermost
def shmem_align(alignment: int, size: int) -> Bytes | None:
    """Allocate aligned symmetric memory, as :func:`shmem_malloc` does.

    Parameters
    ----------
    alignment
        Alignment in bytes, a power of two up to 4096. All memory is aligned to at least 64 bytes.
    size
        Number of bytes.
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
        The array that an allocation returned, or a view with the same start; None to allocate a new
        block.
    size
        Size of the new block in bytes; 0 to free the block. The new block starts with the contents
        of the old block.

    Returns
    -------
    ndarray of uint8 or None
        The new block; None for size 0. The program must not use the old array any more.

    Raises
    ------
    ArgumentError
        ``size`` is negative, or ``ptr`` does not start at an allocation.
    StateError
        The memory has been freed already.
    HeapError
        The heap has no space for both blocks. All PEs raise this error. The old block is unchanged.
    CollectiveMismatchError
        PEs passed different blocks or sizes. All PEs raise this error. The old block is unchanged.
    """
    if ptr is None:
        return _allocate("shmem_realloc", lambda: integer(size, "size"))
    job = world.start()
    heap = job.heap
    with job.team.checking(ALLOCATE, "shmem_realloc"):
        n_bytes = integer(size, "size")
        start = heap.start_of(ptr, "ptr")
    if n_bytes == 0:
        job.free(start)
        return None
    # When allocate() returns, all PEs have called shmem_realloc, so no PE stores into the old block
    # any more.
    result = _bytes_at(heap, job.allocate(n_bytes, replaced=start), n_bytes)
    kept = min(n_bytes, heap.allocator.size_of(start))
    result[:kept] = _bytes_at(heap, start, kept)
    # free() waits for all PEs. So no PE stores into another PE's new block before that PE has
    # filled the block.
    job.free(start)
    return result


@outermost
def shmem_free(ptr: Array | None) -> None:
    """Free symmetric memory.  Collective over all PEs. With None the call does nothing.

    Parameters
    ----------
    ptr
        The array that an allocation returned, or a view with the same start.

    Raises
    ------
    ArgumentError
        ``ptr`` does not start at an allocation, or is not on the heap (``SymmetryError``).
    StateError
        The memory has been freed already.
    """
    if ptr is None:
        return
    job = world.start()
    with job.team.checking(FREE, "shmem_free"):
        start = job.heap.start_of(ptr, "ptr")
    job.free(start)


def shmem_ptr(target: Array, pe: int) -> Array | None:
    """Return a view of a symmetric array in another PE's memory, for plain loads and stores.

    Parameters
    ----------
    target
        Symmetric array, or a view of a symmetric array. It can be strided.
    pe
        Number of the PE.

    Returns
    -------
    ndarray or None
        The same elements on that PE; None if that PE is on another node.

    Raises
    ------
    ArgumentError
        There is no such PE, or ``target`` is not symmetric.
    StateError
        The memory of ``target`` has been freed.
    """
    try:
        return rma.reachable(target, pe, "target")
    except (ArgumentError, StateError) as error:
        refuse("shmem_ptr", error)


def shmem_pe_accessible(pe: int) -> bool:
    """Return whether the job has this PE.

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
    """Return whether routines can access ``addr`` on a PE. They can access symmetric arrays only.

    Parameters
    ----------
    addr
        Any object. If it is not an array, the result is False.
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
