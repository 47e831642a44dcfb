"""Provide a lock for calls of MPI that only one thread of a process may make at a time.

compat(mpich 5.0.2): MPICH keeps the shared windows of a process in a list without a lock. If two
threads make windows at the same moment, MPICH may lose one of the windows. Freeing the lost window
ends the job.

A plain lock in each process would deadlock, because threads may arrive in different orders on two
processes. So the members of a communicator take the lock either on all their processes or on no
process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from redcoll._mpi4py import MPI
from redcoll.comm import least


class Ticket(NamedTuple):
    """The ticket of a collective call that needs the lock.

    All processes of the call have the same ticket, and every other call has a different ticket.
    Every process sorts tickets in the same order.
    """

    process: int
    number: int
    is_needed: bool
    """Whether in some process several threads may call MPI at the same time. Otherwise no lock is
    needed."""


_PAUSE_S = 1e-4
"""Pause in seconds before the members try again to take the lock."""

_process = int.from_bytes(os.urandom(8), "little") >> 1
_numbers = itertools.count()
_lock = threading.Lock()
_wanted: list[Ticket] = []
_taken: list[Ticket] = []


def agree(comm: MPI.Intracomm) -> Ticket:
    """Return a ticket that is equal on all members.  Collective over ``comm``; waits for them."""
    own = (_process, next(_numbers)) if comm.Get_rank() == 0 else (-1, -1)
    found = array("q", (*own, MPI.Query_thread() == MPI.THREAD_MULTIPLE))
    comm.Allreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MAX)
    return Ticket(found[0], found[1], bool(found[2]))


@contextlib.contextmanager
def held(comm: MPI.Intracomm, ticket: Ticket | None = None) -> Iterator[Ticket]:
    """Hold the lock on all processes of a communicator.  Collective over ``comm``.

    The caller must not wait for other processes while it holds the lock. ``ticket`` is the
    processes' ticket from an earlier call. With None the processes get a new ticket.
    """
    is_new = ticket is None
    if ticket is None:
        ticket = agree(comm)
    if not ticket.is_needed:
        yield ticket
        return
    if not is_new:
        comm.Barrier()
    try:
        with _lock:
            _wanted.append(ticket)
        while not least(comm, _take(ticket)):
            _remove(ticket, _taken)
            time.sleep(_PAUSE_S)
        yield ticket
    finally:
        _remove(ticket, _taken)
        _remove(ticket, _wanted)


def _take(ticket: Ticket) -> bool:
    """Take this process's lock. Return False if it is held, or if a lower ticket waits for it."""
    # The order of the tickets prevents livelock. The call with the lowest ticket gets the lock of
    # every process as soon as the present holders release it.
    with _lock:
        if _taken or ticket != min(_wanted):
            return False
        _taken.append(ticket)
        return True


def _remove(ticket: Ticket, tickets: list[Ticket]) -> None:
    with _lock, contextlib.suppress(ValueError):
        tickets.remove(ticket)
