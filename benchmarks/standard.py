"""Measure the standard grid: all cells of the targets and of the performance page.

``python benchmarks/standard.py DIRECTORY`` starts the jobs, with each kernel and each
number of PEs, and writes one JSON file for each kernel. ``make bench`` runs this command with MPICH
and with Open MPI.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import goals
import launch

from redcoll.bench import results, tables
from redcoll.bench.results import Run

_SIZES = ",".join(map(str, goals.SIZES))
_SHEETS = (
    "--collectives allreduce --ops sum --types float64",
    (
        "--collectives reduce,reduce_scatter,scan --ops sum --types float64 --paths private "
        "--apis mpi,pvm --peers mpi4py"
    ),
    (
        "--collectives allreduce --ops maxloc:double_int,sum:int32,max:float32,sum:complex128 "
        "--apis core,mpi --peers mpi4py"
    ),
)
_SUBSETS = (
    "--collectives allreduce --ops sum --types float64 --paths symmetric --apis core --peers mpi4py"
)
"""Cells that are also measured on the first PEs of the largest job, while its other PEs sleep."""
_BESIDE_ANOTHER = f"{_SUBSETS} --competitor"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the jobs with one MPI library; return 1 if a job failed or had a wrong result, else 0."""
    options = _parse(arguments)
    launcher = launch.find("mpiexec")
    how = ["--bytes", options.bytes, "--repeats", options.repeats, "--batch-ms", options.batch_ms]
    is_whole = True
    for kernel in launch.built_kernels(options.kernels.split(",")):
        runs = []
        for pes, sheet in _jobs(list(map(int, options.pes.split(",")))):
            run = _measure(launcher, kernel, pes, [*sheet.split(), *how])
            if run is None:
                is_whole = False
            else:
                runs.append(run)
                is_whole &= not any(record.error for record in run.records)
        if runs:
            name = runs[0].facts["mpi"].rpartition(" ")[0].replace(" ", "").lower()
            results.save(options.directory / f"{name}-{kernel}.json", runs)
            print(f"\n{tables.report(runs)}\n\n{goals.report(results.points(runs))[0]}")
    return 0 if is_whole else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the standard grid.")
    parser.add_argument("directory", type=Path, help="where the JSON files go")
    parser.add_argument("--kernels", default="numpy,compiled", help="default: %(default)s")
    parser.add_argument("--pes", default=",".join(map(str, goals.PES)), help="default: %(default)s")
    parser.add_argument("--bytes", default=_SIZES, help="default: %(default)s")
    parser.add_argument("--repeats", default="5", help="default: %(default)s")
    parser.add_argument("--batch-ms", default="30", help="default: %(default)s")
    return parser.parse_args(arguments)


def _jobs(all_pes: Sequence[int]) -> list[tuple[int, str]]:
    jobs = [(pes, sheet) for sheet in _SHEETS for pes in all_pes]
    subsets = [str(pes) for pes in all_pes if pes < max(all_pes)]
    if subsets:
        jobs.append((max(all_pes), f"{_SUBSETS} --pes-sets {','.join(subsets)}"))
    jobs += [(pes, _BESIDE_ANOTHER) for pes in goals.CROWDED_PES if pes in all_pes]
    return jobs


def _measure(launcher: str, kernel: str, pes: int, arguments: Sequence[str]) -> Run | None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "run.json")
        return launch.measure(launcher, pes, arguments, path, {"REDCOLL_KERNEL": kernel})


if __name__ == "__main__":
    sys.exit(main())
