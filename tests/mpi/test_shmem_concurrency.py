"""Test reductions of many sets at the same time, with random delays: results must not mix."""

import numpy as np
import pytest
from mpi.shmem_tools import Set, check_sync, even_pes, everybody, odd_pes, sync_array

import redcoll_shmem as shmem

# The tests pass no work arrays, because redcoll does not use them.
pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.filterwarnings("ignore:.*pWrk")]

ROUNDS = 1000


class Sums:
    """Sums whose results differ between calls and between sets."""

    def __init__(self, arena, count=4):
        self.me = shmem.shmem_my_pe()
        self.count = count
        self.targets = [arena.take(count, "l") for _ in range(2)]
        self.source = arena.take(count, "l")
        self.checked = 0

    def check(self, members, call, sync):
        """Make reduction number ``call`` of the set ``members``, and check its result."""
        target = self.targets[call % 2]
        self.source[...] = [call * 1000 + self.me * (at + 1) for at in range(self.count)]
        shmem.shmem_long_sum_to_all(target, self.source, self.count, *members.numbers, None, sync)
        # The caller may change the source after the call.
        self.source[...] = -1
        size, total = len(members.pes), sum(members.pes)
        wanted = [call * 1000 * size + total * (at + 1) for at in range(self.count)]
        assert target.tolist() == wanted, f"call {call} of {members}"
        self.checked += 1


@pytest.fixture
def sums(arena):
    return Sums(arena)


@pytest.fixture
def syncs(arena):
    arrays = [sync_array(arena.take) for _ in range(4)]
    shmem.shmem_barrier_all()
    yield arrays
    check_sync(*arrays)


def test_even_and_odd_at_the_same_time(sums, syncs, delays):
    parity = sums.me % 2
    members = odd_pes() if parity else even_pes()
    for call in range(ROUNDS):
        delays()
        sums.check(members, call, syncs[parity])
    assert sums.checked == ROUNDS
    shmem.shmem_barrier_all()


def nested():
    """Yield nested sets, from all PEs to a single PE."""
    n = shmem.shmem_n_pes()
    yield everybody()
    yield even_pes()
    sizes = {(n + 1) // 2, (n + 3) // 4, 1}
    for size in sorted(sizes, reverse=True):
        yield Set(0, 0, size)
    if n > 2:
        yield Set(1, 0, n - 1)


def test_nested_sets_in_alternating_order(sums, syncs, delays):
    sets = list(nested())
    calls = 0
    for repetition in range(ROUNDS):
        # All PEs reduce on the sets in the same order. The order differs between repetitions.
        order = sets if repetition % 2 else sets[::-1]
        shift = repetition % len(sets)
        for members in order[shift:] + order[:shift]:
            calls += 1
            if members.is_member:
                delays()
                sums.check(members, calls, syncs[calls % 2])
    assert sums.checked >= ROUNDS
    shmem.shmem_barrier_all()


def test_shrinking_sets_with_two_syncs_and_no_barrier(sums, syncs, delays):
    n = shmem.shmem_n_pes()
    sets = [Set(start, 0, n - start) for start in range(n)]
    sets += [Set(0, 0, n - removed) for removed in range(n)]
    calls = 0
    while calls < ROUNDS:
        for members in sets:
            calls += 1
            if members.is_member:
                delays()
                sums.check(members, calls, syncs[calls % 2])
    assert sums.checked > 0
    shmem.shmem_barrier_all()


def test_the_same_sync_at_once(sums, syncs, delays):
    members = everybody()
    for call in range(ROUNDS):
        delays()
        sums.check(members, call, syncs[0])
    assert sums.checked == ROUNDS


def test_one_sync_for_overlapping_sets(sums, syncs, delays):
    """The standard forbids this shared pSync. The sums are right, because pSync holds no state."""
    sets = list(nested())
    for call in range(ROUNDS):
        members = sets[call % len(sets)]
        if members.is_member:
            delays()
            sums.check(members, call, syncs[0])
    assert sums.checked > 0
    shmem.shmem_barrier_all()


def test_many_small_ones_back_to_back(arena, syncs, many):
    """Each call has a different result, so the test would notice the result of another call."""
    n, me = shmem.shmem_n_pes(), shmem.shmem_my_pe()
    targets, source = arena.take(many, "d"), arena.take(2, "d")
    sync = syncs[0]
    views = [targets[call : call + 1] for call in range(many)]
    first, second = source[:1], source[1:]
    for call, target in enumerate(views):
        mine = second if call % 2 else first
        mine[0] = call * n + me
        shmem.shmem_double_sum_to_all(target, mine, 1, 0, 0, n, None, sync)
    wanted = np.arange(many) * n * n + n * (n - 1) / 2
    assert (targets == wanted).all()


def test_different_routines_back_to_back(arena, syncs, delays):
    """Types, operations and lengths alternate, and no barrier separates the calls."""
    n, me = shmem.shmem_n_pes(), shmem.shmem_my_pe()
    long = 5000
    data = {
        "short": arena.take(long, "h"),
        "long": arena.take(long, "l"),
        "double": arena.take(long, "d"),
    }
    results = {name: arena.take(long, array.dtype) for name, array in data.items()}
    for call in range(ROUNDS):
        name = ("short", "long", "double")[call % 3]
        count = (1, 33, 3, long)[call % 4] if call % 7 else 8
        operation = ("max", "sum", "min")[call % 5 % 3]
        source, target = data[name], results[name]
        source[:count] = call % 100 + me
        delays()
        routine = getattr(shmem, f"shmem_{name}_{operation}_to_all")
        routine(target, source, count, 0, 0, n, None, syncs[call % 2])
        total = n * (call % 100) + n * (n - 1) // 2
        wanted = {"max": call % 100 + n - 1, "sum": total, "min": call % 100}[operation]
        assert (target[:count] == wanted).all(), f"call {call}: {routine.__name__}"
    shmem.shmem_barrier_all()


def test_reductions_among_puts_and_barriers(arena, syncs, delays):
    """All PEs make puts, reductions, broadcasts and barriers in the same order."""
    n, me = shmem.shmem_n_pes(), shmem.shmem_my_pe()
    box, source, total, copy = (arena.take(1, "l") for _ in range(4))
    for call in range(ROUNDS // 2):
        delays()
        shmem.shmem_long_p(box, call * n + me, (me + 1) % n)
        shmem.shmem_barrier_all()
        assert box[0] == call * n + (me - 1) % n
        source[0] = box[0]
        shmem.shmem_long_sum_to_all(total, source, 1, 0, 0, n, None, syncs[0])
        assert total[0] == n * n * call + n * (n - 1) // 2
        root = call % n
        copy[0] = -1
        shmem.shmem_broadcast64(copy, source, 1, root, 0, 0, n, syncs[1])
        assert copy[0] == (-1 if me == root else call * n + (root - 1) % n)
        # The next put to the box must wait until the box's owner has read the value.
        shmem.shmem_barrier(0, 0, n, syncs[2])
