"""One-sided access to symmetric memory: put, get, order, and waiting for a value.

On a node all of it is loads and stores. A symmetric array is found on another PE by its
offset in the heap; what was found is kept, since programs use the same arrays again and
again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.heap import Heap
from redcoll.waiting import WordWait

Array = NDArray[Any]

_MOST_KEPT = 1024

# By (id of the array, PE): the array itself, kept so that no other gets its id; its
# memory there; the heap, and its epoch at the time.
_found: dict[tuple[int, int], tuple[Array, Array, Heap, int]] = {}


def check_pe(pe: int) -> int:
    """``pe`` if the job has it.

    Raises
    ------
    ArgumentError
        It has not.
    """
    last = world.start().n_pes - 1
    try:
        number = operator.index(pe)
    except TypeError:
        raise ArgumentError(f"pe is {pe!r}; it must be an integer") from None
    if not 0 <= number <= last:
        raise ArgumentError(f"pe is {number}; the job's PEs are 0 to {last}")
    return number


def flat(array: Array, name: str) -> Array:
    """The elements of a contiguous array as a vector, in the order of memory.

    Raises
    ------
    DatatypeError
        ``array`` is none.
    ArgumentError
        It is neither C- nor F-contiguous.
    """
    if not isinstance(array, np.ndarray):
        raise DatatypeError(f"{name} is a {type(array).__name__}; it must be a numpy.ndarray")
    if not array.flags.forc:
        raise ArgumentError(
            f"{name} (shape {array.shape}, strides {array.strides}) is not contiguous; its "
            "elements must lie one after the other in memory"
        )
    return array.reshape(-1, order="A")


def peer(array: Array, pe: int, name: str = "array") -> Array:
    """A symmetric array as it lies on another PE: loads and stores reach that PE's memory.

    Raises
    ------
    ArgumentError
        There is no such PE, or ``array`` is no symmetric one (``SymmetryError``).
    StateError
        Its memory has been freed.
    """
    number = check_pe(pe)
    if not isinstance(array, np.ndarray):
        raise DatatypeError(f"{name} is a {type(array).__name__}; it must be a numpy.ndarray")
    heap = world.start().heap
    offset = heap.require(array, name)
    there = heap.view(number, 0, np.uint8, heap.allocator.capacity_bytes)
    return np.ndarray(array.shape, array.dtype, there, offset, array.strides)


def memory(array: Array, pe: int, name: str = "array") -> Array:
    """The elements of a contiguous symmetric array on another PE, as a vector.

    Raises as :func:`peer` and :func:`flat` do.
    """
    found = _found.get((id(array), pe))
    if found is not None:
        _, vector, heap, epoch = found
        if heap.epoch == epoch and vector.dtype is array.dtype:
            return vector
    vector = flat(peer(array, pe, name), name)
    heap = world.start().heap
    if len(_found) >= _MOST_KEPT:
        _found.clear()
    _found[id(array), pe] = (array, vector, heap, heap.epoch)
    return vector


def put(target: Array, source: Array, count: int, pe: int) -> None:
    """Store the first ``count`` elements of ``source`` into ``target`` on a PE.

    ``source`` may be private. It may be reused on return; the elements arrive in any
    order, those of later calls after a :func:`fence`.

    Raises
    ------
    ArgumentError
        A wrong argument.
    """
    there = memory(target, pe, "target")
    _check_copy(target, source, there.size, source.size, count)
    if not target.flags.writeable:
        raise ArgumentError("target is read-only; it must be writable")
    there[:count] = flat(source, "source")[:count]


def get(target: Array, source: Array, count: int, pe: int) -> None:
    """Load the first ``count`` elements of ``source`` on a PE into ``target``.

    ``target`` may be private.

    Raises
    ------
    ArgumentError
        A wrong argument.
    """
    there = memory(source, pe, "source")
    _check_copy(target, source, target.size, there.size, count)
    vector = flat(target, "target")
    if not vector.flags.writeable:
        raise ArgumentError("target is read-only; it must be writable")
    vector[:count] = there[:count]


def as_bytes(array: Array, name: str) -> Array:
    """The memory of a contiguous array as bytes."""
    return flat(array, name).view(np.uint8)


def _check_copy(target: Array, source: Array, room: int, there_are: int, count: int) -> None:
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise DatatypeError(
            f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
        )
    if not 0 <= count <= min(room, there_are):
        raise ArgumentError(
            f"count is {count}; target has {room} elements and source {there_are}, "
            "and it must be at least 0"
        )


def fence() -> None:
    """Let the stores of this PE before it reach each other PE before those after it."""
    world.start().memory_barrier()


def quiet() -> None:
    """Let the stores of this PE before it be complete everywhere."""
    world.start().memory_barrier()


def wait_until(variable: Array, compare: Callable[[Any, Any], bool], value: Any) -> None:
    """Wait until ``compare(variable, value)``: until another PE has stored what makes it so.

    Parameters
    ----------
    variable
        Symmetric array of one element, in the caller's own memory.
    compare
        As those of the module ``operator``: ``operator.eq`` and the like.

    Raises
    ------
    PeerLostError
        All other PEs have left, or one has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = world.start()
    look = memory(variable, job.pe, "variable").item
    if not compare(look(), value):

        def doing() -> str:
            return f"wait_until(variable {compare.__name__} {value}); variable is {look()}"

        others = [pe for pe in range(job.n_pes) if pe != job.pe]
        wait = WordWait(job.team.watch, others, doing)
        while not compare(look(), value):
            wait.turn()
    # What its writer stored before is visible from here on.
    job.memory_barrier()
