"""Test that calls of every size, shape and placement give right results on every path."""

import itertools

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded, Reduced

import redcoll
from redcoll import SUM

pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.smoke]

PLACES = ("symmetric", "private", "mixed", "sources", "targets")


def places(place, me):
    """Return whether this PE's source is symmetric, and whether its target is symmetric."""
    return {
        "symmetric": (True, True),
        "private": (False, False),
        "mixed": (me % 2 == 0, me % 2 == 0),
        "sources": (True, False),
        "targets": (False, True),
    }[place]


def make(arena, is_symmetric, count, dtype, **guards):
    symmetric = Guarded(count, dtype, arena.take, **guards)
    return symmetric if is_symmetric else Guarded(count, dtype, **guards)


def allreduce_all_places(team, arena, dtype, count, op="SUM", **guards):
    """Reduce a vector in every placement; return the number of elements compared."""
    rows = oracle.rows(op, dtype, team.size, count)
    expected = Reduced(op, rows) if count else None
    compared = 0
    for place in PLACES:
        is_symmetric = places(place, team.index)
        for in_place in (False, True):
            if in_place and place in ("sources", "targets"):
                continue  # the same as "symmetric" or "private"
            arena.reset()
            source = make(arena, is_symmetric[0], count, dtype, **guards)
            target = source if in_place else make(arena, is_symmetric[1], count, dtype, **guards)
            source.array[...] = rows[team.index]
            redcoll.allreduce(target.array, source.array, getattr(redcoll, op), team=team)
            if count:
                compared += expected.check(target.array, what=f"{count} elements, {place}")
                if not in_place:
                    oracle.assert_same(source.array, rows[team.index], what="source")
            source.check()
            target.check()
    return compared


SMALL_BYTES, CHUNK_BYTES = 1024, 4096  # thresholds of the tight team


def edges(n, itemsize):
    """Return counts of elements around every threshold of the tight team."""
    borders_bytes = {
        SMALL_BYTES,
        CHUNK_BYTES,
        2 * CHUNK_BYTES,
        3 * CHUNK_BYTES,
        n * CHUNK_BYTES,
        n * CHUNK_BYTES // 2,
        n * 64,
    }
    counts = {0, 1, 2, 7, 17, n - 1, n, n + 1}
    for border in borders_bytes:
        for count in (border // itemsize, border // n // itemsize * n):
            counts |= {count - 1, count, count + 1}
    # The first count makes some slices empty. The second count leaves one element for the
    # last chunk.
    counts |= {SMALL_BYTES // itemsize + 1, n * CHUNK_BYTES // itemsize * 2 + 1}
    return sorted(count for count in counts if count >= 0)


@pytest.mark.parametrize("dtype", ["f8", "i1", "f2", oracle.MPI_PAIRS["LONG_DOUBLE_INT"]], ids=str)
def test_allreduce_on_both_sides_of_every_border(tight, arena, dtype):
    dtype = np.dtype(dtype)
    op = "MAXLOC" if dtype.names else "SUM"
    counts = edges(tight.size, dtype.itemsize)
    compared = 0
    for count in counts:
        if count * dtype.itemsize <= 150_000:
            compared += allreduce_all_places(tight, arena, dtype, count, op)
    assert compared > 10 * max(1, SMALL_BYTES // dtype.itemsize)


def test_the_world_team_on_both_sides_of_its_own_borders(world, arena):
    team = world.team
    for border in (team.sizes.small_bytes, team.sizes.chunk_bytes, 2 * team.sizes.chunk_bytes):
        for count in (border // 8 - 1, border // 8, border // 8 + 1):
            rows = [np.arange(count, dtype="u8") * np.uint64(i + 1) for i in range(team.size)]
            expected = Reduced("SUM", rows)
            for take in (arena.take, np.empty):
                arena.reset()
                target = Guarded(count, "u8", take)
                source = Guarded(count, "u8", take) if border < 1 << 19 else target
                source.array[...] = rows[world.pe]
                redcoll.allreduce(target.array, source.array)
                assert expected.check(target.array) == count
                target.check()
                source.check()


def test_a_vector_of_many_chunks(world):
    """Reduce 20 MB through staging buffers, and in place in symmetric memory."""
    count = 2_500_000
    n = world.n_pes
    rows = [np.arange(count) % 1000 + index * 0.5 for index in range(n)] if n <= 4 else None
    own = np.arange(count) % 1000 + world.pe * 0.5
    if rows is None:  # the numbers are multiples of 0.5, so any order gives the same bits
        result = (np.arange(count) % 1000) * float(n) + 0.5 * n * (n - 1) / 2
    else:
        result = Reduced("SUM", rows).result
    target = Guarded(count, "f8")
    redcoll.allreduce(target.array, own)
    assert oracle.assert_same(target.array, result) == count
    target.check()
    if n <= 4:
        x = redcoll.array(own)
        redcoll.allreduce(x, x)
        assert oracle.assert_same(x, result) == count
        redcoll.free(x)


# -- shapes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (2, 3, 4), (0, 4), (40, 50), (3, 0)], ids=str)
@pytest.mark.parametrize("take", ["symmetric", "private"])
def test_shapes_of_any_dimension(tight, arena, shape, take):
    n, me = tight.size, tight.index
    count = int(np.prod(shape, dtype=int))
    rows = oracle.rows("SUM", "f8", n, count)
    make_array = arena.take if take == "symmetric" else np.empty
    source = Guarded(shape, "f8", make_array)
    target = Guarded(shape, "f8", make_array)
    source.array[...] = rows[me].reshape(shape)
    # The target ``flat`` has another shape, but as many elements. redcoll stores the elements in
    # the same order.
    flat = Guarded(count, "f8", make_array)
    redcoll.allreduce(target.array, source.array, team=tight)
    redcoll.allreduce(flat.array, source.array, team=tight)
    redcoll.scan(source.array, source.array, team=tight)
    if count:
        assert oracle.check_reduced("SUM", rows, target.array) == count
        assert oracle.check_reduced("SUM", rows, flat.array) == count
        assert oracle.check("SUM", rows[: me + 1], source.array) == count
    for each in (source, target, flat):
        each.check()


@pytest.mark.parametrize("count", [7, 3000])
def test_matrices(tight, count):
    """A ``numpy.matrix`` always has two dimensions, even after ``reshape(-1)``."""
    n, me = tight.size, tight.index
    rows = oracle.rows("SUM", "f8", n, count)
    source, target = np.matrix(rows[me]), np.matrix(np.zeros(count))
    redcoll.allreduce(target, source, team=tight)
    assert oracle.check_reduced("SUM", rows, np.asarray(target)) == count
    redcoll.scan(target, source, team=tight)
    assert oracle.check("SUM", rows[: me + 1], np.asarray(target)) == count
    part = np.matrix(np.zeros(count))
    redcoll.reduce_scatter(part, np.matrix(np.tile(rows[me], n)), team=tight)
    assert oracle.check_reduced("SUM", rows, np.asarray(part)) == count


def test_arrays_that_are_not_aligned(tight, arena):
    n, me = tight.size, tight.index
    compared = 0
    for dtype, count in itertools.product(("f8", "i4", "c16"), (5, 700)):
        rows = oracle.rows("SUM", dtype, n, count)
        itemsize = np.dtype(dtype).itemsize
        for take in (arena.take, np.empty):
            arena.reset()
            arrays = []
            for _ in range(2):
                raw = take(count * itemsize + 64, np.uint8)
                raw[...] = 0x5A
                arrays.append((raw, raw[3 : 3 + count * itemsize].view(dtype)))
            (_, source), (raw, target) = arrays
            assert not source.flags.aligned
            source[...] = rows[me]
            redcoll.allreduce(target, source, team=tight)
            compared += oracle.check_reduced("SUM", rows, target.copy())
            assert (raw[:3] == 0x5A).all()
            assert (raw[3 + count * itemsize :] == 0x5A).all()
    assert compared == 2 * 3 * 705


def test_odd_offsets_into_symmetric_arrays(tight, arena):
    compared = 0
    for before in (1, 2, 5, 9):
        for count in (3, 400):
            compared += allreduce_all_places(tight, arena, "f4", count, before=before, after=3)
    assert compared > 10_000


def test_symmetric_arrays_at_other_offsets_on_each_pe(tight, arena):
    """The PEs may pass views of symmetric memory with different offsets."""
    n, me = tight.size, tight.index
    count = 500
    rows = oracle.rows("SUM", "f8", n, count)
    whole = arena.take(4 * count + 4 * n, "f8")
    whole[...] = -1
    source = whole[me : me + count]
    target = whole[2 * count + 2 * n - me : 3 * count + 2 * n - me]
    source[...] = rows[me]
    redcoll.allreduce(target, source, team=tight)
    assert oracle.check_reduced("SUM", rows, target) == count
    redcoll.barrier(team=tight)
    target[...] = -1
    source[...] = -1
    assert (whole == -1).all()


def test_the_same_arrays_again_with_other_values(tight, arena):
    """The kernel remembers arrays, but it must read their new values."""
    n, me = tight.size, tight.index
    for count in (4, 600):
        source, target = arena.take(count, "i8"), arena.take(count, "i8")
        for turn in range(30):
            source[...] = np.arange(count) * (me + 1) + turn
            redcoll.allreduce(target, source, team=tight)
            expected = np.arange(count) * (n * (n + 1) // 2) + n * turn
            assert oracle.assert_same(target, expected) == count
            redcoll.allreduce(target, target, redcoll.MAX, team=tight)
            assert oracle.assert_same(target, expected) == count


def test_one_array_under_another_type_or_shape(tight, arena):
    n = tight.size
    x = arena.take(64, "i8")
    for dtype in ("i8", "u8", "f8"):
        y = x.view(dtype)
        y[...] = 1
        redcoll.allreduce(y, y, team=tight)
        assert oracle.assert_same(y, np.full(64, n, dtype)) == 64
    y = x.view("f8").reshape(8, 8)
    y[...] = 2
    redcoll.allreduce(y, y, redcoll.PROD, team=tight)
    assert oracle.assert_same(y, np.full(64, 2.0**n)) == 64


# -- the other collectives ----------------------------------------------------------------------


def test_reduce_to_every_root(tight, arena):
    n, me = tight.size, tight.index
    cases = itertools.product(range(n), (0, 1, 17, 129, 1500), (arena.take, np.empty))
    for root, count, take in cases:
        arena.reset()
        rows = oracle.rows("SUM", "f8", n, count, seed=root)
        source, target = Guarded(count, "f8", take), Guarded(count, "f8", take)
        source.array[...] = rows[me]
        source.array.flags.writeable = False  # a source may be read-only
        redcoll.reduce(target.array, source.array, SUM, root, team=tight)
        if me == root and count:
            assert oracle.check_reduced("SUM", rows, target.array) == count
            target.check()
        else:
            target.check_untouched()
        source.check()


@pytest.mark.parametrize("count", [0, 1, 2, 7, 17, 127, 128, 129, 513, 1025, 2500])
@pytest.mark.parametrize("place", ["symmetric", "private", "mixed"])
def test_scans_of_every_size(tight, arena, count, place):
    n, me = tight.size, tight.index
    rows = oracle.rows("SUM", "f8", n, count)
    is_symmetric = places(place, me)[0]
    for function, upto in ((redcoll.scan, me + 1), (redcoll.exscan, me)):
        arena.reset()
        source = make(arena, is_symmetric, count, "f8")
        target = make(arena, is_symmetric, count, "f8")
        source.array[...] = rows[me]
        function(target.array, source.array, team=tight)
        if upto and count:
            assert oracle.check("SUM", rows[:upto], target.array) == count
            target.check()
        else:
            target.check_untouched()
        oracle.assert_same(source.array, rows[me]) if count else source.check()


def blocks(n):
    """Yield lists of block lengths, such as equal lengths or a single block, and their names."""
    yield "equal", [3] * n
    yield "none", [0] * n
    yield "growing", list(range(n))
    yield "holes", [(7 * i) % 5 * (i % 2) for i in range(n)]
    yield "all on the last", [0] * (n - 1) + [1000]
    yield "all on the first", [1000] + [0] * (n - 1)
    yield "long and short", [700 if i % 2 else 1 for i in range(n)]
    yield "large equal", [600] * n


@pytest.mark.parametrize("place", ["symmetric", "private", "mixed"])
def test_blocks_of_every_kind(tight, arena, place):
    n, me = tight.size, tight.index
    compared = 0
    for name, lengths in blocks(n):
        count = sum(lengths)
        rows = oracle.rows("SUM", "f8", n, count)
        is_symmetric = places(place, me)[0]
        arena.reset()
        source = make(arena, is_symmetric, count, "f8")
        targets = [make(arena, is_symmetric, lengths[me], "f8") for _ in range(2)]
        source.array[...] = rows[me]
        start = sum(lengths[:me])
        redcoll.reduce_scatter(targets[0].array, source.array, SUM, lengths, team=tight)
        used = targets[:1]
        if len(set(lengths)) == 1:
            redcoll.reduce_scatter(targets[1].array, source.array, team=tight)
            used = targets
        for target in used:
            if lengths[me]:
                mine = slice(start, start + lengths[me])
                compared += Reduced("SUM", rows).check(target.array, mine, what=name)
            target.check()
        source.check()
    assert compared > 0


def test_counts_may_be_any_sequence_of_integers(tight):
    n = tight.size
    x = np.ones(2 * n)
    for lengths in ([2] * n, (2,) * n, np.full(n, 2), np.full(n, 2, "u1")):
        y = np.zeros(2)
        redcoll.reduce_scatter(y, x, SUM, lengths, team=tight)
        assert oracle.assert_same(y, np.full(2, float(n))) == 2


# -- order --------------------------------------------------------------------------------------


def test_the_order_is_that_of_the_team_for_every_size_and_path(tight, arena, same_everywhere):
    """The bits of each sum show the order of the operands, so a path with another order fails."""
    n, me = tight.size, tight.index
    scale = [1.0, 1e16, -1e16, 3.0, 1e8, -7e15, 1e-3, 2e16]
    results = []
    for count in (1, 17, 128, 129, 600, 5000):
        row = np.full(count, scale[me % 8] * (1 + me // 8))
        rows = [np.full(count, scale[i % 8] * (1 + i // 8)) for i in range(n)]
        for take in (arena.take, np.empty):
            arena.reset()
            source, target = take(count, "f8"), take(count, "f8")
            source[...] = row
            redcoll.allreduce(target, source, team=tight)
            assert oracle.check_reduced("SUM", rows, target) == count
            results.append(target[0])
    assert len(set(results)) == 1
    same_everywhere(np.array(results))


def test_predefined_operations_follow_the_hardware_silently(tight, recwarn):
    """In every error mode of NumPy, no path gives a warning or an error of NumPy."""
    me = tight.index
    for count in (3, 1000):
        x = np.full(count, np.finfo("f8").max)
        x[0] = np.inf if me else -np.inf
        for error_mode in ("warn", "raise"):
            y = np.zeros(count)
            with np.errstate(all=error_mode):
                redcoll.allreduce(y, x, team=tight)
                redcoll.allreduce(y, x, redcoll.PROD, team=tight)
                redcoll.allreduce(y, x, redcoll.MAX, team=tight)
                redcoll.reduce(y, x, SUM, 0, team=tight)
                redcoll.scan(y, x, team=tight)
                redcoll.exscan(y, x, team=tight)
    assert not recwarn.list
