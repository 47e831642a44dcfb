"""Wait until all, any or some elements of the caller's symmetric memory satisfy a comparison.

One NumPy expression compares all elements. So a wait for many flags costs little more than a wait
for a few flags.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from redcoll import world
from redcoll.arguments import Array, not_integer
from redcoll.datatypes import checked_element
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.liveness.progress import WordWait
from redcoll.onesided import rma

Indices = NDArray[np.intp]


class Condition:
    """A comparison of the elements of a symmetric vector with one value or with a vector of values.

    The first ``count`` integers of ``variables`` are compared, in the caller's own memory.
    ``compare`` is ``numpy.equal``, ``not_equal``, ``greater``, ``less_equal``, ``less`` or
    ``greater_equal``. ``values`` has one integer, or ``count`` integers. ``status`` has ``count``
    integers, or is None. Elements whose status is not 0 are ignored. ``name`` is the name of
    ``variables`` in error messages.

    Raise ``ArgumentError``, ``DatatypeError`` or ``SymmetryError`` for a wrong argument, and
    ``StateError`` if the memory has been freed.
    """

    def __init__(
        self,
        variables: Array,
        count: int,
        compare: np.ufunc,
        values: ArrayLike,
        status: ArrayLike | None = None,
        name: str = "variables",
    ) -> None:
        self._job = world.start()
        vector = rma.memory(variables, self._job.pe, name)
        if vector.dtype.kind not in "iu":
            raise DatatypeError(f"{name} is of {vector.dtype}; it must be of an integer type")
        if not 0 <= count <= vector.size:
            raise ArgumentError(f"{name} has {vector.size} elements; {count} are asked for")
        self._vector = vector[:count]
        self._compare = compare
        self._values = _values(values, count, vector.dtype)
        self._name = name
        self.included = _included(status, count)
        """Indices of the elements that are not ignored."""
        self._is_whole = len(self.included) == count

    def satisfied(self) -> Indices:
        """Return the indices of the elements that satisfy the comparison now, in order."""
        holds: Array = self._compare(self._vector, self._values)
        if not self._is_whole:
            counted: Indices = self.included[holds[self.included]]
            return counted
        return np.flatnonzero(holds)

    def test(self, least: int) -> Indices:
        """Return the same indices as :meth:`wait`, or no indices if :meth:`wait` would block."""
        if self._job.remote is not None:
            # Puts from other nodes arrive only while this PE is inside MPI. A program can poll with
            # this function alone, so make progress here.
            self._job.team.watch.progress()
        found = self.satisfied()
        if len(found) < least:
            return found[:0]
        self._job.see()
        return found

    def wait(self, least: int) -> Indices:
        """Wait until at least ``least`` elements satisfy the comparison; return their indices.

        Raise ``PeerLostError`` if all other PEs have exited or a PE has died, and
        ``CollectiveTimeoutError`` after ``REDCOLL_TIMEOUT``.
        """
        job = self._job
        found = self.satisfied()
        if len(found) < least:
            others = [pe for pe in range(job.n_pes) if pe != job.pe]
            is_over: Callable[[], bool] = lambda: len(self.satisfied()) >= least  # noqa: E731
            wait = WordWait(job.team.watch, others, is_over, self._doing)
            while len(found) < least:
                wait.poll()
                found = self.satisfied()
        # From here on the caller sees all data that other PEs stored before these values.
        job.see()
        return found

    def _doing(self) -> str:
        met = len(self.satisfied())
        return (
            f"wait for {self._compare.__name__} on {len(self.included)} elements of {self._name}, "
            f"of which {met} satisfy it"
        )


def _values(values: ArrayLike, count: int, dtype: np.dtype[Any]) -> Array:
    """Return the values to compare with, in the type of the variables."""
    # Convert to objects, because NumPy converts a list of int64 and uint64 numbers to floats.
    given = _vector(
        values, "value to compare with", None if isinstance(values, np.ndarray) else object
    )
    if given.dtype.kind not in "iuO":
        raise not_integer(values, "value to compare with")
    if given.ndim and given.size < count:
        raise ArgumentError(f"{given.size} values to compare with; {count} are asked for")
    vector = given.reshape(-1)[: count if given.ndim else 1]
    if not vector.size:
        numbers: Any = ()
    else:
        numbers = vector.flat if given.dtype.hasobject else (vector.min(), vector.max())
    for value in numbers:
        checked_element(value, dtype, "value to compare with")
    return vector.astype(dtype) if given.ndim else vector.astype(dtype)[0]


def _vector(values: ArrayLike, name: str, dtype: DTypeLike | None = None) -> Array:
    try:
        return np.asarray(values, dtype)
    except ValueError as error:
        raise ArgumentError(f"{name} is {values!r:.80}; it must be integers ({error})") from None


def _included(status: ArrayLike | None, count: int) -> Indices:
    if status is None:
        return np.arange(count)
    mask = _vector(status, "status")
    if mask.dtype.kind not in "iub":
        raise DatatypeError(f"status is of {mask.dtype}; it must be integers, or None")
    if mask.size < count:
        raise ArgumentError(f"status has {mask.size} elements; {count} are asked for")
    return np.flatnonzero(mask.reshape(-1)[:count] == 0)
