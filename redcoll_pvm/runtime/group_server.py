"""Run the group server of a job on several nodes: task 0 keeps the group table for all tasks.

The server makes all changes one after the other. The server uses the code with which tasks on one
node change the group table in shared memory. If MPI allows several threads, a thread of task 0
answers requests. So other tasks do not wait until the program of task 0 calls PVM. Without threads,
task 0 answers requests whenever it polls: in every PVM call on groups and messages, and in every
wait.
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
from redcoll.liveness import aborting
from redcoll_pvm.runtime.group_snapshot import Member
from redcoll_pvm.runtime.group_table import GroupTable
from redcoll_pvm.runtime.message_transport import MessageComm
from redcoll_pvm.runtime.task_set import TaskSet

SERVER = 0
"""The task that keeps the groups."""
REQUEST, ANSWER = 1, 2
"""MPI's tags of requests and answers."""
NO_ANSWER, ENDED, CLAIMED, NEWS = 0, -1, -2, -3
"""Special numbers. ``NO_ANSWER`` marks a request that needs no answer. The other numbers mark
notices that the server sends without a request."""

_BUSY_S = 2e-3
_SHORT_SLEEP_S, _LONG_SLEEP_S = 2e-5, 1e-3

_OF_THE_TABLE = ("read", "holds", "withdraw", "barrier_status")
"""Operations that the server passes to the group table unchanged."""

Request = tuple[int, str, tuple[Any, ...]]
"""Number of the request, operation, and arguments."""
Gone = tuple[int, str | None]
"""A task, and how its process ended (None if it left normally)."""
Answer = tuple[int, bool, Any, list[Gone], dict[int, int]]
"""Number of the request, whether the value is an exception, the value, the tasks that have gone
since the last answer, and the entry of ``GroupServer._on_the_way``."""


class GroupServer:
    """Keeps the groups of all tasks, and answers requests.

    ``comm`` is the tasks' communicator for requests and answers.
    """

    def __init__(self, tasks: TaskSet, comm: MessageComm) -> None:
        self._comm = comm
        self._table = GroupTable(tasks, MPI.COMM_SELF)
        # For each task, its latest request, and the record and instance of its latest join.
        self._latest: list[Request] = [(NO_ANSWER, "", ())] * tasks.size
        self._joined: dict[int, tuple[int, int]] = {}
        self._gone: dict[int, str | None] = {}
        self._news: list[Gone] = []
        self._n_told = [0] * tasks.size
        # A leaver is a task that has left a group of the recipient. For each recipient, by leaver:
        # how many contributions the leaver had sent to the recipient.
        self._on_the_way: list[dict[int, int]] = [{} for _ in range(tasks.size)]
        self._lock = threading.Lock()
        self.own_answers: deque[bytes] = deque()
        """Answers to the task in whose process the server runs."""
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
            self._thread = threading.Thread(target=self._run, name="group server", daemon=True)
            self._thread.start()
        else:
            tasks.progress_callbacks.append(self.serve)

    # -- requests ------------------------------------------------------------------

    def _run(self) -> None:
        try:
            busy_until_s = 0.0
            while not self._is_over.is_set():
                now_s = time.monotonic()
                if self.serve():
                    busy_until_s = now_s + _BUSY_S
                time.sleep(_SHORT_SLEEP_S if now_s < busy_until_s else _LONG_SLEEP_S)
        except BaseException:  # noqa: BLE001 - no other code would report it
            if not MPI.Is_finalized():
                # Abort the job. Otherwise all other tasks would wait for answers, and their errors
                # would name a task that is alive.
                traceback.print_exc()
                aborting.end_job()

    def give_way(self) -> None:
        """Let the server's thread run; without this thread, yield to other tasks."""
        if self._thread is None:
            os.sched_yield()
        else:
            time.sleep(_SHORT_SLEEP_S)

    def serve(self) -> bool:
        """Answer the requests that have arrived; return whether there were any."""
        with self._lock:
            self._comm.progress()
            has_served = False
            for task, data in self._comm.receive(MPI.ANY_SOURCE, REQUEST):
                self._handle(task, pickle.loads(data))  # noqa: S301 - own data
                has_served = True
        return has_served

    def ask(self, request: bytes) -> None:
        """Handle a request of the task in whose process the server runs."""
        # First answer the earlier requests of other tasks.
        self.serve()
        with self._lock:
            self._handle(SERVER, pickle.loads(request))  # noqa: S301 - own data

    def close(self) -> None:
        """Stop the server."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
        self.serve()

    def _handle(self, task: int, request: Request) -> None:
        number, operation, args = request
        if number != NO_ANSWER:
            self._latest[task] = request
        try:
            value: Any = self._perform(task, operation, *args)
            is_error = False
        except Exception as error:
            # Send the error to the caller, and continue. If no caller waits, an unexpected error
            # ends the server.
            if number == NO_ANSWER and not isinstance(error, RedcollError):
                raise
            value, is_error = error, True
        if number != NO_ANSWER:
            self._answer(task, number, value, is_error=is_error)

    def _answer(self, task: int, number: int, value: Any, *, is_error: bool = False) -> None:
        news, self._n_told[task] = self._news[self._n_told[task] :], len(self._news)
        on_the_way, self._on_the_way[task] = self._on_the_way[task], {}
        answer: Answer = (number, is_error, value, news, on_the_way)
        data = pickle.dumps(answer)
        if task == SERVER:
            self.own_answers.append(data)
        elif self._gone.get(task) is None:  # compat(mpich 5.0.2): a send to a dead task may crash
            self._comm.send(task, data, ANSWER)

    # -- operations ----------------------------------------------------------------

    def _perform(self, task: int, operation: str, *args: Any) -> Any:
        own = self._OPERATIONS.get(operation)
        if own is not None:
            return own(self, task, *args)
        if operation not in _OF_THE_TABLE:
            raise KeyError(operation)
        return getattr(self._table, operation)(task, *args)

    def _join(self, task: int, name: str) -> tuple[int, Member]:
        self._joined.pop(task, None)
        record, member = self._table.join(task, name)
        self._joined[task] = record, member.instance
        return record, member

    def _leave(self, task: int, record: int, instance: int, sent: Sequence[int]) -> None:
        self._announce(task, record, sent)
        self._table.leave(task, record, instance)

    def _announce(self, leaver: int, record: int, sent: Sequence[int]) -> None:
        """Make members receive a leaver's contributions before the members see the departure."""
        for member in self._table.members(record):
            if sent[member]:
                self._on_the_way[member][leaver] = sent[member]

    def _arrive(
        self, task: int, at: int, wanted: int, doing: str, freezing: int | None
    ) -> tuple[int, bool]:
        generation, is_last = self._table.arrive(task, at, wanted, doing, freezing)
        if is_last:
            for waiter in self._table.waiting(at, generation):
                if waiter != task:
                    self._answer(waiter, ENDED, (at, generation))
        return generation, is_last

    def _claim(self, task: int, most: int) -> list[int]:
        claimed = self._table.claim(task, most)
        for other in claimed:
            self._answer(other, CLAIMED, task)
        return claimed

    def _depart(self, task: int, sent: Sequence[int]) -> None:
        for record, _ in self._table.places(task):
            self._announce(task, record, sent)
        self._table.depart(task)
        self._record_end(task, task, None)

    def _record_end(self, _reporter: int, task: int, why: str | None) -> None:
        if task not in self._gone or (why is not None and self._gone[task] is None):
            self._gone[task] = why
            self._news.append((task, why))

    def _undo(self, task: int, number: int) -> None:
        """Undo a request whose caller was interrupted, if the request has arrived."""
        latest, operation, args = self._latest[task]
        if number == latest and operation == "arrive":
            self._table.withdraw(task, args[0])
        elif number == latest and operation == "join" and task in self._joined:
            self._table.leave(task, *self._joined[task])

    _OPERATIONS: dict[str, Callable[..., Any]] = {  # noqa: RUF012 - never changed
        "join": _join,
        "leave": _leave,
        "arrive": _arrive,
        "claim": _claim,
        "depart": _depart,
        "report_death": _record_end,
        "undo": _undo,
        "news": lambda self, task: self._answer(task, NEWS, None),
    }
