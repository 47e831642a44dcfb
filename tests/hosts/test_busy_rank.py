"""Test that an access to a PE ends at the deadline if the PE is busy outside MPI."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.root

PROGRAM = """
    import redcoll_shmem as shmem

    here = redcoll.ones(100_000)
    redcoll.barrier()
    if pe == 1:
        # No PE has accessed the heap of another PE before.
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
    # These calls are long: over libfabric a short put returns at once, because libfabric buffers
    # the data.
    "put": "shmem.shmem_double_put(here, np.zeros(100_000), 100_000, 1)",
    "get": "shmem.shmem_double_get(np.zeros(100_000), here, 100_000, 1)",
}


@pytest.mark.parametrize("call", CALLS)
def test_the_first_access_to_a_remote_heap_has_a_deadline(start_on, two_hosts, call):
    # 5 s are enough for the start, and less than the 15 s after which the program prints "late".
    program = PROGRAM.format(call=CALLS[call])
    job = start_on(two_hosts, [1, 1], program, prelude=True, REDCOLL_TIMEOUT="5")
    job.succeed(60)
    what = {"put": "put to", "get": "get from"}[call]
    late = f"soon {what} PE 1 on host2: PE 1 on host2 did not arrive within 5 s (REDCOLL_TIMEOUT)"
    assert job.lines(0) == [late], job.describe()
