"""Reduce several values in one round on a communicator."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll.collectives._items import checked_items
from redcoll.collectives._tree import rebuilt, walk
from redcoll.collectives.many import reduce_values
from redcoll.MPI import _objects, _reductions
from redcoll.protocol.descriptor import ALLREDUCE, NO_ROOT, REDUCE, REDUCE_MANY
from redcoll.team.comm_state import CommState


def reduction(
    comm: mpi.Intracomm,
    state: CommState,
    collective: int,
    values: Any,
    op: Any,
    root: Any = NO_ROOT,
) -> Any:
    """Reduce several values.  Collective over ``comm``, whose state is ``state``."""
    if state.team is not None:
        return reduce_values(state.team, collective, values, op, root)
    checked_items(values, op)
    single = REDUCE if collective == REDUCE_MANY else ALLREDUCE
    results = []
    for _, value, its_op in walk(values, op, "values"):
        if isinstance(value, np.ndarray):
            source = np.ascontiguousarray(value)
            result: Any = np.empty(value.shape, value.dtype)
            _reductions.reduction(comm, state, single, source, result, its_op, root)
        else:
            result = _objects.reduction(comm, state, single, value, its_op, root)
        results.append(result)
    has_result = root in (NO_ROOT, comm.Get_rank())
    return rebuilt(values, iter(results)) if has_result else None
