"""Test one-way rounds: short reduces between nodes, in which only the root's node waits for all."""

import time
from functools import partial

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import (
    MAX,
    SUM,
    ArgumentError,
    CollectiveMismatchError,
    PeerLostError,
    Team,
    TeamBrokenError,
)
from redcoll.team.lifecycle import State

pytestmark = [pytest.mark.mpi(min_size=2), pytest.mark.every_size]

COUNT, OTHER_COUNT = 3, 2
"""The lengths of the vectors in two calls that every team knows."""


@pytest.fixture(params=[1, 2])
def team(request, world, pretend_nodes):
    """Return a team on nodes of 1 or 2 PEs."""
    pretend_nodes(request.param)
    made = Team.from_comm(MPI.COMM_WORLD)
    if made.layout.is_one_node:
        made.close()
        pytest.skip("needs PEs on several nodes")
    if made.sizes.ahead == 1:
        made.close()
        pytest.skip("the NumPy kernel has no run-ahead")
    yield made
    made.close()


def reduce(team, target, source, op=SUM, root=0):
    redcoll.reduce(target, source, op, root, team=team)


def teach(team):
    """Make calls on which all members agree, so that the next rounds with them are one-way."""
    n = team.size
    for _ in range(3):
        for count, root in ((COUNT, 0), (OTHER_COUNT, 0), (COUNT, n - 1)):
            target = np.zeros(count)
            reduce(team, target, np.ones(count), SUM, root)
            assert team.index != root or oracle.assert_same(target, np.full(count, float(n)))


def expected(team, vectors):
    return oracle.Reduced("SUM", vectors, nodes=team.layout.nodes).result


@pytest.mark.parametrize("dtype", [pytest.param("f8", marks=pytest.mark.smoke), "f4", "i4"])
def test_any_sequence_of_roots_and_lengths(team, delays, dtype):
    n, me = team.size, team.index
    numbers = np.random.default_rng(n)
    compared = wanted_elements = 0
    for step in range(200 if n <= 4 else 40):
        count = int(numbers.choice([1, 8, 9, 100, 2048 // np.dtype(dtype).itemsize * 4, 6000]))
        root, runs = int(numbers.integers(n)), int(numbers.choice([1, 2, 30]))
        for turn in range(runs):
            base = np.arange(count) % 11 + 0.1 * step + turn
            source, target = (base + 10 * me).astype(dtype), np.full(count, 77, dtype)
            reduce(team, target, source, SUM, root)
            source[...] = -5
            wanted = np.full(count, 77, dtype)
            if me == root:
                rows = [(base + 10 * index).astype(dtype) for index in range(n)]
                wanted = expected(team, rows)
            compared += oracle.assert_same(target, wanted)
        wanted_elements += runs * count
        if step % 5 == me % 5:
            delays()
        if step % 20 == 0:
            total = np.zeros(1)
            redcoll.allreduce(total, np.ones(1), team=team)
            assert total[0] == n
    assert compared == wanted_elements > 10_000


def test_a_leader_runs_ahead_up_to_the_limit(world, pretend_nodes, monkeypatch):
    """While the root sleeps, the last PE makes all calls up to the limit, and then waits."""
    pretend_nodes(1)
    monkeypatch.setenv("REDCOLL_AHEAD", "16")
    team = Team.from_comm(MPI.COMM_WORLD)
    if team.sizes.ahead == 1 or len(team.layout.nodes) < team.size:
        team.close()
        pytest.skip("the NumPy kernel has no run-ahead")
    teach(team)
    redcoll.barrier(team=team)
    comm = MPI.COMM_WORLD
    last = team.size - 1
    results = []
    if team.index == 0:
        for call in range(15):
            assert comm.recv(source=last, tag=5) == call
        time.sleep(0.1)
        assert not comm.iprobe(source=last, tag=5)
    for call in range(40):
        target = np.zeros(COUNT)
        reduce(team, target, np.full(COUNT, float(call + team.index)))
        results.append(target[0])
        if team.index == last:
            comm.send(call, 0, tag=5)
    wanted = [float(sum(call + index for index in range(team.size))) for call in range(40)]
    assert results == (wanted if team.index == 0 else [0.0] * 40)
    if team.index == 0:
        assert [comm.recv(source=last, tag=5) for _ in range(25)] == list(range(15, 40))
    team.close()


@pytest.mark.parametrize("team", [2], indirect=True)
@pytest.mark.parametrize("root_is_leader", [True, False])
def test_a_member_goes_on_one_call_ahead_of_its_leader(team, root_is_leader):
    """While the leader of the first node sleeps, the second PE makes one call, and then waits."""
    teach(team)
    redcoll.barrier(team=team)
    comm, n, calls = MPI.COMM_WORLD, team.size, 40
    root = 0 if root_is_leader else n - 1
    results = []
    if team.index == 0:
        assert comm.recv(source=1, tag=5) == 0
        time.sleep(0.1)
        assert not comm.iprobe(source=1, tag=5)
    for call in range(calls):
        target = np.zeros(COUNT)
        source = np.full(COUNT, float(call + team.index))
        reduce(team, target, source, SUM, root)
        source[...] = -5
        results.append(target[0])
        if team.index == 1:
            comm.send(call, 0, tag=5)
    wanted = [float(sum(call + index for index in range(n))) for call in range(calls)]
    assert results == (wanted if team.index == root else [0.0] * calls)
    if team.index == 0:
        assert [comm.recv(source=1, tag=5) for _ in range(calls - 1)] == list(range(1, calls))


def wrong_calls(team, n):
    """Return calls that differ from the reduce of the other members, and how errors name them."""

    def late():
        time.sleep(0.2)
        redcoll.barrier(team=team)

    def refused():
        redcoll.reduce(np.zeros(COUNT), np.ones(COUNT), SUM, root=99, team=team)

    def more(count=COUNT, op=SUM, root=0):
        reduce(team, np.zeros(count), np.ones(count), op, root)

    def total():
        redcoll.allreduce(np.zeros(COUNT), np.ones(COUNT), team=team)

    return {
        "count": (lambda: more(5), "called reduce(op=SUM, type=float64, count=5, root=0)"),
        "known count": (lambda: more(OTHER_COUNT), "count=2, root=0)"),
        "op": (lambda: more(op=MAX), "called reduce(op=MAX"),
        "root": (lambda: more(root=1), "root=1)"),
        "known root": (lambda: more(root=n - 1), f"root={n - 1})"),
        "barrier": (lambda: redcoll.barrier(team=team), "called barrier()"),
        "allreduce": (total, "called allreduce"),
        "nothing": (lambda: None, "called allreduce"),
        "late barrier": (late, "called barrier()"),
        "wrong argument": (refused, "refused its arguments"),
    }


HOW = ["count", "known count", "op", "root", "known root", "barrier", "allreduce", "nothing",
       "late barrier", "wrong argument"]  # fmt: skip


@pytest.mark.parametrize("place", ["first", "second", "last"])
@pytest.mark.parametrize("how", HOW)
def test_a_mismatch_is_named_on_all_members(team, gather, how, place):
    """Each member raises in the wrong call, or in the next call in which it waits."""
    n, me = team.size, team.index
    teach(team)
    redcoll.barrier(team=team)
    bad = {"first": 0, "second": 1, "last": n - 1}[place]
    wrong, name = wrong_calls(team, n)[how]
    target = np.full(COUNT, 7.0)
    errors = []

    def attempt(call):
        try:
            call()
        except (CollectiveMismatchError, ArgumentError, TeamBrokenError) as error:
            errors.append(error)

    begin_s = time.monotonic()
    attempt(wrong if me == bad else lambda: reduce(team, target, np.ones(COUNT)))
    # Nothing is written, unless no member has yet seen a wrong call.
    assert (target == 7).all()
    for _ in range(3):
        attempt(lambda: redcoll.allreduce(np.zeros(COUNT), np.ones(COUNT), team=team))
    assert time.monotonic() - begin_s < 20
    assert errors, "no error"
    first = errors[0]
    if how == "wrong argument" and me == bad:
        assert type(first) is ArgumentError
    else:
        assert type(first) is CollectiveMismatchError
        assert f"PE {bad} " in str(first)
        assert name in str(first)
        assert "Some ranks had run ahead, so the team cannot go on" in str(first)
    assert type(errors[-1]) is TeamBrokenError
    gather("done")


@pytest.mark.parametrize("team", [2], indirect=True)
@pytest.mark.parametrize("then", ["an allreduce", "a wrong argument"])
def test_a_member_that_went_on_is_told_of_the_mismatch_in_its_next_call(team, gather, then):
    """The second PE leaves a reduce while its leader sleeps and the last PE makes another call."""
    n, me = team.size, team.index
    teach(team)
    redcoll.barrier(team=team)
    errors = []

    def attempt(call):
        try:
            call()
        except (CollectiveMismatchError, PeerLostError, TeamBrokenError) as error:
            errors.append(error)

    if me == 0:
        time.sleep(0.1)
    attempt(lambda: reduce(team, np.zeros(COUNT), np.ones(COUNT), MAX if me == n - 1 else SUM))
    if me == 1:
        assert not errors
        if then == "a wrong argument":
            with pytest.raises(ArgumentError):
                reduce(team, np.zeros(COUNT), np.ones(COUNT), root=99)
    for _ in range(2):
        attempt(lambda: redcoll.allreduce(np.zeros(COUNT), np.ones(COUNT), team=team))
    first = errors[0]
    refused = me == 1 and then == "a wrong argument"
    assert type(first) is (TeamBrokenError if refused else CollectiveMismatchError)
    assert f"PE {n - 1} called reduce(op=MAX" in str(first)
    if me == 1 and not refused:
        assert "about the call 1 before this one" in str(first)
    gather("done")


@pytest.mark.parametrize("team", [2], indirect=True)
def test_a_member_that_waits_after_all_does_not_break_the_team(team, gather):
    """The second PE makes another call than all others, but its leader is too late to go on."""
    n, me = team.size, team.index
    teach(team)
    redcoll.barrier(team=team)
    if me == 0:
        time.sleep(0.1)
    reduce(team, np.zeros(COUNT), np.ones(COUNT))
    again = partial(reduce, team, np.zeros(COUNT), np.ones(COUNT))
    call = again if me == 1 else partial(redcoll.barrier, team=team)
    with pytest.raises(CollectiveMismatchError, match="PE 1 called reduce") as caught:
        call()
    assert "cannot go on" not in str(caught.value)
    target = np.zeros(COUNT)
    redcoll.allreduce(target, np.ones(COUNT), team=team)
    assert oracle.assert_same(target, np.full(COUNT, float(n))) == COUNT
    gather("done")


def test_a_team_is_kept_if_its_last_reduces_differ(world, pretend_nodes, gather):
    """Two leaders send their vectors to each other, and each returns without a receive."""
    pretend_nodes(1)
    if world.team.kernel.AHEAD == 1:
        pytest.skip("the NumPy kernel has no run-ahead")
    comm = MPI.COMM_WORLD.Split(0 if MPI.COMM_WORLD.rank < 2 else MPI.UNDEFINED)
    if not comm:
        gather("done")
        return
    team = Team.from_comm(comm)
    teach(team)
    redcoll.barrier(team=team)
    target = np.full(COUNT, 7.0)
    reduce(team, target, np.ones(COUNT), SUM, 1 - team.index)
    team.close()
    assert (target == 7).all()
    assert team.life.state is State.KEPT
    following = Team.from_comm(comm)
    teach(following)
    following.close()
    assert following.life.state is State.CLOSED
    comm.Free()
    gather("done")


def test_only_reduces_cannot_hide_a_mismatch(team, gather):
    """Without other calls, each member raises after at most twice as many calls as the limit."""
    n, me = team.size, team.index
    teach(team)
    redcoll.barrier(team=team)
    error = None
    for call in range(2 * team.sizes.ahead):
        is_wrong = call == 0 and me == n - 1
        try:
            reduce(team, np.zeros(COUNT), np.ones(COUNT), MAX if is_wrong else SUM)
        except CollectiveMismatchError as raised:
            error = raised
            break
    assert f"PE {n - 1} called reduce(op=MAX" in str(error)
    gather("done")


@pytest.mark.parametrize("other", ["memmap", "longlong"])
def test_calls_in_python_and_in_the_compiled_kernel_are_in_step(team, other):
    """The first call is in Python. Then some members pass sources that Python must look at."""
    n, me = team.size, team.index
    compared = 0
    for last in range(2, 9):
        count = 10 + last
        for step in range(2 * last):
            source, target = np.arange(count) + me * step, np.zeros(count, np.int64)
            is_other = step and step % last == me % last
            if is_other and other == "memmap":
                source = source.view(np.memmap)
            elif is_other:
                source, target = source.astype(np.longlong), target.astype(np.longlong)
            redcoll.reduce(target, source, SUM, 0, team=team)
            if me == 0:
                wanted = n * np.arange(count) + step * n * (n - 1) // 2
                compared += oracle.assert_same(target.astype(np.int64), wanted)
    assert (compared > 500) == (me == 0)


@pytest.mark.parametrize("between", ["scan", "function", "long"])
def test_reduces_next_to_other_calls(team, between):
    """Members that go on must not write to memory that others still use for an earlier call."""
    n, me = team.size, team.index
    numbers = np.random.default_rng(5)
    count, long = 40, 300_001
    plus = redcoll.user_op(lambda a, b: a + b, name="plus")
    compared = 0

    def check(step, root):
        target = np.zeros(count)
        reduce(team, target, np.arange(count) + 100.0 * me + step, SUM, root)
        wanted = n * np.arange(count) + 50.0 * n * (n - 1) + step * n
        return oracle.assert_same(target, wanted) if me == root else 0

    def other(step):
        if between == "scan":
            target = np.zeros(count)
            redcoll.scan(target, np.full(count, float(me + step)), SUM, team=team)
            wanted = float(sum(pe + step for pe in range(me + 1)))
            return oracle.assert_same(target, np.full(count, wanted))
        if between == "function":
            target = np.zeros(count)
            redcoll.allreduce(target, np.full(count, float(me + step)), plus, team=team)
            wanted = float(sum(pe + step for pe in range(n)))
            return oracle.assert_same(target, np.full(count, wanted))
        target = np.zeros(long)
        redcoll.allreduce(target, np.full(long, float(me + step)), SUM, team=team)
        return oracle.assert_same(target, np.full(long, float(sum(range(n)) + n * step)))

    for step in range(80):
        root = int(numbers.choice([0, n - 1]))
        late = int(numbers.integers(n))
        for turn in range(int(numbers.integers(1, 4))):
            if late == me:
                time.sleep(0.002)
            compared += check(step + turn, root)
        if late == (me + 1) % n:
            time.sleep(0.002)
        compared += other(step)
    assert compared > 10
