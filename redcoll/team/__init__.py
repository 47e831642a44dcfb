"""Implement teams: ordered lists of ranks that reduce together."""

from redcoll.team.construction import make_team
from redcoll.team.handle import TeamHandle, TeamLike
from redcoll.team.team import Team, revoking

__all__ = ["Team", "TeamHandle", "TeamLike", "make_team", "revoking"]
