"""The arguments of one upper-case reduction, sorted out: vectors and an operation of the core."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll import collectives, ops
from redcoll.datatypes import element_type
from redcoll.memory.heap import address_of
from redcoll.MPI import _native
from redcoll.MPI._datatypes import datatype_of, takes
from redcoll.MPI._message import UnfitError, Vector, take
from redcoll.MPI._native import EQUAL_BLOCKS
from redcoll.MPI._ops import as_core, as_mpi
from redcoll.protocol.descriptor import (
    ALLREDUCE,
    EXSCAN,
    NO_ROOT,
    OBJECTS,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    pack,
)
from redcoll.team import Team

Array = NDArray[Any]

_CORE: dict[int, Any] = {
    ALLREDUCE: collectives.allreduce,
    SCAN: collectives.scan,
    EXSCAN: collectives.exscan,
}


def on_core(
    team: Team,
    collective: int,
    target: Any,
    source: Array,
    op: ops.Op,
    root: int,
    counts: Sequence[int] | None = None,
) -> None:
    """Reduce vectors on the core; ``target`` is None for a reduce elsewhere than on the root."""
    if collective == REDUCE:
        collectives.reduce(target, source, op, root, team=team)
    elif collective == REDUCE_SCATTER:
        collectives.reduce_scatter(target, source, op, counts, team=team)
    else:
        _CORE[collective](target, source, op, team=team)


@dataclass(slots=True)
class Reduction:
    """One call, its arguments sorted out."""

    collective: int
    op: Any
    core: ops.Op
    source: Vector
    target: Vector | None
    """None where this rank gets no result; the source itself in place."""
    result: Array
    """Where the core writes: the target's elements, unless the source lies there and is longer."""
    root: int = NO_ROOT
    counts: list[int] | None = None
    """Elements of each rank's block, of a reduce_scatter; None if equal, or not gathered yet."""
    is_even: bool = False
    """Whether it is a reduce_scatter into equal blocks."""

    def by_core(self, team: Team) -> None:
        """Reduce on the core.  Collective over the team.

        Raises
        ------
        CollectiveError
            Also ``DelegatedError``, where another rank wants MPI to do it.
        """
        target = None if self.target is None else self.result
        source = self.source.elements
        on_core(team, self.collective, target, source, self.core, self.root, self.counts)
        if self.collective != EXSCAN or team.index:
            self.store()

    def by_mpi(self, comm: mpi.Intracomm) -> None:
        """Reduce by MPI's own reduction, or without, if it has none.  Collective over ``comm``."""
        source, result = self.source.elements, self.result
        datatype = self.source.datatype or datatype_of(source.dtype)
        if not _native.can_reduce(self.op, datatype, source.dtype):
            if self.target is not None and self.collective == REDUCE_SCATTER:
                self._gather_counts(comm, self.target)
            if _native.gather_and_fold(
                comm, self.collective, result, source, self.core, self.root, self._counts(comm)
            ):
                self.store()
            return
        send: Any = [source, source.size, datatype]
        receive: Any = [result, result.size, datatype]
        arguments: list[Any]
        if self.target is None:
            arguments = [send, None, self.op]
        else:
            arguments = [mpi.IN_PLACE if result is source else send, receive, self.op]
        if self.collective == REDUCE:
            arguments.append(self.root)
        elif self.collective == REDUCE_SCATTER:
            arguments.insert(2, self._counts(comm))
        _native.METHODS[self.collective](comm, *arguments)
        if self.collective != EXSCAN or comm.Get_rank():
            self.store()

    def _gather_counts(self, comm: mpi.Intracomm, target: Vector) -> None:
        """The lengths of the blocks, where mpi4py would gather them.  Collective then."""
        if self.counts is None and not self.is_even:
            gathered = mpi.Comm.allgather(comm, target.count)
            self.counts = _checked_counts(comm, self.source, target, gathered)

    def _counts(self, comm: mpi.Intracomm) -> list[int] | None:
        if self.collective != REDUCE_SCATTER:
            return None
        return [self.result.size] * comm.Get_size() if self.is_even else self.counts

    def store(self) -> None:
        """Bring the result to where the caller wants it, on a rank that gets one."""
        target = self.target
        if target is None:
            return
        count = self.result.size
        if self.result is not target.elements:
            target.elements[:count] = self.result
        target.put_back(count)


_C_INTS = 2**31


def checked_root(comm: mpi.Intracomm, team: Team | None, root: Any) -> int:
    """The root of a reduce, as mpi4py takes it: of a float it drops the fraction.

    Raises
    ------
    Exception
        There is no such rank; the other ranks have been told, and the communicator's error
        handler has been called.
    """
    error: Exception = mpi.Exception(mpi.ERR_ROOT)
    try:
        rank = int(root) if isinstance(root, float) else operator.index(root)
        if 0 <= rank < comm.Get_size():
            return rank
        if not -_C_INTS <= rank < _C_INTS:
            error = OverflowError("value too large to convert to int")
    except Exception as raised:  # noqa: BLE001 - whatever the program's own number raises
        error = raised
    if team is not None:
        team.decline(pack(REDUCE), error)
    if isinstance(error, mpi.Exception):
        comm.Call_errhandler(error.Get_error_code())
    raise error


def sorted_out(
    comm: mpi.Intracomm,
    team: Team | None,
    collective: int,
    sendbuf: Any,
    recvbuf: Any,
    op: Any,
    root: int,
    recvcounts: Sequence[int] | None,
) -> Reduction | str:
    """The arguments as vectors and an operation of the core; why, if only MPI can reduce them.

    Raises
    ------
    Exception
        What mpi4py raises; the other ranks have been told.
    """
    try:
        op = as_mpi(op)
        has_result = root in (NO_ROOT, comm.Get_rank())
        # One object for both is IN_PLACE in mpi4py from version 4.2 on, and an error before.
        is_in_place = sendbuf is None or sendbuf is mpi.IN_PLACE or sendbuf is recvbuf
        is_scattered = collective == REDUCE_SCATTER
        blocks = comm.Get_size() if is_scattered and recvcounts is EQUAL_BLOCKS else 0
        try:
            source, target = _vectors(sendbuf, recvbuf, blocks, is_in_place, has_result)
            core = _operation(op, source)
        except UnfitError as unfit:
            _native.refuse_what_mpi4py_refuses(
                collective, sendbuf, recvbuf, op, has_result=has_result
            )
            return str(unfit)
        _check_counts_agree(source, target, blocks, is_scattered)
    except Exception as error:
        if team is not None:
            team.decline(pack(collective), error)
        raise
    result = (target or source).elements
    if is_in_place and blocks:
        result = np.empty(source.count // blocks, result.dtype)
    call = Reduction(collective, op, core, source, target, result, root, is_even=bool(blocks))
    if is_scattered and not blocks:
        _set_counts(comm, team, call, recvcounts)
    return call


def _vectors(
    sendbuf: Any, recvbuf: Any, blocks: int, is_in_place: bool, has_result: bool
) -> tuple[Vector, Vector | None]:
    if not has_result:
        if sendbuf is mpi.IN_PLACE:
            raise mpi.Exception(mpi.ERR_ARG)  # it is for the root alone
        return take(sendbuf), None
    if is_in_place:
        both = take(recvbuf, writable=True, blocks=blocks)
        return both, both
    target = take(recvbuf, writable=True, load=False)
    source = take(sendbuf, blocks=blocks)
    if not source.is_of_type(target):
        raise ValueError("mismatch in send and receive MPI datatypes")
    if _are_same(source, target):
        return target, target
    return source, target


def _are_same(source: Vector, target: Vector) -> bool:
    """Whether these are the same elements of the same memory: in place, too."""
    a, b = source.elements, target.elements
    if source.home is not None or target.home is not None or a.size != b.size:
        return False
    return np.may_share_memory(a, b) and address_of(a) == address_of(b)


def _operation(op: Any, source: Vector) -> ops.Op:
    dtype = source.elements.dtype
    core = as_core(op, source.datatype, dtype)
    if core is None or not takes(source.datatype, core):
        raise UnfitError("operation")
    if element_type(dtype).kind not in core.kinds:
        raise UnfitError("operation")
    return core


def _check_counts_agree(
    source: Vector, target: Vector | None, blocks: int, is_scattered: bool
) -> None:
    if target is None or target is source or (is_scattered and not blocks):
        return
    count = source.count // max(blocks, 1)
    if count != target.count:
        raise ValueError(f"mismatch in send count {count} and receive count {target.count}")


def _checked_counts(
    comm: mpi.Intracomm, source: Vector, target: Vector, recvcounts: Any
) -> list[int]:
    size, rank = comm.Get_size(), comm.Get_rank()
    counts = [operator.index(count) for count in recvcounts]
    if len(counts) != size:
        raise ValueError(f"expecting {size} items, got {len(counts)}")
    total = sum(counts)
    if target is source:
        if source.count != total:
            raise ValueError(f"mismatch in receive count {source.count} and sum(counts) {total}")
    elif source.count != total:
        raise ValueError(f"mismatch in send count {source.count} and sum(counts) {total}")
    elif target.count != counts[rank]:
        raise ValueError(
            f"mismatch in receive count {target.count} and counts[{rank}] {counts[rank]}"
        )
    if min(counts) < 0:
        raise mpi.Exception(mpi.ERR_COUNT)
    return counts


def _set_counts(
    comm: mpi.Intracomm, team: Team | None, call: Reduction, recvcounts: Sequence[int] | None
) -> None:
    """The blocks of a reduce_scatter.  Collective over a team, if they are not given.

    Without a team they are not gathered here: other ranks may have arguments that only
    mpi4py understands, and mpi4py gathers in its own way.

    Raises
    ------
    ValueError
        They contradict the buffers, in mpi4py's words.
    """
    target = call.target or call.source
    is_in_place = target is call.source
    if recvcounts is None and not is_in_place:
        if team is None:
            return
        word = pack(REDUCE_SCATTER, element=OBJECTS)
        recvcounts = [tag for tag, _ in team.share(word, 0, target.count, b"")]
    try:
        counts = _checked_counts(comm, call.source, target, recvcounts)
    except Exception as error:
        if team is not None:
            team.decline(pack(REDUCE_SCATTER), error)
        raise
    call.counts = counts
    if is_in_place:
        call.result = np.empty(counts[comm.Get_rank()], call.source.elements.dtype)
