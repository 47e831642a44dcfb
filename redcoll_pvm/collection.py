"""pvm_gather, pvm_scatter."""

from __future__ import annotations

from functools import partial
from typing import Any

from redcoll.arguments import integer
from redcoll.errors import NotInGroupError, PeerLostError, RedcollError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import REDUCIBLE, Array, vector
from redcoll_pvm._calls import (
    GATHER,
    SCATTER,
    decline,
    in_words,
    refuse,
    require,
    require_no_hole,
    subject_of,
)
from redcoll_pvm._task import call, enroll
from redcoll_pvm.groups import view_of
from redcoll_pvm.runtime.pvm_runtime import Job
from redcoll_pvm.runtime.matching import route
from redcoll_pvm.runtime.group_snapshot import View

__all__ = ["pvm_gather", "pvm_scatter"]


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
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(data is not None and count > 0 and datatype in REDUCIBLE)
        view = view_of(job, group)
        root = view.at(rootginst)
        own = view.require_own()
        about = subject_of(GATHER, msgtag, view)
        array = vector("data", data, datatype, count, writable=False)
        if root is own:
            require(result is not None)
            require_no_hole(view)
            whole = vector("result", result, datatype, count * view.size, writable=True)
    except Exception as error:
        decline(job, GATHER, msgtag, group, rootginst, error)
        raise
    if root is not own:
        job.contributions.give(view, route(view, root, about), datatype, count, array)
        return pvm.PvmOk
    doing = partial(in_words, "pvm_gather", msgtag, group)
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
        its call failed, ``PvmNotInGroup`` if it left or died before it gave. At the root
        ``PvmNotInGroup`` if a member left or died while it took a part larger than the room
        for what is handed over; all others have got theirs then.

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_reduce``.
    """
    job = enroll()
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(result is not None and count > 0 and datatype in REDUCIBLE)
        view = view_of(job, group)
        root = view.at(rootginst)
        own = view.require_own()
        about = subject_of(SCATTER, msgtag, view)
        part = vector("result", result, datatype, count, writable=True)
        if root is own:
            require(data is not None)
            require_no_hole(view)
            whole = vector("data", data, datatype, count * view.size, writable=False)
    except Exception as error:
        decline(job, SCATTER, msgtag, group, rootginst, error)
        raise
    if root is own:
        rows = whole.reshape(-1, count)
        part[...] = rows[own.instance]
        _hand_out(job, view, about, datatype, rows)
        return pvm.PvmOk
    doing = partial(in_words, "pvm_scatter", msgtag, group)
    due = job.contributions.due_from(view, [root], about)
    parcels = job.contributions.take(due, datatype, count, doing)
    try:
        part[...] = job.contributions.data(parcels[0], part.dtype)
    finally:
        job.contributions.release(parcels)
    return pvm.PvmOk


def _hand_out(job: Job, view: View, about: int, datatype: int, rows: Array) -> None:
    """Hand each other member its row; one that has gone keeps nobody from theirs."""
    contributions = job.contributions
    gone: RedcollError | None = None
    for place, member in enumerate(view.others):
        row = rows[member.instance]
        try:
            contributions.give(view, route(view, member, about), datatype, row.size, row)
        except (NotInGroupError, PeerLostError) as error:
            gone = gone or error
        except BaseException:
            # Nobody is to wait for what does not come any more, nor to take the next call's for it.
            refuse(job, view, view.others[place + 1 :], about, pvm.PvmSysErr)
            raise
    if gone is not None:
        raise gone
