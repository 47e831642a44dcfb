"""Print where a process is when it gets a signal, for ``REDCOLL_DUMP_SIGNAL``.

First Python's ``faulthandler`` prints the stacks of all threads. This happens at once, even inside
MPI. Then redcoll prints the last calls. Python runs that part in the main thread: at once if the
thread waits in redcoll, but only after the wait if the thread waits in MPI.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from types import FrameType

from redcoll import config

sources: list[Callable[[], list[str]]] = []
"""Functions that return lines about the last calls. They must not wait."""
_STDERR = 2
_is_installed = False


def install() -> None:
    """Let this process print where it is when it gets the signal of ``REDCOLL_DUMP_SIGNAL``.

    Call it again after MPI has started, because MPICH handles ``SIGUSR1`` itself.
    """
    global _is_installed  # noqa: PLW0603 - the state of the process
    name = config.DUMP_SIGNAL.get()
    # Only the main thread can set a handler.
    if name is None or threading.current_thread() is not threading.main_thread():
        return
    # Few programs need these modules.
    import faulthandler
    import signal

    number = signal.Signals[f"SIG{name.upper()}"]
    if _is_installed and signal.getsignal(number) is not _print_last_calls:
        return  # the program has replaced the handler
    faulthandler.unregister(number)
    signal.signal(number, _print_last_calls)
    faulthandler.register(number, _STDERR, all_threads=True, chain=True)
    _is_installed = True


def _print_last_calls(number: int, _frame: FrameType | None) -> None:
    from signal import Signals

    head = f"redcoll: process {os.getpid()} got {Signals(number).name}; its last calls:"
    lines = [line for source in sources for line in source()]
    text = "\n".join([head, *(lines or ["no reductions yet"])]) + "\n"
    # Use one system call. The signal may have interrupted sys.stderr in a write.
    with contextlib.suppress(OSError):
        os.write(_STDERR, text.encode(errors="replace"))
