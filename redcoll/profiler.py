"""Implement ``redcoll.profile()``, which finds the late ranks in a part of a program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import redcoll
from redcoll import config, tally, world
from redcoll._mpi4py import MPI
from redcoll.comm import gather_objects
from redcoll.errors import StateError
from redcoll.profiling import Profile, job, recorder
from redcoll.protocol.descriptor import PROFILE, pack

__all__ = ["Profile", "profile"]


@contextmanager
def profile() -> Iterator[Profile]:
    """Record which rank is late in the reductions of a block.  Collective over the job.

    All ranks must enter and leave the block. At the end of the block each rank waits for all ranks.
    The profile contains the reductions of :mod:`redcoll` and of :mod:`redcoll.MPI`. The profile can
    lack calls by a name that was imported before the block, as in ``from redcoll import mean``.
    Calls by such a name are recorded only for the five reductions that take an operation.

    Returns
    -------
    redcoll.profiling.Profile
        The profile is filled when the block ends. All ranks get the rows and the late ranks. Only
        rank 0 gets the single calls, so that only rank 0 writes a trace. If the block raises an
        exception, the profile has only the calls of this rank.

    Raises
    ------
    StateError
        A profile is being recorded already.
    CollectiveMismatchError, CollectiveTimeoutError, PeerLostError
        Another rank does not leave the block, for example because it raised an exception there. The
        profile then has the calls of this rank only.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> with redcoll.profile() as p:
    ...     redcoll.allreduce(np.zeros(1), np.ones(1))
    >>> [row.call for row in p.rows()]
    ['redcoll.allreduce']
    """
    tally.register()  # REDCOLL_PROFILE records the whole job, even if this block comes first
    if recorder.is_on:
        raise StateError(
            "profile(): a profile is being recorded already; use one block at a time, "
            f"and unset {config.PROFILE.name}"
        )
    world.start()
    result = Profile()
    with _counting():
        try:
            recorder.begin()
            yield result
        finally:
            mine = recorder.end()
            result.take([mine], is_complete=False)
    _await_all()
    comm = MPI.COMM_WORLD
    job.align(mine, comm, MPI.Request.Wait)
    logs = gather_objects(comm, mine, root=0)
    try:
        if logs:
            result.take(logs, is_complete=True)
    finally:
        # The other ranks wait for rank 0, even if an exception was raised there.
        result.share(comm)


def _await_all() -> None:
    """Wait until all ranks have left the block."""
    # Use a round of redcoll. A collective of MPI would stay in progress after an error. Then later
    # collectives on the same communicator would never match, not even at the end of the job.
    if not world.is_running():
        return  # the program has called finalize() in the block
    team = world.start().team
    try:
        team.round(pack(PROFILE))
    except BaseException as error:
        team.revoke_unless_common(error)
        raise


@contextmanager
def _counting() -> Iterator[None]:
    """Replace the reductions of redcoll and of redcoll.MPI by functions that count."""
    if tally.is_wanted():
        yield  # a setting has replaced the functions already
        return
    try:
        redcoll._count_reductions(is_on=True)  # noqa: SLF001 - this package
        if "redcoll.MPI" in sys.modules:
            from redcoll.MPI import _counting as methods

            methods.install()
        yield
    finally:
        redcoll._count_reductions(is_on=False)  # noqa: SLF001
        tally.restore()
