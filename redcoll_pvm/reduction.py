"""pvm_reduce."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import integer
from redcoll.datatypes import element_type
from redcoll.ops import Op, OpLike, as_op, is_mpi_op
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, REDUCIBLE, vector
from redcoll_pvm._calls import REDUCE, decline, in_words, require, subject_of
from redcoll_pvm._task import PvmError, call, enroll
from redcoll_pvm.groups import view_of
from redcoll_pvm.operators import (
    Function,
    fold_predefined,
    is_defined,
    is_predefined,
    operation,
)
from redcoll_pvm.runtime.pvm_runtime import Job
from redcoll_pvm.runtime.matching import Due, route
from redcoll_pvm.runtime.transport import Parcel, Route
from redcoll_pvm.runtime.group_snapshot import Member, View

__all__ = ["pvm_reduce"]

Array = NDArray[Any]

_MOST_KEPT = 64


class _Part(NamedTuple):
    """The caller's part in a pvm_reduce, as its arguments and the group say."""

    way: Route | None
    """To the root; None there."""
    due: Due
    """What the root is owed; elsewhere nothing."""


def _part(job: Job, view: View, datatype: int, msgtag: int, rootginst: int) -> _Part:
    """The caller's part, after all checks that need no data."""
    kept = view.kept
    part: _Part | None = kept.get((datatype, msgtag, rootginst))
    if part is None:
        own = view.require_own()
        root = view.at(rootginst)
        require(datatype in REDUCIBLE)
        about = subject_of(REDUCE, msgtag, view)
        if root is own:
            part = _Part(None, job.contributions.due_from(view, view.others, about))
        else:
            part = _Part(route(view, root, about), job.contributions.due_from(view, (), about))
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[datatype, msgtag, rootginst] = part
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
    """Combine the members' arrays into the root's (pvm_reduce(3PVM)).

    All members call it. A member that is not the root hands its array over and returns;
    the root waits for all, and combines in the order of the instance numbers.

    Parameters
    ----------
    func
        ``func(datatype, x, y, num, info)``: combines ``num`` elements of ``y`` into ``x``
        in place; a negative ``info[0]`` ends the reduction with that code. PvmMax, PvmMin,
        PvmSum, PvmProduct or the program's own. Called at the root, once less than there
        are members; what the others pass is not looked at. Or an operation of redcoll or of
        MPI, its name, or a binary ufunc: these keep redcoll's rules (NaN, complex products).
    data
        Array of ``datatype``, at least ``count`` elements, contiguous. The root's is
        overwritten by the result, the others' are left alone.
    count
        Elements, at least 1, the same on all members.
    datatype
        PVM_BYTE ... PVM_LONG, the same on all members; PVM_STR takes bytes.
    msgtag
        From 0 to 2**31-1. Calls with different tags do not mix.
    group
        The caller must be a member.
    rootginst
        The instance number of the root, the same on all members.

    Returns
    -------
    int
        0. Checked in this order: ``PvmBadParam`` for no data or count below 1;
        ``PvmNullGroup``, ``PvmNoGroup``, ``PvmNotInGroup``; ``PvmNoInst`` for a root that is
        not there; ``PvmBadParam`` for another datatype or tag.
        At the root: ``PvmMismatch`` if a member's count or datatype differ or its call
        failed; ``PvmNotInGroup`` if a member left or died before it contributed; what
        ``func`` set, if negative (``data`` is combined in part then, or as it was if its turn
        had not come); ``PvmBadParam`` for a type that PvmMax and its kin do not take.

    Raises
    ------
    DatatypeError, ArgumentError
        ``data`` is no such array, or a number is no integer.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed, with the names of those who did not come.
    """
    job = enroll()
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(data is not None and count > 0)
        view = view_of(job, group)
        part = _part(job, view, datatype, msgtag, rootginst)
        array = vector("data", data, datatype, count, writable=part.way is None)
        # The others' functions are not looked at: they hand over and go on.
        function = _function(func, datatype) if part.way is None else func
    except Exception as error:
        decline(job, REDUCE, msgtag, group, rootginst, error)
        raise
    if part.way is not None:
        job.contributions.give(view, part.way, datatype, count, array)
        return pvm.PvmOk
    doing = partial(in_words, "pvm_reduce", msgtag, group)
    parcels = job.contributions.take(part.due, datatype, count, doing, with_former=True)
    try:
        code = _fold(job, function, datatype, array, part.due.view.require_own(), parcels)
    finally:
        job.contributions.release(parcels)
    if code < 0:
        raise PvmError(code)
    return pvm.PvmOk


def _function(func: Any, datatype: int) -> Any:
    """What combines: a function as PVM has it, or an operation of the core.

    Raises
    ------
    OpError
        It is neither, or not defined on the type.
    """
    if is_predefined(func):
        return func
    # A callable that cannot be hashed is a function of PVM's kind, too.
    is_op = isinstance(func, np.ufunc | str) or is_mpi_op(func) or not callable(func)
    if not is_op:
        return func
    op = as_op(func)
    op.check(element_type(DTYPES[datatype]))
    return op


def _fold(
    job: Job,
    func: Any,
    datatype: int,
    data: Array,
    own: Member,
    parcels: Sequence[Parcel],
) -> int:
    """Combine the contributions in the order of their instances, into ``data``."""
    if not parcels:
        return pvm.PvmOk
    op = func if isinstance(func, Op) else operation(func, datatype)
    if op is not None and not op.is_user and job.contributions.fold(op, data, own, parcels):
        return pvm.PvmOk
    is_ours = not isinstance(func, Op) and is_predefined(func)
    if is_ours and not is_defined(func, datatype):
        return pvm.PvmBadParam
    operands = _operands(job, data, own, parcels)
    x = next(operands)
    if isinstance(func, Op):
        with np.errstate(all="ignore"):
            for y in operands:
                func.combine(x, y, x)
        code, is_own_inside = pvm.PvmOk, True
    elif is_ours:
        fold_predefined(func, datatype, x, operands)
        code, is_own_inside = pvm.PvmOk, True
    else:
        code, is_own_inside = _fold_by_program(func, datatype, x, operands, data)
    # What the root's own elements are no part of is no result of any kind.
    if x is not data and is_own_inside:
        data[...] = x
    return code


def _fold_by_program(
    func: Function, datatype: int, x: Array, others: Iterable[Array], own: Array
) -> tuple[int, bool]:
    """Combine all of ``others`` into ``x``; the last code, and whether ``own`` has been one."""
    info = np.zeros(1, np.int32)
    is_own_inside = x is own
    for y in others:
        is_own_inside = is_own_inside or y is own
        info[0] = pvm.PvmOk
        func(datatype, x, y, len(x), info)
        if info[0] < 0:
            break
    return int(info[0]), is_own_inside


def _operands(job: Job, data: Array, own: Member, parcels: Sequence[Parcel]) -> Iterator[Array]:
    is_own_due = True
    for parcel in parcels:
        if is_own_due and (parcel.instance, parcel.stamp) > (own.instance, own.stamp):
            is_own_due = False
            yield data
        yield job.contributions.data(parcel, data.dtype)
    if is_own_due:
        yield data
