"""Put ordinary NumPy arrays into memory that all ranks of a node can address.

:func:`shared_arrays` makes NumPy allocate large arrays from the arena of this process. An arena is
an unnamed file in memory. A team's members map each other's arenas when the team is made.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import threading
import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from redcoll import kernels
from redcoll.arguments import integer
from redcoll.errors import StateError
from redcoll.topology import Process

LEAST_BYTES: Final = 32 << 10
"""Smaller arrays stay in NumPy's own memory, because their reductions would not be faster."""

Memory = NDArray[np.uint8]
Place = tuple[int, int, int, int]
"""The numbers by which other processes find an arena: the owner's file descriptor, the device, the
inode, and the size in bytes."""

_lock = threading.Lock()
_own: _Arena | None = None
_mapped: dict[tuple[int, int], Memory] = {}
"""The arenas of other processes, by device and inode."""


class _Arena:
    """The arena of this process. It lasts as long as the process, because arrays may use it."""

    def __init__(self, max_bytes: int) -> None:
        from redcoll.kernels._compiled import arena, fastpath

        self.allocator = arena
        self.file = os.memfd_create("redcoll-arrays", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.file, max_bytes)
            self._map = mmap.mmap(self.file, max_bytes)
        except (OSError, ValueError, OverflowError):
            os.close(self.file)
            raise
        self.memory: Memory = np.frombuffer(self._map, np.uint8)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        arena.create(self.start, max_bytes, LEAST_BYTES)
        fastpath.know_arena(self.start, self.start + max_bytes)
        status = os.fstat(self.file)
        self.place: Place | None = (self.file, status.st_dev, status.st_ino, max_bytes)
        self._pipe: tuple[int, int] | None = None
        """The parent of a fork waits until its child has closed this pipe."""
        os.register_at_fork(
            before=self._before_fork,
            after_in_parent=self._after_in_parent,
            after_in_child=self._after_in_child,
        )

    def _before_fork(self) -> None:
        with contextlib.suppress(OSError):  # if there are no descriptors, the parent does not wait
            self._pipe = os.pipe()

    def _after_in_parent(self) -> None:
        if self._pipe is None:
            return
        reader, writer = self._pipe
        self._pipe = None
        os.close(writer)
        # The child copies the arrays in their present state. Wait until the copy is complete, so
        # that this process does not change the arrays before.
        with contextlib.suppress(OSError):
            os.read(reader, 1)
        os.close(reader)

    def _after_in_child(self) -> None:
        is_private = self.allocator.become_private()
        self.place = None
        for each in self._pipe or ():
            os.close(each)
        self._pipe = None
        if not is_private:
            raise MemoryError("no memory to copy the arrays of redcoll.shared_arrays after a fork")


class SharedArrays:
    """The context manager that :func:`redcoll.shared_arrays` returns.

    The end of the ``with`` block turns shared arrays off, so that later arrays are ordinary arrays.
    Arrays made in the block remain shared and valid until the process ends.
    """

    def __init__(self, allocator: Any, before: Any) -> None:
        self._allocator = allocator
        self._before = before
        self.is_on: bool = before is not None
        """Whether this thread's large arrays are shared."""

    def close(self) -> None:
        """Restore NumPy's former memory handler.  A second call does nothing."""
        if self.is_on:
            self._allocator.use(self._before)
            self.is_on = False

    def __enter__(self) -> SharedArrays:  # noqa: PYI034 - Self came with Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<redcoll.SharedArrays, {'on' if self.is_on else 'off'}>"


def shared_arrays(max_bytes: int | None = None) -> SharedArrays:
    """Let NumPy allocate arrays of 32 KiB and more in memory that all ranks of a node can address.

    Reductions of such arrays need no copies, because redcoll treats them like symmetric arrays. The
    call is local. It affects arrays that the calling thread makes later. Teams and communicators
    use shared arrays only if their first reduction comes after the call. If the memory is
    exhausted, new arrays are ordinary arrays.

    Without the compiled kernel, or without Linux, all arrays stay ordinary arrays, and the call
    gives a ``RuntimeWarning``.

    A process that forks waits until its child has copied the shared arrays.

    Parameters
    ----------
    max_bytes
        Limit for the arrays of this process in bytes (default: the machine's memory). Only the
        first call in a process sets the limit. Unused bytes take no memory.

    Returns
    -------
    ~redcoll.memory.arena.SharedArrays
        A context manager. Its ``close`` turns shared arrays off.

    Raises
    ------
    ArgumentError
        ``max_bytes`` is not an integer, or is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> with redcoll.shared_arrays():
    ...     x = np.ones(100_000)
    ...     total = np.empty_like(x)
    >>> redcoll.allreduce(total, x)
    >>> int(total[0]) == redcoll.n_pes()
    True
    """
    if max_bytes is not None:
        max_bytes = integer(max_bytes, "max_bytes", least=1)
    try:
        allocator = _start(max_bytes).allocator
    except (ImportError, OSError, ValueError, OverflowError, StateError) as reason:
        warnings.warn(
            f"redcoll.shared_arrays: {reason}; arrays stay ordinary ones",
            RuntimeWarning,
            stacklevel=2,
        )
        return SharedArrays(None, None)
    before = allocator.handler()
    allocator.use(allocator.arena_handler_after(before))
    return SharedArrays(allocator, before)


def _start(max_bytes: int | None) -> _Arena:
    """Return the arena of this process; create it if there is none."""
    global _own  # noqa: PLW0603 - one in a process
    if not kernels.is_built():
        raise ImportError("the compiled kernel is not installed")
    if not hasattr(os, "memfd_create"):
        raise OSError("this system has no memory files (memfd_create)")
    if max_bytes is None:
        max_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with _lock:
        if _own is None:
            _own = _Arena(max_bytes)
        elif _own.place is None:
            raise StateError("this process was forked from the one that has the arrays")
        return _own


def place() -> Place | None:
    """Return the place of this process's arena; None if the process has no arena."""
    return None if _own is None else _own.place


def live_bytes() -> int:
    """Return the bytes of this process's shared arrays."""
    return 0 if _own is None else int(_own.allocator.live_bytes())


def offset(address: int) -> int:
    """Return the offset of an address in the arena of this process; -1 if it is outside."""
    if _own is None:
        return -1
    at = address - _own.start
    return at if 0 <= at < _own.memory.size else -1


def keep() -> None:
    """Never reuse the memory of existing arrays, because another rank may still write to it."""
    if _own is not None:
        _own.allocator.keep()


def map_all(processes: Sequence[Process], places: Sequence[Place | None]) -> list[Memory] | None:
    """Map the arenas of processes on this node. Return None if an arena cannot be mapped."""
    found = []
    for process, its_place in zip(processes, places, strict=True):
        if its_place is None:
            found.append(np.empty(0, np.uint8))
            continue
        try:
            found.append(_map(process, its_place))
        except (OSError, ValueError):
            return None
    return found


def _map(process: Process, its_place: Place) -> Memory:
    number, device, inode, n_bytes = its_place
    if _own is not None and _own.place == its_place and process.pid == os.getpid():
        return _own.memory
    with _lock:
        known = _mapped.get((device, inode))
        if known is not None:
            return known
        file = os.open(f"/proc/{process.pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
        try:
            status = os.fstat(file)
            # In another namespace this process id can belong to another process.
            if (status.st_dev, status.st_ino, status.st_size) != (device, inode, n_bytes):
                raise FileNotFoundError(number)
            memory: Memory = np.frombuffer(mmap.mmap(file, n_bytes), np.uint8)
        finally:
            os.close(file)
        _mapped[device, inode] = memory
        return memory
