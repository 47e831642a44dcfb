"""Test memory management, queries, and the NumPy-like allocators."""

from functools import partial

import numpy as np
import pytest
from mpi4py import MPI

import redcoll
import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    HeapError,
    StateError,
    SymmetryError,
)

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]


def others(kind, who):
    """Return the error that this PE raises if PE ``who`` passes a wrong argument."""
    return kind if shmem.shmem_my_pe() == who else CollectiveMismatchError


def used_bytes(world):
    return world.heap.allocator.used_bytes


@pytest.fixture(autouse=True)
def no_leak(world):
    before = used_bytes(world)
    yield
    assert used_bytes(world) == before


def test_identity():
    me, n = redcoll.my_pe(), redcoll.n_pes()
    names = [shmem.shmem_my_pe, shmem._my_pe, shmem.my_pe]
    assert [each() for each in names] == [me] * 3
    names = [shmem.shmem_n_pes, shmem._num_pes, shmem.num_pes, shmem.n_pes]
    assert [each() for each in names] == [n] * 4


def test_starting_twice_does_nothing(world):
    for start in (shmem.shmem_init, lambda: shmem.start_pes(0), redcoll.init):
        start()
        assert redcoll.world.start() is world
    assert shmem.shmem_init_thread(shmem.SHMEM_THREAD_SINGLE) == shmem.shmem_query_thread()
    assert shmem.SHMEM_THREAD_SINGLE <= shmem.shmem_query_thread() <= shmem.SHMEM_THREAD_MULTIPLE
    for wrong in (-1, 4, "multiple", None, np.zeros(2, int), [1, [2]]):
        with pytest.raises(ArgumentError, match="shmem_init_thread: requested is"):
            shmem.shmem_init_thread(wrong)


def test_information():
    version = (shmem.SHMEM_MAJOR_VERSION, shmem.SHMEM_MINOR_VERSION)
    assert shmem.shmem_info_get_version() == version == (1, 5)
    assert shmem.shmem_info_get_name() == shmem.SHMEM_VENDOR_STRING
    assert redcoll.__version__ in shmem.shmem_info_get_name()


# -- C-like allocation ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["shmem_malloc", "shmalloc"])
@pytest.mark.one_node
def test_malloc(name):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    for size in (1, 63, 64, 65, 100_000):
        block = getattr(shmem, name)(size)
        assert type(block) is np.ndarray
        assert (block.shape, block.dtype) == ((size,), np.uint8)
        assert block.ctypes.data % 64 == 0
        block[...] = me + 1
        shmem.shmem_barrier_all()
        # The block must have the same offset on every PE.
        there = shmem.shmem_ptr(block, (me + 1) % n)
        assert (there == (me + 1) % n + 1).all()
        shmem.shmem_barrier_all()
        shmem.shmem_free(block)


def test_malloc_of_nothing(world):
    before = used_bytes(world)
    if shmem.shmem_my_pe() == 0:  # this call involves no other PE
        assert shmem.shmem_malloc(0) is None
        assert shmem.shmem_calloc(0, 8) is None
        assert shmem.shmem_calloc(8, 0) is None
        assert shmem.shmem_align(64, 0) is None
        shmem.shmem_free(None)
    assert shmem.shmem_realloc(None, 0) is None
    assert used_bytes(world) == before
    shmem.shmem_barrier_all()


def test_calloc_after_use():
    block = shmem.shmem_malloc(80)
    block[...] = 255
    shmem.shmem_free(block)
    again = shmem.shmem_calloc(10, 8)
    assert again.size == 80
    assert (again == 0).all()
    shmem.shmem_free(again)


@pytest.mark.parametrize("name", ["shmem_align", "shmemalign"])
def test_align(name):
    blocks = [shmem.shmem_malloc(8)]
    for power in range(13):
        block = getattr(shmem, name)(2**power, 100)
        assert block.ctypes.data % 2**power == 0
        blocks.append(block)
    for block in blocks:
        shmem.shfree(block)


def test_align_by_numbers_of_numpy(world):
    for number in (np.int8(64), np.int16(64), np.uint64(64), np.int64(64)):
        for culprit in (0, world.n_pes - 1):
            alignment = number if world.pe == culprit else 64
            blocks = [shmem.shmem_align(alignment, 100) for _ in range(2)]
            offsets = [world.heap.offset(block) for block in blocks]
            assert len(set(MPI.COMM_WORLD.allgather(offsets[0]))) == 1
            assert offsets[1] - offsets[0] == 128
            for block in blocks:
                shmem.shmem_free(block)


@pytest.mark.parametrize("name", ["shmem_realloc", "shrealloc"])
@pytest.mark.one_node
def test_realloc_keeps_what_was_there(name):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    realloc = getattr(shmem, name)
    block = realloc(None, 8 * 5)
    block.view("l")[...] = np.arange(5) + me
    shmem.shmem_barrier_all()
    for size in (10, 1000, 1000, 7, 100_000, 5):
        kept = min(size, 5)
        block = realloc(block, 8 * size)
        assert block.size == 8 * size
        assert (block.view("l")[:kept] == np.arange(kept) + me).all()
        # When the call returns, the blocks of all PEs have their old contents.
        there = shmem.shmem_ptr(block, (me + 1) % n).view("l")
        assert (there[:kept] == np.arange(kept) + (me + 1) % n).all()
        shmem.shmem_barrier_all()
    assert realloc(block, 0) is None


def test_realloc_of_what_does_not_fit(world):
    block = shmem.shmem_malloc(64)
    block[...] = 3
    with pytest.raises(HeapError, match=r"bytes asked for.*REDCOLL_HEAP_BYTES"):
        shmem.shmem_realloc(block, world.heap.allocator.capacity_bytes)
    assert (block == 3).all()
    shmem.shmem_free(block)


def test_exhaustion(world):
    capacity = world.heap.allocator.capacity_bytes
    for _ in range(3):
        with pytest.raises(HeapError, match=f"{capacity + 1} bytes asked for"):
            shmem.shmem_malloc(capacity + 1)
    block = shmem.shmem_malloc(10)
    shmem.shmem_free(block)


def test_wrong_sizes_on_one_pe():
    last = shmem.shmem_n_pes() - 1
    is_last = shmem.shmem_my_pe() == last
    calls = {
        "shmem_malloc: size is -1": lambda: shmem.shmem_malloc(-1 if is_last else 8),
        "shmem_malloc: size is 1.5": lambda: shmem.shmem_malloc(1.5 if is_last else 8),
        "shmem_calloc: count is -2": lambda: shmem.shmem_calloc(-2 if is_last else 1, 8),
        "shmem_align: alignment is 24": lambda: shmem.shmem_align(24 if is_last else 8, 8),
        "shmem_realloc: size is -3": lambda: shmem.shmem_realloc(None, -3 if is_last else 8),
        "shmem_align: alignment is 8192": lambda: shmem.shmem_align(8192 if is_last else 8, 8),
    }
    for message, call in calls.items():
        with pytest.raises(others(ArgumentError, last), match=message):
            call()
    block = shmem.shmem_malloc(8)
    with pytest.raises(others(ArgumentError, last), match="shmem_realloc: size is -8"):
        shmem.shmem_realloc(block, -8 if is_last else 16)
    shmem.shmem_free(block)


def test_other_sizes():
    if shmem.shmem_n_pes() == 1:
        pytest.skip("one PE agrees with itself")
    with pytest.raises(CollectiveMismatchError, match=r"allocate\(8 bytes.*allocate\(16 bytes"):
        shmem.shmem_malloc(8 if shmem.shmem_my_pe() == 0 else 16)


def test_realloc_of_other_blocks(world):
    if shmem.shmem_n_pes() == 1:
        pytest.skip("one PE agrees with itself")
    blocks = [shmem.shmem_malloc(64) for _ in range(2)]
    before = world.heap.allocator.blocks
    with pytest.raises(CollectiveMismatchError, match="instead of the block at"):
        shmem.shmem_realloc(blocks[shmem.shmem_my_pe() == 0], 100)
    # shmem_malloc must not match shmem_realloc, or only some PEs would have a new block.
    realloc = partial(shmem.shmem_realloc, blocks[0])
    with pytest.raises(CollectiveMismatchError, match="instead of the block at"):
        (shmem.shmem_malloc if shmem.shmem_my_pe() else realloc)(100)
    assert world.heap.allocator.blocks == before
    for block in blocks:
        shmem.shmem_free(block)


def test_wrong_frees():
    block = shmem.shmem_malloc(100)
    wrong = {
        "does not start": (ArgumentError, block[8:]),
        "is not on the symmetric heap": (SymmetryError, np.zeros(3)),
        "is a str": (DatatypeError, "block"),
    }
    last = shmem.shmem_n_pes() - 1
    is_last = shmem.shmem_my_pe() == last
    for message, (kind, value) in wrong.items():
        for free, words in ((shmem.shmem_free, "shmem_free: ptr "), (shmem.free, "array ")):
            with pytest.raises(others(kind, last), match=f"{words}{message}"):
                free(value if is_last else block)
    shmem.shmem_free(block[:3])  # a view that starts where the block starts
    with pytest.raises(StateError, match="freed already"):
        shmem.shmem_free(block)
    with pytest.raises(StateError, match=r"shmem_realloc: the memory of ptr .*freed already"):
        shmem.shmem_realloc(block, 10)


# -- accessible PEs and addresses -----------------------------------------------------------------


def test_accessible():
    n = shmem.shmem_n_pes()
    block = shmem.zeros(4)
    assert all(shmem.shmem_pe_accessible(pe) for pe in range(n))
    assert not any(shmem.shmem_pe_accessible(pe) for pe in (-1, n, n + 1, 10**12))
    assert not shmem.shmem_pe_accessible("a")
    for pe in range(n):
        assert shmem.shmem_addr_accessible(block, pe)
        assert shmem.shmem_addr_accessible(block[2:], pe)
        assert not shmem.shmem_addr_accessible(np.zeros(4), pe)
    assert not shmem.shmem_addr_accessible(block, n)
    assert not shmem.shmem_addr_accessible(None, 0)
    shmem.free(block)
    assert not shmem.shmem_addr_accessible(block, 0)


@pytest.mark.one_node
def test_ptr():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    grid = shmem.full((3, 4), me, "l")
    row = shmem.full(4, me, "l")  # ``row[::-1]`` starts at the last element
    views = (grid, grid[1], grid[:, 2], grid[::-1, ::2], grid[1, 2, ...], grid.T, row[::-1])
    for view in views:
        there = shmem.shmem_ptr(view, n - 1)
        assert (there.shape, there.dtype) == (view.shape, view.dtype)
        assert (there == n - 1).all()
    shmem.shmem_barrier_all()
    if me == 0:
        for pe in range(n):
            shmem.shmem_ptr(grid[2, ...], pe)[...] = np.arange(4) + 10 * pe
    shmem.shmem_barrier_all()
    assert grid[2].tolist() == [10 * me + i for i in range(4)]
    assert (grid[:2] == me).all()
    for arguments, kind in (
        ((grid, n), ArgumentError),
        ((grid, -1), ArgumentError),
        ((np.zeros(3), 0), SymmetryError),
        (([1], 0), DatatypeError),
    ):
        with pytest.raises(kind, match="shmem_ptr: "):
            shmem.shmem_ptr(*arguments)
    shmem.free(grid)
    shmem.free(row)
    for gone in (grid, grid[::-1], row[::-1]):
        with pytest.raises(StateError, match="freed"):
            shmem.shmem_ptr(gone, 0)


# -- NumPy-like allocation ------------------------------------------------------------------------


@pytest.mark.one_node
def test_allocators():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    neighbour = (me + 1) % n
    made = {
        "empty": (shmem.empty((2, 3), "i4"), (2, 3), "i4", None),
        "zeros": (shmem.zeros(5), (5,), "f8", 0),
        "ones": (shmem.ones((2, 2), "c16"), (2, 2), "c16", 1),
        "full": (shmem.full((2, 3), me, "u1", "F"), (2, 3), "u1", neighbour),
        "array": (shmem.array([[me, me]]), (1, 2), "i8", neighbour),
        "nothing": (shmem.zeros(0), (0,), "f8", None),
        "scalar": (shmem.full((), 7), (), "i8", 7),
    }
    for name, (array, shape, dtype, value) in made.items():
        assert type(array) is np.ndarray, name
        assert (array.shape, array.dtype) == (shape, np.dtype(dtype)), name
        there = shmem.shmem_ptr(array, neighbour)
        if value is not None:
            # When the call returns, the values are set on all PEs.
            assert (there == value).all(), name
    assert made["full"][0].flags.f_contiguous
    shmem.shmem_barrier_all()
    for array, *_ in made.values():
        shmem.free(array)


def test_many_allocations_leave_nothing(world):
    before = used_bytes(world)
    for repetition in range(60):
        arrays = [shmem.empty(3 + repetition % 50 * at, "i2") for at in range(5)]
        for array in arrays[::-1] if repetition % 2 else arrays:
            shmem.free(array)
    assert used_bytes(world) == before
