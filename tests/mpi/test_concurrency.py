"""Test that successive calls on overlapping sets do not mix, with fast and slow PEs."""

import random
import sys
import threading
import time

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded
from mpi4py import MPI

import redcoll
from redcoll import MAX, MIN, SUM, ActiveSet, CollectiveMismatchError, RemoteOpError, Team, user_op
from redcoll.team import lifecycle

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

LOOPS = 1000


def sum_of(members, value):
    """Return the sum of ``pe + value`` over the members."""
    return float(sum(members) + len(members) * value)


def reduce_on(active, world, value, count=3):
    """Make a reduction whose result depends on the set and on ``value``, the loop's number."""
    y = np.zeros(count)
    redcoll.allreduce(y, np.full(count, world.pe + float(value)), active_set=active)
    expected = sum_of(active.pes, value)
    assert (y == expected).all(), f"{active}, loop {value}: {y} instead of {expected}"


def test_many_small_reductions_back_to_back(world, delays, many):
    """Sizes and operations alternate. Each result must belong to its own call."""
    n, me = world.n_pes, world.pe
    sizes = (1, 2, 7, 1, 100, 3)
    targets = {size: np.zeros(size) for size in sizes}
    sources = {size: np.zeros(size) for size in sizes}
    for loop in range(many):
        size = sizes[loop % len(sizes)]
        y, x = targets[size], sources[size]
        x[...] = loop * 3 + me
        if loop % 8 == 0:
            delays()
        kind = loop % 3
        if kind == 0:
            redcoll.allreduce(y, x, SUM)
            expected = n * loop * 3 + n * (n - 1) / 2
        elif kind == 1:
            redcoll.allreduce(y, x, MAX)
            expected = loop * 3 + n - 1
        else:
            redcoll.allreduce(y, x, MIN)
            expected = loop * 3
        assert y[0] == expected
        assert y[-1] == expected
        x[...] = -1  # the caller may change the source after the call


def test_in_place_back_to_back(world, delays):
    """The result of each call is the source of the next call."""
    n = world.n_pes
    x = redcoll.full(5, 1.0)
    for loop in range(LOOPS // 2):
        redcoll.allreduce(x, x, SUM)
        assert (x == n).all()
        redcoll.allreduce(x, x, MIN)
        assert (x == n).all()
        x /= n
        if loop % 16 == 0:
            delays()
    redcoll.free(x)


# -- sets ---------------------------------------------------------------------------------------


@pytest.mark.mpi(min_size=2)
def test_even_and_odd_sets_at_the_same_time(world, delays):
    n = world.n_pes
    start = world.pe % 2
    active = ActiveSet(start, 1, (n - start + 1) // 2)
    for loop in range(LOOPS):
        delays()
        reduce_on(active, world, loop)
    redcoll.barrier()


@pytest.mark.mpi(min_size=2)
def test_nested_sets_in_alternating_order(world, delays):
    """Each PE calls on all its sets: all PEs, the lower PEs, the even PEs, and pairs."""
    n, me = world.n_pes, world.pe
    sets = [
        ActiveSet(0, 0, n),
        ActiveSet(0, 0, (n + 1) // 2),
        ActiveSet(0, 1, (n + 1) // 2),
        ActiveSet(n - 2, 0, 2),
        ActiveSet(0, 0, 2),
    ]
    sets = [active for active in sets if active.size > 1]
    calls = 0
    for loop in range(LOOPS):
        for active in sets if loop % 2 else reversed(sets):
            if active.index(me) is not None:
                delays()
                reduce_on(active, world, loop, 1 + loop % 5)
                calls += 1
    assert calls >= LOOPS
    redcoll.barrier()


def test_sets_that_shrink_without_a_barrier(world, delays):
    n, me = world.n_pes, world.pe
    calls = 0
    for loop in range(LOOPS):
        size = n - loop % n
        if me < size:
            delays()
            reduce_on(ActiveSet(0, 0, size), world, loop)
            calls += 1
    assert calls >= LOOPS // n
    redcoll.barrier()


@pytest.mark.mpi(min_size=4)
def test_a_slow_set_does_not_hold_up_another(world):
    """Sets without a common member do not wait for each other."""
    me = world.pe
    fast, slow = ActiveSet(0, 0, 2), ActiveSet(2, 0, 2)
    mine = fast if me < 2 else slow if me < 4 else None
    redcoll.barrier()
    if mine is not None:
        reduce_on(mine, world, 0)
    redcoll.barrier()
    if mine is slow:
        # PE 0 sends after its own calls. If the calls of PE 0 waited for this set, the test would
        # deadlock.
        MPI.COMM_WORLD.recv(source=0)
    if mine is not None:
        for loop in range(20):
            reduce_on(mine, world, loop)
    if me == 0:
        for pe in slow.pes:
            MPI.COMM_WORLD.send("the fast set is through", pe)
    redcoll.barrier()


# -- barrier ------------------------------------------------------------------------------------


@pytest.mark.one_node
def test_a_barrier_waits_for_all_members(world, delays):
    """After the barrier, each PE sees the counts that all PEs stored before the barrier."""
    n = world.n_pes
    x = redcoll.zeros(8, "i8")
    counts = [world.heap.view(pe, world.heap.offset(x), "i8", 8) for pe in range(n)]
    for loop in range(LOOPS):
        delays()
        x[loop % 8] = loop
        redcoll.barrier()
        # Another PE may be one barrier ahead, so successive counts use different elements.
        assert [int(count[loop % 8]) for count in counts] == [loop] * n
        if loop % 3 == 0:
            delays()
    redcoll.barrier()
    redcoll.free(x)


@pytest.mark.one_node
def test_direct_stores_are_seen_after_a_reduction(world, delays):
    """Between calls, each PE stores to its neighbour's source. The next call sees these values."""
    n, me = world.n_pes, world.pe
    count = 6000
    x, y = redcoll.zeros(count), redcoll.zeros(count)
    theirs = world.heap.view((me + 1) % n, world.heap.offset(x), "f8", count)
    for loop in range(100):
        theirs[...] = loop + me
        redcoll.barrier()
        redcoll.allreduce(y, x)
        assert (y == n * loop + n * (n - 1) / 2).all()
        delays()
    redcoll.barrier()
    redcoll.free(x)
    redcoll.free(y)


# -- random sequences of calls -------------------------------------------------------------------


def one_call(team, arena, numbers):
    """Call a collective that ``numbers`` chooses; return the number of elements compared.

    Members differ only in the placement of their arrays.
    """
    n, me = team.size, team.index
    name = numbers.choice(["allreduce", "allreduce", "reduce", "scan", "exscan", "reduce_scatter"])
    op = numbers.choice(["SUM", "SUM", "MAX", "MIN", "XOR", "user", "whole"])
    dtype = np.dtype(
        numbers.choice(["i8", "i4", "u2", "i1"] if op == "XOR" else ["i8", "f8", "f4"])
    )
    count = numbers.choice([1, 3, 17, 128, 129, 600, 1500, numbers.randrange(1, 3000)])
    place = numbers.choice(["symmetric", "private", "mixed", "random"])
    seed = numbers.randrange(1 << 30)
    root = numbers.randrange(n)
    in_place = numbers.random() < 0.3 and name != "reduce_scatter"
    is_symmetric = {
        "symmetric": True,
        "private": False,
        "mixed": me % 2 == 0,
        "random": (seed >> me) & 1 == 1,
    }[place]
    if name == "reduce_scatter":
        count = -(-count // n) * n
    values = np.random.default_rng(seed).integers(-50, 50, (n, count))
    rows = values.astype(dtype)
    arena.reset()
    symmetric = [Guarded(count, dtype, arena.take) for _ in range(2)]
    source, target = symmetric if is_symmetric else [Guarded(count, dtype) for _ in range(2)]
    source.array[...] = rows[me]
    if in_place:
        target = source
    function = {
        "user": user_op(lambda a, b: a - b, name="minus", elementwise=True),
        "whole": user_op(lambda a, b: a - b, name="whole minus"),
    }.get(op) or getattr(redcoll, op)

    def fold(some):
        if op in ("user", "whole"):
            return oracle.left_fold(lambda a, b: a - b, some)
        return oracle.fold(op, some)

    if name == "reduce":
        redcoll.reduce(target.array, source.array, function, root, team=team)
        expected = fold(rows) if me == root else None
    elif name == "reduce_scatter":
        block = count // n
        mine = slice(me * block, (me + 1) * block)
        redcoll.reduce_scatter(target.array[:block], source.array, function, team=team)
        oracle.assert_same(target.array[:block], fold(rows)[mine], what=f"{name} {op}")
        expected = None
    else:
        getattr(redcoll, name)(target.array, source.array, function, team=team)
        upto = {"allreduce": n, "scan": me + 1, "exscan": me}[name]
        expected = fold(rows[:upto]) if upto else None
    for each in (*symmetric, source, target):
        each.check()
    if expected is None:
        return 1
    what = f"{name} {op} of {count} {dtype}, {place}, in place {in_place}"
    return oracle.assert_same(target.array, expected, what=what)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_calls(tight, arena, delays, seed):
    numbers = random.Random(seed)
    compared = 0
    for _ in range(250 if tight.size <= 4 else 100):
        compared += one_call(tight, arena, numbers)
        delays()
    assert compared > 10_000


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_of_right_and_wrong_calls(tight_in_step, arena, delays, seed):
    """After mismatches, refused calls and failing functions, later calls match again."""
    tight = tight_in_step
    numbers = random.Random(100 + seed)
    n, me = tight.size, tight.index

    def fail(a, b):
        if me == bad:
            raise ZeroDivisionError
        return a

    wrongs = 0
    for _ in range(250 if n <= 4 else 100):
        kind = numbers.choice(["right", "right", "mismatch", "refusal", "failure", "all refuse"])
        bad = numbers.randrange(n)
        count = numbers.choice([1, 100, 129, 700, 1500])
        x, y = np.ones(count), np.zeros(count)
        delays()
        if kind == "right":
            one_call(tight, arena, numbers)
            continue
        wrongs += 1
        if kind == "mismatch":
            with pytest.raises(CollectiveMismatchError):
                redcoll.allreduce(y, x, MAX if me == bad else SUM, team=tight)
        elif kind == "refusal":
            target = np.zeros(count, "f4") if me == bad else y
            error = redcoll.DatatypeError if me == bad else CollectiveMismatchError
            with pytest.raises(error):
                redcoll.scan(target, x, team=tight)
        elif kind == "all refuse":
            with pytest.raises(redcoll.OpError):
                redcoll.allreduce(y, x, redcoll.MAXLOC, team=tight)
        else:
            op = user_op(fail, elementwise=numbers.random() < 0.5)
            error = ZeroDivisionError if me == bad else RemoteOpError
            with pytest.raises(error):
                redcoll.allreduce(y, x, op, team=tight)
        assert kind == "failure" or not y.any()
    assert wrongs > 30


@pytest.mark.mpi(min_size=2)
def test_threads_on_teams_of_their_own(world):
    """Different threads can use different teams at the same time."""
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("MPI runs without THREAD_MULTIPLE")
    n, me = world.n_pes, world.pe
    teams = [Team.from_comm(MPI.COMM_WORLD) for _ in range(3)]
    wrong = []

    def work(number, team):
        numbers = random.Random(number)
        try:
            for loop in range(150):
                count = numbers.choice([1, 50, 9000])
                y = np.zeros(count)
                redcoll.allreduce(y, np.full(count, me + 1000.0 * number + loop), team=team)
                expected = n * (n - 1) / 2 + n * (1000.0 * number + loop)
                if not (y == expected).all():
                    wrong.append((number, loop, y[0], expected))
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            wrong.append((number, error))

    threads = [
        threading.Thread(target=work, args=(number, team)) for number, team in enumerate(teams)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    for team in teams:
        team.close()


def test_a_wait_is_noted_while_another_thread_makes_and_closes_teams(world):
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("MPI runs without THREAD_MULTIPLE")
    kept = [Team.from_comm(MPI.COMM_SELF) for _ in range(5)]
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            Team.from_comm(MPI.COMM_SELF).close()

    thread, interval = threading.Thread(target=work), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        end_s = time.monotonic() + 2
        while time.monotonic() < end_s:
            lifecycle.note_wait("a wait")
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        thread.join()
    for team in kept:
        team.close()


@pytest.mark.mpi(min_size=2)
def test_pending_messages_progress_while_a_pe_waits(world):
    """The receivers wait for messages, so the senders must progress MPI while they wait here."""
    n, me = world.n_pes, world.pe
    data = np.arange(400_000.0)
    got = np.zeros_like(data)
    for loop in range(5):
        right, left = (me + 1) % n, (me - 1) % n
        if me % 2 == 0 and right != 0:
            request = MPI.COMM_WORLD.Isend(data, right, loop)
        elif me % 2 == 1:
            MPI.COMM_WORLD.Recv(got, left, loop)
            assert (got == data).all()
        reduce_on(ActiveSet(0, 0, n), world, loop)
        if me % 2 == 0 and right != 0:
            request.Wait()
