"""The lanes that redcoll is compared with: mpi4py, shmem4py, and the machine's limit."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import redcoll
from redcoll.bench.buffers import Arena, Buffers
from redcoll.bench.cases import ROOT, Cell
from redcoll.bench.lanes import (
    SHMEM_OPS,
    SYMMETRIC,
    Absent,
    Calls,
    Lane,
    Members,
    attribute_or_absent,
    import_or_absent,
)
from redcoll.bench.results import LIMIT, SHMEM4PY, YARDSTICK

Array = NDArray[Any]

_MPI_OPS = {"and": "BAND", "or": "BOR", "xor": "BXOR"}
_MPI_NAMES = {
    "allreduce": "Allreduce",
    "reduce": "Reduce",
    "reduce_scatter": "Reduce_scatter_block",
    "scan": "Scan",
}
_MPI_PAIRS = {"2int": "TWOINT"}


def mpi_calls(module: Any, comm: MPI.Intracomm, cell: Cell, index: int, buffers: Buffers) -> Calls:
    """The calls as a program with mpi4py writes them."""
    op = attribute_or_absent(module, _MPI_OPS.get(cell.op, cell.op.upper()))
    method = getattr(comm, _MPI_NAMES[cell.collective])
    datatype = None
    if cell.dtype.names is not None:
        datatype = attribute_or_absent(module, _MPI_PAIRS.get(cell.type, cell.type.upper()))

    def wrap(array: Array) -> object:
        return array if datatype is None else [array, datatype]

    calls: Calls = []
    for source, target in zip(buffers.sources, buffers.targets, strict=True):
        if cell.collective == "reduce":
            receive = wrap(target) if index == ROOT else None
            calls.append(functools.partial(method, wrap(source), receive, op, ROOT))
        else:
            calls.append(functools.partial(method, wrap(source), wrap(target), op))
    return calls


class Mpi4py(Lane):
    """The MPI library itself, by way of mpi4py."""

    name = YARDSTICK
    tolerance_per_pe = 4

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """What a program with mpi4py calls."""
        return mpi_calls(MPI, members.comm, cell, members.index, buffers)


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
        super().__init__(path, cells)
        if path != SYMMETRIC:
            raise Absent("SHMEM's arrays are symmetric")
        # Read by OpenSHMEM libraries, of which only some share the name with redcoll.
        heap_bytes = Arena.needs_bytes(cells) + (16 << 20)
        os.environ.setdefault("SHMEM_SYMMETRIC_HEAP_SIZE", str(heap_bytes))
        self._shmem: Any = import_or_absent("shmem4py.shmem")
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
        if cell.op not in SHMEM_OPS or cell.dtype.names is not None:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        if members.team.size != self._n_pes:
            raise Absent("over all PEs of the job only: its library may lack teams")
        function = getattr(self._shmem, f"{cell.op}_reduce")
        return [
            functools.partial(function, target, source)
            for target, source in zip(buffers.targets, buffers.sources, strict=True)
        ]
