"""
Repeat recorded runs of PVM 3.4.6, and compare the outcomes.

The tasks join their group in the fold order of the record. So the result must equal PVM's result
bit for bit. This file lists each intended difference between redcoll_pvm and PVM, and its reason.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI
from pvm_support import (
    DTYPES,
    GOLDEN,
    await_waiting,
    decode,
    fresh_task,  # noqa: F401
    job,
    join_in_order,
    leave,
    me,
    n_tasks,
    new_group,
    same_but_nan_bits,
    waits,
)

import redcoll_pvm as pvm
from redcoll.errors import CollectiveTimeoutError

pytestmark = pytest.mark.mpi

TURNS = MPI.COMM_WORLD.Dup()
SIZES = sorted({record["nprocs"] for record in GOLDEN["reduce"]})
HANG = "hang"


def shift10(datatype, x, y, num, info):
    x[:] = 10 * x + y
    info[0] = 0


def subtract(datatype, x, y, num, info):
    x -= y
    info[0] = 0


def info_negative(datatype, x, y, num, info):
    x += y
    info[0] = -77


def info_positive(datatype, x, y, num, info):
    x += y
    info[0] = 5


def no_info(datatype, x, y, num, info):
    x += y


def write_y(datatype, x, y, num, info):
    y += x
    info[0] = 0


def copy_y(datatype, x, y, num, info):
    x[:] = y
    info[0] = 0


class InfoNegativeSecond:
    """A function that fails at its second call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, datatype, x, y, num, info):
        self.calls += 1
        x += y
        info[0] = -77 if self.calls == 2 else 0


def function(name):
    if name.startswith("Pvm"):
        return getattr(pvm, name)
    if name == "user_info_neg_2nd":
        return InfoNegativeSecond()
    return {
        "user_shift10": shift10,
        "user_sub": subtract,
        "user_info_neg": info_negative,
        "user_info_pos": info_positive,
        "user_no_info": no_info,
        "user_write_y": write_y,
        "user_copy_y": copy_y,
    }[name]


def counted(func):
    """Return the function with a counter: a list that gets an entry at each call."""
    calls = []

    def count(datatype, x, y, num, info):
        calls.append((len(x), len(y), num))
        func(datatype, x, y, num, info)

    return count, calls


def true_long_fold(record, rows):
    """Return the right 64-bit result. PVM's transport lost the upper halves of the values."""
    result = rows[0].copy()
    for row in rows[1:]:
        if record["func"] == "PvmSum":
            result += row
        elif record["func"] == "PvmProduct":
            result *= row
        else:
            result = (np.maximum if record["func"] == "PvmMax" else np.minimum)(result, row)
    return result


@pytest.mark.parametrize("members", SIZES)
def test_recorded_reductions(members):
    if n_tasks() < members:
        pytest.skip(f"records of {members} tasks need {members} PEs, there are {n_tasks()}")
    group = join_in_order(members)
    compared = results = 0
    for number, record in enumerate(GOLDEN["reduce"]):
        if record["nprocs"] != members:
            continue
        compared += 1
        if me() < members:
            results += run(record, group, number)
    assert compared == sum(record["nprocs"] == members for record in GOLDEN["reduce"])
    with_result = [
        record
        for record in GOLDEN["reduce"]
        if record["nprocs"] == members and record["result"] is not None
    ]
    roots = [record["fold_order"].index(record["root"]) for record in with_result]
    if me() < members:
        assert results == roots.count(me())
    leave(group)


def run(record, group, tag):
    """Repeat one record; return whether this task compared a result."""
    order, datatype = record["fold_order"], record["datatype"]
    rows = [decode(record["inputs"][source], datatype) for source in order]
    root = order.index(record["root"])
    data = rows[me()].copy()
    func = function(record["func"])
    calls = None
    if not record["func"].startswith("Pvm"):
        func, calls = counted(func)
    code = pvm.pvm_reduce(func, data, record["count"], getattr(pvm, datatype), tag, group, root)
    codes = record["info"]
    # In PVM the coordinator combines, and in redcoll the root combines. So in redcoll the root
    # makes all calls of the function and gets the error code. In PVM, if the function fails, a root
    # that is not the coordinator hangs, or gets no error code.
    failure = codes[record["coordinator"]]
    is_local_failure = len(set(codes)) == 1 and failure
    assert code == (failure if is_local_failure or me() == root else 0), record
    if calls is not None:
        # The record has None for a task that hung, because its number of calls is unknown.
        made = sum(calls or 0 for calls in record["func_calls"])
        assert len(calls) == (made if me() == root else 0), record
        assert set(calls) <= {(record["count"],) * 3}
    if me() != root:
        # PVM also overwrites the array of the coordinator, but redcoll does not.
        assert data.tobytes() == rows[me()].tobytes(), record
        return False
    if record["result"] is None:
        return False
    expected = decode(record["result"], datatype)
    if record.get("vs_left_fold") == "long_through_32bit_xdr":
        # redcoll has 64-bit longs. PVM's transport lost the upper halves of the values.
        expected = true_long_fold(record, rows)
    if datatype == "PVM_STR":
        # PVM does not specify the bytes after the NUL.
        data, expected = (np.array(list(a.tobytes().split(b"\0")[0])) for a in (data, expected))
    assert same_but_nan_bits(data, expected), record
    return True


# -- parameter errors -----------------------------------------------------------------------------

WRONG = {
    "count=-1": {"count": -1},
    "data=NULL": {"data": None},
    "datatype=-1": {"datatype": -1},
    "datatype=PVM_USHORT": {"datatype": pvm.PVM_USHORT},
    "datatype=PVM_ULONG": {"datatype": pvm.PVM_ULONG},
    "root=nprocs (empty slot)": {"root": "nprocs"},
    "root=5 (empty slot)": {"root": 5},
    "root=11 (> table size 10)": {"root": 11},
    "group=NULL": {"group": None},
    "group=empty string": {"group": ""},
    "datatype=12 AND no such group": {"datatype": 12, "group": "no such group"},
    "datatype=12 AND root=9 absent": {"datatype": 12, "root": 9},
    "msgtag=-1 root=0": {"tag": -1},
    "msgtag=-5 root=0": {"tag": -5},
    "msgtag=2147483647 root=0": {"tag": 2**31 - 1},
}

# The codes that redcoll_pvm returns on all tasks instead of PVM's codes, and the reason, by case
# and number of tasks.
INSTEAD = {
    ("msgtag=-1 root=0", 3): ([-2, -2, -2], "the root is told as well, and does not hang"),
    ("msgtag=-5 root=0", 3): ([-2, -2, -2], "the root is told as well, and does not hang"),
}


def special_cases(*names):
    return [case for case in GOLDEN["reduce_special_cases"] if case["case"] in names]


@pytest.mark.parametrize(
    "case",
    special_cases(*WRONG),
    ids=lambda case: f"{case['case']} {case.get('nprocs', 2)}".replace(" ", "_"),
)
def test_recorded_parameter_errors(case):
    members = case.get("nprocs", len(case["info"]))
    if n_tasks() < members:
        pytest.skip(f"the case needs {members} PEs, there are {n_tasks()}")
    group = join_in_order(members)
    codes, _ = INSTEAD.get((case["case"], members), (case["info"], ""))
    if me() < members:
        arguments = {"data": np.array([1, 10], np.int32) * (me() + 1), "count": 2, "root": 0}
        arguments |= {"datatype": pvm.PVM_INT, "group": group, "tag": 1} | WRONG[case["case"]]
        root = members if arguments["root"] == "nprocs" else arguments["root"]
        code = pvm.pvm_reduce(
            pvm.PvmSum,
            arguments["data"],
            arguments["count"],
            arguments["datatype"],
            arguments["tag"],
            arguments["group"],
            root,
        )
        assert code == codes[me()]
        if code < 0:
            assert pvm.pvm_errno == code
        if case.get("result") and me() == root:
            assert arguments["data"].tolist() == case["result"]
        # The next reduction works.
        data = np.array([1, 10], np.int32) * (me() + 1)
        assert pvm.pvm_reduce(pvm.PvmSum, data, 2, pvm.PVM_INT, 1, group, 0) == 0
        if me() == 0:
            assert data.tolist() == [members * (members + 1) // 2 * k for k in (1, 10)]
    leave(group)


OUTSIDER = "caller not in the group AND root absent"


def test_recorded_caller_that_is_no_member(gather):
    if n_tasks() < 2:
        pytest.skip("the case needs 2 PEs, there is 1")
    [case] = special_cases(OUTSIDER)
    group = join_in_order(1)
    gather("task 0 has joined")
    if me() == 1:
        code = pvm.pvm_reduce(pvm.PvmSum, np.ones(1), 1, pvm.PVM_DOUBLE, 1, group, 9)
        assert [code] == case["info"]
    gather("task 1 has called")
    leave(group)


UNDEFINED = ["PvmSum with PVM_BYTE", "PvmProduct with PVM_BYTE", "PvmMax with PVM_STR"]


@pytest.mark.parametrize("root", [0, 1])
@pytest.mark.parametrize("name", UNDEFINED)
def test_recorded_pairs_that_are_not_defined(name, root):
    if n_tasks() < 3:
        pytest.skip(f"the case needs 3 PEs, there are {n_tasks()}")
    [case] = [case for case in special_cases(name) if case["root"] == root]
    group = join_in_order(3)
    func, datatype = name.split(" with ")
    if me() < 3:
        data = np.ones(2, DTYPES[datatype])
        code = pvm.pvm_reduce(getattr(pvm, func), data, 2, getattr(pvm, datatype), 1, group, root)
        # In PVM the coordinator gets the code, and a root that is another task hangs.
        assert code == (case["info"][0] if me() == root else 0)
    leave(group)


# test_pvm_reduce.py tests the other cases. This table gives the test for each case, and the reason
# for an intended difference.
ELSEWHERE = {
    "coordinator/root count=3, other count=2":
        ("a_member_with_other_arguments_fails_at_the_root", "-3 with the name, PVM says -5"),
    "coordinator/root PVM_INT, other PVM_DOUBLE (10.0,20.0)":
        ("a_member_with_other_arguments_fails_at_the_root", "-3 with the name, PVM gives garbage"),
    "coordinator/root PVM_DOUBLE, other PVM_INT":
        ("a_member_with_other_arguments_fails_at_the_root", "-3 with the name, PVM says -5"),
    "instance 0 says root=0, instance 1 says root=1":
        ("members_that_name_different_roots_get_nothing_wrong", "a root has what was meant for it"),
    "instance 0 (coordinator) says root=1, instance 1 says root=0":
        ("members_that_name_different_roots_get_nothing_wrong", "a root has what was meant for it"),
    "instances 1 (10) and 2 (100) call, 2 leaves, then root 0 (1) calls":
        ("a_member_that_leaves_after_contributing_counts", "111, PVM loses a contribution"),
    "root calls while alone; then instance 1 joins and calls":
        ("calls_of_a_new_member_match_later_calls_of_the_root", "PVM leaves a message over"),
    "two reduces, same tag, instance 1 runs ahead: expected roots 111 and 12001":
        ("calls_of_one_tag_match_in_order", "111 and 12001, PVM mixes them"),
    "an ordinary message with the same tag is queued at the root":
        ("an_ordinary_message_of_the_same_tag_is_left_alone", ""),
    "12 members, root=11": ("twelve_members", ""),
    "instance 1 left; 0,2,3 reduce with user_shift10 to root 3":
        ("holes_in_the_instances_do_not_matter", ""),
    "instance 0 left; 1 and 2 reduce to root 2 with user_shift10 (2,3)":
        ("instance_0_may_leave", ""),
    "150 reduces without forced timing, user_shift10 on digit instance+1: result -> times seen":
        ("every_root_folds_in_the_order_of_the_instances", "one order, PVM has many"),
}  # fmt: skip


def test_no_recorded_case_is_left_out():
    cases = {case["case"] for case in GOLDEN["reduce_special_cases"]}
    assert cases == {*WRONG, OUTSIDER, *UNDEFINED, *ELSEWHERE}
    tests = Path(__file__).with_name("test_pvm_reduce.py").read_text()
    for name, _ in ELSEWHERE.values():
        assert f"def test_{name}(" in tests


# -- group scripts --------------------------------------------------------------------------------

# The code that redcoll_pvm returns instead of PVM's code, and the reason, by title and step.
POISONED = "barrier count=0 poisons the group"
SCRIPT_INSTEAD = {
    (POISONED, 3): (0, "not poisoned: both tasks pass together"),
    (POISONED, 4): (0, "not poisoned: both tasks pass together"),
    (POISONED, 5): (HANG, "not poisoned: the task waits for the other"),
    (POISONED, 7): (0, "not poisoned: a count of 1 passes alone"),
}
# In redcoll_pvm this barrier and the previous barrier do not fail, but wait for each other. So the
# two steps must run together.
TOGETHER = {(POISONED, 4)}
# The outcomes of gather and scatter that differ from PVM's, by title and task.
OUTCOME_INSTEAD = {
    ("scatter with a hole (task1 left)", 2): (-3, "the others learn that the root's call failed"),
    ("scatter data NULL on root", 1): (-3, "the others learn that the root's call failed"),
}


def batches(script):
    """Return lists of steps. All steps in a list run at the same time."""
    steps = list(enumerate(script["steps"]))
    together = []
    while steps:
        number, step = steps.pop(0)
        note = step.get("note", "")
        is_joint = {(script["title"], number), (script["title"], number + 1)} & TOGETHER
        if "concurrently" in note or is_joint:
            tasks = [s["task"] for _, s in together]
            if step["task"] in tasks or (together and step["group"] != together[0][1]["group"]):
                yield together
                together = []
            together.append((number, step))
            continue
        if together:
            yield together
            together = []
        waiters = []
        while steps and "was waiting" in steps[0][1].get("note", ""):
            waiters.append(steps.pop(0))
        yield [*waiters, (number, step)]
    if together:
        yield together


@contextlib.contextmanager
def patience(seconds):
    """Set the time limit for waits of this task."""
    watch = job().tasks.watch
    before = watch.timeout_s
    watch.timeout_s = seconds
    try:
        yield
    finally:
        watch.timeout_s = before


@pytest.mark.parametrize(
    "script", GOLDEN["group_scripts"], ids=lambda s: s["title"].replace(" ", "_")
)
def test_recorded_group_scripts(script, gather):
    if n_tasks() < script["ntasks"]:
        pytest.skip(f"the script needs {script['ntasks']} PEs, there are {n_tasks()}")
    names = {name: new_group() for name in ("named", "other_a", "NOSUCH")}
    names |= {None: None, "": ""}
    steps = 0
    for batch in batches(script):
        steps += len(batch)
        for place, (number, step) in enumerate(batch):
            if "outcome" in step:
                if me() < script["ntasks"]:
                    gather_or_scatter(script["title"], step, names)
            elif (step["task"], step.get("note")) == (1, "task0 waits with size 3"):
                meet_a_waiting_freeze(step, names)
            elif step["task"] == me():
                instead = SCRIPT_INSTEAD.get((script["title"], number), (step["rc"], ""))[0]
                await_turn(batch, place)
                make(step, names, instead, script)
            elif (step.get("call"), step.get("rc")) == ("pvm_bcast", 0):
                receive(step, names)
        gather("batch")
    assert steps == len(script["steps"])
    for name in ("named", "other_a"):
        pvm.pvm_lvgroup(names[name])


def await_turn(batch, place):
    """Wait until the previous task of the batch is in its call, and then notify the next task."""
    if place:
        task = batch[place - 1][1]["task"]
        TURNS.recv(source=task)
        # The previous task sends its message just before its call. Wait until the task is
        # inside the call, or has returned.
        until = time.monotonic() + 0.5
        while not waits(task) and time.monotonic() < until:
            time.sleep(0.01)
    if place + 1 < len(batch):
        TURNS.send(None, batch[place + 1][1]["task"])


def make(step, names, expected, script):
    group, call, args = names[step["group"]], step["call"], step["args"]
    tid = {f"task{task}": 0x40001 + task for task in range(8)}
    if call == "pvm_bcast":
        pvm.pvm_initsend(pvm.PvmDataDefault)
        pvm.pvm_pkint([args[1]], 1, 1)
        args = args[:1]
    args = [tid.get(arg, arg) for arg in args]
    if expected == HANG:
        # If no task can release this task, the call returns an error. Otherwise the call waits.
        with patience(0.8):
            try:
                code = getattr(pvm, call)(group, *args)
            except CollectiveTimeoutError:
                code = HANG
        assert code in (HANG, pvm.PvmNotInGroup), step
        if n_tasks() > script["ntasks"]:
            assert code == HANG, step
        return
    code = getattr(pvm, call)(group, *args)
    assert code == tid.get(expected, expected), (script["title"], step)


def receive(step, names):
    """Receive a broadcast if this task is a member of the group."""
    tag, value = step["args"]
    if pvm.pvm_getinst(names[step["group"]], pvm.pvm_mytid()) >= 0:
        got = [None]
        assert pvm.pvm_recv(0x40001 + step["task"], tag) > 0
        assert pvm.pvm_upkint(got, 1, 1) == 0
        assert got == [value]


def meet_a_waiting_freeze(step, names):
    """Make a call that the script does not list, while task 0 waits."""
    if me() == 0:
        with patience(1.0), pytest.raises(CollectiveTimeoutError):
            pvm.pvm_freezegroup(names[step["group"]], 3)
    elif me() == step["task"]:
        await_waiting(0)
        assert pvm.pvm_freezegroup(names[step["group"]], *step["args"]) == step["rc"]


def gather_or_scatter(title, step, names):
    tasks = [each["task"] for each in step["outcome"]]
    if me() not in tasks:
        return
    outcome = step["outcome"][tasks.index(me())]
    instead = OUTCOME_INSTEAD.get((title, me()))
    count, datatype = step["count"], getattr(pvm, step["datatype"])
    dtype = DTYPES[step["datatype"]]
    n = len(tasks)
    expected = outcome["data"]
    if step["call"] == "pvm_gather":
        result = np.zeros(len(expected), dtype)
        own = [10 * me() + i + 1 for i in range(max(count, 1))]
        if title == "gather by a non-member (task1)":
            own = [7]
        data = np.array(own, dtype)
        if "NULL" in title and me() == step["root"]:
            code = pvm.pvm_gather(None, data, count, datatype, 1, names["named"], step["root"])
        else:
            code = pvm.pvm_gather(result, data, count, datatype, 1, names["named"], step["root"])
    else:
        result = np.zeros(max(count, 1), dtype)
        start = 100 * step["root"] if "NULL" not in title and "hole" not in title else 0
        data = np.arange(start, start + n * count, dtype=dtype)
        if "NULL" in title or me() != step["root"]:
            data = None
        code = pvm.pvm_scatter(result, data, count, datatype, 1, names["named"], step["root"])
    assert code == (outcome["rc"] if instead is None else instead[0]), (title, outcome)
    if expected is not None:
        assert result.tolist() == expected, (title, outcome)
