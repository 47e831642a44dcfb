"""Find the rank that keeps all other ranks waiting.

    mpiexec -n 4 python examples/mpi4py/late_rank.py

The last rank sleeps for 3 seconds before its second call. After 1 second redcoll names that rank
on standard error. After 2 seconds the waiting ranks raise an exception.
"""

import os
import time

# redcoll reads these variables when it is imported. Usually you set them in the shell.
os.environ["REDCOLL_STALL_WARN"] = "1"
os.environ["REDCOLL_TIMEOUT"] = "2"

from redcoll import MPI, CollectiveTimeoutError, PeerLostError


def main() -> None:
    """Reduce twice; the last rank is late for the second call."""
    comm = MPI.COMM_WORLD
    comm.allreduce(1)

    if comm.size > 1 and comm.rank == comm.size - 1:
        time.sleep(3)
    try:
        comm.allreduce(1)
    except (CollectiveTimeoutError, PeerLostError) as error:
        outcome = f"{type(error).__name__}: {error}"
    else:
        outcome = "no error"

    # gather() is MPI's own function, so it still works on this communicator.
    for rank, text in enumerate(comm.gather(outcome) or ()):
        print(f"rank {rank}: {text}")


if __name__ == "__main__":
    main()
