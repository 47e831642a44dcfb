"""Define reductions and scans on teams (OpenSHMEM 1.5, section 9.10.7; scans are from 1.6).

The tables have the types and operations of the specification. They also have bitwise operations on
signed types. OpenSHMEM 1.5 removed these operations, but other libraries still have them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives.scan import exscan, scan
from redcoll.kernels.interface import KnownCalls
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import EXSCAN, SCAN
from redcoll.team import Team
from redcoll_shmem._calls import Call, checked_call, known_core, outermost
from redcoll_shmem._docs import document, operands
from redcoll_shmem._handles import core_of, shmem_team_t
from redcoll_shmem._reducing import OPERATIONS, new_known_calls, prepare_reduction, to_all_call
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import array_of, dtype_of, of_type

_BITWISE = (
    *("uchar", "ushort", "uint", "ulong", "ulonglong"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "size"),
)
_ORDERED = (
    *("char", "schar", "short", "int", "long", "longlong", "ptrdiff"),
    *_BITWISE,
    *("float", "double", "longdouble"),
)

TYPES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("and", "or", "xor"), _BITWISE),
    **dict.fromkeys(("max", "min"), _ORDERED),
    **dict.fromkeys(("sum", "prod"), (*_ORDERED, "complexf", "complexd")),
}
"""The types that each operation takes (OpenSHMEM 1.5, table 11)."""

SIGNED = ("short", "int", "long", "longlong")
"""The signed types for which OpenSHMEM 1.5 removed the bitwise operations."""


def _finish(
    routine: Routine,
    name: str,
    dtype: np.dtype[Any] | None,
    summary: str,
    formula: str,
    *,
    is_scan: bool = False,
) -> Routine:
    where = f"computed in {dtype} " if dtype is not None else ""
    doc = document(
        summary,
        "Collective over the team, whose members must pass equal arguments. Each element of\n"
        f"``target`` becomes {formula}, {where}in the order of the team.",
        operands(of_type(dtype)),
        on_team=True,
        differ="counts, types or operations",
        is_scan=is_scan,
    )
    array = array_of(dtype) | None
    parameters = {"team": shmem_team_t, "target": array, "source": array, "nreduce": int}
    return finish_routine(routine, name, parameters, int, doc)


def _make_new(
    known: KnownCalls,
    name: str,
    op: Op,
    dtype: np.dtype[Any] | None,
    given: tuple[Any, Any, Any, Any],
) -> None:
    """Check and perform a new call. ``known`` keeps the call, so that later calls repeat it."""
    team, target, source, nreduce = given
    passed = (target, source, team, None)
    prepared = prepare_reduction(name, core_of(name, team), op, dtype, nreduce, passed)
    if prepared is not None:
        known.keep(prepared, (prepared.call.count, 0, 0, 0))
        prepared.perform()


def _reduction(name: str, type_name: str | None, operation: str) -> Routine:
    dtype = dtype_of(type_name)
    op, what = OPERATIONS[operation]
    known = new_known_calls()
    repeat, make_new = known.repeat, partial(_make_new, known, name, op, dtype)

    def routine(team: Any, target: Any, source: Any, nreduce: Any) -> int:
        try:
            if not repeat(target, source, team, None, nreduce, 0, 0, 0):
                make_new((team, target, source, nreduce))
        except BaseException as error:
            core = known_core(team)
            if core is not None:
                core.revoke_unless_common(error)
            raise
        return 0

    summary = f"Reduce the sources of a team by {what}, element by element, to all members."
    formula = "``source of member 0 op source of member 1 op ...``"
    return _finish(routine, name, dtype, summary, formula)


def _exscan_from_zero(target: Array, source: Array, op: Op, *, team: Team) -> None:
    exscan(target, source, op, team=team)
    if team.index == 0:
        target[...] = 0


def _scan(name: str, type_name: str | None, is_inclusive: bool) -> Routine:
    dtype = dtype_of(type_name)
    collective, call = (SCAN, scan) if is_inclusive else (EXSCAN, _exscan_from_zero)

    def routine(team: Any, target: Any, source: Any, nreduce: Any) -> int:
        def prepare(core: Team) -> Call:
            return to_all_call(core, collective, call, dtype, (target, source), nreduce, SUM)

        checked_call(name, collective, core_of(name, team), prepare)
        return 0

    if is_inclusive:
        summary = "Give member i the sum of the sources of members 0 to i."
        formula = "the sum over members 0 to i"
    else:
        summary = "Give member i the sum of the sources of members 0 to i - 1."
        formula = "the sum over members 0 to i - 1 (0 on member 0)"
    return _finish(outermost(routine), name, dtype, summary, formula, is_scan=True)


ROUTINES = LazyRoutines(
    {
        **{
            name: make
            for operation, types in TYPES.items()
            for all_types in ((*types, *SIGNED) if types is _BITWISE else types,)
            for name, make in makers(
                _reduction, f"{operation}_reduce", all_types, operation
            ).items()
        },
        **makers(_scan, "sum_inscan", TYPES["sum"], True),
        **makers(_scan, "sum_exscan", TYPES["sum"], False),
    }
)
