"""Teams and contexts as programs hold them: handles that can be valid, invalid, or gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from redcoll import world
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.team import Team, split
from redcoll_shmem._arguments import refuse
from redcoll_shmem._types import describe
from redcoll_shmem.constants import SIZE_MAX

T = TypeVar("T")


def _public(kind: type[T]) -> type[T]:
    """A class under its public name in this package."""
    kind.__module__ = __package__ or kind.__module__
    return kind


@_public
@dataclass
class shmem_team_config_t:
    """How a team is to be made.

    Parameters
    ----------
    num_contexts
        Contexts that the program is going to create from the team; any number can be.
    """

    num_contexts: int = 0


@dataclass(frozen=True)
class Membership:
    """Who is in a team, where that is all that matters: as the core's team has it."""

    pes: tuple[int, ...]
    """The members' numbers in the job, in team order."""
    index: int
    """The caller's place among them."""

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.pes)


Members = Team | Membership


@_public
class shmem_team_t:
    """Handle of a team.  Programs get it from a split, and make none themselves.

    Parameters
    ----------
    find
        Gives the core's team, or raises.
    name
        What messages call it.
    num_contexts
        As in ``shmem_team_config_t``.
    is_predefined
        Whether it is always there.
    find_members
        Gives its members where ``find`` would have to wait for the others; ``find`` itself,
        unless given.
    """

    __slots__ = ("_find", "_find_members", "_is_predefined", "_name", "known", "num_contexts")

    def __init__(
        self,
        find: Callable[[], Team],
        name: str,
        num_contexts: int = 0,
        *,
        is_predefined: bool = False,
        find_members: Callable[[], Members] | None = None,
    ) -> None:
        self._find = find
        self._find_members = find_members
        self._name = name
        self._is_predefined = is_predefined
        self.num_contexts = num_contexts
        self.known: dict[Any, Any] = {}
        """Calls that have passed their checks; valid as long as the team."""

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def core(self) -> Team:
        """The core's team.  At the first use of that of a node collective over it.

        Raises
        ------
        ArgumentError
            The handle is ``SHMEM_TEAM_INVALID``.
        StateError
            The team has been destroyed, or the library finalized.
        """
        return self._find()

    def members(self) -> Members:
        """Who is in it.  Local; raises as :meth:`core` does."""
        return self._find() if self._find_members is None else self._find_members()

    def destroy(self) -> None:
        """Free the team.  Collective over it.

        Raises
        ------
        ArgumentError
            It is a predefined one.
        StateError
            It has been destroyed already.
        """
        if self._is_predefined:
            raise ArgumentError(f"team is {self._name}; a predefined team cannot be destroyed")
        core = self.core()
        self.known.clear()
        split.close(core)
        self._find = _raising(StateError, f"{self._name} has been destroyed")


def _raising(error: type[Exception], text: str) -> Callable[[], Team]:
    def find() -> Team:
        raise error(text)

    return find


def new_team(core: Team, num_contexts: int = 0) -> shmem_team_t:
    """The handle of a team just made."""
    job = world.start()

    def find() -> Team:
        if not world.is_running() or world.start() is not job:
            raise StateError(f"{core!r}: the library has been finalized")
        return core

    return shmem_team_t(find, f"team of PEs {list(core.pes)}", num_contexts)


def _everybody() -> Team:
    return world.start().team


def _node() -> Team:
    return world.start().node_team()


def _neighbours() -> Members:
    team = world.start().team
    if team.layout.is_one_node:
        return team
    near = team.layout.members
    return Membership(near, near.index(team.index))


SHMEM_TEAM_WORLD = shmem_team_t(_everybody, "SHMEM_TEAM_WORLD", is_predefined=True)
# Who shares a node shares memory.
SHMEM_TEAM_SHARED = shmem_team_t(
    _node, "SHMEM_TEAM_SHARED", is_predefined=True, find_members=_neighbours
)
SHMEM_TEAM_NODE = shmem_team_t(
    _node, "SHMEM_TEAM_NODE", is_predefined=True, find_members=_neighbours
)
SHMEM_TEAM_INVALID = shmem_team_t(
    _raising(ArgumentError, "team is SHMEM_TEAM_INVALID; it must be a valid team"),
    "SHMEM_TEAM_INVALID",
    is_predefined=True,
)


def core_of(routine: str, team: Any, name: str = "team") -> Team:
    """The core's team behind a handle.

    A wrong handle raises on the caller alone: it does not say whom to tell.

    Raises
    ------
    ArgumentError
        It is ``SHMEM_TEAM_INVALID``, or no handle (``DatatypeError``).
    StateError
        The team has been destroyed, or the library finalized.
    """
    try:
        return _handle(team, name).core()
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def members_of(team: Any, name: str = "team") -> Members:
    """Who is in the team behind a handle.  Local; raises as :func:`core_of` does."""
    return _handle(team, name).members()


def _handle(team: Any, name: str) -> shmem_team_t:
    if not isinstance(team, shmem_team_t):
        raise DatatypeError(f"{name} is {describe(team)}; it must be a team, a shmem_team_t")
    return team


@_public
class shmem_ctx_t:
    """Handle of a communication context.  Programs get it from ``shmem_ctx_create``.

    Parameters
    ----------
    team
        Whose PE numbers its calls take.
    options
        ``SHMEM_CTX_SERIALIZED``, ``_PRIVATE`` and ``_NOSTORE``, added up.
    name
        What messages call it.
    is_open
        Whether it can be used.
    """

    __slots__ = ("_is_open", "_name", "options", "team")

    def __init__(
        self, team: shmem_team_t, options: int, name: str, *, is_open: bool = True
    ) -> None:
        self.team = team
        self.options = options
        self._name = name
        self._is_open = is_open

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def require(self) -> Members:
        """The members of the team whose PE numbers the context's calls take.

        Raises
        ------
        ArgumentError
            The handle is ``SHMEM_CTX_INVALID``.
        StateError
            The context or its team has been destroyed, or the library finalized.
        """
        if not self._is_open:
            if self is SHMEM_CTX_INVALID:
                raise ArgumentError("ctx is SHMEM_CTX_INVALID; it must be a valid context")
            raise StateError(f"ctx {self._name} has been destroyed")
        return self.team.members()

    def destroy(self) -> None:
        """Destroy the context.

        Raises
        ------
        ArgumentError
            It is ``SHMEM_CTX_DEFAULT``.
        StateError
            It has been destroyed already.
        """
        if self is SHMEM_CTX_DEFAULT:
            raise ArgumentError("ctx is SHMEM_CTX_DEFAULT; it cannot be destroyed")
        self.require()
        self._is_open = False


@_public
@dataclass
class shmem_ctx_session_config_t:
    """What a session on a context is going to be like.

    Parameters
    ----------
    total_ops
        Calls of put, get and atomics that are expected at most; any number can be.
    """

    total_ops: int = SIZE_MAX


SHMEM_CTX_DEFAULT = shmem_ctx_t(SHMEM_TEAM_WORLD, 0, "SHMEM_CTX_DEFAULT")
SHMEM_CTX_INVALID = shmem_ctx_t(SHMEM_TEAM_INVALID, 0, "SHMEM_CTX_INVALID", is_open=False)


def require_context(ctx: Any) -> Members:
    """The members of the team whose PE numbers a context's calls take.

    Raises
    ------
    ArgumentError
        It is ``SHMEM_CTX_INVALID``, or no handle (``DatatypeError``).
    StateError
        The context or its team has been destroyed, or the library finalized.
    """
    if not isinstance(ctx, shmem_ctx_t):
        raise DatatypeError(f"ctx is {describe(ctx)}; it must be a context, a shmem_ctx_t")
    return ctx.require()
