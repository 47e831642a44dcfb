"""Access symmetric memory one-sidedly with put, get, fence, and waits for a value.

On a node, put and get are loads and stores. An array has the same offset in the heap of every PE. A
table keeps the views of other PEs' arrays, because programs use the same arrays repeatedly.

If redcoll does not run yet, each of these functions starts it, and is then collective over all PEs:
see :func:`redcoll.init`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from redcoll import world
from redcoll.arguments import Array, integer, no_elements, not_array, not_writable, shown, two_types
from redcoll.datatypes import checked_element
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.liveness.progress import WordWait
from redcoll.memory.heap import Heap
from redcoll.memory.remote_heap import RemoteHeap

_MOST_KEPT = 1024

# The views, by (id of the array, PE). An entry has the array, the view of its elements on the PE,
# the heap, and the heap's epoch when the view was made. The entry keeps the array alive, so that no
# other array gets the same id.
_found: dict[tuple[int, int], tuple[Array, Array, Heap, int]] = {}


def check_pe(pe: int) -> int:
    """Return ``pe`` as an int; raise ``ArgumentError`` if the job has no such PE."""
    last = world.start().n_pes - 1
    number = pe if type(pe) is int else integer(pe, "pe")
    if not 0 <= number <= last:
        raise ArgumentError(f"pe is {number}; the job's PEs are 0 to {last}")
    return number


def flat(array: Array, name: str) -> Array:
    """Return the elements of a contiguous array as a vector, in the order of memory.

    Raise ``DatatypeError`` if ``array`` is no array, and ``ArgumentError`` if it is neither C- nor
    F-contiguous.
    """
    if not isinstance(array, np.ndarray):
        raise not_array(array, name)
    if not array.flags.forc:
        raise ArgumentError(
            f"{name} (shape {array.shape}, strides {array.strides}) is not contiguous; its "
            "elements must lie one after the other in memory"
        )
    # `asarray` also converts a numpy.matrix, which would keep its two dimensions.
    return np.asarray(array).reshape(-1, order="A")


def peer(array: Array, pe: int, name: str = "array") -> Array:
    """Return a view of a symmetric array in another PE's memory on this node.

    Raises
    ------
    ArgumentError
        There is no such PE on this node, or ``array`` is not symmetric (``SymmetryError``).
    StateError
        The memory of ``array`` has been freed.
    """
    number = check_pe(pe)
    if not world.start().heap.reaches(number):
        raise ArgumentError(
            f"pe is {number}; it must be a PE of this node, since only their memory is mapped"
        )
    if not isinstance(array, np.ndarray):
        raise not_array(array, name)
    heap = world.start().heap
    offset = heap.require(array, name)
    there = heap.view(number, 0, np.uint8, heap.allocator.capacity_bytes)
    return np.ndarray(array.shape, array.dtype, there, offset, array.strides)


def reachable(array: Array, pe: int, name: str = "array") -> Array | None:
    """Return a view as :func:`peer` does; None if the PE is on another node."""
    job = world.start()
    if job.heap.reaches(check_pe(pe)):
        return peer(array, pe, name)
    peer(array, job.pe, name)
    return None


def memory(array: Array, pe: int, name: str = "array") -> Array:
    """Return the elements of a contiguous symmetric array on another PE, as a vector.

    Errors are those of :func:`peer` and :func:`flat`.
    """
    if type(pe) is not int:  # True == 1, so only a checked int may be a key below
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

    ``source`` can be an ordinary array, and the caller can reuse it on return. Elements arrive in
    any order. With a :func:`fence` between two calls, the elements of the first call arrive before
    the elements of the second call.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    Parameters
    ----------
    count_name
        The name of ``count`` in error messages.

    Raises
    ------
    ArgumentError
        A wrong argument.
    StateError
        The memory has been freed.
    """
    there, remote = reach(target, pe, "target")
    here = flat(source, "source")
    _check_types(target, source)
    _check_copy(there, here, count, count_name, is_writable=target.flags.writeable)
    if remote is None:
        there[:count] = here[:count]
    else:
        remote.put(pe, offset(there), here[:count])


def get(target: Array, source: Array, count: int, pe: int, count_name: str = "count") -> None:
    """Load the first ``count`` elements of ``source`` on a PE into ``target``.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    ``target`` can be an ordinary array. Errors are those of :func:`put`.
    """
    there, remote = reach(source, pe, "source")
    here = flat(target, "target")
    _check_types(target, source)
    _check_copy(here, there, count, count_name, is_writable=here.flags.writeable)
    if remote is None:
        here[:count] = there[:count]
    else:
        remote.get(pe, offset(there), here[:count])


def put_bytes(target: Array, source: Array, n_bytes: int, pe: int) -> None:
    """Store the first ``n_bytes`` bytes of ``source`` into ``target`` on a PE. Types can differ."""
    there, remote = reach(target, pe, "target")
    to, from_ = there.view(np.uint8), _bytes(source, "source")
    _check_copy(to, from_, n_bytes, "n_bytes", is_writable=target.flags.writeable)
    if remote is None:
        to[:n_bytes] = from_[:n_bytes]
    else:
        remote.put(pe, offset(there), from_[:n_bytes])


def get_bytes(target: Array, source: Array, n_bytes: int, pe: int) -> None:
    """Load the first ``n_bytes`` bytes of ``source`` on a PE into ``target``. Types can differ."""
    there, remote = reach(source, pe, "source")
    to, from_ = _bytes(target, "target"), there.view(np.uint8)
    _check_copy(to, from_, n_bytes, "n_bytes", is_writable=to.flags.writeable)
    if remote is None:
        to[:n_bytes] = from_[:n_bytes]
    else:
        remote.get(pe, offset(there), to[:n_bytes])


def _bytes(array: Array, name: str) -> Array:
    vector = flat(array, name)
    if vector.dtype.hasobject:
        raise DatatypeError(
            f"{name} is of {vector.dtype}; it must be of a type without Python objects"
        )
    return vector.view(np.uint8)


def _check_types(target: Array, source: Array) -> None:
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise two_types(target, source)


def reach(array: Array, pe: int, name: str) -> tuple[Array, RemoteHeap | None]:
    """Return a vector, and the remote heap if the PE is on another node.

    If the PE is on this node, the vector is a view of the array on that PE, and the second result
    is None. Otherwise the vector is a view of the caller's own array, which has the same offset.
    """
    if type(pe) is not int:
        pe = check_pe(pe)
    found = _found.get((id(array), pe))
    job = world.start()
    if found is not None or job.remote is None or job.heap.reaches(check_pe(pe)):
        return memory(array, pe, name), None
    return memory(array, job.pe, name), job.remote


def offset(vector: Array) -> int:
    """Return the offset of a symmetric vector, which is the same in the heaps of all PEs."""
    return world.start().heap.offset(vector)


def _check_copy(to: Array, from_: Array, count: int, count_name: str, *, is_writable: bool) -> None:
    if not is_writable:
        raise not_writable("target")
    if type(count) is not int:
        count = integer(count, count_name)
    if not 0 <= count <= to.size or count > from_.size:
        unit = "bytes" if count_name == "n_bytes" else "elements"
        raise ArgumentError(
            f"{count_name} is {count}; it must be from 0 to the {to.size} {unit} of target and "
            f"the {from_.size} of source"
        )


def store(target: Array, value: Any, pe: int) -> None:
    """Store one value into the first element of ``target`` on a PE.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    Raises
    ------
    ArgumentError
        An argument is wrong, or the element cannot hold the value.
    """
    there, remote = reach(target, pe, "target")
    if not target.flags.writeable:
        raise not_writable("target")
    _require_element(there, "target")
    value = checked_element(value, there.dtype)
    into = there if remote is None else np.empty(1, there.dtype)
    try:
        into[0] = value
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"value is {value!r}; it must be a {there.dtype}") from None
    if remote is not None:
        remote.put(pe, offset(there), into)


def load(source: Array, pe: int) -> Any:
    """Return the first element of ``source`` on a PE, as a Python number.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    Raises
    ------
    ArgumentError
        A wrong argument.
    """
    there, remote = reach(source, pe, "source")
    _require_element(there, "source")
    if remote is None:
        return there.item(0)
    value = np.empty(1, there.dtype)
    remote.get(pe, offset(there), value)
    return value.item(0)


def _require_element(array: Array, name: str) -> None:
    if not array.size:
        raise no_elements(name)


def fence() -> None:
    """Order this PE's stores, so that each PE sees earlier stores before later stores.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.
    """
    world.start().memory_barrier()


def quiet(pes: Collection[int] | None = None) -> None:
    """Complete this PE's earlier stores on the PEs in ``pes`` (default: on all PEs).

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    Raises
    ------
    ArgumentError
        ``pes`` contains a number that is not the number of a PE.
    """
    if pes is not None:
        pes = {check_pe(pe) for pe in pes}
    world.start().memory_barrier(pes)


def compares(
    variable: Array, compare: Callable[[Any, Any], bool], value: Any, name: str = "variable"
) -> bool:
    """Return whether ``compare(variable, value)`` holds now.  See :func:`wait_until`."""
    job = world.start()
    vector = memory(variable, job.pe, name)
    _require_element(vector, name)
    if job.remote is not None:
        # Puts arrive only while this PE is inside MPI. A program may poll with this function alone,
        # so enter MPI here.
        job.team.watch.progress()
    if not compare(vector.item(0), value):
        return False
    job.see()
    return True


def wait_until(
    variable: Array, compare: Callable[[Any, Any], bool], value: Any, name: str = "variable"
) -> None:
    """Wait until another PE has stored a value for which ``compare(variable, value)`` holds.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.

    Parameters
    ----------
    variable
        Symmetric array. The call reads the first element of the array in the caller's own memory.
    compare
        A comparison of the module ``operator``, such as ``operator.eq``.
    name
        The name of ``variable`` in error messages.

    Raises
    ------
    ArgumentError
        ``compare`` cannot be called, or an argument is wrong in another way.
    PeerLostError
        All other PEs have exited, or a PE has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = world.start()
    vector = memory(variable, job.pe, name)
    _require_element(vector, name)
    if not callable(compare):
        raise ArgumentError(f"compare is {shown(compare)}; it must be a function, as operator.eq")
    relation = getattr(compare, "__name__", "compare")

    def is_over() -> bool:
        return compare(vector.item(0), value)

    if not is_over():

        def doing() -> str:
            return f"wait_until({name} {relation} {value}), it is {vector.item(0)}"

        others = [pe for pe in range(job.n_pes) if pe != job.pe]
        wait = WordWait(job.team.watch, others, is_over, doing)
        while not is_over():
            wait.poll()
    # From here on the caller sees everything that the writer stored before this value.
    job.see()
