"""Implement teams: ordered lists of ranks that reduce together."""

from redcoll.team.construction import Agreed, HeapRequest, agree, make_team, open_team
from redcoll.team.handle import TeamHandle, TeamLike
from redcoll.team.revocation import revoking
from redcoll.team.team import Team

__all__ = ["Agreed", "HeapRequest", "Team", "TeamHandle", "TeamLike", "agree", "make_team",
           "open_team", "revoking"]  # fmt: skip
