"""Wait for values, and test values, in the calling PE's own symmetric memory.

A comparison is a member of ``CMP``, its name (``"eq"``), or Python's operator (``"=="``). Arrays
must have integer elements. ``status`` has a number for each element of the array. A call ignores
elements whose number in ``status`` is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redcoll.arguments import Array
from redcoll.datatypes import limits
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma
from redcoll.onesided.waits import Condition, Indices
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._types import require_integers
from redcoll_shmem.shmem._checks import one_element, require_array
from redcoll_shmem.shmem._errors import CountError
from redcoll_shmem.shmem.constants import CMP
from redcoll_shmem.synchronization import COMPARISONS, Comparison

__all__ = [
    "test",
    "test_all",
    "test_all_vector",
    "test_any",
    "test_any_vector",
    "test_some",
    "test_some_vector",
    "wait_until",
    "wait_until_all",
    "wait_until_all_vector",
    "wait_until_any",
    "wait_until_any_vector",
    "wait_until_some",
    "wait_until_some_vector",
]

Number = int
Status = Sequence[int] | None

_SIGNS = {row.sign: row for row in COMPARISONS.values()}
_LEAST = -(1 << 63)


def comparison(cmp: Any) -> Comparison:
    """Return the comparison for a member of ``CMP``, for its name, or for an operator."""
    try:
        if isinstance(cmp, str):
            return _SIGNS[cmp] if cmp in _SIGNS else COMPARISONS[CMP[cmp.upper()]]
        return COMPARISONS[CMP(cmp)]
    except (KeyError, ValueError):
        raise ArgumentError(
            f"cmp is {cmp!r}; it must be a member of CMP, its name, or one of {' '.join(_SIGNS)}"
        ) from None


def comparing(
    ivar: Any, cmp: Any, value: Any, name: str = "ivar"
) -> tuple[Callable[[Any, Any], bool], int]:
    """Check the arguments of a comparison; return the function that compares, and the value."""
    one_element(ivar, name)
    require_integers(ivar, name)
    return comparison(cmp).holds, integer(value, "value", *limits(ivar.dtype))


def wait_until(ivar: Array, cmp: CMP, value: Number) -> None:
    """Wait until the element of ``ivar`` satisfies a comparison with ``value``.

    Raises
    ------
    PeerLostError
        All other PEs have exited, or a PE has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    try:
        compare, wanted = comparing(ivar, cmp, value)
        rma.wait_until(ivar, compare, wanted, "ivar")
    except (ArgumentError, StateError) as error:
        refuse("wait_until", error)


def test(ivar: Array, cmp: CMP, value: Number) -> bool:
    """Return whether the element of ``ivar`` satisfies a comparison with ``value`` now."""
    try:
        compare, wanted = comparing(ivar, cmp, value)
        return rma.compares(ivar, compare, wanted, "ivar")
    except (ArgumentError, StateError) as error:
        refuse("test", error)


def _condition(routine: str, ivars: Any, cmp: Any, values: Any, status: Any) -> Condition | None:
    """Check arguments; return the condition on the elements, or None if there are no elements.

    For a routine whose name ends in ``_vector``, ``values`` must have a number for each element.
    """
    try:
        ivars = require_array(ivars, "ivars")
        compare = comparison(cmp).ufunc
        if routine.endswith("_vector"):
            values = _numbers(values, ivars.size, "values")
        else:
            integer(values, "value", _LEAST)
        skipped = None if status is None else _numbers(status, ivars.size, "status")
        if not ivars.size:
            require_integers(ivars, "ivars")
            return None
        return Condition(ivars, ivars.size, compare, values, skipped, "ivars")
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def _numbers(values: Any, count: int, name: str) -> Array:
    """Return ``values`` as a vector of integers; check that there are at least ``count``."""
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "iuO":
            numbers = numbers.astype(np.intp)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {values!r}; it must be a sequence of integers") from None
    if numbers.size < count:
        raise CountError(
            f"{name} is {values!r}; it must have a number for each of {count} elements"
        )
    return numbers.reshape(-1)


def _find(routine: str, condition: Condition, least: int) -> Indices:
    """Return the indices of the elements that satisfy the condition.

    The ``wait_until`` routines wait until at least ``least`` elements satisfy the condition.
    """
    return condition.wait(least) if routine.startswith("wait_until") else condition.test(least)


def _all(routine: str, *given: Any) -> bool:
    condition = _condition(routine, *given)
    if condition is None:
        return True
    wanted = len(condition.included)
    return len(_find(routine, condition, wanted)) == wanted


def _some(routine: str, *given: Any) -> list[int]:
    condition = _condition(routine, *given)
    if condition is None:
        return []
    indices: list[int] = _find(routine, condition, min(1, len(condition.included))).tolist()
    return indices


def _any(routine: str, *given: Any) -> int | None:
    found = _some(routine, *given)
    return found[0] if found else None


def wait_until_all(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> None:
    """Wait until all elements satisfy a comparison with ``value``."""
    _all("wait_until_all", ivars, cmp, value, status)


def wait_until_any(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> int | None:
    """Wait until an element satisfies a comparison; return the index of the first such element.

    The result is None if the call ignores all elements.
    """
    return _any("wait_until_any", ivars, cmp, value, status)


def wait_until_some(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> list[int]:
    """Wait until an element satisfies a comparison; return the indices of all such elements."""
    return _some("wait_until_some", ivars, cmp, value, status)


def wait_until_all_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> None:
    """Wait as :func:`wait_until_all` does, with a value for each element."""
    _all("wait_until_all_vector", ivars, cmp, values, status)


def wait_until_any_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> int | None:
    """Wait as :func:`wait_until_any` does, with a value for each element."""
    return _any("wait_until_any_vector", ivars, cmp, values, status)


def wait_until_some_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> list[int]:
    """Wait as :func:`wait_until_some` does, with a value for each element."""
    return _some("wait_until_some_vector", ivars, cmp, values, status)


def test_all(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> bool:
    """Return whether all elements satisfy a comparison with ``value`` now."""
    return _all("test_all", ivars, cmp, value, status)


def test_any(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> int | None:
    """Return the index of the first element that satisfies a comparison now, or None."""
    return _any("test_any", ivars, cmp, value, status)


def test_some(ivars: Array, cmp: CMP, value: Number, status: Status = None) -> list[int]:
    """Return the indices of all elements that satisfy a comparison now."""
    return _some("test_some", ivars, cmp, value, status)


def test_all_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> bool:
    """Test as :func:`test_all` does, with a value for each element."""
    return _all("test_all_vector", ivars, cmp, values, status)


def test_any_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> int | None:
    """Test as :func:`test_any` does, with a value for each element."""
    return _any("test_any_vector", ivars, cmp, values, status)


def test_some_vector(
    ivars: Array, cmp: CMP, values: Sequence[Number], status: Status = None
) -> list[int]:
    """Test as :func:`test_some` does, with a value for each element."""
    return _some("test_some_vector", ivars, cmp, values, status)
