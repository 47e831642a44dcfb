"""Define waits for several values, and tests of several values (OpenSHMEM 1.5, 9.12.2 to 9.12.13).

``shmem_TYPE_wait_until_all`` and similar routines exist for the types of atomic operations.
``shmem_wait_until_all`` takes an array of any integers (C11's generic form). The ``_vector`` forms
compare each element with its own value. Where C returns ``SIZE_MAX``, these routines return
``SIZE_MAX`` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import not_array
from redcoll.datatypes import limits
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided.waits import Condition, Indices
from redcoll_shmem._arguments import integer, refuse, writable
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import ATOMIC_TYPES, array_of, dtype_of, require, require_integers
from redcoll_shmem.constants import SIZE_MAX
from redcoll_shmem.synchronization import comparison, wait_errors

_DOC = """{summary}

Parameters
----------
ivars : ndarray{of}
    Contiguous symmetric array. The call uses elements of the calling PE's own array.
nelems : int
    The call uses the first ``nelems`` elements.
{indices}status : ndarray of int or None
    Array of ``nelems`` elements. The call skips the elements of ``ivars`` whose status is not 0.
cmp : int
    The comparison of elements with {values}: ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``,
    ``_LE``, ``_LT`` or ``_GE``.
{value}
Returns
-------
{returns}
{raises}"""

_INDICES = """indices : ndarray
    Any array of integers. It receives the indices of the elements that satisfy the comparison.
"""
_VALUE = "cmp_value : int\n    The value to compare with.\n"
_VALUES = "cmp_values : ndarray{of}\n    Any array of ``nelems`` elements.\n"

_SUMMARIES = {
    ("wait_until", "all"): "Wait until all elements satisfy a comparison.",
    ("wait_until", "any"): "Wait until at least one element satisfies a comparison.",
    ("wait_until", "some"): "Wait until at least one element satisfies a comparison.",
    ("test", "all"): "Return whether all elements satisfy a comparison now.",
    ("test", "any"): "Return the index of an element that satisfies a comparison now.",
    ("test", "some"): "Find the elements that satisfy a comparison now.",
}
_RETURNS: dict[Any, str] = {
    ("wait_until", "all"): "None",
    ("test", "all"): "bool\n    True also if the call skips every element.",
    "any": "int\n    The first index whose element satisfies the comparison, or ``SIZE_MAX``.",
    "some": "int\n    The number of elements that satisfy the comparison.",
}
_RETURN_TYPES = {("wait_until", "all"): None, ("test", "all"): bool}


def _condition(
    name: str, dtype: np.dtype[Any] | None, is_vector: bool, given: tuple[Any, ...], *indices: Any
) -> Condition:
    """Check the arguments of a routine; return the condition that they describe."""
    ivars, nelems, status, cmp, values = given
    try:
        _check_values(values, is_vector)
        count = integer(nelems, "nelems")
        require(ivars, dtype, "ivars")
        condition = Condition(ivars, count, comparison(cmp).ufunc, values, status, "ivars")
        for array in indices:
            _check_indices(array, count)
    except (ArgumentError, StateError) as error:
        refuse(name, error)
    return condition


def _check_values(values: Any, is_vector: bool) -> None:
    has_many = isinstance(values, np.ndarray | list | tuple)
    if is_vector and not has_many:
        raise not_array(values, "cmp_values")
    if has_many and not is_vector:
        raise ArgumentError(f"cmp_value is {values!r}; it must be an integer")


def _check_indices(indices: Any, count: int) -> None:
    require_integers(indices, "indices")
    writable(indices, "indices")
    if indices.size < count:
        raise ArgumentError(f"nelems is {count}; indices has {indices.size} elements")
    most = limits(indices.dtype)[1]
    if count - 1 > most:
        raise ArgumentError(f"nelems is {count}; {indices.dtype} of indices holds up to {most}")


def _find(verb: str, condition: Condition) -> Indices:
    """Return the indices of the elements that satisfy the condition.

    If the call skips every element, do not wait.
    """
    least = min(1, len(condition.included))
    return condition.wait(least) if verb == "wait_until" else condition.test(least)


def _all(name: str, verb: str, dtype: np.dtype[Any] | None, is_vector: bool) -> Routine:
    def routine(ivars: Any, nelems: Any, status: Any, cmp: Any, value: Any) -> bool | None:
        condition = _condition(name, dtype, is_vector, (ivars, nelems, status, cmp, value))
        wanted = len(condition.included)
        if verb == "test":
            return len(condition.test(wanted)) == wanted
        condition.wait(wanted)
        return None

    return routine


def _any(name: str, verb: str, dtype: np.dtype[Any] | None, is_vector: bool) -> Routine:
    def routine(ivars: Any, nelems: Any, status: Any, cmp: Any, value: Any) -> int:
        condition = _condition(name, dtype, is_vector, (ivars, nelems, status, cmp, value))
        found = _find(verb, condition)
        return int(found[0]) if len(found) else SIZE_MAX

    return routine


def _some(name: str, verb: str, dtype: np.dtype[Any] | None, is_vector: bool) -> Routine:
    def routine(ivars: Any, nelems: Any, indices: Any, status: Any, cmp: Any, value: Any) -> int:
        given = (ivars, nelems, status, cmp, value)
        found = _find(verb, _condition(name, dtype, is_vector, given, indices))
        indices.flat[: len(found)] = found
        return len(found)

    return routine


_MAKERS = {"all": _all, "any": _any, "some": _some}


def _routine(name: str, type_name: str | None, verb: str, which: str, is_vector: bool) -> Routine:
    dtype = dtype_of(type_name)
    of = " of integers" if dtype is None else f" of {dtype}"
    doc = _DOC.format(
        summary=_SUMMARIES[verb, which],
        of=of,
        indices=_INDICES if which == "some" else "",
        values="those of ``cmp_values``" if is_vector else "``cmp_value``",
        value=_VALUES.format(of=of) if is_vector else _VALUE,
        returns=_RETURNS.get((verb, which)) or _RETURNS[which],
        raises=wait_errors(is_wait=verb == "wait_until"),
    )
    parameters = {
        "ivars": array_of(dtype),
        "nelems": int,
        **({"indices": NDArray[np.integer]} if which == "some" else {}),
        "status": NDArray[np.integer] | None,
        "cmp": int,
        **({"cmp_values": array_of(dtype)} if is_vector else {"cmp_value": int}),
    }
    routine = _MAKERS[which](name, verb, dtype, is_vector)
    return finish_routine(routine, name, parameters, _RETURN_TYPES.get((verb, which), int), doc)


ROUTINES = LazyRoutines(
    {
        name: make
        for verb in ("wait_until", "test")
        for which in _MAKERS
        for suffix in ("", "_vector")
        for word in (f"{verb}_{which}{suffix}",)
        for name, make in makers(_routine, word, ATOMIC_TYPES, verb, which, bool(suffix)).items()
    }
)
