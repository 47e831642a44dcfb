"""Test that the oracle finds wrong results, counts correctly, and follows the rules."""

import itertools
import math

import numpy as np
import pytest
from mpi import oracle

TYPES = [*oracle.PLAIN_TYPES, *oracle.PAIRS.values()]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_one_wrong_bit_is_found(dtype):
    row = oracle.rows("X", dtype, 1, 50)[0]
    fields = dtype.names or [None]
    found = 0
    for field in fields:
        part = row[field] if field else row
        for at in range(50):
            other = row.copy()
            target = other[field] if field else other
            value = part[at]
            if dtype.kind == "b":
                target[at] = not value
            elif np.isnan(value) or np.isinf(value):
                continue
            elif part.dtype.kind in "fc":
                with np.errstate(all="ignore"):
                    if part.dtype.kind == "f":
                        target[at] = np.nextafter(value, part.dtype.type(np.inf))
                    else:
                        target.imag[at] = np.nextafter(value.imag, value.imag.dtype.type(np.inf))
            else:
                target[at] = value ^ part.dtype.type(1)
            with pytest.raises(AssertionError, match="1 of 50 elements"):
                oracle.assert_same(other, row)
            found += 1
    assert found > 20


def test_nothing_compared_is_an_error():
    with pytest.raises(AssertionError, match="nothing to compare"):
        oracle.assert_same(np.empty(0), np.empty(0))


def test_shape_and_type_are_compared():
    with pytest.raises(AssertionError, match="expected 3"):
        oracle.assert_same(np.zeros(2), np.zeros(3))
    with pytest.raises(AssertionError, match="expected float64"):
        oracle.assert_same(np.zeros(2, "f4"), np.zeros(2))


def test_zeros_and_nan():
    zero = np.array([0.0, -0.0])
    with pytest.raises(AssertionError, match="2 of 2"):
        oracle.assert_same(zero, zero[::-1])
    # MAX and MIN of zeros of both signs may return either zero. SUM must return the right zero.
    assert oracle.check("MAX", [np.array([0.0]), np.array([-0.0])], np.array([-0.0])) == 1
    assert oracle.check("MIN", [np.array([0.0]), np.array([-0.0])], np.array([0.0])) == 1
    with pytest.raises(AssertionError):
        oracle.check("MAX", [np.array([0.0]), np.array([0.0])], np.array([-0.0]))
    with pytest.raises(AssertionError):
        oracle.check("SUM", [np.array([0.0]), np.array([-0.0])], np.array([-0.0]))
    assert oracle.assert_same(np.array([-np.nan]), np.array([np.nan])) == 1
    with pytest.raises(AssertionError):
        oracle.assert_same(np.array([np.nan]), np.array([1.0]))


def test_padding_is_not_compared():
    dtype = oracle.MPI_PAIRS["DOUBLE_INT"]
    a, b = np.zeros(3, dtype), np.zeros(3, dtype)
    a.view("u1").reshape(3, 16)[:, 12:] = 255
    assert oracle.assert_same(a, b) == 3
    a, b = np.zeros(3, "g"), np.zeros(3, "g")
    if np.finfo("g").nmant == 63:
        a.view("u1").reshape(3, -1)[:, 10:] = 255
        assert oracle.assert_same(a, b) == 3


@pytest.mark.parametrize("op", ["MAXLOC", "MINLOC"])
@pytest.mark.parametrize("name", oracle.PAIRS)
def test_pairs_against_a_plain_loop(op, name):
    """Compare the oracle with a plain loop, which applies the documented rules to each pair."""
    rows = oracle.rows(op, oracle.PAIRS[name], 4, 200)
    result = oracle.fold(op, rows)
    for column in range(200):
        value, index = rows[0][column]
        for row in rows[1:]:
            other, place = row[column]
            if math.isnan(other) and not math.isnan(value):
                value, index = other, place
            elif math.isnan(value):
                if math.isnan(other):
                    index = min(index, place)
            elif (other > value) if op == "MAXLOC" else (other < value):
                value, index = other, place
            elif other == value:
                index = min(index, place)
        assert result["index"][column] == index
        expected = np.array([value], result["value"].dtype)
        oracle.assert_same(result["value"][column : column + 1], expected)


def test_integers_wrap_and_unsigned_compare_as_unsigned():
    u = np.array([0x80], np.uint8), np.array([0x7F], np.uint8)
    assert oracle.fold("MAX", u).tolist() == [0x80]
    assert oracle.fold("MIN", u).tolist() == [0x7F]
    assert oracle.fold("SUM", u).tolist() == [0xFF]
    assert oracle.fold("PROD", u).tolist() == [0x80]
    i = np.array([127], np.int8), np.array([2], np.int8)
    assert oracle.fold("SUM", i).tolist() == [-127]
    assert oracle.fold("PROD", i).tolist() == [-2]


def test_sums_go_from_left_to_right_in_the_element_type():
    rows = [np.array([x]) for x in (1.0, 1e16, -1e16)]
    assert oracle.fold("SUM", rows).tolist() == [0.0]
    assert oracle.fold("SUM", rows[::-1]).tolist() == [1.0]
    half = [np.array([x], np.float16) for x in (2048, 1, 1)]
    assert oracle.fold("SUM", half).tolist() == [2048]


def test_reductions_fold_each_node_first(monkeypatch):
    a, b, c, d = numbers = 1e16, 1.0, -1e16, 3.0
    rows = [np.array([x]) for x in numbers]
    for node_of, wanted in (
        ("xxxx", ((a + b) + c) + d),
        ("xyzt", ((a + b) + c) + d),
        ("xxyy", (a + b) + (c + d)),
        ("xyxy", (a + c) + (b + d)),
        ("xyyx", (a + d) + (b + c)),
    ):
        monkeypatch.setattr(oracle, "_node_of", list(node_of))
        assert oracle.Reduced("SUM", rows).result.tolist() == [wanted]
        assert oracle.Reduced("MAX", rows).result.tolist() == [a]
    assert len({((a + b) + c) + d, (a + b) + (c + d), (a + c) + (b + d), (a + d) + (b + c)}) > 1
    # A set may list its PEs in any order. Its nodes have the order of their first members.
    some = oracle.Reduced("SUM", [rows[2], rows[1], rows[0]], [3, 1, 0]).result
    assert some.tolist() == [(c + a) + b] != [(c + b) + a]
    assert oracle.Reduced("SUM", rows, nodes=[[0, 2], [1, 3]]).result.tolist() == [4.0]


def test_logical_operations_know_nan_and_leave_one_row_alone():
    rows = [np.array([0.0, 2.0, np.nan, -0.0]), np.array([3.0, 2.0, 1.0, 0.0])]
    assert oracle.fold("LAND", rows).tolist() == [0, 1, 1, 0]
    assert oracle.fold("LOR", rows).tolist() == [1, 1, 1, 0]
    assert oracle.fold("LXOR", rows).tolist() == [1, 0, 0, 0]
    assert oracle.fold("LOR", [np.array([7.0])]).tolist() == [7.0]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sources_hold_every_boundary_value_and_are_reproducible(dtype):
    rows = oracle.rows("SUM", dtype, 3, 4000)
    plain = rows["value"] if dtype.names else rows
    if dtype.kind != "c":  # complex types have too many combinations
        seen = {value.tobytes() for value in plain.reshape(-1)}
        nan_free = [value for value in oracle.boundary(plain.dtype) if not np.isnan(value)]
        if plain.dtype != np.longdouble:
            assert {value.tobytes() for value in nan_free} <= seen
        assert plain.dtype.kind != "f" or np.isnan(plain).any()
    assert oracle.assert_same(oracle.rows("SUM", dtype, 3, 4000), rows) == 12000
    with pytest.raises(AssertionError):
        oracle.assert_same(oracle.rows("SUM", dtype, 3, 4000, seed=1), rows)


def test_legal_pairs_of_operation_and_type():
    legal = [
        (op, dtype) for op, dtype in itertools.product(oracle.OPS, TYPES) if oracle.legal(op, dtype)
    ]
    assert len(legal) == 2 * 16 + 2 * 13 + 3 * 9 + 3 * 13 + 2 * len(oracle.PAIRS) + 4
    with pytest.raises(ValueError, match="no AND of float64"):
        oracle.fold("AND", [np.zeros(1)])


@pytest.mark.parametrize("where", [0, 2, -1, -5])
def test_a_guard_that_was_written_to_is_noticed(where):
    guarded = oracle.Guarded(4, "f4")
    guarded.array[...] = 1
    guarded.check()
    guarded.whole[where] = 1
    with pytest.raises(AssertionError, match="guard"):
        guarded.check()


def test_an_array_that_was_written_to_is_noticed():
    guarded = oracle.Guarded((2, 2), "i2")
    assert guarded.array.shape == (2, 2)
    guarded.check_untouched()
    guarded.array[1, 1] = 0
    guarded.check()
    with pytest.raises(AssertionError, match="written to"):
        guarded.check_untouched()
