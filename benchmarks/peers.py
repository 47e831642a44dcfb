"""Time Allreduce of an MPI library in several settings, next to redcoll in the same job.

``python benchmarks/peers.py DIRECTORY --ranks 2,4,16`` runs a job for each number of ranks and each
setting of this Python's MPI library. ``SETTINGS`` has the settings of each library. The script
writes ``peers-MPI-RANKS.json``. With ``--gloo`` it runs PyTorch's gloo instead of the MPI library,
and writes ``peers-gloo-RANKS.json``. Each repeat times the library, redcoll and a plain copy, one
after the other. Every rank writes to its source before each call. ``benchmarks/peers_page.py``
compares the files with the targets and renders docs/performance_peers.md, which says how to add a
peer.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import launch
import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import redcoll

Array = NDArray[np.float64]

SETTINGS: dict[str, dict[str, dict[str, str]]] = {
    "MPICH": {
        "as installed": {},
        # At mpi4py's default thread level, "multiple", MPICH uses no shared memory in collectives.
        "thread level serialized": {"MPI4PY_RC_THREAD_LEVEL": "serialized"},
    },
    "Open MPI": {
        "as installed": {},
        "coll_sm": {"OMPI_MCA_coll_sm_priority": "100"},
    },
    "Intel MPI": {
        "as installed": {},
        "for shared cores": {"I_MPI_PIN": "0", "I_MPI_THREAD_YIELD": "2"},
    },
}
"""The environment variables of each setting, by the name that mpi4py gives the MPI library."""
NEEDS_CORES = ("thread level serialized",)
"""Settings in which waiting ranks do not yield. If there are too few cores, they are left out."""

CALLS = {8: 2000, 1 << 10: 2000, 32 << 10: 400, 1 << 20: 40, 8 << 20: 6}
"""The number of calls in a repeat of 2 ranks, by bytes. More ranks make fewer calls."""

ORDINARY, SYMMETRIC, SHARED, COPY = "ordinary", "symmetric", "shared_arrays()", "copy"
MPI4PY, GLOO = "mpi4py", "gloo"


class Series(NamedTuple):
    """A column of the table: a function that reduces, and its arrays on this rank."""

    reduce: Callable[[Array, Array], object]
    source: Array
    target: Array


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the results; return 1 if a job failed, else 0."""
    parser = argparse.ArgumentParser(description="Time Allreduce of an MPI library and redcoll.")
    parser.add_argument("directory", type=Path, help="the folder of the JSON file")
    parser.add_argument("--ranks", default="2", help="with commas between (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--gloo", action="store_true", help="time gloo, which needs PyTorch")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        _measure(options.directory, options.repeats, GLOO if options.gloo else MPI4PY)
        return 0
    vendor = GLOO if options.gloo else MPI.get_vendor()[0]
    options.directory.mkdir(parents=True, exist_ok=True)
    runs = [
        _run_jobs(vendor, ranks, options.repeats, options.directory)
        for ranks in map(int, options.ranks.split(","))
    ]
    return int(not all(runs))


def _run_jobs(vendor: str, ranks: int, repeats: int, directory: Path) -> bool:
    """Run a job for each setting, and write the file; return False if a job failed."""
    found, file = [], directory / _name(vendor, ranks)
    command = [launch.find("mpiexec"), "-n", str(ranks), sys.executable, __file__]
    command += [str(file), "--worker", "--repeats", str(repeats)]
    command += ["--gloo"] if vendor == GLOO else []
    # Intel MPI can bind this process to a few cores, so count the cores of the machine.
    cores = os.cpu_count() or 1
    settings = SETTINGS.get(vendor, {"as installed": {}})
    for name in {name for variables in settings.values() for name in variables}:
        os.environ.pop(name, None)
    for setting, variables in settings.items():
        if ranks > cores and setting in NEEDS_CORES:
            continue
        if launch.run(command, variables):
            print(f"{vendor}, {ranks} ranks, {setting}: the job failed")
            return False
        about = {"vendor": vendor, "setting": setting, "variables": variables, "cores": cores}
        found.append({**about, **json.loads(file.read_text())})
        print("\n".join(table(found[-1:])), flush=True)
    file.write_text(f"{json.dumps(found, indent=1)}\n")
    return True


def _name(vendor: str, ranks: int) -> str:
    return f"peers-{vendor.replace(' ', '').lower()}-{ranks}.json"


def _measure(file: Path, repeats: int, peer: str) -> None:
    job, comm = MPI.COMM_WORLD, redcoll.MPI.COMM_WORLD
    library = MPI.Get_library_version().splitlines()[0].rstrip("\0 ")
    if peer == GLOO:
        torch = importlib.import_module("torch")
        _start_gloo(job, torch)
        library = f"gloo of PyTorch {torch.__version__}"
    rows = []
    for n_bytes, calls_of_two in CALLS.items():
        count, n_calls = n_bytes // 8, max(2, calls_of_two * 2 // job.Get_size())
        series = {
            peer: _gloo(count)
            if peer == GLOO
            else Series(job.Allreduce, np.empty(count), np.empty(count)),
            ORDINARY: Series(comm.Allreduce, np.empty(count), np.empty(count)),
            SYMMETRIC: Series(comm.Allreduce, redcoll.empty(count), redcoll.empty(count)),
            COPY: Series(partial(_copy, comm), np.empty(count), np.empty(count)),
        }
        with redcoll.shared_arrays():
            series[SHARED] = Series(comm.Allreduce, np.empty(count), np.empty(count))
        seconds: dict[str, list[float]] = {name: [] for name in series}
        for repeat in range(repeats + 1):
            for name, each in series.items():
                took_s = _batch(job, each, n_calls)
                if repeat:  # the first repeat fills caches
                    seconds[name].append(took_s)
        for array in (series[SYMMETRIC].target, series[SYMMETRIC].source):
            redcoll.free(array)
        us = {name: [round(1e6 * each, 3) for each in row] for name, row in seconds.items()}
        rows.append({"bytes": n_bytes, "us": us})
    if job.Get_rank() == 0:
        what = {"mpi": library, "ranks": job.Get_size(), "rows": rows}
        file.write_text(json.dumps(what))


def _start_gloo(job: MPI.Intracomm, torch: Any) -> None:
    """Connect the ranks by gloo. All ranks call this function."""
    torch.set_num_threads(1)  # gloo's sums do not use PyTorch's threads
    distributed = importlib.import_module("torch.distributed")
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            GLOO,
            init_method=f"file://{job.bcast(folder)}/ranks",
            rank=job.Get_rank(),
            world_size=job.Get_size(),
        )
        job.Barrier()  # after it, rank 0 deletes the file


def _gloo(count: int) -> Series:
    """Return the series of gloo, whose sums are in place."""
    array = np.empty(count)
    tensor = importlib.import_module("torch").from_numpy(array)
    all_reduce = importlib.import_module("torch.distributed").all_reduce
    return Series(lambda _source, _target: all_reduce(tensor), array, array)


def _copy(comm: MPI.Intracomm, source: Array, target: Array) -> None:
    """Copy the source to the target, and wait until all ranks have done so."""
    target[:] = source
    comm.Barrier()


def _batch(job: MPI.Intracomm, series: Series, n_calls: int) -> float:
    """Return the mean seconds of a call on the slowest rank, without the writes to the source."""
    reduce, source, target = series
    total_s, mine = 0.0, float(job.Get_rank())
    job.Barrier()
    for call in range(n_calls):
        source[:] = mine + call
        start_s = time.perf_counter()
        reduce(source, target)
        total_s += time.perf_counter() - start_s
    size = job.Get_size()
    wanted = size * (size - 1) / 2 + size * (n_calls - 1)
    if isinstance(reduce, partial):  # a copy
        wanted = mine + n_calls - 1
    if not (target == wanted).all():
        raise ArithmeticError(f"the sum is {target[0]}; it must be {wanted}")
    return float(job.allreduce(total_s, MPI.MAX)) / n_calls


def table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return a Markdown table of medians in microseconds."""
    names = list(found[0]["rows"][0]["us"])
    lines = [f"| setting | bytes | {' | '.join(names)} |", f"|---|---:|{'---:|' * len(names)}"]
    for each in found:
        mark = " †" if each["ranks"] > each["cores"] else ""
        for row in each["rows"]:
            words = [f"{statistics.median(row['us'][name]):.3g}" for name in names]
            lines.append(f"| {each['setting']}{mark} | {row['bytes']} | {' | '.join(words)} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
