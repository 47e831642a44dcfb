"""Manage teams (OpenSHMEM 1.5, section 9.4).

Where C returns a value through a pointer, the Python routine returns the value. Where C returns a
nonzero status, the Python routine raises an exception.
"""

from __future__ import annotations

from redcoll.arguments import Array
from redcoll.collectives.barrier import barrier
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll.protocol.descriptor import SPLIT
from redcoll.team import split
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._calls import outermost
from redcoll_shmem._handles import (
    SHMEM_TEAM_INVALID,
    SHMEM_TEAM_NODE,
    SHMEM_TEAM_SHARED,
    SHMEM_TEAM_WORLD,
    Members,
    core_of,
    members_of,
    new_team,
    shmem_team_config_t,
    shmem_team_t,
)
from redcoll_shmem._types import describe
from redcoll_shmem.constants import SHMEM_TEAM_NUM_CONTEXTS

__all__ = [
    "SHMEM_TEAM_INVALID",
    "SHMEM_TEAM_NODE",
    "SHMEM_TEAM_SHARED",
    "SHMEM_TEAM_WORLD",
    "shmem_team_config_t",
    "shmem_team_destroy",
    "shmem_team_get_config",
    "shmem_team_my_pe",
    "shmem_team_n_pes",
    "shmem_team_ptr",
    "shmem_team_split_2d",
    "shmem_team_split_strided",
    "shmem_team_sync",
    "shmem_team_t",
    "shmem_team_translate_pe",
]


def shmem_team_my_pe(team: shmem_team_t) -> int:
    """Return the calling PE's number in a team; -1 for ``SHMEM_TEAM_INVALID``.

    Parameters
    ----------
    team
        A team that contains the calling PE.

    Raises
    ------
    StateError
        The team has been destroyed.
    """
    if team is SHMEM_TEAM_INVALID:
        return -1
    return _members("shmem_team_my_pe", team).index


def shmem_team_n_pes(team: shmem_team_t) -> int:
    """Return the number of PEs in a team; -1 for ``SHMEM_TEAM_INVALID``.

    Parameters
    ----------
    team
        A team that contains the calling PE.

    Raises
    ------
    StateError
        The team has been destroyed.
    """
    if team is SHMEM_TEAM_INVALID:
        return -1
    return _members("shmem_team_n_pes", team).size


def _members(routine: str, team: shmem_team_t) -> Members:
    try:
        return members_of(team)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def shmem_team_translate_pe(src_team: shmem_team_t, src_pe: int, dest_team: shmem_team_t) -> int:
    """Translate a PE's number in ``src_team`` to the PE's number in ``dest_team``.

    Parameters
    ----------
    src_team, dest_team
        Teams that contain the calling PE. If a team is ``SHMEM_TEAM_INVALID``, the result is -1.
    src_pe
        Number of a PE in ``src_team``. If ``dest_team`` lacks the PE, the result is -1.

    Raises
    ------
    ArgumentError
        ``src_pe`` is not an integer.
    StateError
        A team has been destroyed.
    """
    if src_team is SHMEM_TEAM_INVALID or dest_team is SHMEM_TEAM_INVALID:
        return -1
    try:
        source, dest = members_of(src_team, "src_team"), members_of(dest_team, "dest_team")
        number = integer(src_pe, "src_pe", None)
    except (ArgumentError, StateError) as error:
        refuse("shmem_team_translate_pe", error)
    pe = source.pes[number] if 0 <= number < source.size else None
    return dest.pes.index(pe) if pe in dest.pes else -1


def shmem_team_ptr(team: shmem_team_t, target: Array, pe: int) -> Array | None:
    """Return a view of a symmetric array in the memory of a PE of a team (OpenSHMEM 1.6).

    The view is for plain loads and stores.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    target
        Symmetric array, or a view of a symmetric array. The view can be strided.
    pe
        Number of the PE in ``team``.

    Returns
    -------
    ndarray or None
        A view of the elements in the memory of that PE. The result is None if that PE is on another
        node, or if the team is ``SHMEM_TEAM_INVALID``.

    Raises
    ------
    ArgumentError
        ``team`` has no such PE, or ``target`` is not symmetric.
    StateError
        The team has been destroyed, or the memory of ``target`` has been freed.
    """
    if team is SHMEM_TEAM_INVALID:
        return None
    try:
        members = members_of(team)
        return rma.reachable(target, members.pes[integer(pe, "pe", 0, members.size - 1)], "target")
    except (ArgumentError, StateError) as error:
        refuse("shmem_team_ptr", error)


def shmem_team_get_config(team: shmem_team_t, config_mask: int) -> shmem_team_config_t:
    """Return the configuration of a team.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    config_mask
        The fields to return: ``SHMEM_TEAM_NUM_CONTEXTS`` or 0.

    Raises
    ------
    ArgumentError
        The team is ``SHMEM_TEAM_INVALID``.
    StateError
        The team has been destroyed.
    """
    try:
        members_of(team)
        mask = integer(config_mask, "config_mask", 0, SHMEM_TEAM_NUM_CONTEXTS)
    except (ArgumentError, StateError) as error:
        refuse("shmem_team_get_config", error)
    return shmem_team_config_t(team.num_contexts if mask & SHMEM_TEAM_NUM_CONTEXTS else 0)


def _num_contexts(config: shmem_team_config_t | None, mask: int, names: tuple[str, str]) -> int:
    """Check a configuration; return its number of contexts, or 0 if ``mask`` lacks the field."""
    wanted = integer(mask, names[1], 0, SHMEM_TEAM_NUM_CONTEXTS)
    if not wanted & SHMEM_TEAM_NUM_CONTEXTS:
        return 0
    if not isinstance(config, shmem_team_config_t):
        raise DatatypeError(
            f"{names[0]} is {describe(config)}; with a {names[1]} of {wanted} it must be a "
            "shmem_team_config_t"
        )
    return integer(config.num_contexts, f"{names[0]}.num_contexts")


@outermost
def shmem_team_split_strided(
    parent_team: shmem_team_t,
    start: int,
    stride: int,
    size: int,
    config: shmem_team_config_t | None = None,
    config_mask: int = 0,
) -> shmem_team_t:
    """Make a team of the PEs ``start, start + stride, ...`` of ``parent_team``.

    Collective over ``parent_team``, whose members must pass equal arguments.

    Parameters
    ----------
    parent_team
        The team from which the new team takes its members. With ``SHMEM_TEAM_INVALID`` the result
        is ``SHMEM_TEAM_INVALID``.
    start
        The first member of the new team, by its number in ``parent_team``.
    stride
        The difference, in numbers of ``parent_team``, between a member of the new team and the next
        member. The difference can be negative.
    size
        Number of members of the new team.
    config
        The configuration of the new team. ``config_mask`` selects the fields that the call reads.
    config_mask
        ``SHMEM_TEAM_NUM_CONTEXTS`` or 0.

    Returns
    -------
    shmem_team_t
        The new team; ``SHMEM_TEAM_INVALID`` on PEs that are not in it.

    Raises
    ------
    ArgumentError
        ``parent_team`` lacks a PE of the new team, or another argument is wrong. Members whose
        arguments are right get ``CollectiveMismatchError``.
    StateError
        ``parent_team`` has been destroyed.
    TeamLimitError
        There are too many teams (``REDCOLL_MAX_TEAMS``). PEs of ``parent_team`` that would not be
        in the new team get ``CollectiveMismatchError``.
    """
    if parent_team is SHMEM_TEAM_INVALID:
        return SHMEM_TEAM_INVALID
    name = "shmem_team_split_strided"
    parent = core_of(name, parent_team, "parent_team")
    with parent.checking(SPLIT, name):
        num_contexts = _num_contexts(config, config_mask, ("config", "config_mask"))
    core = split.split_strided(parent, start, stride, size, name)
    return SHMEM_TEAM_INVALID if core is None else new_team(core, num_contexts)


@outermost
def shmem_team_split_2d(
    parent_team: shmem_team_t,
    xrange: int,
    xaxis_config: shmem_team_config_t | None = None,
    xaxis_mask: int = 0,
    yaxis_config: shmem_team_config_t | None = None,
    yaxis_mask: int = 0,
) -> tuple[shmem_team_t, shmem_team_t]:
    """Arrange the members of a team in rows, and make teams of the caller's row and column.

    Collective over ``parent_team``, whose members must pass equal arguments.

    Parameters
    ----------
    parent_team
        The team to divide. With ``SHMEM_TEAM_INVALID`` both results are ``SHMEM_TEAM_INVALID``.
    xrange
        Length of a row. PE i of ``parent_team`` is in column ``i % xrange`` of row ``i // xrange``.
    xaxis_config, yaxis_config
        The configurations of the teams. The masks select the fields that the call reads.
    xaxis_mask, yaxis_mask
        ``SHMEM_TEAM_NUM_CONTEXTS`` or 0.

    Returns
    -------
    shmem_team_t, shmem_team_t
        The x-axis team (the caller's row) and the y-axis team (the caller's column).

    Raises
    ------
    ArgumentError
        An argument is wrong. Members whose arguments are right get
        ``CollectiveMismatchError``.
    StateError
        ``parent_team`` has been destroyed.
    TeamLimitError
        There are too many teams (``REDCOLL_MAX_TEAMS``).
    """
    if parent_team is SHMEM_TEAM_INVALID:
        return SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID
    name = "shmem_team_split_2d"
    parent = core_of(name, parent_team, "parent_team")
    with parent.checking(SPLIT, name):
        x_contexts = _num_contexts(xaxis_config, xaxis_mask, ("xaxis_config", "xaxis_mask"))
        y_contexts = _num_contexts(yaxis_config, yaxis_mask, ("yaxis_config", "yaxis_mask"))
        x_range = integer(xrange, "xrange", 1)
    x_team, y_team = split.split_2d(parent, x_range)
    return new_team(x_team, x_contexts), new_team(y_team, y_contexts)


def shmem_team_destroy(team: shmem_team_t) -> None:
    """Free a team.  Collective over the team. With ``SHMEM_TEAM_INVALID`` the call does nothing.

    Parameters
    ----------
    team
        A team that a split returned. The program must not use the team's contexts afterwards.

    Raises
    ------
    ArgumentError
        The team is predefined.
    StateError
        The team has been destroyed already.
    """
    if team is SHMEM_TEAM_INVALID:
        return
    try:
        members_of(team)
        team.destroy()
    except (ArgumentError, StateError) as error:
        refuse("shmem_team_destroy", error)


@outermost
def shmem_team_sync(team: shmem_team_t) -> int:
    """Wait until all PEs of a team have arrived; return 0.

    Parameters
    ----------
    team
        A team that contains the calling PE.

    Raises
    ------
    ArgumentError
        The team is ``SHMEM_TEAM_INVALID``.
    StateError
        The team has been destroyed.
    """
    barrier(team=core_of("shmem_team_sync", team))
    return 0
