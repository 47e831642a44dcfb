"""Team: PEs that reduce together, in a fixed order, with shared scratch of their own.

Everything here is about rounds: everybody posts, everybody sees all posts. What the
rounds are for is the collectives' business.

What lies where in the scratch, :mod:`redcoll.team.sizes` says; what there is besides on several
nodes, :mod:`redcoll.internode`.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn, ParamSpec, TypeVar

from numpy.typing import NDArray

from redcoll import config, kernels, topology
from redcoll._mpi4py import MPI
from redcoll.arguments import Checking, summary
from redcoll.comm import no_communicator, private_copy, raise_first
from redcoll.errors import (
    CollectiveMismatchError,
    CollectiveTimeoutError,
    ConfigError,
    HeapError,
    PeerLostError,
    RedcollError,
    RemoteOpError,
    StateError,
    TeamBrokenError,
    TeamLimitError,
)
from redcoll.internode.rails import Rails
from redcoll.internode.room import total_bytes
from redcoll.internode.span import Span
from redcoll.kernels.errstate import Quiet
from redcoll.kernels.interface import Channel, RunSilently
from redcoll.liveness import shutdown
from redcoll.liveness.peers import CLOSES, LEFT, OPEN, Peers
from redcoll.liveness.progress import Wait, Watch, wait_for_all
from redcoll.liveness.shield import Unbroken
from redcoll.liveness.wait_graph import Waits
from redcoll.memory.shared_window import lacking_descriptors, open_shared
from redcoll.ops import Op
from redcoll.protocol import mismatch
from redcoll.protocol.descriptor import (
    DELEGATED,
    NAMES,
    NO_ROOT,
    Call,
    describe,
    pack,
)
from redcoll.team import settings as team_settings
from redcoll.team import sizes as team_sizes
from redcoll.team.settings import Told
from redcoll.topology import Process

Array = NDArray[Any]
SmallCall = Callable[..., bool]
Fold = Callable[[Op, Sequence[Array], Array], None]
Error = TypeVar("Error", bound=BaseException)
P = ParamSpec("P")
R = TypeVar("R")

_MOST_CALLS_KEPT = 1024
_IS_COMMON_TO = "_redcoll_is_common_to"
"""The entry of an exception's ``vars`` that says which team's common error it is."""
_teams: weakref.WeakSet[Team] = weakref.WeakSet()
"""All teams of this process: a forked child shuts them."""
_closes = threading.RLock()  # a signal's handler may close a team, too


def _settings() -> Told:
    """What must be the same on all members."""
    if sys.maxsize < 1 << 32:
        # A 64-bit word would be two stores: others could see the first half alone.
        return Told({}, "redcoll needs a 64-bit Python; this one has 32 bits")
    told = team_settings.tell(
        config.SMALL_BYTES,
        config.CHUNK_BYTES,
        config.MAX_TEAMS,
        config.NODE_SIZE,
        config.ORDER,
        config.AHEAD,
    )
    if told.wrong is not None:
        return told
    try:
        kernel = kernels.choose()
        kernels.load(kernel)  # here, where a failure on one member is known to all
    except (ConfigError, ImportError, OSError) as error:
        return Told({}, str(error))
    return Told({config.KERNEL.name: kernel, **told.values}, None)


class _Closed:
    """Stands in for the channel of a team that cannot go on: every use says why."""

    def __init__(self, error: type[Exception], reason: str) -> None:
        self.error = error
        self.reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        raise self.error(self.reason)

    def refuse(self, *_: Any) -> NoReturn:
        """Stands in for a function of the channel."""
        raise self.error(self.reason)


def _is_wrong_signature(error: BaseException) -> bool:
    """Whether Python raised the error in the caller's frame, in place of calling the function."""
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


class Team:
    """An ordered list of PEs plus its scratch.  Creating one is collective over ``comm``.

    A team may be used by one thread at a time; different teams by different threads.

    Parameters
    ----------
    comm
        The members in their order. The team owns it from here on, so it must be one
        that nobody else uses, such as a duplicate.
    pes
        What the members are called in messages and in :attr:`pes`: their PE numbers
        in the job, or their ranks where there are none.
    is_in_world
        Whether ``pes`` are numbers of PEs in the job.
    by_rank
        Whether messages name members by their ranks, as those of a communicator.
    wider
        The team whose members on a node this is: a part of it, that ends with it.

    Raises
    ------
    TeamLimitError
        ``REDCOLL_MAX_TEAMS`` would be passed on some member; or one has too few communicators or
        file descriptors left. All members raise it.
    ConfigError
        Members have different settings.
    HeapError
        No room for the scratch.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        pes: Sequence[int],
        *,
        is_in_world: bool = True,
        by_rank: bool = False,
        wider: Team | None = None,
    ) -> None:
        shutdown.install()
        self._is_of_parent = False
        """Whether this process was forked from the member."""
        self.comm = comm
        self.is_in_world = is_in_world
        self.wider = wider
        self.size = comm.Get_size()
        self.index = comm.Get_rank()
        self.pes = tuple(pes)
        self._end: Unbroken | None = None
        self._has_left = False
        self._is_left_over = False
        self._is_free_to_go: bool | None = None
        """Whether all members come to the close; None before that is known."""
        self.calls: Any = {}
        """Shapes of call made so far: what their checks found."""
        self._checks: dict[tuple[int, str | None], Checking] = {}
        """What :meth:`checking` has returned so far. Making one takes as long as a small call."""

        here = Process.here()
        processes, settings = self._agree(here, by_rank=by_rank)
        self.layout, near = topology.lay_out(comm)
        """Which members share a node."""
        if self.layout.is_one_node:
            near.Free()
        self._near = comm if self.layout.is_one_node else near

        self.kernel = kernels.load(settings.values[config.KERNEL.name])
        sizes = team_sizes.agree(
            settings.values,
            self.kernel,
            self.layout,
            self._near,
            None if wider is None else wider.comm,
        )
        if wider is not None:
            # Its short vectors are folded here.
            sizes = sizes._replace(small_bytes=max(wider.small_bytes, wider.fold_bytes))
        self.small_bytes: int = sizes.small_bytes
        self.fold_bytes: int = sizes.fold_bytes
        self.chunk_bytes: int = sizes.chunk_bytes
        self.ahead: int = sizes.ahead
        self.order: str = settings.values[config.ORDER.name]
        self.processes = processes
        self.quiet = Quiet()
        self.fold: Fold = partial(self.quiet.run, self.kernel.fold)
        """The kernel's ``fold(op, operands, out)``, silent."""
        self._peers = Peers(
            processes,
            self.full_names,
            here,
            self._state_of,
            None if wider is None else (wider.watch.peers, wider.layout.members),
        )
        self.watch: Watch = Watch(self._peers, self.progress, is_one_node=self.layout.is_one_node)
        self._span: Span | None = None
        """Its part between nodes, on several."""
        self.node: Team | None = None
        """The members on the caller's node, on several."""
        self.channel: Any
        """How the members post."""
        if self.layout.is_one_node:
            self._open_scratch(team_sizes.Segment(sizes, self._wide_bytes()), here)
        else:
            self._span_nodes()
        _teams.add(self)
        self.small: SmallCall = self.channel.small
        """The kernel's way to do a small reduction that it knows in one call."""
        if wider is None:
            shutdown.register(self)

    def _wide_bytes(self) -> int:
        """Of what the wider team needs on each node."""
        if self.wider is None:
            return 0
        return total_bytes(len(self.wider.layout.nodes), self.wider.size)

    def _open_scratch(self, segment: team_sizes.Segment, here: Process) -> None:
        """The scratch and the channel of a team on one node.  Collective over the team."""
        self._window = open_shared(
            self.comm,
            self._near,
            segment.bytes,
            f"scratch of a team of {self.size}",
            segment.common_bytes,
        )
        wider, words = self.wider, self._window.words
        starts = segment.starts(self.size)
        self.wide_start = segment.wide_start(self.size)
        """Where that begins which the wider team needs."""
        self.states = [start // 8 for start in starts]
        """Where in the words of the window the members' states are."""
        places = [team_sizes.awaited_beside(state) for state in self.states]
        if wider is None:
            known = dict(enumerate(places))
            self._peers.waits = Waits(words, known, self.processes, self.full_names, self.index)
        else:
            # Neighbours here may wait for members elsewhere.
            known = dict(zip(wider.layout.members, places, strict=True))
            waits = Waits(words, known, wider.processes, wider.full_names, wider.index)
            wider.watch.peers.waits = waits
            self._peers.waits = waits.among(wider.layout.members)
        beside = [process for process in self.processes if process.host == here.host]
        spin = config.SPIN.get()
        if spin is None:
            has_core = len(beside) <= topology.usable_cores(beside)
            # Waits between nodes are the network's, and longer than is worth spinning.
            spin = self.kernel.SPIN if has_core and wider is None else 0
        self.channel = self.kernel.Channel(
            segment.scratch(self._window.memory, starts),
            self.index,
            spin,
            self._window.fence,
            self,
        )

    def _agree(self, here: Process, *, by_rank: bool) -> tuple[list[Process], Told]:
        """Exchange descriptions of the processes, and check that all of them can make a team."""
        lacking = lacking_descriptors()
        settings = Told({}, None) if lacking else _settings()  # which opens files
        told = self.comm.allgather((here, settings, shutdown.registered(), lacking))
        processes = [process for process, _, _, _ in told]
        if self.is_in_world:
            topology.known_processes.update(zip(self.pes, processes, strict=True))
        if self.wider is None:
            self.names = topology.names_of(self.pes, by_rank=by_rank)
            self.full_names = topology.on_hosts(self.names, processes)
        else:
            members = self.wider.layout.members
            self.names = [self.wider.names[index] for index in members]
            self.full_names = [self.wider.full_names[index] for index in members]
        for name, (_, _, _, its_lack) in zip(self.names, told, strict=True):
            if its_lack:
                raise TeamLimitError(f"team of {self.size}: on {name} {its_lack}")
        team_settings.require([each for _, each, _, _ in told], self.names, self.index)
        if self.wider is None:
            self._check_limit(max(live for _, _, live, _ in told))
        return processes, settings

    def _check_limit(self, live: int) -> None:
        limit = config.MAX_TEAMS.get()
        if live >= limit:
            raise TeamLimitError(
                f"a team of {self.size} more would make over {limit} teams "
                f"({config.MAX_TEAMS.name}); free some, or raise the limit"
            )

    def _span_nodes(self) -> None:
        """What a team on several nodes needs.  Collective over the team."""
        error: RedcollError | None = None
        try:
            node = self._node_team()
        except BaseException:
            if self._near:
                self._near.Free()
            raise
        node.channel.folders = self.layout.owners
        try:
            self._span = Span(
                self.comm,
                self.layout,
                self.index,
                node.channel,
                node._window.memory,  # noqa: SLF001 - a Team as well
                node.wide_start,
                node.states,
                self.order == "strict",
                self.fold,
                node._window.fence,  # noqa: SLF001
                self.watch,
                self,
            )
        except MPI.Exception as refusal:
            error = no_communicator(refusal)
        except (NotImplementedError, OSError, MemoryError) as refusal:
            error = HeapError(f"team of {self.size}: {refusal}")
        try:
            raise_first(self.comm, error)
        except RedcollError:
            node.close(is_here=True)
            raise
        assert self._span is not None  # noqa: S101 - for the type checker
        self.chunk_bytes = node.chunk_bytes
        self.channel = self._span.channel

    def _node_team(self) -> Team:
        """The members on the caller's node.  Collective over the team.

        Raises
        ------
        HeapError, TeamLimitError
            All members raise it if one of the nodes has no room for its part.
        """
        pes = [self.pes[index] for index in self.layout.members]
        node: Team | None = None
        error: RedcollError | None = None
        try:
            node = Team(self._near, pes, is_in_world=self.is_in_world, wider=self)
        except (HeapError, TeamLimitError) as refusal:
            error = refusal
        except (MPI.Exception, OSError, MemoryError) as refusal:
            error = HeapError(f"team of {self.size}: {refusal}")
        try:
            raise_first(self.comm, error)
        except RedcollError:
            if node is not None:
                node.close(is_here=True)
            raise
        assert node is not None  # noqa: S101 - for the type checker
        self.node = node
        return node

    @classmethod
    def from_comm(cls, comm: MPI.Intracomm, *, by_rank: bool = False) -> Team:
        """Make a team of the processes of any intracommunicator, in its rank order.

        Collective over ``comm``, which stays the caller's.

        Parameters
        ----------
        by_rank
            Whether messages name members by their ranks in ``comm``, such as ``rank 2 (PE 5)``.
        """
        private = private_copy(comm)
        world = MPI.COMM_WORLD.group
        ranks = list(range(comm.Get_size()))
        pes = MPI.Group.Translate_ranks(comm.group, ranks, world)
        known = MPI.UNDEFINED not in pes
        try:
            team = cls(private, pes if known else ranks, is_in_world=known, by_rank=by_rank)
        except BaseException:
            private.Free()
            raise
        if MPI.COMM_WORLD.Get_rank() == 0:
            config.warn_unknown()
            kernels.warn_slow()
        return team

    @property
    def rails(self) -> Rails | None:
        """The way of long vectors that nodes fold before others see them; None where none do."""
        return None if self._span is None else self._span.rails

    @property
    def folds_by_nodes(self) -> bool:
        """Whether each node's members are folded first, and then the nodes."""
        return self.node is not None and self.order != "strict"

    @property
    def node_comm(self) -> MPI.Intracomm:
        """The members on the caller's node, in their order; the team's own if it is one node."""
        return self._near

    @property
    def can_go_on(self) -> bool:
        """Whether it is neither closed nor broken."""
        return not isinstance(self.channel, _Closed)

    def __repr__(self) -> str:
        return f"<redcoll.Team of PEs {list(self.pes)}, index {self.index}>"

    # -- rounds ---------------------------------------------------------------------

    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Everybody posts, everybody sees all posts.

        Raises
        ------
        CollectiveMismatchError
            On all members alike, if ``word``, ``count`` or ``extra`` differ.
        """
        self.channel.round(word, count, extra, source, target)

    def decline(self, word: int, error: Exception) -> None:
        """Tell the others that this PE's arguments were wrong, without waiting for them.

        It waits for those that it went ahead of before, though.

        They raise ``CollectiveMismatchError`` instead of waiting for a post that never
        comes; the caller raises ``error`` itself, which is a common error from here on.
        """
        try:
            self.channel.decline(word, summary(error))
        except (CollectiveTimeoutError, PeerLostError) as lost:
            self.give_up(lost)
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
            On all members alike, also on those that called the collective itself.
        CollectiveMismatchError
            Instead, if members called another collective or passed another root.
        """
        self.channel.round(pack(collective, root=root) | DELEGATED)
        self.raise_mismatch()

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member a few bytes of each, in team order.

        ``word`` and ``extra`` must be equal on all members; ``tag``, an integer that says
        what the bytes are, and ``data``, of at most ``small_bytes``, need not.

        Raises
        ------
        CollectiveMismatchError
            On all members alike, if ``word`` or ``extra`` differ.
        """
        shared: list[tuple[int, bytes]] = self.channel.share(word, extra, tag, data)
        return shared

    def conclude(
        self, word: int, error: BaseException | None, count: int = 0, extra: int = 0
    ) -> bool:
        """A last round in which each member says whether its user function came through.

        Returns
        -------
        bool
            Whether all did; for :meth:`raise_unless`.
        """
        text = None if error is None else summary(error)
        came_through: bool = self.channel.conclude(word, count, extra, text)
        return came_through

    def raise_unless(self, came_through: bool, error: BaseException | None) -> None:
        """What follows from such a last round.

        Raises
        ------
        BaseException
            ``error``, that of this member's function, where there is one.
        RemoteOpError
            Where another member has one.
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
        names = [self.names[member] for member in channel.members]
        raise self.common(mismatch.found(posts, names, ago, error))

    # -- errors -----------------------------------------------------------------------

    def common(self, error: Error) -> Error:
        """Mark an error as common: every member raises one in this call, or has its report.

        A common error leaves the team usable. Any other exception that leaves a collective call
        revokes the team (:meth:`revoke_unless_common`).
        """
        vars(error)[_IS_COMMON_TO] = id(self)
        return error

    def is_common(self, error: BaseException) -> bool:
        """Whether :meth:`common` has marked this error."""
        return vars(error).get(_IS_COMMON_TO) == id(self)

    def revoke_unless_common(self, error: BaseException) -> None:
        """Revoke the team after an exception that leaves a collective call on this member alone.

        The outermost frame of every collective call has an ``except BaseException`` that calls
        this method. So it does not matter where in the call an interrupt arises.
        """
        if self.is_common(error):
            return
        try:
            self.give_up(error)
        except BaseException:
            self.give_up(error)  # a launcher and a terminal may both send SIGINT
            raise

    # -- shapes of call -------------------------------------------------------------

    def remember(self, key: Any, call: Call) -> None:
        """Keep a shape of call whose checks have passed."""
        if len(self.calls) >= _MOST_CALLS_KEPT:
            self.calls.clear()
        self.calls[key] = call

    # -- waiting --------------------------------------------------------------------

    def start_wait(self, channel: Channel) -> Callable[[], bool]:
        """Begin a slow wait for the members that ``channel`` waits for; return its poll."""

        def doing() -> str:
            return describe(*channel.said())

        return Wait(self.watch, channel.absent, doing, self.kernel.TURNS_PER_CLOCK).turn

    @property
    def run_silently(self) -> RunSilently:
        """Runs a function of NumPy without warnings or exceptions about numbers."""
        return self.quiet.run

    def state_of(self, index: int) -> int:
        """Return the state word of a member."""
        return self._state_of(index)

    def progress(self) -> None:
        """Let MPI move pending messages."""
        if self.wider is not None:
            # A leader hears of ends elsewhere also while it waits for its neighbours.
            self.wider.progress()
            return
        span = self._span
        if span is not None:
            span.progress()
            return
        # A probe finds nothing here, but lets MPI move everybody's pending messages.
        self.comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)

    def give_up(self, error: BaseException) -> None:
        """Say, without waiting, that this member left a collective half done.

        The others raise instead of waiting for it; every later use of the team raises here.
        """
        if self.is_closing or self._has_left or not self.can_go_on:
            return  # the others know, and the memory may be unmapped
        if self.wider is not None and self.wider.can_go_on:
            self.wider.give_up(error)
            return
        if self._span is not None and isinstance(error, CollectiveTimeoutError):
            # Who did not come may be dead, and MPICH crashes where one sends to a process of a
            # host that it has lost: what is known has to be out by then.
            shutdown.report(f"redcoll: {self.names[self.index]} gives up: {error}\n")
        self._say(self._peers.gave_up(error))
        teams = [self] if self.node is None else [self.node, self]
        # Shut the team last: if an interrupt tears this call, a second one does it all again.
        for team in teams:
            reason = f"{team!r} cannot go on after {summary(error)}"
            team._shut(TeamBrokenError, reason)  # noqa: SLF001

    def _say(self, state: int) -> None:
        """Tell the others, without waiting, that this member posts no more."""
        if self.node is not None:
            if self._span is not None:
                self._span.keep()
                self._span.end(has_left=False)
            self.node._say(state)  # noqa: SLF001 - a Team as well
            # MPI may still write there.
            self.node._window.keep()  # noqa: SLF001
            if self._span is not None:
                self._span.tell()
            return
        if self._window.fence is not None:
            # Release: a member that sees the state sees every header that was written before.
            self._window.fence()
        self._window.words[self.states[self.index]] = state

    def _state_of(self, index: int) -> int:
        """Return the state word of a member."""
        if self._span is not None:
            return self._span.state_of(index)
        if self.node is not None:
            return OPEN  # while the team is made
        state = self._window.words[self.states[index]]
        if self._window.fence is not None:
            # Acquire: headers that the member wrote before its state are visible from here on.
            self._window.fence()
        return state

    def _shut(self, error: type[Exception], reason: str) -> None:
        closed = _Closed(error, reason)
        self.small = closed.refuse
        self.calls = closed
        self.channel = closed  # last: :attr:`can_go_on` looks at it

    # -- the end --------------------------------------------------------------------

    def _shut_in_child(self) -> None:
        """Refuse all use in a forked child, which would write as its parent."""
        self._is_of_parent = True
        self._shut(
            StateError,
            f"{self!r} was made before this process was forked: only the parent can use it; "
            "start processes by multiprocessing's 'spawn', or call redcoll in the parent",
        )
        self.watch.progress = self.small

    def leave(self) -> None:
        """Tell the others, without waiting, that this process will never come again."""
        # Not twice, and not what is closed: MPI may have unmapped the memory since.
        if self._has_left or (self.is_closing and not self._is_left_over):
            return
        self._has_left = True
        if self._span is not None:
            self._span.end(has_left=True)
        if self.node is None:
            self._say(LEFT)
        else:
            self.node.leave()
        if self._span is not None:
            self._span.leave()
        self._shut(StateError, f"{self!r} was left when redcoll or MPI was finalized")

    def tidy(self) -> None:
        """Take what others have said when they left, once all have."""
        span = self._span  # another thread may close the team
        if span is not None:
            span.hear()

    def dead_peer(self) -> str | None:
        """A member whose process has ended, by name, and that it has; None if there is none."""
        return self._peers.first_dead()

    def have_all_left(self) -> bool:
        """Whether every member has said that it will never come again."""
        if self._span is not None:
            return self._span.have_all_left()
        words = self._window.words
        return all(words[state] == LEFT for state in self.states)

    @property
    def is_closing(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self._end is not None

    @property
    def is_closed(self) -> bool:
        """Whether that has been done."""
        return self._end is not None and self._end.is_over

    def close(self, *, is_here: bool = False) -> None:
        """Free window and communicator.  Collective over the team; a second call does nothing.

        It waits for all members. Where MPI allows several threads (``MPI_THREAD_MULTIPLE``), an
        interrupt ends the wait for what is then done all the same, and another call waits for
        that again; where it does not, another call goes on with what the interrupt has torn.

        Those of a team that is broken, or that a member has left, stay until the processes end
        MPI.

        Parameters
        ----------
        is_here
            Whether the calling thread has to do it: one that MPI has called.
        """
        self._closing().do(is_here=is_here)

    def go_on_closing(self) -> None:
        """See that what :meth:`close` does is done; here, where MPI allows no other thread."""
        self._closing().begin()

    def _closing(self) -> Unbroken:
        if self._is_of_parent:
            self.small()  # says why not
        with _closes:
            if self._end is None:
                close = Unbroken(partial(self._close, self.can_go_on))
                # From the first of these on it is closed, at the end of the process at the latest.
                shutdown.begin_close(self)
                self._end = close
            # Outside of the branch: an interrupt may have torn the first call before this.
            self._shut(StateError, f"{self!r} is closed")
            return self._end

    def _close(self, can_go_on: bool) -> None:
        try:
            self._is_left_over = not self._free(can_go_on)
        except MPI.Exception:
            # Not after an interrupt, which may raise anything: then the rest is still to be done.
            shutdown.end_close(self, is_left_over=False)
            raise
        shutdown.end_close(self, is_left_over=self._is_left_over)

    def _can_all_go_on(self, can_go_on: bool) -> bool:
        """Whether all members come to where MPI waits for them without deadline.

        That all have posted in a round does not say so: one that did may have given up since.
        """
        if self._span is not None:
            return self._span.can_all_go_on(can_go_on)
        if not can_go_on:
            return False  # the others know
        words, states = self._window.words, self.states
        # Nobody takes that back. The memory is there until all have seen it of all: it is freed
        # by all together.
        words[states[self.index]] = CLOSES

        def are_here() -> bool:
            return all(words[state] == CLOSES for state in states)

        return wait_for_all(self.watch, self.index, self.size, are_here, "close")

    def _free(self, can_go_on: bool) -> bool:
        """Whether nothing was left over."""
        if self._is_free_to_go is None:
            # A part of a wider team ends when that has asked.
            self._is_free_to_go = self.wider is not None or self._can_all_go_on(can_go_on)
        if not self._is_free_to_go:
            # To free windows waits for all who share them, of whom some may have left; and what
            # MPI still holds of a round that one of them left half done stays its own. So the
            # team still counts: for the limit, and for who has died when the process ends.
            if self._span is not None:
                self._span.keep()
            return False
        # An interrupt may tear this at any point: a step that has been done does nothing again.
        if self._span is not None:
            self._span.close()
            self._span = None
        if self.node is None:
            self._window.free()
        else:
            self.node.close(is_here=True)
        if self.comm:
            self.comm.Free()
        # The memory is gone that these would look at.
        self._peers = Peers([], [], Process.here(), lambda _: OPEN)
        closed: Any = _Closed(StateError, f"{self!r} is closed")
        self.watch.peers = closed
        return True


def _shut_all_in_child() -> None:
    for team in list(_teams):
        team._shut_in_child()  # noqa: SLF001


os.register_at_fork(after_in_child=_shut_all_in_child)
