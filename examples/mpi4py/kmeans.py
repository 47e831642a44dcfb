"""Find clusters of points that are distributed over all ranks (k-means).

    mpiexec -n 4 python examples/mpi4py/kmeans.py

Each rank assigns its own points to the nearest centre. A reduction gives all ranks the same new
centres, with the same bits. So all ranks leave the loop in the same iteration.
"""

import numpy as np

from redcoll import MPI

POINTS = 24_000
CLUSTERS = 5
MOST_ITERATIONS = 100


def points() -> np.ndarray:
    """Return the points of the whole job, in the same order on all ranks."""
    random = np.random.default_rng(7)
    centres = random.uniform(-10, 10, (CLUSTERS, 2))
    return centres[np.arange(POINTS) % CLUSTERS] + random.normal(size=(POINTS, 2))


def sums_of_clusters(mine: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return, for each cluster, the sum of its points and the number of its points."""
    distances = ((mine[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    sums = np.zeros((CLUSTERS, 3))
    np.add.at(sums, nearest, np.column_stack([mine, np.ones(len(mine))]))
    return sums


def main() -> None:
    """Iterate until no centre moves, and compare the centres of all ranks."""
    comm = MPI.COMM_WORLD
    everything = points()
    mine = np.array_split(everything, comm.size)[comm.rank]
    centres = everything[:CLUSTERS].copy()

    total = np.empty((CLUSTERS, 3))
    iterations = 0
    moved = np.inf
    while moved > 1e-9 and iterations < MOST_ITERATIONS:
        comm.Allreduce(sums_of_clusters(mine, centres), total)
        new = total[:, :2] / total[:, 2:]
        moved = np.abs(new - centres).max()
        centres = new
        iterations += 1

    # If one rank had other bits, the smallest and the largest value would differ.
    low, high = np.empty_like(centres), np.empty_like(centres)
    comm.Allreduce(centres, low, op=MPI.MIN)
    comm.Allreduce(centres, high, op=MPI.MAX)
    if not np.array_equal(low, high):
        raise SystemExit(f"rank {comm.rank}: the ranks have different centres")

    if comm.rank == 0:
        print(f"k-means: {POINTS} points, {CLUSTERS} clusters, {iterations} iterations")
        for x, y, count in sorted(np.column_stack([centres, total[:, 2]]).tolist()):
            print(f"  centre ({x:7.3f}, {y:7.3f}) has {count:.0f} points")


if __name__ == "__main__":
    main()
