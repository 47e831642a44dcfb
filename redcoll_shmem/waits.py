"""Waiting for and testing several values (OpenSHMEM 1.5, sections 9.12.2 to 9.12.13).

``shmem_TYPE_wait_until_all`` and the like, and ``shmem_wait_until_all`` for whatever type
the array has (C11's generic form). The ``_vector`` forms compare each element with a value
of its own. Where C returns ``SIZE_MAX``, ``SIZE_MAX`` is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.datatypes import limits
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided.waits import Condition
from redcoll_shmem._arguments import constant, integer, refuse, writable
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import ATOMIC_TYPES, C_TYPES, describe, require
from redcoll_shmem.constants import (
    SHMEM_CMP_EQ,
    SHMEM_CMP_GE,
    SHMEM_CMP_GT,
    SHMEM_CMP_LE,
    SHMEM_CMP_LT,
    SHMEM_CMP_NE,
    SIZE_MAX,
)
from redcoll_shmem.synchronization import COMPARISON_RULE

Array = NDArray[Any]
Routine = Callable[..., Any]

UFUNCS: dict[int, np.ufunc] = {
    SHMEM_CMP_EQ: np.equal,
    SHMEM_CMP_NE: np.not_equal,
    SHMEM_CMP_GT: np.greater,
    SHMEM_CMP_LE: np.less_equal,
    SHMEM_CMP_LT: np.less,
    SHMEM_CMP_GE: np.greater_equal,
}

_DOC = """{summary}

Parameters
----------
ivars : ndarray{of}
    Symmetric, contiguous; the caller's own memory is meant.
nelems : int
    How many elements, from the first.
{indices}status : ndarray of int or None
    ``nelems`` elements; where it is not 0, the element of ``ivars`` is left out.
cmp : int
    ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``, ``_LE``, ``_LT`` or ``_GE``: how elements are to
    compare with {values}.
{value}
Returns
-------
{returns}

Raises
------
ArgumentError
    A wrong argument, or a value that the elements cannot hold.
StateError
    The memory has been freed.
{raises}"""

_INDICES = """indices : ndarray
    Private or symmetric, of any integer type; receives the indices, as many as returned.
"""
_VALUE = "cmp_value : int\n    What to compare with.\n"
_VALUES = "cmp_values : ndarray{of}\n    ``nelems`` elements, private or symmetric.\n"
_WAIT_RAISES = """PeerLostError
    All other PEs have left, or one has died.
CollectiveTimeoutError
    ``REDCOLL_TIMEOUT`` has passed.
"""

_SUMMARIES = {
    ("wait_until", "all"): "Wait until all elements satisfy a comparison.",
    ("wait_until", "any"): "Wait until one element or more satisfies a comparison.",
    ("wait_until", "some"): "Wait until one element or more satisfies a comparison.",
    ("test", "all"): "Whether all elements satisfy a comparison now.",
    ("test", "any"): "Whether one element or more satisfies a comparison now.",
    ("test", "some"): "Which elements satisfy a comparison now.",
}
_RETURNS: dict[Any, str] = {
    ("wait_until", "all"): "None",
    ("test", "all"): "bool\n    True also where no element counts.",
    "any": "int\n    The index of the first that does; ``SIZE_MAX`` for none.",
    "some": "int\n    How many do.",
}
_RETURNS_TYPE = {("wait_until", "all"): "None", ("test", "all"): "bool"}


def _condition(
    dtype: np.dtype[Any] | None, ivars: Any, nelems: Any, status: Any, cmp: Any, values: Any
) -> Condition:
    """The checks that all routines share."""
    count = integer(nelems, "nelems")
    require(ivars, dtype, "ivars")
    compare = constant(UFUNCS, cmp, "cmp", COMPARISON_RULE)
    return Condition(ivars, count, compare, values, status, "ivars")


def _check_values(values: Any, *, is_vector: bool) -> Any:
    """What to compare with, if it is of the shape that the routine takes."""
    if is_vector != isinstance(values, np.ndarray | list | tuple):
        if is_vector:
            raise DatatypeError(f"cmp_values is {describe(values)}; it must be a numpy.ndarray")
        raise ArgumentError(f"cmp_value is {values!r}; it must be an integer")
    return values


def _check_indices(indices: Any, count: int) -> None:
    if not isinstance(indices, np.ndarray) or indices.dtype.kind not in "iu":
        kind = describe(indices) if not isinstance(indices, np.ndarray) else f"of {indices.dtype}"
        raise DatatypeError(f"indices is {kind}; it must be an array of integers")
    writable(indices, "indices")
    if indices.size < count:
        raise ArgumentError(f"nelems is {count}; indices has {indices.size} elements")
    most = limits(indices.dtype)[1]
    if count - 1 > most:
        raise ArgumentError(f"nelems is {count}; {indices.dtype} of indices holds up to {most}")


def _all(name: str, verb: str, dtype: np.dtype[Any] | None, *, is_vector: bool) -> Routine:
    def check(ivars: Any, nelems: Any, status: Any, cmp: Any, values: Any) -> Condition:
        try:
            given = _check_values(values, is_vector=is_vector)
            return _condition(dtype, ivars, nelems, status, cmp, given)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def wait_all(ivars: Any, nelems: Any, status: Any, cmp: Any, value: Any) -> None:
        condition = check(ivars, nelems, status, cmp, value)
        condition.wait(len(condition.included))

    def test_all(ivars: Any, nelems: Any, status: Any, cmp: Any, value: Any) -> bool:
        condition = check(ivars, nelems, status, cmp, value)
        wanted = len(condition.included)
        return len(condition.test(wanted)) == wanted

    return wait_all if verb == "wait_until" else test_all


def _any(name: str, verb: str, dtype: np.dtype[Any] | None, *, is_vector: bool) -> Routine:
    def routine(ivars: Any, nelems: Any, status: Any, cmp: Any, value: Any) -> int:
        try:
            given = _check_values(value, is_vector=is_vector)
            condition = _condition(dtype, ivars, nelems, status, cmp, given)
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        if not len(condition.included):
            return SIZE_MAX
        found = condition.wait(1) if verb == "wait_until" else condition.test(1)
        return int(found[0]) if len(found) else SIZE_MAX

    return routine


def _some(name: str, verb: str, dtype: np.dtype[Any] | None, *, is_vector: bool) -> Routine:
    def routine(ivars: Any, nelems: Any, indices: Any, status: Any, cmp: Any, value: Any) -> int:
        try:
            given = _check_values(value, is_vector=is_vector)
            condition = _condition(dtype, ivars, nelems, status, cmp, given)
            _check_indices(indices, integer(nelems, "nelems"))
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        if not len(condition.included):
            return 0
        found = condition.wait(1) if verb == "wait_until" else condition.test(1)
        indices.flat[: len(found)] = found
        return len(found)

    return routine


_MAKERS = {"all": _all, "any": _any, "some": _some}


def _name(verb: str, which: str, type_name: str | None, *, is_vector: bool) -> str:
    prefix = f"shmem_{type_name}_" if type_name else "shmem_"
    return f"{prefix}{verb}_{which}{'_vector' if is_vector else ''}"


def _routine(verb: str, which: str, type_name: str | None, *, is_vector: bool) -> Routine:
    name = _name(verb, which, type_name, is_vector=is_vector)
    dtype = C_TYPES[type_name] if type_name else None
    of = f" of {dtype}" if dtype is not None else " of integers"
    doc = _DOC.format(
        summary=_SUMMARIES[verb, which],
        of=of,
        indices=_INDICES if which == "some" else "",
        values="those of ``cmp_values``" if is_vector else "``cmp_value``",
        value=_VALUES.format(of=of) if is_vector else _VALUE,
        returns=_RETURNS.get((verb, which)) or _RETURNS[which],
        raises=_WAIT_RAISES if verb == "wait_until" else "",
    )
    parameters = {
        "ivars": "Array",
        "nelems": "int",
        **({"indices": "Array"} if which == "some" else {}),
        "status": "Array | None",
        "cmp": "int",
        **({"cmp_values": "Array"} if is_vector else {"cmp_value": "int"}),
    }
    shown = signature(parameters, _RETURNS_TYPE.get((verb, which), "int"))
    return publish(_MAKERS[which](name, verb, dtype, is_vector=is_vector), name, shown, doc)


ROUTINES = Routines(
    {
        _name(verb, which, type_name, is_vector=is_vector): partial(
            _routine, verb, which, type_name, is_vector=is_vector
        )
        for verb in ("wait_until", "test")
        for which in _MAKERS
        for is_vector in (False, True)
        for type_name in (*ATOMIC_TYPES, None)
    }
)
