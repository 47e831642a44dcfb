"""Count and record the reductions of communicators: see :mod:`redcoll.tally`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpi4py import MPI as mpi

from redcoll import config, tally
from redcoll.errors import HeapError, TeamLimitError
from redcoll.kernels.interface import About
from redcoll.MPI import _fastpath, _objects, _reductions
from redcoll.MPI._collectives import Collectives
from redcoll.MPI._comm import Intercomm

_UPPER = ("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan")
_LOWER = ("allreduce", "reduce", "scan", "exscan", "argmax", "argmin")
_MANY = ("allreduce_many", "reduce_many")


def install() -> None:
    """Replace the reductions by methods that count, until :func:`redcoll.tally.restore`."""
    # All reductions that MPI makes go through one of these two functions.
    for module, function in ((_reductions, "_by_mpi"), (_objects, "_by_pickles")):
        tally.replace(module, function, _noting(getattr(module, function)))
    if tally.has_fast_records():
        tally.record_fast({name: getattr(Collectives, name) for name in _UPPER}, _REST)
    for name in _UPPER:
        if not tally.has_fast_records():
            _count(Collectives, name, _about_buffers)
        _count(Intercomm, name, _about_buffers, "intercommunicator")
        _count(Collectives, f"I{name.lower()}", _about_buffers, "nonblocking")
        _count(Collectives, f"{name}_init", _about_buffers, "persistent")
    for name in _LOWER:
        _count(Collectives, name, _about_object)
        _count(Intercomm, name, _about_object, "intercommunicator")
    for name in _MANY:
        _count(Collectives, name, _about_values)
    tally.register()


def _count(cls: type, name: str, about: About, way: str | None = None) -> None:
    method = getattr(cls, name, None)
    if method is not None:
        its_about = about if way is None else _without_owner(about)
        tally.replace(cls, name, tally.counted(method, name, its_about, way))


def _without_owner(about: About) -> About:
    """Return a function like ``about`` that returns no owner, so that no times are compared."""
    return lambda *args, **named: (None, about(*args, **named)[1])


def _noting(by_mpi: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that records its first argument, the reason, and calls ``by_mpi``."""

    def noting(why: str | Exception | None, *args: Any) -> Any:
        tally.note(_text(why) if isinstance(why, Exception) else why or "no team")
        return by_mpi(why, *args)

    return noting


def _text(error: Exception) -> str:
    """Return the reason why a communicator has no team."""
    if isinstance(error, HeapError):
        return "no room in shared memory"
    if not isinstance(error, TeamLimitError):
        return f"no team: {error}"
    if config.MAX_TEAMS.name in str(error):
        return "too many teams"
    return "too few communicators or file descriptors"


def _owner(comm: Any) -> Any:
    """Return the team of a communicator, or the communicator if it has none."""
    state = getattr(comm, "_comm_state", None)
    return comm if state is None or state.team is None else state.team


def _about_buffers(
    comm: Any, sendbuf: Any = None, recvbuf: Any = None, *_: Any, **__: Any
) -> tuple[Any, int]:
    is_in_place = sendbuf is None or sendbuf is mpi.IN_PLACE
    return _owner(comm), tally.bytes_of(recvbuf if is_in_place else sendbuf)


def _about_object(comm: Any, sendobj: Any = None, *_: Any, **named: Any) -> tuple[Any, int]:
    if named:
        sendobj = named.get("values", sendobj)
    if type(sendobj) is float or type(sendobj) is int:  # first, because it is frequent
        return _owner(comm), 8
    return _owner(comm), 0 if type(sendobj) in (list, tuple) else tally.bytes_of(sendobj)


def _about_values(comm: Any, values: Any = None, *_: Any, **__: Any) -> tuple[Any, int]:
    return _owner(comm), tally.bytes_of_values(values)


def _about_rest(
    comm: Any, _state: Any, _collective: int, arguments: tuple[Any, ...], *, is_delegated: bool
) -> tuple[Any, int]:
    """Return no owner if this rank waited in the fast path, and then another rank asked for MPI.

    The recorded time begins after that wait. A comparison of times would take this rank for the
    last to arrive.
    """
    owner, n_bytes = _about_buffers(comm, *arguments)
    return None if is_delegated else owner, n_bytes


_REST = (
    (_reductions, "_parse_and_make", _about_rest),
    (_fastpath, "reduce_by_code", None),
)
