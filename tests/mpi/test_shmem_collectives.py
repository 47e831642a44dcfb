"""Test barriers, broadcast, collect, fcollect, alltoall and alltoalls."""

import re

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded
from mpi.shmem_tools import Set, check_sync, even_pes, everybody, sync_array

import redcoll
import redcoll_shmem as shmem
from redcoll import (
    ActiveSetError,
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    OverlapError,
    SymmetryError,
)
from redcoll_shmem import shmem as pythonic

pytestmark = pytest.mark.mpi

# The first two counts take the path for small calls. With every number of PEs, the third count is
# too large for this path.
COUNTS = (1, 5, 9000)
DTYPES = {32: ("i4", "f4", "u1"), 64: ("f8", "c8", "u1")}


def sets():
    n = shmem.shmem_n_pes()
    found = [everybody(), even_pes()]
    if n > 2:
        found.append(Set(1, 0, n - 1))
    if n > 3:
        found.append(Set(1, 1, (n - 1) // 2))
    return found


def data(pe, count):
    """Return random bytes that differ between PEs."""
    return np.random.default_rng([pe, count]).integers(0, 256, count, np.uint8)


@pytest.fixture
def sync(arena):
    array = sync_array(arena.take)
    shmem.shmem_barrier_all()
    yield array
    check_sync(array)


class Case:
    """Guarded arrays for a call. Elements are compared as bytes."""

    def __init__(self, arena, bits, dtype):
        self.arena, self.size, self.dtype = arena, bits // 8, np.dtype(dtype)
        self.per_element = self.size // self.dtype.itemsize  # in elements of ``dtype``
        self.used = []

    def array(self, count):
        guarded = Guarded(count * self.per_element, self.dtype, self.arena.take, before=8, after=8)
        self.used.append(guarded)
        return guarded.array

    def source(self, count):
        array = self.array(count)
        array.view(np.uint8)[...] = data(shmem.shmem_my_pe(), count * self.size)
        return array

    def check(self):
        for guarded in self.used:
            guarded.check()


def cases(arena, bits):
    for dtype in DTYPES[bits]:
        for count in COUNTS:
            for members in sets():
                arena.reset()
                # Keep the start of the arena, where the sync array is.
                arena.take(64, "u1")
                yield Case(arena, bits, dtype), count, members


@pytest.mark.parametrize("bits", [32, 64])
def test_broadcast(arena, sync, bits):
    routine = getattr(shmem, f"shmem_broadcast{bits}")
    me = shmem.shmem_my_pe()
    compared = 0
    for case, count, members in cases(arena, bits):
        for root in {0, len(members.pes) // 2, len(members.pes) - 1}:
            target, source = case.array(count), case.source(count)
            shmem.shmem_barrier_all()
            if members.is_member:
                routine(target, source, count, root, *members.numbers, sync)
            shmem.shmem_barrier_all()
            assert source.tobytes() == data(me, count * case.size).tobytes()
            if members.is_member and members.index != root:
                wanted = data(members.pes[root], count * case.size)
                assert target.tobytes() == wanted.tobytes()
            else:  # also on the root
                assert (target.view(np.uint8) == 0xA5).all()
            compared += target.size
        case.check()
    assert compared


@pytest.mark.parametrize("bits", [32, 64])
def test_broadcast_in_place(arena, sync, bits):
    n = shmem.shmem_n_pes()
    routine = getattr(shmem, f"shmem_broadcast{bits}")
    for count in COUNTS:
        case = Case(arena, bits, f"u{bits // 8}")
        array = case.source(count)
        shmem.shmem_barrier_all()
        routine(array, array, count, n - 1, 0, 0, n, sync)
        assert array.tobytes() == data(n - 1, count * case.size).tobytes()
        case.check()


@pytest.mark.parametrize("bits", [32, 64])
def test_fcollect(arena, sync, bits):
    routine = getattr(shmem, f"shmem_fcollect{bits}")
    for case, count, members in cases(arena, bits):
        size = len(members.pes)
        count = min(count, 60_000 // size)
        target, source = case.array(count * size + 1), case.source(count)
        shmem.shmem_barrier_all()
        if members.is_member:
            routine(target, source, count, *members.numbers, sync)
        shmem.shmem_barrier_all()
        end = count * size * case.size
        found = target.view(np.uint8)
        if members.is_member:
            wanted = b"".join(data(pe, count * case.size).tobytes() for pe in members.pes)
            assert found[:end].tobytes() == wanted
            assert (found[end:] == 0xA5).all()
        else:
            assert (found == 0xA5).all()
        case.check()


@pytest.mark.parametrize("bits", [32, 64])
def test_collect(arena, sync, bits):
    routine = getattr(shmem, f"shmem_collect{bits}")
    for case, most, members in cases(arena, bits):
        most = min(most, 60_000 // len(members.pes))
        # Every third PE contributes nothing. The other PEs contribute different counts.
        counts = [
            0 if index % 3 == 1 else max(0, most - index) for index in range(len(members.pes))
        ]
        target = case.array(sum(counts) + 1)
        mine = counts[members.index] if members.is_member else 1
        source = case.source(mine) if mine else None
        shmem.shmem_barrier_all()
        if members.is_member:
            routine(target, source, mine, *members.numbers, sync)
        shmem.shmem_barrier_all()
        end = sum(counts) * case.size
        found = target.view(np.uint8)
        if members.is_member:
            wanted = b"".join(
                data(pe, count * case.size).tobytes()
                for pe, count in zip(members.pes, counts, strict=True)
            )
            assert found[:end].tobytes() == wanted
            assert (found[end:] == 0xA5).all()
        else:
            assert (found == 0xA5).all()
        case.check()


def blocks(members, pe, count, size):
    """Return the blocks that a PE sends, one for each receiver in the order of the set."""
    return data(pe, count * size * len(members.pes)).reshape(len(members.pes), count, size)


@pytest.mark.parametrize("bits", [32, 64])
def test_alltoall(arena, sync, bits):
    routine = getattr(shmem, f"shmem_alltoall{bits}")
    for case, count, members in cases(arena, bits):
        size = len(members.pes)
        count = min(count, 60_000 // size)
        target, source = case.array(count * size), case.source(count * size)
        shmem.shmem_barrier_all()
        if members.is_member:
            routine(target, source, count, *members.numbers, sync)
        shmem.shmem_barrier_all()
        if members.is_member:
            sent = [blocks(members, pe, count, case.size)[members.index] for pe in members.pes]
            assert target.tobytes() == np.stack(sent).tobytes()
        else:
            assert (target.view(np.uint8) == 0xA5).all()
        case.check()


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(("dst", "sst"), [(1, 1), (2, 1), (1, 3), (3, 2)])
def test_alltoalls(arena, sync, bits, dst, sst):
    routine = getattr(shmem, f"shmem_alltoalls{bits}")
    for count in (1, 5, 1000):
        for members in sets():
            arena.reset()
            arena.take(64, "u1")
            case = Case(arena, bits, f"u{bits // 8}")
            size = len(members.pes)
            length = size * min(count, 12_000 // size)
            target = case.array((length - 1) * dst + 1)
            source = case.array((length - 1) * sst + 1)
            spread = source[::sst]
            spread[...] = data(shmem.shmem_my_pe(), length * case.size).view(source.dtype)
            shmem.shmem_barrier_all()
            if members.is_member:
                routine(target, source, dst, sst, length // size, *members.numbers, sync)
            shmem.shmem_barrier_all()
            if members.is_member:
                per_block = length // size
                sent = [
                    blocks(members, pe, per_block, case.size)[members.index] for pe in members.pes
                ]
                assert target[::dst].tobytes() == np.stack(sent).tobytes()
                between = np.delete(target, np.s_[::dst])
            else:
                between = target
            assert (between.view(np.uint8) == 0xA5).all()
            case.check()


NAMES = ("broadcast", "collect", "fcollect", "alltoall", "alltoalls")


def call(name, bits, target, source, nelems, members, sync, root=0):
    routine = getattr(shmem, f"shmem_{name}{bits}")
    more = {"broadcast": (nelems, root), "alltoalls": (1, 1, nelems)}.get(name, (nelems,))
    routine(target, source, *more, *members.numbers, sync)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_move(arena, sync, name, bits):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    for _ in range(3):
        call(name, bits, None, None, 0, everybody(), sync if name == "collect" else None)
    if n > 1 and name != "collect":
        target, source = arena.take(n, f"u{bits // 8}"), arena.take(n, f"u{bits // 8}")
        target[...] = 7
        shmem.shmem_barrier_all()
        with pytest.raises(CollectiveMismatchError, match="count=0"):
            call(name, bits, target, source, int(me == n - 1), everybody(), sync)
        assert (target == 7).all()
    with pytest.raises(ActiveSetError, match=f"shmem_{name}{bits}: .*PE_size"):
        call(name, bits, None, None, 0, Set(0, 0, n + 1), sync)
    shmem.shmem_barrier_all()


def test_back_to_back_with_one_sync(arena, sync, delays):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody()
    target, source = arena.take(4 * n, "l"), arena.take(4 * n, "l")
    for turn in range(300):
        delays()
        source[...] = turn * 100 + me
        root = turn % n
        call("broadcast", 64, target, source, 4, members, sync, root)
        if me != root:
            assert (target[:4] == turn * 100 + root).all()
        call("fcollect", 64, target, source, 4, members, sync)
        assert target.tolist() == [turn * 100 + pe for pe in range(n) for _ in range(4)]
        call("alltoall", 64, target, source, 3, members, sync)
        assert target[: 3 * n].tolist() == [turn * 100 + pe for pe in range(n) for _ in range(3)]
        call("collect", 64, target, source, me % 3, members, sync)
        wanted = [turn * 100 + pe for pe in range(n) for _ in range(pe % 3)]
        assert target[: len(wanted)].tolist() == wanted
        shmem.shmem_barrier(*members.numbers, sync)


# -- barriers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["shmem_barrier", "shmem_sync"])
def test_barrier_of_a_set(arena, sync, delays, name):
    """After a barrier, members see all puts before the barrier. All calls use the same pSync."""
    me = shmem.shmem_my_pe()
    routine = getattr(shmem, name)
    for members in sets():
        box = arena.take(len(members.pes), "l")
        box[...] = 0
        shmem.shmem_barrier_all()
        if members.is_member:
            for turn in range(1, 200):
                delays()
                for pe in members.pes:
                    shmem.shmem_long_p(box[members.index :], turn, pe)
                routine(*members.numbers, sync)
                assert (box == turn).all(), f"PE {me}, round {turn} of {members}"
                routine(*members.numbers, sync)
    shmem.shmem_sync_all()


def test_sync_of_a_team(arena, delays):
    """``shmem_sync(team)`` is C11's form of ``shmem_team_sync``."""
    n = shmem.shmem_n_pes()
    world = shmem.SHMEM_TEAM_WORLD
    evens = shmem.shmem_team_split_strided(world, 0, 2, (n + 1) // 2)
    box = arena.take(n, "l")
    box[...] = 0
    shmem.shmem_barrier_all()
    for team, pes in ((world, range(n)), (evens, range(0, n, 2))):
        if team is shmem.SHMEM_TEAM_INVALID:
            continue
        for turn in range(1, 100):
            delays()
            for pe in pes:
                shmem.shmem_long_p(box[shmem.shmem_my_pe() :], turn, pe)
            shmem.shmem_quiet()
            assert shmem.shmem_sync(team) == 0
            assert (box[list(pes)] == turn).all()
            assert shmem.shmem_sync(team) == 0
    with pytest.raises(ArgumentError, match="SHMEM_TEAM_INVALID"):
        shmem.shmem_sync(shmem.SHMEM_TEAM_INVALID)
    for wrong in ((), (0,), (None,), (world, 0, n)):
        with pytest.raises(TypeError, match=r"shmem_sync.* missing"):
            shmem.shmem_sync(*wrong)
    shmem.shmem_sync_all()


@pytest.mark.parametrize("name", ["shmem_barrier", "shmem_sync"])
def test_wrong_barriers(arena, sync, name):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    routine = getattr(shmem, name)
    with pytest.raises(ActiveSetError, match=f"^{name}: PE_size is 0"):
        routine(0, 0, 0, sync)
    with pytest.raises(ActiveSetError, match=f"^{name}: .*ends at PE {n}"):
        routine(1, 0, n, sync)
    if me % 2:
        with pytest.raises(ActiveSetError, match=f"PE {me} is not in the active set"):
            routine(*even_pes().numbers, sync)
    wrong = {
        "pSync is None.*SHMEM_BARRIER_SYNC_SIZE": None,
        "pSync is of float64": sync.view("d"),
        "pSync is a private array": np.full(4, shmem.SHMEM_SYNC_VALUE),
        r"pSync\[0\] is 5": arena.take(1, "l"),
    }
    wrong[r"pSync\[0\] is 5"][0] = 5
    for message, value in wrong.items():
        is_wrong = me == n - 1
        kind = ArgumentError if is_wrong else CollectiveMismatchError
        with pytest.raises(kind, match=message):
            routine(0, 0, n, value if is_wrong else sync)
    routine(0, 0, n, sync)


# -- wrong arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [4, 9000])
def test_wrong_arguments(arena, sync, name, count):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    members = everybody()
    count = min(count, 60_000 // n)
    target, source = (Guarded(count * n, "l", arena.take) for _ in range(2))
    private = np.zeros(count * n, "l")
    read_only = target.array.view()
    read_only.flags.writeable = False
    right = {
        "name": name, "bits": 64, "target": target.array, "source": source.array,
        "nelems": count, "members": members, "sync": sync,
    }  # fmt: skip
    wrong = [
        ({"target": private}, SymmetryError, "target is a private array"),
        ({"source": private}, SymmetryError, "source is a private array"),
        ({"source": [1, 2]}, DatatypeError, "source is a list"),
        ({"target": target.array.view("i4")}, DatatypeError, "target is of int32, 4 bytes"),
        ({"target": read_only}, ArgumentError, "target is read-only"),
        ({"source": source.array[::2]}, ArgumentError, "source .* not contiguous"),
        ({"nelems": -3}, ArgumentError, "nelems is -3"),
        ({"nelems": 1.5}, ArgumentError, "nelems is 1.5; it must be an integer"),
        ({"source": source.array[: count - 1]}, ArgumentError, "elements of 64 bits of source"),
        ({"sync": None}, DatatypeError, "pSync is None.*shmem.full"),
    ]
    if name != "collect":
        wrong += [
            ({"source": target.array[1:], "nelems": count // 2}, OverlapError, "overlap"),
            ({"target": target.array[: count - 1]}, ArgumentError, "bits of target; it has"),
        ]
    if name == "broadcast":
        wrong.append(({"root": n}, ArgumentError, f"PE_root is {n}; it must be from 0 to {n - 1}"))
        wrong.append(({"root": -1}, ArgumentError, "PE_root is -1"))
    is_wrong = me == n // 2
    for spoiled, kind, message in wrong:
        arguments = right | spoiled if is_wrong else right
        with pytest.raises(redcoll.RedcollError) as caught:
            call(**arguments)
        text = str(caught.value)
        assert type(caught.value) is (kind if is_wrong else CollectiveMismatchError), text
        assert re.search(message, text), text
        assert name.rstrip("s") in text
        target.check_untouched()
        source.check_untouched()
    source.array[...] = me
    call(**right)
    shmem.shmem_barrier_all()


def test_a_target_too_short_for_the_whole(arena, sync):
    """The members exchange their counts, and then all name the PE whose target is too short."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    target, source = arena.take(2 * n, "l"), arena.take(2, "l")
    target[...], source[...] = -1, me
    room = 2 * n - 1 if me == n - 1 else 2 * n
    shmem.shmem_barrier_all()
    message = f"{2 * n} elements together; the target of PE {n - 1} has {2 * n - 1}"
    with pytest.raises(ArgumentError, match=message):
        shmem.shmem_collect64(target[:room], source, 2, 0, 0, n, sync)
    assert (target == -1).all()
    shmem.shmem_collect64(target, source, 2, 0, 0, n, sync)
    assert target.tolist() == [pe for pe in range(n) for _ in range(2)]


@pytest.mark.parametrize("count", [2, 3000])
def test_a_source_behind_what_is_collected(arena, sync, count):
    """Source and target are parts of one array. The source follows the elements to be written."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    whole = Guarded((n + 2) * count, "l", arena.take)
    source = whole.array[n * count + 1 :]
    whole.array[...] = -1
    source[:count] = me + np.arange(count)
    shmem.shmem_barrier_all()
    shmem.shmem_collect64(whole.array, source, count, 0, 0, n, sync)
    wanted = np.concatenate([pe + np.arange(count) for pe in range(n)])
    assert oracle.assert_same(whole.array[: n * count], wanted) == n * count
    assert whole.array[n * count] == -1
    assert oracle.assert_same(source[:count], me + np.arange(count)) == count
    # On one PE the source overlaps the elements to be written. All PEs raise, and nothing is
    # written.
    before = whole.array.copy()
    source = whole.array[n * count - (me == n - 1) :]
    message = f"source of PE {n - 1} overlap from element {n * count - 1} of the target on"
    with pytest.raises(OverlapError, match=message):
        shmem.shmem_collect64(whole.array, source, count, 0, 0, n, sync)
    assert oracle.assert_same(whole.array, before) == len(before)
    whole.check()
    shmem.shmem_barrier_all()


def test_members_that_do_not_agree(arena, sync):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("one PE agrees with itself")
    target, source = (Guarded(4 * n, "l", arena.take) for _ in range(2))
    mine = me == n - 1
    shmem.shmem_barrier_all()
    for ours, theirs, message in (
        (("broadcast", 64, 4, 0), ("broadcast", 64, 4, 1), "root=0.*root=1|root=1.*root=0"),
        (("broadcast", 64, 4, 0), ("broadcast", 64, 3, 0), "count=4.*count=3|count=3.*count=4"),
        (("fcollect", 64, 4, 0), ("fcollect", 64, 3, 0), "count=4.*count=3|count=3.*count=4"),
        (("fcollect", 64, 4, 0), ("collect", 64, 4, 0), "fcollect"),
        (("alltoall", 64, 2, 0), ("alltoall", 64, 3, 0), "alltoall"),
        (("alltoall", 64, 2, 0), ("broadcast", 64, 2, 0), "alltoall"),
    ):
        name, bits, count, root = ours if mine else theirs
        with pytest.raises(CollectiveMismatchError) as caught:
            call(name, bits, target.array, source.array, count, everybody(), sync, root)
        assert re.search(message, str(caught.value))
        target.check_untouched()
        source.check_untouched()
    call("fcollect", 64, target.array, source.array, 4, everybody(), sync)
    shmem.shmem_barrier_all()


# -- NumPy-like reductions -------------------------------------------------------------------------


def test_numpy_like_reductions(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    x, y = arena.take(6, "i4").reshape(2, 3), arena.take(6, "i4").reshape(2, 3)
    x[...] = me + 1
    highest = (1 << n.bit_length()) - 1
    wanted = {
        "and": np.bitwise_and.reduce(range(1, n + 1)), "or": highest,
        "xor": np.bitwise_xor.reduce(range(1, n + 1)), "max": n, "min": 1,
        "sum": n * (n + 1) // 2, "prod": np.multiply.reduce(np.arange(1, n + 1), dtype="i4"),
    }  # fmt: skip
    pythonic.barrier_all()
    for name, value in wanted.items():
        for reduce in (
            getattr(pythonic, f"{name}_reduce"),
            lambda *a, name=name: pythonic.reduce(*a[:2], name, *a[2:]),
            lambda *a, name=name: pythonic.reduce(*a[:2], getattr(redcoll, name.upper()), *a[2:]),
        ):
            y[...] = -1
            reduce(y, x)
            assert (y == value).all(), name
            y[...] = -1
            reduce(y, x, 2)
            assert y.reshape(-1).tolist() == [value, value, -1, -1, -1, -1]
            reduce(y.reshape(-1)[:3], x)  # reduces as many elements as both arrays have
            assert y.reshape(-1)[2:4].tolist() == [value, -1]
    pythonic.reduce(y, x)
    assert (y == wanted["sum"]).all()
    # The active-set reductions of the C API have no unsigned types.
    big, small = arena.take(3, "u8"), arena.take(3, "u8")
    small[...] = 2**63 + me
    pythonic.barrier_all()
    pythonic.max_reduce(big, small)
    assert (big == 2**63 + n - 1).all()


def test_wrong_numpy_like_reductions(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    x, y = arena.take(6, "d"), arena.take(6, "d")
    x[...], y[...] = 1, -1
    pythonic.barrier_all()
    wrong = [
        ((y, x, "mean"), "op is 'mean'; it must be a redcoll operation"),
        ((y, x, 7), "op is 7"),
        ((y, x, "and"), "op AND is not defined on float64"),
        ((y, x, "sum", 7), "size is 7; target has room for 6"),
        ((y, x, "sum", -1), "size is -1"),
        ((np.zeros(6), x), "target is a private array"),
        ((y, [1, 2]), "source is a list"),
        ((y.view("l"), x), "target is of int64, source of float64"),
        ((y[1:], y[:-1]), "overlap"),
    ]
    for arguments, message in wrong:
        kind = ArgumentError if me == n - 1 else CollectiveMismatchError
        with pytest.raises(kind, match=message):
            pythonic.reduce(*(arguments if me == n - 1 else (y, x)))
        assert (y == -1).all()
    pythonic.sum_reduce(y, x)
    assert (y == n).all()
