"""Keep the wait-for graph of a team: which member waits for which other member."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from redcoll.topology import Process

_AWAITED_BITS = 24

_FRESH_MS = 1000
"""The greatest age of a valid entry. A waiting member renews its entry every 0.1 s."""


class Waits:
    """The wait-for graph of a team's members, as far as members on this node publish it.

    If A waits for B and B waits for C, then C is the root cause of A's wait.

    Parameters
    ----------
    words
        The shared memory of the node.
    places
        The index of each member's word, by team rank. The word contains the member that is waited
        for, and the time of writing. Members on other nodes have no word.
    processes, names
        The members' processes and names, by team rank.
    caller
        The calling member.
    members
        The team rank for each index that :meth:`publish` and :meth:`root_cause` take (default: the
        index itself).
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
        """Return the same graph, whose methods take ranks in a team of these members."""
        everybody = self._words, self._places, self._processes, self._names, self._caller
        return Waits(*everybody, members)

    def publish(self, index: int) -> None:
        """Publish that the caller waits for this member.  Call it repeatedly during the wait."""
        # Write a single word, so that the time and the member always belong together. No fence is
        # needed, because the graph is used only for error messages.
        word = _now_ms() << _AWAITED_BITS | self._members[index] + 1
        self._words[self._places[self._caller]] = word

    def root_cause(self, index: int) -> tuple[str, Process] | None:
        """Return the root cause of a wait for this member, as a text and a process, if known.

        The method follows the graph up to a member that does not wait, or whose entry is old.
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
    # All processes of a machine share this clock.
    return int(time.monotonic() * 1e3)
