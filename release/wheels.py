"""
Build wheels with the compiled kernel, and test an installed one.

``make wheels`` and ``make smoke-wheel`` call this program::

    python release/wheels.py build [PYTHON ...]
    python release/wheels.py smoke --mpi mpich

``build`` writes the source distribution into ``dist/``, and from it one wheel for each Python.
Without names it takes every Python from 3.10 to 3.14 that runs here. Each wheel gets the oldest
manylinux tag that its symbols allow, and is installed into an environment without a compiler.

``smoke`` installs the wheel of this Python and runs ``make smoke``'s tests on it. The tests come
from the source distribution, with redcoll's own packages removed, and the tests of the sources
themselves.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 15))
PACKAGES = ("redcoll", "redcoll_shmem", "redcoll_pvm")
# Tests of sources and pages, not of an installed redcoll.
TESTS_OF_THE_TREE = ("docs", "lint_prose", "release")
MPIS = ("mpich", "openmpi", "impi")
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++")

TRIAL = ROOT / "release" / "trial.py"


def run(*command: str | Path, cwd: str | Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Return what a command prints; it must succeed."""
    words = [*map(str, command)]
    result = subprocess.run(
        words,
        cwd=cwd,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{' '.join(words)}: exit code {result.returncode}\n{result.stdout}")
    return result.stdout


def pip(python: str | Path, *words: str | Path) -> None:
    """Run this environment's pip for another Python."""
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, *words)


class Python(NamedTuple):
    """An interpreter that runs here."""

    tag: str
    """In names of wheels, such as ``cp311``."""
    path: str


def find(name: str) -> Python | None:
    """Return the interpreter of a name or path, if it runs here."""
    question = "import sys; print('cp%d%d' % sys.version_info[:2], sys.executable)"
    try:
        answer = subprocess.run([name, "-c", question], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Python(*answer.stdout.strip().split(maxsplit=1))


def only(files: Iterable[Path], what: str) -> Path:
    """Return the one file that there must be."""
    found = sorted(files)
    if len(found) != 1:
        sys.exit(f"{what}: found {[file.name for file in found]}; there must be one")
    return found[0]


def sdist() -> Path:
    """Return the source distribution in ``dist/``."""
    return only(DIST.glob("redcoll-*.tar.gz"), "source distribution in dist/")


def wheel_for(python: Python) -> Path:
    """Return the wheel of one Python in ``dist/``."""
    pattern = f"redcoll-*-{python.tag}-manylinux*_{platform.machine()}.whl"
    return only(DIST.glob(pattern), f"wheel for {python.tag} in dist/")


def build(pythons: list[str]) -> None:
    """Build the source distribution, and a wheel for each Python; try each wheel."""
    found = {name: find(name) for name in pythons or PYTHONS}
    missing = [name for name, python in found.items() if python is None]
    if pythons and missing:
        sys.exit(f"no such Python runs here: {', '.join(missing)}")
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    print(f"built {sdist().name}; without a wheel here: {', '.join(missing) or 'no Python'}")
    for python in filter(None, found.values()):
        with tempfile.TemporaryDirectory() as directory:
            pip(python.path, "wheel", "--no-deps", "--wheel-dir", directory, sdist())
            raw = only(Path(directory).glob("*.whl"), "wheel as built")
            run("auditwheel", "repair", "--strip", "--wheel-dir", DIST, raw)
        wheel = wheel_for(python)
        try_wheel(wheel, python)
        print(f"built and tried {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB)", flush=True)


def make_environment(folder: Path, python: Python, *what: str) -> Path:
    """Return the folder of commands of a new virtual environment with these packages."""
    run(python.path, "-m", "venv", "--without-pip", "--clear", folder)
    # What PyPI has no wheel of would need a compiler.
    pip(folder / "bin" / "python", "install", "--only-binary", ":all:", *what)
    return folder / "bin"


def try_wheel(wheel: Path, python: Python) -> None:
    """Run 2 ranks on a wheel, in an environment that has no compiler."""
    with tempfile.TemporaryDirectory() as directory:
        commands = make_environment(Path(directory, "venv"), python, f"{wheel}[mpich]")
        path = str(commands)
        found = [name for name in COMPILERS if shutil.which(name, path=path)]
        if found:
            sys.exit(f"the environment has compilers: {found}")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        clean = {**kept, "PATH": path}
        on_two = (commands / "mpiexec", "-n", "2")
        run(*on_two, commands / "redcoll", "run", TRIAL, cwd=directory, env=clean)
        report = run(*on_two, commands / "redcoll", "info", cwd=directory, env=clean)
        if "compiled" not in report:
            sys.exit(f"redcoll info does not name the compiled kernel:\n{report}")


def smoke(mpi: str, options: list[str]) -> int:
    """Run the smoke tests on the installed wheel of this Python; return the exit code."""
    python = Python("cp%d%d" % sys.version_info[:2], sys.executable)  # noqa: UP031 - of a tuple
    wheel = wheel_for(python)
    folder = ROOT / "build" / "installed" / mpi
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(sdist()) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202 - the project's own
    tree = only(folder.glob("redcoll-*"), "folder of the source distribution")
    for package in PACKAGES:
        shutil.rmtree(tree / package)
    for name in TESTS_OF_THE_TREE:
        (tree / "tests" / "unit" / f"test_{name}.py").unlink()
    commands = make_environment(folder / "venv", python, f"{wheel}[{mpi},test]")
    where = run(commands / "python", "-c", "import redcoll; print(redcoll.__file__)", cwd=tree)
    if not Path(where.strip()).is_relative_to(folder / "venv"):
        sys.exit(f"not the installed redcoll: {where}")
    driver = [str(commands / "python"), "tests/run.py", "--mpi", mpi, "--tier", "smoke", *options]
    return subprocess.run(driver, cwd=tree, check=False).returncode


def main() -> int:
    """Run one command; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Build wheels with the compiled kernel, and test an installed one.",
        epilog="example: release/wheels.py build python3.11 python3.12",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build", help="build a source distribution and wheels")
    builder.add_argument(
        "pythons",
        nargs="*",
        metavar="PYTHON",
        help="build for this interpreter (default: those of python3.10 to python3.14 that run)",
    )
    tester = commands.add_parser("smoke", help="run the smoke tests on an installed wheel")
    tester.add_argument("--mpi", choices=MPIS, required=True, help="MPI library from PyPI")
    options, rest = parser.parse_known_args()
    if options.command == "smoke":
        return smoke(options.mpi, rest)
    if rest:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    build(options.pythons)
    return 0


if __name__ == "__main__":
    sys.exit(main())
