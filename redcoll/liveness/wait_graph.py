"""The wait-for graph of a team: which member waits for which."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from redcoll.topology import Process

_AWAITED_BITS = 24

_FRESH_MS = 1000
"""Whom a PE waits for it says at every look; what is older than this it may have forgotten."""


class Waits:
    """Whom the members of a team wait for, as each tells its neighbours on the node.

    A PE that waits for a neighbour may wait, by way of it, for one that the neighbour waits for.

    Parameters
    ----------
    words
        The node's memory.
    places
        Where in it each member's word is: when it was written, and for whom it waited then. By
        index; those elsewhere have none.
    processes, names
        The members', by index.
    caller
        The calling member.
    members
        Whom :meth:`tell` and :meth:`end` number from 0; all, where they are not given.
    """

    def __init__(
        self,
        words: memoryview[int],
        places: Mapping[int, int],
        processes: Sequence[Process],
        names: Sequence[str],
        caller: int,
        members: Sequence[int] | None = None,
    ) -> None:
        self._words = words
        self._places = places
        self._processes = processes
        self._names = names
        self._caller = caller
        self._members = range(len(processes)) if members is None else members

    def among(self, members: Sequence[int]) -> Waits:
        """The same, for a team of these members alone, by their indices there."""
        everybody = self._words, self._places, self._processes, self._names, self._caller
        return Waits(*everybody, members)

    def tell(self, index: int) -> None:
        """The caller waits for this member; to be told again while it does."""
        # One word, so that the two halves belong together. Nobody relies on when it is seen.
        word = _now_ms() << _AWAITED_BITS | self._members[index] + 1
        self._words[self._places[self._caller]] = word

    def end(self, index: int) -> tuple[str, Process] | None:
        """Who keeps this member waiting: in words, and as a process. None if that is not known.

        Follows the members from one to the next, up to one that does not wait, or not visibly.
        """
        passed = [self._members[index]]
        while passed[-1] in self._places:
            word = self._words[self._places[passed[-1]]]
            awaited = (word & (1 << _AWAITED_BITS) - 1) - 1
            age_ms = _now_ms() - (word >> _AWAITED_BITS)
            if awaited < 0 or not 0 <= age_ms <= _FRESH_MS or awaited in passed:
                break
            passed.append(awaited)
        if len(passed) == 1 or passed[-1] == self._caller:
            return None
        waiter, awaited = passed[-2:]
        told = f"{self._names[waiter]} waits for {self._names[awaited]}"
        return told, self._processes[awaited]


def _now_ms() -> int:
    # The same clock for all processes of a machine.
    return int(time.monotonic() * 1e3)
