"""Measure redcoll next to mpi4py on hosts that tests/hosts/network.py makes on this machine.

``python benchmarks/several_hosts.py --mpi mpich DIRECTORY`` starts ``python -m redcoll bench`` on 2
to 16 hosts, and counts the packets of 8-byte calls on the links. It writes a JSON file for each
network of the MPI. ``--page FILE DIRECTORY`` renders a page from these files. ``make bench-hosts``
runs both commands.

Each host uses only its part of this machine's cores. If there are too few cores, several hosts use
the same core. With ``--cores shared`` all hosts use all cores, and times differ more from run to
run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hosts_page
import numpy as np
from hosts_page import CALLS, Layout

import redcoll
from redcoll.bench import results
from redcoll.bench.results import Run

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "hosts"))

from network import Hosts, unavailable  # noqa: E402 - the module is on the path now

Job = subprocess.Popen[bytes]
LAYOUTS: tuple[Layout, ...] = (
    *((hosts, 1) for hosts in (2, 4, 8, 16)),
    *((hosts, ranks) for ranks in (2, 4) for hosts in (2, 4, 8)),
)
SIZES = "8,1k,32k,256k,1m,8m"
NETWORKS = {"mpich": ("ucx", "ofi"), "openmpi": ("tcp",)}
BENCH = (
    f"--collectives {','.join(CALLS)} --ops sum --types float64 --paths private --apis core "
    "--peers mpi4py --progress no"
)
QUICK_LAYOUTS: tuple[Layout, ...] = ((2, 1), (4, 1), (2, 2))
QUICK = "--bytes 8,32k,1m --repeats 2 --batch-ms 5"
COUNTED_CALLS = 1000
JOB_S = 1800


def count_calls(directory: Path, n_calls: int) -> None:
    """Call the 8-byte allreduce of each library.

    Pause before and after the calls, so that ``_read`` can read the counters of the links.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    source, target = np.ones(1), np.empty(1)
    calls: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "redcoll": lambda: redcoll.allreduce(target, source, redcoll.SUM),
        "mpi4py": lambda: comm.Allreduce(source, target),
    }
    redcoll.init()
    for name, call in calls.items():
        for _ in range(100):
            call()
        _stop(comm, directory / f"{name}-before")
        for _ in range(n_calls):
            call()
        _stop(comm, directory / f"{name}-after")


def _stop(comm: Any, mark: Path) -> None:
    comm.Barrier()
    if comm.rank == 0:
        mark.touch()
        while mark.exists():
            time.sleep(0.01)
    comm.Barrier()


def measure(mpi: str, netmod: str, options: argparse.Namespace) -> tuple[list[Run], list[str]]:
    """Run all jobs of an MPI over a network; return their results, and which jobs failed."""
    runs, failures = [], []
    for n_hosts in sorted({hosts for hosts, _ in options.layouts}):
        with Hosts(n_hosts, own_cores=options.cores == "own") as hosts:
            for ranks in sorted(r for h, r in options.layouts if h == n_hosts):
                for order in options.orders:
                    name = f"{mpi} over {netmod}: {n_hosts} hosts x {ranks} ranks, order {order}"
                    print(f"\n{name}", flush=True)
                    try:
                        runs.append(_measure(hosts, mpi, netmod, ranks, order, options))
                    except (RuntimeError, subprocess.TimeoutExpired) as error:
                        failures.append(f"{name}: {error}")
    return runs, failures


def _measure(
    hosts: Hosts, mpi: str, netmod: str, ranks: int, order: str, options: argparse.Namespace
) -> Run:
    variables = {
        **os.environ,
        **hosts.environment(mpi, netmod if mpi == "mpich" else None),
        "REDCOLL_ORDER": order,
        "REDCOLL_KERNEL": "compiled",
    }

    @contextlib.contextmanager
    def job(*program: str) -> Iterator[Job]:
        command = [*hosts.launcher(mpi, [ranks] * hosts.n), sys.executable, *program]
        # Discard the benchmark's output, except errors.
        process = subprocess.Popen(  # noqa: S603
            command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait()

    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "run.json")
        bench = ("-m", "redcoll", "bench", *BENCH.split(), *options.how.split())
        with job(*bench, "--json", str(path)) as process:
            if process.wait(JOB_S):
                raise RuntimeError(f"the benchmark ended with exit code {process.returncode}")
        [run] = results.load([path])
        with job(__file__, "--count", str(options.counted_calls), scratch) as process:
            links = _count(hosts, process, Path(scratch), options.counted_calls)
    run.facts |= {"network": netmod, "order": order, "links": links}
    run.facts["options"]["cores"] = options.cores
    return run


def _count(hosts: Hosts, job: Job, directory: Path, n_calls: int) -> dict[str, dict[str, float]]:
    """Return packets and bytes that a host sends for a call, as mean and maximum over the hosts."""
    counted: dict[str, dict[str, list[float]]] = {}
    for name in ("nothing", "redcoll", "mpi4py"):
        before = _read(hosts, job, directory / f"{name}-before")
        after = _read(hosts, job, directory / f"{name}-after")
        counted[name] = {
            unit: [(after[unit][host][0] - before[unit][host][0]) / n_calls for host in hosts.hosts]
            for unit in before
        }
    if job.wait(60):
        raise RuntimeError(f"counting ended with exit code {job.returncode}")
    links: dict[str, dict[str, float]] = {}
    for name in ("redcoll", "mpi4py"):
        links[name] = {}
        for unit, idle in counted["nothing"].items():
            net = [sent - more for sent, more in zip(counted[name][unit], idle, strict=True)]
            links[name][f"mean_{unit}"] = round(statistics.mean(net), 2)
            links[name][f"most_{unit}"] = round(max(net), 2)
    return links


def _read(hosts: Hosts, job: Job, mark: Path) -> dict[str, dict[int, tuple[int, int]]]:
    """Wait until the job pauses at ``mark``, read the links' counters, and let the job continue."""
    end_s = time.monotonic() + JOB_S
    while not mark.exists():
        if job.poll() is not None or time.monotonic() > end_s:
            raise RuntimeError(f"the job that counts did not come to {mark.name}")
        time.sleep(0.01)
    time.sleep(0.1)  # wait for acknowledgements that TCP delays
    found = {"packets": hosts.link_packets(), "bytes": hosts.link_bytes()}
    mark.unlink()
    return found


def _layouts(text: str) -> tuple[Layout, ...]:
    pairs = (word.split("x") for word in text.split(","))
    return tuple((int(hosts), int(ranks)) for hosts, ranks in pairs)


# fmt: off
def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measure redcoll next to mpi4py on several hosts of this machine.",
        epilog="Example: benchmarks/several_hosts.py --mpi mpich --layouts 2x1,4x2 build",
    )
    add = parser.add_argument
    add("directory", type=Path, help="where the JSON files are")
    add("--mpi", choices=NETWORKS, help="the MPI of this Python (default: measure nothing)")
    add("--networks", metavar="NAME,NAME", help="of MPICH: ucx, ofi (default: both)")
    add("--orders", default="node,mpi", metavar="NAME,NAME",
        help="values of REDCOLL_ORDER (default: node,mpi)")
    add("--layouts", type=_layouts, metavar="HxR,HxR",
        help=f"hosts x ranks (default: {','.join(f'{h}x{r}' for h, r in LAYOUTS)})")
    add("--cores", choices=("own", "shared"), default="own",
        help="whether each host keeps to its part of the cores (default: own)")
    add("--how", metavar="OPTIONS", help="options of `python -m redcoll bench` "
        f"(default: --bytes {SIZES} --repeats 5)")
    add("--quick", action="store_true",
        help="try the tool: few layouts, sizes and calls (default: measure)")
    add("--page", type=Path, metavar="FILE", help="render this page (default: none)")
    add("--count", type=int, metavar="N", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.orders = options.orders.split(",")
    options.layouts = options.layouts or (QUICK_LAYOUTS if options.quick else LAYOUTS)
    options.how = options.how or (QUICK if options.quick else f"--bytes {SIZES} --repeats 5")
    options.counted_calls = COUNTED_CALLS // 10 if options.quick else COUNTED_CALLS
    return options
# fmt: on


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or render the page; return the exit code."""
    options = _parse(arguments)
    if options.count is not None:
        count_calls(options.directory, options.count)
        return 0
    failures: list[str] = []
    if options.mpi:
        # Let SIGTERM raise SystemExit, so that the `with` statement in measure() removes the
        # networks.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        reason = unavailable()
        networks = options.networks.split(",") if options.networks else NETWORKS[options.mpi]
        for netmod in () if reason else networks:
            runs, failed = measure(options.mpi, netmod, options)
            failures += failed
            if runs:
                suffix = f"-{netmod}" if options.mpi == "mpich" else ""
                results.save(options.directory / f"hosts-{options.mpi}{suffix}.json", runs)
                print(f"\n{hosts_page.sections(runs)}")
        failures += [reason] if reason else []
    if options.page:
        files = sorted(options.directory.glob("hosts-*.json"))
        options.page.write_text(hosts_page.render(results.load(files)))
    for failure in failures:
        sys.stderr.write(f"benchmarks/several_hosts.py: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
