"""
Print a line from every PE, in order.

    mpiexec -n 4 python examples/shmem/hello.py

The PEs pass a token. Each PE waits for the token, prints, and passes the token to the next PE.
"""

from redcoll_shmem import shmem


def main() -> None:
    """Wait for the token, print a line, pass the token on."""
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    token = shmem.zeros(1, "i")
    if me > 0:
        shmem.wait_until(token, shmem.CMP_EQ, 1)
    major, minor = shmem.info_get_version()
    name = shmem.info_get_name()
    print(f"hello from PE {me} of {n_pes} ({name}, OpenSHMEM {major}.{minor})", flush=True)
    if me + 1 < n_pes:
        shmem.atomic_set(token, 1, me + 1)
    shmem.barrier_all()
    shmem.free(token)


if __name__ == "__main__":
    main()
