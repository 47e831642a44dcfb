"""Test how descriptors of calls are packed into words and described in messages."""

import itertools

import pytest

from redcoll.datatypes import ELEMENT_TYPES
from redcoll.ops import OPS, USER_CODE
from redcoll.protocol import descriptor
from redcoll.protocol.descriptor import (
    DELEGATED,
    FAILED,
    NAMES,
    NO_ROOT,
    describe,
    pack,
    pack_count,
    root_of,
    tells_count,
)

NO_COLLECTIVES = (
    *("NO_ROOT", "FAILED", "DELEGATED", "OBJECTS", "AHEAD", "INLINE_BYTES", "ONE_WAY", "UNKNOWN"),
)
COLLECTIVES = {
    name: value
    for name, value in vars(descriptor).items()
    if name.isupper() and name[0] != "_" and isinstance(value, int) and name not in NO_COLLECTIVES
}


def test_every_collective_has_a_name_of_its_own():
    assert sorted(COLLECTIVES.values()) == sorted(NAMES)
    assert len(set(NAMES.values())) == len(NAMES)


def test_words_differ_if_any_part_differs():
    words = [
        pack(collective, op, element, root)
        for collective, op, element, root in itertools.product(
            NAMES, [0, *(op.code for op in OPS), USER_CODE], [0, 1, 40, 255], [NO_ROOT, 0, 1, 4095]
        )
    ]
    assert len(set(words)) == len(words)
    assert all(0 <= word < DELEGATED < FAILED for word in words)


def test_words_with_a_count_differ_if_any_part_differs():
    words = {}
    for collective, op, element, root, count in itertools.product(
        (1, 255), (0, 255), (0, 255), (NO_ROOT, 0, (1 << 20) - 2), (0, 1, 7, 16383)
    ):
        bare = pack(collective, op, element, root)
        word = pack_count(bare, count, 0)
        assert tells_count(word)
        assert not tells_count(bare)
        assert 0 <= word < DELEGATED
        assert root_of(word) == root_of(bare) == root
        words[word] = words[bare] = (collective, op, element, root, count)
    assert len(words) == 2 * 2 * 2 * 3 * (4 + 1)


def test_large_counts_and_extras_are_not_packed_into_the_word():
    assert pack_count(pack(2), 16384, 0) == pack(2)
    assert pack_count(pack(2), 3, 77) == pack(2)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
@pytest.mark.parametrize("row", ELEMENT_TYPES[::5], ids=lambda row: row.name)
def test_a_reduction_in_words(op, row):
    word = pack(descriptor.REDUCE, op.code, row.code, 3)
    text = describe(word, 17, 0)
    assert text == f"reduce(op={op.name}, type={row.name}, count=17, root=3)"


def test_other_calls_in_words():
    assert describe(pack(descriptor.BARRIER), 0, 0) == "barrier()"
    assert describe(pack(descriptor.ALLOCATE), 800, 64) == "allocate(800 bytes, alignment 64)"
    assert describe(pack(descriptor.FREE), 128, 0) == "free(offset 128)"
    word = pack(descriptor.ALLREDUCE, USER_CODE, 12)
    text = describe(word, 5, 0xABC)
    assert text == "allreduce(op=user function #00000abc, type=float64, count=5)"
    word = pack(descriptor.REDUCE_SCATTER, 1, 12)
    assert "blocks #" in describe(word, 5, 7)
    assert "strides #" in describe(pack(descriptor.ALLTOALL, 0, 12), 5, 7)


def test_a_code_of_an_unknown_release_does_not_stop_the_message():
    assert describe(pack(200, 60, 250, 2), 1, 0).startswith(
        "collective 200(op=op code 60, type=250"
    )
