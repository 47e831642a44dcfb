"""Check the arguments of routines. All chapters use these checks.

The checks raise errors that do not name the routine. ``Team.checking`` adds the routine's name, and
notifies the other members, so that they raise instead of waiting. :func:`refuse` only adds the
name. A wrong argument raises ``ArgumentError`` or a class derived from it. Freed memory raises
``StateError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from redcoll import world
from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, named, no_elements, not_array, not_writable, plain, shown
from redcoll.arguments import integer as any_integer
from redcoll.errors import ActiveSetError, ArgumentError, DatatypeError, SymmetryError
from redcoll.memory.heap import Heap
from redcoll.team import Team
from redcoll_shmem._types import LONG, describe, is_like
from redcoll_shmem.constants import SHMEM_SYNC_SIZE, SHMEM_SYNC_VALUE

T = TypeVar("T")


def refuse(routine: str, error: Exception) -> NoReturn:
    """Raise ``error`` with the routine's name in front. Other PEs are not notified."""
    raise named(routine, error) from error.__cause__


def integer(value: Any, name: str, least: int | None = 0, most: int | None = None) -> int:
    """Return ``value`` as an int from ``least`` to ``most``, or raise ``ArgumentError``."""
    return any_integer(value, name, least, most)


def constant(table: Mapping[int, T], value: Any, name: str, rule: str) -> T:
    """Return the entry of ``table`` whose key is ``value``, a constant of the specification."""
    try:
        return table[any_integer(value, name)]
    except (KeyError, ArgumentError) as error:
        raise ArgumentError(f"{name} is {shown(value)}; it must be {rule}") from error.__cause__


def is_zero(count: Any) -> bool:
    """Return whether a count is 0. Return False for values that a later check refuses."""
    try:
        return any_integer(count, "count") == 0
    except ArgumentError:
        return False


_teams: dict[tuple[int, int, int], tuple[world.World, Team]] = {}


def team_of(routine: str, PE_start: int, logPE_stride: int, PE_size: int) -> Team:
    """Return the team of an active set. At the first use, the members of the set make the team.

    If the set is wrong, only the calling PE raises, because the other members are unknown.
    """
    job = world.start()
    try:
        known = _teams.get((PE_start, logPE_stride, PE_size))
    except Exception:  # noqa: BLE001 - an argument cannot be hashed: the checks report it
        known = None
    if known is not None and known[0] is job:
        return known[1]
    try:
        members = active_set(PE_start, logPE_stride, PE_size)
    except ActiveSetError as error:
        refuse(routine, error)
    team = job.team_of(members)
    _teams[members.start, integer(logPE_stride, "logPE_stride"), members.size] = (job, team)
    return team


def known_team_of(PE_start: Any, logPE_stride: Any, PE_size: Any) -> Team | None:
    """Return the team of an active set, or None before the set's first use. The call is local."""
    numbers = (PE_start, logPE_stride, PE_size)
    # Look up only integers, because hashing other objects can raise.
    if not all(type(each) in (int, bool) or isinstance(each, np.integer) for each in numbers):
        return None
    known = _teams.get(numbers)
    return known[1] if known is not None and world.is_running(known[0]) else None


def active_set(PE_start: int, logPE_stride: int, PE_size: int) -> ActiveSet:
    """Return the active set of a call. A wrong set raises ``ActiveSetError``."""
    try:
        start = integer(PE_start, "PE_start")
        log_stride = integer(logPE_stride, "logPE_stride")
        size = integer(PE_size, "PE_size", 1)
    except ArgumentError as error:
        raise ActiveSetError(str(error)) from error.__cause__
    job = world.start()
    # In a set of one member the stride has no effect.
    if size == 1:
        log_stride = 0
    if log_stride >= job.n_pes.bit_length():
        raise ActiveSetError(
            f"logPE_stride is {log_stride}: with PE_size {size} the set reaches past the job's "
            f"last PE, {job.n_pes - 1}"
        )
    members = ActiveSet(start, log_stride, size)
    try:
        members.check(job.n_pes, job.pe)
    except ActiveSetError as error:
        raise ActiveSetError(
            f"PE_start {start}, logPE_stride {log_stride}, PE_size {size}: {error}"
        ) from None
    return members


def vector(array: Any, count: int, name: str, count_name: str) -> Array:
    """Return the first ``count`` elements of a symmetric array, in memory order."""
    return place(array, count, name, count_name)[0]


def place(array: Any, count: int, name: str, count_name: str) -> tuple[Array, int]:
    """Return the first ``count`` elements of a symmetric array, and their offset in the heap."""
    if type(array) is not np.ndarray:
        if not isinstance(array, np.ndarray):
            raise not_array(array, name, " on the symmetric heap")
        array = plain(array, name)
    size = array.size
    if count > size:
        raise ArgumentError(f"{count_name} is {count}; {name} has {size} elements")
    flags = array.flags
    elements = array
    if array.ndim != 1 or not flags.c_contiguous:
        from redcoll.onesided import rma  # not at the top: jobs start faster

        elements = rma.flat(array, name)
    if not flags.aligned:
        raise ArgumentError(
            f"{name} starts at an address that its type {array.dtype} does not allow; it must be "
            f"a multiple of {array.dtype.alignment} bytes"
        )
    offset = world.start().heap.require(array, name)
    return (elements if count == size else elements[:count]), offset


def writable(array: Array, name: str) -> None:
    """Raise ``ArgumentError`` if an array is read-only."""
    if not array.flags.writeable:
        raise not_writable(name)


def require_element(array: Array, name: str) -> None:
    """Raise ``ArgumentError`` if an array has no elements."""
    if not array.size:
        raise no_elements(name)


class Sync(NamedTuple):
    """A pSync array that has passed its checks."""

    words: memoryview
    initialized: memoryview
    """The values that the words must have at every call."""
    heap: Heap
    epoch: int
    array: Array
    """The array that the program passed. While it lives, no other array gets the same ``id()``."""


_syncs: dict[tuple[int, str, bool], Sync] = {}
_MOST_SYNCS_KEPT = 256


def sync(pSync: Any, size_name: str, *, may_be_int32: bool = False) -> Sync:
    """Check that a pSync array is symmetric and initialized; return the elements that a call uses.

    ``size_name`` is the name of the constant for the array's length.
    """
    known = _syncs.get((id(pSync), size_name, may_be_int32))
    if known is not None and known.epoch == known.heap.epoch and known.words == known.initialized:
        return known
    try:
        words = _checked_sync(pSync, size_name, may_be_int32=may_be_int32)
    except ArgumentError as error:
        make = f"shmem.full(shmem.{size_name}, shmem.SHMEM_SYNC_VALUE, '{LONG}')"
        raise type(error)(f"{error}; make it with {make}") from None
    words = vector(words, SHMEM_SYNC_SIZE, "pSync", size_name)
    for at, value in enumerate(words.tolist()):
        if value != SHMEM_SYNC_VALUE:
            raise ArgumentError(
                f"pSync[{at}] is {value}; before its first use every element must be "
                f"SHMEM_SYNC_VALUE ({SHMEM_SYNC_VALUE}) on all PEs: write "
                "pSync[:] = shmem.SHMEM_SYNC_VALUE, then call shmem_barrier_all()"
            )
    heap = world.start().heap
    wanted = np.full_like(words, SHMEM_SYNC_VALUE)
    if len(_syncs) >= _MOST_SYNCS_KEPT:
        _syncs.clear()
    result = Sync(words.data, wanted.data, heap, heap.epoch, pSync)
    _syncs[id(pSync), size_name, may_be_int32] = result
    return result


def _checked_sync(pSync: Any, size_name: str, *, may_be_int32: bool) -> Array:
    types = f"{LONG} or int32" if may_be_int32 else str(LONG)
    if not isinstance(pSync, np.ndarray):
        raise DatatypeError(f"pSync is {describe(pSync)}; it must be a symmetric array of {types}")
    array = plain(pSync, "pSync")
    is_int32 = may_be_int32 and is_like(array.dtype, np.dtype("i4"))
    if not (is_int32 or is_like(array.dtype, LONG)):
        raise DatatypeError(f"pSync is of {array.dtype}; it must be of {types}")
    if array.size < SHMEM_SYNC_SIZE:
        raise ArgumentError(
            f"pSync has {array.size} elements; it must have at least {size_name} = "
            f"{SHMEM_SYNC_SIZE}"
        )
    if world.start().heap.offset(array) < 0:
        raise SymmetryError("pSync is a private array; it must be symmetric")
    return array
