"""Collective calls of MPI that a process may be in only once at a time, whichever thread calls.

MPICH 5.0 keeps the shared windows of a process in a list that nothing guards: of two that threads
make in the same moment one may get lost there, and whoever frees that one ends the job. A lock in
each process would not do. Threads may come in one order here and in another there, and would wait
for each other with it. So nobody takes a process's turn before all members of a communicator have
come, and they go on once all of them have it.
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


class Turn(NamedTuple):
    """The same on all who share it, another than that of all else, and in one order everywhere."""

    process: int
    number: int
    is_needed: bool
    """Whether MPI lets threads call it at the same time in one of the processes."""


_PAUSE_S = 1e-4
"""Before the members try again."""

_process = int.from_bytes(os.urandom(8), "little") >> 1
_numbers = itertools.count()
_lock = threading.Lock()
_wanted: list[Turn] = []
_taken: list[Turn] = []


def agree(comm: MPI.Intracomm) -> Turn:
    """A turn that the members share.  Collective; nobody returns before all have come."""
    own = (_process, next(_numbers)) if comm.Get_rank() == 0 else (-1, -1)
    found = array("q", (*own, MPI.Query_thread() == MPI.THREAD_MULTIPLE))
    comm.Allreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MAX)
    return Turn(found[0], found[1], bool(found[2]))


@contextlib.contextmanager
def taken(comm: MPI.Intracomm, turn: Turn | None = None) -> Iterator[Turn]:
    """While all members are in here, none of them is for another communicator as well.

    Collective over ``comm``. What is done in here must wait for nobody else.

    Parameters
    ----------
    comm
        Who share the turn.
    turn
        Theirs, from the first time; None for another one, that no other call has.
    """
    is_new = turn is None
    if turn is None:
        turn = agree(comm)
    if not turn.is_needed:
        yield turn
        return
    if not is_new:
        comm.Barrier()
    try:
        with _lock:
            _wanted.append(turn)
        while not least(comm, _take(turn)):
            _remove(turn, _taken)
            time.sleep(_PAUSE_S)
        yield turn
    finally:
        _remove(turn, _taken)
        _remove(turn, _wanted)


def _take(turn: Turn) -> bool:
    """Take this process's turn, unless it is taken, or one that comes before wants it."""
    # In that order they cannot keep each other from it for ever: who has the first turn of all
    # gets it from every process as soon as those who have it there have given it back.
    with _lock:
        if _taken or turn != min(_wanted):
            return False
        _taken.append(turn)
        return True


def _remove(turn: Turn, turns: list[Turn]) -> None:
    with _lock, contextlib.suppress(ValueError):
        turns.remove(turn)
