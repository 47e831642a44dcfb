"""Test the results, the order and the error codes of pvm_reduce, pvm_gather and pvm_scatter."""

from __future__ import annotations

import array
import re
import time

import numpy as np
import pytest
from pvm_support import (
    DTYPES,
    await_size,
    fresh_task,  # noqa: F401
    is_far,
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
    needs,
    new_group,
)

import redcoll_pvm as pvm
from redcoll.errors import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    PeerLostError,
)
from redcoll_pvm._calls import REDUCE, subject_of
from redcoll_pvm.runtime import transport
from redcoll_pvm.runtime.rooted_exchange import endpoint_to

pytestmark = pytest.mark.mpi

REDUCIBLE = ["PVM_BYTE", "PVM_SHORT", "PVM_INT", "PVM_LONG", "PVM_FLOAT", "PVM_DOUBLE",
             "PVM_CPLX", "PVM_DCPLX"]  # fmt: skip


def shift10(datatype, x, y, num, info):
    """Combine two numbers so that the digits show the order: 1, 2 and 3 give 123."""
    x[:] = 10 * x + y


def reduce_int(group, values, root, tag=1, func=pvm.PvmSum):
    """Reduce an array of PVM_INT; return the code and the array."""
    data = np.array(values, np.int32)
    return pvm.pvm_reduce(func, data, len(data), pvm.PVM_INT, tag, group, root), data.tolist()


# -- results --------------------------------------------------------------------------------------


def test_the_illustration_of_three_members():
    needs(3)
    group = join_in_order(3)
    if me() < 3:
        values = [[1, 2, 3, 4, 5], [10, 20, 30, 40, 50], [100, 200, 300, 400, 500]][me()]
        code, after = reduce_int(group, values, root=1)
        assert code == 0
        assert after == ([111, 222, 333, 444, 555] if me() == 1 else values)
    leave(group)


def test_every_root_folds_in_the_order_of_the_instances():
    members = min(n_tasks(), 8)
    group = join_in_order(members)
    if me() < members:
        for root in range(members):
            code, after = reduce_int(group, [me() + 1, 2], root, func=shift10)
            assert code == 0
            if me() == root:
                digits = int("".join(str(i + 1) for i in range(members)))
                assert after == [digits, int("2" * members)]
            else:
                assert after == [me() + 1, 2]
    leave(group)


def test_the_order_is_that_of_instances_not_of_ranks():
    members = min(n_tasks(), 8)
    group = join_in_order(members, order=range(members - 1, -1, -1))
    if me() < members:
        instance = pvm.pvm_getinst(group, pvm.pvm_mytid())
        assert instance == members - 1 - me()
        _, after = reduce_int(group, [instance + 1], 0, func=shift10)
        if instance == 0:
            assert after == [int("".join(str(i + 1) for i in range(members)))]
    leave(group)


def test_twelve_members():
    needs(12)
    group = join_in_order(12)
    if me() < 12:
        code, after = reduce_int(group, [me() + 1], 11)
        assert (code, after) == (0, [78] if me() == 11 else [me() + 1])
    leave(group)


def test_holes_in_the_instances_do_not_matter():
    needs(4)
    group = join_in_order(4)
    if me() == 1:
        assert pvm.pvm_lvgroup(group) == 0
    elif me() < 4:
        while pvm.pvm_gsize(group) == 4:
            time.sleep(0)
        code, after = reduce_int(group, [me() + 1], 3, func=shift10)
        assert (code, after) == (0, [134] if me() == 3 else [me() + 1])
    leave(group)


def test_instance_0_may_leave():
    needs(3)
    group = join_in_order(3)
    if me() == 0:
        assert pvm.pvm_lvgroup(group) == 0
    elif me() < 3:
        while pvm.pvm_gsize(group) == 3:
            time.sleep(0)
        code, after = reduce_int(group, [me() + 1], 2, func=shift10)
        assert (code, after) == (0, [23] if me() == 2 else [2])
    leave(group)


@pytest.mark.parametrize("datatype", REDUCIBLE)
@pytest.mark.parametrize("count", [1, 31, 33, 1000, 5000])
def test_counts_around_the_thresholds(datatype, count):
    members = min(n_tasks(), 5)
    group = join_in_order(members)
    if me() < members:
        dtype = np.dtype(DTYPES[datatype])
        rows = [((np.arange(count) * 7 + 3 * i) % 11).astype(dtype) for i in range(members)]
        guarded = np.full(count + 2, 99, dtype)
        data = guarded[1:-1]
        data[:] = rows[me()]
        assert pvm.pvm_reduce(
            pvm.PvmMax, data, count, getattr(pvm, datatype), 5, group, members - 1
        ) == 0  # fmt: skip
        expected = rows[me()]
        if me() == members - 1:
            expected = np.max(np.array(rows), axis=0)
        assert data.tobytes() == expected.tobytes()
        assert guarded[0] == guarded[-1] == 99
    leave(group)


def test_true_64_bit_longs():
    group = join_in_order()
    data = np.array([-1, 2**40, 2**63 - 1], np.int64)
    assert pvm.pvm_reduce(pvm.PvmSum, data, 3, pvm.PVM_LONG, 1, group, 0) == 0
    if me() == 0:
        n = n_tasks()
        wrapped = (n * (2**63 - 1) + 2**63) % 2**64 - 2**63
        assert data.tolist() == [-n, n * 2**40, wrapped]
    leave(group)


def test_only_count_elements_are_combined():
    group = join_in_order()
    data = np.ones(5)
    assert pvm.pvm_reduce(pvm.PvmSum, data, 3, pvm.PVM_DOUBLE, 1, group, 0) == 0
    assert data.tolist() == ([n_tasks()] * 3 + [1, 1] if me() == 0 else [1] * 5)
    leave(group)


def test_what_a_function_sees_and_how_often_it_runs():
    group = join_in_order()
    seen = []

    def func(datatype, x, y, num, info):
        seen.append((datatype, x.dtype, len(x), len(y), num, info.tolist(), x is y))
        info[0] = 7
        x += y

    data = np.full(4, 1.0)
    assert pvm.pvm_reduce(func, data, 4, pvm.PVM_DOUBLE, 1, group, 0) == 0
    once = (pvm.PVM_DOUBLE, np.dtype(float), 4, 4, 4, [0], False)
    assert seen == ([once] * (n_tasks() - 1) if me() == 0 else [])
    if me() == 0:
        assert data.tolist() == [n_tasks()] * 4
    leave(group)


def test_any_buffer_will_do():
    group = join_in_order()
    data = array.array("d", [1, 2])
    assert pvm.pvm_reduce(pvm.PvmSum, data, 2, pvm.PVM_DOUBLE, 1, group, 0) == 0
    if me() == 0:
        assert list(data) == [n_tasks(), 2 * n_tasks()]
    matrix = np.ones((2, 3))
    assert pvm.pvm_reduce(pvm.PvmSum, matrix, 6, pvm.PVM_DOUBLE, 1, group, 0) == 0
    if me() == 0:
        assert (matrix == n_tasks()).all()
    leave(group)


def test_an_exception_in_the_function_is_raised_at_the_root_and_the_next_call_works():
    needs(2)
    group = join_in_order()

    def func(datatype, x, y, num, info):
        raise ZeroDivisionError

    data = np.ones(1)
    if me() == 0:
        with pytest.raises(ZeroDivisionError):
            pvm.pvm_reduce(func, data, 1, pvm.PVM_DOUBLE, 1, group, 0)
    else:
        assert pvm.pvm_reduce(func, data, 1, pvm.PVM_DOUBLE, 1, group, 0) == 0
    code, after = reduce_int(group, [1], 0)
    assert (code, after) == (0, [n_tasks() if me() == 0 else 1])
    leave(group)


# -- calls that pair ------------------------------------------------------------------------------


def test_members_return_before_the_root_has_called(gather):
    needs(2)
    group = join_in_order()
    if me():
        for tag in range(10):
            assert reduce_int(group, [me()], 0, tag=tag)[0] == 0
    gather("all but the root have called")
    if me() == 0:
        for tag in reversed(range(10)):
            code, after = reduce_int(group, [0], 0, tag=tag)
            assert (code, after) == (0, [sum(range(n_tasks()))])
    leave(group)


def test_calls_of_one_tag_match_in_order(gather):
    needs(3)
    group = join_in_order(3)
    if me() == 1:
        reduce_int(group, [10], 0)
        reduce_int(group, [5000], 0)
    gather("instance 1 runs ahead")
    if me() == 2:
        reduce_int(group, [100], 0)
        reduce_int(group, [7000], 0)
    if me() == 0:
        assert reduce_int(group, [1], 0) == (0, [111])
        assert reduce_int(group, [1], 0) == (0, [12001])
    leave(group)


def test_roots_in_different_orders_on_different_members():
    """If members blocked until the root took their contributions, this test would deadlock."""
    members = min(n_tasks(), 8)
    group = join_in_order(members)
    if me() < members:
        for turn in range(members):
            root = (me() + 1 + turn) % members
            code, after = reduce_int(group, [1 << me(), root], root, tag=root)
            assert code == 0
            if me() == root:
                assert after == [2**members - 1, members * root]
    leave(group)


def test_an_ordinary_message_of_the_same_tag_is_left_alone():
    needs(2)
    group = join_in_order(2)
    if me() == 1:
        pvm.pvm_initsend(pvm.PvmDataDefault)
        pvm.pvm_pkint([424242], 1, 1)
        pvm.pvm_send(pvm.pvm_gettid(group, 0), 7)
        reduce_int(group, [10], 0, tag=7)
    elif me() == 0:
        assert reduce_int(group, [1], 0, tag=7) == (0, [11])
        value = [0]
        assert pvm.pvm_recv(-1, 7) > 0
        assert pvm.pvm_upkint(value, 1, 1) == 0
        assert value == [424242]
    leave(group)


def test_a_member_that_leaves_after_contributing_counts(gather):
    needs(3)
    group = join_in_order(3)
    if me() in (1, 2):
        reduce_int(group, [10 ** me()], 0)
    gather("two have contributed")
    if me() == 2:
        assert pvm.pvm_lvgroup(group) == 0
    gather("one has left")
    if me() == 0:
        assert reduce_int(group, [1], 0) == (0, [111])
        # The root gets the contribution of the task that left. The task is no longer a member.
        assert pvm.pvm_gsize(group) == 2
    if me() == 1:
        reduce_int(group, [20], 0)
    if me() == 0:
        assert reduce_int(group, [2], 0) == (0, [22])
    leave(group)


def test_calls_of_a_new_member_match_later_calls_of_the_root(gather):
    needs(2)
    group = new_group()
    if me() == 0:
        pvm.pvm_joingroup(group)
        assert reduce_int(group, [1], 0) == (0, [1])
    gather("the root was alone")
    if me() == 1:
        pvm.pvm_joingroup(group)
        reduce_int(group, [10], 0)
        reduce_int(group, [1000], 0)
    gather("the other has come")
    if me() == 0:
        assert reduce_int(group, [1], 0) == (0, [11])
        assert reduce_int(group, [1], 0) == (0, [1001])
    leave(group)


def test_nothing_is_left_over_for_a_group_of_the_same_name(gather):
    needs(2)
    group = new_group()
    for value in (10, 20):
        if me() == 0:
            assert pvm.pvm_joingroup(group) == 0
        gather("first")
        if me() == 1:
            assert pvm.pvm_joingroup(group) == 1
            reduce_int(group, [value], 0)
            if value == 10:
                pvm.pvm_lvgroup(group)
        gather("second")
        if me() == 0 and value == 10:
            pvm.pvm_lvgroup(group)
        gather("ended")
    if me() == 0:
        assert reduce_int(group, [1], 0) == (0, [21])
    leave(group)


@pytest.mark.parametrize("why", ["a member never comes", "no data"])
def test_a_failed_reduction_drops_contributions_of_members_that_have_left(why, gather):
    needs(3)
    group = join_in_order(3)
    if me() == 1:
        reduce_int(group, [10], 0)
        assert pvm.pvm_lvgroup(group) == 0
    gather("one has contributed and left")
    if me() == 0 and why == "no data":
        code = pvm.pvm_reduce(pvm.PvmSum, None, 1, pvm.PVM_INT, 1, group, 0)
        assert code == pvm.PvmBadParam
    elif me() == 0:
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.2
        with pytest.raises(CollectiveTimeoutError):
            reduce_int(group, [1], 0)
        watch.timeout_s = before
    gather("the root's call has failed")
    if me() == 2:
        reduce_int(group, [100], 0)
        reduce_int(group, [500], 0)
    elif me() == 0:
        assert reduce_int(group, [5], 0) == (0, [505])
    leave(group)


@pytest.mark.parametrize("parts", [1, 3])
def test_gather_takes_nothing_of_a_membership_that_has_ended(parts, gather):
    needs(2)
    group = join_in_order(2)
    own, result = np.array([10 + me()], np.int32), np.zeros(2, np.int32)

    def collect(size):
        code = pvm.pvm_gather(result, own, 1, pvm.PVM_INT, 1, group, 0)
        return code, result[:size].tolist()

    if me() == 1:
        for _ in range(parts):
            assert collect(0) == (0, [])
        pvm.pvm_lvgroup(group)
    gather("one has contributed and left")
    if me() == 0 and parts == 1:
        assert collect(1) == (0, [10])
    gather("the root was alone")
    if me() == 1:
        assert pvm.pvm_joingroup(group) == 1
        own[0] = 22
        assert collect(0) == (0, [])
    gather("the other is back")
    if me() == 0:
        assert collect(2) == (0, [10, 22])
    leave(group)


def test_scatter_takes_nothing_of_a_root_that_has_left(gather):
    needs(2)
    group = join_in_order(2)
    part = np.zeros(1, np.int32)
    for first in (1, 11):
        if me() == 0:
            data = np.array([first, first + 1], np.int32)
            assert pvm.pvm_scatter(part, data, 1, pvm.PVM_INT, 1, group, 0) == 0
            if first == 1:
                pvm.pvm_lvgroup(group)
        gather("given")
        if me() == 1 and first == 1:
            assert pvm.pvm_scatter(part, None, 1, pvm.PVM_INT, 1, group, 0) == pvm.PvmNoInst
        elif me() == 1:
            assert pvm.pvm_scatter(part, None, 1, pvm.PVM_INT, 1, group, 0) == 0
            assert part[0] == 12
        gather("taken")
        if me() == 0 and first == 1:
            assert pvm.pvm_joingroup(group) == 0
        gather("the root is back")
    leave(group)


def test_a_root_that_failed_matches_members_that_left_and_joined_again(gather):
    """The member leaves and joins again, and never contributes to the root's failed call.

    So the member's next contribution belongs to the root's next call.
    """
    needs(2)
    group = join_in_order(2)
    if me() == 0:
        code = pvm.pvm_reduce(pvm.PvmSum, np.ones(1), 0, pvm.PVM_DOUBLE, 1, group, 0)
        assert code == pvm.PvmBadParam
    gather("the root's call has failed")
    if me() == 1:
        assert pvm.pvm_lvgroup(group) == 0
        assert pvm.pvm_joingroup(group) == 1
    gather("the other is back")
    if me() < 2:
        assert reduce_int(group, [me() + 1], 0) == (0, [3] if me() == 0 else [2])
    leave(group)


def test_a_task_in_several_groups():
    needs(2)
    one, other = join_in_order(2), join_in_order(2, order=[1, 0])
    if me() < 2:
        reduce_int(one, [me() + 1], 0, tag=3, func=shift10)
        code, after = reduce_int(other, [me() + 1], 0, tag=3, func=shift10)
        assert (code, after) == (0, [21] if me() == 1 else [1])
    leave(one)
    leave(other)


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", ["more", "fewer", "datatype", "count 0", "no data", "bad datatype", "array"]
)
def test_a_member_with_other_arguments_fails_at_the_root(wrong, capfd):
    needs(2)
    group = join_in_order(2)
    if me() < 2:
        data = np.arange(3, dtype=np.int32)
        count, datatype, code = 3, pvm.PVM_INT, 0
        if me() == 1:
            if wrong in ("more", "fewer"):
                data = np.arange(4 if wrong == "more" else 2, dtype=np.int32)
                count = len(data)
            elif wrong == "datatype":
                data, datatype = data.astype(float), pvm.PVM_DOUBLE
            elif wrong == "count 0":
                count, code = 0, pvm.PvmBadParam
            elif wrong == "no data":
                data, code = None, pvm.PvmBadParam
            elif wrong == "bad datatype":
                datatype, code = pvm.PVM_UINT, pvm.PvmBadParam
            else:
                data, code = data.astype(np.int64), DatatypeError
            if code is DatatypeError:
                with pytest.raises(DatatypeError, match="elements of int64"):
                    pvm.pvm_reduce(pvm.PvmSum, data, count, datatype, 1, group, 0)
            else:
                assert pvm.pvm_reduce(pvm.PvmSum, data, count, datatype, 1, group, 0) == code
        else:
            pvm.pvm_setopt(pvm.PvmAutoErr, 1)
            code = pvm.pvm_reduce(pvm.PvmSum, data, count, datatype, 1, group, 0)
            assert code == pvm.PvmMismatch
            assert pvm.pvm_errno == pvm.PvmMismatch
            assert data.tolist() == [0, 1, 2]
            line = capfd.readouterr().err
            assert line.startswith("libpvm [t40001]: pvm_reduce(): Parameter mismatch (")
            assert re.search(r"instance 1 \(PE 1\b.*\)", line)
        # The next calls match again.
        assert reduce_int(group, [me() + 1], 0) == (0, [3] if me() == 0 else [2])
    leave(group)


def test_later_calls_match_after_a_root_fails_its_checks():
    needs(2)
    group = join_in_order()
    count = 0 if me() == 0 else 2
    data = np.array([1, 2], np.int32)
    code = pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_INT, 1, group, 0)
    assert code == (pvm.PvmBadParam if me() == 0 else 0)
    code, after = reduce_int(group, [me() + 5], 0)
    expected = sum(i + 5 for i in range(n_tasks())) if me() == 0 else me() + 5
    assert (code, after) == (0, [expected])
    leave(group)


def test_later_calls_match_after_all_members_fail_their_checks():
    group = join_in_order()
    data = np.array([1, 2], np.int32)
    for _ in range(3):
        assert pvm.pvm_reduce(pvm.PvmSum, data, 0, pvm.PVM_INT, 1, group, 0) == pvm.PvmBadParam
        assert pvm.pvm_gather(data, None, 1, pvm.PVM_INT, 1, group, 0) == pvm.PvmBadParam
        assert pvm.pvm_scatter(None, data, 1, pvm.PVM_INT, 1, group, 0) == pvm.PvmBadParam
    code, after = reduce_int(group, [1], 0)
    assert (code, after) == (0, [n_tasks() if me() == 0 else 1])
    leave(group)


def test_a_negative_info_reaches_the_root():
    needs(3)
    group = join_in_order(3)
    calls = []

    def func(datatype, x, y, num, info):
        calls.append(num)
        x += y
        info[0] = -77 if len(calls) == 1 else 0

    if me() < 3:
        code, after = reduce_int(group, [10 ** me()], 1, func=func)
        assert code == (-77 if me() == 1 else 0)
        assert len(calls) == (me() == 1)
        if me() == 1:
            assert pvm.pvm_errno == -77
            assert after == [11]
        assert reduce_int(group, [1], 1) == (0, [3] if me() == 1 else [1])
    leave(group)


@pytest.mark.parametrize("func", [pvm.PvmSum, pvm.PvmProduct])
def test_a_type_that_a_function_does_not_take_leaves_the_roots_array_alone(func):
    needs(2)
    group = join_in_order()
    for root in range(n_tasks()):
        data = np.full(3, 10 + me(), np.int8)
        code = pvm.pvm_reduce(func, data, 3, pvm.PVM_BYTE, 1, group, root)
        assert code == (pvm.PvmBadParam if me() == root else 0)
        assert data.tolist() == [10 + me()] * 3
        # The failed call leaves no contribution for the next call.
        assert reduce_int(group, [1], root) == (0, [n_tasks() if me() == root else 1])
    leave(group)


@pytest.mark.parametrize("calls", [1, 2])
def test_a_function_that_fails_before_the_roots_elements_changes_nothing(calls):
    """The root is the third of three members.

    The second call of the function combines the root's elements.
    """
    needs(3)
    group = join_in_order(3)
    count = 0

    def fail(datatype, x, y, num, info):
        nonlocal count
        count += 1
        x[:] = 99
        info[0] = -77 if count == calls else 0

    if me() < 3:
        code, after = reduce_int(group, [me()] * 2, 2, func=fail)
        assert code == (-77 if me() == 2 else 0)
        assert after == ([99, 99] if me() == calls == 2 else [me()] * 2)
    leave(group)


def test_a_member_that_leaves_first_fails_at_the_root(gather, capfd):
    needs(3)
    group = join_in_order(3)
    if me() == 2:
        time.sleep(0.05)
        assert pvm.pvm_lvgroup(group) == 0
    elif me() == 1:
        reduce_int(group, [10], 0)
    elif me() == 0:
        pvm.pvm_setopt(pvm.PvmAutoErr, 1)
        code, after = reduce_int(group, [1], 0)
        # The root expects no contribution if the member left before the root called.
        assert (code, after) in ((pvm.PvmNotInGroup, [1]), (0, [11]))
        if code:
            line = capfd.readouterr().err
            assert re.search(r"instance 2 \(PE 2\b.*\) has left the group", line)
    gather("done")
    if me() == 1:
        reduce_int(group, [20], 0)
    elif me() == 0:
        assert reduce_int(group, [2], 0) == (0, [22])
    leave(group)


def test_a_member_that_left_a_frozen_group_fails_at_the_root(gather):
    needs(2)
    group = join_in_order(2)
    if me() < 2:
        assert pvm.pvm_freezegroup(group, -1) == 2
    gather("frozen")
    if me() == 1:
        assert pvm.pvm_lvgroup(group) == 0
    gather("one has left")
    if me() == 0:
        assert pvm.pvm_gsize(group) == 2
        assert reduce_int(group, [1], 0) == (pvm.PvmNotInGroup, [1])
        assert pvm.pvm_lvgroup(group) == 0


def test_a_failed_root_does_not_wait_for_members_that_left_a_frozen_group(gather):
    needs(3)
    group = join_in_order(3)
    if me() < 3:
        assert pvm.pvm_freezegroup(group, 3) == 3
    if me() == 2:
        assert pvm.pvm_lvgroup(group) == 0
    gather("one has left")
    if me() == 0:
        await_size(group, 3)  # a frozen group still counts the task that left
        code = pvm.pvm_reduce(pvm.PvmSum, np.ones(1), -1, pvm.PVM_DOUBLE, 1, group, 0)
        assert code == pvm.PvmBadParam
    gather("the root has failed")
    if me() == 1:
        assert reduce_int(group, [5], 0) == (0, [5])
    gather("the other has called")
    if me() == 0:
        inbox = job().exchange._transport
        deadline = time.monotonic() + 20
        while inbox._unwanted:
            inbox.poll()
            assert time.monotonic() < deadline, inbox._unwanted
    if me() < 2:
        assert pvm.pvm_lvgroup(group) == 0


def test_the_first_error_of_a_call_is_raised(monkeypatch, gather):
    """The root ends its call with an error, and then cannot ask for the current members."""
    needs(2)
    group = join_in_order(2)
    if me() == 0:
        store = job().store

        def fail(*_):
            monkeypatch.setattr(store, "snapshot", lose)
            raise CollectiveTimeoutError("the first")

        def lose(_):
            raise PeerLostError("the second")

        with monkeypatch.context() as patch:
            patch.setattr(job().exchange, "_wait", fail)
            with pytest.raises(CollectiveTimeoutError, match="the first"):
                reduce_int(group, [1], 0)
        monkeypatch.undo()
    gather("the root has given up")
    if me() == 1:
        assert reduce_int(group, [5], 0) == (0, [5])
        assert reduce_int(group, [10], 0) == (0, [10])
    elif me() == 0:
        assert reduce_int(group, [1], 0) == (0, [11])
    leave(group)


def test_a_task_whose_leave_failed_remains_a_reachable_member(monkeypatch, gather):
    needs(2)
    group = join_in_order(2)
    if me() == 0:

        def fail(*_):
            raise CollectiveTimeoutError("no lock")

        with monkeypatch.context() as patch:
            patch.setattr(job().store, "_leave", fail)
            with pytest.raises(CollectiveTimeoutError, match="no lock"):
                pvm.pvm_lvgroup(group)
    gather("it has failed")
    if me() < 2:
        assert reduce_int(group, [me() + 1], 0) == (0, [[3], [2]][me()])
    leave(group)


def test_a_member_that_never_arrives_is_named_after_the_timeout(gather):
    needs(2)
    group = join_in_order(2)
    if me() == 0:
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.3
        with pytest.raises(
            CollectiveTimeoutError, match=r"pvm_reduce with tag 1 .*PE 1\b.* did not"
        ):
            reduce_int(group, [1], 0)
        watch.timeout_s = before
    gather("the root has given up")
    # The late contribution belongs to the call that has timed out.
    if me() == 1:
        reduce_int(group, [10], 0)
        reduce_int(group, [20], 0)
    elif me() == 0:
        assert reduce_int(group, [2], 0) == (0, [22])
    leave(group)


def test_members_that_name_different_roots_get_nothing_wrong(gather):
    """Each root waits for the contribution of the other root.

    PVM hangs here, or combines at the wrong root.
    """
    needs(2)
    group = join_in_order(2)
    if me() < 2:
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.3
        with pytest.raises(CollectiveTimeoutError):
            reduce_int(group, [1 + 9 * me()], me())
        watch.timeout_s = before
    gather("both have given up")
    if me() < 2:
        pvm.pvm_lvgroup(group)


def test_arrays_that_c_would_take_to_pieces_are_refused_before_anything_is_written():
    group = join_in_order()
    good = np.ones(4, np.int32)
    readonly = good.copy()
    readonly.flags.writeable = False
    for data, error, words in [
        (np.ones(4), DatatypeError, "data has elements of float64; PVM_INT takes int32"),
        (np.ones(8, np.int32)[::2], ArgumentError, "data is not contiguous"),
        (np.ones(3, np.int32), ArgumentError, "data has 3 elements, fewer than the 4"),
        ([1, 2, 3, 4], DatatypeError, "data is a list; it must be an array of int32"),
        *([(readonly, ArgumentError, "data is read-only")] if me() == 0 else []),
    ]:
        with pytest.raises(error, match=words):
            pvm.pvm_reduce(pvm.PvmSum, data, 4, pvm.PVM_INT, me() + 100, group, me())
    with pytest.raises(ArgumentError, match="group is 7; it must be a string"):
        pvm.pvm_reduce(pvm.PvmSum, good, 4, pvm.PVM_INT, 1, 7, 0)
    leave(group)


# -- send buffers ---------------------------------------------------------------------------------


@pytest.fixture
def small_room():
    """Limit the send buffers to 64 KiB, for tests with arrays that are several times as large."""
    outbox = job().exchange._transport
    if is_far():
        before = outbox._buffer_bytes, outbox._unused_bytes
        outbox._buffer_bytes = outbox._unused_bytes = 64 << 10
        yield
        outbox._buffer_bytes, outbox._unused_bytes = before
        return
    from redcoll.memory.allocator import Allocator

    before = outbox._buffer_bytes, outbox._buffer
    outbox._buffer_bytes, outbox._buffer = 64 << 10, Allocator(64 << 10)
    assert all(sent.block < 0 for sent in outbox._sent.values())
    yield
    outbox._buffer_bytes, outbox._buffer = before


def drain():
    """Wait until the recipients have taken all contributions of this task."""
    outbox = job().exchange._transport
    deadline = time.monotonic() + 20
    while outbox._sent:
        job().exchange._transport.poll()
        if not is_far():
            # A contribution may be for a member that leaves without taking it.
            outbox._reclaim()
            outbox._drop_unwanted()
        assert time.monotonic() < deadline
        time.sleep(0)


@pytest.mark.parametrize("count", [8192, 8193, 12345, 100_001])
def test_contributions_larger_than_the_send_buffer_arrive(count, gather, request):
    drain_all(gather)
    request.getfixturevalue("small_room")
    group = join_in_order()
    root = n_tasks() - 1
    rows = [np.arange(count) * (i + 1.0) + 1 / (i + 3) for i in range(n_tasks())]
    for _ in range(3):
        data = rows[me()].copy()
        assert pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_DOUBLE, 2, group, root) == 0
        expected = rows[0].copy()
        for row in rows[1:]:
            expected += row
        assert data.tobytes() == (expected if me() == root else rows[me()]).tobytes()
    leave(group)
    drain_all(gather)


def drain_all(gather):
    gather("before")
    job().exchange._transport.poll()
    gather("looked")
    drain()
    gather("drained")


def test_a_full_send_buffer_makes_only_the_sender_wait(gather, request):
    """The root takes no contribution until all members, including the root, have contributed."""
    needs(2)
    drain_all(gather)
    request.getfixturevalue("small_room")
    group = join_in_order()
    count, total = 2000, 8

    def reduce(number):
        data = np.full(count, float(number))
        assert pvm.pvm_reduce(pvm.PvmSum, data, count, pvm.PVM_DOUBLE, number, group, 0) == 0
        return data

    if me() == 1:
        for number in range(4):
            reduce(number)
        pvm.pvm_initsend(pvm.PvmDataDefault)
        start = time.monotonic()
        pvm.pvm_send(0x40001, 1)
        for number in range(4, total):
            reduce(number)
        waited = time.monotonic() - start
        assert waited > 0.1, "the fifth array of 16000 bytes does not fit into 64 KiB"
        assert reduce_int(group, [10], 1, tag=99) == (0, [9 + n_tasks()])
    else:
        # The root PE 1 calls later. The contribution fits into the send buffer, so this PE does not
        # wait for the root.
        assert reduce_int(group, [1], 1, tag=99) == (0, [1])
        if me():
            for number in range(4):
                reduce(number)
            pvm.pvm_initsend(pvm.PvmDataDefault)
            pvm.pvm_send(0x40001, 1)
            for number in range(4, total):
                reduce(number)
        else:
            for other in range(1, n_tasks()):
                assert pvm.pvm_recv(0x40001 + other, 1) > 0
            time.sleep(0.3)
            for number in range(total):
                assert (reduce(number) == number * n_tasks()).all()
    leave(group)
    drain_all(gather)


def test_a_sender_without_space_times_out_and_names_the_recipient(gather, request):
    needs(2)
    drain_all(gather)
    request.getfixturevalue("small_room")
    group = join_in_order(2)
    if me() == 1:
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.3
        data = np.zeros(6000)
        assert pvm.pvm_reduce(pvm.PvmSum, data, 6000, pvm.PVM_DOUBLE, 2, group, 0) == 0
        with pytest.raises(
            CollectiveTimeoutError, match=r"space for 48000 bytes.*PE 0\b.* did not"
        ):
            pvm.pvm_reduce(pvm.PvmSum, data, 6000, pvm.PVM_DOUBLE, 2, group, 0)
        watch.timeout_s = before
    gather("timed out")
    if me() == 0:
        pvm.pvm_lvgroup(group)
    gather("the root has left")
    if me() == 1:
        # When a recipient has left, the contributions for it no longer occupy the buffer.
        other = new_group()
        pvm.pvm_joingroup(other)
        drain_wanted()
        pvm.pvm_lvgroup(group)
        pvm.pvm_lvgroup(other)
    else:
        new_group()
    drain_all(gather)


def drain_wanted():
    outbox = job().exchange._transport
    outbox._await_space(60_000)
    if is_far():
        assert outbox._unused_bytes >= 60_000
    else:
        assert not any(sent.block >= 0 for sent in outbox._sent.values())


def test_more_outstanding_contributions_than_slots(gather):
    needs(2)
    group = join_in_order(2)
    total = 600
    if me() == 1:
        for number in range(total):
            reduce_int(group, [number], 0, tag=number % 7)
    elif me() == 0:
        time.sleep(0.05)
        for number in range(total):
            assert reduce_int(group, [1], 0, tag=number % 7) == (0, [number + 1])
    leave(group)
    drain_all(gather)


@pytest.mark.parametrize("first", [0, 1])
def test_a_sender_without_a_free_slot_times_out(first, gather):
    """The call that timed out has no effect on later calls."""
    needs(2)
    drain_all(gather)
    group = join_in_order(2)
    if me() == 1:
        for _ in range(256):
            assert reduce_int(group, [1], 0)[0] == 0
        watch = job().tasks.watch
        before, watch.timeout_s = watch.timeout_s, 0.2
        with pytest.raises(
            CollectiveTimeoutError, match="sending while 256 contributions wait to be taken"
        ):
            reduce_int(group, [1], 0)
        watch.timeout_s = before
    gather("the sender has given up")
    for leaver in (first, 1 - first):
        if me() == leaver:
            assert pvm.pvm_lvgroup(group) == 0
        gather(f"{leaver} has left")
    drain_all(gather)


class Hesitant(set):
    """A set that runs a function before it answers that an element is missing."""

    def __init__(self, stamps, happens):
        super().__init__(stamps)
        self.happens = happens

    def __contains__(self, stamp):
        is_own = super().__contains__(stamp)
        if not is_own:
            self.happens()
        return is_own


@pytest.mark.one_node
def test_a_late_read_of_a_reused_slot_does_no_harm(gather, monkeypatch):
    """A contribution arrives for a membership that its recipient has ended.

    While the recipient reads the slot, the sender reuses the slot for another recipient, which
    takes the new contribution. The sender must notice that the new contribution was taken.
    """
    needs(3)
    drain_all(gather)
    group, other = join_in_order(2), join_in_order(2, [0, 2])
    outbox = inbox = job().exchange._transport
    looks = []

    def happens():
        if not looks:
            looks.append(len(inbox.arrived))
            gather("the recipient looks")
            gather("the place is used anew, and taken")

    if me() == 0:
        # The sender has a single slot. The sender reads the group before the other task leaves.
        places, outbox._free_slots = outbox._free_slots[:-1], outbox._free_slots[-1:]
        monkeypatch.setattr(transport, "SLOTS", 1)
        view, send = job().store.snapshot(group), job().exchange.send
        endpoint = endpoint_to(view, view.at(1), subject_of(REDUCE, 1, view))
        gather("seen as a member")
        gather("left")
        send(endpoint, pvm.PVM_INT, 1, np.array([7], np.int32))
        gather("given")
        gather("the recipient looks")
        assert reduce_int(other, [1], 1) == (0, [1])
        gather("the place is used anew, and taken")
        drain()
        outbox._free_slots.extend(places)
        monkeypatch.undo()
    else:
        gather("seen as a member")
        if me() == 1:
            assert pvm.pvm_lvgroup(group) == 0
            inbox._incarnations = Hesitant(inbox._incarnations, happens)
        gather("left")
        gather("given")
        if me() == 1:
            inbox.poll()
            assert looks == [0]
            inbox._incarnations = set(inbox._incarnations)
        else:
            gather("the recipient looks")
            if me() == 2:
                assert reduce_int(other, [10], 1) == (0, [11])
            gather("the place is used anew, and taken")
    gather("looked")
    if me() == 0:
        assert pvm.pvm_lvgroup(group) == 0
    leave(other)
    drain_all(gather)


# -- gather and scatter ---------------------------------------------------------------------------


@pytest.mark.parametrize("datatype", REDUCIBLE)
def test_gather_and_scatter_at_every_root(datatype):
    members = min(n_tasks(), 5)
    group = join_in_order(members)
    if me() < members:
        dtype, code = np.dtype(DTYPES[datatype]), getattr(pvm, datatype)
        for root in range(members):
            own = (np.arange(3) + 10 * me()).astype(dtype)
            whole = np.full(3 * members + 2, 77, dtype)
            result = whole[1:-1] if me() == root else None
            assert pvm.pvm_gather(result, own, 3, code, 4, group, root) == 0
            expected = np.concatenate([(np.arange(3) + 10 * i) for i in range(members)])
            if me() == root:
                assert whole[1:-1].tobytes() == expected.astype(dtype).tobytes()
                assert whole[0] == whole[-1] == 77
            part = np.zeros(3, dtype)
            data = whole[1:-1] if me() == root else None
            assert pvm.pvm_scatter(part, data, 3, code, 4, group, root) == 0
            assert part.tobytes() == own.tobytes()
    leave(group)


@pytest.mark.parametrize("start", range(5))
def test_the_arrays_of_the_root_of_gather_share_memory(start):
    """``data`` starts at any element of ``result``, also between two rows."""
    members = min(n_tasks(), 3)
    group = join_in_order(members)
    if me() < members:
        for root in range(members):
            whole = np.full(2 * members + 4, -1, np.int32)
            data = whole[start : start + 2] if me() == root else np.zeros(2, np.int32)
            data[:] = 10 * me(), 10 * me() + 1
            result = whole if me() == root else None
            assert pvm.pvm_gather(result, data, 2, pvm.PVM_INT, 1, group, root) == 0
            if me() == root:
                expected = [each for i in range(members) for each in (10 * i, 10 * i + 1)]
                assert whole[: 2 * members].tolist() == expected
            assert pvm.pvm_barrier(group, members) == 0
    leave(group)


@pytest.mark.parametrize("start", range(5))
def test_the_arrays_of_the_root_of_scatter_share_memory(start):
    """``result`` starts at any element of ``data``, also between two rows."""
    members = min(n_tasks(), 3)
    group = join_in_order(members)
    if me() < members:
        for root in range(members):
            whole = np.arange(2 * members + 4, dtype=np.int32)
            result = whole[start : start + 2] if me() == root else np.zeros(2, np.int32)
            data = whole if me() == root else None
            assert pvm.pvm_scatter(result, data, 2, pvm.PVM_INT, 1, group, root) == 0
            assert result.tolist() == [2 * me(), 2 * me() + 1]
            assert pvm.pvm_barrier(group, members) == 0
    leave(group)


def test_gather_and_scatter_of_one_tag_do_not_mix_with_reduce(gather):
    needs(2)
    group = join_in_order(2)
    if me() == 1:
        part = np.zeros(1, np.int32)
        reduce_int(group, [10], 0, tag=1)
        assert pvm.pvm_gather(None, np.array([20], np.int32), 1, pvm.PVM_INT, 1, group, 0) == 0
        gather("given")
        assert pvm.pvm_scatter(part, None, 1, pvm.PVM_INT, 1, group, 0) == 0
        assert part[0] == 31
    else:
        gather("given")
    if me() == 0:
        part = np.zeros(1, np.int32)
        data = np.array([30, 31], np.int32)
        assert pvm.pvm_scatter(part, data, 1, pvm.PVM_INT, 1, group, 0) == 0
        result = np.zeros(2, np.int32)
        own = np.array([2], np.int32)
        assert pvm.pvm_gather(result, own, 1, pvm.PVM_INT, 1, group, 0) == 0
        assert result.tolist() == [2, 20]
        assert reduce_int(group, [1], 0, tag=1) == (0, [11])
    leave(group)


def test_a_gap_in_the_instances_fails_gather_and_scatter():
    needs(3)
    group = join_in_order(3)
    if me() == 0:
        pvm.pvm_lvgroup(group)
    elif me() < 3:
        while pvm.pvm_gsize(group) == 3:
            time.sleep(0)
        own, whole = np.ones(1), np.zeros(3)
        code = pvm.pvm_gather(whole, own, 1, pvm.PVM_DOUBLE, 1, group, 1)
        assert code == (pvm.PvmNoInst if me() == 1 else 0)
        code = pvm.pvm_scatter(own, whole, 1, pvm.PVM_DOUBLE, 1, group, 1)
        assert code == (pvm.PvmNoInst if me() == 1 else pvm.PvmMismatch)
    await_hole(group)
    if me() == 0:
        assert pvm.pvm_joingroup(group) == 0
    if me() < 3:
        await_size(group, 3)
        result = np.zeros(3)
        assert pvm.pvm_gather(result, np.array([me() + 1.0]), 1, pvm.PVM_DOUBLE, 1, group, 1) == 0
        if me() == 1:
            assert result.tolist() == [1, 2, 3]
    leave(group)


def await_hole(group):
    """Make a barrier of the two remaining members, and then notify the task that left."""
    if me() in (1, 2):
        assert pvm.pvm_barrier(group, 2) == 0
        if me() == 1:
            pvm.pvm_initsend(pvm.PvmDataDefault)
            pvm.pvm_send(0x40001, 555)
    elif me() == 0:
        assert pvm.pvm_recv(0x40001 + 1, 555) > 0
