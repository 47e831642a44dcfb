"""Implement the life cycle of a team, which is a state machine.

These are its states and events::

    OPEN ---- revoke ----> BROKEN
      |                      |
      +------- close --------+----> CLOSING ---- all members close ----> CLOSED
      |                      |         |
      |                      |         +---- they cannot ----> KEPT
      |                      |                                   |
      +-------- leave -------+---------------- leave ------------+----> LEFT

Only an open team runs rounds. *Revoke* follows an exception that only one member raised in a
collective call. After the revoke, the other members do not wait for that member. *Close* is
collective. If a team is kept, MPI frees its memory and its communicator when the process ends.
*Leave* means that the process ends, or that redcoll is finalized. The drawing omits the state
FORKED, which every team has in a forked child.
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import os
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, cast

from redcoll._mpi4py import MPI
from redcoll.arguments import summary
from redcoll.errors import CollectiveTimeoutError, StateError, TeamBrokenError
from redcoll.liveness import aborting, dump, shutdown
from redcoll.liveness.peers import Peers
from redcoll.liveness.shield import Unbroken
from redcoll.memory import arena

if TYPE_CHECKING:
    from redcoll.internode.span import Span
    from redcoll.kernels.base import TeamChannel
    from redcoll.kernels.interface import SmallCall
    from redcoll.memory.node_scratch import NodeScratch
    from redcoll.team.team import Team

    Scratch: TypeAlias = NodeScratch | Span
    """A team's scratch memory, with the members' states and MPI's resources. A team on several
    nodes has a ``Span``."""

_closes: Final = threading.RLock()
"""A thread holds this lock while it begins a close. The lock is re-entrant, because a signal's
handler may close a team in the thread that holds the lock."""

MADE_BEFORE_FORK: Final = (
    "was made before this process was forked: only the parent can use it; "
    "start processes by multiprocessing's 'spawn', or call redcoll in the parent"
)


class State(enum.Enum):
    """The states of a team; the module's docstring draws the transitions."""

    OPEN = enum.auto()
    BROKEN = enum.auto()
    CLOSING = enum.auto()
    CLOSED = enum.auto()
    KEPT = enum.auto()
    LEFT = enum.auto()
    FORKED = enum.auto()


class Closed:
    """The channel of a team that runs no more rounds. Every use raises the same error."""

    def __init__(self, error: type[Exception], reason: str) -> None:
        self.error = error
        self.reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        raise self.error(self.reason)

    def refuse(self, *_: object, **__: object) -> NoReturn:
        """Raise the error. A closed team has this method in place of its fast path."""
        raise self.error(self.reason)


class Lifecycle:
    """The life cycle of a team and, on several nodes, of its team on the caller's node."""

    def __init__(self) -> None:
        self.state = State.OPEN
        self._team: Team
        self.scratch: Scratch
        """The shared memory of the team."""
        self._ending = Unbroken(self._close)
        self._can_close = False
        """Whether the team was open when this member closed it."""
        self._can_all_close: bool | None = None
        """Whether all members will free the memory; None before all members have answered."""

    def start(self, team: Team, scratch: Scratch) -> None:
        """Begin the life of a team that has just been made."""
        self._team = team
        self.scratch = scratch
        _lives[id(self)] = self
        shutdown.register(self)
        self.choose_small()
        dump.install()

    def choose_small(self) -> None:
        """Set the team's fast path. While a profile is on, set a fast path that records calls."""
        team, channel = self._team, self._open_channel()
        if channel is not None and not channel.records_calls:
            team.small = channel.small if _recording is None else _recording(team)

    @property
    def size(self) -> int:
        """Number of members."""
        return self._team.size

    @property
    def is_closing(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self.state in (State.CLOSING, State.CLOSED, State.KEPT)

    @property
    def is_closed(self) -> bool:
        """Whether the close has ended."""
        return self._ending.is_over

    def state_of(self, index: int) -> int:
        """Return the state word of a member."""
        return self.scratch.state_of(index)

    def deadline_of(self, index: int) -> str:
        """Describe the deadline that made a member revoke the team; return "" if there is none."""
        return self.scratch.deadline_of(index)

    def progress(self) -> None:
        """Let MPI progress pending messages, and exchange notices with other nodes."""
        self.scratch.progress()

    # -- revoke -----------------------------------------------------------------------

    def revoke(self, error: BaseException) -> None:
        """Revoke the team, because this member left a collective incomplete.  Does not wait.

        The other members raise instead of waiting for this member. On this member every later use
        of the team raises.
        """
        if self.state is not State.OPEN:
            return  # the other members have been notified, and the memory may be unmapped
        team = self._team
        if isinstance(error, CollectiveTimeoutError) and not team.layout.is_one_node:
            # compat(mpich 5.0.2): over UCX a send to a dead process on another host crashes. So
            # print the error before this process sends a notice to a member that may be dead.
            aborting.report(f"redcoll: {team.members.names[team.index]} gives up: {error}\n")
        arena.keep()  # other members may still write to arrays of this call
        deadline = error.deadline if isinstance(error, CollectiveTimeoutError) else ""
        self.scratch.revoke(team.watch.peers.state_after(error), deadline)
        # The state changes last. So after an interrupt a second call repeats all steps.
        self._shut(TeamBrokenError, f"cannot go on after {summary(error)}")
        self.state = State.BROKEN

    def _shut(self, error: type[Exception], reason: str) -> Closed:
        """Let every use of the team raise this error."""
        closed = Closed(error, f"{self._team!r} {reason}")
        for team in self._teams():
            team.replace_channel(closed)
        return closed

    def _teams(self) -> list[Team]:
        """Return a list with the team. On several nodes the list begins with the node's team."""
        team = self._team
        return [team] if team.node is None else [team.node, team]

    def _open_channel(self) -> TeamChannel | None:
        """Return the team's channel; None if the team runs no more rounds."""
        channel = self._team.channel  # read once, because another thread may shut the team
        return None if isinstance(channel, Closed) else channel

    def note_wait(self, text: str) -> None:
        """Publish the call in which the caller waits, so that other members can report the call."""
        channel = self._open_channel()
        if channel is not None:
            # Another thread may close the team meanwhile, which releases the memory.
            with contextlib.suppress(ValueError):
                channel.call_sites.note_wait(text)

    def last_calls(self) -> list[str]:
        """Return lines about this member's current call and last call sites, newest first."""
        team, channel = self._team, self._open_channel()
        if channel is None:
            return []
        lines = [f"{team.members.names[team.index]} of {team!r}: {channel.where(team.index)}"]
        rounds = channel.call_sites.recent()
        for site, group in itertools.groupby(reversed(rounds), key=lambda each: each[1]):
            last, *others = [sequence for sequence, _ in group]
            first = f"rounds {others[-1]} to" if others else "round"
            lines.append(f"  {first} {last}: {site or 'unknown'}")
        return lines

    # -- the end of the process ---------------------------------------------------------

    def leave(self) -> None:
        """Notify the other members that this process runs no more rounds.  Does not wait."""
        # Do not write to the memory of a closed team, because MPI may have unmapped this memory.
        if self.state not in (State.OPEN, State.BROKEN, State.KEPT):
            return
        self.scratch.leave()
        self._shut(StateError, "was left when redcoll or MPI was finalized")
        self.state = State.LEFT  # last, as in :meth:`revoke`

    def receive_notices(self) -> None:
        """Exchange notices of exits with other nodes."""
        self.scratch.receive_notices()

    def dead_peer(self) -> str | None:
        """Return a text about a member whose process has died; None if all are alive."""
        peers = self._team.watch.peers  # read once, because another thread may close the team
        return None if isinstance(peers, Closed) else peers.first_dead()

    def have_all_left(self) -> bool:
        """Return whether every member has left."""
        return self.scratch.have_all_left()

    def shut_in_child(self) -> None:
        """Make the team unusable in a forked child, which shares the parent's memory."""
        closed = self._shut(StateError, MADE_BEFORE_FORK)
        self.state = State.FORKED
        for team in self._teams():
            team.watch.progress = closed.refuse

    # -- close --------------------------------------------------------------------------

    def close(self, *, is_here: bool = False) -> None:
        """Free the memory and the communicators; see :meth:`redcoll.Team.close`.

        A caller inside a callback of MPI must pass ``is_here``. Then the calling thread does the
        work.
        """
        if self.state is State.FORKED:
            raise StateError(f"{self._team!r} {MADE_BEFORE_FORK}")
        if self.state is not State.LEFT:
            self._begin_close()
            self._ending.do(is_here=is_here)

    def go_on_closing(self) -> None:
        """Continue a close. If MPI allows several threads, another thread completes the close."""
        self._begin_close()
        self._ending.begin()

    def _begin_close(self) -> None:
        with _closes:
            if self.state in (State.OPEN, State.BROKEN):
                self._can_close = self.state is State.OPEN
                # From here on the close will complete, at the latest when the process exits.
                shutdown.begin_close(self)
                self.state = State.CLOSING
            # Every call repeats this step, because an interrupt may have ended an earlier call
            # before this step.
            self._shut(StateError, "is closed")

    def _close(self) -> None:
        """Free the team or keep it.  After an interrupt a second call does the remaining work."""
        try:
            self.state = State.CLOSED if self._free() else State.KEPT
        except MPI.Exception:
            # After an error of MPI no later call continues the close, so the close ends here.
            self.state = State.CLOSED
            shutdown.end_close(self, is_left_over=False)
            raise
        shutdown.end_close(self, is_left_over=self.state is State.KEPT)

    def _free(self) -> bool:
        """Free memory and communicators and return True, or keep the memory and return False."""
        watch = self._team.watch
        if self._can_all_close is None:
            self._can_all_close = self.scratch.can_all_close(self._can_close, watch)
        if not self._can_all_close:
            # Freeing a window is collective, and some members will not take part. Or messages of
            # different reduces are left over. MPI may also still use buffers of a round that a
            # member left incomplete. So keep the memory. The kept team still counts towards the
            # limit of teams, and this process waits for the members before it exits.
            self.scratch.keep()
            return False
        # An interrupt can occur at any point, so a second call can repeat each step below.
        self.scratch.free()
        for team in self._teams():
            if team.comm:
                team.comm.Free()
        # From here on `peers` must not read states, because their memory is no longer mapped.
        for team in self._teams():
            team.watch.peers = cast("Peers", Closed(StateError, f"{self._team!r} is closed"))
        return True


_lives: Final[weakref.WeakValueDictionary[int, Lifecycle]] = weakref.WeakValueDictionary()
"""The life cycles of all teams of this process, by their ``id``."""


def _all_lives() -> list[Lifecycle]:
    # `valuerefs` copies the references in one C call, so another thread can make teams meanwhile.
    # `values` would run Python's code between two references.
    return [life for found in _lives.valuerefs() if (life := found()) is not None]


_recording: Callable[[Team], SmallCall] | None = None


def record_calls(recording: Callable[[Team], SmallCall] | None) -> None:
    """Replace the fast path of every team whose own fast path cannot record calls.

    ``recording`` takes a team, and returns a function that works like the team's fast path and
    records the calls. The replacement also applies to later teams. None restores the fast paths.
    """
    global _recording  # noqa: PLW0603 - one profile at a time
    _recording = recording
    for life in _all_lives():
        life.choose_small()


def note_wait(text: str) -> None:
    """Publish to the members of all teams the call in which the caller waits."""
    for life in _all_lives():
        life.note_wait(text)


def _last_calls() -> list[str]:
    """Return lines about the last calls on all open teams."""
    lines = []
    for life in _all_lives():
        with contextlib.suppress(ValueError):  # another thread has closed the team meanwhile
            lines += life.last_calls()
    return lines


dump.sources.append(_last_calls)


def _shut_all_in_child() -> None:
    for life in _all_lives():
        life.shut_in_child()


os.register_at_fork(after_in_child=_shut_all_in_child)
