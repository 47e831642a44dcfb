"""Define what collectives accept as their team."""

from __future__ import annotations

from redcoll._mpi4py import MPI
from redcoll.team.team import Team


class TeamHandle:
    """Base class for another API's object that stands for a team."""

    __slots__ = ()

    def core(self) -> Team:
        """Return the team.  The first use can be collective over the team.

        Raise ``ArgumentError`` if the handle does not stand for a team, and ``StateError`` if the
        team has been closed.
        """
        raise NotImplementedError

    def known_core(self) -> Team | None:
        """Return the team; None if there is no team, or before its first use.  Local."""
        raise NotImplementedError


TeamLike = Team | TeamHandle | MPI.Intracomm
"""Everything that the collectives take as ``team``.

For a communicator the first call makes a team. Reductions of ``redcoll.MPI`` on this communicator
use the same team.
"""
