"""Make, use and free the channel, the rails and the reports of a team on several nodes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from array import array
from collections.abc import Callable
from functools import partial
from typing import Final

from redcoll._mpi4py import MPI
from redcoll.internode.channel import Channel
from redcoll.internode.exchange import functions_of_mpi
from redcoll.internode.leaders import Leader
from redcoll.internode.notices import Notices
from redcoll.internode.one_way import OneWay
from redcoll.internode.rails import Rails
from redcoll.internode.room import Room
from redcoll.kernels.base import BaseChannel
from redcoll.kernels.interface import Kernel, TeamHooks
from redcoll.liveness import deadlines
from redcoll.liveness.peers import LEFT, OPEN
from redcoll.liveness.progress import Watch, wait_for_all
from redcoll.memory.node_scratch import NodeScratch
from redcoll.topology import Layout

_PUSH_S: Final = 0.1
"""The longest time for which a member that timed out progresses MPI, until other members have its
report. The member's program may not call MPI again."""
_LARGEST: Final = (1 << 63) - 1


class Span:
    """The channel, rails and reports of a team on several nodes.

    Construction is collective over the team. ``near`` is the kernel's channel for the members on
    the caller's node. ``scratch`` is the team's window on this node, and the :class:`Room` begins
    at the offset ``start`` in the window. Waits for members of a rail use ``watch``.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        index: int,
        near: BaseChannel,
        scratch: NodeScratch,
        start: int,
        order: str,
        most_ahead: int,
        kernel: Kernel,
        watch: Watch,
        hooks: TeamHooks,
    ) -> None:
        self._comm = comm
        self._layout = layout
        self._index = index
        self._scratch = scratch
        self._fence = fence = scratch.window.fence
        self._has_ended = self._is_kept = False
        room = Room(scratch.window.memory, start, len(layout.nodes), comm.Get_size())
        self._room = room
        is_strict = order == "strict"
        run: Callable[..., None] = hooks.run_silently
        fold = partial(run, kernel.fold)
        functions = functions_of_mpi(kernel.MPIFunctions)
        calls = None if functions is None else kernel.CompiledCalls
        self.channel = Channel(near, layout, index, room, order, fold, fence, hooks, calls)
        place = layout.members.index(index)
        color = place if place < (1 if is_strict else layout.owners) else MPI.UNDEFINED
        self._rail: MPI.Comm = comm.Split(color, layout.node)
        rail = MPI.Intracomm(self._rail) if self._rail else None
        completes = MPI.Request.Test if functions is None else functions.completes
        self.rails = (
            None if is_strict else Rails(rail, layout, index, order, watch, self._late, completes)
        )
        """The rails, along which long vectors travel after each node has folded them; None for the
        order ``strict``."""
        if rail is not None and place == 0:
            one_way = OneWay(comm, layout, most_ahead, self.channel.rows_of)
            notices = Notices(comm, layout, room, scratch, self.channel, one_way)
            hooked = fold, partial(hooks.start_wait, self.channel), self.channel.dispute
            engine = functions, kernel.CompiledExchange
            self.channel.lead(Leader(rail, layout, room, notices, one_way, *hooked, *engine))
        self._is_ending = False
        self._verdict = array("q", [0] * 5)
        self._asked: list[MPI.Request] = []
        """The request that finds whether all members can close; empty before it starts."""

    def _late(self) -> list[int]:
        """Return the members for which node leaders wait, as far as the caller knows."""
        leader = self.channel.leader
        return [] if leader is None else leader.notices.named()

    # -- states of the members ------------------------------------------------------------

    def state_of(self, index: int) -> int:
        """Return the state of a member, as known on this node."""
        near = self._layout.members
        if index in near:
            return self._scratch.state_of(near.index(index))
        words, at = self._room.words, self._room.end_of(index)
        state = words[at]
        if self._fence is not None:
            # Acquire: the last round that belongs to the state is visible from here on.
            self._fence()
        # A new state of a member counts only after the member's last round is complete here.
        if words[at + 1] > self.channel.completed and not self._is_ending:
            state = OPEN
        if self._fence is not None:
            # Acquire: everything that the member wrote before its state is visible from here on.
            self._fence()
        return state

    def deadline_of(self, index: int) -> str:
        """Return the text of the deadline that made a member revoke the team, if known here."""
        near = self._layout.members
        if index in near:
            return self._scratch.deadline_of(near.index(index))
        at = self._room.deadline
        words = self._room.words[at : at + 1 + deadlines.TEXT_WORDS].tolist()
        return deadlines.from_words(words[1:]) if words[0] == index + 1 else ""

    def revoke(self, state: int, deadline: str = "") -> None:
        """Publish that the caller revokes the team, and report the revocation to other nodes."""
        self.keep()
        self._write_last_round(self.channel.sequence - 1)
        self._scratch.revoke(state, deadline)
        self._scratch.window.keep()  # MPI may still write there
        self._push_notices()

    def leave(self) -> None:
        """Publish that the process runs no more rounds, and report this end to other nodes."""
        if self.channel.leader is not None:
            self.channel.leader.notices.leave()
        self._write_last_round(self.channel.sequence)
        self._scratch.leave()
        self._is_ending = True
        self.receive_notices()

    def _write_last_round(self, last: int) -> None:
        """Write the number of the caller's last round. Call this before writing the new state."""
        if not self._has_ended:
            self._room.words[self._room.end_of(self._index) + 1] = last
            self._has_ended = True

    def have_all_left(self) -> bool:
        """Return whether all members have exited, and all nodes have this node's report."""
        words, leader = self._room.words, self.channel.leader
        if leader is not None:
            leader.notices.move()
            if not leader.notices.is_state_received():
                return False
        near = self._layout.members
        return self._scratch.have_all_left() and all(
            words[self._room.end_of(member)] == LEFT
            for member in range(self._comm.Get_size())
            if member not in near
        )

    def progress(self) -> None:
        """Progress MPI, and exchange reports with other nodes."""
        self.receive_notices()
        self._comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)

    def receive_notices(self) -> None:
        """Exchange reports with other nodes."""
        if self.channel.leader is not None:
            self.channel.leader.notices.move()

    def _push_notices(self) -> None:
        """Report to other nodes that a member has revoked the team, and progress MPI meanwhile."""
        leader = self.channel.leader
        if leader is None:
            return
        until_s = time.monotonic() + _PUSH_S
        with contextlib.suppress(MPI.Exception):  # MPI fails for a leader whose host is lost
            leader.notices.move()
            while not leader.notices.is_state_received() and time.monotonic() < until_s:
                os.sched_yield()
                leader.notices.move()

    # -- the end ----------------------------------------------------------------------------

    def can_all_close(self, can_close: bool, watch: Watch) -> bool:
        """Return whether every member can close the team.  Collective over the team.

        A member that has revoked or left the team cannot close it. If members called different
        reduces in the last one-way rounds, messages are left over, and no member can close it. Then
        the leaders' records differ, or a member that went on has run more rounds than the others.
        """
        self._is_ending = True
        if not self._asked:
            one_way = None if self.channel.leader is None else self.channel.leader.one_way
            number, calls = self.channel.sequence, 0 if one_way is None else one_way.digest()
            # A number and its opposite have opposite minima only if all members have the number.
            self._verdict[:] = array("q", (can_close, number, -number, calls, -calls))
            if one_way is None:  # only leaders know the calls, so leave the minima to them
                self._verdict[3] = self._verdict[4] = _LARGEST
            data = [self._verdict, MPI.INT64_T]
            # ``extend`` is one C call, so no signal handler can raise between the start and the
            # append. A second call must not start another request.
            self._asked.extend(map(self._comm.Iallreduce, [MPI.IN_PLACE], [data], [MPI.MIN]))
        if not can_close:
            return False  # the caller's own value makes the minimum 0
        size = self._comm.Get_size()
        test = self._asked[0].Test
        if not wait_for_all(watch, self._index, size, test, "close"):
            return False
        can_all_close, number, opposite, calls, of_calls = self._verdict
        return bool(can_all_close) and number == -opposite and calls == -of_calls

    def free(self) -> None:
        """Free communicators, requests and memory.  Collective over the team.

        After an interrupt, a second call completes the work.
        """
        leader = self.channel.leader
        if self._rail:
            if leader is not None:
                leader.notices.close(MPI.Intracomm(self._rail))
                leader.free()
            self._rail.Free()
        self._scratch.free()

    def keep(self) -> None:
        """Keep all memory that MPI may still use after a failure, until the end of MPI_Finalize."""
        if not self._is_kept:
            self._is_kept = True
            # Keep a reference that is never dropped, because Python clears its modules before
            # mpi4py finalizes MPI.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
