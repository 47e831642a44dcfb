"""Get shared memory for the ranks of a node from MPI windows.

Rank 0 of the node allocates the memory of all ranks, so all ranks see one contiguous block with the
same offsets. If each rank allocated its own segment, MPI would guarantee neither adjacent nor
aligned segments. The rank that first touches a page determines the page's NUMA node. MPI unlinks
the files of the memory as soon as it has made them. So a killed process leaves no file.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
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

# The folder in which MPICH and Open MPI keep shared windows on Linux. Open MPI has a setting for
# this folder.
SHARED_MEMORY_DIR = os.environ.get("OMPI_MCA_osc_sm_backing_directory", "/dev/shm")  # noqa: S108
_USABLE_SHARE = 0.9
"""compat(openmpi 5.0): a window larger than 95 % of the free space fails, and other ranks hang."""

_DESCRIPTORS = 16
"""Number of file descriptors that must be free before MPI maps memory. MPICH and Open MPI need
fewer."""

# On these machines stores become visible in program order, and loads are not reordered with loads.
# So a plain store publishes all stores before it.
_STRONGLY_ORDERED = platform.machine().lower() in {"x86_64", "amd64"}


_mapped: dict[object, int] = {}
"""Bytes of each window that this process has mapped. The file system counts a page as used only
after it was touched, so this process keeps its own count."""
_first_free_bytes: int | None = None


def mapped_bytes() -> int:
    """Return the bytes of all windows that this process has mapped."""
    return sum(list(_mapped.values()))  # a copy, because another thread may add a window


def _own_room_bytes() -> int:
    """Return how many bytes can still be mapped, as far as this process knows."""
    global _first_free_bytes  # noqa: PLW0603 - of this process
    try:
        info = os.statvfs(SHARED_MEMORY_DIR)
    except OSError:
        return 1 << 62  # no such file system here: MPI keeps its memory elsewhere
    free_now = int(info.f_bavail * info.f_frsize * _USABLE_SHARE)
    if _first_free_bytes is None:
        _first_free_bytes = free_now
    return min(free_now, _first_free_bytes - mapped_bytes())


def forget() -> None:
    """Forget all windows, because no rank will use their memory again."""
    _mapped.clear()


def lacking_descriptors() -> str:
    """Return an error text if too few file descriptors are left for a window, otherwise "".

    MPI opens files for shared memory. compat(openmpi 5.0): without a descriptor Open MPI ends the
    process, or never returns on the other processes.
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
    """Return how many bytes can still be mapped on this node.  Collective over ``comm``.

    Each process counts only the memory that it mapped itself, so the result is an upper bound.
    """
    return least(comm, _own_room_bytes())


class SharedWindow:
    """Memory that all ranks of a node load from and store to.

    Construction is collective over ``comm``, which has the node's ranks in the order of their
    segments. Each rank has ``segment_bytes``, and ``common_bytes`` after the segments belong to all
    ranks together. Both sizes are multiples of 64. ``purpose`` is the use of the memory, for error
    messages. With ``is_kept`` the memory stays mapped after the window has been freed. Then the
    program can still read arrays in the memory while the process ends.

    Raises
    ------
    HeapError
        The shared-memory file system has too little space. All ranks raise it. Without this check
        the first access would end the process with a bus error.
    TeamLimitError
        Too few file descriptors or communicators are left on some rank. All ranks raise it.
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
        room = least(comm, -1 if lacking else max(0, _own_room_bytes()))
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
        self._is_kept = is_kept
        if self.size == 1:
            # For a single process MPI may return memory that is neither zero nor page-aligned.
            buffer = mmap.mmap(-1, self._total_bytes)
        else:
            own_bytes = self._total_bytes if self.index == 0 else 0
            with window_lock.held(comm) as self._ticket:
                # compat(mpich 5.0.2): if no communicator is left, Allocate_shared crashes. Making a
                # copy raises instead.
                private_copy(comm).Free()
                self._win = MPI.Win.Allocate_shared(own_bytes, 1, comm=comm)
            # Sync is legal only inside an epoch (MPI-4.1, section 12.7), so one epoch lasts as long
            # as the window.
            self._win.Lock_all(MPI.MODE_NOCHECK)
            buffer, _ = self._win.Shared_query(0)
            if not is_kept or can_stay_mapped():
                shutdown.free_at_the_end(self, self.free, self._ticket, comm)
        _mapped[self] = self._total_bytes
        self.memory = memoryview(buffer).cast("B")
        """The segments of all ranks, one after the other, and then the common bytes.

        All bytes are zero at the beginning."""
        self.words = self.memory.cast("q")
        """The same memory as signed 64-bit integers. Each access is a single load or store."""
        self.fence: Callable[[], Any] | None = None if _STRONGLY_ORDERED else self.sync
        """A function that orders this rank's stores and loads; None on machines that need no
        fence."""

    def keep(self) -> None:
        """Keep the memory mapped after the window has been freed."""
        self._is_kept = can_stay_mapped()

    def segment(self, index: int) -> NDArray[np.uint8]:
        """Return the segment of one rank."""
        start = index * self.segment_bytes
        return np.frombuffer(self.memory[start : start + self.segment_bytes], np.uint8)

    def sync(self) -> None:
        """Order this rank's stores, so that other ranks see the earlier stores first."""
        if self._win is not None:
            self._win.Sync()

    def prepared_compare_swap(self) -> Callable[[int, int, int], int]:
        """Return a function that only one thread at a time may call.

        The function takes the index of a word, the expected value and a new value. It atomically
        stores the new value if the word has the expected value. It returns the old value.
        """
        win, words = self._win, self.words

        def swap_alone(word: int, expected: int, new: int) -> int:
            before = words[word]
            if before == expected:
                words[word] = new
            return before

        if win is None:
            return swap_alone
        value, compare, result = (np.zeros(1, np.int64) for _ in range(3))
        origin, expect, found = ([array, 1, MPI.INT64_T] for array in (value, compare, result))

        def compare_swap(word: int, expected: int, new: int) -> int:
            value[0] = new
            compare[0] = expected
            win.Compare_and_swap(origin, expect, found, 0, word * 8)
            win.Flush(0)
            return int(result[0])

        return compare_swap

    def free(self) -> None:
        """Free the window, and unmap its memory unless it is kept.  Collective.

        If the memory is not kept, later uses of :attr:`words` raise ``ValueError``, and NumPy
        arrays of the memory must not be used any more. After an interrupt, a second call completes
        the first call. Otherwise a second call does nothing.
        """
        if not self._is_kept:
            self.words.release()
            with contextlib.suppress(BufferError):  # if NumPy arrays still refer to the memory
                self.memory.release()
        shutdown.freed(self)
        _mapped.pop(self, None)
        if self._win:
            keep = stays_mapped(self.memory) if self._is_kept else contextlib.nullcontext()
            with keep, window_lock.held(self._comm, self._ticket):
                free(self._win)


def free(window: MPI.Win) -> None:
    """End a window's epoch and free the window.  Collective.

    The window must not have been freed. After an interrupt, a second call completes the first.
    """
    # If an earlier call was interrupted after this step, MPI raises.
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
    """Open a window on each node of ``comm``, or raise on all ranks.  Collective over ``comm``.

    ``node`` has the ranks on the caller's node; it is ``comm`` itself if there is only one node.
    Other arguments and errors are those of :class:`SharedWindow`.
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
        # Freeing a window waits for all ranks of the node. If one of them has no window, the other
        # windows stay.
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
    """Return whether :func:`stays_mapped` works on this system. That function needs Linux."""
    return hasattr(_libc, "mremap")


@contextlib.contextmanager
def stays_mapped(memory: memoryview) -> Iterator[None]:
    """Keep shared memory at its address, although MPI unmaps it inside this context.

    The memory is lost if the process has no address space for a second mapping. It is also lost if
    another thread maps memory at this address just after MPI has unmapped the shared memory.
    """
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = first & -mmap.PAGESIZE
    n_bytes = round_up(first + memory.nbytes - start, mmap.PAGESIZE)
    for function in (_libc.mmap, _libc.mremap):
        function.restype = _address
    # With an old size of 0, mremap makes a second mapping of the same pages. MPI does not know the
    # second mapping.
    again = _libc.mremap(_address(start), _size(0), _size(n_bytes), _MREMAP_MAYMOVE)
    yield
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE
    place = _libc.mmap(_address(start), _size(n_bytes), 0, flags, -1, _size(0))
    if place == start and again != _FAILED:
        flags = _MREMAP_MAYMOVE | _MREMAP_FIXED
        _libc.mremap(_address(again), _size(n_bytes), _size(n_bytes), flags, _address(start))
