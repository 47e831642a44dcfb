"""Barrier: run one round without payload."""

from __future__ import annotations

from redcoll import world
from redcoll.activeset import ActiveSet
from redcoll.collectives._arguments import team_of
from redcoll.protocol.descriptor import BARRIER, pack
from redcoll.team import TeamLike
from redcoll.world import revoke_unless_common

_WORD = pack(BARRIER)


def barrier(*, team: TeamLike | None = None, active_set: ActiveSet | None = None) -> None:
    """Wait until all members have called :func:`barrier`.  Collective over the team.

    After the call, every member sees everything that the members stored in symmetric memory before
    their calls.

    Raises
    ------
    ArgumentError
        ``team`` or ``active_set`` is wrong. Only the caller raises it.
    CollectiveMismatchError
        Some members called another collective. All members raise it.
    PeerLostError, CollectiveTimeoutError, TeamBrokenError
        A member has left, has died or is late; or an earlier call broke the team.
    """
    try:
        members = team_of(team, active_set)
        world.complete_remote()
        members.round(_WORD)
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise
