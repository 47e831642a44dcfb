"""Point-to-point synchronization and memory ordering (OpenSHMEM 1.4, sections 9.9 and 9.10)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import rma
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._publish import publish, signature
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

__all__ = ["shmem_fence", "shmem_quiet"]

COMPARISONS: dict[int, Callable[[Any, Any], bool]] = {
    SHMEM_CMP_EQ: operator.eq,
    SHMEM_CMP_NE: operator.ne,
    SHMEM_CMP_GT: operator.gt,
    SHMEM_CMP_LE: operator.le,
    SHMEM_CMP_LT: operator.lt,
    SHMEM_CMP_GE: operator.ge,
}


def shmem_fence() -> None:
    """Let earlier puts to each PE arrive before later ones."""
    rma.fence()


def shmem_quiet() -> None:
    """Complete all earlier puts: on return they are visible to every PE."""
    rma.quiet()


def comparison(cmp: Any) -> Callable[[Any, Any], bool]:
    """The function of a comparison constant.

    Raises
    ------
    ArgumentError
        There is no such constant.
    """
    try:
        return COMPARISONS[cmp]
    except (KeyError, TypeError):
        raise ArgumentError(
            f"cmp is {cmp!r}; it must be one of SHMEM_CMP_EQ, _NE, _GT, _LE, _LT and _GE"
        ) from None


def _check(ivar: Any, dtype: np.dtype[Any] | None) -> None:
    if not isinstance(ivar, np.ndarray):
        raise DatatypeError(f"ivar is {describe(ivar)}; it must be a numpy.ndarray")
    if dtype is not None:
        require_type(ivar, dtype, "ivar")
    elif ivar.dtype.kind not in "iu":
        raise DatatypeError(f"ivar is of {ivar.dtype}; it must be of an integer type")


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
    A wrong argument.
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


def _wait_until(type_name: str | None) -> Routine:
    """``shmem_TYPE_wait_until``, and the generic form for no type."""
    name = f"shmem_{type_name}_wait_until" if type_name else "shmem_wait_until"
    dtype = C_TYPES[type_name] if type_name else None

    def routine(ivar: Any, cmp: Any, cmp_value: Any) -> None:
        try:
            _check(ivar, dtype)
            rma.wait_until(ivar, comparison(cmp), integer(cmp_value, "cmp_value", _LEAST), "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _doc(type_name, "Wait until another PE has made a comparison true.", raises=_WAIT_RAISES)
    return publish(routine, name, signature(_WITH_CMP), doc)


def _test(type_name: str | None) -> Routine:
    """``shmem_TYPE_test``, and the generic form for no type."""
    name = f"shmem_{type_name}_test" if type_name else "shmem_test"
    dtype = C_TYPES[type_name] if type_name else None

    def routine(ivar: Any, cmp: Any, cmp_value: Any) -> bool:
        try:
            _check(ivar, dtype)
            return rma.compares(
                ivar, comparison(cmp), integer(cmp_value, "cmp_value", _LEAST), "ivar"
            )
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _doc(type_name, "Whether a comparison is true now.")
    return publish(routine, name, signature(_WITH_CMP, "bool"), doc)


def _wait(type_name: str | None) -> Routine:
    """``shmem_TYPE_wait``, and ``shmem_wait`` for long: deprecated in OpenSHMEM 1.4."""
    name = f"shmem_{type_name}_wait" if type_name else "shmem_wait"
    dtype = C_TYPES[type_name or "long"]

    def routine(ivar: Any, cmp_value: Any) -> None:
        try:
            _check(ivar, dtype)
            rma.wait_until(ivar, operator.ne, integer(cmp_value, "cmp_value", _LEAST), "ivar")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    summary = "Wait until another PE has changed a value."
    doc = _doc(type_name or "long", summary, cmp="", raises=_WAIT_RAISES)
    return publish(routine, name, signature({"ivar": "Array", "cmp_value": "int"}), doc)


_LEAST = -(1 << 64)

ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for routine in (
        *(_wait_until(name) for name in (*WAIT_TYPES, None)),
        *(_test(name) for name in (*WAIT_TYPES, None)),
        *(_wait(name) for name in (*OLD_WAIT_TYPES, None)),
    )
}
