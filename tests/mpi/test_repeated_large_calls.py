"""Test that repeated large calls give the same results as the first calls."""

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll
from redcoll import MAXLOC, SUM

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

ROUNDS = 3
COUNTS = (400, 1501)  # 3 and 12 kB: one chunk of the tight team, and three chunks
PLACES = {
    "symmetric": lambda me: (True, True),
    "private": lambda me: (False, False),
    "some symmetric": lambda me: (me % 2 == 0, me % 2 == 0),
    "sources symmetric": lambda me: (True, False),
}


def allreduce(team, target, source, op):
    redcoll.allreduce(target, source, op, team=team)


def reduce(team, target, source, op):
    redcoll.reduce(target if team.index == team.size - 1 else None, source, op, -1 % team.size,
                   team=team)  # fmt: skip


def reduce_scatter(team, target, source, op):
    redcoll.reduce_scatter(target, source, op, blocks(team, source.size), team=team)


def scan(team, target, source, op):
    redcoll.scan(target, source, op, team=team)


def exscan(team, target, source, op):
    redcoll.exscan(target, source, op, team=team)


def blocks(team, count):
    """Return block lengths for the members: the last but one is 0, and the last is larger."""
    even = count // team.size
    counts = [even] * team.size
    if team.size > 1:
        counts[-1] += counts[-2]
        counts[-2] = 0
    counts[-1] += count - sum(counts)
    return counts


def wanted(function, team, op, rows):
    """Return this member's result, or None if the target must not change."""
    me, n = team.index, team.size
    if function is reduce and me != n - 1:
        return None
    if function is exscan:
        return oracle.fold(op, rows[:me]) if me else None
    if function is scan:
        return oracle.fold(op, rows[: me + 1])
    whole = oracle.Reduced(op, rows).result
    if function is reduce_scatter:
        counts = blocks(team, len(whole))
        return whole[sum(counts[:me]) : sum(counts[: me + 1])]
    return whole


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("function", [allreduce, reduce, reduce_scatter, scan, exscan])
@pytest.mark.parametrize("dtype", ["f8", oracle.MPI_PAIRS["DOUBLE_INT"]], ids=["SUM", "MAXLOC"])
def test_calls_made_again(tight, arena, function, place, dtype):
    me, n = tight.index, tight.size
    dtype = np.dtype(dtype)
    name, op = ("MAXLOC", MAXLOC) if dtype.names else ("SUM", SUM)
    of_heap, into_heap = PLACES[place](me)
    compared = 0
    for count in COUNTS:
        for number in range(ROUNDS):
            arena.reset()
            rows = oracle.rows(name, dtype, n, count, seed=number)
            length = blocks(tight, count)[me] if function is reduce_scatter else count
            # Every round uses other arrays. Symmetric arrays have the same offsets on
            # all PEs.
            sources = [Guarded(count, dtype, arena.take) for _ in range(number + 1)]
            source = sources[-1] if of_heap else Guarded(count, dtype)
            room = Guarded(count, dtype, arena.take)
            target = Guarded(length, dtype)
            if into_heap:
                target = Guarded(length, dtype, arena.take) if length != count else room
            source.array[...] = rows[me]
            before = target.array.copy()
            function(tight, target.array, source.array, op)
            result = wanted(function, tight, name, rows)
            if result is None:
                assert oracle.value_bytes(target.array) == oracle.value_bytes(before)
            elif result.size:
                compared += oracle.assert_same(target.array, result)
            oracle.assert_same(source.array, rows[me], what="source")
            source.check()
            target.check()
            room.check()
    if function is allreduce:
        assert compared == ROUNDS * sum(COUNTS)


@pytest.mark.parametrize("take", ["symmetric", "private"])
def test_in_place_again_and_again(tight, arena, take):
    count, n, me = 1501, tight.size, tight.index
    x = Guarded(count, "i8", arena.take) if take == "symmetric" else Guarded(count, "i8")
    for number in range(ROUNDS):
        x.array[...] = np.arange(count) + me + number
        redcoll.allreduce(x.array, x.array, SUM, team=tight)
        expected = n * (np.arange(count) + number) + n * (n - 1) // 2
        assert oracle.assert_same(x.array, expected) == count
        x.check()


def test_where_arrays_are_may_change_from_call_to_call(tight, arena, rng):
    """Each PE changes the placement of its arrays without notice to the other PEs."""
    count, n, me = 1501, tight.size, tight.index
    for number in range(4 * ROUNDS):
        arena.reset()
        symmetric = [Guarded(count, "f8", arena.take) for _ in range(2)]
        is_symmetric = number % (me + 2) == 0
        source, target = symmetric if is_symmetric else [Guarded(count, "f8") for _ in range(2)]
        source.array[...] = me + number
        redcoll.allreduce(target.array, source.array, SUM, team=tight)
        assert (target.array == n * number + n * (n - 1) / 2).all()
        target.check()
        source.check()


def test_wrong_arguments_of_a_call_made_before(tight):
    """Repeated calls reject the same arguments as first calls, and the team stays usable."""
    count = 1501
    whole = np.zeros(2 * count)
    good = whole[:count], np.ones(count)
    for _ in range(ROUNDS):
        redcoll.allreduce(*good, team=tight)
    frozen = np.zeros(count)
    frozen.flags.writeable = False
    for target, source in (
        (whole[1 : count + 1], whole[:count]),
        (frozen, good[1]),
        (np.zeros(count, "f4"), good[1]),
        (np.zeros(count - 1), good[1]),
        (whole[::2], good[1]),
    ):
        with pytest.raises(redcoll.ArgumentError):
            redcoll.allreduce(target, source, team=tight)
        redcoll.allreduce(*good, team=tight)
        assert (good[0] == tight.size).all()


def test_other_calls_after_a_known_call(tight):
    if tight.size == 1:
        pytest.skip("one PE cannot disagree with itself")
    x, y = np.zeros(1501), np.ones(1501)
    for _ in range(ROUNDS):
        redcoll.allreduce(x, y, team=tight)
        redcoll.allreduce(x, y, redcoll.MAX, team=tight)
    x[...] = 7
    with pytest.raises(redcoll.CollectiveMismatchError, match="allreduce"):
        redcoll.allreduce(x, y, redcoll.MAX if tight.index else SUM, team=tight)
    assert (x == 7).all()
    redcoll.allreduce(x, y, team=tight)
    assert (x == tight.size).all()


def test_memory_freed_after_a_call(world, tight):
    count = 1501
    x, y = redcoll.zeros(count), redcoll.ones(count)
    for _ in range(ROUNDS):
        redcoll.allreduce(x, y, team=tight)
    kept = y[:]
    redcoll.free(y)
    with pytest.raises(redcoll.StateError):
        redcoll.allreduce(x, kept, team=tight)
    y = redcoll.ones(count)
    redcoll.allreduce(x, y, team=tight)
    assert (x == tight.size).all()
    redcoll.free(y)
    redcoll.free(x)
