"""Implement the steps of all collective routines: check the arguments, then perform the call.

If one PE raises an exception, the routine revokes its team.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from redcoll import world
from redcoll.protocol.descriptor import pack
from redcoll.team import Team, TeamHandle, revoking
from redcoll_shmem._arguments import known_team_of

P = ParamSpec("P")
R = TypeVar("R")

Call = Callable[[], object]
"""A function that performs a collective call, whose arguments have been checked."""


def checked_call(
    routine: str, collective: int, team: Team, prepare: Callable[[Team], Call]
) -> None:
    """Check a call and perform it.  Collective over the team.

    ``prepare`` checks the arguments and returns the call. If ``prepare`` raises, the error names
    the routine, and the other members raise ``CollectiveMismatchError``.
    """
    with team.checking(collective, routine):
        call = prepare(team)
    call()


def empty_call(team: Team, collective: int) -> Call:
    """Return a call without elements. It still runs a round, which compares the members' counts."""
    return partial(team.round, pack(collective))


def outermost(routine: Callable[P, R]) -> Callable[P, R]:
    """Revoke the team if an exception leaves the routine (see :func:`redcoll.team.revoking`).

    The routine's arguments determine the team: the three numbers of an active set, or the argument
    ``team``, ``parent_team`` or ``self``. Without these arguments, or if the argument and its
    default are None, the team contains all PEs.
    """
    parameters = inspect.signature(routine).parameters

    def find(*arguments: Any, **options: Any) -> Team | None:
        given = inspect.signature(routine).bind(*arguments, **options).arguments
        if "PE_start" in given:
            return known_team_of(given["PE_start"], given["logPE_stride"], given["PE_size"])
        for name in ("team", "parent_team", "self"):
            if name in given and (given[name] is not None or parameters[name].default is not None):
                return known_core(given[name])
        return world.team_of_call()

    return revoking(find)(routine)


def known_core(team: object) -> Team | None:
    """Return the core's team behind a handle. Never make the team: return None instead."""
    return team.known_core() if isinstance(team, TeamHandle) else None
