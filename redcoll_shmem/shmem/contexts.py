"""Contexts as objects, and the order of what is put.

A ``Ctx`` refers to a context of the library; several may refer to the same one, and compare
equal then.
"""

from __future__ import annotations

from types import TracebackType

import redcoll_shmem as face
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
from redcoll_shmem.shmem._errors import by_status
from redcoll_shmem.shmem.teams import Team, check

__all__ = ["CTX_DEFAULT", "CTX_INVALID", "Ctx", "fence", "quiet"]


class Ctx:
    """A context: puts, gets and atomic operations that are ordered and completed together.

    The numbers of PEs in its calls are those of its team. False for ``CTX_INVALID``; at the
    end of a ``with`` block, the context is destroyed.

    Parameters
    ----------
    ctx
        What to refer to; ``CTX_INVALID`` unless given.

    Raises
    ------
    DatatypeError
        It is no context; a ``TypeError``.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, ctx: Ctx | shmem_ctx_t | None = None) -> None:
        if not isinstance(ctx, Ctx | shmem_ctx_t | None):
            raise DatatypeError(f"Ctx: ctx is {describe(ctx)}; it must be a Ctx")
        handle = ctx.handle if isinstance(ctx, Ctx) else ctx
        self.handle: shmem_ctx_t = SHMEM_CTX_INVALID if handle is None else handle

    def __repr__(self) -> str:
        return f"Ctx({self.handle!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ctx) and self.handle is other.handle

    def __bool__(self) -> bool:
        return self.handle is not SHMEM_CTX_INVALID

    def __enter__(self) -> Ctx:  # noqa: PYI034 - Python 3.10 has no Self
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.destroy()

    @staticmethod
    def create(options: int = 0, team: Team | None = None) -> Ctx:
        """Make a context.  Local.

        Parameters
        ----------
        options
            Members of ``CTX``.
        team
            Whose PEs it reaches; ``TEAM_WORLD`` unless given.

        Raises
        ------
        StatusError
            There are no such options; a ``RuntimeError``, and an ``ArgumentError``.
        StateError
            The team is ``TEAM_INVALID``, or has been destroyed.
        """
        try:
            check(team)
        except (ArgumentError, StateError) as error:
            refuse("Ctx.create", error)
        handle = SHMEM_TEAM_WORLD if team is None else team.handle
        with by_status():
            return Ctx(face.shmem_team_create_ctx(handle, options))

    def members(self) -> Members:
        """The members of the team whose numbers of PEs the context's calls take.

        Raises
        ------
        StateError
            This is ``CTX_INVALID``, or it or its team has been destroyed; a
            ``RuntimeError``.
        """
        if not self:
            raise StateError("ctx is CTX_INVALID; it must be a valid context")
        return self.handle.require()

    def destroy(self) -> None:
        """Complete what was begun, and destroy the context.

        Does nothing for ``CTX_DEFAULT`` and ``CTX_INVALID``. Another name of
        ``CTX_DEFAULT`` becomes ``CTX_INVALID``, as does this one of any other context.
        """
        if self is CTX_DEFAULT or not self:
            return
        if self.handle is not SHMEM_CTX_DEFAULT:
            face.shmem_ctx_destroy(self.handle)
        self.handle = SHMEM_CTX_INVALID

    def get_team(self) -> Team:
        """Return the team whose PEs the context reaches.

        Raises
        ------
        StateError
            This is ``CTX_INVALID``, or it or its team has been destroyed; a
            ``RuntimeError``.
        """
        try:
            self.members()
        except StateError as error:
            refuse("get_team", error)
        return Team(self.handle.team)

    def fence(self) -> None:
        """As :func:`fence`."""
        fence(self)

    def quiet(self) -> None:
        """As :func:`quiet`."""
        quiet(self)


CTX_DEFAULT = Ctx(SHMEM_CTX_DEFAULT)
CTX_INVALID = Ctx()


def require_context(ctx: Ctx | None) -> Members | None:
    """The members of a context's team; None for no context.

    Raises
    ------
    DatatypeError
        It is no context.
    StateError
        It is ``CTX_INVALID``, or it or its team has been destroyed.
    """
    if ctx is None:
        return None
    if not isinstance(ctx, Ctx):
        raise DatatypeError(f"ctx is {describe(ctx)}; it must be a Ctx")
    return ctx.members()


def pe_of(pe: int, ctx: Ctx | None) -> int:
    """The number in the job of a PE of a context's team.

    Raises
    ------
    ArgumentError
        The team has no such PE.
    StateError
        The context is invalid.
    """
    core = require_context(ctx)
    return pe if core is None else core.pes[integer(pe, "pe", 0, core.size - 1)]


def fence(ctx: Ctx | None = None) -> None:
    """Let earlier puts and atomic operations on each PE come before later ones."""
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
