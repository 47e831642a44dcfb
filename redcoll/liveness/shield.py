"""Complete an action even if a signal handler raises during the action.

Some steps consist of several collective calls of MPI. If an interrupt ended such a step early on
one rank, the other ranks would wait in MPI forever. Python runs signal handlers in the main thread,
between any two bytecodes of that thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from redcoll._mpi4py import MPI
from redcoll.liveness import shutdown

_BETWEEN_POLLS_S = 0.1


class Unbroken:
    """An action that runs once, to completion.

    An interrupt can end the action early if no other thread can run it. Then the next :meth:`begin`
    or :meth:`do` runs the action again. After an ``MPI.Exception``, the action does not run again.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._error: BaseException | None = None

    @property
    def is_over(self) -> bool:
        """Whether the action has completed or failed."""
        return self._over.is_set()

    def begin(self) -> None:
        """Start the action in another thread. If that is impossible, run it in this thread."""
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
            # The thread could not start, because the interpreter exits or the system has no more
            # threads. Run the action in this thread, unless another thread runs it.
            if self._lock.acquire(blocking=False):
                try:
                    self._do()
                finally:
                    self._lock.release()

    def do(self, *, is_here: bool = False) -> None:
        """Run the action and wait for its end.  An interrupt ends the wait, but not the action.

        With ``is_here`` the calling thread runs the action itself.
        """
        if is_here:
            self._do()
        else:
            self.begin()
            while not self._over.wait(_BETWEEN_POLLS_S):
                shutdown.receive_notices()  # every wait does this
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
    """Return whether interrupts can reach this thread, and another thread may call MPI."""
    has_threads = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    return has_threads and threading.current_thread() is threading.main_thread()
