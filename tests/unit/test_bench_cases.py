"""Test the benchmark's configurations, their data, and its oracle."""

import numpy as np
import pytest

from redcoll.bench import buffers, cases
from redcoll.bench.cases import Cell
from redcoll.errors import ArgumentError, DatatypeError, OpError


def naive(op, operands):
    """Return the left fold, computed in Python element by element."""
    result = operands[0].copy()
    for operand in operands[1:]:
        for i in range(result.size):
            result[i] = op(result[i], operand[i])
    return result


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("sum", lambda a, b: a + b),
        ("prod", lambda a, b: a * b),
        ("max", max),
        ("min", min),
    ],
)
@pytest.mark.parametrize("type_name", ["float64", "float32", "int32"])
def test_left_fold(op, function, type_name):
    cell = Cell("allreduce", op, type_name, 5, 40)
    rows = [cases.contribution(cell, (1, 2), index) for index in range(5)]
    assert cases.left_fold(op, rows).tobytes() == naive(function, rows).tobytes()


def test_complex_product_is_the_textbooks():
    cell = Cell("allreduce", "prod", "complex128", 3, 1600)
    rows = [cases.contribution(cell, (0,), index) for index in range(3)]
    wanted = [complex(a) * complex(b) * complex(c) for a, b, c in zip(*rows, strict=True)]
    assert cases.left_fold("prod", rows).tolist() == wanted


def test_left_fold_is_not_any_other_fold():
    cell = Cell("allreduce", "sum", "float64", 8, 8 * cases.PERIOD)
    rows = [cases.contribution(cell, (0, 0), index) for index in range(8)]
    assert cases.left_fold("sum", rows).tobytes() != cases.left_fold("sum", rows[::-1]).tobytes()


def test_location_of_the_maximum_with_ties():
    dtype = cases.dtype_of("double_int")
    rows = [np.array([(3, i), (i % 2, i), (-i, 9 - i)], dtype) for i in range(4)]
    assert cases.left_fold("maxloc", rows).tolist() == [(3, 0), (1, 1), (0, 9)]
    assert cases.left_fold("minloc", rows).tolist() == [(3, 0), (0, 0), (-3, 6)]


def test_expected_by_collective():
    rows = [np.full(6, index + 1.0) for index in range(3)]

    def of(collective, index):
        return cases.expected(Cell(collective, "sum", "float64", 3, 48), index, rows, 0)

    assert of("allreduce", 2).tolist() == [6.0] * 6
    assert of("scan", 0).tolist() == [1.0] * 6
    assert of("scan", 1).tolist() == [3.0] * 6
    assert of("reduce", 0).tolist() == [6.0] * 6
    assert of("reduce", 1) is None
    assert of("reduce_scatter", 2).tolist() == [6.0] * 2


def test_expected_where_nodes_are_folded_first():
    rows = [np.full(2, value) for value in (1e16, 1.0, 1.0, 3.0)]
    cell = Cell("allreduce", "sum", "float64", 4, 16)
    assert cases.expected(cell, 0, rows, 0)[1] == ((1e16 + 1.0) + 1.0) + 3.0 == 1e16 + 4
    by_nodes = cases.expected(cell, 0, rows, 0, [[0, 3], [1, 2]])[1]
    assert by_nodes == (1e16 + 3.0) + (1.0 + 1.0) == 1e16 + 6
    scan = Cell("scan", "sum", "float64", 4, 16)
    assert cases.expected(scan, 2, rows, 0, [[0, 3], [1, 2]])[1] == (1e16 + 1.0) + 1.0


@pytest.mark.parametrize("type_name", ["float64", "bool", "int8", "complex64", "short_int"])
@pytest.mark.parametrize("mark", [0, 1])
def test_expected_equals_a_fold_of_the_whole_marked_sources(type_name, mark):
    op = {"bool": "lor", "short_int": "maxloc"}.get(type_name, "sum")
    itemsize = cases.dtype_of(type_name).itemsize
    # The data repeat after PERIOD elements, but only the first element of a source is marked.
    cell = Cell("allreduce", op, type_name, 3, itemsize * (2 * cases.PERIOD + 5))
    rows = [cases.contribution(cell, (7,), index) for index in range(3)]
    whole = [np.resize(row, cell.count) for row in rows]
    for each in whole:
        each.view(np.uint8)[0] = mark
    wanted = cases.left_fold(op, whole)
    found = cases.expected(cell, 0, rows, mark)
    assert cases.difference(found, wanted, tolerance=0) is None
    copied = cases.copied(cell, rows[1], mark)
    assert cases.difference(copied, whole[1], tolerance=0) is None


def test_data_differ_between_sets_repeats_and_members_and_are_the_same_everywhere():
    cell = Cell("allreduce", "sum", "float64", 2, 800)
    found = {
        cases.contribution(cell, (repeat, which), index).tobytes()
        for repeat in range(3)
        for which in range(4)
        for index in range(2)
    }
    assert len(found) == 24
    again = cases.contribution(cell, (2, 3), 1)
    assert again.tobytes() == cases.contribution(cell, (2, 3), 1).tobytes()


@pytest.mark.parametrize("type_name", ["float64", "int16", "complex128", "longdouble", "2int"])
def test_difference_finds_one_wrong_bit(type_name):
    cell = Cell("allreduce", "max", type_name, 2, 1 << 10)
    wanted = cases.contribution(cell, (0,), 0)
    found = wanted.copy()
    assert cases.difference(found, wanted, tolerance=0) is None
    at = 11 * wanted.dtype.itemsize
    found.view(np.uint8)[at] ^= 1
    text = cases.difference(found, wanted, tolerance=0)
    assert text.startswith("element 11 is ")
    assert "(1 differ)" in text


def test_difference_ignores_bytes_that_only_fill():
    wanted = np.zeros(4, cases.dtype_of("double_int"))
    found = wanted.copy()
    found.view(np.uint8)[12] = 7
    assert cases.difference(found, wanted, tolerance=0) is None


def test_difference_with_tolerance():
    wanted = np.array([1.0, -2.0, 0.0])
    near = wanted + np.array([0, 4e-16, 2e-16])
    assert cases.difference(near, wanted, tolerance=0) is not None
    assert cases.difference(near, wanted, tolerance=8) is None
    assert cases.difference(wanted + 1e-12, wanted, tolerance=8) is not None
    assert cases.difference(np.array([1.0, np.nan, 0.0]), wanted, tolerance=8) is not None
    integers = np.array([3, 4])
    assert cases.difference(integers, np.array([3, 5]), tolerance=8) is not None


def test_counts_are_whole_elements_and_blocks():
    assert Cell("allreduce", "sum", "complex128", 4, 8).count == 1
    assert Cell("allreduce", "sum", "float64", 4, 1 << 10).count == 128
    cell = Cell("reduce_scatter", "sum", "float64", 16, 8)
    assert (cell.count, cell.target_count) == (16, 1)
    cell = Cell("reduce_scatter", "sum", "float64", 3, 1 << 10)
    assert (cell.count, cell.target_count) == (129, 43)


def test_sets_are_several_and_not_too_much():
    for n_bytes in (8, 1 << 10, 1 << 20, 8 << 20, 64 << 20):
        cell = Cell("allreduce", "sum", "float64", 2, n_bytes)
        assert 2 <= cell.n_sets <= 8
        assert cell.n_sets == 2 or cell.n_sets * n_bytes <= 4 << 20


def test_legal_pairs():
    pairs, left_out = cases.legal_pairs(["sum", "and", "maxloc:2int"], ["float64", "int32"])
    assert pairs == [("sum", "float64"), ("sum", "int32"), ("and", "int32"), ("maxloc", "2int")]
    assert len(left_out) == 1
    assert "op AND is not defined on float64" in left_out[0]


@pytest.mark.parametrize(
    ("ops", "types", "error"),
    [
        (["mean"], ["float64"], OpError),
        (["sum"], ["datetime64[s]"], DatatypeError),
        (["sum"], ["nonsense"], DatatypeError),
        (["and:float64"], ["int32"], OpError),
        (["and"], ["float64"], ArgumentError),
    ],
)
def test_illegal_pairs_are_refused(ops, types, error):
    with pytest.raises(error):
        cases.legal_pairs(ops, types)


def test_buffers_of_an_arena_are_apart():
    cells = [Cell("allreduce", "sum", "int8", 2, 100), Cell("scan", "sum", "float64", 2, 1 << 10)]
    arena = buffers.Arena(cells, lambda n_bytes: np.zeros(n_bytes, np.uint8))
    assert arena.memory.size == buffers.Arena.needs_bytes(cells)
    for cell in cells:
        own = arena.buffers(cell)
        arrays = own.sources + own.targets
        assert len(arrays) == 2 * cell.n_sets
        for number, array in enumerate(arrays):
            assert array.size == cell.count
            array.view(np.uint8)[...] = number
        for number, array in enumerate(arrays):
            assert (array.view(np.uint8) == number).all()


def test_poison_is_seen():
    own = buffers.private(Cell("allreduce", "sum", "float64", 2, 64))
    own.poison()
    assert all(own.is_poisoned(which) for which in range(len(own.targets)))
    own.targets[1][3] = 0
    assert not own.is_poisoned(1)
