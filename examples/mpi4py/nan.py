"""Find the largest value of all ranks, if one of the values is a NaN.

    mpiexec -n 4 python examples/mpi4py/nan.py

The program makes the same call with mpi4py and with redcoll, and prints the result of each rank.
"""

import numpy as np
from mpi4py import MPI as MPI4PY

from redcoll import MPI


def main() -> None:
    """Reduce with mpi4py and with redcoll, and print the results of all ranks."""
    comm = MPI.COMM_WORLD
    mine = np.array([np.nan if comm.rank == 1 else float(comm.rank)])
    largest = np.empty(1)

    for name, world in [("mpi4py", MPI4PY.COMM_WORLD), ("redcoll", comm)]:
        world.Allreduce(mine, largest, op=MPI.MAX)
        results = comm.gather(largest.item())
        if comm.rank == 0:
            print(f"{name:8}{results}")

    if comm.size > 1 and not np.isnan(largest[0]):
        raise SystemExit(f"rank {comm.rank}: redcoll lost the NaN")


if __name__ == "__main__":
    main()
