"""Dynamic named groups: who is a member, at which instance, in shared memory.

Any PE joins and leaves any group at any time. Members are numbered by *instances*, the
lowest free one first. A *stamp*, which never returns, names one membership of one PE.

The table is one block of 64-bit words::

    0   lock of all changes: the PE that holds it, plus 1
    1   the newest stamp
    2   records in use, ever
    64  records

and a record, one per group::

    version     odd while a member changes the record
    hash, name length, name
    extent      one more than the highest instance ever taken
    frozen      1 once nobody may join any more
    broken      whether a member has left since
    freezing, barrier   see redcoll.groups.meeting
    slots       by instance: stamp, "has left a frozen group", PE plus 1; 0 is free

A change is one store to a slot, so a PE that dies leaves nothing half done but the odd
version and the lock, which the next one repairs. A group exists while it has a member.
Readers take no lock: they read between two looks at an even version, and keep what they
read (a :class:`~redcoll.groups.view.View`) as long as the version stands.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from time import monotonic

from redcoll import config
from redcoll.errors import (
    AlreadyInGroupError,
    ArgumentError,
    GroupLimitError,
    NoGroupError,
    NotInGroupError,
)
from redcoll.groups.commons import Commons, Lock
from redcoll.groups.view import Member, View
from redcoll.slices import LINE_BYTES as LINE
from redcoll.window import SharedWindow, round_up

NAME_BYTES = 256
"""Longest name, in UTF-8."""

_LOCK, _STAMP, _USED, _RECORDS = 0, 8, 16, 64
# Words of a record. The barrier has a cache line of its own.
VERSION, _HASH, _LENGTH, _EXTENT, FROZEN, BROKEN, FREEZING = range(7)
BARRIER, _NAME, _SLOTS = 8, 16, 16 + NAME_BYTES // 8

# A barrier word: generation, count, arrivals (see redcoll.groups.meeting).
GENERATION_SHIFT, COUNT_SHIFT = 40, 20
COUNT_MASK = (1 << COUNT_SHIFT) - 1
_GENERATION_MASK = (1 << 23) - 1

_PE_BITS = 20
_GONE = 1 << _PE_BITS
_WHO = _GONE | (_GONE - 1)
_STAMP_SHIFT = _PE_BITS + 1


class Table:
    """The groups of all PEs.  Creating it is collective over the commons."""

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self._most = config.MAX_GROUPS.get()
        self._record_words = round_up((_SLOTS + commons.size) * 8, LINE) // 8
        total_bytes = 8 * (_RECORDS + self._most * self._record_words)
        self._window = SharedWindow(
            commons.comm, 0, f"table of groups ({config.MAX_GROUPS.name})", total_bytes
        )
        self.words = self._window.words
        self.compare_swap = self._window.prepared_compare_swap()
        self._memory = self._window.memory
        self._fence = self._window.fence or (lambda: None)
        self._lock = Lock(commons, self._window, _LOCK, self._repair)
        self._views: dict[str, View] = {}
        self.join_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each new membership of this PE."""
        self.leave_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each membership that this PE gives up."""
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
        if view is not None and self.words[view.record + VERSION] == view.version:
            return view
        return self._read(name)

    def is_current(self, view: View) -> bool:
        """Whether the group is still as ``view`` shows it."""
        return self.words[view.record + VERSION] == view.version

    def holds(self, record: int, stamp: int) -> bool:
        """Whether this membership still stands."""
        return any(
            slot >> _STAMP_SHIFT == stamp and not slot & _GONE for slot in self._slots(record)
        )

    def _slots(self, record: int) -> list[int]:
        extent = self.words[record + _EXTENT]
        return self.words[record + _SLOTS : record + _SLOTS + extent].tolist()

    def _read(self, name: str) -> View:
        record = self._find(name)
        while True:
            if record is None:
                self._views.pop(name, None)
                raise NoGroupError(f"there is no group {name!r}")
            view = self._read_record(name, record)
            if view is not None:
                self._views[name] = view
                return view
            # It ended, and the record may have become another group's meanwhile.
            record = self._find(name)

    def _read_record(self, name: str, record: int) -> View | None:
        """The group in a record, None if it is not of this name or has no member."""
        words = self.words
        while True:
            version = self._settled_version(record)
            self._fence()
            is_it = self._is_named(record, name)
            slots = self._slots(record)
            frozen, broken = words[record + FROZEN], words[record + BROKEN]
            newest = words[_STAMP]
            self._fence()
            if words[record + VERSION] == version:
                break
        members = [
            Member(instance, (slot & (_GONE - 1)) - 1, slot >> _STAMP_SHIFT, bool(slot & _GONE))
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

    def _settled_version(self, record: int) -> int:
        """The version, once nobody is changing the record."""
        version = self.words[record + VERSION]
        while version & 1:
            # Whoever changes it holds the lock; if that PE has died, taking it repairs.
            with self._lock:
                version = self.words[record + VERSION]
        return version

    def _records(self) -> range:
        used = self.words[_USED]
        return range(_RECORDS, _RECORDS + used * self._record_words, self._record_words)

    def _find(self, name: str) -> int | None:
        """The record of a group that has members."""
        wanted = _hash(name)
        for record in self._records():
            if (
                self.words[record + _HASH] == wanted
                and self._is_named(record, name)
                and self._has_members(record)
            ):
                return record
        return None

    def _is_named(self, record: int, name: str) -> bool:
        start = (record + _NAME) * 8
        length = min(self.words[record + _LENGTH], NAME_BYTES)
        return bytes(self._memory[start : start + length]) == name.encode()

    def _has_members(self, record: int) -> bool:
        return any(slot and not slot & _GONE for slot in self._slots(record))

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
        words, pe = self.words, self._commons.index
        gone = self._commons.newly_gone()
        with self._lock:
            if gone:
                self._bury_locked()
            record = self._find(name)
            if record is None:
                record = self._create(name)
            slots = self._slots(record)
            if any(slot & _WHO == pe + 1 for slot in slots):
                raise AlreadyInGroupError(f"PE {pe} is already in group {name!r}")
            if words[record + FROZEN]:
                raise NotInGroupError(f"group {name!r} is frozen: nobody can join it")
            instance = slots.index(0) if 0 in slots else len(slots)
            stamp = words[_STAMP] + 1
            self._begin(record)
            words[_STAMP] = stamp
            words[record + _EXTENT] = max(len(slots), instance + 1)
            words[record + _SLOTS + instance] = stamp << _STAMP_SHIFT | (pe + 1)
            self._end(record)
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
        own = self.view(name).require_own()
        record = self._views[name].record
        with self._lock:
            self._vacate(record, own.instance)
        for hook in self.leave_hooks:
            hook(own.stamp)

    def freeze(self, record: int) -> None:
        """Close a group for newcomers, for good."""
        with self._lock:
            if not self.words[record + FROZEN]:
                self._begin(record)
                self.words[record + FROZEN] = 1
                self._end(record)

    def _create(self, name: str) -> int:
        """A record without members that bears the name."""
        words = self.words
        record = next((r for r in self._records() if not self._has_members(r)), None)
        if record is None:
            used = words[_USED]
            if used >= self._most:
                raise GroupLimitError(
                    f"group {name!r} would be one more than {self._most} groups at once "
                    f"({config.MAX_GROUPS.name})"
                )
            record = _RECORDS + used * self._record_words
            words[_USED] = used + 1
        encoded = name.encode()
        self._begin(record)
        extent = words[record + _EXTENT]
        for word in range(record + _SLOTS, record + _SLOTS + extent):
            words[word] = 0
        words[record + _HASH] = _hash(name)
        words[record + _LENGTH] = len(encoded)
        start = (record + _NAME) * 8
        self._memory[start : start + len(encoded)] = encoded
        words[record + _EXTENT] = 0
        words[record + FROZEN] = 0
        words[record + BROKEN] = 0
        words[record + FREEZING] = 0
        # Counting goes on, so that nobody takes the new group's barriers for the old one's.
        words[record + BARRIER] = next_generation(words[record + BARRIER])
        self._end(record)
        return record

    def _vacate(self, record: int, instance: int) -> None:
        words = self.words
        word = record + _SLOTS + instance
        self._begin(record)
        if words[record + FROZEN]:
            words[record + BROKEN] = 1
            words[word] |= _GONE
        else:
            words[word] = 0
        self._end(record)

    def _begin(self, record: int) -> None:
        self.words[record + VERSION] |= 1
        self._fence()

    def _end(self, record: int) -> None:
        self._fence()
        self.words[record + VERSION] += 1

    def _repair(self) -> None:
        """End the changes of a PE that went away with the lock in hand."""
        for record in self._records():
            if self.words[record + VERSION] & 1:
                self._end(record)

    # -- those who leave without saying so --------------------------------------------

    def bury_the_gone(self) -> None:
        """Take dead and departed PEs out of their groups; looks a few times a second."""
        if self._commons.newly_gone():
            with self._lock:
                self._bury_locked()

    def _bury_locked(self) -> None:
        """Take dead and departed PEs out of their groups."""
        for record in self._records():
            for instance, slot in enumerate(self._slots(record)):
                pe = (slot & (_GONE - 1)) - 1
                is_other = slot and not slot & _GONE and pe != self._commons.index
                if is_other and self._commons.fate(pe) is not None:
                    self._vacate(record, instance)

    def _leave_all(self) -> None:
        own = self._commons.index + 1
        mine = [
            (record, instance)
            for record in self._records()
            for instance, slot in enumerate(self._slots(record))
            if slot & _WHO == own
        ]
        if mine:
            with self._lock:
                for record, instance in mine:
                    self._vacate(record, instance)


def next_generation(barrier: int) -> int:
    """A barrier word with nobody waiting, one generation on."""
    return ((barrier >> GENERATION_SHIFT) + 1 & _GENERATION_MASK) << GENERATION_SHIFT


def _hash(name: str) -> int:
    return zlib.crc32(name.encode())
