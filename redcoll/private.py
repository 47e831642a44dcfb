"""Communicators that the program knows nothing of."""

from __future__ import annotations

from redcoll._mpi4py import MPI


def private_copy(comm: MPI.Intracomm) -> MPI.Intracomm:
    """A communicator of the same processes that nobody else uses.  Collective over ``comm``.

    No duplicate: that would call the program's functions for the attributes of its communicator,
    which may fail, on one process alone, too.
    """
    # A plain one, also of redcoll.MPI's, which would reduce by a team that is not there yet.
    private = MPI.Intracomm(MPI.Intracomm(comm).Split(0, comm.Get_rank()))
    private.Set_errhandler(MPI.ERRORS_RETURN)
    return private
