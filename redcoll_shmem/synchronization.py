"""Point-to-point synchronization and memory ordering (OpenSHMEM 1.5, sections 9.12 and 9.13)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.datatypes import limits
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import constant, integer, refuse
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import C_TYPES, OLD_WAIT_TYPES, WAIT_TYPES, describe, require_type
from redcoll_shmem.constants import (
    SHMEM_CMP_EQ,
    SHMEM_CMP_GE,
    SHMEM_CMP_GT,
    SHMEM_CMP_LE,
    SHMEM_CMP_LT,
    SHMEM_CMP_NE,
)

Array = NDArray[Any]
Routine = Callable[..., Any]

__all__ = ["shmem_fence", "shmem_pe_quiet", "shmem_quiet"]

COMPARISONS: dict[int, Callable[[Any, Any], bool]] = {
    SHMEM_CMP_EQ: operator.eq,
    SHMEM_CMP_NE: operator.ne,
    SHMEM_CMP_GT: operator.gt,
    SHMEM_CMP_LE: operator.le,
    SHMEM_CMP_LT: operator.lt,
    SHMEM_CMP_GE: operator.ge,
}
COMPARISON_RULE = "one of SHMEM_CMP_EQ, _NE, _GT, _LE, _LT and _GE"


def shmem_fence() -> None:
    """Let earlier puts to each PE arrive before later ones."""
    rma.fence()


def shmem_quiet() -> None:
    """Complete all earlier puts: on return they are visible to every PE."""
    rma.quiet()


def shmem_pe_quiet(target_pes: Sequence[int] | Array, npes: int) -> None:
    """Complete all earlier puts to some PEs (OpenSHMEM 1.6).

    Parameters
    ----------
    target_pes
        Numbers of the PEs, in any order; with ``npes`` 0 it may be None.
    npes
        How many of them are meant, from the first.

    Raises
    ------
    ArgumentError
        There is no such PE, or ``target_pes`` has fewer.
    """
    try:
        rma.quiet(numbers(target_pes, npes))
    except (ArgumentError, StateError) as error:
        refuse("shmem_pe_quiet", error)


def numbers(target_pes: Any, npes: Any) -> list[int]:
    """The first ``npes`` of some PE numbers.

    Raises
    ------
    ArgumentError
        There are fewer, or they are no integers.
    """
    count = integer(npes, "npes")
    if count == 0:
        return []
    if not isinstance(target_pes, Sequence | np.ndarray):
        raise ArgumentError(f"target_pes is {target_pes!r}; it must be a sequence of PE numbers")
    if len(target_pes) < count:
        raise ArgumentError(f"npes is {count}; target_pes has {len(target_pes)} PE numbers")
    return [integer(pe, "target_pes") for pe in target_pes[:count]]


def comparison(cmp: Any) -> Callable[[Any, Any], bool]:
    """The function of a comparison constant.

    Raises
    ------
    ArgumentError
        There is no such constant.
    """
    return constant(COMPARISONS, cmp, "cmp", COMPARISON_RULE)


def _check(ivar: Any, dtype: np.dtype[Any] | None) -> None:
    if not isinstance(ivar, np.ndarray):
        raise DatatypeError(f"ivar is {describe(ivar)}; it must be a numpy.ndarray")
    if dtype is not None:
        require_type(ivar, dtype, "ivar")
    elif ivar.dtype.kind not in "iu":
        raise DatatypeError(f"ivar is of {ivar.dtype}; it must be of an integer type")


def _wanted(cmp_value: Any, ivar: Array) -> int:
    """What to compare with; what an element cannot be would never come, or at once."""
    return integer(cmp_value, "cmp_value", *limits(ivar.dtype))


_WAIT_DOC = """{summary}

Parameters
----------
ivar : ndarray{of}
    Symmetric; its first element, in the caller's own memory, is meant.
{cmp}cmp_value : int
    What to compare with.

Raises
------
ArgumentError
    A wrong argument; also a value that the element cannot hold.
StateError
    The memory has been freed.
{raises}"""

_CMP_DOC = """cmp : int
    ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``, ``_LE``, ``_LT`` or ``_GE``: how ``ivar`` is to
    compare with ``cmp_value``.
"""

_WAIT_RAISES = """PeerLostError
    All other PEs have left, or one has died.
CollectiveTimeoutError
    ``REDCOLL_TIMEOUT`` has passed.
"""

_WITH_CMP = {"ivar": "Array", "cmp": "int", "cmp_value": "int"}


def _doc(type_name: str | None, summary: str, *, cmp: str = _CMP_DOC, raises: str = "") -> str:
    of = f" of {C_TYPES[type_name]}" if type_name else " of integers"
    return _WAIT_DOC.format(summary=summary, of=of, cmp=cmp, raises=raises)


def _name(type_name: str | None, verb: str) -> str:
    return f"shmem_{type_name}_{verb}" if type_name else f"shmem_{verb}"


def _wait_until(type_name: str | None) -> Routine:
    """``shmem_TYPE_wait_until``, and the generic form for no type."""
    name = _name(type_name, "wait_until")
    dtype = C_TYPES[type_name] if type_name else None

    def routine(ivar: Any, cmp: Any, cmp_value: Any) -> None:
        try:
            _check(ivar, dtype)
            rma.wait_until(ivar, comparison(cmp), _wanted(cmp_value, ivar), "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _doc(type_name, "Wait until another PE has made a comparison true.", raises=_WAIT_RAISES)
    return publish(routine, name, signature(_WITH_CMP), doc)


def _test(type_name: str | None) -> Routine:
    """``shmem_TYPE_test``, and the generic form for no type."""
    name = _name(type_name, "test")
    dtype = C_TYPES[type_name] if type_name else None

    def routine(ivar: Any, cmp: Any, cmp_value: Any) -> bool:
        try:
            _check(ivar, dtype)
            return rma.compares(ivar, comparison(cmp), _wanted(cmp_value, ivar), "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _doc(type_name, "Whether a comparison is true now.")
    return publish(routine, name, signature(_WITH_CMP, "bool"), doc)


def _wait(type_name: str | None) -> Routine:
    """``shmem_TYPE_wait``, and ``shmem_wait`` for long: deprecated in OpenSHMEM 1.4."""
    name = _name(type_name, "wait")
    dtype = C_TYPES[type_name or "long"]

    def routine(ivar: Any, cmp_value: Any) -> None:
        try:
            _check(ivar, dtype)
            rma.wait_until(ivar, operator.ne, _wanted(cmp_value, ivar), "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    summary = "Wait until another PE has changed a value."
    doc = _doc(type_name or "long", summary, cmp="", raises=_WAIT_RAISES)
    return publish(routine, name, signature({"ivar": "Array", "cmp_value": "int"}), doc)


ROUTINES = Routines(
    {
        _name(type_name, verb): partial(make, type_name)
        for verb, make, types in (
            ("wait_until", _wait_until, WAIT_TYPES),
            ("test", _test, WAIT_TYPES),
            ("wait", _wait, OLD_WAIT_TYPES),
        )
        for type_name in (*types, None)
    }
)
