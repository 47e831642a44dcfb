"""
Find the maximum over the even PEs, as in the man page shmem_max(3).

    mpiexec -n 5 python examples/shmem_max_even.py

Each PE has three values. The even PEs reduce their values in an active set that starts at PE 0 with
a stride of 2**1. The odd PEs take no part, and their arrays stay unchanged.
"""

import redcoll_shmem as shmem

COUNT = 3


def main() -> None:
    """Reduce, compare with the correct result, and print."""
    shmem.shmem_init()
    me, n_pes = shmem.shmem_my_pe(), shmem.shmem_n_pes()

    source = shmem.array([(7 * me + 5 * i) % 11 for i in range(COUNT)], dtype="d")
    target = shmem.full(COUNT, -1.0)
    work = shmem.empty(max(COUNT // 2 + 1, shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE), "d")
    sync = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l")

    # The man page uses n_pes // 2, which leaves out the last even PE if n_pes is odd.
    n_even = (n_pes + 1) // 2
    if me % 2 == 0:
        shmem.shmem_double_max_to_all(target, source, COUNT, 0, 1, n_even, work, sync)

    even_pes = range(0, n_pes, 2)
    expected = [max((7 * pe + 5 * i) % 11 for pe in even_pes) for i in range(COUNT)]
    if me % 2:
        expected = [-1] * COUNT
    if target.tolist() != expected:
        raise SystemExit(f"PE {me}: {target.tolist()} instead of {expected}")

    shmem.shmem_barrier_all()
    if me == 0:
        print(f"maxima over PEs {list(even_pes)}: {target.tolist()}")
    shmem.shmem_finalize()


if __name__ == "__main__":
    main()
