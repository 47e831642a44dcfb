"""Teams as objects.

A ``Team`` refers to a team of the library; several may refer to the same one, and compare
equal then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import redcoll_shmem as face
from redcoll import world
from redcoll.arguments import shown
from redcoll.collectives.barrier import barrier
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.protocol.descriptor import SPLIT
from redcoll.team import Team as CoreTeam
from redcoll.team import TeamHandle
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._handles import (
    SHMEM_TEAM_INVALID,
    SHMEM_TEAM_SHARED,
    SHMEM_TEAM_WORLD,
    Members,
    shmem_team_t,
)
from redcoll_shmem._outermost import outermost
from redcoll_shmem._types import describe
from redcoll_shmem.constants import SHMEM_TEAM_NUM_CONTEXTS
from redcoll_shmem.shmem._errors import by_status

if TYPE_CHECKING:
    from redcoll_shmem.shmem.contexts import Ctx

T = TypeVar("T")

__all__ = ["TEAM_INVALID", "TEAM_SHARED", "TEAM_WORLD", "Team"]


class Team(TeamHandle):
    """PEs that do something together.

    False for ``TEAM_INVALID``; at the end of a ``with`` block, the team is destroyed.

    Parameters
    ----------
    team
        What to refer to; ``TEAM_INVALID`` unless given.

    Raises
    ------
    DatatypeError
        It is no team; a ``TypeError``.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, team: Team | shmem_team_t | None = None) -> None:
        if not isinstance(team, Team | shmem_team_t | None):
            raise DatatypeError(f"Team: team is {describe(team)}; it must be a Team")
        handle = team.handle if isinstance(team, Team) else team
        self.handle: shmem_team_t = SHMEM_TEAM_INVALID if handle is None else handle

    def __repr__(self) -> str:
        return f"Team({self.handle!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Team) and self.handle is other.handle

    def __bool__(self) -> bool:
        return self.handle is not SHMEM_TEAM_INVALID

    def __enter__(self) -> Team:  # noqa: PYI034 - Python 3.10 has no Self
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.destroy()

    def core(self) -> CoreTeam:
        """The core's team.

        Raises
        ------
        StateError
            It is ``TEAM_INVALID``, or has been destroyed; a ``RuntimeError``.
        """
        return self._valid_handle().core()

    def known_core(self) -> CoreTeam | None:
        """Return the core's team; None if it does not exist, or not yet.  Local."""
        return self.handle.known_core()

    def members(self) -> Members:
        """Who is in it.  Local; raises as :meth:`core` does."""
        return self._valid_handle().members()

    def _valid_handle(self) -> shmem_team_t:
        if not self:
            raise StateError("team is TEAM_INVALID; it must be a valid team")
        return self.handle

    def destroy(self) -> None:
        """Free the team.  Collective over it.

        Does nothing for the predefined teams. Another name of one becomes
        ``TEAM_INVALID``, as does this one of any other team.
        """
        if any(self is each for each in _PREDEFINED_TEAMS):
            return
        if self.handle not in [each.handle for each in _PREDEFINED_TEAMS]:
            face.shmem_team_destroy(self.handle)
        self.handle = SHMEM_TEAM_INVALID

    def split_strided(
        self,
        start: int = 0,
        stride: int = 1,
        size: int | None = None,
        config: Mapping[str, int] | None = None,
        **kwargs: int,
    ) -> Team:
        """Make a team of the PEs ``start, start + stride, ...`` of this one.

        Collective over this team, whose members must pass equal arguments.

        Parameters
        ----------
        start
            Number of the first member.
        stride
            From one to the next; negative to go backwards.
        size
            Number of members; as many as there are, unless given.
        config, kwargs
            ``num_contexts``: how many contexts are going to be made of the team. Any
            number can be, whatever it is.

        Returns
        -------
        Team
            Equal to ``TEAM_INVALID`` on PEs that are not in it.

        Raises
        ------
        StatusError
            A wrong argument; a ``RuntimeError``, and an ``ArgumentError``. Members that
            passed right ones get ``CollectiveMismatchError``.
        StateError
            This is ``TEAM_INVALID``, or has been destroyed.
        """
        core = _require("split_strided", self.core)
        with by_status():
            with core.checking(SPLIT, "split_strided"):
                wanted = _configuration(config, kwargs)
                count = _as_many(core, start, stride) if size is None else size
            return Team(
                face.shmem_team_split_strided(
                    self.handle, start, stride, count, wanted, SHMEM_TEAM_NUM_CONTEXTS
                )
            )

    def get_config(self) -> dict[str, int]:
        """How the team was made: ``{"num_contexts": ...}``."""
        _require("get_config", self.members)
        config = face.shmem_team_get_config(self.handle, SHMEM_TEAM_NUM_CONTEXTS)
        return {"num_contexts": config.num_contexts}

    def my_pe(self) -> int:
        """The caller's number in the team."""
        return _require("my_pe", self.members).index

    def n_pes(self) -> int:
        """Number of PEs in the team."""
        return _require("n_pes", self.members).size

    def translate_pe(self, pe: int | None = None, team: Team | None = None) -> int:
        """The number in another team of a PE of this one.

        Parameters
        ----------
        pe
            Number of a PE in this team; the caller's unless given.
        team
            The other team; ``TEAM_WORLD`` unless given.

        Raises
        ------
        StateError
            The PE is not in the other team, or a team is ``TEAM_INVALID``; a ``RuntimeError``.
        """
        number = self.my_pe() if pe is None else pe
        handle = Team(TEAM_WORLD if team is None else team).handle
        there = face.shmem_team_translate_pe(self.handle, number, handle)
        if there < 0:
            raise StateError(f"translate_pe: PE {number} of the team has no number in the other")
        return there

    def create_ctx(self, options: int = 0) -> Ctx:
        """A context of this team, as :meth:`Ctx.create` makes it."""
        from redcoll_shmem.shmem.contexts import Ctx  # which stands on this module

        return Ctx.create(options, self)

    @outermost
    def sync(self) -> None:
        """Return when all members have called."""
        barrier(team=_require("sync", self.core))


def _configuration(
    config: Mapping[str, int] | None, more: Mapping[str, int]
) -> face.shmem_team_config_t:
    try:
        values = {**({} if config is None else config), **more}
    except Exception as error:  # noqa: BLE001 - whatever a mapping of the program's own raises
        raise ArgumentError(f"config is {shown(config)}; it must be a mapping, or None") from (
            None if isinstance(error, TypeError) else error
        )
    unknown = [key for key in values if key != "num_contexts"]
    if unknown:
        raise ArgumentError(
            f"config has {', '.join(sorted(map(str, unknown)))}; it takes num_contexts"
        )
    return face.shmem_team_config_t(integer(values.get("num_contexts", 0), "num_contexts"))


def _as_many(core: CoreTeam, start: Any, stride: Any) -> int:
    """How many members there are from ``start`` on; the rest is checked where it is used."""
    first, step = integer(start, "start", 0, core.size - 1), integer(stride, "stride", -core.size)
    return len(range(first, core.size if step > 0 else -1, step)) if step else 1


def _require(routine: str, find: Callable[[], T]) -> T:
    try:
        return find()
    except StateError as error:
        refuse(routine, error)


def members(team: Team | None) -> CoreTeam:
    """The core's team behind an argument; all PEs for None.

    Raises
    ------
    DatatypeError
        It is no team.
    StateError
        It is ``TEAM_INVALID``, or has been destroyed.
    """
    if team is None:
        return world.start().team
    return _checked(team).core()


def check(team: Team | None) -> None:
    """Refuse what :func:`members` would refuse.  Local."""
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
