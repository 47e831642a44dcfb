"""
The test driver: all tests, on one MPI library, with every kernel, at every number of PEs.

It belongs under ``make test``, which installs the libraries and sets what they need to be told::

    python tests/run.py --mpi mpich [--pes 1,2,3] [--kernels numpy] [--only PATTERN]
    python tests/run.py --mpi openmpi --runs all-hosts,all-nodes [--layouts 2+2] [--node-sizes 2]
                        [--order strict]

Four kinds of runs: ``unit``, ``tests/unit`` once, in one process; ``mpi``, ``tests/mpi`` under
``mpiexec`` for each kernel and number of PEs; ``jobs``, ``tests/jobs`` once, whose tests start jobs
themselves, by the command line in ``REDCOLL_TEST_MPIEXEC``; ``hosts``, on hosts made for it,
``tests/hosts`` once, which starts jobs likewise, and some of ``tests/mpi`` on two hosts with two
PEs each. Two kinds more have to be asked for: ``all-hosts``, the whole of ``tests/mpi`` with each
kernel for each layout, which is the PEs of each host, and ``all-nodes``, the same with each number
of PEs on pretended nodes of each size. Where no hosts can be made, the runs on them count as
skipped.

Each rank of a run writes its output and its report to ``build/tests/MPI/RUN/rank-N.{log,xml}``.
A test has failed when it failed on any rank. A run has failed, too, when a rank left no report, or
when no test was executed. Whatever failed is named once more at the end, before the totals.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree as ET

from hosts import network

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "tests"
ON_HOSTS = ROOT / "tests" / "hosts" / "run.py"

# What each library calls itself, and where its launcher tells a process its rank.
VENDORS = {"mpich": "MPICH", "openmpi": "Open MPI"}
RANK_VARIABLES = ("PMIX_RANK", "PMI_RANK")

FEW_PES = (3,)
# Up to here all tests run, also with --part.
UNDIVIDED_PES = 3
PVM_TESTS = [f"tests/mpi/test_pvm_{name}.py" for name in ("groups", "messages", "nodes", "reduce")]
# Of each face something, and what is special between nodes.
TWO_HOSTS = (2, 2)
TWO_HOSTS_TESTS = [
    f"tests/mpi/test_{name}.py"
    for name in ("nodes", "reductions", "shmem_rma", "shmem_signals", "pvm_reduce")
]
USUAL_RUNS = ("unit", "mpi", "jobs", "hosts")
RUNS = (*USUAL_RUNS, "all-hosts", "all-nodes")
KERNELS = {"numpy": "redcoll.kernels.numpy", "compiled": "redcoll.kernels.compiled"}

# Most tests of jobs wait most of their time; those marked as alone run one after the other.
JOBS_AT_A_TIME = 3

# Seconds that a wait inside redcoll may take, and the launcher to tidy up after a signal.
WAIT_TIMEOUT_S = 60
GRACE_S = 15

# A failed run shows this much; its files have all of it.
SHOWN_RANKS = 3
SHOWN_LINES = 300
# And the list of all that failed this many characters of each reason.
SHOWN_REASON = 300

# What pytest's exit code says when no test was selected.
NO_TEST_SELECTED = "exit code 5"

# A test's verdict over all ranks is the weightiest one.
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
WEIGHT = {SKIPPED: 0, PASSED: 1, FAILED: 2}


@dataclass
class Run:
    """One start of pytest, in one process or in many."""

    name: str
    logs: Path
    pytest_args: list[str]
    launcher: list[str] = field(default_factory=list)
    ranks: int = 1
    environment: dict[str, str] = field(default_factory=dict)
    skip: str | None = None

    def command(self) -> list[str]:
        # Each process starts as this script, which finds out its rank and then becomes pytest.
        as_rank = [sys.executable, __file__, "--as-rank", str(self.logs), *self.pytest_args]
        return [*self.launcher, *as_rank]

    def log(self, rank: int) -> Path:
        return self.logs / f"rank-{rank}.log"

    def report(self, rank: int) -> Path:
        return self.logs / f"rank-{rank}.xml"


def become_rank(logs: str, pytest_args: list[str]) -> None:
    """Turn this process into pytest, its output and its report in files of its own."""
    rank = next((os.environ[name] for name in RANK_VARIABLES if name in os.environ), "0")
    with Path(logs, f"rank-{rank}.log").open("w") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    report = f"--junitxml={Path(logs, f'rank-{rank}.xml')}"
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-v", "-rs", report, *pytest_args])


def execute(run: Run, timeout_s: float) -> str | None:
    """Execute a run; return what was wrong with it as a whole, if anything."""
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
            start_new_session=True,  # so that a signal reaches all of it
        )
        try:
            # A launcher ends its job itself, at MPIEXEC_TIMEOUT; this is for when it does not.
            code = process.wait(timeout_s + (GRACE_S if run.launcher else 0))
        except subprocess.TimeoutExpired:
            return f"ended after {timeout_s:.0f} s without a result"
        finally:
            end(process)
    return None if code == 0 else f"exit code {code}"


def end(process: subprocess.Popen[bytes]) -> None:
    """End a run that still goes on, and what it started."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def read_report(path: Path) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the verdict on each test and why it failed, or None without a (whole) report."""
    try:
        cases = list(ET.parse(path).iter("testcase"))
    except (OSError, ET.ParseError):
        return None
    verdicts: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for case in cases:
        test = f"{case.get('classname')}::{case.get('name')}"
        failures = [*case.findall("failure"), *case.findall("error")]
        if failures:
            verdict = FAILED
            reasons.setdefault(test, failures[0].get("message") or "")
        else:
            verdict = PASSED if case.find("skipped") is None else SKIPPED
        verdicts[test] = max(verdict, verdicts.get(test, SKIPPED), key=WEIGHT.__getitem__)
    return verdicts, reasons


@dataclass
class Verdict:
    """What came of a run: its tests by their verdicts, and what failed."""

    tally: Counter[str]
    failed_ranks: list[int]
    failures: list[str]


def judge(run: Run, trouble: str | None, may_be_empty: bool) -> Verdict:
    """Count the tests of a run by their verdicts, and find what failed."""
    verdicts: dict[str, str] = {}
    first_reasons: dict[str, str] = {}
    failed_ranks = []
    missing_ranks = []
    for rank in range(run.ranks):
        report = read_report(run.report(rank))
        if report is None:
            missing_ranks.append(rank)
            failed_ranks.append(rank)
            continue
        of_rank, reasons = report
        if reasons:
            failed_ranks.append(rank)
        for test, verdict in of_rank.items():
            verdicts[test] = max(verdict, verdicts.get(test, SKIPPED), key=WEIGHT.__getitem__)
        for test, reason in reasons.items():
            in_short = " ".join(reason.split())[:SHOWN_REASON]
            first_reasons.setdefault(test, f"{test}, rank {rank}: {in_short}")
    tally = Counter(verdicts.values())
    failures = [*first_reasons.values()]
    troubles = []
    if missing_ranks:
        last = last_test(run.log(missing_ranks[0]))
        troubles.append(f"no report from ranks {missing_ranks}, the first one's last test: {last}")
    if not tally[PASSED] + tally[FAILED]:
        if may_be_empty and trouble == NO_TEST_SELECTED:
            trouble = None
        elif not (may_be_empty and trouble is None):
            troubles.append("no test was executed")
    if trouble and not tally[FAILED]:
        troubles.insert(0, trouble)
    if troubles:
        # What belongs to no test must not pass unseen: it counts as one failure.
        tally[FAILED] += 1
        failures.append("; ".join(troubles))
        print("  " + failures[-1])
    return Verdict(tally, failed_ranks, failures)


def last_lines(path: Path, count: int) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return "(no output)"
    return "\n".join(lines[-count:])


def last_test(log: Path) -> str:
    """Return the last test that a rank began, by its log."""
    began = re.findall(r"^tests/\S+::\S+", last_lines(log, sys.maxsize), re.MULTILINE)
    return began[-1] if began else "none"


def show(run: Run, verdict: Verdict) -> None:
    """Show why tests were skipped on rank 0 and, of a failed run, what its failed ranks wrote."""
    if not verdict.failures:
        log = run.log(0).read_text(errors="replace").splitlines()
        for line in log:
            if line.startswith("SKIPPED ["):
                print("  " + line)
        return
    shown = verdict.failed_ranks[:SHOWN_RANKS] or [0]
    for path in [run.logs / "launcher.log", *map(run.log, shown)]:
        text = last_lines(path, SHOWN_LINES)
        if text:
            print(f"----- {path.relative_to(ROOT)}\n{text}")
    if len(verdict.failed_ranks) > len(shown):
        print(f"----- failed too: ranks {verdict.failed_ranks[len(shown) :]}")


def import_error(module: str) -> str | None:
    """Return why a module cannot be imported here, if so."""
    result = subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return None if result.returncode == 0 else result.stderr.strip().splitlines()[-1]


def usable_kernels(names: list[str]) -> list[str]:
    """Leave out the compiled kernel where it was not built; NumPy's is always there."""
    usable = []
    for name in names:
        reason = import_error(KERNELS[name]) if name == "compiled" else None
        if reason:
            print(f"kernel {name} skipped: {reason}")
        else:
            usable.append(name)
    return usable


def find_launcher(mpi: str) -> list[str]:
    """Return the launcher beside this Python or, with a system MPI, on the PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec")
    if launcher is None:
        sys.exit("tests/run.py: no mpiexec, neither beside this Python nor on the PATH")
    # Asked for before MPI starts, which MPI allows for this one.
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


def plan(options: argparse.Namespace) -> list[Run]:
    """List all runs."""
    launcher = find_launcher(options.mpi)
    logs = LOGS / options.mpi
    only = ["-k", options.only] if options.only else []
    jobs_environment = {"REDCOLL_TEST_MPIEXEC": shlex.join(launcher)}

    def under_mpiexec(
        where: str,
        kernel: str,
        launcher: list[str],
        pes: int,
        skip: str | None = None,
        tests: Sequence[str] = ("tests/mpi",),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Run:
        return Run(
            f"mpi, kernel {kernel}, {where}",
            logs / "-".join(["mpi", kernel, *re.findall(r"[\w+]+", where)]),
            [
                *tests,
                "--with-mpi",
                *("-p", "no:cacheprovider"),  # the ranks would write to one place
                *("-o", "faulthandler_exit_on_timeout=true"),  # a rank that hangs ends the job
                *(["--part", options.part] if pes > UNDIVIDED_PES else []),
                *only,
            ],
            launcher=launcher,
            ranks=pes,
            environment={
                "REDCOLL_KERNEL": kernel,
                "REDCOLL_ORDER": options.order,
                "REDCOLL_TIMEOUT": str(WAIT_TIMEOUT_S),
                **environment,
            },
            skip=skip,
        )

    def on_this_machine(what: str, kernel: str, pes: int, **others: Any) -> Run:
        command = [*launcher, "-n", str(pes)]
        return under_mpiexec(f"{what}PEs {pes}", kernel, command, pes, **others)

    kernels = usable_kernels(options.kernels)
    runs = []
    if "unit" in options.runs:
        runs.append(Run("unit", logs / "unit", ["tests/unit", *only]))
    if "mpi" in options.runs:
        runs += [
            on_this_machine("", kernel, pes)
            for kernel in kernels
            for pes in options.pes
            if options.thorough in ("both", kernel) or pes in FEW_PES
        ]
        # What has a way of its own between nodes, here pretended ones: groups of tasks, and the
        # other engine, whose tests make teams of nodes of several sizes themselves.
        runs += [
            on_this_machine(f"{what}, ", kernel, pes, tests=tests, environment=environment)
            for kernel in kernels[-1:]
            for pes in options.pes
            if pes == min(FEW_PES)
            for what, tests, environment in (
                ("groups of tasks, two PEs a node", PVM_TESTS, {"REDCOLL_NODE_SIZE": "2"}),
                ("windows", ["tests/mpi/test_nodes.py"], {"REDCOLL_INTERNODE": "window"}),
            )
        ]
    if "jobs" in options.runs:
        runs += [
            Run(name, logs / name, ["tests/jobs", *which, *only], environment=jobs_environment)
            for name, which in (
                ("jobs", ["-n", str(JOBS_AT_A_TIME), "-m", "not alone"]),
                ("jobs-alone", ["-m", "alone"]),
            )
        ]
    skip = network.unavailable() if {"hosts", "all-hosts"} & set(options.runs) else None

    def on_hosts(layout: Sequence[int], kernel: str, tests: Sequence[str]) -> Run:
        make = [sys.executable, str(ON_HOSTS), "--mpi", options.mpi, "--mpiexec", *launcher]
        return under_mpiexec(
            f"hosts with PEs {'+'.join(map(str, layout))}",
            kernel,
            [*make, "--pes", ",".join(map(str, layout)), "--"],
            sum(layout),
            skip,
            tests,
        )

    if "hosts" in options.runs:
        tests = ["tests/hosts", *only]
        runs.append(Run("hosts", logs / "hosts", tests, environment=jobs_environment, skip=skip))
        if "all-hosts" not in options.runs:
            runs += [on_hosts(TWO_HOSTS, kernel, TWO_HOSTS_TESTS) for kernel in kernels[-1:]]
    if "all-hosts" in options.runs:
        runs += [
            on_hosts(layout, kernel, ["tests/mpi"])
            for kernel in kernels
            for layout in options.layouts
            if options.thorough in ("both", kernel)
        ]
    if "all-nodes" in options.runs:
        runs += [
            on_this_machine(
                f"nodes of {node_size}, ",
                kernel,
                pes,
                environment={"REDCOLL_NODE_SIZE": str(node_size)},
            )
            for kernel in kernels
            for pes in options.pes
            for node_size in options.node_sizes
            if node_size < pes and options.thorough in ("both", kernel)
        ]
    return runs


def parse_options() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(word) for word in text.split(",")]

    def layouts(text: str) -> list[list[int]]:
        return [[int(word) for word in layout.split("+")] for layout in text.split(",")]

    def some_of(known: Iterable[str]) -> Callable[[str], list[str]]:
        def names(text: str) -> list[str]:
            unknown = sorted(set(text.split(",")) - set(known))
            if unknown:
                raise argparse.ArgumentTypeError(f"unknown {unknown}, known are {sorted(known)}")
            return text.split(",")

        return names

    parser = argparse.ArgumentParser(description="Run all tests on one MPI library.")
    parser.add_argument("--mpi", choices=sorted(VENDORS), required=True)
    parser.add_argument("--pes", type=numbers, default="1,2,3,4,5,8,16", help="numbers of PEs")
    parser.add_argument("--kernels", type=some_of(KERNELS), default="numpy,compiled")
    parser.add_argument(
        "--runs", type=some_of(RUNS), default=",".join(USUAL_RUNS), help="kinds of runs"
    )
    parser.add_argument(
        "--layouts", type=layouts, default="2+2,1+2+3", help="PEs of each host, for all-hosts"
    )
    parser.add_argument(
        "--node-sizes", type=numbers, default="1,2,3", help="PEs of a pretended node, for all-nodes"
    )
    parser.add_argument(
        "--order", choices=["node", "strict"], default="node", help="REDCOLL_ORDER of tests/mpi"
    )
    parser.add_argument(
        "--thorough",
        choices=[*KERNELS, "both"],
        default="both",
        help=f"the kernel that is tested at all numbers of PEs, the other at {min(FEW_PES)} alone",
    )
    parser.add_argument(
        "--part",
        metavar="K/N",
        default="1/1",
        help=f"at more than {UNDIVIDED_PES} PEs, of N parts of the tests only the K-th",
    )
    parser.add_argument("--only", metavar="PATTERN", help="the tests that pytest -k would select")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for one run")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    # A shell's background job ignores it, and so would all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    total: Counter[str] = Counter()
    failures = []
    runs = plan(options)
    for run in runs:
        print(f"{options.mpi}: {run.name} ...", flush=True)
        if run.skip:
            print(f"  skipped: {run.skip}")
            total[SKIPPED] += 1
            continue
        start = time.monotonic()
        trouble = execute(run, options.timeout)
        verdict = judge(run, trouble, may_be_empty=bool(options.only))
        show(run, verdict)
        counts = ", ".join(f"{verdict.tally[kind]} {kind}" for kind in (PASSED, FAILED, SKIPPED))
        print(f"  {counts} in {time.monotonic() - start:.1f} s", flush=True)
        total += verdict.tally
        failures += [f"{options.mpi}: {run.name}: {failure}" for failure in verdict.failures]
    if not total[PASSED] + total[FAILED] and not any(run.skip for run in runs):
        print("no test was executed at all")
        total[FAILED] += 1
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{total[PASSED]} passed, {total[FAILED]} failed, {total[SKIPPED]} skipped")
    return 1 if total[FAILED] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-rank"]:
        become_rank(sys.argv[2], sys.argv[3:])
    sys.exit(main())
