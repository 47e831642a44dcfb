"""Implement the upper-case reductions: a call goes to redcoll's core or to MPI.

The diagram in :mod:`redcoll.MPI` shows the steps. All ranks make the same choice. If only MPI can
reduce the arguments of a rank, this rank asks for MPI's reduction in the round of the call
(``Team.delegate``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NoReturn

from mpi4py import MPI as mpi

from redcoll.errors import CollectiveError, DelegatedError, OpError
from redcoll.MPI._call import Call, NativeCall, parse_call
from redcoll.MPI._fastpath import try_fast
from redcoll.MPI._native import EQUAL_BLOCKS
from redcoll.MPI._ops import Op
from redcoll.op_lookup import spelled
from redcoll.protocol.descriptor import NO_ROOT, pack
from redcoll.team import Team
from redcoll.team.comm_state import CommState

_BY_MPI = (
    *(mpi.Exception, CollectiveError, BufferError, LookupError, NotImplementedError),
    *(OverflowError, TypeError, ValueError),
)
"""The exceptions of MPI's own reduction. All ranks have agreed on that reduction before, so the
team stays usable."""


def reduction(
    comm: mpi.Intracomm,
    state: CommState,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any = NO_ROOT,
    recvcounts: Sequence[int] | None = EQUAL_BLOCKS,
) -> None:
    """Perform an upper-case reduction.  Collective over ``comm``, whose state is ``state``.

    Parameters
    ----------
    recvcounts
        Number of elements of each rank's block in a reduce_scatter. With None the ranks exchange
        these numbers.

    Raises
    ------
    Exception
        The exception of mpi4py for wrong arguments of this rank. Ranks with correct arguments then
        raise ``CollectiveMismatchError``. Without a team the other ranks are not notified, as in
        mpi4py.
    CollectiveError
        The errors of the core's reductions, if there is a team.
    """
    team = state.team
    is_delegated = False
    if team is not None and type(root) is int and recvcounts is EQUAL_BLOCKS:
        core = op.core if type(op) is Op else spelled(op)
        try:
            if team.small(collective, recvbuf, sendbuf, core, root):
                return
            if try_fast(team, collective, sendbuf, recvbuf, core, root):
                return
        except DelegatedError:
            is_delegated = True  # another rank asks for MPI
    arguments = sendbuf, recvbuf, op, root, recvcounts
    _parse_and_make(comm, state, collective, arguments, is_delegated=is_delegated)


def _parse_and_make(
    comm: mpi.Intracomm,
    state: CommState,
    collective: int,
    arguments: tuple[Any, ...],
    *,
    is_delegated: bool,
) -> None:
    """Perform a reduction that the fast path cannot make, or for which another rank needs MPI."""
    team = state.team
    call = _parsed(comm, team, collective, *arguments)
    why: str | Exception | None = state.error
    if team is not None:
        with contextlib.suppress(DelegatedError):
            if not is_delegated:
                if isinstance(call, NativeCall):
                    why = call.reason
                    team.delegate(collective, call.root)
                call.by_core(team)
                return
        why = why or "another rank's arguments"
        _agree_on_mpi(team, call)
    try:
        _by_mpi(why, call, comm)
    except _BY_MPI as error:
        if team is not None:
            team.common(error)
        raise


def _parsed(
    comm: mpi.Intracomm, team: Team | None, collective: int, *arguments: Any
) -> Call | NativeCall:
    """Parse the call, and report wrong arguments to the other ranks."""
    try:
        return parse_call(comm, collective, *arguments)
    except Exception as error:  # noqa: BLE001 - a program's object can raise any exception
        refuse(comm, team, collective, error)


def _agree_on_mpi(team: Team, call: Call | NativeCall) -> None:
    """Raise on all ranks if MPI cannot perform the call of some rank.  Collective over the team.

    Without this check, that rank would gather vectors while the other ranks wait in MPI's
    reduction.
    """
    with team.checking(call.collective):
        if isinstance(call, Call) and not call.can_be_by_mpi():
            raise OpError(
                f"op is {call.core.name}, which MPI cannot do on {call.source.elements.dtype}; "
                "another rank's buffers are such as only MPI can reduce"
            )
    team.round(pack(call.collective))


def refuse(comm: mpi.Intracomm, team: Team | None, collective: int, error: Exception) -> NoReturn:
    """Raise the error of a wrong argument, and report it to the other ranks.

    Call the communicator's error handler, if MPI would call it for this error.
    """
    if team is not None:
        team.decline(pack(collective), error)
    if isinstance(error, mpi.Exception):
        comm.Call_errhandler(error.Get_error_code())
    raise error


def _by_mpi(
    why: str | Exception | None,  # noqa: ARG001 - for REDCOLL_REPORT
    call: Call | NativeCall,
    comm: mpi.Intracomm,
) -> None:
    call.by_mpi(comm)
