"""
Solve a least-squares problem by pylops-mpi, and print a checksum of the solution.

All ranks have the model, and each rank has its part of the data. So each iteration reduces an array
of the model's size. docs/shared_arrays.md shows the time, which the program writes to stderr.
"""

import sys
import time
import zlib

import numpy as np
import pylops
import pylops_mpi
from mpi4py import MPI

SIZE = 1 << 20
ITERATIONS = 50

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
weights = random.uniform(1, 2, (comm.size, SIZE))
model = random.normal(size=SIZE)


def on_all_ranks(values):
    array = pylops_mpi.DistributedArray(global_shape=SIZE, partition=pylops_mpi.Partition.BROADCAST)
    array[:] = values
    return array


operator = pylops_mpi.MPIVStack([pylops.Diagonal(weights[comm.rank])])
data = operator.matvec(on_all_ranks(model))
start = on_all_ranks(0.0)
comm.Barrier()
start_s = time.perf_counter()
found = pylops_mpi.cgls(operator, data, x0=start, niter=ITERATIONS, tol=1e-12)[0].local_array
took_s = time.perf_counter() - start_s
print("checksum =", zlib.crc32(found))
print("largest error below 1e-6 =", int(np.abs(found - model).max() < 1e-6))
if comm.rank == 0:
    print(f"{took_s:.2f} s", file=sys.stderr)
