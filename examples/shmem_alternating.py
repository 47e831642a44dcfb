"""
One reduction of three elements against three of one, as in the man page shmem_sum(3).

    mpiexec -n 4 python examples/shmem_alternating.py

Both give the same bits: each element is reduced by itself, in the order of the PEs. The three calls
follow each other without a barrier, so the man page has them take two pWrk and two pSync arrays in
turn. Here one of each would do, since the library keeps its own state; other libraries need two.
"""

import numpy as np

import redcoll_shmem as shmem

COUNT = 3


def main() -> None:
    """Reduce, check against what must come out, print."""
    shmem.shmem_init()
    me, n_pes = shmem.shmem_my_pe(), shmem.shmem_n_pes()

    source = shmem.array(np.sqrt(np.arange(1.0, COUNT + 1) + me))
    together, singly = shmem.zeros(COUNT), shmem.zeros(COUNT)
    works = [shmem.empty(COUNT // 2 + 1, "d") for _ in range(2)]
    syncs = [
        shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l") for _ in range(2)
    ]

    shmem.shmem_double_sum_to_all(together, source, COUNT, 0, 0, n_pes, works[0], syncs[0])
    for i in range(COUNT):
        turn = (i + 1) % 2
        # Where C takes the address of element i, a view that starts there does the same.
        shmem.shmem_double_sum_to_all(
            singly[i:], source[i:], 1, 0, 0, n_pes, works[turn], syncs[turn]
        )

    if singly.tobytes() != together.tobytes():
        raise SystemExit(f"PE {me}: {singly} instead of {together}")
    shmem.shmem_barrier_all()
    if me == 0:
        print(f"three elements at once: {together}")
        print(f"one after the other:    {singly}")
    shmem.shmem_finalize()


if __name__ == "__main__":
    main()
