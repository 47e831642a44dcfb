"""Compute correctly rounded sums and dot products of distributed arrays.

Each rank adds its own elements into superaccumulators (:mod:`redcoll.superaccumulator`), which are
integers. One allreduce adds the integers of all ranks, and every rank rounds the result once.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, plain, shown, two_types
from redcoll.collectives._arguments import prepare, team_of
from redcoll.collectives.allreduce import reduce_prepared
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.ops import PLAIN_SUM
from redcoll.protocol.descriptor import ALLREDUCE, NO_ROOT
from redcoll.superaccumulator import EXACT_TYPES, rows_of_products, rows_of_sums
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common

Shape = tuple[int, ...]


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
    return _call("exact_sum", team, active_set, lambda team: _Sums(team, x, axis))


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
    return _call("exact_dot", team, active_set, lambda team: _Products(team, a, b))


def _call(
    name: str, team: TeamLike | None, active_set: ActiveSet | None, begin: Callable[[Team], _Fields]
) -> Any:
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        with team.checking(ALLREDUCE, name):
            fields = begin(team)
        return fields.rounded(team, _merged(team, fields.rows, fields.mark(name)))
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def _merged(team: Team, rows: Array, mark: int) -> Array:
    """Return the sum of all members' rows; raise if marks differ.  Collective over the team."""
    source, total = rows.reshape(-1), np.empty(rows.size, rows.dtype)
    if not team.small(ALLREDUCE, total, source, PLAIN_SUM, NO_ROOT, mark):
        call = prepare(team, ALLREDUCE, total, source, PLAIN_SUM, extra=mark)
        reduce_prepared(team, call, total, source)
    return total.reshape(rows.shape)


class _Fields:
    """The superaccumulators of one call: a row for each real number of the results.

    A complex number has two rows.
    """

    rows: Array
    kind: type | None
    """``list`` or ``tuple``; None if the program passed a single array."""

    def __init__(self) -> None:
        self._dtypes: list[np.dtype[Any]] = []
        self._shapes: list[Shape] = []

    def _note(self, dtype: np.dtype[Any], shape: Shape) -> int:
        """Keep the type and shape of one result; return the number of its rows."""
        self._dtypes.append(dtype)
        self._shapes.append(shape)
        return math.prod(shape) * (2 if dtype.kind == "c" else 1)

    def mark(self, name: str) -> int:
        """Return a hash of the properties that must be equal on all members."""
        words = f"{name} {[dtype.name for dtype in self._dtypes]} {self._shapes}"
        return zlib.crc32(words.encode()) | 1 << 32

    def rounded(self, team: Team, rows: Array) -> Any:
        """Round the rows, and return the results."""
        results, at = [], 0
        for dtype, shape in zip(self._dtypes, self._shapes, strict=True):
            result = np.empty(shape, dtype)
            parts = result.reshape(-1).view(f"f{dtype.itemsize // (1 + (dtype.kind == 'c'))}")
            team.kernel.round_sums(rows[at : at + parts.size], parts)
            at += parts.size
            results.append(result if shape else result[()])
        return results[0] if self.kind is None else self.kind(results)


class _Sums(_Fields):
    def __init__(self, team: Team, x: Any, axis: Any) -> None:
        super().__init__()
        fields, self.kind = _fields(x, "x")
        chosen = []
        for field in fields:
            matrix, shape = _matrix(field, axis)
            chosen.append((matrix, self._note(field.dtype, shape)))
        self.rows = rows_of_sums(sum(n for _, n in chosen))
        at = 0
        for matrix, n in chosen:
            team.run_silently(team.kernel.accumulate, self.rows[at : at + n], matrix)
            at += n


class _Products(_Fields):
    def __init__(self, team: Team, a: Any, b: Any) -> None:
        super().__init__()
        left, self.kind = _fields(a, "a")
        right, kind = _fields(b, "b")
        if self.kind is not kind or len(left) != len(right):
            raise ArgumentError("a and b must be two arrays, or two lists of as many arrays")
        pairs = []
        for u, v in zip(left, right, strict=True):
            if u.dtype != v.dtype:
                raise two_types(v, u)
            if u.shape != v.shape:
                raise ArgumentError(f"b has shape {v.shape}; it must have that of a, {u.shape}")
            self._note(u.dtype, ())
            pairs += _products(u.reshape(-1), v.reshape(-1))
        self.rows = rows_of_products(len(pairs))
        for row, products in zip(self.rows, pairs, strict=True):
            for u, v in products:
                team.run_silently(team.kernel.accumulate_products, row, u, v)


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
    kept = [each for each in range(array.ndim) if each not in summed]
    shape = tuple(array.shape[each] for each in kept)
    length = math.prod(array.shape[each] for each in summed)
    ordered = np.ascontiguousarray(array.transpose(*kept, *summed))
    return ordered.reshape(math.prod(shape), length), shape
