"""List all lanes by their names, and make them."""

from __future__ import annotations

from collections.abc import Sequence

from mpi4py import MPI

from redcoll.bench.apis import Core, MpiApi, Pvm, Shmem
from redcoll.bench.cases import Cell
from redcoll.bench.lanes import Absent, Lane
from redcoll.bench.peers import Memcpy, Mpi4py, Shmem4py

LANES: dict[str, type[Lane]] = {
    lane.name: lane for lane in (Core, Shmem, MpiApi, Pvm, Mpi4py, Memcpy, Shmem4py)
}


def make(name: str, path: str, cells: Sequence[Cell]) -> Lane:
    """Make a lane by its name.  Collective over all PEs of the job.

    Raises
    ------
    Absent
        The lane is absent on some PE. All PEs raise it.
    """
    lane: Lane | None = None
    reason = ""
    try:
        lane = LANES[name](path, cells)
    except Absent as error:
        reason = str(error)
    reasons = MPI.COMM_WORLD.allgather(reason)
    if lane is None or any(reasons):
        raise Absent(next(each for each in reasons if each))
    return lane
