"""Record the profile of a whole job, which rank 0 publishes at the end."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.liveness import aborting
from redcoll.profiling import recorder
from redcoll.profiling.log import Log
from redcoll.profiling.profile import Profile
from redcoll.topology import Process

_PINGS: Final = 10


def align(mine: Log, comm: MPI.Intracomm, wait: Callable[[MPI.Request], bool]) -> bool:
    """Compare the clocks of all hosts with rank 0's clock.  Collective over ``comm``.

    Returns
    -------
    bool
        False if ``wait`` returned False, because a rank did not arrive in time.
    """
    rank, size = comm.Get_rank(), comm.Get_size()
    host = Process.here().host.encode()[:64].ljust(64, b"\0")
    hosts = bytearray(64 * size)
    if not wait(comm.Iallgather([host, MPI.BYTE], [hosts, MPI.BYTE])):
        return False
    names = [bytes(hosts[64 * each : 64 * each + 64]) for each in range(size)]
    offsets = dict.fromkeys(names, (0.0, 0.0))
    for name in sorted(set(names) - {names[0]}):
        first = names.index(name)
        # Use collectives instead of messages, which a receive of the program could match.
        best = (float("inf"), 0.0)
        for _ in range(_PINGS):
            clocks = bytearray(8 * size)
            start_s = time.monotonic()
            clock = memoryview(bytearray(8)).cast("d")
            clock[0] = start_s
            if not wait(comm.Ibarrier()):
                return False
            clock[0] = time.monotonic()
            if not wait(comm.Iallgather([clock, MPI.BYTE], [clocks, MPI.BYTE])):
                return False
            spent_s = time.monotonic() - start_s
            there = memoryview(clocks).cast("d")
            best = min(best, (spent_s, there[0] - there[first]))
        offsets[name] = best[1], best[0]
    mine.offset_s, mine.error_s = offsets[names[rank]]
    return True


def finish(
    wait: Callable[[MPI.Request], bool], gather: Callable[[bytes], list[bytes] | None]
) -> None:
    """Publish the profile of the job on rank 0.  All processes call it at exit."""
    mine = recorder.end()
    complete = gather(pickle.dumps(mine)) if align(mine, MPI.COMM_WORLD, wait) else None
    if MPI.COMM_WORLD.Get_rank():
        return
    result = Profile()
    if complete is None:
        result.take([mine], is_complete=False)
    else:
        logs = [pickle.loads(each) for each in complete]  # noqa: S301 - our own
        result.take(logs, is_complete=True)
    publish(result)


def finish_alone() -> None:
    """Publish a profile that has only the calls of rank 0."""
    result = Profile()
    result.take([recorder.end()], is_complete=False)
    publish(result)


def publish(result: Profile) -> None:
    """Write the table to the file that ``REDCOLL_PROFILE`` names, or print it on stderr.

    If the name of the file ends in ``.json``, write the trace to the file, and print the table.
    """
    file = config.PROFILE.get()
    if file is None:
        return
    try:
        if file.endswith(".json"):
            result.trace(file)
        elif file != config.TO_STDERR:
            Path(file).write_text(result.table())
            return
    except OSError as error:
        aborting.report(f"redcoll: {config.PROFILE.name}={file}: {error.strerror}\n")
    aborting.report(result.table())
