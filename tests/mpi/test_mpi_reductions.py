"""Compare all operations on all types with the oracle, and repeat MPICH's test cases."""

import itertools

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import COLLECTIVES, about, call
from mpi.oracle import Guarded, Reduced

from redcoll import MPI

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

NAMES = {"AND": "BAND", "OR": "BOR", "XOR": "BXOR"}
"""MPI's names of the operations that have other names in redcoll."""

# For each element type, the datatypes of MPI that a program can pass.
DECLARED = {
    "bool": ("C_BOOL", "CXX_BOOL"),
    "int8": ("SIGNED_CHAR", "INT8_T", "INTEGER1"),
    "int16": ("SHORT", "INT16_T", "INTEGER2"),
    "int32": ("INT", "INT32_T", "INTEGER", "INTEGER4"),
    "int64": ("LONG", "LONG_LONG", "INT64_T", "INTEGER8", "AINT", "COUNT", "OFFSET"),
    "uint8": ("UNSIGNED_CHAR", "UINT8_T"),
    "uint16": ("UNSIGNED_SHORT", "UINT16_T"),
    "uint32": ("UNSIGNED", "UINT32_T"),
    "uint64": ("UNSIGNED_LONG", "UNSIGNED_LONG_LONG", "UINT64_T"),
    "float16": ("FLOAT16_T",),
    "float32": ("FLOAT", "REAL", "REAL4"),
    "float64": ("DOUBLE", "DOUBLE_PRECISION", "REAL8"),
    "longdouble": ("LONG_DOUBLE",),
    "complex64": ("C_COMPLEX", "C_FLOAT_COMPLEX", "CXX_FLOAT_COMPLEX", "COMPLEX", "COMPLEX8"),
    "complex128": ("C_DOUBLE_COMPLEX", "CXX_DOUBLE_COMPLEX", "DOUBLE_COMPLEX", "COMPLEX16"),
    "clongdouble": ("C_LONG_DOUBLE_COMPLEX", "CXX_LONG_DOUBLE_COMPLEX"),
    "FLOAT_INT": ("FLOAT_INT",),
    "DOUBLE_INT": ("DOUBLE_INT",),
    "LONG_INT": ("LONG_INT",),
    "2INT": ("TWOINT", "INT_INT"),
    "SHORT_INT": ("SHORT_INT",),
    "LONG_DOUBLE_INT": ("LONG_DOUBLE_INT",),
    "2REAL": ("TWOREAL",),
    "2DOUBLE_PRECISION": ("TWODOUBLE_PRECISION",),
    "2INTEGER": ("TWOINTEGER",),
}

COUNTS = (1, 10, 100, 40000)
"""Numbers of elements, from one element to vectors that exceed the eager buffer for all types."""


def operation(name):
    return getattr(MPI, NAMES.get(name, name))


def declared(name):
    """Return a list: None for a bare array, and then this MPI's datatypes for the type."""
    datatypes = [getattr(MPI, each, MPI.DATATYPE_NULL) for each in DECLARED.get(name, ())]
    return [None, *(each for each in datatypes if each)]


def lengths_of_blocks(n, count):
    lengths = [(count // n // 2) * (index % 2) + (index % 3) for index in range(n)]
    while sum(lengths) > count:
        lengths[int(np.argmax(lengths))] -= 1
    lengths[-1] += count - sum(lengths)
    return lengths


@pytest.mark.parametrize("op", oracle.OPS)
def test_every_operation_on_every_type(comm, same_everywhere, op):
    results = []
    for at, (type_name, dtype) in enumerate(oracle.types_of(op).items()):
        with about(type_name):
            results += check_operation(comm, op, at, type_name, dtype)
    same_everywhere(np.frombuffer(b"".join(results), np.uint8))


def check_operation(comm, op, at, type_name, dtype):
    """Check an operation; return the results, which must have the same bytes on all ranks."""
    n, me = comm.size, comm.rank
    compared = 0
    results = []
    for round_, count in enumerate(COUNTS if n <= 5 else (1, 100)):
        rows = oracle.rows(op, dtype, n, count)
        expected = Reduced(op, rows)
        datatypes = declared(type_name)
        datatype = datatypes[round_ % len(datatypes)]
        if datatype is not None and op not in ("MAXLOC", "MINLOC"):
            datatype = datatypes[(round_ + at) % len(datatypes)]

        def spec(array, datatype=datatype):
            return array if datatype is None else [array, datatype]

        target = Guarded(count, dtype)
        comm.Allreduce(spec(rows[me].copy()), spec(target.array), operation(op))
        compared += expected.check(target.array)
        target.check()
        results.append(oracle.value_bytes(target.array))

        root = round_ % n
        target = Guarded(count, dtype)
        comm.Reduce(spec(rows[me].copy()), spec(target.array), operation(op), root)
        if me == root:
            compared += expected.check(target.array)
            target.check()
        else:
            target.check_untouched()

        in_place = rows[me].copy()
        comm.Scan(MPI.IN_PLACE, spec(in_place), operation(op))
        compared += oracle.check(op, rows[: me + 1], in_place)

        target = Guarded(count, dtype)
        comm.Exscan(spec(rows[me].copy()), spec(target.array), operation(op))
        if me:
            compared += oracle.check(op, rows[:me], target.array)
            target.check()
        else:
            target.check_untouched()

        lengths = lengths_of_blocks(n, count)
        block = slice(sum(lengths[:me]), sum(lengths[: me + 1]))
        target = Guarded(lengths[me], dtype)
        comm.Reduce_scatter(spec(rows[me].copy()), spec(target.array), lengths, operation(op))
        if lengths[me]:
            compared += expected.check(target.array, block)
        target.check()

        length = count // n
        if length:
            even = Reduced(op, [row[: length * n] for row in rows])
            whole = rows[me][: length * n].copy()
            comm.Reduce_scatter_block(MPI.IN_PLACE, spec(whole), operation(op))
            compared += even.check(whole[:length], slice(me * length, me * length + length))
            if n > 1:
                oracle.assert_same(whole[length:], rows[me][length : length * n], what="tail")
    assert compared > 100
    return results


def test_every_declared_datatype(comm):
    n, me = comm.size, comm.rank
    compared = 0
    for type_name in DECLARED:
        is_pair = type_name in oracle.PAIRS
        op = "MINLOC" if is_pair else ("LOR" if type_name == "bool" else "SUM")
        dtype = oracle.PAIRS[type_name] if is_pair else np.dtype(type_name)
        rows = oracle.rows(op, dtype, n, 9)
        for datatype in declared(type_name)[1:]:
            target = np.empty(9, dtype)
            comm.Allreduce([rows[me].copy(), datatype], [target, datatype], operation(op))
            compared += oracle.check_reduced(op, rows, target, what=datatype.Get_name())
            target = np.empty(9, dtype)
            comm.Allreduce([rows[me].copy(), 9, datatype], [target, 9, datatype], operation(op))
            compared += oracle.check_reduced(op, rows, target)
    assert compared > 9 * 2 * 30


def test_bits_and_truth_values(comm):
    values = np.array([1, 2, 4, 8], np.uint8) << (comm.rank % 4)
    target = np.zeros(4, np.uint8)
    comm.Allreduce([values, MPI.BYTE], [target, MPI.BYTE], MPI.BOR)
    expected = np.bitwise_or.reduce(
        [np.array([1, 2, 4, 8], np.uint8) << (rank % 4) for rank in range(comm.size)]
    )
    assert oracle.assert_same(target, expected) == 4
    size = MPI.LOGICAL.Get_size()
    truth = np.array([1, 0, comm.rank == 0], f"i{size}")
    for op, third in ((MPI.LAND, comm.size == 1), (MPI.LOR, 1), (MPI.LXOR, 1)):
        target = np.full(3, 7, f"i{size}")
        comm.Allreduce([truth, MPI.LOGICAL], [target, MPI.LOGICAL], op)
        assert target[2] == third
        assert target[1] == 0


# -- order of the operands ----------------------------------------------------------------------


@pytest.mark.parametrize("count", [1000, 40000])
def test_all_reductions_give_the_bits_of_one_order(comm, same_everywhere, count):
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((comm.size, count)) * 10.0 ** rng.integers(-8, 8, (comm.size, count))
    expected = Reduced("SUM", rows).result
    mine = rows[comm.rank].copy()
    whole = np.empty(count)
    comm.Allreduce(mine, whole)
    compared = oracle.assert_same(whole, expected)
    same_everywhere(whole)
    for root in {0, comm.size - 1, comm.size // 2}:
        target = np.empty(count)
        comm.Reduce(mine, target, root=root)
        if comm.rank == root:
            compared += oracle.assert_same(target, expected)
    singles = np.empty(count)
    for at in range(0, count, max(1, count // 100)):
        comm.Allreduce(mine[at : at + 1], singles[at : at + 1])
        compared += oracle.assert_same(singles[at : at + 1], expected[at : at + 1])
    last = np.empty(count)
    comm.Scan(mine, last)
    comm.Bcast(last, comm.size - 1)
    compared += oracle.assert_same(last, oracle.left_fold(np.add, rows))
    assert compared >= 2 * count + 100


def test_big_and_tiny_numbers_cancel_equally_everywhere(comm, same_everywhere):
    # This is MPICH's test allred_float.
    n = comm.size
    rows = np.zeros((n, 4))
    rows[:, 0] = 1e-10
    rows[0, 1], rows[n - 1, 1] = 1e200, -1e200
    rows[:, 2] = [1e20 if rank % 2 else -1e20 for rank in range(n)]
    rows[:, 3] = 0.1
    target = np.empty(4)
    comm.Allreduce(rows[comm.rank].copy(), target)
    assert oracle.check_reduced("SUM", rows, target) == 4
    same_everywhere(target)


@pytest.mark.parametrize("op", ["MAX", "MIN", "MAXLOC", "MINLOC"])
def test_nan(comm, same_everywhere, op):
    n, me = comm.size, comm.rank
    is_pair = op.endswith("LOC")
    dtype = oracle.PAIRS["DOUBLE_INT"] if is_pair else np.dtype(float)
    for holder, count in itertools.product({0, n - 1, n // 2}, (1, 2, 7, 64, 1000, 40000)):
        rows = np.zeros((n, count), dtype)
        values = rows["value"] if is_pair else rows
        values[...] = np.arange(n)[:, None] + np.arange(count)
        values[holder] = np.nan
        if is_pair:
            rows["index"] = np.arange(n)[:, None] + 5
        target = np.empty(count, dtype)
        comm.Allreduce(rows[me].copy(), target, operation(op))
        assert oracle.check_reduced(op, rows, target) == count
        result = target["value"] if is_pair else target
        assert np.isnan(result).all()
        if is_pair:
            assert (target["index"] == holder + 5).all()
    same_everywhere(target)


# -- MPICH's cases ---------------------------------------------------------------------------------


def products(rank, size, count):
    """Return integer matrices that do not commute and whose product stays small."""
    result = np.zeros((count, 2, 2), np.int64)
    result[:] = [[1, rank + 1], [0, 1]] if rank % 2 else [[1, 0], [rank % 3 + 1, 1]]
    result[1::2] = result[1::2].transpose(0, 2, 1)
    return result


def multiply(a, b, datatype):
    """Compute ``b = a b`` for each pair of matrices."""
    left, right = (np.frombuffer(each, np.int64).reshape(-1, 2, 2) for each in (a, b))
    right[...] = left @ right


@pytest.mark.parametrize("count", [1, 4, 600, 3000])
def test_matrix_products_are_folded_in_rank_order(comm, count):
    n, me = comm.size, comm.rank
    everyone = [products(rank, n, count) for rank in range(n)]
    op = MPI.Op.Create(multiply, commute=False)
    upto = [everyone[0]]
    for each in everyone[1:]:
        upto.append(upto[-1] @ each)
    mine = everyone[me].copy()
    target = np.zeros_like(mine)
    comm.Allreduce(mine, target, op)
    compared = oracle.assert_same(target, upto[-1])
    for root in range(min(n, 5)):
        target = np.zeros_like(mine)
        comm.Reduce([mine, MPI.INT64_T], [target, MPI.INT64_T], op, root)
        if me == root:
            compared += oracle.assert_same(target, upto[-1])
        else:
            assert not target.any()
    comm.Scan(mine, target, op)
    compared += oracle.assert_same(target, upto[me])
    target[...] = -7
    comm.Exscan(mine, target, op)
    if me:
        compared += oracle.assert_same(target, upto[me - 1])
    else:
        assert (target == -7).all()
    in_place = mine.copy()
    comm.Allreduce(MPI.IN_PLACE, in_place, op)
    compared += oracle.assert_same(in_place, upto[-1])
    # Compute the same product by a Python function of two arrays.
    comm.Allreduce(mine, target, lambda a, b: (a.reshape(-1, 2, 2) @ b.reshape(-1, 2, 2)).ravel())
    compared += oracle.assert_same(target, upto[-1])
    op.Free()
    assert compared >= 4 * count * 3


@pytest.mark.parametrize("side", ["left", "right"])
def test_operations_that_keep_one_side(comm, side):
    for name in COLLECTIVES:
        with about(name):
            check_side(comm, name, side)


def check_side(comm, name, side):
    n, me = comm.size, comm.rank

    def keep(a, b, datatype):
        if side == "left":
            np.frombuffer(b, np.int32)[:] = np.frombuffer(a, np.int32)

    op = MPI.Op.Create(keep, commute=False)
    lengths = lengths_of_blocks(n, 11)
    block = slice(sum(lengths[:me]), sum(lengths[: me + 1]))
    even = slice(3 * me, 3 * me + 3)
    sizes = {"Reduce_scatter": (11, lengths[me]), "Reduce_scatter_block": (3 * n, 3)}
    n_source, n_target = sizes.get(name, (11, 11))
    target = np.full(n_target, -1, np.int32)
    mine = np.arange(n_source, dtype=np.int32) * n + me
    call(comm, name, mine, target, op, 0, lengths)
    winner = {
        "Scan": 0 if side == "left" else me,
        "Exscan": 0 if side == "left" else me - 1,
    }.get(name, 0 if side == "left" else n - 1)
    whole = np.arange(n_source, dtype=np.int32) * n + winner
    expected = {"Reduce_scatter": whole[block], "Reduce_scatter_block": whole[even]}
    wanted = expected.get(name, whole)
    if (name == "Reduce" and me) or (name == "Exscan" and me == 0):
        wanted = np.full(n_target, -1, np.int32)
    assert target.tolist() == wanted.tolist()
    op.Free()


def test_maxloc_and_minloc_of_three_slots(comm):
    # As in MPICH's tests opmaxloc and opminloc, the values are equal ones, equal zeros, and the
    # ranks.
    names = [name for name in DECLARED if name in oracle.PAIRS]
    for dtype, datatype in (
        (oracle.PAIRS[name], each) for name in names for each in declared(name)
    ):
        pairs = np.zeros(3, dtype)
        pairs["value"] = [1, 0, comm.rank]
        pairs["index"] = comm.rank
        spec = pairs if datatype is None else [pairs, datatype]
        most, least = (np.zeros(3, dtype) for _ in range(2))
        into = [(each if datatype is None else [each, datatype]) for each in (most, least)]
        comm.Allreduce(spec, into[0], MPI.MAXLOC)
        comm.Allreduce(spec, into[1], MPI.MINLOC)
        assert most["value"].tolist() == [1, 0, comm.size - 1]
        assert most["index"].tolist() == [0, 0, comm.size - 1]
        assert least["value"].tolist() == [1, 0, 0]
        assert least["index"].tolist() == [0, 0, 0]


def test_table_of_owners(comm):
    # As in MPICH's test coll12, find the rank with the largest value, for each column of a table.
    n, me, count = comm.size, comm.rank, 24
    table = np.zeros((n, count), oracle.PAIRS["DOUBLE_INT"])
    for rank in range(n):
        table[rank]["value"] = [(rank * 7 + at * 3) % (n + 2) for at in range(count)]
        table[rank]["index"] = rank
    target = np.zeros(count, oracle.PAIRS["DOUBLE_INT"])
    comm.Allreduce(
        [table[me].copy(), count, MPI.DOUBLE_INT], [target, count, MPI.DOUBLE_INT], MPI.MAXLOC
    )
    assert target["index"].tolist() == table["value"].argmax(axis=0).tolist()
    assert target["value"].tolist() == table["value"].max(axis=0).tolist()


def test_long_vectors_of_a_user_function(comm):
    # As in MPICH's tests longuser and uoplong, reduce more than 64 Ki triples of doubles, passed as
    # MPI_DOUBLE.
    def add(a, b, datatype):
        assert datatype.Get_name() == "MPI_DOUBLE"
        left, right = (np.frombuffer(each, float) for each in (a, b))
        assert left.size == right.size == 3 * 70000
        right += left

    op = MPI.Op.Create(add, commute=True)
    target = np.zeros(3 * 70000)
    comm.Allreduce(np.full(3 * 70000, comm.rank + 1.0), target, op)
    assert (target == comm.size * (comm.size + 1) / 2).all()
    op.Free()


def test_flood_of_small_calls(comm):
    # This is MPICH's test allredmany.
    target, n = np.zeros(1, np.int64), comm.size
    for step in range(500):
        comm.Allreduce(np.array([step + comm.rank]), target)
        assert target[0] == n * step + n * (n - 1) // 2


def test_more_elements_than_ranks_and_fewer(comm):
    # This is MPICH's test allred5.
    for count in range(2 * comm.size + 2):
        target = np.full(count + 1, -1)
        comm.Allreduce(np.arange(count) + comm.rank, target[:count])
        expected = comm.size * np.arange(count) + comm.size * (comm.size - 1) // 2
        assert target.tolist() == [*expected.tolist(), -1]


# -- argmax and argmin ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin(comm, name):
    for dtype in ("f2", "f4", "f8", "g", "i1", "u2", "i4", "u8", "i8"):
        with about(dtype):
            check_argmax(comm, name, dtype)


def check_argmax(comm, name, dtype):
    rng = np.random.default_rng(9)
    everyone = rng.integers(0, 4, (comm.size, 5, 3)).astype(dtype)
    values, ranks = getattr(comm, name)(everyone[comm.rank])
    function = np.max if name == "argmax" else np.min
    assert oracle.assert_same(values, function(everyone, axis=0)) == 15
    assert ranks.tolist() == getattr(np, name)(everyone, axis=0).tolist()
    assert values.dtype == np.dtype(dtype)
    assert ranks.dtype == np.int64
    indices = rng.permutation(15 * comm.size).reshape(everyone.shape)
    values, found = getattr(comm, name)(everyone[comm.rank], indices[comm.rank])
    ties = everyone == function(everyone, axis=0)
    assert found.tolist() == np.where(ties, indices, 1 << 40).min(axis=0).tolist()


def test_argmax_of_numbers_and_nan(comm):
    value, rank = comm.argmax(float(comm.rank))
    assert (value, rank) == (comm.size - 1, comm.size - 1)
    assert type(rank) is int
    assert comm.argmin(7) == (7, 0)
    value, rank = comm.argmax(np.nan if comm.rank == comm.size - 1 else 1.0)
    assert np.isnan(value)
    assert rank == comm.size - 1
    value, index = comm.argmin(comm.rank % 2, 2**40 + comm.rank)
    assert (value, index) == (0, 2**40)
