"""A PE that is away from MPI holds up those who want something of it, but they have a deadline."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.root

PROGRAM = """
    import redcoll_shmem as shmem

    here = redcoll.ones(1000)
    redcoll.barrier()
    if pe == 1:
        # Nobody has reached it before, nor any other PE's heap.
        await_marks("attempted", 0)
    else:
        start = time.monotonic()
        try:
            {call}
        except redcoll.CollectiveTimeoutError as error:
            say("soon" if time.monotonic() - start < 15 else "late", error)
        mark("attempted")
    redcoll.world.start().team.watch.timeout_s = 30
    redcoll.barrier()
    """

CALLS = {
    "put": "shmem.shmem_double_put(here, np.zeros(1000), 1000, 1)",
    "get": "shmem.shmem_double_get(np.zeros(1000), here, 1000, 1)",
}


@pytest.mark.parametrize("call", CALLS)
def test_the_first_access_to_it_has_a_deadline(start_on, two_hosts, call):
    # Long enough for all to start, short enough to tell it from the wait for PE 1.
    program = PROGRAM.format(call=CALLS[call])
    job = start_on(two_hosts, [1, 1], program, prelude=True, REDCOLL_TIMEOUT="5")
    job.succeed(60)
    what = {"put": "put to", "get": "get from"}[call]
    late = f"soon {what} PE 1 on host2: PE 1 on host2 did not arrive within 5 s (REDCOLL_TIMEOUT)"
    assert job.lines(0) == [late], job.describe()
