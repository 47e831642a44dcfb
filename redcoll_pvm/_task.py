"""The calling process as a PVM task: its job, its error number, its options."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, ParamSpec

from redcoll.errors import (
    AlreadyInGroupError,
    ArgumentError,
    CollectiveMismatchError,
    GroupLimitError,
    NoGroupError,
    NoInstanceError,
    NotInGroupError,
    PeerLostError,
    RedcollError,
)
from redcoll_pvm import _settings
from redcoll_pvm import constants as pvm
from redcoll_pvm.runtime.pvm_runtime import Job, start

P = ParamSpec("P")

OutParameter = MutableSequence[Any] | Any
"""A list or array whose elements a call sets, where C takes a pointer; None for NULL."""

MOST_TAG = 2**31 - 1
"""The highest tag of messages and of calls on groups."""

# PVM numbers the tasks of the first host from here on.
_FIRST_TID = 0x40001

_CODES: dict[type[RedcollError], int] = {
    NoGroupError: pvm.PvmNoGroup,
    NotInGroupError: pvm.PvmNotInGroup,
    PeerLostError: pvm.PvmNotInGroup,
    NoInstanceError: pvm.PvmNoInst,
    AlreadyInGroupError: pvm.PvmDupGroup,
    CollectiveMismatchError: pvm.PvmMismatch,
    GroupLimitError: pvm.PvmOutOfRes,
}


class PvmError(Exception):
    """Ends a call with a return code; never leaves this package."""

    def __init__(self, code: int, detail: str = "") -> None:
        super().__init__(detail)
        self.code = code


class _Task:
    """What PVM keeps per process."""

    def __init__(self) -> None:
        self.errno = pvm.PvmOk
        self.options = dict.fromkeys(range(pvm.PvmRoute, pvm.PvmNoReset + 1), 0)
        self.options[pvm.PvmRoute] = pvm.PvmAllowDirect
        self.options[pvm.PvmAutoErr] = 1
        self.job: Job | None = None


task = _Task()


def enroll() -> Job:
    """The job that the task is in; joins it at the first call.  Collective over all PEs then.

    Raises
    ------
    PvmError
        The task has left PVM.
    SystemExit
        ``REDCOLL_PVM_HOLD`` is set, and nobody spawned this task.
    """
    job = task.job
    if job is None:
        job = start()
        if _settings.HOLD.get() and job.pe:
            _await_spawn(job)
        # Only now: if the wait fails, the next call waits, too.
        task.job = job
    if job.commons.has_left:
        raise PvmError(pvm.PvmSysErr, "the task has left PVM")
    if job.contributions.owed:
        job.contributions.tell_owed()
    return job


def _await_spawn(job: Job) -> None:
    commons = job.commons

    def ready() -> bool:
        return commons.claimed_by() is not None or commons.fate(0) is not None

    commons.wait(ready, lambda: [] if ready() else [0], lambda: "waiting to be spawned")
    if commons.claimed_by() is None:
        raise SystemExit(0)


def tid_of(pe: int) -> int:
    """The task id of a PE."""
    return _FIRST_TID + pe


def pe_of(tid: int, job: Job) -> int | None:
    """The PE of a task id, None if there is none."""
    pe = tid - _FIRST_TID
    return pe if 0 <= pe < job.n_pes else None


def put(target: OutParameter, values: Sequence[Any]) -> None:
    """Set the first elements of an out parameter, unless it is None.

    Raises
    ------
    ArgumentError
        It is an array of fewer elements.
    """
    if target is None:
        return
    if isinstance(target, list):
        target[: len(values)] = values
    else:
        try:
            for at, value in enumerate(values):
                target[at] = value
        except IndexError:
            raise ArgumentError(
                f"the array for results has fewer elements than there are: {len(values)}"
            ) from None


def report(code: int, *, call: str = "", detail: str = "") -> int:
    """Note a failure and, if the call says so and PvmAutoErr is on, print it; the code."""
    task.errno = code
    level = task.options[pvm.PvmAutoErr]
    if call and level:
        more = f" ({detail})" if detail else ""
        print_line(f"{call}(): {pvm.error_text(code)}{more}")
        if level == 2:
            sys.exit(1)
        if level == 3:
            os.abort()
    return code


def print_line(text: str) -> None:
    """One line on stderr, as PVM words it."""
    tid = tid_of(task.job.pe) if task.job is not None else 0
    sys.stderr.write(f"libpvm [t{tid:x}]: {text}\n")
    sys.stderr.flush()


def call(
    *, prints: bool, name: str | None = None
) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Turn what a call raises into its return code, where PVM has one.

    Parameters
    ----------
    prints
        Whether PvmAutoErr makes PVM print failures of this call.
    name
        What it is called there; None for the function's name.
    """

    def decorate(function: Callable[P, int]) -> Callable[P, int]:
        printed = (name or function.__name__) if prints else ""

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> int:
            try:
                return function(*args, **kwargs)
            except PvmError as error:
                return report(error.code, call=printed, detail=str(error))
            except RedcollError as error:
                code = _CODES.get(type(error))
                if code is None:
                    raise
                return report(code, call=printed, detail=str(error))

        return wrapper

    return decorate
