"""Test shmem4py's API: teams, contexts, atomic operations, waits, signals and locks."""

import re
import time

import numpy as np
import pytest
from mpi import oracle

import redcoll
from redcoll import CollectiveMismatchError, StateError, SymmetryError
from redcoll_shmem import shmem

pytestmark = pytest.mark.mpi


@pytest.fixture(autouse=True)
def _started(world):
    """Start redcoll again if a failed test has ended it."""


def me():
    return shmem.my_pe()


def n():
    return shmem.n_pes()


@pytest.fixture
def new():
    """Return a function that allocates arrays. They are freed after the test."""
    made = []

    def allocate(count=1, dtype="l", value=0):
        made.append(shmem.full(count, value, dtype))
        return made[-1]

    yield allocate
    for each in reversed(made):
        shmem.free(each)


# -- teams ----------------------------------------------------------------------------------------


def strides():
    """Return (start, stride, size) of several splits of all PEs, and the expected members."""
    return [
        ((0, 1, None), list(range(n()))),
        ((0, 2, None), list(range(0, n(), 2))),
        ((n() - 1, -1, None), list(range(n() - 1, -1, -1))),
        ((n() - 1, 3, 1), [n() - 1]),
        ((n() // 2, 1, None), list(range(n() // 2, n()))),
    ]


@pytest.mark.parametrize("case", range(5))
def test_split(new, case):
    arguments, pes = strides()[case]
    x, y = new(3), new(3, value=10 + me())
    with shmem.TEAM_WORLD.split_strided(*arguments) as team:
        assert bool(team) == (me() in pes) == (team != shmem.TEAM_INVALID)
        if not team:
            with pytest.raises(RuntimeError, match="TEAM_INVALID"):
                team.my_pe()
            return
        assert (team.n_pes(), team.my_pe()) == (len(pes), pes.index(me()))
        assert [team.translate_pe(at) for at in range(len(pes))] == pes
        assert team.translate_pe() == me()
        for pe in range(n()):
            if pe in pes:
                assert shmem.TEAM_WORLD.translate_pe(pe, team) == pes.index(pe)
            else:
                with pytest.raises(RuntimeError, match=f"translate_pe: PE {pe} of the team"):
                    shmem.TEAM_WORLD.translate_pe(pe, team)
        shmem.sum_reduce(x, y, team=team)
        assert x.tolist() == [sum(10 + pe for pe in pes)] * 3
        shmem.broadcast(x, y, len(pes) - 1, team=team)
        assert x.tolist() == [10 + pes[-1]] * 3
        team.sync()
        shmem.sync(team)
    assert not team
    team.destroy()  # a second call does nothing


def test_copies_in_a_team(new):
    pes = list(range(0, n(), 2))
    target, source = new(2 * n()), new(2 * n(), value=100 * me())
    source += np.arange(2 * n())
    shmem.barrier_all()
    team = shmem.TEAM_WORLD.split_strided(stride=2)
    if team:
        shmem.fcollect(target, source, 2, team)
        assert target[: 2 * len(pes)].tolist() == [100 * pe + i for pe in pes for i in range(2)]
        shmem.collect(target, source, team.my_pe() % 2, team)
        odd = [100 * pe for index, pe in enumerate(pes) if index % 2]
        assert target[: len(odd)].tolist() == odd
        shmem.alltoall(target, source, 1, team)
        assert target[: len(pes)].tolist() == [100 * pe + team.my_pe() for pe in pes]
        target[...] = -1
        size = len(pes)
        shmem.alltoalls(target, source, 2, 1, 1, team)
        assert target[: 2 * size : 2].tolist() == [100 * pe + team.my_pe() for pe in pes]
        assert (target[1::2] == -1).all()
        team.destroy()


def test_a_team_of_a_team(new):
    x = new(1, value=me())
    half = shmem.TEAM_WORLD.split_strided(size=(n() + 1) // 2, num_contexts=3)
    if half:
        assert half.get_config() == {"num_contexts": 3}
        again = half.split_strided(0, 2, None, {"num_contexts": 1})
        if again:
            assert again.get_config() == {"num_contexts": 1}
            shmem.max_reduce(x, x, team=again)
            assert x[0] == max(range(0, (n() + 1) // 2, 2))
            again.destroy()
        half.destroy()


def test_predefined_teams_and_their_other_names():
    world = shmem.TEAM_WORLD
    assert (world.my_pe(), world.n_pes()) == (me(), n())
    assert world.get_config() == {"num_contexts": 0}
    assert shmem.TEAM_SHARED
    assert me() in [shmem.TEAM_SHARED.translate_pe(at) for at in range(shmem.TEAM_SHARED.n_pes())]
    for each in (shmem.TEAM_WORLD, shmem.TEAM_SHARED, shmem.TEAM_INVALID):
        each.destroy()
        alias = shmem.Team(each)
        assert alias == each
        assert (alias != each) is False
        assert bool(alias) == bool(each)
        alias.destroy()
        assert alias == shmem.TEAM_INVALID
    assert shmem.TEAM_WORLD
    assert shmem.Team() == shmem.TEAM_INVALID
    assert (shmem.TEAM_WORLD == 3, shmem.TEAM_WORLD != 3) == (False, True)
    with pytest.raises(TypeError, match="team is a int"):
        shmem.Team(3)
    with pytest.raises(TypeError):
        hash(world)


def test_teams_that_were_destroyed(new):
    x = new(1)
    team = shmem.TEAM_WORLD.split_strided()
    alias = shmem.Team(team)
    team.destroy()
    for call in (
        alias.sync,
        alias.n_pes,
        lambda: shmem.sum_reduce(x, x, team=alias),
        alias.split_strided,
        alias.create_ctx,
        alias.destroy,
    ):
        with pytest.raises(RuntimeError, match="destroyed"):
            call()
    for call in ("my_pe", "n_pes", "get_config", "sync", "create_ctx", "split_strided"):
        with pytest.raises(StateError, match="TEAM_INVALID"):
            getattr(shmem.TEAM_INVALID, call)()
    with pytest.raises(RuntimeError, match="translate_pe: PE 0"):
        shmem.TEAM_WORLD.translate_pe(0, shmem.TEAM_INVALID)


def test_wrong_splits():
    with pytest.raises(ValueError, match="start"):
        shmem.TEAM_WORLD.split_strided(0, 1, n() + 1)
    with pytest.raises(ValueError, match="takes num_contexts"):
        shmem.TEAM_WORLD.split_strided(contexts=3)
    with pytest.raises(ValueError, match="stride is 'x'"):
        shmem.TEAM_WORLD.split_strided(stride="x")
    if n() > 1:
        expected = ValueError if me() == 0 else CollectiveMismatchError
        with pytest.raises(expected):
            shmem.TEAM_WORLD.split_strided(size=n() + 1 if me() == 0 else n())
    shmem.barrier_all()


# -- contexts -------------------------------------------------------------------------------------


def test_contexts(new):
    x = new(4, "d", -1)
    right = (me() + 1) % n()
    with shmem.Ctx.create(shmem.CTX_SERIALIZED | shmem.CTX_NOSTORE) as ctx:
        assert ctx
        assert ctx != shmem.CTX_DEFAULT
        assert ctx.get_team() == shmem.TEAM_WORLD
        shmem.put(x, np.array([1.0 + me()]), right, ctx=ctx)
        ctx.fence()
        shmem.put_nbi(x[1:], np.array([2.0]), right, ctx=ctx)
        shmem.quiet(ctx)
        ctx.quiet()
    assert not ctx
    assert ctx == shmem.CTX_INVALID
    shmem.barrier_all()
    assert x.tolist() == [1 + (me() - 1) % n(), 2, -1, -1]


def test_the_pes_of_a_context_are_those_of_its_team(new):
    x = new(1, value=-1)
    team = shmem.TEAM_WORLD.split_strided(n() - 1, -1)
    ctx = team.create_ctx()
    assert ctx.get_team() == team
    shmem.atomic_set(x, me(), n() - 1 - me(), ctx)  # the caller's own element
    assert x[0] == me()
    shmem.put(x, np.array([100 + me()]), team.my_pe(), ctx=ctx)
    shmem.fence(ctx)
    assert x[0] == 100 + me()
    assert shmem.atomic_fetch(x, team.my_pe(), ctx) == 100 + me()
    with pytest.raises(ValueError, match=f"pe is {n()}"):
        shmem.atomic_fetch(x, n(), ctx)
    ctx.destroy()
    ctx.destroy()
    shmem.barrier_all()
    alias = shmem.Ctx(team.create_ctx())
    team.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        shmem.put(x, x.copy(), 0, ctx=alias)


def test_predefined_contexts_and_their_other_names(new):
    x = new(1)
    for each in (shmem.CTX_DEFAULT, shmem.CTX_INVALID):
        each.destroy()
        alias = shmem.Ctx(each)
        assert alias == each
        alias.destroy()
        assert alias == shmem.CTX_INVALID
    assert shmem.CTX_DEFAULT
    assert shmem.Ctx() == shmem.CTX_INVALID
    shmem.CTX_DEFAULT.fence()
    for call in (
        lambda: shmem.quiet(shmem.CTX_INVALID),
        shmem.CTX_INVALID.fence,
        shmem.CTX_INVALID.get_team,
        lambda: shmem.put(x, x.copy(), 0, ctx=shmem.CTX_INVALID),
        lambda: shmem.atomic_inc(x, 0, shmem.CTX_INVALID),
    ):
        with pytest.raises(RuntimeError, match="CTX_INVALID"):
            call()
    for call in (lambda: shmem.Ctx(3), lambda: shmem.fence(3), lambda: shmem.atomic_inc(x, 0, 3)):
        with pytest.raises(TypeError, match="ctx is a int"):
            call()
    for options in (-1, 8, "x"):
        with pytest.raises(ValueError, match="options is"):
            shmem.Ctx.create(options)
    shmem.barrier_all()


# -- atomic operations ----------------------------------------------------------------------------

INTEGERS = "bhilqBHILQ"
WORDS = ["add", "and", "or", "xor"]


def after(op, dtype, before, value):
    """Return the value after an operation, computed with Python's integers."""
    bits = 8 * dtype.itemsize
    result = {
        "set": value,
        "inc": before + 1,
        "add": before + value,
        "and": before & value,
        "or": before | value,
        "xor": before ^ value,
    }[op] % (1 << bits)
    return result - (1 << bits) if dtype.kind == "i" and result >> (bits - 1) else result


@pytest.mark.parametrize("code", INTEGERS)
def test_atomic_operations_on_integers(new, code):
    dtype = np.dtype(code)
    x, right = new(1, code), (me() + 1) % n()
    fetch = np.zeros((), dtype)
    edge = sorted({int(each) for each in oracle.boundary(code)[[0, -1, -4]]})
    expected, compared = 0, 0

    def left(value):
        """Check with all forms of fetch that the element has this value."""
        nonlocal compared
        assert type(shmem.atomic_fetch(x, right)) is int
        assert shmem.atomic_fetch(x, right) == value
        shmem.atomic_fetch_nbi(fetch, x, right)
        shmem.quiet()
        assert fetch == value
        compared += 1

    for value in edge:
        for op in ("set", "inc", *WORDS):
            arguments = () if op == "inc" else (value,)
            getattr(shmem, f"atomic_{op}")(x, *arguments, right)
            expected = after(op, dtype, expected, value)
            left(expected)
            verb = "swap" if op == "set" else f"fetch_{op}"
            assert getattr(shmem, f"atomic_{verb}")(x, *arguments, right) == expected
            expected = after(op, dtype, expected, value)
            left(expected)
            getattr(shmem, f"atomic_{verb}_nbi")(fetch, x, *arguments, right)
            assert fetch == expected
            expected = after(op, dtype, expected, value)
            left(expected)
            shmem.atomic_op(x, value, op, right)
            expected = after(op, dtype, expected, value)
            left(expected)
            assert shmem.atomic_fetch_op(x, value, shmem.AMO(op), right) == expected
            expected = after(op, dtype, expected, value)
            shmem.atomic_fetch_op_nbi(fetch, x, value, shmem.AMO(op), right)
            assert fetch == expected
            expected = after(op, dtype, expected, value)
            left(expected)
        assert shmem.atomic_compare_swap(x, expected, edge[0], right) == expected
        left(edge[0])
        other = edge[1]
        assert shmem.atomic_compare_swap(x, other, value, right) == edge[0]
        shmem.atomic_compare_swap_nbi(fetch, x, edge[0], value, right)
        assert fetch == edge[0]
        expected = value
        left(expected)
    assert compared > 20 * len(edge)
    shmem.barrier_all()


@pytest.mark.parametrize("code", "fd")
def test_atomic_operations_on_reals(new, code):
    x, right = new((), code), (me() + 1) % n()
    fetch = np.zeros(1, code)
    before = 0.0
    for value in (1.5, -0.0, float(np.finfo(code).max), float("inf"), 3):
        shmem.atomic_set(x, value, right)
        assert shmem.atomic_fetch(x, right) == value
        assert shmem.atomic_swap(x, 2.0, right) == value
        shmem.atomic_swap_nbi(fetch, x, value, right)
        assert fetch[0] == 2.0
        before = shmem.atomic_fetch_op(x, value, "set", right)
        assert before == value
        assert type(before) is float
    for call in (shmem.atomic_add, shmem.atomic_xor, shmem.atomic_fetch_add):
        with pytest.raises(TypeError, match="takes integers"):
            call(x, 1, right)
    shmem.barrier_all()


def test_each_value_is_handed_out_once(new):
    x, seen = new(1), new(n() * 20)
    for _ in range(20):
        value = shmem.atomic_fetch_inc(x, 0)
        shmem.atomic_inc(seen[value:][:1], n() - 1)
    shmem.barrier_all()
    if me() == n() - 1:
        assert seen.tolist() == [1] * (20 * n())
    assert shmem.atomic_fetch(x, 0) == 20 * n()
    shmem.barrier_all()


def test_operations_in_capitals(new):
    x = new(1)
    for word in ("ADD", "Add", shmem.AMO.ADD):
        shmem.atomic_op(x, 2, word, me())
    assert shmem.atomic_fetch_op(x, 0, "INC", me()) == 6
    assert x[0] == 7
    for op in ("mean", None, ["add"]):
        with pytest.raises(TypeError, match=re.escape(f"op is {op!r}")):
            shmem.atomic_op(x, 1, op, me())


def test_values_and_status_of_any_shape(new):
    x = new((2, 2))
    x[...] = [[1, 2], [3, 4]]
    assert shmem.test_all_vector(x, "==", [[1, 2], [3, 4]])
    assert shmem.test_some(x, ">", 1, [[0, 1], [0, 0]]) == [2, 3]
    assert shmem.test_any_vector(x, "==", np.array([[0, 0], [3, 0]], order="F")) == 2


def test_wrong_arguments_of_atomic_operations(new):
    x, two, small = new(1), new(2), new(1, "i")
    fetch = np.zeros(1, "l")
    locked = x[:]
    locked.flags.writeable = False
    with pytest.raises(AssertionError, match="target has 2 elements"):
        shmem.atomic_inc(two, 0)
    with pytest.raises(AssertionError, match="source has 0 elements"):
        shmem.atomic_fetch(two[:0], 0)
    with pytest.raises(AssertionError, match="fetch is of int32, target of int64"):
        shmem.atomic_fetch_inc_nbi(small, x, 0)
    with pytest.raises(AssertionError, match="fetch has 2"):
        shmem.atomic_fetch_nbi(two, x, 0)
    with pytest.raises(TypeError, match="target is a int64"):
        shmem.atomic_inc(x[0], 0)
    with pytest.raises(KeyError, match="bool"):
        shmem.atomic_set(np.zeros(1, "?"), 1, 0)
    with pytest.raises(TypeError, match="complex128"):
        shmem.atomic_set(np.zeros(1, "D"), 1, 0)
    with pytest.raises(ValueError, match="read-only"):
        shmem.atomic_inc(locked, 0)
    with pytest.raises(ValueError, match=f"pe is {n()}"):
        shmem.atomic_inc(x, n())
    with pytest.raises(SymmetryError):
        shmem.atomic_inc(fetch, 0)
    with pytest.raises(TypeError, match="op is 'mean'"):
        shmem.atomic_op(x, 1, "mean", 0)
    for value in (1 << 63, 1.5, "a", None):
        with pytest.raises(ValueError, match="value is"):
            shmem.atomic_add(x, value, 0)
    assert x[0] == 0
    shmem.barrier_all()


# -- waiting --------------------------------------------------------------------------------------

COMPARISONS = {
    "eq": ("==", lambda a, b: a == b),
    "ne": ("!=", lambda a, b: a != b),
    "gt": (">", lambda a, b: a > b),
    "le": ("<=", lambda a, b: a <= b),
    "lt": ("<", lambda a, b: a < b),
    "ge": (">=", lambda a, b: a >= b),
}


@pytest.mark.parametrize("code", INTEGERS)
def test_comparisons(new, code):
    x = new((), code)
    for name in COMPARISONS:
        compare_with_all(x, code, name)
    shmem.barrier_all()


def compare_with_all(x, code, name):
    sign, holds = COMPARISONS[name]
    member = shmem.CMP[name.upper()]
    for value in oracle.boundary(code)[:: 2 if np.dtype(code).itemsize > 1 else 1]:
        x[()] = value
        for other in (0, int(value), int(oracle.boundary(code)[-1])):
            wanted = holds(int(value), other)
            for each in (member, int(member), sign, name, name.upper()):
                assert shmem.test(x, each, other) is wanted
            assert shmem.test_all(x, member, other) is wanted
            assert shmem.test_any(x, member, other) == (0 if wanted else None)
            assert shmem.test_some(x, member, other) == ([0] if wanted else [])
            if wanted:
                shmem.wait_until(x, sign, other)
                shmem.wait_until_all(x, sign, other)


def test_which_elements_are_meant(new):
    v = new(4)
    v[2] = 5
    none, all_, some = [1] * 4, [0] * 4, [1, 1, 0, 1]
    assert [shmem.test_all(v, "==", 5, status) for status in (None, all_, none, some)] == [
        False,
        False,
        True,
        True,
    ]
    assert [shmem.test_any(v, "==", 5, status) for status in (None, all_, none, some)] == [
        2,
        2,
        None,
        2,
    ]
    assert [shmem.test_some(v, "<=", 5, status) for status in (None, all_, none, some)] == [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
        [],
        [2],
    ]
    for status in (
        (1, 1, 0, 1),
        np.array([1, 1, 0, 1], "b"),
        np.array([1.0, 1, 0, 1]),
        [1, 1, 0, 1, 0],
    ):
        assert shmem.test_some(v, "<=", 5, status) == [2]
    values = [0, 1, 5, 0]
    assert shmem.test_all_vector(v, "==", values) is False
    assert shmem.test_all_vector(v, "==", values, [0, 1, 0, 0]) is True
    assert shmem.test_any_vector(v, "==", values, [1, 0, 0, 0]) == 2
    assert shmem.test_some_vector(v, "==", np.array(values)) == [0, 2, 3]
    assert shmem.wait_until_any_vector(v, ">=", values) == 0
    assert shmem.wait_until_some_vector(v, ">=", values) == [0, 2, 3]
    shmem.wait_until_all_vector(v, ">=", [0, 0, 5, 0])
    assert shmem.wait_until_any(v, "==", 5) == 2
    assert shmem.wait_until_some(v, "==", 5, some) == [2]
    for nothing in (none, None):
        empty = v if nothing else v[:0]
        assert shmem.wait_until_any(empty, "==", 5, nothing) is None
        assert shmem.wait_until_some(empty, "==", 5, nothing) == []
        assert shmem.wait_until_all(empty, "==", 5, nothing) is None
        assert shmem.test_all(empty, "==", 5, nothing) is True
    assert shmem.test_some(v.reshape(2, 2), "==", 5) == [2]
    shmem.barrier_all()


@pytest.mark.parametrize("kind", ["all", "any", "some"])
@pytest.mark.parametrize("suffix", ["", "_vector"])
def test_waiting_for_the_others(new, delays, kind, suffix):
    """Every PE waits for the flags of all other PEs, which arrive in any order."""
    flags, data = new(n()), new(n(), "d")
    wait = getattr(shmem, f"wait_until_{kind}{suffix}")
    for turn in range(1, 6):
        wanted = [turn] * n() if suffix else turn
        delays()
        for pe in range(n()):
            shmem.put(data[me() :], np.array([10.0 * turn]), pe, 1)
            shmem.fence()
            shmem.atomic_set(flags[me() :][:1], turn, pe)
        status = [0] * n()
        while not all(status):
            found = wait(flags, shmem.CMP_GE, wanted, status)
            found = {"all": range(n()), "any": [found], "some": found}[kind]
            for pe in found:
                assert status[pe] == 0
                assert data[pe] >= 10.0 * turn
                status[pe] = 1
        shmem.sync_all()


def test_wrong_arguments_of_waiting(new):
    v, one, real = new(4), new(1), new(1, "d")
    for call in (shmem.test, shmem.wait_until):
        with pytest.raises(AssertionError, match="ivar has 4 elements"):
            call(v, "==", 0)
        with pytest.raises(TypeError, match="ivar is of float64"):
            call(real, "==", 0)
        with pytest.raises(TypeError, match="ivar is a int64"):
            call(one[0], "==", 0)
        for cmp in ("bogus", "=", 99, None):
            with pytest.raises(ValueError, match="cmp is"):
                call(one, cmp, 0)
        for value in (0.5, "a", None):
            with pytest.raises(ValueError, match="value is"):
                call(one, "==", value)
        with pytest.raises(SymmetryError):
            call(np.zeros(1, "l"), "==", 0)
    for kind in ("test_all", "test_any", "test_some", "wait_until_any"):
        call, vector = getattr(shmem, kind), getattr(shmem, f"{kind}_vector")
        with pytest.raises(AssertionError, match="status is"):
            call(v, "==", 0, [1])
        with pytest.raises(ValueError, match="status is 'abcd'"):
            call(v, "==", 0, "abcd")
        with pytest.raises(AssertionError, match="values is"):
            vector(v, "==", [0, 1])
        with pytest.raises(AssertionError, match="values is 5"):
            vector(v, "==", 5)
        with pytest.raises(ValueError, match="not contiguous"):
            call(v[::2], "==", 0)
        with pytest.raises(TypeError):
            call(new(2, "d"), "==", 0)
        with pytest.raises(ValueError, match="value is"):
            call(v, "==", 0.5)
    shmem.barrier_all()


# -- signals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", "_nbi"])
def test_signals(new, delays, suffix):
    box = new(100, "d")
    put = getattr(shmem, f"put_signal{suffix}")
    signal, back = shmem.new_signal(), shmem.new_signal()
    assert (signal[0], shmem.signal_fetch(signal)) == (0, 0)
    shmem.barrier_all()
    left, right = (me() - 1) % n(), (me() + 1) % n()
    for turn in range(1, 11):
        delays()
        put(box, np.full(100, 100.0 * me() + turn), right, signal, 1, shmem.SIGNAL_ADD)
        assert shmem.signal_wait_until(signal, shmem.CMP_GE, turn) == turn
        assert (box == 100.0 * left + turn).all()
        put(box, np.zeros(0), left, back, turn, shmem.SIGNAL_SET)
        assert shmem.signal_wait_until(back, ">=", turn) == turn
    assert shmem.signal_fetch(signal) == 10
    shmem.barrier_all()
    put(box, box[:1].copy(), me(), signal, (1 << 64) - 3, shmem.SIGNAL_SET)
    assert shmem.signal_fetch(signal) == (1 << 64) - 3
    assert shmem.signal_wait_until(signal, "ne", 0) == (1 << 64) - 3
    put(box, box[:1].copy(), me(), signal, 4, shmem.SIGNAL_ADD)
    assert shmem.signal_fetch(signal) == 1
    signal[0] = 7
    assert shmem.signal_fetch(signal) == 7
    shmem.del_signal(back)
    shmem.del_signal(signal)
    with pytest.raises(KeyError):
        shmem.del_signal(signal)


def test_wrong_arguments_of_signals(new):
    box, word = new(4, "d"), new(1)
    signal = shmem.new_signal()
    ones = np.ones(4)
    with pytest.raises(TypeError, match="int64"):
        shmem.put_signal(box, ones, 0, word, 1, shmem.SIGNAL_SET)
    with pytest.raises(TypeError, match="signal is None"):
        shmem.put_signal(box, ones, 0, None, 1, shmem.SIGNAL_SET)
    with pytest.raises(ValueError, match="sigop is 2"):
        shmem.put_signal(box, ones, 0, signal, 1, 2)
    with pytest.raises(ValueError, match="value is -1"):
        shmem.put_signal(box, ones, 0, signal, -1, shmem.SIGNAL_ADD)
    with pytest.raises(ValueError, match=f"pe is {n()}"):
        shmem.put_signal(box, ones, n(), signal, 1, shmem.SIGNAL_ADD)
    with pytest.raises(AssertionError, match="size is 5"):
        shmem.put_signal(box, ones, 0, signal, 1, shmem.SIGNAL_ADD, size=5)
    with pytest.raises(ValueError, match="cmp is 'x'"):
        shmem.signal_wait_until(signal, "x", 0)
    with pytest.raises(SymmetryError):
        shmem.signal_fetch(np.zeros(1, "Q"))
    assert not box.any()
    assert shmem.signal_fetch(signal) == 0
    shmem.barrier_all()
    shmem.del_signal(signal)
    with pytest.raises(StateError, match="freed"):
        shmem.signal_fetch(signal)
    assert redcoll.ArgumentError
    shmem.barrier_all()


# -- locks ----------------------------------------------------------------------------------------


def count_behind(counter, rounds, enter, leave):
    """Increment a counter under the lock, in several rounds."""
    seen = np.zeros(1, "l")
    for _ in range(rounds):
        enter()
        shmem.get(seen, counter, 0)
        if seen[0] % 3 == 0:
            time.sleep(0)
        shmem.put(counter, seen + 1, 0)
        shmem.quiet()
        leave()


def test_locks(new):
    counter, lock = new(), shmem.new_lock()
    count_behind(counter, 10, lambda: shmem.set_lock(lock), lambda: shmem.clear_lock(lock))
    shmem.barrier_all()
    assert shmem.atomic_fetch(counter, 0) == 10 * n()
    shmem.barrier_all()

    def spin():
        while shmem.test_lock(lock):
            time.sleep(0)

    count_behind(counter, 3, spin, lambda: shmem.clear_lock(lock))
    shmem.barrier_all()
    assert shmem.atomic_fetch(counter, 0) == 13 * n()
    if me() == 0:
        assert shmem.test_lock(lock) is False  # the lock was free, and now the caller holds it
    shmem.barrier_all()
    if me() != 0:
        assert shmem.test_lock(lock) is True
    shmem.barrier_all()
    if me() == 0:
        shmem.clear_lock(lock)
    shmem.del_lock(lock)


def test_lock_objects(new):
    counter, lock = new(), shmem.Lock()
    with lock:
        seen = shmem.atomic_fetch(counter, 0)
        shmem.atomic_set(counter, seen + 1, 0)
    count_behind(counter, 5, lock.acquire, lock.release)
    shmem.barrier_all()
    assert shmem.atomic_fetch(counter, 0) == 6 * n()
    if me() == 0:
        assert lock.acquire() is True
    shmem.barrier_all()
    if me() == n() - 1 and n() > 1:
        assert lock.acquire(blocking=False) is False
    shmem.barrier_all()
    if me() == 0:
        lock.release()
        assert lock.acquire(False) is True
        lock.release()
    shmem.barrier_all()
    lock.destroy()
    lock.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        lock.acquire()


EMPTY_VALUES = {
    "list": [],
    "tuple": (),
    "integers": np.zeros(0, "i8"),
    "reals": np.zeros(0),  # ``numpy.asarray`` gives reals for an empty list
    "two axes": np.zeros((2, 0), "i4"),
}


@pytest.mark.parametrize("kind", ["own", "slice", "two axes", "private"])
def test_waits_and_tests_of_no_elements(new, kind):
    """With no elements, ``all`` is true, ``any`` is None, and ``some`` gives no indices."""
    whole = new(4)
    ivars = {
        "own": shmem.zeros(0, "i4"),
        "slice": whole[2:2],
        "two axes": whole.reshape(2, 2)[:, :0],
        "private": np.zeros(0, "i4"),
    }[kind]
    tried = 0
    for verb in ("wait_until", "test"):
        for status in (None, [], np.zeros(0, "i4"), [0, 1]):
            for is_vector in (False, True):
                for values in EMPTY_VALUES.values() if is_vector else (0, -1):
                    given = (ivars, "eq", values, status)
                    end = "_vector" if is_vector else ""
                    found = [
                        getattr(shmem, f"{verb}_{which}{end}")(*given)
                        for which in ("all", "any", "some")
                    ]
                    assert found == [None if verb == "wait_until" else True, None, []]
                    tried += 3
    assert tried == 3 * 2 * 4 * (2 + len(EMPTY_VALUES))
    if kind == "own":
        shmem.free(ivars)


def test_waits_of_no_elements_still_check(new):
    ivars = new(4)[:0]
    for wrong in (("ne?", 0), ("eq", 1.5), ("eq", None)):
        with pytest.raises(ValueError, match=r"cmp|value"):
            shmem.wait_until_all(ivars, *wrong)
    with pytest.raises(TypeError, match="ivars is of float64"):
        shmem.test_any(np.zeros(0), "eq", 0)


def test_calls_on_no_elements(new):
    """Call every routine of shmem4py that takes arrays, with empty arrays and with a size of 0."""
    none, other, box = shmem.zeros(0), shmem.zeros(0), new(4, "d", 7)
    signal = shmem.new_signal()
    right = (me() + 1) % n()
    private = np.zeros(0)
    for copy in (shmem.put, shmem.put_nbi, shmem.iput):
        copy(none, private, right)
        copy(box, np.ones(4), right, size=0)
    for copy in (shmem.get, shmem.get_nbi, shmem.iget):
        copy(private, none, right)
        copy(np.ones(4), box, right, size=0)
    shmem.put_signal(none, private, right, signal, 1, shmem.SIGNAL_ADD)
    assert shmem.signal_wait_until(signal, "eq", 1) == 1
    for call in (shmem.collect, shmem.fcollect, shmem.alltoall, shmem.alltoalls, shmem.reduce):
        call(none, other)
        call(box, other, size=0)
    shmem.broadcast(none, other, n() - 1)
    shmem.broadcast(box, other, 0, size=0)
    for name in ("and", "or", "xor", "max", "min", "sum", "prod"):
        getattr(shmem, f"{name}_reduce")(none.view("i8"), other.view("i8"))
    shmem.barrier_all()
    assert oracle.assert_same(box, np.full(4, 7.0)) == 4
    for array in (shmem.array([]), shmem.full(0, 1), shmem.ones((0, 2)), shmem.zeros((3, 0))):
        assert array.size == 0
        assert shmem.addr_accessible(array, right)
        shmem.free(array)
    block = shmem.alloc(0)
    assert shmem.fromalloc(block).shape == (0,)
    assert shmem.fromalloc(block, (0, 3), "i4").shape == (0, 3)
    shmem.free(block)
    for array in (none, other):
        shmem.free(array)
    shmem.del_signal(signal)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"size": 0}, {"size": 99}, {"start": 99}, {"start": -1, "size": 1}, {"stride": 99}),
        *({"stride": 0, "size": 2}, {"size": 1.5}, {"num_contexts": -1}),
    ],
    ids=str,
)
def test_split_strided_wrong_is_a_runtime_error(wrong):
    """shmem4py raises RuntimeError for an error status. redcoll's error is also a ValueError."""
    if wrong == {"stride": 99}:
        wrong = {"stride": 99, "size": 2}
    for kind in (RuntimeError, ValueError):
        with pytest.raises(kind, match="split_strided"):
            shmem.TEAM_WORLD.split_strided(**wrong)
    shmem.sync()


def test_ctx_create_wrong_is_a_runtime_error():
    for options in (-1, 999):
        for kind in (RuntimeError, ValueError):
            with pytest.raises(kind, match="options"):
                shmem.TEAM_WORLD.create_ctx(options)
