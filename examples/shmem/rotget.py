"""
Rotate values by one PE: each PE gets the values of its right neighbour.

    mpiexec -n 4 python examples/shmem/rotget.py
"""

import numpy as np

from redcoll_shmem import shmem

COUNT = 4


def main() -> None:
    """Get from the right neighbour, and check the values."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    right = (me + 1) % n_pes

    mine = shmem.array(np.arange(COUNT) + 10.0 * me)  # returns when all PEs have set their values
    got = np.zeros(COUNT)  # only the array on the other PE must be symmetric
    shmem.get(got, mine, right)

    if got.tolist() != [10.0 * right + i for i in range(COUNT)]:
        raise SystemExit(f"PE {me}: got {got} from PE {right}")
    shmem.barrier_all()
    shmem.free(mine)
    if me == 0:
        print(f"rotget: PE 0 has {got.tolist()} of PE {right}")


if __name__ == "__main__":
    main()
