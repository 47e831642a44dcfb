"""Make private communicators for redcoll, and agree on small values over a communicator."""

from __future__ import annotations

import pickle
from array import array
from itertools import accumulate
from typing import TypeVar

from redcoll._mpi4py import MPI
from redcoll.errors import RedcollError, TeamLimitError

Value = TypeVar("Value")


def private_copy(comm: MPI.Intracomm) -> MPI.Intracomm:
    """Return a private communicator of the same processes.  Collective over ``comm``.

    The function does not duplicate ``comm``, because MPI would then call the program's functions
    for the attributes of ``comm``. Such a function can fail on one process alone. Raise
    ``TeamLimitError`` on all processes if MPI has no communicator left on a process.
    """
    # Use an object of mpi4py's own class. A method of a subclass could call redcoll, but the team
    # does not exist yet.
    plain = MPI.Intracomm(comm)
    handler = plain.Get_errhandler()
    plain.Set_errhandler(MPI.ERRORS_RETURN)  # the program's handler may end the job
    try:
        private = MPI.Intracomm(plain.Split(0, comm.Get_rank()))
    except MPI.Exception as error:
        # MPI's processes agree on the id of a new communicator, so all processes get this error.
        raise no_communicator(error) from None
    finally:
        plain.Set_errhandler(handler)
        handler.Free()
    private.Set_errhandler(MPI.ERRORS_RETURN)
    return private


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


def gather_objects(comm: MPI.Intracomm, value: Value, root: int | None = None) -> list[Value]:
    """Return the objects of all processes, by rank.  Collective over ``comm``.

    With ``root``, all other processes get an empty list.
    """
    # mpi4py's `allgather` would use the pickler that the program has set in `MPI.pickle`, such as
    # json. Call the methods of mpi4py's own class, as a subclass may have others.
    data, lengths = pickle.dumps(value), array("q", [0]) * comm.Get_size()
    own = array("q", [len(data)])
    MPI.Comm.Allgather(comm, [own, MPI.INT64_T], [lengths, 1, MPI.INT64_T])
    if root not in (None, comm.Get_rank()):
        MPI.Comm.Gatherv(comm, [data, MPI.BYTE], None, root)
        return []
    everything = bytearray(sum(lengths))
    into = [everything, lengths.tolist(), MPI.BYTE]
    if root is None:
        MPI.Comm.Allgatherv(comm, [data, MPI.BYTE], into)
    else:
        MPI.Comm.Gatherv(comm, [data, MPI.BYTE], into, root)
    stops = accumulate(lengths)
    return [
        pickle.loads(everything[stop - length : stop])  # noqa: S301 - redcoll's own objects
        for length, stop in zip(lengths, stops, strict=True)
    ]


def raise_first(comm: MPI.Intracomm, error: RedcollError | None) -> None:
    """Raise an error on all processes if a step failed on one process.  Collective over ``comm``.

    ``error`` is the error of this process; None if the step succeeded. All processes raise the
    error of the lowest rank that has an error.
    """
    if not least(comm, error is None):
        raise next(each for each in gather_objects(comm, error) if each is not None)
