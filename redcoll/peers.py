"""The processes of a team's members: who can still be waited for, and who waits for whom.

A process that leaves or gives up says so in a word of shared memory; one that dies is seen by
the system, as far as it runs on the same machine.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence

from redcoll.topology import Process

OPEN, GAVE_UP, LEFT, CLOSES = 0, 1, 2, 4
"""Values of a PE's state word in a team's scratch, in its lowest byte; the last on one node alone.
Above it, of who gave up: one more than the index of the member that it waited for."""
_STATE_BITS = 8


def _blamed(state: int) -> int | None:
    """Whom a member with this state word waited for when it gave up, as far as it said so."""
    return (state >> _STATE_BITS) - 1 if state >> _STATE_BITS else None


_AWAITED_BITS = 24
_FRESH_MS = 1000
"""Whom a PE waits for it says at every look; what is older than this it may have forgotten."""

_process_fds: dict[int, int] = {}


def _process_fd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None if it has ended."""
    fd = _process_fds.get(pid)
    if fd is None:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return None
        _process_fds[pid] = fd
    return fd


def _has_ended(pid: int) -> bool:
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):  # no descriptors left, or no such system call
            fd = _process_fd(pid)
            if fd is None:
                return True
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            return bool(poll.poll(0))
    from pathlib import Path  # here, for it takes milliseconds of each start

    # A process that has ended stays a zombie until its launcher looks at it.
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return Path("/proc/self").exists()
    except (OSError, IndexError):
        return False
    return state in "ZX"


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


class Peers:
    """The members' processes: which of them can still be waited for.

    Parameters
    ----------
    processes
        By index in the team.
    names
        What messages call them, by index.
    here
        The calling process.
    state
        Reads the state word of a member; on a node that is a part of a wider team, with whom it
        blames by the indices there.
    wider
        Of a wider team, and by which indices it knows these members.
    """

    def __init__(
        self,
        processes: Sequence[Process],
        names: Sequence[str],
        here: Process,
        state: Callable[[int], int],
        wider: tuple[Peers, Sequence[int]] | None = None,
    ) -> None:
        self._processes = list(processes)
        self.names = names
        self._state = state
        self.waits: Waits | None = None
        """Whom the members wait for, where they say so."""
        self._wider = wider
        self._can_see = [
            (process.host, process.pid_namespace) == (here.host, here.pid_namespace)
            for process in processes
        ]
        # Opened while all are alive: from then on a reused number cannot deceive.
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                for process, can_see in zip(processes, self._can_see, strict=True):
                    if can_see:
                        _process_fd(process.pid)

    def fate(self, index: int) -> str | None:
        """Why the member will never come, None as far as it still may."""
        state = self._state(index)
        if state == LEFT:
            return "has left the job"
        if state & GAVE_UP:
            blamed = self.blamed_by(index)
            return "gave up" + ("" if blamed is None else f" waiting for {blamed[0]}")
        return self.death(index)

    def death(self, index: int) -> str | None:
        """That the member's process has ended, None as far as it lives or cannot be seen."""
        process = self._processes[index]
        if self._can_see[index] and _has_ended(process.pid):
            return f"has died (process {process.pid} on {process.host})"
        return None

    def gave_up(self, error: BaseException) -> int:
        """The state word of a member that gives up because of an error."""
        if self._wider is not None:
            return self._wider[0].gave_up(error)
        blamed = getattr(error, "blamed", None)
        place = 0
        if isinstance(blamed, Process) and blamed in self._processes:
            place = self._processes.index(blamed) + 1
        return GAVE_UP | place << _STATE_BITS

    def blamed_by(self, index: int) -> tuple[str, Process] | None:
        """Whom a member that gave up waited for, by name and as a process, as far as it said so."""
        blamed = _blamed(self._state(index))
        if blamed is None:
            return None
        # It may have waited for one that is no member here.
        peers = self if self._wider is None else self._wider[0]
        return peers.names[blamed], peers._processes[blamed]  # noqa: SLF001 - of this class

    def blamed_for(self, index: int) -> Process:
        """Whom to name to others when this member is waited for in vain."""
        blamed = self.blamed_by(index)
        return self._processes[index] if blamed is None else blamed[1]

    def has_left(self, index: int) -> bool:
        """Whether the member has left the job, in order or not."""
        return self._state(index) == LEFT or self.has_died(index)

    def has_left_in_order(self, index: int) -> bool:
        """Whether the member has said that it leaves."""
        return self._state(index) == LEFT

    def has_died(self, index: int) -> bool:
        """Whether the member's process, as far as this one can see it, has ended."""
        return self.death(index) is not None

    def first_dead(self) -> str | None:
        """A member whose process has ended, by name, and that it has; None if there is none."""
        for index in range(len(self._processes)):
            death = self.death(index)
            if death is not None:
                return f"{self.names[index]} {death}"
        return None
