"""How a process leaves the job: so that the others learn of it, and nobody hangs.

A process that returns, calls ``sys.exit`` or raises ends up in ``MPI_Finalize``, which
waits for all others; they meanwhile may wait for it in a round. Therefore

* at exit every live team is told that this process has left, so that waits for it end
  with ``PeerLostError`` at once;
* where another process has died, ``MPI_Finalize`` would hang for ever, and so would the
  job after an uncaught error of a round: the job is aborted instead, once the traceback
  has been printed.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from types import TracebackType
from typing import Protocol

from mpi4py import MPI

from redcoll.errors import (
    CollectiveTimeoutError,
    PeerLostError,
    TeamBrokenError,
)

_ENDS_THE_JOB = (PeerLostError, CollectiveTimeoutError, TeamBrokenError)
_TIME_TO_PRINT_S = 0.2
"""Before an abort ends all processes, so that other tracebacks get out too."""


class Leaver(Protocol):
    """What has peers to tell."""

    def leave(self) -> None:
        """Tell the others, without waiting, that this process will never come again."""

    def has_dead_peer(self) -> bool:
        """Whether the process of another member has ended."""


_live: set[Leaver] = set()
_is_installed = False


def register(leaver: Leaver) -> None:
    """Have ``leaver`` told when the process leaves."""
    _install()
    _live.add(leaver)


def unregister(leaver: Leaver) -> None:
    """Forget ``leaver``."""
    _live.discard(leaver)


def registered() -> int:
    """How many there are to be told."""
    return len(_live)


def _install() -> None:
    global _is_installed  # noqa: PLW0603 - once per process
    if _is_installed:
        return
    _is_installed = True
    atexit.register(_leave)
    # A forked child shares the windows; its exit must not look like its parent's.
    os.register_at_fork(after_in_child=_live.clear)
    previous = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        previous(kind, error, traceback)
        if isinstance(error, _ENDS_THE_JOB) and _live:
            _abort()

    sys.excepthook = hook


def _leave() -> None:
    # mpi4py finalizes MPI after Python's exit handlers: the windows are still there.
    if MPI.Is_finalized() or not _live:
        return
    for leaver in _live:
        leaver.leave()
    if any(leaver.has_dead_peer() for leaver in _live):
        sys.stderr.write("redcoll: a process of the job has died; MPI cannot end in order\n")
        _abort()


def _abort() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    time.sleep(_TIME_TO_PRINT_S)
    MPI.COMM_WORLD.Abort(1)
