"""What the members of a group contribute to one of them, and what one gives to all.

A contribution is handed over and its sender goes on; the root takes it when it comes to
the same call. Calls match by group, subject (kind of call and tag) and order: the k-th
that one PE makes towards a member meets the k-th in which that member counts the PE. A call
that a member fails counts as well: it hands a *refusal* over, or skips what the others hand
it, so that later calls still match. A refusal waits for nothing: where there is no place for it
it is owed, and goes in the next call or wait of the sender that finds one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import CollectiveMismatchError, NotInGroupError, RedcollError
from redcoll.ops import Op
from redcoll_pvm.runtime.task_set import AT_A_TIME_S, AT_FIRST_S, Commons
from redcoll_pvm.runtime.matching import Due
from redcoll_pvm.runtime.transport import Key, Parcel, Rooms, Route
from redcoll_pvm.runtime.queues import Queues
from redcoll_pvm.runtime.sender import Sender
from redcoll_pvm.runtime.group_store import Table
from redcoll_pvm.runtime.group_snapshot import Member, View

Array = NDArray[Any]


_CAME_TO_NO_END = -14
"""Why a call has failed that gave up waiting for room: PVM's PvmSysErr."""


class _Refusal(NamedTuple):
    """What a member is to be told instead of a contribution."""

    record: int
    """Of the group."""
    route: Route
    reason: int


class Contributions:
    """Contributions to and from the members of the groups of a table.

    Parameters
    ----------
    commons, table
        The PEs and their groups.
    outbox, inbox
        The way from and to this PE.
    rooms
        Where contributions lie; None if not all PEs can read there.
    """

    def __init__(
        self, commons: Commons, table: Table, outbox: Sender, inbox: Queues, rooms: Rooms | None
    ) -> None:
        self._commons = commons
        self._table = table
        self._outbox = outbox
        self._inbox = inbox
        self._fold_at = commons.kernel.fold_at
        self._rooms = rooms
        self.owed: deque[_Refusal] = deque()
        """What members are still to be told, in this order."""
        table.join_hooks.append(inbox.admit)
        table.leave_hooks.append(self._dismiss)
        # That a member has left the job ends what others await of it.
        commons.leave_hooks.append(self.owed.clear)
        commons.progress_hooks.append(self.tell_owed)

    def give(
        self,
        view: View,
        route: Route,
        form: int,
        count: int,
        data: Array,
    ) -> None:
        """Hand ``data`` over to a member; returns as soon as there is room for it.

        If it ends otherwise, the member is told that the call has failed.

        Parameters
        ----------
        view
            The group.
        route
            To whom and about what, from :func:`redcoll_pvm.runtime.matching.route`.
        form, count
            Element type, as the members number it, and elements; the recipient compares.
        data
            ``count`` elements, one-dimensional and contiguous.

        Raises
        ------
        NotInGroupError
            The data is larger than the room, and the recipient left before it took all.
        CollectiveTimeoutError
            No room for ``REDCOLL_TIMEOUT``.
        """
        outbox = self._outbox
        told_or_owed = outbox.ticket + len(self.owed)
        try:
            while self.owed:
                outbox.await_place()
                self.tell_owed()
            is_wanted = partial(self._table.holds, view.record, route.recipient_stamp)
            outbox.send(route, form, count, 0, data, is_wanted)
        except BaseException:
            if outbox.ticket + len(self.owed) == told_or_owed:
                self.refuse(view, route, _CAME_TO_NO_END)
            raise

    def refuse(self, view: View, route: Route, reason: int) -> None:
        """Tell a member that a call of the caller's has failed; without waiting.

        Parameters
        ----------
        view, route
            As for :meth:`give`.
        reason
            A number other than 0.
        """
        self.owed.append(_Refusal(view.record, route, reason))
        self.tell_owed()

    def tell_owed(self) -> None:
        """Tell members what they are still to be told, as far as there are places."""
        while self.owed and self._outbox.has_place():
            record, route, reason = self.owed.popleft()
            is_wanted = partial(self._table.holds, record, route.recipient_stamp)
            self._outbox.send(route, 0, 0, reason, None, is_wanted)

    def _dismiss(self, stamp: int) -> None:
        """That this membership has ended, which the other members are told."""
        rest = [refusal for refusal in self.owed if refusal.route.stamp != stamp]
        self.owed.clear()
        self.owed.extend(rest)
        self._inbox.dismiss(stamp)

    def due_from(self, view: View, members: Sequence[Member], subject: int) -> Due:
        """What the caller, a member, is owed by these others."""
        own = view.require_own().stamp
        keys = [(own, subject, member.pe) for member in members]
        return Due(view, subject, members, keys, self._inbox.expected(keys))

    def take(
        self,
        due: Due,
        form: int,
        count: int,
        doing: Callable[[], str],
        *,
        with_former: bool = False,
    ) -> list[Parcel]:
        """Wait for one contribution of each of these members.

        Parameters
        ----------
        due
            Whose and about what, from :meth:`due_from`.
        form, count
            As the others gave them.
        doing
            The call in words, for messages; asked for seldom.
        with_former
            Take one more of each who contributed and left the group since. Without it,
            what was contributed in a membership that has ended is thrown away.

        Returns
        -------
        list of Parcel
            By instance, lowest first; for :meth:`data`, then :meth:`release`.

        Raises
        ------
        NotInGroupError
            A member left before it contributed.
        PeerLostError
            A member's process died before it contributed.
        CollectiveMismatchError
            A contribution has another type or count, or the sender's call failed.
        CollectiveTimeoutError
            ``REDCOLL_TIMEOUT`` has passed.

        After any of these the call is over: whatever belongs to it is thrown away,
        also what comes later.
        """
        inbox = self._inbox
        arrived = inbox.arrived()
        try:
            parcels = inbox.collect(due.expected) if with_former else None
            if parcels is None:
                inbox.look()
                if arrived and not with_former:
                    self._drop_former(due)
                if not self._have_come(due.keys):
                    self._await(due, doing)
        except BaseException:
            self._abandon(due, with_former=with_former)
            raise
        if parcels is None:
            parcels = [inbox.pop(key) for key in due.keys]
        else:
            # Who has left may have contributed before.
            inbox.look()
        for index, member in enumerate(due.members):
            if parcels[index].instance != member.instance:  # it had another one when it gave
                parcels[index] = parcels[index]._replace(instance=member.instance)
        if with_former and arrived:
            parcels.extend(self._pop_former(due))
            parcels.sort(key=lambda parcel: (parcel.instance, parcel.stamp))
        for parcel in parcels:
            if parcel.n_elements != count or parcel.form != form or parcel.refusal:
                self.release(parcels)
                raise self._mismatch(parcel, form, count, doing)
        return parcels

    def _have_come(self, keys: Sequence[Key]) -> bool:
        """Whether all parcels are there, after at most a moment for each that is late."""
        inbox = self._inbox
        for key in keys:
            sender = key[2]
            if not inbox.has(sender, key):
                inbox.linger(sender, AT_FIRST_S)
                if not inbox.has(sender, key):
                    return False
        return True

    def _await(self, due: Due, doing: Callable[[], str]) -> None:
        view, has = due.view, self._inbox.has
        missing = [
            (member, key)
            for member, key in zip(due.members, due.keys, strict=True)
            if not has(member.pe, key)
        ]
        current = view
        self._require_members(current, missing, doing)

        def ready() -> bool:
            nonlocal missing, current
            missing = [(member, key) for member, key in missing if not has(member.pe, key)]
            if missing and not self._table.is_current(current):
                current = self._table.view(view.name)
                self._require_members(current, missing, doing)
            return not missing

        def absent() -> list[int]:
            self._table.bury_the_gone()
            ready()
            return [member.pe for member, _ in missing]

        def linger() -> None:
            if missing:
                self._inbox.linger(missing[0][0].pe, AT_A_TIME_S)

        self._commons.wait(ready, absent, doing, linger)

    def _require_members(
        self, now: View, missing: list[tuple[Member, Key]], doing: Callable[[], str]
    ) -> None:
        still = _present(now)
        for member, key in missing:
            if member.pe not in still and not self._inbox.has(member.pe, key):
                who = f"instance {member.instance} ({self._commons.name(member.pe)})"
                fate = self._commons.fate(member.pe) or "has left the group"
                raise NotInGroupError(f"{doing()}: {who} {fate} without having contributed")

    def _abandon(self, due: Due, *, with_former: bool) -> None:
        """Throw away what belongs to a call that is over, also what comes later."""
        try:
            now = self._table.view(due.view.name)
        except RedcollError:
            # What ended the call is to be told, and nobody else is known to have left.
            now = due.view
        self._skip(due, _present(now), with_former=with_former)

    def _pop_former(self, due: Due) -> list[Parcel]:
        """One contribution of each who has made a call and is no member any more."""
        inbox, members = self._inbox, {member.pe for member in due.view.members}
        former = [key for key in self._queues(due) if key[2] not in members]
        # Who joined after the view was taken is for the next call.
        limit = due.view.stamp_limit
        return [inbox.pop(key) for key in former if inbox.first(key).stamp <= limit]

    def _drop_former(self, due: Due) -> None:
        """Throw away what was contributed in memberships that have ended."""
        inbox, arrived = self._inbox, self._inbox.arrived()
        oldest = {member.pe: member.stamp for member in due.view.members}
        for key in self._queues(due):
            # Who joined after the view was taken is for the next call.
            stamp = oldest.get(key[2], due.view.stamp_limit + 1)
            while key in arrived and inbox.first(key).stamp < stamp:
                inbox.release(inbox.pop(key))

    def _queues(self, due: Due) -> list[Key]:
        """The keys under which something has arrived for calls of this subject."""
        address = (due.view.require_own().stamp, due.subject)
        return [key for key in self._inbox.arrived() if key[:2] == address]

    def _mismatch(
        self, parcel: Parcel, form: int, count: int, doing: Callable[[], str]
    ) -> CollectiveMismatchError:
        who = f"instance {parcel.instance} ({self._commons.name(parcel.sender)})"
        if parcel.refusal:
            what = f"the call of {who} failed with {parcel.refusal}"
        else:
            what = (
                f"{who} contributed {parcel.n_elements} elements of type {parcel.form}, "
                f"expected are {count} of type {form}"
            )
        return CollectiveMismatchError(f"{doing()}: {what}")

    def data(self, parcel: Parcel, dtype: np.dtype[Any]) -> Array:
        """What was contributed, writable; valid until the parcel is released.

        Raises
        ------
        PeerLostError, NotInGroupError, CollectiveTimeoutError
            It is larger than the room, and the rest of it does not come.
        """
        return self._inbox.data(parcel, dtype)

    def fold(self, op: Op, data: Array, own: Member, parcels: Sequence[Parcel]) -> bool:
        """Fold the contributions, and the caller's own at its place, into ``data``.

        Parameters
        ----------
        op
            One of the core's own.
        data
            The caller's, as long as the contributions; contiguous and writable.
        own
            The caller's membership.
        parcels
            From :meth:`take`.

        Returns
        -------
        bool
            False if nothing has been done, for want of such a loop in the kernel.
        """
        place = (own.instance, own.stamp)
        before = 0
        starts = []
        rooms = self._rooms
        if rooms is None:
            return False
        for parcel in parcels:
            if parcel.piece_bytes:
                return False
            if (parcel.instance, parcel.stamp) < place:
                before += 1
            starts.append(rooms.starts[parcel.sender] + parcel.at)
        is_folded: bool = self._fold_at(op, rooms.memory, starts, before, data)
        return is_folded

    def release(self, parcels: Sequence[Parcel]) -> None:
        """Let the senders have their room back."""
        release = self._inbox.release
        for parcel in parcels:
            release(parcel)

    def skip(self, due: Due, *, with_former: bool) -> None:
        """Throw away the next contribution of each, now or when it comes.

        Parameters
        ----------
        due, with_former
            As for :meth:`take`, which is not called then.
        """
        self._skip(due, _present(due.view), with_former=with_former)

    def _skip(self, due: Due, still: set[int], *, with_former: bool) -> None:
        """The same; of those who are not members still what has come, for no more does."""
        inbox = self._inbox
        inbox.look()
        if with_former:
            self.release(self._pop_former(due))
        else:
            self._drop_former(due)
        for member, key in zip(due.members, due.keys, strict=True):
            if member.pe in still or inbox.has(member.pe, key):
                inbox.skip(key, member.stamp)


def _present(view: View) -> set[int]:
    """The PEs that are members."""
    return {member.pe for member in view.members if not member.is_gone}
