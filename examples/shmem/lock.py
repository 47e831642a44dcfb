"""
Protect a counter by a lock. One PE at a time reads the counter, adds 1, and writes it back.

    mpiexec -n 4 python examples/shmem/lock.py [ROUNDS]
"""

import sys

import numpy as np

from redcoll_shmem import shmem

HOME = 0
"""The PE whose memory has the counter."""


def main() -> None:
    """Count under the lock, and check that no addition was lost."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    counter = shmem.zeros(1, int)
    lock = shmem.Lock()
    seen = np.zeros(1, int)
    for _ in range(rounds):
        with lock:
            shmem.get(seen, counter, HOME)
            shmem.put(counter, seen + 1, HOME)
            shmem.quiet()
    shmem.barrier_all()
    shmem.get(seen, counter, HOME)
    if seen[0] != rounds * n_pes:
        raise SystemExit(f"PE {me}: the counter is {seen[0]}, not {rounds * n_pes}")
    lock.destroy()
    shmem.barrier_all()
    shmem.free(counter)
    if me == 0:
        print(f"lock: {n_pes} PEs counted to {seen[0]}")


if __name__ == "__main__":
    main()
