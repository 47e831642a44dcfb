"""Implement the fast path for whole arrays in C order, which need no conversion.

:mod:`redcoll.MPI._call` handles all other arguments, and all errors. The fast path either completes
a call or does nothing.
"""

from __future__ import annotations

from typing import Any

from mpi4py import MPI as mpi
from numpy import may_share_memory

from redcoll import ops
from redcoll.arguments import Array
from redcoll.collectives.dispatch import reduce_by_code
from redcoll.MPI._message import whole_array
from redcoll.protocol.descriptor import NO_ROOT, REDUCE_SCATTER, Call
from redcoll.team import Team


def try_fast(
    team: Team,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    core: ops.Op | None,
    root: int = NO_ROOT,
) -> bool:
    """Reduce on the core if the team has made a call with this operation, type and count before.

    If the result is True, the call was collective over the team. If the result is False, the call
    has published and written nothing. The result is False if ``core`` is None, or if no rank has
    the number ``root``. Raise the core's errors, and ``DelegatedError`` if another rank asks for
    MPI's reduction.
    """
    # In a reduce_scatter, the count in a message can be the length of one block. Leave messages
    # with a count to parse().
    n_items = 2 if collective == REDUCE_SCATTER else 3
    kernel = team.kernel
    has_result = root < 0 or root == team.index
    target, target_type = whole_array(recvbuf, n_items, kernel) if has_result else (None, 0)
    if (sendbuf is mpi.IN_PLACE or sendbuf is None) and collective != REDUCE_SCATTER:
        source, source_type = target, target_type
    else:
        source, source_type = whole_array(sendbuf, n_items, kernel)
    if source is None or (has_result and (target is None or source_type != target_type)):
        return False
    is_new = source is not sendbuf or target is not recvbuf
    if is_new and team.small(collective, target, source, core, root):
        return True
    call = team.calls.get((collective, core, source.dtype, source.size, root, 0))
    if not isinstance(call, Call) or not source.flags.c_contiguous:
        return False
    if target is not None and not _go_together(team, collective, target, source):
        return False
    reduce_by_code(team, collective, target, source, call.op, root)
    return True


def _go_together(team: Team, collective: int, target: Array, source: Array) -> bool:
    """Return whether two arrays are certainly valid as target and source."""
    count = target.size * team.size if collective == REDUCE_SCATTER else target.size
    flags = target.flags
    if count != source.size or not flags.c_contiguous or not flags.writeable:
        return False
    if target is source:
        return collective != REDUCE_SCATTER
    if target.dtype is not source.dtype:
        return False
    # Two arrays that own their memory cannot overlap.
    is_distinct = target.base is None and source.base is None
    return is_distinct or not may_share_memory(target, source)
