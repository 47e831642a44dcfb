"""The collectives of a communicator that redcoll replaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mpi4py import MPI as mpi
from numpy import may_share_memory, ndarray
from numpy.typing import ArrayLike, NDArray

from redcoll import collectives
from redcoll.collectives.allreduce import perform
from redcoll.collectives.plan import complete_started
from redcoll.MPI import _objects, _reductions
from redcoll.MPI._bond import Bond, bind, find, unbind
from redcoll.MPI._extremes import extreme
from redcoll.MPI._ops import PREDEFINED, Op
from redcoll.MPI._requests import PlannedRequest
from redcoll.signature import (
    ALLREDUCE,
    BARRIER,
    EXSCAN,
    NO_ROOT,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    Call,
    pack,
)
from redcoll.team import Team

if TYPE_CHECKING:
    from mpi4py.typing import BufSpec, BufSpecB, InPlace

Array = NDArray[Any]
AnyOp = mpi.Op | Callable[[Any, Any], Any]

SUM, MAXLOC, MINLOC = PREDEFINED["SUM"], PREDEFINED["MAXLOC"], PREDEFINED["MINLOC"]
_BARRIER_WORD = pack(BARRIER)


def _known(
    team: Team,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Op,
    root: int = NO_ROOT,
    *,
    blocks: int = 1,
    has_result: bool = True,
) -> Call | None:
    """The call on the core, if one of this shape was made before and nothing is to be sorted out.

    That is so for plain arrays in C order and predefined operations: the hot path.
    """
    if type(sendbuf) is not ndarray:
        return None
    size = sendbuf.size
    call: Call | None = team.calls.get((collective, op.core, sendbuf.dtype, size, root, 0))
    if call is None or not sendbuf.flags.c_contiguous:
        return None
    if not has_result:
        return call
    if type(recvbuf) is not ndarray or recvbuf.dtype is not sendbuf.dtype:
        return None
    if recvbuf.size * blocks != size:
        return None
    flags = recvbuf.flags
    if not flags.c_contiguous or not flags.writeable or sendbuf is recvbuf:
        return None
    # An array that owns its memory cannot overlap another.
    if sendbuf.base is not None and recvbuf.base is not None and may_share_memory(sendbuf, recvbuf):
        return None
    return call


def _flat(array: Any) -> Array:
    vector: Array = array if array.ndim == 1 else array.reshape(-1)
    return vector


class Collectives(mpi.Intracomm):
    """An intracommunicator whose reductions and barriers are redcoll's."""

    _bond: Bond | None = None
    _team: Team | None = None

    def _bonded(self) -> Bond:
        """How this communicator reduces, settled at the first call.  Collective then."""
        bond = self._bond
        if bond is None:
            bond = self._bond = bind(self)
            self._team = bond.team
        return bond

    # -- reductions -----------------------------------------------------------------

    def Allreduce(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Reduce to all ranks.  Collective.

        Parameters
        ----------
        sendbuf
            This rank's elements, or ``IN_PLACE`` (None) to take them from ``recvbuf``.
        recvbuf
            As many elements of the same type; receives ``x0 op x1 op ...``, the fold in
            rank order, the same bits on all ranks.
        op
            A predefined operation, one made by ``Op.Create``, a ufunc or a callable.

        Raises
        ------
        Exception
            What mpi4py raises for wrong arguments; ``CollectiveMismatchError`` on the
            ranks whose own arguments are right.
        CollectiveMismatchError
            Ranks passed other counts, types or operations: on all alike.
        RemoteOpError
            A user's function raised on another rank.
        """
        team = self._team
        if team is not None and type(op) is Op and not team.started:
            if team.small is not None and team.small(ALLREDUCE, recvbuf, sendbuf, op.core):
                return
            call = _known(team, ALLREDUCE, sendbuf, recvbuf, op)
            if call is not None:
                perform(team, call, _flat(recvbuf), _flat(sendbuf))
                return
        _reductions.reduction(self, self._bonded(), ALLREDUCE, sendbuf, recvbuf, op)

    def Reduce(
        self,
        sendbuf: BufSpec | InPlace,
        recvbuf: BufSpec | None,
        op: AnyOp = SUM,
        root: int = 0,
    ) -> None:
        """Reduce to ``root``.  Collective.

        Arguments and errors are those of :meth:`Allreduce`, and:

        Parameters
        ----------
        sendbuf
            ``IN_PLACE`` on the root alone.
        recvbuf
            Used on the root alone, untouched elsewhere.
        root
            The rank that gets the result, the same on all ranks.

        Raises
        ------
        Exception
            Of class ``ERR_ROOT``: there is no such rank.
        """
        team = self._team
        if team is not None and type(op) is Op and type(root) is int and not team.started:
            here = team.index == root
            into: Any = recvbuf if here else None
            if team.small is not None and team.small(REDUCE, into, sendbuf, op.core, root):
                return
            call = _known(team, REDUCE, sendbuf, recvbuf, op, root, has_result=here)
            if call is not None:
                collectives.reduce(into, _flat(sendbuf), call.op, root, team=team)
                return
        _reductions.reduction(self, self._bonded(), REDUCE, sendbuf, recvbuf, op, root)

    def Reduce_scatter_block(
        self,
        sendbuf: BufSpecB | InPlace,
        recvbuf: BufSpec | BufSpecB,
        op: AnyOp = SUM,
    ) -> None:
        """Reduce, and give each rank one block of the result.  Collective.

        Arguments and errors are those of :meth:`Allreduce`, and:

        Parameters
        ----------
        sendbuf
            As many blocks as there are ranks, one after the other.
        recvbuf
            One block. In place it holds all blocks, and the result comes into the first;
            the others are untouched.
        """
        team = self._team
        if team is not None and type(op) is Op and not team.started:
            if team.small is not None and team.small(REDUCE_SCATTER, recvbuf, sendbuf, op.core):
                return
            call = _known(team, REDUCE_SCATTER, sendbuf, recvbuf, op, blocks=team.size)
            if call is not None:
                collectives.reduce_scatter(_flat(recvbuf), _flat(sendbuf), call.op, team=team)
                return
        _reductions.reduction(self, self._bonded(), REDUCE_SCATTER, sendbuf, recvbuf, op)

    def Reduce_scatter(
        self,
        sendbuf: BufSpec | InPlace,
        recvbuf: BufSpec,
        recvcounts: Sequence[int] | None = None,
        op: AnyOp = SUM,
    ) -> None:
        """Reduce, and give each rank a block of the result.  Collective.

        Arguments and errors are those of :meth:`Reduce_scatter_block`, and:

        Parameters
        ----------
        recvcounts
            Elements of each rank's block, the same on all ranks; gathered from ``recvbuf``
            if None.
        """
        _reductions.reduction(
            self, self._bonded(), REDUCE_SCATTER, sendbuf, recvbuf, op, recvcounts=recvcounts
        )

    def Scan(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Give rank i the fold of ranks 0 to i.  Collective.

        Arguments and errors are those of :meth:`Allreduce`.
        """
        team = self._team
        if team is not None and type(op) is Op and not team.started:
            if team.small is not None and team.small(SCAN, recvbuf, sendbuf, op.core):
                return
            call = _known(team, SCAN, sendbuf, recvbuf, op)
            if call is not None:
                collectives.scan(_flat(recvbuf), _flat(sendbuf), call.op, team=team)
                return
        _reductions.reduction(self, self._bonded(), SCAN, sendbuf, recvbuf, op)

    def Exscan(self, sendbuf: BufSpec | InPlace, recvbuf: BufSpec, op: AnyOp = SUM) -> None:
        """Give rank i the fold of ranks 0 to i - 1.  Collective.

        Arguments and errors are those of :meth:`Allreduce`; ``recvbuf`` is untouched on
        rank 0.
        """
        team = self._team
        if team is not None and type(op) is Op and not team.started:
            if team.small is not None and team.small(EXSCAN, recvbuf, sendbuf, op.core):
                return
            call = _known(team, EXSCAN, sendbuf, recvbuf, op)
            if call is not None:
                collectives.exscan(_flat(recvbuf), _flat(sendbuf), call.op, team=team)
                return
        _reductions.reduction(self, self._bonded(), EXSCAN, sendbuf, recvbuf, op)

    def argmax(self, values: ArrayLike, indices: ArrayLike | None = None) -> tuple[Any, Any]:
        """Greatest value over all ranks, and the rank that has it, element by element.

        Collective. NaN is greatest; among equals the smallest index counts.

        Parameters
        ----------
        values
            Integers or reals: a number, or an array of the same shape on all ranks.
        indices
            Integers of the shape of ``values`` to take in place of the rank, such as global
            positions.

        Returns
        -------
        tuple
            The values and the ranks (or indices, int64), of the shape of ``values``.

        Raises
        ------
        DatatypeError
            Values or indices of another type.
        CollectiveMismatchError
            Ranks passed other sizes or types: on all alike.
        """
        return extreme(self, self._bonded(), MAXLOC, values, indices)

    def argmin(self, values: ArrayLike, indices: ArrayLike | None = None) -> tuple[Any, Any]:
        """Smallest value over all ranks, and the rank that has it, element by element.

        Collective. NaN is smallest; otherwise as :meth:`argmax`.
        """
        return extreme(self, self._bonded(), MINLOC, values, indices)

    # -- reductions of objects --------------------------------------------------------

    def allreduce(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Reduce objects to all ranks.  Collective.

        Parameters
        ----------
        sendobj
            Any object; numbers, bools, numpy's scalars and arrays, and tuples of them go
            without pickle.
        op
            An operation, or a callable ``op(low, high)`` on two objects.

        Returns
        -------
        Any
            What mpi4py returns: the same operations on the same operands, in the same
            grouping.

        Raises
        ------
        CollectiveMismatchError
            Ranks passed other operations: on all alike.
        RemoteOpError
            A callable raised on another rank.
        """
        return _objects.reduction(self, self._bonded(), ALLREDUCE, sendobj, op)

    def reduce(self, sendobj: Any, op: AnyOp = SUM, root: int = 0) -> Any | None:
        """Reduce objects to ``root``; None on the other ranks.  Collective.

        Arguments and errors are those of :meth:`allreduce` and :meth:`Reduce`.
        """
        return _objects.reduction(self, self._bonded(), REDUCE, sendobj, op, root)

    def scan(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Give rank i the fold of the objects of ranks 0 to i.  Collective.

        Arguments and errors are those of :meth:`allreduce`.
        """
        return _objects.reduction(self, self._bonded(), SCAN, sendobj, op)

    def exscan(self, sendobj: Any, op: AnyOp = SUM) -> Any:
        """Give rank i the fold of the objects of ranks 0 to i - 1; None to rank 0.  Collective.

        Arguments and errors are those of :meth:`allreduce`.
        """
        return _objects.reduction(self, self._bonded(), EXSCAN, sendobj, op)

    # -- persistent reductions ----------------------------------------------------------

    def Allreduce_init(
        self,
        sendbuf: BufSpec | InPlace,
        recvbuf: BufSpec,
        op: AnyOp = SUM,
        info: mpi.Info = mpi.INFO_NULL,
    ) -> mpi.Prequest:
        """Prepare an allreduce to be started any number of times.  Collective.

        Arguments and errors are those of :meth:`Allreduce`; ``info`` is for MPI's own.
        """
        planned = _reductions.plan(self, self._bonded(), ALLREDUCE, sendbuf, recvbuf, op)
        if planned is not None:
            return PlannedRequest.of(*planned)
        return super().Allreduce_init(sendbuf, recvbuf, op, info)  # type: ignore[arg-type]

    def Reduce_init(
        self,
        sendbuf: BufSpec | InPlace,
        recvbuf: BufSpec | None,
        op: AnyOp = SUM,
        root: int = 0,
        info: mpi.Info = mpi.INFO_NULL,
    ) -> mpi.Prequest:
        """Prepare a reduce to be started any number of times.  Collective.

        Arguments and errors are those of :meth:`Reduce`; ``info`` is for MPI's own.
        """
        planned = _reductions.plan(self, self._bonded(), REDUCE, sendbuf, recvbuf, op, root)
        if planned is not None:
            return PlannedRequest.of(*planned)
        return super().Reduce_init(sendbuf, recvbuf, op, root, info)  # type: ignore[arg-type]

    # -- barrier --------------------------------------------------------------------

    def Barrier(self) -> None:
        """Return when all ranks have called.  Collective.

        Through the window, if there has been a reduction on this communicator; else MPI's.
        """
        team = self._team
        if team is None:
            bond = find(self) if self else None
            team = None if bond is None else bond.team
        if team is None:
            super().Barrier()
            return
        if team.started:
            complete_started(team)
        team.round(_BARRIER_WORD)

    def barrier(self) -> None:
        """Return when all ranks have called.  Collective."""
        self.Barrier()

    # -- the end ----------------------------------------------------------------------

    def Free(self) -> None:
        """Free the communicator and its window.  Collective.

        Raises
        ------
        CollectiveMismatchError
            Ranks are in another collective: on all alike, and nothing was freed.
        """
        self._unbind()
        super().Free()

    def Disconnect(self) -> None:
        """Free the communicator and its window when pending messages have arrived.  Collective."""
        self._unbind()
        super().Disconnect()

    def free(self) -> None:
        """Call :meth:`Free` unless null or predefined."""
        if self and self not in (mpi.COMM_WORLD, mpi.COMM_SELF):
            self.Free()

    def _unbind(self) -> None:
        if self and self not in (mpi.COMM_WORLD, mpi.COMM_SELF):
            unbind(self)
            self._bond = self._team = None
