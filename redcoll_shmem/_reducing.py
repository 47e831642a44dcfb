"""Check reductions, and keep the calls that have passed the checks.

Programs repeat a few calls on the same arrays. A call that has passed its checks is a *known call*,
and is not checked again. A known call is valid until memory is freed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from redcoll import kernels, ops, world
from redcoll.arguments import Array, two_types
from redcoll.collectives.allreduce import perform, prepare_call
from redcoll.collectives.reduce import reduce
from redcoll.errors import ConfigError, OverlapError
from redcoll.kernels.interface import KnownCalls, PreparedCall
from redcoll.op_lookup import as_op
from redcoll.ops import Op
from redcoll.protocol.descriptor import ALLREDUCE, REDUCE
from redcoll.team import Team
from redcoll_shmem._arguments import Sync, integer, is_zero, place, vector, writable
from redcoll_shmem._calls import Call, empty_call
from redcoll_shmem._types import is_like, require_type

OPERATIONS: dict[str, tuple[Op, str]] = {
    "and": (ops.AND, "bitwise AND"),
    "or": (ops.OR, "bitwise OR"),
    "xor": (ops.XOR, "bitwise exclusive OR"),
    "max": (ops.MAX, "maximum"),
    "min": (ops.MIN, "minimum"),
    "sum": (ops.SUM, "sum"),
    "prod": (ops.PROD, "product"),
}
"""The operation for each word in the routines' names, and the operation's name in docstrings."""


_known_calls: list[KnownCalls] = []


def new_known_calls() -> KnownCalls:
    """Return an empty store of known calls for one routine."""
    try:
        kernel = kernels.choose()
    except ConfigError:
        kernel = "numpy"  # the setting is wrong, and the first call raises the error
    _known_calls.append(kernels.load(kernel).KnownCalls())
    return _known_calls[-1]


def forget(team: Team) -> None:
    """Drop the known calls of a team. This function runs before the team is closed."""
    for calls in _known_calls:
        calls.forget(team)


def prepare_reduction(
    routine: str,
    team: Team,
    op: Op,
    dtype: np.dtype[Any] | None,
    nreduce: Any,
    passed: tuple[Any, Any, Any, Any],
    check: Callable[[int], Sync] | None = None,
) -> PreparedCall | None:
    """Check a call that is not known. If the call has no elements, perform it and return None.

    ``passed`` has the target, the source, and two other arguments. The returned call keeps all four
    objects alive. ``check`` checks the work arrays of an active set for a number of elements.
    """
    if is_zero(nreduce):
        # The call ignores the arrays. It still runs a round, because other members may have passed
        # another count.
        nothing = np.empty(0, dtype or np.int64)
        perform(team, prepare_call(team, nothing, nothing, op), nothing, nothing)
        return None
    with team.checking(ALLREDUCE, routine):
        count = integer(nreduce, "nreduce")
        to, of = operands(dtype, passed[0], passed[1], count, "nreduce")
        op.element_of(of.dtype)
        sync = check(count) if check else None
    heap = world.start().heap
    epoch = sync.epoch if sync else heap.epoch
    call = prepare_call(team, to, of, op)
    words, initialized = (sync.words, sync.initialized) if sync else (None, None)
    make = partial(perform, team, call, to, of)
    return PreparedCall(team, call, to, of, heap, epoch, passed, words, initialized, make)


def to_all_call(
    team: Team,
    collective: int,
    call: Callable[..., None],
    dtype: np.dtype[Any] | None,
    arrays: tuple[Any, Any],
    nreduce: Any,
    op: Any,
) -> Call:
    """Check a reduction or scan that gives every member a result; return the call."""
    operation = as_op(op)
    if is_zero(nreduce):
        return empty_call(team, collective)
    to, of = operands(dtype, *arrays, integer(nreduce, "nreduce"), "nreduce")
    operation.element_of(of.dtype)
    return partial(call, to, of, operation, team=team)


def to_one_call(team: Team, arrays: tuple[Any, Any], nreduce: Any, op: Any, PE_root: Any) -> Call:
    """Check a reduction that gives one member the result; return the call."""
    operation = as_op(op)
    if is_zero(nreduce):
        return empty_call(team, REDUCE)
    count = integer(nreduce, "nreduce")
    root = integer(PE_root, "PE_root", 0, team.size - 1)
    to: Array | None = None
    if team.index == root:
        to, of = operands(None, *arrays, count, "nreduce")
    else:
        of = vector(arrays[1], count, "source", "nreduce")
    operation.element_of(of.dtype)
    return partial(reduce, to, of, operation, root, team=team)


def operands(
    dtype: np.dtype[Any] | None, target: Any, source: Any, count: int, count_name: str
) -> tuple[Array, Array]:
    """Check target and source; return them as vectors of the elements to reduce.

    ``dtype`` is the element type in the routine's name; None if the routine accepts any type.
    """
    to, at = place(target, count, "target", count_name)
    of, of_at = place(source, count, "source", count_name)
    if dtype is not None:
        require_type(to, dtype, "target")
        require_type(of, dtype, "source")
    elif not is_like(to.dtype, of.dtype):
        raise two_types(to, of)
    writable(target, "target")
    apart = abs(at - of_at)
    if 0 < apart < to.nbytes:
        raise OverlapError(
            f"target and source overlap: they start {apart} bytes apart, and {to.nbytes} bytes of "
            "each take part; they must be disjoint or start at the same element"
        )
    return to, of
