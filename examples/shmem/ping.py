"""
Send messages of growing size back and forth between two PEs. Other PEs only wait.

    mpiexec -n 2 python examples/shmem/ping.py [ROUNDS]

A PE first puts the data, then calls fence, and then puts a flag. So a PE that sees the flag also
sees the data.
"""

import sys
import time

import numpy as np

from redcoll_shmem import shmem

SIZES = (1, 128, 16384)


def play(ball: np.ndarray, flag: np.ndarray, count: int, rounds: int) -> None:
    """Send ``count`` numbers back and forth. Each sender adds 1 to the numbers that it received."""
    me = shmem.my_pe()
    other = 1 - me
    thrown = np.zeros(count)
    for turn in range(2 * rounds):
        if turn % 2 == me:
            thrown[:] = ball[:count] + 1
            shmem.put(ball, thrown, other)
            shmem.fence()
            shmem.put(flag, np.array([turn + 1]), other)
        else:
            shmem.wait_until(flag, shmem.CMP_GE, turn + 1)
    # PE 1 sent last, so PE 0 has received the larger numbers.
    expected = 2 * rounds - me
    if not (ball[:count] == expected).all():
        raise SystemExit(f"PE {me}: {ball[:count]} instead of {expected}")


def main() -> None:
    """Send messages of each size, and print the time of a message."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    ball, flag = shmem.zeros(max(SIZES)), shmem.zeros(1, int)
    for count in SIZES:
        ball[:], flag[:] = 0, 0
        shmem.barrier_all()
        start = time.perf_counter()
        if shmem.n_pes() > 1 and shmem.my_pe() < 2:
            play(ball, flag, count, rounds)
        took_us = (time.perf_counter() - start) / (2 * rounds) * 1e6
        shmem.barrier_all()
        if shmem.my_pe() == 0:
            print(f"ping: {8 * count} bytes, {took_us:.1f} us a throw")
    shmem.free(ball)
    shmem.free(flag)


if __name__ == "__main__":
    main()
