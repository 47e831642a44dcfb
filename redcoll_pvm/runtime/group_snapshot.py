"""What one PE sees of a group at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from redcoll.errors import NoInstanceError, NotInGroupError


class Member(NamedTuple):
    """One membership."""

    instance: int
    pe: int
    stamp: int
    is_gone: bool
    """Has left, or died, since the group was frozen."""


class Entry(NamedTuple):
    """What the table says of a group."""

    name: str
    record: int
    """Where in the table."""
    version: int
    """Of the record; another one once anything has changed."""
    members: Sequence[Member]
    """By instance, with those who left a frozen group."""
    stamp_limit: int
    """No member here has a higher stamp; whoever joins later has."""
    is_frozen: bool
    is_broken: bool
    """Whether a member has left since it was frozen."""


class View:
    """A group at one moment, as one PE sees it.

    Members of a frozen group go on seeing those who left it since; others do not.
    """

    __slots__ = ("_by_instance", "is_broken", "is_frozen", "kept", "members", "name", "others",
                 "own", "record", "stamp_limit", "version")  # fmt: skip

    def __init__(self, entry: Entry, own_pe: int) -> None:
        self.name = entry.name
        self.record = entry.record
        self.version = entry.version
        self.stamp_limit = entry.stamp_limit
        self.is_frozen = entry.is_frozen
        self.is_broken = entry.is_broken
        members = entry.members
        own = next((m for m in members if m.pe == own_pe and not m.is_gone), None)
        self.own = own
        """The caller's membership, None if it has none."""
        self.members = tuple(m for m in members if own is not None or not m.is_gone)
        """By instance, lowest first."""
        self.others = tuple(m for m in self.members if m is not own)
        """Those but the caller's."""
        self.kept: dict[Any, Any] = {}
        """For what callers have worked out of this view and want to find again."""
        self._by_instance = {member.instance: member for member in self.members}

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    def at(self, instance: int) -> Member:
        """The member of this instance.

        Raises
        ------
        NoInstanceError
            There is none.
        """
        member = self._by_instance.get(instance)
        if member is None:
            raise NoInstanceError(f"group {self.name!r} has no instance {instance}")
        return member

    def of(self, pe: int) -> Member:
        """The membership of a PE.

        Raises
        ------
        NotInGroupError
            It has none.
        """
        for member in self.members:
            if member.pe == pe:
                return member
        raise NotInGroupError(f"PE {pe} is not in group {self.name!r}")

    def require_own(self) -> Member:
        """The caller's membership.

        Raises
        ------
        NotInGroupError
            It has none.
        """
        if self.own is None:
            raise NotInGroupError(f"the calling PE is not in group {self.name!r}")
        return self.own
