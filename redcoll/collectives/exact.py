"""Compute correctly rounded sums and dot products of distributed arrays.

Each rank adds its own elements into superaccumulators (:mod:`redcoll.superaccumulator`), which are
integers. One allreduce adds the integers of all ranks, and every rank rounds the result once.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, plain, shown, two_types
from redcoll.collectives._arguments import prepare, team_of
from redcoll.collectives._statistics import rows_of
from redcoll.collectives.allreduce import reduce_prepared
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.ops import PLAIN_SUM
from redcoll.protocol.descriptor import ALLREDUCE, NO_ROOT
from redcoll.superaccumulator import EXACT_TYPES, rows_of_products, rows_of_sums
from redcoll.team import Team, TeamLike, revoking
from redcoll.world import team_of_call

Shape = tuple[int, ...]


@revoking(team_of_call)
def exact_sum(
    x: Any,
    axis: int | Sequence[int] | None = None,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Any:
    """Return the correctly rounded sum of all members' elements of ``x``.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given. The
    result has the same bits for every number of members and every division of the elements.

    Parameters
    ----------
    x
        An array of float32, float64, complex64 or complex128, or a number of these types. Members
        may pass arrays of different lengths along the summed axes. For a list or tuple of arrays,
        the call returns a list or tuple of sums, in one round.
    axis
        The axis or axes that are summed, as in ``numpy.sum``; all by default. The other axes
        must have the same lengths on all members.

    Returns
    -------
    numpy.generic, numpy.ndarray, list or tuple
        The sum in the element type: a scalar, or an array if not all axes are summed. If an element
        is NaN, or if there are infinities of both signs, the sum is NaN. A sum of zero is ``-0.0``
        only if all elements are ``-0.0``.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError``. The other members get
        ``CollectiveMismatchError``.
    CollectiveMismatchError
        Members passed different types, or arrays whose results would have different shapes. All
        members raise it.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> big = 1e300 if redcoll.my_pe() == 0 else 0.0
    >>> float(redcoll.exact_sum(np.array([big, 1.0, -big]))) == redcoll.n_pes()
    True
    """
    team = team_of(team, active_set)
    with team.checking(ALLREDUCE, "exact_sum"):
        fields = _sums(team, x, axis)
    return fields.summed(team, "exact_sum")


@revoking(team_of_call)
def exact_dot(
    a: Any, b: Any, *, team: TeamLike | None = None, active_set: ActiveSet | None = None
) -> Any:
    """Return the correctly rounded sum of all members' products ``a[i] * b[i]``.

    Collective over the team. The products are exact, even if they would overflow or underflow as
    floats. Complex numbers are not conjugated. Errors are those of :func:`exact_sum`.

    Parameters
    ----------
    a, b
        Arrays of one shape and one element type that :func:`exact_sum` takes. For two lists or
        tuples of arrays, the call returns a list or tuple of dot products, in one round.

    Returns
    -------
    numpy.generic, list or tuple
        The dot product in the element type, or a list or tuple of dot products.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> x = np.array([1e200, 1.0, 1e200])
    >>> float(redcoll.exact_dot(x, np.array([1e200, 1.0, -1e200]))) == redcoll.n_pes()
    True
    """
    team = team_of(team, active_set)
    with team.checking(ALLREDUCE, "exact_dot"):
        fields = _dot_products(team, a, b)
    return fields.summed(team, "exact_dot")


class _Fields(NamedTuple):
    """The superaccumulators of one call: a row for each real number of the results.

    A complex number has two rows.
    """

    rows: Array
    results: list[tuple[np.dtype[Any], Shape]]
    """The type and the shape of each result."""
    kind: type | None
    """``list`` or ``tuple``; None if the program passed a single array."""

    def summed(self, team: Team, name: str) -> Any:
        """Return the rounded sums of all members.  Collective over the team.

        Raise ``CollectiveMismatchError`` if the members passed different types or shapes.
        """
        words = f"{name} {[dtype.name for dtype, _ in self.results]} {[n for _, n in self.results]}"
        mark = zlib.crc32(words.encode()) | 1 << 32
        source, total = self.rows.reshape(-1), np.empty(self.rows.size, self.rows.dtype)
        if not team.small(ALLREDUCE, total, source, PLAIN_SUM, NO_ROOT, mark):
            call = prepare(team, ALLREDUCE, total, source, PLAIN_SUM, extra=mark)
            reduce_prepared(team, call, total, source)
        rows, results, at = total.reshape(self.rows.shape), [], 0
        for dtype, shape in self.results:
            result = np.empty(shape, dtype)
            parts = result.reshape(-1).view(f"f{dtype.itemsize // (1 + (dtype.kind == 'c'))}")
            team.kernel.round_sums(rows[at : at + parts.size], parts)
            at += parts.size
            results.append(result if shape else result[()])
        return results[0] if self.kind is None else self.kind(results)


def _sums(team: Team, x: Any, axis: Any) -> _Fields:
    fields, kind = _fields(x, "x")
    matrices, results = [], []
    for field in fields:
        matrix, shape = _matrix(field, axis)
        matrices.append(matrix)
        results.append((field.dtype, shape))
    lengths = [math.prod(shape) * (1 + (dtype.kind == "c")) for dtype, shape in results]
    rows = rows_of_sums(sum(lengths))
    for matrix, n, end in zip(matrices, lengths, accumulate(lengths), strict=True):
        team.run_silently(team.kernel.accumulate, rows[end - n : end], matrix)
    return _Fields(rows, results, kind)


def _dot_products(team: Team, a: Any, b: Any) -> _Fields:
    left, kind = _fields(a, "a")
    right, other_kind = _fields(b, "b")
    if kind is not other_kind or len(left) != len(right):
        raise ArgumentError("a and b must be two arrays, or two lists of as many arrays")
    pairs = []
    for u, v in zip(left, right, strict=True):
        if u.dtype != v.dtype:
            raise two_types(v, u)
        if u.shape != v.shape:
            raise ArgumentError(f"b has shape {v.shape}; it must have that of a, {u.shape}")
        pairs += _products(u.reshape(-1), v.reshape(-1))
    rows = rows_of_products(len(pairs))
    for row, products in zip(rows, pairs, strict=True):
        for u, v in products:
            team.run_silently(team.kernel.accumulate_products, row, u, v)
    return _Fields(rows, [(u.dtype, ()) for u in left], kind)


def _products(a: Array, b: Array) -> list[list[tuple[Array, Array]]]:
    """Return pairs of real vectors for each part of the result: real, and imaginary if complex.

    Each part is the sum of the dot products of its pairs.
    """
    if a.dtype.kind != "c":
        return [[(np.ascontiguousarray(a), np.ascontiguousarray(b))]]
    a_real, a_imag, b_real, b_imag = (part.copy() for part in (a.real, a.imag, b.real, b.imag))
    return [[(a_real, b_real), (-a_imag, b_imag)], [(a_real, b_imag), (a_imag, b_real)]]


def _fields(x: Any, name: str) -> tuple[list[Array], type | None]:
    kind = type(x) if type(x) in (list, tuple) else None
    items = [x] if kind is None else list(x)
    if not items:
        raise ArgumentError(f"{name} is {shown(x)}; it must have at least one array")
    return [_field(item, name) for item in items], kind


def _field(item: Any, name: str) -> Array:
    if isinstance(item, (float, complex, np.number)):
        item = np.asarray(item)
    try:
        array = plain(item, name)
    except DatatypeError as error:
        raise DatatypeError(f"{error}, a number, or a list or tuple of these") from None
    if array.dtype.name not in EXACT_TYPES:
        raise DatatypeError(f"{name} is of {array.dtype}; it must be of {', '.join(EXACT_TYPES)}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _matrix(array: Array, axis: Any) -> tuple[Array, Shape]:
    """Return a matrix with a row for each number of the result, and the shape of the result."""
    if axis is None:
        return array.ravel(order="K").reshape(1, -1), ()
    items = axis if isinstance(axis, (list, tuple)) else [axis]
    least, most = -array.ndim, array.ndim - 1
    summed = [integer(item, "axis", least, most) % max(1, array.ndim) for item in items]
    if len(set(summed)) < len(summed):
        raise ArgumentError(f"axis is {shown(axis)}; it must not name an axis twice")
    rows, shape = rows_of(array, summed)
    return np.ascontiguousarray(rows), shape
