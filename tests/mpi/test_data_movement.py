"""Test broadcast, fcollect, collect and alltoall of the native API on teams of any rank order."""

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import ArgumentError, CollectiveMismatchError, OverlapError, SymmetryError

pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.smoke]

TYPES = ["bool", "i1", "u8", "f2", "longdouble", "c16", redcoll.MPI_PAIRS["DOUBLE_INT"]]
COUNTS = (0, 1, 30, 1500)


@pytest.fixture
def reversed_team(world):
    """Return a team of all PEs in reverse order."""
    comm = MPI.COMM_WORLD.Split(0, -MPI.COMM_WORLD.rank)
    team = redcoll.Team.from_comm(comm)
    yield team
    team.close()
    comm.Free()


def row(dtype, pe, count):
    rng = np.random.default_rng([pe, count])
    result = np.zeros(count, dtype)
    if result.dtype.names:
        result["value"], result["index"] = rng.standard_normal(count), np.arange(count) + pe
    else:
        result[...] = oracle.values(result.dtype, count, rng)
    return result


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_all_of_them(arena, reversed_team, dtype):
    team = reversed_team
    me, n = redcoll.my_pe(), redcoll.n_pes()
    assert team.pes == tuple(range(n))[::-1]
    compared = 0
    for count in COUNTS:
        arena.reset()
        source = arena.take(count, dtype)
        source[...] = row(dtype, me, count)
        target, both = arena.take(count, dtype), arena.take(count * n, dtype)
        redcoll.barrier()
        for to_root in (True, False):
            root = n // 2
            target.view(np.uint8)[...] = 0x11
            redcoll.broadcast(target, source, root, to_root=to_root, team=team)
            if team.index == root and not to_root:
                assert (target.view(np.uint8) == 0x11).all()
            elif count:
                compared += oracle.assert_same(target, row(dtype, team.pes[root], count))
        redcoll.fcollect(both, source, team=team)
        rows = [row(dtype, pe, count) for pe in team.pes]
        if count:
            compared += oracle.assert_same(both, np.concatenate(rows))
        mine = min(count, team.index)
        total = redcoll.collect(both, source[:mine], team=team)
        parts = [each[: min(count, index)] for index, each in enumerate(rows)]
        assert total == sum(map(len, parts))
        if total:
            compared += oracle.assert_same(both[:total], np.concatenate(parts))
        blocks = arena.take(count * n, dtype)
        if count:
            blocks[...] = np.concatenate([row(dtype, me * n + to, count) for to in team.pes])
        redcoll.alltoall(both, blocks, count, team=team)
        if count:
            parts = [row(dtype, pe * n + me, count) for pe in team.pes]
            compared += oracle.assert_same(both, np.concatenate(parts))
    assert compared > sum(COUNTS)
    redcoll.barrier()


# These vectors are longer than a chunk, and than the buffer for a round between two nodes.
@pytest.mark.parametrize("count", [33_000, 140_000])
def test_long_ones(reversed_team, count):
    team = reversed_team
    me, n = redcoll.my_pe(), redcoll.n_pes()
    source, target = redcoll.array(row("f8", me, count)), redcoll.zeros(count)
    part = min(count, 50_000)
    both = redcoll.zeros(part * n)
    compared = 0
    for root in (0, n // 2, n - 1):
        target[:] = 0
        redcoll.broadcast(target, source, root, team=team)
        compared += oracle.assert_same(target, row("f8", team.pes[root], count))
    redcoll.fcollect(both, source[:part], team=team)
    rows = [row("f8", pe, count) for pe in team.pes]
    compared += oracle.assert_same(both, np.concatenate([each[:part] for each in rows]))
    block = count // n
    redcoll.alltoall(target[: n * block], source[: n * block], block, team=team)
    at = slice(team.index * block, (team.index + 1) * block)
    compared += oracle.assert_same(target[: n * block], np.concatenate([each[at] for each in rows]))
    assert compared == 3 * count + len(both) + n * block
    for each in (source, target, both):
        redcoll.free(each)


def test_private_arrays_are_refused(arena):
    me, n = redcoll.my_pe(), redcoll.n_pes()
    x, y = arena.take(4, "d"), arena.take(4 * n, "d")
    x[...], y[...] = me, -1
    redcoll.barrier()
    calls = {
        "broadcast": lambda to, of: redcoll.broadcast(to[: len(of)], of),
        "fcollect": redcoll.fcollect,
        "collect": redcoll.collect,
        "alltoall": lambda to, of: redcoll.alltoall(to[:n], of[:1].repeat(n), 1),
    }
    for name, call in calls.items():
        wrong = np.zeros(4) if me == n - 1 else x
        kind = SymmetryError if me == n - 1 or name == "alltoall" else CollectiveMismatchError
        with pytest.raises(kind, match=f"{name}: source is a private array"):
            call(y, wrong)
        assert (y == -1).all()
    redcoll.fcollect(y, x)
    assert (y == np.repeat(range(n), 4)).all()


def test_overlap(arena):
    n = redcoll.n_pes()
    memory = arena.take(8 * n, "l")
    memory[...] = 3
    redcoll.barrier()
    for call in (
        lambda: redcoll.broadcast(memory[1:5], memory[:4]),
        lambda: redcoll.fcollect(memory[: 4 * n], memory[:4]),
        lambda: redcoll.collect(memory[: 4 * n], memory[:4]),
        lambda: redcoll.alltoall(memory[:n], memory[:n], 1),
    ):
        with pytest.raises(OverlapError):
            call()
    redcoll.broadcast(memory[:4], memory[:4])
    assert (memory == 3).all()


def test_wrong_blocks(arena):
    me, n = redcoll.my_pe(), redcoll.n_pes()
    x, y = arena.take(4 * n, "l"), arena.take(4 * n, "l")
    y[...] = -1
    redcoll.barrier()
    kind = ArgumentError if me == 0 else CollectiveMismatchError
    for arguments, message in (
        ((y, x, -1), "count is -1"),
        (
            (y, x, 3),
            f"source has {4 * n} elements; with count 3 and .* must have {3 * n} for {n}",
        ),
        ((y, x, 4, 0), "target_step is 0"),
        ((y, x, 4, 1, -2), "source_step is -2"),
        ((y[1:], x, 4), f"target has {4 * n - 1} elements"),
    ):
        with pytest.raises(kind, match=f"alltoall: .*{message}"):
            redcoll.alltoall(*(arguments if me == 0 else (y, x, 4)))
        assert (y == -1).all()
    redcoll.alltoall(y, x, 4)
