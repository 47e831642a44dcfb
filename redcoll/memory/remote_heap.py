"""Access the symmetric heaps of PEs on other nodes through an MPI window.

The window covers the same memory that the PEs of a node address directly. A put completes only
while the target PE is inside MPI, because the target's MPI library takes part. So every wait of
redcoll calls MPI.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Final

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.arguments import Array
from redcoll.liveness import shutdown
from redcoll.liveness.progress import Wait, Watch

_MOST_BYTES: Final = 1 << 30
"""The largest number of bytes in one message, because MPI's counts have 32 bits."""
_QUICK_LOOKS: Final = 20
_MOST_REACHED: Final = 128
"""In jobs of up to 128 PEs, each PE contacts all other PEs at the start. In larger jobs the
contacts would take too long."""


class RemoteHeap:
    """The heaps of all PEs, for access to PEs on other nodes.

    Construction is collective over ``comm``.
    """

    def __init__(self, comm: MPI.Intracomm, own: Array, watch: Watch) -> None:
        self.window = MPI.Win.Create(own.data, 1, comm=comm)
        """Displacements are offsets in a PE's heap, in bytes."""
        # One access epoch lasts as long as the window (MPI-4.1, section 12.5.3).
        self.window.Lock_all(MPI.MODE_NOCHECK)
        self._comm = comm
        self._watch = watch
        self._dirty: dict[int, int] = {}
        """PEs to which puts may be incomplete, each with the number of the last put."""
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._given_up: list[MPI.Request] = []
        me, n = comm.Get_rank(), comm.Get_size()
        if n <= _MOST_REACHED:
            reach(self.window, comm, [pe for pe in range(n) if pe != me])
        shutdown.at_the_end(self._free)

    def _free(self) -> None:
        # Freeing the window waits for all PEs, even for dead PEs. So first wait in a barrier, and
        # check for dead PEs meanwhile.
        shutdown.wait_at_exit(self._comm.Ibarrier().Test)
        self.window.Unlock_all()
        self.window.Free()

    def put(self, pe: int, offset: int, source: Array, step_bytes: int | None = None) -> None:
        """Store elements at ``offset`` of a PE's heap. The caller can reuse ``source`` on return.

        By default the elements are consecutive in the heap. With ``step_bytes``, ``source`` is a
        matrix, and its rows start ``step_bytes`` apart in the heap.
        """
        pe = int(pe)  # the key in `_dirty`
        self._mark(pe)
        try:
            self._move(self.window.Rput, pe, offset, source, step_bytes, "put to")
        finally:
            # Mark the PE again, because another thread that completed its own puts may have removed
            # the mark.
            self._mark(pe)

    def _mark(self, pe: int) -> None:
        with self._lock:
            self._dirty[pe] = next(self._numbers)

    def get(self, pe: int, offset: int, target: Array, step_bytes: int | None = None) -> None:
        """Load elements from ``offset`` of a PE's heap, in the layout of :meth:`put`."""
        pe = int(pe)
        if pe in self._dirty:
            # The load must see the caller's earlier puts to the same PE.
            self.complete([pe])
        self._move(self.window.Rget, pe, offset, target, step_bytes, "get from")

    def _move(
        self,
        start: Callable[..., MPI.Request],
        pe: int,
        offset: int,
        array: Array,
        step_bytes: int | None,
        what: str,
    ) -> None:
        """Copy elements between an array of the caller and a PE's heap."""
        if step_bytes is not None and step_bytes != array[0].nbytes:
            with _spread(array, step_bytes) as kind:
                own = [array.view(np.uint8), MPI.BYTE]
                self._await(start(own, pe, (offset, 1, kind)), pe, what)
            return
        for at, part in _parts(array):
            self._await(start([part, MPI.BYTE], pe, (offset + at, part.size, MPI.BYTE)), pe, what)

    def complete(self, pes: Collection[int] | None = None) -> None:
        """Wait until the puts to ``pes`` (default: all PEs) are complete and visible to all PEs."""
        for pe, number in list(self._dirty.items()):
            if pes is not None and pe not in pes:
                continue
            self.window.Flush(pe)
            # Remove the mark only after the flush, because another thread may wait for the same
            # puts. A put that began during the flush keeps its mark.
            with self._lock:
                if self._dirty.get(pe) == number:
                    del self._dirty[pe]
        self.window.Sync()

    def see(self) -> None:
        """Make the puts of other PEs visible to this PE's loads."""
        self.window.Sync()

    def _await(self, request: MPI.Request, pe: int, what: str) -> None:
        for _ in range(_QUICK_LOOKS):
            if request.Test():
                return

        def absent() -> list[int]:
            # The PE may have exited after the transfer was complete, so test first.
            return [] if request.Test() else [pe]

        wait = Wait(self._watch, absent, lambda: f"{what} {self._watch.name([pe])}")
        try:
            while not request.Test():
                wait.poll()
        except BaseException:
            # MPI may still read or write the array, so keep the request, which keeps the array
            # alive.
            self._given_up.append(request)
            raise


@contextlib.contextmanager
def _spread(rows: Array, step_bytes: int) -> Iterator[MPI.Datatype]:
    """Make a datatype for rows that start ``step_bytes`` apart; free it after the block."""
    datatype = MPI.BYTE.Create_hvector(len(rows), rows[0].nbytes, step_bytes).Commit()
    try:
        yield datatype
    finally:
        datatype.Free()


def _parts(vector: Array) -> list[tuple[int, Array]]:
    """Cut a vector into parts that fit MPI's counts; return pairs of offset and bytes."""
    data = vector.reshape(-1).view(np.uint8)
    return [(at, data[at : at + _MOST_BYTES]) for at in range(0, data.size, _MOST_BYTES)]


def reach(window: MPI.Win, comm: MPI.Intracomm, ranks: Collection[int]) -> None:
    """Access the memory of each of these processes once.  Collective over ``comm``.

    compat(openmpi 5.0): the first access to a process sends that process a request about its
    memory, and returns only after the answer. During this call all processes are inside MPI, so
    they answer. Later, a process may compute for a long time before it answers.

    ``window`` is inside an access epoch and has displacements in bytes. ``ranks`` must not contain
    the caller.
    """
    found = bytearray(len(ranks))
    gets = [
        window.Rget([memoryview(found)[place : place + 1], MPI.BYTE], rank)
        for place, rank in enumerate(ranks)
    ]
    MPI.Request.Waitall(gets)
    comm.Barrier()
