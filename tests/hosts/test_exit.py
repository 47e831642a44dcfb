"""Test that a job on two hosts ends with exit code 0 and an empty standard error."""

from __future__ import annotations

import os
import re

import pytest

pytestmark = pytest.mark.root

# Open MPI's launcher prints this line if a daemon starts before the daemon has its own process
# group. The line is harmless, and no setting turns it off.
LAUNCHERS_OWN = re.compile(
    r"^\[hub:\d+\] plm:ssh: Warning: setpgid\((\d+),\1\) failed in parent with "
    r"errno=Permission denied\(13\)\n",
    re.MULTILINE,
)

# How often each program runs. A larger number, such as 20, finds more errors.
ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "1"))

USES_EVERYTHING = """
    import numpy as np
    import redcoll
    import redcoll_shmem as shmem
    from redcoll import MPI

    pe, n = redcoll.my_pe(), redcoll.n_pes()
    x, total = redcoll.full(1000, pe + 1.0), redcoll.zeros(1000)
    redcoll.allreduce(total, x)
    assert (total == n * (n + 1) / 2).all()
    long, long_total = redcoll.full(200_000, float(pe)), redcoll.zeros(200_000)
    redcoll.allreduce(long_total, long)
    assert (long_total == n * (n - 1) / 2).all()
    # Reduce on the PEs of a host and on one PE of each host. The teams are never closed.
    for members in (redcoll.ActiveSet(0, 0, 2), redcoll.ActiveSet(0, 1, 2)):
        if pe in members.pes:
            redcoll.allreduce(total, x, active_set=members)
    assert MPI.COMM_WORLD.Dup().allreduce(1) == n
    # Put to the next PE, and to a PE on the other host.
    for step in (1, 2):
        shmem.shmem_double_put(x, np.full(1000, 10.0 * step + pe), 1000, (pe + step) % n)
        redcoll.barrier()
        assert (x == 10.0 * step + (pe - step) % n).all()
        redcoll.barrier()
    """

PROGRAMS = {
    "returns": USES_EVERYTHING,
    "finalizes MPI": USES_EVERYTHING + "MPI.Finalize()\n",
    "starts alone": """
    import redcoll
    redcoll.init()
    """,
    "leaves at different times": """
    import time
    import redcoll
    time.sleep(0.2 * (redcoll.my_pe() ^ 1))
    """,
    "reads its arrays to the last": """
    import atexit, sys
    arrays = []
    class Reader:
        def __del__(self):
            assert (arrays[0] == 7).all(), arrays
            arrays[0][:] = 7
            sys.__stdout__.write("read ")
            sys.__stdout__.flush()
    atexit.register(Reader().__del__)
    import redcoll
    arrays.append(redcoll.full(100_000, 7))
    """,
    "went wrong before": """
    import numpy as np
    import redcoll
    from redcoll import ActiveSet

    pe, n = redcoll.my_pe(), redcoll.n_pes()
    for _ in range(3):
        try:
            redcoll.allreduce(np.zeros(5), np.ones(5 + (pe == 3)))
        except redcoll.RedcollError:
            pass
        else:
            raise SystemExit("no error")
    """,
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.both_mpis] if name == "returns" else [])
        for name in PROGRAMS
    ],
)
def test_a_job_ends_with_nothing_on_stderr(start_on, two_hosts, netmod, name):
    for _ in range(ROUNDS):
        job = start_on(two_hosts, [2, 2], PROGRAMS[name], netmod=netmod)
        job.succeed()
        assert LAUNCHERS_OWN.sub("", job.err) == "", job.describe()
        assert job.out == "read " * 8 * (name == "reads its arrays to the last"), job.describe()
