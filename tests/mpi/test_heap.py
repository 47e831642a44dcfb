"""Test the symmetric heap: allocation, rejected arguments, exhaustion and free."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import (
    ArgumentError,
    CollectiveMismatchError,
    HeapError,
    StateError,
    SymmetryError,
    config,
)
from redcoll.memory.heap import address_of

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]


def offset(world, array):
    return world.heap.offset(array)


@pytest.fixture(autouse=True)
def _nothing_leaks(world):
    """Check that every test frees what it allocates."""
    before = world.heap.allocator.used_bytes
    yield
    if redcoll.world.is_running() and redcoll.world.start() is world:
        assert world.heap.allocator.used_bytes == before


@pytest.mark.parametrize("shape", [0, 1, 7, (), (3, 4), (2, 0, 3), [5, 2], np.int64(3)], ids=repr)
@pytest.mark.parametrize("dtype", ["f8", "?", "i1", "c16", "g", "f8,i4", oracle.MPI_PAIRS["2INT"]])
def test_shapes_and_types(world, gather, shape, dtype):
    dtype = np.dtype(dtype)
    arrays = [
        redcoll.empty(shape, dtype),
        redcoll.zeros(shape, dtype),
        redcoll.empty(shape, dtype, "F"),
    ]
    like = np.empty(shape, dtype)
    for array in arrays:
        assert type(array) is np.ndarray
        assert array.shape == like.shape
        assert array.dtype == dtype
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.ctypes.data % 64 == 0
        assert offset(world, array) >= 0
    assert arrays[0].flags.c_contiguous
    assert arrays[2].flags.f_contiguous
    assert not arrays[1].tobytes().strip(b"\0")
    assert len(set(gather(repr([offset(world, array) for array in arrays])))) == 1
    for array in arrays:
        redcoll.free(array)


def test_values(world):
    me = world.pe
    cases = [
        (redcoll.ones(5), np.ones(5)),
        (redcoll.full(3, me), np.full(3, me)),
        (redcoll.full((2, 2), 1.5, "f4"), np.full((2, 2), 1.5, "f4")),
        (redcoll.full(3, [1, 2, me]), np.array([1, 2, me])),
        (redcoll.full((2, 3), [[1], [me]], "i2"), np.full((2, 3), [[1], [me]], "i2")),
        (redcoll.full(3, [[[1, 2, me]]]), np.array([1, 2, me])),
        (redcoll.full((), [[me]]), np.array(me)),
        (redcoll.full((2, 3), [1, 2, me], "f4", "F"), np.full((2, 3), [1, 2, me], "f4", "F")),
        (redcoll.array([[1, 2], [3, me]]), np.array([[1, 2], [3, me]])),
        (redcoll.array([1.5, me], "f4"), np.array([1.5, me], "f4")),
        (redcoll.array(7.0), np.array(7.0)),
        (redcoll.array(np.arange(6.0).reshape(2, 3), order="F"), np.arange(6.0).reshape(2, 3)),
        (redcoll.array(np.arange(9)[::2]), np.arange(9)[::2]),
    ]
    for array, values in cases:
        assert array.shape == values.shape
        assert oracle.assert_same(array, values) == values.size
        assert offset(world, array) >= 0
    for array, _ in cases:
        redcoll.free(array)


def where_the_next_is(world):
    x = redcoll.ones(2)
    redcoll.free(x)
    return offset(world, x)


class Unwilling:
    def __float__(self):
        raise RuntimeError("I am no number")

    __int__ = __float__


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        ([1.0, 2.0], float, ArgumentError),
        ([[1.0, 2.0, 3.0]] * 2, float, ArgumentError),
        ("text", float, ArgumentError),
        (2**70, "i8", ArgumentError),
        ([[1], [2, 3]], float, ValueError),
        (Unwilling(), float, ArgumentError),
        (np.nan, "i8", FloatingPointError),
    ],
    ids=lambda value: getattr(value, "__name__", None) or repr(value)[:20],
)
@pytest.mark.parametrize("others", [redcoll.ones, redcoll.zeros])
def test_values_that_do_not_fit_leave_nothing_behind(world, value, dtype, error, others):
    free_at = where_the_next_is(world)
    for culprit in (0, world.n_pes - 1):
        mine = world.pe == culprit
        allocate = partial(redcoll.full, fill_value=value) if mine else others
        with (
            np.errstate(invalid="raise"),
            pytest.raises(error if mine else CollectiveMismatchError) as caught,
        ):
            allocate(3, dtype=dtype)
        if mine and error is ArgumentError:
            assert "must fit an array of (3,)" in str(caught.value)
        # The allocators of all PEs must stay equal. Otherwise later arrays would not be symmetric.
        assert where_the_next_is(world) == free_at


def test_zeros_are_zero_also_in_used_memory(world):
    x = redcoll.full(1000, 255, "u1")
    at = offset(world, x)
    redcoll.free(x)
    y = redcoll.zeros(1000, "u1")
    assert offset(world, y) == at
    assert not y.any()
    redcoll.free(y)


@pytest.mark.parametrize("align", [1, 8, 64, 256, 4096, np.int16(64), np.uint64(256)])
def test_alignment(world, align):
    odd = redcoll.empty(1, "u1")
    arrays = [redcoll.empty(100, "u1", align=align) for _ in range(3)]
    for array in arrays:
        assert array.ctypes.data % int(align) == 0
    for array in (odd, *arrays):
        redcoll.free(array)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shape": -1}, "shape"),
        ({"shape": (2, -3)}, "shape"),
        ({"shape": 2.5}, "shape"),
        ({"shape": "abc"}, "shape"),
        ({"shape": None}, "shape"),
        ({"shape": (1, "x")}, "shape"),
        ({"shape": (1,) * 65}, "shape"),
        ({"shape": (0, 2**63)}, "shape"),
        ({"shape": (2**62, 2**62, 0)}, "shape"),
        ({"shape": 3, "dtype": "O"}, "objects"),
        ({"shape": 3, "dtype": "f8,O"}, "objects"),
        ({"shape": 3, "dtype": "nonsense"}, "dtype"),
        ({"shape": 3, "align": 3}, "align"),
        ({"shape": 3, "align": 0}, "align"),
        ({"shape": 3, "align": -8}, "align"),
        ({"shape": 3, "align": 1 << 20}, "align"),
        ({"shape": 3, "align": "a"}, "align"),
        ({"shape": 3, "align": 8.0}, "align"),
        ({"shape": 3, "order": "X"}, "order"),
        ({"shape": 3, "order": None}, "order"),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", ["empty", "zeros", "ones"])
def test_wrong_arguments(world, function, arguments, words):
    with pytest.raises(ArgumentError, match=words):
        getattr(redcoll, function)(**arguments)
    redcoll.barrier()


@pytest.mark.mpi(min_size=2)
def test_other_sizes_on_one_are_a_mismatch(world):
    me = world.pe
    for shape in (3 + (me == 0), (2, 3 + (me == world.n_pes - 1))):
        with pytest.raises(CollectiveMismatchError, match=r"allocate.*bytes"):
            redcoll.empty(shape)
    with pytest.raises(CollectiveMismatchError, match="alignment"):
        redcoll.empty(3, align=64 if me else 128)
    # Only the sizes in bytes must agree.
    x = redcoll.empty(4, "i4" if me else "f4")
    redcoll.free(x)


@pytest.mark.mpi(min_size=2)
def test_a_wrong_argument_on_one_raises_a_mismatch_on_the_others(world):
    for wrong in ({"shape": -1}, {"shape": 3, "align": 3}, {"shape": 3, "dtype": "O"}):
        if world.pe == 0:
            with pytest.raises(ArgumentError):
                redcoll.empty(**wrong)
        else:
            with pytest.raises(CollectiveMismatchError, match="PE 0 refused"):
                redcoll.empty(3)
        redcoll.barrier()


# -- free space and exhaustion -------------------------------------------------------------------


def test_exhaustion_names_both_sizes_and_leaves_the_heap_usable(world):
    allocator = world.heap.allocator
    largest = allocator.largest_free_bytes
    for n_bytes in (largest + 1, 1 << 40, 1 << 62, 1 << 70):
        with pytest.raises(HeapError) as caught:
            redcoll.empty(n_bytes, "u1")
        assert str(n_bytes) in str(caught.value)
        assert f"{largest} bytes is" in str(caught.value)
        assert config.HEAP_BYTES.variable in str(caught.value)
    with pytest.raises(HeapError):
        redcoll.empty((1 << 20, 1 << 20, 1 << 20))
    # Earlier tests can have left arrays, which divide the free memory.
    arrays = []
    while allocator.largest_free_bytes:
        arrays.append(redcoll.empty(allocator.largest_free_bytes, "u1"))
    assert arrays[0].size == largest
    with pytest.raises(HeapError, match="0 bytes is the largest"):
        redcoll.empty(1)
    for array in arrays:
        redcoll.free(array)
    assert allocator.largest_free_bytes == largest


def test_freed_memory_is_used_again(world):
    arrays = [redcoll.empty(1000) for _ in range(10)]
    offsets = {offset(world, array) for array in arrays}
    for array in arrays[::2]:
        redcoll.free(array)
    again = [redcoll.empty(1000) for _ in range(5)]
    assert {offset(world, array) for array in again} <= offsets
    for array in (*arrays[1::2], *again):
        redcoll.free(array)


def test_many_pairs_leak_nothing(world, rng):
    # tests/unit/test_allocator.py tests 100,000 pairs of allocation and free.
    pairs = min(1000, 50_000 // world.n_pes**2)
    sizes = np.random.default_rng(3).integers(0, 5000, pairs)  # the same on all PEs
    allocator = world.heap.allocator
    before = (allocator.used_bytes, allocator.blocks, allocator.largest_free_bytes)
    for size in sizes:
        redcoll.free(redcoll.empty(int(size), np.uint8))
    assert (allocator.used_bytes, allocator.blocks, allocator.largest_free_bytes) == before


# -- what a program can free and use --------------------------------------------------------------


def test_free_twice(world):
    x = redcoll.empty(10)
    redcoll.free(x)
    with pytest.raises(StateError, match="freed already"):
        redcoll.free(x)
    redcoll.barrier()


def test_free_of_a_view(world):
    x = redcoll.empty(100)
    with pytest.raises(ArgumentError, match="does not start at its allocation"):
        redcoll.free(x[1:])
    # A view can be freed if it starts where the allocation starts.
    redcoll.free(x[:5].view("i4"))
    with pytest.raises(StateError):
        redcoll.free(x)
    redcoll.barrier()


def test_free_of_a_view_with_negative_strides(world):
    x = redcoll.empty(100)
    with pytest.raises(ArgumentError):
        redcoll.free(x[::-1])
    redcoll.free(x)


@pytest.mark.parametrize("what", [np.zeros(3), [1, 2], None, 3.0], ids=repr)
def test_free_of_what_is_not_symmetric(world, what):
    with pytest.raises((SymmetryError, ArgumentError)):
        redcoll.free(what)
    redcoll.barrier()


@pytest.mark.mpi(min_size=2)
def test_free_of_another_array_on_one(world):
    x, y = redcoll.empty(10), redcoll.empty(10)
    with pytest.raises(CollectiveMismatchError, match="free"):
        redcoll.free(x if world.pe else y)
    assert world.heap.allocator.is_start(offset(world, x))
    redcoll.free(x)
    redcoll.free(y)


@pytest.mark.mpi(min_size=2)
def test_free_of_a_foreign_array_on_one_raises_a_mismatch_on_the_others(world):
    x = redcoll.empty(10)
    if world.pe == 0:
        with pytest.raises(SymmetryError):
            redcoll.free(np.zeros(10))
    else:
        with pytest.raises(CollectiveMismatchError, match="PE 0 refused"):
            redcoll.free(x)
    redcoll.free(x)


@pytest.mark.mpi(min_size=2)
def test_free_where_others_allocate(world):
    x = redcoll.empty(10)
    call, argument = (redcoll.empty, 10) if world.pe else (redcoll.free, x)
    with pytest.raises(CollectiveMismatchError, match=r"free\(.*allocate\(|allocate\(.*free\("):
        call(argument)
    redcoll.free(x)


@pytest.mark.parametrize("count", [4, 100_000])
def test_use_after_free(world, count):
    """redcoll raises if an argument is a freed array."""
    private = np.ones(count)
    target = np.zeros(count)
    x = redcoll.full(count, 1.0)
    y = redcoll.full(count, 1.0)
    redcoll.allreduce(y, x)
    redcoll.free(x)
    for call in (
        lambda: redcoll.allreduce(y, x),
        lambda: redcoll.allreduce(x, y),
        lambda: redcoll.allreduce(x, x),
        lambda: redcoll.allreduce(target, x),
        lambda: redcoll.allreduce(x, private),
    ):
        with pytest.raises(StateError, match="freed"):
            call()
        redcoll.barrier()
    redcoll.free(y)
    assert not target.any()


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("count", [4, 100_000])
def test_use_after_free_on_one_raises_a_mismatch_on_the_others(world, count):
    x, y = redcoll.full(count, 1.0), redcoll.full(count, 1.0)
    old = redcoll.full(count, 1.0)
    redcoll.free(old)
    for _ in range(2):
        if world.pe == 0:
            with pytest.raises(StateError, match="freed"):
                redcoll.allreduce(y, old)
        else:
            with pytest.raises(CollectiveMismatchError, match="PE 0 refused"):
                redcoll.allreduce(y, x)
        redcoll.allreduce(y, x)
        assert oracle.assert_same(y, np.full(count, float(world.n_pes))) == count
    redcoll.free(x)
    redcoll.free(y)


def test_memory_given_out_again_is_not_mistaken_for_freed(world):
    for count in (4, 100_000):
        for _ in range(3):
            x = redcoll.full(count, 1.0)
            redcoll.allreduce(x, x)
            assert oracle.assert_same(x, np.full(count, float(world.n_pes))) == count
            redcoll.free(x)


def test_every_pe_may_write_to_its_own_heap_without_touching_another(world):
    x = redcoll.full(1000, world.pe, "i8")
    redcoll.barrier()
    assert (x == world.pe).all()
    x += 1
    redcoll.barrier()
    assert (x == world.pe + 1).all()
    redcoll.barrier()
    redcoll.free(x)


def test_heaps_of_a_node_start_at_different_places_in_the_tlb(world):
    """The low bits of the page numbers differ, also if the size of a heap is a power of two."""
    near = world.team.layout.members
    starts = [address_of(world.heap.view(pe, 0, np.uint8, 1)) for pe in near]
    steps = {(stop - first) // 4096 % 8 for first, stop in pairwise(starts)}
    assert steps <= {7}
    assert len(starts) == 1 or steps


def test_arrays_outlive_their_names(world):
    """An array stays allocated when its name is deleted: only ``free`` frees it."""
    before = world.heap.allocator.used_bytes
    view = redcoll.full(10, 3.0)[2:]
    assert world.heap.allocator.used_bytes > before
    assert (view == 3).all()
    redcoll.free(view.base[view.ctypes.data - view.base.ctypes.data - 16 :][:80].view("f8"))


@pytest.mark.mpi(min_size=2)
def test_mpi_may_send_from_and_into_symmetric_memory(world):
    x = redcoll.full(5000, world.pe, "f8")
    y = redcoll.zeros(5000)
    n, me = world.n_pes, world.pe
    MPI.COMM_WORLD.Sendrecv(x, (me + 1) % n, 0, y, (me - 1) % n, 0)
    assert (y == (me - 1) % n).all()
    redcoll.free(x)
    redcoll.free(y)
