"""Measure redcoll next to mpi4py on hosts that tests/hosts/network.py makes on this machine.

``python benchmarks/several_hosts.py --mpi mpich DIRECTORY`` starts ``python -m redcoll bench`` on 2
to 16 hosts, and counts the packets of 8-byte calls on the links. It writes a JSON file for each
network of the MPI. ``--page FILE DIRECTORY`` renders a page from these files. ``make bench-hosts``
does both.

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import redcoll
from redcoll.bench import results, tables
from redcoll.bench.results import Point, Run

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "hosts"))

from network import Hosts, unavailable  # noqa: E402 - the module is on the path now

Job = subprocess.Popen[bytes]
Layout = tuple[int, int]
"""Number of hosts, and number of ranks on each host."""
LAYOUTS: tuple[Layout, ...] = (
    *((hosts, 1) for hosts in (2, 4, 8, 16)),
    *((hosts, ranks) for ranks in (2, 4) for hosts in (2, 4, 8)),
)
SIZES = "8,1k,32k,256k,1m,8m"
NETWORKS = {"mpich": ("ucx", "ofi"), "openmpi": ("tcp",)}
CALLS = {"allreduce": "Allreduce", "reduce": "Reduce", "reduce_scatter": "Reduce_scatter_block"}
BENCH = (
    f"--collectives {','.join(CALLS)} --ops sum --types float64 --paths private --apis core "
    "--peers mpi4py --progress no"
)
QUICK_LAYOUTS: tuple[Layout, ...] = ((2, 1), (4, 1), (2, 2))
QUICK = "--bytes 8,32k,1m --repeats 2 --batch-ms 5"
COUNTED_CALLS = 1000
JOB_S = 1800

MOST_MEAN = 0.7
"""Largest allowed geometric mean of allreduce with several ranks on each host."""
MOST_GROWTH = 1.15
"""Largest allowed ratio on 16 hosts divided by the ratio on 4 hosts, with one rank on each host."""


def most(collective: str, order: str, ranks: int) -> float:
    """Return the largest ratio to mpi4py that redcoll may have."""
    if collective != "allreduce":
        return 1.2
    if ranks > 1:
        return 1.0
    return 1.2 if order == "mpi" else 1.4


def count_calls(directory: Path, n_calls: int) -> None:
    """Call each library's 8-byte allreduce; stop before and after, to let counters be read."""
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
    """Wait until the job stops at the mark, read the links' counters, and let the job go on."""
    end_s = time.monotonic() + JOB_S
    while not mark.exists():
        if job.poll() is not None or time.monotonic() > end_s:
            raise RuntimeError(f"the job that counts did not come to {mark.name}")
        time.sleep(0.01)
    time.sleep(0.1)  # wait for acknowledgements that TCP delays
    found = {"packets": hosts.link_packets(), "bytes": hosts.link_bytes()}
    mark.unlink()
    return found


_INTRODUCTION = """\
<!-- Rendered by `make bench-hosts` from performance/hosts-*.json: change nothing here. -->

# How fast is redcoll on several hosts?

This page is for people who run jobs on more than one node. It compares redcoll with mpi4py in the
same jobs: allreduce, reduce and reduce_scatter, float64 sums, ordinary arrays.

The hosts are network namespaces on one machine, which TCP connects. They share its cores: rows
with † are **oversubscribed**, with more ranks than cores. `make bench-hosts` needs root.
redcoll and mpi4py take turns in each job, and every result is checked.

Each cell has redcoll's microseconds for one call and, in brackets, the median of the ratios to
mpi4py's time. Ratios in bold are above their limit:

* `Allreduce`, 1 rank on each host: 1.4 with `REDCOLL_ORDER=node`, 1.2 with `REDCOLL_ORDER=mpi`.
  The ratio on 16 hosts is at most 1.15 times that on 4.
* `Allreduce`, 2 or 4 ranks on each host: 1.0, and 0.7 for the geometric mean.
* `Reduce` and `Reduce_scatter_block`: 1.2.

```{figure} performance/hosts.png
:alt: ratio of redcoll's time to mpi4py's by the number of hosts, a line for each size

Allreduce in order `node`. Below 1 redcoll is faster.
```

Packets and bytes on the links are those that a host sends for one allreduce of 8 bytes, the mean
of all hosts. Packets are in bold where they grow faster than the logarithm of the hosts.
"""


def layout_of(run: Run) -> Layout:
    """Return the number of hosts of a job, and the largest number of ranks on a host."""
    ranks = Counter(run.facts["nodes"])
    return len(ranks), max(ranks.values())


def _name(layout: Layout, runs: Sequence[Run]) -> str:
    hosts, ranks = layout
    return f"{hosts} x {ranks}{'†' if hosts * ranks > runs[0].facts['cpus'] else ''}"


def render(runs: Iterable[Run]) -> str:
    """Return the page."""
    by_mpi: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: layout_of(run)[::-1]):
        over = run.facts.get("network", "TCP")
        by_mpi.setdefault(f"{run.facts['mpi']} over {over}", []).append(run)
    parts = [_INTRODUCTION]
    for name, mine in by_mpi.items():
        parts += [f"## {name}", "", _machine(mine), ""]
        for order in dict.fromkeys(run.facts.get("order", "node") for run in mine):
            ordered = [run for run in mine if run.facts.get("order", "node") == order]
            for collective, call in CALLS.items():
                parts += _table(ordered, collective, f"### `{call}`, order `{order}`", order)
            parts += _links(ordered, order)
    return "\n".join(parts)


def _machine(runs: Sequence[Run]) -> str:
    facts = runs[0].facts
    others = max(run.facts["others_cores"] or 0 for run in runs)
    return (
        f"{facts['cpu']}, {facts['cpus']} cores in all, {facts['system']}; mpi4py "
        f"{facts['mpi4py']}, Python {facts['python']}. {facts['date'][:10]}; medians of "
        f"{facts['options']['repeats']} repeats. Other programs kept at most {others:.2f} cores "
        "busy during a run."
    )


def _table(runs: Sequence[Run], collective: str, heading: str, order: str) -> list[str]:
    """Return a table with a row for each layout and a column for each size."""
    cells: dict[tuple[Layout, int], Point] = {}
    for run in runs:
        for point in results.points([run]):
            if point.label == "core/private" and point.cell.collective == collective:
                cells[layout_of(run), point.cell.n_bytes] = point
    if not cells:
        return []
    sizes = sorted({n_bytes for _, n_bytes in cells})
    lines = [
        heading,
        "",
        f"| hosts x ranks | {' | '.join(map(tables.human_bytes, sizes))} |",
        f"|---:|{'---:|' * len(sizes)}",
    ]
    n_missed = 0
    for layout in dict.fromkeys(layout for layout, _ in cells):
        words = []
        for n_bytes in sizes:
            if (layout, n_bytes) not in cells:
                words.append("-")
                continue
            point = cells[layout, n_bytes]
            four = cells.get(((4, 1), n_bytes)) if layout == (16, 1) else None
            is_missed = misses(point, order, layout, four)
            n_missed += is_missed
            words.append(_cell(point, is_missed=is_missed))
        lines.append(f"| {_name(layout, runs)} | {' | '.join(words)} |")
    verdict = f"{n_missed} of {len(cells)} cells miss their limit."
    several = [point.ratio for (layout, _), point in cells.items() if layout[1] > 1]
    if several and collective == "allreduce":
        mean = results.geometric_mean(several)
        word = "meets" if mean <= MOST_MEAN else "**misses**"
        verdict += f" The geometric mean on 2 or 4 ranks a host, {mean:.2f}, {word} its limit."
    return [*lines, "", verdict, ""]


def misses(point: Point, order: str, layout: Layout, four: Point | None = None) -> bool:
    """Return whether a cell misses a limit.

    ``four`` is the cell of 4 hosts, if the growth from 4 to 16 hosts has a limit.
    """
    if point.error is not None:
        return True
    limit = most(point.cell.collective, order, layout[1])
    if four is not None and point.cell.collective == "allreduce":
        limit = min(limit, MOST_GROWTH * four.ratio)
    return not point.ratio <= limit


def _cell(point: Point, *, is_missed: bool) -> str:
    if point.error is not None:
        return "**wrong**"
    mark = "**" if is_missed else ""
    return f"{tables.microseconds(point.median_s)} ({mark}{tables.number(point.ratio)}{mark})"


def _links(runs: Sequence[Run], order: str) -> list[str]:
    counted = {layout_of(run): run.facts["links"] for run in runs if "links" in run.facts}
    if not counted:
        return []
    lines = [
        f"### Packets and bytes on the links, order `{order}`",
        "",
        "| hosts x ranks | redcoll packets | redcoll bytes | mpi4py packets | mpi4py bytes |",
        "|---:|---:|---:|---:|---:|",
    ]
    for layout, links in counted.items():
        two = counted.get((2, layout[1]), links)["redcoll"]["mean_packets"]
        grows = links["redcoll"]["mean_packets"] > np.log2(layout[0]) * two
        words = [
            f"{links[name][f'mean_{unit}']:.{digits}f}"
            for name in ("redcoll", "mpi4py")
            for unit, digits in (("packets", 1), ("bytes", 0))
        ]
        if grows:
            words[0] = f"**{words[0]}**"
        lines.append(f"| {_name(layout, runs)} | {' | '.join(words)} |")
    return [*lines, ""]


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
        # Exit in order, so that the networks are removed.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        reason = unavailable()
        networks = options.networks.split(",") if options.networks else NETWORKS[options.mpi]
        for netmod in () if reason else networks:
            runs, failed = measure(options.mpi, netmod, options)
            failures += failed
            if runs:
                suffix = f"-{netmod}" if options.mpi == "mpich" else ""
                results.save(options.directory / f"hosts-{options.mpi}{suffix}.json", runs)
                print(f"\n{render(runs).removeprefix(_INTRODUCTION)}")
        failures += [reason] if reason else []
    if options.page:
        files = sorted(options.directory.glob("hosts-*.json"))
        options.page.write_text(render(results.load(files)))
    for failure in failures:
        sys.stderr.write(f"benchmarks/several_hosts.py: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
