"""Start, stop and query the library (OpenSHMEM 1.5, sections 9.1 and 9.2)."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from redcoll import config, world
from redcoll._mpi4py import MPI
from redcoll.errors import ArgumentError
from redcoll.liveness.aborting import exit_if_abort_hangs
from redcoll.world import my_pe, n_pes
from redcoll_shmem import _settings
from redcoll_shmem._arguments import constant, integer, refuse
from redcoll_shmem.constants import (
    SHMEM_MAJOR_VERSION,
    SHMEM_MINOR_VERSION,
    SHMEM_THREAD_MULTIPLE,
    SHMEM_THREAD_SINGLE,
    SHMEM_VENDOR_STRING,
)

_TIME_TO_END_S = 30

_starts = 0
"""The number of calls of ``shmem_init`` minus the number of calls of ``shmem_finalize``."""

__all__ = [
    "_my_pe",
    "_num_pes",
    "globalexit",
    "my_pe",
    "n_pes",
    "num_pes",
    "shmem_finalize",
    "shmem_global_exit",
    "shmem_info_get_name",
    "shmem_info_get_version",
    "shmem_init",
    "shmem_init_thread",
    "shmem_my_pe",
    "shmem_n_pes",
    "shmem_pcontrol",
    "shmem_query_initialized",
    "shmem_query_thread",
    "start_pes",
]


def shmem_init() -> None:
    """Start the library. If it already runs, only count the call.  Collective over all PEs.

    The library stops when :func:`shmem_finalize` has been called as often as :func:`shmem_init`
    (OpenSHMEM 1.6). PE 0 prints the version if ``SHMEM_VERSION`` is set, and the settings if
    ``SHMEM_INFO`` is set.

    Raises
    ------
    StateError
        The library has been finalized.
    HeapError
        There is not enough shared memory for the symmetric heap.
    """
    global _starts  # noqa: PLW0603 - one library per process
    job = world.start()
    _starts += 1
    if _starts == 1 and job.pe == 0:
        if _settings.VERSION.get() or _settings.INFO.get():
            sys.stdout.write(
                f"{SHMEM_VENDOR_STRING}, OpenSHMEM {SHMEM_MAJOR_VERSION}.{SHMEM_MINOR_VERSION}\n"
            )
        if _settings.INFO.get():
            sys.stdout.write(f"{config.table()}\n")
        sys.stdout.flush()


def shmem_init_thread(requested: int) -> int:
    """Start as :func:`shmem_init` does; return the thread level.  Collective over all PEs.

    Parameters
    ----------
    requested
        One of ``SHMEM_THREAD_SINGLE``, ``_FUNNELED``, ``_SERIALIZED``, ``_MULTIPLE``.

    Returns
    -------
    int
        The thread level of the MPI library. With ``SHMEM_THREAD_MULTIPLE`` all threads can make
        calls, but only one thread at a time can use a team.

    Raises
    ------
    ArgumentError
        ``requested`` is not a thread level.
    """
    levels = range(SHMEM_THREAD_SINGLE, SHMEM_THREAD_MULTIPLE + 1)
    names = "SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED and _MULTIPLE"
    rule = f"one of {names} ({levels.start} to {levels.stop - 1})"
    try:
        constant(dict.fromkeys(levels), requested, "requested", rule)
    except ArgumentError as error:
        refuse("shmem_init_thread", error)
    shmem_init()
    return shmem_query_thread()


def shmem_query_thread() -> int:
    """Return the thread level of the MPI library."""
    return [
        MPI.THREAD_SINGLE,
        MPI.THREAD_FUNNELED,
        MPI.THREAD_SERIALIZED,
        MPI.THREAD_MULTIPLE,
    ].index(MPI.Query_thread())


def shmem_query_initialized() -> bool:
    """Return whether the library runs (OpenSHMEM 1.6)."""
    return world.is_running()


def shmem_finalize() -> None:
    """Undo a call of :func:`shmem_init`. When all calls are undone, the library stops.

    Collective over all PEs. All earlier puts are complete on return. After the library has stopped,
    later calls raise ``StateError``, but symmetric arrays can still be read.
    """
    global _starts  # noqa: PLW0603 - one library per process
    _starts -= 1
    if _starts > 0:
        from redcoll.collectives.barrier import barrier  # not at the top: jobs start faster

        barrier()
    else:
        world.finalize()


def shmem_global_exit(status: int) -> NoReturn:
    """End the whole job at once with an exit status. Any PE can make this call. It never returns.

    Parameters
    ----------
    status
        0 to 255.

    Raises
    ------
    ArgumentError
        ``status`` is not an integer from 0 to 255.
    """
    try:
        code = integer(status, "status", 0, 255)
    except ArgumentError as error:
        refuse("shmem_global_exit", error)
    sys.stdout.flush()
    sys.stderr.flush()
    # compat(mpich 5.0.2): Abort() notifies the launcher, and then returns. The launcher ends all
    # processes later. So the result type NoReturn in mpi4py's stub is wrong.
    abort: Callable[[int], object] = MPI.COMM_WORLD.Abort
    exit_if_abort_hangs(_TIME_TO_END_S)
    abort(code)
    faulthandler.cancel_dump_traceback_later()
    time.sleep(_TIME_TO_END_S)
    os._exit(code)


def shmem_info_get_version() -> tuple[int, int]:
    """Return the version of the OpenSHMEM specification as (major, minor)."""
    return SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION


def shmem_info_get_name() -> str:
    """Return the name and version of the library."""
    return SHMEM_VENDOR_STRING


def shmem_pcontrol(level: int) -> None:
    """Set the level of a profiler. redcoll has no profiler, so the call does nothing.

    Parameters
    ----------
    level
        Any C int.

    Raises
    ------
    ArgumentError
        ``level`` is not an integer in the range of a C int.
    """
    try:
        integer(level, "level", -(1 << 31), (1 << 31) - 1)
    except ArgumentError as error:
        refuse("shmem_pcontrol", error)


def start_pes(npes: int) -> None:
    """Start the library unless it already runs. This is the old form of :func:`shmem_init`.

    Collective over all PEs.

    Parameters
    ----------
    npes
        Not used. The launcher sets the number of PEs.
    """
    if not world.is_running():
        shmem_init()


shmem_my_pe = _my_pe = my_pe
shmem_n_pes = num_pes = _num_pes = n_pes
globalexit = shmem_global_exit
