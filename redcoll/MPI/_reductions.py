"""The upper-case reductions: on the core, or by MPI itself.

Who takes which way is decided by all together: a rank whose arguments only MPI can reduce
asks the others in the same round (``Team.delegate``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpi4py import MPI as mpi

from redcoll.errors import CollectiveError, DelegatedError
from redcoll.MPI import _native
from redcoll.MPI._call import checked_root, sorted_out
from redcoll.MPI._fastpath import done_at_once
from redcoll.MPI._native import EQUAL_BLOCKS
from redcoll.MPI._ops import Op, as_mpi
from redcoll.ops import spelled
from redcoll.protocol.descriptor import NO_ROOT, REDUCE
from redcoll.team.comm_state import Bond

_BY_MPI = (
    *(mpi.Exception, CollectiveError, BufferError, LookupError, NotImplementedError),
    *(OverflowError, TypeError, ValueError),
)
"""What MPI's own reduction raises. The team has agreed before, and is not out of step."""


def reduction(
    comm: mpi.Intracomm,
    bond: Bond,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any = NO_ROOT,
    recvcounts: Sequence[int] | None = EQUAL_BLOCKS,
) -> None:
    """One reduction on whatever buffers mpi4py takes, and some more.  Collective over ``comm``.

    Parameters
    ----------
    bond
        That of ``comm``.
    recvcounts
        Elements of each rank's block, of a reduce_scatter; gathered if None.

    Raises
    ------
    Exception
        On wrong arguments what mpi4py raises; the other ranks then raise
        ``CollectiveMismatchError``, unless their own arguments are wrong too. Where there is
        no team they are not told, as in mpi4py.
    CollectiveError
        As the core's reductions do, on a team.
    """
    team = bond.team
    try:
        if team is not None and type(root) is int and recvcounts is EQUAL_BLOCKS:
            core = op.core if type(op) is Op else spelled(op)
            if team.small(collective, recvbuf, sendbuf, core, root):
                return
            if done_at_once(team, collective, sendbuf, recvbuf, core, root):
                return
        if collective == REDUCE:
            root = checked_root(comm, team, root)
        if team is not None:
            call = sorted_out(comm, team, collective, sendbuf, recvbuf, op, root, recvcounts)
            if isinstance(call, str):
                team.delegate(collective, root)
            call.by_core(team)
            return
    except DelegatedError:
        pass
    try:
        _by_mpi(comm, collective, sendbuf, recvbuf, op, root, recvcounts)
    except _BY_MPI as error:
        if team is not None:
            team.common(error)
        raise


def _by_mpi(
    comm: mpi.Intracomm,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: int,
    recvcounts: Sequence[int] | None,
) -> None:
    call = sorted_out(comm, None, collective, sendbuf, recvbuf, op, root, recvcounts)
    if isinstance(call, str):
        _native.reduction(comm, collective, sendbuf, recvbuf, as_mpi(op), root, recvcounts)
    else:
        call.by_mpi(comm)
