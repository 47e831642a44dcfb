"""Define distributed locks (OpenSHMEM 1.5, section 9.14).

A lock is the first element of a symmetric array of ``long``. The element must be 0 on all PEs
before its first use. PEs get a lock in the order of their requests.
"""

from __future__ import annotations

from redcoll.arguments import Array
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import locks
from redcoll_shmem._arguments import refuse
from redcoll_shmem._types import LONG, require

__all__ = ["shmem_clear_lock", "shmem_set_lock", "shmem_test_lock"]


def shmem_set_lock(lock: Array) -> None:
    """Wait until the calling PE has a lock.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric array, whose first element is the lock.

    Raises
    ------
    ArgumentError
        ``lock`` is not a symmetric array of ``long``.
    StateError
        The calling PE has the lock already, or the memory of ``lock`` has been freed.
    PeerLostError
        The PE whose request came before the caller's has exited or died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. No PE can use the lock any more.
    """
    try:
        require(lock, LONG, "lock")
        locks.acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("shmem_set_lock", error)


def shmem_test_lock(lock: Array) -> int:
    """Take a lock if it is free. Return 0 if the call took the lock, and 1 if not.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric array, whose first element is the lock.

    Raises
    ------
    ArgumentError
        ``lock`` is not a symmetric array of ``long``.
    StateError
        The memory of ``lock`` has been freed.
    """
    try:
        require(lock, LONG, "lock")
        return 0 if locks.try_acquire(lock) else 1
    except (ArgumentError, StateError) as error:
        refuse("shmem_test_lock", error)


def shmem_clear_lock(lock: Array) -> None:
    """Complete earlier puts, then pass a lock to the next PE that waits for it.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric array, whose first element is the lock. The calling PE must have the lock.

    Raises
    ------
    ArgumentError
        ``lock`` is not a symmetric array of ``long``.
    StateError
        The calling PE does not have the lock, or the memory of ``lock`` has been freed.
    """
    try:
        require(lock, LONG, "lock")
        locks.release(lock)
    except (ArgumentError, StateError) as error:
        refuse("shmem_clear_lock", error)
