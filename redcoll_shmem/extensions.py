"""Reductions that no SHMEM has: any operation on any element type, and to one PE only.

Their names start with ``redcoll_``, so that nobody takes them for the standard's. The
operation is an argument: one of redcoll's (``redcoll.MAXLOC`` on pairs of value and
index, ``redcoll.LAND``, ...), a binary ufunc, or a function of two arrays
(``redcoll.user_op``). They return 0, as team routines do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.reduce import reduce
from redcoll.collectives.scan import exscan, scan
from redcoll.ops import Op, as_op
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, REDUCE, SCAN, pack
from redcoll.team import Team
from redcoll_shmem._arguments import integer, is_zero, sync, team_of, vector, writable
from redcoll_shmem._handles import core_of
from redcoll_shmem._outermost import outermost
from redcoll_shmem._routines import publish, signature
from redcoll_shmem._reducing import operands
from redcoll_shmem._team_calls import ERRORS, TEAM
from redcoll_shmem.constants import SHMEM_REDUCE_SYNC_SIZE

Array = NDArray[Any]
Routine = Callable[..., int]

_DOC = """{summary}

Collective over the {members}, whose members must pass equal arguments.

Parameters
----------
{team}target : ndarray
    {target}
source : ndarray
    Symmetric, contiguous, at least ``nreduce`` elements of any type of the core; it may be
    reused on return.
nreduce : int
    Elements to reduce. With 0 no array is looked at; they may be None.
op
    An operation of redcoll or of MPI, its name, a binary ufunc, or a function of two arrays.
{root}{set}
Returns
-------
int
    0.

{errors}RemoteOpError
    A user's function raised on another member.
"""
_ON_ALL = (
    "Symmetric, contiguous, of the type of ``source``; the same elements, or disjoint from them."
)
_ON_ROOT = (
    "Symmetric, contiguous, of the type of ``source``; the same elements, or disjoint from "
    "them.\n    Used on the root alone; may be None elsewhere, and is left untouched there."
)
_TEAM = "team : shmem_team_t\n    A team that the caller is in.\n"
_ROOT = "PE_root : int\n    Number in the team, or index in the set, of who gets the result.\n"
_SET = """PE_start, logPE_stride, PE_size : int
    The active set: ``PE_size`` PEs from ``PE_start``, ``2**logPE_stride`` apart.
pSync : ndarray of long
    Symmetric, at least ``SHMEM_REDUCE_SYNC_SIZE`` elements, all ``SHMEM_SYNC_VALUE``;
    never written.
"""

Find = Callable[[], Team]


def _run(
    routine: str,
    collective: int,
    find: Find,
    check: Callable[[Team, int], Callable[[Op], object]],
    given: tuple[Any, Any],
) -> int:
    """Check a call, whose arrays ``check(team, nreduce)`` checks, and make it."""
    nreduce, op = given
    core = find()
    with core.checking(collective, routine):
        operation = as_op(op)
        call = None if is_zero(nreduce) else check(core, integer(nreduce, "nreduce"))
    if call is None:
        # No array is checked, but a round shows which PEs passed another count.
        core.round(pack(collective))
    else:
        call(operation)
    return 0


def _find_set(routine: str, PE_start: Any, logPE_stride: Any, PE_size: Any, pSync: Any) -> Team:
    team = team_of(routine, PE_start, logPE_stride, PE_size)
    with team.checking(ALLREDUCE, routine):
        sync(pSync, SHMEM_REDUCE_SYNC_SIZE, "SHMEM_REDUCE_SYNC_SIZE")
    return team


def _to_all(
    target: Any, source: Any, call: Callable[..., None]
) -> Callable[[Team, int], Callable[[Op], object]]:
    """The checks of what every member gets a result of."""

    def check(core: Team, count: int) -> Callable[[Op], object]:
        to, of = operands(None, target, source, count, "nreduce")
        return lambda op: call(to, of, op, team=core)

    return check


def _to_one(
    target: Any, source: Any, PE_root: Any
) -> Callable[[Team, int], Callable[[Op], object]]:
    """The checks of what one member gets the result of."""

    def check(core: Team, count: int) -> Callable[[Op], object]:
        root = integer(PE_root, "PE_root", 0, core.size - 1)
        to: Array | None = None
        if core.index == root:
            to, of = operands(None, target, source, count, "nreduce")
            writable(to, "target")
        else:
            of = vector(source, count, "source", "nreduce")
        return lambda op: reduce(to, of, op, root, team=core)

    return check


def _on_team(name: str, summary: str, collective: int, call: Callable[..., None]) -> Routine:
    def routine(team: Any, target: Any, source: Any, nreduce: Any, op: Any) -> int:
        check = _to_all(target, source, call)
        return _run(name, collective, lambda: core_of(name, team), check, (nreduce, op))

    parts = {"members": "team", "team": _TEAM, "target": _ON_ALL, "root": "", "set": ""}
    doc = _DOC.format(summary=summary, errors=ERRORS, **parts)
    shown = signature({"team": TEAM, **_ARRAYS}, "int")
    return publish(outermost(routine), name, shown, doc)


_ARRAYS = {"target": "Array | None", "source": "Array | None", "nreduce": "int", "op": "Any"}
_SET_ARGUMENTS = {"PE_start": "int", "logPE_stride": "int", "PE_size": "int", "pSync": "Array"}


def _reduce_on_team() -> Routine:
    name = "redcoll_reduce"

    def routine(team: Any, target: Any, source: Any, nreduce: Any, op: Any, PE_root: Any) -> int:
        check = _to_one(target, source, PE_root)
        return _run(name, REDUCE, lambda: core_of(name, team), check, (nreduce, op))

    parts = {"members": "team", "team": _TEAM, "target": _ON_ROOT, "root": _ROOT, "set": ""}
    doc = _DOC.format(summary="Reduce on a team, to one PE.", errors=ERRORS, **parts)
    shown = signature({"team": TEAM, **_ARRAYS, "PE_root": "int"}, "int")
    return publish(outermost(routine), name, shown, doc)


def _allreduce_on_set() -> Routine:
    name = "redcoll_to_all"

    def routine(
        target: Any,
        source: Any,
        nreduce: Any,
        op: Any,
        PE_start: Any,
        logPE_stride: Any,
        PE_size: Any,
        pSync: Any,
    ) -> int:
        def find() -> Team:
            return _find_set(name, PE_start, logPE_stride, PE_size, pSync)

        return _run(name, ALLREDUCE, find, _to_all(target, source, allreduce), (nreduce, op))

    parts = {"members": "active set", "team": "", "target": _ON_ALL, "root": "", "set": _SET}
    doc = _DOC.format(summary="Reduce on an active set, to all of it.", errors=ERRORS, **parts)
    return publish(outermost(routine), name, signature({**_ARRAYS, **_SET_ARGUMENTS}, "int"), doc)


def _reduce_on_set() -> Routine:
    name = "redcoll_to_one"

    def routine(
        target: Any,
        source: Any,
        nreduce: Any,
        op: Any,
        PE_root: Any,
        PE_start: Any,
        logPE_stride: Any,
        PE_size: Any,
        pSync: Any,
    ) -> int:
        def find() -> Team:
            return _find_set(name, PE_start, logPE_stride, PE_size, pSync)

        return _run(name, REDUCE, find, _to_one(target, source, PE_root), (nreduce, op))

    parts = {"members": "active set", "team": "", "target": _ON_ROOT, "root": _ROOT, "set": _SET}
    doc = _DOC.format(summary="Reduce on an active set, to one PE.", errors=ERRORS, **parts)
    shown = signature({**_ARRAYS, "PE_root": "int", **_SET_ARGUMENTS}, "int")
    return publish(outermost(routine), name, shown, doc)


ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for routine in (
        _on_team("redcoll_allreduce", "Reduce on a team, to all of it.", ALLREDUCE, allreduce),
        _on_team("redcoll_inscan", "Reduce what comes up to and with each member.", SCAN, scan),
        _on_team(
            "redcoll_exscan",
            "Reduce what comes before each member; member 0's target is left untouched.",
            EXSCAN,
            exscan,
        ),
        _reduce_on_team(),
        _allreduce_on_set(),
        _reduce_on_set(),
    )
}
