"""A PE that is away from MPI holds up those who want something of it, but they have a deadline."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.root

PROGRAM = """
    import redcoll_shmem as shmem

    here = redcoll.ones(100_000)
    redcoll.barrier()
    if pe == 1:
        # Nobody has reached it before, nor any other PE's heap.
        mark("away")
        await_marks("attempted", 0)
    else:
        await_marks("away", 1)
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
    # Over libfabric short puts return at once, from a buffer of the library's.
    "put": "shmem.shmem_double_put(here, np.zeros(100_000), 100_000, 1)",
    "get": "shmem.shmem_double_get(np.zeros(100_000), here, 100_000, 1)",
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
