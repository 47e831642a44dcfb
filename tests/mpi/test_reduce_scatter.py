"""Test reduce_scatter of long ordinary arrays, in which each PE alone folds its own block."""

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded, Reduced
from mpi4py import MPI

import redcoll

pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.smoke]

CHUNK_BYTES = 4096


@pytest.fixture
def team(world, monkeypatch):
    monkeypatch.setenv("REDCOLL_SMALL_BYTES", "64")
    monkeypatch.setenv("REDCOLL_CHUNK_BYTES", str(CHUNK_BYTES))
    part = MPI.COMM_WORLD.Dup()
    team = redcoll.Team.from_comm(part)
    part.Free()
    yield team
    team.close()


def counts_of(n):
    """Yield lists of block lengths. Most are near the longest block that fits into one chunk."""
    room = CHUNK_BYTES // 8 // max(1, n - 1)
    yield [40] * n
    for length in (room - 1, room, room + 1, 3 * room + 5):
        yield [length] * n
    yield [2 * room + index for index in range(n)]
    yield [room if index % 2 else 0 for index in range(n)] if n > 1 else [room]
    yield [0] * (n - 1) + [5 * room]  # one PE gets all, so all PEs fold slices


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "f2", "c16"])
def test_blocks_of_all_lengths(team, dtype):
    n, me = team.size, team.index
    op = redcoll.SUM
    compared = calls = 0
    for counts in counts_of(n):
        rows = oracle.rows("SUM", np.dtype(dtype), n, sum(counts))
        wanted = Reduced("SUM", rows)
        start = sum(counts[:me])
        for _ in range(3):  # from the second call on, the kernel knows the shape
            source = rows[me].copy()
            target = Guarded(counts[me], dtype)
            redcoll.reduce_scatter(target.array, source, op, counts, team=team)
            target.check()
            calls += 1
            if counts[me]:
                compared += wanted.check(target.array, slice(start, start + counts[me]))
            assert oracle.value_bytes(source) == oracle.value_bytes(rows[me])
    assert calls == 3 * len(list(counts_of(n)))
    assert compared


def test_some_sources_are_symmetric(team, arena):
    n, me = team.size, team.index
    for length in (200, 2000):
        rows = oracle.rows("MAX", np.dtype("i8"), n, length * n)
        for symmetric in ([0], range(0, n, 2), range(n)):
            source = arena.take(length * n, "i8") if me in symmetric else np.empty(length * n, "i8")
            source[...] = rows[me]
            target = Guarded(length, "i8")
            for _ in range(3):
                redcoll.reduce_scatter(target.array, source, redcoll.MAX, team=team)
                part = slice(me * length, (me + 1) * length)
                Reduced("MAX", rows).check(target.array, part)
                target.array[...] = 0
            target.check()
            MPI.COMM_WORLD.Barrier()
            arena.reset()


def test_a_function_that_raises_on_one_member(team):
    n, me = team.size, team.index
    source = np.ones(1000 * n)
    target = np.zeros(1000)

    def add(a, b):
        if me == n - 1:
            raise ValueError("no")
        return a + b

    if n > 1:
        with pytest.raises(ValueError if me == n - 1 else redcoll.RemoteOpError):
            redcoll.reduce_scatter(
                target, source, redcoll.user_op(add, elementwise=True), team=team
            )
    redcoll.reduce_scatter(target, source, redcoll.SUM, team=team)
    assert (target == n).all()
