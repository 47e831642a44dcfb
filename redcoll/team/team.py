"""Team: an ordered list of ranks that reduce together, through shared scratch of their own.

A team runs rounds: every member publishes a header, and then reads the headers of all. It also
reports what failed in a round. The collectives build on rounds. Construction is in
:mod:`redcoll.team.construction`, and :mod:`redcoll.team.lifecycle` draws how a team ends.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Final, NamedTuple, NoReturn, ParamSpec, TypeVar, cast

from redcoll._mpi4py import MPI
from redcoll.arguments import Checking, summary
from redcoll.errors import (
    CollectiveMismatchError,
    CollectiveTimeoutError,
    PeerLostError,
    RemoteOpError,
)
from redcoll.internode.rails import Rails
from redcoll.internode.span import Span
from redcoll.kernels.errstate import Quiet
from redcoll.kernels.interface import Channel, Kernel, RunSilently, SmallCall, TeamChannel
from redcoll.liveness.progress import Wait, Watch
from redcoll.memory.arena import Memory
from redcoll.protocol import mismatch
from redcoll.protocol.descriptor import DELEGATED, NAMES, NO_ROOT, Call, describe, pack
from redcoll.team.lifecycle import Closed, Lifecycle, State
from redcoll.team.sizes import Sizes
from redcoll.topology import Layout, Process

Error = TypeVar("Error", bound=BaseException)
P = ParamSpec("P")
R = TypeVar("R")

_MOST_CALLS_KEPT: Final = 1024
_IS_COMMON_TO: Final = "_redcoll_is_common_to"
"""The entry of an exception's ``vars`` that says which team's common error it is."""


def _is_wrong_signature(error: BaseException) -> bool:
    """Return whether Python raised the error in the caller's frame instead of in the function."""
    traceback = error.__traceback__
    return isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None


def revoking(find: Callable[..., Team | None]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function the outermost frame of a collective call.

    Any exception that leaves the function revokes the team, unless it is a common error
    (:meth:`Team.revoke_unless_common`). Arguments that do not fit the function's signature revoke
    nothing, because the function has not begun. Functions whose speed counts have this ``except``
    clause in their own frame instead.

    Parameters
    ----------
    find
        Called with the arguments of the call. Returns its team, or None if there is none yet:
        the first use of a team has rules of its own.
    """

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(call)
        def outermost(*arguments: P.args, **options: P.kwargs) -> R:
            try:
                return call(*arguments, **options)
            except BaseException as error:
                team = None if _is_wrong_signature(error) else find(*arguments, **options)
                if team is not None:
                    team.revoke_unless_common(error)
                raise

        return outermost

    return decorate


class Members(NamedTuple):
    """The members of a team, by team rank."""

    pes: tuple[int, ...]
    """Their PE numbers in the job, or their ranks if they have none."""
    is_in_world: bool
    """Whether ``pes`` are numbers of PEs in the job."""
    names: list[str]
    """Their names in messages."""
    full_names: list[str]
    """Their names, with their hosts if there are several."""
    processes: list[Process]
    arenas: list[Memory] | None = None
    """Their memory of shared arrays, if all members can address that of all."""

    def among(self, indices: Sequence[int]) -> Members:
        """Return some of the members."""
        return Members(
            tuple(self.pes[index] for index in indices),
            self.is_in_world,
            [self.names[index] for index in indices],
            [self.full_names[index] for index in indices],
            [self.processes[index] for index in indices],
        )


class Team:
    """An ordered list of ranks that reduce together, through shared scratch of their own.

    :meth:`from_comm` makes a team. One thread at a time may use it; other threads may use other
    teams meanwhile.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        members: Members,
        layout: Layout,
        kernel: Kernel,
        sizes: Sizes,
        watch: Watch,
        life: Lifecycle,
    ) -> None:
        """Put a team together from its parts.  Only :mod:`redcoll.team.construction` calls this.

        Parameters
        ----------
        comm
            The members in their order. The team owns it.
        members
            Their names and processes.
        layout
            Which of them share a node.
        kernel
            The kernel of all members.
        sizes
            The sizes that the members have agreed on.
        watch
            How the caller waits for the members.
        life
            The team's life cycle. A team on several nodes shares it with the team of the node.
        """
        self.comm = comm
        self.members = members
        self.size = comm.Get_size()
        self.index = comm.Get_rank()
        """The caller's team rank."""
        self.layout = layout
        self.kernel = kernel
        self.sizes = sizes
        self.watch = watch
        self.life = life
        self.run_silently: RunSilently = Quiet().run
        """Calls a function of NumPy without warnings or exceptions about numbers."""
        self.calls: dict[Hashable, Call] = {}
        """Shapes of call that have passed their checks."""
        self._checks: dict[tuple[int, str | None], Checking] = {}
        """The results of :meth:`checking`, because making one takes as long as a small call."""
        self.node: Team | None = None
        """The members on the caller's node, if there are several nodes."""
        self.channel: TeamChannel
        """The caller's part in the rounds."""
        self.small: SmallCall
        """The channel's way to do a small reduction that it knows, in one call."""

    def open(self, channel: Channel, node: Team | None = None) -> None:
        """Give a team that is being made its channel, and the team of the node."""
        self.node = node
        self.small = channel.small
        self.channel = cast("TeamChannel", channel)

    @classmethod
    def from_comm(cls, comm: MPI.Intracomm, *, by_rank: bool = False) -> Team:
        """Make a team of the processes of any intracommunicator, in its rank order.

        Collective over ``comm``, which stays the caller's.

        Parameters
        ----------
        by_rank
            Whether messages name members by their ranks in ``comm``, such as ``rank 2 (PE 5)``.
        """
        from redcoll.team import construction  # not at the top: that module imports this one

        return construction.team_of_comm(comm, by_rank=by_rank)

    @property
    def pes(self) -> tuple[int, ...]:
        """The members' PE numbers in the job, or their ranks if they have none."""
        return self.members.pes

    @property
    def rails(self) -> Rails | None:
        """The path of long vectors between nodes; None on one node."""
        scratch = self.life.scratch
        return scratch.rails if isinstance(scratch, Span) else None

    @property
    def folds_by_nodes(self) -> bool:
        """Whether each node's members are folded first, and then the nodes."""
        return self.node is not None and self.rails is not None

    @property
    def node_comm(self) -> MPI.Intracomm:
        """The members on the caller's node; the team's communicator if there is one node."""
        return self.comm if self.node is None else self.node.comm

    def __repr__(self) -> str:
        return f"<redcoll.Team of PEs {list(self.pes)}, index {self.index}>"

    # -- rounds ---------------------------------------------------------------------

    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Publish a header, and wait for the headers of all members.

        Raises
        ------
        CollectiveMismatchError
            ``word``, ``count`` or ``extra`` differ. All members raise it.
        """
        self.channel.round(word, count, extra, source, target)

    def decline(self, word: int, error: Exception) -> None:
        """Publish that this member's arguments were wrong, without waiting for the others.

        It waits only for members that it ran ahead of before. The other members raise
        ``CollectiveMismatchError`` instead of waiting. The caller raises ``error`` itself, which is
        a common error from here on.
        """
        try:
            self.channel.decline(word, summary(error))
        except (CollectiveTimeoutError, PeerLostError) as lost:
            self.life.revoke(lost)
        self.common(error)

    def checking(self, collective: int, call: str | None = None) -> Checking:
        """Return the context for the checks of a call: it reports an exception to the members.

        Parameters
        ----------
        collective
            The collective in which the other members wait.
        call
            The name of the call in the caller's message (default: the collective's name).
        """
        found = self._checks.get((collective, call))
        if found is None:
            name = NAMES[collective] if call is None else call
            found = Checking(name, partial(self.decline, pack(collective)))
            self._checks[collective, call] = found
        return found

    def delegate(self, collective: int, root: int = NO_ROOT) -> NoReturn:
        """Ask all members to leave this collective to MPI.

        Raises
        ------
        DelegatedError
            All members raise it, also members that called the collective itself.
        CollectiveMismatchError
            Members called another collective or passed another root. All members raise it.
        """
        self.channel.round(pack(collective, root=root) | DELEGATED)
        self.raise_mismatch()

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """Run one round that gives every member a few bytes of each, in team order.

        ``word`` and ``extra`` must be equal on all members. ``tag`` is an integer that says what
        the bytes are. ``data`` has at most ``sizes.small_bytes``.

        Raises
        ------
        CollectiveMismatchError
            ``word`` or ``extra`` differ. All members raise it.
        """
        return self.channel.share(word, extra, tag, data)

    def conclude(
        self, word: int, error: BaseException | None, count: int = 0, extra: int = 0
    ) -> bool:
        """Run a last round in which each member says whether its user function succeeded.

        Returns
        -------
        bool
            Whether all succeeded; for :meth:`raise_unless`.
        """
        text = None if error is None else summary(error)
        return self.channel.conclude(word, count, extra, text)

    def raise_unless(self, came_through: bool, error: BaseException | None) -> None:
        """Raise the error that follows from such a last round, if there is one.

        Raises
        ------
        BaseException
            ``error``, if this member's function raised.
        RemoteOpError
            Only another member's function raised.
        """
        if error is not None:
            raise self.common(error)
        if not came_through:
            self.raise_mismatch(error=RemoteOpError)

    def raise_mismatch(
        self,
        channel: Channel | None = None,
        error: type[CollectiveMismatchError | RemoteOpError] = CollectiveMismatchError,
    ) -> NoReturn:
        """Raise the error that says what each member published in the disputed round."""
        if channel is None:
            channel = self.channel
        posts, ago = channel.posts(channel.disputed), channel.sequence - channel.disputed
        names = [self.members.names[member] for member in channel.members]
        raise self.common(mismatch.found(posts, names, ago, error))

    def start_wait(self, channel: Channel) -> Callable[[], bool]:
        """Begin a slow wait for the members that ``channel`` waits for; return its poll."""

        def doing() -> str:
            return describe(*channel.said())

        return Wait(self.watch, channel.absent, doing, self.kernel.POLLS_PER_CLOCK).poll

    # -- errors -----------------------------------------------------------------------

    def common(self, error: Error) -> Error:
        """Mark an error as common: every member raises one in this call, or has its report.

        A common error leaves the team usable. Any other exception that leaves a collective call
        revokes the team (:meth:`revoke_unless_common`).
        """
        vars(error)[_IS_COMMON_TO] = id(self)
        return error

    def is_common(self, error: BaseException) -> bool:
        """Return whether :meth:`common` has marked this error."""
        return vars(error).get(_IS_COMMON_TO) == id(self)

    def revoke_unless_common(self, error: BaseException) -> None:
        """Revoke the team after an exception that leaves a collective call on this member alone.

        The outermost frame of every collective call has an ``except BaseException`` that calls
        this method. So it does not matter where in the call an interrupt arises.
        """
        if self.is_common(error):
            return
        try:
            self.life.revoke(error)
        except BaseException:
            self.life.revoke(error)  # a launcher and a terminal may both send SIGINT
            raise

    # -- shapes of call -------------------------------------------------------------

    def remember(self, key: Hashable, call: Call) -> None:
        """Keep a shape of call whose checks have passed."""
        if len(self.calls) >= _MOST_CALLS_KEPT:
            self.calls.clear()
        self.calls[key] = call

    # -- the end --------------------------------------------------------------------

    @property
    def can_go_on(self) -> bool:
        """Whether the team can run rounds: it is neither closed nor broken."""
        return self.life.state is State.OPEN

    @property
    def is_closing(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self.life.is_closing

    def replace_channel(self, closed: Closed) -> None:
        """Let every use of the team raise an error from here on."""
        self.small = closed.refuse
        self.calls = cast("dict[Hashable, Call]", closed)
        self.channel = cast("TeamChannel", closed)

    def close(self, *, is_here: bool = False) -> None:
        """Free window and communicator.  Collective over the team; a second call does nothing.

        It waits for all members. If MPI allows several threads (``MPI_THREAD_MULTIPLE``), an
        interrupt ends the wait, the close completes all the same, and another call waits for it
        again. Otherwise another call completes a close that an interrupt has cut short.

        If the team is broken, or a member has left it, its memory stays until the process ends.

        Parameters
        ----------
        is_here
            Whether the calling thread must do it, because MPI has called it.
        """
        self.life.close(is_here=is_here)
