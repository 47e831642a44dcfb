"""Actions that are done to their end, though a signal's handler raises meanwhile.

What several calls of MPI do together must not be left half done where others do their part of it:
they would wait in MPI for ever. Python runs handlers of signals in the main thread, between any two
of its steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from mpi4py import MPI


class Unbroken:
    """An action that is done once, and to its end.

    Parameters
    ----------
    action
        What to do.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._once = threading.Lock()
        self._over = threading.Event()
        self._error: BaseException | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has been done."""
        return self._over.is_set()

    def do(self, *, is_in_mpi: bool = False) -> None:
        """Do it, or wait until it is done.  An interrupt ends the wait and not the action.

        With ``is_in_mpi``, MPI has called the caller, and may keep other threads waiting.
        """
        if not is_in_mpi and _may_be_interrupted() and not self.is_over:
            try:
                threading.Thread(target=self._do_once, daemon=True).start()
            except RuntimeError:
                self._do_once()  # Python ends, or there may be no more threads
        else:
            self._do_once()
        self._over.wait()
        if self._error is not None:
            raise self._error

    def _do_once(self) -> None:
        if not self._once.acquire(blocking=False):
            return
        try:
            self._action()
        except BaseException as error:  # noqa: BLE001 - told to who waits
            self._error = error
        finally:
            self._over.set()


def _may_be_interrupted() -> bool:
    # Else MPI allows no other thread to do it.
    has_threads = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    return has_threads and threading.current_thread() is threading.main_thread()
