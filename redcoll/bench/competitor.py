"""Run another program on the core of PE 0, as on a machine that several users share."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

# The program ends when its parent process has ended, for whatever reason.
_PROGRAM = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[2])})
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


@contextlib.contextmanager
def competitor() -> Iterator[None]:
    """Bind this process to one of its cores, and run a busy program on that core."""
    cores = os.sched_getaffinity(0)
    core = min(cores)
    os.sched_setaffinity(0, {core})
    command = [sys.executable, "-c", _PROGRAM, str(os.getpid()), str(core)]
    with subprocess.Popen(command) as program:  # noqa: S603 - this very Python
        try:
            yield
        finally:
            program.kill()
            os.sched_setaffinity(0, cores)
