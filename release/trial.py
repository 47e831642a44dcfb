"""
Try an installed redcoll: ``mpiexec -n 2 redcoll run release/trial.py``.

It fails where a sum is wrong, and where the kernel is not the compiled one.
"""

import sys

import numpy as np

from redcoll import MPI, kernels

comm = MPI.COMM_WORLD
for count in (1, 1000, 300_000):
    total = np.zeros(count)
    comm.Allreduce(np.full(count, comm.rank + 1.0), total)
    if (total != comm.size * (comm.size + 1) / 2).any():
        sys.exit(f"wrong sum: {total}")
if kernels.choose() != "compiled":
    sys.exit(f"the kernel is {kernels.choose()}; it must be compiled")
