"""Test repeated calls with ``[array, datatype]``: only a known specification skips the checks."""

import numpy as np
import pytest
from mpi4py import MPI as mpi

import redcoll
from redcoll import MPI

pytestmark = pytest.mark.mpi


@pytest.fixture
def comm(world):
    comm = MPI.COMM_WORLD.Dup()
    yield comm
    comm.Free()


def warm(comm, source, target, datatype, op):
    for _ in range(4):
        comm.Allreduce([source, datatype], [target, datatype], op)


def test_pairs(comm):
    n, me = comm.size, comm.rank
    pair = redcoll.MPI_PAIRS["DOUBLE_INT"]
    own = np.dtype([("value", "f8"), ("index", "i4")], align=True)  # equal, but not the same object
    for turn in range(6):
        dtype = own if turn % 2 else pair
        source, target = np.zeros(1, dtype), np.zeros(1, pair if turn % 3 else dtype)
        source[0] = (abs(n - turn - me), me)
        kinds = (list, tuple)
        for kind in kinds:
            comm.Allreduce(
                kind((source, MPI.DOUBLE_INT)), kind((target, MPI.DOUBLE_INT)), MPI.MAXLOC
            )
            values = [abs(n - turn - pe) for pe in range(n)]
            assert target[0].tolist() == (max(values), values.index(max(values)))


def test_two_datatypes_of_one_dtype(comm):
    source, target = np.full(1, 3), np.zeros(1, "i8")
    warm(comm, source, target, MPI.LONG, MPI.SUM)
    warm(comm, source, target, MPI.INT64_T, MPI.SUM)
    assert target[0] == 3 * comm.size
    for sendbuf, recvbuf in (
        ([source, MPI.LONG], [target, MPI.INT64_T]),
        ([source, MPI.INT64_T], [target, MPI.LONG]),
    ):
        with pytest.raises(ValueError, match="sendbuf and recvbuf have different datatypes"):
            comm.Allreduce(sendbuf, recvbuf, MPI.SUM)
    warm(comm, source, target, MPI.LONG, MPI.SUM)
    assert target[0] == 3 * comm.size


def test_datatypes_that_are_not_the_arrays(comm):
    n = comm.size
    doubles, out = np.full(2, 1.5), np.zeros(2)
    warm(comm, doubles, out, MPI.DOUBLE, MPI.SUM)
    # MPI interprets the bytes of an array by the datatype, even if the array has another type.
    comm.Allreduce([doubles, MPI.INT64_T], [out, MPI.INT64_T], MPI.SUM)
    bits = doubles.view("i8")
    wanted = np.add.reduce([bits] * n)
    assert out.view("i8").tolist() == wanted.tolist()
    with pytest.raises((ValueError, mpi.Exception)):
        comm.Allreduce([doubles, MPI.DOUBLE], [np.zeros(3), MPI.DOUBLE], MPI.SUM)
    comm.Allreduce([doubles, MPI.DOUBLE], out, MPI.SUM)
    assert out.tolist() == [1.5 * n] * 2
    comm.Allreduce([doubles, MPI.DOUBLE], [out, MPI.DOUBLE], MPI.SUM)
    assert out.tolist() == [1.5 * n] * 2
    comm.Allreduce(MPI.IN_PLACE, [out, MPI.DOUBLE], MPI.MAX)
    assert out.tolist() == [1.5 * n] * 2


def test_a_datatype_that_was_made_and_freed(comm):
    n = comm.size
    source, target = np.arange(4.0), np.zeros(4)
    for _ in range(3):
        made = MPI.DOUBLE.Create_contiguous(2).Commit()
        try:
            # MPI_SUM is not defined on this datatype. On all ranks MPI gets the call and raises.
            with pytest.raises(mpi.Exception):
                comm.Allreduce([source, 2, made], [target, 2, made], MPI.SUM)
        finally:
            made.Free()
        warm(comm, source, target, MPI.DOUBLE, MPI.SUM)
        assert target.tolist() == (source * n).tolist()
