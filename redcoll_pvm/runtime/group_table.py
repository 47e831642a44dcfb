"""Keep the groups and tasks of a job in 64-bit words.

On one node, the words are in shared memory. On several nodes, the words are in the memory of the
group server. The first words are the lock (the task that holds it, plus 1), the newest incarnation,
and the number of records in use. A cache line for each task and a record for each group come next.
A task's line has these words::

    state       ``LEFT`` after the task has left the job
    claimer     the task that has spawned this task, plus 1
    waits at    place and generation of the barrier word that last counted the task

A record has these words::

    version     a number that changes before any other word of the record
    hash, length, name
    extent      the highest instance ever used, plus 1
    frozen      1 after the group was frozen
    broken      1 after a member has left the frozen group
    freezing, barrier   barrier words: generation, count, arrivals
    slots       by instance: incarnation, flag (has left a frozen group), task plus 1; 0 if free

Most operations run for the task in their first argument. A task holds the lock while it changes a
record. Barrier words are an exception, because tasks change them by compare-and-swap. A task reads
a record again only if the record's version has changed. A record without members is free.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator

from redcoll._mpi4py import MPI
from redcoll.errors import (
    AlreadyInGroupError,
    CollectiveMismatchError,
    GroupLimitError,
    NoGroupError,
    NotInGroupError,
)
from redcoll.liveness.peers import LEFT
from redcoll.memory.shared_window import SharedWindow
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up
from redcoll_pvm import _settings
from redcoll_pvm.runtime.group_snapshot import BarrierStatus, GroupRecord, Member
from redcoll_pvm.runtime.task_set import TaskSet

NAME_BYTES = 256
"""The largest size of a group's name in UTF-8."""

_LOCK, _NEWEST, _USED, _TASKS = 0, 8, 16, 64
_LINE_WORDS = LINE // 8
# Words of a task's line.
_STATE, _CLAIMER, _WAITS_AT = range(3)
# Words of a record. The barrier word has its own cache line.
VERSION, _HASH, _LENGTH, _EXTENT, _FROZEN, _BROKEN, FREEZING = range(7)
BARRIER, _NAME, _SLOTS = 8, 16, 16 + NAME_BYTES // 8

# A barrier word: generation, count, arrivals.
GENERATION_SHIFT, _COUNT_SHIFT = 40, 20
MAX_COUNT = (1 << _COUNT_SHIFT) - 1
_GENERATION_MASK = (1 << 23) - 1

# A slot: incarnation, whether the member has left a frozen group, task plus 1.
_TASK_BITS = 20
_LEFT_FROZEN = 1 << _TASK_BITS
_INCARNATION_SHIFT = _TASK_BITS + 1


def _is_present(slot: int) -> bool:
    return bool(slot) and not slot & _LEFT_FROZEN


def _task_of(slot: int) -> int:
    return (slot & (_LEFT_FROZEN - 1)) - 1


def _member(instance: int, slot: int) -> Member:
    return Member(instance, _task_of(slot), slot >> _INCARNATION_SHIFT, not _is_present(slot))


def _next_generation(word: int) -> int:
    """Return the barrier word of the next generation, which counts no arrivals yet."""
    return ((word >> GENERATION_SHIFT) + 1 & _GENERATION_MASK) << GENERATION_SHIFT


def _mark(at: int, generation: int) -> int:
    """Return the value of a task's word ``waits at`` for a barrier word and a generation."""
    return at << 24 | generation


class GroupTable:
    """The table of groups and tasks, and all operations on the table.

    Construction is collective over ``comm``. The tasks of ``comm`` share memory and use the table
    directly.
    """

    def __init__(self, tasks: TaskSet, comm: MPI.Intracomm) -> None:
        self._tasks = tasks
        self._most = _settings.MAX_GROUPS.get()
        self._records = _TASKS + tasks.size * _LINE_WORDS
        self._record_words = round_up((_SLOTS + tasks.size) * 8, LINE) // 8
        n_bytes = 8 * (self._records + self._most * self._record_words)
        window = SharedWindow(comm, 0, f"table of groups ({_settings.MAX_GROUPS.name})", n_bytes)
        self.words = window.words
        self._memory = window.memory
        self._compare_swap = tasks.compare_swap_on(window)
        self._fence = window.fence or (lambda: None)
        self._lock_value = tasks.me + 1

    # -- the lock ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock.  Raises PeerLostError if the task that holds it has died."""
        try:
            if not self._try_lock():
                self._tasks.wait(self._try_lock, self._holder, lambda: "lock of the group table")
            self._fence()
            yield
        finally:
            if self.words[_LOCK] == self._lock_value:
                self._fence()
                self.words[_LOCK] = 0

    def _try_lock(self) -> bool:
        # This task may hold the lock already, if an interrupt ended an earlier call before that
        # call released the lock.
        holder = self.words[_LOCK]
        return holder == self._lock_value or (
            holder == 0 and self._compare_swap(_LOCK, 0, self._lock_value) == 0
        )

    def _holder(self) -> list[int]:
        holder = self.words[_LOCK] - 1
        return [holder] if holder >= 0 else []

    # -- reading -----------------------------------------------------------------------

    def _all(self) -> range:
        """Return the index of the first word of each record that was ever in use."""
        end = self._records + self.words[_USED] * self._record_words
        return range(self._records, end, self._record_words)

    def _slots(self, record: int) -> list[int]:
        extent = self.words[record + _EXTENT]
        return self.words[record + _SLOTS : record + _SLOTS + extent].tolist()

    def _has_members(self, record: int) -> bool:
        return any(map(_is_present, self._slots(record)))

    def _find(self, name: str) -> int | None:
        """Return the record of the group with this name; None if no such group has members."""
        encoded = name.encode()
        for record in self._all():
            if self.words[record + _HASH] == zlib.crc32(encoded):
                start = (record + _NAME) * 8
                stored = bytes(self._memory[start : start + self.words[record + _LENGTH]])
                if stored == encoded and self._has_members(record):
                    return record
        return None

    def read(self, _task: int, name: str, known: tuple[int, int] | None) -> GroupRecord | None:
        """Return the present content of a group; None if its record and version equal ``known``."""
        words, hashed = self.words, zlib.crc32(name.encode())
        # Programs may poll until a group exists. Without a record of this hash, take no lock.
        if any(words[record + _HASH] == hashed for record in self._all()):
            with self._locked():
                record = self._find(name)
                if record is not None:
                    version = words[record + VERSION]
                    if known == (record, version):
                        return None
                    slots = enumerate(self._slots(record))
                    members = [_member(instance, slot) for instance, slot in slots if slot]
                    newest, is_frozen = words[_NEWEST], bool(words[record + _FROZEN])
                    is_broken = bool(words[record + _BROKEN])
                    return GroupRecord(name, record, version, members, newest, is_frozen, is_broken)
        raise NoGroupError(f"there is no group {name!r}")

    def holds(self, _task: int, incarnation: int) -> bool:
        """Return whether the membership with this incarnation still exists."""
        return any(
            _is_present(slot) and slot >> _INCARNATION_SHIFT == incarnation
            for record in self._all()
            for slot in self._slots(record)
        )

    def members(self, record: int) -> list[int]:
        """Return the tasks that are members of a record's group."""
        return [_task_of(slot) for slot in self._slots(record) if _is_present(slot)]

    def places(self, task: int) -> list[tuple[int, int]]:
        """Return record and instance of each membership of a task."""
        return [
            (record, instance)
            for record in self._all()
            for instance, slot in enumerate(self._slots(record))
            if _is_present(slot) and _task_of(slot) == task
        ]

    # -- members -----------------------------------------------------------------------

    def join(self, task: int, name: str) -> tuple[int, Member]:
        """Add a task with the lowest free instance; return the group's record and the membership.

        The errors are those of :meth:`GroupStore.join`.
        """
        words = self.words
        with self._locked():
            record = self._find(name)
            if record is None:
                record = self._create(name)
            slots = self._slots(record)
            if any(_is_present(slot) and _task_of(slot) == task for slot in slots):
                raise AlreadyInGroupError(f"task {task} is already in group {name!r}")
            if words[record + _FROZEN]:
                raise NotInGroupError(f"group {name!r} is frozen: nobody can join it")
            instance = slots.index(0) if 0 in slots else len(slots)
            incarnation = words[_NEWEST] + 1
            slot = incarnation << _INCARNATION_SHIFT | (task + 1)
            self._begin_change(record)
            words[_NEWEST] = incarnation
            words[record + _SLOTS + instance] = slot
            words[record + _EXTENT] = max(words[record + _EXTENT], instance + 1)
        return record, _member(instance, slot)

    def _create(self, name: str) -> int:
        """Give a name to a record without members; return the record."""
        words = self.words
        record = next((r for r in self._all() if not self._has_members(r)), None)
        if record is None:
            used = words[_USED]
            if used >= self._most:
                raise GroupLimitError(
                    f"group {name!r} would be one more than {self._most} groups at once "
                    f"({_settings.MAX_GROUPS.name})"
                )
            record = self._records + used * self._record_words
            words[_USED] = used + 1
        encoded = name.encode()
        self._begin_change(record)
        for word in (_EXTENT, _FROZEN, _BROKEN, *range(_SLOTS, self._record_words)):
            words[record + word] = 0
        # Start a new generation, so that a late wait in the old group does not match the new group.
        for word in (FREEZING, BARRIER):
            words[record + word] = _next_generation(words[record + word])
        start = (record + _NAME) * 8
        self._memory[start : start + len(encoded)] = encoded
        words[record + _LENGTH] = len(encoded)
        words[record + _HASH] = zlib.crc32(encoded)
        return record

    def leave(self, _task: int, record: int, instance: int) -> None:
        """End a membership.  In a frozen group, the member's slot stays occupied."""
        words = self.words
        with self._locked():
            self._begin_change(record)
            if words[record + _FROZEN]:
                words[record + _BROKEN] = 1
                words[record + _SLOTS + instance] |= _LEFT_FROZEN
            else:
                words[record + _SLOTS + instance] = 0

    def _begin_change(self, record: int) -> None:
        # A task that sees the new version then waits for the lock, so it sees the complete change.
        self.words[record + VERSION] += 1
        self._fence()

    # -- tasks -------------------------------------------------------------------------

    def _line(self, task: int) -> int:
        return _TASKS + task * _LINE_WORDS

    def state(self, task: int) -> int:
        """Return ``LEFT`` if a task has left the job; otherwise another number."""
        return self.words[self._line(task) + _STATE]

    def depart(self, task: int) -> None:
        """End all memberships of a task, and record that it has left the job."""
        try:
            for record, instance in self.places(task):
                self.leave(task, record, instance)
        finally:
            self.words[self._line(task) + _STATE] = LEFT

    def claim(self, claimer: int, most: int) -> list[int]:
        """See :meth:`GroupStore.claim`. Task 0 is never claimed."""
        words = self.words
        with self._locked():
            free = [
                task
                for task in range(1, self._tasks.size)
                if task != claimer
                and not words[self._line(task) + _CLAIMER]
                and self.state(task) != LEFT
                and self._tasks.fate(task) is None
            ][:most]
            for task in free:
                words[self._line(task) + _CLAIMER] = claimer + 1
        return free

    def claimer(self, task: int) -> int | None:
        """Return the task that has claimed ``task``, or None."""
        claimer = self.words[self._line(task) + _CLAIMER]
        return claimer - 1 if claimer else None

    # -- barriers ----------------------------------------------------------------------

    def arrive(
        self, task: int, at: int, wanted: int, doing: str, freezing: int | None
    ) -> tuple[int, bool]:
        """See :meth:`GroupStore.arrive`.

        Returns the generation in which the task is counted, and whether this call ends the
        generation. Raises CollectiveMismatchError if the waiting tasks passed another count.
        """
        if freezing is None:
            return self._arrive(task, at, wanted, doing)
        with self._locked():
            # Begin the change first. Then the tasks that this arrival releases see a new version,
            # and wait for the lock.
            self._begin_change(freezing)
            generation, is_last = self._arrive(task, at, wanted, doing)
            if is_last:
                self.words[freezing + _FROZEN] = 1
        return generation, is_last

    def _arrive(self, task: int, at: int, wanted: int, doing: str) -> tuple[int, bool]:
        words = self.words
        while True:
            word = words[at]
            generation, arrived = word >> GENERATION_SHIFT, word & MAX_COUNT
            count = word >> _COUNT_SHIFT & MAX_COUNT if arrived else wanted
            if count != wanted:
                raise CollectiveMismatchError(
                    f"{doing}: count is {wanted}; it must be {count}, as for the tasks that wait"
                )
            is_last = arrived + 1 == wanted
            if is_last:
                new = _next_generation(word)
            else:
                new = generation << GENERATION_SHIFT | wanted << _COUNT_SHIFT | arrived + 1
            if self._compare_swap(at, word, new) == word:
                words[self._line(task) + _WAITS_AT] = _mark(at, generation)
                return generation, is_last

    def withdraw(self, task: int, at: int) -> bool:
        """Stop counting a task as arrived; return False if the generation has ended."""
        line = self._line(task) + _WAITS_AT
        mark, self.words[line] = self.words[line], 0
        while True:
            word = self.words[at]
            if mark != _mark(at, word >> GENERATION_SHIFT):
                return False
            if self._compare_swap(at, word, word - 1) == word:
                return True

    def waiting(self, at: int, generation: int) -> list[int]:
        """Return the tasks that have arrived at this barrier word in this generation."""
        mark = _mark(at, generation)
        return [
            task
            for task in range(self._tasks.size)
            if self.words[self._line(task) + _WAITS_AT] == mark
        ]

    def barrier_status(self, _task: int, record: int, at: int, generation: int) -> BarrierStatus:
        """See :meth:`GroupStore.barrier_status`."""
        while (word := self.words[at]) >> GENERATION_SHIFT == generation:
            self._fence()
            waiting = self.waiting(at, generation)
            self._fence()
            # The number of arrivals belongs to the list of tasks only if the word has not changed.
            if self.words[at] == word:
                return bool(self.words[record + _BROKEN]), waiting, word & MAX_COUNT
        return None
