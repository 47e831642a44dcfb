"""Test that the signal of ``REDCOLL_DUMP_SIGNAL`` makes a process print its state."""

import os
import signal
import time

# Rank 0 waits in MPI for rank 1, rank 1 waits for the test, and rank 2 waits in redcoll.
PROGRAM = """
    import os, time
    import numpy as np
    from redcoll import MPI

    world = MPI.COMM_WORLD
    x, y = np.ones(3), np.zeros(3)

    def mark(name):
        with open(f"{name}.new-{world.rank}", "w") as file:
            file.write(str(os.getpid()))
        os.rename(f"{name}.new-{world.rank}", f"{name}-{world.rank}")

    def solve():
        for _ in range(5):
            world.Allreduce(x, y)

    solve()
    mark("ready")
    if world.rank == 0:
        world.Recv(x, source=1)
    if world.rank == 1:
        while not os.path.exists("go-on"):
            time.sleep(0.01)
        world.Send(x, 0)
    world.Allreduce(x, y)
    assert y[0] == 3
    print("done", flush=True)
"""


def line_of(text):
    return next(at for at, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


def test_process_prints_where_it_is_and_continues(start_job):
    job = start_job(PROGRAM, 3, prelude=False, REDCOLL_DUMP_SIGNAL="USR1")
    for rank in range(3):
        job.pid(rank, "ready")
    time.sleep(0.2)  # until ranks 0 and 2 wait
    os.kill(job.pid(2, "ready"), signal.SIGUSR1)
    os.kill(job.pid(0, "ready"), signal.SIGUSR1)
    end = time.monotonic() + 30
    texts = f"line {line_of('Recv')} in <module>", "rounds 1 to 5"
    while not all(text in job.err for text in texts) and time.monotonic() < end:
        time.sleep(0.05)
    waiting = job.err
    (job.directory / "go-on").touch()
    job.succeed()
    assert job.out.count("done") == 3
    # While rank 0 is in MPI, the signal prints only Python's stack.
    assert f"line {line_of('Recv')} in <module>" in waiting, job.describe()
    at = line_of("assert y[0]") - 1
    assert f"line {at} in <module>" in waiting, job.describe()
    assert "rank 2 of <redcoll.Team of PEs [0, 1, 2], index 2>" in waiting, job.describe()
    assert f"rounds 1 to 5: program.py:{line_of('for _ in') + 1} solve" in waiting, job.describe()
    # Rank 0 prints its last calls after its wait in MPI.
    assert "rank 0 of <redcoll.Team of PEs [0, 1, 2], index 0>" in job.err, job.describe()
    assert job.err.count("got SIGUSR1; its last calls:") == 2
    assert job.err.count("(most recent call first)") == 2, job.describe()
