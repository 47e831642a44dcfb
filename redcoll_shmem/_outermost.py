"""Make a routine revoke its team after an exception that only one PE raises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from redcoll import world
from redcoll.team import Team, TeamHandle, revoking
from redcoll_shmem._arguments import known_team_of

P = ParamSpec("P")
R = TypeVar("R")


def outermost(routine: Callable[P, R]) -> Callable[P, R]:
    """Revoke the team if an exception leaves the routine (see :func:`redcoll.team.revoking`).

    The routine's arguments determine the team: the three numbers of an active set, or the argument
    ``team``, ``parent_team`` or ``self``. Without these arguments, or if the argument is None, the
    team contains all PEs.
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
    """Return the core's team behind a handle; None if the team does not exist.

    The call is local. Unlike ``core_of``, this function never makes a team.
    """
    return team.known_core() if isinstance(team, TeamHandle) else None
