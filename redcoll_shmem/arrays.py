"""SHMEM for those who think in NumPy: symmetric arrays, and calls that take them whole.

All PEs take part in every call but ``put`` and ``get``. Beside the C names, not instead
of them: both work on the same arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import DTypeLike, NDArray

from redcoll import world
from redcoll.arguments import flag, plain
from redcoll.arrays import array, empty, free, full, ones, zeros
from redcoll.collectives.allreduce import perform, prepare_call
from redcoll.collectives.barrier import barrier
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma
from redcoll.ops import OpLike, as_op
from redcoll.protocol.descriptor import ALLOCATE, ALLREDUCE
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._outermost import outermost
from redcoll_shmem._reducing import operands

Array = NDArray[Any]

__all__ = [
    "alloc",
    "and_reduce",
    "array",
    "barrier_all",
    "empty",
    "free",
    "full",
    "get",
    "max_reduce",
    "min_reduce",
    "ones",
    "or_reduce",
    "prod_reduce",
    "put",
    "reduce",
    "sum_reduce",
    "sync_all",
    "xor_reduce",
    "zeros",
]


@outermost
def alloc(
    shape: int | Sequence[int],
    dtype: DTypeLike = float,
    order: str = "C",
    *,
    align: int = 64,
    clear: bool = True,
) -> Array:
    """Symmetric array of zeros, or of unset elements if ``clear`` is false.

    Otherwise as :func:`empty`.
    """
    with world.start().team.checking(ALLOCATE, "alloc"):
        make = zeros if flag(clear, "clear") else empty
    return make(shape, dtype, order, align=align)


def barrier_all() -> None:
    """Return when all PEs have called, and all puts before are complete."""
    barrier()


def sync_all() -> None:
    """Return when all PEs have called."""
    barrier()


def put(target: Array, source: Array, pe: int, size: int | None = None) -> None:
    """Copy ``source`` into ``target`` on another PE.

    Parameters
    ----------
    target
        Symmetric array, contiguous.
    source
        Any contiguous array of the same type; it may be reused on return.
    pe
        Number of the PE.
    size
        Elements to copy; as many as both have, unless given.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``, ``SymmetryError``).
    StateError
        The memory has been freed.
    """
    _copy("put", rma.put, target, source, pe, size)


def get(target: Array, source: Array, pe: int, size: int | None = None) -> None:
    """Copy ``source`` on another PE into ``target``.

    Parameters
    ----------
    target
        Any contiguous array of the type of ``source``.
    source
        Symmetric array, contiguous.
    pe
        Number of the PE.
    size
        Elements to copy; as many as both have, unless given.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``, ``SymmetryError``).
    StateError
        The memory has been freed.
    """
    _copy("get", rma.get, target, source, pe, size)


def _copy(
    routine: str,
    copy: Callable[[Array, Array, int, int, str], None],
    target: Array,
    source: Array,
    pe: int,
    size: int | None,
) -> None:
    try:
        copy(target, source, _size(target, source, size), pe, "size")
    except (ArgumentError, StateError) as error:
        refuse(routine, error)


def _size(target: Any, source: Any, size: int | None) -> int:
    if size is not None:
        return integer(size, "size")
    return min(plain(target, "target").size, plain(source, "source").size)


def reduce(target: Array, source: Array, op: OpLike = "sum", size: int | None = None) -> None:
    """Reduce ``source`` of all PEs, element by element, into ``target`` on every PE.

    Collective over all PEs, which must pass equal arguments.

    Parameters
    ----------
    target
        Symmetric array, contiguous; the same elements as ``source``, or disjoint from them.
    source
        Symmetric array, contiguous, of any element type of the core.
    op
        Its name (``"sum"``), an operation of redcoll or of MPI, a binary ufunc, or a
        callable on two arrays.
    size
        Elements to reduce, from the start; as many as both have, unless given.

    Raises
    ------
    ArgumentError
        A wrong argument (also ``DatatypeError``, ``OpError``, ``SymmetryError``,
        ``OverlapError``); the other PEs get ``CollectiveMismatchError``.
    StateError
        The memory of an array has been freed.
    CollectiveMismatchError
        PEs called with other counts, types or operations: on all alike.
    """
    _reduce("reduce", target, source, op, size)


@outermost
def _reduce(routine: str, target: Array, source: Array, op: OpLike, size: int | None) -> None:
    team = world.start().team
    with team.checking(ALLREDUCE, routine):
        operation = as_op(op)
        count = _size(target, source, size)
        to, of = operands(None, target, source, count, "size")
    perform(team, prepare_call(team, to, of, operation), to, of)


def and_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Bitwise AND over all PEs; otherwise as :func:`reduce`."""
    _reduce("and_reduce", target, source, "and", size)


def or_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Bitwise OR over all PEs; otherwise as :func:`reduce`."""
    _reduce("or_reduce", target, source, "or", size)


def xor_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Bitwise exclusive OR over all PEs; otherwise as :func:`reduce`."""
    _reduce("xor_reduce", target, source, "xor", size)


def max_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Maximum over all PEs; otherwise as :func:`reduce`."""
    _reduce("max_reduce", target, source, "max", size)


def min_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Minimum over all PEs; otherwise as :func:`reduce`."""
    _reduce("min_reduce", target, source, "min", size)


def sum_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Sum over all PEs; otherwise as :func:`reduce`."""
    _reduce("sum_reduce", target, source, "sum", size)


def prod_reduce(target: Array, source: Array, size: int | None = None) -> None:
    """Product over all PEs; otherwise as :func:`reduce`."""
    _reduce("prod_reduce", target, source, "prod", size)
