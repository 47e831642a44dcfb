"""The lanes of the benchmark: a lane is one implementation on one kind of arrays.

For a cell and its buffers, a lane makes one callable for each buffer set, which the stopwatch runs.
A lane that is not installed, or cannot do a cell, raises ``Absent`` and is reported.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

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


class Absent(Exception):  # noqa: N818 - not an error: a fact to report
    """A lane is not installed, or has no such routine; the text is the reason."""


@dataclass(frozen=True)
class Members:
    """The PEs that measure together: the first ones of the job."""

    comm: MPI.Intracomm
    team: Team

    @classmethod
    def first(cls, pes: int) -> Members:
        """Return the first PEs of the job.  Collective over them."""
        everyone = world.start().team.comm
        whole = everyone.Get_group()
        group = whole.Range_incl([(0, pes - 1, 1)])
        comm = everyone.Create_group(group)
        group.Free()
        whole.Free()
        return cls(comm, world.start().team_of(redcoll.ActiveSet(0, 0, pes)))

    @property
    def index(self) -> int:
        """The caller's team rank."""
        return self.team.index


class Lane(ABC):
    """One implementation on one kind of arrays.  Made by all PEs of the job."""

    name: ClassVar[str]
    tolerance_per_pe: ClassVar[float] = 0
    """Allowed error of a result for each PE, in units of rounding; 0 if all bits must match."""
    folds_by_nodes: ClassVar[bool] = True
    """Whether it folds each node's sources before the nodes, if the order is defined."""
    is_in_place: ClassVar[bool] = False
    """Whether the result replaces the root's source."""
    copies: ClassVar[bool] = False
    """Whether it just copies each PE's source to its target."""

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:  # noqa: ARG002 - some allocate
        """Prepare for these arrays and cells.  Collective over all PEs of the job.

        Raises
        ------
        Absent
            The lane is not installed, or does not take such arrays.
        """
        self.path = path

    @property
    def memory(self) -> str:
        """Lanes with the same value share their buffers."""
        return self.path

    def enter(self, members: Members) -> None:  # noqa: B027 - most have nothing to do
        """Prepare for these PEs.  Collective over them."""

    def leave(self) -> None:  # noqa: B027
        """Undo ``enter``."""

    def close(self) -> None:  # noqa: B027
        """Free what was allocated for the job.  Collective over all its PEs."""

    def buffers(self, cell: Cell, arena: Arena | None) -> Buffers:
        """Return the arrays that the calls work on.

        Raises
        ------
        Absent
            This lane has no such arrays.
        """
        if self.path == PRIVATE:
            return private(cell)
        if arena is None:
            raise Absent("no symmetric memory was allocated")
        return arena.buffers(cell)

    @abstractmethod
    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return one callable for each buffer set.

        Raises
        ------
        Absent
            This lane cannot do the cell.
        """


def import_or_absent(module: str) -> ModuleType:
    """Import a module.

    Raises
    ------
    Absent
        The module cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Absent(f"{module} cannot be imported ({error})") from None


def attribute_or_absent(module: ModuleType, name: str) -> Any:
    """Return an attribute of a module.

    Raises
    ------
    Absent
        The module has no such attribute.
    """
    try:
        return getattr(module, name)
    except AttributeError:
        raise Absent(f"{module.__name__} has no {name}") from None
