"""
Copy one PE's numbers to all PEs. Every PE is the root once.

    mpiexec -n 4 python examples/shmem/broadcast.py
"""

from redcoll_shmem import shmem

COUNT = 5


def main() -> None:
    """Broadcast from each PE, and check the result."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    source = shmem.array([100 * me + i for i in range(COUNT)], dtype="l")
    target = shmem.zeros(COUNT, "l")
    for root in range(n_pes):
        shmem.broadcast(target, source, root)
        if target.tolist() != [100 * root + i for i in range(COUNT)]:
            raise SystemExit(f"PE {me}: {target} from PE {root}")
    if me == 0:
        print(f"broadcast: {n_pes} roots, the last sent {target.tolist()}")
    shmem.free(target)
    shmem.free(source)


if __name__ == "__main__":
    main()
