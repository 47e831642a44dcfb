"""Implement the calls about tasks, options and errors.

The tasks are the processes that ``mpiexec`` started. The first PVM call of each task is collective
over all tasks. Each later call waits only for tasks that take part in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from redcoll.arguments import integer
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import OutParameter, PvmError, call, enroll, print_line, put, task, tid_of

__all__ = ["pvm_exit", "pvm_getopt", "pvm_mytid", "pvm_parent", "pvm_perror", "pvm_setopt",
           "pvm_siblings", "pvm_spawn"]  # fmt: skip


@call(prints=True)
def pvm_mytid() -> int:
    """Enroll the caller; return its task id, which is positive (pvm_mytid(3PVM))."""
    return tid_of(enroll().me)


@call(prints=False)
def pvm_parent() -> int:
    """Return the first task's id; in the first task return ``PvmNoParent`` (pvm_parent(3PVM))."""
    return tid_of(0) if enroll().me else pvm.PvmNoParent


@call(prints=True)
def pvm_siblings(tids: OutParameter) -> int:
    """Return the number of tasks (pvm_siblings(3PVM)).

    Parameters
    ----------
    tids
        A list or array whose first elements become the ids of all tasks, or None.

    Raises
    ------
    ArgumentError
        The array is too short.
    """
    size = enroll().size
    put(tids, [tid_of(index) for index in range(size)])
    return size


@call(prints=True)
def pvm_spawn(
    task: str,
    argv: Sequence[str] | None,
    flag: int,
    where: str | None,
    ntask: int,
    tids: OutParameter,
) -> int:
    """Spawn tasks of the job that have not been spawned yet (pvm_spawn(3PVM)).

    The call starts no process. Every task of the job except the first can be spawned once. The
    call takes tasks in the order of their ids.

    Parameters
    ----------
    task, argv, flag, where
        Not used.
    ntask
        How many tasks to spawn, at least 1.
    tids
        A list or array whose first ``ntask`` elements become task ids; or None. If there are not
        enough tasks, the last elements become ``PvmOutOfRes``.

    Returns
    -------
    int
        The number of tasks that were spawned; or ``PvmBadParam`` if ``ntask`` is below 1; or
        ``PvmOutOfRes`` if no task was left.

    Raises
    ------
    ArgumentError
        ``tids`` is an array of fewer than ``ntask`` elements, or ``ntask`` is not an integer. No
        task is spawned.
    """
    runtime = enroll()
    ntask = integer(ntask, "ntask")
    if ntask < 1:
        raise PvmError(pvm.PvmBadParam)
    # Write to tids first, so that an error in tids is raised before tasks count as spawned.
    put(tids, [pvm.PvmOutOfRes] * ntask)
    claimed = runtime.store.claim(ntask)
    put(tids, [tid_of(index) for index in claimed] + [pvm.PvmOutOfRes] * (ntask - len(claimed)))
    if not claimed:
        raise PvmError(pvm.PvmOutOfRes, f"all {runtime.size} processes of the job are in use")
    return len(claimed)


@call(prints=True)
def pvm_exit() -> int:
    """Leave all groups, and leave PVM (pvm_exit(3PVM)).

    The process continues, but later PVM calls return ``PvmSysErr``. A process that ends without
    this call also leaves PVM.
    """
    enroll().leave()
    return pvm.PvmOk


def pvm_perror(msg: str) -> int:
    """Print ``msg`` and the text of the last error on stderr (pvm_perror(3PVM))."""
    print_line(f"{msg}: {pvm.error_text(task.errno)}")
    return pvm.PvmOk


@call(prints=True)
def pvm_setopt(what: int, val: int) -> int:
    """Set an option and return its former value (pvm_setopt(3PVM)).

    The value of ``PvmAutoErr`` is 0 to print no failures, 1 to print failures, 2 to exit after
    printing, or 3 to abort after printing. All other options of PVM are stored, but have no effect.

    Returns
    -------
    int
        The former value; or ``PvmBadParam`` for an unknown option, or a value of ``PvmAutoErr``
        that is not 0 to 3.
    """
    what, val = integer(what, "what"), integer(val, "val")
    if what not in task.options or (what == pvm.PvmAutoErr and val not in range(4)):
        raise PvmError(pvm.PvmBadParam)
    before = task.options[what]
    task.options[what] = val
    return before


@call(prints=True)
def pvm_getopt(what: int) -> int:
    """Return an option's value, or ``PvmBadParam`` for an unknown option (pvm_getopt(3PVM))."""
    what = integer(what, "what")
    if what not in task.options:
        raise PvmError(pvm.PvmBadParam)
    return task.options[what]
