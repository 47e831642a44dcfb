"""
Send a block from every PE to every PE, first without strides, and then with strides.

    mpiexec -n 4 python examples/shmem/alltoall.py
"""

import numpy as np

from redcoll_shmem import shmem

BLOCK = 2


def main() -> None:
    """Exchange the blocks and check them."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    source = shmem.array([[[me, pe] for _ in range(BLOCK // 2)] for pe in range(n_pes)])
    target = shmem.zeros(source.shape, source.dtype)
    shmem.alltoall(target, source)
    if target.tolist() != [[[pe, me]] for pe in range(n_pes)]:
        raise SystemExit(f"PE {me}: {target.tolist()}")

    # Copy every third element of the source into every second element of the target.
    spread = shmem.array(np.repeat(10 * me + np.arange(n_pes), 3))
    packed = shmem.full(2 * n_pes, -1, spread.dtype)
    shmem.alltoalls(packed, spread, tst=2, sst=3, size=1)
    if packed.tolist() != [each for pe in range(n_pes) for each in (10 * pe + me, -1)]:
        raise SystemExit(f"PE {me}: {packed.tolist()}")

    if me == 0:
        print(f"alltoall: {target.reshape(n_pes, BLOCK).tolist()}, {packed.tolist()}")
    for each in (packed, spread, target, source):
        shmem.free(each)


if __name__ == "__main__":
    main()
