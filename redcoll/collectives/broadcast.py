"""Broadcast: copy one member's vector to all members."""

from __future__ import annotations

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, flag, integer
from redcoll.collectives._arguments import flat, team_of
from redcoll.collectives._gathering import gather_sources, prepare_copy
from redcoll.protocol.descriptor import BROADCAST
from redcoll.team import TeamLike, revoking
from redcoll.world import team_of_call


@revoking(team_of_call)
def broadcast(
    target: Array,
    source: Array,
    root: int = 0,
    *,
    to_root: bool = True,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> None:
    """Set ``target`` on every member to ``source`` of the root.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given.

    Parameters
    ----------
    target
        C-contiguous symmetric array, with the element type and number of elements of ``source``.
        It is the same array as ``source``, or disjoint from it.
    source
        C-contiguous symmetric array. Its elements are used on the root only.
    root
        Team rank (not PE number) of the member whose source all members get.
    to_root
        Whether the call writes the root's own target, too.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError``, ``SymmetryError`` or
        ``OverlapError``.
    StateError
        The memory of an array has been freed.
    CollectiveMismatchError
        Members passed different counts, types or roots. All members raise it.
    """
    team = team_of(team, active_set)
    with team.checking(BROADCAST):
        index = integer(root, "root", 0, team.size - 1)
        wants = flag(to_root, "to_root") or team.index != index
    call = prepare_copy(team, BROADCAST, target, source, index, may_coincide=True)
    target = flat(target)
    for _, start, piece in gather_sources(team, call, source, index):
        if wants:
            target[start : start + piece.size] = piece
