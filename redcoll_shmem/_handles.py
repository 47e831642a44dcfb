"""Define the handles of teams and contexts. A handle can be valid, invalid, or destroyed.

The *core* is the package ``redcoll``. Each handle of a team stands for a team of the core.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

from redcoll import world
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.team import Team, TeamHandle, split
from redcoll_shmem._arguments import refuse
from redcoll_shmem._reducing import forget
from redcoll_shmem._types import describe
from redcoll_shmem.constants import SIZE_MAX

T = TypeVar("T")


def _public(kind: type[T]) -> type[T]:
    """Give a class its public name in this package."""
    kind.__module__ = __package__ or kind.__module__
    return kind


@_public
class shmem_team_config_t(SimpleNamespace):
    """The configuration with which a team is made.

    Parameters
    ----------
    num_contexts
        Number of contexts that the program plans to create from the team. The number is no limit.
    """

    num_contexts: int

    def __init__(self, num_contexts: int = 0) -> None:
        super().__init__(num_contexts=num_contexts)


class Membership:
    """The members of a team. The core may not have created this team yet.

    The core's ``Team`` has attributes of the same names. ``pes`` are the members' PE numbers in the
    job, in team order. ``index`` is the calling PE's number in the team.
    """

    def __init__(self, pes: tuple[int, ...], index: int) -> None:
        self.pes = pes
        self.index = index

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.pes)


Members = Team | Membership


@_public
class shmem_team_t(TeamHandle):
    """The handle of a team, such as the result of ``shmem_team_split_strided``.

    The collectives of ``redcoll`` accept the handle as the argument ``team``.

    Parameters
    ----------
    find
        A function that returns the core's team, or raises.
    name
        The name of the team in messages.
    num_contexts
        The field ``num_contexts`` of the team's configuration.
    is_predefined
        Whether the library defines the team. Programs cannot destroy a predefined team.
    find_members
        A function that returns the members and never waits (default: ``find``). This argument is
        necessary if ``find`` can wait for other PEs.
    """

    __slots__ = ("_find", "_find_members", "_is_predefined", "_name", "num_contexts")

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

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def core(self) -> Team:
        """Return the core's team. The first call for a node's team is collective over the node.

        Raises
        ------
        ArgumentError
            The handle is ``SHMEM_TEAM_INVALID``.
        StateError
            The team has been destroyed, or the library finalized.
        """
        return self._find()

    def known_core(self) -> Team | None:
        """Return the core's team, or None if the team does not exist. The call is local."""
        try:
            members = self.members()
        except (ArgumentError, StateError):
            return None
        return members if isinstance(members, Team) else world.known_node_team()

    def members(self) -> Members:
        """Return the members. The call is local. Errors are those of :meth:`core`."""
        return self._find() if self._find_members is None else self._find_members()

    def destroy(self) -> None:
        """Free the team.  Collective over the team.

        Raises
        ------
        ArgumentError
            The team is predefined.
        StateError
            The team has been destroyed already.
        """
        if self._is_predefined:
            raise ArgumentError(f"team is {self._name}; a predefined team cannot be destroyed")
        core = self.core()
        forget(core)
        split.close(core)
        self._find = _raising(StateError, f"{self._name} has been destroyed")


def _raising(error: type[Exception], text: str) -> Callable[[], Team]:
    def find() -> Team:
        raise error(text)

    return find


def new_team(core: Team, num_contexts: int = 0) -> shmem_team_t:
    """Return the handle of a new team."""
    job = world.start()

    def find() -> Team:
        if not world.is_running() or world.start() is not job:
            raise StateError(f"{core!r}: the library has been finalized")
        return core

    return shmem_team_t(find, f"team of PEs {list(core.pes)}", num_contexts)


def _neighbours() -> Members:
    team = world.start().team
    if team.layout.is_one_node:
        return team
    near = team.layout.members
    return Membership(near, near.index(team.index))


SHMEM_TEAM_WORLD = shmem_team_t(lambda: world.start().team, "SHMEM_TEAM_WORLD", is_predefined=True)
# The PEs that share memory are the PEs of a node, so both handles refer to the same team.
SHMEM_TEAM_SHARED, SHMEM_TEAM_NODE = (
    shmem_team_t(
        lambda: world.start().node_team(), name, is_predefined=True, find_members=_neighbours
    )
    for name in ("SHMEM_TEAM_SHARED", "SHMEM_TEAM_NODE")
)
SHMEM_TEAM_INVALID = shmem_team_t(
    _raising(ArgumentError, "team is SHMEM_TEAM_INVALID; it must be a valid team"),
    "SHMEM_TEAM_INVALID",
    is_predefined=True,
)


def core_of(routine: str, team: Any, name: str = "team") -> Team:
    """Return the core's team behind a handle.

    If the handle is wrong, only the calling PE raises, because the other members are unknown.
    """
    try:
        return _handle(team, name).core()
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def members_of(team: Any, name: str = "team") -> Members:
    """Return the members of the team behind a handle. The call is local."""
    return _handle(team, name).members()


def _handle(team: Any, name: str) -> shmem_team_t:
    if not isinstance(team, shmem_team_t):
        raise DatatypeError(f"{name} is {describe(team)}; it must be a team, a shmem_team_t")
    return team


@_public
class shmem_ctx_t:
    """The handle of a communication context, such as the result of ``shmem_ctx_create``.

    Parameters
    ----------
    team
        The team to which PE numbers in the context's calls refer.
    options
        The sum of options: ``SHMEM_CTX_SERIALIZED``, ``_PRIVATE``, ``_NOSTORE``.
    name
        The name of the context in messages.
    """

    __slots__ = ("_is_open", "_name", "options", "team")

    def __init__(self, team: shmem_team_t, options: int, name: str) -> None:
        self.team = team
        self.options = options
        self._name = name
        self._is_open = True

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def require(self) -> Members:
        """Return the members of the context's team.

        Raises
        ------
        ArgumentError
            The handle is ``SHMEM_CTX_INVALID``.
        StateError
            The context or its team has been destroyed, or the library finalized.
        """
        if self is SHMEM_CTX_INVALID:
            raise ArgumentError("ctx is SHMEM_CTX_INVALID; it must be a valid context")
        if not self._is_open:
            raise StateError(f"ctx {self._name} has been destroyed")
        return self.team.members()

    def destroy(self) -> None:
        """Destroy the context.

        Raises
        ------
        ArgumentError
            The context is ``SHMEM_CTX_DEFAULT``.
        StateError
            The context has been destroyed already.
        """
        if self is SHMEM_CTX_DEFAULT:
            raise ArgumentError("ctx is SHMEM_CTX_DEFAULT; it cannot be destroyed")
        self.require()
        self._is_open = False


@_public
class shmem_ctx_session_config_t(SimpleNamespace):
    """Hints for a session of a context.

    Parameters
    ----------
    total_ops
        Number of puts, gets and atomic operations that the program plans. The number is no limit.
    """

    total_ops: int

    def __init__(self, total_ops: int = SIZE_MAX) -> None:
        super().__init__(total_ops=total_ops)


SHMEM_CTX_DEFAULT = shmem_ctx_t(SHMEM_TEAM_WORLD, 0, "SHMEM_CTX_DEFAULT")
SHMEM_CTX_INVALID = shmem_ctx_t(SHMEM_TEAM_INVALID, 0, "SHMEM_CTX_INVALID")


def require_context(ctx: Any) -> Members:
    """Return the members of a context's team, with the errors of :meth:`shmem_ctx_t.require`."""
    if not isinstance(ctx, shmem_ctx_t):
        raise DatatypeError(f"ctx is {describe(ctx)}; it must be a context, a shmem_ctx_t")
    return ctx.require()
