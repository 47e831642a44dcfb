"""Everything that can be measured: redcoll's faces, its peers, and the machine's limit.

A lane makes, for a cell and its buffers, one callable per buffer set that the clock then
runs. What is not installed, or cannot do a cell, says so and is reported as absent.
"""

from __future__ import annotations

import functools
import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import redcoll
from redcoll import world
from redcoll.bench.buffers import Arena, Buffers, private
from redcoll.bench.cases import OPS, ROOT, Cell
from redcoll.bench.results import LIMIT, SHMEM4PY, YARDSTICK
from redcoll.team import Team

Array = NDArray[Any]
Calls = list[Callable[[], object]]

SYMMETRIC, PRIVATE = "symmetric", "private"
PATHS = (SYMMETRIC, PRIVATE)


class Absent(Exception):  # noqa: N818 - not an error: a fact to report
    """A lane is not there, or has no such routine; the reason in words."""


@dataclass(frozen=True)
class Members:
    """The PEs that measure together: the first so many of the job."""

    comm: MPI.Intracomm
    team: Team

    @classmethod
    def first(cls, pes: int) -> Members:
        """The first PEs of the job.  Collective over them."""
        everyone = world.start().team.comm
        whole = everyone.Get_group()
        group = whole.Range_incl([(0, pes - 1, 1)])
        comm = everyone.Create_group(group)
        group.Free()
        whole.Free()
        return cls(comm, world.start().team_of(redcoll.ActiveSet(0, 0, pes)))

    @property
    def index(self) -> int:
        """The caller's place among them."""
        return self.team.index


class Lane(ABC):
    """One implementation on one kind of arrays.  Made by all PEs of the job."""

    name: ClassVar[str]
    tolerance_per_pe: ClassVar[float] = 0
    """Units of rounding by which a result may be off; 0 for the left fold's own bits."""
    is_in_place: ClassVar[bool] = False
    """Whether the result replaces the root's source."""
    copies: ClassVar[bool] = False
    """Whether it just copies each PE's source to its target."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def memory(self) -> str:
        """Lanes with the same word here share their buffers."""
        return self.path

    def enter(self, members: Members) -> None:  # noqa: B027 - most have nothing to do
        """Get ready for these PEs.  Collective over them."""

    def leave(self) -> None:  # noqa: B027
        """Undo ``enter``."""

    def close(self) -> None:  # noqa: B027
        """Free what was allocated for the job.  Collective over all its PEs."""

    def buffers(self, cell: Cell, arena: Arena | None) -> Buffers:
        """The arrays that the calls work on.

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
        """One callable per buffer set.

        Raises
        ------
        Absent
            This lane cannot do the cell.
        """


def _import(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Absent(f"{module} cannot be imported ({error})") from None


def _attribute(module: ModuleType, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        raise Absent(f"{module.__name__} has no {name}") from None


# -- redcoll's faces --------------------------------------------------------------------


class Core(Lane):
    """redcoll's own functions."""

    name = "core"

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """``redcoll.allreduce`` and its kin, on the team."""
        function = getattr(redcoll, cell.collective)
        op, team = OPS[cell.op], members.team
        if cell.collective == "reduce":
            function = functools.partial(function, root=ROOT)
        return [
            functools.partial(function, target, source, op, team=team)
            for target, source in zip(buffers.targets, buffers.sources, strict=True)
        ]


_SHMEM_OPS = ("sum", "prod", "max", "min", "and", "or", "xor")
_SHMEM_TYPES = {
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "longdouble": "longdouble",
    "complex64": "complexf",
    "complex128": "complexd",
}


class Shmem(Lane):
    """``shmem_TYPE_OP_to_all`` of redcoll's SHMEM face."""

    name = "shmem"

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path)
        if path != SYMMETRIC:
            raise Absent("SHMEM's arrays are symmetric")
        self._shmem = _import("redcoll_shmem")
        _attribute(self._shmem, "shmem_init")()
        sync_size = int(_attribute(self._shmem, "SHMEM_REDUCE_SYNC_SIZE"))
        sync_value = int(_attribute(self._shmem, "SHMEM_SYNC_VALUE"))
        self._least_work = int(_attribute(self._shmem, "SHMEM_REDUCE_MIN_WRKDATA_SIZE"))
        # Two of each, in turn, as SHMEM wants it of calls without a barrier between them.
        self._p_syncs = [redcoll.full(sync_size, sync_value, np.int64) for _ in range(2)]
        work_bytes = max(self.work_count(cell) * cell.dtype.itemsize for cell in cells)
        self._works = [redcoll.empty(work_bytes, np.uint8) for _ in range(2)]

    def close(self) -> None:
        """Free pSync and pWrk."""
        for array in (*self._p_syncs, *self._works):
            redcoll.free(array)

    def work_count(self, cell: Cell) -> int:
        """Elements of pWrk that a call needs (OpenSHMEM 1.4, section 9.9.3)."""
        return max(cell.count // 2 + 1, self._least_work)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """The routine of this type and operation, on the active set."""
        if cell.collective != "allreduce":
            raise Absent(f"SHMEM's active sets have no {cell.collective}")
        if cell.op not in _SHMEM_OPS or cell.type not in _SHMEM_TYPES:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        routine = f"shmem_{_SHMEM_TYPES[cell.type]}_{cell.op}_to_all"
        function = _attribute(self._shmem, routine)
        n_bytes = self.work_count(cell) * cell.dtype.itemsize
        works = [work[:n_bytes].view(cell.dtype) for work in self._works]
        return [
            functools.partial(
                function,
                *(target, source, cell.count, 0, 0, members.team.size),
                *(works[which & 1], self._p_syncs[which & 1]),
            )
            for which, (target, source) in enumerate(
                zip(buffers.targets, buffers.sources, strict=True)
            )
        ]


_MPI_OPS = {"and": "BAND", "or": "BOR", "xor": "BXOR"}
_MPI_NAMES = {
    "allreduce": "Allreduce",
    "reduce": "Reduce",
    "reduce_scatter": "Reduce_scatter_block",
    "scan": "Scan",
}
_MPI_PAIRS = {"2int": "TWOINT"}


def _mpi_calls(module: Any, comm: MPI.Intracomm, cell: Cell, index: int, buffers: Buffers) -> Calls:
    """The calls as a program with mpi4py writes them."""
    op = _attribute(module, _MPI_OPS.get(cell.op, cell.op.upper()))
    method = getattr(comm, _MPI_NAMES[cell.collective])
    wrap: Callable[[Array], object] = lambda array: array  # noqa: E731
    if cell.dtype.names is not None:
        datatype = _attribute(module, _MPI_PAIRS.get(cell.type, cell.type.upper()))
        wrap = lambda array: [array, datatype]  # noqa: E731
    calls: Calls = []
    for source, target in zip(buffers.sources, buffers.targets, strict=True):
        if cell.collective == "reduce":
            receive = wrap(target) if index == ROOT else None
            calls.append(functools.partial(method, wrap(source), receive, op, ROOT))
        else:
            calls.append(functools.partial(method, wrap(source), wrap(target), op))
    return calls


class MpiFace(Lane):
    """``from redcoll import MPI``."""

    name = "mpi"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._mpi = _import("redcoll.MPI")
        self._intracomm = _attribute(self._mpi, "Intracomm")
        self._comm: Any = None

    def enter(self, members: Members) -> None:
        """Wrap a communicator of these PEs."""
        self._comm = self._intracomm(members.comm.Dup())

    def leave(self) -> None:
        """Free it, and what the face hung on it."""
        self._comm.Free()

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """What a program with ``redcoll.MPI`` calls."""
        return _mpi_calls(self._mpi, self._comm, cell, members.index, buffers)


_PVM_OPS = {"sum": "PvmSum", "prod": "PvmProduct", "max": "PvmMax", "min": "PvmMin"}
_PVM_TYPES = {
    "int16": "PVM_SHORT",
    "int32": "PVM_INT",
    "int64": "PVM_LONG",
    "float32": "PVM_FLOAT",
    "float64": "PVM_DOUBLE",
    "complex64": "PVM_CPLX",
    "complex128": "PVM_DCPLX",
}
_PVM_TAG = 7


class Pvm(Lane):
    """``pvm_reduce`` and ``pvm_barrier``: without the barrier nobody waits for anybody."""

    name = "pvm"
    is_in_place = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        if path != PRIVATE:
            raise Absent("PVM knows no symmetric memory")
        self._pvm = _import("redcoll_pvm")
        self._reduce = _attribute(self._pvm, "pvm_reduce")
        # The first call may be collective, like that of every face.
        _attribute(self._pvm, "pvm_mytid")()
        self._group = ""

    def enter(self, members: Members) -> None:
        """Make a group whose instance numbers are indices."""
        self._group = f"bench-{members.team.size}"
        # One after the other, since the lowest free number is the next.
        for index in range(members.team.size):
            if members.index == index:
                self._pvm.pvm_joingroup(self._group)
            members.comm.Barrier()

    def leave(self) -> None:
        """Leave the group."""
        self._pvm.pvm_lvgroup(self._group)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """One reduction to instance 0, and one barrier."""
        if cell.collective != "reduce":
            raise Absent(f"PVM has no {cell.collective}")
        if cell.op not in _PVM_OPS or cell.type not in _PVM_TYPES:
            raise Absent(f"PVM has no {cell.op} of {cell.type}")
        function = _attribute(self._pvm, _PVM_OPS[cell.op])
        datatype = _attribute(self._pvm, _PVM_TYPES[cell.type])
        reduce, barrier = self._reduce, self._pvm.pvm_barrier
        group, size = self._group, members.team.size

        def call(data: Array) -> None:
            reduce(function, data, cell.count, datatype, _PVM_TAG, group, ROOT)
            barrier(group, size)

        return [functools.partial(call, source) for source in buffers.sources]


# -- peers ------------------------------------------------------------------------------


class Mpi4py(Lane):
    """The MPI library itself, by way of mpi4py."""

    name = YARDSTICK
    tolerance_per_pe = 4

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """What a program with mpi4py calls."""
        return _mpi_calls(MPI, members.comm, cell, members.index, buffers)


class Memcpy(Lane):
    """The machine's limit: each PE copies its source to its target between two rounds.

    As many bytes read and written as an allreduce must, and no arithmetic.
    """

    name = LIMIT
    copies = True

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """A copy between two rounds."""
        if cell.collective != "allreduce":
            raise Absent(f"what {cell.collective} moves is not one copy per PE")
        wait = functools.partial(redcoll.barrier, team=members.team)

        def call(target: Array, source: Array) -> None:
            wait()
            target[...] = source
            wait()

        return [
            functools.partial(call, target, source)
            for target, source in zip(buffers.targets, buffers.sources, strict=True)
        ]


class Shmem4py(Lane):
    """An OpenSHMEM library, by way of shmem4py; only in a job that it was started for."""

    name = SHMEM4PY
    tolerance_per_pe = 4

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path)
        if path != SYMMETRIC:
            raise Absent("SHMEM's arrays are symmetric")
        # Read by OpenSHMEM libraries, of which only some share the name with redcoll.
        heap_bytes = Arena.needs_bytes(cells) + (16 << 20)
        os.environ.setdefault("SHMEM_SYMMETRIC_HEAP_SIZE", str(heap_bytes))
        self._shmem: Any = _import("shmem4py.shmem")
        self._n_pes = int(self._shmem.n_pes())
        if self._n_pes != MPI.COMM_WORLD.Get_size():
            raise Absent("the job was not started for an OpenSHMEM library (oshrun)")
        self._arena = Arena(cells, lambda n_bytes: self._shmem.zeros(n_bytes, np.uint8))

    @property
    def memory(self) -> str:
        """The library's heap, not redcoll's."""
        return self.name

    def buffers(self, cell: Cell, arena: Arena | None) -> Buffers:
        """Arrays on the library's heap."""
        del arena  # that is on redcoll's heap
        return self._arena.buffers(cell)

    def close(self) -> None:
        """Free them."""
        self._shmem.free(self._arena.memory)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """The reduction over all PEs."""
        if cell.collective != "allreduce":
            raise Absent(f"SHMEM has no {cell.collective}")
        if cell.op not in _SHMEM_OPS or cell.dtype.names is not None:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        if members.team.size != self._n_pes:
            raise Absent("over all PEs of the job only: its library may lack teams")
        function = getattr(self._shmem, f"{cell.op}_reduce")
        return [
            functools.partial(function, target, source)
            for target, source in zip(buffers.targets, buffers.sources, strict=True)
        ]


FACES = ("core", "shmem", "mpi", "pvm")


def make(name: str, path: str, cells: Sequence[Cell]) -> Lane:
    """A lane by its name.  Collective over all PEs of the job.

    Raises
    ------
    Absent
        It is not there, on all PEs alike.
    """
    lane: Lane | None = None
    reason = ""
    try:
        if name == "shmem":
            lane = Shmem(path, cells)
        elif name == SHMEM4PY:
            lane = Shmem4py(path, cells)
        else:
            lane = _PLAIN[name](path)
    except Absent as error:
        reason = str(error)
    reasons = MPI.COMM_WORLD.allgather(reason)
    if lane is None or any(reasons):
        raise Absent(next(each for each in reasons if each))
    return lane


_PLAIN: dict[str, Callable[[str], Lane]] = {
    "core": Core,
    "mpi": MpiFace,
    "pvm": Pvm,
    YARDSTICK: Mpi4py,
    LIMIT: Memcpy,
}
