"""The layout of the node's shared memory for what travels between nodes.

::

    release      a line: the number of the last released round, and whether its members disagreed
    ends         two words for each member: its state, and the last round that it takes part in
    disputes     the headers of all members in a round in which they differ
    records      2 x one for each node: the words of the call, and a short vector
    vectors      2 x the vectors of all members, or of all nodes

Rounds use the two copies alternately. The total is
``64 + members * 16 + nodes * 2 * (64 + inline) + 16 KiB + 2 * vectors`` bytes on each node, where
``vectors`` is 1 MiB, or 128 bytes for each member where these are more.
"""

from __future__ import annotations

from typing import Final

from redcoll.kernels import thresholds
from redcoll.protocol.partition import LINE_BYTES as LINE

DISPUTES_BYTES: Final = 16 << 10
_LEAST_BYTES_EACH: Final = 2 * LINE
_WORD: Final = 8


def vectors_bytes(members: int) -> int:
    """Return the bytes for the vectors of all members."""
    return max(thresholds.VECTORS_BYTES_ACROSS, members * _LEAST_BYTES_EACH)


def bytes_each(members: int) -> int:
    """Return the bytes for the vector of one member, in whole cache lines."""
    return vectors_bytes(members) // members // LINE * LINE


def total_bytes(nodes: int, members: int) -> int:
    """Return the bytes that a team takes on each node."""
    inline = thresholds.inline_bytes_across(nodes)
    records = nodes * 2 * (LINE + inline)
    return LINE + _ends_bytes(members) + records + DISPUTES_BYTES + 2 * vectors_bytes(members)


def _ends_bytes(members: int) -> int:
    return -(-members * 2 * _WORD // LINE) * LINE


class Room:
    """The offsets of all parts.

    Parameters
    ----------
    memory
        The node's memory, all zeros at first.
    start
        Offset of the first part in it, in bytes.
    nodes, members
        Numbers of nodes and members of the team.
    """

    def __init__(self, memory: memoryview, start: int, nodes: int, members: int) -> None:
        self.memory = memory
        self.words = memory.cast("q")
        self.release = start // _WORD
        """The word of the last released round; the next word is 0 if all agreed in that round."""
        self._ends = (start + LINE) // _WORD
        self.disputes = start + LINE + _ends_bytes(members)
        at = self.disputes + DISPUTES_BYTES
        self.inline_bytes = thresholds.inline_bytes_across(nodes)
        """The longest vector that travels in a record."""
        self.record_bytes = LINE + self.inline_bytes
        self.records = (at, at + nodes * self.record_bytes)
        first = at + 2 * nodes * self.record_bytes
        self.vectors = (first, first + vectors_bytes(members))
        self.vectors_bytes = vectors_bytes(members)

    def end_of(self, member: int) -> int:
        """Return the word that holds a member's state; the next word is its last round.

        The state of members on this node is in their own segments.
        """
        return self._ends + 2 * member

    def payload_of(self, side: int, node: int) -> int:
        """Return the offset of the vector in a node's record."""
        return self.records[side] + node * self.record_bytes + LINE
