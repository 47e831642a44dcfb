"""Define the lanes of redcoll itself: its native API, and its other APIs if they are installed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import redcoll
from redcoll.arguments import Array
from redcoll.bench.buffers import Buffers
from redcoll.bench.cases import OPS, ROOT, Cell
from redcoll.bench.lanes import (
    PRIVATE,
    SHMEM_OPS,
    SYMMETRIC,
    Absent,
    Calls,
    Lane,
    Members,
    attribute_or_absent,
    import_or_absent,
)
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
        return [
            functools.partial(function, target, source, op, team=team)
            for target, source in zip(buffers.targets, buffers.sources, strict=True)
        ]


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
        self._shmem = import_or_absent("redcoll_shmem")
        attribute_or_absent(self._shmem, "shmem_init")()
        sync_size = int(attribute_or_absent(self._shmem, "SHMEM_REDUCE_SYNC_SIZE"))
        sync_value = int(attribute_or_absent(self._shmem, "SHMEM_SYNC_VALUE"))
        self._least_work = int(attribute_or_absent(self._shmem, "SHMEM_REDUCE_MIN_WRKDATA_SIZE"))
        # Use two work arrays of each kind alternately, as SHMEM requires if no barrier separates
        # the calls.
        self._p_syncs = [redcoll.full(sync_size, sync_value, np.int64) for _ in range(2)]
        work_bytes = max(self.work_count(cell) * cell.dtype.itemsize for cell in cells)
        self._works = [redcoll.empty(work_bytes, np.uint8) for _ in range(2)]

    def close(self) -> None:
        """Free pSync and pWrk."""
        for array in (*self._p_syncs, *self._works):
            redcoll.free(array)

    def work_count(self, cell: Cell) -> int:
        """Return how many elements of pWrk a call needs (OpenSHMEM 1.4, section 9.9.3)."""
        return max(cell.count // 2 + 1, self._least_work)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls of the routine for this type and operation, on the active set."""
        if cell.collective != "allreduce":
            raise Absent(f"SHMEM's active sets have no {cell.collective}")
        if cell.op not in SHMEM_OPS or cell.type not in _SHMEM_TYPES:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        routine = f"shmem_{_SHMEM_TYPES[cell.type]}_{cell.op}_to_all"
        function = attribute_or_absent(self._shmem, routine)
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


class MpiApi(Lane):
    """The lane of redcoll's mpi4py API: ``from redcoll import MPI``."""

    name = "mpi"

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path, cells)
        self._mpi = import_or_absent("redcoll.MPI")
        self._intracomm = attribute_or_absent(self._mpi, "Intracomm")
        self._comm: Any = None

    def enter(self, members: Members) -> None:
        """Make a communicator of redcoll's class for these PEs."""
        self._comm = self._intracomm(members.comm.Dup())

    def leave(self) -> None:
        """Free the communicator, and the team that redcoll attached to it."""
        self._comm.Free()

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return the calls that a program makes with ``redcoll.MPI``."""
        return mpi_calls(self._mpi, self._comm, cell, members.index, buffers)


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
        self._pvm = import_or_absent("redcoll_pvm")
        self._reduce = attribute_or_absent(self._pvm, "pvm_reduce")
        # Make the first PVM call here, because it is collective over the job.
        attribute_or_absent(self._pvm, "pvm_mytid")()
        self._group = ""

    def enter(self, members: Members) -> None:
        """Make a group whose instance numbers are team ranks."""
        self._group = f"bench-{members.team.size}"
        # Tasks join one after the other, because each gets the lowest free instance number.
        for index in range(members.team.size):
            if members.index == index:
                self._pvm.pvm_joingroup(self._group)
            members.comm.Barrier()

    def leave(self) -> None:
        """Leave the group."""
        self._pvm.pvm_lvgroup(self._group)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls, each of which makes a reduction to instance 0 and a barrier."""
        if cell.collective != "reduce":
            raise Absent(f"PVM has no {cell.collective}")
        if cell.op not in _PVM_OPS or cell.type not in _PVM_TYPES:
            raise Absent(f"PVM has no {cell.op} of {cell.type}")
        function = attribute_or_absent(self._pvm, _PVM_OPS[cell.op])
        datatype = attribute_or_absent(self._pvm, _PVM_TYPES[cell.type])
        reduce, barrier = self._reduce, self._pvm.pvm_barrier
        group, size = self._group, members.team.size

        def call(data: Array) -> None:
            reduce(function, data, cell.count, datatype, _PVM_TAG, group, ROOT)
            barrier(group, size)

        return [functools.partial(call, source) for source in buffers.sources]
