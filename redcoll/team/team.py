"""Implement the class of teams.

A team runs rounds. In a round every member publishes a header, and then reads the headers of all
members. If a round fails, the team raises an error. Collectives consist of rounds and folds.
:mod:`redcoll.team.construction` makes teams, and :mod:`redcoll.team.lifecycle` ends them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Final, NamedTuple, NoReturn, TypeVar, cast

from redcoll._mpi4py import MPI
from redcoll.arguments import Checking, summary
from redcoll.errors import (
    CollectiveMismatchError,
    CollectiveTimeoutError,
    PeerLostError,
    RemoteOpError,
)
from redcoll.internode.rails import Rails
from redcoll.kernels.base import TeamChannel
from redcoll.kernels.errstate import silent_runner
from redcoll.kernels.interface import Channel, Kernel, SmallCall
from redcoll.liveness.progress import Wait, Watch
from redcoll.memory.arena import Memory
from redcoll.protocol import call_sites, mismatch
from redcoll.protocol.descriptor import DELEGATED, NAMES, NO_ROOT, describe, pack
from redcoll.team.lifecycle import Closed, Lifecycle, State, note_wait
from redcoll.team.sizes import Sizes
from redcoll.topology import Layout, Process

Error = TypeVar("Error", bound=BaseException)

_MOST_CALLS_KEPT: Final = 1024
_MOST_FUNCTIONS_KEPT: Final = 32
"""The most user functions whose calls a team keeps. A function can refer to large arrays. If a
program uses more functions in turn, each call is checked as if it were new."""
_MOST_LOCATED: Final = 8
"""The largest number of absent members whose calls a message names."""
_IS_COMMON_TO: Final = "_redcoll_is_common_to"
"""The attribute of an exception that holds the ``id`` of a team, if the exception is a common error
of the team (:meth:`Team.common`)."""


class Members(NamedTuple):
    """The members of a team, by team rank."""

    pes: tuple[int, ...]
    """The members' PE numbers in the job; their ranks if a member has no PE number."""
    is_in_world: bool
    """Whether ``pes`` are numbers of PEs in the job."""
    names: list[str]
    """The members' names in messages."""
    full_names: list[str]
    """The members' names, with hosts if there are several hosts."""
    processes: list[Process]
    arenas: list[Memory] | None = None
    """The memory of the members' shared arrays; None if some member cannot address all of it."""

    def among(self, indices: Sequence[int]) -> Members:
        """Return the members with these team ranks."""
        return Members(
            tuple(self.pes[index] for index in indices),
            self.is_in_world,
            [self.names[index] for index in indices],
            [self.full_names[index] for index in indices],
            [self.processes[index] for index in indices],
        )


class Team:
    """An ordered list of ranks that reduce together through shared memory.

    :meth:`from_comm` makes a team. Two threads may use two teams at the same time, but never the
    same team.
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
        """Set up a team from its parts.  Only :mod:`redcoll.team.construction` calls this method.

        The team owns ``comm``, whose ranks are the members in their order. On several nodes, the
        team of the caller's node has the same ``life``.
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
        self.run_silently = silent_runner()
        """Calls a function of NumPy without floating-point warnings or exceptions."""
        self.calls: dict[Hashable, object] = {}
        """Records of calls that have passed their checks, by a key of the arguments. The contexts
        that :meth:`checking` has returned are also kept here, because making a context takes as
        long as a small call."""
        self._keys_of: dict[Hashable, list[Hashable]] = {}
        """The keys in ``calls`` of each user function, in the order of the functions' first use."""
        self.node: Team | None = None
        """The team of the members on the caller's node, if there are several nodes."""
        self.rails: Rails | None = None
        """The rails, along which long vectors travel between nodes; None on one node."""
        self.channel: TeamChannel
        """The object through which the caller takes part in rounds."""
        self.small: SmallCall
        """The channel's function for small reductions whose checks have passed before."""

    def open(self, channel: Channel, node: Team | None = None, rails: Rails | None = None) -> None:
        """Complete the construction: set the channel, the team of the node, and the rails."""
        self.node, self.rails = node, rails
        self.small = channel.small
        self.channel = cast("TeamChannel", channel)

    @classmethod
    def from_comm(cls, comm: MPI.Intracomm, *, by_rank: bool = False) -> Team:
        """Make a team of all processes of an intracommunicator, in the order of their ranks.

        Collective over ``comm``, which the caller still owns.

        Parameters
        ----------
        by_rank
            Whether messages name members by their ranks in ``comm``, such as ``rank 2 (PE 5)``.
        """
        from redcoll.team import construction  # not at the top: that module imports this one

        return construction.team_of_comm(comm, by_rank=by_rank)

    @property
    def pes(self) -> tuple[int, ...]:
        """The members' PE numbers in the job; their ranks if a member has no PE number."""
        return self.members.pes

    @property
    def folds_by_nodes(self) -> bool:
        """Whether vectors are folded on each node first, and then over the nodes."""
        return self.node is not None and self.rails is not None

    @property
    def node_comm(self) -> MPI.Intracomm:
        """The communicator of the members on the caller's node."""
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
            ``word``, ``count`` or ``extra`` differ between members. All members raise it.
        """
        self.channel.round(word, count, extra, source, target)

    def decline(self, word: int, error: Exception) -> None:
        """Notify the other members that this member's arguments were wrong.

        The other members raise ``CollectiveMismatchError`` instead of waiting. This method marks
        ``error`` as common (:meth:`common`), and the caller must raise ``error``.

        If this member ran ahead, the method first waits until the other members have arrived at
        this member's earlier calls.
        """
        try:
            self.channel.decline(word, summary(error))
        except (CollectiveTimeoutError, PeerLostError, CollectiveMismatchError) as lost:
            self.life.revoke(lost)
        self.common(error)

    def checking(self, collective: int, call: str | None = None) -> Checking:
        """Return a context manager for the checks of a call.

        If a check raises an error, the context manager notifies the other members, which wait in
        ``collective``. ``call`` is the name of the call in the caller's message (default: the
        collective's name).
        """
        key = Checking, collective, call
        found = self.calls.get(key)
        if not isinstance(found, Checking):
            name = NAMES[collective] if call is None else call
            found = Checking(name, partial(self.decline, pack(collective)))
            self.remember(key, found)
        return found

    def delegate(self, collective: int, root: int = NO_ROOT) -> NoReturn:
        """Ask all members to let MPI perform this collective.

        Raises
        ------
        DelegatedError
            All members raise it, including members that did not ask for MPI.
        CollectiveMismatchError
            Members called another collective or passed another root. All members raise it.
        """
        self.channel.round(pack(collective, root=root) | DELEGATED)
        self.raise_mismatch()

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """Run one round that gives every member the data of all members, in team order.

        ``word`` and ``extra`` must be equal on all members. ``tag`` is an integer that describes
        the data. ``data`` has at most ``sizes.small_bytes`` bytes.

        Raises
        ------
        CollectiveMismatchError
            ``word`` or ``extra`` differ between members. All members raise it.
        """
        return self.channel.share(word, extra, tag, data)

    def conclude(
        self, word: int, error: BaseException | None, count: int = 0, extra: int = 0
    ) -> bool:
        """Run a last round in which each member reports whether its user function succeeded.

        Return whether the functions of all members succeeded. Pass this value to
        :meth:`raise_unless`.
        """
        text = None if error is None else summary(error)
        return self.channel.conclude(word, count, extra, text)

    def raise_unless(self, came_through: bool, error: BaseException | None) -> None:
        """Raise an error if a user's function failed, after :meth:`conclude`.

        Raise ``error`` if this member's function raised it. Raise ``RemoteOpError`` if only another
        member's function raised.
        """
        if error is not None:
            raise self.common(error)
        if not came_through:
            self.raise_mismatch(error=RemoteOpError)

    def raise_mismatch(
        self,
        channel: Channel | None = None,
        error: type[CollectiveMismatchError | RemoteOpError] = CollectiveMismatchError,
        *,
        is_common: bool = True,
    ) -> NoReturn:
        """Raise an error that describes every member's header in the round that failed.

        If the error is not common, the team cannot go on.
        """
        if channel is None:
            channel = self.channel
        posts, ago = channel.posts(channel.disputed), channel.sequence - channel.disputed
        names = [self.members.names[member] for member in channel.members]
        found = mismatch.found(posts, names, ago, error, can_go_on=is_common)
        raise self.common(found) if is_common else found

    def start_wait(self, channel: Channel) -> Callable[[], bool]:
        """Begin a slow wait for the members that are absent; return the poll function."""
        names = self.members.names

        def doing() -> str:
            return describe(*channel.said())

        def where(absent: Sequence[int]) -> str:
            site = call_sites.here()
            note_wait(f"{doing()} at {site}")
            places = ((names[each], channel.where(each)) for each in absent[:_MOST_LOCATED])
            told = mismatch.grouped(places, ": ")
            return f"{told and '; ' + told}; {names[self.index]}: waiting at {site}"

        polls = self.kernel.POLLS_PER_CLOCK
        return Wait(self.watch, channel.absent, doing, polls, where).poll

    # -- errors -----------------------------------------------------------------------

    def common(self, error: Error) -> Error:
        """Mark an error as common. Every member raises the error, or is notified of it.

        A common error leaves the team usable. Any other exception that leaves a collective call
        revokes the team (:meth:`revoke_unless_common`).
        """
        vars(error)[_IS_COMMON_TO] = id(self)
        return error

    def is_common(self, error: BaseException) -> bool:
        """Return whether :meth:`common` has marked this error."""
        return vars(error).get(_IS_COMMON_TO) == id(self)

    def revoke_unless_common(self, error: BaseException) -> None:
        """Revoke the team after an exception that only this member raised in a collective call.

        The outermost frame of every collective call has an ``except BaseException`` that calls
        this method. So an interrupt revokes the team wherever in the call it occurs.
        """
        if self.is_common(error):
            return
        try:
            self.life.revoke(error)
        except BaseException:
            self.life.revoke(error)  # a second SIGINT may have ended the first call
            raise

    # -- calls that passed their checks ---------------------------------------------

    def remember(self, key: Hashable, call: object, function: Hashable = None) -> None:
        """Keep an object in ``calls``.

        If ``key`` or ``call`` refers to a user function, pass the function or its operation. The
        team then drops the calls of the oldest function if it has calls of too many functions.
        """
        if len(self.calls) >= _MOST_CALLS_KEPT:
            self.calls.clear()
            self._keys_of = {}
        if function is not None:
            keys_of = self._keys_of
            keys_of.setdefault(function, []).append(key)
            if len(keys_of) > _MOST_FUNCTIONS_KEPT:
                for old in keys_of.pop(next(iter(keys_of))):
                    self.calls.pop(old, None)
        self.calls[key] = call

    # -- the end --------------------------------------------------------------------

    @property
    def can_go_on(self) -> bool:
        """Whether the team can run rounds. A broken or closed team cannot."""
        return self.life.state is State.OPEN

    @property
    def is_closing(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self.life.is_closing

    def replace_channel(self, closed: Closed) -> None:
        """Let every use of the team raise an error from here on."""
        self.small = closed.refuse
        self.calls = cast("dict[Hashable, object]", closed)
        self._keys_of = {}
        self.channel = cast("TeamChannel", closed)

    def close(self, *, is_here: bool = False) -> None:
        """Free the window and communicator.  Collective over the team. A second call does nothing.

        The call waits for all members, and an interrupt ends this wait. If MPI allows several
        threads (``MPI_THREAD_MULTIPLE``), another thread then completes the close, and a second
        call waits for that thread. Otherwise a second call completes the close.

        Its memory stays until the process ends if the team is broken, if a member has left it, or
        if on several nodes the members' last small reduces differed.

        Parameters
        ----------
        is_here
            Whether the calling thread must do the work, because it is inside a callback of MPI.
        """
        self.life.close(is_here=is_here)
