"""Test the trace of a whole job against the rules of Chrome's trace event format."""

import json
import os
from collections import Counter
from itertools import pairwise

import pytest

N = int(os.environ.get("REDCOLL_TEST_TRACE_RANKS", "3"))
STEPS = 40
LATE = range(7, STEPS, 20)

# The last rank is late in 1 of 20 steps.
PROGRAM = f"""
    import time
    import numpy as np
    from redcoll import MPI

    world = MPI.COMM_WORLD
    x, y = np.ones(100), np.zeros(100)
    for step in range({STEPS}):
        if world.rank == {N} - 1 and step in {LATE}:
            time.sleep(0.05)
        world.Allreduce(x, y)
"""

KEYS = {
    "M": {"name", "ph", "pid", "tid", "ts", "args"},
    "X": {"name", "cat", "ph", "pid", "tid", "ts", "dur", "args"},
    "s": {"name", "cat", "ph", "pid", "tid", "ts", "id", "bp"},
    "f": {"name", "cat", "ph", "pid", "tid", "ts", "id", "bp"},
}
"""The keys of an event, by the event's phase."""


def test_trace_follows_the_format(start_job):
    job = start_job(PROGRAM, N, prelude=False, REDCOLL_PROFILE="./trace.json")
    job.succeed(120)
    trace = json.loads((job.directory / "trace.json").read_text())
    assert trace.keys() == {"traceEvents", "displayTimeUnit", "otherData"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    assert trace["otherData"]["ranks"] == N
    events = trace["traceEvents"]
    by_phase = Counter(event["ph"] for event in events)
    assert by_phase.keys() == KEYS.keys()
    assert (by_phase["M"], by_phase["X"]) == (N, N * STEPS)
    for event in events:
        assert event.keys() == KEYS[event["ph"]], event
        assert isinstance(event["pid"], int)
        assert event["tid"] in range(N)
        assert event["ts"] >= 0
        assert event.get("dur", 0) >= 0
    for rank in range(N):
        slices = [event for event in events if event["ph"] == "X" and event["tid"] == rank]
        slices.sort(key=lambda event: event["ts"])
        assert len(slices) == STEPS
        # The slices of a track do not overlap. Rounding changes times by less than 0.01 us.
        for one, two in pairwise(slices):
            assert one["ts"] + one["dur"] <= two["ts"] + 0.01
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert len(starts) == by_phase["s"] == by_phase["f"]
    for name, begin in starts.items():
        end = ends[name]
        assert (begin["name"], begin["cat"], end["bp"]) == (end["name"], end["cat"], "e")
        assert begin["ts"] <= end["ts"]
        assert begin["tid"] != end["tid"]
    # All other ranks waited for the last rank in each late step.
    waits = Counter((starts[name]["tid"], end["tid"]) for name, end in ends.items())
    assert all(waits[N - 1, rank] >= len(LATE) for rank in range(N - 1)), waits


CORE = """
    import numpy as np
    import redcoll

    for _ in range(5):
        redcoll.allreduce(np.zeros(1), np.ones(1))
"""
SHMEM = """
    import numpy as np
    import redcoll_shmem as shmem

    shmem.shmem_init()
    n = shmem.shmem_n_pes()
    target, source = shmem.zeros(4), shmem.zeros(4)
    sync = shmem.zeros(shmem.SHMEM_REDUCE_SYNC_SIZE, np.int64)
    sync[:] = shmem.SHMEM_SYNC_VALUE
    shmem.shmem_barrier_all()
    for _ in range(7):
        shmem.shmem_double_sum_to_all(target, source, 3, 0, 0, n, None, sync)
    for _ in range(4):
        shmem.shmem_double_max_reduce(shmem.SHMEM_TEAM_WORLD, target, source, 4)
    for _ in range(2):
        shmem.shmem_double_sum_inscan(shmem.SHMEM_TEAM_WORLD, target, source, 4)
    shmem.shmem_finalize()
"""
ROWS = {
    CORE: {"redcoll.allreduce": (5, 8)},
    SHMEM: {
        "shmem_double_sum_to_all": (7, 24),
        "shmem_double_max_reduce": (4, 32),
        "shmem_double_sum_inscan": (2, 32),
    },
}


@pytest.mark.parametrize("kernel", ["", "numpy"])
@pytest.mark.parametrize("program", [CORE, SHMEM], ids=["core", "shmem"])
def test_profile_of_a_job_has_all_calls_of_an_api(start_job, program, kernel):
    job = start_job(
        program, 2, prelude=False, REDCOLL_PROFILE="./trace.json", REDCOLL_KERNEL=kernel
    )
    job.succeed()
    trace = json.loads((job.directory / "trace.json").read_text())
    found = Counter(
        (event["name"].partition(" ")[0], event["args"]["bytes"])
        for event in trace["traceEvents"]
        if event["ph"] == "X"
    )
    assert found == {(call, n_bytes): 2 * calls for call, (calls, n_bytes) in ROWS[program].items()}
