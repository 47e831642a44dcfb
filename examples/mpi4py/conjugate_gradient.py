"""Solve a linear system by conjugate gradients, with plain and with exact scalar products.

    mpiexec -n 4 python examples/mpi4py/conjugate_gradient.py

The matrix is a discrete second derivative. Its rows are distributed over all ranks. Neighbouring
ranks exchange one value by MPI's own `Sendrecv`. The scalar products of an iteration are reductions
of redcoll. With exact products, the results of all iterations are the same on any number of ranks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

import redcoll
from redcoll import MPI

ROWS = 400
TOLERANCE = 1e-10
Dot = Callable[[np.ndarray, np.ndarray], float]


def multiply(comm: MPI.Intracomm, x: np.ndarray) -> np.ndarray:
    """Return this rank's part of the product of the matrix and a vector."""
    left, right = comm.rank - 1, comm.rank + 1
    left = left if left >= 0 else MPI.PROC_NULL
    right = right if right < comm.size else MPI.PROC_NULL
    padded = np.zeros(len(x) + 2)
    padded[1:-1] = x
    comm.Sendrecv(x[:1], dest=left, recvbuf=padded[-1:], source=right)
    comm.Sendrecv(x[-1:], dest=right, recvbuf=padded[:1], source=left)
    return 2 * x - padded[:-2] - padded[2:]


def solve(comm: MPI.Intracomm, right_side: np.ndarray, dot: Dot) -> tuple[np.ndarray, int, int]:
    """Return this rank's part of the solution, the number of iterations, and a checksum."""
    x = np.zeros(len(right_side))
    residual = right_side.copy()
    direction = residual.copy()
    square = dot(residual, residual)
    first = square
    iterations = checksum = 0
    # All ranks have the same bits of `square`, so all of them leave the loop together.
    while square > TOLERANCE**2 * first:
        image = multiply(comm, direction)
        step = square / dot(direction, image)
        x += step * direction
        residual -= step * image
        old, square = square, dot(residual, residual)
        direction = residual + square / old * direction
        iterations += 1
        for part in comm.allgather(x):
            checksum = zlib.crc32(part, checksum)
        if iterations > 2 * ROWS:
            raise SystemExit("no convergence")
    return x, iterations, checksum


def main() -> None:
    """Solve the system in both ways, and compare the results with the known solution."""
    comm = MPI.COMM_WORLD
    if comm.size > ROWS:
        raise SystemExit(f"more than {ROWS} ranks")
    places = np.arange(1, ROWS + 1)
    whole = places % 7 / 8 + places / ROWS
    solution = np.array_split(whole, comm.size)[comm.rank]
    right_side = multiply(comm, solution)

    ways: dict[str, Dot] = {
        "plain": lambda a, b: comm.allreduce(float(a @ b)),
        "exact": lambda a, b: float(redcoll.exact_dot(a, b)),
    }
    for name, dot in ways.items():
        x, iterations, checksum = solve(comm, right_side, dot)
        error = comm.allreduce(float(np.abs(x - solution).max()), op=MPI.MAX)
        if error > 1e-6:
            raise SystemExit(f"rank {comm.rank}: off by {error}")
        if comm.rank == 0:
            print(f"{name} products: {iterations} iterations, checksum {checksum:08x}")


if __name__ == "__main__":
    main()
