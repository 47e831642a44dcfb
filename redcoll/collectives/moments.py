"""Compute mean, variance and standard deviation of all elements on all ranks, in one round.

Members' moments are merged as in Chan, Golub and LeVeque, "Algorithms for computing the sample
variance", The American Statistician 37 (1983). Here the moments of all members are known at once.
They are converted to moments about the common mean, so that no large terms cancel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, shown
from redcoll.collectives._arguments import team_of
from redcoll.collectives._statistics import (
    NUMBERS,
    Axis,
    Columns,
    columns_of,
    merged,
    parts_of,
    result_type,
    shaped,
    wide_type,
)
from redcoll.errors import ArgumentError
from redcoll.protocol.descriptor import GATHER
from redcoll.team import TeamLike, revoking
from redcoll.world import team_of_call

_FEW = 128
_REAL_NUMBERS = (int, float, np.integer, np.floating)


# The method ``sum`` of an array calls this function from Python code, and so takes three times as
# long for a few elements.
_total = np.add.reduce


def _squares(values: Array) -> Array:
    """Return the squared absolute value of each element."""
    if values.dtype.kind != "c":
        return values * values
    found: Array = values.real * values.real + values.imag * values.imag
    return found


def _moments(columns: Columns) -> Array:
    """For each row return a centre near the mean, and the first two moments about the centre."""
    rows, n = columns.rows, columns.n_elements
    dtype = wide_type(rows.dtype)
    fields = np.zeros((3, len(rows)), dtype)
    if not n:
        return fields
    with np.errstate(all="ignore"):
        centres = fields[0]
        np.divide(_total(rows, 1, dtype), n, centres)
        # Replace infinite centres, because all differences from them would be infinite or NaN.
        centres[~np.isfinite(centres)] = 0
        # For few elements use long double, because their rounding errors do not average out.
        exact = np.result_type(dtype, np.longdouble)
        form = exact if n < _FEW else dtype
        sums = np.zeros((2, len(rows)), exact)
        for chosen, part in parts_of(rows):
            distances = np.subtract(rows[chosen, part], centres[chosen, None], dtype=form)
            sums[0, chosen] += _total(distances, 1)
            sums[1, chosen] += _total(_squares(distances), 1)
        fields[1:] = sums
    return fields


def _merge_moments(counts: Array, fields: Array) -> Array:
    """For each column return mean, sum of squared distances from the mean, and count."""
    # Use long double, which has more digits on most machines, so that merging adds little error.
    exact = np.result_type(fields.dtype, np.longdouble)
    n, total = counts.astype(exact)[:, None], _total(counts)
    centres, firsts, seconds = fields.astype(exact).transpose(1, 0, 2)
    start = centres[counts.argmax()]
    mean = start + _total(firsts + n * (centres - start)) / total
    shifts = np.where(n.real > 0, centres - mean, 0)
    first = _total(firsts + n * shifts)
    crossed = (shifts.conj() * firsts).real
    second = _total(seconds.real + 2 * crossed + n.real * _squares(shifts))
    result = np.empty((3, *mean.shape), exact)
    # If the mean is infinite, the first moments are NaN and must not be added.
    result[0] = mean + np.where(np.isfinite(mean), first / total, 0)
    result[1] = np.maximum(second - _squares(first) / total, 0)
    result[2] = total
    return result


@revoking(team_of_call)
def mean(
    x: ArrayLike,
    axis: Axis = None,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Any:
    """Return the mean of all members' elements, like ``numpy.mean`` of these elements.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given. All
    members get the same bits. Members can have different numbers of elements along ``axis``,
    including none.

    Parameters
    ----------
    x
        An array of numbers, or a value that NumPy converts to such an array. Members must pass the
        same element type and number of dimensions, and the kept dimensions must have the same
        sizes.
    axis
        The dimensions to reduce, as in NumPy. ``None`` reduces all dimensions, whose number can
        then differ between members. ``()`` keeps all dimensions, so each element is averaged over
        the members alone.

    Returns
    -------
    Any
        An array with the kept dimensions, or a scalar. The result has the type of ``x`` if that
        type is real or complex, and otherwise float64. The mean of no elements is NaN.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``). The other members get
        ``CollectiveMismatchError``. A wrong ``team`` or ``active_set`` raises on the caller alone.
    CollectiveMismatchError
        Members passed different types, sizes of kept dimensions or other arguments. The message
        shows the arguments of each member. All members raise it.
    PeerLostError, CollectiveTimeoutError, TeamBrokenError
        A member has left, has died or is late; or an earlier call broke the team.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> local = np.array([1.0, 2.0, 3.0])
    >>> print(redcoll.mean(local))
    2.0
    """
    found, columns = _all_moments("mean", x, axis, team, active_set)
    return shaped(found[0], columns.shape, result_type(columns.dtype))


@revoking(team_of_call)
def var(
    x: ArrayLike,
    axis: Axis = None,
    ddof: float = 0,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Any:
    """Return the variance of all members' elements, like ``numpy.var`` of these elements.

    Collective over the team. Arguments and errors are those of :func:`mean`. One argument is new:

    Parameters
    ----------
    ddof
        The divisor is the number of elements minus ``ddof``. All members must pass the same value.

    Returns
    -------
    Any
        An array or a scalar like the result of :func:`mean`, with real elements. The relative error
        is below 1e-15 for float64, even if the variance is tiny compared with the mean.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> local = 1e9 + np.array([1.0, 2.0, 3.0, 4.0])
    >>> print(redcoll.var(local))
    1.25
    """
    found, columns = _all_moments("var", x, axis, team, active_set, ddof)
    return shaped(_variances(found, ddof), columns.shape, _real_type(columns))


@revoking(team_of_call)
def std(
    x: ArrayLike,
    axis: Axis = None,
    ddof: float = 0,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Any:
    """Return the standard deviation of all members' elements, like ``numpy.std``.

    Collective over the team. The result is the square root of :func:`var`, with the same arguments
    and errors.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> print(redcoll.std(np.array([1.0, 3.0])))
    1.0
    """
    found, columns = _all_moments("std", x, axis, team, active_set, ddof)
    return shaped(np.sqrt(_variances(found, ddof)), columns.shape, _real_type(columns))


def _all_moments(
    name: str,
    x: ArrayLike,
    axis: Axis,
    team: TeamLike | None,
    active_set: ActiveSet | None,
    ddof: Any = None,
) -> tuple[Array, Columns]:
    team = team_of(team, active_set)
    with team.checking(GATHER, name):
        more = {}
        if ddof is not None or name != "mean":
            if isinstance(ddof, bool) or not isinstance(ddof, _REAL_NUMBERS):
                raise ArgumentError(f"ddof is {shown(ddof)}; it must be a real number")
            more["ddof"] = ddof
        columns = columns_of(x, axis, NUMBERS, **more)
        fields = _moments(columns)
    return merged(team, name, columns, fields, _merge_moments), columns


def _variances(moments: Array, ddof: Any) -> Array:
    _, seconds, counts = moments.real
    with np.errstate(all="ignore"):
        found: Array = seconds / np.maximum(counts - ddof, 0)
    return found


def _real_type(columns: Columns) -> np.dtype[Any]:
    return np.empty(0, result_type(columns.dtype)).real.dtype
