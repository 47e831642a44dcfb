"""Keep the tasks of the job: their names, whether they are alive, and how to wait for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from redcoll import config, kernels, topology
from redcoll._mpi4py import MPI
from redcoll.comm import gather_objects
from redcoll.errors import ConfigError
from redcoll.liveness.peers import LEFT, OPEN, Peers
from redcoll.liveness.progress import Wait, Watch
from redcoll.memory.shared_window import SharedWindow
from redcoll.team import settings as team_settings
from redcoll.team.settings import Told
from redcoll.topology import Process, names_of, on_hosts
from redcoll_pvm import _settings

FIRST_SPIN_S, NEXT_SPIN_S = 1e-3, 1e-4
"""Seconds for which a wait polls a single word. The first limit applies at the start, where most
waits end. The second limit applies later, between two calls of the progress callbacks."""


def _own_settings() -> Told:
    """Return the settings that must be equal on all tasks."""
    told = team_settings.tell(
        _settings.MAX_GROUPS, _settings.HANDOVER_BYTES, _settings.HOLD, config.NODE_SIZE
    )
    if told.wrong is not None:
        return told
    try:
        return Told({config.KERNEL.name: kernels.choose(), **told.values}, None)
    except ConfigError as error:
        return Told({}, str(error))


class _Delivery(Wait):
    """A wait for a message in flight. It continues even if the sender has left."""

    __slots__ = ()

    def _may_be_overtaken(self, index: int, waited_s: float) -> bool:  # noqa: ARG002
        return True


class TaskSet(Peers):
    """The tasks of a communicator, as the calling task sees them.  Construction is collective.

    Only one thread at a time may use a task set and the objects that use it. The constructor raises
    ConfigError if a setting is wrong, or differs between tasks.
    """

    def __init__(self, comm: MPI.Intracomm) -> None:
        self.comm = comm
        self.size = comm.Get_size()
        self.me = comm.Get_rank()
        settings = _own_settings()
        told = gather_objects(comm, (Process.here(), settings))
        names = names_of(range(self.size))
        team_settings.require([its_settings for _, its_settings in told], names, self.me)
        processes = [process for process, _ in told]
        self._states = [OPEN] * self.size
        self._reported: dict[int, str] = {}
        super().__init__(
            processes, on_hosts(names, processes), Process.here(), self._states.__getitem__
        )
        layout, node = topology.lay_out(comm)
        node.Free()
        self.is_one_node = layout.is_one_node
        self.node = layout.members
        """The tasks on the caller's node."""
        self.kernel = kernels.load(settings.value(config.KERNEL))
        cores = topology.usable_cores([processes[task] for task in self.node])
        spin = config.SPIN.get()
        if spin is None:
            spin = self.kernel.SPIN if len(self.node) <= cores else 0
        self.await_change: Callable[[memoryview, int, int, int, float], bool] = partial(
            self.kernel.await_change, spin=spin
        )
        """The kernel's ``await_change`` with a fixed number of polls before the first yield."""
        self.collect: Callable[..., None] = partial(
            self.kernel.collect, limit_s=FIRST_SPIN_S, spin=spin
        )
        """The kernel's ``collect`` with the same number of polls."""
        self.progress_callbacks: list[Callable[[], object]] = []
        """Functions that :meth:`progress` calls."""
        self._is_in_progress = False
        self.watch = Watch(self, self.progress)

    # -- lost tasks -------------------------------------------------------------------

    def use_states(self, read: Callable[[int], int]) -> None:
        """From now on call ``read`` for the state of a task (``LEFT`` if the task has left)."""
        self._state = read

    def set_gone(self, task: int, why: str | None = None) -> None:
        """Record that a task has left normally, or why its process ended."""
        if why is None:
            self._states[task] = LEFT
        else:
            self._reported.setdefault(task, why)

    def death(self, index: int) -> str | None:
        """See :meth:`Peers.death`. Tasks of other nodes can also report a death."""
        return self._reported.get(index) or super().death(index)

    def have_all_left(self) -> bool:
        """Return whether every task has left normally."""
        return all(map(self.has_left_in_order, range(self.size)))

    def others(self) -> list[int]:
        """Return the other tasks that can still make calls."""
        return [i for i in range(self.size) if i != self.me and self.fate(i) is None]

    # -- waiting ---------------------------------------------------------------------

    def progress(self) -> None:
        """Progress MPI's messages, and process messages and contributions that have arrived."""
        # A callback that sends a message calls this method again. Then the outer call does the
        # work.
        if self._is_in_progress:
            return
        self._is_in_progress = True
        try:
            # A probe lets MPI progress pending messages, even if it finds no message.
            self.comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)
            for callback in self.progress_callbacks:
                callback()
        finally:
            self._is_in_progress = False

    def compare_swap_on(self, window: SharedWindow) -> Callable[[int, int, int], int]:
        """Return the fastest ``compare_swap`` on a window.

        All atomic changes of the window must use the returned function. MPI's own function may use
        a lock that the compiled kernel's instruction does not respect.
        """
        fast = self.kernel.compare_swap
        return window.prepared_compare_swap() if fast is None else partial(fast, window.words)

    def wait(
        self,
        ready: Callable[[], bool],
        absent: Callable[[], list[int]],
        doing: Callable[[], str],
        spin: Callable[[], object] | None = None,
        *,
        is_delivery: bool = False,
    ) -> None:
        """Wait until ``ready()`` returns true.

        ``absent()`` returns the tasks that the caller still waits for, and is called a few times a
        second. The deadline applies only while ``absent()`` returns tasks. An exception in
        ``ready()`` or ``absent()`` ends the wait. ``doing()`` returns a description of the call.
        ``spin()`` polls the word that most likely changes next, for ``NEXT_SPIN_S`` seconds. Set
        ``is_delivery`` if a message is already in flight. Then the wait continues even if the
        sender has left.

        Raises PeerLostError if a task in ``absent()`` has died or left, and CollectiveTimeoutError
        after ``REDCOLL_TIMEOUT``.
        """
        if ready():
            return
        kind = _Delivery if is_delivery else Wait
        poll = kind(self.watch, absent, doing, 16 if spin is None else 1).poll
        while not ready():
            # When the wait sleeps between polls, spinning is useless.
            if not poll() and spin is not None:
                spin()
