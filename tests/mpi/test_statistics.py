"""Compare statistics of distributed arrays with exact fractions, and with NumPy on all elements."""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from mpi import oracle

import redcoll
from redcoll import CollectiveMismatchError

pytestmark = pytest.mark.mpi

TRIALS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "10"))
REALS = ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "longdouble")


def parts_of(data, n, rng):
    """Return the data of each rank. Some ranks have no data."""
    return np.split(data, np.sort(rng.integers(0, len(data) + 1, n - 1)))


@pytest.fixture
def shared():
    """Return a generator that gives the same random numbers on all ranks."""
    return np.random.default_rng(17)


def exact_moments(data, ddof):
    exact = [Fraction(value) for value in data.tolist()]
    mean = sum(exact) / len(exact)
    return mean, sum((value - mean) ** 2 for value in exact) / (len(exact) - ddof)


def error_of(found, wanted):
    return abs(float((Fraction(float(found)) - wanted) / wanted))


def test_variance_to_1e_15_where_the_naive_formula_loses_all_digits(world, shared, same_everywhere):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    worst, lost = 0.0, 0
    for trial in range(TRIALS):
        size = int(shared.integers(20, 2000))
        offset, scale = 10.0 ** shared.integers(6, 12), 10.0 ** shared.integers(-3, 2)
        data = offset + scale * shared.standard_normal(size)
        mine = parts_of(data, n, shared)[me]
        mean, variance = exact_moments(data, trial % 2)
        found = redcoll.var(mine, ddof=trial % 2)
        worst = max(worst, error_of(found, variance), error_of(redcoll.mean(mine), mean))
        deviation = redcoll.std(mine, ddof=trial % 2)
        worst = max(worst, error_of(deviation, Fraction(math.sqrt(variance))))
        same_everywhere(np.array([found, deviation]))
        naive = (data**2).mean() - data.mean() ** 2
        lost += error_of(naive, variance) > 0.1
    assert worst <= 1e-15, worst
    assert lost >= TRIALS // 3


@pytest.mark.parametrize("dtype", [*REALS, "complex64", "complex128", "clongdouble"])
def test_moments_of_all_types_as_numpy(world, shared, dtype):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    data = (shared.standard_normal((60, 2, 3)) * 9 + 20).astype(dtype)
    if dtype == "bool":
        data = shared.integers(0, 2, data.shape).astype(bool)
    if data.dtype.kind == "c":
        data += (1j * shared.standard_normal(data.shape)).astype(dtype)
    wide = data.astype(np.result_type(dtype, "g"))
    mine = parts_of(data, n, shared)[me]
    epsilon = 4 * np.finfo(data.dtype if data.dtype.kind in "fc" else "f8").eps
    for axis in (None, 0, (0, 2), (-3, 1)):
        for ddof in (0, 1, 2.5):
            for name in ("mean", "var", "std"):
                more = {} if name == "mean" else {"ddof": ddof}
                found = getattr(redcoll, name)(mine, axis, **more)
                plain = getattr(np, name)(data, axis, **more)
                wanted = getattr(np, name)(wide, axis, **more)
                assert type(found) is type(plain)
                assert found.dtype == plain.dtype
                assert found.shape == plain.shape
                assert np.abs(found / wanted - 1).max() <= epsilon


SMALL = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3")


def nearest(values, dtype):
    """Round each float64 once, to the nearest of all numbers of a small type."""
    codes = np.arange(1 << 8 * dtype.itemsize - 1).astype(f"u{dtype.itemsize}")
    with np.errstate(invalid="ignore"):
        steps = codes.view(dtype).astype("f8")
    steps = steps[np.isfinite(steps)]
    assert (np.diff(steps) > 0).all()
    found = []
    for value in values.reshape(-1).tolist():
        size = abs(value)
        upper = int(np.clip(np.searchsorted(steps, size), 1, len(steps) - 1))
        below, above = (Fraction(size) - Fraction(steps[at]) for at in (upper - 1, upper))
        even = upper - 1 if upper % 2 else upper
        at = even if below == -above else upper - (below < -above)
        found.append(math.copysign(steps[at], value))
    return np.reshape(found, values.shape)


@pytest.mark.parametrize("name", SMALL)
def test_small_floats_are_rounded_once(world, shared, same_everywhere, name):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    n, me = redcoll.n_pes(), redcoll.my_pe()
    data = (shared.standard_normal((70, 30)) * 2).astype(dtype)
    data[:, 0] = 0
    data[:4, 0] = [4, 2**-6, 2**-9 if dtype.itemsize == 1 else 2**-30, 0]
    mine, wide = parts_of(data, n, shared)[me], data.astype("f8")
    wanted = {
        "mean": wide.mean(axis=0),
        "var": wide.var(axis=0),
        "std": wide.std(axis=0),
        "logsumexp": np.log(np.exp(wide).sum(axis=0)),
    }
    compared = 0
    for call, expected in wanted.items():
        found = getattr(redcoll, call)(mine, 0)
        assert found.dtype == dtype
        compared += oracle.assert_same(found.astype("f8"), nearest(expected, dtype), what=call)
    least, greatest = redcoll.minmax(mine, 0)
    compared += oracle.assert_same(least.astype("f8"), wide.min(axis=0))
    compared += oracle.assert_same(greatest.astype("f8"), wide.max(axis=0))
    top = redcoll.topk(mine, 9)
    assert top.dtype == dtype
    compared += oracle.assert_same(top.astype("f8"), np.sort(wide.reshape(-1))[:-10:-1])
    counts, edges = redcoll.histogram(mine, 7)
    counts_wanted, edges_wanted = np.histogram(data.astype("f4"), 7)
    compared += oracle.assert_same(counts, counts_wanted)
    compared += oracle.assert_same(edges, edges_wanted)
    assert compared == 6 * 30 + 9 + 7 + 8
    same_everywhere(edges)
    # This mean lies just above the middle of two bfloat16 numbers. A mean that was first rounded to
    # float32 would give the lower number.
    if name == "bfloat16" and n > 1:
        four = np.array([[4, 2**-6], [2**-30, 0]]).astype(dtype)
        found = redcoll.mean(four[me] if me < 2 else four[:0, 0])
        assert float(found) == 1 + 2**-7


def test_members_without_elements_and_ddof(world):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    mine = np.array([1.0, 3.0]) if me == n - 1 else np.zeros(0)
    assert redcoll.mean(mine) == 2
    assert redcoll.var(mine) == 1
    assert redcoll.var(mine, ddof=1) == 2
    assert redcoll.std(mine) == 1
    assert redcoll.var(mine, ddof=2) == np.inf  # 2 / 0, as in NumPy
    assert np.isnan(redcoll.mean(np.zeros(0)))
    assert np.isnan(redcoll.var(np.zeros(0)))
    assert np.isnan(redcoll.mean(np.zeros((0, 3)), 0)).tolist() == [True] * 3
    assert redcoll.mean(np.zeros((4, 0)), 0).shape == (0,)
    assert redcoll.mean(7) == 7
    assert redcoll.mean([[1, 2], [3, 4]], axis=()).tolist() == [[1, 2], [3, 4]]
    assert redcoll.mean(np.float32(me)).dtype == "f4"


def test_nan_and_infinity_as_numpy(world):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    for special in (np.nan, np.inf, -np.inf):
        column = np.array([1.0, special if me == n - 1 else 2.0])
        whole = np.array([1.0, 2.0] * (n - 1) + [1.0, special])
        with np.errstate(all="ignore"):
            for name in ("mean", "var", "std"):
                wanted = getattr(np, name)(whole)
                assert oracle.assert_same(getattr(redcoll, name)(column), wanted) == 1
        least, greatest = redcoll.minmax(column)
        assert oracle.assert_same([least, greatest], [whole.min(), whole.max()]) == 2


@pytest.mark.parametrize("dtype", REALS)
def test_minmax_topk_histogram_of_all_types_as_numpy(world, shared, dtype):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    data = (shared.standard_normal((40, 3)) * 9 + 30).astype(dtype)
    mine = parts_of(data, n, shared)[me]
    compared = 0
    for axis in (None, 0, (0, 1)):
        found = redcoll.minmax(mine, axis)
        for result, wanted in zip(found, (data.min(axis), data.max(axis)), strict=True):
            compared += oracle.assert_same(result, wanted)
    ordered = np.sort(data, axis=None)[::-1]
    for k in (1, 7, data.size):
        compared += oracle.assert_same(redcoll.topk(mine, k), ordered[:k])
    numbers = data.astype("u1") if dtype == "bool" else data
    for more in ({}, {"bins": 7}, {"bins": 5, "range": (25, 33.5)}, {"bins": [0, 20, 30.5, 31]}):
        counts, edges = redcoll.histogram(mine, **more)
        wanted, wanted_edges = np.histogram(numbers, **more)
        compared += oracle.assert_same(counts, wanted)
        compared += oracle.assert_same(edges, wanted_edges)
    assert compared == 2 * 5 + 1 + 7 + data.size + (10 + 11) + (7 + 8) + (5 + 6) + (3 + 4)


def test_topk_and_histograms_at_the_edges(world):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    found = redcoll.topk(np.array([me, np.nan if me == 0 else -1.0]), 2)
    assert oracle.assert_same(found, [np.nan, n - 1.0]) == 2
    assert redcoll.topk(np.zeros(0, "i4"), 0).tolist() == []
    assert (
        redcoll.topk(np.arange(5000), 3000).tolist()
        == np.sort(np.tile(np.arange(5000), n))[-3000:][::-1].tolist()
    )
    counts, edges = redcoll.histogram(np.zeros(0))
    assert counts.sum() == 0
    assert oracle.assert_same(edges, np.histogram(np.zeros(0))[1]) == 11
    counts, edges = redcoll.histogram([5.0])
    assert oracle.assert_same(counts, np.histogram([5.0] * n)[0]) == 10
    assert oracle.assert_same(edges, np.histogram([5.0] * n)[1]) == 11


def test_logsumexp(world, shared):
    n, me = redcoll.n_pes(), redcoll.my_pe()
    data = shared.standard_normal((30, 4)) * 300
    mine = parts_of(data, n, shared)[me]
    for axis in (None, 0):
        wanted = np.logaddexp.reduce(data.astype(np.longdouble), axis)
        assert np.allclose(
            redcoll.logsumexp(mine, axis).astype("g"), wanted, rtol=1e-15, atol=1e-13
        )
    assert redcoll.logsumexp(np.full(3, 1e4)) == 1e4 + math.log(3 * n)
    assert redcoll.logsumexp(np.full(3, -1e4) if me == n - 1 else []) == -1e4 + math.log(3)
    assert redcoll.logsumexp(np.float32(2)).dtype == "f4"
    assert redcoll.logsumexp([]) == -np.inf
    assert redcoll.logsumexp([-np.inf, -np.inf]) == -np.inf
    assert redcoll.logsumexp([1e3, np.inf if me == 0 else 0.0]) == np.inf
    assert np.isnan(redcoll.logsumexp([1.0, np.nan if me == 0 else 0.0]))


def test_many_columns_take_several_rounds(tight):
    n, me = tight.size, tight.index
    data = np.arange(n * 2 * 500, dtype="f8").reshape(n * 2, 500) ** 2
    mine = data[2 * me : 2 * me + 2]
    assert np.allclose(redcoll.var(mine, 0, team=tight), data.var(0), rtol=1e-14)
    least, greatest = redcoll.minmax(mine, 0, team=tight)
    assert oracle.assert_same(least, data.min(0)) == 500
    assert oracle.assert_same(greatest, data.max(0)) == 500
    before = tight.channel.sequence
    redcoll.var(mine, team=tight)
    assert tight.channel.sequence == before + 1


CALLS = ("mean", "var", "std", "minmax", "topk", "histogram", "logsumexp")


def check(team) -> None:
    assert redcoll.mean([1.0, 3.0], team=team) == 2


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("name", CALLS)
def test_ranks_that_disagree_raise_a_mismatch(tight, gather, name):
    routine = getattr(redcoll, name)
    more = {"k": 1} if name == "topk" else {}
    own = [np.ones((2, 3)), np.ones((2, 4), "f4")][tight.index % 2]
    cases = [((own,), more, ("float64", "float32"))]
    if name not in ("topk", "histogram"):
        own = np.ones((2, 3 + tight.index % 2))
        cases.append(((own, 0), more, ("shape (*, 3), axis=0", "shape (*, 4), axis=0")))
    if name in ("var", "std"):
        cases.append(((np.ones(3),), {"ddof": tight.index % 2}, ("ddof=0", "ddof=1")))
    if name == "topk":
        cases.append(((np.ones(3),), {"k": 1 + tight.index % 2}, ("k=1", "k=2")))
    if name == "histogram":
        cases.append(((np.ones(3),), {"bins": 1 + tight.index % 2}, ("bins=1", "bins=2")))
    for arguments, given, wanted in cases:
        with pytest.raises(CollectiveMismatchError, match=f"the arguments of {name}") as caught:
            routine(*arguments, team=tight, **given)
        assert all(each in str(caught.value) for each in wanted), str(caught.value)
        assert len(set(gather(str(caught.value)))) == 1
        check(tight)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("x", [None, "text", object(), [1, "a"], 1 << 70, [[1], [1, 2]]])
def test_an_argument_that_is_not_an_array_of_numbers_raises_everywhere(tight, name, x):
    more = {"k": 1} if name == "topk" else {}
    own = x if tight.index == 0 else [1.0, 2.0]
    error = redcoll.DatatypeError if tight.index == 0 else CollectiveMismatchError
    with pytest.raises(error, match=f"{name}: x is"):
        getattr(redcoll, name)(own, team=tight, **more)
    check(tight)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("name", ["minmax", "topk", "histogram", "logsumexp"])
def test_complex_numbers_have_no_order(tight, name):
    more = {"k": 1} if name == "topk" else {}
    with pytest.raises(
        redcoll.DatatypeError, match="x is of complex128; it must hold real numbers"
    ):
        getattr(redcoll, name)([1j], team=tight, **more)
    check(tight)


@pytest.mark.parametrize("name", ["mean", "var", "std", "minmax", "topk", "histogram", "logsumexp"])
def test_a_masked_array_is_refused(tight, name):
    more = {"k": 1} if name == "topk" else {}
    masked = np.ma.array([1.0, 2.0], mask=[True, False])
    with pytest.raises(redcoll.DatatypeError, match=f"{name}: x is a MaskedArray"):
        getattr(redcoll, name)(masked, team=tight, **more)
    check(tight)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("ddof", [True, "1", 1j, np.complex64(1)])
def test_ddof_is_a_real_number(tight, name, ddof):
    with pytest.raises(redcoll.ArgumentError, match="it must be a real number"):
        getattr(redcoll, name)([1.0, 2.0], ddof=ddof, team=tight)
    check(tight)


def test_too_few_elements_on_all_members_raise_on_all(tight):
    with pytest.raises(redcoll.ArgumentError, match="no elements on any member"):
        redcoll.minmax(np.zeros(0), team=tight)
    with pytest.raises(redcoll.ArgumentError, match=f"the members have {tight.size} elements"):
        redcoll.topk([1], tight.size + 1, team=tight)
    with pytest.raises(redcoll.ArgumentError, match="elements from nan to nan"):
        redcoll.histogram([1.0, np.nan], team=tight)
    check(tight)
