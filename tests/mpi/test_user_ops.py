"""Test functions of two arrays as operations: the order of operands, and exceptions."""

import functools
import gc
import itertools
import weakref

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded
from mpi4py import MPI

import redcoll
from redcoll import CollectiveMismatchError, RemoteOpError, user_op

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

COUNTS = (1, 17, 128, 129, 1025, 4000)


def affine(a, b):
    """Compose maps x -> p x + q, given as p + q i. The operation does not commute."""
    return a.real * b.real + 1j * (a.imag * b.real + b.imag)


def matrix(a, b):
    """Multiply 2 x 2 integer matrices. The product needs whole vectors and does not commute."""
    n = a.size // 4
    return (a.reshape(n, 2, 2) @ b.reshape(n, 2, 2)).reshape(a.shape)


def left(a, b):
    return a


def right(a, b):
    return b


def makers(arena):
    return {"symmetric": arena.take, "private": np.empty}


def run(team, arena, op, row, place):
    """Call the collectives with an operation; return the guarded targets by name."""
    take = makers(arena)[place]
    count = len(row)
    results = {}
    arena.reset()
    for name, args in (("allreduce", ()), ("scan", ()), ("exscan", ()), ("reduce", (0,))):
        source, target = Guarded(count, row.dtype, take), Guarded(count, row.dtype, take)
        source.array[...] = row
        getattr(redcoll, name)(target.array, source.array, op, *args, team=team)
        oracle.assert_same(source.array, row, what="source")
        source.check()
        target.check()
        results[name] = target
    return results


def check(team, results, function, rows):
    me = team.index
    compared = 0
    whole = oracle.left_fold(function, rows)
    compared += oracle.assert_same(results["allreduce"].array, whole)
    upto = oracle.left_fold(function, rows[: me + 1])
    compared += oracle.assert_same(results["scan"].array, upto)
    if me:
        before = oracle.left_fold(function, rows[:me])
        compared += oracle.assert_same(results["exscan"].array, before)
        results["reduce"].check_untouched()
    else:
        results["exscan"].check_untouched()
        compared += oracle.assert_same(results["reduce"].array, whole)
    return compared


@pytest.mark.parametrize("place", ["symmetric", "private"])
@pytest.mark.parametrize("elementwise", [True, False])
def test_functions_that_do_not_commute(tight, arena, place, elementwise):
    n, me = tight.size, tight.index
    op = user_op(affine, elementwise=elementwise)
    compared = 0
    for count in COUNTS:
        numbers = np.random.default_rng(count)
        rows = numbers.integers(-3, 4, (n, count)) + 1j * numbers.integers(-9, 10, (n, count))
        compared += check(tight, run(tight, arena, op, rows[me], place), affine, rows)
    assert compared >= 3 * sum(COUNTS)


@pytest.mark.parametrize("place", ["symmetric", "private"])
def test_whole_vectors_reach_a_function_that_wants_them(tight, arena, place):
    """Without ``elementwise``, each call of the function gets all elements, on every path."""
    n, me = tight.size, tight.index
    compared = 0
    for count in (4, 128, 132, 1024, 4000):
        sizes = set()

        def product(a, b, sizes=sizes):
            sizes.add((a.size, b.size))
            return matrix(a, b)

        rows = np.random.default_rng(count).integers(-2, 3, (n, count)).astype("i8")
        op = user_op(product, name="matrix")
        compared += check(tight, run(tight, arena, op, rows[me], place), matrix, rows)
        assert sizes <= {(count, count)}
        assert sizes or n == 1
    assert compared > 10_000


def test_private_vectors_take_one_round_a_chunk_and_two_more(tight):
    """The first round compares the calls, and the last round reports exceptions of the function."""
    if not tight.layout.is_one_node or tight.size == 1:
        pytest.skip("several nodes gather whole vectors")
    chunks = 5
    source = np.arange(chunks * 4096.0 / 8)
    before = tight.channel.sequence
    redcoll.allreduce(np.zeros_like(source), source, lambda a, b: a + b, team=tight)
    assert tight.channel.sequence - before == tight.size * chunks + 2


def test_left_and_right_show_the_order(tight, arena):
    n, me = tight.size, tight.index
    for count in (3, 200, 3000):
        for function, winner in ((left, 0), (right, n - 1)):
            for elementwise in (True, False):
                row = np.full(count, me, "i4")
                op = user_op(function, elementwise=elementwise)
                results = run(tight, arena, op, row, "private")
                expected = np.full(count, winner, "i4")
                assert oracle.assert_same(results["allreduce"].array, expected) == count


def test_a_function_given_as_it_is(tight):
    """A plain callable gets whole vectors."""
    n, me = tight.size, tight.index
    for function in (affine, functools.partial(affine), lambda a, b: affine(a, b) + 0):
        x = np.array([me + 1 + 1j, 2 - 1j * me])
        rows = [np.array([i + 1 + 1j, 2 - 1j * i]) for i in range(n)]
        y = np.zeros(2, complex)
        redcoll.allreduce(y, x, function, team=tight)
        assert oracle.assert_same(y, oracle.left_fold(affine, rows)) == 2


@pytest.mark.parametrize("ufunc", [np.fmax, np.arctan2, np.subtract, np.gcd, np.hypot])
@pytest.mark.parametrize("place", ["symmetric", "private"])
def test_ufuncs_that_are_no_operation_of_redcolls(tight, arena, ufunc, place):
    n, me = tight.size, tight.index
    dtype = "i8" if ufunc is np.gcd else "f8"
    compared = 0
    for count in COUNTS:
        rows = np.random.default_rng(count).integers(1, 1000, (n, count)).astype(dtype)
        if ufunc is np.fmax:
            rows[0, ::3] = np.nan
        compared += check(tight, run(tight, arena, ufunc, rows[me], place), ufunc, rows)
    assert compared >= 3 * sum(COUNTS)


def test_ufuncs_that_are_operations_of_redcolls(tight):
    """``numpy.add`` means SUM, even if another member passes SUM."""
    n, me = tight.size, tight.index
    x = np.arange(5.0) + me
    y = np.zeros(5)
    redcoll.allreduce(y, x, np.add if me % 2 else redcoll.SUM, team=tight)
    assert oracle.check("SUM", [np.arange(5.0) + i for i in range(n)], y) == 5


def test_frompyfunc(tight):
    """The ufunc returns Python objects, which the function casts to the element type."""
    n, me = tight.size, tight.index
    x = np.arange(4) + me
    y = np.zeros(4, x.dtype)
    op = user_op(lambda a, b: np.frompyfunc(lambda p, q: p + q, 2, 1)(a, b).astype(a.dtype))
    redcoll.allreduce(y, x, op, team=tight)
    assert oracle.check("SUM", [np.arange(4) + i for i in range(n)], y) == 4


@pytest.mark.parametrize("elementwise", [False, True])
def test_a_function_is_not_called_for_no_elements(tight, elementwise):
    def longest(a, b):
        return a if a.max() >= b.max() else b  # raises for empty arrays

    op = user_op(longest, elementwise=elementwise)
    nothing = np.empty(0)
    for name in ("allreduce", "reduce", "scan", "exscan", "reduce_scatter"):
        getattr(redcoll, name)(np.empty(0), nothing, op, team=tight)
    y = np.zeros(2)
    redcoll.allreduce(y, np.full(2, float(tight.index)), op, team=tight)
    assert oracle.assert_same(y, np.full(2, tight.size - 1.0)) == 2


def test_a_function_may_return_an_operand(tight):
    """A function may return its operand: redcoll copies the result."""
    n, me = tight.size, tight.index
    for count in (5, 1000):
        x = np.full(count, float(me))
        y = np.zeros(count)
        redcoll.allreduce(y, x, user_op(left), team=tight)
        redcoll.barrier(team=tight)
        assert oracle.assert_same(y, np.zeros(count)) == count
        redcoll.allreduce(y, x, user_op(right), team=tight)
        assert oracle.assert_same(y, np.full(count, float(n - 1))) == count


@pytest.mark.mpi(min_size=2)
def test_operands_are_read_only_so_that_others_memory_is_safe(tight, arena):
    me = tight.index

    def destructive(a, b):
        b += a
        return b

    for count in (5, 1000):
        for place in ("symmetric", "private"):
            for elementwise in (True, False):
                arena.reset()
                take = makers(arena)[place]
                x, y = take(count, "f8"), take(count, "f8")
                x[...] = me
                op = user_op(destructive, elementwise=elementwise)
                with pytest.raises((ValueError, RemoteOpError)):
                    redcoll.allreduce(y, x, op, team=tight)
                assert oracle.assert_same(x, np.full(count, float(me))) == count
    redcoll.barrier(team=tight)


# -- exceptions ---------------------------------------------------------------------------------


class Trouble(Exception):
    """The exception that a function of the user raises."""


def calls(op, team, count, take=np.empty):
    """Return functions that call every collective with this operation."""
    source, target = take(count, "f8"), take(count, "f8")
    source[...] = team.index
    n = team.size
    lengths = [0] * n
    lengths[-1] = count
    mine = target[: lengths[team.index]]
    return {
        "allreduce": lambda: redcoll.allreduce(target, source, op, team=team),
        "reduce": lambda: redcoll.reduce(target, source, op, 0, team=team),
        "reduce_scatter": lambda: redcoll.reduce_scatter(mine, source, op, lengths, team=team),
        "scan": lambda: redcoll.scan(target, source, op, team=team),
        "exscan": lambda: redcoll.exscan(target, source, op, team=team),
    }


def check_usable(team):
    x = np.full(3, team.index + 1.0)
    y = np.zeros(3)
    redcoll.allreduce(y, x, team=team)
    n = team.size
    assert oracle.assert_same(y, np.full(3, n * (n + 1) / 2)) == 3


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("count", [4, 1000, 5000])
@pytest.mark.parametrize("elementwise", [True, False])
@pytest.mark.parametrize("place", ["symmetric", "private"])
def test_an_exception_on_all(tight, arena, count, elementwise, place):
    """A member whose function raised gets that exception. Other members get a RemoteOpError."""

    def fail(a, b):
        raise Trouble("no such thing")

    op = user_op(fail, elementwise=elementwise)
    for name in calls(op, tight, count):
        if name == "exscan" and tight.size == 2:
            continue  # a single rank combines nothing
        arena.reset()
        call = calls(op, tight, count, makers(arena)[place])[name]
        with pytest.raises((Trouble, RemoteOpError)) as caught:
            call()
        assert "no such thing" in str(caught.value)
        if name == "allreduce" and not elementwise:
            assert isinstance(caught.value, Trouble)  # every member combines all vectors
        check_usable(tight)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("count", [4, 1000, 5000])
@pytest.mark.parametrize("elementwise", [True, False])
def test_an_exception_on_one(tight, gather, count, elementwise):
    me, n = tight.index, tight.size
    for bad in {0, n - 1}:

        def fail_there(a, b, bad=bad):
            if me == bad:
                raise Trouble(f"only on {bad}")
            return a + b

        op = user_op(fail_there, elementwise=elementwise)
        # In an allreduce all members call the function. In other collectives some members may not
        # call the function.
        call = calls(op, tight, count)["allreduce"]
        if me == bad:
            with pytest.raises(Trouble, match=f"only on {bad}"):
                call()
        else:
            with pytest.raises(RemoteOpError, match=rf"PE {bad} raised Trouble: only on {bad}"):
                call()
        check_usable(tight)
        for name, call in calls(op, tight, count).items():
            try:
                call()
                outcome = "ok"
            except Trouble:
                outcome = "trouble"
            except RemoteOpError:
                outcome = "remote"
            outcomes = gather(outcome)
            assert outcomes[bad] in ("ok", "trouble"), name
            others = set(outcomes[:bad] + outcomes[bad + 1 :])
            assert others == ({"ok"} if outcomes[bad] == "ok" else {"remote"}), name
            check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_exceptions_twice_in_a_row_and_several_at_once(tight):
    me = tight.index

    def fail(a, b):
        raise Trouble(f"from {me}")

    op = user_op(fail)
    for _ in range(5):
        for name, call in calls(op, tight, 10).items():
            if name == "exscan" and tight.size == 2:
                continue
            with pytest.raises((Trouble, RemoteOpError)):
                call()
    check_usable(tight)


class Mute(Exception):
    """An exception whose text cannot be computed."""

    def __str__(self):
        raise Trouble("no text either")


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("count", [10, 5000])
def test_an_exception_whose_text_raises_is_the_error_of_the_function(tight, count):
    def fail(a, b):
        if tight.index == 0:
            raise Mute
        return a + b

    call = calls(user_op(fail), tight, count)["allreduce"]
    error = Mute if tight.index == 0 else RemoteOpError
    with pytest.raises(error):
        call()
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_long_message_is_cut_not_lost(tight):
    me = tight.index

    def fail(a, b):
        if me == 0:
            raise Trouble("ä" * 100_000)
        return a

    call = calls(user_op(fail), tight, 10)["allreduce"]
    with pytest.raises((Trouble, RemoteOpError)) as caught:
        call()
    assert "ääää" in str(caught.value)
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_result_of_the_wrong_shape_or_type_is_an_error_of_the_function(tight):
    for function, error in (
        (lambda a, b: (a + b)[:1], redcoll.OpError),
        (lambda a, b: a + b + 0.5j, TypeError),
        (lambda a, b: "text", (redcoll.OpError, TypeError, ValueError)),
        (lambda a, b: None, (redcoll.OpError, TypeError)),
        (lambda a: a, TypeError),
    ):
        for elementwise in (True, False):
            call = calls(user_op(function, elementwise=elementwise), tight, 1000)["allreduce"]
            with pytest.raises((*np.atleast_1d(error), RemoteOpError)):
                call()
            check_usable(tight)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("way", ["user_op", "callable"])
def test_functions_of_earlier_calls_are_not_kept(world, way):
    """A function can refer to large arrays, so a team keeps only a few functions."""
    functions, lasting = [], user_op(left)
    target, source = np.zeros(3), np.ones(3)
    for _ in range(200):

        def first(a, b):
            return a

        op = user_op(first) if way == "user_op" else first
        for reduce in (redcoll.allreduce, redcoll.reduce, redcoll.scan):
            reduce(target, source, op)
        redcoll.allreduce(target, source, lasting)
        functions.append(weakref.ref(first))
    del first, op
    gc.collect()
    assert sum(each() is not None for each in functions) < 50
    assert len(world.team._keys_of) <= 32


@pytest.mark.parametrize("n_functions", [1, 20])
def test_calls_with_the_same_functions_are_kept(n_functions, monkeypatch):
    """A program may use a few functions with vectors of many lengths."""
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    ops = [user_op(left) for _ in range(n_functions)]
    vectors = [(np.zeros(count), np.ones(count)) for count in range(1, 11)]
    for op, (target, source) in itertools.product(ops, vectors):
        redcoll.allreduce(target, source, op, team=team)
    monkeypatch.setattr(team, "remember", None)
    for op, (target, source) in itertools.product(ops, vectors):
        redcoll.allreduce(target, source, op, team=team)
    team.close()


@pytest.mark.mpi(min_size=2)
def test_functions_of_other_names_are_a_mismatch(tight):
    me = tight.index
    op = user_op(left) if me == 0 else user_op(right)
    for count in (4, 1000):
        for name, call in calls(op, tight, count).items():
            with pytest.raises(CollectiveMismatchError) as caught:
                call()
            assert "PE 0 called" in str(caught.value), name
            assert "user function" in str(caught.value), name
            check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_base_exception_ends_the_fold_at_once_and_does_not_hang_the_others(world):
    """After Ctrl-C inside the function the team is broken, and no rank waits forever."""
    me, n = world.pe, world.n_pes

    def interrupted(a, b):
        if me == n - 1:
            raise KeyboardInterrupt
        return a + b

    for count in (10, 100_000):
        # Use a separate team, because the interrupt breaks the team.
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        call = calls(user_op(interrupted, elementwise=True), team, count)["allreduce"]
        with pytest.raises((KeyboardInterrupt, redcoll.PeerLostError)) as caught:
            call()
        assert isinstance(caught.value, KeyboardInterrupt) == (me == n - 1)
        with pytest.raises(redcoll.TeamBrokenError):
            call()
        MPI.COMM_WORLD.Barrier()
        team.close()
