"""The processes of a team's members: which of them can still arrive.

A process that leaves or gives up says so in a word of shared memory; one that dies is seen by
the system, as far as it runs on the same machine.
"""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Callable, Sequence

from redcoll.liveness.wait_graph import Waits
from redcoll.topology import Process

OPEN, GAVE_UP, LEFT, CLOSES = 0, 1, 2, 4
"""Values of a PE's state word in a team's scratch, in its lowest byte; the last on one node alone.
Above it, of who gave up: one more than the index of the member that it waited for."""
_STATE_BITS = 8


def _blamed(state: int) -> int | None:
    """Whom a member with this state word waited for when it gave up, as far as it said so."""
    return (state >> _STATE_BITS) - 1 if state >> _STATE_BITS else None


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
