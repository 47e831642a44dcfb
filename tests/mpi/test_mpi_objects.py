"""Compare lower-case reductions of reals with the oracle, and those of objects with mpi4py's."""

import fractions
import functools
import json
import marshal
import operator

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import about, call, same_under_both

import redcoll
from redcoll import MPI, info
from redcoll.errors import CollectiveMismatchError, RemoteOpError

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

NAMES = ("allreduce", "reduce", "scan", "exscan")
OPS = ("SUM", "PROD", "MAX", "MIN", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR")
ON_INTEGERS = ("BAND", "BOR", "BXOR")
ON_ARRAYS = ("SUM", "PROD", *ON_INTEGERS)
fortran = np.asfortranarray


def nested(depth, value):
    """Wrap a value in nested tuples of this depth."""
    result = (value,)
    for _ in range(depth):
        result = (result,)
    return result


# Each entry has a function of rank and size that makes an object, and the operations that Python
# defines for the object.
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
# If all ranks pass the same real type, redcoll combines the ranks in the order of the upper-case
# reductions.
REALS = {
    *("reals", "zeros of both signs", "infinities", "a NaN", "complex", "numpy's float64"),
    *("numpy's float32", "numpy's float16", "numpy's longdouble", "numpy's complex64"),
}
ARRAYS_OF_REALS = {
    *("array", "array in Fortran order", "array with gaps", "long array"),
    *("long array in Fortran order", "long complex array"),
}
ON_REALS = ("SUM", "PROD", "MAX", "MIN")


def in_order(comm, name, make, op):
    """Compare a reduction with the oracle; return the number of elements compared."""
    n, me = comm.size, comm.rank
    mine = make(me, n)
    arguments = {"root": n - 1} if name == "reduce" else {}
    result = getattr(comm, name)(mine, getattr(MPI, op), **arguments)
    rows = [np.asarray(make(i, n)).reshape(-1) for i in range(n)]
    if name in ("scan", "exscan"):
        rows = rows[: me + (name == "scan")]
    if not rows or (name == "reduce" and me != n - 1):
        assert result is None
        return 1
    assert type(result) is type(mine)
    if isinstance(result, np.ndarray):
        assert result.shape == mine.shape
        assert result.flags.f_contiguous == mine.flags.f_contiguous or not mine.flags.forc
    actual = np.asarray(result).reshape(-1)
    if name in ("scan", "exscan"):
        return oracle.check(op, rows, actual)
    return oracle.check_reduced(op, rows, actual)


@pytest.mark.parametrize("name", NAMES)
def test_objects(both, name):
    def case(make, op, MPI, comm):
        arguments = {"root": comm.size - 1} if name == "reduce" else {}
        obj = make(comm.rank, comm.size)
        return getattr(comm, name)(obj, getattr(MPI, op), **arguments)

    cases = [(what, make, op) for what, (make, ops) in OBJECTS.items() for op in ops]
    # mpi4py's reductions are slow with many more processes than cores. So the test of each
    # collective runs only a third of the cases.
    cases = cases[NAMES.index(name) % 3 :: 3] if both[0][1].size > 8 else cases
    compared = 0
    for what, make, op in cases:
        with about(what, op):
            if (what in REALS and op in ON_REALS) or what in ARRAYS_OF_REALS:
                compared += in_order(both[1][1], name, make, op) > 0
            else:
                compared += same_under_both(both, functools.partial(case, make, op))
    assert compared == len(cases) > 60


UPPER = {"allreduce": "Allreduce", "reduce": "Reduce", "scan": "Scan", "exscan": "Exscan"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", ON_REALS)
def test_numbers_have_the_bits_of_the_upper_case_reduction(comm, name, op):
    n, me = comm.size, comm.rank
    has_none = (name == "reduce" and me != n // 2) or (name == "exscan" and me == 0)
    compared = 0
    for char in "efdgFD":
        if not oracle.legal(op, char):
            continue
        rows = oracle.rows(op, char, n, 30)
        target = np.zeros(30, char)
        call(comm, UPPER[name], rows[me].copy(), target, getattr(MPI, op), n // 2)
        numbers = list(rows[me])
        if char in "dD":
            numbers += [number.item() for number in rows[me]]
        for at, number in enumerate(numbers):
            arguments = {"root": n // 2} if name == "reduce" else {}
            result = getattr(comm, name)(number, getattr(MPI, op), **arguments)
            if has_none:
                assert result is None
                continue
            assert type(result) is type(number)
            with about(char, at, result, target[at % 30]):
                assert oracle.assert_same(np.array([result], char), target[at % 30 : at % 30 + 1])
            compared += 1
    assert (compared == 0) == has_none


def test_ranks_may_pass_different_objects(both):
    """Ranks can pass different types, such as integers and floats, or numbers and arrays."""

    def case(name, op, make, MPI, comm):
        return getattr(comm, name)(make(comm.rank, comm.size), getattr(MPI, op))

    makers = {
        "one float": lambda i, n: 0.5 if i == n - 1 else i,
        "one huge": lambda i, n: 10**30 if i == n - 1 else i,
        "sum past 64 bits": lambda i, n: 2**62,
        "one bool": lambda i, n: i == 1 if i < 2 else i,
        "float32 and float64": lambda i, n: (np.float32, np.float64)[i % 2](i + 0.5),
        "numpy's int and float": lambda i, n: np.int64(i) if i else 0.25,
        "one array": lambda i, n: np.arange(3) if i == n - 1 else i,
        "one shape": lambda i, n: np.arange(3) if i else np.arange(3).reshape(1, 3),
        "arrays of bools": lambda i, n: np.array([i % 2, 1, 0], bool),
    }
    compared = 0
    for what, make in makers.items():
        for op in ("SUM", "PROD"):
            for name in NAMES:
                with about(what, name, op):
                    compared += same_under_both(both, functools.partial(case, name, op, make))
    assert compared == 8 * len(makers)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("name", NAMES)
def test_objects_that_no_operation_takes_raise_on_all(comm, name):
    """Under mpi4py one rank raises, and the other ranks wait forever."""
    for odd in (None, "text", [1]):
        with pytest.raises((TypeError, RemoteOpError)):
            getattr(comm, name)(odd if comm.rank == 0 else 1)
        assert comm.allreduce(1) == comm.size


@pytest.mark.mpi(min_size=2)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_warning_that_is_an_error_raises_on_all(comm, name):
    with pytest.raises(RuntimeWarning, match="overflow"):
        getattr(comm, name)(np.uint8(200))
    assert comm.allreduce(1) == comm.size


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("name", NAMES)
def test_object_that_cannot_be_pickled_on_one_rank(comm, name):
    """Under plain mpi4py one rank would raise, and the other ranks would wait inside MPI."""
    mine = (lambda: None) if comm.rank == comm.size - 1 else 1
    error = Exception if comm.rank == comm.size - 1 else CollectiveMismatchError
    with pytest.raises(error, match="pickle"):
        getattr(comm, name)(mine)
    assert comm.allreduce(1) == comm.size


class Spoilt:
    """An object that cannot be pickled, or whose pickle cannot be read."""

    def __init__(self, reads):
        self.reads = reads

    def __reduce__(self):
        return (spoil, ()) if self.reads else spoil()


def spoil():
    raise ValueError("spoilt")


def test_object_reductions_whose_pickling_raises_on_one_rank(comm):
    """On one rank the operation returns an object that cannot be sent.

    Under plain mpi4py the other ranks would wait inside MPI.
    """
    for bad in range(comm.size):
        for reads in (False, True):

            def combine(a, b, bad=bad, reads=reads):
                return Spoilt(reads) if comm.rank == bad else [*a, *b]

            for name in NAMES:
                with about(bad, reads, name):
                    errors = comm.allgather(raised_by(getattr(comm, name), [comm.rank], combine))
                    if any(errors):
                        assert all(errors)
                        assert set(errors) <= {"ValueError", "RemoteOpError"}
                        assert "ValueError" in errors
                    assert comm.allreduce(1) == comm.size
    if comm.size > 1:
        with pytest.raises((ValueError, RemoteOpError), match="spoilt"):
            comm.allreduce(Spoilt(True) if comm.rank == 1 else "a")
    assert comm.allreduce("a") == "a" * comm.size


def raised_by(call, *arguments):
    """Return the name of the exception class that a call raises, or None."""
    try:
        call(*arguments)
    except (ValueError, RemoteOpError) as error:
        return type(error).__name__
    return None


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


class HasFunction:
    """A callable that has attributes of redcoll's operations, with wrong values."""

    function = np.ones(3)

    def __init__(self):
        self.__qualname__ = 5

    def __call__(self, a, b):
        return a + b


def test_allreduce_by_a_callable_with_attributes_named_like_ours(comm):
    assert comm.allreduce(comm.rank + 1, op=HasFunction()) == sum(range(comm.size + 1))
    assert comm.allreduce([comm.rank], op=HasFunction()) == list(range(comm.size))


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


@pytest.mark.parametrize(
    ("dumps", "loads"),
    [(marshal.dumps, marshal.loads), (lambda o: json.dumps(o).encode(), json.loads)],
    ids=["marshal", "json"],
)
def test_redcoll_does_not_pickle_its_own_objects_with_the_programs_pickler(comm, dumps, loads):
    other, target, n = comm.Dup(), np.zeros(2), comm.size
    MPI.pickle.__init__(dumps, loads)
    try:
        other.Allreduce(np.ones(2), target)
        total = other.allreduce(2)
    finally:
        MPI.pickle.__init__()
    assert oracle.assert_same(target, np.full(2, float(n))) == 2
    assert total == 2 * n
    assert other.allreduce({comm.rank}, lambda a, b: a | b) == set(range(n))
    other.Free()


def test_the_programs_pickler_is_not_used_for_reports_and_profiles(comm):
    MPI.pickle.__init__(lambda o: json.dumps(o).encode(), json.loads)
    try:
        report = info.report()
        with redcoll.profile() as p:
            redcoll.barrier()
    finally:
        MPI.pickle.__init__()
    assert f"\n  ranks               {MPI.COMM_WORLD.size}\n" in report
    assert p.is_complete


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
