"""Make a mistake: one rank reduces one element more than the other ranks.

    mpiexec -n 4 python examples/mpi4py/mismatch.py

All ranks raise the error, and the communicator stays usable.
"""

import numpy as np

from redcoll import MPI, CollectiveMismatchError


def main() -> None:
    """Reduce with different counts, catch the error, and reduce with equal counts."""
    comm = MPI.COMM_WORLD
    mine = np.ones(11 if comm.rank == 1 else 10)
    total = np.zeros_like(mine)

    try:
        comm.Allreduce(mine, total)
    except CollectiveMismatchError as error:
        if comm.rank == 0:
            print(error)

    if comm.size > 1 and total.any():
        raise SystemExit(f"rank {comm.rank}: something was written")

    comm.Allreduce(mine[:10], total[:10])
    if comm.rank == 0:
        print(f"the next call adds up {comm.size} ones: {total[0]}")


if __name__ == "__main__":
    main()
