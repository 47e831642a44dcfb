"""The short way of whole arrays in C order: nothing to sort out, only to make sure of that.

Everything else, and every error, is for :mod:`redcoll.MPI._call`: here a reduction is
done, or not begun.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy import may_share_memory, ndarray
from numpy.typing import NDArray

from redcoll import ops
from redcoll.MPI._call import on_core
from redcoll.MPI._datatypes import unlimited
from redcoll.protocol.descriptor import NO_ROOT, REDUCE_SCATTER
from redcoll.team import Team

Array = NDArray[Any]

_NO_ARRAY: tuple[None, int] = (None, 0)


def done_at_once(
    team: Team,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    core: ops.Op | None,
    root: int = NO_ROOT,
) -> bool:
    """Reduce on the core, if a call of this shape has been made before on such arrays.

    Collective over the team, unless it returns False: then nothing was posted or written.

    Parameters
    ----------
    core
        The core's operation; None, which nothing is known of, for one that it has not.
    root
        Of a reduce: a rank that there is, or nothing is done.

    Raises
    ------
    CollectiveError
        Also ``DelegatedError``, where another rank wants MPI to do it.
    """
    # Where a vector is in blocks, a count is that of one.
    n_items = 2 if collective == REDUCE_SCATTER else 3
    kernel = team.kernel
    has_result = root < 0 or root == team.index
    target, target_type = _whole_array(recvbuf, n_items, kernel) if has_result else _NO_ARRAY
    if (sendbuf is mpi.IN_PLACE or sendbuf is None) and collective != REDUCE_SCATTER:
        source, source_type = target, target_type
    else:
        source, source_type = _whole_array(sendbuf, n_items, kernel)
    if source is None or (has_result and (target is None or source_type != target_type)):
        return False
    is_new = source is not sendbuf or target is not recvbuf
    if is_new and team.small(collective, target, source, core, root):
        return True
    call = team.calls.get((collective, core, source.dtype, source.size, root, 0))
    if call is None or not source.flags.c_contiguous:
        return False
    if target is not None and not _go_together(team, collective, target, source):
        return False
    on_core(team, collective, target, source, call.op, root)
    return True


def _whole_array(message: Any, n_items: int, kernel: ModuleType) -> tuple[Array | None, int]:
    """The array that a message is all of, and the handle of the datatype it names, or 0.

    None if it is anything else, such as a message of more than ``n_items`` items.
    """
    if type(message) is ndarray:
        return message, 0
    if type(message) is not list and type(message) is not tuple:
        return _NO_ARRAY
    length = len(message)
    if not 2 <= length <= n_items:
        return _NO_ARRAY
    array, datatype = message[0], message[-1]
    if type(array) is not ndarray:
        return _NO_ARRAY
    if length == 3 and (type(message[1]) is not int or message[1] != array.size):
        return _NO_ARRAY
    handle = _handle(datatype, array.dtype, kernel)
    return (array, handle) if handle else _NO_ARRAY


def _handle(datatype: Any, own: np.dtype[Any], kernel: ModuleType) -> int:
    """The handle of a datatype, if the core may do all on it and it is what ``own`` is; or 0."""
    if not isinstance(datatype, mpi.Datatype):
        return 0
    handle = datatype.handle
    named = unlimited().get(handle)
    # Not just "equal": numpy's float64 equals None.
    if named is None or (named is not own and named != own):
        return 0
    # To hold structured types against each other takes longer than to reduce a pair, so the
    # kernel is told. A datatype that the program made could be freed, and become another.
    if datatype.is_predefined:
        kernel.know_name(datatype, own)
    return handle


def _go_together(team: Team, collective: int, target: Array, source: Array) -> bool:
    """Whether two arrays surely can be target and source."""
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
