"""
Run races. The first PE at the finishing line writes its number there, and all PEs read the number.

    mpiexec -n 4 python examples/shmem/race.py [RACES]
"""

import random
import sys
import time

from redcoll_shmem import shmem

JUDGE = 0
NOBODY = -1


def main() -> None:
    """Run the races, and check that all PEs agree on a single winner of each race."""
    races = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    me, n_pes = shmem.my_pe(), shmem.n_pes()
    line = shmem.full(1, NOBODY, "l")
    has_won, winners = shmem.zeros(1, "l"), shmem.zeros(1, "l")
    said, heard = shmem.zeros(1, "l"), shmem.zeros(n_pes, "l")
    victories = 0
    for _ in range(races):
        line[0] = NOBODY
        shmem.barrier_all()
        time.sleep(random.random() * 1e-3)  # noqa: S311 - no secrets here
        has_won[0] = shmem.atomic_compare_swap(line, NOBODY, me, JUDGE) == NOBODY
        victories += int(has_won[0])
        shmem.sum_reduce(winners, has_won)
        if winners[0] != 1:
            raise SystemExit(f"PE {me}: {winners[0]} winners")
        said[0] = shmem.atomic_fetch(line, JUDGE)
        shmem.fcollect(heard, said)
        if len(set(heard.tolist())) != 1 or (said[0] == me) != bool(has_won[0]):
            raise SystemExit(f"PE {me}: the winner is one of {heard.tolist()}")
    has_won[0] = victories
    shmem.fcollect(heard, has_won)
    if me == 0:
        print(f"race: victories of each PE: {heard.tolist()}")
    for each in (heard, said, winners, has_won, line):
        shmem.free(each)


if __name__ == "__main__":
    main()
