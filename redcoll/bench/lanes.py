"""Define the interface of a lane, which is an implementation on one kind of arrays.

For a cell and its buffers, a lane makes a callable for each buffer set. The stopwatch runs these
callables. If a lane is not installed, or cannot run a cell, the lane raises ``Absent``. The report
then gives the reason.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mpi4py import MPI

import redcoll
from redcoll import world
from redcoll.bench.buffers import Arena, Buffers, private
from redcoll.bench.cases import Cell
from redcoll.team import Team

Calls = list[Callable[[], object]]

SYMMETRIC, PRIVATE = "symmetric", "private"
PATHS = (SYMMETRIC, PRIVATE)

SHMEM_OPS = ("sum", "prod", "max", "min", "and", "or", "xor")


class Absent(Exception):  # noqa: N818 - not an error, but a fact to report
    """A lane is not installed, or has no such routine. The text is the reason."""


@dataclass(frozen=True)
class Members:
    """The PEs that measure together, which are the first PEs of the job."""

    comm: MPI.Intracomm
    team: Team

    @classmethod
    def first(cls, pes: int) -> Members:
        """Return the first ``pes`` PEs of the job.  Collective over these PEs."""
        team = world.start().team_of(redcoll.ActiveSet(0, 0, pes))
        return cls(team.comm.Dup(), team)

    @property
    def index(self) -> int:
        """The caller's team rank."""
        return self.team.index


class Lane(ABC):
    """An implementation on one kind of arrays.  Construction is collective over the job."""

    name: ClassVar[str]
    tolerance_per_pe: ClassVar[float] = 0
    """Allowed error of a result, in units of rounding, for each PE that takes part. With 0 all bits
    must match."""
    folds_by_nodes: ClassVar[bool] = True
    """Whether the sources of each node are combined first in the expected result."""
    is_in_place: ClassVar[bool] = False
    """Whether the result replaces the root's source."""
    copies: ClassVar[bool] = False
    """Whether the lane only copies each PE's source to its target."""

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:  # noqa: ARG002 - some allocate
        """Prepare for this kind of arrays and these cells.  Collective over all PEs of the job.

        Raise ``Absent`` if the lane is not installed, or does not take such arrays.
        """
        self.path = path

    @property
    def memory(self) -> str:
        """A name for the memory of the buffers. Lanes with the same name share buffers."""
        return self.path

    def enter(self, members: Members) -> None:  # noqa: B027 - most have nothing to do
        """Prepare for a set of PEs.  Collective over the set."""

    def leave(self) -> None:  # noqa: B027
        """Free the resources that ``enter`` has made.  Collective over the set."""

    def close(self) -> None:  # noqa: B027
        """Free the memory of the lane.  Collective over all PEs of the job."""

    def buffers(self, cell: Cell, arena: Arena | None) -> Buffers:
        """Return the arrays for the calls of a cell.

        Raise ``Absent`` if there are no arrays of the kind ``path``.
        """
        if self.path == PRIVATE:
            return private(cell)
        if arena is None:
            raise Absent("no symmetric memory was allocated")
        return arena.buffers(cell)

    @abstractmethod
    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return a callable for each buffer set.

        Raise ``Absent`` if this lane cannot run the cell.
        """
