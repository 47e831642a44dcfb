"""What the members of a group contribute to one of them, and what one gives to all.

A contribution is handed over and its sender goes on; the root takes it when it comes to
the same call. Calls match by group, subject (kind of call and tag) and order: the k-th
that one PE makes towards a member meets the k-th in which that member counts the PE. A call
that a member fails counts as well: it hands a *refusal* over, or skips what the others hand
it, so that later calls still match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import CollectiveMismatchError, NotInGroupError
from redcoll.groups.commons import Commons
from redcoll.groups.inbox import Inbox
from redcoll.groups.outbox import Outbox
from redcoll.groups.parcels import Key, Label, Parcel
from redcoll.groups.table import Table
from redcoll.groups.view import Member, View

Array = NDArray[Any]

_KIND_SHIFT = 32


def subject(kind: int, tag: int) -> int:
    """One number for a kind of call (from 0, below 2^20) and a tag (from 0, below 2^32)."""
    return kind << _KIND_SHIFT | tag


class Contributions:
    """Contributions to and from the members of the groups of a table."""

    def __init__(self, commons: Commons, table: Table, outbox: Outbox, inbox: Inbox) -> None:
        self._commons = commons
        self._table = table
        self._outbox = outbox
        self._inbox = inbox
        table.join_hooks.append(inbox.admit)
        table.leave_hooks.append(inbox.dismiss)

    def give(
        self,
        view: View,
        to: Member,
        subject: int,
        form: int,
        count: int,
        data: Array | None,
        *,
        refusal: int = 0,
    ) -> None:
        """Hand ``data`` over to a member; returns as soon as there is room for it.

        Parameters
        ----------
        view
            The group; the caller must be a member.
        to
            Another member.
        subject
            Kind of call and tag, from :func:`subject`.
        form, count
            Element type, as the members number it, and elements; the recipient compares.
        data
            ``count`` elements, one-dimensional and contiguous.
        refusal
            Not 0: the caller's call has failed, for this reason.

        Raises
        ------
        NotInGroupError
            The data is larger than the room, and the recipient left before it took all.
        CollectiveTimeoutError
            No room for ``REDCOLL_TIMEOUT``.
        """
        own = view.require_own()
        self._outbox.send(
            to.pe,
            (to.stamp, subject, own.pe),
            Label(own.instance, own.stamp, form, count, refusal),
            data,
            lambda: self._table.holds(view.record, to.stamp),
        )

    def take(
        self,
        view: View,
        members: Sequence[Member],
        subject: int,
        form: int,
        count: int,
        doing: Callable[[], str],
        *,
        with_former: bool = False,
    ) -> list[Parcel]:
        """Wait for one contribution of each of these members.

        Parameters
        ----------
        view
            The group; the caller must be a member.
        members
            Whose; not the caller's.
        subject, form, count
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
        own = view.require_own().stamp
        keys = [(own, subject, member.pe) for member in members]
        inbox.look()
        arrived = inbox.arrived()
        if arrived and not with_former:
            self._drop_former(view, subject)
        if not all(key in arrived for key in keys):
            try:
                self._await(view, members, keys, doing)
            except BaseException:
                self._abandon(view, members, subject, with_former=with_former)
                raise
        parcels = [
            _at(member.instance, inbox.pop(key)) for member, key in zip(members, keys, strict=True)
        ]
        if with_former and arrived:
            parcels.extend(self._pop_former(view, subject))
            parcels.sort(key=lambda parcel: (parcel.instance, parcel.stamp))
        for parcel in parcels:
            if parcel.n_elements != count or parcel.form != form or parcel.refusal:
                self.release(parcels)
                raise self._mismatch(parcel, form, count, doing)
        return parcels

    def _await(
        self, view: View, members: Sequence[Member], keys: Sequence[Key], doing: Callable[[], str]
    ) -> None:
        has = self._inbox.has
        missing = [
            (member, key)
            for member, key in zip(members, keys, strict=True)
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

        self._commons.wait(ready, absent, doing)

    def _require_members(
        self, now: View, missing: list[tuple[Member, Key]], doing: Callable[[], str]
    ) -> None:
        still = _present(now)
        for member, key in missing:
            if member.pe not in still and not self._inbox.has(member.pe, key):
                who = f"instance {member.instance} ({self._commons.name(member.pe)})"
                fate = self._commons.fate(member.pe) or "has left the group"
                raise NotInGroupError(f"{doing()}: {who} {fate} without having contributed")

    def _abandon(
        self, view: View, members: Sequence[Member], subject: int, *, with_former: bool
    ) -> None:
        """Throw away what belongs to a call that is over, also what comes later."""
        still, has = _present(self._table.view(view.name)), self._inbox.has
        own = view.require_own().stamp
        # Who has left will not make the call.
        due = [m for m in members if m.pe in still or has(m.pe, (own, subject, m.pe))]
        self.skip(view, due, subject, with_former=with_former)

    def _pop_former(self, view: View, subject: int) -> list[Parcel]:
        """One contribution of each who has made a call and is no member any more."""
        inbox, members = self._inbox, {member.pe for member in view.members}
        former = [key for key in self._queues(view, subject) if key[2] not in members]
        # Who joined after the view was taken is for the next call.
        return [inbox.pop(key) for key in former if inbox.first(key).stamp <= view.stamp_limit]

    def _drop_former(self, view: View, subject: int) -> None:
        """Throw away what was contributed in memberships that have ended."""
        inbox, arrived = self._inbox, self._inbox.arrived()
        oldest = {member.pe: member.stamp for member in view.members}
        for key in self._queues(view, subject):
            # Who joined after the view was taken is for the next call.
            stamp = oldest.get(key[2], view.stamp_limit + 1)
            while key in arrived and inbox.first(key).stamp < stamp:
                inbox.release(inbox.pop(key))

    def _queues(self, view: View, subject: int) -> list[Key]:
        """The keys under which something has arrived for calls of this subject."""
        address = (view.require_own().stamp, subject)
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

    def release(self, parcels: Sequence[Parcel]) -> None:
        """Let the senders have their room back."""
        release = self._inbox.release
        for parcel in parcels:
            release(parcel)

    def skip(
        self, view: View, members: Sequence[Member], subject: int, *, with_former: bool
    ) -> None:
        """Throw away the next contribution of each, now or when it comes.

        Parameters
        ----------
        view, members, subject, with_former
            As for :meth:`take`, which is not called then.
        """
        own = view.require_own().stamp
        self._inbox.look()
        if with_former:
            self.release(self._pop_former(view, subject))
        else:
            self._drop_former(view, subject)
        for member in members:
            self._inbox.skip((own, subject, member.pe), member.stamp)


def _present(view: View) -> set[int]:
    """The PEs that are members."""
    return {member.pe for member in view.members if not member.is_gone}


def _at(instance: int, parcel: Parcel) -> Parcel:
    """A parcel of the member at this instance; it may have had another when it gave."""
    return parcel if parcel.instance == instance else parcel._replace(instance=instance)
