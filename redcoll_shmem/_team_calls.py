"""What the collectives on teams have in common: the checks before, and their description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import plain
from redcoll.onesided import rma
from redcoll.protocol.descriptor import COLLECT, pack
from redcoll.team import Team
from redcoll_shmem._arguments import integer, is_zero, vector, writable
from redcoll_shmem._handles import core_of
from redcoll_shmem._types import require_type

Array = NDArray[Any]

TEAM = "shmem_team_t"
"""The type of teams, as signatures have it."""

ERRORS = """Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``, ``OverlapError``), or
    ``SHMEM_TEAM_INVALID``; the other members get ``CollectiveMismatchError``.
StateError
    The team has been destroyed, or the memory of an array freed.
CollectiveMismatchError
    Members called with other counts, types or roots: on all alike.
"""


def run(
    routine: str,
    collective: int,
    team: Any,
    nelems: Any,
    prepare: Callable[[Team, int], Callable[[], object]],
) -> int:
    """Check a call, whose own arguments ``prepare(core, nelems)`` checks, and make it."""
    core = core_of(routine, team)
    if collective != COLLECT and is_zero(nelems):
        # No array is checked, but a round shows which PEs passed another count.
        core.round(pack(collective))
        return 0
    with core.checking(collective, routine):
        call = prepare(core, integer(nelems, "nelems"))
    call()
    return 0


def elements(
    array: Any, dtype: np.dtype[Any] | None, count: int | None, name: str, *, as_bytes: bool = False
) -> Array:
    """The first ``count`` elements of a symmetric array, or all of them.

    Parameters
    ----------
    dtype
        What the routine's name says; None where any type is welcome.
    as_bytes
        Whether the elements are bytes, whatever the array's type.

    Raises
    ------
    ArgumentError
        Also ``DatatypeError``, ``SymmetryError``.
    StateError
        Its memory has been freed.
    """
    array = plain(array, name)
    if dtype is not None:
        require_type(array, dtype, name)
    if as_bytes:
        array = rma.flat(array, name).view(np.uint8)
    if name == "target":
        writable(array, name)
    return vector(array, array.size if count is None else count, name, "nelems")
