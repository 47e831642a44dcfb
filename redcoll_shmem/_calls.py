"""Implement the steps of all collective routines: check the arguments, then perform the call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from redcoll.protocol.descriptor import pack
from redcoll.team import Team

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
    """Return a call without elements.

    The call still runs a round, which compares the members' counts.
    """
    return partial(team.round, pack(collective))
