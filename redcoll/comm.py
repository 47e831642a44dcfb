"""Communicators of redcoll's own, and what their processes agree on."""

from __future__ import annotations

from array import array

from redcoll._mpi4py import MPI
from redcoll.errors import RedcollError, TeamLimitError


def private_copy(comm: MPI.Intracomm) -> MPI.Intracomm:
    """A communicator of the same processes that nobody else uses.  Collective over ``comm``.

    No duplicate: that would call the program's functions for the attributes of its communicator,
    which may fail, on one process alone, too.

    Raises
    ------
    TeamLimitError
        MPI has no communicator left, on some process: on all processes.
    """
    # A plain one, also of redcoll.MPI's, which would reduce by a team that is not there yet.
    plain = MPI.Intracomm(comm)
    handler = plain.Get_errhandler()
    plain.Set_errhandler(MPI.ERRORS_RETURN)  # the program's may end the job
    try:
        private = MPI.Intracomm(plain.Split(0, comm.Get_rank()))
    except MPI.Exception as error:
        # The processes agree on the new communicator's number, so all of them come here.
        raise no_communicator(error) from None
    finally:
        plain.Set_errhandler(handler)
        handler.Free()
    private.Set_errhandler(MPI.ERRORS_RETURN)
    return private


def no_communicator(error: MPI.Exception) -> TeamLimitError:
    """What to raise where MPI refuses to make a communicator."""
    reason = str(error).strip().splitlines()[-1].strip()
    return TeamLimitError(
        f"MPI makes no more communicators ({reason}); free some that the program does not need"
    )


def least(comm: MPI.Intracomm, value: int) -> int:
    """The least of the processes' values.  Collective over ``comm``."""
    # mpi4py's allreduce of objects would first duplicate the communicator, and wait for the others
    # with Python's lock held, so that a thread that these wait for cannot come.
    found = array("q", (value,))
    comm.Allreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MIN)
    return found[0]


def raise_first(comm: MPI.Intracomm, error: RedcollError | None) -> None:
    """Raise on all processes where a step has failed on one.  Collective over ``comm``.

    Parameters
    ----------
    error
        Why the step has failed on this process; None where it has not. The first process's is
        raised.
    """
    if not least(comm, error is None):
        raise next(each for each in comm.allgather(error) if each is not None)
