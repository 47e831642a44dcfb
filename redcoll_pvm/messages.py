"""Messages between tasks.

Sending copies, and never waits for the recipient. A task's messages to another arrive in
the order in which they were sent. None of them mixes with what pvm_reduce and its kin
hand over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redcoll.arguments import integer
from redcoll.errors import PeerLostError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES, vector
from redcoll_pvm._buffers import Buffer, buffers
from redcoll_pvm._task import MOST_TAG, OutParameter, PvmError, call, enroll, pe_of, put, tid_of
from redcoll_pvm.groups import view_of
from redcoll_pvm.runtime.pvm_runtime import Job
from redcoll_pvm.runtime.mailbox import Letter

__all__ = ["pvm_bcast", "pvm_bufinfo", "pvm_initsend", "pvm_mcast", "pvm_nrecv", "pvm_precv",
           "pvm_probe", "pvm_psend", "pvm_recv", "pvm_send"]  # fmt: skip

_probed: dict[Letter, Buffer] = {}
"""Messages that pvm_probe has given a number."""


@call(prints=True)
def pvm_initsend(encoding: int) -> int:
    """Clear the active send buffer (pvm_initsend(3PVM)).

    Parameters
    ----------
    encoding
        ``PvmDataDefault`` or ``PvmDataRaw``, which are the same here; ``PvmDataInPlace``
        leaves arrays where they are until the message is sent.

    Returns
    -------
    int
        The buffer's number, positive; ``PvmBadParam`` for another encoding.
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
        0, also if the task has gone; ``PvmBadParam`` for a tid that is no task's or a
        negative tag; ``PvmNoBuf``.
    """
    job = enroll()
    msgtag = _require_tag(msgtag)
    pe = _require_pe(tid, job)
    job.mail.send(pe, msgtag, buffers.require_send().encoded())
    return pvm.PvmOk


@call(prints=True)
def pvm_mcast(tids: Sequence[int] | None, ntask: int, msgtag: int) -> int:
    """Send the active send buffer to the first ``ntask`` tasks of a list (pvm_mcast(3PVM)).

    Each gets it once, however often it is listed; the caller gets none.

    Returns
    -------
    int
        0; ``PvmNoBuf``; ``PvmBadParam`` as for ``pvm_send``, and for a list that is too short;
        nothing is sent then.
    """
    job = enroll()
    buffer = buffers.require_send()
    msgtag, ntask = _require_tag(msgtag), integer(ntask, "ntask")
    if tids is None or not 0 <= ntask <= len(tids):
        raise PvmError(pvm.PvmBadParam)
    pes = {_require_pe(tid, job) for tid in tids[:ntask]} - {job.pe}
    body = buffer.encoded()
    for pe in sorted(pes):
        job.mail.send(pe, msgtag, body)
    return pvm.PvmOk


@call(prints=False)
def pvm_bcast(group: str, msgtag: int) -> int:
    """Send the active send buffer to all members of a group but the caller (pvm_bcast(3PVM)).

    The caller need not be a member.

    Returns
    -------
    int
        0. ``PvmNullGroup``; ``PvmNoGroup``; ``PvmBadParam`` for a negative tag; ``PvmNoInst``
        if the caller is the only member; ``PvmNoBuf``.
    """
    job = enroll()
    view = view_of(job, group)
    msgtag = _require_tag(msgtag)
    others = [member for member in view.members if member.pe != job.pe]
    if not others:
        raise PvmError(pvm.PvmNoInst)
    body = buffers.require_send().encoded()
    for member in others:
        if not member.is_gone:
            job.mail.send(member.pe, msgtag, body)
    return pvm.PvmOk


@call(prints=True)
def pvm_recv(tid: int, msgtag: int) -> int:
    """Wait for a message; it becomes the active receive buffer (pvm_recv(3PVM)).

    The one before it is cleared at once: if the call fails there is none.

    Parameters
    ----------
    tid
        Whose; -1 for anybody's.
    msgtag
        Of which tag; -1 for any.

    Returns
    -------
    int
        The buffer's number, positive; ``PvmBadParam`` for a tid that is no task's or a tag
        below -1; ``PvmNoTask`` if none can come, since the task, or every other, has gone.

    Raises
    ------
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    job = enroll()
    buffers.clear_receive()
    return _activate(_wait_for(tid, msgtag, job, "pvm_recv"))


@call(prints=True)
def pvm_nrecv(tid: int, msgtag: int) -> int:
    """Receive a message if it is there (pvm_nrecv(3PVM)).

    The active receive buffer is cleared, also if it is not there.

    Returns
    -------
    int
        As for ``pvm_recv``, and 0 if it is not there.
    """
    job = enroll()
    buffers.clear_receive()
    _, is_wanted = _wanted(tid, msgtag, job)
    letter = job.mail.find(is_wanted)
    if letter is None:
        return 0
    job.mail.take(letter)
    return _activate(letter)


@call(prints=True)
def pvm_probe(tid: int, msgtag: int) -> int:
    """Whether a message is there (pvm_probe(3PVM)).

    Returns
    -------
    int
        0 if not; else a number for ``pvm_bufinfo``, and the message can be received.
        ``PvmBadParam`` as for ``pvm_recv``.
    """
    job = enroll()
    _, is_wanted = _wanted(tid, msgtag, job)
    letter = job.mail.find(is_wanted)
    if letter is None:
        return 0
    if letter not in _probed:
        _probed[letter] = _opened(letter)
    return _probed[letter].bufid


@call(prints=True)
def pvm_bufinfo(bufid: int, bytes: OutParameter, msgtag: OutParameter, tid: OutParameter) -> int:
    """What is known of a message (pvm_bufinfo(3PVM)).

    Parameters
    ----------
    bufid
        A number from ``pvm_recv``, ``pvm_nrecv``, ``pvm_probe`` or ``pvm_initsend``.
    bytes, msgtag, tid
        Lists or arrays, whose first elements are set to the bytes packed, the tag and the
        sender (0 before it was sent); or None.

    Returns
    -------
    int
        0; ``PvmNoSuchBuf``, also for a buffer that another has replaced.
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
    """Send an array (pvm_psend(3PVM)); the active send buffer is not touched.

    Parameters
    ----------
    tid, msgtag
        As for ``pvm_send``.
    buf
        At least ``len`` elements of ``datatype``, contiguous.
    len
        Elements, from 0.
    datatype
        Any of PVM's.

    Returns
    -------
    int
        0; ``PvmBadParam`` as for ``pvm_send``, and for no array, another type or a
        negative length.

    Raises
    ------
    DatatypeError, ArgumentError
        ``buf`` is no such array.
    """
    job = enroll()
    msgtag = _require_tag(msgtag)
    pe = _require_pe(tid, job)
    len, datatype = integer(len, "len"), integer(datatype, "datatype")
    if buf is None or len < 0 or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    message = Buffer(0)
    message.pack(datatype, vector("buf", buf, datatype, len, writable=False))
    job.mail.send(pe, msgtag, message.encoded())
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

    The active receive buffer is not touched. Of a longer message the first ``len`` items
    are taken, the rest is lost.

    Parameters
    ----------
    tid, msgtag
        As for ``pvm_recv``.
    buf
        At least ``len`` elements of ``datatype``, contiguous, writable.
    len
        Elements, from 0.
    datatype
        That of all items of the message.
    rtid, rtag, rlen
        Lists or arrays whose first elements are set to the sender, the tag and the bytes
        that were sent; or None.

    Returns
    -------
    int
        0; as for ``pvm_recv``; ``PvmBadParam`` as for ``pvm_psend``; ``PvmMismatch`` if the
        message has items of another type (it is lost).

    Raises
    ------
    DatatypeError, ArgumentError, CollectiveTimeoutError
        As for ``pvm_psend`` and ``pvm_recv``.
    """
    job = enroll()
    len, datatype = integer(len, "len"), integer(datatype, "datatype")
    if buf is None or len < 0 or datatype not in DTYPES:
        raise PvmError(pvm.PvmBadParam)
    target = vector("buf", buf, datatype, len, writable=True)
    message = Buffer(0)
    letter = _wait_for(tid, msgtag, job, "pvm_precv")
    buffers.free(_probed.pop(letter, None))
    message.decode(letter.body)
    put(rtid, [tid_of(letter.source)])
    put(rtag, [letter.tag])
    put(rlen, [message.n_bytes])
    n_items = min(len, message.n_bytes // target.itemsize)
    target[:n_items] = message.unpack(datatype, n_items)
    return pvm.PvmOk


def _require_tag(msgtag: int) -> int:
    msgtag = integer(msgtag, "msgtag")
    if not 0 <= msgtag <= MOST_TAG:
        raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
    return msgtag


def _require_pe(tid: int, job: Job) -> int:
    tid = integer(tid, "tid")
    pe = pe_of(tid, job)
    if pe is None:
        raise PvmError(pvm.PvmBadParam, f"no task has tid {tid}")
    return pe


def _wanted(tid: int, msgtag: int, job: Job) -> tuple[int | None, Callable[[Letter], bool]]:
    """Whose messages a receive takes, None for anybody's; and whether it takes this one."""
    tid, msgtag = integer(tid, "tid"), integer(msgtag, "msgtag")
    if not -1 <= msgtag <= MOST_TAG:
        raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
    pe = None if tid == -1 else _require_pe(tid, job)
    return pe, lambda letter: (pe is None or letter.source == pe) and msgtag in (-1, letter.tag)


def _wait_for(tid: int, msgtag: int, job: Job, name: str) -> Letter:
    source, is_wanted = _wanted(tid, msgtag, job)
    sender = "any task" if source is None else f"t{tid_of(source):x}"
    try:
        return job.mail.receive(is_wanted, source, f"{name} of tag {msgtag} from {sender}")
    except PeerLostError as error:
        raise PvmError(pvm.PvmNoTask, str(error)) from None


def _opened(letter: Letter) -> Buffer:
    buffer = buffers.new()
    buffer.msgtag, buffer.source = letter.tag, tid_of(letter.source)
    buffer.decode(np.asarray(letter.body))
    return buffer


def _activate(letter: Letter) -> int:
    buffers.receive = _probed.pop(letter, None) or _opened(letter)
    return buffers.receive.bufid
