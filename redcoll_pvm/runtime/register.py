"""Look up and change groups on behalf of any PE, where the table of groups lies.

Readers take no lock: they read between two looks at an even version of the record.
"""

from __future__ import annotations

from collections.abc import Callable

from redcoll.errors import AlreadyInGroupError, NoGroupError, NotInGroupError
from redcoll_pvm.runtime.group_table import (
    BROKEN,
    FROZEN,
    STAMP,
    VERSION,
    Records,
    is_held,
    is_held_by,
    pe_of,
    stamp_of,
)
from redcoll_pvm.runtime.group_snapshot import Entry, Member


class Register:
    """The groups in some records.

    Parameters
    ----------
    records
        The table.
    is_gone
        Whether a PE will never come again.
    """

    def __init__(self, records: Records, is_gone: Callable[[int], bool]) -> None:
        self._records = records
        self._words = records.words
        self._is_gone = is_gone

    # -- reading --------------------------------------------------------------------

    def read(self, name: str) -> Entry:
        """The group as it is now.

        Raises
        ------
        NoGroupError
            No group of this name has a member.
        """
        records = self._records
        record = records.find(name)
        while record is not None:
            entry = self._read_record(name, record)
            if entry is not None:
                return entry
            # It ended, and the record may have become another group's meanwhile.
            record = records.find(name)
        raise NoGroupError(f"there is no group {name!r}")

    def _read_record(self, name: str, record: int) -> Entry | None:
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
        return Entry(name, record, version, members, newest, bool(frozen), bool(broken))

    def holds(self, record: int, stamp: int) -> bool:
        """Whether this membership still stands."""
        return any(
            is_held(slot) and stamp_of(slot) == stamp for slot in self._records.slots(record)
        )

    def members(self, record: int) -> list[int]:
        """The PEs that are members."""
        return [pe_of(slot) for slot in self._records.slots(record) if is_held(slot)]

    def places(self, pe: int) -> list[tuple[int, int]]:
        """Record and instance of each membership of a PE."""
        return [
            (record, instance)
            for record in self._records.all()
            for instance, slot in enumerate(self._records.slots(record))
            if is_held_by(slot, pe)
        ]

    # -- changing -------------------------------------------------------------------

    def join(self, name: str, pe: int, *, after_burial: bool) -> Member:
        """Make a PE a member, at the lowest free instance.

        Parameters
        ----------
        name, pe
            Which group, who.
        after_burial
            Take those who have gone out of their groups first.

        Raises
        ------
        AlreadyInGroupError
            It is one.
        NotInGroupError
            The group is frozen: nobody joins it any more.
        GroupLimitError
            ``REDCOLL_MAX_GROUPS`` would be passed.
        """
        records = self._records
        with records.lock:
            if after_burial:
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
        return Member(instance, pe, stamp, is_gone=False)

    def leave(self, places: list[tuple[int, int]]) -> None:
        """End memberships, by record and instance."""
        if places:
            with self._records.lock:
                for record, instance in places:
                    self._records.vacate(record, instance)

    def freeze(self, record: int) -> None:
        """Close a group for newcomers, for good."""
        with self._records.lock:
            self._records.freeze(record)

    def bury(self) -> None:
        """Take those who have gone out of their groups."""
        with self._records.lock:
            self._bury_locked()

    def _bury_locked(self) -> None:
        for record in self._records.all():
            for instance, slot in enumerate(self._records.slots(record)):
                if is_held(slot) and self._is_gone(pe_of(slot)):
                    self._records.vacate(record, instance)
