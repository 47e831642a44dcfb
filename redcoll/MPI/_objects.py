"""Implement the lower-case reductions with :mod:`redcoll.collectives.objects`."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll import ops
from redcoll.collectives.objects import OnPickles, reduce_objects
from redcoll.errors import OpError
from redcoll.MPI._call import checked_root
from redcoll.MPI._ops import PREDEFINED, Op, as_mpi, core_of
from redcoll.MPI._reductions import refuse
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, NO_ROOT, REDUCE, SCAN
from redcoll.team.comm_state import CommState

_METHODS: dict[int, Any] = {
    ALLREDUCE: mpi.Comm.allreduce,
    REDUCE: mpi.Comm.reduce,
    SCAN: mpi.Intracomm.scan,
    EXSCAN: mpi.Intracomm.exscan,
}
_PLAIN_OPS: dict[ops.Op, mpi.Op] = {
    op.core: mpi.Op(op or mpi.SUM) for op in PREDEFINED.values() if op.core is not None
}
"""mpi4py's operation for each operation of the core. Calls of mpi4py's operations are faster."""


def reduction(
    comm: mpi.Intracomm, state: CommState, collective: int, obj: Any, op: Any, root: Any = NO_ROOT
) -> Any:
    """Perform a lower-case reduction.  Collective over ``comm``, whose state is ``state``.

    Raises
    ------
    Exception
        The exception of ``op`` or of pickle for these objects. If ``op`` raises for numbers, all
        ranks raise the same exception. If ``op`` raises for other objects, or if a result cannot be
        pickled, the other ranks raise ``RemoteOpError``. If an argument cannot be pickled, the
        other ranks raise ``CollectiveMismatchError``. Without a team mpi4py reduces, and the other
        ranks are not notified.
    CollectiveMismatchError
        Ranks made different reductions, or passed different operations or roots. All ranks raise it
        if they have a team.
    """
    team = state.team
    arguments: tuple[Any, ...] = (root,) if collective == REDUCE else ()
    with contextlib.nullcontext() if team is None else team.checking(collective):
        if isinstance(op, ops.Op | str):
            op = _callable(op)
    core = op.core if type(op) is Op else core_of(op) if isinstance(op, mpi.Op) else None
    if team is None:
        if core is ops.EXACT_SUM:
            raise OpError("op is EXACT_SUM; without a window MPI reduces, which does not have it")
        return _by_pickles(state.error, comm, collective, obj, op, arguments)
    if collective == REDUCE:
        try:
            root = checked_root(root, team.size)
        except Exception as error:  # noqa: BLE001 - a program's object can raise any exception
            refuse(comm, team, REDUCE, error)
    function = getattr(op, "function", None) if isinstance(op, mpi.Op) else op

    why = "lower-case array" if isinstance(obj, np.ndarray) else "object"

    def by_pickles(pickled: bytes, on_pickles: OnPickles) -> bytes | None:
        result: bytes | None = _by_pickles(why, comm, collective, pickled, on_pickles, arguments)
        return result

    combine = op if core is None else _PLAIN_OPS[core]
    return reduce_objects(team, collective, obj, core, combine, root, function, by_pickles)


def _by_pickles(
    why: str | Exception | None,  # noqa: ARG001 - for REDCOLL_REPORT
    comm: mpi.Intracomm,
    collective: int,
    obj: Any,
    op: Any,
    arguments: tuple[Any, ...],
) -> Any:
    return _METHODS[collective](comm, obj, op, *arguments)


def _callable(op: ops.Op | str) -> mpi.Op:
    """Return MPI's operation for an operation of the core, or for a name."""
    operation = as_mpi(op)
    if isinstance(operation, ops.Op) and operation.in_float32 is not None:
        raise OpError(f"op is {op!r}; only upper-case reductions take it")
    if not isinstance(operation, mpi.Op):
        raise OpError(f"op is {op!r}; a lower-case reduction takes the function that it is made of")
    return operation
