"""
Run programs of other projects with and without redcoll, and compare their results.

``make test-programs`` makes an environment for each MPI library. It installs redcoll and the
programs of ``requirements.txt`` there, and then runs this script::

    python tests/programs/run.py --mpi mpich [--part ci] [--only yt,NuMPI] [--ranks 2,4]

Each program runs under ``mpiexec`` twice with the same arguments: with ``python`` and with ``python
-m redcoll run``. The results of each rank are compared. Results are the verdicts of the program's
own tests, or lines ``name = numbers`` that it prints. Numbers may differ by ``TOLERANCE``, because
redcoll and MPI add in different orders on 3 and more ranks. A comparison also fails if there are
fewer results than the table of programs requires. All comparisons together fail if less than
``LEAST_SHARE`` of the blocking reductions ran on redcoll. Most tests come from the programs' source
distributions.

The verdicts of mpi4py's own tests may differ for the reasons in ``mpi4py_differences.txt``.

At the end, two jobs fail on purpose: a job of mpi-sppy in which one rank raises, and tests that
fail on a single rank. Both jobs hang with mpi4py, and must end under ``redcoll run``.

Output, reports and results are in ``build/programs/MPI/PROGRAM-RANKS-{plain,redcoll}``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree as ET

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "programs"
SOURCES = BUILD / "sources"
REQUIREMENTS = HERE / "requirements.txt"
DIFFERENCES = HERE / "mpi4py_differences.txt"
PLANTED = HERE / "planted"

TOLERANCE = 1e-12
LEAST_SHARE = 0.95
GRACE_S = 15
# Time limits in seconds. A job of mpi-sppy must end within the first limit after its hub raises.
# The second limit is for the planted tests.
HUB_RAISES_S = 10
PLANTED_S = 120

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
Results = dict[str, str]


# ---- Results of a run, by name -----------------------------------------------------------------


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
    """Return the decisions, and the bounds of each iteration."""
    log = (logs / f"rank-{rank}.log").read_text(encoding="utf-8", errors="replace")
    results = dict(re.findall(r"^(.+ for scenario \w+) is (\S+)$", log, re.MULTILINE))
    for number, numbers in re.findall(r"^\[ *[\d.]+\] +(\d+) [ *]+(\S.*)$", log, re.MULTILINE):
        results[f"iteration {number}"] = numbers
    return results


# ---- The programs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """
    A program, the arguments for its runs, and the function that reads its results.

    ``arguments``: the arguments of ``python``; {rank}, {ranks}, {logs} and {tests} are replaced.
    ``least``: the smallest allowed number of results of rank 0, without skipped tests.
    ``tests``: the folder with the tests in the source distribution.
    ``package``: the name in ``requirements.txt``, if it differs from ``name``.
    ``allowed``: whether the results may differ where ``DIFFERENCES`` says so.
    ``options``: options of ``redcoll run``.
    """

    name: str
    arguments: list[str]
    results: Callable[[Path, int], Results]
    least: int
    ranks: tuple[int, ...] = (2, 4)
    tests: str = ""
    package: str = ""
    timeout_s: float = 300
    parts: tuple[str, ...] = ("all", "ci")
    allowed: bool = False
    options: tuple[str, ...] = ()


def pytest_of(*tests: str) -> list[str]:
    paths = [f"{{tests}}/{test}" for test in tests]
    options = ["-q", "-p", "no:cacheprovider", "--with-mpi", "--junitxml={logs}/rank-{rank}.xml"]
    return ["-m", "pytest", *options, *paths]


SUITE_OF_REDUCTIONS = ("cco_buf", "cco_obj", "cco_vec", "objmodel", "op", "pickle", "subclass")
SUITE = [
    str(HERE / "mpi4py_suite.py"),
    "{logs}/rank-{rank}.verdicts",
    "{tests}",
    # This test assumes that Win.Test is true right after a barrier. On a busy machine MPICH may
    # return false, so that one rank fails while the other ranks wait.
    *["-x", "testStartCompletePostTest"],
]

PROGRAMS = [
    Program("NuMPI", pytest_of("Tools", "Optimization"), of_pytest, least=100, tests="test"),
    Program("pySDC", [str(HERE / "pysdc_sweepers.py")], of_lines, least=48),
    Program("yt", [str(HERE / "yt_quantities.py")], of_lines, least=12),
    Program(
        "mpi-sppy",
        [
            *["-m", "mpisppy.generic_cylinders"],
            *["--module-name", "mpisppy.tests.examples.farmer"],
            *["--num-scens", "6", "--solver-name", "appsi_highs", "--max-solver-threads", "1"],
            *["--max-iterations", "5", "--default-rho", "1", "--linearize-proximal-terms"],
            *["--rel-gap", "0.01"],
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
    # Only 2 ranks: on 3 ranks redcoll and MPI add in different orders, so the checksums differ.
    Program(
        "pylops-shared",
        [str(HERE / "pylops_inversion.py")],
        of_lines,
        least=2,
        ranks=(2,),
        package="pylops-mpi",
        parts=("all",),
        options=("--shared-arrays",),
    ),
    # This program runs code of three of the programs above, changed to make fewer reductions.
    Program(
        "fewer-rounds",
        [str(HERE / "fewer_rounds.py")],
        of_lines,
        least=6,
        package="mpi-sppy",
        parts=("all",),
    ),
    # The first entry runs all tests of mpi4py. The second entry, for CI, runs only the
    # tests of reductions and of the classes that redcoll replaces.
    Program(
        "mpi4py",
        SUITE,
        of_mpi4pys_suite,
        least=1500,
        ranks=(1, 2, 4),
        tests="test",
        timeout_s=1800,
        parts=("all",),
        allowed=True,
    ),
    Program(
        "mpi4py-reductions",
        [*SUITE, "-i", "|".join(f"test_{name}.py" for name in SUITE_OF_REDUCTIONS)],
        of_mpi4pys_suite,
        least=200,
        ranks=(2,),
        tests="test",
        package="mpi4py",
        parts=("ci",),
        allowed=True,
    ),
]


# ---- One run -----------------------------------------------------------------------------------


@dataclass
class Run:
    """A finished job: the results of each rank, and a message if the job went wrong."""

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
        # Jobs share the cores, so waiting ranks of Open MPI must yield.
        "OMPI_MCA_mpi_yield_when_idle": "1",
        # Open MPI names a directory by the launcher's process id. A killed launcher leaves the
        # directory, and a later launcher with the same id would fail.
        "TMPDIR": str(scratch),
    }


@contextlib.contextmanager
def job(logs: Path, ranks: int, arguments: list[str], **more: str) -> Iterator[subprocess.Popen]:
    """Start ``python ARGUMENTS`` on all ranks, with output to ``logs``; end the job at exit."""
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
            start_new_session=True,  # so that a signal reaches all processes of the job
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
        results = read(program, logs, rank)
        if results is None and not run.trouble:
            run.trouble = f"rank {rank} left no results"
        run.results.append(results or {})
    return run


def read(program: Program, logs: Path, rank: int) -> Results | None:
    try:
        return program.results(logs, rank)
    except (OSError, ET.ParseError):
        return None


def pinned(program: Program) -> str:
    """Return pip's requirement for the program, with its version."""
    name = re.escape(program.package or program.name)
    return re.findall(rf"^{name}==[^\s;]+", REQUIREMENTS.read_text(), re.MULTILINE)[0]


def tests_of(program: Program) -> Path:
    return SOURCES / pinned(program) / program.tests


def fetch(program: Program) -> None:
    """Extract the tests of a program from its source distribution."""
    if not program.tests or tests_of(program).is_dir():
        return
    requirement = pinned(program)
    name = requirement.partition("==")[0]
    with tempfile.TemporaryDirectory(dir=SOURCES) as folder:
        options = ["--quiet", "--no-deps", "--no-binary", name, "--dest", folder, requirement]
        subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        unpacked = Path(folder, "unpacked")
        with tarfile.open(archive) as tar:
            # Python versions before 3.10.12 and 3.11.4 have no extraction filters.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            for member in tar:
                member.name = member.name.partition("/")[2]
                if member.name.startswith(f"{program.tests}/"):
                    tar.extract(member, unpacked)
        unpacked.rename(SOURCES / requirement)


# ---- The comparison ----------------------------------------------------------------------------


def is_same(plain: str, redcoll: str) -> bool:
    """Return whether all words of two results are equal, or are numbers within the tolerance."""
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
    """Return the names of results that differ, with the values of both runs."""
    different = {}
    for rank, both in enumerate(zip(plain.results, redcoll.results, strict=True)):
        for name in sorted(both[0].keys() | both[1].keys()):
            one, other = (results.get(name, "absent") for results in both)
            if not is_same(one, other):
                different.setdefault(name, f"rank {rank}: plain {one}, redcoll {other}")
    return different


def counted(run: Run) -> str:
    """Return the number of each verdict on all ranks, or the number of printed results."""
    counts = Counter(result for results in run.results for result in results.values())
    verdicts = [f"{counts[kind]} {kind}" for kind in (PASSED, FAILED, SKIPPED) if counts[kind]]
    return ", ".join(verdicts) or f"{counts.total()} results"


def number_of(run: Run) -> int:
    return sum(result != SKIPPED for result in run.results[0].values())


def allowed_differences(mpi: str) -> dict[str, str]:
    """Return the tests of mpi4py whose verdicts may differ on this MPI, with the reasons."""
    lines = DIFFERENCES.read_text(encoding="utf-8").splitlines()
    entries = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    return {test: reason for test, where, reason in entries if where in ("both", mpi)}


def blocking_reductions(report: Path) -> tuple[int, int]:
    """Return the numbers of blocking calls on redcoll, and of all blocking calls, in a report."""
    if not report.exists():
        return 0, 0
    rows = json.loads(report.read_text(encoding="utf-8"))["rows"]
    blocking = [row for row in rows if not re.match("I[a-z]|i(all|re|ex|sc)|.*_init", row["call"])]
    on_redcoll = [row for row in blocking if row["way"] == "redcoll"]
    return sum(row["calls"] for row in on_redcoll), sum(row["calls"] for row in blocking)


def compare(program: Program, mpi: str, ranks: int) -> tuple[list[str], tuple[int, int]]:
    """Run a program with and without redcoll; return failures and numbers of reductions."""
    logs = [BUILD / mpi / f"{program.name}-{ranks}-{how}" for how in ("plain", "redcoll")]
    report = logs[1] / "report.json"
    plain = execute(program, logs[0], ranks, [])
    how = ["-m", "redcoll", "run", *program.options]
    redcoll = execute(program, logs[1], ranks, how, REDCOLL_REPORT=str(report))
    failures = [
        f"{run.trouble} (see {folder})"
        for run, folder in zip((plain, redcoll), logs, strict=True)
        if run.trouble
    ]
    if not failures and number_of(plain) < program.least:
        failures.append(f"rank 0 has {number_of(plain)} results, but {program.least} are required")
    different = differences(plain, redcoll)
    allowed = allowed_differences(mpi) if program.allowed else {}
    failures += [f"{name}: {both}" for name, both in different.items() if name not in allowed]
    on_redcoll, reductions = blocking_reductions(report)
    if not on_redcoll and ranks > 1:
        failures.append(f"no reduction ran on redcoll (see {report})")
    listed = f" except {len(different.keys() & allowed)} on the list" if allowed else ""
    print(
        f"  {ranks} ranks: plain {counted(plain)} in {plain.seconds:.0f} s; "
        f"redcoll {counted(redcoll) if failures else f'the same{listed}'} "
        f"in {redcoll.seconds:.0f} s, {on_redcoll:,} of {reductions:,} reductions on redcoll",
        flush=True,
    )
    return failures, (on_redcoll, reductions)


# ---- Jobs that fail ----------------------------------------------------------------------------


def hub_raises(mpi: str) -> str:
    """
    Check that a job of mpi-sppy ends when its hub raises; return what is wrong.

    The solver fails in the second iteration, while the spokes poll for results of the hub. At
    that time no reduction is under way, and no communicator of two ranks has made a reduction yet.
    """
    program = next(program for program in PROGRAMS if program.name == "mpi-sppy")
    words = [word for word in program.arguments if word != "--linearize-proximal-terms"]
    logs = BUILD / mpi / "mpi-sppy-hub-raises"
    arguments = ["-m", "redcoll", "run", *words, "--lagrangian", "--xhatshuffle"]
    with job(logs, 3, arguments) as process:
        log = logs / "rank-0.log"
        deadline = time.monotonic() + program.timeout_s
        while "RuntimeError" not in (log.read_text(errors="replace") if log.exists() else ""):
            if time.monotonic() > deadline or process.poll() is not None:
                return f"the hub did not raise (see {logs})"
            time.sleep(0.05)
        start = time.monotonic()
        try:
            code = process.wait(HUB_RAISES_S)
        except subprocess.TimeoutExpired:
            return f"no end {HUB_RAISES_S} s after the hub raised (see {logs})"
    seconds = time.monotonic() - start
    print(f"{mpi}: mpi-sppy whose hub raises: ended {seconds:.1f} s later, exit code {code}")
    return "" if code else f"exit code 0 (see {logs})"


def one_rank_fails(mpi: str) -> str:
    """Check that tests end when a test fails on a single rank; return what is wrong."""
    logs = BUILD / mpi / "planted"
    options = ["-q", "-p", "no:cacheprovider", "--junitxml={logs}/rank-{rank}.xml"]
    words = [word.replace("{logs}", str(logs)) for word in options]
    arguments = ["-m", "redcoll", "run", "-m", "pytest", *words, str(PLANTED / "test_planted.py")]
    with job(logs, 3, arguments) as process:
        try:
            code = process.wait(PLANTED_S)
        except subprocess.TimeoutExpired:
            return f"no end after {PLANTED_S} s (see {logs})"
    errors = [errors_of(logs, rank) for rank in range(3)]
    # Rank 1 continues with its next test, which makes another reduction, and then ends.
    due = ("rank 1 called allreduce(op=SUM, type=float64, count=5)", "rank 1 has left the job")
    named = all(
        len(errors[rank]) == len(due) and all(map(str.__contains__, errors[rank], due))
        for rank in (0, 2)
    )
    if not code or not named:
        return f"exit code {code}, errors {errors} (see {logs})"
    print(f"{mpi}: a test that fails on rank 1: exit code {code}; rank 0: {' / '.join(errors[0])}")
    return ""


def errors_of(logs: Path, rank: int) -> list[str]:
    try:
        failures = ET.parse(logs / f"rank-{rank}.xml").iter("failure")
    except (OSError, ET.ParseError):
        return []
    return [failure.get("message", "") for failure in failures]


FAILING = {"hub-raises": hub_raises, "one-rank-fails": one_rank_fails}


def parse_options() -> argparse.Namespace:
    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(word) for word in text.split(","))

    names = [program.name for program in PROGRAMS] + list(FAILING)
    parser = argparse.ArgumentParser(description="Run programs plain and on redcoll, and compare.")
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--part", choices=["all", "ci"], default="all", help="(default: all)")
    parser.add_argument("--only", help=f"programs, with commas between: {', '.join(names)}")
    parser.add_argument("--ranks", type=numbers, help="instead of each program's own numbers")
    options = parser.parse_args()
    part = [program.name for program in PROGRAMS if options.part in program.parts]
    options.only = options.only.split(",") if options.only else part + list(FAILING)
    if unknown := set(options.only) - set(names):
        parser.error(f"--only {','.join(sorted(unknown))}: no such program; it is one of {names}")
    return options


def main() -> int:
    options = parse_options()
    # sys.exit lets job() end the running job.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    passed, failures = 0, []
    on_redcoll = reductions = 0
    SOURCES.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        if program.name not in options.only:
            continue
        try:
            version = metadata.version(program.package or program.name)
            fetch(program)
        except (metadata.PackageNotFoundError, subprocess.CalledProcessError) as error:
            failures.append(f"{program.name} could not be installed: {error!r}")
            continue
        print(f"{options.mpi}: {program.name}, version {version}")
        usual = program.ranks[:1] if options.part == "ci" else program.ranks
        for ranks in options.ranks or usual:
            found, counts = compare(program, options.mpi, ranks)
            passed += not found
            failures += [f"{program.name}, {ranks} ranks: {line}" for line in found]
            if not program.allowed:
                on_redcoll += counts[0]
                reductions += counts[1]
    if reductions:
        share = f"{on_redcoll:,} of {reductions:,} blocking reductions on redcoll"
        print(f"{options.mpi}: programs other than mpi4py's tests: {share}")
        is_enough = on_redcoll >= LEAST_SHARE * reductions
        passed += is_enough
        failures += [] if is_enough else [f"{share}; at least {LEAST_SHARE:.0%} are required"]
    for name, check in FAILING.items():
        if name in options.only:
            trouble = check(options.mpi)
            passed += not trouble
            failures += [f"{name}: {trouble}"] if trouble else []
    for failure in failures:
        print(f"FAILED {options.mpi}: {failure}")
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
