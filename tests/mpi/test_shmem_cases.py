"""Repeat test cases of other suites for the active-set reductions.

This code is new. Its cases are those of tests-mellanox ``verifier/reduce`` (nine items for each of
the 44 C routines), tests-cray ``sma1``, ``sma2`` and ``smaf``, Sandia's ``test/unit``, and tests-uh
``test_shmem_reduction.c``.
"""

import numpy as np
import pytest
import shmem_names
from mpi import oracle
from mpi.oracle import Reduced
from mpi.shmem_tools import Arrays, Set, check_sync, even_pes, everybody, odd_pes, sync_array

import redcoll_shmem as shmem

# Most cases pass no work array, because redcoll does not need it.
pytestmark = [pytest.mark.mpi, pytest.mark.smoke, pytest.mark.filterwarnings("ignore:.*pWrk")]


def reduce(name, target, source, count, members, work, sync):
    getattr(shmem, name)(target, source, count, *members.numbers, work, sync)


# -- tests-mellanox -------------------------------------------------------------------------------

# With more factors, the product 1 * 2 * 3 * ... overflows the type. Other types take 10
# factors.
MOST_FACTORS = {"short": 7, "int": 8, "long": 9, "longdouble": 20}


def mellanox_source(name, pe, n, *, is_even_set):
    """Return a PE's source for items 2, 4 and 6, or for the items of the even set."""
    _, type_name, operation, _, _ = name.split("_")
    if operation in ("max", "sum"):
        return min(pe, 32767 // n) if type_name == "short" else pe
    if operation == "or":
        return pe + 1 if is_even_set else pe
    if operation == "xor":
        return pe + 1
    if operation == "min":
        return 0x0F + pe if is_even_set else pe
    if operation == "and":
        if is_even_set:
            return pe if pe % 2 else (n if pe else 0x0F)
        return 0x0F if pe % 2 else n
    return pe + 1 if pe < MOST_FACTORS.get(type_name, 10) else 1


class Mellanox:
    def __init__(self, arena, name):
        self.name, self.op = name, shmem_names.operation(name)
        self.dtype = shmem_names.dtype(name)
        self.me, self.n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
        self.most = 8096
        self.target = arena.take(self.most, self.dtype)
        self.other = arena.take(self.most, self.dtype)
        self.work = arena.take(self.most // 2 + 1, self.dtype)
        self.syncs = [sync_array(arena.take), sync_array(arena.take)]
        self.compared = 0

    def rows(self, count, *, is_even_set=False):
        values = [
            mellanox_source(self.name, pe, self.n, is_even_set=is_even_set) for pe in range(self.n)
        ]
        return np.repeat(np.array(values).astype(self.dtype)[:, None], count, axis=1)

    def run(self, members, source, count, expected):
        """Preset the buffer, make the call between two barriers, and compare the whole buffer."""
        target = self.target[:count]
        if source is not self.target:
            target[...] = -1
        shmem.shmem_barrier_all()
        if members.is_member:
            reduce(self.name, target, source, count, members, self.work, self.syncs[0])
        shmem.shmem_barrier_all()
        self.compared += oracle.assert_same(target, expected, what=f"{self.name}, {count}")

    def sizes(self):
        # The suite's quick mode tests these ten of its hundred sizes.
        return [max(1, (i + 1) * self.most // 100) for i in range(0, 100, 11)]


@pytest.mark.parametrize("name", shmem_names.C_NAMES)
def test_mellanox(arena, name):
    case = Mellanox(arena, name)
    me, dtype = case.me, case.dtype
    alone, everyone = Set(me, 0, 1), everybody()
    own = np.array([0x0F + me]).astype(dtype)
    for source in (case.other, case.target):  # one PE reduces in items 1 and 3, all PEs in 2 and 4
        source[0] = own[0]
        case.run(alone, source, 1, own)
        rows = case.rows(1)
        source[0] = rows[me, 0]
        case.run(everyone, source, 1, Reduced(case.op, rows).result)
    for count in case.sizes():  # items 5 and 6
        case.other[:count] = own[0]
        case.run(alone, case.other, count, np.repeat(own, count))
        rows = case.rows(count)
        case.other[:count] = rows[me]
        case.run(everyone, case.other, count, Reduced(case.op, rows).result)
    even = even_pes()  # items 7 and 8: PEs outside the set keep their preset
    rows = case.rows(1, is_even_set=True)
    case.other[0] = rows[me, 0]
    preset = np.array([-1]).astype(dtype)
    expected = Reduced(case.op, rows[even.pes], even.pes).result if even.is_member else preset
    case.run(even, case.other, 1, expected)
    # Item 9: without barriers, calls alternate between two pSync arrays, two work arrays, and the
    # halves of source and target.
    half = case.most // 2
    rows = case.rows(half, is_even_set=True)
    case.other[:half] = case.other[half:] = rows[me]
    case.target[...] = -1
    shmem.shmem_barrier_all()
    results = []
    works = np.split(case.work[: 2 * (half // 2)], 2)
    for at, size in enumerate(case.sizes()):
        count = min(size, half - 1)
        start = half * (at % 2)
        target, source = case.target[start : start + count], case.other[start : start + count]
        if even.is_member:
            work = works[at % 2] if count // 2 < len(works[0]) else case.work
            reduce(case.name, target, source, count, even, work, case.syncs[at % 2])
            results.append(target.copy())
    shmem.shmem_barrier_all()
    if even.is_member:
        for result in results:
            case.compared += Reduced(case.op, rows[even.pes, : len(result)], even.pes).check(result)
    else:
        assert (case.target == preset).all()
    check_sync(*case.syncs)
    assert case.compared > 2 * sum(case.sizes())


# -- tests-cray -----------------------------------------------------------------------------------

CRAY = [
    *(f"shmem_int_{operation}_to_all" for operation in ("and", "or", "xor")),
    *(f"shmem_double_{operation}_to_all" for operation in ("max", "min", "prod", "sum")),
    *("shmem_longdouble_sum_to_all", "shmem_float_prod_to_all", "shmem_short_min_to_all"),
    *("shmem_long_max_to_all", "shmem_longlong_xor_to_all"),
]


@pytest.mark.parametrize("name", CRAY)
def test_cray_sweep(arena, name):
    """All sets reduce with alternating pSync arrays. The only barrier is at the start."""
    count = 7
    dtype = shmem_names.dtype(name)
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    syncs = [sync_array(arena.take) for _ in range(4)]
    rows = np.array([[(i - pe) % 3 for i in range(count)] for pe in range(n)]).astype(dtype)
    calls = []
    for start in range(3):
        for log_stride in range(3):
            for removed in range(2):
                size = -(-(n - start) // 2**log_stride) - removed
                if size > 0:
                    for in_place in (False, True):
                        arrays = Arrays(arena.take, dtype, count, in_place)
                        arrays.target[...] = -500
                        arrays.fill(rows[me])
                        calls.append((Set(start, log_stride, size), arrays))
    shmem.shmem_barrier_all()
    for at, (members, arrays) in enumerate(calls):
        if members.is_member:
            arrays.call(name, members, syncs[at % 4])
    shmem.shmem_barrier_all()
    compared = 0
    for members, arrays in calls:
        if members.is_member:
            expected = Reduced(shmem_names.operation(name), rows[members.pes], members.pes)
            compared += expected.check(arrays.target, what=f"{members}")
            arrays.check_surroundings()
        else:
            assert (arrays.source == rows[me]).all()
            if arrays.target is not arrays.source:
                assert (arrays.target == -500).all()
    assert compared
    check_sync(*syncs)


FORTRAN = [name for name in shmem_names.NAMES if name.split("_")[1] in
           ("int2", "int4", "int8", "real4", "real8")]  # fmt: skip


@pytest.mark.parametrize("name", FORTRAN)
def test_cray_even_and_odd_at_the_same_time(arena, rng, name):
    """Two disjoint sets reduce random data in separate arrays."""
    op, dtype = shmem_names.operation(name), shmem_names.dtype(name)
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = odd_pes() if me % 2 else even_pes()
    syncs = [sync_array(arena.take, "i4"), sync_array(arena.take, "i4")]
    rows = np.random.default_rng(2010).integers(-9, 10, (n, 100)).astype(dtype)
    arrays = [Arrays(arena.take, dtype, 100), Arrays(arena.take, dtype, 100)]
    arrays[me % 2].fill(rows[me])
    shmem.shmem_barrier_all()
    arrays[me % 2].call(name, members, syncs[me % 2])
    shmem.shmem_barrier_all()
    wanted = Reduced(op, rows[members.pes], members.pes)
    assert wanted.check(arrays[me % 2].target) == 100
    arrays[me % 2].check_surroundings()
    check_sync(*syncs)


# -- Sandia OpenSHMEM -----------------------------------------------------------------------------


@pytest.mark.parametrize("operation", shmem_names.ALL_SEVEN)
def test_sandia_to_all(arena, operation):
    """Reduce all types back to back with alternating pSync arrays; compare with closed formulas."""
    count = 128
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody()
    syncs = [sync_array(arena.take), sync_array(arena.take)]
    index = np.arange(count)
    own = {
        "max": me + index, "min": me + index, "sum": np.full(count, me), "and": np.full(count, me),
        "or": np.full(count, me), "xor": np.full(count, me % 2),
        "prod": np.full(count, me + 1 if me < 5 else 1),
    }[operation]  # fmt: skip
    highest = 1 << (n - 1).bit_length()
    wanted = {
        "max": n - 1 + index,
        "min": index,
        "sum": np.full(count, n * (n - 1) // 2),
        "and": np.zeros(count),
        "or": np.full(count, highest - 1),
        "xor": np.full(count, n // 2 % 2),
        "prod": np.full(count, [1, 1, 2, 6, 24, 120][min(n, 5)]),
    }[operation]
    names = [name for name in shmem_names.C_NAMES if name.split("_")[2] == operation]
    results = []
    shmem.shmem_barrier_all()
    for at, name in enumerate(names):
        arrays = Arrays(arena.take, shmem_names.dtype(name), count)
        arrays.fill(own)
        arrays.call(name, members, syncs[at % 2])
        results.append(arrays)
    assert len(results) >= 4
    for arrays in results:
        oracle.assert_same(arrays.target, wanted.astype(arrays.dtype))
        arrays.check_surroundings()
    check_sync(*syncs)


@pytest.mark.parametrize("count", [3, 128])
def test_sandia_max_reduction(arena, count):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    target, source = arena.take(count, "l"), arena.take(count, "l")
    source[...] = me + np.arange(count)
    shmem.shmem_barrier_all()
    shmem.shmem_long_max_to_all(target, source, count, 0, 0, n, None, sync)
    assert target.tolist() == [n - 1 + i for i in range(count)]


def test_sandia_in_place(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    data = arena.take(10, "l")
    data[...] = me
    shmem.shmem_barrier_all()
    shmem.shmem_long_max_to_all(data, data, 10, 0, 0, n, None, sync)
    assert (data == n - 1).all()


def test_sandia_shrinking_sets(arena):
    """Each set of PEs ``start`` to n - 1 computes a maximum and a minimum, without barriers."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    max_sync, min_sync = sync_array(arena.take), sync_array(arena.take)
    highest, lowest, source = (arena.take(10, "l") for _ in range(3))
    source[...] = me
    shmem.shmem_barrier_all()
    for start in range(me + 1):
        members = (start, 0, n - start)
        shmem.shmem_long_max_to_all(highest, source, 10, *members, None, max_sync)
        assert (highest == n - 1).all()
        shmem.shmem_long_min_to_all(lowest, source, 10, *members, None, min_sync)
        assert (lowest == start).all()
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("operation", shmem_names.ALL_SEVEN)
def test_sandia_set_of_one(arena, operation):
    me = shmem.shmem_my_pe()
    sync = sync_array(arena.take)
    target, source = arena.take(1, "i"), arena.take(1, "i")
    source[0], target[0] = me + 1, -1
    name = f"shmem_int_{operation}_to_all"
    reduce(name, target, source, 1, Set(me, 0, 1), arena.take(1, "i"), sync)
    assert target[0] == me + 1


def test_sandia_smallest_sync_arrays(arena):
    """Broadcast, fcollect and a reduction follow each other, with pSync of the smallest size."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sizes = (shmem.SHMEM_BCAST_SYNC_SIZE, shmem.SHMEM_COLLECT_SYNC_SIZE)
    first, second, third = (
        sync_array(arena.take, count=size) for size in (*sizes, shmem.SHMEM_REDUCE_SYNC_SIZE)
    )
    source, copy, all_of_them, total = (arena.take(count, "l") for count in (1, 1, n, 1))
    source[0], copy[0] = me + 1, -1
    shmem.shmem_barrier_all()
    for repetition in range(20):
        root = repetition % n
        # A broadcast leaves the target of the root as it is.
        expected = copy[0] if me == root else root + 1
        shmem.shmem_broadcast64(copy, source, 1, root, 0, 0, n, first)
        shmem.shmem_fcollect64(all_of_them, source, 1, 0, 0, n, second)
        shmem.shmem_long_sum_to_all(total, source, 1, 0, 0, n, None, third)
        assert copy[0] == expected
        assert all_of_them.tolist() == list(range(1, n + 1))
        assert total[0] == n * (n + 1) // 2
    check_sync(first, second, third)


@pytest.mark.parametrize("which", ["all", "even"])
def test_sandia_complex(arena, which):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody() if which == "all" else even_pes()
    sync = sync_array(arena.take, "i4")
    compared = 0
    shmem.shmem_barrier_all()
    for name in ("comp4_sum", "comp8_sum", "comp4_prod", "comp8_prod"):
        routine = f"shmem_{name}_to_all"
        dtype = shmem_names.dtype(routine)
        for step in (1, np.pi / 7):
            rows = np.array([[(pe + 1j * (pe + 1)) * step] * 10 for pe in range(n)]).astype(dtype)
            arrays = Arrays(arena.take, dtype, 10)
            arrays.fill(rows[me])
            if members.is_member:
                arrays.call(routine, members, sync)
                op = shmem_names.operation(routine)
                compared += Reduced(op, rows[members.pes], members.pes).check(arrays.target)
    assert compared == 80 * members.is_member
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("name", [n for n in shmem_names.C_NAMES if "_complex" in n])
def test_sandia_complex_zeros(arena, same_everywhere, name):
    sync = sync_array(arena.take)
    arrays = Arrays(arena.take, shmem_names.dtype(name), 10)
    arrays.fill(0)
    shmem.shmem_barrier_all()
    arrays.call(name, everybody(), sync)
    oracle.assert_same(arrays.target, np.zeros(10, arrays.dtype))
    same_everywhere(arrays.target)


# -- tests-uh -------------------------------------------------------------------------------------


def test_uh(arena):
    """All routines except the complex ones reduce three elements, with short work arrays."""
    count, bound = 3, 14
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody()
    syncs = [sync_array(arena.take), sync_array(arena.take)]
    index = np.arange(count)
    own = {
        "and": me + index * 0,
        "or": (me + 1) % 4 + index * 0,
        "xor": me % 2 + index * 0,
        "max": me + index,
        "min": me + index,
        "sum": me + index * 0,
        "prod": (2 if me < bound else 1) + index * 0,
    }
    seen = 0
    for pe in range(n):
        seen |= (pe + 1) % 4
    wanted = {
        "and": index * 0,
        "or": seen + index * 0,
        "xor": n // 2 % 2 + index * 0,
        "max": n - 1 + index,
        "min": index,
        "sum": n * (n - 1) // 2 + index * 0,
        "prod": 2 ** min(n, bound) + index * 0,
    }
    names = [name for name in shmem_names.C_NAMES if "_complex" not in name]
    assert len(names) == 40
    shmem.shmem_barrier_all()
    for at, name in enumerate(names):
        operation, dtype = name.split("_")[2], shmem_names.dtype(name)
        target, source = arena.take(count, dtype), arena.take(count, dtype)
        source[...] = own[operation]
        work = arena.take(shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE, dtype)
        reduce(name, target, source, count, members, work, syncs[at % 2])
        oracle.assert_same(target, wanted[operation].astype(dtype), what=name)
    check_sync(*syncs)


# -- the examples of the man pages ----------------------------------------------------------------


def test_three_elements_are_three_times_one(arena, rng):
    """One call with three elements gives the same results as three calls with one element."""
    n = shmem.shmem_n_pes()
    works, syncs = ([make() for _ in range(2)] for make in (
        lambda: arena.take(2, "d"), lambda: sync_array(arena.take)))  # fmt: skip
    source, together, singly = (arena.take(3, "d") for _ in range(3))
    source[...] = rng.standard_normal(3)
    shmem.shmem_barrier_all()
    shmem.shmem_double_sum_to_all(together, source, 3, 0, 0, n, works[0], syncs[0])
    for at in range(3):
        turn = (at + 1) % 2
        one, of = singly[at : at + 1], source[at : at + 1]
        shmem.shmem_double_sum_to_all(one, of, 1, 0, 0, n, works[turn], syncs[turn])
    oracle.assert_same(singly, together)
