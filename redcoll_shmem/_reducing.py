"""What a reduction checks, and what it remembers of calls that passed.

A program makes the same few calls again and again, on the same arrays: their checks run
once, and hold until memory is freed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import ops, world
from redcoll.arguments import plain
from redcoll.collectives.allreduce import perform, prepare_call
from redcoll.errors import DatatypeError, OverlapError, SymmetryError
from redcoll.memory.heap import Heap
from redcoll.ops import Op
from redcoll.protocol.descriptor import ALLREDUCE, Call
from redcoll.team import Team
from redcoll_shmem._arguments import (
    integer,
    is_zero,
    place,
    sync,
    team_of,
    writable,
)
from redcoll_shmem._types import describe, is_like, require_type
from redcoll_shmem.constants import (
    SHMEM_REDUCE_MIN_WRKDATA_SIZE,
    SHMEM_REDUCE_SYNC_SIZE,
)

Array = NDArray[Any]

OPERATIONS: dict[str, tuple[Op, str]] = {
    "and": (ops.AND, "Bitwise AND"),
    "or": (ops.OR, "Bitwise OR"),
    "xor": (ops.XOR, "Bitwise exclusive OR"),
    "max": (ops.MAX, "Maximum"),
    "min": (ops.MIN, "Minimum"),
    "sum": (ops.SUM, "Sum"),
    "prod": (ops.PROD, "Product"),
}
"""By the word in routines' names: the operation, and what it is called in prose."""

PARAMETERS = {
    "target": "Array",
    "source": "Array",
    "nreduce": "int",
    "PE_start": "int",
    "logPE_stride": "int",
    "PE_size": "int",
    "pWrk": "Array | None",
    "pSync": "Array",
}


class _Absent:
    """Stands for an argument that was not given."""

    def __repr__(self) -> str:
        return "<required>"


ABSENT: Any = _Absent()
_MOST_KEPT = 256

_has_warned = False


@dataclass(slots=True, frozen=True, eq=False)
class Ready:
    """A call whose arguments have passed all checks, to be made again without them."""

    team: Team
    call: Call
    target: Array
    source: Array
    """Vectors of just the elements that take part."""
    heap: Heap
    epoch: int
    """The heap's at the time of the checks: memory freed since makes them void."""
    words: memoryview
    """What counts of pSync."""
    initialized: memoryview
    """What it must be."""
    passed: tuple[Any, ...]
    """The arrays as passed, kept so that no others get their identities."""


def operands(
    dtype: np.dtype[Any] | None, target: Any, source: Any, count: int, count_name: str
) -> tuple[Array, Array]:
    """Check target and source; the vectors that take part.

    Parameters
    ----------
    dtype
        What the routine's name says; None where any type is welcome.

    Raises
    ------
    ArgumentError
        Either is wrong, or they do not go together.
    StateError
        The memory of one has been freed.
    """
    to, at = place(target, count, "target", count_name)
    of, of_at = place(source, count, "source", count_name)
    if dtype is not None:
        require_type(to, dtype, "target")
        require_type(of, dtype, "source")
    elif not is_like(to.dtype, of.dtype):
        raise DatatypeError(
            f"target is of {to.dtype}, source of {of.dtype}; they must be of one type"
        )
    writable(target, "target")
    apart = abs(at - of_at)
    if 0 < apart < to.nbytes:
        raise OverlapError(
            f"target and source overlap: they start {apart} bytes apart, and {to.nbytes} bytes of "
            "each take part; they must be disjoint or start at the same element"
        )
    return to, of


class Checks:
    """The checks of one routine, and the calls that have passed them."""

    def __init__(self, name: str, op: Op, dtype: np.dtype[Any], *, is_fortran: bool) -> None:
        self.name = name
        self.known: dict[Any, Ready] = {}
        self._op = op
        self._dtype = dtype
        self._is_fortran = is_fortran

    def __call__(
        self,
        target: Any,
        source: Any,
        nreduce: Any,
        PE_start: Any,
        logPE_stride: Any,
        PE_size: Any,
        pWrk: Any,
        pSync: Any,
    ) -> Ready | None:
        """Check a call for the first time; None if there was nothing to reduce."""
        given = (target, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync)
        missing = [name for name, value in zip(PARAMETERS, given, strict=True) if value is ABSENT]
        if missing:
            raise TypeError(f"{self.name}() is missing arguments: {', '.join(missing)}")
        team = team_of(self.name, PE_start, logPE_stride, PE_size)
        if is_zero(nreduce):
            # No array is checked, but a round shows which PEs passed another count.
            nothing = np.empty(0, self._dtype)
            perform(team, prepare_call(team, nothing, nothing, self._op), nothing, nothing)
            return None
        with team.checking(ALLREDUCE, self.name):
            count = integer(nreduce, "nreduce")
            to, of = operands(self._dtype, target, source, count, "nreduce")
            self._check_work_array(pWrk, count)
            words, initialized, heap, epoch, _ = sync(
                pSync,
                SHMEM_REDUCE_SYNC_SIZE,
                "SHMEM_REDUCE_SYNC_SIZE",
                may_be_int32=self._is_fortran,
            )
        call = prepare_call(team, to, of, self._op)
        passed = (target, source, pWrk, pSync)
        ready = Ready(team, call, to, of, heap, epoch, words, initialized, passed)
        if len(self.known) >= _MOST_KEPT:
            self.known.clear()
        numbers = (integer(each, "", None) for each in (count, PE_start, logPE_stride, PE_size))
        self.known[(id(target), id(source), id(pWrk), id(pSync), *numbers)] = ready
        return ready

    def _check_work_array(self, pWrk: Any, nreduce: int) -> None:
        global _has_warned  # noqa: PLW0603 - once per process
        has = 0
        if pWrk is not None:
            if not isinstance(pWrk, np.ndarray):
                raise DatatypeError(
                    f"pWrk is {describe(pWrk)}; it must be a symmetric array of {self._dtype}"
                )
            pWrk = plain(pWrk, "pWrk")
            require_type(pWrk, self._dtype, "pWrk")
            has = pWrk.size
            heap = world.start().heap
            if pWrk.base is not heap.own and heap.offset(pWrk) < 0:
                raise SymmetryError("pWrk is a private array; it must be symmetric, or None")
        wanted = max(nreduce // 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)
        if has < wanted and not _has_warned:
            _has_warned = True
            warnings.warn(
                f"{self.name}: pWrk {'has' if has else 'is None or has'} {has} elements; other "
                f"SHMEM libraries need {wanted}, max(nreduce // 2 + 1, "
                "SHMEM_REDUCE_MIN_WRKDATA_SIZE). redcoll uses none and says so only once",
                stacklevel=4,
            )
