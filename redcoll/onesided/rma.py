"""One-sided access to symmetric memory: put, get, order, and waiting for a value.

On a node all of it is loads and stores. A symmetric array is found on another PE by its
offset in the heap; what was found is kept, since programs use the same arrays again and
again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.arguments import integer, no_elements, not_array, read_only, two_types
from redcoll.datatypes import checked_element
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.liveness.progress import WordWait
from redcoll.memory.heap import Heap
from redcoll.memory.remote_heap import FarMemory

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
    number = pe if type(pe) is int else integer(pe, "pe")
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
        raise not_array(array, name)
    if not array.flags.forc:
        raise ArgumentError(
            f"{name} (shape {array.shape}, strides {array.strides}) is not contiguous; its "
            "elements must lie one after the other in memory"
        )
    # A numpy.matrix would keep its two dimensions.
    return np.asarray(array).reshape(-1, order="A")


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
    if not world.start().heap.reaches(number):
        raise ArgumentError(f"pe is {number}; it must be one of this node: the array is not here")
    if not isinstance(array, np.ndarray):
        raise not_array(array, name)
    heap = world.start().heap
    offset = heap.require(array, name)
    there = heap.view(number, 0, np.uint8, heap.allocator.capacity_bytes)
    return np.ndarray(array.shape, array.dtype, there, offset, array.strides)


def reachable(array: Array, pe: int, name: str = "array") -> Array | None:
    """As :func:`peer`; None where loads and stores do not reach that PE's memory."""
    job = world.start()
    if job.heap.reaches(check_pe(pe)):
        return peer(array, pe, name)
    peer(array, job.pe, name)
    return None


def memory(array: Array, pe: int, name: str = "array") -> Array:
    """The elements of a contiguous symmetric array on another PE, as a vector.

    Raises as :func:`peer` and :func:`flat` do.
    """
    if type(pe) is not int:  # which another one may equal
        pe = check_pe(pe)
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


def put(target: Array, source: Array, count: int, pe: int, count_name: str = "count") -> None:
    """Store the first ``count`` elements of ``source`` into ``target`` on a PE.

    ``source`` may be private, and reused on return. Elements arrive in any order; those
    of earlier calls before those of later ones if a :func:`fence` stands between.

    Parameters
    ----------
    count_name
        What messages call ``count``.

    Raises
    ------
    ArgumentError
        A wrong argument.
    StateError
        The memory has been freed.
    """
    there, far = reach(target, pe, "target")
    here = flat(source, "source")
    _check_types(target, source)
    _check_copy(there, here, count, count_name, is_writable=target.flags.writeable)
    if far is None:
        there[:count] = here[:count]
    else:
        far.put(pe, offset(there), here[:count])


def get(target: Array, source: Array, count: int, pe: int, count_name: str = "count") -> None:
    """Load the first ``count`` elements of ``source`` on a PE into ``target``.

    ``target`` may be private. Raises as :func:`put` does.
    """
    there, far = reach(source, pe, "source")
    here = flat(target, "target")
    _check_types(target, source)
    _check_copy(here, there, count, count_name, is_writable=here.flags.writeable)
    if far is None:
        here[:count] = there[:count]
    else:
        far.get(pe, offset(there), here[:count])


def put_bytes(target: Array, source: Array, n_bytes: int, pe: int) -> None:
    """As :func:`put`, for bytes of arrays of any types."""
    there, far = reach(target, pe, "target")
    to, from_ = there.view(np.uint8), _bytes(source, "source")
    _check_copy(to, from_, n_bytes, "n_bytes", is_writable=target.flags.writeable)
    if far is None:
        to[:n_bytes] = from_[:n_bytes]
    else:
        far.put(pe, offset(there), from_[:n_bytes])


def get_bytes(target: Array, source: Array, n_bytes: int, pe: int) -> None:
    """As :func:`get`, for bytes of arrays of any types."""
    there, far = reach(source, pe, "source")
    to, from_ = _bytes(target, "target"), there.view(np.uint8)
    _check_copy(to, from_, n_bytes, "n_bytes", is_writable=to.flags.writeable)
    if far is None:
        to[:n_bytes] = from_[:n_bytes]
    else:
        far.get(pe, offset(there), to[:n_bytes])


def _bytes(array: Array, name: str) -> Array:
    vector = flat(array, name)
    if vector.dtype.hasobject:
        raise DatatypeError(f"{name} is of {vector.dtype}; Python objects are no bytes to copy")
    return vector.view(np.uint8)


def _check_types(target: Array, source: Array) -> None:
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise two_types(target, source)


def reach(array: Array, pe: int, name: str) -> tuple[Array, FarMemory | None]:
    """A symmetric array on another PE as a vector.

    Where loads and stores do not reach that PE it is the own one, with what does reach it.
    """
    if type(pe) is not int:
        pe = check_pe(pe)
    found = _found.get((id(array), pe))
    job = world.start()
    if found is not None or job.far is None or job.heap.reaches(check_pe(pe)):
        return memory(array, pe, name), None
    return memory(array, job.pe, name), job.far


def offset(vector: Array) -> int:
    """Where a vector lies in the own heap, and in every PE's."""
    return world.start().heap.offset(vector)


def _check_copy(to: Array, from_: Array, count: int, count_name: str, *, is_writable: bool) -> None:
    if not is_writable:
        raise read_only("target")
    if not 0 <= count <= to.size or count > from_.size:
        unit = "bytes" if count_name == "n_bytes" else "elements"
        raise ArgumentError(
            f"{count_name} is {count}; it must be from 0 to the {to.size} {unit} of target and "
            f"the {from_.size} of source"
        )


def store(target: Array, value: Any, pe: int) -> None:
    """Store one value into the first element of ``target`` on a PE.

    Raises
    ------
    ArgumentError
        A wrong argument; also a value that the element cannot hold.
    """
    there, far = reach(target, pe, "target")
    if not target.flags.writeable:
        raise read_only("target")
    _require_element(there, "target")
    value = checked_element(value, there.dtype)
    into = there if far is None else np.empty(1, there.dtype)
    try:
        into[0] = value
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"value is {value!r}; it must be a {there.dtype}") from None
    if far is not None:
        far.put(pe, offset(there), into)


def load(source: Array, pe: int) -> Any:
    """The first element of ``source`` on a PE, as a Python number.

    Raises
    ------
    ArgumentError
        A wrong argument.
    """
    there, far = reach(source, pe, "source")
    _require_element(there, "source")
    if far is None:
        return there.item(0)
    value = np.empty(1, there.dtype)
    far.get(pe, offset(there), value)
    return value.item(0)


def _require_element(array: Array, name: str) -> None:
    if not array.size:
        raise no_elements(name)


def fence() -> None:
    """Let the stores of this PE before it reach each other PE before those after it."""
    world.start().memory_barrier()


def quiet(pes: Collection[int] | None = None) -> None:
    """Let the stores of this PE before it be complete: everywhere, or on some PEs.

    Raises
    ------
    ArgumentError
        ``pes`` has a number that no PE has.
    """
    if pes is not None:
        pes = {check_pe(pe) for pe in pes}
    world.start().memory_barrier(pes)


def compares(
    variable: Array,
    compare: Callable[[Any, Any], bool],
    value: Any,
    name: str = "variable",
) -> bool:
    """Whether ``compare(variable, value)`` holds now.  Arguments as of :func:`wait_until`."""
    job = world.start()
    vector = memory(variable, job.pe, name)
    _require_element(vector, name)
    if job.far is not None:
        # Who asks again and again is to get an answer: puts arrive with MPI's help alone.
        job.team.progress()
    if not compare(vector.item(0), value):
        return False
    job.see()
    return True


def wait_until(
    variable: Array,
    compare: Callable[[Any, Any], bool],
    value: Any,
    name: str = "variable",
) -> None:
    """Wait until ``compare(variable, value)``: until another PE has stored what makes it so.

    Parameters
    ----------
    variable
        Symmetric array; its first element in the caller's own memory is meant.
    compare
        As those of the module ``operator``: ``operator.eq`` and the like.
    name
        What messages call ``variable``.

    Raises
    ------
    PeerLostError
        All other PEs have left, or one has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = world.start()
    vector = memory(variable, job.pe, name)
    _require_element(vector, name)

    def is_over() -> bool:
        return compare(vector.item(0), value)

    if not is_over():

        def doing() -> str:
            return f"wait_until({name} {compare.__name__} {value}), it is {vector.item(0)}"

        others = [pe for pe in range(job.n_pes) if pe != job.pe]
        wait = WordWait(job.team.watch, others, is_over, doing)
        while not is_over():
            wait.turn()
    # What its writer stored before is visible from here on.
    job.see()
