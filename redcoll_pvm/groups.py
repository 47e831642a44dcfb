"""Implement dynamic groups: join, leave, look up, wait.

Any task can make any call at any time. Only barrier and freeze wait for other tasks. A group name
is a string of 1 to 256 bytes in UTF-8. For None and "" the calls return ``PvmNullGroup``. A name
that is not a string, or a number that is not an integer, raises ``ArgumentError``.
"""

from __future__ import annotations

from redcoll.arguments import integer, shown
from redcoll.errors import ArgumentError
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import PvmError, call, enroll, index_of, tid_of
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot
from redcoll_pvm.runtime.group_table import NAME_BYTES
from redcoll_pvm.runtime.pvm_runtime import PvmRuntime

__all__ = ["pvm_barrier", "pvm_freezegroup", "pvm_getinst", "pvm_gettid", "pvm_gsize",
           "pvm_joingroup", "pvm_lvgroup"]  # fmt: skip


def group_name(group: str | None) -> str:
    """Check a group's name and return it.

    Raises PvmError if the name is None or empty (PvmNullGroup), or too long (PvmBadParam). Raises
    ArgumentError if it is not a string that UTF-8 can encode.
    """
    if group is not None and not isinstance(group, str):
        raise ArgumentError(f"group is {shown(group)}; it must be a string")
    if not group:
        raise PvmError(pvm.PvmNullGroup)
    try:
        n_bytes = len(group.encode())
    except UnicodeEncodeError as error:
        raise ArgumentError(f"group is {group!r}; it must be a string of UTF-8: {error}") from None
    if n_bytes > NAME_BYTES:
        raise PvmError(pvm.PvmBadParam, f"a group's name has at most {NAME_BYTES} bytes")
    return group


def snapshot_of(runtime: PvmRuntime, group: str | None) -> GroupSnapshot:
    """Return a snapshot of the group."""
    return runtime.store.snapshot(group_name(group))


@call(prints=False)
def pvm_joingroup(group: str) -> int:
    """Join a group; the first member creates it (pvm_joingroup(3PVM)).

    Returns
    -------
    int
        The caller's instance number, which is the lowest free number. Or the code of an error:

        * ``PvmNullGroup``: the name is None or empty.
        * ``PvmDupGroup``: the caller is a member already.
        * ``PvmNotInGroup``: the group is frozen.
        * ``PvmBadParam``: the name is too long.
        * ``PvmOutOfRes``: there are already ``REDCOLL_MAX_GROUPS`` groups.
    """
    return enroll().store.join(group_name(group)).instance


@call(prints=False)
def pvm_lvgroup(group: str) -> int:
    """Leave a group (pvm_lvgroup(3PVM)). When the last member leaves, the group ends.

    Returns
    -------
    int
        0; or ``PvmNullGroup``, ``PvmNoGroup``, or ``PvmNotInGroup`` if the caller is not a member.
    """
    enroll().store.leave(group_name(group))
    return pvm.PvmOk


@call(prints=False)
def pvm_gsize(group: str) -> int:
    """Return the number of members (pvm_gsize(3PVM)).

    Any task can call. If the caller is a member of a frozen group, the number includes the members
    that have left the group.

    Returns
    -------
    int
        The number, at least 1; or ``PvmNullGroup`` or ``PvmNoGroup``.
    """
    return snapshot_of(enroll(), group).size


@call(prints=False)
def pvm_getinst(group: str, tid: int) -> int:
    """Return the instance number of a task (pvm_getinst(3PVM)).  Any task can call.

    Returns
    -------
    int
        The instance number, at least 0; or ``PvmNullGroup``, ``PvmNoGroup`` or ``PvmNotInGroup``.
    """
    runtime = enroll()
    snapshot = snapshot_of(runtime, group)
    index = index_of(integer(tid, "tid"), runtime)
    return snapshot.of(-1 if index is None else index).instance


@call(prints=False)
def pvm_gettid(group: str, inum: int) -> int:
    """Return the id of the task with an instance number (pvm_gettid(3PVM)).  Any task can call.

    Returns
    -------
    int
        The task id; or ``PvmNullGroup``, ``PvmNoGroup`` or ``PvmNoInst``.
    """
    return tid_of(snapshot_of(enroll(), group).at(integer(inum, "inum")).task)


@call(prints=False)
def pvm_barrier(group: str, count: int) -> int:
    """Wait until ``count`` members have called (pvm_barrier(3PVM)).

    Parameters
    ----------
    group
        The group's name. The caller must be a member.
    count
        How many members must call, including the caller; -1 for the present number of members. All
        calls of a barrier must give the same number as the first call.

    Returns
    -------
    int
        0, or the code of an error. The barrier does not count a call that returns an error.

        * ``PvmNullGroup``: the name is None or empty.
        * ``PvmNoGroup``: there is no such group, or it is frozen and a member has left it.
        * ``PvmNotInGroup``: the caller is not a member, or too few tasks can still call.
        * ``PvmMismatch``: ``count`` differs from the first caller's, or is below 1 and not -1.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    runtime = enroll()
    count = integer(count, "count")
    snapshot = snapshot_of(runtime, group)
    runtime.barrier.barrier(snapshot, snapshot.size if count == -1 else count)
    return pvm.PvmOk


@call(prints=False)
def pvm_freezegroup(group: str, size: int) -> int:
    """Close a group to new members when ``size`` members have called (pvm_freezegroup(3PVM)).

    Parameters
    ----------
    group
        The caller must be a member.
    size
        How many members must call, including the caller; -1 for the present number of members.

    Returns
    -------
    int
        The size, or the code of an error:

        * ``PvmNullGroup``, ``PvmNoGroup``, ``PvmNotInGroup``: as in ``pvm_barrier``.
        * ``PvmDupGroup``: the group is frozen already.
        * ``PvmMismatch``: ``size`` differs from the first caller's, or is below 1 and not -1.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    runtime = enroll()
    size = integer(size, "size")
    snapshot = snapshot_of(runtime, group)
    size = snapshot.size if size == -1 else size
    runtime.barrier.freeze(snapshot, size)
    return size
