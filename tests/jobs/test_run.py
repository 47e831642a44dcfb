"""``python -m redcoll run``: programs written for mpi4py, on redcoll; and how they end."""

import pytest

RUN = ("-m", "redcoll", "run")

HUB = """
    import os, sys, time
    import numpy as np
    {line}

    world = MPI.COMM_WORLD
    window = MPI.Win.Allocate(8, comm=world)
    if world.rank == 0:
        raise ValueError("the hub's own mistake")
    end = time.monotonic() + 60
    answer = np.zeros(1)
    while time.monotonic() < end:  # until the hub tells to stop
        window.Lock(0)
        window.Get(answer, 0)
        window.Unlock(0)
        time.sleep(0.01)
    """


@pytest.mark.parametrize(
    ("line", "through"),
    [
        ("from redcoll import MPI", ()),
        ("from mpi4py import MPI", RUN),
    ],
    ids=["drop-in", "run"],
)
def test_exception_before_the_first_team_ends_the_job(start_job, line, through):
    job = start_job(HUB.format(line=line), 3, prelude=False, through=through)
    job.fail(30)
    assert "ValueError: the hub's own mistake" in job.err, job.describe()
    job.wait_until_gone()
