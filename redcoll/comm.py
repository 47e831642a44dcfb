"""Make private communicators for redcoll, and agree on small values over a communicator."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterator

from redcoll._mpi4py import MPI
from redcoll.errors import RedcollError, TeamLimitError


def private_copy(comm: MPI.Intracomm) -> MPI.Intracomm:
    """Return a private communicator of the same processes.  Collective over ``comm``.

    The communicator is not a duplicate. In a duplication MPI calls the program's functions for the
    attributes of ``comm``. Such a function can fail on one process alone. Raise ``TeamLimitError``
    on all processes if MPI has no communicator left on one of them.
    """
    with _returning_errors(comm) as plain:
        try:
            private = MPI.Intracomm(plain.Split(0, comm.Get_rank()))
        except MPI.Exception as error:
            # MPI's processes agree on the id of a new communicator, so all get this error.
            raise no_communicator(error) from None
    private.Set_errhandler(MPI.ERRORS_RETURN)
    return private


def private_copy_and_node(comm: MPI.Intracomm) -> tuple[MPI.Intracomm, bool]:
    """Return a private communicator, and whether all its processes share memory.

    Collective over ``comm``. On a single node this takes one call of MPI, which answers both
    questions. Errors are those of :func:`private_copy`.
    """
    with _returning_errors(comm) as plain, contextlib.suppress(MPI.Exception):
        near = MPI.Intracomm(plain.Split_type(MPI.COMM_TYPE_SHARED, comm.Get_rank()))
        if near.Get_size() == comm.Get_size():
            near.Set_errhandler(MPI.ERRORS_RETURN)
            return near, True
        near.Free()
    # An error on one node may be unknown on other nodes, but none of these has all processes.
    return private_copy(comm), False


@contextlib.contextmanager
def _returning_errors(comm: MPI.Intracomm) -> Iterator[MPI.Intracomm]:
    """Return the communicator as an object of mpi4py's own class, whose errors are exceptions.

    A subclass could call redcoll, whose team does not exist yet.
    """
    plain = MPI.Intracomm(comm)
    handler = plain.Get_errhandler()
    plain.Set_errhandler(MPI.ERRORS_RETURN)  # the program's handler may end the job
    try:
        yield plain
    finally:
        plain.Set_errhandler(handler)
        handler.Free()


def no_communicator(error: MPI.Exception) -> TeamLimitError:
    """Return the error to raise if MPI refuses to make a communicator."""
    reason = str(error).strip().splitlines()[-1].strip()
    return TeamLimitError(
        f"MPI makes no more communicators ({reason}); free some that the program does not need"
    )


def least(comm: MPI.Intracomm, value: int) -> int:
    """Return the minimum of the processes' values.  Collective over ``comm``."""
    # Do not use mpi4py's allreduce of objects. Its first call duplicates the communicator while it
    # holds the GIL. Two threads that call in different orders on two processes would then deadlock.
    found = array("q", (value,))
    comm.Allreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MIN)
    return found[0]


def raise_first(comm: MPI.Intracomm, error: RedcollError | None) -> None:
    """Raise an error on all processes if a step has failed on any.  Collective over ``comm``.

    ``error`` is the error of this process; None if the step succeeded. All processes raise the
    error of the lowest rank that has an error.
    """
    if not least(comm, error is None):
        raise next(each for each in comm.allgather(error) if each is not None)
