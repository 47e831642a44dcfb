"""
Values go round by one PE: each gets its right neighbour's.

    mpiexec -n 4 python examples/shmem/rotget.py
"""

import numpy as np

from redcoll_shmem import shmem

COUNT = 4


def main() -> None:
    """Get from the right, check."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    right = (me + 1) % n_pes

    mine = shmem.array(np.arange(COUNT) + 10.0 * me)  # set on all PEs when it returns
    got = np.zeros(COUNT)  # private: only the side that is far away must be symmetric
    shmem.get(got, mine, right)

    if got.tolist() != [10.0 * right + i for i in range(COUNT)]:
        raise SystemExit(f"PE {me}: got {got} from PE {right}")
    shmem.barrier_all()
    shmem.free(mine)
    if me == 0:
        print(f"rotget: PE 0 has {got.tolist()} of PE {right}")


if __name__ == "__main__":
    main()
