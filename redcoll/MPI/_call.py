"""Parse the arguments of an upper-case reduction into vectors and an operation of the core."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI as mpi

from redcoll import ops
from redcoll.arguments import Array
from redcoll.collectives.dispatch import reduce_by_code
from redcoll.collectives.without_window import gather_and_fold
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError, OpError
from redcoll.MPI import _native
from redcoll.MPI._datatypes import datatype_of, takes
from redcoll.MPI._errors import argument_error
from redcoll.MPI._message import Message, UnsupportedError, parse
from redcoll.MPI._native import EQUAL_BLOCKS
from redcoll.MPI._ops import as_core, as_mpi
from redcoll.protocol.descriptor import EXSCAN, NO_ROOT, OBJECTS, REDUCE, REDUCE_SCATTER, pack
from redcoll.team import Team

_C_INTS = 2**31


class NativeCall(NamedTuple):
    """A call that only MPI can make, with the arguments as the program passed them."""

    reason: str
    """The reason why the core cannot make this call, in the words of ``REDCOLL_REPORT``."""
    collective: int
    sendbuf: Any
    recvbuf: Any
    op: Any
    root: int
    recvcounts: Sequence[int] | None

    def by_mpi(self, comm: mpi.Intracomm) -> None:
        """Reduce by MPI.  Collective over ``comm``."""
        arguments = self.sendbuf, self.recvbuf, self.op, self.root, self.recvcounts
        _native.reduction(comm, self.collective, *arguments)


class Call:
    """A call that the core can make, with its arguments as vectors.

    Parameters
    ----------
    target
        None on a rank that gets no result; the same object as ``source`` if the call is in place.
    result
        The array that the reduction writes, usually the target's elements. An in-place
        reduce_scatter writes a new array, because the target is longer than the result.
    recvcounts
        The number of elements of each rank's block in a reduce_scatter. With None the ranks
        exchange these numbers.
    """

    __slots__ = ("collective", "core", "op", "recvcounts", "result", "root", "source", "target")

    def __init__(
        self,
        collective: int,
        op: Any,
        core: ops.Op,
        source: Message,
        target: Message | None,
        result: Array,
        root: int,
        recvcounts: Sequence[int] | None,
    ) -> None:
        self.collective = collective
        self.op = op
        self.core = core
        self.source = source
        self.target = target
        self.result = result
        self.root = root
        self.recvcounts = recvcounts

    def by_core(self, team: Team) -> None:
        """Reduce on the core.  Collective over the team.

        Raises
        ------
        CollectiveError
            The errors of the core's reductions, and ``DelegatedError`` if another rank asks for
            MPI's reduction.
        """
        counts = self._counts_on(team)
        target = None if self.target is None else self.result
        reduce_by_code(
            team, self.collective, target, self.source.elements, self.core, self.root, counts
        )
        if self.collective != EXSCAN or team.index:
            self._write_back()

    def can_be_by_mpi(self) -> bool:
        """Return whether MPI has this operation on these elements.  Local."""
        if self.core.element is not None or self.core.is_exact_on(
            element_type(self.source.elements.dtype)
        ):
            return False
        return _native.can_reduce(self.op, self._mpi_datatype(), self.source.elements.dtype)

    def by_mpi(self, comm: mpi.Intracomm) -> None:
        """Reduce by MPI, or by a gather if MPI lacks the operation.  Collective over ``comm``.

        :meth:`can_be_by_mpi` must return the same value on all ranks.
        """
        if self.can_be_by_mpi():
            has_result = self._by_reduction_of_mpi(comm)
        else:
            source, counts = self.source.elements, self._counts_among(comm)
            has_result = gather_and_fold(
                comm, self.collective, self.result, source, self.core, self.root, counts
            )
        if has_result:
            self._write_back()

    def _mpi_datatype(self) -> mpi.Datatype | None:
        return self.source.datatype or datatype_of(self.source.elements.dtype)

    def _by_reduction_of_mpi(self, comm: mpi.Intracomm) -> bool:
        source, result, datatype = self.source.elements, self.result, self._mpi_datatype()
        send: Any = [source, source.size, datatype]
        receive: Any = [result, result.size, datatype]
        if self.target is None:
            receive = None
        elif result is source:
            send = mpi.IN_PLACE
        recvcounts = self.recvcounts
        if recvcounts is EQUAL_BLOCKS:
            recvcounts = [result.size] * comm.Get_size()
        _native.reduction(comm, self.collective, send, receive, self.op, self.root, recvcounts)
        return self.collective != EXSCAN or comm.Get_rank() > 0

    # -- the blocks of a reduce_scatter -----------------------------------------------------

    def _counts_on(self, team: Team) -> list[int] | None:
        """Return the lengths of all blocks; None if they are equal, or if there are no blocks.

        The call is collective over the team if the program has not passed the lengths.
        """
        if self.collective != REDUCE_SCATTER or self.recvcounts is EQUAL_BLOCKS:
            return None
        if self.recvcounts is None:
            word, mine = pack(REDUCE_SCATTER, element=OBJECTS), self.target or self.source
            self.recvcounts = [tag for tag, _ in team.share(word, 0, mine.count, b"")]
            with team.checking(REDUCE_SCATTER):
                self.check_counts(team.index, team.size)
        return list(self.recvcounts)

    def _counts_among(self, comm: mpi.Intracomm) -> list[int] | None:
        """Return the lengths of all blocks; None if there are no blocks.

        The call is collective over ``comm`` if the program has not passed the lengths.
        """
        if self.collective != REDUCE_SCATTER:
            return None
        if self.recvcounts is EQUAL_BLOCKS:
            return [self.result.size] * comm.Get_size()
        if self.recvcounts is None:
            self.recvcounts = mpi.Comm.allgather(comm, (self.target or self.source).count)
            self.check_counts(comm.Get_rank(), comm.Get_size())
        return list(self.recvcounts)

    def check_counts(self, rank: int, size: int) -> None:
        """Check ``recvcounts``, if they are given, and cut the result to this rank's block.

        Raises
        ------
        ArgumentError
            The counts contradict the buffers, or a count is negative.
        """
        if self.recvcounts is None or self.recvcounts is EQUAL_BLOCKS:
            return
        counts = [operator.index(count) for count in self.recvcounts]
        if len(counts) != size:
            raise ArgumentError(f"recvcounts has {len(counts)} items; it must have {size}")
        source, target, total = self.source, self.target, sum(counts)
        if source.count != total:
            name = "recvbuf" if target is source else "sendbuf"
            raise ArgumentError(
                f"{name} has {source.count} elements; it must have {total}, the sum of recvcounts"
            )
        if target is not source and target is not None and target.count != counts[rank]:
            raise ArgumentError(
                f"recvbuf has {target.count} elements; it must have recvcounts[{rank}], which is "
                f"{counts[rank]}"
            )
        if min(counts) < 0:
            text = f"recvcounts has an item {min(counts)}; it must be at least 0"
            raise argument_error(mpi.ERR_COUNT, text)
        self.recvcounts = counts
        if target is source:
            self.result = np.empty(counts[rank], source.elements.dtype)

    def _write_back(self) -> None:
        """Copy the result to the program's array, on a rank that gets a result."""
        target = self.target
        if target is None:
            return
        count = self.result.size
        if self.result is not target.elements:
            target.elements[:count] = self.result
        target.write_back(count)


def checked_root(root: Any, size: int) -> int:
    """Check the root of a reduce and return it as an int.  Local.

    Like mpi4py, drop the fraction of a float. Raise an ``ArgumentError`` of MPI's class
    ``ERR_ROOT`` if no rank has this number.
    """
    rank = int(root) if isinstance(root, float) else operator.index(root)
    if 0 <= rank < size:
        return rank
    if not -_C_INTS <= rank < _C_INTS:
        raise OverflowError("value too large to convert to int")
    raise argument_error(mpi.ERR_ROOT, f"root is {rank}; it must be from 0 to {size - 1}")


def parse_call(
    comm: mpi.Intracomm,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: Any,
    recvcounts: Sequence[int] | None,
) -> Call | NativeCall:
    """Parse the arguments of a reduction as mpi4py does.  Local.

    Raise the exception of mpi4py or MPI for wrong arguments.
    """
    rank, size = comm.Get_rank(), comm.Get_size()
    if collective == REDUCE:
        root = checked_root(root, size)
    op = as_mpi(op)
    has_result = root in (NO_ROOT, rank)
    # From version 4.2 on, mpi4py treats a call with the same object for both buffers as IN_PLACE.
    is_in_place = sendbuf is None or sendbuf is mpi.IN_PLACE or sendbuf is recvbuf
    blocks = size if collective == REDUCE_SCATTER and recvcounts is EQUAL_BLOCKS else 0
    structure = _structure_of(op)
    try:
        source, target = _parse_both(sendbuf, recvbuf, blocks, is_in_place, has_result, structure)
        core = _operation(op, source)
    except UnsupportedError as unsupported:
        own = op if isinstance(op, ops.Op) else ops.EXACT_SUM
        if structure is not None:
            raise OpError(
                f"op is {own.name}, which is for {structure}; the buffers must be arrays of this "
                f"type, without a datatype or with one of the same fields ({unsupported})"
            ) from None
        if own is op or getattr(op, "core", None) is own:
            raise OpError(
                f"op is {own.name}, and only MPI can reduce these buffers ({unsupported}); MPI "
                "does not have this operation: pass contiguous arrays of MPI's types"
            ) from None
        _native.refuse_what_mpi4py_refuses(collective, sendbuf, recvbuf, op, has_result=has_result)
        return NativeCall(str(unsupported), collective, sendbuf, recvbuf, op, root, recvcounts)
    result = (target or source).elements
    if is_in_place and blocks:
        result = np.empty(source.count // blocks, result.dtype)
    if collective != REDUCE_SCATTER or blocks:
        _check_counts_agree(source, target, blocks)
    elif is_in_place and recvcounts is None:
        raise TypeError("recvcounts is None; a reduce_scatter in place needs it")
    call = Call(collective, op, core, source, target, result, root, recvcounts)
    call.check_counts(rank, size)
    return call


def _parse_both(
    sendbuf: Any,
    recvbuf: Any,
    blocks: int,
    is_in_place: bool,
    has_result: bool,
    structure: np.dtype[Any] | None,
) -> tuple[Message, Message | None]:
    """Return the source and the target: one object if the call is in place."""
    if not has_result:
        if sendbuf is mpi.IN_PLACE:
            text = "sendbuf is IN_PLACE; only the root of a reduce may pass it"
            raise argument_error(mpi.ERR_ARG, text)
        return parse(sendbuf, structure=structure), None
    if is_in_place:
        both = parse(recvbuf, writable=True, blocks=blocks, structure=structure)
        return both, both
    target = parse(recvbuf, writable=True, load=False, structure=structure)
    source = parse(sendbuf, blocks=blocks, structure=structure)
    if not source.is_of_type(target):
        raise DatatypeError("sendbuf and recvbuf have different datatypes; they must have one")
    return (target, target) if source.is_same(target) else (source, target)


def _operation(op: Any, source: Message) -> ops.Op:
    dtype = source.elements.dtype
    core = as_core(op, source.datatype, dtype)
    if core is None or not takes(source.datatype, core):
        raise UnsupportedError("operation")
    if core is ops.EXACT_SUM:
        core.check(element_type(dtype))
    if core.element is not None:
        core.element_of(dtype)
    elif not core.takes(element_type(dtype)):
        raise UnsupportedError("operation")
    return core


def _structure_of(op: Any) -> np.dtype[Any] | None:
    """Return the structured dtype that a compiled operation takes; None for other operations."""
    element = op.element if isinstance(op, ops.Op) else None
    return None if element is None or element.dtype.names is None else element.dtype


def _check_counts_agree(source: Message, target: Message | None, blocks: int) -> None:
    if target is None or target is source:
        return
    count = source.count // max(blocks, 1)
    if count != target.count:
        raise ArgumentError(f"recvbuf has {target.count} elements; it must have {count}")
