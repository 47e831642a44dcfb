"""Reduce without a window: gather all vectors by MPI, then fold them on each rank.

redcoll uses this module for communicators without a team, and for operations or element types that
MPI lacks.
"""

from __future__ import annotations

import itertools

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.arguments import Array, summary
from redcoll.comm import gather_objects
from redcoll.errors import CollectiveMismatchError, RemoteOpError
from redcoll.ops import Op
from redcoll.protocol.descriptor import EXSCAN, NO_ROOT, SCAN, describe, pack


def gather_and_fold(
    comm: MPI.Intracomm,
    collective: int,
    target: Array,
    source: Array,
    op: Op,
    root: int = NO_ROOT,
    counts: list[int] | None = None,
) -> bool:
    """Perform the reduction with the code ``collective``, in rank order.  Collective over ``comm``.

    Return whether ``target`` has a result on this rank. Raise ``CollectiveMismatchError`` on all
    ranks if they made different calls. Raise ``RemoteOpError`` if a user's function raised on
    another rank, or if another rank has not enough memory.
    """
    from redcoll.kernels._python.folds import fold  # few programs need it

    rank = comm.Get_rank()
    word = pack(collective, op.code, op.element_of(source.dtype).code, root)
    call = describe(word, source.size, op.mark)
    if counts is not None:
        call += f" in blocks of {counts}"
    error: BaseException | None = None
    try:
        rows = np.empty((comm.Get_size(), source.nbytes), np.uint8)
        result = np.empty_like(source)
    except MemoryError as raised:
        error = raised
    _require_all(comm, call, error)
    comm.Allgather(source.view(np.uint8), rows)
    operands = [row.view(source.dtype) for row in rows]
    if collective in (SCAN, EXSCAN):
        operands = operands[: rank + (collective == SCAN)]
    has_result = bool(operands) and root in (NO_ROOT, rank)
    try:
        if has_result:
            with np.errstate(all="ignore"):
                fold(op, operands, result)
    except BaseException as raised:  # noqa: BLE001 - from a user's function, or an interrupt
        error = raised
    _require_all(comm, call, error)
    if has_result and counts is not None:
        ends = list(itertools.accumulate(counts))
        result = result[ends[rank] - counts[rank] : ends[rank]]
    if has_result:
        target[...] = result
    return has_result


def _require_all(comm: MPI.Intracomm, call: str, error: BaseException | None) -> None:
    """Raise on all ranks if their calls differ, or if a rank has an error."""
    told = gather_objects(comm, (call, None if error is None else summary(error)))
    if error is not None:
        raise error
    if any(other != call for other, _ in told):
        calls = "; ".join(f"rank {rank} called {other}" for rank, (other, _) in enumerate(told))
        raise CollectiveMismatchError(f"the ranks do not agree: {calls}. Nothing was written.")
    raised = "; ".join(f"rank {rank} raised {text}" for rank, (_, text) in enumerate(told) if text)
    if raised:
        raise RemoteOpError(raised)
