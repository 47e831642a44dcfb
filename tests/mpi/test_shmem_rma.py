"""Test put and get of typed, sized and untyped data, of single values, and wrong arguments."""

import math

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll_shmem as shmem
from redcoll import ArgumentError, DatatypeError, StateError, SymmetryError
from redcoll.onesided import rma
from redcoll_shmem import shmem as pythonic

pytestmark = pytest.mark.mpi

# Copied from OpenSHMEM 1.4, table 3.
TYPES = dict(
    word.split(":")
    for text in (
        "float:f4 double:f8 longdouble:g char:i1 schar:i1 short:i2 int:i4 long:i8 longlong:q",
        "uchar:u1 ushort:u2 uint:u4 ulong:u8 ulonglong:Q int8:i1 int16:i2 int32:i4 int64:i8",
        "uint8:u1 uint16:u2 uint32:u4 uint64:u8 size:u8 ptrdiff:i8",
    )
    for word in text.split()
)


def values(dtype, pe, count):
    """Return values that differ between PEs, with boundary values among them."""
    return oracle.values(dtype, count, np.random.default_rng([count, pe]))


@pytest.fixture
def ring():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    return (me - 1) % n, me, (me + 1) % n


def check_bytes(actual, expected):
    # Ignore the padding of long doubles, which a copy need not preserve.
    assert oracle.value_bytes(actual) == oracle.value_bytes(expected)
    assert actual.size > 0


def typed(name, verb):
    """Return the routine for a type, or the generic routine without a type."""
    return getattr(shmem, f"shmem_{name}_{verb}" if name else f"shmem_{verb}")


@pytest.mark.parametrize("nbi", ["", "_nbi"])
@pytest.mark.parametrize("name", [*TYPES, ""])
def test_put_and_get(arena, ring, name, nbi):
    dtype = np.dtype(TYPES.get(name, "c16"))
    left, me, right = ring
    put, get = typed(name, f"put{nbi}"), typed(name, f"get{nbi}")
    for count in (1, 7, 1000):
        inbox, outbox = Guarded(count, dtype, arena.take), Guarded(count, dtype, arena.take)
        shmem.shmem_barrier_all()
        source = values(dtype, me, count)  # ordinary memory: only the remote side must be symmetric
        put(inbox.array, source, count, right)
        outbox.array[...] = source
        shmem.shmem_barrier_all()
        check_bytes(inbox.array, values(dtype, left, count))
        inbox.check()
        fetched = Guarded(count, dtype)
        get(fetched.array, outbox.array, count, right)
        shmem.shmem_quiet()
        check_bytes(fetched.array, values(dtype, right, count))
        fetched.check()
        shmem.shmem_barrier_all()


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_single_values(arena, ring, name):
    dtype = np.dtype(TYPES.get(name, "i2"))
    left, me, right = ring
    p, g = typed(name, "p"), typed(name, "g")
    edge = oracle.boundary(dtype)
    box = Guarded(len(edge), dtype, arena.take)
    shmem.shmem_barrier_all()
    for at, value in enumerate(np.roll(edge, me)):
        p(box.array[at:], value if dtype.char == "g" else value.item(), right)
    shmem.shmem_barrier_all()
    oracle.assert_same(box.array, np.roll(edge, left))
    box.check()
    fetched = [g(box.array[at, ...], right) for at in range(len(edge))]
    assert {type(each) for each in fetched} <= {int, float, np.longdouble}
    oracle.assert_same(np.array(fetched, dtype), np.roll(edge, me))
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("nbi", ["", "_nbi"])
def test_by_size(arena, ring, bits, as_bytes, nbi):
    left, me, right = ring
    dtype = np.dtype({8: "i1", 16: "f2", 32: "f4", 64: "c8", 128: "c16"}[bits])
    put = getattr(shmem, f"shmem_put{bits}{nbi}")
    get = getattr(shmem, f"shmem_get{bits}{nbi}")
    inbox = Guarded(9, dtype, arena.take)
    target, source = inbox.array, values(dtype, me, 9)
    if as_bytes:
        target, source = target.view(np.uint8), source.view(np.uint8)
    shmem.shmem_barrier_all()
    put(target, source, 8, right)
    shmem.shmem_barrier_all()
    check_bytes(inbox.array[:8], values(dtype, left, 9)[:8])
    inbox.check()
    assert (inbox.array[8:].view(np.uint8) == 0xA5).all()
    fetched = np.zeros(9, dtype)
    get(fetched.view(np.uint8) if as_bytes else fetched, target, 8, right)
    check_bytes(fetched[:8], values(dtype, me, 9)[:8])
    assert fetched[8] == 0
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("nbi", ["", "_nbi"])
def test_bytes_of_anything(arena, ring, nbi):
    left, me, right = ring
    putmem, getmem = getattr(shmem, f"shmem_putmem{nbi}"), getattr(shmem, f"shmem_getmem{nbi}")
    inbox = Guarded(5, "d", arena.take)
    shmem.shmem_barrier_all()
    putmem(inbox.array, values(np.dtype("i2"), me, 40), 37, right)
    shmem.shmem_barrier_all()
    data = inbox.array.view(np.uint8)
    check_bytes(data[:37], values(np.dtype("i2"), left, 40).view(np.uint8)[:37])
    assert (data[37:] == 0xA5).all()
    inbox.check()
    fetched = np.zeros(41, np.uint8)
    getmem(fetched, inbox.array, 37, right)
    check_bytes(fetched[:37], values(np.dtype("i2"), me, 40).view(np.uint8)[:37])
    shmem.shmem_barrier_all()


STEPS = [(1, 1), (2, 1), (1, 3), (5, 2)]


def strided_copies(arena, ring, put, get, dtype, view):
    left, me, right = ring
    for count, (dst, sst) in zip((1, 7, 20, 4), STEPS, strict=True):
        to_span, of_span = (count - 1) * dst + 1, (count - 1) * sst + 1
        inbox, outbox = Guarded(to_span, dtype, arena.take), Guarded(of_span, dtype, arena.take)
        wanted = inbox.array.copy()
        shmem.shmem_barrier_all()
        source = values(dtype, me, of_span)
        put(view(inbox.array), view(source), dst, sst, count, right)
        outbox.array[...] = source
        shmem.shmem_barrier_all()
        wanted[::dst] = values(dtype, left, of_span)[::sst]
        check_bytes(inbox.array, wanted)
        inbox.check()
        fetched = Guarded(to_span, dtype)
        wanted = fetched.array.copy()
        get(view(fetched.array), view(outbox.array), dst, sst, count, right)
        wanted[::dst] = values(dtype, right, of_span)[::sst]
        check_bytes(fetched.array, wanted)
        fetched.check()
        shmem.shmem_barrier_all()
    put(None, None, 1, 1, 0, right)
    get(None, None, 1, 1, 0, right)


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_strided(arena, ring, name):
    dtype = np.dtype(TYPES.get(name, "c8"))
    put, get = typed(name, "iput"), typed(name, "iget")
    strided_copies(arena, ring, put, get, dtype, lambda array: array)


@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("as_bytes", [False, True])
def test_strided_by_size(arena, ring, bits, as_bytes):
    dtype = np.dtype({8: "i1", 16: "f2", 32: "f4", 64: "c8", 128: "c16"}[bits])
    put, get = getattr(shmem, f"shmem_iput{bits}"), getattr(shmem, f"shmem_iget{bits}")
    view = (lambda array: array.view("u1")) if as_bytes else (lambda array: array)
    strided_copies(arena, ring, put, get, dtype, view)


BLOCKS = [(1, 1, 1, 1), (3, 4, 5, 3), (2, 7, 2, 6), (5, 2, 9, 5), (4, 3, 4, 4)]
"""(Elements in a block, number of blocks, target step, source step).

Some steps are as small as possible.
"""


def places(block, count, step):
    """Return the indices of all elements in the blocks."""
    return [step * row + column for row in range(count) for column in range(block)]


def copies_of_blocks(arena, ring, put, get, dtype, view):
    left, me, right = ring
    for block, count, dst, sst in BLOCKS:
        to, of = places(block, count, dst), places(block, count, sst)
        inbox = Guarded(to[-1] + 1, dtype, arena.take)
        outbox = Guarded(of[-1] + 1, dtype, arena.take)
        wanted = inbox.array.copy()
        shmem.shmem_barrier_all()
        source = values(dtype, me, of[-1] + 1)
        put(view(inbox.array), view(source), dst, sst, block, count, right)
        outbox.array[...] = source
        shmem.shmem_barrier_all()
        wanted[to] = values(dtype, left, of[-1] + 1)[of]
        check_bytes(inbox.array, wanted)
        inbox.check()
        fetched = Guarded(to[-1] + 1, dtype)
        wanted = fetched.array.copy()
        get(view(fetched.array), view(outbox.array), dst, sst, block, count, right)
        wanted[to] = values(dtype, right, of[-1] + 1)[of]
        check_bytes(fetched.array, wanted)
        fetched.check()
        shmem.shmem_barrier_all()
    for nothing in ((0, 3), (3, 0), (0, 0)):
        put(None, None, 3, 3, *nothing, right)
        get(None, None, 3, 3, *nothing, right)


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_blocks(arena, ring, name):
    dtype = np.dtype(TYPES.get(name, "c8"))
    put, get = typed(name, "ibput"), typed(name, "ibget")
    copies_of_blocks(arena, ring, put, get, dtype, lambda array: array)


@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("as_bytes", [False, True])
def test_blocks_by_size(arena, ring, bits, as_bytes):
    dtype = np.dtype({8: "i1", 16: "f2", 32: "f4", 64: "c8", 128: "c16"}[bits])
    put, get = getattr(shmem, f"shmem_ibput{bits}"), getattr(shmem, f"shmem_ibget{bits}")
    view = (lambda array: array.view("u1")) if as_bytes else (lambda array: array)
    copies_of_blocks(arena, ring, put, get, dtype, view)


def test_wrong_arguments_of_copies_of_blocks(arena):
    n = shmem.shmem_n_pes()
    box = arena.take(8, "l")
    box[...] = 7
    private = np.zeros(8, "l")
    for kind, text, name, arguments in (
        (DatatypeError, "target is None", "long_ibput", (None, private, 1, 1, 1, 1, 0)),
        (DatatypeError, "source is of int64", "int_ibget", (box.view("i4"), box, 1, 1, 1, 1, 0)),
        (DatatypeError, "8 bytes an element", "ibput32", (box, private, 1, 1, 1, 1, 0)),
        (SymmetryError, "target is a private", "long_ibput", (private, box, 1, 1, 1, 1, 0)),
        (ArgumentError, "dst is 0; .* at least 1$", "long_ibput", (box, private, 0, 1, 1, 1, 0)),
        (ArgumentError, "dst is 2; .* 3, the size", "long_ibput", (box, private, 2, 3, 3, 1, 0)),
        (ArgumentError, "sst is 2; .* 3, the size", "long_ibget", (private, box, 3, 2, 3, 1, 0)),
        (ArgumentError, "take 9 elements of target", "ibput", (box, private, 6, 3, 3, 2, 0)),
        (ArgumentError, "2 blocks of 3 elements", "ibget", (private, box, 3, 7, 3, 2, 0)),
        (ArgumentError, "bsize is -1", "long_ibput", (box, private, 1, 1, -1, 1, 0)),
        (ArgumentError, "nblocks is 1.5", "ibput64", (box, private, 1, 1, 1, 1.5, 0)),
        (ArgumentError, f"pe is {n}", "long_ibput", (box, private, 1, 1, 1, 1, n)),
        (ArgumentError, f"pe is {n}", "long_ibput", (None, None, 1, 1, 0, 1, n)),
    ):
        with pytest.raises(kind, match=f"shmem_{name}: .*{text}"):
            getattr(shmem, f"shmem_{name}")(*arguments)
    assert (box == 7).all()
    assert not private.any()


def test_wrong_arguments_of_strided_copies(arena):
    n = shmem.shmem_n_pes()
    box = arena.take(8, "l")
    box[...] = 7
    private = np.zeros(8, "l")
    read_only = box[:]
    read_only.flags.writeable = False
    for kind, text, name, arguments in (
        (DatatypeError, "target is None", "long_iput", (None, private, 1, 1, 1, 0)),
        (DatatypeError, "source is of int64", "int_iget", (box.view("i4"), box, 1, 1, 1, 0)),
        (DatatypeError, "of one type", "iput", (box, private.view("d"), 1, 1, 1, 0)),
        (DatatypeError, "8 bytes an element", "iput32", (box, private, 1, 1, 1, 0)),
        (SymmetryError, "target is a private", "long_iput", (private, box, 1, 1, 1, 0)),
        (SymmetryError, "source is a private", "long_iget", (box, private, 1, 1, 1, 0)),
        (ArgumentError, "dst is 0", "long_iput", (box, private, 0, 1, 1, 0)),
        (ArgumentError, "sst is -1", "long_iget", (private, box, 1, -1, 1, 0)),
        (ArgumentError, "sst is 'x'", "iget64", (private, box, 1, "x", 1, 0)),
        (ArgumentError, "take 9 elements of target", "long_iput", (box, private, 4, 1, 3, 0)),
        (ArgumentError, "take 10 elements of source", "long_iget", (private, box, 1, 3, 4, 0)),
        (ArgumentError, "nelems is -1", "long_iput", (box, private, 1, 1, -1, 0)),
        (ArgumentError, f"pe is {n}", "long_iput", (box, private, 1, 1, 1, n)),
        (ArgumentError, "read-only", "long_iput", (read_only, private, 1, 1, 1, 0)),
    ):
        with pytest.raises(kind, match=text) as info:
            getattr(shmem, f"shmem_{name}")(*arguments)
        assert str(info.value).startswith(f"shmem_{name}: ")
    assert (box == 7).all()
    shmem.shmem_barrier_all()


def test_views_are_addresses(arena, ring):
    left, me, right = ring
    grid = arena.take(24, "l").reshape(4, 6)
    grid[...] = -1
    shmem.shmem_barrier_all()
    source = np.arange(24).reshape(4, 6) + 100 * me
    shmem.shmem_long_put(grid[1:3], source[1:3], 12, right)  # two rows in one call
    shmem.shmem_long_put(grid[0, 4:], source[0, 4:], 2, right)
    shmem.shmem_long_p(grid[3, 3, ...], 100 * me + 21, right)
    shmem.shmem_barrier_all()
    wanted = np.full((4, 6), -1)
    wanted[1:3] = np.arange(6, 18).reshape(2, 6) + 100 * left
    wanted[0, 4:] = np.arange(4, 6) + 100 * left
    wanted[3, 3] = 100 * left + 21
    assert (grid == wanted).all()
    shmem.shmem_barrier_all()
    # Copy within the memory of the caller. In C, source and target of this copy must not overlap.
    grid[...] = np.arange(24).reshape(4, 6)
    flat = grid.reshape(-1)
    shmem.shmem_long_put(flat[1:], flat, 10, me)
    assert flat[:11].tolist() == [0, *range(10)]
    shmem.shmem_long_get(flat, flat[1:], 10, me)
    assert flat[:10].tolist() == list(range(10))


def test_nothing_to_copy():
    n = shmem.shmem_n_pes()
    for name in ("double_put", "double_get", "put32", "get64", "putmem", "getmem"):
        routine = getattr(shmem, f"shmem_{name}")
        routine(None, None, 0, n - 1)
        with pytest.raises(ArgumentError, match=f"^shmem_{name}: pe is {n}; .* 0 to {n - 1}"):
            routine(None, None, 0, n)


def test_wrong_arguments(arena):
    n = shmem.shmem_n_pes()
    box, private = arena.take(4, "d"), np.ones(4)
    box[...] = 0
    read_only = box.view()
    read_only.flags.writeable = False
    objects = np.array([None, 1])
    private_read_only = private.view()
    private_read_only.flags.writeable = False
    put, get = "shmem_double_put", "shmem_double_get"
    p, g = "shmem_double_p", "shmem_double_g"
    longs = box.view("l")
    # fmt: off
    cases = [
        (put, (box, private, 4, n), ArgumentError, f"pe is {n}; the job's PEs are 0 to {n - 1}"),
        (put, (box, private, 4, -1), ArgumentError, "pe is -1"),
        (put, (box, private, 4, 0.5), ArgumentError, "pe is 0.5; it must be an integer"),
        (put, (box, private, 5, 0), ArgumentError, "nelems is 5; .* the 4 elements of target"),
        (put, (box, private[:2], 3, 0), ArgumentError, "nelems is 3; .* the 2 of source"),
        (put, (box, private, -1, 0), ArgumentError, "nelems is -1"),
        (put, (box, private, "4", 0), ArgumentError, "nelems is '4'; it must be an integer"),
        (put, (private, box, 4, 0), SymmetryError, "target is a private array"),
        (put, (box, [1.0] * 4, 4, 0), DatatypeError, "source is a list"),
        (put, (None, private, 4, 0), DatatypeError, "target is None"),
        (put, (box, private.astype("f4"), 4, 0), DatatypeError, "source is of float32; .* float64"),
        (put, (box.view("l"), private, 4, 0), DatatypeError, "target is of int64; .* float64"),
        (put, (box[::2], private, 2, 0), ArgumentError, "target .* not contiguous"),
        (put, (box, private[::2], 2, 0), ArgumentError, "source .* not contiguous"),
        (put, (read_only, private, 4, 0), ArgumentError, "target is read-only"),
        (get, (private, box, 4, n), ArgumentError, f"pe is {n}"),
        (get, (private, np.ones(4), 4, 0), SymmetryError, "source is a private array"),
        (get, (private_read_only, box, 4, 0), ArgumentError, "target is read-only"),
        (get, (private[:1], box, 2, 0), ArgumentError, "nelems is 2; .* the 1 elements of target"),
        ("shmem_put32", (box, private, 1, 0), DatatypeError, "target .* 8 bytes .* of 4"),
        ("shmem_put64", (box, private, 5, 0), ArgumentError, "nelems is 5, .* target has 32"),
        ("shmem_putmem", (box, private[:1], 9, 0), ArgumentError, "nelems is 9, .* source has 8"),
        ("shmem_get64", (private, private, 1, 0), SymmetryError, "source is a private array"),
        (p, (private, 1, 0), SymmetryError, "target is a private array"),
        (p, (box[:0], 1, 0), ArgumentError, "target has no elements"),
        (p, (box, "one", 0), ArgumentError, "value is 'one'"),
        (p, (box, 1j, 0), ArgumentError, "value is 1j"),
        (p, (box, "3.5", 0), ArgumentError, "value is '3.5'; .* float64"),
        (p, (box, bytearray(b"7"), 0), ArgumentError, r"value is bytearray\(b'7'\); .* float64"),
        (p, (box, np.complex128(1), 0), ArgumentError, "value is np.complex128.*; .* float64"),
        (p, (box, None, 0), ArgumentError, "value is None"),
        (p, (box, 10**400, 0), ArgumentError, "value is 1000"),
        (p, (box, 1, [0]), ArgumentError, r"pe is \[0\]; .* an integer"),
        (p, (box, 1, 0.0), ArgumentError, r"pe is 0\.0; .* an integer"),
        (put, (box, private, 4, [0]), ArgumentError, r"pe is \[0\]; .* an integer"),
        (get, (private, box, 4, 0.0), ArgumentError, r"pe is 0\.0; .* an integer"),
        ("shmem_float_p", (box.view("f4"), 1e300, 0), ArgumentError, r"1e\+300; float32 holds up"),
        ("shmem_putmem", (box, objects, 8, 0), DatatypeError, "source is of object"),
        ("shmem_getmem", (objects, box, 8, 0), DatatypeError, "target is of object"),
        (p, (read_only, 1, 0), ArgumentError, "target is read-only"),
        ("shmem_int_p", (box, 1, 0), DatatypeError, "target is of float64; .* int32"),
        ("shmem_long_p", (longs, 1.5, 0), ArgumentError, "value is 1.5; .* an integer"),
        ("shmem_long_p", (longs, 2**63, 0), ArgumentError, f"value is {2**63}; int64 holds"),
        ("shmem_ulong_p", (box.view("L"), -1, 0), ArgumentError, "value is -1; uint64 holds 0 to"),
        (g, (private, 0), SymmetryError, "source is a private array"),
        (g, (box, n), ArgumentError, f"pe is {n}"),
        ("shmem_short_g", (box, 0), DatatypeError, "source is of float64; .* int16"),
        ("shmem_put", (box, private, 4, n), ArgumentError, f"pe is {n}"),
        ("shmem_put", (box, private, 5, 0), ArgumentError, "nelems is 5"),
        ("shmem_get", (private, box.view("l"), 4, 0), DatatypeError, "of float64, source of int64"),
    ]
    # fmt: on
    for name, arguments, kind, message in cases:
        with pytest.raises(kind, match=f"^{name}: .*{message}") as caught:
            getattr(shmem, name)(*arguments)
        assert type(caught.value) is kind
    assert (box == 0).all()
    assert (private == 1).all()
    shmem.shmem_barrier_all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [1.5, "2", None, -1, 5])
def test_wrong_counts_of_the_native_api(arena, ring, count):
    there, here = arena.take(4, "f8"), np.full(4, 7.0)
    there[...] = 3
    shmem.shmem_barrier_all()
    for move, arrays in ((rma.put, (there, here)), (rma.get, (here, there))):
        with pytest.raises(ArgumentError, match=f"^count is {count!r}; it must be"):
            move(*arrays, count, ring[2])
    shmem.shmem_barrier_all()
    assert there.tolist() == [3] * 4
    assert here.tolist() == [7] * 4


def test_a_comparison_that_cannot_be_called(arena):
    flag = arena.take(1, "i8")
    with pytest.raises(ArgumentError, match=r"^compare is 'eq'; it must be a function"):
        rma.wait_until(flag, "eq", 0)


def test_numbers_of_every_kind_are_stored(arena):
    """A value that the element can hold is stored as NumPy stores it. Other values raise."""
    pe = shmem.shmem_my_pe()
    ends = {"f4": np.float32(np.finfo("f4").max), "f8": np.finfo("f8").max}
    compared = 0
    for name, dtype in (("float", "f4"), ("double", "f8"), ("longdouble", "g")):
        put, atomic = (getattr(shmem, f"shmem_{name}{end}", None) for end in ("_p", "_atomic_set"))
        x = arena.take(1, dtype)
        most = ends.get(dtype, np.finfo("f8").max)
        values = [0, 1, True, -1.5, np.float16(0.1), np.float32(1.5), np.float64(0.1), np.int8(-3)]
        values += [np.longdouble(0.5), np.array(2.5), math.inf, -math.inf, math.nan, most, -most]
        for store in filter(None, (put, atomic)):
            for value in values:
                x[0] = 7
                store(x, value, pe)
                wanted = np.array(value).astype(dtype)
                assert np.array_equal(x[0], wanted, equal_nan=True), (name, value)
                compared += 1
    f4, f8 = arena.take(1, "f4"), arena.take(1, "f8")
    for store, x, values in (
        (shmem.shmem_float_p, f4, [3.4028236e38, -1e39, np.float64(1e300), 2**128, 10**400]),
        (shmem.shmem_double_p, f8, [10**400, np.finfo("g").max]),
    ):
        x[0] = 7
        for value in values if np.finfo("g").max > np.finfo("f8").max else values[:-1]:
            with pytest.raises(ArgumentError, match="value is"):
                store(x, value, pe)
            assert x[0] == 7
            compared += 1
    assert compared > 60
    shmem.shmem_barrier_all()


def test_freed_memory(world):
    box = shmem.zeros(4)
    shmem.shmem_double_put(box, np.ones(4), 4, 0)
    assert shmem.shmem_double_g(box, 0) == 1
    shmem.shmem_barrier_all()
    shmem.free(box)
    for call in (
        lambda: shmem.shmem_double_put(box, np.ones(4), 4, 0),
        lambda: shmem.shmem_double_get(np.ones(4), box, 4, 0),
        lambda: shmem.shmem_double_p(box, 1, 0),
        lambda: shmem.shmem_double_g(box, 0),
        lambda: shmem.shmem_put64(box, box, 1, 0),
        lambda: pythonic.put(box, np.ones(4), 0),
    ):
        with pytest.raises(StateError, match="freed"):
            call()


def test_numpy_like_put_and_get(arena, ring):
    left, me, right = ring
    box = arena.take(6, "i4").reshape(2, 3)
    box[...] = -1
    pythonic.barrier_all()
    pythonic.put(box, np.full((2, 3), me, "i4"), right)
    pythonic.sync_all()
    assert (box == left).all()
    fetched = np.full(6, -1, "i4")
    pythonic.get(fetched, box, right, size=4)
    assert fetched.tolist() == [me, me, me, me, -1, -1]
    pythonic.get(fetched[:3], box, right)  # gets as many elements as both arrays have
    pythonic.barrier_all()
    pythonic.put(box, np.int32([7]), me)
    assert box[0, 0] == 7
    pythonic.barrier_all()


def test_a_flag_follows_its_data(arena, delays):
    """A PE that sees the flag also sees the data, because a fence separates the two puts."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    right = (me + 1) % n
    data, flag, taken = arena.take(50, "l"), arena.take(1, "l"), arena.take(1, "l")
    flag[0], taken[0] = 0, 0
    shmem.shmem_barrier_all()
    for turn in range(1, 301):
        delays()
        shmem.shmem_long_put(data, np.full(50, 1000 * turn + me), 50, right)
        if turn % 2:
            shmem.shmem_fence()
        else:
            shmem.shmem_quiet()
        shmem.shmem_long_p(flag, turn, right)
        shmem.shmem_long_wait_until(flag, shmem.SHMEM_CMP_GE, turn)
        assert (data == 1000 * turn + (me - 1) % n).all()
        # The left neighbour must not overwrite the data before this PE has read it.
        shmem.shmem_long_p(taken, turn, (me - 1) % n)
        shmem.shmem_long_wait_until(taken, shmem.SHMEM_CMP_GE, turn)
    shmem.shmem_barrier_all()
