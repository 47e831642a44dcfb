"""What lies where between nodes, and how much memory that takes."""

from itertools import pairwise

import pytest

from redcoll.internode import room as room_module
from redcoll.internode.room import DISPUTES_BYTES, Room

TEAMS = [(2, 2), (2, 5), (3, 16), (16, 16), (17, 4096), (64, 20_000)]


@pytest.mark.parametrize(("nodes", "members"), TEAMS)
def test_room_parts_do_not_overlap(nodes, members):
    n_bytes = room_module.total_bytes(nodes, members)
    start = 128
    room = Room(memoryview(bytearray(start + n_bytes)), start, nodes, members)
    parts = [(room.release * 8, 16)]
    parts += [(room.end_of(member) * 8, 16) for member in range(members)]
    parts += [(room.disputes, DISPUTES_BYTES)]
    parts += [
        (at + node * room.record_bytes, room.record_bytes)
        for at in room.records
        for node in range(nodes)
    ]
    parts += [(at, room.vectors_bytes) for at in room.vectors]
    for (at, length), (following, _) in pairwise(parts):
        assert at + length <= following
    assert parts[0][0] == start
    assert sum(parts[-1]) == start + n_bytes
    assert all(at % 64 == 0 for at in (room.disputes, *room.records, *room.vectors))
    assert room_module.bytes_each(members) * members <= room.vectors_bytes
    assert room_module.bytes_each(members) >= 64


def test_memory_is_that_of_the_documented_formula():
    assert room_module.total_bytes(16, 16) == 64 + 16 * 16 + 16 * 2 * 1088 + (16 << 10) + (2 << 20)
    # Ranks elsewhere add 16 bytes each, up to 8192 members.
    assert room_module.total_bytes(16, 8192) - room_module.total_bytes(16, 16) == 16 * (8192 - 16)
