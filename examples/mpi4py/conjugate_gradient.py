"""Solve a linear system by conjugate gradients, with its rows on all ranks.

    mpiexec -n 4 python examples/mpi4py/conjugate_gradient.py

The matrix is that of the second derivative on a line. Neighbours exchange one value by `Sendrecv`,
which is MPI's own. The two scalar products of an iteration are reductions of redcoll.
"""

import numpy as np

from redcoll import MPI

ROWS = 400
TOLERANCE = 1e-10


def multiply(comm: MPI.Intracomm, x: np.ndarray) -> np.ndarray:
    """Return this rank's rows of the matrix times the whole vector."""
    left, right = comm.rank - 1, comm.rank + 1
    left = left if left >= 0 else MPI.PROC_NULL
    right = right if right < comm.size else MPI.PROC_NULL
    padded = np.zeros(len(x) + 2)
    padded[1:-1] = x
    comm.Sendrecv(x[:1], dest=left, recvbuf=padded[-1:], source=right)
    comm.Sendrecv(x[-1:], dest=right, recvbuf=padded[:1], source=left)
    return 2 * x - padded[:-2] - padded[2:]


def dot(comm: MPI.Intracomm, a: np.ndarray, b: np.ndarray) -> float:
    """Return the scalar product of two vectors of the whole job."""
    return comm.allreduce(float(a @ b))


def main() -> None:
    """Solve, and compare with the solution."""
    comm = MPI.COMM_WORLD
    if comm.size > ROWS:
        raise SystemExit(f"more than {ROWS} ranks")
    rows = np.array_split(np.arange(1, ROWS + 1), comm.size)[comm.rank]
    solution = np.sin(np.pi * rows / (ROWS + 1)) + rows / ROWS
    right_side = multiply(comm, solution)

    x = np.zeros(len(rows))
    residual = right_side.copy()
    direction = residual.copy()
    square = dot(comm, residual, residual)
    first = square
    iterations = 0
    # All ranks have the same bits of `square`, so all of them leave the loop together.
    while square > TOLERANCE**2 * first:
        image = multiply(comm, direction)
        step = square / dot(comm, direction, image)
        x += step * direction
        residual -= step * image
        old, square = square, dot(comm, residual, residual)
        direction = residual + square / old * direction
        iterations += 1
        if iterations > 2 * ROWS:
            raise SystemExit("no convergence")

    error = comm.allreduce(float(np.abs(x - solution).max()), op=MPI.MAX)
    if error > 1e-6:
        raise SystemExit(f"rank {comm.rank}: off by {error}")
    if comm.rank == 0:
        print(f"conjugate gradients: {ROWS} rows, {iterations} iterations, error below 1e-6")


if __name__ == "__main__":
    main()
