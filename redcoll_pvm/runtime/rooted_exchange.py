"""Exchange contributions between the members of a group and one member, the root.

A sender sends its contribution and continues. The recipient collects the contribution in its own
call. Calls match by group, subject (kind of call and tag) and order. The k-th call in which a
member sends to a recipient matches the k-th call in which the recipient expects a contribution of
this member. A call that fails its checks still counts for the matching. Such a call sends an error
code, or discards the contributions of other members.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from redcoll.arguments import Array
from redcoll.errors import CollectiveMismatchError, NotInGroupError, RedcollError
from redcoll_pvm import constants as pvm
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot, Member
from redcoll_pvm.runtime.group_store import GroupStore
from redcoll_pvm.runtime.task_set import FIRST_SPIN_S, NEXT_SPIN_S, TaskSet
from redcoll_pvm.runtime.transport import Endpoint, Header, MatchKey, Transport


def endpoint_to(group: GroupSnapshot, to: Member, subject: int) -> Endpoint:
    """Return the route of a contribution from the caller to another member."""
    own = group.require_own()
    return Endpoint(to.task, to.incarnation, subject, own.task, own.instance, own.incarnation)


class Expected(NamedTuple):
    """The contributions that the caller collects in a call."""

    group: GroupSnapshot
    subject: int
    members: Sequence[Member]
    keys: Sequence[MatchKey]
    """The key of the queue of each member's contributions."""
    rows: array[int]
    """The same keys, as the argument of :meth:`Transport.collect`."""


class RootedExchange:
    """Exchanges contributions between the members of the groups in a store."""

    def __init__(self, tasks: TaskSet, store: GroupStore, transport: Transport) -> None:
        self._tasks = tasks
        self._store = store
        self._transport = transport
        self.data = transport.data
        self.fold = transport.fold
        transport.holds = store.holds
        store.join_callbacks.append(transport.admit)
        store.leave_callbacks.append(transport.dismiss)

    # -- sending -------------------------------------------------------------------

    def send(self, endpoint: Endpoint, dtype_code: int, count: int, data: Array) -> None:
        """Send ``data`` to a member. The call waits only for space in the send buffer.

        ``data`` is one-dimensional and contiguous and has ``count`` elements. The recipient
        compares ``dtype_code`` and ``count`` with its own values. If the wait for space fails, the
        recipient's call fails, too. But if all slots are in use, this task cannot notify the
        recipient. Then this call does not count for the matching of calls.
        """
        transport = self._transport
        ticket = transport.ticket
        try:
            transport.send(endpoint, dtype_code, count, 0, data)
        except BaseException:
            if transport.ticket == ticket:
                self.send_error(endpoint, pvm.PvmSysErr, wait=False)
            raise

    def send_error(self, endpoint: Endpoint, error_code: int, *, wait: bool) -> None:
        """Notify a member that a call of the caller has failed.

        If all slots are in use, wait for a free slot. With ``wait=False``, return without a message
        instead.
        """
        if wait or self._transport.has_slot():
            self._transport.send(endpoint, 0, 0, error_code, None)

    # -- collecting ----------------------------------------------------------------

    def expect(self, group: GroupSnapshot, members: Sequence[Member], subject: int) -> Expected:
        """Return the contributions that the caller collects from these members in a call."""
        own = group.require_own().incarnation
        keys = [(own, subject, member.task) for member in members]
        return Expected(group, subject, members, keys, self._transport.expected(keys))

    def collect(
        self,
        expected: Expected,
        dtype_code: int,
        count: int,
        doing: Callable[[], str],
        *,
        include_departed: bool = False,
    ) -> list[Header]:
        """Wait for a contribution of each member; return their headers in the order of instances.

        The caller then uses :meth:`data` and finally :meth:`release`. With ``include_departed``,
        the result also has a contribution of each task that left the group after it contributed.
        Without ``include_departed``, contributions of memberships that have ended are dropped.

        Raises NotInGroupError if a member left before it contributed, and PeerLostError if the
        member died. Raises CollectiveMismatchError if a contribution has another type or count, or
        if its sender's call failed. After an exception, contributions to this call are dropped,
        even if they arrive later.
        """
        transport = self._transport
        arrived = transport.arrived
        try:
            headers = transport.collect(expected.rows) if include_departed else None
            if headers is None:
                transport.poll()
                if arrived and not include_departed:
                    self._drop_departed(expected)
                if not self._have_arrived(expected.keys):
                    self._wait(expected, doing)
        except BaseException:
            now = expected.group
            # Let the first error propagate, even if the group cannot be read any more.
            with contextlib.suppress(RedcollError):
                now = self._store.snapshot(now.name)
            self.discard(expected, now, include_departed=include_departed)
            raise
        if headers is None:
            headers = [transport.pop(key) for key in expected.keys]
        else:
            # Tasks that have left the group may have contributed before they left.
            transport.poll()
        for index, member in enumerate(expected.members):
            if headers[index].instance != member.instance:  # sent in an earlier membership
                headers[index] = headers[index]._replace(instance=member.instance)
        if include_departed and arrived:
            headers.extend(self._pop_departed(expected))
            headers.sort(key=lambda header: (header.instance, header.incarnation))
        for header in headers:
            if header.n_elements != count or header.dtype_code != dtype_code or header.error_code:
                self.release(headers)
                raise self._mismatch(header, dtype_code, count, doing)
        return headers

    def _have_arrived(self, keys: Sequence[MatchKey]) -> bool:
        """Spin for up to 1 ms for each late contribution; return whether all have arrived."""
        transport = self._transport
        for key in keys:
            if not transport.has(key):
                transport.spin_for(key[2], FIRST_SPIN_S)
                if not transport.has(key):
                    return False
        return True

    def _wait(self, expected: Expected, doing: Callable[[], str]) -> None:
        transport, store = self._transport, self._store
        current = expected.group
        missing = list(zip(expected.members, expected.keys, strict=True))

        def ready() -> bool:
            nonlocal missing, current
            missing = [(member, key) for member, key in missing if not transport.has(key)]
            if missing and not store.is_current(current):
                current = store.snapshot(current.name)
                self._require_members(current, missing, doing)
            return not missing

        def absent() -> list[int]:
            ready()
            return [member.task for member, _ in missing]

        def spin() -> None:
            if missing:
                transport.spin_for(missing[0][0].task, NEXT_SPIN_S)

        self._require_members(current, missing, doing)
        self._tasks.wait(ready, absent, doing, spin)

    def _require_members(
        self, now: GroupSnapshot, missing: list[tuple[Member, MatchKey]], doing: Callable[[], str]
    ) -> None:
        present = now.present()
        for member, key in missing:
            if member.task not in present and not self._transport.has(key):
                who = f"instance {member.instance} ({self._tasks.names[member.task]})"
                fate = self._tasks.fate(member.task) or "has left the group"
                raise NotInGroupError(f"{doing()}: {who} {fate} without having contributed")

    def _pop_departed(self, expected: Expected) -> list[Header]:
        """Take a contribution of each task that has contributed but is no longer a member."""
        transport, members = self._transport, {member.task for member in expected.group.members}
        departed = [key for key in self._queues(expected) if key[2] not in members]
        # A task that joined after the snapshot contributes to the next call.
        newest = expected.group.newest
        return [
            transport.pop(key)
            for key in departed
            if transport.arrived[key][0].incarnation <= newest
        ]

    def _drop_departed(self, expected: Expected) -> None:
        """Drop the contributions of memberships that have ended."""
        transport, arrived = self._transport, self._transport.arrived
        oldest = {member.task: member.incarnation for member in expected.group.members}
        for key in self._queues(expected):
            # A task that joined after the snapshot contributes to the next call.
            incarnation = oldest.get(key[2], expected.group.newest + 1)
            while key in arrived and transport.arrived[key][0].incarnation < incarnation:
                transport.release(transport.pop(key))

    def _queues(self, expected: Expected) -> list[MatchKey]:
        """Return the keys of this subject whose queues are not empty."""
        address = (expected.group.require_own().incarnation, expected.subject)
        return [key for key in self._transport.arrived if key[:2] == address]

    def _mismatch(
        self, header: Header, dtype_code: int, count: int, doing: Callable[[], str]
    ) -> CollectiveMismatchError:
        who = f"instance {header.instance} ({self._tasks.names[header.sender]})"
        if header.error_code:
            what = f"the call of {who} failed with {header.error_code}"
        else:
            what = (
                f"{who} contributed {header.n_elements} elements of type {header.dtype_code}, "
                f"expected are {count} of type {dtype_code}"
            )
        return CollectiveMismatchError(f"{doing()}: {what}")

    def release(self, headers: Sequence[Header]) -> None:
        """Let the senders reuse the space of these contributions."""
        for header in headers:
            self._transport.release(header)

    def discard(self, expected: Expected, now: GroupSnapshot, *, include_departed: bool) -> None:
        """Drop the next contribution of each member, now or when it arrives.

        A call that has failed its checks uses this method instead of :meth:`collect`. Tasks that
        are not in the snapshot ``now`` send no more contributions.
        """
        transport, present = self._transport, now.present()
        transport.poll()
        if include_departed:
            self.release(self._pop_departed(expected))
        else:
            self._drop_departed(expected)
        for member, key in zip(expected.members, expected.keys, strict=True):
            if member.task in present or transport.has(key):
                transport.discard(key, member.incarnation)
