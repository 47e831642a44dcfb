"""How the members of an active set find each other where they share no memory.

The first of them calls the others; who is there, or comes, answers, and the first says when all
have. So an answer is never older than the call, however often members gave up and came again
before. Who gives up after its answer takes that back.
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Sequence
from typing import Final

from redcoll._mpi4py import MPI

_CALL, _HERE, _GONE, _GO, _LACKING = range(5)
"""What a message says: the first three of the call with that number, the last of that PE."""
_calls = itertools.count(1)
"""Numbers of the calls of this process: none is taken for one of an earlier meeting."""
_TELL_EVERY_S: Final = 0.05
"""So often, while it waits, the first tells who has answered for whom it still waits."""


class Meeting:
    """One member's part in it.

    Parameters
    ----------
    comm
        All PEs.
    pes
        The members, of which the caller is one.
    tag
        Of the messages; no other set with the same first member has the same.
    """

    def __init__(self, comm: MPI.Intracomm, pes: Sequence[int], tag: int) -> None:
        self._comm = comm
        self._tag = tag
        self._first = pes[0]
        self._is_first = comm.Get_rank() == pes[0]
        self._others = list(pes[1:] if self._is_first else pes[:1])
        self._words = {pe: array("q", (0, 0)) for pe in self._others}
        self._receives: dict[int, MPI.Request] = {}
        self._sends: list[tuple[MPI.Request, array[int]]] = []
        self._call = 0
        """The number of the last call, 0 before the first one."""
        self._next_tell_s = 0.0
        self._here: set[int] = set()
        self._gone: set[int] = set()
        self._told: dict[int, int] = {}
        self._may_go = False
        self.lacking: int | None = None
        """Whom the first waits for, if it has told this member."""

    def come(self) -> None:
        """Be there, until :meth:`take_back`, or until it :meth:`can_end`."""
        self._next_tell_s = time.monotonic() + _TELL_EVERY_S
        self.lacking = None
        self._receives = {pe: self._expect(pe) for pe in self._others}
        if self._is_first:
            self._call = next(_calls)
            for answers in (self._here, self._gone, self._told):
                answers.clear()
            for pe in self._others:
                self._say(pe, _CALL, self._call)
        elif self._call:
            self._say(self._first, _HERE, self._call)

    def absent(self) -> list[int]:
        """Who has not come: of all others for the first member, the first for the others."""
        for pe in self._others:
            while pe in self._receives and self._receives[pe].Test():
                self._take(pe)
                if self._may_go:
                    # What comes next is of another meeting.
                    self._receives.clear()
                else:
                    self._receives[pe] = self._expect(pe)
        if not self._is_first:
            return [] if self._may_go else self._others
        # Who gave up did so for want of the others.
        answered = self._here | self._gone
        absent = [pe for pe in self._others if pe not in answered] or sorted(self._gone)
        now_s = time.monotonic()
        if absent and now_s > self._next_tell_s:
            self._next_tell_s = now_s + _TELL_EVERY_S
            self._sends = [each for each in self._sends if not each[0].Test()]
            for pe in self._here:
                if self._told.get(pe) != absent[0]:
                    self._told[pe] = absent[0]
                    self._say(pe, _LACKING, absent[0])
        return absent

    def take_back(self) -> bool:
        """Give up, for now; whether it is too late for that, since the first has said go.

        It may also say so just now. Then it waits for this member to come again.
        """
        self.absent()  # hears what has arrived
        self._listen_no_more()
        if self._may_go:
            MPI.Request.Waitall([request for request, _ in self._sends])
        elif not self._is_first and self._call:
            self._say(self._first, _GONE, self._call)
        return self._may_go

    def can_end(self) -> bool:
        """Whether nobody is absent, nor has given up in the last moment: then all go on."""
        if self.absent():
            return False
        self._listen_no_more()
        if self._gone:
            self._receives = {pe: self._expect(pe) for pe in self._others}
            return False
        if self._is_first:
            for pe in self._others:
                self._say(pe, _GO, self._call)
        MPI.Request.Waitall([request for request, _ in self._sends])
        return True

    def _take(self, pe: int) -> None:
        kind, value = self._words[pe]
        if kind == _CALL:
            self._call = value
            self._say(self._first, _HERE, value)
        elif kind == _GO:
            self._may_go = True
        elif kind == _LACKING:
            self.lacking = value
        elif value == self._call:
            (self._here if kind == _HERE else self._gone).add(pe)
            (self._gone if kind == _HERE else self._here).discard(pe)
            self._told.pop(pe, None)

    def _say(self, pe: int, kind: int, value: int) -> None:
        data = array("q", (kind, value))
        self._sends.append((self._comm.Isend([data, MPI.INT64_T], pe, self._tag), data))

    def _expect(self, pe: int) -> MPI.Request:
        return self._comm.Irecv([self._words[pe], MPI.INT64_T], pe, self._tag)

    def _listen_no_more(self) -> None:
        status = MPI.Status()
        for pe, request in self._receives.items():
            request.Cancel()
            request.Wait(status)
            if not status.Is_cancelled():
                self._take(pe)
        self._receives.clear()
