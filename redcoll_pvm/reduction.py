"""Implement pvm_reduce."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any, cast

import numpy as np

from redcoll.arguments import Array, integer
from redcoll.datatypes import element_type
from redcoll.errors import OpError
from redcoll.op_lookup import OpLike, as_op, is_mpi_op
from redcoll.ops import EXACT_SUM, PLAIN_SUM, SUM, Op
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, REDUCIBLE, vector
from redcoll_pvm._calls import REDUCE, decline, describe, require, subject_of
from redcoll_pvm._task import PvmError, call, enroll
from redcoll_pvm.groups import snapshot_of
from redcoll_pvm.operators import Function, table_of
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot, Member
from redcoll_pvm.runtime.pvm_runtime import PvmRuntime
from redcoll_pvm.runtime.rooted_exchange import Expected, RootedExchange, endpoint_to
from redcoll_pvm.runtime.transport import Endpoint, Header

__all__ = ["pvm_reduce"]


_MOST_CACHED = 64


def _part(
    runtime: PvmRuntime, snapshot: GroupSnapshot, datatype: int, msgtag: int, rootginst: int
) -> Endpoint | Expected:
    """Check the datatype, the tag and the root.

    Return the destination of the caller's array, or the contributions that the root collects.
    """
    cache = snapshot.cache
    part: Endpoint | Expected | None = cache.get((datatype, msgtag, rootginst))
    if part is None:
        own = snapshot.require_own()
        root = snapshot.at(rootginst)
        require(datatype in REDUCIBLE)
        subject = subject_of(REDUCE, msgtag, snapshot)
        if root is own:
            part = runtime.exchange.expect(snapshot, snapshot.others, subject)
        else:
            part = endpoint_to(snapshot, root, subject)
        if len(cache) >= _MOST_CACHED:
            cache.clear()
        cache[datatype, msgtag, rootginst] = part
    return part


@call(prints=True)
def pvm_reduce(
    func: Function | OpLike,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
) -> int:
    """Combine the members' arrays in the root's array (pvm_reduce(3PVM)).

    All members must call. A member that is not the root sends its array and returns. The root
    waits for all members, and combines the arrays in the order of the instance numbers.

    Parameters
    ----------
    func
        ``func(datatype, x, y, num, info)`` combines ``num`` elements of ``y`` into ``x`` in place.
        A negative ``info[0]`` ends the reduction with that code. Pass PvmMax, PvmMin, PvmSum,
        PvmProduct or a function of the program. You can also pass an operation of redcoll or of
        MPI, the name of an operation, or a binary ufunc. These operations follow redcoll's rules
        for NaN and complex products. The root calls ``func`` once for each other member. Other
        members do not call ``func``.
    data
        Contiguous array of ``datatype`` with at least ``count`` elements. The result overwrites the
        root's array. The arrays of other members do not change.
    count
        Number of elements, at least 1. All members must pass the same count.
    datatype
        PVM_STR (for bytes), or PVM_BYTE to PVM_LONG. All members must pass the same datatype.
    msgtag
        A number from 0 to 2**31-1. Only calls with equal tags match.
    group
        The caller must be a member.
    rootginst
        The instance number of the root. All members must pass the same number.

    Returns
    -------
    int
        0, or the code of the first of these errors:

        * ``PvmBadParam``: ``data`` is None, or ``count`` is below 1.
        * ``PvmNullGroup``, ``PvmNoGroup``: there is no such group.
        * ``PvmNotInGroup``: the caller is not a member.
        * ``PvmNoInst``: the root does not exist.
        * ``PvmBadParam``: ``datatype`` or ``msgtag`` is not valid.

        The root can also get these codes:

        * ``PvmMismatch``: the count or datatype of a member differs from the root's, or a member's
          call failed.
        * ``PvmNotInGroup``: a member left or died before it contributed.
        * ``PvmBadParam``: PvmMax, PvmMin, PvmSum or PvmProduct is not defined on the datatype.
        * The negative number that ``func`` set. Then ``data`` is unchanged, or contains the
          combination of only some arrays.

    Raises
    ------
    DatatypeError, ArgumentError
        ``data`` is not an array as described above, or a number is not an integer.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed. The message names the members that did not call.
    """
    runtime = enroll()
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(data is not None and count > 0)
        snapshot = snapshot_of(runtime, group)
        part = _part(runtime, snapshot, datatype, msgtag, rootginst)
        is_root = isinstance(part, Expected)
        array = vector("data", data, datatype, count, writable=is_root)
        # Only the root calls the function, so only the root checks it.
        function = _function(func, datatype) if is_root else None
    except Exception as error:
        decline(runtime, REDUCE, msgtag, group, rootginst, error)
        raise
    if isinstance(part, Endpoint):
        runtime.exchange.send(part, datatype, count, array)
        return pvm.PvmOk
    doing = describe("pvm_reduce", msgtag, group)
    headers = runtime.exchange.collect(part, datatype, count, doing, include_departed=True)
    try:
        own = part.group.require_own()
        code = _fold(runtime.exchange, function, datatype, array, own, headers)
    finally:
        runtime.exchange.release(headers)
    if code < 0:
        raise PvmError(code)
    return pvm.PvmOk


def _function(func: Any, datatype: int) -> Op | Function | None:
    """Return the operation, or the program's function.

    The result is None for a predefined function that is not defined on the type. Raises OpError if
    ``func`` is no function or operation, is not defined on the type, or needs all arrays at once.
    """
    table = table_of(func)
    if table is not None:
        return table.get(datatype)
    # A callable that is not a ufunc or an operation of MPI is a function with PVM's arguments.
    if callable(func) and not isinstance(func, np.ufunc | str) and not is_mpi_op(func):
        return cast("Function", func)
    op = as_op(func)
    op.check(element_type(DTYPES[datatype]))
    if op is EXACT_SUM:
        raise OpError("func is EXACT_SUM; pvm_reduce combines two arrays at a time, and rounds")
    return PLAIN_SUM if op is SUM else op


def _fold(
    exchange: RootedExchange,
    func: Op | Function | None,
    datatype: int,
    data: Array,
    own: Member,
    headers: Sequence[Header],
) -> int:
    """Combine contributions and ``data`` into ``data`` in the order of instances; return a code."""
    if not headers:
        return pvm.PvmOk
    place = (own.instance, own.incarnation)
    before = bisect_left(headers, place, key=lambda each: (each.instance, each.incarnation))
    if func is None:
        return pvm.PvmBadParam
    if isinstance(func, Op) and not func.is_user and exchange.fold(func, data, before, headers):
        return pvm.PvmOk
    arrays = (exchange.data(header, data.dtype) for header in headers)
    operands = chain(islice(arrays, before), (data,), arrays)
    x = next(operands)
    if isinstance(func, Op):
        with np.errstate(all="ignore"):
            for y in operands:
                func.combine(x, y, x)
        code, has_own = pvm.PvmOk, True
    else:
        code, has_own = _fold_by_program(func, datatype, x, operands, data)
    # If the fold ended before it combined the root's own elements, data stays unchanged.
    if x is not data and has_own:
        data[...] = x
    return code


def _fold_by_program(
    func: Function, datatype: int, x: Array, others: Iterable[Array], own: Array
) -> tuple[int, bool]:
    """Combine ``others`` into ``x`` with the program's function.

    Return the last code, and whether ``own`` was combined.
    """
    info = np.zeros(1, np.int32)
    has_own = x is own
    for y in others:
        has_own = has_own or y is own
        info[0] = pvm.PvmOk
        func(datatype, x, y, len(x), info)
        if info[0] < 0:
            break
    return int(info[0]), has_own
