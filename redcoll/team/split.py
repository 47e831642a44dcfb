"""Make teams from a parent team: by a stride through its members, or by rows and columns.

All members of the parent must call, even if they are not in a new team.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import cast

from redcoll._mpi4py import MPI
from redcoll.arguments import integer
from redcoll.comm import no_communicator
from redcoll.errors import ArgumentError, ConfigError, HeapError, TeamLimitError
from redcoll.protocol.descriptor import CLOSE, SPLIT, pack
from redcoll.team.construction import make_team
from redcoll.team.revocation import revoking
from redcoll.team.team import Team

_REFUSALS = (ConfigError, HeapError, TeamLimitError, MPI.Exception)
"""The errors that the construction of a team raises on all members of the team."""


def _parent(parent: Team, *_: object, **__: object) -> Team:
    return parent


@revoking(_parent)
def split_strided(
    parent: Team, start: int, stride: int, size: int, call: str = "split_strided"
) -> Team | None:
    """Make a team of the ``size`` members ``start``, ``start + stride`` and so on of ``parent``.

    Collective over ``parent``, whose members must pass equal arguments. Return the new team on its
    members, and None on other members of ``parent``. ``stride`` can be negative, and has no effect
    if ``size`` is 1. ``call`` is the name of the call, for messages.

    Raises
    ------
    ArgumentError
        A rank is outside ``parent``, or would be in the team twice.
    CollectiveMismatchError
        Members pass different arguments. All members of ``parent`` raise it.
    TeamLimitError
        One more team would exceed ``REDCOLL_MAX_TEAMS``. All members of the new team raise it, and
        other members of ``parent`` raise ``CollectiveMismatchError``.
    HeapError
        There is not enough shared memory for the team. The same members raise the same errors.
    """
    with parent.checking(SPLIT, call):
        first, step = integer(start, "start"), integer(stride, "stride")
        count = integer(size, "size", 1)
        indices = _strided(parent.size, first, step, count)
    return _split_for_all(parent, [indices], f"strided {first} {step} {count}")


@revoking(_parent)
def split_2d(parent: Team, x_range: int) -> tuple[Team, Team]:
    """Make the teams of the caller's row and column in a grid with rows of ``x_range`` members.

    Collective over ``parent``. Member i is at column ``i % x_range`` of row ``i // x_range``. The
    last row can be shorter. Return the x team (the caller's row) and the y team (the caller's
    column). Raise ``ArgumentError`` if ``x_range`` is less than 1, and the other errors of
    :func:`split_strided`. If a row or column cannot be made, the members outside it raise
    ``CollectiveMismatchError``, and no team is made.
    """
    with parent.checking(SPLIT, "split_2d"):
        width = min(integer(x_range, "x_range", 1), parent.size)
    every = range(parent.size)
    rows = [every[at : at + width] for at in every[::width]]
    columns = [every[at::width] for at in range(width)]
    x_team = cast("Team", _split_for_all(parent, rows, f"rows {width}"))
    try:
        y_team = cast("Team", _split_for_all(parent, columns, f"columns {width}"))
    except Exception as error:
        # Closing is collective. If only this member was interrupted, it must not close the row,
        # because the other members do not close it.
        if parent.is_common(error):
            close(x_team)
        raise
    return x_team, y_team


@revoking(lambda team: team)
def close(team: Team) -> None:
    """Free a team.  Collective over the team, which no member may use afterwards.

    An interrupt before all members have called revokes the team. After a later interrupt, call the
    function again to complete the close.
    """
    if team.is_closing:
        team.close()
        return
    # After this round the other members free the team, so no member may run the round twice.
    team.round(pack(CLOSE))
    team.close()


def _strided(n: int, first: int, step: int, count: int) -> Sequence[int]:
    """Return the ranks, after a check that they are different and between 0 and ``n - 1``."""
    last = first + (count - 1) * step
    if count > 1 and step == 0:
        raise ArgumentError(f"stride is 0 and size {count}; a PE can be in a team only once")
    for index, name in ((first, "first"), (last, "last")):
        if not 0 <= index < n:
            raise ArgumentError(
                f"start {first}, stride {step}, size {count}: the {name} member would be PE "
                f"{index} of a team whose PEs are 0 to {n - 1}"
            )
    return range(first, last + (1 if step > 0 else -1), step) if count > 1 else [first]


def _split_for_all(parent: Team, parts: Sequence[Sequence[int]], arguments: str) -> Team | None:
    """Do as :func:`_split` does. If one team cannot be made, all members of the parent raise."""
    team: Team | None = None
    error: Exception | None = None
    try:
        team = _split(parent, parts, arguments)
    except _REFUSALS as refusal:
        if not parent.is_common(refusal):
            raise
        error = refusal
    are_made = parent.conclude(pack(SPLIT), error, extra=zlib.crc32(arguments.encode()))
    if are_made:
        return team
    if team is not None:
        close(team)
    if error is None:
        parent.raise_mismatch()
    raise parent.common(error)


def _split(parent: Team, parts: Sequence[Sequence[int]], arguments: str) -> Team | None:
    """Return the team of the part that holds the caller; None if no part does.

    No member is in two parts.
    """
    # MPI_Comm_split would wait without a deadline, and would neither handle signals nor name late
    # members. So two rounds come first. A member can revoke the team during the first round, after
    # it has published. Then it does not arrive at the second round.
    color, key = MPI.UNDEFINED, 0
    for number, indices in enumerate(parts):
        if parent.index in indices:
            color, key = number, indices.index(parent.index)
    for _ in range(2):
        parent.round(pack(SPLIT), zlib.crc32(arguments.encode()))
    try:
        comm = cast("MPI.Intracomm", parent.comm.Split(color, key))
    except MPI.Exception as error:
        refusal = no_communicator(error)
        parent.common(refusal)
        raise refusal from None
    if color == MPI.UNDEFINED:
        return None
    try:
        pes = [parent.pes[index] for index in parts[color]]
        return make_team(comm, pes, is_in_world=parent.members.is_in_world)
    except BaseException as error:
        comm.Free()
        if isinstance(error, _REFUSALS):
            parent.common(error)  # all members of the new team raise it, and no other member waits
        raise
