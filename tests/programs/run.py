"""
Run programs of other people, plain and on redcoll, and compare what they compute.

It belongs under ``make test-programs``, which installs the programs of ``requirements.txt`` next to
redcoll into an environment of their own, one for each MPI library::

    python tests/programs/run.py --mpi mpich [--part ci] [--only yt,NuMPI] [--ranks 2,4]

Each program runs under ``mpiexec`` twice with the same arguments: by ``python`` and by ``python -m
redcoll run``. Each rank's results are compared: the verdict on each of the program's own tests, or
each line ``name = numbers`` that it printed. Numbers are the same when they agree to ``TOLERANCE``:
from 3 ranks on, redcoll and MPI add in different orders. A pair of runs has failed, too, when it
gave fewer results than it did when it was written, or when less than ``LEAST_SHARE`` of the blocking
reductions ran on redcoll. Programs whose tests are in their source distribution get them from there.

Output, reports and results are in ``build/programs/MPI/PROGRAM-RANKS-{plain,redcoll}``.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import signal
import shutil
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "programs"
SOURCES = BUILD / "sources"
REQUIREMENTS = HERE / "requirements.txt"
DIFFERENCES = HERE / "mpi4py_differences.txt"

TOLERANCE = 1e-12
LEAST_SHARE = 0.95
GRACE_S = 15

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
Results = dict[str, str]


# ---- What a run leaves, as results by name -----------------------------------------------------


def of_pytest(logs: Path, rank: int) -> Results:
    results = {}
    for case in ET.parse(logs / f"rank-{rank}.xml").iter("testcase"):
        tags = {child.tag for child in case}
        verdict = (
            FAILED if tags & {"failure", "error"} else SKIPPED if "skipped" in tags else PASSED
        )
        results[f"{case.get('classname')}.{case.get('name')}"] = verdict
    return results


def of_mpi4pys_suite(logs: Path, rank: int) -> Results:
    lines = (logs / f"rank-{rank}.verdicts").read_text(encoding="utf-8").splitlines()
    return {name: verdict for verdict, name in map(str.split, lines)}


def of_lines(logs: Path, rank: int) -> Results:
    lines = (logs / f"rank-{rank}.log").read_text(encoding="utf-8", errors="replace").splitlines()
    return dict(line.split(" = ", 1) for line in lines if " = " in line)


def of_mpi_sppy(logs: Path, rank: int) -> Results:
    """The decisions, and the bounds of each iteration."""
    log = (logs / f"rank-{rank}.log").read_text(encoding="utf-8", errors="replace")
    results = dict(re.findall(r"^(.+ for scenario \w+) is (\S+)$", log, re.MULTILINE))
    for number, numbers in re.findall(r"^\[ *[\d.]+\] +(\d+) [ *]+(\S.*)$", log, re.MULTILINE):
        results[f"iteration {number}"] = numbers
    return results


# ---- The programs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """
    A program, what it is run with, and where its results are.

    ``arguments``: what follows ``python``; {rank}, {ranks}, {logs} and {tests} are filled in.
    ``tests``: the folder of its source distribution that has them.
    ``least``: so many results rank 0 must have, and so many passed, where these are verdicts.
    """

    name: str
    arguments: list[str]
    results: Callable[[Path, int], Results]
    least: int
    ranks: tuple[int, ...] = (2, 4)
    tests: str = ""
    timeout_s: float = 300
    parts: tuple[str, ...] = ("all", "ci")


def pytest_of(*tests: str) -> list[str]:
    paths = [f"{{tests}}/{test}" for test in tests]
    options = ["-q", "-p", "no:cacheprovider", "--with-mpi", "--junitxml={logs}/rank-{rank}.xml"]
    return ["-m", "pytest", *options, *paths]


SUITE = [str(HERE / "mpi4py_suite.py"), "{logs}/rank-{rank}.verdicts", "{tests}"]

PROGRAMS = [
    Program("NuMPI", pytest_of("Tools", "Optimization"), of_pytest, least=100, tests="test"),
    Program("pySDC", [str(HERE / "pysdc_sweepers.py")], of_lines, least=48),
    Program("yt", [str(HERE / "yt_quantities.py")], of_lines, least=12),
    Program(
        "mpi-sppy",
        [
            *"-m mpisppy.generic_cylinders --module-name mpisppy.tests.examples.farmer".split(),
            *"--num-scens 6 --solver-name appsi_highs --max-solver-threads 1".split(),
            *"--max-iterations 5 --default-rho 1 --linearize-proximal-terms".split(),
            *"--rel-gap 0.01".split(),
        ],
        of_mpi_sppy,
        least=7,
    ),
    Program(
        "pylops-mpi",
        pytest_of("test_distributedarray.py", "test_solver.py"),
        of_pytest,
        least=100,
        tests="tests",
    ),
]


# ---- One run -----------------------------------------------------------------------------------


@dataclass
class Run:
    """One job: what it left for each rank, and what was wrong with it."""

    results: list[Results] = field(default_factory=list)
    seconds: float = 0.0
    trouble: str = ""


def environment(scratch: Path) -> dict[str, str]:
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("REDCOLL_") or name == "REDCOLL_KERNEL"
    }
    return {
        **ours,
        "MPLBACKEND": "Agg",
        "PYTHONFAULTHANDLER": "1",
        "REDCOLL_TIMEOUT": "60",
        # Two launchers of Open MPI with one process id, one of them killed, want one directory.
        "TMPDIR": str(scratch),
    }


@contextlib.contextmanager
def job(logs: Path, ranks: int, arguments: list[str], **more: str) -> Iterator[subprocess.Popen]:
    """Start ``python ARGUMENTS`` on all ranks, their output in ``logs``; end what is left of it."""
    shutil.rmtree(logs, ignore_errors=True)
    scratch = logs / "tmp"
    scratch.mkdir(parents=True)
    mpiexec = Path(sys.executable).with_name("mpiexec")
    with (logs / "launcher.log").open("w") as log:
        process = subprocess.Popen(
            [mpiexec, "-n", str(ranks), sys.executable, HERE / "as_rank.py", logs, *arguments],
            cwd=scratch,
            env={**environment(scratch), **more},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that a signal reaches all of it
        )
        try:
            yield process
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                if process.poll() is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(GRACE_S)


def execute(program: Program, logs: Path, ranks: int, how: list[str], **more: str) -> Run:
    values = {"ranks": ranks, "logs": logs, "rank": "{rank}", "tests": tests_of(program)}
    arguments = [argument.format(**values) for argument in program.arguments]
    run = Run()
    start = time.monotonic()
    with job(logs, ranks, [*how, *arguments], **more) as process:
        try:
            code = process.wait(program.timeout_s)
            run.trouble = f"exit code {code}" if code else ""
        except subprocess.TimeoutExpired:
            run.trouble = f"no end after {program.timeout_s:.0f} s"
    run.seconds = time.monotonic() - start
    for rank in range(ranks):
        try:
            run.results.append(program.results(logs, rank))
        except (OSError, ET.ParseError) as error:
            run.results.append({})
            run.trouble = run.trouble or f"rank {rank} left no results: {error}"
    return run


def tests_of(program: Program) -> Path:
    return SOURCES / program.name / program.tests


def fetch(program: Program) -> None:
    """Get the tests of a program out of its source distribution."""
    if not program.tests or tests_of(program).is_dir():
        return
    (line,) = re.findall(rf"^{program.name}==\S+", REQUIREMENTS.read_text(), re.MULTILINE)
    SOURCES.mkdir(parents=True, exist_ok=True)
    # pip may look for other things while it does this, but takes the named one as its source.
    options = ["--quiet", "--no-deps", "--no-binary", program.name, "--dest", str(SOURCES)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, line], check=True)
    name = line.replace("-", "_").replace("==", "-").lower()
    (archive,) = (
        file for file in SOURCES.glob("*.tar.gz") if file.name.lower() == f"{name}.tar.gz"
    )
    unpacked = SOURCES / f"{program.name}.new"
    shutil.rmtree(unpacked, ignore_errors=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            member.name = member.name.partition("/")[2]
            if member.name.startswith(f"{program.tests}/"):
                tar.extract(member, unpacked, filter="data")
    unpacked.rename(SOURCES / program.name)


# ---- The comparison ----------------------------------------------------------------------------


def is_same(plain: str, redcoll: str) -> bool:
    """Whether two results agree: word by word, numbers to the tolerance."""
    words = plain.split(), redcoll.split()
    return len(words[0]) == len(words[1]) and all(map(_is_same_word, *words))


def _is_same_word(plain: str, redcoll: str) -> bool:
    if plain == redcoll:
        return True
    try:
        return math.isclose(float(plain), float(redcoll), rel_tol=TOLERANCE)
    except ValueError:
        return False


def differences(plain: Run, redcoll: Run) -> dict[str, str]:
    """What the two runs have not alike: a name, and what each says."""
    different = {}
    for rank, both in enumerate(zip(plain.results, redcoll.results, strict=True)):
        for name in sorted(both[0].keys() | both[1].keys()):
            one, other = (results.get(name, "absent") for results in both)
            if not is_same(one, other):
                different.setdefault(name, f"rank {rank}: plain {one}, redcoll {other}")
    return different


def counted(run: Run) -> str:
    """Verdicts over all ranks, or the number of printed results."""
    counts = Counter(result for results in run.results for result in results.values())
    verdicts = [f"{counts[kind]} {kind}" for kind in (PASSED, FAILED, SKIPPED) if counts[kind]]
    return ", ".join(verdicts) or f"{counts.total()} results"


def number_of(run: Run) -> int:
    return sum(result != SKIPPED for result in run.results[0].values())


def compare(program: Program, mpi: str, ranks: int) -> list[str]:
    """Run a program in both ways, print a line on it; return what failed."""
    logs = BUILD / mpi
    plain = execute(program, logs / f"{program.name}-{ranks}-plain", ranks, [])
    report = logs / f"{program.name}-{ranks}-redcoll" / "report"
    redcoll = execute(
        program, report.parent, ranks, ["-m", "redcoll", "run"], REDCOLL_REPORT=str(report)
    )
    failures = [
        f"{how}: {run.trouble} (see {logs / f'{program.name}-{ranks}-{how}'})"
        for how, run in (("plain", plain), ("redcoll", redcoll))
        if run.trouble
    ]
    if not failures and number_of(plain) < program.least:
        failures.append(f"rank 0 has {number_of(plain)} results, at least {program.least} are due")
    failures += [f"{name}: {both}" for name, both in differences(plain, redcoll).items()]
    verdict = "the same" if not failures else counted(redcoll)
    print(
        f"{mpi:8} {program.name:10} {ranks} ranks: plain {counted(plain)} in {plain.seconds:.0f} s; "
        f"redcoll {verdict} in {redcoll.seconds:.0f} s",
        flush=True,
    )
    return failures


def parse_options() -> argparse.Namespace:
    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(word) for word in text.split(","))

    names = [program.name for program in PROGRAMS]
    parser = argparse.ArgumentParser(description="Run programs plain and on redcoll, and compare.")
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--part", choices=["all", "ci"], default="all", help="(default: all)")
    parser.add_argument("--only", help=f"programs, with commas between: {', '.join(names)}")
    parser.add_argument("--ranks", type=numbers, help="instead of each program's own numbers")
    options = parser.parse_args()
    options.only = (options.only or ",".join(names)).split(",")
    if unknown := set(options.only) - set(names):
        parser.error(f"--only {','.join(sorted(unknown))}: no such program; it is one of {names}")
    return options


def main() -> int:
    options = parse_options()
    passed, failures = 0, []
    for program in PROGRAMS:
        if program.name not in options.only or options.part not in program.parts:
            continue
        fetch(program)
        for ranks in options.ranks or program.ranks:
            found = compare(program, options.mpi, ranks)
            passed += not found
            failures += [f"{options.mpi}: {program.name}, {ranks} ranks: {line}" for line in found]
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
