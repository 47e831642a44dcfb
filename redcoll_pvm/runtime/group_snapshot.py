"""Define the content of a group at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from redcoll.errors import NoInstanceError, NotInGroupError

BarrierStatus: TypeAlias = tuple[bool, list[int], int] | None
"""Whether the group is broken, which tasks wait, and how many tasks have arrived. The status is
None if the generation has ended."""


class Member(NamedTuple):
    """A membership of a task in a group."""

    instance: int
    task: int
    incarnation: int
    """Number of the membership, unique in the job."""
    has_left: bool
    """Whether the membership ended after the group was frozen."""


class GroupRecord(NamedTuple):
    """The content of a group's record in the group table."""

    name: str
    record: int
    """The index of the record's first word in the table."""
    version: int
    """A number that changes with each change of the record."""
    members: Sequence[Member]
    """The members in the order of their instances, including those that have left a frozen
    group."""
    newest: int
    """The highest incarnation in the job at this moment. Later members have higher incarnations."""
    is_frozen: bool
    is_broken: bool
    """Whether a member has left since the group was frozen."""


class GroupSnapshot:
    """The content of a group at one moment, as a task sees it.

    Members of a frozen group also see the members that have left. Other tasks see only the present
    members.
    """

    __slots__ = ("_by_instance", "cache", "is_broken", "is_frozen", "members", "name", "newest",
                 "others", "own", "record", "version")  # fmt: skip

    def __init__(self, group: GroupRecord, me: int) -> None:
        self.name, self.record, self.version, members = group[:4]
        self.newest, self.is_frozen, self.is_broken = group[4:]
        own = next((m for m in members if m.task == me and not m.has_left), None)
        self.own = own
        """The caller's membership; None if the caller is not a member."""
        self.members = tuple(m for m in members if own is not None or not m.has_left)
        """The members in the order of their instances."""
        self.others = tuple(m for m in self.members if m is not own)
        self.cache: dict[Any, Any] = {}
        """Results that callers have computed from this snapshot."""
        self._by_instance = {member.instance: member for member in self.members}

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    def present(self) -> set[int]:
        """Return the tasks that are members now."""
        return {member.task for member in self.members if not member.has_left}

    def at(self, instance: int) -> Member:
        """Return the member with this instance number, or raise NoInstanceError."""
        member = self._by_instance.get(instance)
        if member is None:
            raise NoInstanceError(f"group {self.name!r} has no instance {instance}")
        return member

    def of(self, task: int) -> Member:
        """Return the membership of a task, or raise NotInGroupError."""
        for member in self.members:
            if member.task == task:
                return member
        raise NotInGroupError(f"PE {task} is not in group {self.name!r}")

    def require_own(self) -> Member:
        """Return the caller's membership, or raise NotInGroupError."""
        if self.own is None:
            raise NotInGroupError(f"the calling task is not in group {self.name!r}")
        return self.own
