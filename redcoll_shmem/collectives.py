"""Broadcast, collect and alltoall (OpenSHMEM 1.4, sections 9.8.5 to 9.8.7 and 9.8.9).

The arrays may be of any type whose elements have the size in the routine's name, or plain
bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import plain
from redcoll.collectives.alltoall import alltoall, span
from redcoll.collectives.broadcast import broadcast
from redcoll.collectives.collect import collect, fcollect
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.onesided import rma
from redcoll.protocol.descriptor import ALLTOALL, BROADCAST, COLLECT, FCOLLECT, pack
from redcoll.team import Team
from redcoll_shmem._arguments import (
    integer,
    is_zero,
    sync,
    team_of,
    vector,
    writable,
)
from redcoll_shmem._outermost import outermost
from redcoll_shmem._routines import publish, signature
from redcoll_shmem.constants import SHMEM_SYNC_SIZE

Array = NDArray[Any]
Routine = Callable[..., None]

BITS = (32, 64)


_DOC = """{summary}

Collective over the active set; only its members may call, with equal arguments{but}.

Parameters
----------
target : ndarray
    Symmetric, contiguous; {target}.
source : ndarray
    Symmetric, contiguous; {source}. It may be reused on return.
{numbers}PE_start, logPE_stride, PE_size : int
    The active set: ``PE_size`` PEs from ``PE_start``, ``2**logPE_stride`` apart.
pSync : ndarray of long
    Symmetric, at least ``{size_name}`` elements, all ``SHMEM_SYNC_VALUE``; never written.

Raises
------
ActiveSetError
    The set is malformed, reaches past the last PE, or the caller is not in it.
ArgumentError
    Another wrong argument (also ``DatatypeError``, ``SymmetryError``, ``OverlapError``);
    the other members get ``CollectiveMismatchError``.
StateError
    The memory of an array has been freed.
CollectiveMismatchError
    Members called with other counts or types: on all alike.
"""

_NELEMS = """nelems : int
    Elements of {bits} bits {of}.{zero}
"""
_ZERO = " With 0 no array is looked at; they may be None."
_MAY_DIFFER = " It may differ between members; with 0 the source may be None."
_ROOT = """PE_root : int
    Index in the set (not a PE number) of the member whose source it is.
"""
_STEPS = """dst, sst : int
    Distance between one element of target, or source, and the next; 1 if side by side.
"""

_ARRAYS = {"target": "Array | None", "source": "Array | None"}
_SET = {"PE_start": "int", "logPE_stride": "int", "PE_size": "int", "pSync": "Array"}


def _block(array: Any, bits: int, count: int | None, name: str) -> Array:
    """``count`` elements of a symmetric array, or all of them, as unsigned integers."""
    size = bits // 8
    array = plain(array, name)
    vector(array, 0, name, "nelems")  # for its checks
    if array.itemsize not in (1, size):
        raise DatatypeError(
            f"{name} is of {array.dtype}, {array.itemsize} bytes an element; this routine takes "
            f"elements of {size} bytes, or a view of plain bytes"
        )
    if name == "target":
        writable(array, name)
    data = rma.flat(array, name).view(np.uint8)
    room = data.size // size
    if count is None:
        count = room
    if count > room:
        raise ArgumentError(
            f"nelems and the set ask for {count} elements of {bits} bits of {name}; it has {room}"
        )
    return data[: count * size].view(f"u{size}")


def _run(
    routine: str,
    collective: int,
    members: tuple[int, int, int],
    nelems: Any,
    pSync: Any,
    size_name: str,
    prepare: Callable[[Team, int], Callable[[], object]],
) -> None:
    """Check a call, whose own arguments ``prepare(team, nelems)`` checks, and make it."""
    team = team_of(routine, *members)
    if collective != COLLECT and is_zero(nelems):
        # No array is checked, but a round shows which PEs passed another count.
        team.round(pack(collective))
        return
    with team.checking(collective, routine):
        sync(pSync, SHMEM_SYNC_SIZE, size_name)
        call = prepare(team, integer(nelems, "nelems"))
    call()


def _broadcast(bits: int) -> Routine:
    """``shmem_broadcast32`` and ``64``."""
    name, size_name = f"shmem_broadcast{bits}", "SHMEM_BCAST_SYNC_SIZE"

    def routine(
        target: Any,
        source: Any,
        nelems: int,
        PE_root: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        def prepare(team: Team, count: int) -> Callable[[], object]:
            to = _block(target, bits, count, "target")
            of = _block(source, bits, count, "source")
            root = integer(PE_root, "PE_root", 0, team.size - 1)
            return partial(broadcast, to, of, root, to_root=False, team=team)

        members = (PE_start, logPE_stride, PE_size)
        _run(name, BROADCAST, members, nelems, pSync, size_name, prepare)

    shown = signature({**_ARRAYS, "nelems": "int", "PE_root": "int", **_SET})
    doc = _DOC.format(
        summary="Copy the source of one member to the targets of all others.",
        but="",
        target="``nelems`` elements, left untouched on the root",
        source="``nelems`` elements; the same as ``target``, or disjoint from it",
        numbers=_NELEMS.format(bits=bits, of="to copy", zero=_ZERO) + _ROOT,
        size_name=size_name,
    )
    return publish(outermost(routine), name, shown, doc)


def _collect(bits: int, *, is_fixed: bool) -> Routine:
    """``shmem_fcollect32`` and ``64``, or ``shmem_collect32`` and ``64``."""
    name = f"shmem_{'f' if is_fixed else ''}collect{bits}"
    size_name = "SHMEM_COLLECT_SYNC_SIZE"

    def routine(
        target: Any,
        source: Any,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        def prepare_fixed(team: Team, count: int) -> Callable[[], object]:
            to = _block(target, bits, count * team.size, "target")
            of = _block(source, bits, count, "source")
            return partial(fcollect, to, of, team=team)

        def prepare(team: Team, count: int) -> Callable[[], object]:
            # Who contributes nothing still takes part; no elements of pSync serve as an
            # array that need not be there.
            nothing = _block(pSync, 8 * pSync.itemsize, 0, "pSync").view(f"u{bits // 8}")
            to = nothing if target is None else _block(target, bits, None, "target")
            of = nothing if count == 0 else _block(source, bits, count, "source")
            return partial(collect, to, of, team=team)

        members = (PE_start, logPE_stride, PE_size)
        if is_fixed:
            _run(name, FCOLLECT, members, nelems, pSync, size_name, prepare_fixed)
        else:
            _run(name, COLLECT, members, nelems, pSync, size_name, prepare)

    of, zero = ("of each member", _ZERO) if is_fixed else ("of the caller", _MAY_DIFFER)
    doc = _DOC.format(
        summary="The sources of all members one after the other, on every member.",
        but="" if is_fixed else " but for ``nelems``",
        target="as many elements as all members contribute",
        source=f"``nelems`` elements, disjoint from {'' if is_fixed else 'what is written of '}"
        "``target``",
        numbers=_NELEMS.format(bits=bits, of=of, zero=zero),
        size_name=size_name,
    )
    return publish(outermost(routine), name, signature({**_ARRAYS, "nelems": "int", **_SET}), doc)


def _exchange(
    bits: int, target: Any, source: Any, dst: Any, sst: Any
) -> Callable[[Team, int], Callable[[], object]]:
    """The checks of both forms of alltoall."""

    def prepare(team: Team, count: int) -> Callable[[], object]:
        steps = integer(dst, "dst", 1), integer(sst, "sst", 1)
        to = _block(target, bits, span(team.size, count, steps[0]), "target")
        of = _block(source, bits, span(team.size, count, steps[1]), "source")
        return partial(alltoall, to, of, count, *steps, team=team)

    return prepare


def _alltoall(bits: int) -> Routine:
    """``shmem_alltoall32`` and ``64``."""
    name, size_name = f"shmem_alltoall{bits}", "SHMEM_ALLTOALL_SYNC_SIZE"

    def routine(
        target: Any,
        source: Any,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        prepare = _exchange(bits, target, source, 1, 1)
        members = (PE_start, logPE_stride, PE_size)
        _run(name, ALLTOALL, members, nelems, pSync, size_name, prepare)

    doc = _DOC.format(
        summary="Block i of member j's target is block j of member i's source.",
        but="",
        target="``nelems * PE_size`` elements",
        source="``nelems * PE_size`` elements, disjoint from ``target``",
        numbers=_NELEMS.format(bits=bits, of="in a block", zero=_ZERO),
        size_name=size_name,
    )
    return publish(outermost(routine), name, signature({**_ARRAYS, "nelems": "int", **_SET}), doc)


def _alltoalls(bits: int) -> Routine:
    """``shmem_alltoalls32`` and ``64``."""
    name, size_name = f"shmem_alltoalls{bits}", "SHMEM_ALLTOALLS_SYNC_SIZE"

    def routine(
        target: Any,
        source: Any,
        dst: int,
        sst: int,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        prepare = _exchange(bits, target, source, dst, sst)
        members = (PE_start, logPE_stride, PE_size)
        _run(name, ALLTOALL, members, nelems, pSync, size_name, prepare)

    shown = signature({**_ARRAYS, "dst": "int", "sst": "int", "nelems": "int", **_SET})
    doc = _DOC.format(
        summary="Block i of member j's target is block j of member i's source; with strides.",
        but="",
        target="``(nelems * PE_size - 1) * dst + 1`` elements",
        source="``(nelems * PE_size - 1) * sst + 1`` elements, disjoint from ``target``",
        numbers=_STEPS + _NELEMS.format(bits=bits, of="in a block", zero=_ZERO),
        size_name=size_name,
    )
    return publish(outermost(routine), name, shown, doc)


ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for bits in BITS
    for routine in (
        _broadcast(bits),
        _collect(bits, is_fixed=False),
        _collect(bits, is_fixed=True),
        _alltoall(bits),
        _alltoalls(bits),
    )
}
