"""Define statistics over the arrays of all members of a team. OpenSHMEM has no such routines.

:mod:`redcoll` has the same functions, without ``redcoll_`` in their names. The arrays need not be
symmetric.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from redcoll.arguments import Array
from redcoll.collectives._statistics import Axis
from redcoll.collectives.moments import mean, std, var
from redcoll.collectives.statistics import histogram, logsumexp, minmax, topk
from redcoll_shmem._calls import outermost
from redcoll_shmem._handles import core_of, shmem_team_t

__all__ = [
    "redcoll_histogram",
    "redcoll_logsumexp",
    "redcoll_mean",
    "redcoll_minmax",
    "redcoll_std",
    "redcoll_topk",
    "redcoll_var",
]


@outermost
def redcoll_mean(team: shmem_team_t, x: ArrayLike, axis: Axis = None) -> Any:
    """Return the mean of the elements of ``x``, over all members of a team.

    Collective over the team. The arrays need not be symmetric, and can have different lengths on
    different PEs. All members get the same bits.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    x, axis
        The arguments of :func:`redcoll.mean`, which has the same result and raises the same errors.

    Raises
    ------
    ArgumentError
        The team is ``SHMEM_TEAM_INVALID``. Only the calling PE raises this error.
    StateError
        The team has been destroyed.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> print(shmem.redcoll_mean(shmem.SHMEM_TEAM_WORLD, np.array([1.0, 2.0, 3.0])))
    2.0
    """
    return mean(x, axis, team=core_of("redcoll_mean", team))


@outermost
def redcoll_var(team: shmem_team_t, x: ArrayLike, axis: Axis = None, ddof: float = 0) -> Any:
    """Return the variance of the elements of ``x``, over all members of a team.

    Collective over the team. ``x``, ``axis`` and ``ddof`` are the arguments of :func:`redcoll.var`,
    which has the same result and raises the same errors. :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> print(shmem.redcoll_var(shmem.SHMEM_TEAM_WORLD, 1e9 + np.array([1.0, 3.0])))
    1.0
    """
    return var(x, axis, ddof, team=core_of("redcoll_var", team))


@outermost
def redcoll_std(team: shmem_team_t, x: ArrayLike, axis: Axis = None, ddof: float = 0) -> Any:
    """Return the standard deviation of the elements of ``x``, over all members of a team.

    Collective over the team. ``x``, ``axis`` and ``ddof`` are the arguments of :func:`redcoll.std`,
    which has the same result and raises the same errors. :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> print(shmem.redcoll_std(shmem.SHMEM_TEAM_WORLD, np.array([1.0, 5.0])))
    2.0
    """
    return std(x, axis, ddof, team=core_of("redcoll_std", team))


@outermost
def redcoll_minmax(team: shmem_team_t, x: ArrayLike, axis: Axis = None) -> tuple[Any, Any]:
    """Return the least and the greatest element of ``x``, over all members of a team.

    Collective over the team. ``x`` and ``axis`` are the arguments of :func:`redcoll.minmax`, which
    has the same result and raises the same errors. :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> least, _ = shmem.redcoll_minmax(shmem.SHMEM_TEAM_WORLD, np.arange(3) + shmem.my_pe())
    >>> print(least)
    0
    """
    return minmax(x, axis, team=core_of("redcoll_minmax", team))


@outermost
def redcoll_topk(team: shmem_team_t, x: ArrayLike, k: int) -> Array:
    """Return the ``k`` greatest elements of ``x``, over all members, in descending order.

    Collective over the team. ``x`` and ``k`` are the arguments of :func:`redcoll.topk`, which has
    the same result and raises the same errors. :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> print(shmem.redcoll_topk(shmem.SHMEM_TEAM_WORLD, np.arange(10) - shmem.my_pe(), 1))
    [9]
    """
    return topk(x, k, team=core_of("redcoll_topk", team))


@outermost
def redcoll_histogram(
    team: shmem_team_t,
    x: ArrayLike,
    bins: int | ArrayLike = 10,
    range: tuple[float, float] | None = None,
) -> tuple[Array, Array]:
    """Return the bins' counts and edges of a histogram of ``x``, over all members of a team.

    Collective over the team. ``x``, ``bins`` and ``range`` are the arguments of
    :func:`redcoll.histogram`, which has the same result and raises the same errors.
    :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> _, edges = shmem.redcoll_histogram(shmem.SHMEM_TEAM_WORLD, np.ones(3), 2, (0, 2))
    >>> print(edges)
    [0. 1. 2.]
    """
    return histogram(x, bins, range, team=core_of("redcoll_histogram", team))


@outermost
def redcoll_logsumexp(team: shmem_team_t, x: ArrayLike, axis: Axis = None) -> Any:
    """Return the logarithm of the sum of the exponentials of ``x``, over all members of a team.

    Collective over the team. ``x`` and ``axis`` are the arguments of :func:`redcoll.logsumexp`,
    which has the same result and raises the same errors. :func:`redcoll_mean` describes ``team``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll_shmem as shmem
    >>> total = shmem.redcoll_logsumexp(shmem.SHMEM_TEAM_WORLD, np.array([1000.0]))
    >>> bool(np.isclose(total, 1000 + np.log(shmem.n_pes())))
    True
    """
    return logsumexp(x, axis, team=core_of("redcoll_logsumexp", team))
