"""The reductions of communicators, counted: see :mod:`redcoll.tally`."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll import tally
from redcoll.MPI import _objects, _reductions
from redcoll.MPI._collectives import Collectives
from redcoll.MPI._comm import Intercomm
from redcoll.MPI._datatypes import unlimited
from redcoll.MPI._ops import core_of

_UPPER = ("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan")
_LOWER = ("allreduce", "reduce", "scan", "exscan", "argmax", "argmin")


def install() -> None:
    """Count from now on."""
    # Where a reduction goes to MPI.
    _reductions._by_mpi = tally.by_mpi(_reductions._by_mpi)  # noqa: SLF001
    _objects._by_mpi4py = tally.by_mpi(_objects._by_mpi4py)  # noqa: SLF001
    for name in _UPPER:
        _count(Collectives, name, _bytes_of_buffers, _why_buffers)
        _count(Intercomm, name, _bytes_of_buffers, lambda *_, **__: "intercommunicator")
        _count(Collectives, f"I{name.lower()}", _bytes_of_buffers, lambda *_, **__: "nonblocking")
        _count(Collectives, f"{name}_init", _bytes_of_buffers, lambda *_, **__: "persistent")
    for name in _LOWER:
        _count(Collectives, name, _bytes_of_object, _why_object)
        _count(Intercomm, name, _bytes_of_object, lambda *_, **__: "intercommunicator")
    tally.register()


def _count(cls: type, name: str, size: Any, why: Any) -> None:
    method = getattr(cls, name, None)
    if method is not None:
        setattr(cls, name, tally.counted(method, name, size, why))


def _bytes_of_buffers(
    _comm: Any, sendbuf: Any = None, recvbuf: Any = None, *_: Any, **__: Any
) -> int:
    is_in_place = sendbuf is None or sendbuf is mpi.IN_PLACE
    return tally.bytes_of(recvbuf if is_in_place else sendbuf)


def _bytes_of_object(_comm: Any, sendobj: Any = None, *_: Any, **named: Any) -> int:
    sendobj = named.get("values", sendobj)
    return 0 if isinstance(sendobj, list | tuple) else tally.bytes_of(sendobj)


def _without_team(comm: mpi.Intracomm) -> str | None:
    bond = getattr(comm, "_bond", None)
    return None if bond is None or bond.team is not None else bond.why


def _why_buffers(
    comm: mpi.Intracomm,
    sendbuf: Any = None,
    recvbuf: Any = None,
    *args: Any,
    **named: Any,
) -> str | None:
    why = _without_team(comm)
    if why is not None or not tally.was_by_mpi():
        return why
    messages = [sendbuf, recvbuf]
    parts = [
        part for each in messages for part in (each if type(each) in (list, tuple) else [each])
    ]
    if any(_is_on_device(part) for part in parts):
        return "device buffer"
    datatypes = [part for part in parts if isinstance(part, mpi.Datatype)]
    if any(not datatype.is_predefined for datatype in datatypes):
        return "derived datatype"
    unknown = [each for each in datatypes if each.handle not in unlimited()]
    if unknown:
        return f"datatype {unknown[0].name}"
    ops = [each for each in (*args, *named.values()) if isinstance(each, mpi.Op)]
    if any(core_of(op) is None and getattr(op, "function", None) is None for op in ops):
        return "operation"
    return "another rank's arguments"


def _is_on_device(buffer: Any) -> bool:
    if isinstance(buffer, np.ndarray):
        return False
    return hasattr(buffer, "__cuda_array_interface__") or hasattr(buffer, "__dlpack_device__")


def _why_object(comm: mpi.Intracomm, sendobj: Any = None, *_: Any, **__: Any) -> str | None:
    why = _without_team(comm)
    if why is not None or not tally.was_by_mpi():
        return why
    return "lower-case array" if isinstance(sendobj, np.ndarray) else "object"
