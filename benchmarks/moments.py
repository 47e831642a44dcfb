"""Time the statistics of distributed arrays for docs/statistics.md.

::

    mpiexec -n 2 python benchmarks/moments.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import redcoll
from redcoll import MPI

BATCHES = 11
COMM = MPI.COMM_WORLD
SHORT, LONG = np.linspace(0, 1, 8), np.linspace(0, 1, 1 << 20)


def _naive(x: np.ndarray) -> float:
    """Return the variance by two reductions, as programs without redcoll compute it."""
    mean = COMM.allreduce(x.sum()) / (x.size * COMM.size)
    return float(COMM.allreduce(((x - mean) ** 2).sum()) / (x.size * COMM.size))


CASES: dict[str, Callable[[np.ndarray], object]] = {
    "numpy.var of the own elements": np.var,
    "two-pass variance by hand": _naive,
    "redcoll.mean": redcoll.mean,
    "redcoll.var": redcoll.var,
    "redcoll.minmax": redcoll.minmax,
    "redcoll.topk(x, 5)": lambda x: redcoll.topk(x, 5),
    "redcoll.histogram, range given": lambda x: redcoll.histogram(x, 50, (0, 1)),
    "numpy.histogram of the own elements": lambda x: np.histogram(x, 50, (0, 1)),
    "redcoll.logsumexp": redcoll.logsumexp,
}


def main() -> None:
    """Print the medians of the cases, in microseconds."""
    for data, repeats in ((SHORT, 100), (LONG, 1)):
        times: dict[str, list[float]] = {name: [] for name in CASES}
        for _ in range(BATCHES):
            for name, call in CASES.items():
                call(data)
                COMM.Barrier()
                start = time.perf_counter()
                for _ in range(repeats):
                    call(data)
                times[name].append((time.perf_counter() - start) / repeats * 1e6)
        if COMM.rank == 0:
            for name, found in times.items():
                sys.stdout.write(f"{data.size:8} {name:36} {statistics.median(found):10.1f} us\n")


if __name__ == "__main__":
    main()
