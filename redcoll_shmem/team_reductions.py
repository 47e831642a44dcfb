"""Reductions and scans on teams (OpenSHMEM 1.5, section 9.10.7; scans: 1.6).

``TABLE`` has the types by operations of the specification, and the bitwise operations on
signed types that 1.5 has taken out and libraries have kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.collectives.allreduce import perform, prepare_call
from redcoll.collectives.scan import exscan, scan
from redcoll.memory.heap import Heap
from redcoll.ops import SUM, Op
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, SCAN, Call, pack
from redcoll.team import Team
from redcoll_shmem._arguments import integer, is_zero
from redcoll_shmem._handles import core_of
from redcoll_shmem._outermost import known_core, outermost
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._reducing import OPERATIONS, operands
from redcoll_shmem._team_calls import ERRORS, TEAM
from redcoll_shmem._types import C_TYPES

Array = NDArray[Any]
Routine = Callable[..., int]

STANDARD = "1.5"
KEPT = "kept by libraries"

_BITWISE = (
    *("uchar", "ushort", "uint", "ulong", "ulonglong"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "size"),
)
_ORDERED = (
    *("char", "schar", "short", "int", "long", "longlong", "ptrdiff"),
    *_BITWISE,
    *("float", "double", "longdouble"),
)
_NUMBERS = (*_ORDERED, "complexf", "complexd")

TYPES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("and", "or", "xor"), _BITWISE),
    **dict.fromkeys(("max", "min"), _ORDERED),
    **dict.fromkeys(("sum", "prod"), _NUMBERS),
}
"""Table 11 of OpenSHMEM 1.5: which types each operation takes."""

SIGNED = ("short", "int", "long", "longlong")


class Row(NamedTuple):
    """One routine."""

    operation: str
    type_name: str
    family: str

    @property
    def name(self) -> str:
        """Name of the routine."""
        return f"shmem_{self.type_name}_{self.operation}_reduce"


TABLE = (
    *(Row(operation, name, STANDARD) for operation, names in TYPES.items() for name in names),
    *(Row(operation, name, KEPT) for operation in ("and", "or", "xor") for name in SIGNED),
)

_DOC = """{what} of the sources of all members of a team, element by element.

Collective over the team, whose members must pass equal arguments. For each element
``{formula}``, {where}in the order of the team.

Parameters
----------
team : shmem_team_t
    A team that the caller is in.
target : ndarray{of}
    Symmetric, at least ``nreduce`` elements. The same elements as ``source`` (in place),
    or disjoint from them.
source : ndarray{of}
    Symmetric, at least ``nreduce`` elements; it may be reused on return.
nreduce : int
    Elements to reduce. With 0 no array is looked at; they may be None.

Returns
-------
int
    0.

{errors}"""

_FOLD = "target = source of member 0 op source of member 1 op ..."
_SIGNATURE = signature(
    {"team": TEAM, "target": "Array | None", "source": "Array | None", "nreduce": "int"}, "int"
)
_MOST_KEPT = 256


class _Ready(NamedTuple):
    """A call whose arguments have passed all checks, to be made again without them."""

    team: Team
    call: Call
    target: Array
    source: Array
    heap: Heap
    epoch: int
    passed: tuple[Any, Any]
    """The arrays as passed, kept so that no others get their identities."""


def _check(
    name: str,
    op: Op,
    dtype: np.dtype[Any] | None,
    given: tuple[Any, Any, Any, Any],
) -> _Ready | None:
    """Check a call for the first time; None if there was nothing to reduce."""
    team, target, source, nreduce = given
    core = core_of(name, team)
    if is_zero(nreduce):
        # No array is checked, but a round shows which PEs passed another count.
        nothing = np.empty(0, dtype or np.int64)
        perform(core, prepare_call(core, nothing, nothing, op), nothing, nothing)
        return None
    with core.checking(ALLREDUCE, name):
        count = integer(nreduce, "nreduce")
        to, of = operands(dtype, target, source, count, "nreduce")
    heap = world.start().heap
    call = prepare_call(core, to, of, op)
    ready = _Ready(core, call, to, of, heap, heap.epoch, (target, source))
    if len(team.known) >= _MOST_KEPT:
        team.known.clear()
    team.known[name, id(target), id(source), count] = ready
    return ready


def _reduction(name: str, operation: str, type_name: str | None) -> Routine:
    dtype = C_TYPES[type_name] if type_name else None
    op, what = OPERATIONS[operation]

    def routine(team: Any, target: Any, source: Any, nreduce: Any) -> int:
        try:
            try:
                ready = team.known.get((name, id(target), id(source), nreduce))
            except Exception:  # noqa: BLE001 - no team, or no number: the checks say so
                ready = None
            if ready is None or ready.heap.epoch != ready.epoch or not target.flags.writeable:
                ready = _check(name, op, dtype, (team, target, source, nreduce))
                if ready is None:
                    return 0
            perform(ready.team, ready.call, ready.target, ready.source)
        except BaseException as error:
            core = known_core(team)
            if core is not None:
                core.revoke_unless_common(error)
            raise
        return 0

    return publish(routine, name, _SIGNATURE, _doc(what, dtype, _FOLD))


def _doc(what: str, dtype: np.dtype[Any] | None, formula: str) -> str:
    return _DOC.format(
        what=what,
        formula=formula,
        where=f"in {dtype} and " if dtype is not None else "",
        of=f" of {dtype}" if dtype is not None else "",
        errors=ERRORS,
    )


def _scan(name: str, type_name: str | None, *, is_inclusive: bool) -> Routine:
    dtype = C_TYPES[type_name] if type_name else None
    collective = SCAN if is_inclusive else EXSCAN

    def routine(team: Any, target: Any, source: Any, nreduce: Any) -> int:
        core = core_of(name, team)
        if is_zero(nreduce):
            core.round(pack(collective))
            return 0
        with core.checking(collective, name):
            count = integer(nreduce, "nreduce")
            to, of = operands(dtype, target, source, count, "nreduce")
        if is_inclusive:
            scan(to, of, SUM, team=core)
            return 0
        exscan(to, of, SUM, team=core)
        if core.index == 0:
            to[...] = 0
        return 0

    if is_inclusive:
        doc = _doc("Sums up to and with each member", dtype, "target = source of members 0 to i")
    else:
        doc = _doc(
            "Sums up to each member",
            dtype,
            "target = source of members 0 to i - 1, 0 on member 0",
        )
    return publish(outermost(routine), name, _SIGNATURE, doc)


ROUTINES = Routines(
    {
        **{row.name: partial(_reduction, row.name, row.operation, row.type_name) for row in TABLE},
        **{
            name: partial(_reduction, name, operation, None)
            for operation in OPERATIONS
            for name in (f"shmem_{operation}_reduce",)
        },
        **{
            name: partial(_scan, name, type_name, is_inclusive=verb == "sum_inscan")
            for type_name in (*TYPES["sum"], None)
            for verb in ("sum_inscan", "sum_exscan")
            for name in (f"shmem_{type_name}_{verb}" if type_name else f"shmem_{verb}",)
        },
    }
)
