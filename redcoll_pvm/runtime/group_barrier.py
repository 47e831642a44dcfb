"""Implement barrier and freeze, in which members wait until a given number of members has arrived.

A barrier is a word of the group table with three fields: generation, count and arrivals. The first
arrival sets the count. The last arrival starts the next generation, which ends the wait of the
other members.
"""

from __future__ import annotations

from redcoll.errors import (
    AlreadyInGroupError,
    CollectiveMismatchError,
    NoGroupError,
    NotInGroupError,
    RedcollError,
)
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot
from redcoll_pvm.runtime.group_store import GroupStore
from redcoll_pvm.runtime.group_table import BARRIER, FREEZING, MAX_COUNT
from redcoll_pvm.runtime.task_set import FIRST_SPIN_S, NEXT_SPIN_S, TaskSet


class GroupBarrier:
    """Runs the barriers and the freezes of the groups in a store."""

    def __init__(self, tasks: TaskSet, store: GroupStore) -> None:
        self._tasks = tasks
        self._store = store

    def barrier(self, group: GroupSnapshot, count: int) -> None:
        """Wait until ``count`` members have called.

        Raises CollectiveMismatchError if ``count`` is below 1 or differs from the count that the
        waiting tasks passed. Raises NoGroupError if a member has left a frozen group. Raises
        NotInGroupError if the caller is not a member, or if too few tasks can still call. After an
        exception the caller is not counted, and the other tasks continue to wait.
        """
        group.require_own()
        if group.is_broken:
            raise _broken(group)
        self._meet(group, group.record + BARRIER, count, "barrier", None)

    def freeze(self, group: GroupSnapshot, size: int) -> None:
        """Close a group to new members when ``size`` members have called.

        Raises AlreadyInGroupError if the group is frozen, and otherwise the same exceptions as
        :meth:`barrier`.
        """
        group.require_own()
        if group.is_frozen:
            raise AlreadyInGroupError(f"group {group.name!r} is frozen already")
        self._meet(group, group.record + FREEZING, size, "freeze", group.record)

    def _meet(
        self, group: GroupSnapshot, at: int, wanted: int, verb: str, freezing: int | None
    ) -> None:
        doing = f"{verb} of group {group.name!r}"
        if not 0 < wanted < MAX_COUNT:
            raise CollectiveMismatchError(f"{doing}: count is {wanted}; it must be at least 1")
        generation = self._store.arrive(at, wanted, doing, freezing)
        if generation is None:
            return
        try:
            # Most waits end in this first spin.
            if not self._store.spin_for(at, generation, FIRST_SPIN_S):
                self._wait(group, at, generation, wanted, doing)
        except RedcollError:
            # The barrier may have ended at the moment of the error. If so, withdraw() returns
            # False, and the call succeeds.
            if self._store.withdraw(at):
                raise
        except BaseException:
            # Raise an interrupt even if the barrier has ended.
            self._store.withdraw(at)
            raise

    def _wait(
        self, group: GroupSnapshot, at: int, generation: int, wanted: int, doing: str
    ) -> None:
        store = self._store

        def absent() -> list[int]:
            status = store.barrier_status(group.record, at, generation)
            if status is None:
                return []
            is_broken, waiting, arrived = status
            if is_broken:
                raise _broken(group)
            return self._missing(group, waiting, wanted - arrived, doing)

        self._tasks.wait(
            lambda: store.has_ended(at, generation),
            absent,
            lambda: doing,
            lambda: store.spin_for(at, generation, NEXT_SPIN_S),
        )

    def _missing(
        self, group: GroupSnapshot, waiting: list[int], n_missing: int, doing: str
    ) -> list[int]:
        """Return the members that can still arrive; if there are none, the tasks that can join.

        Raises NotInGroupError if fewer than ``n_missing`` tasks can still arrive.
        """
        tasks = self._tasks
        can_come = [task for task in tasks.others() if task not in waiting]
        now = self._store.snapshot(group.name).members
        members = [member.task for member in now if member.task in can_come]
        # A task that joins can replace a member that has left, but not a member that has died.
        has_dead = any(tasks.has_died(member.task) for member in group.members)
        if n_missing > (len(members) if has_dead else len(can_come)):
            ends = ((tasks.names[m.task], tasks.fate(m.task)) for m in group.members)
            lost = [f"{name} {fate}" for name, fate in ends if fate is not None]
            why = "; ".join(lost) or f"only {len(can_come)} tasks are left that could"
            raise NotInGroupError(f"{doing}: {n_missing} more must come: {why}")
        return members or can_come


def _broken(group: GroupSnapshot) -> NoGroupError:
    """Return the error for a frozen group that a member has left."""
    return NoGroupError(f"a member has left group {group.name!r} since it was frozen")
