"""Send and receive messages between tasks.

Sending copies the message, and never waits for the recipient. Messages from one task to another
arrive in the order in which they were sent. A receive never takes a contribution of pvm_reduce,
pvm_gather or pvm_scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redcoll.arguments import integer
from redcoll.errors import ArgumentError, PeerLostError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, vector
from redcoll_pvm._buffers import Buffer, buffers, required
from redcoll_pvm._task import (
    MOST_TAG,
    OutParameter,
    PvmError,
    call,
    enroll,
    index_of,
    put,
    require_space,
    tid_of,
)
from redcoll_pvm.groups import snapshot_of
from redcoll_pvm.runtime.mailbox import Wanted
from redcoll_pvm.runtime.message_transport import IncomingMessage
from redcoll_pvm.runtime.pvm_runtime import PvmRuntime

__all__ = ["pvm_bcast", "pvm_bufinfo", "pvm_initsend", "pvm_mcast", "pvm_nrecv", "pvm_precv",
           "pvm_probe", "pvm_psend", "pvm_recv", "pvm_send"]  # fmt: skip

_probed: dict[IncomingMessage, Buffer] = {}
"""Messages that pvm_probe has found, with the buffers that pvm_probe made for them."""


@call(prints=True)
def pvm_initsend(encoding: int) -> int:
    """Clear the active send buffer (pvm_initsend(3PVM)).

    Parameters
    ----------
    encoding
        ``PvmDataDefault`` or ``PvmDataRaw``, which have the same effect in redcoll. With
        ``PvmDataInPlace``, arrays are copied only when the message is sent.

    Returns
    -------
    int
        The buffer's number, which is positive; or ``PvmBadParam`` for another encoding.
    """
    enroll()
    encoding = integer(encoding, "encoding")
    if encoding not in (pvm.PvmDataDefault, pvm.PvmDataRaw, pvm.PvmDataInPlace):
        raise PvmError(pvm.PvmBadParam)
    buffers.free(buffers.send)
    buffers.send = buffers.new(encoding)
    return buffers.send.bufid


@call(prints=True)
def pvm_send(tid: int, msgtag: int) -> int:
    """Send the active send buffer to a task (pvm_send(3PVM)).

    Returns
    -------
    int
        0, even if the task has left or died. Or the code of an error: ``PvmBadParam`` for an
        unknown tid or a negative tag; ``PvmNoBuf`` if there is no active send buffer.
    """
    runtime = enroll()
    msgtag = _require_tag(msgtag)
    index = _require_index(tid, runtime)
    runtime.mailbox.send(index, msgtag, required(buffers.send).encoded())
    return pvm.PvmOk


@call(prints=True)
def pvm_mcast(tids: Sequence[int] | None, ntask: int, msgtag: int) -> int:
    """Send the active send buffer to the first ``ntask`` tasks of a list (pvm_mcast(3PVM)).

    Each task gets the message once, even if it is listed several times. The caller never gets the
    message.

    Returns
    -------
    int
        0; or ``PvmNoBuf`` or ``PvmBadParam`` as in ``pvm_send``; or ``PvmBadParam`` for a list that
        is too short. After an error nothing is sent.

    Raises
    ------
    ArgumentError
        An argument has a wrong type. Nothing is sent.
    """
    runtime = enroll()
    buffer = required(buffers.send)
    msgtag, ntask = _require_tag(msgtag), integer(ntask, "ntask")
    if tids is None:
        raise PvmError(pvm.PvmBadParam)
    try:
        available, chosen = len(tids), tids[: max(ntask, 0)]
    except TypeError:
        text = f"tids is {tids!r}; it must be a list or an array of task ids"
        raise ArgumentError(text) from None
    if not 0 <= ntask <= available:
        raise PvmError(pvm.PvmBadParam)
    indices = {_require_index(tid, runtime) for tid in chosen} - {runtime.me}
    body = buffer.encoded()
    for index in sorted(indices):
        runtime.mailbox.send(index, msgtag, body)
    return pvm.PvmOk


@call(prints=False)
def pvm_bcast(group: str, msgtag: int) -> int:
    """Send the active send buffer to all other members of a group (pvm_bcast(3PVM)).

    The caller need not be a member.

    Returns
    -------
    int
        0, or the code of an error: ``PvmNullGroup``; ``PvmNoGroup``; ``PvmBadParam`` for a negative
        tag; ``PvmNoInst`` if the group has no other members; ``PvmNoBuf`` as in ``pvm_send``.
    """
    runtime = enroll()
    snapshot = snapshot_of(runtime, group)
    msgtag = _require_tag(msgtag)
    others = [member for member in snapshot.members if member.task != runtime.me]
    if not others:
        raise PvmError(pvm.PvmNoInst)
    body = required(buffers.send).encoded()
    for member in others:
        if not member.has_left:
            runtime.mailbox.send(member.task, msgtag, body)
    return pvm.PvmOk


@call(prints=True)
def pvm_recv(tid: int, msgtag: int) -> int:
    """Wait for a message; it becomes the active receive buffer (pvm_recv(3PVM)).

    The call first frees the former receive buffer. So after a failed call there is no active
    receive buffer.

    Parameters
    ----------
    tid
        The task id of the sender; -1 for any task.
    msgtag
        The tag; -1 for any tag.

    Returns
    -------
    int
        The buffer's number, which is positive. Or the code of an error: ``PvmBadParam`` for an
        unknown tid or a tag below -1; ``PvmNoTask`` if the sender has left or died. If ``tid`` is
        -1, ``PvmNoTask`` means that all other tasks have left or died.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    runtime = enroll()
    buffers.clear_receive()
    return _activate(_wait_for(tid, msgtag, runtime, "pvm_recv"))


@call(prints=True)
def pvm_nrecv(tid: int, msgtag: int) -> int:
    """Receive a message if it has arrived (pvm_nrecv(3PVM)).

    The call always frees the active receive buffer.

    Returns
    -------
    int
        0 if no message has arrived; otherwise as in ``pvm_recv``.
    """
    runtime = enroll()
    buffers.clear_receive()
    _, is_wanted = _wanted(tid, msgtag, runtime)
    message = runtime.mailbox.find(is_wanted)
    if message is None:
        return 0
    runtime.mailbox.remove(message)
    return _activate(message)


@call(prints=True)
def pvm_probe(tid: int, msgtag: int) -> int:
    """Check whether a message has arrived (pvm_probe(3PVM)).

    Returns
    -------
    int
        0 if no message has arrived. Otherwise a buffer number for ``pvm_bufinfo``; the message can
        still be received. Or ``PvmBadParam`` as in ``pvm_recv``.
    """
    runtime = enroll()
    _, is_wanted = _wanted(tid, msgtag, runtime)
    message = runtime.mailbox.find(is_wanted)
    if message is None:
        return 0
    if message not in _probed:
        _probed[message] = _opened(message)
    return _probed[message].bufid


@call(prints=True)
def pvm_bufinfo(bufid: int, bytes: OutParameter, msgtag: OutParameter, tid: OutParameter) -> int:
    """Get the size, tag and sender of a message (pvm_bufinfo(3PVM)).

    Parameters
    ----------
    bufid
        A buffer number from ``pvm_recv``, ``pvm_nrecv``, ``pvm_probe`` or ``pvm_initsend``.
    bytes, msgtag, tid
        Lists or arrays whose first elements are set to the number of packed bytes, the tag, and the
        sender (0 for a message that was not received); or None.

    Returns
    -------
    int
        0; or ``PvmNoSuchBuf`` for an unknown buffer, or a buffer that has been replaced.
    """
    enroll()
    buffer = buffers.of(integer(bufid, "bufid"))
    if buffer is None:
        raise PvmError(pvm.PvmNoSuchBuf)
    put(bytes, [buffer.n_bytes])
    put(msgtag, [buffer.msgtag])
    put(tid, [0 if buffer.source is None else buffer.source])
    return pvm.PvmOk


@call(prints=True)
def pvm_psend(tid: int, msgtag: int, buf: Any, len: int, datatype: int) -> int:
    """Send an array (pvm_psend(3PVM)).  The active send buffer does not change.

    Parameters
    ----------
    tid, msgtag
        As for ``pvm_send``.
    buf
        Contiguous array of ``datatype`` with at least ``len`` elements.
    len
        Number of elements, at least 0.
    datatype
        Any of PVM's datatypes.

    Returns
    -------
    int
        0; or ``PvmBadParam`` as in ``pvm_send``, or if ``buf`` is None, ``datatype`` is unknown or
        ``len`` is negative.

    Raises
    ------
    DatatypeError, ArgumentError
        ``buf`` is not such an array.
    """
    runtime = enroll()
    msgtag = _require_tag(msgtag)
    index = _require_index(tid, runtime)
    len, datatype = integer(len, "len"), integer(datatype, "datatype")
    if buf is None or len < 0 or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    buffer = Buffer(0)
    buffer.pack(datatype, vector("buf", buf, datatype, len, writable=False))
    runtime.mailbox.send(index, msgtag, buffer.encoded())
    return pvm.PvmOk


@call(prints=True)
def pvm_precv(
    tid: int,
    msgtag: int,
    buf: Any,
    len: int,
    datatype: int,
    rtid: OutParameter,
    rtag: OutParameter,
    rlen: OutParameter,
) -> int:
    """Wait for a message and put its items into an array (pvm_precv(3PVM)).

    The active receive buffer does not change. If the message has more than ``len`` items, only the
    first ``len`` items are kept.

    Parameters
    ----------
    tid, msgtag
        As for ``pvm_recv``.
    buf
        Writable contiguous array of ``datatype`` with at least ``len`` elements.
    len
        Number of elements, at least 0.
    datatype
        The type of all items of the message.
    rtid, rtag, rlen
        Lists or arrays whose first elements are set to the sender, the tag, and the number of bytes
        that were sent; or None.

    Returns
    -------
    int
        0; or an error as in ``pvm_recv``; or ``PvmBadParam`` as in ``pvm_psend``; or
        ``PvmMismatch`` if the message has items of another type. After PvmMismatch the message is
        lost.

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_psend`` and ``pvm_recv``.
    """
    runtime = enroll()
    len, datatype = integer(len, "len"), integer(datatype, "datatype")
    if buf is None or len < 0 or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    target = vector("buf", buf, datatype, len, writable=True)
    for name, out in (("rtid", rtid), ("rtag", rtag), ("rlen", rlen)):
        require_space(out, 1, name)
    message = _wait_for(tid, msgtag, runtime, "pvm_precv")
    buffers.free(_probed.pop(message, None))
    buffer = Buffer(0)
    buffer.decode(message.body)
    put(rtid, [tid_of(message.source)])
    put(rtag, [message.tag])
    put(rlen, [buffer.n_bytes])
    n_items = min(len, buffer.n_bytes // target.itemsize)
    target[:n_items] = buffer.unpack(datatype, n_items)
    return pvm.PvmOk


def _require_tag(msgtag: int) -> int:
    msgtag = integer(msgtag, "msgtag")
    if not 0 <= msgtag <= MOST_TAG:
        raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
    return msgtag


def _require_index(tid: int, runtime: PvmRuntime) -> int:
    tid = integer(tid, "tid")
    index = index_of(tid, runtime)
    if index is None:
        raise PvmError(pvm.PvmBadParam, f"no task has tid {tid}")
    return index


def _wanted(tid: int, msgtag: int, runtime: PvmRuntime) -> tuple[int | None, Wanted]:
    """Check a receive's arguments; return the sender (None for any) and a test for messages."""
    tid, msgtag = integer(tid, "tid"), integer(msgtag, "msgtag")
    if not -1 <= msgtag <= MOST_TAG:
        raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
    source = None if tid == -1 else _require_index(tid, runtime)

    def is_wanted(message: IncomingMessage) -> bool:
        return source in (None, message.source) and msgtag in (-1, message.tag)

    return source, is_wanted


def _wait_for(tid: int, msgtag: int, runtime: PvmRuntime, name: str) -> IncomingMessage:
    source, is_wanted = _wanted(tid, msgtag, runtime)
    sender = "any task" if source is None else f"t{tid_of(source):x}"
    try:
        return runtime.mailbox.receive(is_wanted, source, f"{name} of tag {msgtag} from {sender}")
    except PeerLostError as error:
        raise PvmError(pvm.PvmNoTask, str(error)) from None


def _opened(message: IncomingMessage) -> Buffer:
    buffer = buffers.new()
    buffer.msgtag, buffer.source = message.tag, tid_of(message.source)
    buffer.decode(np.asarray(message.body))
    return buffer


def _activate(message: IncomingMessage) -> int:
    buffers.receive = _probed.pop(message, None) or _opened(message)
    return buffers.receive.bufid
