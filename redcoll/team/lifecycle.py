"""The life cycle of a team is a state machine.

These are its states and events::

    OPEN ---- revoke ----> BROKEN
      |                      |
      +------- close --------+----> CLOSING ---- all members close ----> CLOSED
      |                      |         |
      |                      |         +---- a member cannot ----> KEPT
      |                      |                                       |
      +-------- leave -------+------------------ leave --------------+----> LEFT

Only an open team runs rounds. *Revoke*: an exception leaves a collective call of this member alone,
and the other members must not wait for it. *Close* is collective. A team that is kept has memory
and a communicator that MPI frees when the process ends. *Leave*: the process ends, or redcoll is
finalized. In a forked child every team is in one more state, FORKED.
"""

from __future__ import annotations

import enum
import os
import threading
import weakref
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, cast

from redcoll._mpi4py import MPI
from redcoll.arguments import summary
from redcoll.errors import CollectiveTimeoutError, StateError, TeamBrokenError
from redcoll.liveness import aborting, shutdown
from redcoll.liveness.peers import Peers
from redcoll.liveness.progress import Watch
from redcoll.liveness.shield import Unbroken
from redcoll.memory import arena

if TYPE_CHECKING:
    from redcoll.team.team import Team

_closes: Final = threading.RLock()
"""Held while a close begins. A signal's handler may close a team in the thread that holds it."""

_FORKED: Final = (
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


class Scratch(Protocol):
    """The shared memory of a team: the members' states, and the resources of MPI.

    :class:`redcoll.memory.node_scratch.NodeScratch` is the scratch of a team on one node,
    :class:`redcoll.internode.span.Span` that of a team on several nodes.
    """

    def state_of(self, index: int) -> int:
        """Return the state word of a member."""

    def revoke(self, state: int) -> None:
        """Publish, without waiting, the state word of a caller that has revoked the team."""

    def leave(self) -> None:
        """Publish, without waiting, that the caller's process runs no more rounds."""

    def have_all_left(self) -> bool:
        """Return whether every member has left."""

    def progress(self) -> None:
        """Let MPI progress pending messages."""

    def receive_notices(self) -> None:
        """Receive the notices of other nodes, and send this node's."""

    def can_all_close(self, can_close: bool, watch: Watch) -> bool:
        """Return whether all members come to :meth:`free`; wait until that is known.

        ``can_close`` says whether the caller can.
        """

    def keep(self) -> None:
        """Keep what MPI may still use, until the process ends."""

    def free(self) -> None:
        """Free the memory.  Collective; a call after an interrupt completes it."""


class Closed:
    """Replaces the channel of a team that runs no more rounds: every use raises the reason."""

    def __init__(self, error: type[Exception], reason: str) -> None:
        self.error = error
        self.reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        raise self.error(self.reason)

    def refuse(self, *_: object, **__: object) -> NoReturn:
        """Raise the reason; replaces a function of the channel."""
        raise self.error(self.reason)


class Lifecycle:
    """The life cycle of one team, on several nodes together with its node's team."""

    def __init__(self) -> None:
        self.state = State.OPEN
        self._team: Team
        self.scratch: Scratch
        """The shared memory of the team."""
        self._peers: Peers | None = None
        self._ending = Unbroken(self._close)
        self._can_close = False
        """Whether the team was open when this member closed it."""
        self._can_all_close: bool | None = None
        """Whether all members come to free the memory; None before that is known."""

    def start(self, team: Team, scratch: Scratch) -> None:
        """Begin the life of a team that has just been made."""
        self._team = team
        self.scratch = scratch
        self._peers = team.watch.peers
        _lives.add(self)
        shutdown.register(self)

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

    def progress(self) -> None:
        """Let MPI progress pending messages, and exchange notices with other nodes."""
        self.scratch.progress()

    # -- revoke -----------------------------------------------------------------------

    def revoke(self, error: BaseException) -> None:
        """Revoke the team, without waiting, because this member left a collective half done.

        The other members raise instead of waiting for it; every later use raises here.
        """
        if self.state is not State.OPEN:
            return  # the other members know, and the memory may be unmapped
        team = self._team
        if isinstance(error, CollectiveTimeoutError) and not team.layout.is_one_node:
            # compat(mpich 5.0.2): over UCX a send to a dead process on another host crashes. So
            # the user gets the message before this process sends a notice to an absent member.
            aborting.report(f"redcoll: {team.members.names[team.index]} gives up: {error}\n")
        arena.keep()  # other members may still write to arrays of this call
        self.scratch.revoke(team.watch.peers.state_after(error))
        # The state changes last: if an interrupt cuts this call short, a second call repeats it.
        self._shut(TeamBrokenError, f"cannot go on after {summary(error)}")
        self.state = State.BROKEN

    def _shut(self, error: type[Exception], reason: str) -> Closed:
        """Let every use of the team raise this error."""
        closed = Closed(error, f"{self._team!r} {reason}")
        for team in self._teams():
            team.replace_channel(closed)
        return closed

    def _teams(self) -> list[Team]:
        """Return the team, after the team of the caller's node if there are several nodes."""
        team = self._team
        return [team] if team.node is None else [team.node, team]

    # -- the end of the process ---------------------------------------------------------

    def leave(self) -> None:
        """Notify the other members, without waiting, that this process runs no more rounds."""
        # MPI may have unmapped the memory of a team that is closed.
        if self.state not in (State.OPEN, State.BROKEN, State.KEPT):
            return
        self.state = State.LEFT
        self.scratch.leave()
        self._shut(StateError, "was left when redcoll or MPI was finalized")

    def receive_notices(self) -> None:
        """Receive the exit notices of other members, if all have arrived."""
        self.scratch.receive_notices()

    def dead_peer(self) -> str | None:
        """Return the name and death of a member whose process has died; None if there is none."""
        peers = self._peers  # another thread may close the team
        return None if peers is None else peers.first_dead()

    def have_all_left(self) -> bool:
        """Return whether every member has exited."""
        return self.scratch.have_all_left()

    def shut_in_child(self) -> None:
        """Refuse all use in a forked child, which would write as its parent."""
        closed = self._shut(StateError, _FORKED)
        self.state = State.FORKED
        for team in self._teams():
            team.watch.progress = closed.refuse

    # -- close --------------------------------------------------------------------------

    def close(self, *, is_here: bool = False) -> None:
        """Free the memory and the communicators; see :meth:`redcoll.Team.close`.

        Parameters
        ----------
        is_here
            Whether the calling thread must do it, because MPI has called it.
        """
        if self.state is State.FORKED:
            raise StateError(f"{self._team!r} {_FORKED}")
        if self.state is not State.LEFT:
            self._begin_close()
            self._ending.do(is_here=is_here)

    def go_on_closing(self) -> None:
        """Continue a close; do not wait for it if MPI allows another thread."""
        self._begin_close()
        self._ending.begin()

    def _begin_close(self) -> None:
        with _closes:
            if self.state in (State.OPEN, State.BROKEN):
                self._can_close = self.state is State.OPEN
                # From here on the close completes, at the latest while the process exits.
                shutdown.begin_close(self)
                self.state = State.CLOSING
            # Not in the branch above: an interrupt may have cut the first call short.
            self._shut(StateError, "is closed")

    def _close(self) -> None:
        """Free the team or keep it.  A second call, after an interrupt, does what is left."""
        try:
            self.state = State.CLOSED if self._free() else State.KEPT
        except MPI.Exception:
            # Only after an error of MPI: an interrupt leaves work for the next call.
            self.state = State.CLOSED
            shutdown.end_close(self, is_left_over=False)
            raise
        shutdown.end_close(self, is_left_over=self.state is State.KEPT)

    def _free(self) -> bool:
        """Free everything if all members come to do so; return whether they do."""
        watch = self._team.watch
        if self._can_all_close is None:
            self._can_all_close = self.scratch.can_all_close(self._can_close, watch)
        if not self._can_all_close:
            # MPI frees a window when all its processes do, and some will not. MPI may also use
            # buffers of a round that a member left half done. So the team still counts for the
            # limit, and its members' processes count when this process ends.
            self.scratch.keep()
            return False
        # An interrupt may cut this short at any point, so each step can be repeated.
        self.scratch.free()
        for team in self._teams():
            if team.comm:
                team.comm.Free()
        # These would read the memory that is gone.
        self._peers = None
        for team in self._teams():
            team.watch.peers = cast("Peers", Closed(StateError, f"{self._team!r} is closed"))
        return True


_lives: Final[weakref.WeakSet[Lifecycle]] = weakref.WeakSet()
"""The life cycles of all teams of this process."""


def _shut_all_in_child() -> None:
    for life in list(_lives):
        life.shut_in_child()


os.register_at_fork(after_in_child=_shut_all_in_child)
