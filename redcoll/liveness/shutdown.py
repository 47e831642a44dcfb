"""Let a process leave the job without making other processes hang.

A process ends in ``MPI_Finalize`` if its program ends, calls ``sys.exit`` or raises. That call
waits for all other processes without a deadline, even for dead ones. Therefore:

* At exit the process notifies every live team, so that members that wait for this process raise
  ``PeerLostError``.
* Before MPI waits, the process waits until all members of its teams have exited. If it finds a
  dead member, it aborts the job.
* The process frees all windows before ``MPI_Finalize``. compat(mpich 5.0.2): MPICH over libfabric
  aborts if windows are freed inside ``MPI_Finalize``.
* After an interrupt, or an uncaught error because of a timeout, a lost peer or a broken team, the
  process prints the traceback and aborts the job.
* After any other uncaught exception, the other processes get a grace period to exit. If they do not
  exit, the process aborts the job, even if it has no live team.

Under ``python -m redcoll run`` an uncaught exception aborts the job at once.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Protocol

from redcoll._mpi4py import MPI
from redcoll.arguments import summary
from redcoll.errors import CollectiveTimeoutError, PeerLostError, TeamBrokenError
from redcoll.liveness import aborting

_ENDS_THE_JOB = (PeerLostError, CollectiveTimeoutError, TeamBrokenError, KeyboardInterrupt)
_QUICK_POLLS = 20
_BETWEEN_POLLS_S = 2e-4, 1e-3
"""Seconds between two polls while the process exits, for short waits and for long waits."""
_CHECK_FOR_THE_DEAD_EVERY_S = 0.1
_GRACE_S = 5.0
"""Time that other ranks may take to exit after an exception on this rank."""


class Notifier(Protocol):
    """An object with peers to notify when the process exits."""

    @property
    def size(self) -> int:
        """Number of members."""

    def leave(self) -> None:
        """Notify the peers that this process makes no more calls.  Does not wait."""

    def receive_notices(self) -> None:
        """Receive the peers' exit notices that have arrived so far."""

    def dead_peer(self) -> str | None:
        """Return a text about a member whose process has died; None if no process has died."""

    def have_all_left(self) -> bool:
        """Return whether every member has exited."""


class Closing(Notifier, Protocol):
    """An object that can be closed before the process exits."""

    @property
    def is_closed(self) -> bool:
        """Whether the close has ended."""

    def go_on_closing(self) -> None:
        """Continue to close the object. If MPI allows several threads, do not wait for the end."""


_Turn = tuple[int, int, bool]
"""A ticket of :mod:`redcoll.memory.window_lock`, which this module may not import."""

_live: set[Notifier] = set()
_closing: dict[Closing, None] = {}
"""Objects whose closes have begun, in the order in which they began. The closes continue in this
order."""
_last: list[Callable[[], object]] = []
_ends: list[Callable[[], object]] = []
_frees: dict[object, tuple[_Turn, MPI.Intracomm | None, Callable[[], object]]] = {}
_is_forked = False
"""Whether this process is a forked child, which must not end its parent's job."""
_code_of_abort = 0


def register(notifier: Notifier) -> None:
    """Have ``notifier`` notify its peers when the process exits."""
    install()
    _live.add(notifier)


def begin_close(notifier: Closing) -> None:
    """Record that ``notifier`` is being closed. The process does not exit before the close ends."""
    _closing[notifier] = None
    _live.discard(notifier)


def end_close(notifier: Closing, *, is_left_over: bool) -> None:
    """Record that the close has ended. With ``is_left_over``, still notify the peers at exit."""
    if is_left_over:
        _live.add(notifier)
    _closing.pop(notifier, None)


def receive_notices() -> None:
    """Receive exit notices for all teams.  Every wait calls this function.

    Another rank on the node may wait for a rank that has exited, and may get the exit notice only
    through this process. The function includes teams whose close was interrupted, because other
    ranks may still wait in the close.
    """
    for notifier in [*_live, *_closing]:  # another thread may add to them
        notifier.receive_notices()


def at_last(action: Callable[[], object]) -> None:
    """Call ``action``, which may wait for other processes, once at exit after all notices."""
    install()
    _last.append(action)


def at_the_end(action: Callable[[], object]) -> None:
    """Call ``action`` once just before MPI_Finalize, unless the job is aborted.

    The action is collective over the job, as MPI_Finalize is.
    """
    install()
    _ends.append(action)


def free_at_the_end(
    owner: object, free: Callable[[], object], turn: _Turn, comm: MPI.Intracomm | None = None
) -> None:
    """Call ``free`` just before MPI_Finalize, unless :func:`freed` is called before.

    ``free`` may be collective over the processes that share the ticket ``turn``. All functions that
    were registered here run last, in descending order of their tickets. If ``comm`` is given, its
    processes first wait in a barrier, and abort the job if one of them is dead. No collective call
    may be in progress on ``comm``.
    """
    install()
    # The order of creation could differ between processes with several threads, so tickets order
    # the calls.
    _frees[owner] = turn, comm, free


def freed(owner: object) -> None:
    """Record that ``owner`` has been freed."""
    _frees.pop(owner, None)


def wait_at_exit(is_over: Callable[[], bool], notifiers: Collection[Notifier] = ()) -> None:
    """Wait during exit; abort the job if a member of a team, or of ``notifiers``, is dead.

    During the wait the process receives exit notices, because ranks on the same node may get them
    only through this process.
    """
    start_s = time.monotonic()
    next_check_s = start_s
    polls = 0
    while not is_over():
        receive_notices()
        # Some messages that this process has sent may arrive only while it calls MPI.
        MPI.COMM_WORLD.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)
        now_s = time.monotonic()
        if now_s >= next_check_s:
            next_check_s = now_s + _CHECK_FOR_THE_DEAD_EVERY_S
            _abort_if_one_has_died(notifiers)
        polls += 1
        if polls <= _QUICK_POLLS:
            os.sched_yield()
        else:
            time.sleep(_BETWEEN_POLLS_S[now_s - start_s > _CHECK_FOR_THE_DEAD_EVERY_S])


def forget() -> None:
    """Forget all live teams, whose members no longer wait for each other."""
    _live.clear()
    _closing.clear()


def registered() -> int:
    """Return the number of live teams."""
    return len(_live)


@functools.cache  # once per process
def install() -> None:
    """Install the handling of uncaught errors and of the exit.  MPI must be initialized."""
    install_hook()
    # A program may call MPI_Finalize itself. MPI_Finalize first deletes the attributes of COMM_SELF
    # (MPI-4.1, section 11.2.4), and so calls `_finalize`.
    keyval = MPI.Comm.Create_keyval(delete_fn=_finalize)
    MPI.COMM_SELF.Set_attr(keyval, None)


@functools.cache  # once per process
def install_hook() -> None:
    """Install the handling of uncaught errors.  MPI need not be initialized yet."""
    atexit.register(_leave)
    os.register_at_fork(after_in_child=_forget)
    previous = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if previous is sys.__excepthook__:
            aborting.print_in_one_piece(error)
        else:
            previous(kind, error, traceback)
        if _is_mpi_running() and _has_others() and not _is_interactive():
            do_all_end = False
            try:
                do_all_end = _ends_with_the_others(error)
            finally:
                if not do_all_end:  # also after an interrupt
                    aborting.end_job()
            _abort_unless_all_end()

    sys.excepthook = hook


def is_hook(function: object) -> bool:
    """Return whether ``function`` is the excepthook of :func:`install_hook`."""
    return getattr(function, "__module__", None) == __name__


def abort(code: int) -> None:
    """Abort the job with this exit code.  Return only if MPI does not run."""
    if _is_mpi_running():
        _notify_all()
        aborting.end_job(code)


def abort_at_exit(code: int) -> None:
    """Let this process abort the job with this code at exit, instead of calling MPI_Finalize."""
    global _code_of_abort  # noqa: PLW0603 - of this process
    _code_of_abort = code


def _is_mpi_running() -> bool:
    return not _is_forked and MPI.Is_initialized() and not MPI.Is_finalized()


def _has_others() -> bool:
    return bool(_live or _closing) or MPI.COMM_WORLD.Get_size() > 1


def _is_interactive() -> bool:
    """Return whether this process continues after an uncaught exception."""
    return bool(sys.flags.interactive) or hasattr(sys, "ps1")


def _forget() -> None:
    """Leave the end of the job to the parent process.  A forked child calls this."""
    global _is_forked  # noqa: PLW0603 - of this process
    _is_forked = True
    for registered in (_live, _closing, _last, _ends, _frees):
        registered.clear()


def _ends_with_the_others(error: BaseException) -> bool:
    """Return whether all processes exit within the grace period, so that MPI can finalize."""
    _notify_all()
    if isinstance(error, _ENDS_THE_JOB):
        return False
    until = time.monotonic() + _GRACE_S
    while _are_closing() or not _have_all_left():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
        _notify_all()  # for teams whose close failed in another thread
        receive_notices()
    return True


def _have_all_left() -> bool:
    return all(notifier.have_all_left() for notifier in list(_live))


def _abort_unless_all_end() -> None:
    """Abort the job after the grace period, unless all processes of the job exit."""
    if any(notifier.size == MPI.COMM_WORLD.Get_size() for notifier in _live):
        return  # all processes have exited
    timer = threading.Timer(_GRACE_S, aborting.end_job)
    timer.daemon = True

    def go_on() -> None:
        timer.cancel()
        _die_unless_mpi_ends()

    _ends.insert(0, go_on)  # the actions run from the end of the list, so this action runs last
    with contextlib.suppress(RuntimeError):  # no thread can start, but the action still runs
        timer.start()


def _die_unless_mpi_ends() -> None:
    """End this process if MPI_Finalize waits longer than the grace period for other processes."""
    # Use an alarm, because no Python thread runs any more when mpi4py calls MPI_Finalize. The alarm
    # ends this process, and the launcher then ends the job.
    import signal  # not at the top: few processes need it

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, _GRACE_S)


def _notify_all() -> None:
    """Notify all teams that this process makes no more calls."""
    for notifier in list(_live):  # a copy, because another thread may close a team
        notifier.leave()


def _finish() -> None:
    _notify_all()
    # An interrupt has ended the wait for the closes in `_closing`. Other processes wait until the
    # closes complete, or until the notices just sent arrive.
    for notifier in list(_closing):
        notifier.go_on_closing()
    wait_at_exit(lambda: not _are_closing())
    _notify_all()  # for teams whose close failed
    while _last:
        _last.pop()()


def _finalize(*_: object) -> None:
    try:
        _finish()
        _end()
    except BaseException as error:  # noqa: BLE001 - Ctrl-C, or a handler of another signal
        # MPI_Finalize would wait for other processes, which wait for steps that this process has
        # not completed.
        try:
            aborting.report(f"redcoll: end of the job: {summary(error)}\n")
        finally:
            aborting.end_job()


def _end() -> None:
    notifiers = list(_live)
    # MPI waits for all processes, even for dead ones, so look for dead ones first.
    _abort_if_one_has_died()
    wait_at_exit(_have_all_left)
    while _ends:
        _ends.pop()()
    # Read no exit notices from here on, because the memory of some teams is unmapped.
    _live.clear()
    # compat(mpich 5.0.2): over libfabric MPI_Finalize aborts if windows remain.
    # compat(openmpi 5.0): MPI_Finalize frees the remaining windows collectively, but in orders that
    # differ between processes, and so it hangs.
    while _frees:
        owner = max(_frees, key=lambda each: _frees[each][0])
        _, comm, free = _frees.pop(owner)
        try:
            if comm is not None:
                wait_at_exit(comm.Ibarrier().Test, notifiers)
            free()
        except MPI.Exception as error:  # a window whose creation failed; go on with the next one
            aborting.report(f"redcoll: end of the job: {error}\n")


def _leave() -> None:
    # This is an exit handler of Python. mpi4py finalizes MPI after all exit handlers, so windows
    # still exist here.
    if not _is_mpi_running():
        return
    if _code_of_abort:
        abort(_code_of_abort)
    _finalize()


def _are_closing() -> bool:
    return not all(notifier.is_closed for notifier in list(_closing))


def _abort_if_one_has_died(notifiers: Collection[Notifier] = ()) -> None:
    for notifier in [*_live, *_closing, *notifiers]:
        dead = notifier.dead_peer()
        if dead is not None:
            aborting.report(f"redcoll: end of the job: {dead}; MPI cannot end in order\n")
            aborting.end_job()
