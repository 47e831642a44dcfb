"""Locks, of which one PE of the job holds one at a time, in the order of asking."""

from __future__ import annotations

from types import TracebackType

from redcoll import arrays
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import locks as core
from redcoll_shmem._arguments import refuse
from redcoll_shmem._types import LONG
from redcoll_shmem.shmem._checks import Array, one_element
from redcoll_shmem.shmem.memory import free

__all__ = ["Lock", "clear_lock", "del_lock", "new_lock", "set_lock", "test_lock"]


def new_lock() -> Array:
    """Allocate a lock that nobody holds.  Collective over all PEs.

    Returns
    -------
    ndarray of long
        A symmetric array of one element; nobody's business.
    """
    return arrays.zeros(1, LONG)


def del_lock(lock: Array) -> None:
    """Free a lock, as ``free`` does.  Collective over all PEs."""
    free(lock)


def set_lock(lock: Array) -> None:
    """Wait until the caller has the lock.

    Raises
    ------
    StateError
        The caller has it already.
    PeerLostError
        The PE before it in the queue has left or died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. The lock cannot be used any more.
    """
    try:
        one_element(lock, "lock")
        core.acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("set_lock", error)


def test_lock(lock: Array) -> bool:
    """Take the lock if nobody has it: False if the caller has it now, True if not."""
    try:
        one_element(lock, "lock")
        return not core.try_acquire(lock)
    except (ArgumentError, StateError) as error:
        refuse("test_lock", error)


def clear_lock(lock: Array) -> None:
    """Give the lock to the next PE that waits for it; earlier puts are complete before.

    Raises
    ------
    StateError
        The caller does not have it.
    """
    try:
        one_element(lock, "lock")
        core.release(lock)
    except (ArgumentError, StateError) as error:
        refuse("clear_lock", error)


class Lock:
    """A lock as an object; in a ``with`` block, the caller has it.

    Making one is collective over all PEs.
    """

    def __init__(self) -> None:
        self._lock: Array | None = new_lock()

    def __enter__(self) -> Lock:  # noqa: PYI034 - Python 3.10 has no Self
        self.acquire()
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _require(self) -> Array:
        if self._lock is None:
            raise StateError("the lock has been destroyed")
        return self._lock

    def destroy(self) -> None:
        """Free the lock.  Collective over all PEs; a second call does nothing."""
        if self._lock is not None:
            del_lock(self._lock)
            self._lock = None

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; whether it was taken.

        Parameters
        ----------
        blocking
            Whether to wait for it, as :func:`set_lock` does.
        """
        if not blocking:
            return not test_lock(self._require())
        set_lock(self._require())
        return True

    def release(self) -> None:
        """Give the lock to the next PE that waits for it, as :func:`clear_lock` does."""
        clear_lock(self._require())
