"""Compute least and greatest elements, histograms and sums of exponentials over all ranks."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, shown
from redcoll.collectives._arguments import team_of
from redcoll.collectives._statistics import (
    REALS,
    Axis,
    Columns,
    array_of,
    columns_of,
    merged,
    parts_of,
    result_type,
    shaped,
    wide_type,
)
from redcoll.errors import ArgumentError
from redcoll.protocol.descriptor import GATHER
from redcoll.team import Team, TeamLike, revoking
from redcoll.world import team_of_call


@revoking(team_of_call)
def minmax(
    x: ArrayLike,
    axis: Axis = None,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> tuple[Any, Any]:
    """Return the least and the greatest of all members' elements, in one round.

    Collective over the team. Arguments and errors are those of :func:`mean`, but the elements must
    be real. A NaN makes both results NaN.

    Returns
    -------
    tuple
        Two arrays with the kept dimensions, or two scalars, of the type of ``x``.

    Raises
    ------
    ArgumentError
        No member has an element. All members raise it.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> least, greatest = redcoll.minmax(np.arange(5) + redcoll.my_pe())
    >>> int(least), int(greatest) == 3 + redcoll.n_pes()
    (0, True)
    """
    team = team_of(team, active_set)
    with team.checking(GATHER, "minmax"):
        columns = columns_of(x, axis, REALS)
    least, greatest = _extremes(team, "minmax", columns)
    dtype = columns.dtype
    return shaped(least, columns.shape, dtype), shaped(greatest, columns.shape, dtype)


def _extremes(team: Team, name: str, columns: Columns, default: Any = None) -> Array:
    """Return the least and the greatest element of each row over all members.

    Without elements the result is ``default``. If there is no default, raise ``ArgumentError``.
    """
    rows = columns.rows
    fields = np.zeros((2, len(rows)), rows.dtype)
    if columns.n_elements:
        fields[0], fields[1] = rows.min(axis=1), rows.max(axis=1)

    def merge(counts: Array, theirs: Array) -> Array:
        if not counts.any():
            if default is not None:
                return np.array(default, rows.dtype)
            raise team.common(
                ArgumentError(f"{name}: x has no elements on any member; it must have at least one")
            )
        theirs = theirs[counts > 0]
        return np.array([theirs[:, 0].min(axis=0), theirs[:, 1].max(axis=0)])

    return merged(team, name, columns, fields, merge)


@revoking(team_of_call)
def topk(
    x: ArrayLike, k: int, *, team: TeamLike | None = None, active_set: ActiveSet | None = None
) -> Array:
    """Return the ``k`` greatest of all members' elements, in descending order.

    Collective over the team. The call reduces all dimensions of ``x``. ``x`` and the errors are as
    in :func:`minmax`. NaN counts as greater than all numbers, as in ``numpy.sort``.

    Parameters
    ----------
    k
        The number of elements to return, which must be the same on all members.

    Raises
    ------
    ArgumentError
        The members have fewer than ``k`` elements together. All members raise it.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> found = redcoll.topk(np.arange(10.0) - redcoll.my_pe(), 1)
    >>> found.tolist()
    [9.0]
    """
    team = team_of(team, active_set)
    with team.checking(GATHER, "topk"):
        k = integer(k, "k", 0)
        columns = columns_of(x, None, REALS, k=k)
        rows = columns.rows.reshape(-1)
        count = min(k, rows.size)
        # If this member has fewer than ``k`` elements, zeros follow them, which ``count`` excludes.
        try:
            fields = np.zeros((1, k), rows.dtype)
        except (MemoryError, OverflowError, ValueError) as error:
            raise ArgumentError(f"k is {k}; so many elements do not fit into memory") from error
        if count:
            own = np.partition(rows, rows.size - count)[rows.size - count :]
            fields[0, :count] = np.sort(own)[::-1]
    counts = np.zeros(team.size, np.int64)

    def merge(theirs: Array, block: Array) -> Array:
        np.minimum(theirs, k, counts)
        return block[:, 0]

    found = merged(team, "topk", columns, fields, merge)
    if counts.sum() < k:
        raise team.common(
            ArgumentError(
                f"topk: k is {k}; the members have {counts.sum()} elements together, so it must "
                "be at most that"
            )
        )
    chosen = np.concatenate([row[:n] for row, n in zip(found, counts, strict=True)])
    return np.sort(chosen)[chosen.size - k :][::-1].astype(columns.dtype)


@revoking(team_of_call)
def histogram(
    x: ArrayLike,
    bins: int | ArrayLike = 10,
    range: tuple[float, float] | None = None,  # noqa: A002 - NumPy's name
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> tuple[Array, Array]:
    """Return the histogram of all members' elements, like ``numpy.histogram``.

    Collective over the team. The call reduces all dimensions of ``x``. ``x`` and the errors are as
    in :func:`minmax`. If ``range`` or the edges are given, the call takes one round. Otherwise
    another round finds the range.

    Parameters
    ----------
    bins
        The number of bins of equal width, or all edges in ascending order.
    range
        The least and the greatest edge (default: the least and the greatest of all members'
        elements). Elements outside the range are not counted. If ``bins`` has the edges, ``range``
        has no effect.

    Returns
    -------
    tuple
        The counts (int64) and the edges that NumPy would return for all members' elements.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> counts, edges = redcoll.histogram(np.array([0.5, 1.5, 1.6]), bins=2, range=(0, 2))
    >>> (counts // redcoll.n_pes()).tolist(), edges.tolist()
    ([1, 2], [0.0, 1.0, 2.0])
    """
    team = team_of(team, active_set)
    with team.checking(GATHER, "histogram"):
        values = array_of(x, REALS).reshape(-1)
        if values.dtype.kind == "b":
            values = values.astype(np.uint8)
        bins, limits, told = _bins(bins, range)
        columns = columns_of(values, None, REALS, **told)
        values = columns.rows.reshape(-1)
    if limits is None and not isinstance(bins, np.ndarray):
        limits = _limits(team, columns)
    with team.checking(GATHER, "histogram"), np.errstate(all="ignore"):
        counts, edges = np.histogram(values, bins, limits)

    def merge(_: Array, theirs: Array) -> Array:
        total: Array = theirs.sum(axis=0)
        return total

    fields = counts.astype(np.int64)[None, :]
    found = merged(team, "histogram", columns, fields, merge)
    return found[0], edges


def _bins(bins: Any, limits: Any) -> tuple[Any, Any, dict[str, object]]:
    """Return the checked arguments of a histogram, and the values that all members must share."""
    if limits is not None:
        try:
            low, high = map(float, limits)
        except Exception as error:
            raise ArgumentError(
                f"range is {shown(limits)}; it must be two numbers ({type(error).__name__})"
            ) from error
        if not (low <= high and np.isfinite(low) and np.isfinite(high)):
            raise ArgumentError(f"range is {shown(limits)}; it must be finite and ascending")
        limits = low, high
    try:
        edges = np.asarray(bins)
    except Exception as error:
        raise ArgumentError(
            f"bins is {shown(bins)}; it must be an integer or edges ({type(error).__name__})"
        ) from error
    if edges.ndim == 0:
        bins = integer(bins, "bins", 1)
        return bins, limits, {"bins": bins, "range": limits}
    if edges.ndim != 1 or edges.dtype.kind not in REALS or edges.size < 2:
        raise ArgumentError(f"bins is {shown(bins)}; it must be an integer, or at least two edges")
    if not (edges[:-1] <= edges[1:]).all():
        raise ArgumentError(f"bins is {shown(bins)}; edges must be in ascending order")
    mark = zlib.crc32(edges.tobytes())
    return edges, None, {"bins": f"{edges.size} edges #{mark:08x} of {edges.dtype}"}


def _limits(team: Team, columns: Columns) -> Array:
    """Return the range of all members' elements, in the elements' type, as NumPy does."""
    # NumPy's range for an empty array is from 0 to 1.
    low, high = limits = _extremes(team, "histogram", columns, [[0], [1]])[:, 0]
    if not (np.isfinite(low) and np.isfinite(high)):
        raise team.common(
            ArgumentError(f"histogram: x has elements from {low} to {high}; pass a finite range")
        )
    return limits


@revoking(team_of_call)
def logsumexp(
    x: ArrayLike,
    axis: Axis = None,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Any:
    """Return the logarithm of the sum of the exponentials of all members' elements.

    Collective over the team. Arguments, results and errors are those of :func:`mean`, but the
    elements must be real. The result is right even if the exponentials alone would overflow or be
    0. Without elements the result is minus infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> total = redcoll.logsumexp(np.array([1000.0, 1000.0]))
    >>> bool(np.isclose(total, 1000 + np.log(2 * redcoll.n_pes())))
    True
    """
    team = team_of(team, active_set)
    with team.checking(GATHER, "logsumexp"):
        columns = columns_of(x, axis, REALS)
        rows = columns.rows
        fields = np.zeros((2, len(rows)), wide_type(rows.dtype))
        fields[0] = -np.inf
        if columns.n_elements:
            with np.errstate(all="ignore"):
                greatest = rows.max(axis=1).astype(fields.dtype)
                shift = np.where(np.isfinite(greatest), greatest, 0)
                for chosen, part in parts_of(rows):
                    distances = rows[chosen, part] - shift[chosen, None]
                    fields[1, chosen] += np.exp(distances).sum(axis=1)
                fields[0] = np.where(greatest == -np.inf, -np.inf, shift)
    found = merged(team, "logsumexp", columns, fields, _merge_exponentials)
    return shaped(found[0], columns.shape, result_type(columns.dtype))


def _merge_exponentials(_: Array, fields: Array) -> Array:
    shifts, sums = fields[:, 0], fields[:, 1]
    greatest = shifts.max(axis=0)
    greatest = np.where(np.isfinite(greatest), greatest, 0)
    # Keep infinite sums. Their factors may be 0, and the products would be NaN.
    terms = np.where(np.isinf(sums), sums, sums * np.exp(shifts - greatest))
    return np.array([greatest + np.log(terms.sum(axis=0))])
