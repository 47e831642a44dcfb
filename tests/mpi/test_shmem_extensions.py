"""Test redcoll's extensions of SHMEM: any operation on any type, on teams and active sets."""

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll
import redcoll_shmem as shmem
from redcoll import ArgumentError, DatatypeError, OpError, StateError, SymmetryError
from redcoll.world import start

pytestmark = pytest.mark.mpi

WORLD = shmem.SHMEM_TEAM_WORLD


@pytest.fixture
def pSync(world):
    array = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l")
    yield array
    # A failed test may have replaced the world, and then the array no longer exists.
    if start() is world:
        shmem.free(array)


def longer(a, b):
    return np.where(np.abs(b) > np.abs(a), b, a)


@pytest.mark.parametrize("op", oracle.OPS)
def test_every_operation_on_every_type(arena, pSync, op):
    """Test all four reductions on the team of all PEs and on the even PEs."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    evens = list(range(0, n, 2))
    team = shmem.shmem_team_split_strided(WORLD, 0, 2, len(evens))
    operation, compared = getattr(redcoll, op), 0
    for at, dtype in enumerate(oracle.types_of(op).values()):
        arena.reset()
        target, source = Guarded(6, dtype, arena.take), Guarded(6, dtype, arena.take)
        to, of = target.array, source.array
        for pes, on, numbers in (
            (list(range(n)), WORLD, (0, 0, n)),
            (evens, team, (0, 1, len(evens))),
        ):
            if me not in pes:
                continue
            index, root = pes.index(me), at % len(pes)
            rows = oracle.rows(op, dtype, len(pes), 6, seed=at)
            arguments = (to, of, 6, operation)
            for call in (
                partial(shmem.redcoll_allreduce, on, *arguments),
                partial(shmem.redcoll_to_all, *arguments, *numbers, pSync),
            ):
                of[...] = rows[index]
                assert call() == 0
                compared += oracle.check_reduced(op, rows, to, pes)
                target.check()
            arguments = (to if index == root else None, of, 6, operation, root)
            for call in (
                partial(shmem.redcoll_reduce, on, *arguments),
                partial(shmem.redcoll_to_one, *arguments, *numbers, pSync),
            ):
                to[...] = rows[0]
                assert call() == 0
                if index == root:
                    compared += oracle.check_reduced(op, rows, to, pes)
                target.check()
                shmem.shmem_team_sync(on)
        shmem.shmem_barrier_all()
    assert compared >= 12 * len(oracle.types_of(op))
    if me in evens:
        shmem.shmem_team_destroy(team)


def test_scans_and_user_functions(arena, pSync):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    target, source = arena.take(4, "d"), arena.take(4, "d")
    vectors = [np.array([pe - 2.5, 1.0, -pe, pe * pe]) for pe in range(n)]

    def fold(pes):
        result = vectors[0]
        for pe in pes:
            result = longer(result, vectors[pe])
        return result

    source[...] = vectors[me]
    assert shmem.redcoll_inscan(WORLD, target, source, 4, longer) == 0
    oracle.assert_same(target, fold(range(me + 1)))
    target[...] = 99.0
    assert shmem.redcoll_exscan(WORLD, target, source, 4, longer) == 0
    oracle.assert_same(target, fold(range(me)) if me else np.full(4, 99.0))
    assert shmem.redcoll_allreduce(WORLD, target, source, 4, longer) == 0
    oracle.assert_same(target, fold(range(n)))
    assert shmem.redcoll_to_all(target, source, 4, np.hypot, 0, 0, n, pSync) == 0
    assert np.allclose(target, np.linalg.norm(np.stack(vectors), axis=0) if n > 1 else vectors[0])
    for call in (
        lambda: shmem.redcoll_allreduce(WORLD, None, None, 0, longer),
        lambda: shmem.redcoll_reduce(WORLD, None, None, 0, redcoll.SUM, 0),
        lambda: shmem.redcoll_to_one(None, None, 0, redcoll.SUM, 0, 0, 0, n, pSync),
    ):
        assert call() == 0
    shmem.shmem_barrier_all()


def test_exact_sums_and_dot_products():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    rng = np.random.default_rng(5)
    rows = [rng.standard_normal((5 + pe, 2)) * 10.0 ** rng.integers(-20, 20) for pe in range(n)]
    evens = range(0, n, 2)
    team = shmem.shmem_team_split_strided(WORLD, 0, 2, len(evens))
    for on, pes in ((WORLD, range(n)), (team, evens)):
        if me not in pes:
            continue
        left = np.concatenate([rows[pe][:, 0] for pe in pes]).tolist()
        right = np.concatenate([rows[pe][:, 1] for pe in pes]).tolist()
        sums = [math.fsum(left), math.fsum(right)]
        oracle.assert_same(shmem.redcoll_exact_sum(on, rows[me], 0), np.array(sums))
        assert shmem.redcoll_exact_sum(on, rows[me][:, 0]) == sums[0]
        exact = sum(Fraction(a) * Fraction(b) for a, b in zip(left, right, strict=True))
        assert shmem.redcoll_exact_dot(on, rows[me][:, 0], rows[me][:, 1]) == float(exact)
    with pytest.raises(DatatypeError, match="x is of int64"):
        shmem.redcoll_exact_sum(WORLD, np.ones(2, int))
    with pytest.raises(ArgumentError, match="b has shape"):
        shmem.redcoll_exact_dot(WORLD, np.ones(2), np.ones(3))
    with pytest.raises(ArgumentError, match="TEAM_INVALID"):
        shmem.redcoll_exact_sum(shmem.SHMEM_TEAM_INVALID, np.ones(2))
    shmem.shmem_barrier_all()
    if me in evens:
        shmem.shmem_team_destroy(team)


def test_several_values_at_once():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    evens = range(0, n, 2)
    team = shmem.shmem_team_split_strided(WORLD, 0, 2, len(evens))
    for on, pes in ((WORLD, range(n)), (team, evens)):
        if me not in pes:
            continue
        values = {"sum": np.full((2, 3), me), "most": (1.5 * me, [me])}
        found = shmem.redcoll_allreduce_many(on, values, {"sum": "sum", "most": redcoll.MAX})
        assert found["sum"].tolist() == [[sum(pes)] * 3] * 2
        assert found["most"] == (1.5 * pes[-1], [pes[-1]])
        at_root = shmem.redcoll_reduce_many(on, [me, np.ones(200)], "sum", len(pes) - 1)
        assert (at_root is None) == (me != pes[-1])
        if at_root is not None:
            assert at_root[0] == sum(pes)
            assert at_root[1].tolist() == [len(pes)] * 200
    with pytest.raises(DatatypeError, match=r"item 2 of 2, values\[1\]"):
        shmem.redcoll_allreduce_many(WORLD, [1, None], "sum")
    with pytest.raises(ArgumentError, match="TEAM_INVALID"):
        shmem.redcoll_reduce_many(shmem.SHMEM_TEAM_INVALID, [1], "sum", 0)
    shmem.shmem_barrier_all()
    if me in evens:
        shmem.shmem_team_destroy(team)


def test_statistics_on_a_team():
    """Compare statistics with exact fractions, or with the sorted elements of all members."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    rng = np.random.default_rng(27)
    rows = [1e6 + rng.standard_normal((3 + pe, 2)) for pe in range(n)]
    evens = range(0, n, 2)
    team = shmem.shmem_team_split_strided(WORLD, 0, 2, len(evens))

    def error(found, wanted):
        return abs(Fraction(float(found)) / wanted - 1)

    for on, pes in ((WORLD, range(n)), (team, evens)):
        if me not in pes:
            continue
        mine, whole = rows[me], np.concatenate([rows[pe] for pe in pes])
        worst = Fraction(0)
        for column in range(2):
            exact = [Fraction(value) for value in whole[:, column].tolist()]
            mean = sum(exact) / len(exact)
            total = sum((value - mean) ** 2 for value in exact)
            variance, sample = total / len(exact), total / (len(exact) - 1)
            sums = sum(math.exp(value - 1e6) for value in whole[:, column].tolist())
            for found, wanted in (
                (shmem.redcoll_mean(on, mine[:, column]), mean),
                (shmem.redcoll_mean(on, mine, 0)[column], mean),
                (shmem.redcoll_var(on, mine, 0)[column], variance),
                (shmem.redcoll_var(on, mine[:, column], ddof=1), sample),
                (shmem.redcoll_std(on, mine, axis=0)[column] ** 2, variance),
                (shmem.redcoll_std(on, mine[:, column], None, 1) ** 2, sample),
                (shmem.redcoll_logsumexp(on, mine, 0)[column], Fraction(1e6 + math.log(sums))),
            ):
                worst = max(worst, error(found, wanted))
        assert worst <= 1e-15, float(worst)
        ordered = sorted(whole.reshape(-1).tolist())
        compared = oracle.assert_same(shmem.redcoll_minmax(on, mine), [ordered[0], ordered[-1]])
        for found, wanted in zip(shmem.redcoll_minmax(on, mine, 0), (min, max), strict=True):
            columns = [wanted(whole[:, column].tolist()) for column in range(2)]
            compared += oracle.assert_same(found, columns)
        compared += oracle.assert_same(shmem.redcoll_topk(on, mine, 4), ordered[:-5:-1])
        edges = [1e6 - 5, 1e6 - 0.5, 1e6, 1e6 + 5]
        counts = [sum(low <= value < high for value in ordered) for low, high in pairwise(edges)]
        found, used = shmem.redcoll_histogram(on, mine, edges)
        compared += oracle.assert_same(found, counts) + oracle.assert_same(used, edges)
        found, used = shmem.redcoll_histogram(on, mine, bins=1, range=(edges[0], edges[-1]))
        compared += oracle.assert_same(found, [len(ordered)])
        assert compared == 2 + 4 + 4 + 3 + 4 + 1
    with pytest.raises(ArgumentError, match=r"redcoll_mean: team.*TEAM_INVALID"):
        shmem.redcoll_mean(shmem.SHMEM_TEAM_INVALID, np.ones(2))
    with pytest.raises(DatatypeError, match="minmax: x is of complex128"):
        shmem.redcoll_minmax(WORLD, [1j])
    shmem.shmem_barrier_all()
    if me in evens:
        shmem.shmem_team_destroy(team)


def test_wrong_arguments(arena, pSync):
    n = shmem.shmem_n_pes()
    box, other = arena.take(4, "d"), arena.take(4, "d")
    SUM = redcoll.SUM
    for kind, text, name, arguments in (
        (OpError, "op is 'total'", "allreduce", (WORLD, box, other, 4, "total")),
        (OpError, "AND", "allreduce", (WORLD, box, other, 4, redcoll.AND)),
        (DatatypeError, "of one type", "allreduce", (WORLD, box, other.view("c16"), 2, SUM)),
        (SymmetryError, "source", "allreduce", (WORLD, box, other.copy(), 4, SUM)),
        (ArgumentError, "TEAM_INVALID", "inscan", (shmem.SHMEM_TEAM_INVALID, box, other, 4, SUM)),
        (ArgumentError, f"PE_root is {n}", "reduce", (WORLD, box, other, 4, SUM, n)),
        (ArgumentError, "nreduce is 5", "reduce", (WORLD, box, other, 5, SUM, 0)),
        (DatatypeError, "pSync is None", "to_all", (box, other, 4, SUM, 0, 0, n, None)),
        (ArgumentError, "PE_size", "to_one", (box, other, 4, SUM, 0, 0, 0, n + 1, pSync)),
    ):
        with pytest.raises(kind, match=text):
            getattr(shmem, f"redcoll_{name}")(*arguments)
        shmem.shmem_barrier_all()
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, n)
    shmem.shmem_team_destroy(team)
    with pytest.raises(StateError, match="destroyed"):
        shmem.redcoll_exscan(team, box, other, 4, SUM)
