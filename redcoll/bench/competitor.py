"""Run another program on the core of PE 0, as on a machine that several users share."""

from __future__ import annotations

import os
import subprocess
import sys
from types import TracebackType

# The program ends when its parent process has ended, for whatever reason.
_PROGRAM = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[2])})
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


class Competitor:
    """A context in which PE 0 shares its only core with a busy program.  All PEs enter it."""

    def __init__(self, pe: int) -> None:
        self._pe = pe
        self._cores = os.sched_getaffinity(0)
        self._program: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> None:
        if self._pe:
            return
        core = min(self._cores)
        os.sched_setaffinity(0, {core})
        command = [sys.executable, "-c", _PROGRAM, str(os.getpid()), str(core)]
        self._program = subprocess.Popen(command)  # noqa: S603 - this very Python

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._program is not None:
            self._program.kill()
            self._program.wait()
            os.sched_setaffinity(0, self._cores)
