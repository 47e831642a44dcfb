"""
Concatenate the numbers of all PEs on all PEs. Each PE has two numbers.

    mpiexec -n 4 python examples/shmem/fcollect.py
"""

from redcoll_shmem import shmem


def main() -> None:
    """Collect over all PEs, then over the even PEs, and check the results."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    source = shmem.array([me, me * me], dtype="d")
    target = shmem.full(2 * n_pes, -1.0)
    shmem.fcollect(target, source)
    if target.reshape(n_pes, 2).tolist() != [[pe, pe * pe] for pe in range(n_pes)]:
        raise SystemExit(f"PE {me}: {target}")

    even = shmem.TEAM_WORLD.split_strided(stride=2)
    if even:  # on odd PEs the team is TEAM_INVALID, which is false
        part = target[: 2 * even.n_pes()]
        shmem.fcollect(part, source, team=even)
        if part.reshape(-1, 2).tolist() != [[pe, pe * pe] for pe in range(0, n_pes, 2)]:
            raise SystemExit(f"PE {me}: {part}")
        even.destroy()
    if me == 0:
        print(f"fcollect: {target.tolist()}")
    shmem.free(target)
    shmem.free(source)


if __name__ == "__main__":
    main()
