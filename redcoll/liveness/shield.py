"""Actions that are done to their end, though a signal's handler raises meanwhile.

What several calls of MPI do together must not be left half done where others do their part of it:
they would wait in MPI for ever. Python runs handlers of signals in the main thread, between any two
of its steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from redcoll._mpi4py import MPI
from redcoll.liveness import shutdown

_BETWEEN_LOOKS_S = 0.1


class Unbroken:
    """An action that is done once, and to its end.

    Parameters
    ----------
    action
        What to do. Where no other thread can do it, an interrupt tears it, and it is called once
        more. An ``MPI.Exception`` of it is no interrupt: the action has failed, for good.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._error: BaseException | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do: it has been done, or has failed."""
        return self._over.is_set()

    def begin(self) -> None:
        """Have another thread do it; where none can, do it, unless one is at it already."""
        if self.is_over:
            return
        if not _may_be_interrupted():
            self._do()
            return
        thread = threading.Thread(target=self._do_apart, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if thread.ident is not None:
                raise
            # Python ends, or there may be no more threads.
            if self._lock.acquire(blocking=False):
                try:
                    self._do()
                finally:
                    self._lock.release()

    def do(self, *, is_here: bool = False) -> None:
        """Do it, or wait until it is done.  An interrupt ends the wait and not the action.

        With ``is_here`` the calling thread does it.
        """
        if is_here:
            self._do()
        else:
            self.begin()
            while not self._over.wait(_BETWEEN_LOOKS_S):
                shutdown.tidy()  # as in every wait
        if self._error is not None:
            raise self._error

    def _do(self) -> None:
        with self._lock:
            if self.is_over:
                return
            try:
                self._action()
            except MPI.Exception as error:
                self._error = error
            self._over.set()

    def _do_apart(self) -> None:
        try:
            self._do()
        except BaseException as error:  # noqa: BLE001 - no handler interrupts this thread
            self._error = error
            self._over.set()


def _may_be_interrupted() -> bool:
    """Whether an interrupt can reach this thread, and MPI allows another one to do it."""
    has_threads = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    return has_threads and threading.current_thread() is threading.main_thread()
