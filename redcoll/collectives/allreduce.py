"""Allreduce: compute the left fold of all members' vectors on all members."""

from __future__ import annotations

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array
from redcoll.collectives._arguments import flat, prepare, team_of
from redcoll.collectives._folding import fold
from redcoll.op_lookup import OpLike, spelled
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import ALLREDUCE, Call
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common


def allreduce(
    target: Array,
    source: Array,
    op: OpLike = SUM,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on every member to the left fold of all members' ``source``.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given.

    Parameters
    ----------
    target
        C-contiguous array for the result, with the element type and the number of elements of
        ``source``. It is the same array as ``source`` (in place), or disjoint from it.
    source
        C-contiguous array of any element type that redcoll takes. Long vectors are fastest when
        both arrays are symmetric.
    op
        An operation of redcoll or of MPI (``MPI.SUM``), its name (``"sum"``), a binary
        ufunc (``numpy.add``), or a callable on two arrays (:func:`redcoll.user_op`).
    team
        A :class:`redcoll.Team`, the handle of a team of another API, or an MPI communicator.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError``, ``OpError`` or ``OverlapError``.
        The other members get ``CollectiveMismatchError``. A wrong ``team`` or ``active_set`` raises
        on the caller alone, because redcoll does not know the other members.
    CollectiveMismatchError
        Members passed different counts, types or operations. All members raise it.
    RemoteOpError
        A user's function raised on another member.
    PeerLostError, CollectiveTimeoutError, TeamBrokenError
        A member has left, has died or is late; or an earlier call broke the team.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> total = np.zeros(3)
    >>> redcoll.allreduce(total, np.ones(3))
    >>> bool((total == redcoll.n_pes()).all())
    True
    """
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        if team.small(ALLREDUCE, target, source, op) or (
            type(op) is not Op and team.small(ALLREDUCE, target, source, spelled(op))
        ):
            return
        _check_and_make(team, target, source, op)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def _check_and_make(team: Team, target: Array, source: Array, op: OpLike) -> None:
    call = prepare(team, ALLREDUCE, target, source, op)
    perform(team, call, flat(target), flat(source))


def prepare_call(team: Team, target: Array, source: Array, op: OpLike) -> Call:
    """Check a call on these vectors; return the :class:`Call` to pass to :func:`perform`.

    Local. This function raises the errors of :func:`allreduce`, and reports them to the other
    members.
    """
    return prepare(team, ALLREDUCE, target, source, op)


def perform(team: Team, call: Call, target: Array, source: Array) -> None:
    """Perform an allreduce after :func:`prepare_call`.  Collective over the team."""
    if not team.small(ALLREDUCE, target, source, call.op):
        reduce_prepared(team, call, target, source)


def reduce_prepared(team: Team, call: Call, target: Array, source: Array) -> None:
    """Perform a prepared allreduce that the kernel has not cached.  Collective over the team."""
    fold(team, call, target, source, team.size)
