"""Define the interface through which a task uses the groups.

Any task can join and leave any group at any time. A new member gets the lowest free *instance*
number. A group exists while it has a member. On one node, tasks read and change the group table
directly (:class:`SharedGroupStore`). On several nodes, tasks send requests to the group server
(:class:`redcoll_pvm.runtime.group_client.RemoteGroupStore`).
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, cast

from redcoll.errors import NoGroupError, RedcollError
from redcoll_pvm.runtime.group_snapshot import BarrierStatus, GroupRecord, GroupSnapshot, Member
from redcoll_pvm.runtime.group_table import GENERATION_SHIFT, VERSION, GroupTable
from redcoll_pvm.runtime.task_set import TaskSet

_GENERATION = -1 << GENERATION_SHIFT
"""The bits of a barrier word that hold its generation."""
_MOST_SNAPSHOTS = 256


class GroupStore(ABC):
    """The groups of all tasks."""

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks
        self._me = tasks.me
        self._snapshots: dict[str, GroupSnapshot] = {}
        self.join_callbacks: list[Callable[[int], object]] = []
        """Functions to call when this task has joined a group. The argument is the incarnation."""
        self.leave_callbacks: list[Callable[[int], object]] = []
        """Functions to call before this task leaves a group. The argument is the incarnation."""

    @abstractmethod
    def _call(self, operation: str, *args: Any) -> Any:
        """Run an operation of the group table for this task; return its result."""

    # -- groups --------------------------------------------------------------------

    @abstractmethod
    def snapshot(self, name: str) -> GroupSnapshot:
        """Return the present content of a group, or raise NoGroupError."""

    def _read(self, name: str) -> GroupSnapshot:
        snapshot = self._snapshots.get(name)
        known = None if snapshot is None else (snapshot.record, snapshot.version)
        try:
            group: GroupRecord | None = self._call("read", name, known)
        except NoGroupError:
            self._snapshots.pop(name, None)
            raise
        if group is not None:
            if len(self._snapshots) >= _MOST_SNAPSHOTS:
                self._snapshots.clear()
            snapshot = self._snapshots[name] = GroupSnapshot(group, self._me)
        return cast("GroupSnapshot", snapshot)

    @abstractmethod
    def is_current(self, snapshot: GroupSnapshot) -> bool:
        """Return whether the snapshot is up to date, as far as this task knows."""

    def holds(self, incarnation: int) -> bool:
        """Return whether the membership with this incarnation still exists."""
        return bool(self._call("holds", incarnation))

    def join(self, name: str) -> Member:
        """Become a member, with the lowest free instance number.

        Raises AlreadyInGroupError if the caller is a member, NotInGroupError if the group is
        frozen, and GroupLimitError if there are ``REDCOLL_MAX_GROUPS`` groups.
        """
        member: Member = self._call("join", name)[1]
        for callback in self.join_callbacks:
            callback(member.incarnation)
        return member

    def leave(self, name: str) -> None:
        """End the caller's membership. When the last membership ends, the group ends.

        Raises NoGroupError if the group does not exist, and NotInGroupError if the caller is not a
        member.
        """
        snapshot = self.snapshot(name)
        own = snapshot.require_own()
        # The callbacks drop contributions. Call them first, because senders reuse the space of
        # contributions as soon as the membership has ended.
        for callback in self.leave_callbacks:
            callback(own.incarnation)
        try:
            self._leave(snapshot.record, own.instance)
        except BaseException:
            # Raise the first error, even if holds() raises another error.
            with contextlib.suppress(RedcollError):
                if self.holds(own.incarnation):
                    # The caller is still a member, so it must receive contributions again.
                    for callback in self.join_callbacks:
                        callback(own.incarnation)
            raise

    def _leave(self, record: int, instance: int) -> None:
        self._call("leave", record, instance)

    # -- barriers ------------------------------------------------------------------

    def arrive(self, at: int, wanted: int, doing: str, freezing: int | None) -> int | None:
        """Count the caller as arrived at a barrier word.

        ``freezing`` is a record or None. The last arrival freezes the record's group before another
        task can join. Returns the generation whose end the caller must await. Returns None if this
        call has ended the generation.
        """
        generation, is_last = self._call("arrive", at, wanted, doing, freezing)
        return None if is_last else generation

    def withdraw(self, at: int) -> bool:
        """Stop counting the caller as arrived; return False if the generation has ended."""
        return bool(self._call("withdraw", at))

    def barrier_status(self, record: int, at: int, generation: int) -> BarrierStatus:
        """Return the status of a generation of a barrier."""
        return cast("BarrierStatus", self._call("barrier_status", record, at, generation))

    @abstractmethod
    def has_ended(self, at: int, generation: int) -> bool:
        """Return whether the generation of a barrier has ended."""

    @abstractmethod
    def spin_for(self, at: int, generation: int, limit_s: float) -> bool:
        """Poll until a generation has ended, for at most ``limit_s``; return whether it ended."""

    # -- tasks ---------------------------------------------------------------------

    def claim(self, most: int) -> list[int]:
        """Claim up to ``most`` unclaimed tasks for pvm_spawn, lowest first; return them."""
        claimed: list[int] = self._call("claim", most)
        return claimed

    @abstractmethod
    def claimer(self) -> int | None:
        """Return the task that has claimed the caller; None if the caller knows of no claim."""

    @abstractmethod
    def depart(self) -> None:
        """End the caller's memberships, and notify other tasks that the caller has left the job."""

    def serve(self) -> None:  # noqa: B027 - most have nothing to do
        """Answer the requests of other tasks."""

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """Stop serving. The runtime calls this method after all tasks have left."""


class SharedGroupStore(GroupStore):
    """Groups in a table that this task reads and changes directly. Construction is collective."""

    def __init__(self, tasks: TaskSet) -> None:
        super().__init__(tasks)
        self._table = GroupTable(tasks, tasks.comm)
        self._words = self._table.words
        tasks.use_states(self._table.state)

    def _call(self, operation: str, *args: Any) -> Any:
        return getattr(self._table, operation)(self._me, *args)

    def arrive(self, at: int, wanted: int, doing: str, freezing: int | None) -> int | None:
        """See :meth:`GroupStore.arrive`. This method calls the table directly, which is faster."""
        generation, is_last = self._table.arrive(self._me, at, wanted, doing, freezing)
        return None if is_last else generation

    def snapshot(self, name: str) -> GroupSnapshot:
        """See :meth:`GroupStore.snapshot`."""
        snapshot = self._snapshots.get(name)
        if snapshot is not None and self._words[snapshot.record + VERSION] == snapshot.version:
            return snapshot
        return self._read(name)

    def is_current(self, snapshot: GroupSnapshot) -> bool:
        """See :meth:`GroupStore.is_current`."""
        return self._words[snapshot.record + VERSION] == snapshot.version

    def has_ended(self, at: int, generation: int) -> bool:
        """See :meth:`GroupStore.has_ended`."""
        return self._words[at] >> GENERATION_SHIFT != generation

    def spin_for(self, at: int, generation: int, limit_s: float) -> bool:
        """See :meth:`GroupStore.spin_for`."""
        start = generation << GENERATION_SHIFT
        return self._tasks.await_change(self._words, at, _GENERATION, start, limit_s)

    def claimer(self) -> int | None:
        """See :meth:`GroupStore.claimer`."""
        return self._table.claimer(self._me)

    def depart(self) -> None:
        """See :meth:`GroupStore.depart`."""
        self._table.depart(self._me)
