"""Distributed locks (OpenSHMEM 1.5, section 9.14).

The lock is the first element of a symmetric array of ``long``, 0 on all PEs before its
first use. It is given to PEs in the order in which they ask.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import locks
from redcoll_shmem._arguments import refuse
from redcoll_shmem._types import LONG, require

Array = NDArray[Any]

__all__ = ["shmem_clear_lock", "shmem_set_lock", "shmem_test_lock"]


def shmem_set_lock(lock: Array) -> None:
    """Wait until the caller has a lock.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric; its first element is the lock.

    Raises
    ------
    ArgumentError
        It is no such array.
    StateError
        The caller has it already, or its memory has been freed.
    PeerLostError
        The PE before it in the queue has left or died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. The lock cannot be used any more.
    """
    try:
        require(lock, LONG, "lock")
        locks.acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("shmem_set_lock", error)


def shmem_test_lock(lock: Array) -> int:
    """Take a lock if nobody has it: 0 if the caller has it now, 1 if not.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric; its first element is the lock.

    Raises
    ------
    ArgumentError
        It is no such array.
    StateError
        Its memory has been freed.
    """
    try:
        require(lock, LONG, "lock")
        return 0 if locks.try_acquire(lock) else 1
    except (ArgumentError, StateError) as error:
        refuse("shmem_test_lock", error)


def shmem_clear_lock(lock: Array) -> None:
    """Give a lock to the next PE that waits for it; earlier puts are complete before.

    Parameters
    ----------
    lock : ndarray of long
        Symmetric; its first element is the lock, which the caller has.

    Raises
    ------
    ArgumentError
        It is no such array.
    StateError
        The caller does not have it, or its memory has been freed.
    """
    try:
        require(lock, LONG, "lock")
        locks.release(lock)
    except (ArgumentError, StateError) as error:
        refuse("shmem_clear_lock", error)
