"""Define communication contexts (OpenSHMEM 1.5, section 9.5), and all routines that take them.

Every put, get, atomic operation and put with a signal also has a form whose name contains ``ctx_``.
The first argument of this form is a context. PE numbers in the call refer to the context's team.

redcoll treats the puts of all contexts in the same way, so contexts cost no time or memory. Fence
and quiet of a context also affect the puts of other contexts. Programs that conform to the standard
run unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from redcoll import world
from redcoll.arguments import Array
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll_shmem import atomics, signals, strided
from redcoll_shmem import rma as puts
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._handles import (
    SHMEM_CTX_DEFAULT,
    SHMEM_CTX_INVALID,
    SHMEM_TEAM_WORLD,
    members_of,
    require_context,
    shmem_ctx_session_config_t,
    shmem_ctx_t,
    shmem_team_t,
)
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import describe
from redcoll_shmem.constants import (
    SHMEM_CTX_NOSTORE,
    SHMEM_CTX_PRIVATE,
    SHMEM_CTX_SERIALIZED,
    SHMEM_CTX_SESSION_BATCH,
    SHMEM_CTX_SESSION_TOTAL_OPS,
    SIZE_MAX,
)
from redcoll_shmem.synchronization import numbers

__all__ = [
    "SHMEM_CTX_DEFAULT",
    "SHMEM_CTX_INVALID",
    "shmem_ctx_create",
    "shmem_ctx_destroy",
    "shmem_ctx_fence",
    "shmem_ctx_get_team",
    "shmem_ctx_pe_quiet",
    "shmem_ctx_quiet",
    "shmem_ctx_session_config_t",
    "shmem_ctx_session_start",
    "shmem_ctx_session_stop",
    "shmem_ctx_t",
    "shmem_team_create_ctx",
]

_ALL_OPTIONS = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE


def shmem_ctx_create(options: int) -> shmem_ctx_t:
    """Create a context on the team of all PEs.

    Parameters
    ----------
    options
        0, or a sum of ``SHMEM_CTX_SERIALIZED``, ``SHMEM_CTX_PRIVATE`` and ``SHMEM_CTX_NOSTORE``.

    Raises
    ------
    ArgumentError
        ``options`` contains an unknown option.
    StateError
        The library has been finalized.
    """
    return create_context("shmem_ctx_create", SHMEM_TEAM_WORLD, options)


def shmem_team_create_ctx(team: shmem_team_t, options: int) -> shmem_ctx_t:
    """Create a context on a team. PE numbers in the context's calls refer to this team.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    options
        The options of :func:`shmem_ctx_create`.

    Raises
    ------
    ArgumentError
        ``options`` contains an unknown option, or the team is ``SHMEM_TEAM_INVALID``.
    StateError
        The team has been destroyed.
    """
    return create_context("shmem_team_create_ctx", team, options)


def create_context(routine: str, team: shmem_team_t, options: int) -> shmem_ctx_t:
    """Create a context. Error messages start with ``routine``."""
    try:
        members_of(team)
        wanted = integer(options, "options", 0, _ALL_OPTIONS)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
    return shmem_ctx_t(team, wanted, f"context of {team!r}")


def shmem_ctx_destroy(ctx: shmem_ctx_t) -> None:
    """Complete the puts of a context, and destroy the context.

    Parameters
    ----------
    ctx
        The result of :func:`shmem_ctx_create` or :func:`shmem_team_create_ctx`. With
        ``SHMEM_CTX_INVALID`` the call does nothing.

    Raises
    ------
    ArgumentError
        The context is ``SHMEM_CTX_DEFAULT``.
    StateError
        The context has been destroyed already.
    """
    if ctx is SHMEM_CTX_INVALID:
        return
    try:
        require_context(ctx)
        rma.quiet()
        ctx.destroy()
    except (ArgumentError, StateError) as error:
        refuse("shmem_ctx_destroy", error)


def shmem_ctx_get_team(ctx: shmem_ctx_t) -> shmem_team_t:
    """Return the team of a context.

    Parameters
    ----------
    ctx
        The context. For ``SHMEM_CTX_INVALID`` the result is ``SHMEM_TEAM_INVALID``.

    Raises
    ------
    StateError
        The context has been destroyed.
    """
    _is_valid("shmem_ctx_get_team", ctx)
    return ctx.team


def shmem_ctx_fence(ctx: shmem_ctx_t) -> None:
    """Order the puts of a context. On each PE, puts before the call arrive before later puts.

    Parameters
    ----------
    ctx
        The context. With ``SHMEM_CTX_INVALID`` the call does nothing.

    Raises
    ------
    StateError
        The context has been destroyed.
    """
    if _is_valid("shmem_ctx_fence", ctx):
        rma.fence()


def shmem_ctx_quiet(ctx: shmem_ctx_t) -> None:
    """Complete all earlier puts of a context. On return the puts are visible to every PE.

    Parameters
    ----------
    ctx
        The context. With ``SHMEM_CTX_INVALID`` the call does nothing.

    Raises
    ------
    StateError
        The context has been destroyed.
    """
    if _is_valid("shmem_ctx_quiet", ctx):
        rma.quiet()


def _is_valid(routine: str, ctx: shmem_ctx_t) -> bool:
    """Check a context; return False for ``SHMEM_CTX_INVALID``."""
    if ctx is SHMEM_CTX_INVALID:
        return False
    try:
        require_context(ctx)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
    return True


def shmem_ctx_pe_quiet(ctx: shmem_ctx_t, target_pes: Sequence[int] | Array, npes: int) -> None:
    """Complete all earlier puts of a context to some PEs (OpenSHMEM 1.6).

    Parameters
    ----------
    ctx
        The context. With ``SHMEM_CTX_INVALID`` the call does nothing.
    target_pes
        Numbers of PEs in the context's team. The argument can be None if ``npes`` is 0.
    npes
        The call uses the first ``npes`` numbers of ``target_pes``.

    Raises
    ------
    ArgumentError
        The team lacks one of the PEs, or ``target_pes`` has fewer than ``npes`` numbers.
    StateError
        The context has been destroyed.
    """
    if ctx is SHMEM_CTX_INVALID:
        return
    try:
        core = require_context(ctx)
        of_team = numbers(target_pes, npes)
        rma.quiet([core.pes[integer(pe, "target_pes", 0, core.size - 1)] for pe in of_team])
    except (ArgumentError, StateError) as error:
        refuse("shmem_ctx_pe_quiet", error)


def shmem_ctx_session_start(
    ctx: shmem_ctx_t,
    options: int,
    config: shmem_ctx_session_config_t | None = None,
    config_mask: int = 0,
) -> None:
    """Start a session on a context (OpenSHMEM 1.6). redcoll ignores the session's hints.

    Parameters
    ----------
    ctx
        The context. With ``SHMEM_CTX_INVALID`` the call does nothing.
    options
        ``SHMEM_CTX_SESSION_BATCH`` or 0.
    config
        Further hints. ``config_mask`` selects the fields that the call reads.
    config_mask
        ``SHMEM_CTX_SESSION_TOTAL_OPS`` or 0.

    Raises
    ------
    ArgumentError
        ``options`` contains an unknown option, or the configuration is wrong.
    StateError
        The context has been destroyed.
    """
    if ctx is SHMEM_CTX_INVALID:
        return
    try:
        require_context(ctx)
        integer(options, "options", 0, SHMEM_CTX_SESSION_BATCH)
        if integer(config_mask, "config_mask", 0, SHMEM_CTX_SESSION_TOTAL_OPS):
            if not isinstance(config, shmem_ctx_session_config_t):
                raise DatatypeError(
                    f"config is {describe(config)}; with a config_mask of {config_mask} it must "
                    "be a shmem_ctx_session_config_t"
                )
            integer(config.total_ops, "config.total_ops", 0, SIZE_MAX)
    except (ArgumentError, StateError) as error:
        refuse("shmem_ctx_session_start", error)


def shmem_ctx_session_stop(ctx: shmem_ctx_t) -> None:
    """End the session of a context (OpenSHMEM 1.6).

    Parameters
    ----------
    ctx
        The context. Without a session, or with ``SHMEM_CTX_INVALID``, the call does nothing.

    Raises
    ------
    StateError
        The context has been destroyed.
    """
    _is_valid("shmem_ctx_session_stop", ctx)


_PARAMETERS = "Parameters\n----------\n"
_CTX = "ctx : shmem_ctx_t\n    The context. PE numbers in the call refer to the context's team.\n"


def _name(plain: str) -> str:
    return plain.replace("shmem_", "shmem_ctx_", 1)


def _with_context(plain_name: str, routines: LazyRoutines) -> Routine:
    """Make a routine's form whose first argument is a context."""
    plain = routines[plain_name]
    parameters = dict(plain.__annotations__)
    returns = parameters.pop("return")
    name = _name(plain_name)
    pe_at = list(parameters).index("pe")

    def routine(ctx: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            core = require_context(ctx)
            if core is not world.start().team:
                if "pe" in keywords:
                    keywords["pe"] = core.pes[integer(keywords["pe"], "pe", 0, core.size - 1)]
                elif len(arguments) > pe_at:
                    pe = core.pes[integer(arguments[pe_at], "pe", 0, core.size - 1)]
                    arguments = (*arguments[:pe_at], pe, *arguments[pe_at + 1 :])
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        return plain(*arguments, **keywords)

    doc = (plain.__doc__ or "").replace(_PARAMETERS, f"{_PARAMETERS}{_CTX}", 1)
    return finish_routine(routine, name, {"ctx": shmem_ctx_t, **parameters}, returns, doc)


ROUTINES = LazyRoutines(
    {
        _name(plain): partial(_with_context, plain, chapter.ROUTINES)
        for chapter in (puts, strided, atomics, signals)
        for plain in chapter.WITH_CONTEXT
    }
)
