"""Implement fair locks in symmetric memory: PEs get a lock in the order of their requests.

The lock is the queue lock of Mellor-Crummey and Scott (ACM TOCS 9(1), 1991), in one 64-bit word
that the program sets to 0. The lock's offset determines its home PE. On this PE, the first
half of the word has the number of the last PE in the queue. On each PE, the second half has the
number of the next PE in the queue, and a bit for "granted". So every PE polls only its own memory,
and knows which PE it waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redcoll import world
from redcoll.arguments import Array, no_elements, not_writable
from redcoll.errors import DatatypeError, StateError
from redcoll.liveness.progress import Watch, WordWait
from redcoll.memory.heap import Heap
from redcoll.onesided import atomics, rma
from redcoll.protocol.partition import LINE_BYTES

_GRANTED = 1 << 30
_NEXT = _GRANTED - 1
_MOST_KEPT = 1024

_HELD, _BROKEN = "held", "broken"
_states: dict[tuple[Heap, int], str] = {}
"""The state of this PE for each lock that it uses. A key has the heap and the lock's offset."""


class _Lock:
    """The word of a lock, after all checks."""

    def __init__(self, array: Any, name: str) -> None:
        job = world.start()
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            kind = f"of {array.dtype}" if isinstance(array, np.ndarray) else "no array"
            raise DatatypeError(
                f"{name} is {kind}; it must be a symmetric array of 64-bit integers"
            )
        if array.itemsize != 8:
            raise DatatypeError(f"{name} is of {array.dtype}; it must be of 64-bit integers")
        if not array.size:
            raise no_elements(name)
        if not array.flags.writeable:
            raise not_writable(name)
        self.array = array  # kept alive: otherwise another array could get its id
        self.heap = job.heap
        self.epoch = job.heap.epoch
        offset = job.heap.require(array, name)
        self.key = (job.heap, offset)
        self.me = job.pe
        self.home = offset // LINE_BYTES % job.n_pes
        halves = rma.flat(array, name)[:1].view(np.int32)
        self.last, self.place = halves[:1], halves[1:]


_locks: dict[int, _Lock] = {}


def _lock(array: Any, name: str) -> _Lock:
    """Return the lock in the first element of an array, after all checks."""
    lock = _locks.get(id(array))
    if lock is not None and lock.epoch == lock.heap.epoch:
        return lock
    lock = _Lock(array, name)
    if len(_locks) >= _MOST_KEPT:
        _locks.clear()
    _locks[id(array)] = lock
    return lock


class _QueueWait(WordWait):
    """A wait for the PE that is directly before the caller in the queue of a lock."""

    __slots__ = ("_before",)

    def __init__(
        self,
        watch: Watch,
        others: list[int],
        before: int | None,
        is_over: Callable[[], bool],
        doing: Callable[[], str],
    ) -> None:
        super().__init__(watch, others, is_over, doing)
        self._before = before

    def _lost(self) -> str | None:
        lost = super()._lost()
        if lost is None and self._before is not None:
            peers = self._watch.peers
            # A PE that timed out in another wait still holds the lock, and may release it later.
            if peers.has_left(self._before):
                fate = peers.fate(self._before)
                return f"{peers.names[self._before]}, the PE before in the queue, {fate}"
        return lost


def _await(lock: _Lock, name: str, before: int | None, mask: int) -> None:
    """Wait until one of the bits of ``mask`` is set in this PE's half of the word."""
    place = lock.place

    def is_over() -> bool:
        return bool(place.item(0) & mask)

    if is_over():
        return

    def doing() -> str:
        behind = "" if before is None else f" behind PE {before}"
        return f"{name} at {lock.key[1]} of the heap: waiting in the queue{behind}"

    job = world.start()
    others = [pe for pe in range(job.n_pes) if pe != job.pe]
    wait = _QueueWait(job.team.watch, others, before, is_over, doing)
    while not is_over():
        wait.poll()


def _claim(lock: _Lock, name: str) -> str | None:
    """Return the current state of this PE for the lock: "", "held" or "broken"."""
    state = _states.setdefault(lock.key, "")
    if state and atomics.fetch(lock.last, lock.home) == 0:
        # No PE has the lock: the program has set the word to 0, or the memory belongs to another
        # array now.
        state = _states[lock.key] = ""
    if state == _BROKEN:
        raise StateError(
            f"{name}: an earlier call of this PE was interrupted or timed out in the queue; "
            "the lock cannot be used any more"
        )
    return state


def acquire(array: Array, name: str = "lock") -> None:
    """Wait until the caller has the lock.

    The lock is the first element of ``array``, a symmetric array of 64-bit integers. It must be 0
    on all PEs before the first use, and the program must not change it afterwards. ``name`` is the
    name of ``array`` in error messages.

    Raises
    ------
    ArgumentError
        The array cannot hold a lock. The error can be a ``DatatypeError`` or ``SymmetryError``.
    StateError
        The caller has the lock already, an earlier call of the caller was interrupted in the queue,
        or the memory has been freed.
    PeerLostError
        The PE before the caller in the queue has exited, or any PE has died. The lock cannot be
        used any more.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. The lock cannot be used any more.
    """
    lock = _lock(array, name)
    if _claim(lock, name):
        raise StateError(f"{name}: this PE has it already; release it first")
    _states[lock.key] = _BROKEN  # until this call completes
    lock.place[0] = 0
    rma.fence()
    before = atomics.update(lock.last, "set", lock.me + 1, lock.home)
    if before:
        atomics.update(lock.place, "add", lock.me + 1, before - 1)
        _await(lock, name, before - 1, _GRANTED)
    _states[lock.key] = _HELD
    rma.fence()


def try_acquire(array: Array, name: str = "lock") -> bool:
    """Acquire the lock only if no PE has it; return whether the caller acquired it.

    Arguments and errors are those of :func:`acquire`.
    """
    lock = _lock(array, name)
    if _claim(lock, name):
        return False
    lock.place[0] = 0
    rma.fence()
    if atomics.compare_swap(lock.last, 0, lock.me + 1, lock.home) != 0:
        return False
    _states[lock.key] = _HELD
    rma.fence()
    return True


def release(array: Array, name: str = "lock") -> None:
    """Complete the caller's stores, then grant the lock to the next PE in its queue.

    Arguments are those of :func:`acquire`. Raise ``StateError`` if the caller does not have the
    lock. Errors for a wrong array are those of :func:`acquire`.
    """
    lock = _lock(array, name)
    if _states.get(lock.key) != _HELD:
        raise StateError(f"{name}: this PE does not have it")
    rma.quiet()
    _states[lock.key] = _BROKEN
    if not lock.place.item(0) & _NEXT:
        found = atomics.compare_swap(lock.last, lock.me + 1, 0, lock.home)
        if found == lock.me + 1:
            lock.place[0] = 0
            _states[lock.key] = ""
            return
        # Another PE has entered the queue after this PE, and will write its own number into
        # `place`.
        _await(lock, name, None, _NEXT)
    following = (lock.place.item(0) & _NEXT) - 1
    lock.place[0] = 0
    rma.fence()
    atomics.update(lock.place, "add", _GRANTED, following)
    _states[lock.key] = ""
