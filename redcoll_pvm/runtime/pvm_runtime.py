"""All PEs of the job, as they meet without rounds.

Starting is collective over ``MPI.COMM_WORLD`` and happens at the first call that needs it.
"""

from __future__ import annotations

from redcoll import config, kernels, topology
from redcoll._mpi4py import MPI
from redcoll.comm import private_copy
from redcoll.errors import StateError
from redcoll.liveness import shutdown
from redcoll_pvm.runtime.task_set import Commons, NearCommons, agree
from redcoll_pvm.runtime.rooted_exchange import Contributions
from redcoll_pvm.runtime.far.commons import FarCommons
from redcoll_pvm.runtime.far.inbox import FarInbox
from redcoll_pvm.runtime.far.meeting import FarMeeting
from redcoll_pvm.runtime.mpi_transport import FarOutbox
from redcoll_pvm.runtime.far.table import FarTable
from redcoll_pvm.runtime.inbox import Inbox
from redcoll_pvm.runtime.mailbox import Mail
from redcoll_pvm.runtime.group_barrier import Meeting, NearMeeting
from redcoll_pvm.runtime.shared_transport import Outbox
from redcoll_pvm.runtime.transport import Rooms
from redcoll_pvm.runtime.message_transport import Post
from redcoll_pvm.runtime.group_table import Records
from redcoll_pvm.runtime.group_store import NearTable, Table


class Job:
    """Groups, contributions and messages of all PEs.  Made once by :func:`start`; collective."""

    def __init__(self) -> None:
        shutdown.install()
        if MPI.COMM_WORLD.Get_rank() == 0:
            config.warn_unknown()
            kernels.warn_slow()
        comm = private_copy(MPI.COMM_WORLD)
        terms = agree(comm)
        layout, node = topology.lay_out(comm)
        node.Free()
        self.commons: Commons
        self.table: Table
        self.meeting: Meeting
        if layout.is_one_node:
            self.commons = NearCommons(comm, terms, layout.members)
            records = Records(self.commons, comm)
            self.table = NearTable(self.commons, records)
            self.meeting = NearMeeting(self.commons, records, self.table)
            rooms = Rooms(self.commons)
            self.contributions = Contributions(
                self.commons,
                self.table,
                Outbox(self.commons, rooms),
                Inbox(self.commons, rooms),
                rooms,
            )
            post = Post(self.commons)
        else:
            self.commons = commons = FarCommons(comm, terms, layout.members)
            post = Post(commons)
            inbox = FarInbox(commons, post)
            self.table = FarTable(commons, inbox)
            self.meeting = FarMeeting(commons, self.table)
            self.contributions = Contributions(
                commons, self.table, FarOutbox(commons, post), inbox, None
            )
        self.mail = Mail(self.commons, post)
        self.pe = self.commons.index
        self.n_pes = self.commons.size
        shutdown.at_last(lambda: self.commons.finish(post.is_flushed))


_job: Job | None = None


def start() -> Job:
    """The job, started at the first call.  Collective over all PEs then.

    Raises
    ------
    StateError
        MPI is not running.
    ConfigError
        A setting is wrong, or not the same on all PEs.
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
