"""Test the heap's allocator with random requests in random order."""

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redcoll.errors import HeapError
from redcoll.memory.allocator import Allocator

CAPACITY_BYTES = 64 << 10
LINE = 64

# A step allocates (bytes, alignment), or frees the n-th live block.
ALLOCATE = st.tuples(st.integers(0, 9000), st.sampled_from([1, 8, 64, 128, 512, 1024, 4096]))
FREE = st.integers(0, 10**6)


@given(steps=st.lists(st.one_of(ALLOCATE, FREE), max_size=120))
@settings(max_examples=200, deadline=None)
def test_no_overlap_alignment_and_coalescing(steps):
    allocator = Allocator(CAPACITY_BYTES)
    live = {}
    for step in steps:
        if isinstance(step, tuple):
            n_bytes, alignment = step
            largest = allocator.largest_free_bytes
            try:
                start = allocator.allocate(n_bytes, alignment)
            except HeapError as refusal:
                # A request is refused only if no gap has room for its bytes and its alignment.
                assert max(n_bytes, 1) + max(alignment, LINE) > largest - LINE
                message = str(refusal)
                assert f"{n_bytes} bytes asked for, {largest} bytes is" in message
                continue
            size = allocator.size_of(start)
            assert size >= max(n_bytes, 1)
            assert start % max(alignment, LINE) == 0
            assert 0 <= start <= start + size <= CAPACITY_BYTES
            for other, other_size in live.items():
                assert start + size <= other or other + other_size <= start
            live[start] = size
        elif live:
            start = sorted(live)[step % len(live)]
            allocator.free(start)
            del live[start]
            assert not allocator.is_start(start)
        check_books(allocator, live)
    for start in live:
        allocator.free(start)
    # All free blocks are merged into a single block again.
    assert allocator.used_bytes == allocator.blocks == 0
    assert allocator.largest_free_bytes == CAPACITY_BYTES
    assert allocator.allocate(CAPACITY_BYTES) == 0


def check_books(allocator, live):
    assert allocator.blocks == len(live)
    assert allocator.used_bytes == sum(live.values())
    # The largest free block is the largest gap between live blocks, because free neighbours merge.
    gaps, at = [], 0
    for start in sorted(live):
        gaps.append(start - at)
        at = start + live[start]
    gaps.append(CAPACITY_BYTES - at)
    assert allocator.largest_free_bytes == max(gaps)
    for start, size in live.items():
        assert allocator.is_start(start)
        assert allocator.block_of(start, size) == start
        assert allocator.block_of(start + size - 1, 1) == start
        assert allocator.block_of(start, size + 1) is None
        assert not allocator.is_start(start + 1)
    used = [range(start, start + size) for start, size in live.items()]
    for offset in range(0, CAPACITY_BYTES, 4096):
        inside = any(offset in each for each in used)
        assert (allocator.block_of(offset, 1) is not None) == inside


def test_freed_memory_is_used_again():
    allocator = Allocator(10 * LINE)
    starts = [allocator.allocate(LINE) for _ in range(10)]
    with pytest.raises(HeapError, match="0 bytes is the largest"):
        allocator.allocate(1)
    allocator.free(starts[4])
    assert allocator.allocate(1) == starts[4]


def test_the_best_fit_is_taken():
    allocator = Allocator(100 * LINE)
    blocks = [allocator.allocate(size * LINE) for size in (30, 1, 10, 1, 20, 1)]
    for wide in (0, 2, 4):
        allocator.free(blocks[wide])
    assert allocator.allocate(10 * LINE) == blocks[2]
    assert allocator.allocate(11 * LINE) == blocks[4]
    assert allocator.allocate(9 * LINE) == blocks[4] + 11 * LINE


def test_equal_requests_give_equal_offsets():
    """The requests alone determine the offsets, so arrays are symmetric."""

    def offsets():
        numbers = random.Random(1)
        allocator = Allocator(1 << 20)
        live, seen = [], []
        for _ in range(2000):
            if live and numbers.random() < 0.5:
                allocator.free(live.pop(numbers.randrange(len(live))))
            else:
                live.append(allocator.allocate(numbers.randrange(4000), 1 << numbers.randrange(9)))
                seen.append(live[-1])
        return seen

    first = offsets()
    assert len(first) > 500
    assert first == offsets()


def test_100_000_pairs_leak_nothing():
    allocator = Allocator(1 << 20)
    kept = [allocator.allocate(1000) for _ in range(10)]
    numbers = random.Random(2)
    before = (allocator.used_bytes, allocator.blocks, allocator.largest_free_bytes)
    for _ in range(1000):
        allocator.free(allocator.allocate(numbers.randrange(5000)))
    objects_before = sys.getallocatedblocks()
    for _ in range(99_000):
        allocator.free(allocator.allocate(numbers.randrange(5000)))
    objects_after = sys.getallocatedblocks()
    assert (allocator.used_bytes, allocator.blocks, allocator.largest_free_bytes) == before
    assert len({allocator.block_of(start, 1) for start in kept}) == 10
    assert objects_after - objects_before < 100


@pytest.mark.parametrize(("fill", "least"), [(0.5, 0.5), (0.6, 0.4), (0.7, 0.25)])
def test_free_memory_stays_in_one_piece(fill, least):
    """With random arrays of 8 bytes to 32 KiB, a large part of the free memory is one block."""
    numbers = random.Random(3)
    capacity_bytes = 4 << 20
    allocator = Allocator(capacity_bytes)
    live, shares, made = [], [], 0

    def free_one():
        at = numbers.randrange(len(live))
        live[at], live[-1] = live[-1], live[at]
        allocator.free(live.pop())

    for _ in range(20_000):
        n_bytes = int(2 ** numbers.uniform(3, 15))
        while allocator.used_bytes + n_bytes > capacity_bytes * fill:
            free_one()
        live.append(allocator.allocate(n_bytes))
        made += 1
        if numbers.random() < 0.4:
            free_one()
        free_bytes = capacity_bytes - allocator.used_bytes
        shares.append(allocator.largest_free_bytes / free_bytes)
    assert made == 20_000
    assert allocator.used_bytes > capacity_bytes * fill * 0.9
    assert least < min(shares) < 1


@pytest.mark.parametrize("capacity_bytes", [0, 1, 63])
def test_a_heap_below_one_line_holds_nothing(capacity_bytes):
    allocator = Allocator(capacity_bytes)
    assert allocator.largest_free_bytes == 0
    with pytest.raises(HeapError):
        allocator.allocate(1)
    assert allocator.block_of(0, 0) is None
