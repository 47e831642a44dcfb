"""All PEs of the job, as they meet without rounds.

Starting is collective over ``MPI.COMM_WORLD`` and happens at the first call that needs it.
"""

from __future__ import annotations

from mpi4py import MPI

from redcoll import config, departure
from redcoll.errors import StateError
from redcoll.groups.commons import Commons
from redcoll.groups.contributions import Contributions
from redcoll.groups.mail import Mail
from redcoll.groups.meeting import Meeting
from redcoll.groups.parcels import Rooms
from redcoll.groups.records import Records
from redcoll.groups.table import Table


class Job:
    """Groups, contributions and messages of all PEs.  Made once by :func:`start`; collective."""

    def __init__(self) -> None:
        if MPI.COMM_WORLD.Get_rank() == 0:
            config.warn_unknown()
        self.commons = Commons(MPI.COMM_WORLD.Dup())
        self.pe = self.commons.index
        self.n_pes = self.commons.size
        records = Records(self.commons)
        self.table = Table(self.commons, records)
        self.meeting = Meeting(self.commons, records, self.table)
        self.contributions = Contributions(self.commons, self.table, Rooms(self.commons))
        self.mail = Mail(self.commons)
        departure.at_last(lambda: self.commons.finish(self.mail.is_flushed))


_job: Job | None = None


def start() -> Job:
    """The job, started at the first call.  Collective over all PEs then.

    Raises
    ------
    StateError
        MPI is not running.
    ConfigError
        A setting is wrong, or not the same on all PEs.
    TopologyError
        The PEs are on several nodes.
    HeapError
        No room in shared memory.
    """
    global _job  # noqa: PLW0603 - there is one job per process
    if _job is None:
        if MPI.Is_finalized():
            raise StateError("MPI has been finalized; nothing can start any more")
        if not MPI.Is_initialized():
            raise StateError("MPI has not been initialized; call MPI.Init() or MPI.Init_thread()")
        _job = Job()
    return _job
