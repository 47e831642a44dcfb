"""How a process leaves the job: the others are notified, and nobody hangs.

A process that returns, calls ``sys.exit`` or raises ends up in ``MPI_Finalize``, which
waits for all others without a deadline, also for those that have died. Therefore

* at exit every live team is notified that this process has left, so that waits for it end
  with ``PeerLostError`` at once;
* the process then waits, before MPI does, until all members of its teams have left, and
  aborts the job if it finds one of them dead;
* it frees all windows before ``MPI_Finalize``: MPICH over libfabric aborts in it otherwise;
* after an uncaught error of a round, or an interrupt, the job is aborted once the traceback
  has been printed;
* after any other uncaught exception the others get a moment to come to their end too;
  if they do not, the job is aborted. That also holds where no team is live.

Under ``python -m redcoll run`` an uncaught exception aborts the job at once.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Protocol

from redcoll._mpi4py import MPI
from redcoll.arguments import summary
from redcoll.errors import (
    CollectiveTimeoutError,
    PeerLostError,
    TeamBrokenError,
)

_ENDS_THE_JOB = (PeerLostError, CollectiveTimeoutError, TeamBrokenError, KeyboardInterrupt)
_TIME_TO_PRINT_S = 1.0
"""Before an abort ends all processes, so that other tracebacks get out too."""
_QUICK_LOOKS = 20
_BETWEEN_LOOKS_S = 2e-4, 1e-3
"""How long a process sleeps between two looks at its end: at first, and later on."""
_LOOK_FOR_THE_DEAD_EVERY_S = 0.1
_GRACE_S = 5.0
"""How long the others may take to end by themselves after an exception here."""


class Leaver(Protocol):
    """What has peers to tell."""

    size: int
    """How many members it has."""

    def leave(self) -> None:
        """Tell the others, without waiting, that this process will never come again."""

    def tidy(self) -> None:
        """Take what others have said when they left, once all have."""

    def dead_peer(self) -> str | None:
        """A member whose process has ended, by name, and that it has; None if there is none."""

    def have_all_left(self) -> bool:
        """Whether every member has said that it will never come again."""


class Closing(Leaver, Protocol):
    """What can be closed before the end."""

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""

    def go_on_closing(self) -> None:
        """See that it is going to be closed; without waiting for that where MPI has threads."""


_Turn = tuple[int, int, bool]
"""As of :mod:`redcoll.memory.window_lock`, which stands above this module."""

_live: set[Leaver] = set()
_closing: dict[Closing, None] = {}
"""In the order in which they began to be closed, in which they are gone on with."""
_last: list[Callable[[], object]] = []
_ends: list[Callable[[], object]] = []
_before_abort: list[Callable[[], object]] = []
_frees: dict[object, tuple[_Turn, MPI.Intracomm | None, Callable[[], object]]] = {}
_is_installed = False
_is_hooked = False
_is_forked = False
"""In a child: the job is its parent's, and not the child's to end."""
_code_of_abort = 0


def register(leaver: Leaver) -> None:
    """Have ``leaver`` told when the process leaves."""
    install()
    _live.add(leaver)


def begin_close(leaver: Closing) -> None:
    """That ``leaver`` is being closed, and has nobody to tell: the process does not end before."""
    _closing[leaver] = None
    _live.discard(leaver)


def end_close(leaver: Closing, *, is_left_over: bool) -> None:
    """That it has been closed; or, where it is left over, is to be told as before."""
    if is_left_over:
        _live.add(leaver)
    _closing.pop(leaver, None)


def tidy() -> None:
    """Take what others have said when they left; in every wait, whomever it is for.

    A neighbour may wait for those who have left, and hear of it through this process alone; also
    while it closes what this process has been interrupted in closing.
    """
    for leaver in [*_live, *_closing]:  # another thread may add to them
        leaver.tidy()


def at_last(action: Callable[[], object]) -> None:
    """Have ``action`` called once at exit, after all leavers; it may wait for the others."""
    install()
    _last.append(action)


def at_the_end(action: Callable[[], object]) -> None:
    """Have ``action`` called once when the process ends MPI, if all can come to that end.

    It is collective over the job, as MPI_Finalize is, just before it.
    """
    install()
    _ends.append(action)


def before_abort(action: Callable[[], object]) -> None:
    """Have ``action`` called before this process aborts the job.  It must not wait for others."""
    _before_abort.append(action)


def free_at_the_end(
    owner: object,
    free: Callable[[], object],
    turn: _Turn,
    comm: MPI.Intracomm | None = None,
) -> None:
    """Have ``free`` called when the process ends MPI, unless :func:`freed` comes before.

    It may be collective over those who share the turn. All of these are called last of all, in
    the order of the turns, the last one first. With ``comm`` they meet there before, and abort
    the job if one of them is found dead; no collective call may be under way on it.
    """
    install()
    # The order in which they were made would not do: threads may make several at a time.
    _frees[owner] = turn, comm, free


def freed(owner: object) -> None:
    """That ``owner`` needs nobody's care any more."""
    _frees.pop(owner, None)


def hear_until(is_over: Callable[[], bool], leavers: Collection[Leaver] = ()) -> None:
    """Wait at the end; abort the job if a member of a team, or of ``leavers``, is found dead.

    The process takes meanwhile what others say when they leave: neighbours may still wait for
    those, and hear of them through this process alone.
    """
    start_s = time.monotonic()
    next_look_s = start_s
    looks = 0
    while not is_over():
        tidy()
        # What this process has sent may need its help to arrive.
        MPI.COMM_WORLD.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)
        now_s = time.monotonic()
        if now_s >= next_look_s:
            next_look_s = now_s + _LOOK_FOR_THE_DEAD_EVERY_S
            _abort_if_one_has_died(leavers)
        looks += 1
        if looks <= _QUICK_LOOKS:
            os.sched_yield()
        else:
            time.sleep(_BETWEEN_LOOKS_S[now_s - start_s > _LOOK_FOR_THE_DEAD_EVERY_S])


def report(text: str) -> None:
    """Write to standard error, by one write."""
    # It may be closed, or None: what follows has to be done all the same.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def registered() -> int:
    """How many there are to be told."""
    return len(_live)


def install() -> None:
    """Take care of uncaught errors and of the exit; before anything can fail on all at once."""
    global _is_installed  # noqa: PLW0603 - once per process
    install_hook()
    if _is_installed:
        return
    _is_installed = True
    # A program may call MPI_Finalize itself: the first thing that does is to delete the
    # attributes of COMM_SELF (MPI-4.1, section 11.2.4).
    keyval = MPI.Comm.Create_keyval(delete_fn=_finalize)
    MPI.COMM_SELF.Set_attr(keyval, None)


def install_hook() -> None:
    """Take care of uncaught errors from now on.  MPI need not be initialized yet."""
    global _is_hooked  # noqa: PLW0603 - once per process
    if _is_hooked:
        return
    _is_hooked = True
    atexit.register(_leave)
    os.register_at_fork(after_in_child=_forget)
    previous = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if previous is sys.__excepthook__:
            print_in_one_piece(error)
        else:
            previous(kind, error, traceback)
        if _is_mpi_running() and _has_others() and not _is_interactive():
            do_all_end = False
            try:
                do_all_end = _ends_with_the_others(error)
            finally:
                if not do_all_end:  # also after an interrupt
                    _abort()
            _abort_unless_all_end()

    sys.excepthook = hook


def is_hook(function: object) -> bool:
    """Whether ``function`` is the excepthook of :func:`install_hook`."""
    return getattr(function, "__module__", None) == __name__


def abort(code: int) -> None:
    """Abort the job, with this exit code.  Returns only where MPI does not run."""
    if _is_mpi_running():
        _say_goodbye()
        _abort(code)


def abort_at_exit(code: int) -> None:
    """Abort the job with this code when this process ends, in place of MPI_Finalize."""
    global _code_of_abort  # noqa: PLW0603 - of this process
    _code_of_abort = code


def _is_mpi_running() -> bool:
    return not _is_forked and MPI.Is_initialized() and not MPI.Is_finalized()


def _has_others() -> bool:
    return bool(_live or _closing) or MPI.COMM_WORLD.Get_size() > 1


def _is_interactive() -> bool:
    """Whether this process goes on after an uncaught exception."""
    return bool(sys.flags.interactive) or hasattr(sys, "ps1")


def _forget() -> None:
    """Leave the job to the parent: a child shares the windows, and its exit is not its parent's."""
    global _is_forked  # noqa: PLW0603 - of this process
    _is_forked = True
    for registered in (_live, _closing, _last, _ends, _frees):
        registered.clear()


def print_in_one_piece(error: BaseException) -> None:
    """Print the traceback by one write: the launcher mixes what several processes write."""
    import traceback  # here: most programs never need it

    text = "".join(traceback.format_exception(error))
    report(text)


def _ends_with_the_others(error: BaseException) -> bool:
    """Whether all processes come to their end within the grace, so that MPI can too."""
    _say_goodbye()
    if isinstance(error, _ENDS_THE_JOB):
        return False
    until = time.monotonic() + _GRACE_S
    while _are_closing() or not _have_all_left():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
        _say_goodbye()  # of what another thread could not close
        tidy()
    return True


def _have_all_left() -> bool:
    return all(leaver.have_all_left() for leaver in list(_live))


def _abort_unless_all_end() -> None:
    """Abort after the grace where processes that share no team do not come to the end."""
    if any(leaver.size == MPI.COMM_WORLD.Get_size() for leaver in _live):
        return  # all have come to their end
    timer = threading.Timer(_GRACE_S, _abort)
    timer.daemon = True
    timer.start()

    def go_on() -> None:
        timer.cancel()
        _die_unless_mpi_ends()

    _ends.insert(0, go_on)  # the last of all


def _die_unless_mpi_ends() -> None:
    """End this process where MPI_Finalize waits for others longer than the grace."""
    # No thread of Python runs any more when mpi4py calls it. The launcher ends the job then.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, _GRACE_S)


def _say_goodbye() -> None:
    """Tell the others that this process will never come again."""
    for leaver in list(_live):  # another thread may close one
        leaver.leave()


def _finish() -> None:
    _say_goodbye()
    # An interrupt has ended the wait for these. Others wait until they are closed, or hear what
    # has just been said.
    for leaver in list(_closing):
        leaver.go_on_closing()
    hear_until(lambda: not _are_closing())
    _say_goodbye()  # of what is left over
    while _last:
        _last.pop()()


def _finalize(*_: object) -> None:
    try:
        _finish()
        _end()
    except BaseException as error:  # noqa: BLE001 - Ctrl-C, or a handler of another signal
        # MPI would wait for the others, and they for what this process has left half done.
        try:
            report(f"redcoll: end of the job: {summary(error)}\n")
        finally:
            _abort()


def _end() -> None:
    leavers = list(_live)
    # MPI waits for all without looking whether they live. Some of ours wait for the living alone.
    _abort_if_one_has_died()
    hear_until(_have_all_left)
    while _ends:
        _ends.pop()()
    # Nobody reads from these again what others have said; some of their memory goes now.
    _live.clear()
    # MPICH over libfabric aborts in MPI_Finalize where windows are left. Others MPI frees itself,
    # each together with all who share it; Open MPI in an order that differs from process to
    # process, and so it hangs.
    while _frees:
        owner = max(_frees, key=lambda each: _frees[each][0])
        _, comm, free = _frees.pop(owner)
        try:
            if comm is not None:
                hear_until(comm.Ibarrier().Test, leavers)
            free()
        except MPI.Exception as error:  # of what was left half made; others wait for the next
            report(f"redcoll: end of the job: {error}\n")


def _leave() -> None:
    # mpi4py finalizes MPI after Python's exit handlers: the windows are still there.
    if not _is_mpi_running():
        return
    if _code_of_abort:
        abort(_code_of_abort)
    _finalize()


def _are_closing() -> bool:
    return not all(leaver.is_closed for leaver in list(_closing))


def _abort_if_one_has_died(leavers: Collection[Leaver] = ()) -> None:
    for leaver in [*_live, *_closing, *leavers]:
        dead = leaver.dead_peer()
        if dead is not None:
            report(f"redcoll: end of the job: {dead}; MPI cannot end in order\n")
            _abort()


def _abort(code: int = 1) -> None:
    try:
        while _before_abort:
            _before_abort.pop()()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or None
                stream.flush()
        if MPI.COMM_WORLD.Get_size() > 1:
            time.sleep(_TIME_TO_PRINT_S)
    finally:
        # Also after an interrupt: a launcher and a terminal may both send SIGINT.
        MPI.COMM_WORLD.Abort(code)
        # MPICH's returns, because its launcher ends the processes; which may be out of reach.
        os._exit(code)
