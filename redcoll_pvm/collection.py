"""Implement pvm_gather and pvm_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from redcoll.arguments import Array, integer
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import REDUCIBLE, vector
from redcoll_pvm._calls import (
    GATHER,
    SCATTER,
    decline,
    describe,
    require,
    require_no_hole,
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
    result: Any, data: Any, count: int, datatype: int, msgtag: int, group: str, rootginst: int
) -> int:
    """Collect the members' arrays at the root (pvm_gather(3PVM)).

    All members must call. A member that is not the root sends its array and returns.

    Parameters
    ----------
    result
        At the root, an array for ``count`` elements of each member, in the order of the instance
        numbers. Other members do not use it.
    data
        Contiguous array of ``datatype`` with at least ``count`` elements.
    count, datatype, msgtag, group, rootginst
        As for ``pvm_reduce``.

    Returns
    -------
    int
        0, or the code of the first of these errors:

        * ``PvmBadParam``: ``data`` is None, ``count`` is below 1, or ``datatype`` is not valid.
        * ``PvmNullGroup``, ``PvmNoGroup``, ``PvmNoInst``: there is no such group or root.
        * ``PvmNotInGroup``: the caller is not a member.
        * ``PvmBadParam``: ``msgtag`` is not valid, or ``result`` is None at the root.
        * ``PvmNoInst`` at the root: the instance numbers have a gap.
        * ``PvmMismatch``, ``PvmNotInGroup`` at the root: as in ``pvm_reduce``.

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
            rows = whole.reshape(-1, count)
    except Exception as error:
        decline(runtime, GATHER, msgtag, group, rootginst, error)
        raise
    if root is not own:
        endpoint = endpoint_to(snapshot, root, subject)
        runtime.exchange.send(endpoint, datatype, count, array)
        return pvm.PvmOk
    doing = describe("pvm_gather", msgtag, group)
    expected = runtime.exchange.expect(snapshot, snapshot.others, subject)
    headers = runtime.exchange.collect(expected, datatype, count, doing)
    try:
        rows[own.instance] = array  # first, because the other rows may overwrite ``data``
        for header in headers:
            rows[header.instance] = runtime.exchange.data(header, array.dtype)
    finally:
        runtime.exchange.release(headers)
    return pvm.PvmOk


@call(prints=True)
def pvm_scatter(
    result: Any, data: Any, count: int, datatype: int, msgtag: int, group: str, rootginst: int
) -> int:
    """Send each member its part of the root's array (pvm_scatter(3PVM)).

    All members must call. The root sends all parts and returns. Other members wait for the root.

    Parameters
    ----------
    result
        Contiguous array of ``datatype`` with at least ``count`` elements.
    data
        At the root, an array with ``count`` elements for each member, in the order of the instance
        numbers. Other members do not use it.
    count, datatype, msgtag, group, rootginst
        As for ``pvm_reduce``.

    Returns
    -------
    int
        0, or the code of an error. The errors are those of ``pvm_gather``, with ``result`` and
        ``data`` exchanged. Members other than the root get ``PvmMismatch`` if the root has another
        count or datatype, or if the root's call failed. They get ``PvmNotInGroup`` if the root left
        or died before it sent.

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
        if np.may_share_memory(part, whole):  # the own part may overwrite rows of other members
            rows = rows.copy()
        part[...] = rows[own.instance]
        _send_rows(runtime, snapshot, subject, datatype, rows)
        return pvm.PvmOk
    doing = describe("pvm_scatter", msgtag, group)
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
    """Send its row to each member except the caller."""
    members = iter(snapshot.others)
    try:
        for member in members:
            row = rows[member.instance]
            endpoint = endpoint_to(snapshot, member, subject)
            runtime.exchange.send(endpoint, datatype, row.size, row)
    except BaseException:
        # Notify the members that have no row yet. Otherwise they would wait forever, or use a row
        # of the next call in this call.
        for member in members:
            endpoint = endpoint_to(snapshot, member, subject)
            runtime.exchange.send_error(endpoint, pvm.PvmSysErr, wait=False)
        raise
