"""Count the reductions of communicators for ``REDCOLL_REPORT``: see :mod:`redcoll.tally`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpi4py import MPI as mpi

from redcoll import config, tally
from redcoll.errors import HeapError, TeamLimitError
from redcoll.MPI import _fastpath, _objects, _reductions
from redcoll.MPI._collectives import Collectives
from redcoll.MPI._comm import Intercomm

_UPPER = ("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan")
_LOWER = ("allreduce", "reduce", "scan", "exscan", "argmax", "argmin")
_MANY = ("allreduce_many", "reduce_many")


_replaced: list[tuple[Any, str, Any]] = []
"""Each replaced attribute: its class or module, its name, and the old value; None if inherited."""


def install() -> None:
    """Start counting: replace the reductions by methods that count."""
    # All reductions that MPI makes go through one of these two functions.
    for module, function in ((_reductions, "_by_mpi"), (_objects, "_by_pickles")):
        _replace(module, function, _noting(getattr(module, function)))
    if tally.has_fast_records():
        tally.record_fast({name: getattr(Collectives, name) for name in _UPPER}, _REST)
    for name in _UPPER:
        if not tally.has_fast_records():
            _count(Collectives, name, _bytes_of_buffers)
        _count(Intercomm, name, _bytes_of_buffers, "intercommunicator")
        _count(Collectives, f"I{name.lower()}", _bytes_of_buffers, "nonblocking")
        _count(Collectives, f"{name}_init", _bytes_of_buffers, "persistent")
    for name in _LOWER:
        _count(Collectives, name, _bytes_of_object)
        _count(Intercomm, name, _bytes_of_object, "intercommunicator")
    for name in _MANY:
        _count(Collectives, name, _bytes_of_values)
    tally.register()


def uninstall() -> None:
    """Stop counting: put the methods back."""
    while _replaced:
        owner, name, value = _replaced.pop()
        if value is None:
            delattr(owner, name)
        else:
            setattr(owner, name, value)


def _replace(owner: Any, name: str, value: Any) -> None:
    _replaced.append((owner, name, vars(owner).get(name)))
    setattr(owner, name, value)


def _count(cls: type, name: str, size: Callable[..., int], way: str | None = None) -> None:
    method = getattr(cls, name, None)
    if method is not None:
        owner = None if way is not None else _comm
        _replace(cls, name, tally.counted(method, name, size, way, owner))


def _comm(comm: Any, *_: Any, **__: Any) -> Any:
    return comm


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


def _bytes_of_buffers(
    _comm: Any, sendbuf: Any = None, recvbuf: Any = None, *_: Any, **__: Any
) -> int:
    is_in_place = sendbuf is None or sendbuf is mpi.IN_PLACE
    return tally.bytes_of(recvbuf if is_in_place else sendbuf)


_REST = (
    tally.Rest(
        _reductions,
        "_parse_and_make",
        lambda comm, _state, _collective, arguments, **_: _bytes_of_buffers(comm, *arguments),
        lambda comm, state, *_, **__: state.team or comm,
    ),
    tally.Rest(
        _fastpath,
        "reduce_by_code",
        lambda _team, _collective, _target, source, *_: tally.bytes_of(source),
        lambda team, *_: team,
    ),
)


def _bytes_of_object(_comm: Any, sendobj: Any = None, *_: Any, **named: Any) -> int:
    sendobj = named.get("values", sendobj)
    return 0 if isinstance(sendobj, list | tuple) else tally.bytes_of(sendobj)


def _bytes_of_values(_comm: Any, values: Any = None, *_: Any, **__: Any) -> int:
    return tally.bytes_of_values(values)
