"""Test shmem4py's API: memory, put and get, copies and reductions."""

import gc
import re

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded, Reduced

import redcoll
from redcoll import ArgumentError, CollectiveMismatchError, HeapError, OverlapError, SymmetryError
from redcoll_shmem import shmem

pytestmark = pytest.mark.mpi

# These type codes are copied from shmem4py's table of types.
TYPES = "bhilqBHILQfdgFD"


@pytest.fixture(autouse=True)
def _started(world):
    """Start redcoll again if a failed test has ended it."""


def me():
    return shmem.my_pe()


def n():
    return shmem.n_pes()


def values(dtype, pe, count):
    """Return values that differ between PEs, with boundary values among them."""
    return oracle.values(dtype, count, np.random.default_rng([count, pe]))


def same(actual, expected):
    assert actual.size == expected.size > 0
    assert oracle.value_bytes(actual) == oracle.value_bytes(expected)


@pytest.fixture
def new():
    """Return a function that allocates arrays. They are freed after the test."""
    made = []

    def allocate(count, dtype="d", value=None):
        made.append(shmem.zeros(count, dtype))
        if value is not None:
            made[-1][...] = value
            shmem.barrier_all()
        return made[-1]

    yield allocate
    for each in reversed(made):
        shmem.free(each)


# -- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"align": 256}, {"hints": shmem.MALLOC_SIGNAL_REMOTE}])
def test_blocks(options):
    block = shmem.alloc(5, 8, **options)
    assert isinstance(block, memoryview)
    assert (block.format, block.nbytes, block.readonly) == ("B", 40, False)
    assert bytes(block) == bytes(40)
    whole = shmem.fromalloc(block, dtype="l")
    assert whole.ctypes.data % options.get("align", 64) == 0
    shmem.barrier_all()
    # The neighbour's put must reach this block.
    shmem.put(whole[:1], np.array([7 + me()]), (me() + 1) % n())
    shmem.barrier_all()
    assert whole.tolist() == [7 + (me() - 1) % n(), 0, 0, 0, 0]
    assert shmem.fromalloc(block).dtype == float
    grid = shmem.fromalloc(block[:32], (2, 4), "i", "F")
    assert grid.shape == (2, 4)
    assert grid.flags.f_contiguous
    assert grid.ctypes.data == whole.ctypes.data
    shmem.free(block)
    with pytest.raises(KeyError, match="freed already"):
        shmem.free(block)


def test_blocks_of_no_bytes_are_blocks_too():
    blocks = [shmem.alloc(0), shmem.alloc(0, 8), shmem.alloc(3, 0, clear=False)]
    assert [block.nbytes for block in blocks] == [0, 0, 0]
    places = {np.asarray(block).ctypes.data for block in blocks}
    assert len(places) == 3
    for block in blocks:
        assert shmem.fromalloc(block, dtype="d").shape == (0,)
        shmem.free(block)
        with pytest.raises(KeyError):
            shmem.free(block)


def test_a_cleared_block_is_clear():
    dirty = shmem.alloc(1000)
    dirty[:] = b"x" * 1000
    shmem.barrier_all()
    shmem.free(dirty)
    clear = shmem.alloc(1000)
    assert bytes(clear) == bytes(1000)
    shmem.free(clear)


def test_arrays():
    for order, flag in (("C", "c_contiguous"), ("F", "f_contiguous")):
        for make, value in ((shmem.zeros, 0), (shmem.ones, 1), (shmem.new_array, 0)):
            array = make((3, 4), "i", order)
            assert (array.shape, array.dtype) == ((3, 4), np.dtype("i"))
            assert getattr(array.flags, flag)
            assert (array == value).all()
            shmem.del_array(array)
        array = shmem.empty((3, 4), order=order, align=4096)
        assert array.dtype == float
        assert array.ctypes.data % 4096 == 0
        assert getattr(array.flags, flag)
        shmem.free(array)
    scalar = shmem.full((), 2.5)
    assert (scalar.shape, scalar.dtype, scalar[()]) == ((), np.dtype("d"), 2.5)
    wrapped = shmem.full(3, -1, "B")
    assert wrapped.tolist() == [255] * 3
    mine = shmem.full(2, me())
    assert mine.tolist() == [me()] * 2
    assert mine.dtype == np.dtype(int)
    for array in (mine, wrapped, scalar):
        shmem.free(array)


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_copies_keep_the_layout_that_they_are_asked_to(order):
    cube = np.arange(24.0).reshape(2, 3, 4) + 100 * me()
    given = [
        [1, 2, me()],
        5,
        cube,
        cube.T,
        cube.transpose(1, 0, 2),
        cube[:, ::2, ::-1],
        cube[:0],
        np.asfortranarray(cube[0]),
    ]
    for each in given:
        expected = np.array(each, order=order)
        copy = shmem.array(each, order=order)
        assert copy.shape == expected.shape
        assert copy.dtype == expected.dtype
        if copy.size:
            assert copy.strides == expected.strides
        assert copy.tolist() == expected.tolist()
        assert shmem.addr_accessible(copy, me())
        shmem.free(copy)
    floats = shmem.array([1, 2], "f")
    assert floats.dtype == np.float32
    shmem.free(floats)


def test_the_garbage_collector_frees_nothing():
    address = shmem.zeros(8, "l").ctypes.data
    gc.collect()
    others = [shmem.zeros(8, "l") for _ in range(3)]
    assert address not in [each.ctypes.data for each in others]
    for each in others:
        shmem.free(each)


def test_arrays_that_cannot_be():
    with pytest.raises(ValueError, match="align is 3"):
        shmem.alloc(8, align=3)
    with pytest.raises(ValueError, match="count is -1"):
        shmem.alloc(-1)
    with pytest.raises(ValueError, match="hints is 'x'"):
        shmem.zeros(3, hints="x")
    with pytest.raises(ValueError, match=r"shape is \(2, -1\)"):
        shmem.empty((2, -1))
    with pytest.raises(TypeError, match="dtype is object"):
        shmem.zeros(3, "O")
    with pytest.raises(ValueError, match="order is 'Z'"):
        shmem.array([1], order="Z")
    with pytest.raises(MemoryError) as caught:
        shmem.zeros(1 << 50)
    assert isinstance(caught.value, HeapError)
    block = shmem.alloc(16)
    with pytest.raises(TypeError, match="mem is a ndarray;"):
        shmem.fromalloc(np.zeros(2))
    with pytest.raises(ValueError, match=r"16 bytes.*shape \(5,\)"):
        shmem.fromalloc(block, 5, "i")
    with pytest.raises(ValueError, match="16 bytes"):
        shmem.fromalloc(block, dtype="V7")
    with pytest.raises(ValueError, match="does not start at its allocation"):
        shmem.free(block[8:])
    shmem.free(block)
    for wrong in (np.zeros(3), memoryview(b"abc")):
        with pytest.raises(SymmetryError, match="not on the symmetric heap"):
            shmem.free(wrong)
    with pytest.raises(TypeError):
        shmem.free(3)


@pytest.mark.mpi(min_size=2)
def test_one_pe_that_frees_twice_raises_everywhere():
    array = shmem.zeros(3)
    shmem.free(array)
    if me() == 0:
        with pytest.raises(KeyError):
            shmem.free(array)
    else:
        with pytest.raises(CollectiveMismatchError, match=r"FreedError|StateError"):
            shmem.barrier_all()


def test_where_memory_is(new):
    array = new(4, "l", value=10 + me())
    other = (me() + 1) % n()
    assert shmem.addr_accessible(array, other)
    assert not shmem.addr_accessible(np.zeros(3), other)
    assert [shmem.pe_accessible(pe) for pe in (-1, 0, n() - 1, n())] == [False, True, True, False]
    there = shmem.ptr(array, other)
    if there is not None:
        assert there.tolist() == [10 + other] * 4
    with pytest.raises(TypeError):
        shmem.addr_accessible(3, 0)
    shmem.barrier_all()


# -- put and get ----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", TYPES)
def test_put_and_get(arena, code):
    left, right = (me() - 1) % n(), (me() + 1) % n()
    for count, suffix in ((1, ""), (7, "_nbi"), (1000, ""), (1000, "_nbi")):
        put, get = getattr(shmem, f"put{suffix}"), getattr(shmem, f"get{suffix}")
        inbox, outbox = Guarded(count, code, arena.take), Guarded(count, code, arena.take)
        source = values(code, me(), count)
        outbox.array[...] = source
        shmem.barrier_all()
        put(inbox.array, source, right)
        shmem.quiet()
        shmem.barrier_all()
        same(inbox.array, values(code, left, count))
        inbox.check()
        fetched = Guarded(count, code)
        get(fetched.array, outbox.array, right)
        shmem.quiet()
        same(fetched.array, values(code, right, count))
        fetched.check()
    shmem.barrier_all()


def test_how_much_is_put(new):
    right = (me() + 1) % n()
    long, short = new(6, value=-1), new((), value=-1)
    shmem.put(long, np.arange(4.0), right)  # puts as many elements as both arrays have
    shmem.put(long[4:], np.array([7.0, 8.0]), right, 1)
    shmem.put(short, np.array(5.0), right)
    shmem.barrier_all()
    assert long.tolist() == [0, 1, 2, 3, 7, -1]
    assert short[()] == 5
    shmem.put(long, np.arange(4.0), right, size=0)
    grid = np.asfortranarray(np.zeros((2, 3)))
    shmem.get(grid, long, right)
    assert grid.reshape(-1, order="F").tolist() == [0, 1, 2, 3, 7, -1]
    shmem.barrier_all()


@pytest.mark.parametrize("tst", [1, 2, 5])
@pytest.mark.parametrize("sst", [1, 3])
@pytest.mark.parametrize("code", "bdD")
def test_strides(arena, tst, sst, code):
    left, right = (me() - 1) % n(), (me() + 1) % n()
    count = 11
    inbox = Guarded(tst * count, code, arena.take)
    outbox = Guarded(sst * count, code, arena.take)
    before = inbox.array.copy()
    outbox.array[...] = values(code, me(), sst * count)
    shmem.barrier_all()
    shmem.iput(inbox.array, values(code, me(), sst * count), right, tst, sst)
    shmem.barrier_all()
    expected = before.copy()
    expected[::tst] = values(code, left, sst * count)[::sst]
    same(inbox.array, expected)
    inbox.check()
    fetched = Guarded(tst * count, code)
    expected = fetched.array.copy()
    shmem.iget(fetched.array, outbox.array, right, tst=tst, sst=sst, size=4)
    expected[: 4 * tst : tst] = values(code, right, sst * count)[: 4 * sst : sst]
    same(fetched.array, expected)
    fetched.check()
    shmem.barrier_all()


@pytest.mark.parametrize("call", ["put", "get", "put_nbi", "get_nbi", "iput", "iget"])
def test_wrong_arguments_of_put_and_get(new, call):
    x, small = new(4), new(4, "i")
    locked = x[:]
    locked.flags.writeable = False
    private = np.zeros(4)
    run = getattr(shmem, call)
    there, here = (x, private) if "put" in call else (private, x)
    with pytest.raises(AssertionError, match="size is 9; target has room for 4"):
        run(there, here, 0, size=9)
    with pytest.raises(ValueError, match="size is -1"):
        run(there, here, 0, size=-1)
    with pytest.raises(AssertionError, match="target is of float64, source of int32"):
        run(x, small, 0)
    with pytest.raises(ValueError, match="read-only"):
        run(locked, x, 0)
    with pytest.raises(ValueError, match="not contiguous"):
        run(x[::2], x[:2], 0)
    for wrong in ([1.0], 3.0, None):
        with pytest.raises(TypeError, match=r"must be a numpy\.ndarray"):
            run(x, wrong, 0)
    with pytest.raises(KeyError, match="target is of bool"):
        run(np.zeros(3, "?"), x, 0)
    with pytest.raises(ValueError, match=f"pe is {n()}"):
        run(there, here, n())
    with pytest.raises(SymmetryError):
        run(private, private.copy(), 0)
    if call in ("iput", "iget"):
        with pytest.raises(ValueError, match="tst is 0"):
            run(there, here, 0, 0, 1)
        with pytest.raises(AssertionError, match="size is 3; target has room for 2"):
            run(there, here, 0, 2, 1, 3)
    assert not x.any()


def test_an_array_that_has_been_freed():
    array = shmem.zeros(4)
    shmem.free(array)
    for call in (
        lambda: shmem.put(array, np.zeros(4), 0),
        lambda: shmem.get(np.zeros(4), array, 0),
        lambda: shmem.iput(array, np.zeros(4), 0),
        lambda: shmem.atomic_set(array[:1], 1, 0),
        lambda: shmem.atomic_fetch(array[:1], 0),
        lambda: shmem.ptr(array, 0),
    ):
        with pytest.raises(redcoll.StateError, match="freed"):
            call()
    shmem.barrier_all()


# -- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", TYPES)
def test_broadcast(arena, code):
    for count in (1, 50, 5000):
        source, target = Guarded(count, code, arena.take), Guarded(count, code, arena.take)
        source.array[...] = values(code, me(), count)
        for root in {0, n() // 2, n() - 1}:
            shmem.broadcast(target.array, source.array, root)
            same(target.array, values(code, root, count))  # also on the root
            target.check()
            source.check()
        arena.reset()


@pytest.mark.parametrize("code", "bhDg")
def test_collects(arena, code):
    target = Guarded(n() * 30, code, arena.take)
    source = Guarded(30, code, arena.take)
    source.array[...] = values(code, me(), 30)
    shmem.fcollect(target.array, source.array)
    same(target.array, np.concatenate([values(code, pe, 30) for pe in range(n())]))
    shmem.fcollect(target.array, source.array, 1)
    expected = [values(code, pe, 30)[:1] for pe in range(n())]
    same(target.array[: n()], np.concatenate(expected))
    shmem.collect(target.array, source.array, size=3 * me() % 30)
    expected = np.concatenate([values(code, pe, 30)[: 3 * pe % 30] for pe in range(n())])
    if expected.size:
        same(target.array[: expected.size], expected)
    target.check()
    source.check()


@pytest.mark.parametrize("code", "iD")
def test_alltoalls(arena, code):
    count = 6
    rows = [values(code, pe, n() * count).reshape(n(), count) for pe in range(n())]
    source = Guarded(n() * count, code, arena.take)
    target = Guarded(n() * count, code, arena.take)
    source.array[...] = rows[me()].reshape(-1)
    shmem.alltoall(target.array, source.array)
    same(target.array, np.concatenate([row[me()] for row in rows]))
    target.check()
    tst, sst = 3, 2
    source = Guarded(n() * count * sst, code, arena.take)
    target = Guarded(n() * count * tst, code, arena.take)
    source.array[::sst] = rows[me()].reshape(-1)
    expected = target.array.copy()
    expected[::tst] = np.concatenate([row[me()] for row in rows])
    shmem.alltoalls(target.array, source.array, tst, sst)
    same(target.array, expected)
    target.check()
    source.check()


@pytest.mark.parametrize("call", ["broadcast", "collect", "fcollect", "alltoall", "alltoalls"])
def test_copies_of_nothing(new, call):
    x, y = new(4, value=1), new(4, value=2)
    first = (0,) if call == "broadcast" else ()
    getattr(shmem, call)(x, y, *first, size=0)
    assert x.tolist() == [1] * 4


# -- reductions -----------------------------------------------------------------------------------

OPERATIONS = {
    "and": "bhilqBHILQ",
    "or": "bhilqBHILQ",
    "xor": "bhilqBHILQ",
    "max": "bhilqBHILQfdg",
    "min": "bhilqBHILQfdg",
    "sum": TYPES,
    "prod": TYPES,
}


@pytest.mark.parametrize("op", OPERATIONS)
def test_reductions(arena, same_everywhere, op):
    compared = 0
    for code in OPERATIONS[op]:
        for count in (1, 33):
            rows = oracle.rows(op.upper(), code, n(), count)
            target, source = Guarded(count, code, arena.take), Guarded(count, code, arena.take)
            source.array[...] = rows[me()]
            getattr(shmem, f"{op}_reduce")(target.array, source.array)
            Reduced(op.upper(), rows).check(target.array)
            target.check()
            source.check()
            # Reduce with an operation object, in place, and only the first element.
            again = Guarded(count, code, arena.take)
            again.array[...] = rows[me()]
            shmem.reduce(again.array, again.array, shmem.OP(op), 1)
            Reduced(op.upper(), rows[:, :1]).check(again.array[:1])
            assert again.array[1:].tobytes() == rows[me()][1:].tobytes()
            compared += count + 1
            arena.reset()
    assert compared >= 36 * len(OPERATIONS[op])
    same_everywhere(np.array([compared]))


def test_how_much_is_reduced(new):
    x, y = new(6, value=9), new(4, value=me())
    shmem.reduce(x, y)
    assert x.tolist() == [n() * (n() - 1) / 2] * 4 + [9, 9]
    shmem.sum_reduce(x, y, size=0)
    shmem.max_reduce(x[4:], y[:1])
    assert x[4:].tolist() == [n() - 1, 9]
    for word in ("MIN", "Min", shmem.OP.MIN):
        x[0] = 7
        shmem.reduce(x, y[:1], word)
        assert x[0] == 0


def test_wrong_arguments_of_collectives(new):
    x, y, small = new(4 * n()), new(4 * n()), new(4 * n(), "i")
    private = np.zeros(4 * n())
    two = [
        lambda *a, **k: shmem.broadcast(*a, 0, **k),
        shmem.collect,
        shmem.fcollect,
        shmem.alltoall,
        shmem.sum_reduce,
    ]
    for call in two:
        with pytest.raises(AssertionError, match="size is 999"):
            call(x, y, size=999)
        with pytest.raises(ValueError, match="size is -1"):
            call(x, y, size=-1)
        with pytest.raises(AssertionError, match="one type"):
            call(x, small)
        with pytest.raises(SymmetryError):
            call(x, private, size=1)
        with pytest.raises(ValueError, match="not contiguous"):
            call(x[::2], y, size=1)
        with pytest.raises(TypeError, match="team is"):
            call(x, y, team=3)
        with pytest.raises(RuntimeError, match="TEAM_INVALID"):
            call(x, y, team=shmem.TEAM_INVALID)
    with pytest.raises(ValueError, match=f"root is {n()}"):
        shmem.broadcast(x, y, n())
    with pytest.raises(OverlapError):
        shmem.sum_reduce(x[1:], x[:3])
    for op in ("mean", None, ["sum"]):
        with pytest.raises(TypeError, match=re.escape(f"op is {op!r}")):
            shmem.reduce(x, y, op)
    if n() > 1:
        with pytest.raises(AssertionError, match=f"{4 * n() - 1} elements; without size"):
            shmem.alltoall(x[1:], y)
    with pytest.raises(TypeError, match="AND is not defined on float64"):
        shmem.and_reduce(x, y)
    # All PEs raised the same error, so they can continue.
    shmem.sum_reduce(x, y)
    shmem.sync_all()


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("call", ["broadcast", "collect", "fcollect", "alltoall", "max_reduce"])
def test_one_wrong_argument_raises_everywhere(new, call):
    x, y = new(4 * n()), new(4 * n())
    arguments = (0,) if call == "broadcast" else ()
    expected = AssertionError if me() == n() - 1 else CollectiveMismatchError
    with pytest.raises(expected, match=f"CountError: {call}" if me() < n() - 1 else "size is 999"):
        getattr(shmem, call)(x, y, *arguments, size=999 if me() == n() - 1 else 1)
    shmem.barrier_all()


@pytest.mark.mpi(min_size=2)
def test_other_counts_are_a_mismatch(new):
    x, y = new(4), new(4)
    with pytest.raises(CollectiveMismatchError):
        shmem.sum_reduce(x, y, size=1 + me() % 2)
    with pytest.raises(RuntimeError):  # shmem4py's exception class
        shmem.broadcast(x, y, 0, size=1 + me() % 2)
    assert not x.any()
    assert issubclass(ArgumentError, ValueError)
