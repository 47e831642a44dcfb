"""Barrier and freeze: members of a dynamic group wait until a number of them has come.

A barrier is one word, changed by compare-and-swap alone: generation, count, arrivals.
The first to come fixes the count, the last one goes to the next generation, which the
others wait for. Nobody's death or interruption can leave it half changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from redcoll.errors import (
    AlreadyInGroupError,
    CollectiveMismatchError,
    NoGroupError,
    NotInGroupError,
    PeerLostError,
    RedcollError,
)
from redcoll.memory.shared_window import SharedWindow
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll_pvm.runtime.task_set import AT_A_TIME_S, AT_FIRST_S, Commons
from redcoll_pvm.runtime.counters import Counters
from redcoll_pvm.runtime.group_table import (
    BARRIER,
    BROKEN,
    COUNT_MASK,
    FREEZING,
    GENERATION_SHIFT,
    Records,
)
from redcoll_pvm.runtime.group_store import Table
from redcoll_pvm.runtime.group_snapshot import View

_GENERATION_BITS = 24
_GENERATION = -1 << GENERATION_SHIFT
"""The bits of a barrier word that say which generation it is."""


class Meeting(ABC):
    """Barriers and freezes of the groups of a table."""

    def __init__(self, commons: Commons, table: Table) -> None:
        self._commons = commons
        self._table = table

    def barrier(self, view: View, count: int | None = None) -> None:
        """Wait until ``count`` members have called.

        Parameters
        ----------
        view
            The group; the caller must be a member.
        count
            How many, the caller included; all members now, if None. The same for all.

        Raises
        ------
        CollectiveMismatchError
            ``count`` is below 1, or another one than that of those who wait; the
            caller is not counted, and the others wait on.
        NoGroupError
            The group is frozen and a member has left it since.
        NotInGroupError
            The caller is not a member; or ``count`` can no longer come, because too few
            PEs are left in the job, or too few members since one has died. The caller is
            no longer counted then.
        CollectiveTimeoutError
            ``REDCOLL_TIMEOUT`` has passed.
        """
        view.require_own()
        if view.is_broken:
            raise broken(view)
        wanted = view.size if count is None else count
        self._meet(view, view.record + BARRIER, wanted, "barrier", self._arrive)

    def freeze(self, view: View, size: int | None = None) -> int:
        """Close a group for newcomers once ``size`` members have called.

        Parameters
        ----------
        view
            The group; the caller must be a member.
        size
            How many, the caller included; all members now, if None. The same for all.

        Returns
        -------
        int
            ``size``.

        Raises
        ------
        AlreadyInGroupError
            The group is frozen already.
        CollectiveMismatchError, NotInGroupError, CollectiveTimeoutError
            As for :meth:`barrier`.
        """
        view.require_own()
        if view.is_frozen:
            raise AlreadyInGroupError(f"group {view.name!r} is frozen already")
        wanted = view.size if size is None else size

        self._meet(view, view.record + FREEZING, wanted, "freeze", self._arrive_freezing)
        # All do it, for the last to come may have died before it could.
        self._table.freeze(view.record)
        return wanted

    def _meet(
        self,
        view: View,
        at: int,
        wanted: int,
        verb: str,
        arrive: Callable[[View, int, int, str], int | None],
    ) -> None:
        doing = f"{verb} of group {view.name!r}"
        if not 0 < wanted < COUNT_MASK:
            raise CollectiveMismatchError(f"{doing}: count is {wanted}; it must be at least 1")
        generation = arrive(view, at, wanted, doing)
        if generation is None:
            return
        try:
            # Most waits end here, and need no more than this.
            if not self._linger(at, generation, AT_FIRST_S):
                self._await(view, at, generation, wanted, doing)
        except RedcollError as error:
            # All may have come just then.
            if self._withdraw(at, generation):
                may_be_of_a_death = isinstance(error, (NotInGroupError, PeerLostError))
                if may_be_of_a_death and self._is_broken_by_now(view):
                    raise broken(view) from error
                raise
        except BaseException:
            # An interrupt is the program's, whoever has come.
            self._withdraw(at, generation)
            raise

    def _is_broken_by_now(self, view: View) -> bool:
        # The wait may have seen a death that the table, which looks less often, does not say yet.
        self._commons.next_census_s = 0.0
        try:
            return self._table.view(view.name).is_broken
        except RedcollError:
            # What ended the wait is to be told.
            return False

    # -- where the counts lie -------------------------------------------------------

    @abstractmethod
    def _arrive(self, view: View, at: int, wanted: int, doing: str) -> int | None:
        """Be counted.  The generation to wait for the end of, None if this call ends it."""

    @abstractmethod
    def _arrive_freezing(self, view: View, at: int, wanted: int, doing: str) -> int | None:
        """The same; who ends it freezes the group before anybody can join."""

    @abstractmethod
    def _withdraw(self, at: int, generation: int) -> bool:
        """Be counted no more; False if all have come meanwhile."""

    @abstractmethod
    def _linger(self, at: int, generation: int, limit_s: float) -> bool:
        """Wait a little; whether the generation has ended."""

    @abstractmethod
    def _await(self, view: View, at: int, generation: int, wanted: int, doing: str) -> None:
        """Wait for the end of the generation that the caller is counted in."""

    # -- who is missing -------------------------------------------------------------

    def _absent(self, view: View, may_come: list[int], missing: int, doing: str) -> list[int]:
        """Who has to come yet: members or, where there are too few, whoever may join.

        Raises
        ------
        NotInGroupError
            Too few are left in the job; or in the group, because members have died.
        """
        now = self._table.view(view.name)
        members = [member.pe for member in now.members if member.pe in may_come]
        # Who has left the job is replaced by whoever joins; who has died takes the call with it.
        has_dead = any(self._commons.is_dead(member.pe) for member in view.members)
        if missing > (len(members) if has_dead else len(may_come)):
            fates = ((self._commons.name(m.pe), self._commons.fate(m.pe)) for m in view.members)
            lost = [f"{name} {fate}" for name, fate in fates if fate is not None]
            why = "; ".join(lost) or f"only {len(may_come)} PEs are left that could"
            raise NotInGroupError(f"{doing}: {missing} more must come: {why}")
        return members or may_come


class NearMeeting(Meeting):
    """Barriers in words that this PE looks at by itself.  Creating it is collective."""

    def __init__(self, commons: Commons, records: Records, table: Table) -> None:
        super().__init__(commons, table)
        self._records = records
        self._words = records.words
        self._counters = Counters(records)
        self._fence = records.fence
        # What each PE waits at, for those who want to know whom they still lack.
        self._window = SharedWindow(commons.comm, LINE, "where the PEs wait")
        self._notes = self._window.words
        self._note_of = [index * LINE // 8 for index in range(commons.size)]
        self._own_note = self._note_of[commons.index]

    def _arrive(self, view: View, at: int, wanted: int, doing: str) -> int | None:  # noqa: ARG002
        return self._counters.arrive(at, wanted, doing)

    def _arrive_freezing(self, view: View, at: int, wanted: int, doing: str) -> int | None:
        # Nobody may join between the last one's coming and the freeze.
        with self._records.lock:
            generation = self._arrive(view, at, wanted, doing)
            if generation is None:
                self._records.freeze(view.record)
            return generation

    def _withdraw(self, at: int, generation: int) -> bool:
        return self._counters.withdraw(at, generation)

    def _linger(self, at: int, generation: int, limit_s: float) -> bool:
        start = generation << GENERATION_SHIFT
        return self._commons.await_change(self._words, at, _GENERATION, start, limit_s)

    def _await(self, view: View, at: int, generation: int, wanted: int, doing: str) -> None:
        words = self._words

        def ready() -> bool:
            if words[at] >> GENERATION_SHIFT != generation:
                return True
            if words[view.record + BROKEN]:
                raise broken(view)
            return False

        def absent() -> list[int]:
            self._table.bury_the_gone()
            while True:
                word = words[at]
                self._fence()
                if ready():
                    return []
                may_come = self._not_waiting_at(_mark(at, generation))
                self._fence()
                # A note is only there while its PE is counted: so the two fit together.
                if words[at] == word:
                    return self._absent(view, may_come, wanted - (word & COUNT_MASK), doing)

        def linger() -> bool:
            return self._linger(at, generation, AT_A_TIME_S)

        self._notes[self._own_note] = _mark(at, generation)
        try:
            self._commons.wait(ready, absent, lambda: doing, linger)
        finally:
            self._notes[self._own_note] = 0

    def _not_waiting_at(self, mark: int) -> list[int]:
        """The other PEs that still may come there."""
        return [pe for pe in self._commons.others() if self._notes[self._note_of[pe]] != mark]


def broken(view: View) -> NoGroupError:
    """What members of a frozen group get once one has left."""
    return NoGroupError(f"a member has left group {view.name!r} since it was frozen")


def _mark(at: int, generation: int) -> int:
    """What a PE's note says while it waits at this word."""
    return at << _GENERATION_BITS | generation
