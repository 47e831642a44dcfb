"""Barrier and freeze: members of a dynamic group wait until a number of them has come.

A barrier is one word, changed by compare-and-swap alone: generation, count, arrivals.
The first to come fixes the count, the last one goes to the next generation, which the
others wait for. Nobody's death or interruption can leave it half changed.
"""

from __future__ import annotations

from collections.abc import Callable

from redcoll.errors import (
    AlreadyInGroupError,
    CollectiveMismatchError,
    NoGroupError,
    NotInGroupError,
    RedcollError,
)
from redcoll.groups.commons import AT_A_TIME_S, AT_FIRST_S, Commons
from redcoll.groups.records import (
    BARRIER,
    BROKEN,
    COUNT_MASK,
    COUNT_SHIFT,
    FREEZING,
    GENERATION_SHIFT,
    Records,
    next_generation,
)
from redcoll.groups.table import Table
from redcoll.groups.view import View
from redcoll.slices import LINE_BYTES as LINE
from redcoll.window import SharedWindow

_GENERATION_BITS = 24
_GENERATION = -1 << GENERATION_SHIFT
"""The bits of a barrier word that say which generation it is."""


class Meeting:
    """Barriers and freezes of the groups of a table.  Creating it is collective."""

    def __init__(self, commons: Commons, records: Records, table: Table) -> None:
        self._commons = commons
        self._records = records
        self._table = table
        self._words = records.words
        self._compare_swap = records.compare_swap
        self._fence = records.fence
        # What each PE waits at, for those who want to know whom they still lack.
        self._window = SharedWindow(commons.comm, LINE, "where the PEs wait")
        self._notes = self._window.words
        self._note_of = [index * LINE // 8 for index in range(commons.size)]
        self._own_note = self._note_of[commons.index]

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
            raise self._broken(view)
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

        def arrive(at: int, wanted: int, doing: str) -> int | None:
            # Nobody may join between the last one's coming and the freeze.
            with self._records.lock:
                generation = self._arrive(at, wanted, doing)
                if generation is None:
                    self._records.freeze(view.record)
                return generation

        self._meet(view, view.record + FREEZING, wanted, "freeze", arrive)
        # All do it, for the last to come may have died before it could.
        self._table.freeze(view.record)
        return wanted

    def _meet(
        self,
        view: View,
        at: int,
        wanted: int,
        verb: str,
        arrive: Callable[[int, int, str], int | None],
    ) -> None:
        doing = f"{verb} of group {view.name!r}"
        if not 0 < wanted < COUNT_MASK:
            raise CollectiveMismatchError(f"{doing}: count is {wanted}; it must be at least 1")
        generation = arrive(at, wanted, doing)
        if generation is None:
            return
        try:
            # Most waits end here, and need no more than this.
            if not self._linger(at, generation, AT_FIRST_S):
                self._notes[self._own_note] = _mark(at, generation)
                self._await(view, at, generation, wanted, doing)
        except BaseException as error:
            self._notes[self._own_note] = 0
            # All may have come just then. An interrupt is the program's all the same.
            if self._withdraw(at, generation) or not isinstance(error, RedcollError):
                raise
        self._notes[self._own_note] = 0

    def _linger(self, at: int, generation: int, limit_s: float) -> bool:
        """Wait a little; whether the generation has ended."""
        start = generation << GENERATION_SHIFT
        return self._commons.await_change(self._words, at, _GENERATION, start, limit_s)

    def _await(self, view: View, at: int, generation: int, wanted: int, doing: str) -> None:
        """Wait for the end of the generation that the caller is counted in."""
        words = self._words

        def ready() -> bool:
            if words[at] >> GENERATION_SHIFT != generation:
                return True
            if words[view.record + BROKEN]:
                raise self._broken(view)
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

        self._commons.wait(ready, absent, lambda: doing, linger)

    def _arrive(self, at: int, wanted: int, doing: str) -> int | None:
        """Be counted.  The generation to wait for the end of, None if this call ends it."""
        words = self._words
        while True:
            word = words[at]
            generation, arrived = word >> GENERATION_SHIFT, word & COUNT_MASK
            count = word >> COUNT_SHIFT & COUNT_MASK if arrived else wanted
            if count != wanted:
                raise CollectiveMismatchError(
                    f"{doing}: count is {wanted}, but {count} for those who wait"
                )
            if arrived + 1 == wanted:
                new = next_generation(word)
            else:
                new = generation << GENERATION_SHIFT | wanted << COUNT_SHIFT | arrived + 1
            if self._compare_swap(at, word, new) == word:
                return generation if arrived + 1 < wanted else None

    def _withdraw(self, at: int, generation: int) -> bool:
        """Be counted no more; False if all have come meanwhile."""
        while True:
            word = self._words[at]
            if word >> GENERATION_SHIFT != generation:
                return False
            if self._compare_swap(at, word, word - 1) == word:
                return True

    def _not_waiting_at(self, mark: int) -> list[int]:
        """The other PEs that still may come there."""
        return [pe for pe in self._commons.others() if self._notes[self._note_of[pe]] != mark]

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

    @staticmethod
    def _broken(view: View) -> NoGroupError:
        return NoGroupError(f"a member has left group {view.name!r} since it was frozen")


def _mark(at: int, generation: int) -> int:
    """What a PE's note says while it waits at this word."""
    return at << _GENERATION_BITS | generation
