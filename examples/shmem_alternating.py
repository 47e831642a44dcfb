"""
Compare a reduction of three elements with three reductions of one element each.

    mpiexec -n 4 python examples/shmem_alternating.py

The program is an example of the man page shmem_sum(3). Both ways give the same bits, because each
element is reduced separately, in the order of the PEs. There is no barrier between the three calls.
So the man page uses two pWrk arrays and two pSync arrays alternately. redcoll needs only one array
of each kind, because it stores no state in these arrays.
"""

import numpy as np

import redcoll_shmem as shmem

COUNT = 3


def main() -> None:
    """Reduce, compare with the correct result, and print."""
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
        # A C program passes the address of element i. In Python, pass a view from element i on.
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
