"""Time allreduce_many next to separate reductions, for docs/several_reductions.md.

::

    mpiexec -n 2 python benchmarks/several_reductions.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from redcoll import MPI

BATCHES = 11
COMM = MPI.COMM_WORLD
THEIRS = MPI.mpi4py_MPI.COMM_WORLD.Dup()

NUMBERS = [1.5, 2.5, 3, 4, True, np.float32(2), 5.5, 7]
OPS = [MPI.SUM, MPI.MAX, MPI.SUM, MPI.MIN, MPI.LOR, MPI.MAX, MPI.MIN, MPI.SUM]
ARRAYS = [np.ones(128) for _ in range(100)]
OUT = np.empty(128)
ONE, TOTAL = np.ones(1), np.ones(1)
LONG, LONG_OUT = np.ones(12_800), np.empty(12_800)


def _each(call: Callable[..., object], *more: object) -> Callable[[], None]:
    def calls() -> None:
        for array in ARRAYS:
            call(array, *more)

    return calls


def _to_new_arrays() -> list[object]:
    targets = []
    for array in ARRAYS:
        targets.append(np.empty_like(array))
        COMM.Allreduce(array, targets[-1])
    return list(targets)


CASES: dict[str, tuple[Callable[[], object], int]] = {
    "one number, allreduce": (lambda: COMM.allreduce(1.5), 400),
    "one number, Allreduce": (lambda: COMM.Allreduce(ONE, TOTAL), 400),
    "2 numbers, allreduce_many": (lambda: COMM.allreduce_many(NUMBERS[:2], OPS[:2]), 400),
    "4 numbers, allreduce_many": (lambda: COMM.allreduce_many(NUMBERS[:4], OPS[:4]), 400),
    "8 numbers, allreduce_many": (lambda: COMM.allreduce_many(NUMBERS, OPS), 400),
    "8 numbers, allreduce": (lambda: [*map(COMM.allreduce, NUMBERS, OPS)], 100),
    "100 arrays, allreduce_many": (lambda: COMM.allreduce_many(ARRAYS), 20),
    "100 arrays, allreduce": (_each(COMM.allreduce), 20),
    "100 arrays, Allreduce": (_each(COMM.Allreduce, OUT), 20),
    "100 arrays, Allreduce to new arrays": (_to_new_arrays, 20),
    "100 arrays as one, Allreduce": (lambda: COMM.Allreduce(LONG, LONG_OUT), 100),
}


def main() -> None:
    """Print the medians of the cases, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(BATCHES):
        for name, (call, repeats) in CASES.items():
            call()
            THEIRS.Barrier()
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            times[name].append((time.perf_counter() - start) / repeats * 1e6)
    if COMM.rank == 0:
        for name, found in times.items():
            sys.stdout.write(f"{name:36} {statistics.median(found):9.2f} us\n")


if __name__ == "__main__":
    main()
