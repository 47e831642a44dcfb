"""Time the same Allreduce with mpi4py and with redcoll.

    mpiexec -n 2 python examples/mpi4py/speed.py

For a careful measurement use ``python -m redcoll bench``.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI as MPI4PY

from redcoll import MPI

REPEATS = 7
BATCH_S = 0.02


def main() -> None:
    """Measure each size with both libraries."""
    comm = MPI.COMM_WORLD
    calls = [MPI4PY.COMM_WORLD.Allreduce, comm.Allreduce]
    if comm.rank == 0:
        print(f"Allreduce of float64, {comm.size} ranks, microseconds for one call")
        print(f"{'bytes':>8}{'mpi4py':>10}{'redcoll':>10}{'speed-up':>10}")
    for n_bytes in [8, 1024, 32768, 1 << 20]:
        mine = np.full(n_bytes // 8, comm.rank + 1.0)
        total = np.empty_like(mine)
        n = calls_in_a_batch(comm, calls[0], mine, total)
        times = [[batch(comm, call, mine, total, n) for call in calls] for _ in range(REPEATS)]
        if total[0] != comm.size * (comm.size + 1) / 2:
            raise SystemExit(f"rank {comm.rank}: {total[0]} is wrong")
        mpi4py_us, redcoll_us = (statistics.median(column) for column in zip(*times, strict=True))
        if comm.rank == 0:
            ratio = mpi4py_us / redcoll_us
            print(f"{n_bytes:>8}{mpi4py_us:>10.2f}{redcoll_us:>10.2f}{ratio:>9.1f}x")


Call = Callable[[np.ndarray, np.ndarray], None]


def batch(comm: MPI.Intracomm, call: Call, mine: np.ndarray, total: np.ndarray, n: int) -> float:
    """Return the mean time of ``n`` calls in microseconds, on the slowest rank."""
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(n):
        call(mine, total)
    return comm.allreduce((time.perf_counter() - start) / n * 1e6, op=MPI.MAX)


def calls_in_a_batch(comm: MPI.Intracomm, call: Call, mine: np.ndarray, total: np.ndarray) -> int:
    """Return how many calls take about ``BATCH_S`` seconds."""
    one_us = batch(comm, call, mine, total, 20)
    return max(5, int(BATCH_S * 1e6 / one_us))


if __name__ == "__main__":
    main()
