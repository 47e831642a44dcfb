"""Test that all ranks raise after a wrong call or an exception in a user function.

Later calls must work.
"""

import contextlib
import gc
import itertools
import weakref

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import COLLECTIVES, call
from mpi4py import MPI as theirs

from redcoll import MPI, user_op
from redcoll.errors import (
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    OpError,
    OverlapError,
    RemoteOpError,
)
from redcoll.MPI import _native

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi(min_size=2)

COUNTS = (4, 40000)
FILL = -5.0


@pytest.fixture
def comm(comm_in_step):
    return comm_in_step


def check_usable(comm):
    n = comm.size
    for count in COUNTS:
        target = np.zeros(count)
        comm.Allreduce(np.full(count, comm.rank + 1.0), target)
        assert oracle.assert_same(target, np.full(count, n * (n + 1) / 2)) == count
    assert comm.allreduce(1) == n


class Arguments:
    """Valid arguments of a reduction. A test makes some of the arguments wrong on one rank."""

    def __init__(self, comm, name, count):
        n = comm.size
        self.count = count * n if name.startswith("Reduce_scatter") else count
        self.name, self.op, self.root, self.dtype = name, MPI.SUM, 0, float
        self.counts = [count] * n
        self.block = count
        self.comm = comm

    def __call__(self):
        scattered = self.name.startswith("Reduce_scatter")
        target = np.full(self.block if scattered else self.count, FILL, self.dtype)
        source = np.ones(self.count, self.dtype)
        try:
            call(self.comm, self.name, source, target, self.op, self.root, self.counts)
        finally:
            assert (target == FILL).all()


def other_count(it):
    it.count += it.comm.size
    it.block += 1
    it.counts = [each + 1 for each in it.counts]


def no_elements(it):
    it.count = it.block = 0
    it.counts = [0] * it.comm.size


def other_type(it):
    it.dtype = np.int64


def other_op(it):
    it.op = MPI.MAX


def a_function(it):
    it.op = np.hypot


@pytest.mark.parametrize("name", COLLECTIVES)
def test_mismatch_is_the_same_error_everywhere(comm, gather, name):
    check_usable(comm)
    spoils = (other_count, no_elements, other_type, other_op, a_function)
    for at, (count, spoil) in enumerate(itertools.product(COUNTS, spoils)):
        culprit = (0, comm.size - 1)[at % 2]
        it = Arguments(comm, name, count)
        if comm.rank == culprit:
            spoil(it)
        with pytest.raises(CollectiveMismatchError) as raised:
            it()
        assert len(set(gather(str(raised.value)))) == 1
        assert f"rank {culprit} " in str(raised.value)
    check_usable(comm)


@pytest.mark.parametrize("count", COUNTS)
def test_other_root(comm, count):
    it = Arguments(comm, "Reduce", count)
    it.root = comm.rank % 2
    with pytest.raises(CollectiveMismatchError, match=r"root=0.*root=1"):
        it()
    with pytest.raises(CollectiveMismatchError, match="root"):
        comm.reduce(1, root=comm.rank % 2)
    check_usable(comm)


def test_other_blocks(comm):
    n = comm.size
    counts = [2] * n
    if comm.rank == 0:
        counts = [2, *([2] * (n - 2)), 2]
        counts[0], counts[-1] = 1, 3
    target = np.zeros(counts[comm.rank])
    with pytest.raises(CollectiveMismatchError):
        comm.Reduce_scatter(np.ones(2 * n), target, counts)
    check_usable(comm)


def test_other_collectives(comm):
    target = np.zeros(4)
    with pytest.raises(CollectiveMismatchError, match=r"barrier.*allreduce|allreduce.*barrier"):
        comm.Barrier() if comm.rank == 0 else comm.Allreduce(np.ones(4), target)
    with pytest.raises(CollectiveMismatchError, match="scan"):
        comm.Scan(np.ones(4), target) if comm.rank == 0 else comm.Allreduce(np.ones(4), target)
    with pytest.raises(CollectiveMismatchError, match="objects"):
        comm.allreduce(1.0) if comm.rank == 0 else comm.Allreduce(np.ones(4), target)
    with pytest.raises(CollectiveMismatchError):
        comm.allreduce(1, MPI.SUM if comm.rank else MPI.MAX)
    with pytest.raises(CollectiveMismatchError):
        comm.scan(1) if comm.rank else comm.exscan(1)
    with pytest.raises(CollectiveMismatchError, match="close"):
        comm.Free() if comm.rank else comm.Allreduce(np.ones(4), target)
    assert not target.any()
    check_usable(comm)


WRONG_ON_ONE = {
    "count": (lambda c: c.Allreduce(np.ones(4), np.zeros(3)), ValueError),
    "type": (lambda c: c.Allreduce(np.ones(4), np.zeros(4, "i4")), ValueError),
    "no buffer": (lambda c: c.Allreduce(1.0, np.zeros(4)), TypeError),
    "bytes": (lambda c: c.Allreduce(np.ones(4), bytes(32)), BufferError),
    "op": (lambda c: c.Allreduce(np.ones(4), np.zeros(4), "plus"), TypeError),
    "op for the type": (lambda c: c.Allreduce(np.ones(4), np.zeros(4), MPI.BAND), MPI.Exception),
    "past the end": (lambda c: c.Allreduce([np.ones(4), 9], [np.zeros(4), 9]), ValueError),
    # mpi4py accepts these buffers, and then reads and writes outside the array.
    "displacement and count": (
        lambda c: c.Allreduce([np.ones(4), (4, 1)], [np.zeros(4), (4, 1)]),
        ValueError,
    ),
    "displacement, count and type": (
        lambda c: c.Allreduce([np.ones(4), (4, 1), MPI.DOUBLE], np.zeros(4)),
        ValueError,
    ),
    "displacement and count of the target": (
        lambda c: c.Allreduce(np.ones(4), [np.zeros(4), 4, 1, MPI.DOUBLE]),
        ValueError,
    ),
    "displacement and count of bytes": (
        lambda c: c.Allreduce([bytes(32), (4, 1), MPI.DOUBLE], np.zeros(4)),
        ValueError,
    ),
}


def test_errors_name_ranks_of_the_communicator(comm):
    """In a communicator with reversed ranks, messages give the rank and the PE number."""
    n = comm.size
    backwards = comm.Split(0, n - comm.rank)
    with pytest.raises(CollectiveMismatchError) as raised:
        backwards.Allreduce(np.ones(4), np.zeros(4), MPI.MAX if backwards.rank == 0 else MPI.SUM)
    assert f"rank 0 (PE {n - 1})" in str(raised.value)
    assert f"{n - 1} (PE 0) called" in str(raised.value)
    backwards.Free()


@pytest.mark.mpi(min_size=2)
def test_reduce_scatter_block_that_does_not_divide_on_one_rank(comm):
    """Under plain MPI the rank with the error would raise, and other ranks would wait forever."""
    n = comm.size
    wrong = np.ones(2 * n + 1)
    for culprit in {0, n - 1}:
        for buffers in ((MPI.IN_PLACE, wrong), (wrong, np.zeros(2)), (None, wrong[: n + 1])):
            if comm.rank == culprit:
                with pytest.raises(ValueError, match="multiple of the number of blocks"):
                    comm.Reduce_scatter_block(*buffers)
            else:
                with pytest.raises(CollectiveMismatchError, match=f"rank {culprit}.* refused"):
                    comm.Reduce_scatter_block(np.ones(2 * n), np.zeros(2))
    check_usable(comm)


def test_a_wrong_argument_on_one_rank_raises_on_all(comm):
    ranks = {0, comm.size - 1}
    for culprit, (wrong, kind) in itertools.product(ranks, WRONG_ON_ONE.values()):
        target = np.full(4, FILL)
        if comm.rank == culprit:
            with pytest.raises(kind):
                wrong(comm)
        else:
            with pytest.raises(CollectiveMismatchError, match=f"rank {culprit}.* refused"):
                comm.Allreduce(np.ones(4), target)
        assert (target == FILL).all()
    check_usable(comm)


class OldIntracomm(theirs.Intracomm):
    """A communicator of an MPI library that has no persistent collectives."""

    def Allreduce_init(self, *arguments):
        return _without(theirs.Intracomm.Allreduce_init, self, *arguments)

    def Scan_init(self, *arguments):
        return _without(theirs.Intracomm.Scan_init, self, *arguments)


def _without(prepare, *arguments):
    """Fail as mpi4py does if MPI lacks the function: mpi4py checks the buffers before."""
    with contextlib.suppress(theirs.Exception):
        prepare(*arguments).Free()
    raise NotImplementedError


class OldMPI:
    Intracomm = OldIntracomm

    def __getattr__(self, name):
        return getattr(theirs, name)


def spoil_type(it):
    it.send[-1] = it.receive[-1] = it.uncommitted


def spoil_op(it):
    it.op = MPI.OP_NULL


def spoil_op_without_type(it):
    it.send, it.receive, it.op = it.send[0], it.receive[0], MPI.OP_NULL


def spoil_target(it):
    it.receive[0].flags.writeable = False


def spoil_count(it):
    it.send[1] = it.receive[1] = -1


def spoil_source(it):
    it.send = 1.0


SPOILS = (
    spoil_type,
    spoil_op,
    spoil_op_without_type,
    spoil_target,
    spoil_count,
    spoil_source,
)


class Strided:
    """The arguments of a reduction that only MPI can make."""

    def __init__(self, n):
        self.uncommitted = MPI.DOUBLE.Create_vector(2, 1, 2)
        self.column = MPI.DOUBLE.Create_vector(2, 1, 2).Commit()
        self.user = self.op = MPI.Op.Create(lambda a, b, datatype: None)
        self.send = [np.ones(4 * n), n, self.column]
        self.receive = [np.zeros(4 * n), n, self.column]

    def free(self):
        for each in (self.uncommitted, self.column, self.user):
            each.Free()


@pytest.mark.parametrize("name", ["Allreduce", "Scan", "Reduce_scatter_block"])
def test_wrong_argument_on_an_mpi_without_persistent_collectives(comm, name, monkeypatch):
    """Without a check, the other ranks would wait inside MPI for the rank with the error."""
    likes = dict.fromkeys(_native._LIKE, OldIntracomm.Scan_init)
    monkeypatch.setattr(_native, "_LIKE", likes)
    monkeypatch.setattr(_native, "mpi", OldMPI())
    is_scatter = name.startswith("Reduce_scatter")
    for spoil in SPOILS:
        it = Strided(comm.size if is_scatter else 1)
        if is_scatter:
            it.receive = [np.zeros(4), 1, it.column]
        if comm.rank == 1:
            spoil(it)
        wrong = (theirs.Exception, ValueError, BufferError, TypeError)
        with pytest.raises(wrong if comm.rank == 1 else CollectiveMismatchError) as raised:
            getattr(comm, name)(it.send, it.receive, it.op)
        assert isinstance(raised.value, CollectiveMismatchError) == (comm.rank != 1)
        it.free()
    it = Strided(1)
    comm.Allreduce(it.send, it.receive, it.op)
    it.free()
    check_usable(comm)


class Rootless:
    def __index__(self):
        raise KeyError("no root")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (-1, MPI.Exception),
        (np.iinfo("i4").max, MPI.Exception),
        (2**40, OverflowError),
        (float("nan"), ValueError),
        (float("inf"), OverflowError),
        ("0", TypeError),
        (Rootless(), KeyError),
    ],
)
def test_a_root_that_is_not_a_number_on_one_rank(comm, wrong, error):
    root = wrong if comm.rank == 1 else 0
    ways = (
        lambda: comm.Reduce(np.ones(2), np.zeros(2), root=root),
        lambda: comm.reduce(1, root=root),
    )
    for reduce in ways:
        with pytest.raises(error if comm.rank == 1 else CollectiveMismatchError):
            reduce()
    check_usable(comm)


def test_a_wrong_root_reaches_the_error_handler(comm):
    told = []
    handler = MPI.Comm.Create_errhandler(lambda comm, code: told.append(code))
    comm.Set_errhandler(handler)
    for reduce in (comm.Reduce, comm.reduce):
        with pytest.raises(MPI.Exception):
            reduce(np.ones(2), np.zeros(2), root=9999) if reduce == comm.Reduce else reduce(
                1, root=9999
            )
    comm.Set_errhandler(MPI.ERRORS_RETURN)
    handler.Free()
    assert [MPI.Get_error_class(code) for code in told] == [MPI.ERR_ROOT] * 2
    check_usable(comm)


@pytest.mark.parametrize(
    ("values", "indices", "error"),
    [
        ([[1], [1, 2]], None, ValueError),
        ([1, 2], [[1], [1, 2]], ValueError),
        ([1, 2], np.array([0, 2**63], np.uint64), ValueError),
        ("text", None, TypeError),
    ],
)
def test_an_object_without_a_maximum_on_one_rank(comm, values, indices, error):
    arguments = (values, indices) if comm.rank == 1 else ([1, 2], None)
    with pytest.raises(error if comm.rank == 1 else CollectiveMismatchError):
        comm.argmax(*arguments)
    check_usable(comm)


def test_wrong_root_on_one_rank(comm):
    root = comm.size if comm.rank == 1 else 0
    ways = {
        "Reduce": lambda: comm.Reduce(np.ones(2), np.zeros(2), root=root),
        "reduce": lambda: comm.reduce(1, root=root),
    }
    for reduce in ways.values():
        with pytest.raises(MPI.Exception) as raised:
            reduce()
        is_mine = raised.value.Get_error_class() == MPI.ERR_ROOT
        assert is_mine == (comm.rank == 1)
        # As in mpi4py, a program can compare the exception with an error class.
        assert (raised.value == MPI.ERR_ROOT) == is_mine
        assert (raised.value != MPI.ERR_ROOT) != is_mine
        assert isinstance(raised.value, CollectiveMismatchError) != is_mine
        assert isinstance(raised.value, ArgumentError) == is_mine
    check_usable(comm)


def test_a_rank_that_wants_mpi_and_one_in_another_collective(comm):
    datatype = MPI.DOUBLE.Create_contiguous(1).Commit()
    op = MPI.Op.Create(lambda a, b, t: None)
    send, recv = [np.ones(4), datatype], [np.zeros(4), datatype]
    with pytest.raises(CollectiveMismatchError, match="by MPI itself"):
        comm.Allreduce(send, recv, op) if comm.rank else comm.Scan(np.ones(4), np.zeros(4))
    op.Free()
    datatype.Free()
    check_usable(comm)


def test_errors_are_mpi4pys_exceptions_too(comm):
    me, x, y = comm.rank, np.ones(4), np.zeros(4)

    def fails(a, b):
        if me == 1:
            return a + b
        raise OwnError

    # Rank 1 makes the wrong call. The other ranks make a right call and raise a
    # CollectiveMismatchError.
    cases = [
        (lambda: comm.Allreduce(x, y, "plus"), OpError, MPI.ERR_OP),
        (lambda: comm.Allreduce(x, np.zeros(4, "i4")), DatatypeError, MPI.ERR_TYPE),
        (lambda: comm.Allreduce(x, y[:3]), ArgumentError, MPI.ERR_ARG),
        (lambda: comm.Allreduce(y[:3], y[1:]), OverlapError, MPI.ERR_BUFFER),
        (lambda: comm.Reduce(x, y, root=-1), ArgumentError, MPI.ERR_ROOT),
        (lambda: comm.reduce(x, root=-1), ArgumentError, MPI.ERR_ROOT),
        (comm.Barrier, CollectiveMismatchError, MPI.ERR_ARG),
        (lambda: comm.argmax("text"), DatatypeError, MPI.ERR_TYPE),
    ]
    for wrong, kind, error_class in cases:
        with pytest.raises(theirs.Exception) as raised:
            wrong() if me == 1 else comm.Allreduce(x, y)
        assert isinstance(raised.value, kind if me == 1 else CollectiveMismatchError)
        assert raised.value.Get_error_class() == (error_class if me == 1 else MPI.ERR_ARG)
    with pytest.raises(RemoteOpError if me == 1 else OwnError) as raised:
        comm.Allreduce(x, y, fails)
    assert isinstance(raised.value, theirs.Exception) == (me == 1)
    check_usable(comm)


# -- functions that raise -------------------------------------------------------------------------


class OwnError(Exception):
    pass


def failing_on(culprit, comm):
    def f(a, b):
        if comm.rank == culprit:
            raise OwnError("as planned")
        return a + b

    def on_buffers(a, b, datatype):
        f(0, 0)
        np.frombuffer(b, float)[:] += np.frombuffer(a, float)

    return f, on_buffers


@pytest.mark.parametrize("name", ["Allreduce", "Scan", "Reduce", "Reduce_scatter_block"])
def test_an_exception_reaches_all_and_the_job_lives_on(comm, name):
    # Scan and Reduce call the function on some ranks only. The culprit must be one of these ranks.
    culprit = comm.size - 1 if name == "Scan" else 0
    f, on_buffers = failing_on(culprit, comm)
    op = MPI.Op.Create(on_buffers)
    scattered = name == "Reduce_scatter_block"
    for count, function in itertools.product(COUNTS, (f, op)):
        source, target = np.ones(count * (comm.size if scattered else 1)), np.full(count, FILL)
        if comm.rank == culprit:
            with pytest.raises(OwnError, match="as planned"):
                call(comm, name, source, target, function)
        else:
            with pytest.raises(
                RemoteOpError, match=f"rank {culprit}.* raised OwnError: as planned"
            ):
                call(comm, name, source, target, function)
        assert (target == FILL).all()
        check_usable(comm)
    op.Free()


@pytest.mark.parametrize("name", ["allreduce", "reduce", "scan", "exscan"])
def test_an_exception_in_a_lower_case_reduction(comm, gather, name):
    def f(a, b):
        raise OwnError("as planned")

    for obj in (comm.rank, [comm.rank]):
        with pytest.raises((OwnError, RemoteOpError)) as raised:
            getattr(comm, name)(obj, f)
        kinds = gather(type(raised.value).__name__)
        assert "OwnError" in kinds
        check_usable(comm)


def test_objects_that_an_operation_cannot_take(comm):
    # Under mpi4py one rank raises, and the other ranks wait forever.
    with pytest.raises(TypeError):
        comm.allreduce(comm.rank, MPI.MAXLOC)
    with pytest.raises((ValueError, RemoteOpError), match="truth value"):
        comm.allreduce(np.arange(3), MPI.MAX)
    with pytest.raises((TypeError, RemoteOpError)):
        comm.allreduce({"a": 1})
    with pytest.raises((TypeError, RemoteOpError)):
        comm.allreduce((1, 2) if comm.rank else 3)
    check_usable(comm)


# -- many user operations -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Op.Create", "callable"])
def test_a_function_is_not_called_for_no_elements(comm, kind):
    def first(a, b, datatype=None):
        if datatype is None:
            return a if a[0] else b
        np.frombuffer(b, float)[0] += np.frombuffer(a, float)[0]
        return None

    op = MPI.Op.Create(first) if kind == "Op.Create" else first
    nothing, target = np.empty(0), np.empty(0)
    for reduce in (comm.Allreduce, comm.Reduce, comm.Scan, comm.Exscan, comm.Reduce_scatter_block):
        reduce(nothing, target, op=op)
    comm.Reduce_scatter(nothing, target, [0] * comm.size, op)


@pytest.mark.parametrize("kind", ["Op.Create", "callable"])
def test_functions_do_not_live_for_ever(comm, kind):
    functions = []
    for _ in range(200):

        def left(a, b, datatype=None):
            return a

        op = MPI.Op.Create(left) if kind == "Op.Create" else left
        comm.Allreduce(np.ones(2), np.zeros(2), op)
        functions.append(weakref.ref(left))
        if kind == "Op.Create":
            op.Free()
    del left, op
    gc.collect()
    # redcoll keeps references only to the functions of recent calls.
    assert sum(each() is not None for each in functions) < 100


def test_a_hundred_user_operations(comm):
    def make(factor):
        def f(a, b, datatype):
            left, right = (np.frombuffer(each, np.int64) for each in (a, b))
            right[:] = factor + np.maximum(left, right)

        return f

    made = [MPI.Op.Create(make(factor), commute=True) for factor in range(1, 101)]
    for factor, op in enumerate(made, start=1):
        target = np.zeros(3, np.int64)
        comm.Allreduce(np.arange(3) + 1, target, op)
        assert target.tolist() == [factor * (comm.size - 1) + each for each in (1, 2, 3)]
        assert op
        assert op == op  # noqa: PLR0124
        assert not op.is_predefined
        assert op.is_commutative
    assert made[50] != made[51]
    inout = np.ones(2, np.int64)
    made[-1].Reduce_local(np.arange(2), inout)
    assert inout.tolist() == [101, 101]
    assert comm.allreduce(2, MPI.Op.Create(lambda a, b, t: a * b)) == 2**comm.size
    for op in made:
        op.Free()
        assert not op
    with pytest.raises(MPI.Exception):
        made[0].Free()
    # The freed operations have released their MPI handles, so MPI has handles for new operations.
    again = [MPI.Op.Create(make(1)) for _ in range(31)]
    for op in again:
        op.Free()


def test_an_operation_of_redcoll_on_elements_that_only_mpi_reduces(comm):
    op = user_op(np.add, name="own")
    records = np.zeros(3, [("a", "f8"), ("b", "f8"), ("c", "i4")])
    with pytest.raises(OpError, match=r"op is own, and only MPI can reduce .*contiguous arrays"):
        comm.Allreduce(records, np.zeros_like(records), op=op)
    check_usable(comm)
