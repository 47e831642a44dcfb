"""Test communicators: their teams and classes, and the calls that redcoll passes to MPI."""

import dis
import pickle
import sys
import types

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import about, same_under_both
from mpi4py import MPI as theirs
from mpi4py.util import pkl5

import redcoll
from redcoll import MPI, Team
from redcoll.collectives import without_window
from redcoll.errors import CollectiveTimeoutError, RemoteOpError
from redcoll.liveness import shutdown
from redcoll.memory import shared_window
from redcoll.MPI import _native
from redcoll.team import comm_state

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi


def team_of(comm):
    return comm._attach().team


def check_arrays(comm):
    """Check that Allreduce gives the sum over the ranks of this communicator."""
    target = np.zeros(3)
    comm.Allreduce(np.full(3, comm.rank + 1.0), target)
    assert (target == comm.size * (comm.size + 1) / 2).all()


def check(comm):
    """Check Allreduce and allreduce on this communicator."""
    check_arrays(comm)
    assert comm.allreduce(1) == comm.size


def test_made_from_each_other(comm):
    n, me = comm.size, comm.rank
    live = len(shutdown._live)
    made = [
        comm.Dup(),
        comm.Clone(),
        comm.Split(me % 2, -me),
        comm.Split_type(MPI.COMM_TYPE_SHARED),
        comm.Create(comm.group),
        comm.Create_group(comm.group),
        comm.Dup_with_info(MPI.INFO_NULL),
    ]
    new, request = comm.Idup()
    request.Wait()
    made.append(MPI.Intracomm(new))
    for each in made:
        assert type(each) is MPI.Intracomm
        check(each)
        assert team_of(each) is not None
    assert len(shutdown._live) == live + len(made)
    cart = comm.Create_cart([n], [True])
    assert type(cart) is MPI.Cartcomm
    sub = cart.Sub([True])
    assert type(sub) is MPI.Cartcomm
    assert cart.Shift(0, 1)[1] == (me + 1) % n
    graph = comm.Create_graph([1] * n, [(i + 1) % n for i in range(n)])
    around = comm.Create_dist_graph_adjacent([(me - 1) % n], [(me + 1) % n])
    assert (type(graph), type(around)) == (MPI.Graphcomm, MPI.Distgraphcomm)
    for each in (cart, sub, graph, around):
        check(each)
    for each in (*made, cart, sub, graph, around):
        each.Free()
        assert not each
    assert len(shutdown._live) == live


def test_not_everybody_is_a_member(comm):
    part = comm.Split(0 if comm.rank == 0 else MPI.UNDEFINED)
    assert bool(part) == (comm.rank == 0)
    if part:
        check(part)
        part.Free()
    group = comm.group.Incl([comm.size - 1])
    only = comm.Create(group)
    if only:
        check(only)
        only.Free()
    group.Free()


@pytest.mark.mpi(min_size=2)
def test_through_an_intercommunicator(comm):
    half = comm.Split(comm.rank % 2)
    inter = half.Create_intercomm(0, comm, 1 - comm.rank % 2)
    assert type(inter) is MPI.Intercomm
    assert inter.allreduce(1) == inter.remote_size
    for other in (inter.Split(0), inter.Create(inter.group)):
        assert type(other) is MPI.Intercomm
        other.Free()
    merged = inter.Merge(bool(comm.rank % 2))
    assert type(merged) is MPI.Intracomm
    check(merged)
    for each in (merged, inter, half):
        each.Free()


def test_a_team_of_the_core_over_a_communicator_of_this_module(comm):
    live = len(shutdown._live)
    team = Team.from_comm(comm)
    assert len(shutdown._live) == live + 1
    assert type(team.comm) is theirs.Intracomm
    target = np.zeros(3)
    redcoll.allreduce(target, np.ones(3), team=team)
    assert (target == comm.size).all()
    team.close()
    assert len(shutdown._live) == live
    check(comm)


def test_two_handles_of_one_communicator_share_a_team(comm):
    plain = theirs.COMM_WORLD.Dup()
    one, other = MPI.Intracomm(plain), MPI.Intracomm(plain)
    check(one)
    check(other)
    assert team_of(one) is team_of(other)
    assert one == other == plain
    live = len(shutdown._live)
    plain.Free()  # this call through mpi4py also closes the team
    assert len(shutdown._live) == live - 1


def test_other_classes_of_communicators(comm):
    assert not isinstance(theirs.COMM_WORLD, MPI.Intracomm)
    assert isinstance(comm, theirs.Intracomm)
    assert not isinstance(3, MPI.Comm)
    assert issubclass(MPI.Cartcomm, theirs.Cartcomm)

    class Own(MPI.Intracomm):
        pass

    own = Own(comm).Dup()
    assert type(own) is Own
    assert not isinstance(comm, Own)
    check(own)
    own.Free()
    other = pkl5.Intracomm(comm)
    assert other.allgather(comm.rank) == list(range(comm.size))
    check(MPI.Comm.fromhandle(comm.handle))
    assert type(MPI.Comm.f2py(comm.py2f())) is MPI.Intracomm


def test_handles_are_checked_as_in_mpi4py(both):
    wrong = {
        "Cartcomm": lambda MPI, c: MPI.Cartcomm(c),
        "Graphcomm": lambda MPI, c: MPI.Graphcomm(c),
        "Distgraphcomm": lambda MPI, c: MPI.Distgraphcomm(c),
        "Topocomm": lambda MPI, c: MPI.Topocomm(c),
        "Intercomm": lambda MPI, c: MPI.Intercomm(c),
    }
    for name, case in wrong.items():
        with about(name):
            assert same_under_both(both, case)
            with pytest.raises(TypeError):
                case(MPI, both[1][1])


def test_after_a_timeout_the_first_reduction_can_be_tried_again(comm, monkeypatch):
    if comm.size == 1:
        pytest.skip("nobody to wait for")
    monkeypatch.setenv("REDCOLL_TIMEOUT", "2")
    other, late = comm.Dup(), comm.size - 1
    if comm.rank != late:
        with pytest.raises(CollectiveTimeoutError, match="first reduction"):
            other.allreduce(1)
        comm.send(None, late)
    else:
        for rank in range(late):  # after this loop, all other ranks have stopped waiting
            comm.recv(source=rank)
    for _ in range(3):
        check(other)
    other.Free()


class Stop(Exception):
    pass


def stop_in_barrier(comm, number):
    """Raise ``Stop`` in the first reduction, at a point at which Python runs signal handlers.

    There is such a point at the start of the function and after each of its calls, until the
    communicator no longer has the request of its barrier.
    """
    code, key = comm_state._await_all.__code__, comm_state._barrier_keyval()
    points, last, was_held = 0, "CALL", False

    def trace(frame, event, _):
        nonlocal points, last, was_held
        is_held = comm.Get_attr(key) is not None
        if frame.f_code is not code or (was_held and not is_held):
            return None
        was_held, frame.f_trace_opcodes = is_held, True
        if last.startswith("CALL"):
            points += 1
            if points == number:
                sys.settrace(None)
                raise Stop
        last = dis.opname[code.co_code[frame.f_lasti]] if event == "opcode" else ""
        return trace

    sys.settrace(trace)


@pytest.mark.mpi(min_size=2)
def test_after_an_interrupt_the_first_reduction_can_be_tried_again(comm):
    number, was_stopped = 0, True
    while was_stopped:
        number += 1
        other, was_stopped = comm.Dup(), False
        if comm.rank == 0:
            stop_in_barrier(other, number)
            try:
                check_arrays(other)
            except Stop:
                was_stopped = True
            sys.settrace(None)
        if comm.rank or was_stopped:
            check_arrays(other)
        was_stopped = comm.bcast(was_stopped)
        other.Free()
    assert number > 5


def test_pickles_and_names():
    for obj in (MPI.COMM_WORLD, MPI.COMM_SELF, MPI.SUM, MPI.MAXLOC, MPI.DOUBLE):
        assert pickle.loads(pickle.dumps(obj)) == obj
    assert pickle.loads(pickle.dumps(MPI.COMM_WORLD)) is MPI.COMM_WORLD
    assert pickle.loads(pickle.dumps(MPI.SUM)) is MPI.SUM
    check(MPI.COMM_WORLD)
    check(MPI.COMM_SELF)


def test_made_and_freed_again_and_again(comm):
    live = len(shutdown._live)
    for _ in range(max(5, 60 // comm.size)):
        other = comm.Dup()
        check(other)
        other.Free()
        assert len(shutdown._live) == live
    other.free()
    with pytest.raises(MPI.Exception):
        other.Free()


@pytest.mark.parametrize("who", ["nobody", "one", "all"])
def test_attributes_are_not_copied(comm, who):
    """redcoll calls no copy function of an attribute, because such a function might raise."""
    called = []

    def copy(_comm, _key, value):
        called.append("copied")
        if who == "all" or (who == "one" and comm.rank == 0):
            raise RuntimeError("no copy")
        return value

    key = MPI.Comm.Create_keyval(copy_fn=copy, delete_fn=lambda *_: called.append("deleted"))
    other = comm.Dup()
    other.Set_attr(key, 5)
    check_arrays(other)
    assert team_of(other) is not None
    assert called == []
    other.Free()
    assert called == ["deleted"]
    MPI.Comm.Free_keyval(key)


def test_functions_of_attributes_get_redcolls_communicators(comm):
    seen = []

    def copy(its_comm, _key, value):
        seen.append((type(its_comm), its_comm == other))
        return value

    def delete(its_comm, *_):
        seen.append((type(its_comm), its_comm == other))

    key = MPI.Comm.Create_keyval(copy, delete_fn=delete)
    other = comm.Create_cart([comm.size])
    other.Set_attr(key, 5)
    third = other.Dup()
    assert third.Get_attr(key) == 5
    third.Free()
    other.Delete_attr(key)
    assert seen == [(MPI.Cartcomm, is_other) for is_other in (True, False, True)]
    other.Free()
    MPI.Comm.Free_keyval(key)
    for nothing in (None, False):
        MPI.Comm.Free_keyval(MPI.Comm.Create_keyval(nothing, nothing))


# -- without a team, MPI reduces ------------------------------------------------------------------


@pytest.fixture
def without_team(comm, monkeypatch):
    """Return a duplicate of ``comm`` that gets no team because of ``REDCOLL_MAX_TEAMS``."""
    assert team_of(comm) is not None  # the only team that the limit permits
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", "1")
    other = comm.Dup()
    assert team_of(other) is None
    yield other
    other.Free()


def test_without_a_team_everything_is_there(without_team):
    comm = without_team
    n, me = comm.size, comm.rank
    check(comm)
    for op in ("SUM", "MAX", "AND", "LXOR", "MAXLOC"):
        for type_name, dtype in oracle.types_of(op).items():
            rows = oracle.rows(op, dtype, n, 7)
            if dtype.names and dtype["value"].kind == "f":
                rows["value"][np.isnan(rows["value"])] = 1  # MPI does not define MAXLOC of NaN
            mpi_op = getattr(MPI, {"AND": "BAND"}.get(op, op))
            with about(op, type_name):
                target = np.zeros(7, dtype)
                comm.Allreduce(rows[me].copy(), target, mpi_op)
                if op not in ("SUM", "MAX"):  # MPI defines neither the order of sums nor MAX of NaN
                    assert oracle.check_reduced(op, rows, target) == 7
    memory = np.full((5, 2), -1.0)
    memory[:, 0] = np.arange(5) + me
    comm.Allreduce(memory[:, 0], memory[:, 1])
    assert memory[:, 1].tolist() == [n * i + n * (n - 1) / 2 for i in range(5)]
    comm.Scan(MPI.IN_PLACE, memory[:, 1])
    assert memory[0, 1] == (me + 1) * n * (n - 1) / 2
    target = np.zeros(2)
    comm.Reduce_scatter_block(np.ones(2 * n), target, lambda a, b: a - 2 * b)
    assert (target == 3 - 2 * n).all()
    counts = [i % 3 for i in range(n)]
    target = np.zeros(counts[me])
    comm.Reduce_scatter(np.arange(float(sum(counts))), target, counts)
    comm.Reduce_scatter(np.arange(float(sum(counts))), target)
    assert target.tolist() == [n * (sum(counts[:me]) + i) for i in range(counts[me])]
    comm.Exscan(np.full(2, me), pair := np.full(2, -7), MPI.MAX)
    assert pair.tolist() == ([me - 1] * 2 if me else [-7] * 2)
    assert comm.argmax(me % 2) == (int(n > 1), int(n > 1))
    assert comm.scan(2) == 2 * me + 2
    assert comm.reduce((1, 2), root=n - 1) == ((1, 2) * n if me == n - 1 else None)
    comm.Barrier()


@pytest.mark.mpi(min_size=2)
def test_no_memory_on_one_rank_without_a_team(without_team, monkeypatch):
    """All ranks raise, even if other ranks are already inside a collective of MPI."""
    comm = without_team
    n, me = comm.size, comm.rank

    def subtract(a, b):
        return a - b

    for bad in range(n):
        with monkeypatch.context() as patch:
            if me == bad:
                patch.setattr(
                    without_window, "np", types.SimpleNamespace(empty=no_memory, uint8=np.uint8)
                )
            error = MemoryError if me == bad else RemoteOpError
            with pytest.raises(error, match="none left"):
                comm.Allreduce(np.ones(3), np.zeros(3), subtract)
        target = np.zeros(3)
        comm.Allreduce(np.ones(3), target, subtract)
        assert (target == 2 - n).all()


def no_memory(*_):
    raise MemoryError("none left")


def test_memory_that_mpi_does_not_give_is_not_counted(comm, monkeypatch):
    check(comm)
    if all(len(members) == 1 for members in team_of(comm).layout.nodes):
        pytest.skip("a rank alone on its node has no memory of MPI's")

    class Win:
        @staticmethod
        def Allocate_shared(*arguments, **named):
            raise MPI.Exception(MPI.ERR_NO_MEM)

    mapped_bytes = shared_window.mapped_bytes()
    monkeypatch.setattr(
        shared_window, "MPI", types.SimpleNamespace(Win=Win, Exception=MPI.Exception)
    )
    other = comm.Dup()
    check(other)
    assert team_of(other) is None
    assert shared_window.mapped_bytes() == mapped_bytes
    other.Free()


def test_mpis_operations_are_tried_on_a_communicator_that_returns_errors(without_team):
    comm = without_team
    _native._can_reduce.cache_clear()
    MPI.COMM_SELF.Set_errhandler(MPI.ERRORS_ARE_FATAL)
    try:
        target = np.zeros(2, bool)
        comm.Allreduce(np.array([comm.rank == 0, False]), target)
        assert target.tolist() == [True, False]
        with pytest.raises(MPI.Exception):
            comm.Allreduce(np.ones(2), np.zeros(2), MPI.OP_NULL)
    finally:
        MPI.COMM_SELF.Set_errhandler(MPI.ERRORS_RETURN)


class OnDevice:
    """An array that describes its memory as GPU libraries do. Only mpi4py can read the memory."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__array_interface__ | {"strides": None, "stream": None}


def test_a_message_that_only_mpi4py_parses_on_one_rank(comm, without_team):
    n, me = comm.size, comm.rank
    for each in (comm, without_team):
        source, target = np.arange(2.0 * n), np.zeros(2)
        if me == n - 1:
            each.Reduce_scatter(OnDevice(source), OnDevice(target))
        else:
            each.Reduce_scatter(source, target)
        assert target.tolist() == [n * 2 * me, n * (2 * me + 1)]


# -- persistent and nonblocking reductions of mpi4py ----------------------------------------------


def test_persistent_and_nonblocking_methods_are_mpi4pys():
    """redcoll replaces neither these methods nor the methods that wait for the requests."""
    assert MPI.Request is theirs.Request
    assert MPI.Prequest is theirs.Prequest
    names = [name for name in dir(theirs.Intracomm) if name.endswith("_init") or name[:1] == "I"]
    assert len(names) > 30
    for name in names:
        assert getattr(MPI.Intracomm, name) is getattr(theirs.Intracomm, name), name


@pytest.mark.parametrize("count", [1, 500, 40000])
def test_mpi4py_waitall_waits_for_a_persistent_reduction(comm, count):
    n, me = comm.size, comm.rank
    source, target, rooted = np.zeros(count), np.zeros(count), np.zeros(count)
    requests = [
        comm.Allreduce_init(source, target),
        comm.Reduce_init(source, rooted, MPI.MAX, n - 1),
    ]
    for step in range(3):
        source[:] = np.arange(count) + me * step
        target[:] = rooted[:] = -1
        for request in requests:
            request.Start()
        assert theirs.Request.Waitall(requests)
        assert (target == n * np.arange(count) + step * n * (n - 1) / 2).all()
        highest = np.arange(count) + (n - 1) * step if me == n - 1 else -1
        assert (rooted == highest).all()
    for request in requests:
        request.Free()


@pytest.mark.parametrize("kind", ["persistent", "nonblocking"])
def test_blocking_reductions_pass_one_that_is_started(comm, kind):
    # The test starts either a persistent or a nonblocking reduction. compat(openmpi 5.0.11): if
    # both are pending on one communicator, each receives the other's data, even under plain mpi4py.
    n, me = comm.size, comm.rank
    start = comm.Allreduce_init if kind == "persistent" else comm.Iallreduce
    request = start(np.full(2, me + 1), started := np.zeros(2, int), MPI.MAX)
    if kind == "persistent":
        request.Start()
    for count in (1, 500, 40000):
        comm.Allreduce(np.full(count, me), target := np.zeros(count, int))
        assert (target == n * (n - 1) // 2).all()
    comm.Barrier()
    check(comm)
    request.Wait()
    assert started.tolist() == [n] * 2
    if kind == "persistent":
        request.Free()


# -- handles, copies and null handles --------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["SUM", "MAXLOC", "OP_NULL", "COMM_WORLD", "COMM_SELF", "COMM_NULL"]
)
def test_handles_of_constants_give_redcolls_classes(name):
    constant = getattr(MPI, name)
    kind = type(constant)
    for copy in (
        kind.fromhandle(constant.handle),
        kind.f2py(constant.py2f()),
        pickle.loads(pickle.dumps(kind(constant))),
    ):
        assert type(copy) is kind
        assert copy == constant
        assert copy is not constant
    assert pickle.loads(pickle.dumps(constant)) is constant
    if name == "SUM":
        target = np.zeros(2)
        MPI.COMM_WORLD.Allreduce(np.ones(2), target, kind.fromhandle(constant.handle))
        assert (target == MPI.COMM_WORLD.size).all()


def test_free_of_a_communicator_leaves_constants_and_empties_copies(both):
    def case(MPI, comm):
        copies = [MPI.Intracomm(MPI.COMM_SELF), MPI.Intracomm(MPI.COMM_WORLD), comm.Dup()]
        results = [copies[0].allreduce(3), bool(copies[1])]
        for each in (*copies, MPI.COMM_SELF, MPI.COMM_WORLD, MPI.COMM_NULL):
            each.free()
            each.free()
            results += [bool(each), each == MPI.COMM_NULL]
        with pytest.raises(MPI.Exception) as raised:
            copies[0].Allreduce(np.ones(2), np.zeros(2))
        results.append(raised.value.Get_error_class() == MPI.ERR_COMM)
        return *results, MPI.COMM_SELF.allreduce(3)

    assert same_under_both(both, case)


def test_free_of_an_operation_leaves_constants_and_empties_copies(both):
    def case(MPI, comm):
        copy, made = MPI.Op(MPI.SUM), MPI.Op.Create(lambda a, b, datatype: None)
        results = [bool(copy), bool(made)]
        for op in (copy, made, MPI.SUM, MPI.OP_NULL):
            op.free()
            op.free()
            results += [bool(op), op == MPI.OP_NULL]
        with pytest.raises(MPI.Exception) as raised:
            comm.Allreduce(np.ones(2), np.zeros(2), copy)
        return *results, raised.value.Get_error_class() == MPI.ERR_OP

    assert same_under_both(both, case)
