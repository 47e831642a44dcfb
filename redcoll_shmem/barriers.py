"""Define barriers of all PEs and of active sets (OpenSHMEM 1.4, sections 9.8.1 to 9.8.4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, overload

from redcoll.arguments import Array
from redcoll.collectives.barrier import barrier
from redcoll.protocol.descriptor import BARRIER
from redcoll.team import Team
from redcoll_shmem._arguments import sync, team_of
from redcoll_shmem._calls import Call, checked_call, outermost
from redcoll_shmem._handles import shmem_team_t
from redcoll_shmem.teams import shmem_team_sync

__all__ = ["shmem_barrier", "shmem_barrier_all", "shmem_sync", "shmem_sync_all"]


def shmem_barrier_all() -> None:
    """Wait until all PEs have arrived and all earlier puts are complete."""
    barrier()


def shmem_sync_all() -> None:
    """Wait until all PEs have arrived."""
    barrier()


@outermost
def shmem_barrier(PE_start: int, logPE_stride: int, PE_size: int, pSync: Array) -> None:
    """Wait until all members of an active set have arrived and their earlier puts are complete.

    Collective over the active set. Only members of the set can call.

    Parameters
    ----------
    PE_start, logPE_stride, PE_size
        The active set. It starts at PE ``PE_start``, with the stride ``2**logPE_stride``, and has
        ``PE_size`` members.
    pSync : ndarray of long
        Symmetric array of at least ``SHMEM_BARRIER_SYNC_SIZE`` elements. All elements must be
        ``SHMEM_SYNC_VALUE``. The call does not change them.

    Raises
    ------
    ActiveSetError
        The set is malformed or reaches past the last PE, or the calling PE is not in it.
    ArgumentError
        ``pSync`` is wrong. The other members get ``CollectiveMismatchError``.
    """
    _barrier("shmem_barrier", PE_start, logPE_stride, PE_size, pSync)


def _or_team(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a call have a team as its only argument."""

    @wraps(call)
    def either(*arguments: Any, **options: Any) -> Any:
        if len(arguments) == 1 and not options and isinstance(arguments[0], shmem_team_t):
            return shmem_team_sync(arguments[0])
        return call(*arguments, **options)

    return either


@overload
def shmem_sync(team: shmem_team_t, /) -> int: ...


@overload
def shmem_sync(PE_start: int, logPE_stride: int, PE_size: int, pSync: Array) -> None: ...


@_or_team
@outermost
def shmem_sync(PE_start: int, logPE_stride: int, PE_size: int, pSync: Array) -> None:
    """Wait until all members of an active set have arrived.

    Arguments and errors are those of :func:`shmem_barrier`. If the only argument is a team, the
    call is :func:`shmem_team_sync` (C11's generic form).
    """
    _barrier("shmem_sync", PE_start, logPE_stride, PE_size, pSync)


def _barrier(routine: str, PE_start: int, logPE_stride: int, PE_size: int, pSync: Array) -> None:
    def prepare(team: Team) -> Call:
        sync(pSync, "SHMEM_BARRIER_SYNC_SIZE")
        return partial(barrier, team=team)

    checked_call(routine, BARRIER, team_of(routine, PE_start, logPE_stride, PE_size), prepare)
