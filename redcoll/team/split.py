"""Teams made from a team: by a stride through its members, or by rows and columns.

All members of the parent take part, those too that get no place in what is made.
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
from redcoll.team.team import Team, revoking

_REFUSALS = (ConfigError, HeapError, TeamLimitError, MPI.Exception)
"""What the making of a team raises on all who would be in it."""


def _parent(parent: Team, *_: object, **__: object) -> Team:
    return parent


@revoking(_parent)
def split_strided(
    parent: Team, start: int, stride: int, size: int, call: str = "split_strided"
) -> Team | None:
    """A team of the members ``start, start + stride, ...`` of ``parent``, ``size`` of them.

    Collective over ``parent``, whose members must pass equal arguments.

    Parameters
    ----------
    start
        Index in ``parent`` of the first member.
    stride
        From one index to the next; negative to go backwards.
    size
        Number of members; with 1 the stride says nothing.
    call
        The name of the call, for messages.

    Returns
    -------
    Team or None
        None on members of ``parent`` that are not among them.

    Raises
    ------
    ArgumentError
        Indices outside ``parent``, or one twice.
    CollectiveMismatchError
        Members pass different arguments: on all alike.
    TeamLimitError
        ``REDCOLL_MAX_TEAMS`` would be passed: on all members of what was to be made.
    HeapError
        There is no room for its scratch: likewise.
    """
    with parent.checking(SPLIT, call):
        first, step = integer(start, "start"), integer(stride, "stride")
        count = integer(size, "size", 1)
        indices = _strided(parent.size, first, step, count)
    return _split(parent, [indices], f"strided {first} {step} {count}")


@revoking(_parent)
def split_2d(parent: Team, x_range: int) -> tuple[Team, Team]:
    """The caller's row and column when ``parent`` is laid out in rows of ``x_range``.

    Collective over ``parent``. Member i is at column ``i % x_range`` of row
    ``i // x_range``; the last row may be shorter.

    Returns
    -------
    Team, Team
        The x team (the caller's row) and the y team (its column).

    Raises
    ------
    ArgumentError
        ``x_range`` is less than 1.
    CollectiveMismatchError
        Members pass different numbers: on all alike. Or on members of other rows and columns
        than the one that cannot be made; none is made then.
    TeamLimitError, HeapError
        As in :func:`split_strided`.
    """
    with parent.checking(SPLIT, "split_2d"):
        width = min(integer(x_range, "x_range", 1), parent.size)
    every = range(parent.size)
    rows = [every[at : at + width] for at in every[::width]]
    columns = [every[at::width] for at in range(width)]
    x_team = _split_for_all(parent, rows, f"rows {width}")
    try:
        y_team = _split_for_all(parent, columns, f"columns {width}")
    except Exception as error:
        # The other members do not close it after an interrupt that this one alone had.
        if parent.is_common(error):
            close(x_team)
        raise
    return x_team, y_team


@revoking(lambda team: team)
def close(team: Team) -> None:
    """Free a team.  Collective over it; no member may use it again.

    An interrupt before all members have called gives the team up, as in any call on it; after
    that another call goes on with it.
    """
    if team.is_closing:
        team.close()
        return
    # Others free it after this round: who does not must not come to it a second time.
    team.round(pack(CLOSE))
    team.close()


def _strided(n: int, first: int, step: int, count: int) -> Sequence[int]:
    """The indices, checked to be different ones from 0 to ``n - 1``."""
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


def _split_for_all(parent: Team, parts: Sequence[Sequence[int]], arguments: str) -> Team:
    """As :func:`_split`, of parts that have all members in them: no team, unless all are made."""
    team: Team | None = None
    error: Exception | None = None
    try:
        team = _split(parent, parts, arguments)
    except _REFUSALS as refusal:
        if not parent.is_common(refusal):
            raise
        error = refusal
    are_made = parent.conclude(pack(SPLIT), error, extra=zlib.crc32(arguments.encode()))
    if team is not None and are_made:
        return team
    if team is not None:
        close(team)
    if error is None:
        parent.raise_mismatch()
    raise parent.common(error)


def _split(parent: Team, parts: Sequence[Sequence[int]], arguments: str) -> Team | None:
    """The team of that one of disjoint ``parts`` of the parent that has the caller in it."""
    # MPI's own call would wait for the others without deadline, signals or names. Who has posted in
    # the first round may have given up before the others came; for the second all are here.
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
            parent.common(error)  # of all who would be in it; the others need nothing of them
        raise
