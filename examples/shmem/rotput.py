"""
Rotate values by one PE: each PE puts its values to its right neighbour.

    mpiexec -n 4 python examples/shmem/rotput.py
"""

import numpy as np

from redcoll_shmem import shmem

COUNT = 4


def main() -> None:
    """Put to the right neighbour, wait for all PEs, and check the values."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    left, right = (me - 1) % n_pes, (me + 1) % n_pes

    inbox = shmem.full(COUNT, -1.0)
    shmem.put(inbox, np.arange(COUNT) + 10.0 * me, right)
    shmem.barrier_all()  # completes all puts

    if inbox.tolist() != [10.0 * left + i for i in range(COUNT)]:
        raise SystemExit(f"PE {me}: {inbox} came from PE {left}")
    if me == 0:
        print(f"rotput: PE 0 has {inbox.tolist()} of PE {left}")
    shmem.free(inbox)


if __name__ == "__main__":
    main()
