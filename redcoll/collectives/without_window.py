"""Reduce without a window: gather all vectors by MPI, then fold them on each rank.

For a communicator that has no team, and an operation or element type that MPI lacks.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.arguments import summary
from redcoll.datatypes import element_type
from redcoll.errors import CollectiveMismatchError, RemoteOpError
from redcoll.kernels import numpy as kernel
from redcoll.ops import Op
from redcoll.protocol.descriptor import EXSCAN, NO_ROOT, SCAN, describe, pack

Array = NDArray[Any]


def gather_and_fold(
    comm: MPI.Intracomm,
    collective: int,
    target: Array,
    source: Array,
    op: Op,
    root: int = NO_ROOT,
    counts: list[int] | None = None,
) -> bool:
    """Reduce like the function of the same name, in rank order.  Collective over ``comm``.

    Returns
    -------
    bool
        Whether this rank has a result, in ``target``.

    Raises
    ------
    CollectiveMismatchError
        Ranks made different calls.  All ranks raise it.
    RemoteOpError
        A user's function raised on another rank.
    """
    rank = comm.Get_rank()
    word = pack(collective, op.code, element_type(source.dtype).code, root)
    blocks = "" if counts is None else f" in blocks of {counts}"
    _require_one_call(comm, describe(word, source.size, op.mark) + blocks)
    rows = np.empty((comm.Get_size(), source.nbytes), np.uint8)
    comm.Allgather(source.view(np.uint8), rows)
    operands = [row.view(source.dtype) for row in rows]
    if collective in (SCAN, EXSCAN):
        operands = operands[: rank + (collective == SCAN)]
    has_result = bool(operands) and root in (NO_ROOT, rank)
    result = np.empty_like(source)
    error: BaseException | None = None
    try:
        if has_result:
            with np.errstate(all="ignore"):
                kernel.fold(op, operands, result)
    except BaseException as raised:  # noqa: BLE001 - of a user's function, or an interrupt
        error = raised
    errors = MPI.Comm.allgather(comm, None if error is None else summary(error))
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


def _require_one_call(comm: MPI.Intracomm, call: str) -> None:
    calls = MPI.Comm.allgather(comm, call)
    if any(other != call for other in calls):
        told = "; ".join(f"rank {rank} called {other}" for rank, other in enumerate(calls))
        raise CollectiveMismatchError(f"the ranks do not agree: {told}. Nothing was written.")
