"""Call MPI's own reductions, if the core cannot make a call or if there is no team.

This module also runs mpi4py's checks of arguments, so that redcoll raises the same exceptions.
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll.comm import private_copy
from redcoll.errors import TeamLimitError
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, REDUCE, REDUCE_SCATTER, SCAN

_METHODS: dict[int, Any] = {
    ALLREDUCE: mpi.Intracomm.Allreduce,
    SCAN: mpi.Intracomm.Scan,
    EXSCAN: mpi.Intracomm.Exscan,
}

EQUAL_BLOCKS: list[int] = []
"""The value of ``recvcounts`` if the blocks of all ranks have the same length.

Compare with it by identity, because a program may also pass an empty list.
"""

# redcoll checks the arguments of each reduction by a persistent reduction of mpi4py on a
# communicator of one rank. On one rank, Allreduce_init accepts the arguments of every reduction
# that is not a scan.
_LIKE: dict[int, Any] = {SCAN: mpi.Intracomm.Scan_init, EXSCAN: mpi.Intracomm.Exscan_init}


def reduction(
    comm: mpi.Intracomm,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: int,
    recvcounts: Sequence[int] | None,
) -> None:
    """Call mpi4py's reduction.  Collective over ``comm``."""
    if collective == REDUCE:
        mpi.Intracomm.Reduce(comm, sendbuf, recvbuf, op, root)
    elif collective != REDUCE_SCATTER:
        _METHODS[collective](comm, sendbuf, recvbuf, op)
    elif recvcounts is EQUAL_BLOCKS:
        mpi.Intracomm.Reduce_scatter_block(comm, sendbuf, recvbuf, op)
    else:
        mpi.Intracomm.Reduce_scatter(comm, sendbuf, recvbuf, recvcounts, op)


def refuse_what_mpi4py_refuses(
    collective: int, sendbuf: Any, recvbuf: Any, op: Any, *, has_result: bool
) -> None:
    """Raise the error that mpi4py or MPI raises for these arguments, if any.  Local.

    MPI checks all arguments when it makes a persistent reduction on one rank. redcoll never starts
    this reduction, so MPI reads and writes nothing. ``has_result`` says whether this rank gets a
    result, so that ``recvbuf`` is used.
    """
    check = functools.partial(_refuse, _LIKE.get(collective, mpi.Intracomm.Allreduce_init))
    if not has_result:
        _refuse_source(sendbuf, op)
    elif sendbuf is None or sendbuf is mpi.IN_PLACE:
        check(mpi.IN_PLACE, recvbuf, op)
    elif collective == REDUCE_SCATTER:  # source and target of a reduce_scatter differ in length
        check(mpi.IN_PLACE, recvbuf, op)
        _refuse_source(sendbuf, op)
    else:
        check(sendbuf, recvbuf, op)


def _refuse_source(sendbuf: Any, op: Any) -> None:
    try:
        _refuse(mpi.Intracomm.Allreduce_init, mpi.IN_PLACE, sendbuf, op)
    except BufferError:
        # The buffer is wrong or read-only. A source can be read-only, so check the buffer as the
        # source of a send.
        _oneself().Send_init(sendbuf, 0).Free()


def _refuse(prepare: Any, sendbuf: Any, recvbuf: Any, op: Any) -> None:
    try:
        prepare(_oneself(), sendbuf, recvbuf, op).Free()
    except NotImplementedError:
        # This MPI has no persistent collectives. mpi4py has checked the buffers, but MPI has not
        # checked the datatype and the operation.
        _refuse_type_and_op(recvbuf, op)


def _refuse_type_and_op(message: Any, op: Any) -> None:
    """Let MPI check the datatype of a message, and the operation.  MPI reduces no elements."""
    datatype = message[-1] if isinstance(message, (list, tuple)) else None
    if not isinstance(datatype, mpi.Datatype):
        if op.handle != mpi.OP_NULL.handle:
            return
        datatype = mpi.BYTE  # of any type: the operation is wrong for all types
    _oneself().Allreduce(mpi.IN_PLACE, [bytearray(), 0, datatype], op)


@functools.cache
def _private_self() -> mpi.Intracomm:
    if mpi.Is_initialized():
        return private_copy(mpi.COMM_SELF)
    # MPI runs only in sessions, so there is no COMM_SELF.
    session = mpi.Session.Init()
    group = session.Create_group("mpi://SELF")
    comm = mpi.Intracomm.Create_from_group(group)
    for end in (session.Finalize, comm.Free, group.Free):  # called from last to first
        atexit.register(end)
    return comm


def _oneself() -> mpi.Intracomm:
    """Return a communicator of this rank alone, on which MPI returns errors to the caller."""
    try:
        return _private_self()
    except TeamLimitError:
        return mpi.COMM_SELF  # MPI can make no more communicators


def can_reduce(op: Any, datatype: mpi.Datatype | None, dtype: np.dtype[Any]) -> bool:
    """Return whether MPI has this operation on this type."""
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
