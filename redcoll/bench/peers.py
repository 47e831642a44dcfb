"""Define the lanes with which redcoll is compared: mpi4py, shmem4py, and the machine's limit."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

import redcoll
from redcoll.arguments import Array
from redcoll.bench.buffers import Arena, Buffers
from redcoll.bench.cases import ROOT, Cell
from redcoll.bench.lanes import SHMEM_OPS, SYMMETRIC, Absent, Calls, Lane, Members
from redcoll.bench.results import BASELINE, LIMIT, SHMEM4PY

_MPI_OPS = {"and": "BAND", "or": "BOR", "xor": "BXOR"}
_MPI_NAMES = {
    "allreduce": "Allreduce",
    "reduce": "Reduce",
    "reduce_scatter": "Reduce_scatter_block",
    "scan": "Scan",
}
_MPI_PAIRS = {"2int": "TWOINT"}


def mpi_calls(module: Any, comm: MPI.Intracomm, cell: Cell, index: int, buffers: Buffers) -> Calls:
    """Return the calls that a program makes with mpi4py or redcoll.MPI for a cell."""
    op = getattr(module, _MPI_OPS.get(cell.op, cell.op.upper()))
    method = getattr(comm, _MPI_NAMES[cell.collective])
    datatype = None
    if cell.dtype.names is not None:
        datatype = getattr(module, _MPI_PAIRS.get(cell.type, cell.type.upper()))

    def wrap(array: Array) -> object:
        return array if datatype is None else [array, datatype]

    calls: Calls = []
    for target, source in buffers.pairs:
        if cell.collective == "reduce":
            receive = wrap(target) if index == ROOT else None
            calls.append(functools.partial(method, wrap(source), receive, op, ROOT))
        else:
            calls.append(functools.partial(method, wrap(source), wrap(target), op))
    return calls


class Mpi4py(Lane):
    """The lane of the MPI library itself, through mpi4py."""

    name = BASELINE
    tolerance_per_pe = 4

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return the calls that a program makes with mpi4py."""
        return mpi_calls(MPI, members.comm, cell, members.index, buffers)


class Memcpy(Lane):
    """The lane for the machine's limit: PEs copy sources to targets between two barriers.

    The copies read and write the bytes that an allreduce must read and write, without arithmetic.
    """

    name = LIMIT
    copies = True

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls that copy a source to its target between two barriers."""
        if cell.collective != "allreduce":
            raise Absent(f"{cell.collective} does not move one copy on each PE")
        wait = functools.partial(redcoll.barrier, team=members.team)

        def call(target: Array, source: Array) -> None:
            wait()
            target[...] = source
            wait()

        return [functools.partial(call, *pair) for pair in buffers.pairs]


class Shmem4py(Lane):
    """The lane of an OpenSHMEM library, through shmem4py.

    The library's launcher must have started the job.
    """

    name = SHMEM4PY
    tolerance_per_pe = 4

    def __init__(self, path: str, cells: Sequence[Cell]) -> None:
        super().__init__(path, cells)
        if path != SYMMETRIC:
            raise Absent("SHMEM's arrays are symmetric")
        # Set the variable for the heap size, because some OpenSHMEM libraries ignore the variable
        # that redcoll reads.
        heap_bytes = Arena.needs_bytes(cells) + (16 << 20)
        os.environ.setdefault("SHMEM_SYMMETRIC_HEAP_SIZE", str(heap_bytes))
        try:
            self._shmem: Any = importlib.import_module("shmem4py.shmem")
        except ImportError as error:
            raise Absent(f"shmem4py.shmem cannot be imported ({error})") from None
        self._n_pes = int(self._shmem.n_pes())
        if self._n_pes != MPI.COMM_WORLD.Get_size():
            raise Absent("the job was not started for an OpenSHMEM library (oshrun)")
        self._arena = Arena(cells, lambda n_bytes: self._shmem.zeros(n_bytes, np.uint8))

    @property
    def memory(self) -> str:
        """The lane's own name, because the arrays are on the heap of the OpenSHMEM library."""
        return self.name

    def buffers(self, cell: Cell, arena: Arena | None) -> Buffers:
        """Return arrays on the library's heap."""
        del arena  # the arena is on redcoll's heap
        return self._arena.buffers(cell)

    def close(self) -> None:
        """Free the arrays."""
        self._shmem.free(self._arena.memory)

    def calls(self, cell: Cell, members: Members, buffers: Buffers) -> Calls:
        """Return calls of the reduction over all PEs."""
        if cell.collective != "allreduce":
            raise Absent(f"SHMEM has no {cell.collective}")
        if cell.op not in SHMEM_OPS or cell.dtype.names is not None:
            raise Absent(f"SHMEM has no {cell.op} of {cell.type}")
        if members.team.size != self._n_pes:
            raise Absent(
                "it reduces over all PEs of the job only, because its library may lack teams"
            )
        function = getattr(self._shmem, f"{cell.op}_reduce")
        return [functools.partial(function, *pair) for pair in buffers.pairs]
