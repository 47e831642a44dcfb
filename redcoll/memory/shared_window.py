"""Node-shared memory from MPI windows.

PE 0 of the node allocates the memory of all, so that every PE sees one contiguous
block with equal offsets (an ``MPI.Win.Allocate_shared`` segment per PE would need
neither be adjacent nor aligned). Pages are touched, and so placed, by whoever uses
them first. The files behind the memory are unlinked by MPI at creation: nothing is
left behind whatever becomes of the processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.comm import least, private_copy, raise_first
from redcoll.errors import HeapError, RedcollError, TeamLimitError
from redcoll.liveness import shutdown
from redcoll.memory import window_lock
from redcoll.protocol.partition import round_up

# Where both MPIs put shared windows on Linux; Open MPI lets it be moved.
SHARED_MEMORY_DIR = os.environ.get("OMPI_MCA_osc_sm_backing_directory", "/dev/shm")  # noqa: S108
_USABLE_SHARE = 0.9
"""Open MPI refuses windows beyond 95 % of the free space, and hangs the other PEs then."""

_DESCRIPTORS = 16
"""Descriptors that must be free before MPI maps memory: more than either MPI opens then."""

# On these machines stores become visible in program order, and loads are not
# reordered with loads: a plain store can publish what was stored before it.
_STRONGLY_ORDERED = platform.machine().lower() in {"x86_64", "amd64"}


class _Ledger:
    """Shared memory that this process has mapped through redcoll.

    Untouched pages do not count as used in the file system's own figures, so what is
    promised already has to be remembered here.
    """

    def __init__(self) -> None:
        self._mapped: dict[object, int] = {}
        self._first_free_bytes: int | None = None

    @property
    def mapped_bytes(self) -> int:
        """Bytes of all windows that are mapped."""
        return sum(list(self._mapped.values()))  # another thread may add one

    def add(self, window: object, n_bytes: int) -> None:
        """Count a window."""
        self._mapped[window] = n_bytes

    def remove(self, window: object) -> None:
        """Count a window no more; a second call does nothing."""
        self._mapped.pop(window, None)

    def clear(self) -> None:
        """Forget all windows."""
        self._mapped.clear()

    def room_bytes(self) -> int:
        """Bytes that may still be promised, as far as this process knows."""
        try:
            info = os.statvfs(SHARED_MEMORY_DIR)
        except OSError:
            return 1 << 62  # no such file system here: MPI keeps its memory elsewhere
        free_now = int(info.f_bavail * info.f_frsize * _USABLE_SHARE)
        if self._first_free_bytes is None:
            self._first_free_bytes = free_now
        return min(free_now, self._first_free_bytes - self.mapped_bytes)


_ledger = _Ledger()


def lacking_descriptors() -> str:
    """Say that too few file descriptors are left for a window; "" where they suffice.

    MPI opens files for shared memory. Without a descriptor Open MPI ends the process, or never
    returns on the other processes.
    """
    held: list[int] = []
    try:
        while len(held) < _DESCRIPTORS:
            held.append(os.open("/", os.O_RDONLY))
    except OSError as error:
        return (
            f"{len(held)} file descriptors are left ({error.strerror}); a team needs "
            f"{_DESCRIPTORS}: close files, or raise the limit (ulimit -n)"
        )
    finally:
        for descriptor in held:
            os.close(descriptor)
    return ""


def room_bytes(comm: MPI.Intracomm) -> int:
    """Shared memory that can still be mapped on this node.  Collective over ``comm``.

    As far as one of its processes knows; what others promise each other none of them does.
    """
    return least(comm, _ledger.room_bytes())


class SharedWindow:
    """Memory that all PEs of a node load from and store to.

    Collective over ``comm``, whose processes must share memory.

    Parameters
    ----------
    comm
        The PEs of the node, in the order of their segments.
    segment_bytes
        Bytes per PE, a multiple of 64.
    purpose
        What the memory is for, in words; part of the error message.
    common_bytes
        Bytes behind the segments that belong to all, a multiple of 64.
    is_kept
        Whether the memory stays mapped after the window has been freed, so that arrays in it
        can still be read while the process ends.

    Raises
    ------
    HeapError
        The shared-memory file system has not enough room (on all PEs alike; without
        this the first touch would end the process with a bus error).
    TeamLimitError
        Too few file descriptors or communicators are left on some PE: on all PEs.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        segment_bytes: int,
        purpose: str,
        common_bytes: int = 0,
        *,
        is_kept: bool = False,
    ) -> None:
        self._comm = comm
        self.size = comm.Get_size()
        self.index = comm.Get_rank()
        self.segment_bytes = segment_bytes
        self._total_bytes = segment_bytes * self.size + common_bytes
        lacking = lacking_descriptors()
        room = least(comm, -1 if lacking else max(0, _ledger.room_bytes()))
        if room < 0:
            raise TeamLimitError(f"{purpose}: {lacking or 'another rank has too few descriptors'}")
        if self._total_bytes > room:
            raise HeapError(
                f"{purpose}: {self._total_bytes} bytes ({self.size} PEs x {segment_bytes}) "
                f"do not fit into the {room} bytes left in {SHARED_MEMORY_DIR}; "
                "ask for less, or enlarge it (docker run --shm-size=...)"
            )
        buffer: Any
        self._win: MPI.Win | None = None
        self._alone = threading.Lock()
        self._is_kept = is_kept
        if self.size == 1:
            # What MPI takes for a single process need be neither zero nor aligned to a page.
            buffer = mmap.mmap(-1, self._total_bytes)
        else:
            own_bytes = self._total_bytes if self.index == 0 else 0
            with window_lock.taken(comm) as self._turn:
                # compat(mpich 5.0.2): with no communicator left the next call crashes.
                private_copy(comm).Free()
                self._win = MPI.Win.Allocate_shared(own_bytes, 1, comm=comm)
            # Sync is legal only inside an epoch (MPI-4.1, section 12.7); one for life.
            self._win.Lock_all(MPI.MODE_NOCHECK)
            buffer, _ = self._win.Shared_query(0)
            if not is_kept or can_stay_mapped():
                shutdown.free_at_the_end(self, self.free, self._turn, comm)
        _ledger.add(self, self._total_bytes)
        self.memory = memoryview(buffer).cast("B")
        """Every PE's segment, one after the other, and what is common behind them.

        All zeros at the beginning."""
        self.words = self.memory.cast("q")
        """The same memory as signed 64-bit integers; each access is one load or store."""
        self.fence: Callable[[], Any] | None = None if _STRONGLY_ORDERED else self.sync
        """Orders this PE's stores and loads; None where the machine does so by itself."""

    def keep(self) -> None:
        """Have the memory stay mapped when the window is freed."""
        self._is_kept = can_stay_mapped()

    def segment(self, index: int) -> NDArray[np.uint8]:
        """The bytes of one PE."""
        start = index * self.segment_bytes
        return np.frombuffer(self.memory[start : start + self.segment_bytes], np.uint8)

    def sync(self) -> None:
        """Memory barrier: stores before it are visible to others before those after it."""
        if self._win is not None:
            self._win.Sync()

    def compare_swap(self, word: int, expected: int, value: int) -> int:
        """Atomically store ``value`` where ``expected`` is found; the value before."""
        if self._win is None:
            return self._change(word, lambda old: value if old == expected else old)
        operand = np.array([value], np.int64)
        compare = np.array([expected], np.int64)
        result = np.empty(1, np.int64)
        self._win.Compare_and_swap(operand, compare, result, 0, word * 8)
        self._win.Flush(0)
        return int(result[0])

    def prepared_compare_swap(self) -> Callable[[int, int, int], int]:
        """A ``compare_swap`` that is quicker, for one thread at a time."""
        win = self._win
        if win is None:
            return self.compare_swap
        value, compare, result = (np.zeros(1, np.int64) for _ in range(3))
        origin, expect, found = ([array, 1, MPI.INT64_T] for array in (value, compare, result))

        def compare_swap(word: int, expected: int, new: int) -> int:
            value[0] = new
            compare[0] = expected
            win.Compare_and_swap(origin, expect, found, 0, word * 8)
            win.Flush(0)
            return int(result[0])

        return compare_swap

    def _change(self, word: int, new: Callable[[int], int]) -> int:
        """An atomic of the only PE, whose threads may use it at the same time."""
        with self._alone:
            before = self.words[word]
            self.words[word] = new(before)
        return before

    def free(self) -> None:
        """Free the window, and unmap its memory unless it is kept.  Collective.

        Later uses of :attr:`words` of memory that is not kept raise ``ValueError``; NumPy arrays
        made of it must not be used any more. A second call does nothing, or what an interrupt
        has torn.
        """
        if not self._is_kept:
            self.words.release()
            with contextlib.suppress(BufferError):  # arrays of it are still there
                self.memory.release()
        shutdown.freed(self)
        _ledger.remove(self)
        if self._win:
            keep = stays_mapped(self.memory) if self._is_kept else contextlib.nullcontext()
            with keep, window_lock.taken(self._comm, self._turn):
                free(self._win)


def free(window: MPI.Win) -> None:
    """End a window's epoch and free it.  Collective; may be called again after an interrupt.

    A window that has been freed must not be given.
    """
    # An interrupt may have torn an earlier call behind this step.
    with contextlib.suppress(MPI.Exception):
        window.Unlock_all()
    window.Free()


def open_shared(
    comm: MPI.Intracomm,
    node: MPI.Intracomm,
    segment_bytes: int,
    purpose: str,
    common_bytes: int = 0,
    *,
    is_kept: bool = False,
) -> SharedWindow:
    """A window on each node of ``comm``, or an error on all alike.  Collective over ``comm``.

    Parameters
    ----------
    comm
        All who open windows at the same time.
    node
        Those on the caller's node; ``comm`` itself where there is one node.

    Others, and errors, as for :class:`SharedWindow`.
    """
    window: SharedWindow | None = None
    error: RedcollError | None = None
    try:
        window = SharedWindow(node, segment_bytes, purpose, common_bytes, is_kept=is_kept)
    except (HeapError, TeamLimitError) as refusal:
        error = refusal
    except (MPI.Exception, OSError, MemoryError) as refusal:
        error = HeapError(f"{purpose}: {refusal}")
    try:
        raise_first(comm, error)
    except RedcollError:
        # To free a window waits for all who share it: where some have none, it stays.
        if least(node, window is not None) and window is not None:
            window.free()
        raise
    assert window is not None  # noqa: S101 - for the type checker
    return window


_libc = ctypes.CDLL(None)
_MREMAP_MAYMOVE, _MREMAP_FIXED = 1, 2
_MAP_FIXED_NOREPLACE = 0x100000
_address, _size = ctypes.c_void_p, ctypes.c_size_t
_FAILED = _address(-1).value


def can_stay_mapped() -> bool:
    """Whether :func:`stays_mapped` works here: it needs Linux."""
    return hasattr(_libc, "mremap")


@contextlib.contextmanager
def stays_mapped(memory: memoryview) -> Iterator[None]:
    """Keep shared memory at its address, although MPI unmaps it inside this context.

    The memory is gone where the process has no address space for a second mapping, or where
    another thread maps something at this address in the moment after MPI has unmapped it.
    """
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = first & -mmap.PAGESIZE
    n_bytes = round_up(first + memory.nbytes - start, mmap.PAGESIZE)
    for function in (_libc.mmap, _libc.mremap):
        function.restype = _address
    # An old size of 0 makes a second mapping of the same pages, which MPI does not know.
    again = _libc.mremap(_address(start), _size(0), _size(n_bytes), _MREMAP_MAYMOVE)
    yield
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE
    place = _libc.mmap(_address(start), _size(n_bytes), 0, flags, -1, _size(0))
    if place == start and again != _FAILED:
        flags = _MREMAP_MAYMOVE | _MREMAP_FIXED
        _libc.mremap(_address(again), _size(n_bytes), _size(n_bytes), flags, _address(start))
