"""The table of groups as it lies in shared memory.

It is one block of 64-bit words::

    0   lock of all changes: the PE that holds it, plus 1
    8   the newest stamp
    16  records in use, ever
    64  records

and a record, one per group::

    version     odd while a member changes the record
    hash, name length, name
    extent      one more than the highest instance ever taken
    frozen      1 once nobody may join any more
    broken      whether a member has left since
    freezing, barrier   see redcoll_pvm.runtime.group_barrier
    slots       by instance: stamp, "has left a frozen group", PE plus 1; 0 is free

A change is one store to a slot, so a PE that dies leaves nothing half done but the odd
version and the lock, which the next one repairs. A record without members is free.
"""

from __future__ import annotations

import zlib

from redcoll._mpi4py import MPI
from redcoll.errors import GroupLimitError
from redcoll.memory.shared_window import SharedWindow
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll_pvm import _settings
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.lock import Lock

NAME_BYTES = 256
"""Longest name, in UTF-8."""

_LOCK, STAMP, _USED, _RECORDS = 0, 8, 16, 64
# Words of a record. The barrier has a cache line of its own.
VERSION, _HASH, _LENGTH, _EXTENT, FROZEN, BROKEN, FREEZING = range(7)
BARRIER, _NAME, _SLOTS = 8, 16, 16 + NAME_BYTES // 8

# A barrier word: generation, count, arrivals (see redcoll_pvm.runtime.group_barrier).
GENERATION_SHIFT, COUNT_SHIFT = 40, 20
COUNT_MASK = (1 << COUNT_SHIFT) - 1
_GENERATION_MASK = (1 << 23) - 1

_PE_BITS = 20
_GONE = 1 << _PE_BITS
_WHO = _GONE | (_GONE - 1)
_STAMP_SHIFT = _PE_BITS + 1


def next_generation(barrier: int) -> int:
    """A barrier word with nobody waiting, one generation on."""
    return ((barrier >> GENERATION_SHIFT) + 1 & _GENERATION_MASK) << GENERATION_SHIFT


# -- slots ------------------------------------------------------------------------------


def is_held(slot: int) -> bool:
    """Whether it is a member's who has not left."""
    return bool(slot) and not slot & _GONE


def is_held_by(slot: int, pe: int) -> bool:
    """Whether it is this PE's, who has not left."""
    return slot & _WHO == pe + 1


def pe_of(slot: int) -> int:
    """Whose it is, or was in a frozen group."""
    return (slot & (_GONE - 1)) - 1


def stamp_of(slot: int) -> int:
    """Which membership it is."""
    return slot >> _STAMP_SHIFT


class Records:
    """The records of all groups.

    Collective over ``comm``.

    Parameters
    ----------
    commons
        The PEs that may be members.
    comm
        Those who read and change the records by themselves; they share memory.
    """

    def __init__(self, commons: Commons, comm: MPI.Intracomm) -> None:
        self.most = _settings.MAX_GROUPS.get()
        """Groups that there may be at once."""
        self._record_words = round_up((_SLOTS + commons.size) * 8, LINE) // 8
        total_bytes = 8 * (_RECORDS + self.most * self._record_words)
        window = SharedWindow(
            comm, 0, f"table of groups ({_settings.MAX_GROUPS.name})", total_bytes
        )
        self.words = window.words
        self.compare_swap = commons.compare_swap_on(window)
        self.fence = window.fence or (lambda: None)
        self.lock = Lock(commons, window, _LOCK, self._repair)
        """To be held by who changes a record."""
        self._memory = window.memory

    # -- reading --------------------------------------------------------------------

    def all(self) -> range:
        """Every record that has ever been in use: its first word."""
        used = self.words[_USED]
        return range(_RECORDS, _RECORDS + used * self._record_words, self._record_words)

    def find(self, name: str) -> int | None:
        """The record of a group that has members."""
        wanted = _hash(name)
        for record in self.all():
            if self.words[record + _HASH] == wanted and self._is_living(record, name):
                return record
        return None

    def _is_living(self, record: int, name: str) -> bool:
        while True:
            version = self.settled_version(record)
            self.fence()
            if self.is_named(record, name) and self._has_members(record):
                return True
            self.fence()
            # A member that comes while another goes may not have been seen, nor that other.
            if self.words[record + VERSION] == version:
                return False

    def is_named(self, record: int, name: str) -> bool:
        """Whether the record is, or was, of the group of this name."""
        start = (record + _NAME) * 8
        length = min(self.words[record + _LENGTH], NAME_BYTES)
        return bytes(self._memory[start : start + length]) == name.encode()

    def slots(self, record: int) -> list[int]:
        """By instance, up to the highest ever taken."""
        extent = self.words[record + _EXTENT]
        return self.words[record + _SLOTS : record + _SLOTS + extent].tolist()

    def settled_version(self, record: int) -> int:
        """The version, once nobody is changing the record."""
        version = self.words[record + VERSION]
        while version & 1:
            # Whoever changes it holds the lock; if that PE has died, taking it repairs.
            with self.lock:
                version = self.words[record + VERSION]
        return version

    def _has_members(self, record: int) -> bool:
        return any(is_held(slot) for slot in self.slots(record))

    # -- changing, with the lock held -----------------------------------------------

    def create(self, name: str) -> int:
        """A record without members that bears the name.

        Raises
        ------
        GroupLimitError
            ``REDCOLL_MAX_GROUPS`` would be passed.
        """
        words = self.words
        record = next((r for r in self.all() if not self._has_members(r)), None)
        if record is None:
            used = words[_USED]
            if used >= self.most:
                raise GroupLimitError(
                    f"group {name!r} would be one more than {self.most} groups at once "
                    f"({_settings.MAX_GROUPS.name})"
                )
            record = _RECORDS + used * self._record_words
            words[_USED] = used + 1
        encoded = name.encode()
        self.begin(record)
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

    def occupy(self, record: int, instance: int, pe: int) -> int:
        """Make a PE a member at a free instance; the stamp of the membership."""
        words = self.words
        stamp = words[STAMP] + 1
        self.begin(record)
        words[STAMP] = stamp
        words[record + _EXTENT] = max(words[record + _EXTENT], instance + 1)
        words[record + _SLOTS + instance] = stamp << _STAMP_SHIFT | (pe + 1)
        self._end(record)
        return stamp

    def vacate(self, record: int, instance: int) -> None:
        """End a membership; in a frozen group its place stays taken."""
        words = self.words
        word = record + _SLOTS + instance
        self.begin(record)
        if words[record + FROZEN]:
            words[record + BROKEN] = 1
            words[word] |= _GONE
        else:
            words[word] = 0
        self._end(record)

    def freeze(self, record: int) -> None:
        """Close a group for newcomers."""
        if not self.words[record + FROZEN]:
            self.begin(record)
            self.words[record + FROZEN] = 1
            self._end(record)

    def begin(self, record: int) -> None:
        """From here on readers wait."""
        self.words[record + VERSION] |= 1
        self.fence()

    def _end(self, record: int) -> None:
        self.fence()
        self.words[record + VERSION] += 1

    def _repair(self) -> None:
        """End the changes of a PE that went away with the lock in hand."""
        for record in self.all():
            if self.words[record + VERSION] & 1:
                self._end(record)


def _hash(name: str) -> int:
    return zlib.crc32(name.encode())
