"""Test EXACT_SUM in all calls of the MPI API, and exact_sum and exact_dot, with their errors."""

import math
import operator
import os
import pickle

import ml_dtypes
import numpy as np
import pytest
from mpi import oracle

import redcoll
from redcoll import MPI, ArgumentError, CollectiveMismatchError, DatatypeError, OpError

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

TYPES = [np.dtype(name) for name in oracle.EXACT_TYPES]


def operands(n, dtype, count, seed=0):
    """Return the same numbers on all ranks, with a row for each rank. Some numbers cancel out."""
    rng = np.random.default_rng([n, count, seed])
    parts = 2 if dtype.kind == "c" else 1
    real = np.dtype(f"f{dtype.itemsize // parts}")
    info = np.finfo(real)
    exponents = rng.integers(info.minexp - info.nmant, info.maxexp - 1, (n, parts * count))
    rows = np.ldexp(rng.standard_normal(exponents.shape), exponents).astype(real)
    rows[n // 2 :, ::3] = -rows[: n - n // 2, ::3]
    rows[:, 1::4] = rng.standard_normal(rows[:, 1::4].shape)
    return rows.view(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_upper_case_reduction(comm, dtype):
    me, n = comm.rank, comm.size
    compared = 0
    for count in (1, 5, 700):
        rows = operands(n, dtype, n * count)
        whole = oracle.fold("EXACT_SUM", rows)
        block = slice(me * count, me * count + count)
        for op in (MPI.EXACT_SUM, redcoll.EXACT_SUM, "exact_sum"):
            out = np.zeros(n * count, dtype)
            comm.Allreduce(rows[me], out, op=op)
            compared += oracle.assert_same(out, whole)
            comm.Reduce(rows[me], out, op=op, root=n - 1)
            if me == n - 1:
                compared += oracle.assert_same(out, whole)
            comm.Scan(rows[me], out, op=op)
            compared += oracle.check("EXACT_SUM", rows[: me + 1], out)
            comm.Exscan(rows[me], out, op=op)
            if me:
                compared += oracle.check("EXACT_SUM", rows[:me], out)
            part = np.zeros(count, dtype)
            comm.Reduce_scatter_block(rows[me], part, op=op)
            compared += oracle.assert_same(part, whole[block])
            comm.Reduce_scatter(rows[me], part, [count] * n, op=op)
            compared += oracle.assert_same(part, whole[block])
    assert compared > 3000


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_lower_case_reduction(comm, dtype):
    me, n = comm.rank, comm.size
    rows = operands(n, dtype, 40)
    whole = oracle.fold("EXACT_SUM", rows)
    compared = oracle.assert_same(comm.allreduce(rows[me], op=MPI.EXACT_SUM), whole)
    for column in range(40):
        numbers = rows[:, column]
        values = [numbers[me]]
        if dtype in (np.float64, np.complex128):
            values.append(numbers[me].item())
        for value in values:
            for result, expected in (
                (comm.allreduce(value, op=MPI.EXACT_SUM), numbers),
                (comm.scan(value, op=MPI.EXACT_SUM), numbers[: me + 1]),
                (comm.exscan(value, op=MPI.EXACT_SUM), numbers[:me]),
            ):
                if len(expected):
                    right = oracle.fold("EXACT_SUM", [number.reshape(1) for number in expected])
                    compared += oracle.assert_same(np.array([result], dtype), right)
    assert compared > 100


def test_wrong_elements_are_refused_everywhere(comm):
    for values in (np.ones(3, int), np.ones(3, np.float16), np.ones(3, np.longdouble)):
        out = np.zeros_like(values)
        with pytest.raises(OpError, match=r"EXACT_SUM is not defined on .*it takes float32"):
            comm.Allreduce(values, out, op=MPI.EXACT_SUM)
        assert not out.any()
    small = np.ones(3, ml_dtypes.bfloat16)
    for value in (1, True, np.float16(1), "word", [1.0], np.ones(3, int), small, small[0]):
        with pytest.raises(OpError, match="EXACT_SUM takes numbers of one type"):
            comm.allreduce(value, op=MPI.EXACT_SUM)
    mixed = 1.0 if comm.rank else 1
    if comm.size > 1:
        with pytest.raises(OpError, match="EXACT_SUM takes numbers of one type"):
            comm.allreduce(mixed, op=MPI.EXACT_SUM)
    # Only MPI can reduce a derived datatype.
    every_second = MPI.DOUBLE.Create_vector(3, 1, 2).Commit()
    values = np.ones(6)
    with pytest.raises(OpError, match="EXACT_SUM, and only MPI can reduce"):
        comm.Allreduce(MPI.IN_PLACE, [values, 1, every_second], op=MPI.EXACT_SUM)
    every_second.Free()
    assert comm.allreduce(0.5, op=MPI.EXACT_SUM) == 0.5 * comm.size


def test_the_operation_itself():
    op = MPI.EXACT_SUM
    assert op
    assert op == MPI.EXACT_SUM
    assert op != MPI.SUM
    assert op.Is_commutative()
    assert pickle.loads(pickle.dumps(op)) is op
    assert redcoll.op_lookup.as_op(op) is redcoll.EXACT_SUM
    assert op(1.5, 2.0) == 3.5
    total = np.array([1.0])
    op.Reduce_local(np.array([2.0]), total)
    assert total[0] == 3
    op.free()
    assert op
    copy = MPI.Op(op)
    assert copy.core is redcoll.EXACT_SUM


# -- exact_sum and exact_dot ----------------------------------------------------------------------

# The number of random inputs. 100,000 inputs take minutes.
INPUTS = int(os.environ.get("REDCOLL_TEST_EXACT_INPUTS", "60"))
REALS = (np.dtype("f8"), np.dtype("f4"))


def adversarial(rng, dtype, count):
    """Return numbers of a random kind that is difficult to add."""
    info = np.finfo(dtype)
    kind = int(rng.integers(9))
    if kind == 0:
        return rng.standard_normal(count).astype(dtype)
    if kind == 1:  # exponents from the whole range
        exponents = rng.integers(info.minexp - info.nmant, info.maxexp - 1, count)
        return np.ldexp(rng.standard_normal(count), exponents).astype(dtype)
    if kind == 2:  # the sum is small, because most numbers cancel
        half = adversarial(rng, dtype, count // 2)
        half = half[np.isfinite(half)]
        return rng.permutation(np.concatenate([half, -half, rng.random(2).astype(dtype)]))
    if kind == 3:  # only subnormals
        return (rng.integers(-9, 10, count) * info.smallest_subnormal).astype(dtype)
    if kind == 4:  # many sums lie halfway between two numbers
        unit = float(info.eps) / 2
        return rng.choice([1, unit, -unit, unit * unit, -unit * unit, 2.0**60], count).astype(dtype)
    if kind == 5:  # partial sums overflow
        large = float(info.max) / 4
        signs = np.resize([1, 1, 1, 1, 1, -1, -1, -1, -1, -1], count // 10 * 10)
        return rng.permutation(large * signs + large * rng.random(signs.size) / 100).astype(dtype)
    if kind == 6:
        return rng.choice([0.0, -0.0], count, p=[0.1, 0.9]).astype(dtype)
    if kind == 7:  # some are infinite or NaN
        numbers = rng.standard_normal(count).astype(dtype)
        wrong = [[np.inf], [-np.inf], [np.inf, -np.inf], [np.nan]][rng.integers(4)]
        numbers[rng.integers(0, max(count, 1), 3 if count else 0)] = rng.choice(wrong)
        return numbers
    return rng.choice(
        [1e300 if dtype == "f8" else 1e30, 1, -1e300 if dtype == "f8" else -1e30], count
    )


def dealt(rng, n, *vectors):
    """Permute vectors and cut them into a part for each rank, in the same way for all vectors."""
    order = rng.permutation(len(vectors[0]))
    cuts = np.sort(rng.integers(0, len(order) + 1, n - 1))
    return [np.split(vector[order], cuts) for vector in vectors]


def test_exact_sums_of_many_inputs(tight, same_everywhere):
    me, n = tight.index, tight.size
    results, compared = [], 0
    for seed in range(INPUTS):
        rng = np.random.default_rng([7, seed])
        dtype = REALS[seed % 2]
        x = adversarial(rng, dtype, int(rng.choice([0, 1, 3, 40, 300]))).astype(dtype)
        [parts] = dealt(rng, n, x)
        result = redcoll.exact_sum(parts[me], team=tight)
        assert type(result) is dtype.type
        expected = np.array([oracle.exact_sum(x.tolist(), dtype)], dtype)
        compared += oracle.assert_same(np.array([result]), expected, what=f"sum {seed}")
        results.append(result)
    assert compared == INPUTS
    same_everywhere(np.array(results, np.float64))


def test_exact_dots_of_many_inputs(tight, same_everywhere):
    me, n = tight.index, tight.size
    results, compared = [], 0
    for seed in range(INPUTS):
        rng = np.random.default_rng([8, seed])
        dtype = REALS[seed % 2]
        a = adversarial(rng, dtype, int(rng.choice([0, 1, 3, 40, 120]))).astype(dtype)
        b = adversarial(rng, dtype, len(a)).astype(dtype)
        length = min(len(a), len(b))
        a, b = a[:length], b[:length]
        a_parts, b_parts = dealt(rng, n, a, b)
        result = redcoll.exact_dot(a_parts[me], b_parts[me], team=tight)
        expected = np.array([exact_dot(a.tolist(), b.tolist(), dtype)], dtype)
        compared += oracle.assert_same(np.array([result]), expected, what=f"dot {seed}")
        results.append(result)
    assert compared == INPUTS
    same_everywhere(np.array(results, np.float64))


def exact_dot(a, b, dtype):
    """Return the dot product, computed as a rational number and rounded once."""
    pairs = list(zip(a, b, strict=True))
    wrong = [u * v for u, v in pairs if not (math.isfinite(u) and math.isfinite(v))]
    if wrong:
        return sum(wrong)
    (left, one), (right, other) = oracle.integers(a), oracle.integers(b)
    total = sum(map(operator.mul, left, right))
    products = [u * v if u == 0 or v == 0 else 1.0 for u, v in pairs]
    are_minus_zeros = bool(pairs) and all(math.copysign(1, each) < 0 for each in products)
    return -0.0 if are_minus_zeros else oracle.rounded(total, one + other, dtype)


def test_every_layout_axis_and_number_of_fields(tight):
    me, n = tight.index, tight.size
    rng = np.random.default_rng(9)
    compared = 0
    for dtype in TYPES:
        whole = operands(n, dtype, 60).reshape(n, 3, 4, 5)
        x = whole[me]
        strided = np.zeros((6, 5, 8), dtype)[::2, :, 1:5].transpose(0, 2, 1)
        strided[...] = x
        for own in (x, np.asfortranarray(x), strided, x.astype(dtype.newbyteorder(">"))):
            for axis in (None, 0, -1, (0, 2), [1], (2, 1, 0), ()):
                result = redcoll.exact_sum(own, axis, team=tight)
                chosen = (0, 1, 2) if axis is None else axis
                chosen = [chosen] if isinstance(chosen, int) else chosen
                summed = sorted({each % 3 for each in chosen})
                kept = [each for each in range(3) if each not in summed]
                rows = whole.transpose(0, *(each + 1 for each in (*summed, *kept)))
                shape = tuple(x.shape[each] for each in kept)
                assert np.shape(result) == shape
                rows = rows.reshape(-1, math.prod(shape))
                compared += oracle.check("EXACT_SUM", rows, np.asarray(result))
        fields = [x, rng.standard_normal(2), np.float32(1.5), 2.0, 1j]
        for kind in (list, tuple):
            results = redcoll.exact_sum(kind(fields), team=tight)
            assert type(results) is kind
            singly = [redcoll.exact_sum(each, team=tight) for each in fields]
            for result, single in zip(results, singly, strict=True):
                compared += oracle.assert_same(np.array([result]), np.array([single]))
            products = redcoll.exact_dot(kind([x, x[0]]), kind([x, x[1]]), team=tight)
            assert type(products) is kind
            for product, pair in zip(products, ((x, x), (x[0], x[1])), strict=True):
                single = redcoll.exact_dot(*pair, team=tight)
                compared += oracle.assert_same(np.array([product]), np.array([single]))
        if dtype.kind == "c":
            both = whole.reshape(n, -1)
            dot = redcoll.exact_dot(x, x[::-1].copy()[::-1], team=tight)
            real, imag = both.real.ravel().astype("f8"), both.imag.ravel().astype("f8")
            expected, part = np.zeros(1, dtype), f"f{dtype.itemsize // 2}"
            expected.real = exact_dot([*real, *-imag], [*real, *imag], part)
            expected.imag = exact_dot([*real, *imag], [*imag, *real], part)
            compared += oracle.assert_same(np.array([dot]), expected)
    assert compared > 1000


def test_long_vectors(tight):
    me, n = tight.index, tight.size
    for seed, dtype in enumerate(REALS):
        rng = np.random.default_rng([10, seed])
        for spread in (0, 20, 100 if dtype == "f8" else 30):
            x = rng.standard_normal((2, 30000)) * 2.0 ** rng.integers(-spread, spread + 1, 30000)
            x, y = x.astype(dtype)
            x_parts, y_parts = dealt(rng, n, x, y)
            total = redcoll.exact_sum(x_parts[me], team=tight)
            expected = oracle.exact_sum(x.tolist(), dtype)
            oracle.assert_same(np.array([total]), np.array([expected], dtype))
            dot = redcoll.exact_dot(x_parts[me], y_parts[me], team=tight)
            expected = exact_dot(x.tolist(), y.tolist(), dtype)
            oracle.assert_same(np.array([dot]), np.array([expected], dtype))


@pytest.mark.mpi(min_size=2)
def test_disagreements_raise_everywhere(tight):
    me, n = tight.index, tight.size
    odd = me == n - 1
    wrong = CollectiveMismatchError
    for call in (
        lambda: redcoll.exact_sum(np.ones(3, "f4" if odd else "f8"), team=tight),
        lambda: redcoll.exact_sum(np.ones((3, 2 + odd)), 0, team=tight),
        lambda: redcoll.exact_sum([np.ones(3)] * (1 + odd), team=tight),
        lambda: (redcoll.exact_dot(*np.ones((2, 3)), team=tight)
                 if odd else redcoll.exact_sum(np.ones(3), team=tight)),
    ):  # fmt: skip
        with pytest.raises(wrong):
            call()
    with pytest.raises(DatatypeError if odd else wrong):
        redcoll.exact_sum(np.ones(3, int if odd else float), team=tight)
    with pytest.raises(ArgumentError if odd else wrong):
        redcoll.exact_dot(np.ones(3), np.ones(3 + odd), team=tight)
    assert redcoll.exact_sum(np.ones(3), team=tight) == 3 * n
