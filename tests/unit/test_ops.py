"""Test the table of operations: legal element types, and how two operands combine."""

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest
from mpi import oracle

import redcoll
from redcoll import OpError, user_op
from redcoll.datatypes import ELEMENT_TYPES, element_type
from redcoll.kernels import numpy as kernel
from redcoll.op_lookup import as_op
from redcoll.ops import OPS, USER_CODE, name_of

BY_NAME = {op.name: op for op in OPS}


def test_the_operations():
    assert sorted(BY_NAME) == sorted(oracle.OPS)
    codes = [op.code for op in OPS]
    assert len(set(codes)) == len(codes)
    assert all(0 < code < USER_CODE for code in codes)
    for op in OPS:
        assert name_of(op.code) == op.name
        assert getattr(redcoll, op.name) is op


@pytest.mark.parametrize(
    ("name", "row"),
    list(itertools.product(BY_NAME, ELEMENT_TYPES)),
    ids=lambda value: getattr(value, "name", value),
)
def test_legality_of_every_pair_of_operation_and_type(name, row):
    if oracle.legal(name, row.dtype):
        BY_NAME[name].check(row)
    else:
        with pytest.raises(OpError, match=f"{name} is not defined on") as caught:
            BY_NAME[name].check(row)
        assert row.name in str(caught.value)


LEGAL = [(op, name) for op in oracle.OPS for name in oracle.types_of(op)]


@pytest.mark.parametrize(("name", "type_name"), LEGAL)
@pytest.mark.parametrize("where", ["apart", "first", "second"])
def test_two_operands(name, type_name, where):
    """Combine into a separate array, and into either operand."""
    dtype = oracle.types_of(name)[type_name]
    rows = oracle.rows(name, dtype, 2, 3000)
    if dtype.kind in "biuf":
        # Append every pair of boundary values.
        edge = oracle.boundary(dtype)
        grid = np.array(list(itertools.product(edge, edge)), dtype).T
        rows = np.concatenate([rows, grid], axis=1)
    a, b = rows[0].copy(), rows[1].copy()
    out = {"apart": np.zeros_like(a), "first": a, "second": b}[where]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        BY_NAME[name].combine(a, b, out)
    assert oracle.check(name, rows, out) == rows.shape[1]
    for operand, row in ((a, rows[0]), (b, rows[1])):
        if operand is not out:
            oracle.assert_same(operand, row, what="operand")


# -- user-defined operations --------------------------------------------------------------------


def plus(a, b):
    return a + b


class Callable:
    def __call__(self, a, b):
        return a + b


def test_as_op_of_everything_that_is_an_operation():
    assert as_op(redcoll.SUM) is redcoll.SUM
    for ufunc, op in (
        (np.add, "SUM"),
        (np.multiply, "PROD"),
        (np.maximum, "MAX"),
        (np.minimum, "MIN"),
        (np.bitwise_and, "AND"),
        (np.bitwise_or, "OR"),
        (np.bitwise_xor, "XOR"),
        (np.logical_and, "LAND"),
        (np.logical_or, "LOR"),
        (np.logical_xor, "LXOR"),
    ):
        assert as_op(ufunc) is BY_NAME[op]
    assert as_op(np.fmax).is_user
    assert as_op(np.fmax).elementwise
    assert as_op(plus).is_user
    assert not as_op(plus).elementwise
    assert as_op(Callable()).name == "Callable"


@pytest.mark.parametrize("value", [None, "total", 3, np.sin, np.divmod, np.matmul, [1]])
def test_an_argument_that_is_not_an_operation_is_named(value):
    with pytest.raises(OpError, match="op"):
        as_op(value)


def test_functions_with_different_names_raise_a_mismatch():
    assert user_op(plus).mark == user_op(plus).mark
    assert user_op(plus).mark != user_op(plus, name="minus").mark
    assert user_op(plus).code == USER_CODE
    assert name_of(USER_CODE) == "user function"
    assert name_of(62) == "op code 62"


def test_a_user_operation_takes_every_type_and_order():
    a, b = np.arange(5.0), np.arange(5.0) * 2
    out = np.empty(5)
    user_op(lambda x, y: x - 2 * y).combine(a, b, out)
    assert out.tolist() == (a - 2 * b).tolist()
    user_op(np.subtract).combine(a, b, a)
    assert a.tolist() == (np.arange(5.0) - b).tolist()
    for row in ELEMENT_TYPES:
        user_op(plus).check(row)


@pytest.mark.parametrize("result", [1.0, np.zeros(4), np.zeros((5, 1))])
def test_a_result_of_another_shape_is_refused(result):
    op = user_op(lambda a, b: result)
    with pytest.raises(OpError, match="returned shape"):
        op.combine(np.zeros(5), np.zeros(5), np.zeros(5))


def test_a_result_that_would_lose_its_fraction_is_refused():
    op = user_op(lambda a, b: a / 2 + b)
    with pytest.raises(TypeError):
        op.combine(np.ones(3, int), np.ones(3, int), np.zeros(3, int))


def test_operations_are_known_without_mpi():
    """Looking up an operation by its name does not import mpi4py, whose import starts MPI."""
    program = (
        "import sys, numpy, redcoll\n"
        "from redcoll.op_lookup import as_op\n"
        "for op in ('sum', 'SUM', numpy.add, redcoll.SUM):\n"
        "    assert as_op(op) is redcoll.SUM\n"
        "as_op(max)\n"
        "try:\n"
        "    as_op('plus')\n"
        "except redcoll.OpError as error:\n"
        "    assert 'maxloc' in str(error)\n"
        "else:\n"
        "    raise SystemExit('no error')\n"
        "raise SystemExit(any(name.startswith('mpi4py') for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# -- small floats -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", oracle.SMALL_FLOATS, ids=str)
@pytest.mark.parametrize(
    "name", [op for op in oracle.OPS if oracle.legal(op, oracle.SMALL_FLOATS[0])]
)
def test_small_floats_on_numpy(name, dtype):
    """Test the NumPy kernel with pairs of boundary values, and with up to 5 operands."""
    for n in (2, 3, 5):
        rows = oracle.rows(name, dtype, n, 2000)
        if n == 2:
            edge = oracle.boundary(dtype)[::3]
            grid = np.stack([np.repeat(edge, len(edge)), np.tile(edge, len(edge))])
            rows = np.concatenate([rows, grid], axis=1)
        out = np.zeros(rows.shape[1], dtype)
        prefixes = np.zeros_like(rows)
        with np.errstate(all="ignore"):
            kernel.fold(BY_NAME[name], list(rows), out)
            kernel.scan(BY_NAME[name], list(rows), list(prefixes), 0, rows.shape[1], True)
        assert oracle.check(name, rows, out) == rows.shape[1]
        for index in range(n):
            oracle.check(name, rows[: index + 1], prefixes[index])


def test_sums_of_small_floats_are_rounded_once():
    """In bfloat16, 256 + 1 + 1 gives 258; rounding after each addition gives 256."""
    for op, dtype, numbers in (
        (redcoll.SUM, oracle.SMALL_FLOATS[0], [256, 1, 1]),
        (redcoll.SUM.accumulating("float32"), np.dtype("f2"), [2048, 1, 1]),
    ):
        rows = [np.array([number], dtype) for number in numbers]
        out = np.zeros(1, dtype)
        kernel.fold(op, rows, out)
        assert float(out[0]) == sum(numbers)
        assert float((rows[0] + rows[1] + rows[2])[0]) == numbers[0]


def test_accumulating():
    op = redcoll.SUM.accumulating("float32")
    assert redcoll.SUM.accumulating(np.float32) is op
    assert op.accumulating("f4") is op
    assert repr(op) == "redcoll.SUM.accumulating('float32')"
    assert name_of(op.code) == op.name
    assert len({op.code, redcoll.PROD.accumulating("f4").code, USER_CODE}) == 3
    assert as_op(op) is op
    for wrong in ("float64", "", None, 3, float):
        with pytest.raises(redcoll.ArgumentError, match="it must be float32"):
            redcoll.SUM.accumulating(wrong)
    with pytest.raises(OpError, match="MAX does not accumulate"):
        redcoll.MAX.accumulating("float32")
    with pytest.raises(OpError, match="does not accumulate"):
        user_op(plus).accumulating("float32")
    for row in ELEMENT_TYPES:
        if row.name == "float16":
            op.check(row)
        else:
            with pytest.raises(OpError, match=r"it takes float16, bfloat16"):
                op.check(row)
    for dtype in oracle.SMALL_FLOATS:
        op.check(element_type(dtype))
