"""Define put and get. Only the array on the other PE must be symmetric.

The arrays must be contiguous and of the same type. ``size`` is the number of elements to copy. By
default, it is the largest number for which both arrays have room. With ``ctx``, PE numbers refer to
the context's team. ``put_nbi`` and ``get_nbi`` do the same as ``put`` and ``get``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redcoll.arguments import Array
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma as core
from redcoll.onesided import strided
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem.shmem._checks import elements, require_pair, room
from redcoll_shmem.shmem.contexts import Ctx, pe_of

__all__ = ["get", "get_nbi", "iget", "iput", "put", "put_nbi"]


Move = Callable[[Array, Array, int, int, str], None]


def checked_copy(
    move: Move, target: Any, source: Any, pe: int, size: int | None, ctx: Ctx | None
) -> None:
    """Check the arguments of a put or get, then copy."""
    require_pair(target, source)
    count = elements(size, target=target.size, source=source.size)
    move(target, source, count, pe_of(pe, ctx), "size")


def _copy(
    routine: str, move: Move, target: Any, source: Any, pe: int, size: int | None, ctx: Ctx | None
) -> None:
    try:
        checked_copy(move, target, source, pe, size, ctx)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def put(
    target: Array, source: Array, pe: int, size: int | None = None, ctx: Ctx | None = None
) -> None:
    """Copy ``source`` into ``target`` on a PE.

    The program can change ``source`` after the call. The elements arrive in any order. ``fence``
    orders earlier puts before later puts. ``quiet`` and ``barrier_all`` complete earlier puts.
    """
    _copy("put", core.put, target, source, pe, size, ctx)


def get(
    target: Array, source: Array, pe: int, size: int | None = None, ctx: Ctx | None = None
) -> None:
    """Copy ``source`` on a PE into ``target``."""
    _copy("get", core.get, target, source, pe, size, ctx)


def put_nbi(
    target: Array, source: Array, pe: int, size: int | None = None, ctx: Ctx | None = None
) -> None:
    """Copy as :func:`put` does."""
    _copy("put_nbi", core.put, target, source, pe, size, ctx)


def get_nbi(
    target: Array, source: Array, pe: int, size: int | None = None, ctx: Ctx | None = None
) -> None:
    """Copy as :func:`get` does."""
    _copy("get_nbi", core.get, target, source, pe, size, ctx)


def iput(
    target: Array,
    source: Array,
    pe: int,
    tst: int = 1,
    sst: int = 1,
    size: int | None = None,
    ctx: Ctx | None = None,
) -> None:
    """Copy every ``sst``-th element of ``source`` to every ``tst``-th element of a PE's ``target``.

    Other elements of ``target`` stay unchanged.
    """
    _step("iput", strided.iput, target, source, pe, (tst, sst), size, ctx)


def iget(
    target: Array,
    source: Array,
    pe: int,
    tst: int = 1,
    sst: int = 1,
    size: int | None = None,
    ctx: Ctx | None = None,
) -> None:
    """Copy every ``sst``-th element of a PE's ``source`` to every ``tst``-th element of ``target``.

    Other elements of ``target`` stay unchanged.
    """
    _step("iget", strided.iget, target, source, pe, (tst, sst), size, ctx)


def _step(
    routine: str,
    move: Callable[[Array, Array, int, int, int, int], None],
    target: Any,
    source: Any,
    pe: int,
    steps: tuple[int, int],
    size: int | None,
    ctx: Ctx | None,
) -> None:
    try:
        require_pair(target, source)
        tst, sst = integer(steps[0], "tst", 1), integer(steps[1], "sst", 1)
        count = elements(size, target=room(target, tst), source=room(source, sst))
        move(target, source, tst, sst, count, pe_of(pe, ctx))
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
