"""Test the functions of both kernels on words of shared memory, within a single process."""

from __future__ import annotations

import mmap
import os
import threading
import time
from array import array

import numpy as np
import pytest

from redcoll import kernels
from redcoll.kernels import numpy as twin
from redcoll.ops import PROD, SUM

BITS, SLOT_WORDS, HEAD_WORDS = 8, 20, 14


@pytest.fixture(params=["numpy", "compiled"])
def kernel(request):
    if request.param == "numpy":
        return twin
    if not kernels.is_built():
        pytest.skip("the compiled kernel was not built")
    from redcoll.kernels import compiled

    return compiled


@pytest.fixture
def words():
    return memoryview(bytearray(8 * 700)).cast("q")


@pytest.mark.parametrize("spin", [0, 50])
def test_a_change_is_seen_only_in_the_bits_that_count(kernel, words, spin):
    words[3] = 5 << 40 | 17
    mask = -1 << 40
    start = time.monotonic()
    assert not kernel.await_change(words, 3, mask, 5 << 40, 0.02, spin)
    assert time.monotonic() - start >= 0.02
    assert kernel.await_change(words, 3, mask, 4 << 40, 10, spin)
    assert kernel.await_change(words, 3, -1, 5 << 40, 10, spin)
    words[3] = -7
    assert not kernel.await_change(words, 3, -1, -7, 0, spin)


def test_a_change_ends_the_wait(kernel, words):
    def change():
        time.sleep(0.05)
        words[3] = 1

    thread = threading.Thread(target=change)
    thread.start()
    start = time.monotonic()
    # The compiled kernel lets other threads run while it waits.
    while not kernel.await_change(words, 3, -1, 0, 0.5, 0):
        assert time.monotonic() - start < 10
    assert words[3] == 1
    thread.join()


def test_compare_and_swap(kernel, words):
    if kernel.compare_swap is None:
        assert kernel.NAME == "numpy"
        pytest.skip("the NumPy kernel has no compare-and-swap")
    assert kernel.compare_swap(words, 9, 0, -3) == 0
    assert kernel.compare_swap(words, 9, 0, 8) == -3
    assert words[9] == -3
    assert kernel.compare_swap(words, 9, -3, 1 << 62) == -3
    assert words.tolist() == [0] * 9 + [1 << 62] + [0] * 690


def test_many_threads_lose_no_compare_and_swap(kernel, words):
    if kernel.compare_swap is None:
        assert kernel.NAME == "numpy"
        pytest.skip("the NumPy kernel has no compare-and-swap")

    def count():
        for _ in range(2000):
            while kernel.compare_swap(words, 9, seen := words[9], seen + 1) != seen:
                pass

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words[9] == 8000


@pytest.mark.parametrize("dtype", [np.int8, np.float64, np.complex128])
def test_messages_are_handed_over(kernel, words, dtype):
    data = np.arange(1, 6).astype(dtype)
    data.flags.writeable = False
    head = tuple(range(-5, HEAD_WORDS - 5))
    kernel.hand_over(words, 100, head, data, 8 * 300, 7, 1 << 60, None)
    expected = np.zeros(700, np.int64)
    expected[100 : 100 + HEAD_WORDS] = head
    expected[7] = 1 << 60
    expected.view(np.uint8)[8 * 300 : 8 * 300 + data.nbytes] = data.view(np.uint8)
    assert words.tolist() == expected.tolist()
    kernel.hand_over(words, 100, head[::-1], None, 0, 7, 9, None)
    expected[100 : 100 + HEAD_WORDS] = head[::-1]
    expected[7] = 9
    assert words.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float32, np.float64,
                                   np.complex64, np.complex128])  # fmt: skip
@pytest.mark.parametrize("op", [SUM, PROD])
def test_folds_of_what_lies_in_memory(kernel, dtype, op):
    random = np.random.default_rng(5)
    compared = 0
    for members in (2, 3, 8):
        for index in range(members):
            for count in (1, 7, 300):
                # Random bits give sums and products that overflow, or whose order matters.
                bits = random.integers(0, 256, (members, count * np.dtype(dtype).itemsize), "u1")
                rows = bits.view(dtype)
                if rows.dtype.kind in "fc":
                    rows = random.normal(size=rows.shape).astype(dtype) * dtype(1.5)
                expected = rows[0].copy()
                combine = np.add if op is SUM else np.multiply
                with np.errstate(all="ignore"):
                    for row in rows[1:]:
                        if rows.dtype.kind == "c" and op is PROD:
                            real = expected.real * row.real - expected.imag * row.imag
                            imag = expected.real * row.imag + expected.imag * row.real
                            expected.real, expected.imag = real, imag
                        else:
                            expected = combine(expected, row)
                memory = bytearray(64 + rows.nbytes)
                starts = []
                for place, row in enumerate(np.delete(rows, index, axis=0)):
                    starts.append(64 + place * row.nbytes)
                    memory[starts[-1] : starts[-1] + row.nbytes] = row.tobytes()
                own = np.concatenate((rows[index], np.full(3, 77, dtype)))
                is_done = kernel.fold_at(op, memoryview(memory), starts, index, own[:count])
                assert is_done == (kernel.NAME == "compiled")
                result = expected if is_done else rows[index]
                assert own.tobytes() == result.tobytes() + np.full(3, 77, dtype).tobytes()
                # All vectors except the first are unchanged.
                second = memory[starts[0] + rows[0].nbytes : 64 + (members - 1) * rows[0].nbytes]
                assert second == np.delete(rows, index, axis=0)[1:].tobytes()
                compared += count
    assert compared == 13 * 308


def parcel(words, sender, slot, key, ticket):
    """Publish a parcel's header as a sender does: first its words, then the ticket."""
    at = 8 + 200 * sender + slot * SLOT_WORDS
    head = (ticket, at, 0, *key, *range(100, 108))
    assert len(head) == HEAD_WORDS
    twin.hand_over(words, at, head, None, 0, sender, ticket << BITS | slot, None)
    return head


def collect(kernel, words, seen, keys):
    rows = array("q")
    for key in keys:
        rows.extend((key[2], 8 + 200 * key[2], 0, *key))
    heads = []
    kernel.collect(words, rows, seen, BITS, SLOT_WORDS, HEAD_WORDS, heads, 0.01, 0)
    return heads


def test_messages_in_the_expected_order_are_collected(kernel, words):
    seen = array("q", [0, 4 << BITS | 3, 0])
    first = parcel(words, 1, 2, (50, 60, 1), 5)
    second = parcel(words, 2, 9, (50, 60, 2), 1)
    heads = collect(kernel, words, seen, [(50, 60, 1), (50, 60, 2)])
    if kernel.NAME == "numpy":
        assert heads == []
        return
    assert heads == [first, second]
    assert seen.tolist() == [0, 5 << BITS | 2, 1 << BITS | 9]
    # A second call collects nothing.
    assert collect(kernel, words, seen, [(50, 60, 1), (50, 60, 2)]) == []


@pytest.mark.parametrize("what", ["late", "stamp", "subject", "sender", "ticket", "head"])
def test_an_unexpected_message_ends_the_collection(kernel, words, what):
    seen = array("q", [0, 0, 0])
    first = parcel(words, 1, 2, (50, 60, 1), 1)
    if what != "late":
        key = (50 + (what == "stamp"), 60 + (what == "subject"), 2 + (what == "sender"))
        parcel(words, 2, 9, key, 2 if what == "ticket" else 1)
        if what == "head":
            words[8 + 200 * 2 + 9 * SLOT_WORDS] = 7
    heads = collect(kernel, words, seen, [(50, 60, 1), (50, 60, 2)])
    assert heads == ([first] if kernel.NAME == "compiled" else [])
    assert seen[2] == 0


def test_a_slot_that_is_reused_while_it_is_read(kernel, words):
    """A sender reuses one slot for parcels to two recipients. The test is one of the recipients.

    The test must take only its own parcels.
    """
    if kernel.NAME == "numpy":
        pytest.skip("the NumPy kernel collects nothing")
    shared = memoryview(mmap.mmap(-1, 8 * 700)).cast("q")
    acknowledged, stop = 600, 601
    mine, others = (50, 60, 1), (51, 60, 1)
    sender = os.fork()
    if sender == 0:
        ticket = 0
        while not shared[stop]:
            for key in (others, mine):
                ticket += 1
                head = (ticket, 7, 0, *key, *[ticket] * 8)
                kernel.hand_over(shared, 208, head, None, 0, 1, ticket << BITS, None)
            # Wait until the test has taken the parcel for ``mine``. No process takes the parcels
            # for ``others``.
            until = time.monotonic() + 5
            while shared[acknowledged] != ticket and not shared[stop] and time.monotonic() < until:
                pass
        os._exit(0)
    taken, wrong = 0, []
    start = time.monotonic()
    last = 0
    # Run for 0.5 s, or longer on a busy core, until 100 parcels were taken.
    while (took := time.monotonic() - start) < 0.5 or (taken <= 100 and took < 60):
        published = shared[1] >> BITS
        if published <= last:
            continue
        seen = array("q", [0, (published - 1) << BITS])
        heads = collect(kernel, shared, seen, [mine])
        for head in heads:
            taken += 1
            last = seen[1] >> BITS
            if head[0] != last or set(head[6:]) != {last}:
                wrong.append((last, head))
            shared[acknowledged] = head[0]
    shared[stop] = 1
    os.waitpid(sender, 0)
    assert wrong == []
    assert taken > 100
