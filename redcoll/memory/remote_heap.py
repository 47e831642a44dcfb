"""The symmetric heaps of PEs on other nodes, through an MPI window.

The window lies over the same memory that the PEs of a node address directly. What is put there
arrives with the help of the target's MPI library, which helps while that PE is inside MPI, as
it is in every wait of redcoll.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.liveness import shutdown
from redcoll.liveness.progress import Wait, Watch

Array = NDArray[Any]

_MOST_BYTES: Final = 1 << 30
"""In one message: MPI's counts are of 32 bits."""
_QUICK_LOOKS: Final = 20
_MOST_REACHED: Final = 128
"""In a job of up to so many PEs each reaches all others at the start: what that costs grows with
their number."""


class RemoteHeap:
    """All PEs' heaps, of which only those elsewhere are reached this way.

    Collective over ``comm``.

    Parameters
    ----------
    comm
        All PEs of the job.
    own
        The heap of this PE.
    watch
        How to wait for the others.
    """

    def __init__(self, comm: MPI.Intracomm, own: Array, watch: Watch) -> None:
        self.window = MPI.Win.Create(own.data, 1, comm=comm)
        """Displacements are offsets in a PE's heap, in bytes."""
        # One epoch for life (MPI-4.1, section 12.5.3).
        self.window.Lock_all(MPI.MODE_NOCHECK)
        self._comm = comm
        self._watch = watch
        self._dirty: dict[int, int] = {}
        """To whom something was put that may not be there yet, and the number of the last put."""
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._given_up: list[MPI.Request] = []
        me, n = comm.Get_rank(), comm.Get_size()
        if n <= _MOST_REACHED:
            reach(self.window, comm, [pe for pe in range(n) if pe != me])
        shutdown.at_the_end(self._free)

    def _free(self) -> None:
        # To free the window waits for all, without looking whether they live.
        shutdown.hear_until(self._comm.Ibarrier().Test)
        self.window.Unlock_all()
        self.window.Free()

    def put(self, pe: int, offset: int, source: Array, step_bytes: int | None = None) -> None:
        """Store elements at ``offset`` of a PE's heap; ``source`` may be reused on return.

        Side by side; or the rows of a contiguous array, ``step_bytes`` from the start of
        one to that of the next.
        """
        pe = int(pe)  # of NumPy's types only some are keys
        self._mark(pe)
        try:
            if step_bytes is not None and step_bytes != source[0].nbytes:
                data = [source.view(np.uint8), MPI.BYTE]
                with _spread(source, step_bytes) as kind:
                    self._await(self.window.Rput(data, pe, (offset, 1, kind)), pe, "put to")
                return
            for at, part in _parts(source):
                place = (offset + at, part.size, MPI.BYTE)
                self._await(self.window.Rput([part, MPI.BYTE], pe, place), pe, "put to")
        finally:
            # Another thread, completing its own puts, may have taken this one for done.
            self._mark(pe)

    def _mark(self, pe: int) -> None:
        with self._lock:
            self._dirty[pe] = next(self._numbers)

    def get(self, pe: int, offset: int, target: Array, step_bytes: int | None = None) -> None:
        """Load elements from ``offset`` of a PE's heap, where they lie as :meth:`put` stores."""
        pe = int(pe)
        if pe in self._dirty:
            # What was put there before must be seen.
            self.complete([pe])
        if step_bytes is not None and step_bytes != target[0].nbytes:
            data = [target.view(np.uint8), MPI.BYTE]
            with _spread(target, step_bytes) as kind:
                self._await(self.window.Rget(data, pe, (offset, 1, kind)), pe, "get from")
            return
        for at, part in _parts(target):
            place = (offset + at, part.size, MPI.BYTE)
            self._await(self.window.Rget([part, MPI.BYTE], pe, place), pe, "get from")

    def complete(self, pes: Collection[int] | None = None) -> None:
        """Until everything put is where it belongs; other PEs can see it then.

        With ``pes``, everything put to these.
        """
        for pe, number in list(self._dirty.items()):
            if pes is not None and pe not in pes:
                continue
            self.window.Flush(pe)
            # Not before, for another thread that completes the same; nor after another put.
            with self._lock:
                if self._dirty.get(pe) == number:
                    del self._dirty[pe]
        self.window.Sync()

    def see(self) -> None:
        """Let what others have put here be visible to loads."""
        self.window.Sync()

    def _await(self, request: MPI.Request, pe: int, what: str) -> None:
        for _ in range(_QUICK_LOOKS):
            if request.Test():
                return

        def absent() -> list[int]:
            # The PE may have left, once it was no longer needed for this.
            return [] if request.Test() else [pe]

        wait = Wait(self._watch, absent, self._doing(what, pe))
        try:
            while not request.Test():
                wait.turn()
        except BaseException:
            # MPI may read or write there yet: the request keeps the memory.
            self._given_up.append(request)
            raise

    def _doing(self, what: str, pe: int) -> Callable[[], str]:
        return lambda: f"{what} {self._watch.name([pe])}"


@contextlib.contextmanager
def _spread(rows: Array, step_bytes: int) -> Iterator[MPI.Datatype]:
    """The rows of an array, as bytes, so far apart."""
    datatype = MPI.BYTE.Create_hvector(len(rows), rows[0].nbytes, step_bytes).Commit()
    try:
        yield datatype
    finally:
        datatype.Free()


def _parts(vector: Array) -> list[tuple[int, Array]]:
    """The bytes of a vector in parts that MPI can count, each with its place."""
    data = vector.reshape(-1).view(np.uint8)
    return [(at, data[at : at + _MOST_BYTES]) for at in range(0, data.size, _MOST_BYTES)]


def reach(window: MPI.Win, comm: MPI.Intracomm, ranks: Collection[int]) -> None:
    """Access the memory of each of these processes once.  Collective over ``comm``.

    In its first access to another process Open MPI asks that one where its memory is, and does
    not return before the answer: here all are in MPI, later nobody need be.

    Parameters
    ----------
    window
        Over ``comm``, with displacements in bytes, in an epoch.
    ranks
        Others than the caller.
    """
    found = bytearray(len(ranks))
    gets = [
        window.Rget([memoryview(found)[place : place + 1], MPI.BYTE], rank)
        for place, rank in enumerate(ranks)
    ]
    MPI.Request.Waitall(gets)
    comm.Barrier()
