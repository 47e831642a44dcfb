"""Test the layout and the size of the memory for messages between nodes."""

from itertools import pairwise

import pytest

from redcoll.internode import room as room_module
from redcoll.internode.leaders import told_posts, write_posts
from redcoll.internode.room import DISPUTES_BYTES, Room
from redcoll.liveness import deadlines
from redcoll.protocol.layout import UNKNOWN_POST, Post

TEAMS = [(2, 2), (2, 5), (3, 16), (16, 16), (17, 4096), (64, 20_000)]


@pytest.mark.parametrize(("nodes", "members"), TEAMS)
def test_room_parts_do_not_overlap(nodes, members):
    n_bytes = room_module.total_bytes(nodes, members)
    start = 128
    room = Room(memoryview(bytearray(start + n_bytes)), start, nodes, members)
    parts = [(room.release * 8, 16), (room.deadline * 8, 8 * (1 + deadlines.TEXT_WORDS))]
    parts += [(room.end_of(member) * 8, 16) for member in range(members)]
    parts += [(room.disputes, DISPUTES_BYTES)]
    for side in (0, 1):
        stop = room.received[side][0][0]
        parts += [(room.sent[side], stop - room.sent[side])]
        parts += [(at, stop - at) for at, stop in room.received[side]]
    parts += [(at, room.vectors_bytes) for at in room.vectors]
    for (at, length), (following, _) in pairwise(parts):
        assert at + length <= following
    assert parts[0][0] == start
    assert sum(parts[-1]) == start + n_bytes
    assert all(at % 64 == 0 for at in (room.disputes, *room.sent, *room.vectors))
    assert room_module.bytes_each(members) * members <= room.vectors_bytes
    assert room_module.bytes_each(members) >= 64


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 33])
def test_room_holds_every_message_of_an_exchange(nodes):
    members = 2 * nodes
    room = Room(memoryview(bytearray(room_module.total_bytes(nodes, members))), 0, nodes, members)
    passed_on = 1 << (nodes - 1).bit_length() - 1
    for block in (room.inline_bytes, room.most_part_bytes):
        for side in (0, 1):
            for at, (start, stop) in zip(room.distances, room.received[side], strict=True):
                assert 64 + min(at, nodes - at) * block <= stop - start
            assert room.sent[side] + 64 + passed_on * block <= room.received[side][0][0]
    for step, (start, stop) in enumerate(room.received[0]):
        rows = sum(1 for row in range(nodes) if row >> step & 1)
        assert 64 + rows * room.most_part_bytes <= stop - start
        assert room.sent[0] + 64 + rows * room.most_part_bytes <= room.received[0][0][0]


@pytest.mark.parametrize("nodes", [2, 3, 5, 8, 13])
def test_vectors_lie_where_an_exchange_brings_them(nodes):
    room = Room(memoryview(bytearray(room_module.total_bytes(nodes, nodes))), 0, nodes, nodes)
    blocks = [8 * (1 + node % 3) for node in range(nodes)]
    starts = room.starts(1, blocks)
    assert starts[0] == room.sent[1] + 64
    at = 1
    for distance, (start, _) in zip(room.distances, room.received[1], strict=True):
        expected = start + 64
        for node in range(distance, min(2 * distance, nodes)):
            assert starts[node] == expected
            expected += blocks[node]
            at += 1
    assert at == len(starts) == nodes


def test_memory_is_that_of_the_documented_formula():
    # Up to 8192 members, each further member adds 16 bytes.
    assert room_module.total_bytes(16, 8192) - room_module.total_bytes(16, 16) == 16 * (8192 - 16)
    # The total is at most 4 MiB, plus 3 KiB per node.
    for nodes in (2, 3, 5, 16, 63, 64, 1000, 1024, 4096):
        assert room_module.total_bytes(nodes, nodes) <= (4 << 20) + nodes * 3072


@pytest.mark.parametrize(
    ("call_of", "told_correctly"),
    [
        (lambda member: member == 12_345, 20_000),
        (lambda member: member // 300 % 2, 20_000),
        (lambda member: member % 2, 5_000),
        (lambda member: member, 2),
    ],
    ids=["one differs", "groups differ", "neighbours differ", "all differ"],
)
def test_headers_of_a_large_team_stay_in_their_part_of_the_memory(call_of, told_correctly):
    size = 20_000
    memory = memoryview(bytearray(room_module.total_bytes(64, size)))
    room = Room(memory, 0, 64, size)
    rows = [
        [member, 7, int(call_of(member)), 0, "", f"app.py:{call_of(member)}", False]
        for member in (*range(1, size, 2), *range(0, size, 2))  # as with a cyclic placement
    ]
    write_posts(room, rows)
    assert not any(memory[room.disputes + DISPUTES_BYTES :])
    posts = told_posts(room, size)
    expected = [
        Post(7, call_of(at), 0, -1, -1, "", False, f"app.py:{call_of(at)}") for at in range(size)
    ]
    found = sum(post[:3] == its[:3] for post, its in zip(posts, expected, strict=True))
    assert found >= told_correctly
    assert len({post.count for post in posts if post != UNKNOWN_POST}) > 1
