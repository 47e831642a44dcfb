"""The outermost frames of collective routines: an exception on one PE alone revokes the team."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from redcoll import world
from redcoll.errors import ArgumentError, StateError
from redcoll.team import Team, revoking
from redcoll_shmem._arguments import known_team_of
from redcoll_shmem._handles import shmem_team_t

P = ParamSpec("P")
R = TypeVar("R")


def outermost(routine: Callable[P, R]) -> Callable[P, R]:
    """Make a routine the outermost frame of a collective call (:func:`redcoll.team.revoking`).

    Its parameters say on which team: ``PE_start`` and the other two of an active set, ``team``,
    ``parent_team`` or ``self``. Without any of these, or with None, it is the team of all PEs.
    """

    def find(*arguments: Any, **options: Any) -> Team | None:
        return _named(inspect.signature(routine).bind(*arguments, **options).arguments)

    return revoking(find)(routine)


def _named(given: Mapping[str, Any]) -> Team | None:
    if "PE_start" in given:
        return known_team_of(given["PE_start"], given["logPE_stride"], given["PE_size"])
    for name in ("team", "parent_team", "self"):
        if given.get(name) is not None:
            return known_core(given[name])
    return world.team_of_call()


def known_core(team: object) -> Team | None:
    """The core's team behind a handle, of C's spelling or of shmem4py's; None if there is none.

    Local: unlike ``core_of`` it makes no team at the first use.
    """
    # Not by getattr: a wrong argument may be an object whose attributes raise.
    handle = team if isinstance(team, shmem_team_t) else _attributes(team).get("handle")
    if not isinstance(handle, shmem_team_t):
        return None
    try:
        members = handle.members()
    except (ArgumentError, StateError):
        return None
    return members if isinstance(members, Team) else world.known_node_team()


def _attributes(value: object) -> Mapping[str, Any]:
    try:
        return vars(value)
    except TypeError:  # it has none of its own
        return {}
