"""Keep the team of an MPI communicator, from the first reduction until MPI frees the communicator.

MPI keeps a :class:`CommState` as an attribute of the communicator. So all handles of the
communicator share one team, and ``Free`` on any handle also frees the team.
"""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import cast

from redcoll import topology
from redcoll._mpi4py import MPI
from redcoll.errors import ArgumentError, ConfigError, HeapError, StateError, TeamLimitError
from redcoll.liveness.peers import OPEN, Peers
from redcoll.liveness.progress import BarrierWait, Watch, poll
from redcoll.team import split
from redcoll.team.team import Team
from redcoll.topology import Process


class CommState:
    """The team of a communicator, or the error that all its ranks got instead of a team."""

    __slots__ = ("__weakref__", "_is_permanent", "error", "is_forgotten", "team")

    def __init__(self, comm: MPI.Intracomm) -> None:
        _states.add(self)
        self.is_forgotten = False
        """Whether the next reduction makes a new state."""
        self.team: Team | None = None
        self.error: Exception | None
        """The reason why there is no team, such as too little shared memory.  The error has the
        same class on all ranks."""
        # MPI deletes the attributes of COMM_WORLD and COMM_SELF inside MPI_Finalize. But a window
        # must be freed before MPI_Finalize.
        self._is_permanent = comm in (MPI.COMM_WORLD, MPI.COMM_SELF)
        plain = MPI.Intracomm(comm)  # the reductions of a subclass would call this code again
        self.error = _obstacle(plain)
        if self.error is not None:
            return
        _await_all(plain)
        try:
            self.team = Team.from_comm(plain, by_rank=True)
        except (TeamLimitError, HeapError, MPI.Exception) as error:
            self.error = error.with_traceback(None)

    def require(self) -> Team:
        """Return the team.

        Raise ``TeamLimitError``, ``HeapError`` or ``mpi4py.MPI.Exception`` if the team could not be
        made, because of too many teams or too little shared memory. Raise ``ArgumentError`` if the
        communicator spans several worlds, and ``StateError`` if MPI runs only in sessions.
        """
        if self.team is not None:
            return self.team
        raise self.error or StateError("the communicator has been freed")

    def revoke_unless_common(self, error: BaseException) -> None:
        """Revoke the team, if there is one, as :meth:`Team.revoke_unless_common` does."""
        if self.team is not None:
            self.team.revoke_unless_common(error)

    def release(self) -> None:
        """Free the team.  Collective over the communicator, which the caller frees afterwards.

        Raise ``CollectiveMismatchError`` if other ranks called another collective. In that case
        nothing has been freed.
        """
        team = self.team
        if team is not None and (team.can_go_on or team.is_closing):
            split.close(team)
        self.team = None

    def end(self) -> None:
        """Free the team.  MPI calls this method while it frees the communicator."""
        if self.team is not None and self.team.can_go_on and not self._is_permanent:
            self.team.close(is_here=True)
        self.team = None


_states: weakref.WeakSet[CommState] = weakref.WeakSet()
_holders: weakref.WeakValueDictionary[int, MPI.Comm] = weakref.WeakValueDictionary()
"""All registered handles by their ``id``, because communicators have no hash."""


def hold(handle: MPI.Comm) -> None:
    """Register a handle that keeps its state, so that :func:`forget_all` can reset the handle."""
    _holders[id(handle)] = handle


def forget_all() -> None:
    """Let each communicator make a new team in its next reduction.  All ranks must call."""
    for handle in list(_holders.values()):
        handle._comm_state = None  # type: ignore[attr-defined] # noqa: SLF001 - for fast access
    for state in list(_states):
        state.team = None
        state.is_forgotten = True


@functools.cache
def _keyval() -> int:
    def on_delete(_comm: MPI.Comm, _keyval: int, state: CommState) -> None:
        state.end()

    # The attribute has no copy function, so a duplicate of a communicator starts without a team.
    return MPI.Comm.Create_keyval(delete_fn=on_delete)


@functools.cache
def _barrier_keyval() -> int:
    return MPI.Comm.Create_keyval()


def find(comm: MPI.Intracomm) -> CommState | None:
    """Return the communicator's state; None before its first reduction.  Local."""
    return cast("CommState | None", comm.Get_attr(_keyval()))


def attach(comm: MPI.Intracomm) -> CommState:
    """Return the communicator's state.  The first call makes the state, and is collective.

    Raise ``ConfigError`` on all ranks if their settings differ, and ``CollectiveTimeoutError`` if
    some ranks did not call within ``REDCOLL_TIMEOUT``. Raise ``PeerLostError`` if a rank that
    shares an earlier team with the caller has died.
    """
    state = find(comm)
    if state is None or state.is_forgotten:
        state = CommState(comm)
        comm.Set_attr(_keyval(), state)
    return state


def detach(comm: MPI.Intracomm) -> None:
    """Free the communicator's team, if it has one.  Collective over the communicator."""
    state = find(comm)
    if state is not None:
        state.release()
        comm.Delete_attr(_keyval())


def _obstacle(comm: MPI.Intracomm) -> Exception | None:
    """Return the reason why the communicator must not get a team, equal on all ranks.  Local.

    Processes of another world may run plain mpi4py. They would not take part in making a team.
    """
    if not MPI.Is_initialized():
        return StateError("MPI runs only in sessions")
    if MPI.UNDEFINED in _pes(comm):
        return ArgumentError("the communicator spans several MPI_COMM_WORLDs")
    return None


def _pes(comm: MPI.Intracomm) -> list[int]:
    """Return the PE number of each rank. It is UNDEFINED for a process of another world."""
    group, world = comm.Get_group(), MPI.COMM_WORLD.Get_group()
    pes = MPI.Group.Translate_ranks(group, range(comm.Get_size()), world)
    group.Free()
    world.Free()
    return pes


def _await_all(comm: MPI.Intracomm) -> None:
    """Wait until all ranks have called. Ctrl-C and ``REDCOLL_TIMEOUT`` can end this wait.

    After an interrupt the other ranks still count this rank as arrived. The barrier's request stays
    with the communicator, and the next call waits for that request. MPI does not show which ranks
    have arrived. So the caller notices the death of another rank only if the two ranks share an
    earlier team.
    """
    held = cast("list[MPI.Request] | None", comm.Get_attr(_barrier_keyval()))
    if held is None:
        held = []
        comm.Set_attr(_barrier_keyval(), held)
    if not held:
        # ``extend(map(...))`` is one C call, so no signal handler can raise between the start of
        # the barrier and the storage of its request.
        held.extend(map(MPI.Intracomm.Ibarrier, [comm]))
    is_over = held[0].Test
    others = [rank for rank in range(comm.Get_size()) if rank != comm.Get_rank()]
    doing = f"first reduction on a communicator of {comm.Get_size()}"

    def start_wait() -> Callable[[], object]:
        try:
            watch = _watch(comm)
        except ConfigError:
            return partial(time.sleep, 1e-3)  # all ranks raise this error when they make the team
        return BarrierWait(watch, others, is_over, lambda: doing).poll

    poll(is_over, start_wait)
    comm.Delete_attr(_barrier_keyval())


def _watch(comm: MPI.Intracomm) -> Watch:
    """Return the context of a wait for ranks that have no common team yet."""
    pes, here = _pes(comm), Process.here()
    processes = [topology.known_processes.get(pe, here) for pe in pes]
    names = topology.names_of(pes, by_rank=True)
    return Watch(Peers(processes, names, here, lambda _: OPEN), lambda: None)
