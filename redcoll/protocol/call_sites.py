"""Record call sites: where in the program each member of a team called redcoll.

Each member keeps a record in the shared memory of its node. So other members can read a record
while its owner computes or waits in MPI, and after the owner's death. A record has these parts::

    0      32 words, one for each of the last rounds: the round's number, and the slot of its site
    256    the time at which a waiting member last wrote here, and the text of its call
    448    64 slots, each with the text of one call site

The compiled kernel writes a word in every round. The NumPy kernel writes a word only if a wait is
long, headers differ or arguments are wrong. redcoll uses the records only in error messages and
reports.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import CodeType
from typing import Final

NOTED: Final = 32
SLOT_BITS: Final = 8
SITES: Final = 64
_TEXT_BYTES: Final = 96
_WAIT_AT: Final = 8 * NOTED
_SLOTS_AT: Final = _WAIT_AT + 192
RECORD_BYTES: Final = _SLOTS_AT + SITES * _TEXT_BYTES
_FRESH_MS: Final = 1000
"""A member that waits renews its text at every check, so an older text is out of date."""
_PATIENCE_S: Final = 0.02
"""The longest wait in seconds for the sites that other members note after a mismatch."""

# This module does not import pathlib, because the import adds 4 ms to the start of each rank.
_PACKAGES: Final = __file__.rpartition("/redcoll/")[0]
_OURS: Final = tuple(f"{_PACKAGES}/{name}/" for name in ("redcoll", "redcoll_shmem", "redcoll_pvm"))
_NOT_OURS: Final = f"{_PACKAGES}/redcoll/bench"


def is_ours(code: CodeType) -> bool:
    """Return whether code belongs to redcoll, and not to the program that calls it."""
    file = code.co_filename
    return file.startswith(_OURS) and not file.startswith(_NOT_OURS)


def site_of(code: CodeType, instruction: int) -> str:
    """Return the text of a call site, such as ``cg.py:88 norm``."""
    found = code.co_firstlineno
    for start, stop, line in code.co_lines():
        if start <= instruction < stop and line is not None:
            found = line
    name = "" if code.co_name == "<module>" else f" {code.co_name}"
    return f"{code.co_filename.rpartition('/')[2]}:{found}{name}"


def here() -> str:
    """Return the call site of the innermost frame of the program; empty if there is none."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only cheap way
    while is_ours(frame.f_code):
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return site_of(frame.f_code, frame.f_lasti)


class CallSites:
    """The access of one member to the records of all members of the node.

    ``starts`` has the offset of each member's record in ``memory``. ``me`` is the caller's index
    among the members.
    """

    def __init__(self, memory: memoryview, starts: Sequence[int], me: int) -> None:
        self._memory = memory
        self._words = memory.cast("q")
        self._starts = starts
        self._me = me
        self._start = starts[me]
        self._slot = 0
        self._last = ""

    def new_slot(self, text: str) -> int:
        """Write a text to the next slot of the caller; return the slot."""
        self._slot = self._slot % (SITES - 1) + 1  # slot 0 means no site
        self._write(self._start + _SLOTS_AT + self._slot * _TEXT_BYTES, text, _TEXT_BYTES)
        return self._slot

    def note(self, sequence: int) -> None:
        """Record the caller's present call site as the site of a round."""
        text = here()
        if text != self._last:
            self.new_slot(text)
            self._last = text
        at = self._start // 8 + sequence % NOTED
        self._words[at] = sequence << SLOT_BITS | self._slot

    def note_wait(self, text: str) -> None:
        """Record that the caller waits in a call.  Call this method repeatedly during the wait."""
        time_ms = _now_ms().to_bytes(8, sys.byteorder)
        # Write all in one step. Another thread can close the team and unmap the memory between two
        # steps. Then this step raises ``ValueError``.
        limit = _SLOTS_AT - _WAIT_AT
        data = (time_ms + text.encode())[:limit].ljust(limit, b"\0")
        self._memory[self._start + _WAIT_AT : self._start + _SLOTS_AT] = data

    def of(self, member: int, sequence: int) -> str:
        """Return the site of a member's recent round; empty if it is unknown."""
        word = self._words[self._starts[member] // 8 + sequence % NOTED]
        slot = word & (1 << SLOT_BITS) - 1
        if word >> SLOT_BITS != sequence or not 0 < slot < SITES:
            return ""
        return self._read(self._starts[member] + _SLOTS_AT + slot * _TEXT_BYTES, _TEXT_BYTES)

    def recent(self) -> list[tuple[int, str]]:
        """Return the caller's last rounds and their sites, oldest first."""
        first = self._start // 8
        words = sorted(word for word in self._words[first : first + NOTED] if word)
        rounds = [word >> SLOT_BITS for word in words]
        return [(sequence, self.of(self._me, sequence)) for sequence in rounds]

    def wait_of(self, member: int) -> str:
        """Return the call in which a member waits; empty if the member does not wait."""
        at = self._starts[member] + _WAIT_AT
        if not 0 <= _now_ms() - self._words[at // 8] <= _FRESH_MS:
            return ""
        return self._read(at + 8, _SLOTS_AT - _WAIT_AT - 8)

    def await_all(self, sequence: int) -> None:
        """Wait up to 0.02 s until every member has noted its site of this round."""
        until_s = time.monotonic() + _PATIENCE_S
        for member in range(len(self._starts)):
            while not self.of(member, sequence) and time.monotonic() < until_s:
                time.sleep(1e-4)

    def _write(self, at: int, text: str, limit: int) -> None:
        self._memory[at : at + limit] = text.encode()[:limit].ljust(limit, b"\0")

    def _read(self, at: int, limit: int) -> str:
        data = bytes(self._memory[at : at + limit])
        return data.partition(b"\0")[0].decode(errors="ignore")


def _now_ms() -> int:
    # All processes of a machine share this clock.
    return int(time.monotonic() * 1e3)
