"""Provide active sets, arrays and calls for the tests of redcoll_shmem."""

import numpy as np
from mpi.oracle import Guarded

import redcoll_shmem as shmem


class Set:
    """The PEs of an active set, computed from its three numbers."""

    def __init__(self, start, log_stride, size):
        self.numbers = (start, log_stride, size)
        self.pes = [start + index * 2**log_stride for index in range(size)]
        self.is_member = shmem.shmem_my_pe() in self.pes
        self.index = self.pes.index(shmem.shmem_my_pe()) if self.is_member else None

    def __repr__(self):
        return f"set {self.numbers}"


def everybody():
    return Set(0, 0, shmem.shmem_n_pes())


def even_pes():
    return Set(0, 1, (shmem.shmem_n_pes() + 1) // 2)


def odd_pes():
    """Return the set of odd PEs, or None if there is only one PE."""
    n = shmem.shmem_n_pes() // 2
    return Set(1, 1, n) if n else None


class Arrays:
    """Guarded symmetric arrays for a reduction, in memory that ``take`` allocates.

    The target starts ``before`` elements after the start of its memory. A separate source starts
    ``before + 1`` elements after the start of the source's memory.
    """

    def __init__(self, take, dtype, count, in_place=False, before=3):
        self.count = count
        self.dtype = np.dtype(dtype)
        self._target = Guarded(count, dtype, take, before=before)
        self._source = self._target if in_place else Guarded(count, dtype, take, before=before + 1)
        self._work = Guarded(count // 2 + 1, dtype, take)
        self.target, self.source = self._target.array, self._source.array
        self.work = self._work.array
        self._before = b""

    def fill(self, values):
        """Fill the source. A separate target keeps the guard pattern."""
        self.source[...] = values
        self._before = self.source.tobytes()

    def call(self, name, members, pSync, **more):
        """Call the reduction routine of this name."""
        routine = getattr(shmem, name)
        routine(self.target, self.source, self.count, *members.numbers, self.work, pSync, **more)

    def check_surroundings(self):
        """Check that guards, work array and a separate source are unchanged."""
        self._target.check()
        self._work.check_untouched()
        if self.source is not self.target:
            self._source.check()
            assert self.source.tobytes() == self._before, "the source was written to"

    def check_untouched(self):
        """Check that no array has changed since :meth:`fill`."""
        self._work.check_untouched()
        self._source.check()
        assert self.source.tobytes() == self._before, "the source was written to"
        if self.source is not self.target:
            self._target.check_untouched()


def sync_array(take, dtype="l", count=None):
    """Return a pSync array. The caller must make a barrier before the first use of the array."""
    array = take(count or shmem.SHMEM_REDUCE_SYNC_SIZE, dtype)
    array[...] = shmem.SHMEM_SYNC_VALUE
    return array


def check_sync(*arrays):
    for array in arrays:
        assert (array == shmem.SHMEM_SYNC_VALUE).all(), "pSync was written to"
