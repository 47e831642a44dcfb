"""pvm_reduce, pvm_gather, pvm_scatter.

Who does not need the result hands its part over and returns; see
:mod:`redcoll.groups.contributions` for how calls meet. A member's call that fails its
checks counts as one, too: the others' part is told, or thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, RedcollError
from redcoll.groups.job import Job
from redcoll.groups.matching import Due, route, subject
from redcoll.groups.parcels import Parcel, Route
from redcoll.groups.view import Member, View
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import REDUCIBLE, vector
from redcoll_pvm._task import MOST_TAG, PvmError, call, enroll
from redcoll_pvm.groups import view_of
from redcoll_pvm.operators import Function, fold_predefined, is_predefined, operation

Array = NDArray[Any]

_REDUCE, _GATHER, _SCATTER = range(3)
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
        _require(datatype in REDUCIBLE)
        about = _subject(_REDUCE, msgtag, view)
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
    func: Function,
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
        are members.
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
        ``func`` set, if negative (``data`` is combined in part then).

    Raises
    ------
    DatatypeError, ArgumentError
        ``data`` is no such array.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed, with the names of those who did not come.
    """
    job = enroll()
    try:
        _require(data is not None and count > 0)
        view = view_of(job, group)
        part = _part(job, view, datatype, msgtag, rootginst)
        array = vector("data", data, datatype, count, writable=part.way is None)
    except (PvmError, ArgumentError) as error:
        _decline(job, _REDUCE, msgtag, group, rootginst, error)
        raise
    if part.way is not None:
        job.contributions.give(view, part.way, datatype, count, array)
        return pvm.PvmOk
    doing = partial(_in_words, "pvm_reduce", msgtag, group)
    parcels = job.contributions.take(part.due, datatype, count, doing, with_former=True)
    try:
        code = _fold(job, func, datatype, array, part.due.view.require_own(), parcels)
    finally:
        job.contributions.release(parcels)
    if code < 0:
        raise PvmError(code)
    return pvm.PvmOk


def _fold(
    job: Job,
    func: Function,
    datatype: int,
    data: Array,
    own: Member,
    parcels: Sequence[Parcel],
) -> int:
    """Combine the contributions in the order of their instances, into ``data``."""
    if not parcels:
        return pvm.PvmOk
    op = operation(func, datatype)
    if op is not None and job.contributions.fold(op, data, own, parcels):
        return pvm.PvmOk
    operands = _operands(job, data, own, parcels)
    x = next(operands)
    if is_predefined(func):
        code = fold_predefined(func, datatype, x, operands)
    else:
        info = np.zeros(1, np.int32)
        for y in operands:
            info[0] = pvm.PvmOk
            func(datatype, x, y, len(data), info)
            if info[0] < 0:
                break
        code = int(info[0])
    if x is not data:
        data[...] = x
    return code


def _operands(job: Job, data: Array, own: Member, parcels: Sequence[Parcel]) -> Iterator[Array]:
    is_own_due = True
    for parcel in parcels:
        if is_own_due and (parcel.instance, parcel.stamp) > (own.instance, own.stamp):
            is_own_due = False
            yield data
        yield job.contributions.data(parcel, data.dtype)
    if is_own_due:
        yield data


@call(prints=True)
def pvm_gather(
    result: Any,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
) -> int:
    """Collect the members' arrays at the root (pvm_gather(3PVM)).

    All members call it. Who is not the root hands its array over and returns.

    Parameters
    ----------
    result
        At the root: array for ``count`` elements of each member, by instance number.
        Not used elsewhere.
    data
        Array of ``datatype``, at least ``count`` elements, contiguous.
    count, datatype, msgtag, group, rootginst
        As for ``pvm_reduce``.

    Returns
    -------
    int
        0. Checked in this order: ``PvmBadParam`` for no data, count below 1 or another
        datatype; ``PvmNullGroup``, ``PvmNoGroup``, ``PvmNoInst`` for the root;
        ``PvmNotInGroup``; ``PvmBadParam`` for another tag, and at the root for no result;
        ``PvmNoInst`` at the root if the instance numbers have a hole.
        At the root also ``PvmMismatch`` and ``PvmNotInGroup`` as for ``pvm_reduce``.

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_reduce``.
    """
    job = enroll()
    try:
        _require(data is not None and count > 0 and datatype in REDUCIBLE)
        view = view_of(job, group)
        root = view.at(rootginst)
        own = view.require_own()
        about = _subject(_GATHER, msgtag, view)
        array = vector("data", data, datatype, count, writable=False)
        if root is own:
            _require(result is not None)
            _require_no_hole(view)
            whole = vector("result", result, datatype, count * view.size, writable=True)
    except (PvmError, RedcollError) as error:
        _decline(job, _GATHER, msgtag, group, rootginst, error)
        raise
    if root is not own:
        job.contributions.give(view, route(view, root, about), datatype, count, array)
        return pvm.PvmOk
    doing = partial(_in_words, "pvm_gather", msgtag, group)
    due = job.contributions.due_from(view, view.others, about)
    parcels = job.contributions.take(due, datatype, count, doing)
    try:
        for parcel in parcels:
            at = parcel.instance * count
            whole[at : at + count] = job.contributions.data(parcel, whole.dtype)
    finally:
        job.contributions.release(parcels)
    whole[own.instance * count : (own.instance + 1) * count] = array
    return pvm.PvmOk


@call(prints=True)
def pvm_scatter(
    result: Any,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
) -> int:
    """Hand each member its part of the root's array (pvm_scatter(3PVM)).

    All members call it. The root hands all parts over and returns; the others wait for
    the root.

    Parameters
    ----------
    result
        Array of ``datatype``, at least ``count`` elements, contiguous.
    data
        At the root: ``count`` elements for each member, by instance number. Not used
        elsewhere.
    count, datatype, msgtag, group, rootginst
        As for ``pvm_reduce``.

    Returns
    -------
    int
        0. Checked as in ``pvm_gather``, with ``result`` for ``data`` and ``data`` for
        ``result``. At the others ``PvmMismatch`` if the root's count or datatype differ or
        its call failed, ``PvmNotInGroup`` if it left or died before it gave.

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_reduce``.
    """
    job = enroll()
    try:
        _require(result is not None and count > 0 and datatype in REDUCIBLE)
        view = view_of(job, group)
        root = view.at(rootginst)
        own = view.require_own()
        about = _subject(_SCATTER, msgtag, view)
        part = vector("result", result, datatype, count, writable=True)
        if root is own:
            _require(data is not None)
            _require_no_hole(view)
            whole = vector("data", data, datatype, count * view.size, writable=False)
    except (PvmError, RedcollError) as error:
        _decline(job, _SCATTER, msgtag, group, rootginst, error)
        raise
    if root is own:
        for member in view.members:
            row = whole[member.instance * count : (member.instance + 1) * count]
            if member is own:
                part[...] = row
            else:
                job.contributions.give(view, route(view, member, about), datatype, count, row)
        return pvm.PvmOk
    doing = partial(_in_words, "pvm_scatter", msgtag, group)
    due = job.contributions.due_from(view, [root], about)
    parcels = job.contributions.take(due, datatype, count, doing)
    try:
        part[...] = job.contributions.data(parcels[0], part.dtype)
    finally:
        job.contributions.release(parcels)
    return pvm.PvmOk


def _in_words(name: str, msgtag: int, group: str) -> str:
    return f"{name} with tag {msgtag} in group {group!r}"


def _require(is_right: bool) -> None:
    if not is_right:
        raise PvmError(pvm.PvmBadParam)


def _subject(kind: int, msgtag: int, view: View) -> int:
    """What the call is about.

    Raises
    ------
    PvmError
        The tag is out of range; in a group of one nobody sees it.
    """
    if not 0 <= msgtag <= MOST_TAG:
        if view.size > 1:
            raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
        msgtag = 0
    return subject(kind, msgtag)


def _require_no_hole(view: View) -> None:
    for instance in range(view.size):
        view.at(instance)


def _decline(
    job: Job, kind: int, msgtag: int, group: str | None, rootginst: int, error: Exception
) -> None:
    """Keep a call that fails here in step with the others' calls, where they can be told."""
    try:
        view = view_of(job, group)
        own, root = view.require_own(), view.at(rootginst)
        about = _subject(kind, msgtag, view)
    except (PvmError, RedcollError):
        return  # no call that the others could make
    reason = error.code if isinstance(error, PvmError) else pvm.PvmBadParam
    is_giver = (root is own) == (kind == _SCATTER)
    partners = view.others if root is own else (root,)
    if not is_giver:
        job.contributions.skip(
            job.contributions.due_from(view, partners, about), with_former=kind == _REDUCE
        )
        return
    for member in partners:
        job.contributions.give(view, route(view, member, about), 0, 0, None, refusal=reason)
