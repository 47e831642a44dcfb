"""Measure how much longer a call takes while redcoll records a profile.

``mpiexec -n 2 python benchmarks/profile_cost.py`` times batches of ``Allreduce`` alternately with
and without a profile. For each size rank 0 prints the median times, and the median difference.
``REDCOLL_KERNEL=numpy`` measures the NumPy kernel.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import redcoll
from redcoll import MPI

_BYTES_PER_BATCH = 30e6
_MOST_CALLS = 8000


def cost(n_bytes: int, batches: int) -> tuple[float, float]:
    """Return the median time of a call without a profile, and what a profile adds, in seconds."""
    source, target = np.zeros(n_bytes // 8), np.zeros(n_bytes // 8)
    n_calls = max(20, min(_MOST_CALLS, int(_BYTES_PER_BATCH / n_bytes)))

    def batch() -> float:
        for _ in range(max(5, n_calls // 4)):
            MPI.COMM_WORLD.Allreduce(source, target)
        MPI.COMM_WORLD.Barrier()
        start_s = time.perf_counter()
        for _ in range(n_calls):
            MPI.COMM_WORLD.Allreduce(source, target)
        return (time.perf_counter() - start_s) / n_calls

    batch()
    without, added = [batch()], []
    for _ in range(batches):
        with redcoll.profile():
            profiled_s = batch()
        without.append(batch())
        # Compare with the batches before and after, because the machine's speed changes.
        added.append(profiled_s - (without[-2] + without[-1]) / 2)
    return statistics.median(without), statistics.median(added)


def main() -> None:
    """Print the cost of a profile for each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--bytes", default="8,32768,1048576", help="sizes (default: %(default)s)")
    parser.add_argument("--batches", type=int, default=61, help="pairs (default: %(default)s)")
    options = parser.parse_args()
    for n_bytes in map(int, options.bytes.split(",")):
        without_s, added_s = cost(n_bytes, options.batches)
        if MPI.COMM_WORLD.Get_rank() == 0:
            share = 100 * added_s / without_s
            print(
                f"{n_bytes:>9} bytes: {1e9 * without_s:.0f} ns, profile {share:+.2f} %", flush=True
            )


if __name__ == "__main__":
    main()
