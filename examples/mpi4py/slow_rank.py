"""Profile ranks with unequal numbers of particles, to find the rank that all others wait for."""

import sys

import numpy as np

import redcoll
from redcoll import MPI


def forces(positions: np.ndarray) -> np.ndarray:
    """Return the force on each particle of a rank."""
    distances = positions[:, None] - positions[None, :]
    return (distances / (1 + distances**2)).sum(axis=0)


def main() -> None:
    """Run 200 steps, and print where the time goes."""
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    n = 400 if rank == size - 1 else 200  # the last rank has a dense region
    positions = np.random.default_rng(rank).random(n)
    energy = np.zeros(1)
    with redcoll.profile() as p:
        for _ in range(200):
            local = forces(positions)
            positions += 1e-3 * local
            comm.Allreduce(np.array([local @ local]), energy)
            comm.allreduce(positions.max(), op=MPI.MAX)
    if rank == 0:
        print(p.table(), end="")
        for late in p.late()[:1]:
            print(f"look at rank {late.rank} before {late.site}")
        for file in sys.argv[1:]:
            p.plot(file)


if __name__ == "__main__":
    main()
