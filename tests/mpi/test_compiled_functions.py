"""Test compiled functions as operations: numba cfuncs, and function pointers of ctypes and cffi."""

import ctypes
import inspect

import cffi
import numba
import numpy as np
import pytest
from mpi import oracle
from mpi4py.util import dtlib

import redcoll
from redcoll import MPI, CollectiveMismatchError, OpError, RedcollError, user_op
from redcoll.team import comm_state

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

REAL = numba.types.CPointer(numba.types.float64)


@numba.cfunc(numba.types.void(REAL, REAL, REAL, numba.types.int64))
def affine(a, b, out, n):
    for index in range(n):
        out[index] = a[index] * 0.5 + b[index]


def of_two(a, b):
    return a * 0.5 + b


MOMENTS = np.dtype([("n", "i8"), ("largest", "f8"), ("first", "f4"), ("last", "i1")])  # 21 bytes
RECORD = numba.types.CPointer(numba.from_dtype(MOMENTS))


@numba.cfunc(numba.types.void(RECORD, RECORD, RECORD, numba.types.int64))
def merge(a, b, out, n):
    left, right, result = numba.carray(a, n), numba.carray(b, n), numba.carray(out, n)
    for index in range(n):
        result[index].n = left[index].n + right[index].n
        result[index].largest = max(left[index].largest, right[index].largest)
        result[index].first = left[index].first
        result[index].last = right[index].last


DOUBLES = ctypes.POINTER(ctypes.c_double)
CTYPES = ctypes.CFUNCTYPE(None, DOUBLES, DOUBLES, DOUBLES, ctypes.c_int64)(affine.address)
FFI = cffi.FFI()
CFFI = FFI.cast("void (*)(const double *, const double *, double *, int64_t)", affine.address)

OPS = {
    "numba": user_op(affine, dtype=np.float64, elementwise=True),
    "whole vectors": user_op(affine, dtype=np.float64),
    "ctypes": user_op(CTYPES, dtype="f8", elementwise=True, name="ctypes"),
    "cffi": user_op(CFFI, dtype="f8", elementwise=True, name="cffi"),
    "jit": redcoll.jit_op(of_two),
}


def without_python(team, op):
    """Return the operation. If the kernel can call the compiled function, ``combine`` raises."""

    def combine(*_):
        raise AssertionError("Python code called the function")

    is_direct = team.kernel.NAME == "compiled" and op.address_of is not None
    if not is_direct:
        return op
    fields = {name: getattr(op, name) for name in inspect.signature(type(op)).parameters}
    return type(op)(**{**fields, "combine": combine})


@pytest.mark.parametrize("form", OPS)
def test_every_collective(tight, arena, form):
    me, n = tight.index, tight.size
    op = without_python(tight, OPS[form])
    assert (op.address_of is None) == (form == "whole vectors")
    compared = 0
    for count in (n, 200 * n, 2000 * n):
        rows = np.random.default_rng(count).standard_normal((n, count))
        whole = oracle.left_fold(of_two, rows)
        for take in (np.empty, arena.take):
            arena.reset()
            source, target = take(count, "f8"), take(count, "f8")
            source[...] = rows[me]
            redcoll.allreduce(target, source, op, team=tight)
            compared += oracle.assert_same(target, whole)
            redcoll.reduce(target, source, op, n - 1, team=tight)
            if me == n - 1:
                compared += oracle.assert_same(target, whole)
            redcoll.scan(target, source, op, team=tight)
            compared += oracle.assert_same(target, oracle.left_fold(of_two, rows[: me + 1]))
            redcoll.exscan(target, source, op, team=tight)
            if me:
                compared += oracle.assert_same(target, oracle.left_fold(of_two, rows[:me]))
            block = np.empty(count // n)
            redcoll.reduce_scatter(block, source, op, team=tight)
            compared += oracle.assert_same(block, whole[me * block.size :][: block.size])
            redcoll.allreduce(source, source, op, team=tight)
            compared += oracle.assert_same(source, whole)
    assert compared > 10_000
    comm = MPI.COMM_WORLD.Dup()
    comm.Allreduce(rows[me].copy(), target, op)
    assert oracle.assert_same(target, whole) == count
    comm.Free()


def test_structures_of_any_size(tight):
    me, n = tight.index, tight.size
    op = without_python(tight, user_op(merge, dtype=MOMENTS, elementwise=True))
    compared = 0
    for count in (1, 30, 3000):
        source, target = np.zeros(count, MOMENTS), np.zeros(count, MOMENTS)
        source["n"] = np.arange(count) + me
        source["largest"] = source["first"] = source["last"] = me
        redcoll.allreduce(target, source, op, team=tight)
        expected = np.zeros(count, MOMENTS)
        expected["n"] = n * np.arange(count) + n * (n - 1) // 2
        expected["largest"] = expected["last"] = n - 1
        compared += oracle.assert_same(target["n"], expected["n"])
        assert target.tobytes() == expected.tobytes()
        redcoll.scan(target, source, op, team=tight)
        assert (target["last"] == me).all()
    assert compared == 3031


def merged(rows):
    """Return the left fold of rows of MOMENTS, computed field by field."""
    out = rows[0].copy()
    out["n"] = rows["n"].sum(0)
    out["largest"] = rows["largest"].max(0)
    out["last"] = rows["last"][-1]
    return out


def spread(array):
    """Return a copy of an array that has a gap after each element."""
    out = np.zeros(2 * array.size, array.dtype)[::2]
    out[...] = array
    return out


@pytest.mark.parametrize("has_window", [True, False])
def test_structures_in_every_upper_case_reduction(has_window, monkeypatch):
    assert comm_state.attach(MPI.COMM_WORLD).team is not None
    if not has_window:
        monkeypatch.setenv("REDCOLL_MAX_TEAMS", "1")
    comm = MPI.COMM_WORLD.Dup()
    assert (comm_state.attach(comm).team is not None) == has_window
    me, n = comm.rank, comm.size
    made = dtlib.from_numpy_dtype(MOMENTS).Commit()
    compared = 0

    def compare(found, wanted):
        nonlocal compared
        assert found.dtype == MOMENTS
        assert np.ascontiguousarray(found).tobytes() == wanted.tobytes()
        compared += 1

    for elementwise in (True, False):
        op = user_op(merge, dtype=MOMENTS, elementwise=elementwise)
        for count in (1, 40, 3000):
            rows = np.zeros((n, count * n), MOMENTS)
            for number, field in enumerate(MOMENTS.names):
                rng = np.random.default_rng([count, number])
                rows[field] = rng.integers(-100, 100, rows.shape)
            mine = rows[me].copy()
            whole, upto = merged(rows), merged(rows[: me + 1])
            for form in (
                lambda array: array,
                spread,
                lambda array: [array, array.size],
                lambda array: [array, made],
                lambda array: [array, array.size, made],
            ):
                send = form(mine)
                receive = form(np.zeros(count * n, MOMENTS))
                result = receive[0] if type(receive) is list else receive
                comm.Allreduce(send, receive, op)
                compare(result, whole)
                comm.Reduce(send, receive if me == n - 1 else None, op, n - 1)
                compare(result, whole)
                comm.Scan(send, receive, op)
                compare(result, upto)
                comm.Exscan(send, receive, op)
                compare(result, merged(rows[:me]) if me else upto)
                result[...] = mine
                comm.Allreduce(MPI.IN_PLACE, receive, op)
                compare(result, whole)
            block = np.zeros(count, MOMENTS)
            comm.Reduce_scatter_block(mine, block, op)
            compare(block, whole[me * count :][:count])
            counts = [count * n - n + 1, *[1] * (n - 1)]
            part = np.zeros(counts[me], MOMENTS)
            comm.Reduce_scatter(mine, part, counts, op)
            compare(part, whole[sum(counts[:me]) :][: counts[me]])
    assert compared == 6 * (5 * 5 + 2)
    made.Free()
    comm.Free()


@pytest.mark.mpi(min_size=2)
def test_other_structures_raise_everywhere():
    comm = MPI.COMM_WORLD
    op = user_op(merge, dtype=MOMENTS, elementwise=True)
    right = np.zeros(2, MOMENTS)
    other = dtlib.from_numpy_dtype(np.dtype([("n", "f8"), ("m", "f8")]))
    for wrong, words in (
        (np.zeros(2, [("n", "f8"), ("m", "i8"), ("k", "i1")]), "merge, which is for"),
        (np.zeros(2), r"op .*merge is for \["),
        ([right, other], "derived datatype"),
        ([right.view(np.uint8), other], "derived datatype"),
    ):
        target = right.copy()
        if comm.rank:
            with pytest.raises(CollectiveMismatchError):
                comm.Allreduce(right, target, op)
        else:
            with pytest.raises(OpError, match=words):
                comm.Allreduce(
                    wrong, np.zeros_like(wrong) if type(wrong) is not list else wrong, op
                )
        assert comm.allreduce(1) == comm.size
    other.Free()


def test_a_datatype_with_the_handle_of_a_freed_one():
    """Use a right or a wrong datatype, and free the datatype. Later datatypes reuse its handle."""
    comm = MPI.COMM_WORLD
    me, n = comm.rank, comm.size
    op = user_op(merge, dtype=MOMENTS, elementwise=True)
    swapped = np.dtype([("n", "f8"), ("largest", "i8"), ("first", "f4"), ("last", "i1")])
    assert swapped.itemsize == MOMENTS.itemsize
    rows = np.zeros((n, 6), MOMENTS)
    for number, field in enumerate(MOMENTS.names):
        rows[field] = np.random.default_rng(number).integers(-100, 100, rows.shape)
    handles, compared = [], 0
    for is_wrong in (0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0) * 2:
        made = dtlib.from_numpy_dtype(swapped if is_wrong else MOMENTS).Commit()
        handles.append(made.handle)
        for _ in range(2):
            target = np.zeros(6, MOMENTS)
            if is_wrong:
                with pytest.raises(OpError, match="derived datatype"):
                    comm.Allreduce([rows[me], made], [target, made], op)
            else:
                comm.Allreduce([rows[me], made], [target, made], op)
                assert target.tobytes() == merged(rows).tobytes()
                compared += target.size
        made.Free()
    assert compared == 12 * 2 * 6
    assert comm.allreduce(len(handles) - len(set(handles))) > 0


LONG = np.dtype([("values", "f8", 1101)])  # 8,808 bytes: longer than a block of the compiled loops
VOID = numba.types.voidptr


@numba.cfunc(numba.types.void(VOID, VOID, VOID, numba.types.int64))
def combine_long(a, b, out, n):
    left = numba.carray(a, n * 1101, numba.types.float64)
    right = numba.carray(b, n * 1101, numba.types.float64)
    result = numba.carray(out, n * 1101, numba.types.float64)
    for index in range(n * 1101):
        result[index] = left[index] * 0.5 + right[index]


def test_structures_longer_than_a_block(world, arena):
    team = world.team  # a chunk of the tight team is shorter than an element
    me, n = team.index, team.size
    op = without_python(team, user_op(combine_long, dtype=LONG, elementwise=True))
    compared = 0
    for count in (1, n + 2):
        rows = np.random.default_rng(count).standard_normal((n, count * 1101))
        whole = oracle.left_fold(of_two, rows)
        upto = oracle.left_fold(of_two, rows[: me + 1])
        for take in (np.empty, arena.take):
            arena.reset()
            source, target = take(count * 1101, "f8"), take(count * 1101, "f8")
            source[...] = rows[me]
            redcoll.allreduce(target.view(LONG), source.view(LONG), op, team=team)
            compared += oracle.assert_same(target, whole)
            redcoll.scan(target.view(LONG), source.view(LONG), op, team=team)
            compared += oracle.assert_same(target, upto)
            redcoll.allreduce(source.view(LONG), source.view(LONG), op, team=team)
            compared += oracle.assert_same(source, whole)
    assert compared == 6 * 1101 * (n + 3)


@pytest.mark.mpi(min_size=2)
def test_functions_of_other_names_or_types_are_a_mismatch(tight):
    me = tight.index
    target, source = np.zeros(3), np.ones(3)
    with pytest.raises(CollectiveMismatchError, match="user function"):
        redcoll.allreduce(target, source, OPS["ctypes" if me else "cffi"], team=tight)
    plain = user_op(of_two, name="mine", elementwise=True)
    ours = redcoll.jit_op(of_two, name="mine") if me else plain
    with pytest.raises(CollectiveMismatchError, match="user function"):
        redcoll.allreduce(target, source, ours, team=tight)
    with pytest.raises(CollectiveMismatchError, match="user function"):
        redcoll.allreduce(target, source, OPS["numba" if me else "whole vectors"], team=tight)
    whole = user_op(of_two, name="mine")
    with pytest.raises(CollectiveMismatchError, match="user function"):
        redcoll.allreduce(target, source, plain if me else whole, team=tight)
    narrow = np.ones(3, np.float32)
    with pytest.raises(OpError, match="is for float64; it is not defined on float32"):
        redcoll.allreduce(narrow, narrow, OPS["numba"], team=tight)
    assert (target == 0).all()


NARROW = ctypes.CFUNCTYPE(None, DOUBLES, DOUBLES, DOUBLES, ctypes.c_int32)(affine.address)
SHORT = ctypes.CFUNCTYPE(None, DOUBLES, DOUBLES, DOUBLES)(affine.address)
RESULT = ctypes.CFUNCTYPE(ctypes.c_int, DOUBLES, DOUBLES, DOUBLES, ctypes.c_int64)(affine.address)


@pytest.mark.parametrize(
    ("function", "dtype", "words"),
    [
        (affine, None, "pass dtype"),
        (affine, "f4", "C type .* for elements of float32"),
        (affine, MOMENTS, "it must be void f"),
        (NARROW, "f8", "argtypes"),
        (SHORT, "f8", "argtypes"),
        (RESULT, "f8", "restype"),
        (CTYPES, "i8", "C type"),
        (ctypes.CDLL(None).abs, "f8", "argtypes None"),
        (FFI.cast("int (*)(double *)", affine.address), "f8", "ctype"),
        (FFI.cast("void (*)(float *, float *, float *, int64_t)", affine.address), "f8", "ctype"),
        (FFI.cast("double *", affine.address), "f8", "C type"),
        (of_two, "f8", "only compiled functions"),
    ],
)
def test_wrong_signatures(function, dtype, words):
    with pytest.raises(OpError, match=words):
        user_op(function, dtype=dtype, name="wrong")


def test_a_pointer_has_no_name():
    with pytest.raises(OpError, match="pass name"):
        user_op(CFFI, dtype="f8")
    with pytest.raises(redcoll.DatatypeError, match="Python objects"):
        user_op(affine, dtype=[("a", "O")])
    with pytest.raises(OpError, match="function of two numbers"):
        redcoll.jit_op(3)


def test_jit_op_that_numba_cannot_compile(tight):
    op = redcoll.jit_op(lambda a, b: a.upper() + b, name="upper")
    values = np.ones(3)
    with pytest.raises(OpError, match="numba cannot compile it for elements of float64"):
        redcoll.allreduce(values, values, op, team=tight)
    assert (values == 1).all()
    if tight.size > 1:
        op = op if tight.index == 0 else redcoll.jit_op(of_two, name="upper")
        with pytest.raises(OpError if tight.index == 0 else RedcollError):
            redcoll.allreduce(values, values, op, team=tight)
    redcoll.allreduce(values, values, team=tight)
    assert (values == tight.size).all()


def test_jit_op_without_numba(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    with pytest.raises(OpError, match="pip install numba"):
        redcoll.jit_op(of_two)


def test_structures_among_several_values():
    comm = MPI.COMM_WORLD
    op = user_op(merge, dtype=MOMENTS, elementwise=True)
    rows = np.zeros((comm.size, 6), MOMENTS)
    for number, field in enumerate(MOMENTS.names):
        rows[field] = np.random.default_rng(number).integers(-100, 100, rows.shape)
    values = [rows[comm.rank].reshape(2, 3), comm.rank]
    for found in (
        comm.allreduce_many(values, [op, "sum"]),
        redcoll.allreduce_many(values, [op, "sum"], team=comm),
    ):
        assert found[0].tobytes() == merged(rows).tobytes()
        assert found[0].shape == (2, 3)
        assert found[1] == sum(range(comm.size))
    with pytest.raises(OpError, match=r"item 1 of 1, .*merge is for"):
        comm.allreduce_many([1.5], op)


NESTED = np.dtype([("n", "i8"), ("pair", [("x", "f4"), ("y", "f4")]), ("name", "S3")])


@numba.cfunc(numba.types.void(*[numba.types.voidptr] * 3, numba.types.int64))
def last(_a, b, out, n):
    right = numba.carray(b, n * 19, numba.types.uint8)
    result = numba.carray(out, n * 19, numba.types.uint8)
    for index in range(n * 19):
        result[index] = right[index]


def test_a_datatype_of_nested_structures():
    comm = MPI.COMM_WORLD
    made = dtlib.from_numpy_dtype(NESTED).Commit()
    mine = np.zeros(2, NESTED)
    mine["n"] = mine["pair"]["y"] = comm.rank
    found = np.zeros(2, NESTED)
    comm.Allreduce([mine, made], [found, made], user_op(last, dtype=NESTED, elementwise=True))
    assert found["n"].tolist() == found["pair"]["y"].tolist() == [comm.size - 1] * 2
    made.Free()
