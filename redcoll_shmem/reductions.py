"""Define reductions on active sets (OpenSHMEM 1.4, section 9.8.8; man page shmem_sum(3)).

``TABLE`` has the types and operations of the specification, and the Fortran names of older
versions. ``TABLE`` also has extensions of other libraries: the type INT2 and the ``shmemx`` names.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from redcoll import world
from redcoll.arguments import plain
from redcoll.errors import DatatypeError, SymmetryError
from redcoll.kernels.interface import KnownCalls
from redcoll_shmem._arguments import Sync, integer, known_team_of, sync, team_of
from redcoll_shmem._docs import ACTIVE_SET, document, operands, sync_array
from redcoll_shmem._reducing import OPERATIONS, new_known_calls, prepare_reduction
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import C_TYPES, LONG, array_of, describe, require_type
from redcoll_shmem.constants import SHMEM_REDUCE_MIN_WRKDATA_SIZE

C = "C"
FORTRAN = "Fortran"
EXTENSION = "C extension"


class Row(NamedTuple):
    """A row of the table: an element type and its operations."""

    family: str
    type_name: str
    operations: str
    dtype: np.dtype[Any]

    def name(self, operation: str) -> str:
        """Return the name of the routine for an operation."""
        prefix = "shmemx" if self.family == EXTENSION else "shmem"
        return f"{prefix}_{self.type_name}_{operation}_to_all"


# fmt: off
TABLE = tuple(
    Row(family, type_name, operations, np.dtype(dtype))
    for family, type_name, operations, dtype in (
        (C,         "short",      "and or xor max min sum prod", C_TYPES["short"]),
        (C,         "int",        "and or xor max min sum prod", C_TYPES["int"]),
        (C,         "long",       "and or xor max min sum prod", C_TYPES["long"]),
        (C,         "longlong",   "and or xor max min sum prod", C_TYPES["longlong"]),
        (C,         "float",      "           max min sum prod", C_TYPES["float"]),
        (C,         "double",     "           max min sum prod", C_TYPES["double"]),
        (C,         "longdouble", "           max min sum prod", C_TYPES["longdouble"]),
        (C,         "complexf",   "                   sum prod", C_TYPES["complexf"]),
        (C,         "complexd",   "                   sum prod", C_TYPES["complexd"]),
        (FORTRAN,   "int2",       "and or xor max min sum prod", "i2"),
        (FORTRAN,   "int4",       "and or xor max min sum prod", "i4"),
        (FORTRAN,   "int8",       "and or xor max min sum prod", "i8"),
        (FORTRAN,   "real4",      "           max min sum prod", "f4"),
        (FORTRAN,   "real8",      "           max min sum prod", "f8"),
        (FORTRAN,   "real16",     "           max min sum prod", "longdouble"),
        (FORTRAN,   "comp4",      "                   sum prod", "c8"),
        (FORTRAN,   "comp8",      "                   sum prod", "c16"),
        (EXTENSION, "int16",      "and or xor max min sum prod", "i2"),
        (EXTENSION, "int32",      "and or xor max min sum prod", "i4"),
        (EXTENSION, "int64",      "and or xor max min sum prod", "i8"),
    )
)
# fmt: on

_WORK_ARRAY = """pWrk : ndarray of {dtype} or None
    Symmetric array of ``max(nreduce // 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)`` elements.
    redcoll does not use it. If it is None or shorter, the first such call gives a warning.
"""

_TEXT = """Collective over the active set. Only members of the set can call, and they must pass
equal arguments. Each element of ``target`` becomes ``source of member 0 op source of member 1 op
...``, computed in {dtype} in the order of the set. All members get the same bits.
``dest`` is another name for ``target``."""

_ORIGIN = {
    C: "OpenSHMEM 1.4, section 9.8.8; deprecated since 1.5 in favor of teams",
    FORTRAN: "Fortran name of OpenSHMEM 1.2 to 1.4. The number is the size of the type in bytes",
    EXTENSION: "Extension of Open MPI",
}

_ABSENT: Any = object()
"""The value of a parameter whose argument was not passed."""
_NAMES = ("target", "source", "nreduce", "PE_start", "logPE_stride", "PE_size", "pWrk", "pSync")

_has_warned = False


def _make_new(known: KnownCalls, row: Row, operation: str, given: tuple[Any, ...]) -> None:
    """Check a call that is not known, perform it, and keep it for later calls."""
    name, dtype, op = row.name(operation), row.dtype, OPERATIONS[operation][0]
    missing = [word for word, value in zip(_NAMES, given, strict=True) if value is _ABSENT]
    if missing:
        raise TypeError(f"{name}() is missing arguments: {', '.join(missing)}")
    target, source, nreduce, *members, pWrk, pSync = given

    def check(count: int) -> Sync:
        _check_work_array(name, dtype, pWrk, count)
        return sync(pSync, "SHMEM_REDUCE_SYNC_SIZE", may_be_int32=row.family == FORTRAN)

    team = team_of(name, *members)
    passed = (target, source, pWrk, pSync)
    prepared = prepare_reduction(name, team, op, dtype, nreduce, passed, check)
    if prepared is not None:
        start, stride, size = (integer(each, "", None) for each in members)
        known.keep(prepared, (prepared.call.count, start, stride, size))
        prepared.perform()


def _check_work_array(name: str, dtype: np.dtype[Any], pWrk: Any, nreduce: int) -> None:
    global _has_warned  # noqa: PLW0603 - once per process
    has = 0
    if pWrk is not None:
        if not isinstance(pWrk, np.ndarray):
            raise DatatypeError(
                f"pWrk is {describe(pWrk)}; it must be a symmetric array of {dtype}"
            )
        pWrk = plain(pWrk, "pWrk")
        require_type(pWrk, dtype, "pWrk")
        has = pWrk.size
        heap = world.start().heap
        if pWrk.base is not heap.own and heap.offset(pWrk) < 0:
            raise SymmetryError("pWrk is a private array; it must be symmetric, or None")
    wanted = max(nreduce // 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)
    if has < wanted and not _has_warned:
        _has_warned = True
        warnings.warn(
            f"{name}: pWrk {'has' if has else 'is None or has'} {has} elements; other SHMEM "
            f"libraries need {wanted}, max(nreduce // 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE). "
            "redcoll does not use pWrk, and warns only once",
            stacklevel=6,  # the caller of the routine
        )


def _routine(row: Row, operation: str) -> Routine:
    """Make a routine of the table."""
    name, dtype, is_fortran = row.name(operation), row.dtype, row.family == FORTRAN
    known = new_known_calls()
    repeat, make_new = known.repeat, partial(_make_new, known, row, operation)

    def routine(
        target: Any = _ABSENT,
        source: Any = _ABSENT,
        nreduce: Any = _ABSENT,
        PE_start: Any = _ABSENT,
        logPE_stride: Any = _ABSENT,
        PE_size: Any = _ABSENT,
        pWrk: Any = _ABSENT,
        pSync: Any = _ABSENT,
        *,
        dest: Any = _ABSENT,
    ) -> None:
        if dest is not _ABSENT:
            if target is not _ABSENT:
                raise TypeError(f"{name}() got both 'target' and 'dest', which are one")
            target = dest
        try:
            # Programs call this function millions of times. So one call of the kernel finds and
            # performs a known reduction.
            if not repeat(target, source, pWrk, pSync, nreduce, PE_start, logPE_stride, PE_size):
                given = (target, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync)
                make_new(given)
        except BaseException as error:
            team = known_team_of(PE_start, logPE_stride, PE_size)
            others = (target, source, nreduce, pWrk, pSync)
            # As in redcoll.team.revoking, arguments that do not fit the signature revoke nothing.
            if team is not None and all(each is not _ABSENT for each in others):
                team.revoke_unless_common(error)
            raise

    doc = document(
        f"Reduce the sources of an active set by {OPERATIONS[operation][1]}, element by element, "
        "to all members.",
        _TEXT.format(dtype=dtype),
        operands(f" of {dtype}")
        + ACTIVE_SET
        + _WORK_ARRAY.format(dtype=dtype)
        + sync_array("SHMEM_REDUCE_SYNC_SIZE", f"{LONG} or int32" if is_fortran else str(LONG)),
        on_team=False,
        differ="counts, types or operations",
        notes=f"\nNotes\n-----\n{_ORIGIN[row.family]}.\n",
    )
    array = array_of(dtype)
    parameters = {
        **dict.fromkeys(("target", "source"), array),
        **dict.fromkeys(("nreduce", "PE_start", "logPE_stride", "PE_size"), int),
        "pWrk": array | None,
        "pSync": array_of(LONG, np.int32 if is_fortran else None),
    }
    return finish_routine(routine, name, parameters, None, doc)


ROUTINES = LazyRoutines(
    {
        row.name(operation): partial(_routine, row, operation)
        for row in TABLE
        for operation in row.operations.split()
    }
)
