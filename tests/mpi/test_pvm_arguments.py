"""Test arguments of PVM's calls: integers of every type, and rejected values."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pvm_support import (
    fresh_task,  # noqa: F401 - for every test
    join_in_order,
    leave,
    me,
    n_tasks,
    needs,
)

import redcoll_pvm as pvm
from redcoll.errors import ArgumentError

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]

TID = 0x40001
KINDS = [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64]


# -- integers of all types ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_groups_count_with_integers_of_every_kind(kind):
    n = n_tasks()
    group = join_in_order()
    for _ in range(20):
        assert pvm.pvm_barrier(group, kind(n)) == 0
    if np.dtype(kind).kind == "i":
        assert pvm.pvm_barrier(group, kind(-1)) == 0
    assert pvm.pvm_gettid(group, kind(n - 1)) == TID + n - 1
    assert pvm.pvm_getinst(group, np.int32(TID)) == 0
    # A task id does not fit into the small types, so pass 5, which is the id of no task.
    assert pvm.pvm_getinst(group, kind(5)) == pvm.PvmNotInGroup
    assert pvm.pvm_barrier(group, n) == 0
    assert pvm.pvm_freezegroup(group, kind(n)) == n
    assert pvm.pvm_barrier(group, n) == 0
    assert pvm.pvm_lvgroup(group) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_group_calls_take_tags_counts_and_roots_of_every_kind(kind):
    n, count = n_tasks(), 100
    group = join_in_order()
    root = kind(n - 1)
    numbers = (kind(count), kind(pvm.PVM_INT), kind(5), group, root)
    own = np.full(count, me() + 1, np.int32)
    data = own.copy()
    assert pvm.pvm_reduce(pvm.PvmSum, data, *numbers) == 0
    if me() == n - 1:
        assert data.tolist() == [n * (n + 1) // 2] * count
    whole = np.zeros(n * count, np.int32)
    assert pvm.pvm_gather(whole, own, *numbers) == 0
    if me() == n - 1:
        # Here n * count exceeds the maximum of the small types.
        assert whole.tolist() == [i + 1 for i in range(n) for _ in range(count)]
        whole += 10
    assert pvm.pvm_scatter(data, whole, *numbers) == 0
    assert data.tolist() == [me() + 11] * count
    leave(group)


def test_items_and_strides_that_would_wrap():
    """100 items at stride 3 end at index 298, which an unsigned byte cannot hold."""
    values = np.arange(400, dtype=np.int32)
    assert pvm.pvm_initsend(np.uint8(pvm.PvmDataDefault)) > 0
    assert pvm.pvm_pkint(values, np.uint8(100), np.uint8(3)) == 0
    assert pvm.pvm_send(np.int32(pvm.pvm_mytid()), np.int8(3)) == 0
    assert pvm.pvm_send(np.uint16(5), 3) == pvm.PvmBadParam
    bufid = pvm.pvm_recv(np.int64(pvm.pvm_mytid()), np.uint8(3))
    n_bytes = [0]
    assert pvm.pvm_bufinfo(np.int16(bufid), n_bytes, None, None) == 0
    assert n_bytes == [400]
    found = np.full(400, -1, np.int32)
    assert pvm.pvm_upkint(found, np.uint8(100), np.uint8(3)) == 0
    assert found[:298:3].tolist() == list(range(0, 298, 3))
    assert (found[298:] == -1).all()
    assert pvm.pvm_psend(pvm.pvm_mytid(), 4, values, np.uint8(200), np.int8(pvm.PVM_INT)) == 0
    found[:] = -1
    into = (np.int8(-1), np.int8(4), found, np.uint8(200), np.int8(pvm.PVM_INT))
    assert pvm.pvm_precv(*into, None, None, None) == 0
    assert found.tolist() == [*range(200), *[-1] * 200]


def test_options_of_every_kind():
    assert pvm.pvm_setopt(np.int32(pvm.PvmRoute), np.int64(pvm.PvmRouteDirect)) == 2
    assert pvm.pvm_setopt(pvm.PvmRoute, pvm.PvmAllowDirect) == pvm.PvmRouteDirect
    assert pvm.pvm_getopt(np.uint8(pvm.PvmRoute)) == pvm.PvmAllowDirect


# -- values that are no integers ------------------------------------------------------------------

INTS = np.zeros(4, np.int32)
CALLS = {
    # This case must be first: it unpacks a message, which the receive calls below discard.
    "pvm_upkint, nitem": lambda x: pvm.pvm_upkint(INTS, x, 1),
    "pvm_initsend": pvm.pvm_initsend,
    "pvm_send, tid": lambda x: pvm.pvm_send(x, 1),
    "pvm_send, msgtag": lambda x: pvm.pvm_send(TID, x),
    "pvm_mcast, tids": lambda x: pvm.pvm_mcast([TID, x], 2, 1),
    "pvm_mcast, ntask": lambda x: pvm.pvm_mcast([TID], x, 1),
    "pvm_mcast, msgtag": lambda x: pvm.pvm_mcast([TID], 1, x),
    "pvm_bcast, msgtag": lambda x: pvm.pvm_bcast("everybody", x),
    "pvm_recv, tid": lambda x: pvm.pvm_recv(x, 1),
    "pvm_recv, msgtag": lambda x: pvm.pvm_recv(-1, x),
    "pvm_nrecv, msgtag": lambda x: pvm.pvm_nrecv(-1, x),
    "pvm_probe, tid": lambda x: pvm.pvm_probe(x, 1),
    "pvm_bufinfo, bufid": lambda x: pvm.pvm_bufinfo(x, None, None, None),
    "pvm_psend, tid": lambda x: pvm.pvm_psend(x, 1, INTS, 4, pvm.PVM_INT),
    "pvm_psend, len": lambda x: pvm.pvm_psend(TID, 1, INTS, x, pvm.PVM_INT),
    "pvm_psend, datatype": lambda x: pvm.pvm_psend(TID, 1, INTS, 4, x),
    "pvm_precv, len": lambda x: pvm.pvm_precv(-1, 1, INTS, x, pvm.PVM_INT, None, None, None),
    "pvm_pkint, nitem": lambda x: pvm.pvm_pkint(INTS, x, 1),
    "pvm_pkint, stride": lambda x: pvm.pvm_pkint(INTS, 2, x),
    "pvmfpack, what": lambda x: pvm.pvmfpack(x, INTS, 1, 1),
    "pvmfsiblings, index": lambda x: pvm.pvmfsiblings(None, x),
    "pvm_getinst": lambda x: pvm.pvm_getinst("everybody", x),
    "pvm_gettid": lambda x: pvm.pvm_gettid("everybody", x),
    "pvm_barrier": lambda x: pvm.pvm_barrier("everybody", x),
    "pvm_freezegroup": lambda x: pvm.pvm_freezegroup("everybody", x),
    "pvm_spawn": lambda x: pvm.pvm_spawn("any", None, 0, None, x, None),
    "pvm_setopt, what": lambda x: pvm.pvm_setopt(x, 1),
    "pvm_setopt, val": lambda x: pvm.pvm_setopt(pvm.PvmAutoErr, x),
    "pvm_getopt": pvm.pvm_getopt,
    "pvm_reduce, msgtag": lambda x: pvm.pvm_reduce(
        pvm.PvmSum, INTS, 4, pvm.PVM_INT, x, "everybody", 0
    ),
    "pvm_gather, rootginst": lambda x: pvm.pvm_gather(
        INTS, INTS, 1, pvm.PVM_INT, 1, "everybody", x
    ),
    "pvm_scatter, msgtag": lambda x: pvm.pvm_scatter(INTS, INTS, 1, pvm.PVM_INT, x, "everybody", 0),
    "PvmSum, num": lambda x: pvm.PvmSum(pvm.PVM_INT, INTS, INTS, x, None),
}


@pytest.mark.parametrize("value", [2.0, 1.5, "1", None], ids=repr)
def test_an_argument_that_is_not_an_integer_raises_on_the_caller_only(value, gather):
    """The call raises on the caller only, and the other group members continue."""
    if pvm.pvm_getinst("everybody", pvm.pvm_mytid()) < 0:
        assert pvm.pvm_joingroup("everybody") >= 0
        assert pvm.pvm_barrier("everybody", n_tasks()) == 0
    pvm.pvm_initsend(pvm.PvmDataDefault)
    pvm.pvm_pkint(INTS, 4, 1)
    pvm.pvm_send(pvm.pvm_mytid(), 99)
    assert pvm.pvm_recv(-1, 99) > 0
    for name, call in CALLS.items() if me() == n_tasks() - 1 else ():
        words = name.replace(",", "").split()
        with pytest.raises(ArgumentError) as raised:
            pytest.fail(f"{name}: {call(value)}")
        assert str(raised.value).endswith(f" is {value!r}; it must be an integer"), name
        if len(words) == 2 and words[1] != "tids":
            assert str(raised.value).startswith(f"{words[1]} is"), name
    gather("all have been refused")
    assert pvm.pvm_barrier("everybody", n_tasks()) == 0
    assert pvm.pvm_getopt(pvm.PvmAutoErr) == 0
    leave("everybody")


@pytest.mark.parametrize("name", ["g\udc80", "\ud800" * 9, 5, b"group", ["g"]], ids=repr)
def test_wrong_group_names_are_refused(name, gather):
    def reduce(name):
        return pvm.pvmfreduce(pvm.pvmsum, INTS, 4, pvm.INTEGER4, 1, name, 0)

    for call in (pvm.pvm_joingroup, pvm.pvm_gsize, pvm.pvm_lvgroup, reduce):
        if me() == n_tasks() - 1:
            with pytest.raises(ArgumentError, match=f"group is {re.escape(repr(name))}; it must"):
                call(name)
    gather("all names have been refused")
    group = join_in_order()
    leave(group)


@pytest.mark.parametrize("wrong", [(3.0, pvm.PVM_DOUBLE), (3, float(pvm.PVM_DOUBLE))])
def test_a_contribution_with_a_wrong_count_or_type_fails_at_the_root(wrong):
    needs(2)
    group = join_in_order(2)
    if me() < 2:
        data = np.full(3, [100.0, 50.0][me()])
        if me() == 1:
            with pytest.raises(ArgumentError, match="must be an integer"):
                pvm.pvm_reduce(pvm.PvmSum, data, *wrong, 1, group, 0)
        else:
            code = pvm.pvm_reduce(pvm.PvmSum, data, 3, pvm.PVM_DOUBLE, 1, group, 0)
            assert code == pvm.PvmMismatch
        assert pvm.pvm_reduce(pvm.PvmSum, data, 3, pvm.PVM_DOUBLE, 1, group, 0) == 0
        assert data.tolist() == [[150.0] * 3, [50.0] * 3][me()]
    leave(group)
