"""Define waits for a value, and memory ordering (OpenSHMEM 1.5, sections 9.12 and 9.13)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from redcoll.arguments import Array
from redcoll.datatypes import limits
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import constant, integer, refuse
from redcoll_shmem._docs import one_sided_errors
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import (
    C_TYPES,
    OLD_WAIT_TYPES,
    WAIT_TYPES,
    array_of,
    dtype_of,
    require,
    require_integers,
)
from redcoll_shmem.constants import (
    SHMEM_CMP_EQ,
    SHMEM_CMP_GE,
    SHMEM_CMP_GT,
    SHMEM_CMP_LE,
    SHMEM_CMP_LT,
    SHMEM_CMP_NE,
)

__all__ = ["shmem_fence", "shmem_pe_quiet", "shmem_quiet"]


class Comparison(NamedTuple):
    """A comparison: Python's operator, the function for two numbers, and the ufunc for arrays."""

    sign: str
    holds: Callable[[Any, Any], bool]
    ufunc: np.ufunc


COMPARISONS = {
    SHMEM_CMP_EQ: Comparison("==", operator.eq, np.equal),
    SHMEM_CMP_NE: Comparison("!=", operator.ne, np.not_equal),
    SHMEM_CMP_LT: Comparison("<", operator.lt, np.less),
    SHMEM_CMP_LE: Comparison("<=", operator.le, np.less_equal),
    SHMEM_CMP_GT: Comparison(">", operator.gt, np.greater),
    SHMEM_CMP_GE: Comparison(">=", operator.ge, np.greater_equal),
}


def comparison(cmp: Any) -> Comparison:
    """Return the comparison for a constant such as ``SHMEM_CMP_EQ``."""
    return constant(COMPARISONS, cmp, "cmp", "one of SHMEM_CMP_EQ, _NE, _GT, _LE, _LT and _GE")


def shmem_fence() -> None:
    """Order puts. On each target PE, earlier puts arrive before later puts."""
    rma.fence()


def shmem_quiet() -> None:
    """Complete all earlier puts. On return the puts are visible to every PE."""
    rma.quiet()


def shmem_pe_quiet(target_pes: Sequence[int] | Array, npes: int) -> None:
    """Complete all earlier puts to some PEs (OpenSHMEM 1.6).

    Parameters
    ----------
    target_pes
        Numbers of PEs, in any order. The argument can be None if ``npes`` is 0.
    npes
        The call uses the first ``npes`` numbers of ``target_pes``.

    Raises
    ------
    ArgumentError
        The job lacks one of the PEs, or ``target_pes`` has fewer than ``npes`` numbers.
    """
    try:
        rma.quiet(numbers(target_pes, npes))
    except (ArgumentError, StateError) as error:
        refuse("shmem_pe_quiet", error)


def numbers(target_pes: Any, npes: Any) -> list[int]:
    """Return the first ``npes`` numbers of ``target_pes``, which must be integers."""
    count = integer(npes, "npes")
    if count == 0:
        return []
    is_sequence = isinstance(target_pes, np.ndarray) and target_pes.ndim > 0
    if not is_sequence and not isinstance(target_pes, Sequence):
        raise ArgumentError(f"target_pes is {target_pes!r}; it must be a sequence of PE numbers")
    if len(target_pes) < count:
        raise ArgumentError(f"npes is {count}; target_pes has {len(target_pes)} PE numbers")
    return [integer(pe, "target_pes") for pe in target_pes[:count]]


_WAIT_DOC = """{summary}

Parameters
----------
ivar : ndarray of {of}
    Symmetric array. The call uses the first element of the calling PE's own array.
{cmp}cmp_value : int
    The value to compare ``ivar`` with.
{raises}"""

_CMP_DOC = """cmp : int
    The comparison of ``ivar`` with ``cmp_value``: ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``, ``_LE``,
    ``_LT`` or ``_GE``.
"""

_WAIT_ERRORS = """PeerLostError
    All other PEs have exited, or a PE has died.
CollectiveTimeoutError
    ``REDCOLL_TIMEOUT`` has passed.
"""


def wait_errors(*, is_wait: bool) -> str:
    """Return the docstring's section on errors of a wait or test."""
    errors = one_sided_errors(", or an element cannot hold a value")
    return f"{errors}{_WAIT_ERRORS}" if is_wait else errors


def _check(ivar: Any, dtype: np.dtype[Any] | None, cmp_value: Any) -> int:
    """Check the array and ``cmp_value``; return ``cmp_value`` as an int."""
    if dtype is None:
        require_integers(ivar, "ivar")
    else:
        require(ivar, dtype, "ivar")
    return integer(cmp_value, "cmp_value", *limits(ivar.dtype))


def _make(name: str, verb: str, dtype: np.dtype[Any] | None) -> Routine:
    def wait_until(ivar: Any, cmp: Any, cmp_value: Any) -> None:
        try:
            wanted = _check(ivar, dtype, cmp_value)
            rma.wait_until(ivar, comparison(cmp).holds, wanted, "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def test(ivar: Any, cmp: Any, cmp_value: Any) -> bool:
        try:
            wanted = _check(ivar, dtype, cmp_value)
            return rma.compares(ivar, comparison(cmp).holds, wanted, "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def wait(ivar: Any, cmp_value: Any) -> None:
        try:
            wanted = _check(ivar, dtype, cmp_value)
            rma.wait_until(ivar, operator.ne, wanted, "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    made: dict[str, Routine] = {"wait_until": wait_until, "test": test, "wait": wait}
    return made[verb]


_VERBS = {
    "wait_until": ("Wait until another PE has made a comparison true.", WAIT_TYPES),
    "test": ("Return whether a comparison is true now.", WAIT_TYPES),
    # OpenSHMEM 1.4 deprecates the ``wait`` routines. ``shmem_wait`` takes an array of ``long``.
    "wait": ("Wait until another PE has changed a value.", OLD_WAIT_TYPES),
}


def _routine(name: str, type_name: str | None, verb: str) -> Routine:
    has_cmp, is_test = verb != "wait", verb == "test"
    dtype = dtype_of(type_name) if has_cmp else C_TYPES[type_name or "long"]
    doc = _WAIT_DOC.format(
        summary=_VERBS[verb][0],
        of="integers" if dtype is None else dtype,
        cmp=_CMP_DOC if has_cmp else "",
        raises=wait_errors(is_wait=not is_test),
    )
    cmp = {"cmp": int} if has_cmp else {}
    parameters = {"ivar": array_of(dtype), **cmp, "cmp_value": int}
    routine = _make(name, verb, dtype)
    return finish_routine(routine, name, parameters, bool if is_test else None, doc)


ROUTINES = LazyRoutines(
    {
        name: make
        for verb, (_, types) in _VERBS.items()
        for name, make in makers(_routine, verb, types, verb).items()
    }
)
