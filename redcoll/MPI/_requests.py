"""Persistent reductions as requests among MPI's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from mpi4py import MPI as mpi

from redcoll.collectives.plan import Plan, turns_of
from redcoll.MPI import _itself
from redcoll.MPI._arguments import Reduction
from redcoll.MPI._dropin import DropIn

Requests = Sequence[mpi.Request]
Statuses = list[mpi.Status]


class Request(mpi.Request, metaclass=DropIn):
    """Request handler, as in mpi4py.

    The functions on several requests take plans of this module among MPI's requests;
    those of ``mpi4py.MPI.Request`` do not know plans and take them for inactive.
    """

    replaces: ClassVar[type] = mpi.Request

    @classmethod
    def Waitall(cls, requests: Requests, statuses: Statuses | None = None) -> Literal[True]:
        """Wait for all requests to complete."""
        _wait_for_plans(requests)
        return mpi.Request.Waitall(requests, statuses)

    @classmethod
    def Testall(cls, requests: Requests, statuses: Statuses | None = None) -> bool:
        """Whether all requests are complete; if not, all stay as they are."""
        if not _are_plans_done(requests) or not mpi.Request.Testall(requests, statuses):
            return False
        _wait_for_plans(requests)
        return True

    @classmethod
    def Waitany(cls, requests: Requests, status: mpi.Status | None = None) -> int:
        """Wait for any request to complete; its index, ``UNDEFINED`` if none is active."""
        turn = _turns(requests)
        while _plans(requests):
            index, is_any = cls.Testany(requests, status)
            if is_any:
                return index
            turn()
        return mpi.Request.Waitany(requests, status)

    @classmethod
    def Testany(cls, requests: Requests, status: mpi.Status | None = None) -> tuple[int, bool]:
        """Index of a request that is complete, and whether there is any or none is active."""
        plans = _plans(requests)
        for index, plan in plans:
            if plan.Test(status):
                return index, True
        index, is_any = mpi.Request.Testany(requests, status)
        return index, is_any and (index != mpi.UNDEFINED or not plans)

    @classmethod
    def Waitsome(cls, requests: Requests, statuses: Statuses | None = None) -> list[int] | None:
        """Wait for some requests to complete; their indices, None if none is active."""
        turn = _turns(requests)
        while _plans(requests):
            indices = cls.Testsome(requests, statuses)
            if indices != []:
                return indices
            turn()
        return mpi.Request.Waitsome(requests, statuses)

    @classmethod
    def Testsome(cls, requests: Requests, statuses: Statuses | None = None) -> list[int] | None:
        """Indices of the requests that are complete, None if none is active."""
        plans = _plans(requests)
        indices = mpi.Request.Testsome(requests, statuses)
        if not plans:
            return indices
        return _with_plans(indices, plans, PlannedRequest.Test, statuses)

    @classmethod
    def Get_status_all(cls, requests: Requests, statuses: Statuses | None = None) -> bool:
        """Whether all requests are complete; they stay as they are."""
        return _are_plans_done(requests) and mpi.Request.Get_status_all(requests, statuses)

    @classmethod
    def Get_status_any(
        cls, requests: Requests, status: mpi.Status | None = None
    ) -> tuple[int, bool]:
        """Index of a complete request, and whether there is any; all stay as they are."""
        plans = _plans(requests)
        for index, plan in plans:
            if plan.Get_status(status):
                return index, True
        index, is_any = mpi.Request.Get_status_any(requests, status)
        return index, is_any and (index != mpi.UNDEFINED or not plans)

    @classmethod
    def Get_status_some(
        cls, requests: Requests, statuses: Statuses | None = None
    ) -> list[int] | None:
        """Indices of the complete requests, None if none is active; all stay as they are."""
        plans = _plans(requests)
        indices = mpi.Request.Get_status_some(requests, statuses)
        if not plans:
            return indices
        return _with_plans(indices, plans, PlannedRequest.Get_status, statuses)

    get_status_all = Get_status_all
    get_status_any = Get_status_any
    get_status_some = Get_status_some

    @classmethod
    def waitall(cls, requests: Requests, statuses: Statuses | None = None) -> list[Any]:
        """Wait for all requests to complete; their messages, None for a plan's."""
        _wait_for_plans(requests)
        return mpi.Request.waitall(requests, statuses)

    @classmethod
    def testall(
        cls, requests: Requests, statuses: Statuses | None = None
    ) -> tuple[bool, list[Any] | None]:
        """Whether all requests are complete, and their messages."""
        if not _are_plans_done(requests):
            return False, None
        is_complete, messages = mpi.Request.testall(requests, statuses)
        if is_complete:
            _wait_for_plans(requests)
        return is_complete, messages

    @classmethod
    def waitany(cls, requests: Requests, status: mpi.Status | None = None) -> tuple[int, Any]:
        """Wait for any request to complete; its index and message."""
        turn = _turns(requests)
        while _plans(requests):
            index, is_any, message = cls.testany(requests, status)
            if is_any:
                return index, message
            turn()
        return mpi.Request.waitany(requests, status)

    @classmethod
    def testany(
        cls, requests: Requests, status: mpi.Status | None = None
    ) -> tuple[int, bool, Any | None]:
        """Index of a request that is complete, whether there is any, and its message."""
        plans = _plans(requests)
        for index, plan in plans:
            if plan.Test(status):
                return index, True, None
        index, is_any, message = mpi.Request.testany(requests, status)
        return index, is_any and (index != mpi.UNDEFINED or not plans), message

    @classmethod
    def waitsome(
        cls, requests: Requests, statuses: Statuses | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Wait for some requests to complete; their indices and messages."""
        turn = _turns(requests)
        while _plans(requests):
            indices, messages = cls.testsome(requests, statuses)
            if indices != []:
                return indices, messages
            turn()
        return mpi.Request.waitsome(requests, statuses)

    @classmethod
    def testsome(
        cls, requests: Requests, statuses: Statuses | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Indices and messages of the requests that are complete."""
        plans = _plans(requests)
        indices, messages = mpi.Request.testsome(requests, statuses)
        if not plans:
            return indices, messages
        found = _with_plans(indices, plans, PlannedRequest.Test, statuses)
        return found, [*(messages or []), *([None] * (len(found) - len(indices or [])))]


class Prequest(Request, mpi.Prequest):
    """Persistent request handler, as in mpi4py."""

    replaces: ClassVar[type] = mpi.Prequest

    @classmethod
    def Startall(cls, requests: list[mpi.Prequest]) -> None:
        """Start all requests, in this order."""
        for request in requests:
            request.Start()


class PlannedRequest(Prequest):
    """A persistent reduction: prepared once, started any number of times.

    On the core, started ones complete in the order of their starts, which must be the same
    on all ranks. ``Start`` does not wait. A short vector travels with it, so that the others
    can complete; a long one is reduced when all wait (or have started, and test).
    """

    _plan: Plan | _itself.Plan | None = None
    _call: Reduction
    _is_active: bool = False

    @classmethod
    def of(cls, plan: Plan | _itself.Plan, call: Reduction) -> PlannedRequest:
        """The request for a plan of the core, or of MPI on the core's vectors."""
        self = cls()
        self._plan = plan
        self._call = call
        return self

    def Start(self) -> None:
        """Start the reduction.  Collective; does not wait.

        Raises
        ------
        Exception
            Of class ``ERR_REQUEST``: it is active, or has been freed.
        """
        if self._plan is None or self._is_active:
            raise mpi.Exception(mpi.ERR_REQUEST)
        self._call.source.reload()
        self._plan.start()
        self._is_active = True

    def is_done(self) -> bool:
        """Whether it is complete, or not active; waits for nobody to start."""
        if self._plan is None or not self._is_active:
            return True
        try:
            return self._plan.test()
        except Exception:
            self._is_active = False
            raise

    def Wait(self, status: mpi.Status | None = None) -> Literal[True]:
        """Wait until the reduction is complete; return at once if it is not active.

        Raises
        ------
        CollectiveError
            As the reduction itself does.
        """
        if self._plan is not None and self._is_active:
            self._is_active = False
            self._plan.wait()
            self._call.store()
        if status is not None:
            super().Wait(status)  # on a null handle, which gives an empty status
        return True

    def Test(self, status: mpi.Status | None = None) -> bool:
        """Whether the reduction is complete; completes it once all ranks have started."""
        return self.is_done() and self.Wait(status)

    def Get_status(self, status: mpi.Status | None = None) -> bool:
        """Whether the reduction is complete; it stays active."""
        return self.is_done() and super().Get_status(status)

    def Cancel(self) -> None:
        """Refuse: MPI cannot cancel collectives (MPI-4.1, section 6.13).

        Raises
        ------
        Exception
            Of class ``ERR_REQUEST``.
        """
        raise mpi.Exception(mpi.ERR_REQUEST)

    def Free(self) -> None:
        """Free the request, after completing it if it is active.

        Raises
        ------
        Exception
            Of class ``ERR_REQUEST``: it has been freed.
        """
        if self._plan is None:
            raise mpi.Exception(mpi.ERR_REQUEST)
        self.Wait()
        if isinstance(self._plan, _itself.Plan):
            self._plan.free()
        self._plan = None

    def wait(self, status: mpi.Status | None = None) -> None:
        """Wait until the reduction is complete."""
        self.Wait(status)

    def test(self, status: mpi.Status | None = None) -> tuple[bool, None]:
        """Whether the reduction is complete; there is no message."""
        return self.Test(status), None

    def free(self) -> None:
        """Call :meth:`Free` unless it has been freed."""
        if self:
            self.Free()

    get_status = Get_status
    cancel = Cancel

    def __bool__(self) -> bool:
        return self._plan is not None

    def __eq__(self, other: object) -> bool:
        if self._plan is None:  # it equals REQUEST_NULL
            return isinstance(other, mpi.Request) and not other
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as mpi4py's


def _plans(requests: Requests) -> list[tuple[int, PlannedRequest]]:
    """The active plans among requests, with their indices."""
    return [
        (index, request)
        for index, request in enumerate(requests)
        if type(request) is PlannedRequest and request._is_active  # noqa: SLF001
    ]


def _with_plans(
    indices: list[int] | None,
    plans: list[tuple[int, PlannedRequest]],
    is_complete: Callable[[PlannedRequest, mpi.Status | None], bool],
    statuses: Statuses | None,
) -> list[int]:
    """These indices and those of the complete plans; likewise their statuses."""
    found = list(indices or [])
    for index, plan in plans:
        status = None if statuses is None else mpi.Status()
        if is_complete(plan, status):
            if statuses is not None and status is not None:
                statuses[len(found) : len(found) + 1] = [status]
            found.append(index)
    return found


def _turns(requests: Requests) -> Callable[[], None]:
    """What to call between looks at requests of which none is complete.

    It raises what ``Wait`` on one of the plans would.
    """
    turns: list[Callable[[], None]] = []

    def turn() -> None:
        os.sched_yield()
        if not turns:
            plans = [request._plan for _, request in _plans(requests)]  # noqa: SLF001
            teams = {plan.team for plan in plans if isinstance(plan, Plan)}
            turns.extend(turns_of(team) for team in teams)
        for each in turns:
            each()

    return turn


def _are_plans_done(requests: Requests) -> bool:
    return all(plan.is_done() for _, plan in _plans(requests))


def _wait_for_plans(requests: Requests) -> None:
    for _, plan in _plans(requests):
        plan.Wait()
