"""How a PE asks the registrar, and what it hears from there."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable
from typing import Any

from redcoll._mpi4py import MPI
from redcoll.errors import PeerLostError
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.group_server import (
    ANSWER,
    CLAIMED,
    ENDED,
    NEWS,
    NO_ANSWER,
    REGISTRAR,
    REQUEST,
    Answer,
    Gone,
    Registrar,
    Request,
)


class Registry:
    """The registrar as one PE reaches it.  Creating it is collective over the commons.

    Parameters
    ----------
    commons
        The PEs.
    hear
        Called with who has gone.
    """

    def __init__(self, commons: Commons, hear: Callable[[Gone], object]) -> None:
        self._commons = commons
        self._hear = hear
        self._comm = commons.comm.Dup()
        self._registrar: Registrar | None = None
        if commons.index == REGISTRAR:
            self._registrar = Registrar(commons, self._comm)
        self._number = 0
        self._awaited: set[int] = set()
        self._answers: dict[int, tuple[bool, Any]] = {}
        self._sends: deque[tuple[MPI.Request, bytes]] = deque()
        self._is_news_due = False
        self.ended: set[tuple[int, int]] = set()
        """Barriers, and their generations, that have ended."""
        self.claimed_by: int | None = None
        """Who has claimed this PE."""
        self.owed: dict[int, int] = {}
        """By PE: how many parcels it has sent here before it left a group."""
        commons.progress_hooks.append(self.progress)

    def call(self, what: str, *args: Any, undo: tuple[Any, ...] | None = None) -> Any:
        """Ask, and wait for the answer.

        Parameters
        ----------
        what, args
            The request.
        undo
            The request that takes it back, sent where the wait fails.

        Raises
        ------
        Exception
            What the registrar found.
        PeerLostError
            The registrar's process has died.
        CollectiveTimeoutError
            It has not answered within ``REDCOLL_TIMEOUT``.
        """
        self._number += 1
        number = self._number
        self._awaited.add(number)

        def ready() -> bool:
            self.progress()
            return number in self._answers

        try:
            self._send((number, what, args))
            self._commons.wait(
                ready, self._absent, lambda: f"request {what!r} to the table of groups"
            )
        except BaseException:
            self._awaited.discard(number)
            self._answers.pop(number, None)
            if undo is not None:
                self.tell("undo", number, *undo)
            raise
        is_error, value = self._answers.pop(number)
        if is_error:
            raise value
        return value

    def _absent(self) -> list[int]:
        if self._commons.is_dead(REGISTRAR):
            name = self._commons.name(REGISTRAR)
            raise PeerLostError(f"{name}, which keeps the table of groups, has died")
        # Who has left the job answers until all others have, too.
        return [REGISTRAR] if self._commons.fate(REGISTRAR) is None else []

    def tell(self, what: str, *args: Any) -> None:
        """Send what needs no answer."""
        self._send((NO_ANSWER, what, args))

    def ask_for_news(self) -> None:
        """Ask who has gone, unless that has been asked already; the answer comes later."""
        if not self._is_news_due:
            self._is_news_due = True
            self.tell("news")

    def _send(self, request: Request) -> None:
        data = pickle.dumps(request)
        if self._registrar is not None:
            self._registrar.ask(data)
            return
        sent = self._comm.Isend([data, MPI.BYTE], REGISTRAR, REQUEST)
        if not sent.Test():
            self._sends.append((sent, data))

    def progress(self) -> None:
        """Move what is under way, and hear what has come."""
        for _ in range(len(self._sends)):
            sent = self._sends.popleft()
            if not sent[0].Test():
                self._sends.append(sent)
        if self._registrar is not None:
            answers = self._registrar.own_answers
            if not answers:
                self._registrar.give_way()
            while answers:
                self._take(answers.popleft())
            return
        status = MPI.Status()
        while (message := self._comm.Improbe(REGISTRAR, ANSWER, status)) is not None:
            data = bytearray(status.Get_count(MPI.BYTE))
            message.Recv([data, MPI.BYTE])
            self._take(data)

    def _take(self, data: bytes | bytearray) -> None:
        answer: Answer = pickle.loads(data)  # noqa: S301 - redcoll's own data
        number, is_error, value, news, owed = answer
        for gone in news:
            self._hear(gone)
        self.owed.update(owed)
        if number == ENDED:
            self.ended.add(value)
        elif number == CLAIMED:
            self.claimed_by = value
        elif number == NEWS:
            self._is_news_due = False
        elif number in self._awaited:
            self._awaited.discard(number)
            self._answers[number] = (is_error, value)

    def give_way(self) -> None:
        """Let others run between two looks."""
        if self._registrar is None:
            os.sched_yield()
        else:
            self._registrar.give_way()

    def is_flushed(self) -> bool:
        """Whether all that was sent is out of this PE's hands."""
        self.progress()
        return not self._sends

    def close(self) -> None:
        """Ask nothing any more; at the end of the job, once all are there."""
        if self._registrar is not None:
            self._registrar.close()
