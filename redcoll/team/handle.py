"""What other APIs pass as the team of a collective call."""

from __future__ import annotations

from redcoll._mpi4py import MPI
from redcoll.team.team import Team


class TeamHandle:
    """Stands for a team in another API.  The collectives take it as ``team``."""

    __slots__ = ()

    def core(self) -> Team:
        """Return the team.  Can be collective over the team at its first use.

        Raises
        ------
        ArgumentError
            The handle stands for no team.
        StateError
            The team has been closed.
        """
        raise NotImplementedError

    def known_core(self) -> Team | None:
        """Return the team; None if there is none, or not before its first use.  Local."""
        raise NotImplementedError


TeamLike = Team | TeamHandle | MPI.Intracomm
"""Everything that the collectives take as ``team``.

A communicator has one team, which its reductions in ``redcoll.MPI`` use too. The first call makes
the team.
"""
