"""Build the runtime of a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from redcoll import config, kernels
from redcoll._mpi4py import MPI
from redcoll.comm import private_copy
from redcoll.errors import StateError
from redcoll.liveness import shutdown
from redcoll.team.lifecycle import MADE_BEFORE_FORK, Closed
from redcoll_pvm.runtime.group_barrier import GroupBarrier
from redcoll_pvm.runtime.group_client import RemoteGroupStore
from redcoll_pvm.runtime.group_store import GroupStore, SharedGroupStore
from redcoll_pvm.runtime.mailbox import Mailbox
from redcoll_pvm.runtime.message_transport import MessageTransport
from redcoll_pvm.runtime.mpi_transport import MpiTransport
from redcoll_pvm.runtime.rooted_exchange import RootedExchange
from redcoll_pvm.runtime.shared_transport import SharedTransport
from redcoll_pvm.runtime.task_set import TaskSet
from redcoll_pvm.runtime.transport import Transport


class PvmRuntime:
    """The runtime of a task: groups, contributions, messages.

    :func:`start` makes the runtime, collectively.
    """

    def __init__(self) -> None:
        shutdown.install()
        if MPI.COMM_WORLD.Get_rank() == 0:
            config.warn_unknown()
            kernels.warn_slow()
        self.tasks = TaskSet(private_copy(MPI.COMM_WORLD))
        self._messages = MessageTransport(self.tasks)
        self.store: GroupStore
        transport: Transport
        if self.tasks.is_one_node:
            self.store = SharedGroupStore(self.tasks)
            transport = SharedTransport(self.tasks, self._messages)
        else:
            transport = MpiTransport(self.tasks, self._messages)
            self.store = RemoteGroupStore(self.tasks, transport)
        self.barrier = GroupBarrier(self.tasks, self.store)
        self.exchange = RootedExchange(self.tasks, self.store, transport)
        self.mailbox = Mailbox(self.tasks, self._messages)
        self.dead_peer = self.tasks.first_dead
        self.me = self.tasks.me
        self.size = self.tasks.size
        self.has_left = False
        """Whether this task has left PVM."""
        self._has_finished = False
        shutdown.register(self)
        shutdown.at_last(self._finish)

    # -- how the task leaves: see redcoll.liveness.shutdown --------------------------

    def leave(self) -> None:
        """Leave all groups and the job.  A second call does nothing."""
        if not self.has_left:
            self.has_left = True
            self.store.depart()

    def have_all_left(self) -> bool:
        """Return whether every task has left."""
        if not self._has_finished:
            self.tasks.progress()
        return self._has_finished or self.tasks.have_all_left()

    def receive_notices(self) -> None:
        """After this task has left, answer the requests of other tasks to the group server."""
        if self.has_left:
            self.store.serve()

    def _finish(self) -> None:
        """Wait at the end of the process until no task needs this task any more.

        MPI_Finalize would wait for the other tasks in any case. So this wait has no deadline and
        prints no warnings.
        """
        self._wait_for_end(self._messages.is_flushed)
        self._wait_for_end(self.tasks.comm.Ibarrier().Test)
        self._has_finished = True
        self.store.close()

    def _wait_for_end(self, is_over: Callable[[], bool]) -> None:
        has_dead = False

        def ready() -> bool:
            # Other tasks of this node may get exit notices only through this task.
            shutdown.receive_notices()
            return has_dead or is_over()

        def absent() -> list[int]:
            nonlocal has_dead
            has_dead = self.tasks.first_dead() is not None
            return []

        self.tasks.wait(ready, absent, lambda: "end of the job")


FORKED: Final = cast("PvmRuntime", Closed(StateError, f"the PVM task {MADE_BEFORE_FORK}"))
"""The runtime of a forked child. Every use raises ``StateError``."""

_runtime: PvmRuntime | None = None


def start() -> PvmRuntime:
    """Return the runtime.  The first call starts it, collectively over all tasks.

    Raises StateError if MPI is not running, ConfigError if a setting is wrong or differs between
    tasks, and HeapError if there is not enough shared memory.
    """
    global _runtime  # noqa: PLW0603 - one per process
    if _runtime is None:
        if MPI.Is_finalized():
            raise StateError("MPI has been finalized; nothing can start any more")
        if not MPI.Is_initialized():
            raise StateError("MPI has not been initialized; call MPI.Init() or MPI.Init_thread()")
        _runtime = PvmRuntime()
    return _runtime
