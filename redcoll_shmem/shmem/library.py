"""Start, stop and query the library."""

from __future__ import annotations

import atexit
import contextlib
from typing import NoReturn

import redcoll_shmem as c_api
from redcoll import world
from redcoll.arguments import Array, shown
from redcoll.errors import ArgumentError, CollectiveError, StateError
from redcoll.world import my_pe, n_pes
from redcoll_shmem._arguments import refuse
from redcoll_shmem._rc import rc
from redcoll_shmem.library import shmem_info_get_name as info_get_name
from redcoll_shmem.library import shmem_info_get_version as info_get_version
from redcoll_shmem.memory import shmem_pe_accessible as pe_accessible
from redcoll_shmem.memory import shmem_ptr as ptr
from redcoll_shmem.shmem._checks import require_array
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
    """If ``rc.finalize`` is true, register an exit handler that calls :func:`finalize`."""
    global _is_to_end  # noqa: PLW0603 - once per process
    if rc.finalize and not _is_to_end:
        _is_to_end = True
        # redcoll's own exit handler notifies other PEs that this PE exits, and finalize() must run
        # before that handler. Python calls the newest handler first. So register _stop() only after
        # redcoll has registered its handler at its start.
        atexit.register(_stop)


def _stop() -> None:
    # finalize() fails if other PEs have exited without finalize(). Ignore the error, because this
    # process ends anyway.
    with contextlib.suppress(CollectiveError, StateError):
        finalize()


def init() -> None:
    """Start the library, if it does not run already.  Collective over all PEs."""
    c_api.shmem_init()
    _end_at_exit()


def init_thread(requested: THREAD = THREAD.MULTIPLE) -> THREAD:
    """Start the library as :func:`init` does; return the thread level. Collective over all PEs."""
    try:
        level = THREAD(requested)
    except ValueError:
        error = ArgumentError(f"requested is {shown(requested)}; it must be a member of THREAD")
        refuse("init_thread", error)
    provided = THREAD(c_api.shmem_init_thread(level))
    _end_at_exit()
    return provided


def query_thread() -> THREAD:
    """Return the thread level of the MPI library."""
    return THREAD(c_api.shmem_query_thread())


def finalize() -> None:
    """Stop the library.  Collective over all PEs. A second call does nothing.

    After this call, calls that free memory do nothing, and all other calls raise ``StateError``.
    Symmetric arrays can still be read.
    """
    # One call is enough, even if the library was started several times. The import of this package
    # also counts as a start.
    world.finalize()


def global_exit(status: int = 0) -> NoReturn:
    """End the whole job at once with an exit status (0 to 255). Any PE can make this call."""
    c_api.shmem_global_exit(status)


def addr_accessible(addr: Array, pe: int) -> bool:
    """Return whether calls can access ``addr`` on a PE. Calls can access symmetric arrays only."""
    require_array(addr, "addr")
    return c_api.shmem_addr_accessible(addr, pe)


def pcontrol(level: int = 1) -> None:
    """Do nothing, because redcoll has no profiler whose level the call could set."""
    c_api.shmem_pcontrol(level)
