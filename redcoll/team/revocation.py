"""Revoke the team when an exception leaves a collective call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from redcoll.team.team import Team

P = ParamSpec("P")
R = TypeVar("R")


def _is_wrong_signature(error: BaseException) -> bool:
    """Return whether Python raised an error because arguments did not fit a function's signature.

    Python raises such an error in the caller's frame, before the function begins.
    """
    traceback = error.__traceback__
    return isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None


def revoking(find: Callable[..., Team | None]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for the outermost function of a collective call.

    Any exception that leaves the function revokes the team, unless it is a common error
    (:meth:`Team.revoke_unless_common`). Arguments that do not fit the function's signature revoke
    nothing, because the function has not begun. Functions that must be fast have an
    ``except`` clause instead of this decorator.

    ``find`` gets the arguments of the call and returns its team, or None if the team does not exist
    yet. The code that makes a team handles its own errors.
    """

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(call)
        def outermost(*arguments: P.args, **options: P.kwargs) -> R:
            try:
                return call(*arguments, **options)
            except BaseException as error:
                team = None if _is_wrong_signature(error) else find(*arguments, **options)
                if team is not None:
                    team.revoke_unless_common(error)
                raise

        return outermost

    return decorate
