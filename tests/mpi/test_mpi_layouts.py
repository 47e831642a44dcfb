"""Test that the memory layout of arrays and structs does not change the results."""

import itertools
from functools import partial

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import about, call
from mpi4py.util import dtlib

from redcoll import MPI
from redcoll.errors import CollectiveMismatchError, OverlapError

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

SHAPE = (4, 6)
FILL = -77.0


def whole(shape=SHAPE):
    """Return a large array for views of this shape. Calls must not change the rest of the array."""
    return np.full((2 * shape[0] + 3, 2 * shape[1] + 3), FILL)


LAYOUTS = {
    "C order": lambda: np.full(SHAPE, FILL),
    "Fortran order": lambda: np.full(SHAPE, FILL, order="F"),
    "every second": lambda: whole()[1:9:2, 2:14:2],
    "columns": lambda: whole()[1:5, 3:9],
    "backwards": lambda: np.full(SHAPE, FILL)[::-1, ::-1],
    "transposed": lambda: np.full(SHAPE[::-1], FILL).T,
    "swapped axes": lambda: np.full((6, 2, 4), FILL)[:, 1].swapaxes(0, 1),
    "one of three dimensions": lambda: np.full((*SHAPE, 3), FILL)[..., 1],
}


def check_rest(view):
    """Check that the memory around the view has not changed."""
    base = view.base
    while base is not None and base.base is not None:
        base = base.base
    if base is None or base.size == view.size:
        return
    view[...] = FILL
    assert (base == FILL).all()


@pytest.mark.parametrize("send", LAYOUTS)
def test_every_pair_of_layouts(comm, send):
    for recv in LAYOUTS:
        with about(recv):
            check_layouts(comm, send, recv)


def check_layouts(comm, send, recv):
    n, me = comm.size, comm.rank
    rows = np.random.default_rng(3).standard_normal((n, *SHAPE))
    fold = partial(oracle.left_fold, np.add)
    expected = oracle.by_node(fold, rows)
    source = LAYOUTS[send]()
    source[...] = rows[me]
    target = LAYOUTS[recv]()
    comm.Allreduce(source, target)
    compared = oracle.assert_same(target, expected)
    assert oracle.assert_same(source, rows[me]) == 24
    target[...] = FILL
    comm.Reduce([source, MPI.DOUBLE], [target, MPI.DOUBLE], root=n - 1)
    if me == n - 1:
        compared += oracle.assert_same(target, expected)
    else:
        assert (target == FILL).all()
    comm.Scan(source, target)
    compared += oracle.assert_same(target, fold(rows[: me + 1]))
    target[...] = FILL
    comm.Exscan(source, target)
    if me:
        compared += oracle.assert_same(target, fold(rows[:me]))
    else:
        assert (target == FILL).all()
    target[...] = rows[me]
    comm.Allreduce(MPI.IN_PLACE, target, MPI.MAX)
    compared += oracle.assert_same(target, rows.max(axis=0))
    assert compared >= 24 * 3
    check_rest(target)


def test_layouts_differ_between_ranks(comm):
    # If only some ranks use Fortran order, mpi4py mixes up the elements.
    n, me = comm.size, comm.rank
    rows = np.arange(n * 24.0).reshape(n, *SHAPE) ** 2
    source = np.asarray(rows[me], order="F" if me % 2 else "C")
    for make in LAYOUTS.values():
        target = (make if me == 0 else LAYOUTS["Fortran order"])()
        comm.Allreduce(source, target)
        assert oracle.assert_same(target, rows.sum(axis=0)) == 24


def test_flat_and_shaped_arrays_go_together(comm):
    shaped = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    flat = np.empty(6)
    comm.Allreduce(shaped, flat)
    assert flat.tolist() == [comm.size * value for value in range(6)]
    back = np.empty((2, 3), order="F")
    comm.Allreduce(flat, back)
    assert back.tolist() == (shaped * comm.size**2).tolist()


def test_parts_of_arrays_in_fortran_order(comm):
    """MPI reduces messages that name elements by their places in memory."""
    send = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    target = np.zeros((2, 5), order="F")
    comm.Allreduce([send, 6, MPI.DOUBLE], [target, 6, MPI.DOUBLE])
    assert oracle.assert_same(target[:, :3], comm.size * send) == 6
    assert not target[:, 3:].any()
    integers, found = send.astype("i8"), np.zeros((2, 3), "u8", order="F")
    comm.Allreduce([integers, MPI.UINT64_T], [found, MPI.UINT64_T])
    assert oracle.assert_same(found, (comm.size * send).astype("u8")) == 6


@pytest.mark.parametrize("name", ["Reduce_scatter", "Reduce_scatter_block"])
def test_scattered_strided_blocks(comm, name):
    n, me = comm.size, comm.rank
    rows = np.arange(n * n * 6.0).reshape(n, n * 6)
    memory = np.full((n * 6, 3), FILL)
    memory[:, 1] = rows[me]
    target = np.full((6, 2), FILL)
    call(comm, name, memory[:, 1], target[:, 0], recvcounts=[6] * n)
    expected = rows.sum(axis=0)[6 * me : 6 * me + 6]
    assert oracle.assert_same(target[:, 0], expected) == 6
    assert (target[:, 1] == FILL).all()
    call(comm, name, MPI.IN_PLACE, memory[:, 1], recvcounts=[6] * n)
    assert oracle.assert_same(memory[:6, 1], expected) == 6
    if n > 1:
        assert oracle.assert_same(memory[6:, 1], rows[me][6:]) == 6 * n - 6
    assert (memory[:, ::2] == FILL).all()


def test_strided_vectors_of_every_length(comm):
    n = comm.size
    for count in (3, 7, 5000, 60000):
        memory = np.full((count, 2), FILL)
        memory[:, 0] = np.arange(count) + comm.rank
        comm.Allreduce(memory[:, 0], memory[:, 1])
        assert oracle.assert_same(memory[:, 1], n * np.arange(count) + n * (n - 1) / 2) == count


def test_overlapping_arrays_are_refused(comm):
    a = np.zeros(10)
    with pytest.raises((OverlapError, CollectiveMismatchError)):
        comm.Allreduce(a[:6], a[2:8])
    assert not a.any()
    comm.Allreduce(np.ones(10), a)
    assert (a == comm.size).all()


# -- pairs -------------------------------------------------------------------------------------

PAIR_LAYOUTS = {
    "aligned": [("value", "f8"), ("index", "i4")],
    "other names": [("height", "f8"), ("rank", "i4")],
    "wide index": [("value", "f8"), ("index", "i8")],
    "floats": [("x", "f4"), ("where", "i4")],
    "float indices": [("value", "f8"), ("index", "f8")],
    "shorts": [("value", "i2"), ("index", "i4")],
    "long doubles": [("value", "g"), ("index", "i4")],
    "unsigned": [("value", "u8"), ("index", "i8")],
    "half": [("value", "f2"), ("index", "i8")],
}


@pytest.mark.parametrize("fields", PAIR_LAYOUTS)
def test_structs_without_a_datatype(comm, fields):
    for align, count in itertools.product((True, False), (1, 2, 4, 3000)):
        with about(align, count):
            check_structs(comm, fields, align, count)


def check_structs(comm, fields, align, count):
    dtype = np.dtype(PAIR_LAYOUTS[fields], align=align)
    value, index = dtype.names
    n, me = comm.size, comm.rank
    rows = np.zeros((n, count), dtype)
    rng = np.random.default_rng(2)
    rows[value] = rng.integers(0, 3, (n, count))
    rows[index] = rng.integers(0, 90, (n, count))
    for op, best in ((MPI.MAXLOC, np.max), (MPI.MINLOC, np.min)):
        wanted = best(rows[value], axis=0)
        lowest = np.where(rows[value] == wanted, rows[index].astype(float), 1e9).min(axis=0)
        memory = np.zeros((count, 2), dtype)
        for target in (np.zeros(count, dtype), memory[:, 0]):
            comm.Allreduce(rows[me], target, op)
            assert target[value].tolist() == wanted.tolist()
            assert target[index].tolist() == lowest.tolist()
        assert not memory[:, 1][value].any()
        assert not memory[:, 1][index].any()
        in_place = rows[me].copy()
        comm.Allreduce(MPI.IN_PLACE, in_place, op)
        assert in_place[value].tolist() == wanted.tolist()


@pytest.mark.parametrize("align", [True, False])
def test_structs_with_mpis_datatype(comm, align):
    # Four packed pairs have 48 bytes: mpi4py mistakes them for three padded pairs of 16 bytes.
    dtype = np.dtype([("value", "f8"), ("index", "i4")], align=align)
    for count in (1, 2, 4):
        for spec in (lambda a: [a, MPI.DOUBLE_INT], lambda a: [a, a.size, MPI.DOUBLE_INT]):
            pairs = np.zeros(count, dtype)
            pairs["value"] = np.arange(count) + comm.rank
            pairs["index"] = comm.rank
            target = np.zeros(count, dtype)
            comm.Allreduce(spec(pairs), spec(target), MPI.MAXLOC)
            assert target["value"].tolist() == [at + comm.size - 1 for at in range(count)]
            assert target["index"].tolist() == [comm.size - 1] * count


def test_some_of_the_packed_pairs(comm):
    dtype = np.dtype([("value", "f8"), ("index", "i4")])
    pairs = np.zeros(5, dtype)
    pairs["value"] = comm.rank
    pairs["index"] = comm.rank
    before = pairs.copy()
    comm.Allreduce(MPI.IN_PLACE, [pairs, (2, 1), MPI.DOUBLE_INT], MPI.MAXLOC)
    assert pairs["index"].tolist() == [comm.rank, *([comm.size - 1] * 2), comm.rank, comm.rank]
    assert (pairs[[0, 3, 4]] == before[[0, 3, 4]]).all()


def test_numbers_two_by_two(comm):
    pairs = np.array([[1.0, comm.rank], [comm.rank, comm.rank]])
    target = np.zeros((2, 2))
    both = MPI.TWODOUBLE_PRECISION
    comm.Allreduce([pairs, both], [target, both], MPI.MAXLOC)
    assert target.tolist() == [[1, 0], [comm.size - 1, comm.size - 1]]
    pairs, target = pairs.astype("f4"), np.zeros((2, 2), "f4")
    comm.Allreduce([pairs, 2, MPI.TWOREAL], [target, 2, MPI.TWOREAL], MPI.MINLOC)
    assert target.tolist() == [[1, 0], [0, 0]]


def test_mpis_other_functions_take_the_fortran_pairs(comm):
    for name, dtype in (("TWOREAL", "f4"), ("TWODOUBLE_PRECISION", "f8"), ("TWOINTEGER", "i4")):
        datatype = getattr(MPI, name)
        assert datatype.Get_size() == 2 * np.dtype(dtype).itemsize
        assert datatype.Get_name() == f"MPI_{name.replace('TWO', '2')}"
        values = np.full(4, comm.rank, dtype)
        comm.Bcast([values, 2, datatype], 0)
        assert not values.any()
        assert datatype == getattr(MPI, name)


def test_derived_struct_is_left_to_mpi(comm):
    dtype = np.dtype([("value", "f8"), ("index", "i4")], align=True)
    datatype = dtlib.from_numpy_dtype(dtype).Commit()
    pairs = np.zeros(2, dtype)
    with pytest.raises(MPI.Exception) as raised:
        comm.Allreduce([pairs, datatype], [pairs.copy(), datatype], MPI.MAXLOC)
    assert raised.value.Get_error_class() == MPI.ERR_OP
    datatype.Free()
