"""Dynamic named groups: who is a member, at which instance.

Any PE joins and leaves any group at any time. Members are numbered by *instances*, the
lowest free one first. A *stamp*, which never returns, names one membership of one PE. A
group exists while it has a member.

Readers take no lock: they read between two looks at an even version of the record, and keep
what they read (a :class:`~redcoll.groups.view.View`) as long as the version stands.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from redcoll.errors import (
    AlreadyInGroupError,
    ArgumentError,
    NoGroupError,
    NotInGroupError,
)
from redcoll.groups.commons import Commons
from redcoll.groups.records import (
    BROKEN,
    FROZEN,
    NAME_BYTES,
    STAMP,
    VERSION,
    Records,
    is_held,
    is_held_by,
    pe_of,
    stamp_of,
)
from redcoll.groups.view import Member, View


class Table:
    """The groups of all PEs, as this PE uses them."""

    def __init__(self, commons: Commons, records: Records) -> None:
        self._commons = commons
        self._records = records
        self._words = records.words
        self._views: dict[str, View] = {}
        self.join_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each new membership of this PE."""
        self.leave_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each membership that this PE is about to give up."""
        commons.leave_hooks.append(self._leave_all)

    # -- reading --------------------------------------------------------------------

    def view(self, name: str) -> View:
        """The group as it is now.

        Raises
        ------
        NoGroupError
            No group of this name has a member.
        """
        if monotonic() >= self._commons.next_census_s:
            self.bury_the_gone()
        view = self._views.get(name)
        if view is not None and self._words[view.record + VERSION] == view.version:
            return view
        return self._read(name)

    def is_current(self, view: View) -> bool:
        """Whether the group is still as ``view`` shows it."""
        return self._words[view.record + VERSION] == view.version

    def holds(self, record: int, stamp: int) -> bool:
        """Whether this membership still stands."""
        return any(
            is_held(slot) and stamp_of(slot) == stamp for slot in self._records.slots(record)
        )

    def _read(self, name: str) -> View:
        records = self._records
        record = records.find(name)
        while record is not None:
            view = self._read_record(name, record)
            if view is not None:
                if len(self._views) >= records.most:
                    self._views.clear()
                self._views[name] = view
                return view
            # It ended, and the record may have become another group's meanwhile.
            record = records.find(name)
        self._views.pop(name, None)
        raise NoGroupError(f"there is no group {name!r}")

    def _read_record(self, name: str, record: int) -> View | None:
        """The group in a record, None if it is not of this name or has no member."""
        words, records = self._words, self._records
        while True:
            version = records.settled_version(record)
            records.fence()
            is_it = records.is_named(record, name)
            slots = records.slots(record)
            frozen, broken = words[record + FROZEN], words[record + BROKEN]
            newest = words[STAMP]
            records.fence()
            if words[record + VERSION] == version:
                break
        members = [
            Member(instance, pe_of(slot), stamp_of(slot), not is_held(slot))
            for instance, slot in enumerate(slots)
            if slot
        ]
        if not is_it or all(member.is_gone for member in members):
            return None
        return View(
            name,
            record,
            version,
            members,
            newest,
            self._commons.index,
            is_frozen=bool(frozen),
            is_broken=bool(broken),
        )

    # -- changing -------------------------------------------------------------------

    def join(self, name: str) -> Member:
        """Become a member, at the lowest free instance.

        Raises
        ------
        AlreadyInGroupError
            The caller is one.
        NotInGroupError
            The group is frozen: nobody joins it any more.
        GroupLimitError
            ``REDCOLL_MAX_GROUPS`` would be passed.
        ArgumentError
            The name is empty or too long.
        """
        length = len(name.encode())
        if not 0 < length <= NAME_BYTES:
            raise ArgumentError(f"group {name!r}: a name has 1 to {NAME_BYTES} bytes, not {length}")
        records, pe = self._records, self._commons.index
        gone = self._commons.newly_gone()
        with records.lock:
            if gone:
                self._bury_locked()
            record = records.find(name)
            if record is None:
                record = records.create(name)
            slots = records.slots(record)
            if any(is_held_by(slot, pe) for slot in slots):
                raise AlreadyInGroupError(f"PE {pe} is already in group {name!r}")
            if self._words[record + FROZEN]:
                raise NotInGroupError(f"group {name!r} is frozen: nobody can join it")
            instance = slots.index(0) if 0 in slots else len(slots)
            stamp = records.occupy(record, instance, pe)
        for hook in self.join_hooks:
            hook(stamp)
        return Member(instance, pe, stamp, is_gone=False)

    def leave(self, name: str) -> None:
        """Give up the caller's membership; the last one out ends the group.

        Raises
        ------
        NoGroupError
            There is no such group.
        NotInGroupError
            The caller is not a member.
        """
        view = self.view(name)
        own = view.require_own()
        # First the hooks: once the membership has ended, others need not ask this PE any more.
        for hook in self.leave_hooks:
            hook(own.stamp)
        with self._records.lock:
            self._records.vacate(view.record, own.instance)

    def freeze(self, record: int) -> None:
        """Close a group for newcomers, for good."""
        with self._records.lock:
            self._records.freeze(record)

    # -- those who leave without saying so --------------------------------------------

    def bury_the_gone(self) -> None:
        """Take dead and departed PEs out of their groups; looks a few times a second."""
        if self._commons.newly_gone():
            with self._records.lock:
                self._bury_locked()

    def _bury_locked(self) -> None:
        """Take dead and departed PEs out of their groups."""
        own = self._commons.index
        for record in self._records.all():
            for instance, slot in enumerate(self._records.slots(record)):
                if is_held(slot) and pe_of(slot) != own and self._commons.fate(pe_of(slot)):
                    self._records.vacate(record, instance)

    def _leave_all(self) -> None:
        mine = [
            (record, instance)
            for record in self._records.all()
            for instance, slot in enumerate(self._records.slots(record))
            if is_held_by(slot, self._commons.index)
        ]
        if mine:
            with self._records.lock:
                for record, instance in mine:
                    self._records.vacate(record, instance)
