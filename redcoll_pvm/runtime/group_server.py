"""The registrar: keeps the groups of a job over several nodes, and answers who asks.

It is PE 0. All changes are made here, one after the other, by the code that a node uses on
its shared memory. Where MPI lets several threads call it, a thread of its own answers, so that
nobody waits for the program of PE 0; elsewhere PE 0 answers whenever it looks for mail, as all
its calls on groups and messages and all its waits do.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from redcoll._mpi4py import MPI
from redcoll.errors import RedcollError
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.counters import Counters
from redcoll_pvm.runtime.group_table import BROKEN, COUNT_MASK, GENERATION_SHIFT, Records
from redcoll_pvm.runtime.register import Register
from redcoll_pvm.runtime.group_snapshot import Entry, Member

REGISTRAR = 0
"""The PE."""
REQUEST, ANSWER = 1, 2
"""MPI's tags."""
NO_ANSWER, ENDED, CLAIMED, NEWS = 0, -1, -2, -3
"""Instead of a request's number: none is wanted; what is told unasked."""

_BUSY_S = 2e-3
_SHORT_NAP_S, _LONG_NAP_S = 2e-5, 1e-3

Request = tuple[int, str, tuple[Any, ...]]
"""Number, what, and its arguments."""
Gone = tuple[int, str, bool]
"""A PE, why it will never come again, and whether it has died."""
Answer = tuple[int, bool, Any, list[Gone], dict[int, int]]
"""Number, whether it is an exception, what it is; who has gone since, and what is owed."""


class Registrar:
    """Groups and barriers of all PEs.

    Parameters
    ----------
    commons
        The PEs.
    comm
        Theirs, for requests and answers alone.
    """

    def __init__(self, commons: Commons, comm: MPI.Intracomm) -> None:
        self._comm = comm
        records = Records(commons, MPI.COMM_SELF)
        self._words = records.words
        self._gone: dict[int, bool] = {}
        self._register = Register(records, self._gone.__contains__)
        self._counters = Counters(records)
        # Who waits where, and for the end of which generation.
        self._waiting: dict[int, dict[int, int]] = {}
        # By PE: the number of its latest request, and where its latest one to join has made it
        # a member, if it has.
        self._latest = [0] * commons.size
        self._joined: list[tuple[int, int] | None] = [None] * commons.size
        self._claimed: set[int] = {REGISTRAR}
        self._log: list[Gone] = []
        self._told = [0] * commons.size
        # By PE: how many parcels it must have got from others who left one of its groups.
        self._owed: list[dict[int, int]] = [{} for _ in range(commons.size)]
        self._lock = threading.Lock()
        self._sends: deque[tuple[MPI.Request, bytes]] = deque()
        self.own_answers: deque[bytes] = deque()
        """For the PE that the registrar is."""
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
            self._thread = threading.Thread(target=self._run, name="registrar", daemon=True)
            self._thread.start()
        else:
            commons.errands.append(self.serve)

    # -- requests -------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._serve_on()
        except BaseException:  # noqa: BLE001 - whatever it was, nobody else would tell
            if not MPI.Is_finalized():
                # Without answers all others would wait, and blame a PE that lives.
                traceback.print_exc()
                MPI.COMM_WORLD.Abort(1)

    def _serve_on(self) -> None:
        busy_until_s = 0.0
        while not self._is_over.is_set():
            now_s = time.monotonic()
            if self.serve():
                busy_until_s = now_s + _BUSY_S
            time.sleep(_SHORT_NAP_S if now_s < busy_until_s else _LONG_NAP_S)

    def give_way(self) -> None:
        """Let the thread run, if there is one; it needs Python's lock."""
        if self._thread is None:
            os.sched_yield()
        else:
            time.sleep(_SHORT_NAP_S)

    def serve(self) -> bool:
        """Answer those who have asked; whether anybody had."""
        with self._lock:
            for _ in range(len(self._sends)):
                sent = self._sends.popleft()
                if not sent[0].Test():
                    self._sends.append(sent)
            status = MPI.Status()
            has_served = False
            while (message := self._comm.Improbe(MPI.ANY_SOURCE, REQUEST, status)) is not None:
                data = bytearray(status.Get_count(MPI.BYTE))
                message.Recv([data, MPI.BYTE])
                self._handle(status.Get_source(), pickle.loads(data))  # noqa: S301 - own data
                has_served = True
        return has_served

    def ask(self, request: bytes) -> None:
        """A request of the PE that the registrar is."""
        # Others may have told this PE of what they had asked for before.
        self.serve()
        with self._lock:
            self._handle(REGISTRAR, pickle.loads(request))  # noqa: S301 - own data

    def close(self) -> None:
        """Answer nobody any more."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
        self.serve()

    def _handle(self, pe: int, request: Request) -> None:
        number, what, args = request
        if number != NO_ANSWER:
            self._latest[pe] = number
        try:
            value: Any = self._OPERATIONS[what](self, pe, *args)
            is_error = False
        except Exception as error:
            # Who has asked gets it, and the others' job goes on. Of what nobody awaits an answer
            # to nobody would hear.
            if number == NO_ANSWER and not isinstance(error, RedcollError):
                raise
            value, is_error = error, True
        if number != NO_ANSWER:
            self._answer(pe, number, value, is_error=is_error)

    def _answer(self, pe: int, number: int, value: Any, *, is_error: bool = False) -> None:
        news, self._told[pe] = self._log[self._told[pe] :], len(self._log)
        owed, self._owed[pe] = self._owed[pe], {}
        answer: Answer = (number, is_error, value, news, owed)
        data = pickle.dumps(answer)
        if pe == REGISTRAR:
            self.own_answers.append(data)
            return
        if self._gone.get(pe, False):
            return  # dead: nobody is there to hear it
        sent = self._comm.Isend([data, MPI.BYTE], pe, ANSWER)
        if not sent.Test():
            self._sends.append((sent, data))

    # -- groups ---------------------------------------------------------------------

    def _read(self, _pe: int, name: str, known: tuple[int, int] | None) -> Entry | None:
        """The group; None if record and version are those ``known``."""
        entry = self._register.read(name)
        return None if known == (entry.record, entry.version) else entry

    def _holds(self, _pe: int, record: int, stamp: int) -> bool:
        return self._register.holds(record, stamp)

    def _join(self, pe: int, name: str) -> Member:
        self._joined[pe] = None
        member = self._register.join(name, pe, after_burial=False)
        self._joined[pe] = self._register.read(name).record, member.instance
        return member

    def _unjoin(self, pe: int) -> None:
        """The caller was interrupted, and knows nothing of the membership; if it was given one."""
        place = self._joined[pe]
        if place is not None:
            self._register.leave([place])

    def _leave(self, pe: int, record: int, instance: int, sent: Sequence[int]) -> None:
        self._owe(pe, record, sent)
        self._register.leave([(record, instance)])

    def _owe(self, leaver: int, record: int, sent: Sequence[int]) -> None:
        """The members are to wait for what a leaver has sent before they count it out."""
        for member in self._register.members(record):
            if sent[member]:
                self._owed[member][leaver] = sent[member]

    def _freeze(self, _pe: int, record: int) -> None:
        self._register.freeze(record)

    # -- barriers -------------------------------------------------------------------

    def _arrive(
        self, pe: int, at: int, wanted: int, doing: str, freezing: int | None
    ) -> int | None:
        """The generation to wait for the end of, None if the caller ends it."""
        generation = self._counters.arrive(at, wanted, doing)
        if generation is not None:
            self._waiting.setdefault(at, {})[pe] = generation
            return generation
        if freezing is not None:
            self._register.freeze(freezing)
        for waiter, its_generation in self._waiting.pop(at, {}).items():
            self._answer(waiter, ENDED, (at, its_generation))
        return None

    def _withdraw(self, pe: int, at: int) -> bool:
        """Count the caller no more; False if all have come meanwhile."""
        generation = self._waiting.get(at, {}).pop(pe, None)
        return generation is not None and self._counters.withdraw(at, generation)

    def _lack(
        self, _pe: int, record: int, at: int, generation: int
    ) -> tuple[bool, list[int], int] | None:
        """None if the generation has ended; whether the group is broken, who waits, how many."""
        word = self._words[at]
        if word >> GENERATION_SHIFT != generation:
            return None
        is_broken = bool(self._words[record + BROKEN])
        return is_broken, list(self._waiting.get(at, ())), word & COUNT_MASK

    # -- PEs ------------------------------------------------------------------------

    def _claim(self, pe: int, most: int) -> list[int]:
        free = [
            other
            for other in range(len(self._told))
            if other not in self._claimed and other not in self._gone and other != pe
        ]
        claimed = free[:most]
        self._claimed.update(claimed)
        for other in claimed:
            self._answer(other, CLAIMED, pe)
        return claimed

    def _depart(self, pe: int, why: str, sent: Sequence[int]) -> None:
        places = self._register.places(pe)
        for record, _ in places:
            self._owe(pe, record, sent)
        self._register.leave(places)
        if pe not in self._gone:
            self._gone[pe] = False
            self._log.append((pe, why, False))

    def _report_death(self, _pe: int, dead: int, why: str) -> None:
        if not self._gone.get(dead, False):
            self._gone[dead] = True
            self._log.append((dead, why, True))
            self._register.bury()

    def _undo(self, pe: int, number: int, what: str, *args: Any) -> None:
        """Take a request back, if it was sent at all before the caller was interrupted."""
        if number == self._latest[pe]:
            self._OPERATIONS[what](self, pe, *args)

    def _tell_news(self, pe: int) -> None:
        self._answer(pe, NEWS, None)

    _OPERATIONS: dict[str, Callable[..., Any]] = {  # noqa: RUF012 - never changed
        "read": _read,
        "holds": _holds,
        "join": _join,
        "unjoin": _unjoin,
        "leave": _leave,
        "freeze": _freeze,
        "arrive": _arrive,
        "withdraw": _withdraw,
        "lack": _lack,
        "claim": _claim,
        "depart": _depart,
        "report death": _report_death,
        "undo": _undo,
        "news": _tell_news,
    }
