"""
Concatenate the numbers of all PEs on all PEs. PE i has i + 1 numbers.

    mpiexec -n 4 python examples/shmem/collect.py
"""

from redcoll_shmem import shmem


def main() -> None:
    """Collect the numbers and check them."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    # A symmetric array has the same size on all PEs, so `source` has room for the longest
    # contribution.
    source = shmem.full(n_pes, me, "i")
    target = shmem.full(n_pes * (n_pes + 1) // 2, -1, "i")
    shmem.collect(target, source, size=me + 1)
    if target.tolist() != [pe for pe in range(n_pes) for _ in range(pe + 1)]:
        raise SystemExit(f"PE {me}: {target}")
    if me == 0:
        print(f"collect: {target.tolist()}")
    shmem.free(target)
    shmem.free(source)


if __name__ == "__main__":
    main()
