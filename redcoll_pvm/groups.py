"""Dynamic groups: join, leave, look up, meet.

Every call may be made by any task at any time, and none waits for a task that computes.
Group names are strings of 1 to 256 bytes in UTF-8; None and "" give ``PvmNullGroup``.
What is no string, or no integer where one must be, raises ``ArgumentError``.
"""

from __future__ import annotations

from redcoll.arguments import integer, shown
from redcoll.errors import ArgumentError
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import PvmError, call, enroll, pe_of, tid_of
from redcoll_pvm.runtime.pvm_runtime import Job
from redcoll_pvm.runtime.group_table import NAME_BYTES
from redcoll_pvm.runtime.group_snapshot import View

__all__ = ["pvm_barrier", "pvm_freezegroup", "pvm_getinst", "pvm_gettid", "pvm_gsize",
           "pvm_joingroup", "pvm_lvgroup"]  # fmt: skip


def group_name(group: str | None) -> str:
    """A group's name, checked.

    Raises
    ------
    PvmError
        None or empty (PvmNullGroup), or too long (PvmBadParam).
    ArgumentError
        Not a string, or not one of UTF-8.
    """
    if group is not None and not isinstance(group, str):
        raise ArgumentError(f"group is {shown(group)}; it must be a string")
    if not group:
        raise PvmError(pvm.PvmNullGroup)
    if (len(group) if group.isascii() else _n_bytes(group)) > NAME_BYTES:
        raise PvmError(pvm.PvmBadParam, f"a group's name has at most {NAME_BYTES} bytes")
    return group


def _n_bytes(group: str) -> int:
    try:
        return len(group.encode())
    except UnicodeEncodeError as error:
        raise ArgumentError(f"group is {group!r}; it must be a string of UTF-8: {error}") from None


def view_of(job: Job, group: str | None) -> View:
    """The group as it is now."""
    return job.table.view(group_name(group))


@call(prints=False)
def pvm_joingroup(group: str) -> int:
    """Join a group, which begins with its first member (pvm_joingroup(3PVM)).

    Returns
    -------
    int
        The caller's instance number, the lowest free one. ``PvmNullGroup``;
        ``PvmDupGroup`` if it is a member; ``PvmNotInGroup`` if the group is frozen;
        ``PvmBadParam`` if the name is too long; ``PvmOutOfRes`` if there are
        ``REDCOLL_MAX_GROUPS`` groups.
    """
    return enroll().table.join(group_name(group)).instance


@call(prints=False)
def pvm_lvgroup(group: str) -> int:
    """Leave a group, which ends with its last member (pvm_lvgroup(3PVM)).

    Returns
    -------
    int
        0. ``PvmNullGroup``; ``PvmNoGroup``; ``PvmNotInGroup`` if the caller is not a member.
    """
    enroll().table.leave(group_name(group))
    return pvm.PvmOk


@call(prints=False)
def pvm_gsize(group: str) -> int:
    """The number of members (pvm_gsize(3PVM)).

    Anybody may ask. Members of a frozen group go on counting those who left it.

    Returns
    -------
    int
        At least 1. ``PvmNullGroup``; ``PvmNoGroup``.
    """
    return view_of(enroll(), group).size


@call(prints=False)
def pvm_getinst(group: str, tid: int) -> int:
    """The instance number of a task (pvm_getinst(3PVM)).  Anybody may ask.

    Returns
    -------
    int
        From 0. ``PvmNullGroup``; ``PvmNoGroup``; ``PvmNotInGroup``.
    """
    job = enroll()
    view = view_of(job, group)
    pe = pe_of(integer(tid, "tid"), job)
    return view.of(-1 if pe is None else pe).instance


@call(prints=False)
def pvm_gettid(group: str, inum: int) -> int:
    """The task of an instance number (pvm_gettid(3PVM)).  Anybody may ask.

    Returns
    -------
    int
        The task id. ``PvmNullGroup``; ``PvmNoGroup``; ``PvmNoInst``.
    """
    return tid_of(view_of(enroll(), group).at(integer(inum, "inum")).pe)


@call(prints=False)
def pvm_barrier(group: str, count: int) -> int:
    """Wait until ``count`` members have called (pvm_barrier(3PVM)).

    Parameters
    ----------
    group
        The caller must be a member.
    count
        How many, the caller included; -1 for all members now. The first caller's
        number holds.

    Returns
    -------
    int
        0. ``PvmNullGroup``; ``PvmNoGroup``, also if the group is frozen and a member has
        left it; ``PvmNotInGroup`` if the caller is not a member, or if so many tasks have
        gone that the number cannot be reached; ``PvmMismatch`` for another number than
        the first caller's, or one below 1 other than -1: the caller is not counted then.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = enroll()
    count = integer(count, "count")
    job.meeting.barrier(view_of(job, group), None if count == -1 else count)
    return pvm.PvmOk


@call(prints=False)
def pvm_freezegroup(group: str, size: int) -> int:
    """Let nobody join any more, once ``size`` members have called (pvm_freezegroup(3PVM)).

    Parameters
    ----------
    group
        The caller must be a member.
    size
        How many, the caller included; -1 for all members now.

    Returns
    -------
    int
        The size. ``PvmNullGroup``; ``PvmNoGroup``; ``PvmNotInGroup`` as for
        ``pvm_barrier``; ``PvmDupGroup`` if the group is frozen already; ``PvmMismatch``
        for another size than the first caller's, or one below 1 other than -1.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = enroll()
    size = integer(size, "size")
    return job.meeting.freeze(view_of(job, group), None if size == -1 else size)
