"""The upper-case reductions: on the core, or by MPI itself.

Who takes which way is decided by all together: a rank whose arguments only MPI can reduce
asks the others in the same round (``Team.delegate``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll.collectives.plan import Plan, complete_started
from redcoll.errors import DelegatedError
from redcoll.MPI import _itself
from redcoll.MPI._arguments import EQUAL_BLOCKS, Reduction, checked_counts, checked_root, sorted_out
from redcoll.MPI._bond import Bond
from redcoll.MPI._ops import Op
from redcoll.MPI._shortcut import done_at_once
from redcoll.signature import (
    NO_ROOT,
    OBJECTS,
    PLAN_ALLREDUCE,
    PLAN_REDUCE,
    REDUCE,
    REDUCE_SCATTER,
    pack,
)
from redcoll.team import Team


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
        ``CollectiveMismatchError``, unless their own arguments are wrong too.
    CollectiveError
        As the core's reductions do.
    """
    team = bond.team
    try:
        if team is not None:
            if type(op) is Op and type(root) is int and recvcounts is EQUAL_BLOCKS:
                if team.started:
                    complete_started(team)
                if team.small(collective, recvbuf, sendbuf, op.core, root):
                    return
                if done_at_once(team, collective, sendbuf, recvbuf, op.core, root):
                    return
            _by_core(comm, team, collective, sendbuf, recvbuf, op, root, recvcounts)
            return
    except DelegatedError:
        pass
    _by_mpi(comm, collective, sendbuf, recvbuf, op, root, recvcounts)


def _by_core(
    comm: mpi.Intracomm,
    team: Team,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any,
    recvcounts: Sequence[int] | None,
) -> None:
    if team.started:
        complete_started(team)
    if collective == REDUCE:
        root = checked_root(comm, team, root)
    call = sorted_out(comm, team, collective, sendbuf, recvbuf, op, root, recvcounts)
    if call is None:
        team.delegate(collective, root)
    if recvcounts is not EQUAL_BLOCKS:
        _set_counts(comm, team, call, recvcounts)
    call.by_core(team)


def _by_mpi(
    comm: mpi.Intracomm,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any,
    recvcounts: Sequence[int] | None,
) -> None:
    if collective == REDUCE:
        root = checked_root(comm, None, root)
    call = sorted_out(comm, None, collective, sendbuf, recvbuf, op, root, recvcounts)
    if call is not None:
        if recvcounts is not EQUAL_BLOCKS:
            _set_counts(comm, None, call, recvcounts)
        call.by_mpi(comm)
    elif collective == REDUCE:
        mpi.Intracomm.Reduce(comm, sendbuf, recvbuf, op, root)
    elif collective != REDUCE_SCATTER:
        _itself.METHODS[collective](comm, sendbuf, recvbuf, op)
    elif recvcounts is EQUAL_BLOCKS:
        mpi.Intracomm.Reduce_scatter_block(comm, sendbuf, recvbuf, op)
    else:
        mpi.Intracomm.Reduce_scatter(comm, sendbuf, recvbuf, recvcounts, op)


def plan(
    comm: mpi.Intracomm,
    bond: Bond,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any = NO_ROOT,
) -> tuple[Plan, Reduction] | None:
    """A plan of an allreduce, or with a root of a reduce, on the core; None if MPI must.

    Collective over ``comm``. Arguments and errors are those of :func:`reduction`.
    """
    team = bond.team
    if team is None:
        return None
    if team.started:
        complete_started(team)
    if collective == REDUCE:
        root = checked_root(comm, team, root)
    call = sorted_out(comm, team, collective, sendbuf, recvbuf, op, root, EQUAL_BLOCKS)
    try:
        if call is None:
            team.delegate(PLAN_REDUCE if collective == REDUCE else PLAN_ALLREDUCE, root)
        return Plan(team, call.result, call.source.elements, call.core, root), call
    except DelegatedError:
        return None


def _set_counts(
    comm: mpi.Intracomm, team: Team | None, call: Reduction, recvcounts: Sequence[int] | None
) -> None:
    """The blocks of a reduce_scatter.  Collective if they are not given.

    Raises
    ------
    ValueError
        They contradict the buffers, in mpi4py's words.
    """
    target = call.target or call.source
    is_in_place = target is call.source
    if recvcounts is None and not is_in_place:
        if team is None:
            recvcounts = mpi.Comm.allgather(comm, target.count)
        else:
            word = pack(REDUCE_SCATTER, element=OBJECTS)
            recvcounts = [tag for tag, _ in team.share(word, 0, target.count, b"")]
    try:
        counts = checked_counts(comm, call.source, target, recvcounts)
    except Exception as error:
        if team is not None:
            team.decline(pack(REDUCE_SCATTER), error)
        raise
    call.counts = counts
    if is_in_place:
        call.result = np.empty(counts[comm.Get_rank()], call.source.elements.dtype)
