"""Communicators and plans: which class, which window, when freed; what MPI itself must do."""

import contextlib
import pickle
import types

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import about, same_under_both
from mpi4py import MPI as theirs
from mpi4py.util import pkl5

import redcoll
from redcoll import MPI, Team, departure, window
from redcoll.errors import (
    CollectiveMismatchError,
    CollectiveTimeoutError,
    DatatypeError,
    RemoteOpError,
    StateError,
)
from redcoll.MPI import _itself

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi


def team_of(comm):
    return comm._bonded().team


def check_arrays(comm):
    """An allreduce of this communicator gives the sum over its ranks."""
    target = np.zeros(3)
    comm.Allreduce(np.full(3, comm.rank + 1.0), target)
    assert (target == comm.size * (comm.size + 1) / 2).all()


def check(comm):
    """So do allreduces of either case."""
    check_arrays(comm)
    assert comm.allreduce(1) == comm.size


def test_made_from_each_other(comm):
    n, me = comm.size, comm.rank
    live = len(departure._live)
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
    assert len(departure._live) == live + len(made)
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
    assert len(departure._live) == live


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


def test_through_an_intercommunicator(comm):
    if comm.size == 1:
        return
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
    live = len(departure._live)
    team = Team.from_comm(comm)
    assert len(departure._live) == live + 1
    assert type(team.comm) is theirs.Intracomm
    target = np.zeros(3)
    redcoll.allreduce(target, np.ones(3), team=team)
    assert (target == comm.size).all()
    team.close()
    assert len(departure._live) == live
    check(comm)


def test_two_handles_of_one_communicator_share_a_team(comm):
    plain = theirs.COMM_WORLD.Dup()
    one, other = MPI.Intracomm(plain), MPI.Intracomm(plain)
    check(one)
    check(other)
    assert team_of(one) is team_of(other)
    assert one == other == plain
    live = len(departure._live)
    plain.Free()  # by mpi4py's handle: the team goes too
    assert len(departure._live) == live - 1


def test_other_classes_of_communicators(comm):
    assert isinstance(theirs.COMM_WORLD, MPI.Intracomm)
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
        for rank in range(late):  # all have given up
            comm.recv(source=rank)
    for _ in range(3):
        check(other)
    other.Free()


def test_pickles_and_names():
    for obj in (MPI.COMM_WORLD, MPI.COMM_SELF, MPI.SUM, MPI.MAXLOC, MPI.DOUBLE):
        assert pickle.loads(pickle.dumps(obj)) == obj
    assert pickle.loads(pickle.dumps(MPI.COMM_WORLD)) is MPI.COMM_WORLD
    assert pickle.loads(pickle.dumps(MPI.SUM)) is MPI.SUM
    check(MPI.COMM_WORLD)
    check(MPI.COMM_SELF)


def test_made_and_freed_again_and_again(comm):
    live = len(departure._live)
    for _ in range(max(5, 60 // comm.size)):
        other = comm.Dup()
        check(other)
        other.Free()
        assert len(departure._live) == live
    other.free()
    with pytest.raises(MPI.Exception):
        other.Free()


@pytest.mark.parametrize("who", ["nobody", "one", "all"])
def test_attributes_are_not_copied(comm, who):
    """Functions that copy a program's attributes are not called, so they cannot fail either."""
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


# -- past the limit, MPI reduces -------------------------------------------------------------------


@pytest.fixture
def without_team(comm, monkeypatch):
    """A duplicate that can have no team: too many live."""
    assert team_of(comm) is not None  # one is live already
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
                rows["value"][np.isnan(rows["value"])] = 1  # MAXLOC of NaN is MPI's then
            mpi_op = getattr(MPI, {"AND": "BAND"}.get(op, op))
            with about(op, type_name):
                target = np.zeros(7, dtype)
                comm.Allreduce(rows[me].copy(), target, mpi_op)
                if op not in ("SUM", "MAX"):  # so is MAX, and the order of sums
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
    assert pair.tolist() == [me - 1] * 2 if me else [-7] * 2
    assert comm.argmax(me % 2) == (int(n > 1), int(n > 1))
    assert comm.scan(2) == 2 * me + 2
    assert comm.reduce((1, 2), root=n - 1) == ((1, 2) * n if me == n - 1 else None)
    comm.Barrier()
    plan = comm.Allreduce_init(np.ones(2), target := np.zeros(2))
    for _ in range(2):
        plan.Start()
        plan.Wait()
    assert target.tolist() == [n, n]
    plan.Free()


def test_memory_that_mpi_does_not_give_is_not_counted(comm, monkeypatch):
    check(comm)
    if all(len(members) == 1 for members in team_of(comm).layout.nodes):
        pytest.skip("a rank alone on its node has no memory of MPI's")

    class Win:
        @staticmethod
        def Allocate_shared(*arguments, **named):
            raise MPI.Exception(MPI.ERR_NO_MEM)

    mapped_bytes = window._ledger.mapped_bytes
    monkeypatch.setattr(window, "MPI", types.SimpleNamespace(Win=Win, Exception=MPI.Exception))
    other = comm.Dup()
    check(other)
    assert team_of(other) is None
    assert window._ledger.mapped_bytes == mapped_bytes
    other.Free()


def test_what_mpi_has_is_asked_where_errors_are_not_fatal(without_team):
    comm = without_team
    _itself._can_reduce.cache_clear()
    MPI.COMM_SELF.Set_errhandler(MPI.ERRORS_ARE_FATAL)
    try:
        target = np.zeros(2, bool)
        comm.Allreduce(np.array([comm.rank == 0, False]), target)
        assert target.tolist() == [True, False]
        with pytest.raises(MPI.Exception):
            comm.Allreduce(np.ones(2), np.zeros(2), MPI.OP_NULL)
    finally:
        MPI.COMM_SELF.Set_errhandler(MPI.ERRORS_RETURN)


def test_plans_without_a_team_take_the_same_arguments(without_team):
    comm = without_team
    n, me = comm.size, comm.rank
    matrix = np.arange(6.0).reshape(2, 3)
    fortran, memory = np.asfortranarray(matrix), np.zeros((4, 2))
    flags, pairs = np.ones(3, bool), np.zeros(4, [("v", "f8"), ("i", "i4")])
    permuted, rooted = np.zeros((2, 3)), np.full((4, 2), -1.0)
    any_flag, highest = np.zeros(3, bool), np.zeros_like(pairs)
    called, in_place = np.zeros(2), np.zeros(2)
    plans = [
        comm.Allreduce_init(fortran, permuted),
        comm.Allreduce_init(memory[:, 0], memory[:, 1]),
        comm.Reduce_init(memory[:, 0], rooted[:, 0], root=n - 1),
        comm.Allreduce_init(flags, any_flag),
        comm.Allreduce_init(pairs, highest, MPI.MAXLOC),
        comm.Reduce_init(np.full(2, float(me)), called, lambda a, b: 2 * a + b, n - 1),
        comm.Allreduce_init(MPI.IN_PLACE, in_place, np.maximum),
    ]
    for step in range(2):
        memory[:, 0], pairs["v"], pairs["i"], in_place[:] = step, [1, 2, 3, step], me, step - me
        MPI.Prequest.Startall(plans)
        if step:
            MPI.Request.Waitall(plans)
        else:
            while not all(plan.Test() for plan in plans):
                pass
        assert (permuted == n * matrix).all()
        assert (memory[:, 1] == n * step).all()
        assert (rooted[:, 0] == (n * step if me == n - 1 else -1)).all()
        assert any_flag.all()
        assert highest["v"].tolist() == [1, 2, 3, step]
        assert highest["i"].tolist() == [0] * 4
        folded = sum(
            rank * 2 ** (n - 1 - max(rank, 1)) * (2 if rank == 0 else 1) for rank in range(n)
        )
        assert called.tolist() == [folded if me == n - 1 else 0] * 2
        assert in_place.tolist() == [step] * 2
    for plan in plans:
        plan.Free()
        assert not plan


class OnDevice:
    """Says where its elements are as arrays of GPU libraries do: for mpi4py alone."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__array_interface__ | {"strides": None, "stream": None}


def test_what_only_mpi4py_understands_on_one_rank(comm, without_team):
    n, me = comm.size, comm.rank
    for each in (comm, without_team):
        source, target = np.arange(2.0 * n), np.zeros(2)
        if me == n - 1:
            each.Reduce_scatter(OnDevice(source), OnDevice(target))
        else:
            each.Reduce_scatter(source, target)
        assert target.tolist() == [n * 2 * me, n * (2 * me + 1)]
        memory, result = np.ones((4, 2)), np.zeros(4)
        mine = OnDevice(np.ones(4)) if me == n - 1 else memory[:, 0]
        plan = each.Allreduce_init(mine, result)
        plan.Start()
        plan.Wait()
        plan.Free()
        assert result.tolist() == [n] * 4


# -- plans ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 500, 40000])
def test_plans(both, count):
    def case(MPI, comm):
        n, me = comm.size, comm.rank
        source, target = np.zeros(count), np.zeros(count)
        everywhere = comm.Allreduce_init(source, target)
        rooted = comm.Reduce_init(source, other := np.zeros(count), MPI.MAX, n - 1)
        in_place = comm.Allreduce_init(MPI.IN_PLACE, own := np.zeros(count), MPI.MIN)
        results = []
        for step in range(5):
            source[:] = np.arange(count) + me * step
            own[:] = step - me
            everywhere.Start()
            results.append(everywhere.Wait())
            MPI.Prequest.Startall([rooted, in_place])
            results.append(MPI.Request.Waitall([rooted, in_place]))
            results += [target.copy(), own.copy(), other.copy()]
        results += [bool(everywhere), everywhere.Wait(), everywhere.Test()]
        for request in (everywhere, rooted, in_place):
            null = MPI.REQUEST_NULL
            results += [request == null, null == request, request != null]
            request.Free()
            results.append(bool(request))
            results += [request == null, null == request, request != null, request == everywhere]
            with pytest.raises(MPI.Exception):
                request.Free()
        with pytest.raises(MPI.Exception) as raised:
            everywhere.Start()
        return *results, raised.value.Get_error_class() == MPI.ERR_REQUEST

    assert same_under_both(both, case)


def test_statuses_belong_to_indices(both):
    outcomes = []

    def case(MPI, comm):
        me = comm.rank
        plan = comm.Allreduce_init(np.ones(1), np.zeros(1))
        results = []
        for name in ("Waitsome", "Testsome", "waitsome", "testsome"):
            plan.Start()
            requests = [comm.Irecv(np.zeros(2), me, 7), comm.Isend(np.ones(2), me, 7), plan]
            # Of redcoll's alone: MPICH's own persistent reduction, complete by then, would be
            # inactive after this question, and no call on some requests would give it.
            if MPI is not both[0][0]:
                with contextlib.suppress(NotImplementedError):  # some MPIs are older
                    # With some one gets no further by this alone.
                    found = MPI.Request.Get_status_some(requests, statuses := [])
                    assert len(found) == len(statuses)
            some, found = getattr(MPI.Request, name), []
            while len(found) < len(requests):
                statuses = []
                indices = some(requests, statuses)
                indices = indices[0] if isinstance(indices, tuple) else indices
                assert len(statuses) == len(indices)
                for index, status in zip(indices, statuses, strict=True):
                    found.append(index)
                    if index == 0:
                        results += [status.source, status.tag, status.Get_count(MPI.DOUBLE)]
            results += sorted(found)
        plan.Free()
        outcomes.append(results)
        return results

    assert same_under_both(both, case)
    assert outcomes == [[MPI.COMM_WORLD.rank, 7, 2, 0, 1, 2] * 4] * 2


def test_plans_among_other_requests(both):
    def case(MPI, comm):
        n, me = comm.size, comm.rank
        target, arrived = np.zeros(3), np.zeros(3)
        source = np.full(3, me + 1.0)
        plan = comm.Allreduce_init(source, target)
        results = []
        waits = (
            MPI.Request.Waitall,
            lambda each: sorted(MPI.Request.Waitany(each) for _ in each),
            lambda each: drain(MPI, each),
            lambda each: [each[0].Wait(), each[1].Wait(), each[2].Wait()],
        )
        for wait in waits:
            plan.Start()
            requests = [
                comm.Irecv(arrived, (me - 1) % n),
                plan,
                comm.Isend(np.full(3, 5.0), (me + 1) % n),
            ]
            results.append(wait(requests))
            results += [target.copy(), arrived.copy()]
            target[:] = arrived[:] = 0
        plan.Free()
        return results

    def drain(MPI, requests):
        done = []
        while (indices := MPI.Request.Waitsome(requests)) is not None:
            done += indices
        return sorted(done)

    assert same_under_both(both, case)


@pytest.mark.one_node  # between nodes plans are MPI's own, which another call does not complete
def test_a_plan_waits_for_nobody_at_start(comm):
    target = np.zeros(2)
    plan = comm.Allreduce_init(np.ones(2), target)
    for _ in range(3):
        plan.Start()
        comm.Barrier()  # completes it
        assert (target == comm.size).all()
        assert plan.Test()
        target[:] = 0
    plan.Start()
    comm.Allreduce(np.ones(2), other := np.zeros(2))
    assert target.tolist() == other.tolist() == [comm.size] * 2
    plan.Wait()
    plan.Free()


@pytest.mark.parametrize("count", [2, 40000])
def test_plans_are_tested(comm, count):
    n, me = comm.size, comm.rank
    source, target, arrived = np.full(count, me + 1.0), np.zeros(count), np.zeros(1)
    plan = comm.Allreduce_init(source, target)

    def requests():
        plan.Start()
        return [comm.Irecv(arrived, (me - 1) % n), plan, comm.Isend(np.ones(1), (me + 1) % n)]

    def until(test):
        while not (done := test()):
            pass
        return done

    if has_status_of_several():
        each = requests()
        if n > 1:
            assert found(MPI.Request.Get_status_any([plan])) in (0, 1)
        until(lambda: MPI.Request.Get_status_all(each))
        assert MPI.Request.Get_status_any([plan]) == (0, True)
        assert sorted(MPI.Request.Get_status_some(each)) == [0, 1, 2]
        MPI.Request.Waitall(each)
        assert MPI.Request.get_status_some([plan]) is None
    each = requests()
    until(lambda: MPI.Request.Testall(each))
    assert (target == n * (n + 1) / 2).all()
    each = requests()
    assert sorted(until(lambda: found(MPI.Request.Testany(each))) - 1 for _ in each) == [0, 1, 2]
    each = requests()
    messages = until(lambda: MPI.Request.testall(each)[0])
    assert messages
    assert until(plan.Get_status)
    each = requests()
    assert MPI.Request.waitall(each)[1] is None
    each = requests()
    assert sorted(MPI.Request.waitany(each)[0] for _ in each) == [0, 1, 2]
    assert MPI.Request.Waitany(each) == MPI.UNDEFINED
    with pytest.raises(MPI.Exception):
        plan.Cancel()
    status = MPI.Status()
    plan.Start()
    plan.Wait(status)
    assert status.Get_count(MPI.DOUBLE) == 0
    plan.Free()


def has_status_of_several():
    """Whether this MPI, and mpi4py, have the functions of MPI-4.1."""
    try:
        return theirs.Request.Get_status_all([])
    except (AttributeError, NotImplementedError):
        return False


def found(answer):
    """One more than the index of a complete request; 0 if there is none yet."""
    index, is_any = answer
    return index + 1 if is_any else 0


def test_a_plan_with_a_user_function_and_strides(comm):
    memory = np.zeros((4, 2))
    plan = comm.Allreduce_init(memory[:, 0], memory[:, 1], lambda a, b: a * 2 + b)
    for step in range(3):
        memory[:, 0] = step + comm.rank
        plan.Start()
        plan.Wait()
        expected = float(step)
        for rank in range(1, comm.size):
            expected = 2 * expected + step + rank
        assert (memory[:, 1] == expected).all()
    plan.Free()


@pytest.mark.parametrize("name", ["Reduce", "reduce", "argmax"])
def test_wrong_arguments_while_plans_are_started(comm, name):
    n, me = comm.size, comm.rank
    wrong = {
        "Reduce": lambda: comm.Reduce(np.ones(2), np.zeros(2), np.add, root=n if me == 0 else 0),
        "reduce": lambda: comm.reduce(1, root=n if me == 0 else 0),
        "argmax": lambda: comm.argmax("text" if me == 0 else 1.0),
    }
    one, other = np.zeros(4), np.zeros(4)
    plans = [comm.Allreduce_init(np.ones(4), one), comm.Allreduce_init(np.full(4, 2.0), other)]
    MPI.Prequest.Startall(plans)
    with pytest.raises((MPI.Exception, CollectiveMismatchError, DatatypeError)):
        wrong[name]()
    for plan in plans:
        plan.Wait()
        plan.Free()
    assert one.tolist() == [n] * 4
    assert other.tolist() == [2 * n] * 4
    check(comm)


@pytest.mark.parametrize("way", ["plan", "barrier"])
def test_a_plan_tells_its_own_errors(comm, way):
    def fail(a, b):
        raise KeyError("as planned")

    if comm.size == 1:
        pytest.skip("one rank applies no function")
    memory, target = np.zeros((4, 2)), np.zeros(4)
    failing = comm.Allreduce_init(np.ones(4), target, fail)
    plan = comm.Allreduce_init(np.ones(4), memory[:, 0])
    for _ in range(2):
        memory[:] = 0
        MPI.Prequest.Startall([failing, plan])
        if way == "barrier":
            comm.Barrier()
        plan.Wait()
        assert (memory[:, 0] == comm.size).all()
        with pytest.raises((KeyError, RemoteOpError), match="as planned"):
            failing.Wait()
        assert failing.Wait()  # told once
    assert not target.any()
    for each in (failing, plan):
        each.Free()
    check(comm)


@pytest.mark.one_node  # between nodes plans are MPI's own, and outlive their communicator
def test_a_plan_left_over_by_its_communicator(comm):
    other = comm.Dup()
    plan = other.Allreduce_init(np.ones(2), target := np.zeros(2))
    plan.Start()
    other.Free()
    assert plan.Wait()
    assert target.tolist() == [comm.size] * 2
    plan.Start()
    with pytest.raises(StateError, match="closed"):
        plan.Wait()
    plan.Free()


def test_a_plan_is_started_many_times(comm):
    source, target = np.zeros(1), np.zeros(1)
    plan = comm.Allreduce_init(source, target)
    for step in range(4000 // comm.size):
        source[0] = step
        plan.Start()
        plan.Wait()
        assert target[0] == step * comm.size
    plan.Free()
