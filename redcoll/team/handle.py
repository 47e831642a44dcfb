"""Define the types that collectives accept as a team."""

from __future__ import annotations

from redcoll._mpi4py import MPI
from redcoll.team.team import Team


class TeamHandle:
    """The base class for objects of other APIs that stand for a team."""

    __slots__ = ()

    def core(self) -> Team:
        """Return the team.

        For some handles the first call makes the team, and is then collective over its members.

        Raise ``ArgumentError`` if the handle does not stand for a team, and ``StateError`` if the
        team has been closed.
        """
        raise NotImplementedError

    def known_core(self) -> Team | None:
        """Return the team; None if there is none, or before the handle's first use.  Local."""
        raise NotImplementedError


TeamLike = Team | TeamHandle | MPI.Intracomm
"""The types that collectives take as ``team``.

The first call with a communicator makes a team. Reductions of ``redcoll.MPI`` on the communicator
use the same team.
"""
