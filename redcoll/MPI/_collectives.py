"""Define the collective methods of a communicator that redcoll replaces.

This module is longer than 400 lines because it documents all methods of one class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mpi4py import MPI as mpi
from mpi4py.typing import BufSpec, BufSpecB, InPlace
from numpy.typing import ArrayLike

from redcoll import ops
from redcoll.MPI import _objects
from redcoll.MPI._argreduce import argreduce
from redcoll.MPI._errors import add_mpi4pys
from redcoll.MPI._ops import PREDEFINED
from redcoll.MPI._reductions import reduction
from redcoll.protocol.descriptor import (
    ALLREDUCE,
    ALLREDUCE_MANY,
    BARRIER,
    EXSCAN,
    REDUCE,
    REDUCE_MANY,
    REDUCE_SCATTER,
    SCAN,
    pack,
)
from redcoll.team.comm_state import CommState, attach, detach, find, hold

Values = TypeVar("Values")
AnyOp = mpi.Op | ops.Op | str | Callable[[Any, Any], Any]

SUM, MAXLOC, MINLOC = PREDEFINED["SUM"], PREDEFINED["MAXLOC"], PREDEFINED["MINLOC"]
_BARRIER_WORD = pack(BARRIER)


def fail(state: CommState, error: BaseException) -> None:
    """Revoke the team unless all ranks raise the error; make the error an exception of mpi4py."""
    state.revoke_unless_common(error)
    add_mpi4pys(error)


def _reduce_many(*arguments: Any) -> Any:
    """Reduce by ``_many``, which the first call imports because few programs need it."""
    global _reduce_many  # noqa: PLW0603 - later calls go there at once
    from redcoll.MPI._many import reduction

    _reduce_many = reduction
    return reduction(*arguments)


class Collectives(mpi.Intracomm):
    """An intracommunicator whose reductions and barriers are redcoll's."""

    _comm_state: CommState | None = None

    def _attach(self) -> CommState:
        """Return the communicator's state.  The first call makes it, and is collective."""
        try:
            state = self._comm_state = attach(self)
            hold(self)
        except BaseException as error:
            add_mpi4pys(error)
            raise
        return state

    # -- reductions -----------------------------------------------------------------

    def Allreduce(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Reduce to all ranks.  Collective.

        On a communicator with a window, an error on one rank makes all ranks raise. Without a
        window MPI handles errors, so the call may hang or end the job.

        Parameters
        ----------
        sendbuf
            This rank's elements, or ``IN_PLACE`` (None) to take them from ``recvbuf``.
        recvbuf
            The same number of elements of the same type. The array receives ``x0 op x1 op ...``,
            folded in rank order, with the same bits on all ranks. On several nodes, redcoll folds
            the ranks of each node first.
        op
            A predefined operation, an operation made by ``Op.Create`` or by redcoll, a name such as
            ``"sum"``, a ufunc or a callable.

        Raises
        ------
        Exception
            An argument is wrong. The exception also derives from the class that mpi4py raises. The
            other ranks raise ``CollectiveMismatchError``.
        CollectiveMismatchError
            Ranks passed different counts, types or operations. All ranks raise it.
        RemoteOpError
            A user's function raised on another rank.
        PeerLostError, CollectiveTimeoutError, TeamBrokenError
            A rank has left, has died or is late; or an earlier call broke the communicator's team.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, ALLREDUCE, sendbuf, recvbuf, op)
        except BaseException as error:
            fail(state, error)
            raise

    def Reduce(
        self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec | None, op: AnyOp = SUM, root: int = 0
    ) -> None:
        """Reduce to ``root``.  Collective.

        If the vectors have at most 8 bytes, or at most 16 KiB on several nodes, ranks other than
        the root may get a mismatch in a later call. Arguments and errors are those of
        :meth:`Allreduce`. The differences are:

        Parameters
        ----------
        sendbuf
            This rank's elements. Only the root may pass ``IN_PLACE``.
        recvbuf
            The root's array for the result. Other ranks do not use ``recvbuf``.
        root
            The rank that gets the result. It must be the same on all ranks.

        Raises
        ------
        Exception
            No rank has the number ``root``. The error's class in MPI is ``ERR_ROOT``.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, REDUCE, sendbuf, recvbuf, op, root)
        except BaseException as error:
            fail(state, error)
            raise

    def Reduce_scatter_block(
        self, sendbuf: BufSpecB | InPlace, recvbuf: BufSpec | BufSpecB, op: AnyOp = SUM
    ) -> None:
        """Reduce, and give each rank an equally long block of the result.  Collective.

        Arguments and errors are those of :meth:`Allreduce`. The differences are:

        Parameters
        ----------
        sendbuf
            As many blocks as there are ranks, one after the other.
        recvbuf
            A block, which receives the result. If the call is in place, ``recvbuf`` holds all
            blocks. The result replaces the first block, and the other blocks stay unchanged.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, REDUCE_SCATTER, sendbuf, recvbuf, op)
        except BaseException as error:
            fail(state, error)
            raise

    def Reduce_scatter(
        self,
        sendbuf: BufSpec | InPlace,
        recvbuf: BufSpec,
        recvcounts: Sequence[int] | None = None,
        op: AnyOp = SUM,
    ) -> None:
        """Reduce, and give each rank a block of the result.  Collective.

        Arguments and errors are those of :meth:`Reduce_scatter_block`. The differences are:

        Parameters
        ----------
        recvcounts
            Number of elements of each rank's block; the same list on all ranks. By default, the
            length of each rank's ``recvbuf`` is the length of its block.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, REDUCE_SCATTER, sendbuf, recvbuf, op, recvcounts=recvcounts)
        except BaseException as error:
            fail(state, error)
            raise

    def Scan(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Give rank i the fold of ranks 0 to i.  Collective.

        Arguments and errors are those of :meth:`Allreduce`. On one node, if the vectors have at
        most 8 bytes, a rank may get a mismatch with higher ranks in a later call.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, SCAN, sendbuf, recvbuf, op)
        except BaseException as error:
            fail(state, error)
            raise

    def Exscan(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Give rank i the fold of ranks 0 to i - 1.  Collective.

        Arguments and errors are those of :meth:`Scan`. On rank 0, ``recvbuf`` stays unchanged.
        """
        state = self._comm_state or self._attach()
        try:
            reduction(self, state, EXSCAN, sendbuf, recvbuf, op)
        except BaseException as error:
            fail(state, error)
            raise

    def argmax(self, values: ArrayLike, indices: ArrayLike | None = None) -> tuple[Any, Any]:
        """Find the greatest value of each element over all ranks, and the rank that has it.

        Collective. NaN counts as the greatest value. Of equal values, the value with the smallest
        rank or index counts.

        Parameters
        ----------
        values
            A number or an array of integers or reals. The shape must be the same on all ranks.
        indices
            Integers to return instead of ranks, such as global positions. The shape must be that of
            ``values``.

        Returns
        -------
        tuple
            Two arrays (or numbers) with the shape of ``values``: the greatest values, and their
            ranks or indices as int64.

        Raises
        ------
        DatatypeError
            Values are not integers or reals, or indices are not integers.
        CollectiveMismatchError
            Ranks passed different sizes or types. All ranks raise it.
        """
        state = self._comm_state or self._attach()
        try:
            return argreduce(self, state, MAXLOC, values, indices)
        except BaseException as error:
            fail(state, error)
            raise

    def argmin(self, values: ArrayLike, indices: ArrayLike | None = None) -> tuple[Any, Any]:
        """Find the smallest value of each element over all ranks, and the rank that has it.

        Collective. NaN counts as the smallest value. Arguments and errors are those of
        :meth:`argmax`.
        """
        state = self._comm_state or self._attach()
        try:
            return argreduce(self, state, MINLOC, values, indices)
        except BaseException as error:
            fail(state, error)
            raise

    # -- reductions of objects --------------------------------------------------------

    def allreduce(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Reduce objects to all ranks.  Collective.

        Parameters
        ----------
        sendobj
            Any object. Numbers, bools, and NumPy's scalars and arrays travel without pickle.
        op
            An operation, its name, or a callable ``op(low, high)`` on two objects.

        Returns
        -------
        Any
            The fold in rank order. On several nodes, redcoll folds the ranks of each node first.
            For real and complex numbers of one type, :meth:`Allreduce` gives the same bits. If
            objects travel as pickles, or ``op`` is a callable, the order of the fold is mpi4py's.

        Raises
        ------
        CollectiveMismatchError
            Ranks passed different operations, and all ranks raise the error. If an object cannot be
            pickled, all other ranks raise the error.
        RemoteOpError
            The operation raised on another rank.
        PeerLostError, CollectiveTimeoutError, TeamBrokenError
            A rank has left, has died or is late; or an earlier call broke the communicator's team.
        """
        state = self._comm_state or self._attach()
        try:
            return _objects.reduction(self, state, ALLREDUCE, sendobj, op)
        except BaseException as error:
            fail(state, error)
            raise

    def reduce(self, sendobj: Any, op: AnyOp = SUM, root: int = 0) -> Any | None:
        """Reduce objects to ``root``; return None on other ranks.  Collective.

        Arguments and errors are those of :meth:`allreduce`. ``root`` is that of :meth:`Reduce`.
        """
        state = self._comm_state or self._attach()
        try:
            return _objects.reduction(self, state, REDUCE, sendobj, op, root)
        except BaseException as error:
            fail(state, error)
            raise

    def scan(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Give rank i the fold of the objects of ranks 0 to i.  Collective.

        Arguments and errors are those of :meth:`allreduce`.
        """
        state = self._comm_state or self._attach()
        try:
            return _objects.reduction(self, state, SCAN, sendobj, op)
        except BaseException as error:
            fail(state, error)
            raise

    def exscan(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Give rank i the fold of the objects of ranks 0 to i - 1; None to rank 0.  Collective.

        Arguments and errors are those of :meth:`allreduce`.
        """
        state = self._comm_state or self._attach()
        try:
            return _objects.reduction(self, state, EXSCAN, sendobj, op)
        except BaseException as error:
            fail(state, error)
            raise

    # -- several values at once ---------------------------------------------------------

    def allreduce_many(self, values: Values, op: Any = SUM) -> Values:
        """Reduce several values at once, to all ranks.  Collective.

        All short values share one synchronisation round. Without a window, MPI reduces each value
        separately. mpi4py has no such method.

        Parameters
        ----------
        values
            A list, a tuple, a named tuple or a dict of arrays and numbers, nested in any way.
        op
            One operation as in :meth:`Allreduce`, or an operation for each value, in the structure
            of ``values``.

        Returns
        -------
        Any
            The results in the structure of ``values``. They have the same bits as separate calls of
            :meth:`Allreduce` for arrays, and of :meth:`allreduce` for numbers.

        Raises
        ------
        ArgumentError
            An argument is wrong. The message names the item. The other ranks raise
            ``CollectiveMismatchError``.
        CollectiveMismatchError
            Ranks passed different structures, shapes, types or operations. The message names the
            first item that differs. All ranks raise it.
        RemoteOpError
            A user's function raised on another rank.
        PeerLostError, CollectiveTimeoutError, TeamBrokenError
            A rank has left, has died or is late; or an earlier call broke the communicator's team.
        """
        state = self._comm_state or self._attach()
        try:
            found: Values = _reduce_many(self, state, ALLREDUCE_MANY, values, op)
            return found
        except BaseException as error:
            fail(state, error)
            raise

    def reduce_many(self, values: Values, op: Any = SUM, root: int = 0) -> Values | None:
        """Reduce several values at once, to ``root``; return None on other ranks.  Collective.

        Arguments, results and errors are those of :meth:`allreduce_many`. All ranks wait for each
        other.
        """
        state = self._comm_state or self._attach()
        try:
            found: Values | None = _reduce_many(self, state, REDUCE_MANY, values, op, root)
            return found
        except BaseException as error:
            fail(state, error)
            raise

    # -- barrier --------------------------------------------------------------------

    def Barrier(self) -> None:
        """Return when all ranks have called.  Collective.

        The call uses MPI's barrier before the first reduction on this communicator, and if there is
        no window.

        Raises
        ------
        CollectiveMismatchError
            Some ranks called another collective. All ranks raise it.
        PeerLostError, CollectiveTimeoutError, TeamBrokenError
            A rank has left, has died or is late; or an earlier call broke the communicator's team.
        """
        state = self._comm_state or (find(self) if self else None)
        if state is None or state.team is None:
            super().Barrier()
            return
        try:
            state.team.round(_BARRIER_WORD)
        except BaseException as error:
            fail(state, error)
            raise

    def barrier(self) -> None:
        """Return when all ranks have called.  Collective.

        Errors are those of :meth:`Barrier`.
        """
        self.Barrier()

    # -- freeing ----------------------------------------------------------------------

    def Free(self) -> None:
        """Free the communicator and its window.  Collective.

        Raises
        ------
        CollectiveMismatchError
            Some ranks called another collective. All ranks raise it, and nothing is freed.
        """
        self._detach()
        super().Free()

    def Disconnect(self) -> None:
        """Wait for all pending messages, then free the communicator and its window.  Collective."""
        self._detach()
        super().Disconnect()

    def free(self) -> None:
        """Call :meth:`Free`, unless the communicator is null or predefined.

        A copy such as ``Intracomm(COMM_WORLD)`` becomes null; the original stays valid.
        """
        super().free()
        self._comm_state = None

    def _detach(self) -> None:
        if self and self not in (mpi.COMM_WORLD, mpi.COMM_SELF):
            try:
                detach(self)
            except BaseException as error:
                add_mpi4pys(error)
                raise
            self._comm_state = None
