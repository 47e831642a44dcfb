"""Print stacks and last calls when a process gets the signal of ``REDCOLL_DUMP_SIGNAL``.

First Python's ``faulthandler`` prints the stacks of all threads. It does so at once, even if a
thread is inside MPI. Then a handler of redcoll prints the last calls. Python runs this handler in
the main thread. If that thread waits in MPI, the handler runs only after the wait.
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
    """Install handlers for the signal of ``REDCOLL_DUMP_SIGNAL``, if this setting is set.

    Call this function again after MPI has started, because MPICH replaces the handler of
    ``SIGUSR1``.
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
    # Use a system call, because the signal may have interrupted a write to sys.stderr.
    with contextlib.suppress(OSError):
        os.write(_STDERR, text.encode(errors="replace"))
