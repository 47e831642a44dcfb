"""Implement teams: ordered lists of ranks that reduce together."""

from redcoll.team.construction import make_team
from redcoll.team.handle import TeamHandle, TeamLike
from redcoll.team.revocation import revoking
from redcoll.team.team import Team

__all__ = ["Team", "TeamHandle", "TeamLike", "make_team", "revoking"]
