"""
Start programs under the launcher of the MPI library under test, and watch them from outside.

``REDCOLL_TEST_MPIEXEC`` is the command line of the launcher. Its default is the ``mpiexec`` next to
this Python or on the PATH.
"""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Programs write to files, because the launcher would mix the output of several PEs, and would lose
# output if the job is aborted. say() writes a line to the PE's own file. mark() makes a file that
# contains the PE's process id.
SPEECH = """
import os, sys, time

DIR = os.path.dirname(__file__)

def say(*words):
    with open(os.path.join(DIR, f"said-{pe}"), "a") as file:
        file.write(" ".join(map(str, words)) + "\\n")

def mark(name):
    path = os.path.join(DIR, f"{name}-{pe}")
    with open(path + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".new", path)

def is_marked(name, other):
    return os.path.exists(os.path.join(DIR, f"{name}-{other}"))

def await_marks(name, *pes):
    while not all(is_marked(name, other) for other in pes):
        time.sleep(0.005)
"""

# Every program starts with this text, unless the test passes prelude=False.
PRELUDE = (
    SPEECH
    + """
import numpy as np
import redcoll

pe, n = redcoll.my_pe(), redcoll.n_pes()

def reduce(count=4, active_set=None):
    y = np.zeros(count)
    redcoll.allreduce(y, np.full(count, pe + 1.0), active_set=active_set)
    return y[0], y[-1]

mark("pid")
"""
)

LAUNCHER_S = 5
"""Time for the launcher to end after all PEs have ended."""
LOOK_EVERY_S = 0.05


def _launcher() -> list[str]:
    told = os.environ.get("REDCOLL_TEST_MPIEXEC")
    if told:
        return shlex.split(told)
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.exit("no mpiexec: neither in REDCOLL_TEST_MPIEXEC, nor beside this Python", 1)
    return [found]


LAUNCHER = _launcher()


def _vendor() -> str:
    answer = subprocess.run(
        [*LAUNCHER, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    text = answer.stdout + answer.stderr
    if "HYDRA" in text:
        return "mpich"
    if "Open MPI" in text or "OpenRTE" in text or "prte" in text.lower():
        return "openmpi"
    pytest.exit(
        f"{shlex.join(LAUNCHER)} --version says neither MPICH nor Open MPI: {text[:200]}", 1
    )


VENDOR = _vendor()

if VENDOR == "openmpi":
    # Several jobs share the cores, so a waiting process must yield its core.
    os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"


def pytest_report_header() -> str:
    return f"launcher: {shlex.join(LAUNCHER)} ({VENDOR})"


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # the process has ended meanwhile
        return b""


class Job:
    """
    A program that runs under the launcher.

    ``survivors``: whether the launcher keeps the other processes alive when a process dies. If so,
    the exit code is useless, because Open MPI sometimes returns 0 although processes failed.
    ``inside``: a command that runs the launcher, for example in a namespace. ``launcher``: a whole
    command line that replaces the launcher and all its options. ``through``: words between Python
    and the program's file, such as ``-m redcoll run``.
    """

    def __init__(
        self,
        directory: Path,
        program: str,
        n: int,
        *,
        survivors: bool = False,
        prelude: bool = True,
        inside: tuple[str, ...] = (),
        launcher: list[str] | None = None,
        through: tuple[str, ...] = (),
        **environment: str,
    ) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self.script = directory / "program.py"
        self.script.write_text((PRELUDE if prelude else "") + textwrap.dedent(program))
        options, wrapper = self._keep_alive() if survivors else ([], [])
        command = launcher or [*inside, *LAUNCHER, *options, "-n", str(n), *wrapper]
        self.program = [sys.executable, *through, str(self.script)]
        self.command = [*command, *self.program]
        self.last_alive_s = math.inf
        self._start(environment)

    def _keep_alive(self) -> tuple[list[str], list[str]]:
        if VENDOR == "openmpi":
            return ["--enable-recovery"], []
        # When a process has died, Hydra sends SIGUSR1 to all processes, and kills them if a
        # signal caused the death. So a shell runs each program. The program inherits that SIGUSR1
        # is ignored. If a signal kills the program, the shell exits with a code.
        wrapper = self.directory / "wrapper.sh"
        wrapper.write_text("#!/bin/sh\ntrap '' USR1\n\"$@\"\nexit $?\n")
        wrapper.chmod(0o755)
        return ["-disable-auto-cleanup"], [str(wrapper)]

    def _start(self, environment: dict[str, str]) -> None:
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("REDCOLL_", "SHMEM_")) or name == "REDCOLL_KERNEL"
        }
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        if VENDOR == "openmpi":
            # A killed launcher leaves a directory whose name contains the launcher's process id.
            # A later launcher with the same id would not start in the same TMPDIR.
            clean["TMPDIR"] = str(self.directory)
        with (
            (self.directory / "stdout").open("wb") as stdout,
            (self.directory / "stderr").open("wb") as stderr,
        ):
            self.process = subprocess.Popen(
                self.command,
                cwd=self.directory,
                env={**clean, "PYTHONPATH": path, **environment},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    @property
    def out(self) -> str:
        return (self.directory / "stdout").read_text(errors="replace")

    @property
    def err(self) -> str:
        return (self.directory / "stderr").read_text(errors="replace")

    def lines(self, pe: int) -> list[str]:
        """Return the lines that a PE has written by ``say``."""
        file = self.directory / f"said-{pe}"
        return file.read_text().splitlines() if file.exists() else []

    def describe(self) -> str:
        said = "".join(
            f"\n--- {file.name}\n{file.read_text()}"
            for file in sorted(self.directory.glob("said-*"))
        )
        printed = f"--- stdout\n{self.out}\n--- stderr\n{self.err}"
        return f"{shlex.join(self.command)}{said}\n{printed}"

    def wait(self, timeout_s: float = 60) -> int:
        """Wait until the job ends; return its exit code. At the time limit the test fails."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(LOOK_EVERY_S)
            if not self.alive() and time.monotonic() > self.last_alive_s + LAUNCHER_S:
                self._end_stuck_launcher()
        pytest.fail(f"the job did not end within {timeout_s} s: {self.describe()}")

    def _end_stuck_launcher(self) -> None:
        """End a launcher that still runs after all PEs have ended.

        Open MPI's launcher hangs in about 5 % of the jobs in which one process is in MPI_Finalize
        while another process calls MPI_Abort or exits. This also happens without redcoll.
        """
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                pid, name, _, _, _, session = status.read_text().split()[:6]
                if name == "(prterun)" and int(session) == self.process.pid:
                    print("the launcher was stuck; it was ended")
                    os.kill(int(pid), signal.SIGKILL)

    def succeed(self, timeout_s: float = 60) -> None:
        code = self.wait(timeout_s)
        assert code == 0, f"exit code {code}: {self.describe()}"

    def fail(self, timeout_s: float = 60) -> int:
        code = self.wait(timeout_s)
        assert code != 0, f"exit code 0: {self.describe()}"
        return code

    def pid(self, pe: int, name: str = "pid", timeout_s: float = 60) -> int:
        """Wait until a PE has made the mark ``name``; return the PE's process id."""
        file = self.directory / f"{name}-{pe}"
        end = time.monotonic() + timeout_s
        while not file.exists():
            if time.monotonic() > end or self.process.poll() is not None:
                pytest.fail(f"PE {pe} did not come to its mark {name!r}: {self.describe()}")
            time.sleep(0.005)
        return int(file.read_text())

    def alive(self) -> list[int]:
        """Return the ids of the PEs' running processes, and of processes that they forked."""
        # Compare whole command lines: the launcher has a longer line, and a zombie has an empty
        # line.
        ours = b"".join(os.fsencode(word) + b"\0" for word in self.program)
        found = [
            int(directory.name)
            for directory in Path("/proc").glob("[0-9]*")
            if _command_line(directory) == ours
        ]
        if found:
            self.last_alive_s = time.monotonic()
        return found

    def wait_until_gone(self, timeout_s: float = 10) -> None:
        end = time.monotonic() + timeout_s
        while self.alive():
            assert time.monotonic() < end, f"processes {self.alive()} stay: {self.describe()}"
            time.sleep(LOOK_EVERY_S)

    def end(self) -> None:
        """End all processes of the job that still run."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(5)
        for pid in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def vendor() -> str:
    """Return ``mpich`` or ``openmpi``."""
    return VENDOR


@pytest.fixture
def start_job(tmp_path):
    """Return a function that starts a :class:`Job`. The fixture ends the job after the test."""
    jobs = []

    def start(program: str, n: int = 2, **options) -> Job:
        jobs.append(Job(tmp_path / str(len(jobs)), program, n, **options))
        return jobs[-1]

    yield start
    for job in jobs:
        job.end()
