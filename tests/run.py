"""
Run one tier of the tests on one MPI library.

``make smoke``, ``make test``, ``make test-thorough`` and ``make test-all`` call this driver. They
install the libraries and set the variables that the libraries need::

    python tests/run.py --mpi mpich --tier thorough [--pes 3] [--kernels numpy] [--only PATTERN]
    python tests/run.py --list

``ROWS`` is the table of all runs, and ``--list`` prints it. ``--runs``, ``--pes`` and ``--kernels``
select rows of the tier, and ``--only`` selects tests. There are six kinds of runs:

* ``unit``: ``tests/unit`` in two processes;
* ``mpi``: ``tests/mpi`` under ``mpiexec``;
* ``jobs``: ``tests/jobs``, whose tests start jobs with the command in ``REDCOLL_TEST_MPIEXEC``;
* ``hosts``: ``tests/hosts``, whose tests make several hosts and start jobs on them;
* ``on-hosts``: ``tests/mpi`` on several hosts;
* ``on-nodes``: ``tests/mpi`` on simulated nodes (``REDCOLL_NODE_SIZE``).

Each rank of a run writes its output and its report to ``build/tests/MPI/RUN/rank-N.{log,xml}``.
A test has failed if it failed on any rank. A run has also failed if a rank left no report, if no
test was executed, or if fewer tests passed than its row requires. With ``--strict``, a skip is a
failure unless ``tests/skips.txt`` has its reason. A summary of all failures comes before the
totals at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from hosts import network

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "tests"
ON_HOSTS = ROOT / "tests" / "hosts" / "run.py"

# The start of each library's version text.
VENDORS = {"mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel(R) MPI Library"}
# Only the smoke tier has rows for Intel MPI; make smoke-wheel runs them.
IN_ALL_TIERS = ("mpich", "openmpi")
# Launchers set one of these variables to the rank of the process.
RANK_VARIABLES = ("PMIX_RANK", "PMI_RANK")

KERNELS = {"numpy": "redcoll.kernels.numpy", "compiled": "redcoll.kernels.compiled"}
SKIPS = ROOT / "tests" / "skips.txt"

# Number of tests of tests/jobs that run at the same time. A test is idle for half of its run time,
# so there can be more tests than cores. Tests marked "alone" run one after the other.
JOBS_AT_A_TIME = 3
# How pytest-xdist distributes tests. A file of tests/unit may compile code first, so one worker
# runs the whole file. In the other folders each worker takes the next test.
BY_FILE = ["--dist", "loadfile"]
IN_ORDER = ["--dist", "load", "--maxschedchunk", "1"]

# These files of tests/unit take seconds or need a compiler, so the smoke tier leaves them out.
DEAR_UNIT = ("bench_results", "copies", "fold", "info", "races", "shmem_names")
# These files start processes of the MPI library, or read what the library exports.
UNIT_OF_MPI = (
    "datatypes",
    "info",
    "mpi_names",
    "package",
    "pvm_names",
    "shmem4py_names",
)
PVM_TESTS = ("pvm_groups", "pvm_messages", "pvm_nodes", "pvm_reduce")
# Files with some tests of each API, and with tests that depend on nodes.
TWO_HOSTS_TESTS = ("nodes", "reductions", "shmem_rma", "shmem_signals", "pvm_reduce")

# The time limit of a wait inside redcoll, and the longest time from a signal to a launcher's end.
WAIT_TIMEOUT_S = 60
GRACE_S = 15

# The output of a failed run has this number of ranks and of lines. The logs have all of them.
SHOWN_RANKS = 3
SHOWN_LINES = 300
# The number of characters of each reason in the list of failures.
SHOWN_REASON = 300

# pytest returns this code if it selected no test.
NO_TEST_SELECTED = "exit code 5"

# The ranks' verdict with the largest weight is the verdict of the test.
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
WEIGHT = {SKIPPED: 0, PASSED: 1, FAILED: 2}


@dataclass(frozen=True)
class Row:
    """A run in the table."""

    kind: str
    mpi: str
    seconds: int
    """Time that the run takes alone on two cores."""
    layout: tuple[int, ...] = (1,)
    """Number of PEs on each host."""
    kernel: str = "compiled"
    marks: str = ""
    """The expression for ``pytest -m``."""
    at_least: int = 0
    """Number of tests that must pass, unless an option selects some of the tests."""
    files: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    part: str = "1/1"
    environment: tuple[str, ...] = ()
    workers: int = 0

    @property
    def pes(self) -> int:
        return sum(self.layout)

    @property
    def name(self) -> str:
        words = [self.kind]
        if self.kind in UNDER_MPIEXEC:
            words += [f"kernel {self.kernel}", f"PEs {'+'.join(map(str, self.layout))}"]
        words += [self.marks] if self.marks else []
        words += [f"part {self.part}"] if self.part != "1/1" else []
        words += [f"files {' '.join(self.files)}"] if self.files else []
        words += self.environment
        return ", ".join(words)


UNDER_MPIEXEC = ("mpi", "on-hosts", "on-nodes")
KINDS = ("unit", *UNDER_MPIEXEC, "jobs", "hosts")
PES = (1, 2, 3, 4, 5, 8, 16)


def mpi(mpi: str, kernel: str, pes: int, marks: str, seconds: int, at_least: int) -> Row:
    return Row("mpi", mpi, seconds, (pes,), kernel, marks, at_least)


# The rows that find the most defects per second come first.
ROWS: dict[str, list[Row]] = {
    "smoke": [
        row
        for vendor in VENDORS
        for row in (
            Row("unit", vendor, 15, without=DEAR_UNIT, workers=2),
            mpi(vendor, "compiled", 3, "smoke", 20, 900),
        )
    ]
    # These tests start jobs with options that only the launchers of IN_ALL_TIERS have.
    + [Row("jobs", vendor, 5, marks="smoke", workers=JOBS_AT_A_TIME) for vendor in IN_ALL_TIERS],
    "test": [
        Row("unit", "mpich", 45, workers=2),
        mpi("mpich", "compiled", 3, "not soak", 60, 2400),
        mpi("mpich", "numpy", 2, "every_size and not soak", 20, 600),
        Row("jobs", "mpich", 25, marks="quick", workers=JOBS_AT_A_TIME),
        mpi("openmpi", "compiled", 5, "every_size and smoke", 35, 240),
        Row("jobs", "openmpi", 25, marks="quick", workers=JOBS_AT_A_TIME),
    ],
    "thorough": [
        Row("unit", "mpich", 80, workers=2),
        mpi("mpich", "compiled", 3, "", 200, 2400),
        mpi("mpich", "compiled", 1, "not soak", 30, 2000),
        mpi("mpich", "numpy", 4, "every_size and smoke", 20, 240),
        mpi("mpich", "compiled", 16, "every_size and smoke", 180, 240),
        Row("mpi", "mpich", 10, (3,), files=PVM_TESTS, environment=("REDCOLL_NODE_SIZE=2",)),
        Row("jobs", "mpich", 250, marks="not alone", part="1/2", workers=JOBS_AT_A_TIME),
        Row("jobs", "mpich", 45, marks="alone", part="1/2"),
        Row("hosts", "mpich", 35, part="1/2", workers=2),
        Row("on-hosts", "mpich", 40, (2, 2), files=TWO_HOSTS_TESTS),
        Row("unit", "openmpi", 10, files=UNIT_OF_MPI, workers=2),
        mpi("openmpi", "compiled", 3, "not soak", 160, 2400),
        mpi("openmpi", "numpy", 2, "not soak", 75, 2000),
        mpi("openmpi", "compiled", 8, "every_size and smoke", 50, 240),
        Row("jobs", "openmpi", 260, marks="not alone", part="2/2", workers=JOBS_AT_A_TIME),
        Row("jobs", "openmpi", 40, marks="alone", part="2/2"),
        Row("hosts", "openmpi", 80, part="2/2", workers=2),
        Row("on-hosts", "openmpi", 40, (2, 2), files=TWO_HOSTS_TESTS),
    ],
    "all": [
        row
        for vendor in IN_ALL_TIERS
        for row in (
            Row("unit", vendor, 45, workers=2),
            *(mpi(vendor, kernel, pes, "", 30 + 20 * pes, 0) for kernel in KERNELS for pes in PES),
            Row("mpi", vendor, 10, (3,), files=PVM_TESTS, environment=("REDCOLL_NODE_SIZE=2",)),
            Row("mpi", vendor, 80, (5,), environment=("REDCOLL_ORDER=strict",)),
            Row("jobs", vendor, 240, marks="not alone", workers=JOBS_AT_A_TIME),
            Row("jobs", vendor, 120, marks="alone"),
            Row("hosts", vendor, 120, workers=2),
            *(
                Row(
                    "on-hosts",
                    vendor,
                    300,
                    layout,
                    kernel,
                )
                for kernel in KERNELS
                for layout in ((2, 2), (1, 2, 3))
            ),
            *(
                Row(
                    "on-nodes",
                    vendor,
                    200,
                    (pes,),
                    kernel,
                    environment=(f"REDCOLL_NODE_SIZE={size}",),
                )
                for kernel in KERNELS
                for pes in (5, 8, 16)
                for size in (1, 2, 3)
            ),
        )
    ],
}


@dataclass
class Run:
    """One start of pytest, in one or several processes."""

    name: str
    logs: Path
    pytest_args: list[str]
    launcher: list[str] = field(default_factory=list)
    ranks: int = 1
    environment: dict[str, str] = field(default_factory=dict)
    skip: str | None = None
    at_least: int = 0

    def command(self) -> list[str]:
        # Each process starts as this script, which finds its rank and then becomes pytest.
        as_rank = [sys.executable, __file__, "--as-rank", str(self.logs), *self.pytest_args]
        return [*self.launcher, *as_rank]

    def log(self, rank: int) -> Path:
        return self.logs / f"rank-{rank}.log"

    def report(self, rank: int) -> Path:
        return self.logs / f"rank-{rank}.xml"


def become_rank(logs: str, pytest_args: list[str]) -> None:
    """Turn this process into pytest, with a log file and a report file of its own."""
    rank = next((os.environ[name] for name in RANK_VARIABLES if name in os.environ), "0")
    with Path(logs, f"rank-{rank}.log").open("w") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    report = f"--junitxml={Path(logs, f'rank-{rank}.xml')}"
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-v", "-rs", report, *pytest_args])


def execute(run: Run, timeout_s: float) -> str | None:
    """Execute a run; return an error of the run as a whole, or None."""
    shutil.rmtree(run.logs, ignore_errors=True)
    run.logs.mkdir(parents=True)
    environment = {**os.environ, **run.environment, "MPIEXEC_TIMEOUT": str(int(timeout_s))}
    with (run.logs / "launcher.log").open("w") as log:
        process = subprocess.Popen(
            run.command(),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that a signal reaches all its processes
        )
        try:
            # The launcher should end the job after MPIEXEC_TIMEOUT. If it does not, this timeout
            # ends the job.
            code = process.wait(timeout_s + (GRACE_S if run.launcher else 0))
        except subprocess.TimeoutExpired:
            return f"ended after {timeout_s:.0f} s without a result"
        finally:
            end(process)
    return None if code == 0 else f"exit code {code}"


def end(process: subprocess.Popen[bytes]) -> None:
    """End all processes of a run that has not ended."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def cpu_of_children() -> float:
    """Return the CPU time of all processes that this process started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def read_report(path: Path) -> dict[str, tuple[str, str]] | None:
    """Return each test's verdict and reason, or None if the report is missing or incomplete."""
    try:
        cases = list(ET.parse(path).iter("testcase"))
    except (OSError, ET.ParseError):
        return None
    found: dict[str, tuple[str, str]] = {}
    for case in cases:
        test = f"{case.get('classname')}::{case.get('name')}"
        failed = [*case.findall("failure"), *case.findall("error")]
        skipped = case.findall("skipped")
        verdict = FAILED if failed else SKIPPED if skipped else PASSED
        reason = "".join((each.get("message") or "") for each in (failed or skipped)[:1])
        found[test] = weightiest(found.get(test), (verdict, reason))
    return found


def weightiest(one: tuple[str, str] | None, other: tuple[str, str]) -> tuple[str, str]:
    """Return the verdict with the larger weight. For equal weights, return ``one``."""
    return other if one is None or WEIGHT[other[0]] > WEIGHT[one[0]] else one


@dataclass
class Verdict:
    """The result of a run: its tests by verdict, the failures, and the reasons for skips."""

    tally: Counter[str]
    failed_ranks: list[int]
    failures: list[str]
    skips: Counter[str]

    def refuse_skips(self, expected: list[re.Pattern[str]]) -> None:
        """Count each unexpected reason for a skip as a failure."""
        for reason in self.skips:
            if not any(pattern.fullmatch(reason) for pattern in expected):
                self.tally[FAILED] += 1
                self.failures.append(f"skipped, which tests/skips.txt does not allow: {reason}")
                print("  " + self.failures[-1])


def expected_skips() -> list[re.Pattern[str]]:
    """Return the patterns of the expected reasons for skips."""
    lines = SKIPS.read_text().splitlines()
    return [re.compile(line) for line in lines if line and not line.startswith("#")]


def judge(run: Run, trouble: str | None, may_be_empty: bool) -> Verdict:
    """Count the tests of a run by verdict, and find the failures."""
    verdicts: dict[str, tuple[str, str]] = {}
    first_failures: dict[str, str] = {}
    failed_ranks = []
    missing_ranks = []
    for rank in range(run.ranks):
        report = read_report(run.report(rank))
        if report is None:
            missing_ranks.append(rank)
            failed_ranks.append(rank)
            continue
        for test, (verdict, reason) in report.items():
            verdicts[test] = weightiest(verdicts.get(test), (verdict, reason))
            if verdict == FAILED:
                in_short = " ".join(reason.split())[:SHOWN_REASON]
                first_failures.setdefault(test, f"{test}, rank {rank}: {in_short}")
                failed_ranks += [rank] if rank not in failed_ranks else []
    tally = Counter(verdict for verdict, _ in verdicts.values())
    skips = Counter(reason for verdict, reason in verdicts.values() if verdict == SKIPPED)
    failures = [*first_failures.values()]
    troubles = []
    if missing_ranks:
        last = last_test(run.log(missing_ranks[0]))
        troubles.append(f"no report from ranks {missing_ranks}, the first one's last test: {last}")
    if not tally[PASSED] + tally[FAILED]:
        if may_be_empty and trouble == NO_TEST_SELECTED:
            trouble = None
        elif not (may_be_empty and trouble is None):
            troubles.append("no test was executed")
    elif tally[PASSED] + tally[FAILED] < run.at_least:
        troubles.append(f"at least {run.at_least} tests have to pass; were tests lost?")
    if trouble and not tally[FAILED]:
        troubles.insert(0, trouble)
    if troubles:
        # An error that belongs to no test counts as one failure.
        tally[FAILED] += 1
        failures.append("; ".join(troubles))
        print("  " + failures[-1])
    return Verdict(tally, failed_ranks, failures, skips)


def last_lines(path: Path, count: int) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return "(no output)"
    return "\n".join(lines[-count:])


def last_test(log: Path) -> str:
    """Return the last test that a rank started, according to its log."""
    began = re.findall(r"^tests/\S+::\S+", last_lines(log, sys.maxsize), re.MULTILINE)
    return began[-1] if began else "none"


def show(run: Run, verdict: Verdict) -> None:
    """Print the reasons for skips, and the output of the ranks that failed."""
    for reason, count in verdict.skips.items():
        print(f"  skipped {count}: {reason}")
    if not verdict.failures:
        return
    shown = verdict.failed_ranks[:SHOWN_RANKS] or [0]
    for path in [run.logs / "launcher.log", *map(run.log, shown)]:
        text = last_lines(path, SHOWN_LINES)
        if text:
            print(f"----- {path.relative_to(ROOT)}\n{text}")
    if len(verdict.failed_ranks) > len(shown):
        print(f"----- failed too: ranks {verdict.failed_ranks[len(shown) :]}")


def import_error(module: str) -> str | None:
    """Return the error that an import of the module raises here, or None."""
    result = subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return None if result.returncode == 0 else result.stderr.strip().splitlines()[-1]


def find_launcher(mpi: str) -> list[str]:
    """Return the launcher next to this Python, or else the launcher on the PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec")
    if launcher is None:
        sys.exit("tests/run.py: no mpiexec, neither beside this Python nor on the PATH")
    # MPI permits this call before it is initialised.
    question = (
        "import mpi4py; mpi4py.rc.initialize = False\n"
        "from mpi4py import MPI; print(MPI.Get_library_version())"
    )
    answer = subprocess.run(
        [sys.executable, "-c", question], capture_output=True, text=True, check=True
    ).stdout
    if not answer.startswith(VENDORS[mpi]):
        first_line = answer.partition("\n")[0]
        sys.exit(f"tests/run.py: --mpi {mpi}, but this Python's mpi4py loads: {first_line}")
    return [launcher]


def selected_rows(options: argparse.Namespace) -> list[Row]:
    """Return the rows of the tier that the options select."""
    return [
        row
        for row in ROWS[options.tier]
        if row.mpi == (options.mpi or row.mpi)
        and row.kind in options.runs
        and (row.kind not in UNDER_MPIEXEC or row.kernel in options.kernels)
        and (row.kind not in UNDER_MPIEXEC or row.pes in (options.pes or [row.pes]))
    ]


def list_rows(options: argparse.Namespace) -> None:
    """Print the table, with the time of each row and of each tier."""
    for tier in [options.tier] if options.tier else ROWS:
        rows = selected_rows(argparse.Namespace(**{**vars(options), "tier": tier}))
        minutes = sum(row.seconds for row in rows) / 60
        print(f"{tier}: {len(rows)} runs, about {minutes:.0f} minutes on 2 cores")
        for row in rows:
            print(f"  {row.mpi:8}{row.seconds:5} s  {row.name}")


def files_with(folder: Path, marks: str) -> list[str]:
    """Return the files whose text has all these marks; without marks, return the folder.

    16 ranks on two cores would need half a minute to import all files.
    """
    wanted = [word for word in marks.split(" and ") if word and not word.startswith("not ")]
    found = [
        str(path.relative_to(ROOT))
        for path in sorted(folder.glob("test_*.py"))
        if all(word in path.read_text() for word in wanted)
    ]
    return found if wanted else [str(folder.relative_to(ROOT))]


def plan(options: argparse.Namespace) -> list[Run]:
    """Make a run for each row."""
    launcher = find_launcher(options.mpi)
    rows = selected_rows(options)
    kinds = {row.kind for row in rows}
    no_hosts = network.unavailable() if {"hosts", "on-hosts"} & kinds else None
    uncompiled = import_error(KERNELS["compiled"]) if set(UNDER_MPIEXEC) & kinds else None
    runs = []
    for row in rows:
        under_mpiexec = row.kind in UNDER_MPIEXEC
        folder = "mpi" if under_mpiexec else row.kind
        dist = BY_FILE if row.kind == "unit" else IN_ORDER
        files = [f"tests/{folder}/test_{name}.py" for name in row.files]
        files = files or files_with(ROOT / "tests" / folder, row.marks)
        run = Run(
            row.name,
            LOGS / options.mpi / "-".join(re.findall(r"[\w+]+", row.name)),
            [
                *files,
                *(f"--ignore=tests/{folder}/test_{name}.py" for name in row.without),
                *(["-m", row.marks] if row.marks else []),
                *(["-k", options.only] if options.only else []),
                *(["--part", row.part] if row.part != "1/1" else []),
                *(["-n", str(row.workers), *dist] if row.workers else []),
            ],
            environment={"REDCOLL_TEST_MPIEXEC": shlex.join(launcher)},
            at_least=0 if options.only else row.at_least,
        )
        if under_mpiexec:
            run.pytest_args += [
                "--with-mpi",
                *("-p", "no:cacheprovider"),  # the ranks would share one cache
                *("-o", "faulthandler_exit_on_timeout=true"),  # a rank that hangs ends the job
            ]
            run.environment = {
                "REDCOLL_KERNEL": row.kernel,
                "REDCOLL_TIMEOUT": str(WAIT_TIMEOUT_S),
                **dict(setting.split("=") for setting in row.environment),
            }
            run.ranks = row.pes
            run.launcher = [*launcher, "-n", str(row.pes)]
            if row.kernel == "compiled" and uncompiled:
                run.skip = f"the compiled kernel cannot be imported: {uncompiled}"
        if row.kind == "on-hosts":
            make = [sys.executable, str(ON_HOSTS), "--mpi", options.mpi, "--mpiexec", *launcher]
            run.launcher = [*make, "--pes", ",".join(map(str, row.layout)), "--"]
        if row.kind in ("hosts", "on-hosts"):
            run.skip = no_hosts or run.skip
        runs.append(run)
    return runs


def parse_options() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(word) for word in text.split(",")]

    def some_of(known: Iterable[str]) -> Callable[[str], list[str]]:
        def names(text: str) -> list[str]:
            unknown = sorted(set(text.split(",")) - set(known))
            if unknown:
                raise argparse.ArgumentTypeError(f"unknown {unknown}, known are {sorted(known)}")
            return text.split(",")

        return names

    parser = argparse.ArgumentParser(
        description="Run one tier of the tests on one MPI library.",
        epilog="Example: tests/run.py --mpi mpich --tier test --runs mpi --pes 3 --only scan",
    )
    parser.add_argument("--mpi", choices=sorted(VENDORS), help="the library of this Python")
    parser.add_argument("--tier", choices=list(ROWS), help="the rows to run (default: test)")
    parser.add_argument("--list", action="store_true", help="print the rows and run nothing")
    parser.add_argument(
        "--runs", type=some_of(KINDS), default=",".join(KINDS), help="only these kinds of runs"
    )
    parser.add_argument("--pes", type=numbers, help="only runs with these numbers of PEs")
    parser.add_argument(
        "--kernels", type=some_of(KERNELS), default=",".join(KERNELS), help="only these kernels"
    )
    parser.add_argument("--only", metavar="PATTERN", help="only tests that pytest -k selects")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail on a skip whose reason is not in tests/skips.txt",
    )
    parser.add_argument(
        "--timeout", type=float, default=1200, help="seconds for one run (default: 1200)"
    )
    options = parser.parse_args()
    if not options.list:
        if options.mpi is None:
            parser.error("--mpi is required, except with --list")
        options.tier = options.tier or "test"
    return options


def main() -> int:
    options = parse_options()
    if options.list:
        list_rows(options)
        return 0
    # Background jobs of a shell ignore SIGINT, and this process inherits the setting.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # By default SIGTERM would end only this program, and the current run would continue.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    total: Counter[str] = Counter()
    failures = []
    runs = plan(options)
    began = time.monotonic()
    print(f"{options.mpi}: {len(runs)} runs; tests/run.py --list prints them")
    for run in runs:
        print(f"{options.mpi}: {run.name} ...", flush=True)
        start, cpu_start_s = time.monotonic(), cpu_of_children()
        if run.skip:
            verdict = Verdict(Counter({SKIPPED: 1}), [], [], Counter({run.skip: 1}))
        else:
            trouble = execute(run, options.timeout)
            verdict = judge(run, trouble, may_be_empty=bool(options.only))
        show(run, verdict)
        if options.strict:
            verdict.refuse_skips(expected_skips())
        counts = ", ".join(f"{verdict.tally[kind]} {kind}" for kind in (PASSED, FAILED, SKIPPED))
        wall_s, cpu_s = time.monotonic() - start, cpu_of_children() - cpu_start_s
        print(f"  {counts} in {wall_s:.1f} s, with {cpu_s:.1f} s of CPU time", flush=True)
        total += verdict.tally
        failures += [f"{options.mpi}: {run.name}: {failure}" for failure in verdict.failures]
    if not total[PASSED] + total[FAILED] and not any(run.skip for run in runs):
        print("no test was executed at all")
        total[FAILED] += 1
    print(f"{options.mpi}: all runs took {time.monotonic() - began:.0f} s")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{total[PASSED]} passed, {total[FAILED]} failed, {total[SKIPPED]} skipped")
    return 1 if total[FAILED] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-rank"]:
        become_rank(sys.argv[2], sys.argv[3:])
    sys.exit(main())
