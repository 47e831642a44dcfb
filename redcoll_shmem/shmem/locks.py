"""Define locks. One PE at a time has a lock. PEs get the lock in the order of their requests."""

from __future__ import annotations

from redcoll import arrays
from redcoll.arguments import Array
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import locks as core
from redcoll_shmem._arguments import refuse
from redcoll_shmem._types import LONG
from redcoll_shmem.shmem._checks import one_element
from redcoll_shmem.shmem.memory import free

__all__ = ["Lock", "clear_lock", "del_lock", "new_lock", "set_lock", "test_lock"]


def new_lock() -> Array:
    """Allocate a free lock.  Collective over all PEs.

    Returns
    -------
    ndarray of long
        A symmetric array of one element. The program must not change the element.
    """
    return arrays.zeros(1, LONG)


def del_lock(lock: Array) -> None:
    """Free the memory of a lock, as ``free`` does.  Collective over all PEs."""
    free(lock)


def set_lock(lock: Array) -> None:
    """Wait until the calling PE has the lock.

    Raises
    ------
    StateError
        The calling PE has the lock already.
    PeerLostError
        The PE that requested the lock just before this PE has exited or died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. After this error, no PE can use the lock any more.
    """
    try:
        one_element(lock, "lock")
        core.acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("set_lock", error)


def test_lock(lock: Array) -> bool:
    """Take the lock if it is free. Return False if the call took the lock, and True if not."""
    try:
        one_element(lock, "lock")
        return not core.try_acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("test_lock", error)


def clear_lock(lock: Array) -> None:
    """Complete earlier puts, then pass the lock to the next PE that waits for it.

    Raises
    ------
    StateError
        The calling PE does not have the lock.
    """
    try:
        one_element(lock, "lock")
        core.release(lock)
    except (ArgumentError, StateError) as error:
        refuse("clear_lock", error)


class Lock:
    """A lock as an object. The calling PE has the lock in a ``with`` block.

    Construction is collective over all PEs.
    """

    def __init__(self) -> None:
        self._lock: Array | None = new_lock()

    def __enter__(self) -> Lock:  # noqa: PYI034 - Python 3.10 has no Self
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _require(self) -> Array:
        if self._lock is None:
            raise StateError("the lock has been destroyed")
        return self._lock

    def destroy(self) -> None:
        """Free the lock.  Collective over all PEs. A second call does nothing."""
        if self._lock is not None:
            del_lock(self._lock)
            self._lock = None

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; return whether the call took it.

        Parameters
        ----------
        blocking
            Whether to wait for the lock, as :func:`set_lock` does.
        """
        if not blocking:
            return not test_lock(self._require())
        set_lock(self._require())
        return True

    def release(self) -> None:
        """Pass the lock to the next PE that waits for it, as :func:`clear_lock` does."""
        clear_lock(self._require())
