"""Define the lanes of redcoll's APIs."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

import redcoll
import redcoll_pvm as pvm
import redcoll_shmem as shmem
from redcoll import MPI
from redcoll.arguments import Array
from redcoll.bench.buffers import Buffers
from redcoll.bench.cases import OPS, ROOT, Cell
from redcoll.bench.lanes import PRIVATE, SHMEM_OPS, SYMMETRIC, Absent, Calls, Lane, Members
from redcoll.bench.peers import mpi_calls


class Core(Lane):
    """The lane of redcoll's native API, such as ``redcoll.allreduce``."""

    name = "core"

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls of the collective's function on the team."""
        function = getattr(redcoll, cell.collective)
        op, team = OPS[cell.op], members.team
        if cell.collective == "reduce":
            function = functools.partial(function, root=ROOT)
        return [functools.partial(function, *pair, op, team=team) for pair in buffers.pairs]


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
    """The lane of ``shmem_TYPE_OP_to_all`` in redcoll's SHMEM API."""

    name = "shmem"

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path, cells)
        if path != SYMMETRIC:
            raise Absent("SHMEM's arrays are symmetric")
        shmem.shmem_init()
        # Use two work arrays of each kind alternately, as SHMEM requires if no barrier separates
        # the calls.
        self._p_syncs = [
            redcoll.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, np.int64)
            for _ in range(2)
        ]
        work_bytes = max(self.work_count(cell) * cell.dtype.itemsize for cell in cells)
        self._works = [redcoll.empty(work_bytes, np.uint8) for _ in range(2)]

    def close(self) -> None:
        """Free pSync and pWrk."""
        for array in (*self._p_syncs, *self._works):
            redcoll.free(array)

    def work_count(self, cell: Cell) -> int:
        """Return how many elements of pWrk a call needs (OpenSHMEM 1.4, section 9.9.3)."""
        return max(cell.count // 2 + 1, shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls of the routine for this type and operation, on the active set."""
        if cell.collective != "allreduce":
            raise Absent(f"SHMEM's active sets have no {cell.collective}")
        if cell.op not in SHMEM_OPS or cell.type not in _SHMEM_TYPES:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        function = getattr(shmem, f"shmem_{_SHMEM_TYPES[cell.type]}_{cell.op}_to_all")
        n_bytes = self.work_count(cell) * cell.dtype.itemsize
        works = [work[:n_bytes].view(cell.dtype) for work in self._works]
        return [
            functools.partial(
                function,
                *(target, source, cell.count, 0, 0, members.team.size),
                *(works[which & 1], self._p_syncs[which & 1]),
            )
            for which, (target, source) in enumerate(buffers.pairs)
        ]


class MpiApi(Lane):
    """The lane of redcoll's mpi4py API: ``from redcoll import MPI``."""

    name = "mpi"

    def enter(self, members: Members) -> None:
        """Make a communicator of redcoll's class for these PEs."""
        self._comm = MPI.Intracomm(members.comm.Dup())

    def leave(self) -> None:
        """Free the communicator, and the team that redcoll attached to it."""
        self._comm.Free()

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return the calls that a program makes with ``redcoll.MPI``."""
        return mpi_calls(MPI, self._comm, cell, members.index, buffers)


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
    """The lane of ``pvm_reduce``, followed by ``pvm_barrier``.

    Without the barrier, tasks would not wait for each other, and the times would not be comparable.
    """

    name = "pvm"
    folds_by_nodes = False
    is_in_place = True

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path, cells)
        if path != PRIVATE:
            raise Absent("PVM has no symmetric memory")
        # Make the first PVM call here, because it is collective over the job.
        pvm.pvm_mytid()

    def enter(self, members: Members) -> None:
        """Make a group whose instance numbers are team ranks."""
        self._group = f"bench-{members.team.size}"
        # Tasks join one after the other, because each gets the lowest free instance number.
        for index in range(members.team.size):
            if members.index == index:
                pvm.pvm_joingroup(self._group)
            members.comm.Barrier()

    def leave(self) -> None:
        """Leave the group."""
        pvm.pvm_lvgroup(self._group)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls, each of which makes a reduction to instance 0 and a barrier."""
        if cell.collective != "reduce":
            raise Absent(f"PVM has no {cell.collective}")
        if cell.op not in _PVM_OPS or cell.type not in _PVM_TYPES:
            raise Absent(f"PVM has no {cell.op} of {cell.type}")
        function, datatype = getattr(pvm, _PVM_OPS[cell.op]), getattr(pvm, _PVM_TYPES[cell.type])
        reduce, barrier = pvm.pvm_reduce, pvm.pvm_barrier
        group, size = self._group, members.team.size

        def call(data: Array) -> None:
            reduce(function, data, cell.count, datatype, _PVM_TAG, group, ROOT)
            barrier(group, size)

        return [functools.partial(call, source) for source in buffers.sources]
