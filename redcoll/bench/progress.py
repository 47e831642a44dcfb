"""Show a progress bar of plain characters on terminals."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

_LAUNCHERS = ("mpiexec", "mpirun", "orterun", "oshrun", "prte", "prterun", "hydra")
_MOST_ANCESTORS = 8
_BAR_WIDTH = 24


def reaches_terminal(stream: TextIO) -> bool:
    """Return whether output to ``stream`` appears on a terminal.

    Launchers of MPI jobs read the output of their processes through pipes, and write it to their
    own output. So for ``sys.stderr`` the result is also True if the launcher's error output is a
    terminal.
    """
    if stream.isatty():
        return True
    if stream is not sys.stderr:
        return False
    try:
        return _launcher_has_terminal(os.getppid())
    except OSError:
        return False  # there is no /proc, or another user started the launcher


def _launcher_has_terminal(pid: int) -> bool:
    for _ in range(_MOST_ANCESTORS):
        process = Path("/proc", str(pid))
        # In the file, the name is in parentheses and may contain any character. The parent's id is
        # the second word after the parentheses.
        name, _, rest = (process / "stat").read_text().partition("(")[2].rpartition(")")
        if not name.startswith(_LAUNCHERS):
            return False
        if str((process / "fd" / "2").readlink()).startswith(("/dev/pts/", "/dev/tty")):
            return True
        pid = int(rest.split()[1])
    return False


class Progress:
    """A progress bar.  If ``is_shown`` is false, the bar writes nothing."""

    def __init__(self, stream: TextIO, *, is_shown: bool) -> None:
        self._stream = stream
        self._is_shown = is_shown
        self._total = 0
        self._done = 0

    def begin(self, total: int) -> None:
        """Set the number of steps."""
        self._total = total

    def show(self, text: str) -> None:
        """Show the bar with a text for the present step."""
        share = self._done / max(self._total, 1)
        bar = "#" * int(share * _BAR_WIDTH)
        self._write(f"[{bar:.<{_BAR_WIDTH}}] {share:4.0%}  {text}")

    def advance(self) -> None:
        """Count one step as done."""
        self._done += 1

    def close(self) -> None:
        """Remove the bar."""
        self._write("", end="\r")

    def _write(self, line: str, end: str = "") -> None:
        if self._is_shown and self._total:
            width = shutil.get_terminal_size((80, 24)).columns - 1
            self._stream.write(f"\r{line[:width]:<{width}}{end}")
            self._stream.flush()
