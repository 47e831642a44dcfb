"""MPI's own reductions: for what the core does not do, and for communicators without a team.

Also mpi4py's word on wrong arguments: what it refuses is refused here in the same way.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll import ops
from redcoll.comm import private_copy
from redcoll.errors import CollectiveMismatchError, RemoteOpError, TeamLimitError
from redcoll.kernels import numpy as kernel
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, NO_ROOT, REDUCE, REDUCE_SCATTER, SCAN

Array = NDArray[Any]

METHODS: dict[int, Any] = {
    ALLREDUCE: mpi.Intracomm.Allreduce,
    REDUCE: mpi.Intracomm.Reduce,
    SCAN: mpi.Intracomm.Scan,
    EXSCAN: mpi.Intracomm.Exscan,
    REDUCE_SCATTER: mpi.Intracomm.Reduce_scatter,
}

EQUAL_BLOCKS: list[int] = []
"""In place of ``recvcounts``: every rank gets a block of one length.

Known by its identity: a list of its own, as callers may pass one without items too.
"""

# A persistent reduction on one process that has the arguments of each of ours.
_LIKE: dict[int, Any] = {
    ALLREDUCE: mpi.Intracomm.Allreduce_init,
    REDUCE: mpi.Intracomm.Allreduce_init,
    SCAN: mpi.Intracomm.Scan_init,
    EXSCAN: mpi.Intracomm.Exscan_init,
    REDUCE_SCATTER: mpi.Intracomm.Allreduce_init,
}


def reduction(
    comm: mpi.Intracomm,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: int,
    recvcounts: Sequence[int] | None,
) -> None:
    """mpi4py's reduction, as it is.  Collective over ``comm``."""
    if collective == REDUCE:
        mpi.Intracomm.Reduce(comm, sendbuf, recvbuf, op, root)
    elif collective != REDUCE_SCATTER:
        METHODS[collective](comm, sendbuf, recvbuf, op)
    elif recvcounts is EQUAL_BLOCKS:
        mpi.Intracomm.Reduce_scatter_block(comm, sendbuf, recvbuf, op)
    else:
        mpi.Intracomm.Reduce_scatter(comm, sendbuf, recvbuf, recvcounts, op)


def refuse_what_mpi4py_refuses(
    collective: int, sendbuf: Any, recvbuf: Any, op: Any, *, has_result: bool
) -> None:
    """Raise what mpi4py, or the MPI below, raises for these arguments.  Local.

    A persistent reduction of one process has all arguments checked and is never
    started, so nothing is read or written.

    Parameters
    ----------
    has_result
        Whether ``recvbuf`` counts on this rank.
    """
    prepare = functools.partial(_LIKE[collective], _oneself())
    try:
        if not has_result:
            _refuse_source(sendbuf, op)
        elif sendbuf is None or sendbuf is mpi.IN_PLACE:
            prepare(mpi.IN_PLACE, recvbuf, op).Free()
        elif collective == REDUCE_SCATTER:  # whose buffers differ in length
            prepare(mpi.IN_PLACE, recvbuf, op).Free()
            _refuse_source(sendbuf, op)
        else:
            prepare(sendbuf, recvbuf, op).Free()
    except NotImplementedError:
        return  # an MPI without persistent collectives: it will speak for itself


def _refuse_source(sendbuf: Any, op: Any) -> None:
    try:
        _oneself().Allreduce_init(mpi.IN_PLACE, sendbuf, op).Free()
    except BufferError:
        # It may just be read-only, which a source may be.
        _oneself().Send_init(sendbuf, 0).Free()


@functools.cache
def _private_self() -> mpi.Intracomm:
    return private_copy(mpi.COMM_SELF)


def _oneself() -> mpi.Intracomm:
    """The calling process alone, where errors come back whatever the program wants of them."""
    try:
        return _private_self()
    except TeamLimitError:
        return mpi.COMM_SELF  # MPI has no communicator left


def can_reduce(op: Any, datatype: mpi.Datatype | None, dtype: np.dtype[Any]) -> bool:
    """Whether MPI has this operation on this type."""
    if datatype is None or not isinstance(op, mpi.Op):
        return False
    if getattr(op, "function", None) is not None:
        return op.handle != mpi.OP_NULL.handle
    return _can_reduce(op.handle, datatype.handle, dtype)


@functools.cache
def _can_reduce(op: int, datatype: int, dtype: np.dtype[Any]) -> bool:
    message = [np.zeros(1, dtype), 1, mpi.Datatype.fromhandle(datatype)]
    try:
        _oneself().Allreduce(mpi.IN_PLACE, message, mpi.Op.fromhandle(op))
    except mpi.Exception:
        return False
    return True


def gather_and_fold(
    comm: mpi.Intracomm,
    collective: int,
    target: Array,
    source: Array,
    op: ops.Op,
    root: int = NO_ROOT,
    counts: list[int] | None = None,
) -> bool:
    """The core's reduction without the core's protocol: all vectors, folded on each process.

    For what neither a team nor MPI can reduce. Collective over ``comm``; the arguments are
    those of the core's functions. Returns whether this process has a result in ``target``.

    Raises
    ------
    CollectiveMismatchError
        Processes called something else: on all alike.
    RemoteOpError
        A user's function raised on another process.
    """
    rank = comm.Get_rank()
    _require_one_call(comm, (collective, op.name, str(source.dtype), source.size, root))
    rows = np.empty((comm.Get_size(), source.nbytes), np.uint8)
    comm.Allgather(source.view(np.uint8), rows)
    operands = [row.view(source.dtype) for row in rows]
    if collective in (SCAN, EXSCAN):
        operands = operands[: rank + (collective == SCAN)]
    has_result = bool(operands) and root in (NO_ROOT, rank)
    result = np.empty_like(source)
    error: Exception | None = None
    try:
        if has_result:
            with np.errstate(all="ignore"):
                kernel.fold(op, operands, result)
    except Exception as raised:  # noqa: BLE001 - whatever a user's function raises
        error = raised
    errors = mpi.Comm.allgather(comm, error and f"{type(error).__name__}: {error}")
    if error is not None:
        raise error
    if any(errors):
        told = "; ".join(f"rank {i} raised {text}" for i, text in enumerate(errors) if text)
        raise RemoteOpError(told)
    if has_result and counts is not None:
        ends = list(itertools.accumulate(counts))
        result = result[ends[rank] - counts[rank] : ends[rank]]
    if has_result:
        target[...] = result
    return has_result


def _require_one_call(comm: mpi.Intracomm, call: tuple[Any, ...]) -> None:
    calls = mpi.Comm.allgather(comm, call)
    if any(other != call for other in calls):
        raise CollectiveMismatchError(f"the processes do not agree: {calls}. Nothing was written.")
