"""Start, end and queries."""

from __future__ import annotations

import atexit
import contextlib
from typing import NoReturn

import redcoll_shmem as face
from redcoll import world
from redcoll.errors import CollectiveError, StateError
from redcoll.world import my_pe, n_pes
from redcoll_shmem._rc import rc
from redcoll_shmem.shmem._checks import Array, require_array
from redcoll_shmem.shmem.constants import THREAD

__all__ = [
    "addr_accessible",
    "finalize",
    "global_exit",
    "info_get_name",
    "info_get_version",
    "init",
    "init_thread",
    "my_pe",
    "n_pes",
    "pcontrol",
    "pe_accessible",
    "ptr",
    "query_thread",
]


_is_to_end = False


def _end_at_exit() -> None:
    """Have :func:`finalize` called when the process ends, if ``rc`` says so."""
    global _is_to_end  # noqa: PLW0603 - once per process
    if rc.finalize and not _is_to_end:
        _is_to_end = True
        # After the start: the last handlers are the first to be called, and the core's own
        # tells the other PEs that this one has left.
        atexit.register(_stop)


def _stop() -> None:
    # Where the job ends in another way, those that left have said so already.
    with contextlib.suppress(CollectiveError, StateError):
        finalize()


def init() -> None:
    """Start the library, or do nothing if it runs.  Collective over all PEs."""
    face.shmem_init()
    _end_at_exit()


def init_thread(requested: THREAD = THREAD.MULTIPLE) -> THREAD:
    """As :func:`init`; the thread level that is provided.  Collective over all PEs."""
    provided = THREAD(face.shmem_init_thread(requested))
    _end_at_exit()
    return provided


def query_thread() -> THREAD:
    """The thread level that is provided."""
    return THREAD(face.shmem_query_thread())


def finalize() -> None:
    """Stop the library.  Collective over all PEs; a second call does nothing.

    From then on freeing does nothing, and any other call raises ``StateError``. Symmetric
    arrays can still be read.
    """
    # All starts at once: importing this module is one of them.
    world.finalize()


def global_exit(status: int = 0) -> NoReturn:
    """End the whole job, at once and from any PE, with this exit status (0 to 255)."""
    face.shmem_global_exit(status)


def info_get_version() -> tuple[int, int]:
    """Version of the OpenSHMEM specification, (major, minor)."""
    return face.shmem_info_get_version()


def info_get_name() -> str:
    """Name and version of the library: ``VENDOR_STRING``."""
    return face.shmem_info_get_name()


def pe_accessible(pe: int) -> bool:
    """Whether the job has this PE."""
    return face.shmem_pe_accessible(pe)


def addr_accessible(addr: Array, pe: int) -> bool:
    """Whether an array is symmetric, so that this PE's can be reached."""
    require_array(addr, "addr")
    return face.shmem_addr_accessible(addr, pe)


def ptr(target: Array, pe: int) -> Array | None:
    """A symmetric array as it lies on another PE, for plain loads and stores.

    None where its memory cannot be reached.
    """
    return face.shmem_ptr(target, pe)


def pcontrol(level: int = 1) -> None:
    """Tell a profiler what to record.  There is none in here: it does nothing."""
    face.shmem_pcontrol(level)
