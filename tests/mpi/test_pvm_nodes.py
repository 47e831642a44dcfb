"""Test PVM's groups on several nodes, where tasks do not share memory."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI
from pvm_support import (
    fresh_task,  # noqa: F401 - for every test
    is_far,
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
    new_group,
)

import redcoll_pvm as pvm

pytestmark = pytest.mark.mpi(min_size=3)


def test_the_first_task_computes_while_the_others_use_their_groups(gather, tmp_path):
    """The first task makes no call of PVM until the other tasks have finished."""
    if is_far() and MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("MPI lets one thread call it: the first task answers in its own calls")
    path = Path(gather(str(tmp_path / "done"))[0])
    everybody, others = join_in_order(), new_group()
    if me() == 0:
        deadline, turns = time.monotonic() + 60, 0
        while not path.exists():
            turns += 1
            assert time.monotonic() < deadline, "the others are waiting for this task"
        assert turns
    else:
        for _ in range(10):
            assert pvm.pvm_joingroup(others) >= 0
            assert pvm.pvm_barrier(others, n_tasks() - 1) == 0
            assert pvm.pvm_gsize(everybody) == n_tasks()
            data = np.ones(3)
            assert pvm.pvm_reduce(pvm.PvmSum, data, 3, pvm.PVM_DOUBLE, 1, others, 0) == 0
            if pvm.pvm_getinst(others, pvm.pvm_mytid()) == 0:
                assert data.tolist() == [n_tasks() - 1] * 3
            assert pvm.pvm_barrier(others, -1) == 0
            assert pvm.pvm_lvgroup(others) == 0
            # All tasks must have left before a task joins again.
            pvm.pvm_initsend(pvm.PvmDataDefault)
            tids = [0x40001 + i for i in range(1, n_tasks()) if i != me()]
            assert pvm.pvm_mcast(tids, len(tids), 1) == 0
            for tid in tids:
                assert pvm.pvm_recv(tid, 1) > 0
        if me() == 1:
            path.touch()
    leave(everybody)


def test_contributions_that_arrive_while_a_member_leaves_are_dropped(monkeypatch, gather):
    """If the recipient kept the contributions, the sender could not reuse their slots."""
    if not is_far():
        pytest.skip("one node: nothing arrives while a parcel is released")
    group = join_in_order(2)
    inbox = outbox = job().exchange._transport

    def give():
        assert pvm.pvm_reduce(pvm.PvmSum, np.ones(1), 1, pvm.PVM_DOUBLE, 1, group, 0) == 0

    if me() == 1:
        give()
    gather("one has been handed over")
    release, released = inbox.release, []

    def slow_release(parcel):
        released.append(parcel)
        if len(released) == 1:
            gather("it is being released")
            gather("another one has been handed over")
            while inbox.received[1] == received:
                inbox.poll()
        release(parcel)

    if me() == 0:
        while not inbox.arrived:
            inbox.poll()
        received = inbox.received[1]
        monkeypatch.setattr(inbox, "release", slow_release)
        assert pvm.pvm_lvgroup(group) == 0
        monkeypatch.undo()
        assert len(released) == 2
        assert not inbox.arrived
    else:
        gather("it is being released")
        if me() == 1:
            give()
        gather("another one has been handed over")
    gather("all has been released")
    if me() == 1:
        deadline = time.monotonic() + 60
        while outbox._sent:
            inbox.poll()
            assert time.monotonic() < deadline
        assert pvm.pvm_lvgroup(group) == 0


@pytest.mark.parametrize("count", [1, 50_000])
def test_contributions_of_members_that_left_afterwards_count(count):
    """A task contributes, leaves, and notifies another task, which then notifies the root."""
    group = join_in_order(3)
    for turn in range(20 if me() < 3 else 0):
        data = np.full(count, 10.0 ** me())
        if me() == 2:
            assert pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_DOUBLE, 1, group, 0) == 0
            assert pvm.pvm_lvgroup(group) == 0
            pvm.pvm_initsend(pvm.PvmDataDefault)
            assert pvm.pvm_send(0x40002, turn) == 0
            assert pvm.pvm_recv(0x40001, turn) > 0
            assert pvm.pvm_joingroup(group) == 2
            assert pvm.pvm_send(0x40001, turn) == 0
        elif me() == 1:
            assert pvm.pvm_recv(0x40003, turn) > 0
            pvm.pvm_initsend(pvm.PvmDataDefault)
            assert pvm.pvm_send(0x40001, turn) == 0
            assert pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_DOUBLE, 1, group, 0) == 0
        else:
            assert pvm.pvm_recv(0x40002, turn) > 0
            assert pvm.pvm_gsize(group) == 2
            assert pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_DOUBLE, 1, group, 0) == 0
            assert (data == 111.0).all(), (turn, data)
            pvm.pvm_initsend(pvm.PvmDataDefault)
            assert pvm.pvm_send(0x40003, turn) == 0
            assert pvm.pvm_recv(0x40003, turn) > 0
    if me() < 3:
        # Do not pass -1, which means the current number of members. The barrier must also count
        # a task that has not joined again yet.
        assert pvm.pvm_barrier(group, 3) == 0
    leave(group)


@pytest.mark.parametrize(
    ("request_", "error"),
    [(("claim", 1.5), TypeError), (("no such",), KeyError), (("read", "\udc80", None), ValueError)],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_request_that_fails_on_the_group_server_raises_at_the_caller_only(
    request_, error, gather
):
    if not is_far():
        pytest.skip("the tasks are on one node: nobody answers")
    group = join_in_order()
    if me() == 1:
        with pytest.raises(error):
            job().store._call(*request_)
    gather("it has failed")
    assert pvm.pvm_gsize(group) == n_tasks()
    leave(group)


def test_an_interrupted_request_is_undone(monkeypatch, gather):
    if not is_far():
        pytest.skip("the tasks are on one node: nobody answers")
    group = join_in_order(1)
    tasks = job().tasks
    gather("there is one")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "wait", interrupted)
        if me():
            with pytest.raises(KeyboardInterrupt):
                pvm.pvm_joingroup(group)
    # The server answers a task's requests in order. So this answer shows that the interrupted
    # request has been withdrawn.
    assert (pvm.pvm_getinst(group, pvm.pvm_mytid()) >= 0) == (me() == 0)
    gather("nobody else has joined")
    assert pvm.pvm_gsize(group) == 1
    gather("looked")
    if me() == 1:
        assert pvm.pvm_joingroup(group) == 1
        view = job().store.snapshot(group)
        with monkeypatch.context() as patch:
            patch.setattr(tasks, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt):
                job().barrier.barrier(view, 2)
        assert pvm.pvm_gsize(group) == 2
        # If the server still counted the interrupted task, the barrier would be complete here.
        pvm.pvm_initsend(pvm.PvmDataDefault)
        assert pvm.pvm_send(0x40001, 1) == 0
        assert pvm.pvm_recv(0x40001, 1) > 0
        assert pvm.pvm_barrier(group, 2) == 0
    elif me() == 0:
        assert pvm.pvm_recv(0x40002, 1) > 0
        pvm.pvm_initsend(pvm.PvmDataDefault)
        assert pvm.pvm_send(0x40002, 1) == 0
        assert pvm.pvm_barrier(group, 2) == 0
    leave(group)


def test_an_interrupt_before_the_request_changes_nothing(monkeypatch, gather):
    """The task has sent no request, so it has nothing to withdraw."""
    if not is_far():
        pytest.skip("the tasks are on one node: nobody answers")
    group, other = join_in_order(), new_group()
    store = job().store
    send = store._send

    def interrupted(request):
        if request[1] == "join":
            raise KeyboardInterrupt
        send(request)

    with monkeypatch.context() as patch:
        patch.setattr(store, "_send", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pvm.pvm_joingroup(other)
    assert pvm.pvm_getinst(group, pvm.pvm_mytid()) == me()
    gather("all have looked")
    assert pvm.pvm_gsize(group) == n_tasks()
    assert pvm.pvm_gsize(other) == pvm.PvmNoGroup
    leave(group)


def test_an_interrupt_in_a_second_join_keeps_the_membership(monkeypatch, gather):
    """The interrupted call has no effect, because the task was a member already."""
    if not is_far():
        pytest.skip("the tasks are on one node: nobody answers")
    group = join_in_order()

    def interrupted(*_):
        raise KeyboardInterrupt

    gather("all are there")
    if me():
        with monkeypatch.context() as patch:
            patch.setattr(job().tasks, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt):
                pvm.pvm_joingroup(group)
        assert pvm.pvm_joingroup(group) == pvm.PvmDupGroup
        assert pvm.pvm_getinst(group, pvm.pvm_mytid()) == me()
    gather("all have tried")
    assert pvm.pvm_gsize(group) == n_tasks()
    leave(group)
