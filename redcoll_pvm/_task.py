"""Keep the PVM state of the calling process: its runtime, error number and options."""

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
from redcoll_pvm.runtime.pvm_runtime import FORKED, PvmRuntime, start

P = ParamSpec("P")

OutParameter = MutableSequence[Any] | Any
"""A list or array for the results of a call, where C takes a pointer. None stands for NULL."""

MOST_TAG = 2**31 - 1
"""The highest tag of messages and of calls on groups."""

# In PVM, the ids of tasks on the first host start with this number.
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
    """Ends a call with a return code.  Public calls catch this exception."""

    def __init__(self, code: int, detail: str = "") -> None:
        super().__init__(detail)
        self.code = code


class _Task:
    """The state of a process in PVM."""

    def __init__(self) -> None:
        self.errno = pvm.PvmOk
        self.options = dict.fromkeys(range(pvm.PvmRoute, pvm.PvmNoReset + 1), 0)
        self.options[pvm.PvmRoute] = pvm.PvmAllowDirect
        self.options[pvm.PvmAutoErr] = 1
        self.runtime: PvmRuntime | None = None


task = _Task()


def _shut_in_child() -> None:
    """Make the task unusable in a forked child, which would act as its parent."""
    if task.runtime is not None:
        task.runtime = FORKED


os.register_at_fork(after_in_child=_shut_in_child)


def enroll() -> PvmRuntime:
    """Return the runtime.  The first call starts it, and is collective over all tasks.

    Raises PvmError if the task has left PVM, and StateError in a forked child. Raises SystemExit if
    ``REDCOLL_PVM_HOLD`` is set, and task 0 has left without spawning this task.
    """
    runtime = task.runtime
    if runtime is None:
        runtime = start()
        if _settings.HOLD.get() and runtime.me:
            _await_spawn(runtime)
        # Set the attribute only after the wait, so that the next call waits again if the wait
        # fails.
        task.runtime = runtime
    if runtime.has_left:
        raise PvmError(pvm.PvmSysErr, "the task has left PVM")
    return runtime


def _await_spawn(runtime: PvmRuntime) -> None:
    store, tasks = runtime.store, runtime.tasks

    def ready() -> bool:
        return store.claimer() is not None or tasks.fate(0) is not None

    tasks.wait(ready, lambda: [] if ready() else [0], lambda: "waiting to be spawned")
    if store.claimer() is None:
        raise SystemExit(0)


def tid_of(index: int) -> int:
    """Return the id of a task; ``index`` is the task's rank in ``MPI_COMM_WORLD``."""
    return _FIRST_TID + index


def index_of(tid: int, runtime: PvmRuntime) -> int | None:
    """Return the index of the task with this id; None if no task has the id."""
    index = tid - _FIRST_TID
    return index if 0 <= index < runtime.size else None


def put(target: OutParameter, values: Sequence[Any]) -> None:
    """Set the first elements of an out parameter, unless it is None.

    Raises ArgumentError if ``target`` is an array that is too short.
    """
    if target is None:
        return
    if isinstance(target, list):
        target[: len(values)] = values
    else:
        require_space(target, len(values))
        for at, value in enumerate(values):
            target[at] = value


def require_space(target: OutParameter, count: int, name: str = "the array for results") -> None:
    """Raise ArgumentError if an out parameter is an array with fewer than ``count`` elements."""
    if target is not None and not isinstance(target, list) and len(target) < count:
        raise ArgumentError(f"{name} has {len(target)} elements; it must have at least {count}")


def report(code: int, *, call: str = "", detail: str = "") -> int:
    """Record a failure; return its code.

    If ``call`` is given, the option PvmAutoErr decides whether to print the failure, and whether to
    exit or abort afterwards.
    """
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
    """Print one line on stderr, in PVM's format."""
    tid = tid_of(task.runtime.me) if task.runtime is not None else 0
    sys.stderr.write(f"libpvm [t{tid:x}]: {text}\n")
    sys.stderr.flush()


def call(
    *, prints: bool, name: str | None = None
) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Make a decorator that turns a call's exceptions into PVM's return codes.

    Exceptions for which PVM has no code reach the program. ``prints`` says whether PVM prints
    failures of this call if PvmAutoErr is on. ``name`` is the call's name in the printed failures
    (default: the function's name).
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
