"""Find which members of a team can still arrive.

A process that exits or revokes a team publishes the event in its state word in shared memory. The
operating system shows which processes on the same machine have died.
"""

from __future__ import annotations

import contextlib
import os
import select  # not in a wait: Python can lose a KeyboardInterrupt during an import
from collections.abc import Callable, Sequence

from redcoll.liveness.wait_graph import Waits
from redcoll.topology import Process

OPEN, GAVE_UP, LEFT, CLOSES = 0, 1, 2, 4
"""Values of the lowest byte of a member's state word. Only teams on one node use CLOSES. With
GAVE_UP, the other bytes contain 1 + the team rank of the awaited member."""
_STATE_BITS = 8


def _blamed(state: int) -> int | None:
    """Return the awaited member's team rank, which is part of a state word; None if unknown."""
    return (state >> _STATE_BITS) - 1 if state >> _STATE_BITS else None


_process_fds: dict[int, int] = {}


def _process_fd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends; None if it has ended."""
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
    # A process that has ended stays a zombie until its launcher waits for it.
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            state = file.read().rpartition(b")")[2].split()[0]
    except FileNotFoundError:
        return os.access("/proc/self", os.F_OK)
    except (OSError, IndexError):
        return False
    return state in b"ZX"


class Peers:
    """The members' processes, and whether they can still arrive.

    All sequences are by team rank. ``state`` returns the state word of a member. The members can be
    those members of a larger team that are on this node. Then ``wider`` has the peers of the larger
    team, and the members' ranks in that team. The state word then has the rank of the awaited
    member in the larger team.
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
        """The members' wait-for graph, if they publish it."""
        self.deadline_of: Callable[[int], str] = lambda _: ""
        """Describes the deadline that ended a member's wait, if the member timed out."""
        self._wider = wider
        self._can_see = [
            (process.host, process.pid_namespace) == (here.host, here.pid_namespace)
            for process in processes
        ]
        # Open the descriptors while all processes live, because process ids may be reused later.
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                for process, can_see in zip(processes, self._can_see, strict=True):
                    if can_see:
                        _process_fd(process.pid)

    def fate(self, index: int) -> str | None:
        """Return why the member will never arrive; None if it can still arrive."""
        state = self._state(index)
        if state == LEFT:
            return "has left the job"
        if state & GAVE_UP:
            blamed, block = self.blamed_by(index), self.deadline_of(index)
            whom = "" if blamed is None else f" waiting for {blamed[0]}"
            return f"gave up{whom}" + (f" in timeout {block}" if block else "")
        return self.death(index)

    def death(self, index: int) -> str | None:
        """Return a text if this process sees that the member's process has died, else None."""
        process = self._processes[index]
        if self._can_see[index] and _has_ended(process.pid):
            return f"has died (process {process.pid} on {process.host})"
        return None

    def state_after(self, error: BaseException) -> int:
        """Return the state word of a member that revokes the team because of an error."""
        blamed = getattr(error, "blamed", None)
        place = 0
        if isinstance(blamed, Process) and blamed in self._processes:
            place = self._processes.index(blamed) + 1
        return GAVE_UP | place << _STATE_BITS

    def blamed_by(self, index: int) -> tuple[str, Process] | None:
        """Return name and process of the member that a revoking member waited for, or None."""
        blamed = _blamed(self._state(index))
        if blamed is None:
            return None
        # The awaited process may be on another node, so look it up in the larger team.
        peers = self if self._wider is None else self._wider[0]
        return peers.names[blamed], peers._processes[blamed]  # noqa: SLF001 - of this class

    def blamed_for(self, index: int) -> Process:
        """Return the process to report as root cause when this member does not arrive."""
        blamed = self.blamed_by(index)
        return self._processes[index] if blamed is None else blamed[1]

    def has_left(self, index: int) -> bool:
        """Return whether the member has exited or died."""
        return self._state(index) == LEFT or self.has_died(index)

    def has_left_in_order(self, index: int) -> bool:
        """Return whether the member has exited normally."""
        return self._state(index) == LEFT

    def has_died(self, index: int) -> bool:
        """Return whether the member's process has died, as far as this process can observe."""
        return self.death(index) is not None

    def first_dead(self) -> str | None:
        """Return a text about a member whose process has died; None if no process has died."""
        for index in range(len(self._processes)):
            death = self.death(index)
            if death is not None:
                return f"{self.names[index]} {death}"
        return None
