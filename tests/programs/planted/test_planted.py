"""Serve as a user's tests. One test fails on a rank for which the other ranks wait."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def total(count):
    result = np.zeros(count)
    comm.Allreduce(np.full(count, comm.rank + 1.0), result)
    return result


def is_right(result):
    return (result == comm.size * (comm.size + 1) / 2).all()


def test_before():
    assert is_right(total(3))


def test_fails_on_rank_1():
    assert comm.rank != 1
    assert is_right(total(3))


def test_after():
    assert is_right(total(5))
