"""Test packing, sending, receiving and unpacking of messages."""

from __future__ import annotations

import ctypes
import time
from array import array

import numpy as np
import pytest
from pvm_support import (
    DTYPES,
    fresh_task,  # noqa: F401
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
)

import redcoll_pvm as pvm
from redcoll.errors import ArgumentError, CollectiveTimeoutError, DatatypeError
from redcoll.liveness.peers import LEFT, OPEN
from redcoll_pvm._buffers import buffers
from redcoll_pvm.runtime.message_transport import IncomingMessage

pytestmark = pytest.mark.mpi

TID = 0x40001
TYPES = {
    "byte": "PVM_BYTE",
    "short": "PVM_SHORT",
    "int": "PVM_INT",
    "long": "PVM_LONG",
    "ushort": "PVM_USHORT",
    "uint": "PVM_UINT",
    "ulong": "PVM_ULONG",
    "float": "PVM_FLOAT",
    "double": "PVM_DOUBLE",
    "cplx": "PVM_CPLX",
    "dcplx": "PVM_DCPLX",
}


def right():
    return TID + (me() + 1) % n_tasks()


def left():
    return TID + (me() - 1) % n_tasks()


def start():
    assert pvm.pvm_initsend(pvm.PvmDataDefault) > 0


def extremes(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, 2, 3], dtype)
    values = np.array([np.nan, np.inf, -0.0, 1.5, -2.25, 1e-40], f"f{min(dtype.itemsize, 8)}")
    if dtype.kind == "c":
        return (values.astype(dtype) * 1).view(dtype)
    return values.astype(dtype)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("encoding", [pvm.PvmDataDefault, pvm.PvmDataRaw, pvm.PvmDataInPlace])
def test_every_type_goes_round(name, encoding):
    dtype = DTYPES[TYPES[name]]
    packs, unpacks = getattr(pvm, f"pvm_pk{name}"), getattr(pvm, f"pvm_upk{name}")
    with np.errstate(all="ignore"):
        values = extremes(dtype)
    assert pvm.pvm_initsend(encoding) > 0
    assert packs(values, 6, 1) == 0
    assert packs(values, 2, 3) == 0
    assert packs(values[1:], 0, 1) == 0
    assert pvm.pvm_send(right(), 5) == 0
    bufid = pvm.pvm_recv(left(), 5)
    assert bufid > 0
    n_bytes, tag, source = [0], [0], [0]
    assert pvm.pvm_bufinfo(bufid, n_bytes, tag, source) == 0
    assert (n_bytes, tag, source) == ([8 * values.itemsize], [5], [left()])
    out = np.zeros(12, dtype)
    # The unpack calls divide the values differently from the pack calls.
    assert unpacks(out, 3, 2) == 0
    assert unpacks(out[6:], 5, 1) == 0
    assert out[0:5:2].tobytes() == values[:3].tobytes()
    assert out[6:11].tobytes() == values[[3, 4, 5, 0, 3]].tobytes()
    assert not out[[1, 3, 5, 11]].any()
    assert unpacks(out, 1, 1) == pvm.PvmNoData
    assert pvm.pvm_errno == pvm.PvmNoData


def test_strings_and_lists():
    start()
    assert pvm.pvm_pkstr("größer") == 0
    assert pvm.pvm_pkstr("") == 0
    assert pvm.pvm_pkint([1, 2, 3], 2, 2) == 0
    assert pvm.pvm_pkdouble([1, 2.5], 2, 1) == 0
    assert pvm.pvm_pkint(7, 1, 1) == 0
    assert pvm.pvm_pkushort([65535], 1, 1) == 0
    assert pvm.pvm_pkuint(3, 1, 1) == 0
    assert pvm.pvm_pkulong([2**64 - 1, 1], 2, 1) == 0
    assert pvm.pvm_pkint(np.int64(-4), 1, 1) == 0
    assert pvm.pvm_pkint([], 0, 1) == 0
    assert pvm.pvm_pkint([np.True_, False, np.int8(-1)], 3, 1) == 0
    assert pvm.pvm_pkdouble([2**70, 1, 0.5], 3, 1) == 0
    assert pvm.pvm_pkdouble(2**64, 1, 1) == 0
    assert pvm.pvm_pkdcplx([2**64, 1j], 2, 1) == 0
    assert pvm.pvm_pkstr(b"abc\0def") == 0
    assert pvm.pvm_pkstr("end") == 0
    assert pvm.pvm_send(right(), 1) == 0
    assert pvm.pvm_recv(-1, -1) > 0
    text, numbers, reals = [], [0, 0, 0], [0.0, 0.0]
    assert pvm.pvm_upkstr(text) == 0
    assert text == ["größer"]
    assert pvm.pvm_upkstr(text) == 0
    assert text == [""]
    assert pvm.pvm_upkint(numbers, 2, 2) == 0
    assert numbers == [1, 0, 3]
    assert pvm.pvm_upkdouble(reals, 2, 1) == 0
    assert reals == [1.0, 2.5]
    assert pvm.pvm_upkint(numbers, 1, 1) == 0
    assert numbers == [7, 0, 3]
    for unpack, count, wanted in (
        (pvm.pvm_upkushort, 1, [65535]),
        (pvm.pvm_upkuint, 1, [3]),
        (pvm.pvm_upkulong, 2, [2**64 - 1, 1]),
        (pvm.pvm_upkint, 1, [-4]),
        (pvm.pvm_upkint, 0, []),
        (pvm.pvm_upkint, 3, [1, 0, -1]),
        (pvm.pvm_upkdouble, 3, [2.0**70, 1.0, 0.5]),
        (pvm.pvm_upkdouble, 1, [2.0**64]),
        (pvm.pvm_upkdcplx, 2, [2.0**64, 1j]),
    ):
        found = [0] * count
        assert unpack(found, count, 1) == 0
        assert found == wanted
    short, long = bytearray(3), bytearray(b"x" * 6)
    with pytest.raises(ArgumentError, match="cp has 3 bytes; the string and its NUL take 4"):
        pvm.pvm_upkstr(short)
    assert pvm.pvm_upkstr(long) == 0
    assert long == b"abc\0xx"
    assert pvm.pvm_upkint(numbers, 1, 1) == pvm.PvmMismatch, "the next item is a string"
    assert pvm.pvm_upkstr(text) == 0
    assert text == ["end"]
    for out in (text, long, bytearray(0)):
        assert pvm.pvm_upkstr(out) == pvm.PvmNoData


def test_unpacking_numbers_as_a_string():
    send_to_self(*range(100))
    for out in ([""], bytearray(4), bytearray(500)):
        assert pvm.pvm_upkstr(out) == pvm.PvmMismatch
    numbers = [0] * 100
    assert pvm.pvm_upkint(numbers, 100, 1) == 0
    assert numbers == [*range(100)]


def send_to_self(*numbers):
    pvm.pvm_initsend(pvm.PvmDataDefault)
    assert pvm.pvm_pkint([*numbers], len(numbers), 1) == 0
    assert pvm.pvm_send(TID + me(), 9) == 0
    assert pvm.pvm_recv(TID + me(), 9) > 0


def test_arrays_in_fortran_order_are_refused():
    start()
    with pytest.raises(ArgumentError, match="not contiguous"):
        pvm.pvm_pkdouble(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]), 4, 1)


@pytest.mark.parametrize("kind", [np.array, np.matrix])
def test_arrays_of_two_dimensions(kind):
    start()
    square = kind([[1.0, 2.0], [3.0, 4.0]])
    assert pvm.pvm_pkdouble(square, 2, 2) == 0
    assert pvm.pvm_send(right(), 1) == 0
    assert pvm.pvm_recv(-1, -1) > 0
    found = kind(np.zeros((1, 4)))
    assert pvm.pvm_upkdouble(found, 2, 3) == 0
    assert found.tolist() == [[1.0, 0.0, 0.0, 3.0]]


def test_what_cannot_be_packed_or_unpacked():
    start()
    assert pvm.pvm_pkint(None, 1, 1) == pvm.PvmBadParam
    assert pvm.pvm_pkint([1], -1, 1) == pvm.PvmBadParam
    assert pvm.pvm_pkint([1], 1, 0) == pvm.PvmBadParam
    assert pvm.pvm_pkstr(None) == pvm.PvmBadParam
    with pytest.raises(ArgumentError, match="has 2 elements; 2 items at stride 2 take 3"):
        pvm.pvm_pkint([1, 2], 2, 2)
    with pytest.raises(DatatypeError, match="elements of float64; PVM_INT takes int32"):
        pvm.pvm_pkint(np.ones(3), 3, 1)
    with pytest.raises((ArgumentError, DatatypeError)):
        pvm.pvm_pkshort([70000], 1, 1)
    for pack, value in (
        (pvm.pvm_pkushort, -1),
        (pvm.pvm_pkuint, 2**32),
        (pvm.pvm_pkulong, -1),
        (pvm.pvm_pkulong, 2**64),
        (pvm.pvm_pklong, 2**63),
    ):
        with pytest.raises(ArgumentError, match=f"{value} does not fit into PVM_"):
            pack([value], 1, 1)
    with pytest.raises(DatatypeError, match="are no items of PVM_UINT"):
        pvm.pvm_pkuint([1, 2.0], 2, 1)
    with pytest.raises(DatatypeError):
        pvm.pvm_pkint([1.5], 1, 1)
    for no_reals in ([None], [2**70, "7"], [2**70, 1j], [object()], [2**2000], "7"):
        with pytest.raises(DatatypeError, match="are no items of PVM_DOUBLE"):
            pvm.pvm_pkdouble(no_reals, len(no_reals), 1)
    assert pvm.pvm_initsend(9) == pvm.PvmBadParam
    assert pvm.pvm_pkint([1], 1, 1) == 0
    assert pvm.pvm_send(pvm.pvm_mytid(), 3) == 0
    assert pvm.pvm_recv(pvm.pvm_mytid(), 3) > 0
    with pytest.raises(ArgumentError, match="read-only"):
        pvm.pvm_upkint(np.broadcast_to(np.zeros(1, np.int32), 1), 1, 1)
    assert pvm.pvm_upkdouble([0.0], 1, 1) == pvm.PvmMismatch
    value = [0]
    assert pvm.pvm_upkint(value, 1, 1) == 0
    assert value == [1]


def test_what_cannot_be_sent_or_received():
    start()
    assert pvm.pvm_send(7, 1) == pvm.PvmBadParam
    assert pvm.pvm_send(TID + n_tasks(), 1) == pvm.PvmBadParam
    assert pvm.pvm_send(TID, -1) == pvm.PvmBadParam
    assert pvm.pvm_mcast([TID, 7], 2, 1) == pvm.PvmBadParam
    assert pvm.pvm_mcast([TID], 2, 1) == pvm.PvmBadParam
    assert pvm.pvm_recv(7, 1) == pvm.PvmBadParam
    assert pvm.pvm_recv(-1, -2) == pvm.PvmBadParam
    assert pvm.pvm_nrecv(TID + n_tasks(), 1) == pvm.PvmBadParam
    assert pvm.pvm_bufinfo(12345678, None, None, None) == pvm.PvmNoSuchBuf
    assert pvm.pvm_psend(TID, 1, None, 1, pvm.PVM_INT) == pvm.PvmBadParam
    assert pvm.pvm_psend(TID, 1, np.ones(1), 1, 12) == pvm.PvmBadParam
    assert pvm.pvm_precv(TID, 1, np.ones(1), -1, pvm.PVM_INT, None, None, None) == pvm.PvmBadParam


def test_messages_of_one_sender_arrive_in_order_whatever_their_size():
    sizes = [1, 20000, 10, 1, 5000, 300_000, 2]
    for number, size in enumerate(sizes):
        start()
        pvm.pvm_pkdouble(np.full(size, float(number)), size, 1)
        assert pvm.pvm_send(right(), 10 + number % 2) == 0
    for number, size in enumerate(sizes):
        bufid = pvm.pvm_recv(left(), -1)
        n_bytes, tag = [0], [0]
        pvm.pvm_bufinfo(bufid, n_bytes, tag, None)
        assert (n_bytes[0], tag[0]) == (8 * size, 10 + number % 2)
        data = np.zeros(size)
        assert pvm.pvm_upkdouble(data, size, 1) == 0
        assert (data == number).all()


def test_tags_and_sources_select():
    for tag in (2**31 - 1, 0, 3):
        start()
        pvm.pvm_pkint([tag], 1, 1)
        pvm.pvm_send(right(), tag)
    for tag in (3, 2**31 - 1):
        value = [0]
        assert pvm.pvm_recv(-1, tag) > 0
        assert pvm.pvm_upkint(value, 1, 1) == 0
        assert value == [tag]
    assert pvm.pvm_recv(left(), -1) > 0
    assert pvm.pvm_nrecv(left(), 3) == 0


def test_probe_and_nrecv(gather):
    assert pvm.pvm_probe(left(), 8) == 0
    assert pvm.pvm_nrecv(left(), 8) == 0
    gather("nothing there")
    start()
    pvm.pvm_pkint([me()], 1, 1)
    pvm.pvm_send(right(), 8)
    deadline = time.monotonic() + 10
    while not (bufid := pvm.pvm_probe(-1, 8)):
        assert time.monotonic() < deadline
    assert pvm.pvm_probe(left(), 8) == bufid
    n_bytes, tag, source = [0], [0], [0]
    assert pvm.pvm_bufinfo(bufid, n_bytes, tag, source) == 0
    assert (n_bytes, tag, source) == ([4], [8], [left()])
    assert pvm.pvm_nrecv(left(), 8) == bufid
    value = [-1]
    assert pvm.pvm_upkint(value, 1, 1) == 0
    assert value == [left() - TID]
    assert pvm.pvm_probe(-1, 8) == 0


def test_nothing_is_kept_of_a_message_that_was_probed_and_received_into_an_array():
    known = len(buffers._known)
    value = np.array([me()], np.int32)
    assert pvm.pvm_psend(right(), 8, value, 1, pvm.PVM_INT) == 0
    deadline = time.monotonic() + 10
    while not (bufid := pvm.pvm_probe(left(), 8)):
        assert time.monotonic() < deadline
    assert len(buffers._known) == known + 1
    assert pvm.pvm_precv(left(), 8, value, 1, pvm.PVM_INT, None, None, None) == 0
    assert value[0] == left() - TID
    assert len(buffers._known) == known
    assert pvm.pvm_bufinfo(bufid, None, None, None) == pvm.PvmNoSuchBuf


def test_the_buffer_may_be_sent_again_and_in_place_data_change_until_then():
    data = np.array([1, 2], np.int32)
    pvm.pvm_initsend(pvm.PvmDataInPlace)
    pvm.pvm_pkint(data, 2, 1)
    for value in (5, 6):
        data[0] = value
        pvm.pvm_send(right(), 1)
    start()
    pvm.pvm_pkint(data, 2, 1)
    data[0] = 9
    pvm.pvm_send(right(), 1)
    received = []
    for _ in range(3):
        pair = [0, 0]
        pvm.pvm_recv(left(), 1)
        pvm.pvm_upkint(pair, 2, 1)
        received.append(pair)
    assert received == [[5, 2], [6, 2], [6, 2]]


def test_mcast_and_bcast_leave_the_caller_out():
    group = join_in_order()
    tids = [TID + i for i in range(n_tasks())]
    if me() == 0:
        start()
        pvm.pvm_pkint([41], 1, 1)
        assert pvm.pvm_mcast(tids, n_tasks(), 1) == 0
        code = pvm.pvm_bcast(group, 2)
        assert code == (0 if n_tasks() > 1 else pvm.PvmNoInst)
        assert pvm.pvm_bcast(group, -1) == pvm.PvmBadParam
        assert pvm.pvm_nrecv(-1, -1) == 0
    else:
        for tag in (1, 2):
            value = [0]
            assert pvm.pvm_recv(TID, tag) > 0
            pvm.pvm_upkint(value, 1, 1)
            assert value == [41]
    leave(group)


def test_mcast_sends_once_to_each_however_often_it_is_listed(gather):
    others = [TID + i for i in range(n_tasks()) if i != me()]
    start()
    pvm.pvm_pkint([me()], 1, 1)
    tids = [*others, *others, pvm.pvm_mytid(), *reversed(others)]
    assert pvm.pvm_mcast(np.array(tids, np.int32), len(tids), 1) == 0
    assert pvm.pvm_mcast(tids, 0, 1) == 0
    # If a message of tag 1 arrived twice, the second copy would arrive before this message.
    assert pvm.pvm_mcast(others, len(others), 2) == 0
    for other in others:
        assert pvm.pvm_recv(other, 2) > 0
    for other in others:
        assert pvm.pvm_nrecv(other, 1) > 0
        assert pvm.pvm_nrecv(other, -1) == 0
    gather("all have counted")


def test_each_receive_clears_the_buffer_of_the_one_before():
    def receive_one():
        start()
        pvm.pvm_pkint([1, 2], 2, 1)
        pvm.pvm_send(pvm.pvm_mytid(), 4)
        return pvm.pvm_recv(-1, 4)

    value = [0]
    for fails, code in (
        (lambda: pvm.pvm_nrecv(-1, 99), 0),
        (lambda: pvm.pvm_nrecv(-1, -2), pvm.PvmBadParam),
        (lambda: pvm.pvm_recv(7, 1), pvm.PvmBadParam),
        (lambda: pvm.pvm_recv(pvm.pvm_mytid(), 99), pvm.PvmNoTask),
    ):
        bufid = receive_one()
        assert pvm.pvm_probe(-1, 99) == 0
        assert pvm.pvm_upkint(value, 1, 1) == 0
        assert value == [1], "a probe does not clear the buffer"
        assert fails() == code
        assert pvm.pvm_upkint(value, 1, 1) == pvm.PvmNoBuf
        assert pvm.pvm_upkstr([""]) == pvm.PvmNoBuf
        assert pvm.pvm_bufinfo(bufid, None, None, None) == pvm.PvmNoSuchBuf


def test_a_receive_of_a_missing_message_from_itself_fails(capfd):
    pvm.pvm_setopt(pvm.PvmAutoErr, 1)
    assert pvm.pvm_recv(pvm.pvm_mytid(), 99) == pvm.PvmNoTask
    pvm.pvm_setopt(pvm.PvmAutoErr, 0)
    assert "the caller has not sent it" in capfd.readouterr().err


class Stuck:
    """A request of MPI that never completes."""

    def Test(self):
        return False


def arrive(source, tag):
    """Insert a message whose receive does not complete."""
    arrival = IncomingMessage(source, (tag,), np.empty(0, np.uint8), Stuck())
    job().mailbox._arrived.append(arrival)
    return arrival


def test_the_timeout_holds_for_a_message_of_a_task_that_has_left(monkeypatch, gather):
    if n_tasks() == 1:
        pytest.skip("needs 2 PEs")
    source = left() - TID
    tasks = job().tasks
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "_state", lambda index: LEFT if index == source else OPEN)
        patch.setattr(tasks.watch, "timeout_s", 0.3)
        arrival = arrive(source, 999)
        for tid in (left(), -1):
            with pytest.raises(CollectiveTimeoutError, match=rf"PE {source}\b.* did not arrive"):
                pvm.pvm_recv(tid, 999)
    # Now the message is complete.
    arrival._rest = None
    assert pvm.pvm_nrecv(left(), 999) > 0
    gather("all have received")


def test_psend_and_precv():
    data = np.arange(5, dtype=np.int16) + me()
    assert pvm.pvm_psend(right(), 4, data, 5, pvm.PVM_SHORT) == 0
    assert pvm.pvm_psend(right(), 4, data, 5, pvm.PVM_SHORT) == 0
    assert pvm.pvm_psend(right(), 4, data, 2, pvm.PVM_SHORT) == 0
    assert pvm.pvm_psend(right(), 4, data, 2, pvm.PVM_SHORT) == 0
    data[:] = 0
    expected = np.arange(5, dtype=np.int16) + (left() - TID)
    tid, tag, n_bytes = [0], [0], [0]
    out = np.full(6, 99, np.int16)
    args = (pvm.PVM_SHORT, tid, tag, n_bytes)
    assert pvm.pvm_precv(-1, -1, out, 6, *args) == 0
    assert out.tolist() == [*expected, 99]
    assert (tid, tag, n_bytes) == ([left()], [4], [10])
    assert pvm.pvm_precv(left(), 4, out[:3], 3, *args) == 0
    assert n_bytes == [10]
    assert out.tolist() == [*expected, 99]
    for at, name in enumerate(("rtid", "rtag", "rlen")):
        outs = [None] * 3
        outs[at] = np.zeros(0, int)
        with pytest.raises(ArgumentError, match=f"{name} has 0 elements; it must have at least 1"):
            pvm.pvm_precv(left(), 4, out, 6, pvm.PVM_SHORT, *outs)
    wrong = np.zeros(2, np.int32)
    assert pvm.pvm_precv(-1, 4, wrong, 2, pvm.PVM_INT, *args[1:]) == pvm.PvmMismatch
    # pvm_recv receives the fourth message.
    assert pvm.pvm_recv(-1, 4) > 0
    assert pvm.pvm_upkshort(out, 2, 1) == 0
    assert out[:2].tolist() == expected[:2].tolist()


def test_to_oneself():
    start()
    pvm.pvm_pkdouble(np.arange(3000.0), 3000, 1)
    assert pvm.pvm_send(pvm.pvm_mytid(), 6) == 0
    assert pvm.pvm_recv(-1, 6) > 0
    out = np.zeros(3000)
    assert pvm.pvm_upkdouble(out, 3000, 1) == 0
    assert out.tolist() == list(range(3000))


def test_a_message_that_never_arrives(gather):
    if n_tasks() == 1:
        assert pvm.pvm_recv(-1, 999) == pvm.PvmNoTask
        return
    watch = job().tasks.watch
    before, watch.timeout_s = watch.timeout_s, 0.3
    with pytest.raises(CollectiveTimeoutError, match=f"pvm_recv of tag 999 from t{left():x}"):
        pvm.pvm_recv(left(), 999)
    watch.timeout_s = before
    gather("all have given up")


def test_long_messages_cross_each_other():
    """All tasks send before they receive, so a send must not wait for the receive."""
    data = np.full(1_000_000, me() + 0.5)
    start()
    pvm.pvm_pkdouble(data, data.size, 1)
    for task in range(n_tasks()):
        assert pvm.pvm_send(TID + task, 77) == 0
    out = np.zeros(data.size)
    for _ in range(n_tasks()):
        bufid = pvm.pvm_recv(-1, 77)
        source = [0]
        pvm.pvm_bufinfo(bufid, None, None, source)
        assert pvm.pvm_upkdouble(out, out.size, 1) == 0
        assert (out == source[0] - TID + 0.5).all()


def test_without_a_buffer():
    from redcoll_pvm import _buffers

    _buffers.buffers.__init__()
    assert pvm.pvm_pkint([1], 1, 1) == pvm.PvmNoBuf
    assert pvm.pvm_pkstr("x") == pvm.PvmNoBuf
    assert pvm.pvm_upkint([1], 1, 1) == pvm.PvmNoBuf
    assert pvm.pvm_upkstr([""]) == pvm.PvmNoBuf
    assert pvm.pvm_send(TID, 1) == pvm.PvmNoBuf
    assert pvm.pvm_mcast([7], 1, -1) == pvm.PvmNoBuf, "the buffer is checked before the arguments"


def test_fortran_names():
    group = join_in_order()
    out = [0]
    assert pvm.pvmfmytid(out) == out[0] == TID + me()
    assert pvm.pvmfparent(out) == out[0] == (TID if me() else pvm.PvmNoParent)
    count, sibling = [0], [0]
    assert pvm.pvmfsiblings(count, -1) == count[0] == n_tasks()
    assert pvm.pvmfsiblings(count, n_tasks() - 1, sibling) == n_tasks()
    assert sibling == [TID + n_tasks() - 1]
    assert pvm.pvmfsiblings(count, n_tasks(), sibling) == pvm.PvmNoTask
    assert pvm.pvmfgsize(group + "   ", out) == out[0] == n_tasks()
    assert pvm.pvmfgetinst(group, TID, out) == out[0] == 0
    assert pvm.pvmfgettid(group, 0, out) == out[0] == TID
    assert pvm.pvmfbarrier(group, -1, out) == out[0] == 0
    data = np.ones(2, np.int32)
    assert pvm.pvmfreduce(pvm.pvmsum, data, 2, pvm.INTEGER4, 1, group + " ", 0, out) == 0
    if me() == 0:
        assert data.tolist() == [n_tasks()] * 2
    assert pvm.pvmfreduce(pvm.pvmsum, data, 2, pvm.INTEGER4, 1, "x" * 32, 0, out) == -2
    assert out == [-2]
    assert pvm.pvmfreduce(pvm.pvmsum, data, 2, pvm.INTEGER4, 1, "x" * 31, 0) == pvm.PvmNoGroup
    result = np.zeros(n_tasks(), np.float64)
    own = np.full(1, me() + 1.0)
    assert pvm.pvmfgather(result, own, 1, pvm.REAL8, 1, group, 0, out) == out[0] == 0
    part = np.zeros(1)
    assert pvm.pvmfscatter(part, result, 1, pvm.REAL8, 1, group, 0, out) == out[0] == 0
    assert part[0] == me() + 1
    assert pvm.pvmfinitsend(pvm.PvmDataDefault, out) == out[0] > 0
    assert pvm.pvmfpack(pvm.REAL8, own, 1, 1, out) == out[0] == 0
    assert pvm.pvmfpack(pvm.STRING, "abcdef", 3, 1) == 0
    with pytest.raises(ArgumentError, match=r"tid is \[1\]; it must be"):
        pvm.pvm_mcast([TID, [1]], 2, 3)
    for wrong in (5, np.array(5)):
        with pytest.raises((ArgumentError, DatatypeError)):
            pvm.pvmfpack(pvm.STRING, wrong, 1, 1)
        with pytest.raises(ArgumentError, match="it must be a list or an array of task ids"):
            pvm.pvm_mcast(wrong, 1, 3)
    assert pvm.pvmfsend(right(), 3, out) == out[0] == 0
    assert pvm.pvmfrecv(left(), 3, out) == out[0] > 0
    bufid, values, text = out[0], np.zeros(1), [""]
    assert pvm.pvmfbufinfo(bufid, out, None, None) == 0
    assert out == [11]
    assert pvm.pvmfunpack(pvm.REAL8, values, 1, 1) == 0
    assert pvm.pvmfunpack(pvm.STRING, text, 3, 1) == 0
    assert (values[0], text) == (left() - TID + 1, ["abc"])
    assert pvm.pvmfpsend(right(), 3, own, 1, pvm.REAL8) == 0
    assert pvm.pvmfprecv(left(), 3, values, 1, pvm.REAL8, None, None, out) == 0
    assert out == [8]
    assert pvm.pvmfnrecv(-1, 3, out) == out[0] == 0
    assert pvm.pvmfprobe(-1, 3, out) == out[0] == 0
    assert pvm.pvmfsetopt(pvm.PvmAutoErr, 0, out) == out[0] == 0
    assert pvm.pvmfgetopt(pvm.PvmAutoErr, out) == out[0] == 0
    assert pvm.pvmfbarrier(group, -1, out) == out[0] == 0
    assert pvm.pvmflvgroup(group, out) == out[0] == 0


def test_strings_that_are_not_utf_8_are_passed_unchanged():
    """A task can unpack strings, pack them again and send them, without a change of their bytes."""
    start()
    assert pvm.pvm_pkstr(b"caf\xe9") == 0
    assert pvm.pvm_pkstr(np.frombuffer(b"a\0b", np.int8)) == 0
    for _ in range(2):
        assert pvm.pvm_send(right(), 1) == 0
        assert pvm.pvm_recv(left(), 1) > 0
        texts = [[], []]
        for text in texts:
            assert pvm.pvm_upkstr(text) == 0
        start()
        for [text] in texts:
            assert pvm.pvm_pkstr(text) == 0
    assert pvm.pvm_send(pvm.pvm_mytid(), 1) == 0
    assert pvm.pvm_recv(-1, 1) > 0
    first, second = bytearray(5), bytearray(2)
    assert pvm.pvm_upkstr(first) == pvm.pvm_upkstr(second) == 0
    assert (first, second) == (b"caf\xe9\0", b"a\0")


def test_an_argument_that_is_not_a_string_is_not_packed():
    start()
    for no_string in (5, 2.5, [65, 66], {}):
        with pytest.raises(DatatypeError, match="it must be an array of uint8"):
            pvm.pvm_pkstr(no_string)
    with pytest.raises(DatatypeError, match="elements of int32; PVM_STR takes uint8"):
        pvm.pvm_pkstr(np.zeros(3, np.int32))
    with pytest.raises(ArgumentError, match="it must be a string of UTF-8"):
        pvm.pvm_pkstr("\ud800")
    n_bytes = [-1]
    assert pvm.pvm_bufinfo(buffers.send.bufid, n_bytes, None, None) == 0
    assert n_bytes == [0]


@pytest.mark.parametrize(
    "kind",
    [
        lambda values: array("i", values),
        lambda values: np.array(values, np.int32),
        lambda values: (ctypes.c_int * len(values))(*values),
        lambda values: memoryview(bytearray(np.array(values, np.int32).tobytes())).cast("i"),
    ],
    ids=["array", "numpy", "ctypes", "memoryview"],
)
def test_data_in_place_are_copied_only_when_they_are_sent(kind):
    data = kind([1, 2, 3])
    pvm.pvm_initsend(pvm.PvmDataInPlace)
    assert pvm.pvm_pkint(data, 3, 1) == 0
    data[0] = 99
    assert pvm.pvm_send(pvm.pvm_mytid(), 1) == 0
    assert pvm.pvm_recv(-1, 1) > 0
    found = [0, 0, 0]
    assert pvm.pvm_upkint(found, 3, 1) == 0
    assert found == [99, 2, 3]


def test_what_pvmfpack_and_pvmfunpack_print_has_their_names(capfd):
    pvm.pvm_setopt(pvm.PvmAutoErr, 1)
    start()
    assert pvm.pvmfpack(99, [1], 1, 1) == pvm.PvmBadParam
    assert pvm.pvmfpack(pvm.STRING, None, 1, 1) == pvm.PvmBadParam
    pvm.pvm_psend(pvm.pvm_mytid(), 1, np.ones(1), 1, pvm.PVM_DOUBLE)
    assert pvm.pvm_recv(-1, 1) > 0
    assert pvm.pvmfunpack(pvm.INTEGER4, [0], 1, 1) == pvm.PvmMismatch
    pvm.pvm_setopt(pvm.PvmAutoErr, 0)
    printed = [line.split("]: ")[1] for line in capfd.readouterr().err.splitlines()]
    assert printed == [
        "pvmfpack(): Bad parameter",
        "pvm_pkstr(): Bad parameter",
        "pvmfunpack(): Parameter mismatch",
    ]


def test_contiguous_bytes_are_packed_unchanged_and_others_are_refused():
    start()
    data = bytes([255, 1, 128])
    for packed in (data, bytearray(data), memoryview(data), memoryview(data)[:3]):
        assert pvm.pvm_pkbyte(packed, 3, 1) == 0
    for each in (np.uint8(255), np.True_, np.int8(-128)):
        assert pvm.pvm_pkbyte(each, 1, 1) == 0
    assert pvm.pvm_pkbyte(np.bytes_(data), 3, 1) == 0
    for text in (np.array(b"abc"), np.bytes_(b"abc"), np.frombuffer(b"abc", np.uint8)):
        assert pvm.pvm_pkstr(text) == 0
    with pytest.raises(DatatypeError, match="the array is a set; it must be an array of int8"):
        pvm.pvm_pkbyte({1}, 1, 1)
    with pytest.raises(DatatypeError, match="the array has elements of uint8; PVM_INT takes int32"):
        pvm.pvm_pkint(bytearray(4), 1, 1)
    assert pvm.pvm_send(right(), 1) == 0
    assert pvm.pvm_recv(left(), 1) > 0
    received = bytearray(18)
    assert pvm.pvm_upkbyte(received, 18, 1) == 0
    assert received == data * 6
    for _ in range(3):
        texts = []
        assert pvm.pvm_upkstr(texts) == 0
        assert texts == ["abc"]
