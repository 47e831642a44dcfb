"""Wait for other ranks, without wasting the core and without hanging.

At first, a kernel polls without a pause. In a longer wait it calls :meth:`Wait.poll` between polls.
That method yields the core, progresses MPI's messages, lets Python handle signals, and checks for
deadlines and lost processes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Final

from redcoll import config
from redcoll.errors import CollectiveTimeoutError, PeerLostError
from redcoll.liveness import aborting, deadlines, shutdown
from redcoll.liveness.peers import Peers
from redcoll.topology import Process

QUICK_POLLS: Final = range(40)
"""The first polls of a wait for MPI, each with a yield. Later polls also read the clock."""
_PROGRESS_AFTER_S = 50e-6
_SLEEP_AFTER_S = 10e-3
_LONGEST_SLEEP_S = 1e-3
_SLEEP_SHARE = 0.02
"""A sleep takes at most this share of the time waited so far. So sleeps make a wait only a little
longer."""
_CHECK_EVERY_S = 0.1
_OVERTAKING_S = 0.5

failures_elsewhere: Final[list[Callable[[], str | None]]] = []
"""Functions that every slow wait calls ten times a second. If a function returns a text, the wait
ends with an error."""


class Watch:
    """The context of a team's waits: the peers, a function for MPI's progress, and time limits.

    ``is_one_node`` means that all peers share memory. Then a peer's earlier stores are visible as
    soon as the peer's state word shows its exit.
    """

    def __init__(
        self, peers: Peers, progress: Callable[[], object], *, is_one_node: bool = True
    ) -> None:
        self.peers = peers
        self.progress = progress
        self.overtaking_s = 0.0 if is_one_node else _OVERTAKING_S
        """Seconds for which a member's messages may be in flight after its exit was reported."""
        self.timeout_s = config.TIMEOUT.get()
        self.stall_warn_s = config.STALL_WARN.get()

    def name(self, indices: Sequence[int]) -> str:
        """Return the names of members, such as ``PE 1, PE 5``; at most the first eight."""
        names = [self.peers.names[index] for index in indices[:8]]
        more = f" and {len(indices) - 8} more" if len(indices) > 8 else ""
        return ", ".join(names) + more


class Wait:
    """A single wait of a team's member.

    ``absent`` returns the members that have not arrived, and ``doing`` describes the call for
    messages. Both functions are called rarely. Every check calls ``where`` with the absent members.
    ``where`` returns a text with the call sites of these members and of the caller.
    """

    __slots__ = ("_absent", "_deadline", "_doing", "_lost_s", "_next_check_s", "_polls",
                 "_polls_per_clock", "_sleep_s", "_start_s", "_warned", "_watch",
                 "_where")  # fmt: skip

    def __init__(
        self,
        watch: Watch,
        absent: Callable[[], list[int]],
        doing: Callable[[], str],
        polls_per_clock: int = 16,
        where: Callable[[Sequence[int]], str] = lambda _: "",
    ) -> None:
        self._watch = watch
        self._where = where
        self._polls_per_clock = polls_per_clock
        self._absent = absent
        self._doing = doing
        self._start_s = time.monotonic()
        self._sleep_s = 0.0
        self._polls = 0
        self._warned = False
        self._lost_s: dict[int, float] = {}
        self._deadline = deadlines.nearest()
        self._next_check_s = min(_CHECK_EVERY_S, watch.timeout_s or _CHECK_EVERY_S)
        if self._deadline is not None:
            left_s = self._deadline.ends_s - self._start_s
            self._next_check_s = min(self._next_check_s, max(left_s, 0.0))

    def poll(self) -> bool:
        """Yield the core or sleep, and make progress.

        Return whether the wait is so long that this method sleeps. Raise ``PeerLostError`` if an
        absent member can never arrive. Raise ``CollectiveTimeoutError`` after ``REDCOLL_TIMEOUT``,
        or after the deadline of a :func:`redcoll.timeout` block.
        """
        if self._sleep_s:
            time.sleep(self._sleep_s)
        else:
            os.sched_yield()
            self._polls += 1
            if self._polls % self._polls_per_clock:
                return False
        waited_s = time.monotonic() - self._start_s
        if waited_s < _PROGRESS_AFTER_S:
            return False
        self._watch.progress()
        if waited_s > _SLEEP_AFTER_S:
            self._sleep_s = min(_LONGEST_SLEEP_S, _SLEEP_SHARE * waited_s)
        if waited_s >= self._next_check_s:
            self._next_check_s = waited_s + _CHECK_EVERY_S
            shutdown.receive_notices()
            for find_failure in failures_elsewhere:
                failure = find_failure()
                if failure is not None:
                    raise PeerLostError(f"{self._doing()}: {failure}")
            self._check(waited_s)
        return self._sleep_s > 0

    def _check(self, waited_s: float) -> None:
        peers = self._watch.peers
        absent = self._absent()
        # Look first at members that exited. Such an exit may be the reason why other members
        # revoked the team.
        for index in sorted(absent, key=lambda index: not peers.has_left(index)):
            fate = peers.fate(index)
            # The member may have arrived and then exited, so check once more whether it is absent.
            if fate is not None and index in self._absent():
                if peers.has_left_in_order(index) and self._may_be_overtaken(index, waited_s):
                    break
                where = self._where([index])
                lost = PeerLostError(f"{self._doing()}: {peers.names[index]} {fate}{where}")
                lost.blamed = peers.blamed_for(index)
                raise lost
        if absent:
            names = self._watch.name(absent)
            blamed, why = peers.blamed_for(absent[0]), ""
            if peers.waits is not None:
                peers.waits.publish(absent[0])
                end = peers.waits.root_cause(absent[0])
                if end is not None:
                    why, blamed = f"; {end[0]}", end[1]
            why += self._where(absent)
            self._check_deadlines(waited_s, f"{names} did not arrive", f"for {names}", why, blamed)

    def _may_be_overtaken(self, index: int, waited_s: float) -> bool:
        """Return whether messages of a member that has exited may still be in flight."""
        return waited_s - self._lost_s.setdefault(index, waited_s) < self._watch.overtaking_s

    def _check_deadlines(
        self, waited_s: float, late: str, what: str, why: str = "", blamed: Process | None = None
    ) -> None:
        watch, deadline = self._watch, self._deadline
        limit = block = ""
        if watch.timeout_s is not None and waited_s >= watch.timeout_s:
            limit = f"{watch.timeout_s:g} s ({config.TIMEOUT.name})"
        elif deadline is not None and self._start_s + waited_s >= deadline.ends_s:
            block = deadline.short
            limit = f"timeout {deadline.text} (waited {waited_s:.2g} s)"
        if limit:
            too_late = CollectiveTimeoutError(f"{self._doing()}: {late} within {limit}{why}")
            too_late.blamed = blamed
            too_late.deadline = block
            raise too_late
        if waited_s >= watch.stall_warn_s and not self._warned:
            self._warned = True
            waiting = f"{waited_s:.0f} s {what}{why}"
            aborting.report(f"redcoll: {self._doing()}: waiting {waiting}\n")


class _AnyWait(Wait):
    """A wait for a condition that any other member can make true.

    ``others`` are the members that can make the condition true.
    """

    __slots__ = ("_is_over", "_others")

    def __init__(
        self, watch: Watch, others: list[int], is_over: Callable[[], bool], doing: Callable[[], str]
    ) -> None:
        super().__init__(watch, lambda: others, doing)
        self._others = others
        self._is_over = is_over


class WordWait(_AnyWait):
    """A wait for a change of symmetric memory, which any other PE can make."""

    __slots__ = ()

    def _check(self, waited_s: float) -> None:
        lost = self._lost()
        if self._is_over():
            return
        if lost is not None and not self._may_be_overtaken(self._others[0], waited_s):
            raise PeerLostError(f"{self._doing()}: {lost}")
        self._check_deadlines(waited_s, "no PE changed it", "for any other PE")

    def _lost(self) -> str | None:
        peers = self._watch.peers
        dead = [index for index in self._others if peers.has_died(index)]
        if dead:
            return f"{self._watch.name(dead)} has died"
        # Every PE that has not exited can still change this memory, even a PE that timed out.
        if self._others and all(map(peers.has_left, self._others)):
            return "all other PEs have left"
        return None


class BarrierWait(_AnyWait):
    """A wait for all other members, without knowing which members have arrived."""

    __slots__ = ()

    def _check(self, waited_s: float) -> None:
        peers = self._watch.peers
        lost = [index for index in self._others if peers.fate(index) is not None]
        # A member may have exited after it arrived, so do not raise if the wait is over.
        if self._is_over():
            return
        for index in lost:
            if not (peers.has_left_in_order(index) and self._may_be_overtaken(index, waited_s)):
                raise PeerLostError(f"{self._doing()}: {peers.names[index]} {peers.fate(index)}")
        self._check_deadlines(waited_s, "not all members arrived", "for all members")


def poll(is_over: Callable[[], bool], start_wait: Callable[[], Callable[[], object]]) -> None:
    """Wait until ``is_over`` returns true.

    If the wait is long, ``start_wait`` is called. It returns the function to call between polls,
    such as :meth:`Wait.poll`, which can raise.
    """
    for _ in QUICK_POLLS:
        if is_over():
            return
        os.sched_yield()
    poll_slowly = start_wait()
    while not is_over():
        poll_slowly()


def wait_for_all(
    watch: Watch, index: int, size: int, are_here: Callable[[], bool], doing: str
) -> bool:
    """Wait until all members have announced the close.  The caller has announced it already.

    The caller cannot withdraw. So after ``REDCOLL_TIMEOUT`` the call prints a warning and continues
    to wait. Deadlines of blocks have no effect. ``are_here`` returns whether all members have
    announced the close. Return False if a member revoked the team or exited instead.
    """
    others = [other for other in range(size) if other != index]
    while not are_here():
        with deadlines.only(None):
            wait = BarrierWait(watch, others, are_here, lambda: doing)
        try:
            while not are_here():
                wait.poll()
        except CollectiveTimeoutError as error:
            aborting.report(f"redcoll: {error}; {doing} waits on\n")
        except PeerLostError:
            return False
    return True
