"""Compare redcoll with OpenSHMEM in C, and with shmem4py if it is installed.

``python benchmarks/openshmem.py`` needs ``oshcc`` and ``oshrun``, and an mpi4py for the MPI library
of these commands. It builds ``sum_to_all.c``, and runs jobs of this program and of redcoll
alternately. Each job makes few repeats, so both programs run before the speed of the machine
drifts.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import goals
import launch

from redcoll.bench import results, tables
from redcoll.bench.cases import Cell
from redcoll.bench.results import OPENSHMEM, Record, Run
from redcoll.errors import StateError

_SOURCE = Path(__file__).with_name("sum_to_all.c")
_PYTHON = "--ops sum --types float64 --apis core,shmem --paths symmetric --peers mpi4py,shmem4py"
_TIMEOUT_S = 1800


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, run and compare; return the exit code."""
    options = _parse(arguments)
    try:
        compiler, launcher = launch.find("oshcc"), launch.find("oshrun")
    except StateError as error:
        sys.stderr.write(
            f"{error}; an OpenSHMEM library brings both (Debian: openmpi-bin, libopenmpi-dev)\n"
        )
        return 2
    sizes = [int(word) for word in options.bytes.split(",")]
    is_whole = True
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch, "sum_to_all")
        _build(compiler, program)
        for kernel in launch.built_kernels(options.kernels.split(",")):
            runs = []
            for pes in map(int, options.pes.split(",")):
                run = _alternate(launcher, program, kernel, pes, sizes, options)
                if run is None:
                    is_whole = False
                else:
                    runs.append(run)
                    is_whole &= not any(record.error for record in run.records)
            if runs:
                results.save(options.directory / f"openshmem-{kernel}.json", runs)
                print(f"\n{tables.report(runs)}\n\n{_against_c(runs)}")
                print(f"\n{goals.report(results.points(runs))[0]}")
    return 0 if is_whole else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare with OpenSHMEM.")
    parser.add_argument("directory", type=Path, help="where the JSON files go")
    parser.add_argument("--kernels", default="numpy,compiled", help="default: %(default)s")
    parser.add_argument("--pes", default=",".join(map(str, goals.PES)), help="default: %(default)s")
    sizes = ",".join(map(str, goals.SIZES))
    parser.add_argument("--bytes", default=sizes, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--repeats", default="3", help="in each round; default: %(default)s")
    parser.add_argument("--batch-ms", type=float, default=30, help="default: %(default)g")
    return parser.parse_args(arguments)


def _build(compiler: str, program: Path) -> None:
    # OpenSHMEM 1.5 deprecates the routines that the program calls.
    flags = ["-O2", "-Wno-deprecated-declarations"]
    command = [compiler, *flags, str(_SOURCE), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)  # noqa: S603 - our own source


def _alternate(
    launcher: str,
    program: Path,
    kernel: str,
    pes: int,
    sizes: Sequence[int],
    options: argparse.Namespace,
) -> Run | None:
    """Run all rounds for a number of PEs; return one run with all repeats."""
    whole: Run | None = None
    arguments = [
        *_PYTHON.split(),
        *("--bytes", ",".join(map(str, sizes))),
        *("--repeats", options.repeats, "--batch-ms", f"{options.batch_ms:g}"),
    ]
    cells = [Cell("allreduce", "sum", "float64", pes, n_bytes) for n_bytes in sizes]
    for _ in range(options.rounds):
        timed = _run_c(launcher, program, cells, options)
        path = program.with_name("run.json")
        run = launch.measure(launcher, pes, arguments, path, {"REDCOLL_KERNEL": kernel})
        if run is None or timed is None:
            return None
        run.records += timed
        whole = run if whole is None else _joined(whole, run)
    return whole


def _run_c(
    launcher: str, program: Path, cells: Sequence[Cell], options: argparse.Namespace
) -> list[Record] | None:
    """Run a job of the C program; return its records, or None if it failed."""
    sizes = [f"{cell.n_bytes}:{cell.n_sets}" for cell in cells]
    batch_s = f"{options.batch_ms / 1e3:g}"
    command = [launcher, "-n", str(cells[0].pes), str(program), options.repeats, batch_s, *sizes]
    print(f"\n{cells[0].pes} PEs: sum_to_all (C) {options.repeats} {batch_s} {' '.join(sizes)}")
    done = subprocess.run(  # noqa: S603 - our own program
        command, stdout=subprocess.PIPE, text=True, timeout=_TIMEOUT_S, check=False
    )
    if done.returncode:
        print(f"the job ended with exit code {done.returncode}")
        return None
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [
        Record(cell, OPENSHMEM, "symmetric", row["calls"], row["seconds"], row["error"])
        for cell, row in zip(cells, rows, strict=True)
    ]


def _joined(first: Run, second: Run) -> Run:
    """Join two runs of the same cells; return a run with all repeats of both."""
    later = {(each.cell, each.label): each for each in second.records}
    records = []
    for record in first.records:
        other = later.get((record.cell, record.label))
        if other is None:
            continue
        seconds = [*record.seconds, *other.seconds]
        records.append(
            dataclasses.replace(record, seconds=seconds, error=record.error or other.error)
        )
    facts = dict(second.facts)
    facts["others_cores"] = max(
        (run.facts["others_cores"] or 0 for run in (first, second)), default=0
    )
    return Run(facts, first.absent, records)


def _against_c(runs: Sequence[Run]) -> str:
    """Return the ratios to the C program's times, one on each line."""
    lines = [f"ratio to OpenSHMEM called from C ({OPENSHMEM})"]
    for point in results.points(runs):
        if point.lane != OPENSHMEM and point.error is None:
            where = f"{point.cell.pes} PEs, {tables.human_bytes(point.cell.n_bytes)}"
            lines.append(f"  {tables.number(point.ratios[OPENSHMEM]):>6}  {point.label}, {where}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
