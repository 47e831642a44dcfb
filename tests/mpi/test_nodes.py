"""Test teams over several nodes, which are real, or simulated on one host."""

import os
import sys
import zlib
from itertools import permutations

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Expected, Guarded, Reduced
from mpi4py import MPI

import redcoll
from redcoll import CollectiveMismatchError, RemoteOpError, user_op
from redcoll.onesided import rma

pytestmark = [pytest.mark.mpi(min_size=2), pytest.mark.every_size, pytest.mark.smoke]

COUNTS = (1, 17, 128, 129, 515, 2600)
NODE_SIZES = (1, 2, 3)


def nodes_of(pes, node_size, gather):
    """Return the team ranks of each node."""
    return oracle.nodes_of(pes, node_size, gather(os.uname().nodename))


@pytest.fixture
def make_team(world, monkeypatch, pretend_nodes):
    """Return a function that makes a team with simulated nodes and low thresholds."""
    teams = []

    def make(node_size, order="node", key=None, small="1024"):
        pretend_nodes(node_size)
        monkeypatch.setenv("REDCOLL_ORDER", order)
        if small is not None:
            monkeypatch.setenv("REDCOLL_SMALL_BYTES", small)
            monkeypatch.setenv("REDCOLL_CHUNK_BYTES", "4096")
        comm = MPI.COMM_WORLD
        part = comm.Split(0, comm.rank if key is None else key)
        teams.append(redcoll.Team.from_comm(part))
        part.Free()
        return teams[-1]

    yield make
    for team in teams:
        team.close()


def arrays(arena, place, dtype, *counts):
    arena.reset()
    take = arena.take if place == "symmetric" else np.empty
    return [Guarded(count, dtype, take) for count in counts]


@pytest.mark.parametrize("order", ["node", "strict"])
@pytest.mark.parametrize("node_size", NODE_SIZES)
@pytest.mark.parametrize("place", ["symmetric", "private"])
def test_sums_in_the_documented_order(make_team, arena, gather, node_size, order, place):
    team = make_team(node_size, order)
    n, me = team.size, team.index
    nodes = nodes_of(team.pes, node_size, gather) if order == "node" else [[i] for i in range(n)]
    compared = 0
    for count in COUNTS:
        rows = oracle.rows("SUM", np.float64, n, count)
        wanted, flat = Reduced("SUM", rows, nodes=nodes), Expected("SUM", rows)
        if order == "strict":
            wanted = flat
        source, target = arrays(arena, place, np.float64, count, count)
        source.array[...] = rows[me]
        redcoll.allreduce(target.array, source.array, team=team)
        compared += wanted.check(target.array)
        for root in (0, n - 1):
            source, target = arrays(arena, place, np.float64, count, count)
            source.array[...] = rows[me]
            redcoll.reduce(target.array, source.array, root=root, team=team)
            if me == root:
                compared += wanted.check(target.array)
            else:
                target.check_untouched()
        lengths = [count // n + (i < count % n) for i in range(n)]
        start = sum(lengths[:me])
        source, target = arrays(arena, place, np.float64, count, lengths[me])
        source.array[...] = rows[me]
        redcoll.reduce_scatter(target.array, source.array, counts=lengths, team=team)
        if lengths[me]:
            compared += wanted.check(target.array, slice(start, start + lengths[me]))
        # The nodes do not change the order of a scan.
        source, target = arrays(arena, place, np.float64, count, count)
        source.array[...] = rows[me]
        redcoll.scan(target.array, source.array, team=team)
        compared += Expected("SUM", rows[: me + 1]).check(target.array)
        source.array[...] = rows[me]
        redcoll.exscan(target.array, source.array, team=team)
        if me:
            compared += Expected("SUM", rows[:me]).check(target.array)
        for each in (source, target):
            each.check()
    assert compared >= 2 * sum(COUNTS)


@pytest.mark.parametrize("node_size", [1, 2])
def test_lengths_at_which_vectors_travel_in_different_ways(make_team, gather, node_size):
    team = make_team(node_size, small=None)
    n, me = team.size, team.index
    nodes = nodes_of(team.pes, node_size, gather)
    compared = 0
    lengths = 2 * (9 << 10, 20 << 10, 100 << 10, 300 << 10)
    # With MPICH, leaders fold 1 MiB from 4 nodes of 2 PEs on. On fewer nodes, rails do.
    for n_bytes in (*lengths, 1 << 20, 1200 << 10):
        each = n_bytes // 8 // n
        rows = oracle.rows("SUM", np.float64, n, n * each)
        wanted = Reduced("SUM", rows, nodes=nodes)
        targets = {name: np.full(n * each, np.nan) for name in ("all", "one", "block")}
        targets["all"][...] = rows[me]
        redcoll.allreduce(targets["all"], targets["all"], team=team)
        compared += wanted.check(targets["all"])
        root = n_bytes // 1024 % n
        redcoll.reduce(targets["one"] if me == root else None, rows[me], root=root, team=team)
        if me == root:
            compared += wanted.check(targets["one"])
        own = slice(me * each, (me + 1) * each)
        redcoll.reduce_scatter(targets["block"][own], rows[me], team=team)
        compared += wanted.check(targets["block"][own], own)
        assert np.isnan(np.delete(targets["block"], own)).all()
    assert compared >= 100_000


@pytest.mark.parametrize(
    ("node_size", "order", "op", "dtype"),
    [
        *((node_size, "node", "SUM", "f8") for node_size in NODE_SIZES),
        *((node_size, "node", "SUM", "i4") for node_size in NODE_SIZES),
        *((node_size, "strict", "SUM", "f8") for node_size in NODE_SIZES),
        (2, "node", "MAXLOC", oracle.pair("f8", "i4")),
    ],
)
def test_repeated_calls_of_all_lengths(make_team, gather, node_size, order, op, dtype):
    """Repeated calls, which the compiled kernel performs in another way, give the same bits."""
    team = make_team(node_size, order, small=None)
    n, me = team.size, team.index
    nodes = nodes_of(team.pes, node_size, gather) if order == "node" else [[i] for i in range(n)]
    small, known = team.small, []
    team.small = lambda *call: known.append(small(*call)) or known[-1]
    function, repeats, dtype = getattr(redcoll, op), 4, np.dtype(dtype)
    n_bytes = (16, 64, 400, 9 << 10, 20 << 10, 100 << 10, 300 << 10)
    compared = 0
    for length in n_bytes:
        each = max(1, length // dtype.itemsize // n)
        own = slice(me * each, (me + 1) * each)
        rows = oracle.rows(op, dtype, n, n * each)
        reduced, scanned = Reduced(op, rows, nodes=nodes), Expected(op, rows[: me + 1])
        exscanned = Expected(op, rows[:me]) if me else None
        for turn in range(repeats):
            wanted, root = reduced.rolled(turn), turn % n
            source, target = Guarded(n * each, dtype), Guarded(n * each, dtype)
            source.array[...] = np.roll(rows[me], turn)
            redcoll.allreduce(target.array, source.array, function, team=team)
            compared += wanted.check(target.array)
            redcoll.reduce(target.array, source.array, function, root=root, team=team)
            if me == root:
                compared += wanted.check(target.array)
            block = Guarded(each, dtype)
            redcoll.reduce_scatter(block.array, source.array, function, team=team)
            compared += wanted.check(block.array, own)
            redcoll.scan(target.array, source.array, function, team=team)
            compared += scanned.rolled(turn).check(target.array)
            redcoll.exscan(target.array, source.array, function, team=team)
            if exscanned is not None:
                compared += exscanned.rolled(turn).check(target.array)
            for guarded in (source, target, block):
                guarded.check()
            redcoll.allreduce(source.array, source.array, function, team=team)
            compared += wanted.check(source.array)
    assert compared >= repeats * sum(n_bytes) // dtype.itemsize
    if not team.layout.is_one_node and team.kernel.NAME == "compiled":
        # For each of the three shortest lengths, 7 of 8 allreduces are known, and 3 of 4 other
        # calls. Each reduce can have another root.
        assert sum(known) >= 3 * (7 + 3 * 3)


@pytest.mark.parametrize(("node_size", "small"), [(2, "1024"), (1, None), (2, None)])
@pytest.mark.parametrize("place", ["symmetric", "private"])
def test_order_of_mpi_gives_all_the_same_bits(make_team, arena, place, node_size, small):
    """The nodes' vectors are combined in another order, so rounding may differ."""
    team = make_team(node_size, "mpi", small=small)
    n, me = team.size, team.index
    compared = 0
    rng = np.random.default_rng(4)
    # Without low thresholds, the last length is one at which leaders combine vectors.
    counts = (3, 700, 2600 if small else 15_000)
    for op in ("SUM", "PROD", "MAX", "MIN", "AND"):
        for dtype in ("f8", "i4", "c16"):
            if np.dtype(dtype) not in oracle.types_of(op).values():
                continue
            for count in counts:
                rows = rng.integers(-9, 10, (n, count)) / (1 if dtype == "i4" else 7)
                rows = list(rows.astype(dtype))
                source, target = arrays(arena, place, dtype, count, count)
                source.array[...] = rows[me]
                redcoll.allreduce(target.array, source.array, getattr(redcoll, op), team=team)
                result, wanted = target.array.copy(), oracle.fold(op, rows)
                if dtype == "i4" or op in ("MAX", "MIN"):
                    assert oracle.assert_same(result, wanted) == count
                else:
                    assert np.allclose(result, wanted, rtol=1e-12, atol=1e-12)
                assert len(set(MPI.COMM_WORLD.allgather(zlib.crc32(result)))) == 1
                target.array[...] = 0
                redcoll.reduce(
                    target.array, source.array, getattr(redcoll, op), root=n - 1, team=team
                )
                if me == n - 1:
                    assert np.allclose(target.array, wanted, rtol=1e-12, atol=1e-12)
                compared += count
    assert compared >= 10 * sum(counts)


@pytest.mark.parametrize("node_size", [1, 2])
def test_order_of_mpi_in_long_and_short_chunks(make_team, monkeypatch, node_size):
    """The nodes fold blocks of the long chunks, and MPI combines the short last chunk."""
    monkeypatch.setenv("REDCOLL_CHUNK_BYTES", "2M")
    team = make_team(node_size, "mpi", small=None)
    n, me, rails = team.size, team.index, team.rails
    ways = set()
    if rails is not None:
        begin = rails.begin

        def begin_and_look(turn, *rest):
            begin(turn, *rest)
            ways.add("MPI" if len(rails._under_way[turn][1]) == 1 else "blocks")

        rails.begin = begin_and_look
    compared, count = 0, 2 * (2 << 20) // 8 + 1000
    rows = np.random.default_rng(7).integers(-99, 100, (n, count), np.int8)
    for dtype in ("i8", "f8"):  # the sums are exact in any order
        source, wanted = rows[me].astype(dtype), rows.sum(axis=0, dtype=dtype)
        target = np.zeros(count, dtype)
        redcoll.allreduce(target, source, team=team)
        compared += oracle.assert_same(target, wanted)
        target[...] = 0
        redcoll.reduce(target, source, root=1, team=team)
        if me == 1:
            compared += oracle.assert_same(target, wanted)
    assert compared == (4 if me == 1 else 2) * count
    assert not ways or ways == {"MPI", "blocks"}
    assert rails is None or MPI.COMM_WORLD.allreduce(len(ways)) >= 4


def test_all_operations_and_types(make_team, arena, gather):
    node_size = 2
    team = make_team(node_size)
    nodes = nodes_of(team.pes, node_size, gather)
    n, me = team.size, team.index
    compared = 0
    for op in sorted(oracle.OPS):
        for dtype in oracle.types_of(op).values():
            for count in (3, 700):
                rows = oracle.rows(op, dtype, n, count)
                [target] = arrays(arena, "private", dtype, count)
                redcoll.allreduce(target.array, rows[me].copy(), getattr(redcoll, op), team=team)
                compared += Reduced(op, rows, nodes=nodes).check(target.array)
                target.check()
    assert compared > 100_000


# Three PEs on nodes of two PEs suffice to distinguish the orders "node" and "strict". Then the
# team's order is PEs 0, 2 and 1, and PEs 0 and 1 share a node. With four PEs, a reduce_scatter
# leaves the blocks whole.
@pytest.mark.parametrize("order", ["node", "strict"])
@pytest.mark.parametrize("node_size", [1, 2])
def test_nodes_whose_members_do_not_follow_each_other(make_team, arena, gather, node_size, order):
    """The team has the even PEs before the odd PEs, or all PEs in reverse order."""
    me, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    compared = scattered = 0
    for key in (me % 2 * n + me, n - me):
        team = make_team(node_size, order, key)
        nodes = (
            nodes_of(team.pes, node_size, gather) if order == "node" else [[i] for i in range(n)]
        )
        for count in COUNTS:
            rows = oracle.rows("SUM", np.float64, n, count)
            for place in ("symmetric", "private"):
                source, target = arrays(arena, place, np.float64, count, count)
                source.array[...] = rows[team.index]
                redcoll.allreduce(target.array, source.array, team=team)
                compared += Reduced("SUM", rows, nodes=nodes).check(target.array)
                redcoll.scan(target.array, source.array, team=team)
                compared += Expected("SUM", rows[: team.index + 1]).check(target.array)
                ends = np.sort(np.random.default_rng(count).integers(0, count + 1, n - 1))
                bounds = [0, *ends.tolist(), count]
                own = slice(bounds[team.index], bounds[team.index + 1])
                block = Guarded(own.stop - own.start, np.float64)
                counts = np.diff(bounds).tolist()
                redcoll.reduce_scatter(block.array, source.array, counts=counts, team=team)
                compared += block.array.size and Reduced("SUM", rows, nodes=nodes).check(
                    block.array, own
                )
                block.check()
                scattered += block.array.size
    assert compared == 8 * sum(COUNTS) + scattered
    assert MPI.COMM_WORLD.allreduce(scattered) == 4 * sum(COUNTS)


@pytest.mark.parametrize("node_size", NODE_SIZES)
def test_functions_of_the_user_one_after_the_other(make_team, node_size):
    def take_digit(a, b):
        return 10 * a + b

    team = make_team(node_size)
    n, me = team.size, team.index
    for count in (1, 100, 2000):
        for elementwise in (False, True):
            op = user_op(take_digit, elementwise=elementwise)
            target = np.zeros(count)
            redcoll.allreduce(target, np.full(count, float(me % 7)), op, team=team)
            value = 0.0
            for pe in range(n):
                value = 10 * value + pe % 7
            assert (target == value).all()


@pytest.mark.parametrize("count", [4, 1000])
@pytest.mark.parametrize("node_size", [1, 2])
@pytest.mark.parametrize("who", [0, -1])
def test_errors_reach_all_nodes(make_team, node_size, count, who):
    team = make_team(node_size)
    n, me = team.size, team.index
    who %= n
    source, target = np.ones(count), np.full(count, 7.0)

    def fails(a, b):
        if me == who:
            raise KeyError("mine")
        return a + b

    for _ in range(3):
        length = count - (me == who)
        with pytest.raises(CollectiveMismatchError, match=f"PE {who} called.*count={count - 1}"):
            redcoll.allreduce(target[:length], source[:length], team=team)
        wrong = target.astype(np.int32) if me == who else target
        kind = redcoll.DatatypeError if me == who else CollectiveMismatchError
        with pytest.raises(kind):
            redcoll.allreduce(wrong, source, team=team)
        assert (target == 7).all()
        kind = KeyError if me == who else RemoteOpError
        with pytest.raises(kind, match="mine"):
            redcoll.allreduce(np.empty(count), source, user_op(fails), team=team)
        result = np.empty(count)
        redcoll.allreduce(result, source, team=team)
        assert (result == n).all()


@pytest.mark.parametrize("order", ["node", "mpi"], ids="order-{}".format)
@pytest.mark.parametrize("node_size", [1, 2])
def test_vectors_that_travel_in_different_ways_in_one_call(
    make_team, monkeypatch, node_size, order
):
    """One rank's vector has another length, at which vectors travel in another way."""
    monkeypatch.setenv("REDCOLL_AHEAD", "1")  # two PEs can share a node
    if order == "mpi":  # MPI combines the slices only if they are short
        monkeypatch.setenv("REDCOLL_CHUNK_BYTES", "128K")
    team = make_team(node_size, order, small=None)
    n, me = team.size, team.index
    counts = [1, 9 << 7, 40 << 7, 100 << 7, 300 << 7, 1200 << 7]
    source, target = np.ones(max(counts)), np.zeros(max(counts))
    for count in counts * 2:  # known calls take another way than first calls
        redcoll.allreduce(target[:count], source[:count], team=team)
        redcoll.reduce(target[:count] if me == 0 else None, source[:count], root=0, team=team)
    raised = 0
    for turn, (usual, other) in enumerate(permutations(counts, 2)):
        count = other if me == turn % n else usual
        target[...] = 7
        with pytest.raises(CollectiveMismatchError, match=f"PE {turn % n} called.*count={other}"):
            redcoll.allreduce(target[:count], source[:count], team=team)
        with pytest.raises(CollectiveMismatchError, match=f"PE {turn % n} called.*count={other}"):
            redcoll.reduce(target[:count] if me == 0 else None, source[:count], root=0, team=team)
        raised += 2
        assert (target == 7).all()
        redcoll.allreduce(target[:usual], source[:usual], team=team)
        assert (target[:usual] == n).all()
    assert raised == 60


@pytest.mark.parametrize("node_size", [1, 2])
def test_mixed_calls_with_delays(make_team, arena, delays, node_size):
    """The calls use all collectives and paths, and members arrive early and late."""
    team = make_team(node_size)
    n, me = team.size, team.index
    numbers = np.random.default_rng(5)
    symmetric = arena.take(3000, np.int64), arena.take(3000, np.int64)
    private = np.empty(3000, np.int64), np.empty(3000, np.int64)
    compared = 0
    for turn in range(100):
        kind, count = int(numbers.integers(6)), int(numbers.choice([1, 40, 129, 600, 2900]))
        ends = np.sort(numbers.integers(0, count + 1, n - 1)).tolist()
        target, source = (each[:count] for each in (symmetric if turn % 2 else private))
        delays()
        source[...] = np.arange(count) + me * turn
        base = np.arange(count)
        if kind == 0:
            redcoll.allreduce(target, source, team=team)
            wanted = base * n + turn * (n * (n - 1) // 2)
        elif kind == 1:
            target[...] = -1
            redcoll.reduce(target, source, redcoll.MAX, root=turn % n, team=team)
            wanted = base + (n - 1) * turn if me == turn % n else np.full(count, -1)
        elif kind == 2:
            redcoll.scan(target, source, team=team)
            wanted = base * (me + 1) + turn * (me * (me + 1) // 2)
        elif kind == 3:
            redcoll.barrier(team=team)
            continue
        elif kind == 4:
            # Equal blocks or blocks of any length, and all, some or no sources are symmetric.
            bounds = [0, *ends, count] if turn % 3 else [i * count // n for i in range(n + 1)]
            own, counts = slice(*bounds[me : me + 2]), np.diff(bounds).tolist()
            some = source if (me + turn) % 4 else source.copy()
            redcoll.reduce_scatter(target[own], some, counts=counts, team=team)
            target, wanted = target[own], (base * n + turn * (n * (n - 1) // 2))[own]
            count = target.size
        else:
            redcoll.allreduce(target, source, user_op(np.minimum), team=team)
            wanted = base
        assert (target == wanted).all()
        compared += count
    assert compared > 20_000


def test_a_symmetric_source_that_changes_after_a_reduce_scatter(make_team, arena):
    """The first PE of each node has no block, so it returns first and changes its source."""
    team = make_team(2)
    n, me, count = team.size, team.index, 40_000
    [source] = arrays(arena, "symmetric", np.int64, count)
    counts = [count // n if index % 2 else 0 for index in range(n)]
    counts[1] += count - sum(counts)
    first, target = sum(counts[:me]), np.empty(counts[me], np.int64)
    base, compared = np.arange(first, first + counts[me]), 0
    for turn in range(20):
        source.array[...] = np.arange(count) + me * turn
        redcoll.reduce_scatter(target, source.array, counts=counts, team=team)
        source.array[...] = -1
        assert (target == base * n + turn * (n * (n - 1) // 2)).all()
        compared += target.size
    assert MPI.COMM_WORLD.allreduce(compared) == 20 * count


@pytest.mark.parametrize("node_size", [1, 2])
def test_made_and_freed_again_and_again(make_team, node_size):
    for _ in range(6):
        team = make_team(node_size)
        out = np.empty(300)
        redcoll.allreduce(out, np.ones(300), team=team)
        assert (out == team.size).all()
        team.close()


def test_layouts(make_team, gather):
    for node_size in NODE_SIZES:
        team = make_team(node_size)
        wanted = nodes_of(team.pes, node_size, gather)
        assert [list(members) for members in team.layout.nodes] == wanted
        assert team.index in team.layout.members


def test_no_array_is_kept(make_team):
    team = make_team(1)
    source, target = np.ones(2000), np.empty(2000)
    before = sys.getrefcount(source), sys.getrefcount(target)
    redcoll.allreduce(target, source, team=team)
    assert (target == team.size).all()
    assert (sys.getrefcount(source), sys.getrefcount(target)) == before


@pytest.mark.parametrize("node_size", NODE_SIZES)
def test_refused_teams_leave_no_communicators(make_team, monkeypatch, node_size):
    found = []

    def lay_out(comm):
        layout, near = original(comm)
        found.append(near)
        return layout, near

    original = redcoll.topology.lay_out
    monkeypatch.setattr(redcoll.topology, "lay_out", lay_out)
    pretend = make_team(node_size)  # a team whose memory fits, for comparison
    monkeypatch.setenv("REDCOLL_CHUNK_BYTES", str(1 << 50))
    made = len(found)
    for _ in range(3):
        with pytest.raises(redcoll.HeapError):
            redcoll.Team.from_comm(MPI.COMM_WORLD)
    assert len(found) > made
    assert not any(found[made:])
    monkeypatch.setenv("REDCOLL_CHUNK_BYTES", "4096")
    x = np.ones(3)
    redcoll.allreduce(x, x, team=pretend)
    assert (x == pretend.size).all()


def test_puts_complete_before_memory_is_reused(world):
    remote = world.remote
    if remote is None:
        pytest.skip("needs PEs on several nodes")
    there = next(pe for pe in range(world.n_pes) if not world.heap.reaches(pe))
    x = redcoll.zeros(1000)
    rma.put(x, np.ones(1000), 1000, there)
    assert there in remote._dirty
    redcoll.free(redcoll.empty(3))
    assert not remote._dirty
    rma.put(x, np.ones(1000), 1000, there)
    assert there in remote._dirty
    redcoll.free(x)
    assert not remote._dirty
