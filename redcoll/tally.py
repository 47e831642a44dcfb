"""Count a program's reductions, with bytes and times, and note why MPI made some reductions.

redcoll imports this module only for :func:`redcoll.profile`, ``REDCOLL_REPORT`` and
``REDCOLL_PROFILE``. The module replaces the public functions by functions that count. So other
programs lose no time.
"""

from __future__ import annotations

import functools
import json
import pickle
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from redcoll import config, world
from redcoll._mpi4py import MPI
from redcoll.kernels.interface import About
from redcoll.liveness import aborting, shutdown
from redcoll.memory import arena
from redcoll.profiling import job, recorder
from redcoll.team import TeamHandle

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST_WAIT_S = 60.0


class Row(NamedTuple):
    """The number, bytes and time of a function's calls that have the same ``way``."""

    call: str
    way: str
    """``redcoll``, or the reason why MPI reduced."""
    calls: int
    n_bytes: int
    seconds: float


_totals: defaultdict[tuple[str, str], list[Any]] = defaultdict(lambda: [0, 0, 0.0])
_of_thread = threading.local()
_lock = threading.Lock()
_is_registered = False
_has_report = config.REPORT.get() is not None
_unfinished: list[MPI.Request] = []
"""Requests that did not complete in time. They keep alive the memory that MPI may still access."""


def is_wanted() -> bool:
    """Return whether the settings ask for counts or for a profile of the job."""
    return config.REPORT.get() is not None or config.PROFILE.get() is not None


def counted(function: F, call: str, about: About, way: str | None = None) -> F:
    """Return a function whose calls are counted and recorded under the name ``call``.

    If ``function`` calls other counted functions, these calls are not counted.

    ``about`` returns the team or communicator of a call (None if unknown), and the bytes of this
    rank's contribution. ``way`` is the reason why MPI always makes this call. None means that
    redcoll makes the call, unless ``function`` calls :func:`note`.
    """
    register()
    if _has_report:
        function = _counting(function, call, about, way)
    return recorder.recorded(function, call, about, way)


def _counting(function: F, call: str, about: About, way: str | None) -> F:

    @functools.wraps(function)
    def counting(*args: Any, **kwargs: Any) -> Any:
        if getattr(_of_thread, "is_counting", False):
            return function(*args, **kwargs)
        _of_thread.is_counting = True
        _of_thread.way = way or recorder.CORE
        start = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            stop = time.monotonic()
            _of_thread.is_counting = False
            try:
                _, n_bytes = about(*args, **kwargs)
            except Exception:  # noqa: BLE001 - a wrong argument, which the call has refused
                n_bytes = 0
            _add(call, _of_thread.way, n_bytes, stop - start)

    return counting  # type: ignore[return-value]


Rest: TypeAlias = tuple[ModuleType, str, About | None]
"""A function that a public function calls if the fast path does not know the arguments: its module,
its name, and the argument ``about`` of :class:`redcoll.kernels._python.recorder.Recorded`."""

_replaced: list[tuple[Any, str, Any]] = []


def replace(owner: Any, name: str, value: object) -> None:
    """Replace an attribute of a class or module until :func:`restore` is called."""
    _replaced.append((owner, name, vars(owner).get(name)))
    setattr(owner, name, value)


def restore() -> None:
    """Put back all attributes that :func:`replace` has replaced."""
    while _replaced:
        owner, name, value = _replaced.pop()
        if value is None:  # the class had inherited the attribute
            delattr(owner, name)
        else:
            setattr(owner, name, value)


def has_fast_records() -> bool:
    """Return whether the fast path records its own calls, so only other calls need wrappers."""
    return not _has_report


def record_fast(functions: dict[str, Callable[..., object]], rest: Iterable[Rest]) -> None:
    """Let the fast path record calls of ``functions``. Wrap the functions of ``rest``."""
    register()
    recorder.record_fast_calls(functions)
    for module, name, about in rest:
        if all(each[:2] != (module, name) for each in _replaced):
            replace(module, name, recorder.recorded(getattr(module, name), None, about))


def record_core() -> None:
    """Let the fast path record the reductions of the native API."""
    names = "allreduce", "reduce", "reduce_scatter", "scan", "exscan"
    modules = {name: import_module(f"redcoll.collectives.{name}") for name in names[:-1]}
    modules["exscan"] = modules["scan"]
    functions = {f"redcoll.{name}": getattr(modules[name], name) for name in names}
    record_fast(functions, [(modules[name], "_check_and_make", None) for name in names[:-1]])


def note(why: str) -> None:
    """Note the reason why MPI makes the call that this thread is counting."""
    _of_thread.way = why
    recorder.note_way(why)


def bytes_of(message: Any) -> int:
    """Return the size in bytes of a buffer of mpi4py, an array or a number; 0 if unknown."""
    if type(message) in (list, tuple) and message:
        count, datatype = message[1] if len(message) > 2 else None, message[-1]
        if isinstance(count, int) and isinstance(datatype, MPI.Datatype):
            return count * int(datatype.Get_size())
        message = message[0]
    n_bytes = getattr(message, "nbytes", None)
    if n_bytes is None and isinstance(message, (bool, int, float, complex)):
        n_bytes = 16 if isinstance(message, complex) else 8
    return n_bytes if isinstance(n_bytes, int) else 0


def bytes_of_values(values: Any) -> int:
    """Return the total bytes of the arrays and numbers in lists, tuples and dicts."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, list | tuple):
        return sum(map(bytes_of_values, values))
    return bytes_of(values)


def bytes_of_first(*args: Any, **named: Any) -> int:
    """Return the bytes of a call's first argument, which can also be passed by its name."""
    if not args:
        args = tuple(named[name] for name in ("values", "x", "a") if name in named)
    return bytes_of_values(args[0]) if args else 0


def about_arrays(
    target: Any = None, source: Any = None, *_: Any, **named: Any
) -> tuple[object, int]:
    """Return the team (None if unknown) and the bytes of a call with a target and a source."""
    return _team(named), bytes_of(target if source is None else source)


def about_values(*args: Any, **named: Any) -> tuple[object, int]:
    """Return the team (None if unknown) and the bytes of a call whose values come first."""
    return _team(named), bytes_of_first(*args, **named)


def _team(named: dict[str, Any]) -> object:
    if named.get("active_set") is not None:
        return None
    team = named.get("team")
    if team is None:
        return world.start().team
    return team.core() if isinstance(team, TeamHandle) else team


def register() -> None:
    """Begin the profile of the job, and register the printing of the tables at the job's end.

    If MPI does not run yet, only the profile begins. The first reduction then calls this function
    again.
    """
    global _is_registered  # noqa: PLW0603 - once per process
    if config.PROFILE.get() is not None and not _is_registered and not recorder.is_on:
        recorder.begin(register)
    if is_wanted() and not _is_registered and MPI.Is_initialized():
        _is_registered = True
        shutdown.at_the_end(_finish)
        aborting.before_abort(_finish_alone)


def _add(call: str, way: str, n_bytes: int, seconds: float) -> None:
    if not _is_registered:
        register()
    with _lock:
        total = _totals[call, way]
        total[0] += 1
        total[1] += n_bytes
        total[2] += seconds


def rows() -> list[Row]:
    """Return the counts of this process so far."""
    with _lock:
        return [Row(*key, *total) for key, total in sorted(_totals.items())]


# -- the table ------------------------------------------------------------------------------


def merged(tables: Iterable[list[Row]]) -> list[Row]:
    """Add up the rows of several processes. Rows of the same call and way become one row."""
    sums: defaultdict[tuple[str, str], list[Any]] = defaultdict(lambda: [0, 0, 0.0])
    for table in tables:
        for row in table:
            for at, value in enumerate(row[2:]):
                sums[row.call, row.way][at] += value
    return [Row(*key, *total) for key, total in sorted(sums.items())]


def text(table: list[Row], n_ranks: int, note: str = "") -> str:
    """Return the table as text."""
    total = sum(row.calls for row in table)
    on_core = sum(row.calls for row in table if row.way == recorder.CORE)
    share = f", {100 * on_core / total:.4g} %" if total else ""
    where = f"{on_core:,} by redcoll{share}, {total - on_core:,} by MPI"
    ranks = "1 rank" if n_ranks == 1 else f"{n_ranks} ranks"
    lines = [f"redcoll: {total:,} calls of reductions on {ranks}: {where}{note}"]
    if table:
        names = [row.call for row in table]
        ways = [row.way if row.way == recorder.CORE else f"MPI: {row.way}" for row in table]
        first = max(map(len, [*names, "call"]))
        second = max(map(len, [*ways, "reduced by"]))
        head = f"  {'call':<{first}}  {'reduced by':<{second}}  {'calls':>12}"
        lines.append(f"{head}  {'bytes':>18}  {'seconds a rank':>14}")
        lines += [
            f"  {name:<{first}}  {way:<{second}}  {row.calls:>12,}  {row.n_bytes:>18,}"
            f"  {row.seconds / n_ranks:>14.6f}"
            for name, way, row in zip(names, ways, table, strict=True)
        ]
    return "\n".join(lines) + "\n"


def _finish() -> None:
    """Print the tables of all ranks on rank 0.  All processes must call this function at exit."""
    if config.PROFILE.get() is not None:
        job.finish(_wait, _gathered)
    if config.REPORT.get() is None:
        return
    pieces = _gathered(pickle.dumps(rows()))
    if MPI.COMM_WORLD.Get_rank():
        return
    if pieces is None:
        note = f"; a rank sent no counts within {_LONGEST_WAIT_S:g} s, so this is rank 0 alone"
        _publish(rows(), 1, note)
        return
    note = "; large arrays are shared" if arena.place() is not None else ""
    tables = [pickle.loads(piece) for piece in pieces]  # noqa: S301 - our own
    _publish(merged(tables), len(tables), note)


def _gathered(data: bytes) -> list[bytes] | None:
    """Return the data of all ranks on rank 0; None if a rank does not send them in time."""
    comm = MPI.COMM_WORLD
    # Use collectives instead of messages, which a pending receive of the program could match.
    mine = np.frombuffer(data, np.uint8)
    sizes = np.zeros(comm.Get_size(), np.int64)
    if not _wait(comm.Igather(np.array([mine.size], np.int64), sizes)):
        return None
    everything = np.empty(sizes.sum(), np.uint8)
    if not _wait(comm.Igatherv(mine, [everything, sizes])):
        return None
    if comm.Get_rank():
        return []
    return [piece.tobytes() for piece in np.split(everything, np.cumsum(sizes)[:-1])]


def _finish_alone() -> None:
    """Print the table of rank 0 alone, before rank 0 aborts the job."""
    if MPI.COMM_WORLD.Get_rank() == 0:
        if config.PROFILE.get() is not None:
            job.finish_alone()
        _publish(rows(), 1, "; the job was aborted, so this is rank 0 alone")


def _wait(request: MPI.Request) -> bool:
    end = time.monotonic() + _LONGEST_WAIT_S
    shutdown.wait_at_exit(lambda: request.Test() or time.monotonic() > end)
    if request.Test():
        return True
    _unfinished.append(request)
    return False


def _publish(table: list[Row], n_ranks: int, note: str) -> None:
    file = config.REPORT.get()
    if file is None:
        return
    shown = text(table, n_ranks, note)
    try:
        if file.endswith(".json"):
            rows = [row._asdict() for row in table]
            content = {"ranks": n_ranks, "note": note.lstrip("; "), "rows": rows}
            Path(file).write_text(json.dumps(content, indent=1) + "\n")
            return
        if file != config.TO_STDERR:
            Path(file).write_text(shown)
            return
    except OSError as error:
        aborting.report(f"redcoll: {config.REPORT.name}={file}: {error.strerror}\n")
    aborting.report(shown)
