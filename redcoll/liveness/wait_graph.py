"""Keep the wait-for graph of a team: which member waits for which other member."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from redcoll.topology import Process

_AWAITED_BITS = 24

_FRESH_MS = 1000
"""The greatest age of a valid entry. A waiting member renews its entry every 0.1 s."""


class Waits(NamedTuple):
    """The wait-for graph of a team's members, as far as members on this node publish it.

    If A waits for B and B waits for C, then C is the root cause of A's wait.
    """

    words: memoryview[int]
    """The shared memory of the node."""
    places: Mapping[int, int]
    """The index of each member's word, by team rank. The word contains the member that is waited
    for, and the time of writing. Members on other nodes have no word."""
    processes: Sequence[Process]
    names: Sequence[str]
    caller: int
    """The calling member."""
    members: Sequence[int] = range(1 << _AWAITED_BITS)
    """The team rank for each index that :meth:`publish` and :meth:`root_cause` take (default: the
    index itself)."""

    def publish(self, index: int) -> None:
        """Publish that the caller waits for this member.  Call it repeatedly during the wait."""
        # Write a single word, so that the time and the member always belong together. No fence is
        # needed, because the graph is used only for error messages.
        word = _now_ms() << _AWAITED_BITS | self.members[index] + 1
        self.words[self.places[self.caller]] = word

    def root_cause(self, index: int) -> tuple[str, Process] | None:
        """Return the root cause of a wait for this member, as a text and a process, if known.

        The method follows the graph up to a member that does not wait, or whose entry is old.
        """
        passed = [self.members[index]]
        while passed[-1] in self.places:
            word = self.words[self.places[passed[-1]]]
            awaited = (word & (1 << _AWAITED_BITS) - 1) - 1
            age_ms = _now_ms() - (word >> _AWAITED_BITS)
            if awaited < 0 or not 0 <= age_ms <= _FRESH_MS or awaited in passed:
                break
            passed.append(awaited)
        if len(passed) == 1 or passed[-1] == self.caller:
            return None
        waiter, awaited = passed[-2:]
        told = f"{self.names[waiter]} waits for {self.names[awaited]}"
        return told, self.processes[awaited]


def _now_ms() -> int:
    # All processes of a machine share this clock.
    return int(time.monotonic() * 1e3)
