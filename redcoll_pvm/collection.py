"""pvm_gather and pvm_scatter."""

from __future__ import annotations

from functools import partial
from typing import Any

from redcoll.arguments import integer
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import REDUCIBLE, Array, vector
from redcoll_pvm._calls import (
    GATHER,
    SCATTER,
    decline,
    in_words,
    require,
    require_no_hole,
    send_errors,
    subject_of,
)
from redcoll_pvm._task import call, enroll
from redcoll_pvm.groups import snapshot_of
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot
from redcoll_pvm.runtime.pvm_runtime import PvmRuntime
from redcoll_pvm.runtime.rooted_exchange import endpoint_to

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

    All members call it. A member that is not the root sends its array and returns.

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
    runtime = enroll()
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(data is not None and count > 0 and datatype in REDUCIBLE)
        snapshot = snapshot_of(runtime, group)
        root = snapshot.at(rootginst)
        own = snapshot.require_own()
        subject = subject_of(GATHER, msgtag, snapshot)
        array = vector("data", data, datatype, count, writable=False)
        if root is own:
            require(result is not None)
            require_no_hole(snapshot)
            whole = vector("result", result, datatype, count * snapshot.size, writable=True)
    except Exception as error:
        decline(runtime, GATHER, msgtag, group, rootginst, error)
        raise
    if root is not own:
        endpoint = endpoint_to(snapshot, root, subject)
        runtime.exchange.send(snapshot, endpoint, datatype, count, array)
        return pvm.PvmOk
    doing = partial(in_words, "pvm_gather", msgtag, group)
    expected = runtime.exchange.expect(snapshot, snapshot.others, subject)
    headers = runtime.exchange.collect(expected, datatype, count, doing)
    try:
        for header in headers:
            at = header.instance * count
            whole[at : at + count] = runtime.exchange.data(header, whole.dtype)
    finally:
        runtime.exchange.release(headers)
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
    """Send each member its part of the root's array (pvm_scatter(3PVM)).

    All members call it. The root sends all parts and returns. The others wait for the root.

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
        its call failed, ``PvmNotInGroup`` if it left or died before it sent.

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_reduce``.
    """
    runtime = enroll()
    msgtag, rootginst = integer(msgtag, "msgtag"), integer(rootginst, "rootginst")
    try:
        count, datatype = integer(count, "count"), integer(datatype, "datatype")
        require(result is not None and count > 0 and datatype in REDUCIBLE)
        snapshot = snapshot_of(runtime, group)
        root = snapshot.at(rootginst)
        own = snapshot.require_own()
        subject = subject_of(SCATTER, msgtag, snapshot)
        part = vector("result", result, datatype, count, writable=True)
        if root is own:
            require(data is not None)
            require_no_hole(snapshot)
            whole = vector("data", data, datatype, count * snapshot.size, writable=False)
    except Exception as error:
        decline(runtime, SCATTER, msgtag, group, rootginst, error)
        raise
    if root is own:
        rows = whole.reshape(-1, count)
        part[...] = rows[own.instance]
        _send_rows(runtime, snapshot, subject, datatype, rows)
        return pvm.PvmOk
    doing = partial(in_words, "pvm_scatter", msgtag, group)
    expected = runtime.exchange.expect(snapshot, [root], subject)
    headers = runtime.exchange.collect(expected, datatype, count, doing)
    try:
        part[...] = runtime.exchange.data(headers[0], part.dtype)
    finally:
        runtime.exchange.release(headers)
    return pvm.PvmOk


def _send_rows(
    runtime: PvmRuntime, snapshot: GroupSnapshot, subject: int, datatype: int, rows: Array
) -> None:
    """Send each other member its row."""
    for at, member in enumerate(snapshot.others):
        row = rows[member.instance]
        try:
            endpoint = endpoint_to(snapshot, member, subject)
            runtime.exchange.send(snapshot, endpoint, datatype, row.size, row)
        except BaseException:
            # Otherwise other members would wait forever, or take the next call's row for this one.
            rest = snapshot.others[at + 1 :]
            send_errors(runtime, snapshot, rest, subject, pvm.PvmSysErr, wait=False)
            raise
