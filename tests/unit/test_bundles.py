"""Posts of a node in one message, and into the mirrors elsewhere: what was posted arrives."""

from __future__ import annotations

import random
from array import array
from types import ModuleType

import pytest

from redcoll import kernels
from redcoll.kernels._bundles import ALIKE, ALL, IN_SLOT, ON_STAGE, SOME, payload
from redcoll.signature import FAILED

SLOT, CHUNK = 64 + 192, 512
STEP = 2 * SLOT + 2 * CHUNK

NAMES = ["numpy", *(["compiled"] if kernels.choose() == "compiled" else [])]


@pytest.fixture(params=[(one, other) for one in NAMES for other in NAMES], ids="-".join)
def pair(request: pytest.FixtureRequest) -> tuple[ModuleType, ModuleType]:
    """The kernel that packs, and the one that takes apart."""
    one, other = request.param
    return kernels.load(one), kernels.load(other)


def _rows(count: int, base: int) -> array[int]:
    # Members do not lie in the order of their places.
    starts = [base + (count - 1 - place) * STEP for place in range(count)]
    return array("q", [at for start in starts for at in (start, start + 2 * SLOT)])


def _post(
    memory: memoryview, row: tuple[int, int], words: list[int], kind: int, data: bytes
) -> None:
    slot, stage = row
    memory[slot : slot + 64] = array("q", words).tobytes()
    at = slot + 64 if kind < ON_STAGE else stage + (kind - ON_STAGE) * CHUNK
    memory[at : at + len(data)] = data


def _payload_of(memory: memoryview, row: tuple[int, int], kind: int, n_bytes: int) -> bytes:
    slot, stage = row
    at = slot + 64 if kind < ON_STAGE else stage + (kind - ON_STAGE) * CHUNK
    return bytes(memory[at : at + n_bytes])


@pytest.mark.parametrize("seed", range(60))
def test_what_arrives_is_what_was_posted(pair: tuple[ModuleType, ModuleType], seed: int) -> None:
    sender, receiver = pair
    draw = random.Random(seed)
    count, sequence = draw.choice([1, 2, 3, 7]), draw.randrange(3, 1 << 40)
    here = memoryview(bytearray(draw.randbytes(count * STEP)))
    there = memoryview(bytearray(draw.randbytes(count * STEP + 1024)))
    rows, mirrors = _rows(count, 0), _rows(count, 1024)
    posts = []
    for place in range(count):
        kind = draw.choice([0, IN_SLOT, ON_STAGE, ON_STAGE + 1])
        n_bytes = 0 if kind == 0 else draw.choice([1, 9, 64, 191 if kind == IN_SLOT else CHUNK])
        word, status = (
            draw.randrange(1 << 50),
            payload(min(kind, ON_STAGE), n_bytes, kind > ON_STAGE),
        )
        if draw.random() < 0.2:
            kind, n_bytes = IN_SLOT, draw.randrange(100)
            word, status = word | FAILED, n_bytes
        words = [sequence, word, *(draw.randrange(-1, 1 << 60) for _ in range(4)), status]
        words.append(draw.randrange(1 << 62))
        data = draw.randbytes(n_bytes)
        _post(here, (rows[2 * place], rows[2 * place + 1]), words, kind, data)
        posts.append((words, kind, data))
    into = bytearray(2048 + count * (STEP + 128))
    n_bytes = sender.pack(here, rows, CHUNK, sequence, False, True, into, None)
    outside = bytes(there[:1024])

    is_last = receiver.deliver(
        there, mirrors, CHUNK, sequence, memoryview(into)[:n_bytes], lambda: None
    )

    assert is_last
    assert bytes(there[:1024]) == outside
    words, _, data = posts[0]
    is_one_bare = count == 1 and not data and not words[1] & FAILED
    assert array("q", into[:16]).tolist() == [ALIKE if is_one_bare else ALL, count]
    for place, (words, kind, data) in enumerate(posts):
        slot, stage = mirrors[2 * place], mirrors[2 * place + 1]
        assert array("q", bytes(there[slot : slot + 64])).tolist() == words
        assert _payload_of(there, (slot, stage), kind, len(data)) == data


@pytest.mark.parametrize("is_folded", [False, True])
def test_equal_posts_travel_once(pair: tuple[ModuleType, ModuleType], is_folded: bool) -> None:
    sender, receiver = pair
    count, sequence, data = 5, 12, bytes(range(100))
    here, there = (memoryview(bytearray(count * STEP)) for _ in range(2))
    rows, mirrors = _rows(count, 0), _rows(count, 0)
    status = payload(IN_SLOT, len(data)) if is_folded else 0
    for place in range(count):
        # Of vectors that have been folded into the first only that one counts.
        inline = place if is_folded else 7
        words = [sequence, 11, 12, 13, -1, -1, status, inline]
        own = data if place == 0 else b"x" * len(data)
        _post(here, (rows[2 * place], rows[2 * place + 1]), words, IN_SLOT, own)
    into = bytearray(4096)
    n_bytes = sender.pack(here, rows, CHUNK, sequence, is_folded, True, into, None)
    assert n_bytes == 16 + 64 + (104 if is_folded else 0)
    assert receiver.deliver(there, mirrors, CHUNK, sequence, memoryview(into), None)
    inline = 0 if is_folded else 7
    for place in range(count):
        slot = mirrors[2 * place]
        head = array("q", bytes(there[slot : slot + 64])).tolist()
        assert head == [sequence, 11, 12, 13, -1, -1, status, inline]
    first = mirrors[0] + 64
    assert bytes(there[first : first + len(data)]) == (data if is_folded else bytes(len(data)))


def test_who_has_not_come_is_not_told_of(pair: tuple[ModuleType, ModuleType]) -> None:
    sender, receiver = pair
    count, sequence = 4, 9
    here, there = (memoryview(bytearray(count * STEP)) for _ in range(2))
    rows = _rows(count, 0)
    for place in range(count):
        number = sequence if place in (1, 3) else sequence - 2
        words = [number, 1, 2, 3, 4, 5, payload(IN_SLOT, 16), 6]
        _post(here, (rows[2 * place], rows[2 * place + 1]), words, IN_SLOT, b"y" * 16)
    into = bytearray(4096)
    n_bytes = sender.pack(here, rows, CHUNK, sequence, False, False, into, None)
    assert n_bytes == 16 + 2 * 72
    assert array("q", into[:16]).tolist() == [SOME, 2]
    assert not receiver.deliver(there, rows, CHUNK, sequence, memoryview(into), None)
    numbers = [array("q", bytes(there[rows[2 * i] :][:8]))[0] for i in range(count)]
    assert numbers == [0, sequence, 0, sequence]


def test_pack_reads_headers_after_the_fence() -> None:
    """On a weakly ordered machine a sequence number may be visible before the rest of its header.

    Here the rest becomes visible in the fence alone. (The compiled kernel loads with acquire.)
    """
    pack = kernels.load("numpy").pack
    count, sequence = 3, 9
    here = memoryview(bytearray(count * STEP))
    rows = _rows(count, 0)
    words = [sequence, 1, 2, 3, 4, 5, payload(IN_SLOT, 16), 6]
    for place in (0, 2):
        _post(here, (rows[2 * place], rows[2 * place + 1]), [sequence, *7 * [99]], IN_SLOT, b"")

    def fence() -> None:
        for place in (0, 2):
            _post(here, (rows[2 * place], rows[2 * place + 1]), words, IN_SLOT, b"y" * 16)

    into = bytearray(4096)
    n_bytes = pack(here, rows, CHUNK, sequence, False, False, into, fence)
    assert n_bytes == 16 + 2 * 72
    assert array("q", into[:16]).tolist() == [SOME, 2]
    for entry, place in enumerate((0, 2)):
        at = 16 + 72 * entry
        assert array("q", into[at : at + 72]).tolist() == [place, *words]
