"""Record the profile of a whole job, which rank 0 publishes at the end."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.liveness import aborting
from redcoll.profiling import recorder
from redcoll.profiling.log import Log
from redcoll.profiling.profile import Profile
from redcoll.topology import Process

_PINGS: Final = 10


def align(mine: Log, comm: MPI.Intracomm, wait: Callable[[MPI.Request], bool]) -> bool:
    """Convert the times of a log to the clock of rank 0.  Collective over ``comm``.

    Return False if ``wait`` returned False, because a rank did not arrive in time.
    """
    size = comm.Get_size()
    host, hosts = np.array([Process.here().host.encode()], "S64"), np.zeros(size, "S64")
    if not wait(comm.Iallgather([host, MPI.BYTE], [hosts, MPI.BYTE])):
        return False
    names = hosts.tolist()
    offsets = dict.fromkeys(names, (0.0, 0.0))
    for name in sorted(set(names) - {names[0]}):
        first = names.index(name)
        # Use collectives instead of messages, which a receive of the program could match.
        best = (float("inf"), 0.0)
        for _ in range(_PINGS):
            clocks = np.zeros(size)
            start_s = time.monotonic()
            if not wait(comm.Ibarrier()):
                return False
            if not wait(comm.Iallgather(np.array([time.monotonic()]), clocks)):
                return False
            spent_s = time.monotonic() - start_s
            best = min(best, (spent_s, float(clocks[0] - clocks[first])))
        offsets[name] = best[1], best[0]
    offset_s, mine.error_s = offsets[names[comm.Get_rank()]]
    mine.shift(offset_s)
    return True


def finish(
    wait: Callable[[MPI.Request], bool], gather: Callable[[bytes], list[bytes] | None]
) -> None:
    """Publish the profile of the job on rank 0.  All processes call it at exit."""
    mine = recorder.end()
    pieces = gather(pickle.dumps(mine)) if align(mine, MPI.COMM_WORLD, wait) else None
    if MPI.COMM_WORLD.Get_rank():
        return
    if pieces is None:
        _publish([mine], is_complete=False)
    else:
        _publish([pickle.loads(each) for each in pieces], is_complete=True)  # noqa: S301 - our own


def finish_alone() -> None:
    """Publish a profile that has only the calls of rank 0."""
    _publish([recorder.end()], is_complete=False)


def _publish(logs: list[Log], *, is_complete: bool) -> None:
    """Write the table of the logs to the file that ``REDCOLL_PROFILE`` names, or to stderr.

    If the name of the file ends in ``.json``, write the trace to the file, and the table to stderr.
    """
    file = config.PROFILE.get()
    if file is None:
        return
    result = Profile()
    result.take(logs, is_complete=is_complete)
    try:
        if file.endswith(".json"):
            result.trace(file)
        elif file != config.TO_STDERR:
            Path(file).write_text(result.table())
            return
    except OSError as error:
        aborting.report(f"redcoll: {config.PROFILE.name}={file}: {error.strerror}\n")
    aborting.report(result.table())
