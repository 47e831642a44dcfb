"""Reduce: compute the left fold of all members' vectors on one member."""

from __future__ import annotations

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer
from redcoll.collectives._arguments import flat, prepare, team_of
from redcoll.collectives._folding import fold
from redcoll.op_lookup import OpLike, spelled
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import REDUCE
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common


def reduce(
    target: Array | None,
    source: Array,
    op: OpLike = SUM,
    root: int = 0,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on the root to the left fold of all members' ``source``.

    Collective over the team. If the vectors have at most 8 bytes, or at most 16 KiB on several
    nodes, members other than the root may get a mismatch in a later call. Arguments and errors are
    those of :func:`allreduce`, with these differences:

    Parameters
    ----------
    target
        Array for the result on the root. On other members it stays unchanged and can be None.
    root
        Team rank (not PE number) of the member that gets the result.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> largest = np.zeros(1) if redcoll.my_pe() == 0 else None
    >>> redcoll.reduce(largest, np.array([1.0 + redcoll.my_pe()]), redcoll.MAX, root=0)
    >>> largest is None or int(largest[0]) == redcoll.n_pes()
    True
    """
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        if type(root) is not int:
            with team.checking(REDUCE):
                root = integer(root, "root", 0, team.size - 1)
        into = target if team.index == root else None
        if team.small(REDUCE, into, source, op, root) or (
            type(op) is not Op and team.small(REDUCE, into, source, spelled(op), root)
        ):
            return
        _check_and_make(team, into, source, op, root)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def _check_and_make(team: Team, into: Array | None, source: Array, op: OpLike, root: int) -> None:
    here = team.index == root
    members = team.size if here else 0
    call = prepare(team, REDUCE, into, source, op, root, members=members, has_target=here)
    source = flat(source)
    # Members other than the root have no target. They pass the source, which is not written.
    fold(team, call, source if into is None else flat(into), source, members)
