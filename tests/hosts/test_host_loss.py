"""Test that, if a host vanishes during reductions, PEs on other hosts name the host and end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from pathlib import Path

import pytest
from hosts import network

pytestmark = pytest.mark.root

TIMEOUT_S = 4

# Seconds from the loss until the surviving PEs must have reported it. Each PE waits at most
# TIMEOUT_S. The remaining time is for a busy machine.
SPOKEN_WITHIN_S = TIMEOUT_S + 12
# Seconds from the loss until the surviving PEs must have ended. A failed PE waits a while for the
# other PEs.
ENDED_WITHIN_S = 40

PROGRAM = """
    mark("ready")
    turn = 0
    try:
        while True:
            {call}
            turn += 1
            if turn % 50 == 0:
                mark("on")
    except redcoll.CollectiveError as error:
        say(type(error).__name__, repr(time.time()), error)
        raise
    """

CALLS = {
    "small": "reduce(4)",
    "medium": "reduce(50_000)",
    "large": "reduce(500_000)",
    "scans": "redcoll.scan(np.zeros(3000), np.ones(3000))",
    # These scans send so much data that a message is likely to be under way.
    "long scans": "redcoll.scan(np.zeros(300_000), np.ones(300_000))",
    "barriers": "redcoll.barrier()",
}


def check(job, gone_s, alive, lost, crashing=()):
    """Check that the PEs ``alive`` soon named a PE of ``lost`` with its host, and ended.

    MPI may crash the PEs ``crashing`` before they write a message. Then messages of other PEs may
    name a crashed PE.
    """
    pids = {pe: job.pid(pe) for pe in alive}
    until = time.monotonic() + ENDED_WITHIN_S
    while any(_runs(pid) for pid in pids.values()):
        assert time.monotonic() < until, f"they stay: {job.describe()}"
        time.sleep(0.05)
    said = {pe: job.lines(pe) for pe in alive}
    # The first PE that raises may end the job before other PEs write their messages.
    assert any(said.values()), job.describe()
    names = "|".join(f"PE {pe} on host{host}" for pe, host in lost.items())
    named = 0
    for pe, lines in said.items():
        for line in lines:
            kind, at, text = line.split(maxsplit=2)
            assert kind in ("CollectiveTimeoutError", "PeerLostError"), line
            assert float(at) - gone_s < SPOKEN_WITHIN_S, line
            if re.search(names, text):
                named += 1
            else:
                # This PE waited for another surviving PE, which waited for a lost PE.
                others = "|".join(rf"PE {other}\b" for other in alive if other != pe)
                assert re.search(others, text), line
    assert named or any(not said[pe] for pe in crashing), job.describe()


def _runs(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def go(start_on, hosts, pes, vendor, call, environment):
    job = start_on(
        hosts,
        pes,
        PROGRAM.format(call=CALLS[call]),
        options=network.SURVIVORS[vendor],
        prelude=True,
        REDCOLL_TIMEOUT=str(TIMEOUT_S),
        **environment,
    )
    for pe in range(sum(pes)):
        job.pid(pe, "ready")
    time.sleep(1.5)
    return job


def lose_the_second_host(start_on, two_hosts, vendor, call, environment):
    """Remove the second host's link and processes at once, without notice."""
    job = go(start_on, two_hosts, [2, 2], vendor, call, environment)
    gone_s = time.time()
    try:
        two_hosts.vanish(2)
        check(job, gone_s, alive=(0, 1), lost={2: 2, 3: 2})
    finally:
        two_hosts.mend(2)
        job.end()
        two_hosts.kill(2)


@pytest.mark.parametrize("call", CALLS)
def test_a_host_loses_its_power(start_on, two_hosts, vendor, call):
    lose_the_second_host(start_on, two_hosts, vendor, call, {})


# pytest-mpi would interpret the id "mpi" as its marker.
@pytest.mark.parametrize("order", ["strict", "mpi"], ids=["strict-order", "mpi-order"])
def test_a_host_loses_its_power_in_other_orders(start_on, two_hosts, vendor, order):
    """Order ``strict`` reduces slices of all ranks' data. Order ``mpi`` uses MPI's reductions."""
    # In order ``mpi``, only short chunks leave the reduction to MPI.
    environment = {"REDCOLL_ORDER": order, "REDCOLL_CHUNK_BYTES": "128K"}
    lose_the_second_host(start_on, two_hosts, vendor, "large", environment)


@pytest.mark.parametrize("call", ["small", "large"])
def test_the_host_of_pe_0_loses_its_power(start_on, three_hosts, vendor, call):
    job = go(start_on, three_hosts, [1, 2, 1], vendor, call, {})
    gone_s = time.time()
    try:
        three_hosts.vanish(1)
        check(job, gone_s, alive=(1, 2, 3), lost={0: 1})
    finally:
        three_hosts.mend(1)
        job.end()
        three_hosts.kill(1)


@pytest.mark.parametrize("call", ["small", "large"])
def test_a_link_is_cut(start_on, two_hosts, vendor, call):
    """Both sides live, and each side reports the other side as lost."""
    job = go(start_on, two_hosts, [2, 2], vendor, call, {})
    gone_s = time.time()
    try:
        two_hosts.cut(2)
        check(job, gone_s, alive=(0, 1), lost={2: 2, 3: 2})
        check(job, gone_s, alive=(2, 3), lost={0: 1, 1: 1})
    finally:
        two_hosts.mend(2)
        job.end()
        two_hosts.kill(2)


@pytest.mark.parametrize("call", ["small", "large"])
def test_the_processes_of_a_host_are_killed(start_on, two_hosts, vendor, call):
    """Only the PEs of a host are killed; its link and MPI's daemon remain."""
    job = go(start_on, two_hosts, [2, 2], vendor, call, {})
    gone_s = time.time()
    try:
        for pe in (2, 3):
            os.kill(job.pid(pe), signal.SIGKILL)
        # compat(mpich 5.0.2): over UCX a send to a killed process crashes PE 0, the node leader.
        check_end_or_report(job, gone_s, crashing=(0,) if vendor == "mpich" else ())
    finally:
        job.end()
        two_hosts.kill(2)


def check_end_or_report(job, gone_s, crashing):
    """Check the messages, unless the launcher has ended the job before PEs wrote messages."""
    until = time.monotonic() + ENDED_WITHIN_S
    while any(_runs(job.pid(pe)) for pe in (0, 1)):
        assert time.monotonic() < until, f"they stay: {job.describe()}"
        time.sleep(0.05)
    if any(job.lines(pe) for pe in (0, 1)):
        check(job, gone_s, alive=(0, 1), lost={2: 2, 3: 2}, crashing=crashing)
