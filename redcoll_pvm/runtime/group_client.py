"""Use the groups that the group server keeps."""

from __future__ import annotations

import os
import pickle
from time import monotonic
from typing import Any

from redcoll.errors import NoGroupError, PeerLostError, RedcollError
from redcoll_pvm.runtime.group_server import (
    ANSWER,
    CLAIMED,
    ENDED,
    NEWS,
    NO_ANSWER,
    REQUEST,
    SERVER,
    Answer,
    GroupServer,
    Request,
)
from redcoll_pvm.runtime.group_snapshot import BarrierStatus, GroupSnapshot
from redcoll_pvm.runtime.group_store import GroupStore
from redcoll_pvm.runtime.message_transport import MessageComm
from redcoll_pvm.runtime.mpi_transport import MpiTransport
from redcoll_pvm.runtime.task_set import TaskSet

_REFRESH_S = 0.1
"""Interval between two requests for the list of tasks that have left or died. It is also the
interval between two reads of a group in a wait."""


class RemoteGroupStore(GroupStore):
    """Groups on the group server. Most calls send a request and wait for the answer.

    Construction is collective.
    """

    def __init__(self, tasks: TaskSet, transport: MpiTransport) -> None:
        super().__init__(tasks)
        self._transport = transport
        self._comm = MessageComm(tasks.comm.Dup())
        self._server = GroupServer(tasks, self._comm) if tasks.me == SERVER else None
        self._number = 0
        self._awaited: set[int] = set()
        self._answers: dict[int, tuple[bool, Any]] = {}
        self._ended: set[tuple[int, int]] = set()
        self._claimer: int | None = None
        # A leaver is a task that has left a group of this task. For each leaver: how many
        # contributions the leaver had sent to this task.
        self._on_the_way: dict[int, int] = {}
        self._reported: set[int] = set()
        self._next_news_s = self._next_read_s = 0.0
        self._awaits_news = False
        self._give_way = os.sched_yield if self._server is None else self._server.give_way
        transport.give_way = self._give_way
        tasks.progress_callbacks.append(self._progress)

    # -- requests ------------------------------------------------------------------

    def _call(self, operation: str, *args: Any) -> Any:
        """Send a request and wait for the answer.  If the wait fails, the request is undone.

        Raises the exception that the operation raised on the server, or PeerLostError if the server
        has died.
        """
        self._number += 1
        number = self._number
        self._awaited.add(number)

        def ready() -> bool:
            self._tasks.progress()
            return number in self._answers

        try:
            self._send((number, operation, args))
            self._tasks.wait(
                ready, self._absent, lambda: f"request {operation!r} to the group server"
            )
        except BaseException:
            self._awaited.discard(number)
            self._answers.pop(number, None)
            if not self._tasks.has_died(SERVER):
                self._tell("undo", number)
            raise
        is_error, value = self._answers.pop(number)
        if is_error:
            raise value
        return value

    def _absent(self) -> list[int]:
        if self._tasks.has_died(SERVER):
            raise PeerLostError(f"{self._tasks.names[SERVER]}, the group server, has died")
        # Task 0 answers requests until all other tasks have left, even if task 0 itself has left
        # the job.
        return [SERVER] if self._tasks.fate(SERVER) is None else []

    def _tell(self, operation: str, *args: Any) -> None:
        """Send a request that needs no answer."""
        self._send((NO_ANSWER, operation, args))

    def _send(self, request: Request) -> None:
        data = pickle.dumps(request)
        if self._server is not None:
            self._server.ask(data)
        else:
            self._comm.send(SERVER, data, REQUEST)

    def _progress(self) -> None:
        if self._server is not None:
            answers = self._server.own_answers
            if not answers:
                self._server.give_way()
            while answers:
                self._take(answers.popleft())
        else:
            self._comm.progress()
            for _, data in self._comm.receive(SERVER, ANSWER):
                self._take(data)
        now_s = monotonic()
        if now_s >= self._next_news_s:
            self._next_news_s = now_s + _REFRESH_S
            self._report_deaths()
            if not self._awaits_news:
                self._awaits_news = True
                self._tell("news")

    def _take(self, data: bytes | bytearray) -> None:
        answer: Answer = pickle.loads(data)  # noqa: S301 - redcoll's own data
        number, is_error, value, news, on_the_way = answer
        for task, why in news:
            self._tasks.set_gone(task, why)
        self._on_the_way.update(on_the_way)
        if number == ENDED:
            self._ended.add(value)
        elif number == CLAIMED:
            self._claimer = value
        elif number == NEWS:
            self._awaits_news = False
        elif number in self._awaited:
            self._awaited.discard(number)
            self._answers[number] = (is_error, value)

    def _report_deaths(self) -> None:
        """Report the deaths of tasks on this node, because other nodes cannot see these deaths."""
        for task in self._tasks.node:
            if task not in self._reported and self._tasks.has_died(task):
                self._reported.add(task)
                self._tell("report_death", task, self._tasks.fate(task))

    def serve(self) -> None:
        """See :meth:`GroupStore.serve`."""
        if self._server is not None:
            self._server.serve()

    def close(self) -> None:
        """See :meth:`GroupStore.close`."""
        if self._server is not None:
            self._server.close()

    # -- groups --------------------------------------------------------------------

    def snapshot(self, name: str) -> GroupSnapshot:
        """See :meth:`GroupStore.snapshot`."""
        snapshot = self._read(name)
        self._await_contributions()
        return snapshot

    def _await_contributions(self) -> None:
        """Wait for contributions that tasks sent to this task before they left a group."""
        on_the_way, received = self._on_the_way, self._transport.received

        def ready() -> bool:
            self._tasks.progress()
            for task in [task for task, count in on_the_way.items() if received[task] >= count]:
                del on_the_way[task]
            return not on_the_way

        def absent() -> list[int]:
            for task in [task for task in on_the_way if self._tasks.has_died(task)]:
                del on_the_way[task]
            return [task for task in on_the_way if self._tasks.fate(task) is None]

        self._tasks.wait(
            ready, absent, lambda: "waiting for contributions of tasks that have left a group"
        )

    def is_current(self, snapshot: GroupSnapshot) -> bool:
        """See :meth:`GroupStore.is_current`. The method reads the group at most every 0.1 s."""
        now_s = monotonic()
        if now_s >= self._next_read_s:
            self._next_read_s = now_s + _REFRESH_S
            try:
                self.snapshot(snapshot.name)
            except NoGroupError:
                return False
        return self._snapshots.get(snapshot.name) is snapshot

    def _leave(self, record: int, instance: int) -> None:
        self._call("leave", record, instance, self._transport.sent)

    # -- barriers ------------------------------------------------------------------

    def arrive(self, at: int, wanted: int, doing: str, freezing: int | None) -> int | None:
        """See :meth:`GroupStore.arrive`."""
        # Empty the set: it contains only generations whose waits have ended.
        self._ended.clear()
        return super().arrive(at, wanted, doing, freezing)

    def withdraw(self, at: int) -> bool:
        """See :meth:`GroupStore.withdraw`."""
        try:
            return super().withdraw(at)
        except RedcollError:
            # Report success, so that the caller raises the error that ended the wait.
            return True

    def has_ended(self, at: int, generation: int) -> bool:
        """See :meth:`GroupStore.has_ended`."""
        self._tasks.progress()
        return (at, generation) in self._ended

    def spin_for(self, at: int, generation: int, limit_s: float) -> bool:
        """See :meth:`GroupStore.spin_for`."""
        until_s = monotonic() + limit_s
        while not self.has_ended(at, generation):
            if monotonic() >= until_s:
                return False
            self._give_way()
        return True

    def barrier_status(self, record: int, at: int, generation: int) -> BarrierStatus:
        """See :meth:`GroupStore.barrier_status`."""
        status = super().barrier_status(record, at, generation)
        if status is None:
            self._ended.add((at, generation))
        return status

    # -- tasks ---------------------------------------------------------------------

    def claimer(self) -> int | None:
        """See :meth:`GroupStore.claimer`."""
        self._tasks.progress()
        return self._claimer

    def depart(self) -> None:
        """See :meth:`GroupStore.depart`."""
        self._tasks.set_gone(self._me)
        self._tell("depart", self._transport.sent)
