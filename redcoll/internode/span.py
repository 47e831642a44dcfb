"""The parts of a team on several nodes: its channel, rails, reports, and its end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.internode.channel import Channel
from redcoll.internode.leaders import Leader
from redcoll.internode.notices import Notices
from redcoll.internode.rails import Rails
from redcoll.internode.room import Room
from redcoll.kernels.interface import NodeChannel, TeamHooks
from redcoll.liveness.peers import LEFT, OPEN
from redcoll.liveness.progress import Watch, wait_for_all
from redcoll.ops import Op
from redcoll.protocol.descriptor import FOLDED
from redcoll.topology import Layout

Array = NDArray[Any]

_PUSH_S: Final = 0.1
"""A member that gives up progresses MPI for at most this time, until the others have the report:
its program may not call MPI again."""


class Span:
    """One member's parts.  Construction is collective over the team.

    Parameters
    ----------
    comm
        The team's.
    layout, index
        Which members share a node, and the caller's index in the team.
    near
        The kernel's channel of the members on the caller's node.
    memory, start
        The node's memory, and the offset of the room in it.
    states
        Words of the states of the node's members.
    is_strict
        Whether the order is strictly one member after the other.
    fold
        The kernel's loop, silent.
    fence
        Orders stores and loads where the machine does not, else None.
    watch
        How to wait for the members.
    hooks
        The team, as its channels call it.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        index: int,
        near: NodeChannel,
        memory: memoryview,
        start: int,
        states: Sequence[int],
        is_strict: bool,
        fold: Callable[[Op, Sequence[Array], Array], None],
        fence: Callable[[], object] | None,
        watch: Watch,
        hooks: TeamHooks,
    ) -> None:
        self._comm = comm
        self._layout = layout
        self._index = index
        self._near = near
        self._states = states
        self._fence = fence
        self._watch = watch
        self._hooks = hooks
        self._has_ended = self._is_kept = False
        room = Room(memory, start, len(layout.nodes), comm.Get_size())
        self._room = room
        by_nodes = frozenset() if is_strict else FOLDED
        self.channel = Channel(near, layout, index, room, by_nodes, fold, fence, hooks)
        place = layout.members.index(index)
        color = place if place < (1 if is_strict else layout.owners) else MPI.UNDEFINED
        self._rail: MPI.Comm = comm.Split(color, layout.node)
        rail = MPI.Intracomm(self._rail) if self._rail else None
        self.rails = None if is_strict else Rails(rail, layout, index, watch, self._late)
        """The way of long vectors that nodes fold before others see them."""
        if rail is not None and place == 0:
            notices = Notices(comm, layout, room, self._near_ends, self.channel.late, fence)
            self.channel.leader = Leader(rail, layout, room, notices, self._start_wait)
        self._is_ending = False
        self._verdict = array("b", (0,))
        self._asked: list[MPI.Request] = []
        """The request of the verdict whether all members can go on; empty before."""

    def _start_wait(self) -> Callable[[], bool]:
        """Begin a slow wait for other leaders; return its poll."""
        return self._hooks.start_wait(self.channel)

    def _late(self) -> list[int]:
        """Return the members that leaders wait for, as far as the caller knows."""
        leader = self.channel.leader
        return [] if leader is None else leader.notices.named()

    # -- states of the members ------------------------------------------------------------

    def state_of(self, index: int) -> int:
        """Return the state of a member, as far as it is known on this node."""
        words, near = self._room.words, self._layout.members
        if index in near:
            state = words[self._states[near.index(index)]]
        else:
            at = self._room.end_of(index)
            state = words[at]
            if self._fence is not None:
                # Acquire: the last round that belongs to the state is visible from here on.
                self._fence()
            # The member completes its last round first.
            if words[at + 1] > self.channel.completed and not self._is_ending:
                state = OPEN
        if self._fence is not None:
            # Acquire: all that the member wrote before its state is visible from here on.
            self._fence()
        return state

    def _near_ends(self) -> list[int]:
        """Return state and last round of each member of the node, for :class:`Notices`."""
        words, ends = self._room.words, []
        for member, at in zip(self._layout.members, self._states, strict=True):
            ends.append(words[at])
            if self._fence is not None:
                # Acquire: the last round that belongs to the state is visible from here on.
                self._fence()
            ends.append(words[self._room.end_of(member) + 1])
        return ends

    def end(self, has_left: bool) -> None:
        """Write the caller's last round, before it writes that it gives up or leaves."""
        if has_left and self.channel.leader is not None:
            self.channel.leader.notices.leave()
        if not self._has_ended:
            self._has_ended = True
            last = self.channel.sequence if has_left else self.channel.sequence - 1
            self._room.words[self._room.end_of(self._index) + 1] = last

    def have_all_left(self) -> bool:
        """Whether all members have left, and all nodes know it of this node."""
        words, leader = self._room.words, self.channel.leader
        if leader is not None:
            leader.notices.move()
            if not leader.notices.have_all_heard():
                return False
        near = self._layout.members
        return all(words[at] == LEFT for at in self._states) and all(
            words[self._room.end_of(member)] == LEFT
            for member in range(self._comm.Get_size())
            if member not in near
        )

    def progress(self) -> None:
        """Progress MPI, and exchange reports with other nodes."""
        self.hear()
        self._comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)

    def hear(self) -> None:
        """Exchange reports with other nodes."""
        if self.channel.leader is not None:
            self.channel.leader.notices.move()

    def tell(self) -> None:
        """Report to other nodes that a member has given up, and progress MPI meanwhile."""
        leader = self.channel.leader
        if leader is None:
            return
        until_s = time.monotonic() + _PUSH_S
        with contextlib.suppress(MPI.Exception):  # of a leader whose host is lost
            leader.notices.move()
            while not leader.notices.have_all_heard() and time.monotonic() < until_s:
                os.sched_yield()
                leader.notices.move()

    # -- the end ----------------------------------------------------------------------------

    def can_all_go_on(self, can_go_on: bool) -> bool:
        """Whether no member has given the team up, or left.  Collective over the team."""
        self._is_ending = True
        if not self._asked:
            self._verdict[0] = can_go_on
            data = [self._verdict, MPI.SIGNED_CHAR]
            # One C call: no signal's handler can raise before the append. A second call must not
            # start another request.
            self._asked.extend(map(self._comm.Iallreduce, [MPI.IN_PLACE], [data], [MPI.MIN]))
        if not can_go_on:
            return False  # the verdict cannot be anything else
        size = self._comm.Get_size()
        test = self._asked[0].Test
        return wait_for_all(self._watch, self._index, size, test, "close") and bool(
            self._verdict[0]
        )

    def leave(self) -> None:
        """Report that the process has left."""
        self._is_ending = True
        self.hear()

    def close(self) -> None:
        """Free communicators and requests.  Collective over the team."""
        leader = self.channel.leader
        if leader is not None:
            leader.notices.close(MPI.Intracomm(self._rail))
            leader.free()
        if self._rail:
            self._rail.Free()

    def keep(self) -> None:
        """Keep all memory that MPI may still use after a failure, to the end of MPI_Finalize."""
        if not self._is_kept:
            self._is_kept = True
            # Never dropped: Python clears its modules before mpi4py finalizes MPI.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
