"""Reductions over active sets (OpenSHMEM 1.4, section 9.8.8; the man pages shmem_sum(3) etc.).

All routines are made from ``TABLE``: the types by operations of the specification, the
older Fortran names, and the two extensions in use (INT2, and fixed-width ``shmemx``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.collectives.allreduce import perform
from redcoll_shmem._arguments import known_team_of
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._reducing import ABSENT, OPERATIONS, PARAMETERS, Checks
from redcoll_shmem._types import C_TYPES, LONG

Array = NDArray[Any]
Routine = Callable[..., None]

C = "C"
FORTRAN = "Fortran"
EXTENSION = "C extension"


class Row(NamedTuple):
    """One line of the table."""

    family: str
    type_name: str
    operations: str
    dtype: np.dtype[Any]

    @property
    def prefix(self) -> str:
        """What the routines' names start with."""
        return "shmemx" if self.family == EXTENSION else "shmem"

    def name(self, operation: str) -> str:
        """Name of the routine for one operation."""
        return f"{self.prefix}_{self.type_name}_{operation}_to_all"


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

_DOC = """{what} of the sources of all members of an active set, element by element.

Collective over the active set; only its members may call, with equal arguments. For each
element ``target = source of member 0 op source of member 1 op ...``, in {dtype} and in the
order of the set, with the same bits on every member.

Parameters
----------
target : ndarray of {dtype}
    Symmetric, at least ``nreduce`` elements, of which the first ``nreduce`` receive the
    result. The same elements as ``source`` (in place), or disjoint from them. Also taken
    as keyword ``dest``.
source : ndarray of {dtype}
    Symmetric, at least ``nreduce`` elements; it may be reused on return.
nreduce : int
    Elements to reduce. With 0 no array is looked at; they may be None.
PE_start : int
    PE number of the first member.
logPE_stride : int
    The members are ``2**logPE_stride`` apart.
PE_size : int
    Number of members.
pWrk : ndarray of {dtype} or None
    Symmetric, ``max(nreduce // 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)`` elements. Never
    used: None, or a shorter one, only warns.
pSync : ndarray of {sync}
    Symmetric, at least ``SHMEM_REDUCE_SYNC_SIZE`` elements, all ``SHMEM_SYNC_VALUE``
    before the call. Never written: it may be used again at once.

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
    Members called with other counts, types or operations: on all alike.

Notes
-----
{origin}.
"""

_ORIGIN = {
    C: "OpenSHMEM 1.4, section 9.8.8; deprecated since 1.5 in favour of teams",
    FORTRAN: "Fortran name, OpenSHMEM 1.2 to 1.4; INT2 and the like: the bits of the type's name",
    EXTENSION: "Extension of Open MPI",
}

_SIGNATURE = signature(PARAMETERS)


def _routine(row: Row, operation: str) -> Routine:
    """One routine of the table."""
    op, what = OPERATIONS[operation]
    check = Checks(row.name(operation), op, row.dtype, is_fortran=row.family == FORTRAN)
    known = check.known

    def routine(
        target: Any = ABSENT,
        source: Any = ABSENT,
        nreduce: Any = ABSENT,
        PE_start: Any = ABSENT,
        logPE_stride: Any = ABSENT,
        PE_size: Any = ABSENT,
        pWrk: Any = ABSENT,
        pSync: Any = ABSENT,
        *,
        dest: Any = ABSENT,
    ) -> None:
        if dest is not ABSENT:
            if target is not ABSENT:
                raise TypeError(f"{check.name}() got both 'target' and 'dest', which are one")
            target = dest
        try:
            # What is called millions of times: one look-up tells that nothing has changed
            # since the checks passed.
            try:
                ready = known.get((
                    id(target), id(source), id(pWrk), id(pSync),
                    nreduce, PE_start, logPE_stride, PE_size,
                ))  # fmt: skip
            except Exception:  # noqa: BLE001 - no number that can be looked up: the checks say so
                ready = None
            if (
                ready is None
                or ready.heap.epoch != ready.epoch
                or ready.words != ready.initialized
                or not target.flags.writeable
            ):
                ready = check(target, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync)
                if ready is None:
                    return
            perform(ready.team, ready.call, ready.target, ready.source)
        except BaseException as error:
            team = known_team_of(PE_start, logPE_stride, PE_size)
            if team is not None:
                team.revoke_unless_common(error)
            raise

    return publish(
        routine,
        row.name(operation),
        _SIGNATURE,
        _DOC.format(
            what=what,
            dtype=row.dtype,
            sync=f"{LONG} or int32" if row.family == FORTRAN else LONG,
            origin=_ORIGIN[row.family],
        ),
    )


ROUTINES = Routines(
    {
        row.name(operation): partial(_routine, row, operation)
        for row in TABLE
        for operation in row.operations.split()
    }
)
