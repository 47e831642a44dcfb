"""Time the start of jobs, with redcoll and with mpi4py.

``python benchmarks/startup.py DIRECTORY`` starts jobs of the programs in ``PROGRAMS`` alternately,
and writes ``startup-MPI.json``. The time is from the start of the launcher until the last PE has
left its first barrier. The launcher, the interpreter and MPI take more than half of this time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import launch

_REPORT = "import os, time; os.write(1, (repr(time.time()) + chr(10)).encode())"
_MPI4PY = f"from mpi4py import MPI; MPI.COMM_WORLD.Barrier(); {_REPORT}"
PROGRAMS = {
    "NumPy and mpi4py": f"import numpy; {_MPI4PY}",
    "mpi4py": _MPI4PY,
    "redcoll_shmem": f"import redcoll_shmem as shmem; shmem.shmem_init(); {_REPORT}",
    "redcoll.MPI": f"from redcoll import MPI; MPI.COMM_WORLD.Barrier(); {_REPORT}",
}
"""The program of each kind of job. The first program is the baseline.

The baseline has the imports of every program that reduces arrays by mpi4py.
"""
MOST = 1.25
"""Largest allowed ratio of a start's time to the baseline's."""

_TIMEOUT_S = 120
_VENDOR = "from mpi4py import MPI; print(MPI.get_vendor()[0])"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the results; return 1 if a job failed, else 0."""
    parser = argparse.ArgumentParser(description="Time the start of jobs.")
    parser.add_argument("directory", type=Path, help="where the JSON file goes")
    parser.add_argument("--pes", type=int, default=16, help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=7, help="default: %(default)s")
    options = parser.parse_args(arguments)
    launcher = launch.find("mpiexec")
    seconds: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    # The first repeat fills the file caches, and does not count.
    for repeat in range(options.repeats + 1):
        for name, program in PROGRAMS.items():
            took_s = _start(launcher, options.pes, program)
            if took_s is None:
                return 1
            if repeat:
                seconds[name].append(took_s)
    result = {
        "mpi": _output([sys.executable, "-c", _VENDOR]).strip(),
        "pes": options.pes,
        "seconds": {name: [round(each, 4) for each in row] for name, row in seconds.items()},
    }
    file = f"startup-{result['mpi'].replace(' ', '').lower()}.json"
    options.directory.mkdir(parents=True, exist_ok=True)
    (options.directory / file).write_text(f"{json.dumps(result, indent=1)}\n")
    print("\n".join(table([result])))
    return 0


def _start(launcher: str, pes: int, program: str) -> float | None:
    """Return the seconds until the last PE has left the barrier; None if the job failed."""
    start_s = time.time()
    output = _output([launcher, "-n", str(pes), sys.executable, "-c", program])
    ends = [float(line) for line in output.splitlines() if line]
    if len(ends) != pes:
        print(f"{len(ends)} of {pes} PEs left the barrier: {program}")
        return None
    return max(ends) - start_s


def _output(command: Sequence[str]) -> str:
    # Let the first start write bytecode files, because an installed package has them.
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(  # noqa: S603 - a launcher and this very Python
        command, env=kept, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        timeout=_TIMEOUT_S, check=False,
    )  # fmt: skip
    return done.stdout


def ratio(found: dict[str, Any], program: str) -> float:
    """Return the median ratio of a program's time to the baseline's time, over all repeats."""
    rows: dict[str, list[float]] = found["seconds"]
    pairs = zip(rows[program], rows[next(iter(PROGRAMS))], strict=True)
    return statistics.median(mine / baseline for mine, baseline in pairs)


def table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return a Markdown table: medians in seconds, and medians of the ratios of all repeats."""
    baseline = next(iter(PROGRAMS))
    lines = [
        f"| MPI | PEs | {' | '.join(PROGRAMS)} |",
        f"|---|---:|{'---:|' * len(PROGRAMS)}",
    ]
    for each in found:
        rows: dict[str, list[float]] = each["seconds"]
        words = []
        for name in PROGRAMS:
            word = f"{statistics.median(rows[name]):.2f} s"
            if name != baseline:
                word += f" ({ratio(each, name):.2f})"
            words.append(word)
        lines.append(f"| {each['mpi']} | {each['pes']} | {' | '.join(words)} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
