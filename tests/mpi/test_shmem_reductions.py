"""Compare every ``shmem_TYPE_OP_to_all`` with the oracle, bit for bit."""

import functools
import warnings

import numpy as np
import pytest
import shmem_names
from mpi import oracle
from mpi.oracle import Reduced
from mpi.shmem_tools import Arrays, Set, check_sync, even_pes, everybody, sync_array

import redcoll_shmem as shmem
from redcoll import CollectiveMismatchError
from redcoll_shmem import reductions

# Most tests pass no work array, because redcoll does not need it.
pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.filterwarnings("ignore:.*pWrk")]


def boundary_rows(dtype, n):
    """Return the sources of ``n`` PEs. Every pair of boundary values occurs on two neighbours."""
    edge = oracle.boundary(dtype)
    if len(edge) > 40:  # for complex types there are too many pairs
        edge = np.random.default_rng(len(edge)).choice(edge, 30, replace=False)
    first, second = np.repeat(edge, len(edge)), np.tile(edge, len(edge))
    return np.stack([np.roll(second if pe % 2 else first, pe // 2) for pe in range(n)])


@pytest.mark.parametrize("name", shmem_names.NAMES)
def test_boundary_values(arena, same_everywhere, name):
    op, dtype = shmem_names.operation(name), shmem_names.dtype(name)
    members = everybody()
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    shmem.shmem_barrier_all()
    compared = 0
    results = []
    for rows in (boundary_rows(dtype, n), oracle.rows(op, dtype, n, 100)):
        expected = Reduced(op, rows)
        for in_place in (False, True):
            arrays = Arrays(arena.take, dtype, rows.shape[1], in_place)
            arrays.fill(rows[me])
            arrays.call(name, members, sync)
            compared += expected.check(arrays.target, what=f"{name}, in place: {in_place}")
            arrays.check_surroundings()
            results.append(arrays.target)
    check_sync(sync)
    same_everywhere(np.concatenate(results))
    assert compared == 2 * (100 + len(boundary_rows(dtype, 1)[0]))


LONGEST = 64


@functools.cache
def sweep_rows(name, n):
    return oracle.rows(shmem_names.operation(name), shmem_names.dtype(name), n, LONGEST)


@pytest.mark.parametrize("start", range(3))
@pytest.mark.parametrize("log_stride", range(3))
@pytest.mark.parametrize("removed", range(2))
def test_sweep_of_active_sets(arena, start, log_stride, removed):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    size = -(-(n - start) // 2**log_stride) - removed
    if size <= 0:
        pytest.skip(f"no such set among {n} PEs")
    members = Set(start, log_stride, size)
    syncs = {
        False: sync_array(arena.take),
        True: sync_array(arena.take, "i4"),  # Fortran's default integer
    }
    calls = []
    for at, name in enumerate(shmem_names.NAMES):
        count = (1, 2, 7, 17, LONGEST)[(at + start + log_stride) % 5]
        rows = sweep_rows(name, n)[:, :count]
        for in_place in (False, True):
            arrays = Arrays(arena.take, rows.dtype, count, in_place, before=1 + at % 7)
            arrays.fill(rows[me])
            calls.append((name, rows, arrays))
    shmem.shmem_barrier_all()
    if members.is_member:
        # The calls use different arrays, so they need no barrier between them.
        for name, _, arrays in calls:
            is_fortran = shmem_names.is_fortran(name)
            arrays.call(name, members, syncs[is_fortran])
    shmem.shmem_barrier_all()
    compared = 0
    for at, (name, rows, arrays) in enumerate(calls):
        if members.is_member:
            if at % 2 == 0:  # the next call makes the same reduction in place
                expected = Reduced(shmem_names.operation(name), rows[members.pes], members.pes)
            compared += expected.check(arrays.target, what=f"{name} {members}")
            arrays.check_surroundings()
        else:
            arrays.check_untouched()
    check_sync(*syncs.values())
    assert compared == sum(arrays.count for _, _, arrays in calls) * members.is_member
    assert len(calls) == 204


@pytest.mark.parametrize("which", ["all", "even"])
@pytest.mark.parametrize(
    "name",
    [
        "shmem_double_sum_to_all",
        "shmem_short_max_to_all",
        "shmem_longdouble_prod_to_all",
        "shmem_complexd_sum_to_all",
    ],
)
def test_sizes_around_the_thresholds(world, name, which):
    """The counts lie around the limits of small vectors, slices and chunks."""
    op, dtype = shmem_names.operation(name), shmem_names.dtype(name)
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody() if which == "all" else even_pes()
    small, chunk = (
        size // dtype.itemsize
        for size in (world.team.sizes.small_bytes, world.team.sizes.chunk_bytes)
    )
    counts = [0, 1, 2, 7, 17, n - 1, n, n + 1, small - 1, small, small + 1, chunk - 1, chunk + 1]
    memory = shmem.empty(2 * (max(counts) + 16), dtype)
    sync = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l")
    whole = oracle.rows(op, dtype, n, max(counts))
    expected = Reduced(op, whole[members.pes], members.pes)
    for count in counts:
        for in_place in (False, True):
            target = memory[3 : 3 + count]
            source = target if in_place else memory[len(memory) // 2 + 5 :][:count]
            memory.view(np.uint8)[...] = 0xA5
            source[...] = whole[me, :count]
            shmem.shmem_barrier_all()
            if members.is_member:
                getattr(shmem, name)(target, source, count, *members.numbers, None, sync)
            shmem.shmem_barrier_all()
            if not members.is_member:
                target = source
            if count and members.is_member:
                assert expected.check(target, slice(0, count), what=f"{count} elements") == count
            if not in_place and count:
                oracle.assert_same(source, whole[me, :count], what="source")
            touched = np.ones(len(memory), bool)
            for array in (target, source):
                start = (array.ctypes.data - memory.ctypes.data) // dtype.itemsize
                touched[start : start + count] = False
            guards = memory[touched].view(np.uint8)
            assert guards.size > 0
            assert (guards == 0xA5).all(), f"guards around {count} elements"
    check_sync(sync)
    shmem.shmem_barrier_all()
    shmem.free(sync)
    shmem.free(memory)


# -- arrays as addresses --------------------------------------------------------------------------


def test_views_of_all_kinds(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    shmem.shmem_barrier_all()
    grid, result = arena.take(60, "d").reshape(3, 4, 5), arena.take(60, "d").reshape(3, 4, 5)
    numbers = np.arange(60.0).reshape(3, 4, 5) * (me + 1)
    total = np.arange(60.0).reshape(3, 4, 5) * (n * (n + 1) / 2)

    def reduce(target, source, nreduce):
        shmem.shmem_double_sum_to_all(target, source, nreduce, 0, 0, n, None, sync)

    for view in (
        np.s_[...],
        np.s_[1],
        np.s_[1:],
        np.s_[2, 1:3],
        np.s_[..., 2, 3, 4],
        np.s_[1, 2, 3:4],
        np.s_[1, 2, 3, None, None],
        np.s_[1, 2, 3, ...],
    ):
        grid[...], result[...] = numbers, -1
        reduce(result[view], grid[view], result[view].size)
        assert (result[view] == total[view]).all()
        result[view] = -1
        assert (result == -1).all()
    # If the count is below the size of the array, the first elements are reduced.
    result[...] = -1
    reduce(result[1], grid[1], 7)
    assert (result.reshape(-1)[20:27] == total.reshape(-1)[20:27]).all()
    assert (np.delete(result.reshape(-1), range(20, 27)) == -1).all()
    # An array in Fortran order is reduced in memory order.
    reduce(result.T, grid.T, 60)
    assert (result == total).all()
    # The source can be bytes from the C-like allocator, viewed as doubles.
    block = shmem.shmem_malloc(60 * 8)
    block.view("d")[:] = numbers.reshape(-1)
    reduce(result, block.view("d"), 60)
    assert (result == total).all()
    shmem.shmem_free(block)
    check_sync(sync)


def test_two_slices_of_one_allocation(arena):
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    both = arena.take(20, "l")
    both[...] = np.arange(20)
    shmem.shmem_barrier_all()
    shmem.shmem_long_sum_to_all(both[10:], both, 10, 0, 0, n, None, sync)
    assert (both == [*range(10), *(n * i for i in range(10))]).all()
    shmem.shmem_long_max_to_all(both, both[10:], 10, 0, 0, n, None, sync)
    assert (both[:10] == n * np.arange(10)).all()


def test_long_and_long_long_are_one_type(arena):
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take, "q")
    shmem.shmem_barrier_all()
    for name in ("long", "longlong"):
        for letter in "lq":
            y, x = arena.take(3, letter), arena.take(3, letter)
            x[...] = 2
            getattr(shmem, f"shmem_{name}_sum_to_all")(y, x, 3, 0, 0, n, None, sync)
            assert (y == 2 * n).all()


def test_dest_is_another_word_for_target(arena):
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    y, x = arena.take(3, "l"), arena.take(3, "l")
    x[...] = 1
    shmem.shmem_barrier_all()
    numbers = {"nreduce": 3, "PE_start": 0, "logPE_stride": 0, "PE_size": n, "pWrk": None}
    for word in ("target", "dest", "dest"):
        y[...] = 0
        shmem.shmem_long_sum_to_all(**{word: y}, source=x, **numbers, pSync=sync)
        assert (y == n).all()


def test_numbers_of_all_integer_types(arena):
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    y, x = arena.take(3, "l"), arena.take(3, "l")
    x[...] = 1
    shmem.shmem_barrier_all()
    for make in (np.int8, np.int64, np.uint16, np.array, int):
        for _ in range(2):  # the second call uses state that the first call stored
            y[...] = 0
            members = make(0), make(0), make(n)
            shmem.shmem_long_sum_to_all(y, x, make(2), *members, None, sync)
            assert y.tolist() == [n, n, 0]


def test_one_member_needs_no_stride(arena):
    me = shmem.shmem_my_pe()
    sync = sync_array(arena.take)
    y, x = arena.take(3, "l"), arena.take(3, "l")
    x[...] = me
    for log_stride in (0, 5, 62, 10**9):
        y[...] = -1
        shmem.shmem_long_sum_to_all(y, x, 3, me, log_stride, 1, None, sync)
        assert (y == me).all()
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("name", shmem_names.NAMES)
def test_nothing_to_reduce(arena, name):
    """No array is read or written. If a member passes another count, all members raise."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    routine = getattr(shmem, name)
    routine(None, None, 0, 0, 0, n, None, None)
    routine(None, None, 0, me, 0, 1, None, None)
    y = arena.take(3, shmem_names.dtype(name))
    y.view(np.uint8)[...] = 77
    sync = sync_array(arena.take)
    routine(y, y, 0, 0, 0, n, y, sync)
    assert (y.view(np.uint8) == 77).all()
    if n > 1:
        with pytest.raises(CollectiveMismatchError, match="count=0"):
            routine(y, y, 0 if me == n - 1 else 3, 0, 0, n, y, sync)
        assert (y.view(np.uint8) == 77).all()
    check_sync(sync)
    shmem.shmem_barrier_all()


# -- work arrays ----------------------------------------------------------------------------------


def test_a_short_work_array_warns_once(arena, monkeypatch):
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    y, x, work = arena.take(6, "d"), arena.take(6, "d"), arena.take(4, "d")
    x[...] = 1
    shmem.shmem_barrier_all()

    def reduce(work, count=6):
        shmem.shmem_double_sum_to_all(y, x, count, 0, 0, n, work, sync)

    def several(short):
        reduce(short)
        reduce(None, 5)
        shmem.shmem_double_max_to_all(y, x, 5, 0, 0, n, None, sync)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setattr(reductions, "_has_warned", False)
        reduce(work)
        reduce(work[:2], 3)
        reduce(work[:1], 1)
    for short, has in ((None, 0), (work[:3], 3), (work[:0], 0)):
        monkeypatch.setattr(reductions, "_has_warned", False)
        with pytest.warns(UserWarning, match=rf"pWrk.* {has} elements.* need 4") as warned:
            several(short)
        assert len(warned) == 1
        assert warned[0].filename == __file__
    assert (y[:5] == 1).all()


def test_memory_freed_and_used_again(world):
    """redcoll must forget an array when the array is freed."""
    n = shmem.shmem_n_pes()
    sync = shmem.full(1, shmem.SHMEM_SYNC_VALUE, "l")
    for repetition in range(5):
        y, x = shmem.zeros(4, "l"), shmem.full(4, repetition, "l")
        for _ in range(3):
            shmem.shmem_long_sum_to_all(y, x, 4, 0, 0, n, None, sync)
        assert (y == n * repetition).all()
        shmem.free(x)
        shmem.free(y)
    shmem.free(sync)
