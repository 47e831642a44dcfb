"""Start jobs of ``python -m redcoll bench``. Programs that compare several jobs use this module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from redcoll import kernels
from redcoll.bench import results
from redcoll.bench.progress import reaches_terminal
from redcoll.bench.results import Run
from redcoll.errors import StateError

_TIMEOUT_S = 3600


def find(program: str) -> str:
    """Return the path of a launcher. Look in the folder of this Python, then on the PATH.

    Raises
    ------
    StateError
        There is no such launcher.
    """
    beside = Path(sys.executable).with_name(program)
    found = str(beside) if beside.exists() else shutil.which(program)
    if found is None:
        raise StateError(f"{program} is neither next to this Python nor on the PATH")
    return found


def built_kernels(names: Sequence[str]) -> list[str]:
    """Return the named kernels that this installation has; report a missing kernel."""
    has_compiled = kernels.is_built()
    if "compiled" in names and not has_compiled:
        print("kernel compiled: not built here, left out")
    return [name for name in names if name == "numpy" or has_compiled]


def measure(
    launcher: str,
    pes: int,
    arguments: Sequence[str],
    json: Path,
    environment: Mapping[str, str],
) -> Run | None:
    """Run ``python -m redcoll bench`` in a new job.

    Parameters
    ----------
    launcher
        The launcher, which starts ``pes`` processes with ``-n``.
    arguments
        Options of the benchmark.
    json
        The file for the results.
    environment
        Environment variables in addition to those of this process.

    Returns
    -------
    Run or None
        The results, or None if the job failed before it wrote them.
    """
    json.unlink(missing_ok=True)
    progress = "yes" if reaches_terminal(sys.stderr) else "no"
    command = [launcher, "-n", str(pes), sys.executable, "-m", "redcoll", "bench", *arguments]
    print(f"\n{pes} PEs: python -m redcoll bench {' '.join(arguments)}", flush=True)
    code = run([*command, "--json", str(json), "--progress", progress], environment)
    if code:
        print(f"the job ended with exit code {code}", flush=True)
    if not json.exists():
        return None
    return results.load([json])[0]


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command; return its exit code, or -1 if it takes more than an hour."""
    try:
        done = subprocess.run(  # noqa: S603 - a launcher and this very Python
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1
    return done.returncode
