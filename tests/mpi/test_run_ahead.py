"""Test run-ahead in small reduces and scans, whose mismatches may raise in later calls."""

import ast
import contextlib
import random
import time
import tracemalloc

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import MAX, SUM, CollectiveMismatchError, DatatypeError, Team

pytestmark = [pytest.mark.mpi(min_size=2), pytest.mark.every_size]

AHEAD = (1, 8, None)


@pytest.fixture(params=AHEAD)
def team(request, world, monkeypatch):
    """Return a team whose run-ahead limit comes from AHEAD. None means the default limit."""
    if request.param is not None:
        monkeypatch.setenv("REDCOLL_AHEAD", str(request.param))
    team = Team.from_comm(MPI.COMM_WORLD)
    if not team.layout.is_one_node:
        nodes = len(team.layout.nodes)
        team.close()
        pytest.skip(f"needs one node, the PEs are on {nodes}")
    if team.sizes.ahead == 1 and request.param != 1:
        team.close()
        pytest.skip("the NumPy kernel has no run-ahead")
    assert request.param in (None, team.sizes.ahead)
    yield team
    team.close()


def fold(vectors):
    result = vectors[0]
    for vector in vectors[1:]:
        result = result + vector
    return result


def expect(name, index, n, root, vectors):
    """Return the expected target of a member, or None if the target must not change."""
    if name == "allreduce" or (name == "reduce" and index == root):
        return oracle.by_node(fold, vectors)
    upto = {"reduce": 0, "scan": index + 1, "exscan": index}[name]
    return fold(vectors[:upto]) if upto else None


def perform(team, name, target, source, op=SUM, root=0):
    if name == "reduce":
        redcoll.reduce(target, source, op, root, team=team)
    elif name == "barrier":
        redcoll.barrier(team=team)
    else:
        getattr(redcoll, name)(target, source, op, team=team)


def make(team, call, target, source):
    name, op, _, _, root = call
    perform(team, name, target, source, op, root)


def teach(team, *calls):
    """Make these calls, so that the team's kernel knows their shapes."""
    for call in calls:
        _, _, dtype, count, _ = call
        make(team, call, np.zeros(count, dtype), np.ones(count, dtype))
    redcoll.barrier(team=team)


REDUCE = ("reduce", SUM, "f8", 1, 0)
REDUCE_INTEGERS = ("reduce", SUM, "i8", 1, 0)


def test_run_ahead_is_limited(team, world):
    """While the root waits, other members run ahead by half the limit or more, up to the limit."""
    n, me = team.size, team.index
    teach(team, REDUCE)
    calls = 3 * team.sizes.ahead + 5
    x, y = np.zeros(1), np.zeros(1)
    results, sent = [], []
    comm = MPI.COMM_WORLD.Dup()
    if me == 0:
        for pe in range(1, n):
            for call in range(team.sizes.ahead // 2):
                assert comm.recv(source=pe) == call
        time.sleep(0.02)
        n_more = 0
        while comm.iprobe():
            comm.recv()
            n_more += 1
        assert n_more <= (n - 1) * (team.sizes.ahead - team.sizes.ahead // 2)
    for call in range(calls):
        x[0] = 100 * call + me
        perform(team, "reduce", y, x)
        x[0] = -1
        results.append(y[0])
        if me:
            sent.append(comm.isend(call, 0))
    wanted = [100.0 * call * n + n * (n - 1) / 2 for call in range(calls)]
    assert results == (wanted if me == 0 else [0.0] * calls)
    if me == 0:
        left = (n - 1) * (calls - team.sizes.ahead // 2) - n_more
        for _ in range(left):
            comm.recv()
    MPI.Request.waitall(sent)
    comm.Free()


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))]
)
def test_any_sequence_of_calls_is_in_step(team, delays, seed):
    """In random sequences of small and long calls, each result has the expected bits."""
    numbers = random.Random(seed)
    n, me = team.size, team.index
    compared = 0
    for step in range(600 if n <= 4 else 150):
        name = numbers.choice(["reduce"] * 4 + ["scan"] * 3 + ["exscan"] * 2 + ["allreduce"])
        count = 1 if numbers.random() < 0.9 else numbers.choice([2, 100, 3000])
        dtype = numbers.choice(["f8", "i8", "f4"])
        root = numbers.randrange(n)
        runs = numbers.choice([1, 1, 5, 40])
        for turn in range(runs):
            vectors = [
                (np.arange(count) + 0.1 * step + 10 * index + turn).astype(dtype)
                for index in range(n)
            ]
            source = vectors[me].copy()
            target = np.full(count, 77, dtype)
            perform(team, name, target, source, SUM, root)
            source[...] = -5
            wanted = expect(name, me, n, root, vectors)
            if wanted is None:
                wanted = np.full(count, 77, dtype)
            compared += oracle.assert_same(target, wanted)
            if numbers.random() < 0.02:
                delays()
        if step % 7 == me % 7:
            delays()
    assert compared > 2000


def spoilt(how, name, root, n):
    """Return a wrong call as (name, operation, element type, count, root)."""
    return {
        "op": (name, MAX, "f8", 1, root),
        "type": (name, SUM, "i8", 1, root),
        "count": (name, SUM, "f8", 0, root),
        "long": (name, SUM, "f8", 200, root),
        "root": (name, SUM, "f8", 1, (root + 1) % n),
        "collective": ("exscan" if name == "scan" else "scan", SUM, "f8", 1, root),
        "allreduce": ("allreduce", SUM, "f8", 1, root),
        "barrier": ("barrier", SUM, "f8", 1, root),
    }[how]


def reach(call, index, n, ahead):
    """Return the number of headers that this member compares, and whether it runs ahead."""
    name, _, dtype, count, root = call
    wanted = {"reduce": n if index == root else 0, "scan": index + 1, "exscan": index}.get(name, n)
    if ahead == 1 or count * np.dtype(dtype).itemsize > 8 or wanted == n:
        return n, False
    return wanted, True


@pytest.mark.parametrize("name", ["reduce", "scan", "exscan"])
@pytest.mark.parametrize(
    "how", ["op", "type", "count", "long", "root", "collective", "allreduce", "barrier"]
)
def test_a_mismatch_in_run_ahead_raises_at_once_at_the_root_and_later_elsewhere(
    team, gather, name, how
):
    if how == "root" and name != "reduce":
        pytest.skip("only a reduce has a root")
    n, me = team.size, team.index
    for bad in {0, n // 2, n - 1}:
        for root in {0, n - 1} if name == "reduce" else {0}:
            right, wrong = (name, SUM, "f8", 1, root), spoilt(how, name, root, n)
            teach(team, right, wrong)
            mine = wrong if me == bad else right
            target, source = np.full(mine[3], 7, mine[2]), np.ones(mine[3], mine[2])
            error = None
            try:
                make(team, mine, target, source)
            except CollectiveMismatchError as raised:
                error = raised
            # Each member raises at once if it compares a header that differs from its own.
            compared, _ = reach(mine, me, n, team.sizes.ahead)
            others = range(compared) if me == bad else [bad] if bad < compared else []
            assert (error is not None) == any(other != me for other in others)
            if error is not None:
                assert f"PE {bad} called" in str(error)
                assert (target == 7).all()
            elif me != bad:
                wanted = expect(name, me, n, root, [np.ones(1)] * n)
                assert oracle.assert_same(target, np.full(1, 7.0) if wanted is None else wanted)
            is_any_ahead = any(
                reach(wrong if index == bad else right, index, n, team.sizes.ahead)[1]
                for index in range(n)
            )
            if is_any_ahead:
                with pytest.raises(CollectiveMismatchError) as caught:
                    redcoll.barrier(team=team)
                assert f"PE {bad} called" in str(caught.value)
                assert "the call 1 before this one" in str(caught.value)
                assert len(set(gather(str(caught.value)))) == 1
            redcoll.barrier(team=team)
            y = np.zeros(3)
            redcoll.allreduce(y, np.full(3, me + 1.0), team=team)
            assert oracle.assert_same(y, np.full(3, n * (n + 1) / 2)) == 3


def test_without_waiting_calls_a_mismatch_raises_in_the_same_call_everywhere(team, gather):
    n, me = team.size, team.index
    teach(team, REDUCE, REDUCE_INTEGERS)
    for bad in (1, n - 1):
        for before in (0, 1, 3):
            x, y = np.ones(1), np.zeros(1)
            for _ in range(before):
                perform(team, "reduce", y, x)
            wrong = np.ones(1, "i8")
            told = []
            for call in range(2 * team.sizes.ahead + 2):
                ours = wrong if call == 0 and me == bad else x
                with contextlib.suppress(CollectiveMismatchError):
                    perform(team, "reduce", y if ours is x else np.zeros(1, "i8"), ours)
                    continue
                told.append(call)
            calls = [ast.literal_eval(each) for each in gather(str(told))]
            if team.sizes.ahead == 1:
                assert all(each == [0] for each in calls)
                continue
            # The root raises in its first call. Later all members raise in one common call.
            (late,) = {each[-1] for each in calls}
            assert 0 < late < team.sizes.ahead
            assert calls[0] == [0, late]
            assert all(each == [late] for each in calls[1:])


@pytest.mark.parametrize("seed", range(2))
def test_wrong_calls_among_right_ones(team, gather, delays, seed):
    """Only wrong calls cause errors. All members see the same number of errors."""
    numbers = random.Random(seed)
    n, me = team.size, team.index
    compared = told = 0
    for _ in range(40 if n <= 5 else 15):
        is_right = True
        for step in range(numbers.choice([2, 10, 50])):
            name = numbers.choice(["reduce"] * 4 + ["scan"] * 2 + ["exscan", "allreduce"])
            count = numbers.choice([1] * 8 + [50, 1500])
            call = (name, SUM, numbers.choice(["f8", "i4"]), count, numbers.randrange(n))
            wrong = spoilt(numbers.choice(["op", "count", "barrier"]), name, call[4], n)
            bad = numbers.randrange(n) if numbers.random() < 0.1 else None
            is_right = is_right and bad is None
            mine = wrong if me == bad else call
            _, _, dtype, count, root = mine
            vectors = [(np.arange(count) + 3 * index + step).astype(dtype) for index in range(n)]
            target = np.full(count, 77, dtype)
            try:
                make(team, mine, target, vectors[me])
            except CollectiveMismatchError:
                assert not is_right
                assert (target == 77).all()
                told += 1
            else:
                if bad is None:
                    which = ("scan", n - 1) if name == "allreduce" else (name, me)
                    wanted = expect(*which, n, root, vectors)
                    wanted = np.full(count, 77, dtype) if wanted is None else wanted
                    compared += oracle.assert_same(target, wanted)
            delays()
        times = 0
        while True:
            try:
                redcoll.barrier(team=team)
                break
            except CollectiveMismatchError:
                assert not is_right
                times += 1
        assert len(set(gather(str(times)))) == 1
    assert compared > 500
    assert told


def test_a_refusal_while_members_run_ahead(team, gather):
    n, me = team.size, team.index
    teach(team, REDUCE)
    for bad in {0, n - 1}:
        x, y = np.ones(1), np.zeros(1)
        error = None
        try:
            perform(team, "reduce", y, x if me != bad else [1.0])
        except (CollectiveMismatchError, DatatypeError) as raised:
            error = raised
        raised = gather(type(error).__name__)
        assert raised[bad] == "DatatypeError"
        at_once = set(raised[:bad] + raised[bad + 1 :])
        if team.sizes.ahead == 1 or bad != 0:
            assert raised[0] != "NoneType"
        else:
            assert at_once == {"NoneType"}
        if "NoneType" in at_once:
            words = rf"PE {bad} refused its arguments: .*\(about the call 1 before this one\)"
            with pytest.raises(CollectiveMismatchError, match=words):
                redcoll.barrier(team=team)
        redcoll.barrier(team=team)
        redcoll.reduce(y, x, team=team)
        assert me or y[0] == n


def test_a_set_of_one_needs_no_rendezvous():
    team = Team.from_comm(MPI.COMM_SELF)
    y = np.zeros(1)
    for call in range(600):
        for name in ("reduce", "scan", "allreduce"):
            for op in (SUM, redcoll.user_op(np.hypot)):
                y[0] = -1
                perform(team, name, y, np.full(1, float(call)), op)
                assert y[0] == call
        y[0] = -1
        perform(team, "exscan", y, np.ones(1))
        assert y[0] == -1
    team.close()


def test_a_shape_of_call_takes_little_memory_however_many_heads_there_are(team):
    redcoll.reduce(np.zeros(1), np.ones(1), team=team)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for dtype in ("f4", "i8", "i4", "i2"):
            redcoll.reduce(np.zeros(1, dtype), np.ones(1, dtype), team=team)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0 < grown < 4 * team.size * 4096
