"""Test groups, tasks and barriers of PVM, and the lock of the group table."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import pytest
from mpi4py import MPI
from pvm_support import (
    await_size,
    await_waiting,
    fresh_task,  # noqa: F401
    group_table,
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
    needs,
    new_group,
)

import redcoll_pvm as pvm
from redcoll.errors import ArgumentError, CollectiveTimeoutError, PeerLostError
from redcoll.liveness.peers import LEFT
from redcoll.memory.shared_window import SharedWindow
from redcoll_pvm import _settings
from redcoll_pvm.runtime.group_table import NAME_BYTES

pytestmark = pytest.mark.mpi


# -- tasks ----------------------------------------------------------------------------------------


def test_tasks_have_ids_a_parent_and_siblings():
    assert pvm.pvm_mytid() == 0x40001 + me()
    assert pvm.pvm_parent() == (0x40001 if me() else pvm.PvmNoParent)
    tids = []
    assert pvm.pvm_siblings(tids) == n_tasks()
    assert tids == [0x40001 + i for i in range(n_tasks())]
    with pytest.raises(ArgumentError, match=f"has 0 elements; it must have at least {n_tasks()}"):
        pvm.pvm_siblings(np.zeros(0, np.int32))


def test_spawn_hands_every_other_task_out_once(gather):
    if me() == 0:
        table = group_table()
        for task in range(n_tasks()):
            table.words[table._line(task) + 1] = 0
        assert pvm.pvm_spawn("any", None, 0, "", 0, []) == pvm.PvmBadParam
        others = n_tasks() - 1
        for wrong in (np.zeros(1, np.int32), (0, 0)):
            with pytest.raises((ArgumentError, TypeError)):
                pvm.pvm_spawn("any", None, 0, "", 2, wrong)
        if others:
            first = [0]
            assert pvm.pvm_spawn("any", None, 0, "", 1, first) == 1
            assert first == [0x40002]
        rest = [0] * (others + 1)
        left = max(others - 1, 0)
        code = pvm.pvm_spawn("any", ["x"], pvm.PvmTaskDefault, None, others + 1, rest)
        assert code == (left or pvm.PvmOutOfRes)
        assert rest == [0x40003 + i for i in range(left)] + [pvm.PvmOutOfRes] * (others + 1 - left)
        if not left:
            assert pvm.pvm_errno == pvm.PvmOutOfRes
    gather("spawned")
    deadline = time.monotonic() + 20
    while me() and job().store.claimer() is None:
        assert time.monotonic() < deadline  # on other nodes a message notifies the task
    assert job().store.claimer() == (0 if me() else None)


def test_options(capfd):
    assert pvm.pvm_setopt(pvm.PvmAutoErr, 1) == 0
    assert pvm.pvm_getopt(pvm.PvmAutoErr) == 1
    assert pvm.pvm_setopt(pvm.PvmRoute, pvm.PvmRouteDirect) == pvm.PvmAllowDirect
    assert pvm.pvm_setopt(pvm.PvmRoute, pvm.PvmAllowDirect) == pvm.PvmRouteDirect
    assert pvm.pvm_setopt(99, 1) == pvm.PvmBadParam
    tid = pvm.pvm_mytid()
    assert capfd.readouterr().err == f"libpvm [t{tid:x}]: pvm_setopt(): Bad parameter\n"
    assert pvm.pvm_gsize("no such group") == pvm.PvmNoGroup
    assert capfd.readouterr().err == "", "calls on groups print nothing"
    assert pvm.pvm_perror("here") == 0
    assert capfd.readouterr().err == f"libpvm [t{tid:x}]: here: No such group\n"
    assert pvm.pvm_setopt(pvm.PvmAutoErr, 4) == pvm.PvmBadParam
    assert pvm.pvm_setopt(pvm.PvmAutoErr, 2) == 1
    with pytest.raises(SystemExit):
        pvm.pvm_send(0x40001, -1)
    assert pvm.pvm_setopt(pvm.PvmAutoErr, 0) == 2


# -- groups ---------------------------------------------------------------------------------------


def test_instances_are_the_lowest_free_ones(gather):
    needs(4)
    group = join_in_order(3)
    if me() == 1:
        assert pvm.pvm_lvgroup(group) == 0
    gather("one has left")
    if me() == 3:
        assert pvm.pvm_joingroup(group) == 1
    gather("another has come")
    if me() == 1:
        assert pvm.pvm_joingroup(group) == 3
    gather("it has come back")
    assert [pvm.pvm_gettid(group, i) - 0x40001 for i in range(4)] == [0, 3, 2, 1]
    assert pvm.pvm_getinst(group, 0x40001 + 3) == 1
    assert pvm.pvm_gsize(group) == 4
    assert pvm.pvm_gettid(group, 4) == pvm.PvmNoInst
    assert pvm.pvm_getinst(group, -1) == pvm.PvmNotInGroup
    assert pvm.pvm_getinst(group, 0x40001 + n_tasks()) == pvm.PvmNotInGroup
    gather("all have asked")
    leave(group)


def test_names():
    own = new_group() + f" of {me()}"
    for name in ("Größe " + own, "x" * (NAME_BYTES - len(own)) + own):
        assert pvm.pvm_joingroup(name) == 0
        assert pvm.pvm_joingroup(name) == pvm.PvmDupGroup
        assert pvm.pvm_gsize(name) == 1
        assert pvm.pvm_gsize(name + " ") in (pvm.PvmNoGroup, pvm.PvmBadParam)
        assert pvm.pvm_lvgroup(name) == 0
        assert pvm.pvm_gsize(name) == pvm.PvmNoGroup
    assert pvm.pvm_joingroup("ä" * NAME_BYTES) == pvm.PvmBadParam
    assert pvm.pvm_errno == pvm.PvmBadParam


def test_groups_begin_and_end_and_their_records_are_reused(gather):
    prefix = new_group()
    for turn in range(400):
        name = f"{prefix} {me()} {turn}"
        assert pvm.pvm_joingroup(name) == 0
        assert pvm.pvm_lvgroup(name) == 0
    gather("done")
    table = group_table()
    if table is not None:
        assert len(table._all()) <= 3 * n_tasks() + 3
        assert table._most == 256


def test_more_groups_than_the_table_can_hold(gather):
    names = [f"{new_group()} {number}" for number in range(_settings.MAX_GROUPS.get())]
    if me() == 0:
        codes = [pvm.pvm_joingroup(name) for name in names]
        assert codes == [0] * len(names)
        assert pvm.pvm_joingroup("one more") == pvm.PvmOutOfRes
        for name in names:
            assert pvm.pvm_lvgroup(name) == 0
        assert pvm.pvm_joingroup("one more") == 0
        assert pvm.pvm_lvgroup("one more") == 0
    gather("done")


def test_no_task_can_join_a_frozen_group(gather):
    needs(3)
    group = join_in_order(2)
    if me() < 2:
        assert pvm.pvm_freezegroup(group, 2) == 2
        assert pvm.pvm_joingroup(group) == pvm.PvmDupGroup
    gather("frozen")
    if me() == 2:
        assert pvm.pvm_joingroup(group) == pvm.PvmNotInGroup
        assert pvm.pvm_gsize(group) == 2
    gather("refused")
    if me() < 2:
        assert pvm.pvm_lvgroup(group) == 0
    gather("ended")
    if me() == 2:
        assert pvm.pvm_joingroup(group) == 0
        assert pvm.pvm_barrier(group, -1) == 0
        assert pvm.pvm_lvgroup(group) == 0


# -- barrier --------------------------------------------------------------------------------------


def test_no_task_passes_a_barrier_early(delays):
    members = min(n_tasks(), 8)
    group = join_in_order(members)
    near = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    n_near = near.size
    if n_near < n_tasks():
        near.Free()
        pytest.skip(f"needs memory that all {n_tasks()} tasks share; {n_near} do")
    window = SharedWindow(near, 64, "turns of the tasks")
    words = window.words
    lines = [8 * i for i in range(n_tasks())]
    if me() < members:
        own = lines[me()]
        for turn in range(1, 201):
            delays()
            words[own] = turn
            assert pvm.pvm_barrier(group, members if turn % 2 else -1) == 0
            assert all(words[lines[i]] >= turn for i in range(members))
            assert pvm.pvm_barrier(group, -1) == 0
    leave(group)


def test_a_wrong_count_is_refused_and_the_others_wait_on():
    needs(2)
    group = join_in_order(2)
    if me() == 1:
        await_waiting(0)
        for count in (3, 1, 0, -2, 2**40):
            assert pvm.pvm_barrier(group, count) == pvm.PvmMismatch
    if me() < 2:
        assert pvm.pvm_barrier(group, 2) == 0
    leave(group)


def test_an_interrupted_barrier_does_not_count_the_caller():
    needs(2)
    group = join_in_order(2)
    if me() == 0:
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.2
        with pytest.raises(CollectiveTimeoutError, match=r"barrier of group .*: PE 1\b.* did not"):
            pvm.pvm_barrier(group, 2)
        watch.timeout_s = before
        pvm.pvm_initsend(pvm.PvmDataDefault)
        pvm.pvm_send(0x40002, 1)
    elif me() == 1:
        pvm.pvm_recv(0x40001, 1)
    if me() < 2:
        assert pvm.pvm_barrier(group, 2) == 0
    leave(group)


@pytest.mark.one_node
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_member_that_is_being_counted_is_not_reported_lost(when, monkeypatch):
    """A task pauses before or after it is counted, for longer than the others' polling interval."""
    needs(2)
    group = join_in_order()
    table = group_table()
    compare_swap = table._compare_swap

    def slow(*words):
        if when == "before":
            time.sleep(0.4)
        found = compare_swap(*words)
        if when == "after":
            time.sleep(0.4)
        return found

    if me() == 1:
        monkeypatch.setattr(table, "_compare_swap", slow)
    assert pvm.pvm_barrier(group, n_tasks()) == 0
    monkeypatch.undo()
    leave(group)


def test_a_barrier_for_too_many_tasks_fails(gather):
    group = join_in_order()
    assert pvm.pvm_barrier(group, n_tasks() + 1) == pvm.PvmNotInGroup
    gather("all were told")
    leave(group)


@pytest.mark.one_node
def test_a_barrier_completes_when_a_new_task_replaces_a_member_that_has_left(gather):
    needs(3)
    group = join_in_order(2)
    table = group_table()
    if me() == 1:
        table.words[table._line(1)] = LEFT
    gather("one has left the job")
    if me() == 0:
        assert pvm.pvm_barrier(group, 2) == 0
    elif me() == 2:
        await_waiting(0)
        time.sleep(0.3)
        assert pvm.pvm_joingroup(group) >= 1
        assert pvm.pvm_barrier(group, 2) == 0
    gather("met")
    if me() == 1:
        table.words[table._line(1)] = 0
    gather("it is back, for the next test")
    leave(group)


# -- a task that exits, or is interrupted, while it holds the lock ---------------------------------


@pytest.mark.one_node
def test_a_task_that_exits_with_the_lock_is_named(gather):
    needs(2)
    table, group = group_table(), new_group()
    if me() == 1:
        held = table._locked()
        held.__enter__()
        table.words[table._line(1)] = LEFT
    gather("its holder has gone")
    if me() == 0:
        with pytest.raises(
            PeerLostError, match=r"lock of the group table: PE 1\b.* has left the job"
        ):
            job().store.join(group)
    gather("it has been named")
    if me() == 1:
        table.words[table._line(1)] = 0
        held.__exit__(None, None, None)
    gather("it is back, for the next test")
    if me() == 0:
        assert pvm.pvm_joingroup(group) == 0
        assert pvm.pvm_lvgroup(group) == 0


@pytest.mark.one_node
def test_an_interrupted_change_does_not_stop_the_same_task():
    group = new_group() + f" of {me()}"
    assert pvm.pvm_joingroup(group) == 0
    table = group_table()
    held = table._locked()
    held.__enter__()
    table._begin_change(table._find(group))
    # The interrupt occurs at this point, so __exit__ does not run.
    assert pvm.pvm_gsize(group) == 1
    assert pvm.pvm_lvgroup(group) == 0
    with contextlib.suppress(StopIteration):
        held.__exit__(None, None, None)


@pytest.mark.one_node
def test_a_change_that_an_exception_ends_does_not_block_others(gather, monkeypatch):
    group = join_in_order()
    last = n_tasks() - 1
    if me() == last:
        table = group_table()
        begin = table._begin_change

        def interrupted(record):
            begin(record)
            raise KeyboardInterrupt

        monkeypatch.setattr(table, "_begin_change", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pvm.pvm_lvgroup(group)
        monkeypatch.undo()
    gather("interrupted")
    assert pvm.pvm_gsize(group) == n_tasks()
    leave(group)


@pytest.mark.parametrize("error", [KeyboardInterrupt, CollectiveTimeoutError])
def test_an_interrupt_just_as_a_barrier_ends_is_not_lost(error, monkeypatch):
    needs(2)
    group = join_in_order(2)
    if me() == 0:
        await_change = job().tasks.wait

        def wait(ready, absent, doing, linger=None):
            if linger is None:
                await_change(ready, absent, doing)  # this wait is for a reply of the group server
                return
            while not ready():
                time.sleep(0)
            raise error

        monkeypatch.setattr(job().tasks, "wait", wait)
        # If this task loses its core in its first spin, the barrier may end in this spin.
        monkeypatch.setattr(job().store, "spin_for", lambda *_: False)
        if error is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                pvm.pvm_barrier(group, 2)
        else:
            assert pvm.pvm_barrier(group, 2) == 0, "the barrier is complete"
        monkeypatch.undo()
    elif me() == 1:
        await_waiting(0)
        assert pvm.pvm_barrier(group, 2) == 0
    leave(group)


def test_gsize_finds_a_group_while_members_join_and_leave(gather):
    """Two tasks alternate in the group: each task leaves when the other task has joined."""
    needs(3)
    group, turns = join_in_order(1), 100
    gather("there is one")
    other = 0x40001 + 1 - me()
    for turn in range(1, turns + 1):
        if me() == turn % 2:
            assert pvm.pvm_joingroup(group) >= 0
            pvm.pvm_initsend(pvm.PvmDataDefault)
            pvm.pvm_send(other, turn)
        elif me() == 1 - turn % 2:
            assert pvm.pvm_recv(other, turn) > 0
            assert pvm.pvm_lvgroup(group) == 0
        elif me() == 2:
            for _ in range(20):
                assert pvm.pvm_gsize(group) in (1, 2)
    gather("looked")
    leave(group)


def test_a_membership_ends_after_its_contributions_were_released():
    """A member releases the contributions of other tasks before its membership ends.

    Senders themselves free contributions that arrive later.
    """
    group = new_group() + f" of {me()}"
    assert pvm.pvm_joingroup(group) == 0
    sizes = []
    callbacks = job().store.leave_callbacks
    callbacks.append(lambda incarnation: sizes.append((incarnation, pvm.pvm_gsize(group))))
    incarnation = job().store.snapshot(group).require_own().incarnation
    assert pvm.pvm_lvgroup(group) == 0
    callbacks.pop()
    assert sizes == [(incarnation, 1)]
    assert pvm.pvm_gsize(group) == pvm.PvmNoGroup


@pytest.mark.one_node
def test_no_task_joins_between_the_last_call_and_the_freeze(gather, monkeypatch):
    needs(3)
    group = join_in_order(2)
    table = group_table()
    arrive = table._arrive

    def slow_arrive(*arguments):
        generation, is_last = arrive(*arguments)
        if is_last:
            pvm.pvm_initsend(pvm.PvmDataDefault)
            pvm.pvm_send(0x40003, 1)
            time.sleep(0.2)
        return generation, is_last

    if me() < 2:
        monkeypatch.setattr(table, "_arrive", slow_arrive)
        assert pvm.pvm_freezegroup(group, 2) == 2
        assert pvm.pvm_freezegroup(group, 2) == pvm.PvmDupGroup
        monkeypatch.undo()
    elif me() == 2:
        pvm.pvm_recv(-1, 1)
        assert pvm.pvm_joingroup(group) == pvm.PvmNotInGroup
    gather("frozen")
    assert pvm.pvm_gsize(group) == 2
    gather("looked")
    if me() < 2:
        assert pvm.pvm_lvgroup(group) == 0


# -- stress ---------------------------------------------------------------------------------------


def test_joins_and_leaves_keep_the_table_right(delays, gather):
    """Instances are unique and lower than the number of PEs. Every member finds its own entry."""
    names = [new_group() for _ in range(3)]
    joined = {}
    for turn in range(300):
        delays()
        name = names[(turn * 7 + me()) % 3]
        if name in joined:
            assert pvm.pvm_getinst(name, pvm.pvm_mytid()) == joined[name]
            assert pvm.pvm_gettid(name, joined[name]) == pvm.pvm_mytid()
            assert pvm.pvm_lvgroup(name) == 0
            del joined[name]
        else:
            joined[name] = pvm.pvm_joingroup(name)
            assert 0 <= joined[name] < n_tasks()
            assert 1 <= pvm.pvm_gsize(name) <= n_tasks()
        view = job().store.snapshot(name) if joined.get(name) is not None else None
        if view is not None:
            pes = [member.task for member in view.members]
            assert len(set(pes)) == len(pes)
            assert me() in pes
    told = gather(" ".join(f"{names.index(n)}:{i}" for n, i in joined.items()))
    for at, name in enumerate(names):
        instances = [
            int(word.split(":")[1])
            for text in told
            for word in text.split()
            if word.startswith(f"{at}:")
        ]
        assert len(set(instances)) == len(instances)
        assert max(pvm.pvm_gsize(name), 0) == len(instances)
    gather("looked")
    for name in joined:
        assert pvm.pvm_lvgroup(name) == 0
    await_none(names)


def await_none(names):
    deadline = time.monotonic() + 10
    while any(pvm.pvm_gsize(name) != pvm.PvmNoGroup for name in names):
        assert time.monotonic() < deadline
        time.sleep(0)


def test_a_poller_sees_a_group_grow(gather):
    group = new_group()
    for newcomer in range(n_tasks()):
        if me() == newcomer:
            assert pvm.pvm_joingroup(group) == newcomer
        await_size(group, newcomer + 1)
    gather("all are in")
    assert pvm.pvm_gsize(group) == n_tasks()
    gather("looked")
    assert pvm.pvm_lvgroup(group) == 0
