"""Test installations of redcoll in new environments: without a compiler, and from a wheel.

The tests download build requirements and dependencies from PyPI.
"""

import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple/")
PROGRAM = """
import numpy as np
import redcoll
from redcoll import MPI
import redcoll_shmem, redcoll_pvm

me, n = redcoll.my_pe(), redcoll.n_pes()
for count in (1, 1000, 300_000):
    source, target = np.full(count, me + 1.0), np.zeros(count)
    redcoll.allreduce(target, source)
    assert (target == n * (n + 1) / 2).all()
    MPI.COMM_WORLD.Allreduce(source, target)
    assert (target == n * (n + 1) / 2).all()
if me == 0:
    print(redcoll.world.start().team.kernel.NAME, redcoll.__file__)
"""


def run(*command, cwd, **environment):
    result = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**clean_environment(), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout + result.stderr


def clean_environment():
    """Return the environment without the variables that could select another redcoll."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "REDCOLL_", "SHMEM_"))
    }


@pytest.fixture(scope="module", autouse=True)
def _needs_the_index():
    if INDEX.startswith("http"):
        try:
            urllib.request.urlopen(INDEX, timeout=20).close()
        except OSError as error:
            pytest.skip(f"the package index cannot be reached: {error}")


@pytest.fixture
def sources(tmp_path):
    """Copy the files that git tracks, but no compiled files, to a new folder; return the folder."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if names.returncode:
        pytest.skip(f"not a git checkout: {names.stderr.strip()}")
    copy = tmp_path / "sources"
    for name in filter(None, names.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


def make_environment(directory):
    """Make a virtual environment; return its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", directory, cwd=directory.parent)
    return directory / "bin" / "python"


def install(python, *what, cwd, **environment):
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-color", "--python", python)
    return run(sys.executable, *pip, "install", *what, cwd=cwd, **environment)


def run_program(command, *arguments, directory):
    """Run PROGRAM on 2 PEs; return the kernel's name and the package's folder."""
    program = directory / "program.py"
    program.write_text(PROGRAM)
    launcher = command.with_name("mpiexec")
    said = run(launcher, "-n", 2, command, *arguments, program, cwd=directory)
    kernel, _, path = said.splitlines()[0].partition(" ")
    assert Path(path).is_relative_to(directory / "venv")
    return kernel, Path(path).parent


def test_without_a_compiler(sources, vendor, tmp_path):
    python = make_environment(tmp_path / "venv")
    log = install(python, "-v", f"{sources}[{vendor}]", cwd=tmp_path, CC="false", CXX="false")
    assert "could not be built" in log
    kernel, package = run_program(python, directory=tmp_path)
    assert kernel == "numpy"
    assert not list(package.rglob("*.so"))


def test_a_wheel(sources, vendor, tmp_path):
    builder = make_environment(tmp_path / "builder")
    install(builder, "build", cwd=tmp_path)
    # `build` makes a source distribution, and then makes the wheel from the source distribution.
    run(builder, "-m", "build", "--outdir", tmp_path / "dist", sources, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    python = make_environment(tmp_path / "venv")
    install(python, f"{wheel}[{vendor}]", cwd=tmp_path)
    # The command `redcoll` does the same as `python -m redcoll`.
    command = python.with_name("redcoll")
    assert "redcoll 0" in run(command, "--version", cwd=tmp_path)
    kernel, _ = run_program(command, "run", directory=tmp_path)
    is_here = shutil.which("c++") is not None or shutil.which("g++") is not None
    assert kernel == ("compiled" if is_here else "numpy")
