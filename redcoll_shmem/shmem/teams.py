"""Define teams as objects.

A ``Team`` refers to a team of the library. Objects that refer to the same team are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import redcoll_shmem as c_api
from redcoll import world
from redcoll.arguments import shown
from redcoll.collectives.barrier import barrier
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.protocol.descriptor import SPLIT
from redcoll.team import Team as CoreTeam
from redcoll.team import TeamHandle, split
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._calls import outermost
from redcoll_shmem._handles import (
    SHMEM_CTX_INVALID,
    SHMEM_TEAM_INVALID,
    SHMEM_TEAM_SHARED,
    SHMEM_TEAM_WORLD,
    Members,
    new_team,
    shmem_team_t,
)
from redcoll_shmem._types import describe
from redcoll_shmem.shmem._errors import by_status

R = TypeVar("R", bound="Reference")
T = TypeVar("T")

__all__ = ["TEAM_INVALID", "TEAM_SHARED", "TEAM_WORLD", "Team"]


class Reference:
    """Refer to a handle of the library. An object with an invalid handle counts as false."""

    __hash__ = None  # type: ignore[assignment]
    handle: Any

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.handle!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.handle is other.handle

    def __bool__(self) -> bool:
        return self.handle is not SHMEM_TEAM_INVALID and self.handle is not SHMEM_CTX_INVALID

    def __enter__(self: R) -> R:  # noqa: PYI019 - Python 3.10 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def destroy(self) -> None:
        """Free what the handle stands for."""
        raise NotImplementedError


class Team(Reference, TeamHandle):
    """An ordered group of PEs.

    ``TEAM_INVALID`` counts as false. The end of a ``with`` block destroys the team. The collectives
    of ``redcoll`` accept a ``Team`` as the argument ``team``.

    Parameters
    ----------
    team
        The team to refer to (default: ``TEAM_INVALID``).

    Raises
    ------
    DatatypeError
        ``team`` is not a team. This error is a ``TypeError``.
    """

    handle: shmem_team_t

    def __init__(self, team: Team | shmem_team_t | None = None) -> None:
        if not isinstance(team, Team | shmem_team_t | None):
            raise DatatypeError(f"Team: team is {describe(team)}; it must be a Team")
        handle = team.handle if isinstance(team, Team) else team
        self.handle = SHMEM_TEAM_INVALID if handle is None else handle

    def core(self) -> CoreTeam:
        """Return the ``redcoll.team.Team`` that this object refers to.

        Raises
        ------
        StateError
            The team is ``TEAM_INVALID``, or has been destroyed. This error is a ``RuntimeError``.
        """
        return self._valid_handle().core()

    def known_core(self) -> CoreTeam | None:
        """Return what :meth:`core` returns, or None if redcoll has not made that team.

        The call is local.
        """
        return self.handle.known_core()

    def members(self) -> Members:
        """Return the members. The call is local. Errors are those of :meth:`core`."""
        return self._valid_handle().members()

    def _valid_handle(self) -> shmem_team_t:
        if not self:
            raise StateError("team is TEAM_INVALID; it must be a valid team")
        return self.handle

    def destroy(self) -> None:
        """Free the team.  Collective over the team. The object becomes ``TEAM_INVALID``.

        The call does nothing for ``TEAM_WORLD``, ``TEAM_SHARED`` and ``TEAM_INVALID``. A copy of
        ``TEAM_WORLD`` or ``TEAM_SHARED`` becomes ``TEAM_INVALID``, but the team still exists.
        """
        if any(self is each for each in _PREDEFINED_TEAMS):
            return
        if self.handle not in [each.handle for each in _PREDEFINED_TEAMS]:
            c_api.shmem_team_destroy(self.handle)
        self.handle = SHMEM_TEAM_INVALID

    def split_strided(
        self,
        start: int = 0,
        stride: int = 1,
        size: int | None = None,
        config: Mapping[str, int] | None = None,
        **kwargs: int,
    ) -> Team:
        """Make a team of the PEs ``start, start + stride, ...`` of this team.

        Collective over this team, whose members must pass equal arguments.

        Parameters
        ----------
        start
            The first member of the new team, by its number in this team.
        stride
            The difference, in this team's numbers, between a member of the new team and the next
            member. The difference can be negative.
        size
            Number of members of the new team (default: as many as possible).
        config, kwargs
            The only field of a configuration is ``num_contexts``, the number of contexts that the
            program plans to create from the new team. The program can create more contexts.

        Returns
        -------
        Team
            The new team. On PEs that are not in the new team, the result equals ``TEAM_INVALID``.

        Raises
        ------
        StatusError
            An argument is wrong. This error is a ``RuntimeError`` and an ``ArgumentError``. Members
            whose arguments are right get ``CollectiveMismatchError``.
        StateError
            This team is ``TEAM_INVALID``, or has been destroyed.
        """
        core = _require("split_strided", self.core)
        with by_status():
            with core.checking(SPLIT, "split_strided"):
                num_contexts = _num_contexts(config, kwargs)
                count = _as_many(core, start, stride) if size is None else size
            made = split.split_strided(core, start, stride, count, "split_strided")
        return Team(None if made is None else new_team(made, num_contexts))

    def get_config(self) -> dict[str, int]:
        """Return the configuration of the team, ``{"num_contexts": ...}``."""
        _require("get_config", self.members)
        return {"num_contexts": self.handle.num_contexts}

    def my_pe(self) -> int:
        """Return the calling PE's number in the team."""
        return _require("my_pe", self.members).index

    def n_pes(self) -> int:
        """Return the number of PEs in the team."""
        return _require("n_pes", self.members).size

    def translate_pe(self, pe: int | None = None, team: Team | None = None) -> int:
        """Translate a PE's number in this team to the PE's number in another team.

        Parameters
        ----------
        pe
            Number of a PE in this team (default: the calling PE).
        team
            The other team (default: ``TEAM_WORLD``).

        Raises
        ------
        StateError
            The other team lacks the PE, or a team is ``TEAM_INVALID``. This error is a
            ``RuntimeError``.
        """
        number = self.my_pe() if pe is None else pe
        handle = Team(TEAM_WORLD if team is None else team).handle
        there = c_api.shmem_team_translate_pe(self.handle, number, handle)
        if there < 0:
            raise StateError(f"translate_pe: PE {number} of the team has no number in the other")
        return there

    def create_ctx(self, options: int = 0) -> contexts.Ctx:
        """Create a context on this team, as :meth:`Ctx.create` does."""
        return contexts.Ctx.create(options, self)

    @outermost
    def sync(self) -> None:
        """Wait until all members have arrived."""
        barrier(team=_require("sync", self.core))


def _num_contexts(config: Mapping[str, int] | None, more: Mapping[str, int]) -> int:
    try:
        values = {**({} if config is None else config), **more}
    except Exception as error:  # noqa: BLE001 - a user's own mapping can raise anything
        raise ArgumentError(f"config is {shown(config)}; it must be a mapping, or None") from (
            None if isinstance(error, TypeError) else error
        )
    unknown = [key for key in values if key != "num_contexts"]
    if unknown:
        raise ArgumentError(
            f"config has {', '.join(sorted(map(str, unknown)))}; it takes num_contexts"
        )
    return integer(values.get("num_contexts", 0), "num_contexts")


def _as_many(core: CoreTeam, start: Any, stride: Any) -> int:
    """Return the largest possible number of members of a split."""
    first, step = integer(start, "start", 0, core.size - 1), integer(stride, "stride", -core.size)
    return len(range(first, core.size if step > 0 else -1, step)) if step else 1


def _require(routine: str, find: Callable[[], T]) -> T:
    try:
        return find()
    except StateError as error:
        refuse(routine, error)


def members(team: Team | None) -> CoreTeam:
    """Return the ``redcoll.team.Team`` of an argument. None means the team of all PEs."""
    return world.start().team if team is None else _checked(team).core()


def check(team: Team | None) -> None:
    """Check an argument as :func:`members` does, but never wait."""
    if team is not None:
        _checked(team).members()


def _checked(team: Team) -> Team:
    if not isinstance(team, Team):
        raise DatatypeError(f"team is {describe(team)}; it must be a Team")
    return team


TEAM_WORLD = Team(SHMEM_TEAM_WORLD)
TEAM_SHARED = Team(SHMEM_TEAM_SHARED)
TEAM_INVALID = Team()
_PREDEFINED_TEAMS = (TEAM_WORLD, TEAM_SHARED, TEAM_INVALID)

# This import is at the end, because the imported module needs `Team`.
from redcoll_shmem.shmem import contexts  # noqa: E402
