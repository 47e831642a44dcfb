"""Test that every API takes every spelling of an operation, with the same meaning."""

import operator

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI as theirs

import redcoll
import redcoll_pvm as pvm
import redcoll_shmem
from redcoll import MPI as ours
from redcoll import CollectiveMismatchError, OpError
from redcoll.ops import BY_NAME
from redcoll_shmem import shmem

pytestmark = pytest.mark.mpi
pytest_plugins = ["mpi.mpi_tools"]

# These names are copied from MPI 4.1, section 6.9.2, and from NumPy's list of ufuncs.
MPI_NAMES = {
    "SUM": "SUM", "PROD": "PROD", "MAX": "MAX", "MIN": "MIN", "LAND": "LAND", "LOR": "LOR",
    "LXOR": "LXOR", "AND": "BAND", "OR": "BOR", "XOR": "BXOR", "MAXLOC": "MAXLOC",
    "MINLOC": "MINLOC",
}  # fmt: skip
UFUNCS = {
    "SUM": np.add, "PROD": np.multiply, "MAX": np.maximum, "MIN": np.minimum,
    "LAND": np.logical_and, "LOR": np.logical_or, "LXOR": np.logical_xor,
    "AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor,
}  # fmt: skip


def spellings(name):
    """Return every way to write an operation."""
    result = {
        "core": getattr(redcoll, name),
        "mpi4py": getattr(theirs, MPI_NAMES[name]),
        "mpi4py copy": theirs.Op(getattr(theirs, MPI_NAMES[name])),
        "redcoll.MPI": getattr(ours, MPI_NAMES[name]),
        "redcoll.MPI copy": ours.Op(getattr(theirs, MPI_NAMES[name])),
        "name": name.lower(),
        "upper-case name": name,
        "MPI's name": MPI_NAMES[name].lower(),
    }
    if name in UFUNCS:
        result["ufunc"] = UFUNCS[name]
    return result


NAMES = tuple(MPI_NAMES)
PLAIN = [name for name in NAMES if not name.endswith("LOC")]
WAYS = tuple(spellings("SUM"))


def vectors(name, n, count):
    """Return a vector for each rank, and the reduction of these vectors."""
    dtype = oracle.MPI_PAIRS["2INT"] if name.endswith("LOC") else np.dtype("i8")
    rows = oracle.rows(name, dtype, n, count)
    return rows, oracle.fold(name, rows)


def function_of(name):
    """Return a function on two arrays that does the operation."""

    def combine(a, b):
        return oracle.fold(name, np.stack([a, b]))

    return combine


def from_last(name, comm, source, target):
    """On the last rank, combine the exclusive scan with the source, and broadcast the result."""
    if comm.rank == comm.size - 1:
        rows = [source] if comm.size == 1 else [target, source]
        target[...] = oracle.fold(name, np.stack(rows))
    target[...] = comm.bcast(target, comm.size - 1)


def on_core(team, comm, name):
    def allreduce(target, source, op):
        redcoll.allreduce(target, source, op, team=team)

    def reduce(target, source, op):
        redcoll.reduce(target, source, op, team=team)
        target[...] = comm.bcast(target)

    def scan(target, source, op):
        redcoll.scan(target, source, op, team=team)
        target[...] = comm.bcast(target, team.size - 1)

    def reduce_scatter(target, source, op):
        lengths = [0] * team.size
        lengths[0] = source.size
        mine = target if team.index == 0 else target[:0]
        redcoll.reduce_scatter(mine, source, op, lengths, team=team)
        target[...] = comm.bcast(target)

    def exscan(target, source, op):
        redcoll.exscan(target, source, op, team=team)
        from_last(name, comm, source, target)

    calls = allreduce, reduce, scan, exscan, reduce_scatter
    return {call.__name__: call for call in calls}


def on_mpi(comm, name):
    world, n = theirs.COMM_WORLD, comm.size

    def Allreduce(target, source, op):
        comm.Allreduce(source, target, op)

    def Reduce(target, source, op):
        comm.Reduce(source, target, op)
        target[...] = world.bcast(target)

    def Scan(target, source, op):
        comm.Scan(source, target, op)
        target[...] = world.bcast(target, n - 1)

    def Exscan(target, source, op):
        comm.Exscan(source, target, op)
        from_last(name, world, source, target)

    def Reduce_scatter(target, source, op):
        counts = [0] * n
        counts[n - 1] = source.size
        comm.Reduce_scatter(source, target[: counts[comm.rank]], counts, op)
        target[...] = world.bcast(target, n - 1)

    def Reduce_scatter_block(target, source, op):
        comm.Reduce_scatter_block(np.tile(source, n), target, op)

    calls = Allreduce, Reduce, Scan, Exscan, Reduce_scatter, Reduce_scatter_block
    return {f"MPI.{call.__name__}": call for call in calls}


def own_reduce(target, source, op):
    world = redcoll_shmem.SHMEM_TEAM_WORLD
    redcoll_shmem.redcoll_allreduce(world, target, source, source.size, op)


def on_shmem():
    return {
        "redcoll_shmem": own_reduce,
        "shmem4py.reduce": shmem.reduce,
    }


@pytest.mark.parametrize("way", [*WAYS, "callable"])
@pytest.mark.parametrize("name", NAMES)
def test_every_reduction_takes_every_spelling(tight, comm, arena, name, way):
    if way == "ufunc" and name.endswith("LOC"):
        assert way not in spellings(name)
        return
    op = function_of(name) if way == "callable" else spellings(name)[way]
    compared, n_calls = 0, 13
    for count in (1, 5, 700):
        sources, wanted = vectors(name, tight.size, count)
        for api in (on_core(tight, theirs.COMM_WORLD, name), on_mpi(comm, name), on_shmem()):
            for call, reduce in api.items():
                if call == "shmem4py.reduce" and name.endswith("LOC"):
                    n_calls = 12  # SHMEM has no MAXLOC and MINLOC
                    continue
                if "shmem" in call:
                    arena.reset()
                    source, target = (arena.take(count, wanted.dtype) for _ in range(2))
                else:
                    source, target = np.empty(count, wanted.dtype), np.empty(count, wanted.dtype)
                for _ in range(3):  # only the first call checks its arguments
                    source[...] = sources[tight.index]
                    reduce(target, source, op)
                    assert oracle.assert_same(target, wanted) == count, (call, count)
                    compared += 1
    assert compared == 3 * 3 * n_calls


def calls(tight, comm):
    """Return an allreduce call for each API."""
    return {
        "core": lambda target, source, op: redcoll.allreduce(target, source, op, team=tight),
        "redcoll.MPI": lambda target, source, op: comm.Allreduce(source, target, op),
        "redcoll_shmem": own_reduce,
        "shmem4py": shmem.reduce,
    }


APIS = ("core", "redcoll.MPI", "redcoll_shmem", "shmem4py")


@pytest.mark.parametrize("api", APIS)
def test_allreduce_spellings_that_differ_by_rank_agree(tight, comm, arena, api):
    n, me = tight.size, tight.index
    ways = list(spellings("SUM").values())
    call = calls(tight, comm)[api]
    for turn in range(len(ways)):
        for count in (1, 700):
            arena.reset()
            rows = oracle.rows("SUM", "i8", n, count)
            source, target = arena.take(count, "i8"), arena.take(count, "i8")
            source[...] = rows[me]
            call(target, source, ways[(turn + me) % len(ways)])
            assert oracle.assert_same(target, oracle.fold("SUM", rows)) == count


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("other", WAYS)
@pytest.mark.parametrize("api", APIS)
def test_allreduce_sum_against_prod_raises_everywhere(tight, comm, arena, api, other):
    call = calls(tight, comm)[api]
    raised = 0
    for op in spellings("SUM").values():
        if tight.index == 0:
            op = spellings("PROD")[other]
        for count in (1, 700):
            arena.reset()
            source, target = arena.take(count, "i8"), arena.take(count, "i8")
            source[...], target[...] = 3, -7
            with pytest.raises(CollectiveMismatchError, match="op=SUM") as caught:
                call(target, source, op)
            assert "op=PROD" in str(caught.value)
            assert oracle.assert_same(target, np.full(count, -7)) == count
            raised += 1
        check_sum(call, arena, tight)
    assert raised == 2 * len(WAYS)


def check_sum(call, arena, team):
    rows = oracle.rows("SUM", "i8", team.size, 3)
    source, target = arena.take(3, "i8"), arena.take(3, "i8")
    source[...] = rows[team.index]
    call(target, source, "sum")
    assert oracle.assert_same(target, oracle.fold("SUM", rows)) == 3


@pytest.mark.one_node
@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("way", WAYS)
def test_allreduce_second_call_takes_the_fast_path(tight, comm, monkeypatch, way):
    """With every spelling of the operation, the second call skips the checks."""
    op = spellings("SUM")[way]
    source, target = np.ones(6), np.zeros(6)
    for reduce in (
        lambda: redcoll.allreduce(target, source, op, team=tight),
        lambda: comm.Allreduce(source, target, op),
    ):
        reduce()
        team = comm._attach().team
        with monkeypatch.context() as patch:
            for each in (tight, team):
                patch.setattr(each, "calls", None)  # only the checks use this table
            reduce()
        assert oracle.assert_same(target, np.full(6, float(tight.size))) == 6


def test_ops_of_one_meaning_leave_one_shape_behind(tight):
    source, target = np.ones(11), np.zeros(11)
    before = len(tight.calls)
    for op in spellings("MAX").values():
        redcoll.allreduce(target, source, op, team=tight)
    assert len(tight.calls) == before + 1


def folds(name, n):
    """Return the reduction of the numbers 2**0 to 2**(n - 1)."""
    if n == 0:
        return None
    return {"SUM": 2**n - 1, "PROD": 2 ** (n * (n - 1) // 2), "MAX": 2 ** (n - 1)}[name]


PYTHONS = {"SUM": operator.add, "PROD": operator.mul, "MAX": max}


@pytest.mark.parametrize("way", [*WAYS, "callable"])
def test_lower_case_takes_every_spelling(comm, way):
    n, me = comm.size, comm.rank
    for name in ("SUM", "PROD", "MAX"):
        wanted = folds(name, n)
        op = PYTHONS[name] if way == "callable" else spellings(name)[way]
        assert comm.allreduce(2**me, op) == wanted
        assert comm.reduce(2**me, op, n - 1) == (wanted if me == n - 1 else None)
        assert comm.scan(2**me, op) == folds(name, me + 1)
        assert comm.exscan(2**me, op) == folds(name, me)
        assert comm.allreduce(np.full(3, 2**me), op if name != "MAX" else np.maximum).tolist() == (
            [wanted] * 3
        )


@pytest.mark.mpi(min_size=2)
def test_lower_case_what_is_no_operation(comm):
    me = comm.rank
    for wrong in ("plus", redcoll.user_op(np.hypot)):
        with pytest.raises(OpError if me == 0 else CollectiveMismatchError, match="op is"):
            comm.allreduce(1, wrong if me == 0 else "sum")
        assert comm.allreduce(1, "sum") == comm.size


# -- users' MPI operations ------------------------------------------------------------------------


def first_plus_twice_second(inbuf, inoutbuf, datatype):
    assert datatype is not None
    a, b = np.frombuffer(inbuf, "f8"), np.frombuffer(inoutbuf, "f8")
    b[...] = a + 2 * b


def raises(inbuf, inoutbuf, datatype):
    raise LookupError("on purpose")


@pytest.mark.parametrize("module", [theirs, ours], ids=["mpi4py", "redcoll.MPI"])
def test_user_mpi_op_in_the_core(tight, module):
    op = module.Op.Create(first_plus_twice_second)
    n, me = tight.size, tight.index
    compared = 0
    for count in (1, 5, 700):
        rows = oracle.rows("SUM", "i4", n, count).astype("f8")
        wanted = rows[0].copy()
        for row in rows[1:]:
            wanted = wanted + 2 * row
        for _ in range(2):
            target = np.zeros(count)
            redcoll.allreduce(target, rows[me].copy(), op, team=tight)
            compared += oracle.assert_same(target, wanted)
    assert compared == 2 * 706
    op.Free()
    with pytest.raises(redcoll.OpError, match="OP_NULL"):
        redcoll.allreduce(target, rows[me].copy(), op, team=tight)


@pytest.mark.mpi(min_size=2)
def test_user_mpi_op_that_raises(tight):
    op = ours.Op.Create(raises)
    target = np.zeros(3)
    with pytest.raises(LookupError, match="on purpose"):
        redcoll.allreduce(target, np.ones(3), op, team=tight)
    op.Free()
    rows = oracle.rows("SUM", "i8", tight.size, 3)
    total = np.zeros(3, "i8")
    redcoll.allreduce(total, rows[tight.index].copy(), team=tight)
    assert oracle.assert_same(total, oracle.fold("SUM", rows)) == 3


@pytest.mark.mpi(min_size=2)
def test_user_mpi_ops_of_other_names_raise_everywhere(tight):
    mine = first_plus_twice_second if tight.index else raises
    op = ours.Op.Create(mine)
    with pytest.raises(CollectiveMismatchError, match="user function"):
        redcoll.allreduce(np.zeros(3), np.ones(3), op, team=tight)
    op.Free()


# -- values that are no operation ------------------------------------------------------------------


@pytest.mark.parametrize("module", [theirs, ours], ids=["mpi4py", "redcoll.MPI"])
@pytest.mark.parametrize("name", ["OP_NULL", "REPLACE", "NO_OP"])
def test_mpi_ops_that_do_not_reduce(tight, module, name):
    with pytest.raises(OpError, match=f"MPI.{name}"):
        redcoll.allreduce(np.zeros(3), np.ones(3), getattr(module, name), team=tight)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "op", ["plus", "", 3, None, object()], ids=["typo", "empty", "int", "None", "object"]
)
def test_an_unknown_operation_lists_the_known_ones(tight, comm, arena, api, op):
    source, target = arena.take(3, "i8"), arena.take(3, "i8")
    source[...], target[...] = 1, -7
    call = calls(tight, comm)[api]
    if tight.index == 0:
        with pytest.raises(OpError, match="op is") as caught:
            call(target, source, op)
        assert all(name in str(caught.value) for name in BY_NAME)
    else:
        with pytest.raises(CollectiveMismatchError, match="op is"):
            call(target, source, "sum")
    assert oracle.assert_same(target, np.full(3, -7)) == 3
    check_sum(call, arena, tight)


# -- PVM ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_pvm_reduce_takes_every_spelling(name):
    """The root can write its operation in every spelling.

    The other tasks' operations are ignored.
    """
    group, n = f"spellings of {name}", theirs.COMM_WORLD.size
    assert pvm.pvm_joingroup(group) >= 0
    theirs.COMM_WORLD.Barrier()
    own = pvm.pvm_getinst(group, pvm.pvm_mytid())
    compared = 0
    for count in (1, 5, 700):
        rows = oracle.rows(name, "i8", n, count)
        wanted = oracle.fold(name, rows)
        for op in spellings(name).values():
            data = rows[own].copy()
            call = (data, count, pvm.PVM_LONG, 3, group, n - 1)
            assert pvm.pvm_reduce(op if own == n - 1 else None, *call) == 0
            if own == n - 1:
                compared += oracle.assert_same(data, wanted)
    assert compared == (706 * len(WAYS) if own == n - 1 else 0)
    theirs.COMM_WORLD.Barrier()
    assert pvm.pvm_lvgroup(group) == 0


@pytest.mark.mpi(min_size=2)
def test_pvm_reduce_refuses_exact_sums():
    group, n = "exact", theirs.COMM_WORLD.size
    assert pvm.pvm_joingroup(group) >= 0
    theirs.COMM_WORLD.Barrier()
    own = pvm.pvm_getinst(group, pvm.pvm_mytid())
    data = np.full(4, own, "f8")
    call = (data, 4, pvm.PVM_DOUBLE, 3, group, 0)
    if own == 0:
        with pytest.raises(OpError, match="EXACT_SUM; pvm_reduce combines two arrays"):
            pvm.pvm_reduce(redcoll.EXACT_SUM, *call)
        assert oracle.assert_same(data, np.zeros(4)) == 4
        assert pvm.pvm_reduce(redcoll.SUM, *call) == 0
        assert oracle.assert_same(data, np.full(4, n * (n - 1) / 2)) == 4
    else:
        assert pvm.pvm_reduce(None, *call) == 0
        assert pvm.pvm_reduce(None, *call) == 0
    theirs.COMM_WORLD.Barrier()
    assert pvm.pvm_lvgroup(group) == 0


@pytest.mark.mpi(min_size=2)
def test_pvm_reduce_of_what_is_no_operation():
    group, n = "no operation", theirs.COMM_WORLD.size
    assert pvm.pvm_joingroup(group) >= 0
    theirs.COMM_WORLD.Barrier()
    own = pvm.pvm_getinst(group, pvm.pvm_mytid())
    for wrong in ("plus", 3, None, redcoll.MAXLOC, theirs.OP_NULL):
        data = np.full(4, own, "i8")
        call = (data, 4, pvm.PVM_LONG, 3, group, 0)
        if own == 0:
            with pytest.raises(OpError, match="op "):
                pvm.pvm_reduce(wrong, *call)
        else:
            assert pvm.pvm_reduce(pvm.PvmSum, *call) == 0
        assert oracle.assert_same(data, np.full(4, own, "i8")) == 4
        assert pvm.pvm_reduce("sum", *call) == 0
        if own == 0:
            assert oracle.assert_same(data, np.full(4, n * (n - 1) // 2, "i8")) == 4
    theirs.COMM_WORLD.Barrier()
    assert pvm.pvm_lvgroup(group) == 0
