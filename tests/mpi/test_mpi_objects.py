"""Lower-case reductions: mpi4py's results and types to the last bit, whatever the objects."""

import fractions
import functools
import operator

import numpy as np
import pytest
from mpi.mpi_tools import about, same_under_both

from redcoll.errors import CollectiveMismatchError

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

NAMES = ("allreduce", "reduce", "scan", "exscan")
OPS = ("SUM", "PROD", "MAX", "MIN", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR")
ON_INTEGERS = ("BAND", "BOR", "BXOR")
ON_ARRAYS = ("SUM", "PROD", *ON_INTEGERS)
fortran = np.asfortranarray


def nested(depth, value):
    """A tuple with the value in it, so deep."""
    result = (value,)
    for _ in range(depth):
        result = (result,)
    return result


# By rank and number of ranks; with the operations that Python has on them.
OBJECTS = {
    "integers": (lambda i, n: 3 * i + 1, OPS),
    "small and negative": (lambda i, n: 2 - i, OPS),
    "integers of many bits": (lambda i, n: 3 ** (40 + 5 * i) * (-1) ** i, OPS),
    "at the edge of 64 bits": (lambda i, n: (2**63 - 1, -(2**63), 2**63)[i % 3], OPS),
    "bools": (lambda i, n: i % 2 == 0, OPS),
    "bools and integers": (lambda i, n: True if i % 2 else i, OPS),
    "reals": (lambda i, n: 0.1 * i + 1e10 ** (i % 3), OPS[:7]),
    "zeros of both signs": (lambda i, n: -0.0 if i % 2 else 0.0, OPS[:7]),
    "infinities": (lambda i, n: float("inf") * (1 - 2 * (i % 2)), OPS[:7]),
    "a NaN": (lambda i, n: float("nan") if i == n // 2 else float(i), OPS[:7]),
    "integers and reals": (lambda i, n: i if i % 2 else i + 0.5, OPS[:7]),
    "complex": (lambda i, n: complex(i, 0.1), ("SUM", "PROD")),
    "numpy's float64": (lambda i, n: np.float64(0.1 * i), OPS[:7]),
    "numpy's float32": (lambda i, n: np.float32(0.1 * i), OPS[:7]),
    "numpy's float16": (lambda i, n: np.float16(0.1 * i), OPS[:7]),
    "numpy's longdouble": (lambda i, n: np.longdouble("0.1") * i, ("SUM", "MAX", "MIN")),
    "numpy's complex64": (lambda i, n: np.complex64(i + 0.1j), ("SUM", "PROD")),
    "numpy's int64": (lambda i, n: np.int64(i + 1), OPS),
    "numpy's uint8 that wrap": (lambda i, n: np.uint8(200 + i), ("SUM", "MAX", *ON_INTEGERS)),
    "numpy's bools": (lambda i, n: np.bool_(i % 2), ("SUM", "MAX", "LAND", *ON_INTEGERS)),
    "numpy's and Python's": (lambda i, n: np.int32(i) if i % 2 else i, OPS),
    "array": (lambda i, n: np.arange(5.0) / (i + 1), ("SUM", "PROD")),
    "array of integers": (lambda i, n: np.arange(6, dtype="i2").reshape(2, 3) + i, ON_ARRAYS),
    "array in Fortran order": (lambda i, n: fortran(np.arange(6.0).reshape(2, 3)) * i, OPS[:2]),
    "orders differ": (lambda i, n: np.array([[1.0, 2], [i, 4]], order="FC"[i % 2]), OPS[:2]),
    "array with gaps": (lambda i, n: (np.arange(10.0) * i)[::2], OPS[:2]),
    "arrays to be broadcast": (lambda i, n: np.ones((2, 1) if i % 2 else (1, 3)) * i, OPS[:2]),
    "array and number": (lambda i, n: np.arange(3) if i % 2 else 2, OPS[:2]),
    "array without elements": (lambda i, n: np.zeros((0, 3)), OPS[:2]),
    "array of one": (lambda i, n: np.array(i + 0.5), OPS[:2]),
    "long array": (lambda i, n: np.linspace(0, 1, 40000) ** (i + 1), OPS[:2]),
    "long array of integers": (lambda i, n: np.arange(40000).reshape(200, -1) * i, ON_ARRAYS),
    "long array in Fortran order": (
        lambda i, n: fortran(np.linspace(0, i, 36000).reshape(3, -1)), OPS[:2]
    ),
    "long arrays of different types": (lambda i, n: np.ones(70000, ("f4", "f8")[i % 2]), OPS[:2]),
    "long complex array": (lambda i, n: np.linspace(0, 1 + 1j, 20000) * (i + 0.3), OPS[:2]),
    "array of foreign byte order": (lambda i, n: np.arange(4, dtype=">f8") + i, OPS[:2]),
    "array of objects": (lambda i, n: np.array([i, 10**20], object), OPS[:2]),
    "tuples": (lambda i, n: (i, "a"), ("SUM",)),
    "tuples of numbers": (lambda i, n: (i, 2.5), ("SUM", "MAX", "MIN")),
    "tuples in tuples": (lambda i, n: nested(16, i), ("SUM", "MAX")),
    "many tuples in tuples": (lambda i, n: nested(17, i), ("SUM", "MAX")),
    "ever so many tuples in tuples": (lambda i, n: nested(400, i), ("SUM",)),
    "tuples in tuples on some ranks": (lambda i, n: nested(400 * (i % 2), i), ("SUM",)),
    "lists": (lambda i, n: [i], ("SUM", "MAX")),
    "texts": (lambda i, n: chr(97 + i), ("SUM", "MIN")),
    "bytes": (lambda i, n: bytes([i]), ("SUM", "MAX")),
    "sets": (lambda i, n: {i, i + 1}, ON_INTEGERS),
    "fractions": (lambda i, n: fractions.Fraction(i, i + 1), ("SUM", "PROD", "MAX")),
    "texts on some ranks only": (lambda i, n: "" if n == 1 or i else "a", ("SUM", "MAX")),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_objects(both, name):
    def case(make, op, MPI, comm):
        arguments = {"root": comm.size - 1} if name == "reduce" else {}
        obj = make(comm.rank, comm.size)
        return getattr(comm, name)(obj, getattr(MPI, op), **arguments)

    cases = [(what, make, op) for what, (make, ops) in OBJECTS.items() for op in ops]
    # mpi4py's reductions take their time where processes outnumber cores by far.
    cases = cases[NAMES.index(name) % 3 :: 3] if both[0][1].size > 8 else cases
    compared = 0
    for what, make, op in cases:
        with about(what, op):
            compared += same_under_both(both, functools.partial(case, make, op))
    assert compared == len(cases) > 60


def test_values_and_locations(both):
    makers = {
        "rank": lambda i, n: (float(i), i),
        "ties": lambda i, n: (1.5, n - i),
        "integers": lambda i, n: ((i * 7) % 5, i),
        "numpy's": lambda i, n: (np.float32(i), np.int64(i)),
        "NaN": lambda i, n: (float("nan") if i == 1 else float(i), i),
        "lists": lambda i, n: [i, i],
        "where it is": lambda i, n: (i % 3, (i, "here")),
        "big": lambda i, n: (10**30 + i, 10**25),
    }

    def case(name, op, make, MPI, comm):
        return getattr(comm, name)(make(comm.rank, comm.size), getattr(MPI, op))

    for what, make in makers.items():
        for name in NAMES:
            for op in ("MAXLOC", "MINLOC"):
                with about(what, name, op):
                    assert same_under_both(both, functools.partial(case, name, op, make))


def subtract(a, b):
    return a - b


FUNCTIONS = {
    "a function": subtract,
    "a lambda": lambda a, b: 2 * a + b,
    "an operator": operator.sub,
    "a builtin": max,
    "a ufunc": np.hypot,
    "a type": lambda a, b: fractions.Fraction(int(a), int(b) + 1),
    "a partial": functools.partial(pow, mod=1000003),
}


def test_functions_in_rank_order(both):
    def case(name, function, MPI, comm):
        return getattr(comm, name)(comm.rank + 2, function)

    for what, function in FUNCTIONS.items():
        for name in NAMES:
            with about(what, name):
                assert same_under_both(both, functools.partial(case, name, function))


def test_texts_in_rank_order(both):
    def case(MPI, comm):
        text = f"<{comm.rank}>"
        return [getattr(comm, name)(text, operator.add) for name in NAMES]

    assert same_under_both(both, case)


def test_the_result_is_a_new_object(comm):
    mine = np.arange(3.0)
    for name in ("allreduce", "scan"):
        result = getattr(comm, name)(mine)
        assert result is not mine
        assert result.flags.writeable
        result[:] = -1
        assert mine.tolist() == [0, 1, 2]
        assert result.base is None or result.base.base is None


def test_every_root(both):
    def case(root, MPI, comm):
        return comm.reduce(comm.rank + 1, root=root), comm.reduce([comm.rank], MPI.SUM, root)

    for root in range(both[0][1].size):
        assert same_under_both(both, functools.partial(case, root))


@pytest.mark.mpi(min_size=2)
def test_mismatches(comm):
    other = comm.size - 1
    for spoilt in (
        lambda: comm.allreduce(1, max if comm.rank == other else min),
        lambda: comm.allreduce(1, subtract if comm.rank == other else comm.size),
    ):
        with pytest.raises((CollectiveMismatchError, TypeError)):
            spoilt()
    assert comm.allreduce(1) == comm.size
