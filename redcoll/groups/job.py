"""All PEs of the job, as they meet without rounds.

Starting is collective over ``MPI.COMM_WORLD`` and happens at the first call that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpi4py import MPI
from numpy.typing import NDArray

from redcoll import config, departure
from redcoll.errors import StateError
from redcoll.groups.commons import Commons
from redcoll.groups.contributions import Contributions
from redcoll.groups.inbox import Inbox
from redcoll.groups.mail import Mail
from redcoll.groups.meeting import Meeting
from redcoll.groups.outbox import Outbox
from redcoll.groups.parcels import Rooms
from redcoll.groups.records import Records
from redcoll.groups.table import Table
from redcoll.ops import Op

Fold = Callable[[Op, Sequence[NDArray[Any]], NDArray[Any]], None]
"""``fold(op, operands, out)`` of a kernel."""


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
        rooms = Rooms(self.commons)
        self.contributions = Contributions(
            self.commons, self.table, Outbox(self.commons, rooms), Inbox(self.commons, rooms)
        )
        self.mail = Mail(self.commons)
        kernel = self.commons.kernel
        self.fold: Fold | None = kernel.fold if kernel.NAME == "compiled" else None
        """The compiled kernel's, if that is the one; NumPy's own loops need no other here."""
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
