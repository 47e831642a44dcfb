"""The abort of the job, and messages on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable

from redcoll._mpi4py import MPI

_TIME_TO_PRINT_S = 1.0
"""Pause before an abort ends all processes, so that other ranks can print tracebacks."""

_before_abort: list[Callable[[], object]] = []


def before_abort(action: Callable[[], object]) -> None:
    """Call ``action`` before this process aborts the job.  It must not wait for others."""
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
        # In a finally clause, because a launcher and a terminal may both send SIGINT.
        MPI.COMM_WORLD.Abort(code)
        # compat(mpich 5.0.2): MPI_Abort leaves it to the launcher to end the processes, and
        # returns. If the launcher is out of reach, the process would continue.
        os._exit(code)


def report(text: str) -> None:
    """Write to standard error, by one write."""
    # Standard error may be closed, or None. The caller must go on in any case.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def print_in_one_piece(error: BaseException) -> None:
    """Print the traceback by one write, because the launcher mixes the output of processes."""
    import traceback  # not at the top: most programs never need it

    text = "".join(traceback.format_exception(error))
    report(text)
