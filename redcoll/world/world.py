"""Start and stop redcoll in a job, and keep the job's heap and the teams of active sets.

The first call that needs the heap or a team starts redcoll, collectively over ``MPI.COMM_WORLD``.
If some PEs of a program make no such call, all PEs must call ``redcoll.init()``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from redcoll import config, kernels
from redcoll._mpi4py import MPI
from redcoll.activeset import ActiveSet
from redcoll.comm import gather_objects, least, no_communicator, private_copy, raise_first
from redcoll.errors import ConfigError, HeapError, StateError, TeamLimitError
from redcoll.liveness import shutdown
from redcoll.memory import shared_window
from redcoll.memory.heap import Heap
from redcoll.memory.remote_heap import RemoteHeap
from redcoll.memory.shared_window import open_shared, room_bytes
from redcoll.protocol.descriptor import ALLOCATE, BARRIER, FREE, pack, pack_allocation
from redcoll.protocol.partition import round_up
from redcoll.team import Team, TeamHandle, comm_state, make_team, revoking
from redcoll.world.rendezvous import NODE, Key, Rendezvous, tag_of

_PAGE = 4096
_LEAST_DEFAULT_HEAP_BYTES = 1 << 20


class World:
    """The state of redcoll for the whole job.  :func:`start` makes it once, collectively."""

    def __init__(self) -> None:
        comm = MPI.COMM_WORLD
        if comm.Get_rank() == 0:
            config.warn_unknown()
            kernels.warn_slow()
        self.team = _team_with(private_copy(comm), range(comm.Get_size()))
        try:
            self._map_heaps()
        except (ConfigError, HeapError, TeamLimitError):  # the same error on all PEs
            self.team.close()
            raise
        self._teams: dict[Key, Team] = {(0, 0, self.n_pes): self.team}
        self._sets: dict[ActiveSet, Team] = {}
        self._refused: dict[Key, Exception] = {}
        self._rendezvous: dict[Key, Rendezvous] = {}

    def _map_heaps(self) -> None:
        """Map the heaps of all PEs.  Collective; all PEs raise the same error."""
        self.pe = self.team.index
        self.n_pes = self.team.size
        near = self.team.layout.members
        heap_bytes = self._heap_bytes()
        self._window = open_shared(
            self.team.comm,
            self.team.node_comm,
            # With this number of pages a fold over many heaps is faster: see
            # docs/decisions/node-memory.md.
            (heap_bytes // _PAGE | 7) * _PAGE,
            f"symmetric heap ({config.HEAP_BYTES.variable})",
            is_kept=True,  # the program's arrays are in it
        )
        self.heap = Heap(self._window, near, heap_bytes)
        self.remote: RemoteHeap | None = None
        """The heaps of PEs on other nodes; None on a single node."""
        if not self.team.layout.is_one_node:
            own = self.heap.view(self.pe, 0, np.uint8, self.heap.allocator.capacity_bytes)
            error = None
            try:
                self.remote = RemoteHeap(self.team.comm, own, self.team.watch)
            except MPI.Exception as refusal:
                error = HeapError(f"window over the symmetric heaps of several nodes: {refusal}")
            try:
                raise_first(self.team.comm, error)
            except HeapError:
                self._window.free()
                raise
        self.team.kernel.know_heap(*self.heap.own_addresses(), self.heap.epoch_word)

    def _heap_bytes(self) -> int:
        """Return the size in bytes of each PE's heap, which is equal on all PEs."""
        comm = self.team.comm
        row = config.HEAP_BYTES
        wanted = gather_objects(comm, (row.get(), row.is_set(), row.variable))
        if len({each[:2] for each in wanted}) > 1:
            variable = next(name for _, is_set, name in wanted if is_set)
            sizes = ", ".join(
                f"PE {pe}: {size}{'' if is_set else ' (not set)'}"
                for pe, (size, is_set, _) in enumerate(wanted)
            )
            raise ConfigError(f"{variable} must be the same everywhere; found {sizes}")
        size, asked_for, _ = wanted[0]
        if not asked_for:
            # Take at most half of the free memory, because teams and other jobs need memory, too.
            room = least(comm, room_bytes(self.team.node_comm))
            most = max(len(members) for members in self.team.layout.nodes)
            share = room // 2 // most
            size = max(min(size, share), _LEAST_DEFAULT_HEAP_BYTES)
        return max(round_up(size, _PAGE), _PAGE)

    # -- teams ----------------------------------------------------------------------

    def node_team(self) -> Team:
        """Return the team of the caller's node.  The first use makes the team, collectively.

        Raise ``TeamLimitError`` and ``HeapError`` as :meth:`team_of` does.
        """
        if self.team.layout.is_one_node:
            return self.team
        return self._team(NODE, self._make_node_team)

    def team_of(self, active_set: ActiveSet) -> Team:
        """Return the team of an active set.  The first use makes it, collectively over the set.

        Raise ``ActiveSetError`` if the set reaches past the last PE or does not contain the caller.
        Raise ``TeamLimitError`` if ``REDCOLL_MAX_TEAMS`` is reached, and ``HeapError`` if shared
        memory is exhausted. If the first use raises such an error, later uses raise it again.
        """
        team = self._sets.get(active_set)
        if team is not None:
            return team
        active_set.check(self.n_pes, self.pe)
        log_stride = active_set.log_stride if active_set.size > 1 else 0
        key = (active_set.start, log_stride, active_set.size)
        team = self._team(key, lambda: self._make_team(active_set, key))
        self._sets[active_set] = team
        return team

    def known_team(self, active_set: object) -> Team | None:
        """Return the team of an active set, or of all PEs for None, if the team exists.  Local."""
        if active_set is None:
            return self.team
        return self._sets.get(active_set) if isinstance(active_set, ActiveSet) else None

    def _team(self, key: Key, make: Callable[[], Team]) -> Team:
        team = self._teams.get(key)
        if team is not None:
            return team
        if key in self._refused:
            raise self._refused[key].with_traceback(None)
        try:
            team = self._teams[key] = make()
        except (TeamLimitError, HeapError) as error:
            # All members get the same error, now and at every later use. Otherwise a member could
            # wait for members that have already failed.
            self._refused[key] = error.with_traceback(None)
            raise
        return team

    def _make_node_team(self) -> Team:
        near = self.team.layout.members
        self._meet(near, NODE, "first use of the team of the node")
        return _team_with(private_copy(self.team.node_comm), near)

    def _make_team(self, active_set: ActiveSet, key: Key) -> Team:
        pes = active_set.pes
        if len(pes) == 1:
            return _team_with(private_copy(MPI.COMM_SELF), pes)
        self._meet(pes, key, f"first use of {active_set}")
        group = self.team.comm.group
        members = group.Incl(list(pes))
        try:
            comm = self.team.comm.Create_group(members, tag_of(key, self.n_pes) + 1)
        except MPI.Exception as error:
            raise no_communicator(error) from None
        finally:
            members.Free()
            group.Free()
        return _team_with(comm, pes)

    def _meet(self, pes: Sequence[int], key: Key, doing: str) -> None:
        """Wait until all members have reached the first use of their set."""
        rendezvous = self._rendezvous.get(key)
        if rendezvous is None:
            rendezvous = Rendezvous(self.team.comm, list(pes), tag_of(key, self.n_pes))
            self._rendezvous[key] = rendezvous
        rendezvous.wait(self.team.watch, doing)
        del self._rendezvous[key]

    # -- the heap -------------------------------------------------------------------

    def allocate(
        self, n_bytes: int, alignment: int = 64, *, fill: str = "", replaced: int | None = None
    ) -> int:
        """Allocate a block at the same offset of every PE's heap.  Collective over all PEs.

        ``fill`` is one of ``descriptor.FILLS``. If it is "of values", the caller sets the values,
        and then calls a barrier. ``replaced`` is the offset of the block that the new block
        replaces, or None; the call does not free that block. Raise ``CollectiveMismatchError`` if
        PEs pass different arguments, and ``HeapError`` on all PEs if no free block is large enough.
        """
        team = self.team
        # Complete this PE's puts before another PE's allocation can reuse freed memory.
        complete_remote()
        # After this round all PEs have passed equal arguments, and have completed their earlier
        # calls of free(). A size above 2**62 fits into no heap, so the header can have a smaller
        # number.
        extra = pack_allocation(alignment, replaced, fill)
        team.round(pack(ALLOCATE), min(n_bytes, 1 << 62), extra)
        try:
            offset = self.heap.allocator.allocate(n_bytes, alignment)
        except HeapError as error:
            team.common(error)
            raise
        if fill == "of zeros":
            self.heap.view(self.pe, offset, np.uint8, n_bytes)[...] = 0
            # No PE may put into a block before the block's owner has cleared it.
            team.round(pack(BARRIER))
        return offset

    def free(self, offset: int) -> None:
        """Free a block on every PE's heap.  Collective over all PEs."""
        complete_remote()
        self.team.round(pack(FREE), offset)
        self.heap.release(offset)

    def memory_barrier(self, pes: Collection[int] | None = None) -> None:
        """Order this PE's loads and stores on the heap, so that PEs see them in program order.

        On several nodes the call also completes the puts to ``pes`` (default: to all PEs).
        """
        self._window.sync()
        if self.remote is not None:
            self.remote.complete(pes)

    def see(self) -> None:
        """Make visible to this PE all stores that another PE made before it stored a flag.

        Call this method after loading the flag.
        """
        self._window.sync()
        if self.remote is not None:
            self.remote.see()


def _team_with(comm: MPI.Intracomm, pes: Sequence[int]) -> Team:
    """Make a team that owns the communicator. If the construction fails, free the communicator."""
    try:
        return make_team(comm, pes)
    except BaseException:
        comm.Free()
        raise


_world: World | None = None
_finalized = False


def start() -> World:
    """Return the world.  The first call starts it, collectively over all PEs.

    Raise ``StateError`` if the world has been stopped, or MPI is not running.
    """
    global _world  # noqa: PLW0603 - there is one world per process
    if _world is None:
        if _finalized or MPI.Is_finalized():
            raise StateError("redcoll has been finalized; it cannot start again in this process")
        if not MPI.Is_initialized():
            raise StateError("MPI has not been initialized; call MPI.Init() or MPI.Init_thread()")
        _world = World()
    return _world


def team_of_call(
    *_: object, team: object = None, active_set: object = None, **__: object
) -> Team | None:
    """Return the team that a collective's arguments name; None if there is no team yet.  Local."""
    if team is None:
        return None if _world is None else _world.known_team(active_set)
    if isinstance(team, TeamHandle):
        return team.known_core()
    if isinstance(team, MPI.Intracomm):
        state = comm_state.find(team) if team else None
        return None if state is None else state.team
    return team if isinstance(team, Team) else None


def known_node_team() -> Team | None:
    """Return the team of the caller's node; None before its first use.  Local."""
    if _world is None:
        return None
    return _world.team if _world.team.layout.is_one_node else _world._teams.get(NODE)  # noqa: SLF001


def revoke_unless_common(error: BaseException, team: object, active_set: object) -> None:
    """Revoke the team of a call that raised an exception, as :func:`redcoll.team.revoking` does.

    Fast functions do not use the decorator, which adds a frame. They call this function in their
    own ``except`` clause.
    """
    known = team_of_call(team=team, active_set=active_set)
    if known is not None:
        known.revoke_unless_common(error)


def init() -> None:
    """Start redcoll, or do nothing if redcoll runs already.  Collective over all PEs.

    Raises
    ------
    StateError
        redcoll or MPI has been finalized, or MPI has not been initialized.
    ConfigError
        A setting has a wrong value on some PE, or differs between PEs.
    HeapError
        There is not enough shared memory.
    TeamLimitError
        ``REDCOLL_MAX_TEAMS`` is reached, or a PE has too few communicators or file descriptors.
    """
    start()


def is_running(world: World | None = None) -> bool:
    """Return whether redcoll runs. If ``world`` is given, return whether that world still runs."""
    return _world is not None and world in (None, _world)


@revoking(team_of_call)
def finalize() -> None:
    """Stop redcoll.  Collective over all PEs; later calls raise ``StateError``.

    Symmetric arrays keep their memory until the process ends, so the program can still read
    results.
    """
    global _world, _finalized  # noqa: PLW0603
    if _world is None:
        return
    world = _world
    if not MPI.Is_finalized():
        complete_remote()
        world.team.round(pack(BARRIER))
    for team in world._teams.values():  # noqa: SLF001
        team.life.leave()
    world.heap.doubt()
    _world = None
    _finalized = True


_abandoned: list[World] = []
"""The worlds that :func:`renew` has replaced. Arrays in tracebacks still use the memory of these
worlds."""


def renew() -> None:
    """Forget the world and all teams, so that the next calls make new ones.  All PEs must call.

    A test that has failed may have left the members of any team at different calls. The program
    cannot use its teams and symmetric arrays any more, but their memory stays until the process
    ends. Communicators get new teams.
    """
    global _world, _finalized  # noqa: PLW0603
    if _world is not None:
        _abandoned.append(_world)
    _world = None
    _finalized = False
    comm_state.forget_all()
    shutdown.forget()
    shared_window.forget()


def complete_remote() -> None:
    """Complete this PE's puts to other nodes; do nothing if there is only one node."""
    if _world is not None and _world.remote is not None:
        _world.remote.complete()


def my_pe() -> int:
    """Return the number of the calling PE, from 0.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.
    """
    return start().pe


def n_pes() -> int:
    """Return the number of PEs in the job.

    If redcoll does not run yet, the call starts it, and is then collective over all PEs: see
    :func:`redcoll.init`.
    """
    return start().n_pes
