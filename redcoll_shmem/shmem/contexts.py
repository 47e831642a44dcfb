"""Define contexts as objects, and functions that order and complete puts.

A ``Ctx`` refers to a context of the library. Objects that refer to the same context are equal.
"""

from __future__ import annotations

from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._handles import (
    SHMEM_CTX_DEFAULT,
    SHMEM_CTX_INVALID,
    SHMEM_TEAM_WORLD,
    Members,
    shmem_ctx_t,
)
from redcoll_shmem._types import describe
from redcoll_shmem.contexts import create_context, shmem_ctx_destroy
from redcoll_shmem.shmem._errors import by_status
from redcoll_shmem.shmem.teams import Reference, Team, check

__all__ = ["CTX_DEFAULT", "CTX_INVALID", "Ctx", "fence", "quiet"]


class Ctx(Reference):
    """A context of the library, which calls of put, get and atomic operations take as ``ctx``.

    PE numbers in these calls refer to the context's team. ``CTX_INVALID`` counts as false. The end
    of a ``with`` block destroys the context.

    Parameters
    ----------
    ctx
        The context to refer to (default: ``CTX_INVALID``).

    Raises
    ------
    DatatypeError
        ``ctx`` is not a context. This error is a ``TypeError``.
    """

    handle: shmem_ctx_t

    def __init__(self, ctx: Ctx | shmem_ctx_t | None = None) -> None:
        if not isinstance(ctx, Ctx | shmem_ctx_t | None):
            raise DatatypeError(f"Ctx: ctx is {describe(ctx)}; it must be a Ctx")
        handle = ctx.handle if isinstance(ctx, Ctx) else ctx
        self.handle = SHMEM_CTX_INVALID if handle is None else handle

    @staticmethod
    def create(options: int = 0, team: Team | None = None) -> Ctx:
        """Create a context. The call is local.

        Parameters
        ----------
        options
            Members of ``CTX``.
        team
            The context's team (default: ``TEAM_WORLD``).

        Raises
        ------
        StatusError
            ``options`` is wrong. This error is a ``RuntimeError`` and an ``ArgumentError``.
        StateError
            The team is ``TEAM_INVALID``, or has been destroyed.
        """
        try:
            check(team)
        except (ArgumentError, StateError) as error:
            refuse("Ctx.create", error)
        handle = SHMEM_TEAM_WORLD if team is None else team.handle
        with by_status():
            return Ctx(create_context("Ctx.create", handle, options))

    def members(self) -> Members:
        """Return the members of the context's team.

        Raises
        ------
        StateError
            The context is ``CTX_INVALID``, or the context or its team has been destroyed. This
            error is a ``RuntimeError``.
        """
        if not self:
            raise StateError("ctx is CTX_INVALID; it must be a valid context")
        return self.handle.require()

    def destroy(self) -> None:
        """Complete all puts, and destroy the context. The object becomes ``CTX_INVALID``.

        The call does nothing for ``CTX_DEFAULT`` and ``CTX_INVALID``. A copy of ``CTX_DEFAULT``
        becomes ``CTX_INVALID``, but the call does not destroy the default context.
        """
        if self is CTX_DEFAULT or not self:
            return
        if self.handle is not SHMEM_CTX_DEFAULT:
            shmem_ctx_destroy(self.handle)
        self.handle = SHMEM_CTX_INVALID

    def get_team(self) -> Team:
        """Return the context's team.

        Raises
        ------
        StateError
            The context is ``CTX_INVALID``, or the context or its team has been destroyed. This
            error is a ``RuntimeError``.
        """
        try:
            self.members()
        except StateError as error:
            refuse("get_team", error)
        return Team(self.handle.team)

    def fence(self) -> None:
        """Order puts and atomic operations. On each target PE, earlier calls act first."""
        fence(self)

    def quiet(self) -> None:
        """Complete all earlier puts and atomic operations."""
        quiet(self)


CTX_DEFAULT = Ctx(SHMEM_CTX_DEFAULT)
CTX_INVALID = Ctx()


def require_context(ctx: Ctx | None) -> Members | None:
    """Return the members of a context's team; None if ``ctx`` is None."""
    if ctx is None:
        return None
    if not isinstance(ctx, Ctx):
        raise DatatypeError(f"ctx is {describe(ctx)}; it must be a Ctx")
    return ctx.members()


def pe_of(pe: int, ctx: Ctx | None) -> int:
    """Translate a PE number in a context's team to the PE's number in the job.

    If ``ctx`` is None, return ``pe`` unchanged and unchecked.
    """
    core = require_context(ctx)
    return pe if core is None else core.pes[integer(pe, "pe", 0, core.size - 1)]


def fence(ctx: Ctx | None = None) -> None:
    """Order puts and atomic operations. On each target PE, earlier calls act first."""
    _order("fence", ctx)
    rma.fence()


def quiet(ctx: Ctx | None = None) -> None:
    """Complete all earlier puts and atomic operations."""
    _order("quiet", ctx)
    rma.quiet()


def _order(routine: str, ctx: Ctx | None) -> None:
    try:
        require_context(ctx)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
