"""Communicators that the program knows nothing of."""

from __future__ import annotations

from redcoll._mpi4py import MPI
from redcoll.errors import TeamLimitError


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
