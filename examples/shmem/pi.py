"""
Compute pi as an integral, with the work shared by all PEs.

    mpiexec -n 4 python examples/shmem/pi.py [INTERVALS]

With n PEs, PE i takes the intervals i, i + n, i + 2n and so on of the midpoint rule. A reduction
adds the sums of all PEs.
"""

import math
import sys

import numpy as np

from redcoll_shmem import shmem


def main() -> None:
    """Integrate, add the parts, and compare the result."""
    intervals = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    me, n_pes = shmem.my_pe(), shmem.n_pes()

    middles = (np.arange(me, intervals, n_pes) + 0.5) / intervals
    part = shmem.full(1, np.sum(4.0 / (1.0 + middles**2)) / intervals)
    whole = shmem.zeros(1)
    shmem.sum_reduce(whole, part)

    error = abs(whole[0] - math.pi)
    if error > 1.0 / intervals**2 + 1e-12:
        raise SystemExit(f"PE {me}: {whole[0]} is off by {error}")
    if me == 0:
        print(f"pi is {whole[0]:.12f}, off by {error:.1e}")
    shmem.free(whole)
    shmem.free(part)


if __name__ == "__main__":
    main()
