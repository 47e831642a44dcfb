"""
Test with many rounds and random delays that every contribution counts exactly once.

``REDCOLL_TEST_ROUNDS=1000`` sets the number of rounds of all tests. By default, tests that wait in
every round make fewer rounds.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from pvm_support import (
    fresh_task,  # noqa: F401
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
    new_group,
)

import redcoll_pvm as pvm

pytestmark = pytest.mark.mpi

MEMBERS = 8
ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "1000"))
MEETINGS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "250"))
TAGS = (3, 4, 5)
BIG = 3000


def plan(turn, members):
    """Return tag, root and length of each call in a round. All tasks get the same values."""
    numbers = random.Random(turn)
    if turn % 2:
        roots = [numbers.randrange(members) for _ in TAGS]
    else:
        # One task is the root for all tags. This task contributes to no other root, so its calls
        # can come first.
        roots = [numbers.randrange(members)] * len(TAGS)
    counts = [BIG if numbers.random() < 0.05 else 2 for _ in TAGS]
    return list(zip(TAGS, roots, counts, strict=True))


def test_several_reductions_outstanding_at_once(delays):
    """Each member makes the calls of a round in an order of its own.

    A member first makes the calls in which it is not the root, because the members
    could deadlock otherwise.
    No member waits for the end of a round. Between calls, members join and leave another group.
    """
    members = min(n_tasks(), MEMBERS)
    group = join_in_order(members)
    other = new_group()
    own = random.Random(f"order {me()}")
    reduced = 0
    if me() < members:
        for turn in range(ROUNDS):
            calls = plan(turn, members)
            own.shuffle(calls)
            calls.sort(key=lambda call: call[1] == me())
            for tag, root, count in calls:
                delays()
                data = np.zeros(count, np.int64)
                data[0] = 1 << (7 * me())
                data[-1] = 10 * turn + tag
                code = pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_LONG, tag, group, root)
                assert code == 0
                if me() == root:
                    # Each member's contributions are counted in seven bits of the sum.
                    once_each = sum(1 << (7 * i) for i in range(members))
                    assert (data[0], data[-1]) == (once_each, members * (10 * turn + tag))
                    assert not data[1:-1].any()
                    reduced += 1
            if own.random() < 0.3:
                come_or_go(other)
        assert reduced == sum(
            root == me() for turn in range(ROUNDS) for _, root, _ in plan(turn, members)
        )
    leave(group)
    pvm.pvm_lvgroup(other)


@pytest.mark.parametrize("comes", ["first", "in the middle", "last"])
def test_the_root_arrives(comes, monkeypatch):
    """The root calls when none, half or all of the other contributions have arrived."""
    members = min(n_tasks(), MEMBERS)
    if members < 3:
        pytest.skip(f"needs 3 PEs, there are {members}")
    group = join_in_order(members)
    inbox, tasks = job().exchange._transport, job().tasks
    before = {"first": 0, "in the middle": (members - 1) // 2, "last": members - 1}[comes]
    wait, waits = tasks.wait, []

    def told(ready, absent, doing, linger=None, **options):
        if linger is None:
            wait(ready, absent, doing, **options)  # for the group server or a message
            return
        # The root is waiting now, so the other members can call.
        assert len(inbox.arrived) == before
        waits.append(doing())
        pvm.pvm_initsend(pvm.PvmDataDefault)
        pvm.pvm_mcast([0x40001 + i for i in range(members)], members, turn)
        wait(ready, absent, doing, linger, **options)

    for turn in range(10 if me() < members else 0):
        root = turn % members
        others = [i for i in range(members) if i != root]
        data = np.array([1 << (7 * me())], np.int64)
        if me() == root:
            while len(inbox.arrived) < before:
                inbox.poll()
            monkeypatch.setattr(tasks, "wait", told)
        elif me() in others[before:]:
            assert pvm.pvm_recv(0x40001 + root, turn) > 0
        code = pvm.pvm_reduce(pvm.PvmSum, data, 1, pvm.PVM_LONG, 9, group, root)
        assert code == 0
        if me() == root:
            monkeypatch.undo()
            assert data[0] == sum(1 << (7 * i) for i in range(members))
            assert len(waits) == (comes != "last")
            waits.clear()
        elif me() in others[:before] and comes != "last":
            assert pvm.pvm_recv(0x40001 + root, turn) > 0
        assert pvm.pvm_barrier(group, members) == 0
    leave(group)


def come_or_go(group):
    tid = pvm.pvm_mytid()
    if pvm.pvm_getinst(group, tid) >= 0:
        assert pvm.pvm_lvgroup(group) == 0
    else:
        instance = pvm.pvm_joingroup(group)
        assert instance >= 0
        assert pvm.pvm_gettid(group, instance) == tid
        assert pvm.pvm_gsize(group) >= 1


def test_a_group_that_changes_between_its_reductions(delays):
    """Each round has other members, and its reduction counts exactly these members."""
    everybody = min(n_tasks(), MEMBERS)
    group, changing = join_in_order(everybody), new_group()
    is_in = False
    compared = 0
    if me() < everybody:
        for turn in range(MEETINGS):
            numbers = random.Random(turn)
            chosen = [i for i in range(everybody) if numbers.random() < 0.6] or [0]
            if is_in != (me() in chosen):
                is_in = not is_in
                delays()
                if is_in:
                    assert pvm.pvm_joingroup(changing) >= 0
                else:
                    assert pvm.pvm_lvgroup(changing) == 0
            delays()
            assert pvm.pvm_barrier(group, everybody) == 0
            assert pvm.pvm_gsize(changing) == len(chosen)
            if is_in:
                root = pvm.pvm_getinst(changing, 0x40001 + numbers.choice(chosen))
                data = np.array([1 << (7 * me())], np.int64)
                code = pvm.pvm_reduce(pvm.PvmSum, data, 1, pvm.PVM_LONG, 1, changing, root)
                assert code == 0
                if pvm.pvm_getinst(changing, pvm.pvm_mytid()) == root:
                    assert data[0] == sum(1 << (7 * i) for i in chosen)
                    compared += 1
            assert pvm.pvm_barrier(group, -1) == 0
        if is_in:
            assert pvm.pvm_lvgroup(changing) == 0
    leave(group)


def test_a_member_leaves_only_after_it_was_counted(delays):
    """Members contribute and leave at once. The root gets all contributions."""
    members = min(n_tasks(), MEMBERS)
    group = join_in_order(members)
    if me() < members:
        for turn in range(MEETINGS):
            delays()
            data = np.array([1 << (7 * me())], np.int64)
            code = pvm.pvm_reduce(pvm.PvmSum, data, 1, pvm.PVM_LONG, turn % 3, group, 0)
            assert code == 0
            if me():
                assert pvm.pvm_lvgroup(group) == 0
                delays()
                assert pvm.pvm_joingroup(group) > 0
            else:
                assert data[0] == sum(1 << (7 * i) for i in range(members))
            wait_for_all(members)
    leave(group)


_meeting: list[str] = []


def wait_for_all(members):
    """Make a barrier in a separate group, because the members of the tested group change."""
    if not _meeting:
        _meeting.append("who_leaves meets here")
        pvm.pvm_joingroup(_meeting[0])
    assert pvm.pvm_barrier(_meeting[0], members) == 0


def test_messages_and_reductions_at_the_same_time(delays):
    members = min(n_tasks(), MEMBERS)
    group = join_in_order(members)
    if me() < members:
        to, source = 0x40001 + (me() + 1) % members, 0x40001 + (me() - 1) % members
        for turn in range(MEETINGS):
            delays()
            size = BIG if turn % 50 == 0 else 3
            values = np.full(size, turn + me() / 16)
            pvm.pvm_initsend(pvm.PvmDataDefault)
            pvm.pvm_pkdouble(values, size, 1)
            assert pvm.pvm_send(to, turn % 5) == 0
            data = np.array([1.0])
            code = pvm.pvm_reduce(
                pvm.PvmSum, data, 1, pvm.PVM_DOUBLE, turn % 5, group, turn % members
            )
            assert code == 0
            assert data[0] == (members if me() == turn % members else 1)
            assert pvm.pvm_recv(source, turn % 5) > 0
            assert pvm.pvm_upkdouble(values, size, 1) == 0
            assert (values == turn + (source - 0x40001) / 16).all()
    leave(group)
