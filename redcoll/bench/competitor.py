"""A program that takes half of the core of PE 0, as on a machine that is not one's own alone."""

from __future__ import annotations

import os
import subprocess
import sys
from types import TracebackType

# Ends when the process that started it has ended, however that was.
_PROGRAM = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[2])})
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


class Competitor:
    """Around what is measured.  Entered by all PEs; PE 0 stays on one core, and is not alone there.

    Parameters
    ----------
    pe
        Of the caller.
    """

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
