"""What PEs share that cooperate without rounds: who still lives, waits, locks.

A team's members all call the same thing; here each PE calls what it likes when it
likes, and finds in shared memory what the others left there. Nothing needs the help
of a PE that is busy, and nothing is lost with a PE that dies.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from redcoll import config, kernels, topology
from redcoll._mpi4py import MPI
from redcoll.errors import ConfigError
from redcoll.liveness import shutdown
from redcoll.liveness.peers import LEFT, Peers
from redcoll.liveness.progress import Wait, Watch
from redcoll.memory.shared_window import SharedWindow
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.team import settings as team_settings
from redcoll.team.settings import Told
from redcoll.topology import Process, names_of, on_hosts
from redcoll_pvm import _settings

# Words of a PE's line.
_STATE, _CLAIMED_BY, _HAS_FINISHED = range(3)
_CENSUS_EVERY_S = 0.1
AT_FIRST_S, AT_A_TIME_S = 1e-3, 1e-4
"""How long a wait looks at one word only: at first, for that is quickest and ends most waits;
and later on, between two looks at all that may happen meanwhile."""


def _own_settings() -> Told:
    """What must be the same on all PEs."""
    told = team_settings.tell(
        _settings.MAX_GROUPS, _settings.HANDOVER_BYTES, _settings.HOLD, config.NODE_SIZE
    )
    if told.wrong is not None:
        return told
    try:
        return Told({config.KERNEL.name: kernels.choose(), **told.values}, None)
    except ConfigError as error:
        return Told({}, str(error))


class Terms(NamedTuple):
    """What PEs have told each other, and agreed on."""

    processes: list[Process]
    kernel: str


def agree(comm: MPI.Intracomm) -> Terms:
    """Tell each other who and where the PEs are, and how they are set.  Collective.

    Raises
    ------
    ConfigError
        A setting is wrong, or not the same on all PEs.
    """
    settings = _own_settings()
    told = comm.allgather((Process.here(), settings))
    team_settings.require(
        [settings for _, settings in told],
        names_of(range(comm.Get_size())),
        comm.Get_rank(),
    )
    return Terms([process for process, _ in told], settings.values[config.KERNEL.name])


def _hearing(is_over: Callable[[], bool]) -> bool:
    # Neighbours that still wait in rounds may hear of ends elsewhere by this PE alone.
    shutdown.tidy()
    return is_over()


class _Delivery(Wait):
    """A wait for what may be under way: who has left the job in order may have sent it."""

    __slots__ = ()

    def _may_be_overtaken(self, index: int, waited_s: float) -> bool:  # noqa: ARG002
        return True


class Commons(ABC):
    """The PEs of a communicator as each sees the others.  Creating it is collective.

    May be used by one thread at a time, with all that is built on it.

    Parameters
    ----------
    comm
        The PEs in their order. It belongs to the commons from here on.
    terms
        From :func:`agree`.
    near
        The PEs on the caller's node.
    """

    def __init__(self, comm: MPI.Intracomm, terms: Terms, near: Sequence[int]) -> None:
        self.comm = comm
        self.size = comm.Get_size()
        self.index = comm.Get_rank()
        self.kernel = kernels.load(terms.kernel)
        """The same on all PEs."""
        cores = topology.usable_cores([terms.processes[index] for index in near])
        spin = config.SPIN.get()
        if spin is None:
            spin = self.kernel.SPIN if len(near) <= cores else 0
        self.await_change: Callable[[memoryview, int, int, int, float], bool] = partial(
            self.kernel.await_change, spin=spin
        )
        """The kernel's, but for how often it looks at first."""
        self.collect: Callable[..., None] = partial(
            self.kernel.collect, limit_s=AT_FIRST_S, spin=spin
        )
        """The same."""
        names = on_hosts(names_of(range(self.size)), terms.processes)
        self._peers = self._meet(terms.processes, names)
        self.progress_hooks: list[Callable[[], object]] = []
        """Called now and then while this PE waits, beside MPI's own progress."""
        self.errands: list[Callable[[], object]] = []
        """Called whenever this PE looks for mail, which a call does that need not wait, too."""
        self.leave_hooks: list[Callable[[], object]] = []
        """Called when this PE leaves, before the others are told."""
        self.watch = Watch(self._peers, self._progress)
        self.next_census_s = 0.0
        """When :meth:`newly_gone` is to look again."""
        self.has_left = False
        """Whether this PE has left."""
        self.has_finished = False
        """Whether no PE needs this one any more, at the end of the job."""
        self._gone: set[int] = set()
        shutdown.register(self)

    def _meet(self, processes: list[Process], names: list[str]) -> Peers:
        return Peers(processes, names, Process.here(), self._state)

    @abstractmethod
    def _state(self, index: int) -> int:
        """``LEFT`` once a PE has left."""

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def _progress(self) -> None:
        # A probe finds nothing here, but lets MPI move everybody's pending messages.
        self.comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)
        for hook in self.progress_hooks:
            hook()

    # -- who lives ------------------------------------------------------------------

    def name(self, index: int) -> str:
        """What messages call a PE."""
        return self._peers.names[index]

    def fate(self, index: int) -> str | None:
        """Why a PE will never come again, None as far as it still may."""
        return self._peers.fate(index)

    def others(self) -> list[int]:
        """The other PEs that still may come."""
        return [i for i in range(self.size) if i != self.index and self.fate(i) is None]

    def is_dead(self, index: int) -> bool:
        """Whether the process of a PE has ended."""
        return self._peers.has_died(index)

    def newly_gone(self) -> list[int]:
        """PEs found dead or departed since the last call; looks a few times a second."""
        now_s = time.monotonic()
        if now_s < self.next_census_s:
            return []
        self.next_census_s = now_s + _CENSUS_EVERY_S
        found = [
            index
            for index in range(self.size)
            if index != self.index and index not in self._gone and self.fate(index) is not None
        ]
        self._gone.update(found)
        return found

    # -- waiting --------------------------------------------------------------------

    def compare_swap_on(self, window: SharedWindow) -> Callable[[int, int, int], int]:
        """The quickest ``compare_swap`` on a window; no other may be used on the same words.

        MPI's may take a lock that the processor's own, which the compiled kernel has,
        knows nothing of.
        """
        quick = self.kernel.compare_swap
        return window.prepared_compare_swap() if quick is None else partial(quick, window.words)

    def wait(
        self,
        ready: Callable[[], bool],
        absent: Callable[[], list[int]],
        doing: Callable[[], str],
        linger: Callable[[], object] | None = None,
        *,
        for_the_departed: bool = False,
    ) -> None:
        """Wait until ``ready()``; the others notice nothing of a wait that fails.

        Parameters
        ----------
        ready
            Looks; asked for often. May raise to end the wait.
        absent
            PEs waited for; asked for seldom. May raise to end the wait.
        doing
            The call in words, for messages.
        linger
            Waits ``AT_A_TIME_S`` for what most likely comes next, by :attr:`await_change`;
            None if that is not a word of shared memory.
        for_the_departed
            Whether those of ``absent()`` who have left the job are waited for, too, since what
            they have sent may still come.

        Raises
        ------
        PeerLostError
            One of ``absent()`` can never come.
        CollectiveTimeoutError
            ``REDCOLL_TIMEOUT`` has passed.
        """
        if ready():
            return
        turns_per_clock = 16 if linger is None else 1
        kind = _Delivery if for_the_departed else Wait
        turn = kind(self.watch, absent, doing, turns_per_clock).turn
        while not ready():
            # Once turns are naps there is no point in lingering between them.
            if not turn() and linger is not None:
                linger()

    # -- PEs that wait to be told what to do ------------------------------------------

    @abstractmethod
    def claim(self, most: int) -> list[int]:
        """Up to ``most`` other PEs that nobody has claimed before, lowest first."""

    @abstractmethod
    def claimed_by(self) -> int | None:
        """The PE that has claimed this one, as far as is known here."""

    # -- the end --------------------------------------------------------------------

    def leave(self) -> None:
        """Tell the others that this PE will never come again; a second call does nothing."""
        if self.has_left:
            return
        self.has_left = True
        try:
            for hook in self.leave_hooks:
                hook()
        finally:
            self._say_so()

    @abstractmethod
    def _say_so(self) -> None:
        """Tell the others that this PE has left."""

    def finish(self, is_done: Callable[[], bool]) -> None:
        """Wait until no PE needs anything of this one any more; at the process's end.

        Nobody is told of a wait that ``MPI_Finalize`` would impose anyway, and no
        deadline holds for it.

        Parameters
        ----------
        is_done
            Whether this PE needs nothing of the others any more.
        """
        self.wait(partial(_hearing, is_done), list, lambda: "end of the job")
        self.wait(partial(_hearing, self._how_all_finish()), list, lambda: "end of the job")
        self.has_finished = True

    @abstractmethod
    def _how_all_finish(self) -> Callable[[], bool]:
        """Say that this PE is done; what tells whether all others are, or have died."""

    def have_all_left(self) -> bool:
        """Whether every PE has left."""
        return self.has_finished or all(self._state(index) == LEFT for index in range(self.size))

    def tidy(self) -> None:  # noqa: B027 - no need to say more
        """Nothing is left behind."""

    def dead_peer(self) -> str | None:
        """A PE whose process has ended, by name, and that it has; None if there is none."""
        return self._peers.first_dead()


class NearCommons(Commons):
    """PEs that share memory.

    Raises
    ------
    HeapError
        No room in shared memory.
    """

    def _meet(self, processes: list[Process], names: list[str]) -> Peers:
        self._window = SharedWindow(self.comm, LINE, "states of the PEs")
        self._words = self._window.words
        self._lines = [index * LINE // 8 for index in range(self.size)]
        return super()._meet(processes, names)

    def _state(self, index: int) -> int:
        return self._words[self._lines[index] + _STATE]

    def claim(self, most: int) -> list[int]:
        """As of :class:`Commons`."""
        claimed: list[int] = []
        for index in range(1, self.size):
            if len(claimed) == most:
                break
            if index != self.index and self.fate(index) is None:
                word = self._lines[index] + _CLAIMED_BY
                if not self._words[word] and not self._window.compare_swap(word, 0, self.index + 1):
                    claimed.append(index)
        return claimed

    def claimed_by(self) -> int | None:
        """As of :class:`Commons`."""
        claimer = self._words[self._lines[self.index] + _CLAIMED_BY]
        return claimer - 1 if claimer else None

    def _say_so(self) -> None:
        self._words[self._lines[self.index] + _STATE] = LEFT

    def _how_all_finish(self) -> Callable[[], bool]:
        self._words[self._lines[self.index] + _HAS_FINISHED] = 1
        return lambda: all(
            self._words[line + _HAS_FINISHED] or self.is_dead(index)
            for index, line in enumerate(self._lines)
        )
