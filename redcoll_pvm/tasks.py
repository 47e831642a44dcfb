"""Tasks: who am I, who else is there, what went wrong.

The processes that ``mpiexec`` started are the tasks. All of them make their first PVM
call together; from then on nobody's call waits for a task that does not take part in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from redcoll.arguments import integer
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import (
    OutParameter,
    PvmError,
    call,
    enroll,
    print_line,
    put,
    task,
    tid_of,
)

__all__ = ["pvm_exit", "pvm_getopt", "pvm_mytid", "pvm_parent", "pvm_perror", "pvm_setopt",
           "pvm_siblings", "pvm_spawn"]  # fmt: skip


@call(prints=True)
def pvm_mytid() -> int:
    """The caller's task id, positive.  Enrolls the caller (pvm_mytid(3PVM))."""
    return tid_of(enroll().pe)


@call(prints=False)
def pvm_parent() -> int:
    """The task id of the first process; ``PvmNoParent`` for that one (pvm_parent(3PVM))."""
    return tid_of(0) if enroll().pe else pvm.PvmNoParent


@call(prints=True)
def pvm_siblings(tids: OutParameter) -> int:
    """How many tasks there are (pvm_siblings(3PVM)).

    Parameters
    ----------
    tids
        A list or array whose first elements become the ids of all tasks, or None.

    Raises
    ------
    ArgumentError
        The array is too short.
    """
    n_pes = enroll().n_pes
    put(tids, [tid_of(pe) for pe in range(n_pes)])
    return n_pes


@call(prints=True)
def pvm_spawn(
    task: str,
    argv: Sequence[str] | None,
    flag: int,
    where: str | None,
    ntask: int,
    tids: OutParameter,
) -> int:
    """Hand out tasks that nobody has spawned yet (pvm_spawn(3PVM)).

    No process is started: the processes of the job, all but the first, are there to be
    spawned, each once, lowest first.

    Parameters
    ----------
    task, argv, flag, where
        Not used.
    ntask
        How many, at least 1.
    tids
        A list or array whose first ``ntask`` elements become task ids, and
        ``PvmOutOfRes`` where there was no task left; or None.

    Returns
    -------
    int
        How many were handed out; ``PvmBadParam`` for ``ntask`` below 1, ``PvmOutOfRes``
        if there was none left.

    Raises
    ------
    ArgumentError
        ``tids`` is an array of fewer than ``ntask`` elements, or ``ntask`` no integer; no task
        is handed out then.
    """
    job = enroll()
    ntask = integer(ntask, "ntask")
    if ntask < 1:
        raise PvmError(pvm.PvmBadParam)
    # Whatever is wrong with tids shows here, before a task is handed out to nobody.
    put(tids, [pvm.PvmOutOfRes] * ntask)
    claimed = job.commons.claim(ntask)
    put(tids, [tid_of(pe) for pe in claimed] + [pvm.PvmOutOfRes] * (ntask - len(claimed)))
    if not claimed:
        raise PvmError(pvm.PvmOutOfRes, f"all {job.n_pes} processes of the job are in use")
    return len(claimed)


@call(prints=True)
def pvm_exit() -> int:
    """Leave all groups, and PVM (pvm_exit(3PVM)).

    The process goes on; later PVM calls return ``PvmSysErr``. A process that ends
    without this call leaves as well.
    """
    enroll().commons.leave()
    return pvm.PvmOk


def pvm_perror(msg: str) -> int:
    """Print ``msg`` and what the last failure is called, on stderr (pvm_perror(3PVM))."""
    print_line(f"{msg}: {pvm.error_text(task.errno)}")
    return pvm.PvmOk


@call(prints=True)
def pvm_setopt(what: int, val: int) -> int:
    """Set an option; the value before (pvm_setopt(3PVM)).

    ``PvmAutoErr`` has its effect: 0 quiet, 1 print failures, 2 exit after that, 3 abort.
    All other options of PVM are kept, and do nothing.

    Returns
    -------
    int
        ``PvmBadParam`` for an unknown option, or for ``PvmAutoErr`` beyond 0..3.
    """
    what, val = integer(what, "what"), integer(val, "val")
    if what not in task.options or (what == pvm.PvmAutoErr and val not in range(4)):
        raise PvmError(pvm.PvmBadParam)
    before = task.options[what]
    task.options[what] = val
    return before


@call(prints=True)
def pvm_getopt(what: int) -> int:
    """The value of an option (pvm_getopt(3PVM)); ``PvmBadParam`` for an unknown one."""
    what = integer(what, "what")
    if what not in task.options:
        raise PvmError(pvm.PvmBadParam)
    return task.options[what]
