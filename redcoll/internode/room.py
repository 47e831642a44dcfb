"""Define the layout of the node's shared memory for data that travel between nodes.

::

    release      a cache line: number of the last released round, how it ended, 1 + the team rank of
                 a member of another node whose wait ended at a deadline, and the deadline's text
    ahead        a cache line: whether members can return before the leader releases the node
    ends         two words for each member: its state, and the last round that it takes part in
    disputes     the headers of all members in a round in which they differ
    sent         2 x a header and the vectors that the leader sends
    received     2 x for each step of an exchange: a header and the vectors that come with it
    vectors      2 x the vectors of all members, for calls whose vectors follow the headers

Rounds use the two copies alternately. Constants in redcoll/kernels/thresholds.py limit the size of
the vectors. Up to several hundred nodes, :func:`total_bytes` grows by 16 bytes for each member, and
with the logarithm of the number of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from redcoll.kernels import thresholds
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.protocol.partition import round_up

DISPUTES_BYTES: Final = 16 << 10
SHORT_BYTES: Final = LINE
"""Vectors up to this size travel in messages of fixed length, with persistent requests."""
_LEAST_BYTES_EACH: Final = 2 * LINE
_WORD: Final = 8


def vectors_bytes(members: int) -> int:
    """Return the size in bytes of the memory for the vectors of all members."""
    return max(thresholds.VECTORS_BYTES_ACROSS, members * _LEAST_BYTES_EACH)


def bytes_each(members: int) -> int:
    """Return the size in bytes of the memory for one member's vector, in whole cache lines."""
    return vectors_bytes(members) // members // LINE * LINE


def total_bytes(nodes: int, members: int) -> int:
    """Return the size in bytes of all parts of the layout, on each node."""
    _, received = _sides(nodes, 2 * LINE + _ends_bytes(members) + DISPUTES_BYTES)
    return received[1][-1][1] + 2 * vectors_bytes(members)


def _ends_bytes(members: int) -> int:
    return round_up(2 * _WORD * members, LINE)


def most_part_bytes(nodes: int) -> int:
    """Return the largest size in bytes of a node's part that travels with the headers."""
    return (thresholds.PARTS_BYTES_ACROSS // nodes // LINE + 2) * LINE


def _distances(nodes: int) -> list[int]:
    """Return the distance in nodes over which each step of an exchange communicates."""
    return [1 << step for step in range((nodes - 1).bit_length())]


def _sides(nodes: int, at: int) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """For each parity of the round, return the places of the sent and all received messages.

    For the send buffer, the place is its start. For a received message, the place is a pair of
    offsets, start and stop. Each step has one message.
    """
    block, part = thresholds.inline_bytes_across(nodes), most_part_bytes(nodes)
    distances = _distances(nodes)
    # If leaders disagree about the call, some send vectors and others send parts. So each message
    # has space for the larger of the two.
    lengths = [
        max(min(each, nodes - each) * block, sum(1 for row in range(nodes) if row & each) * part)
        for each in distances
    ]
    sent, received = [], []
    for _ in range(2):
        sent.append(at)
        at += LINE + max(distances[-1] * max(block, part), *lengths)
        messages = []
        for length in lengths:
            messages.append((at, at + LINE + length))
            at += LINE + length
        received.append(messages)
    return sent, received


class Room:
    """The offsets of the parts that this module's docstring lists.

    ``memory`` is the node's memory, which is all zeros at first. The first part begins at the
    offset ``start`` in bytes.
    """

    def __init__(self, memory: memoryview, start: int, nodes: int, members: int) -> None:
        self.memory = memory
        self.words = memory.cast("q")
        self.release = start // _WORD
        """The index of the word with the last released round. The next word is 0 if all members
        agreed in that round, and 1 if they did not. It is the negative number of a round if a
        dispute about this round has broken the team."""
        self.deadline = self.release + 2
        """The index of the words of a deadline that has ended a wait on another node. The words are
        1 + the waiting member's team rank, and the text of the deadline. They are 0 until a
        deadline ends a wait."""
        self.ahead = (start + LINE) // _WORD
        """The index of a word that the leader writes before it releases a round with headers. The
        word is 2 x the number of the last round that can be one-way. If the call of the released
        round can be one-way, 1 is added."""
        self._ends = (start + 2 * LINE) // _WORD
        self.disputes = start + 2 * LINE + _ends_bytes(members)
        at = self.disputes + DISPUTES_BYTES
        self._nodes = nodes
        self.inline_bytes = thresholds.inline_bytes_across(nodes)
        """The largest size of a node's vectors that travel with a header."""
        self.most_part_bytes = most_part_bytes(nodes)
        self.distances = _distances(nodes)
        self.sent, self.received = _sides(nodes, at)
        """For each parity of the round, the start of the send buffer, and start and end of each
        step's message."""
        first = self.received[1][-1][1]
        self.vectors = (first, first + vectors_bytes(members))
        self.vectors_bytes = vectors_bytes(members)

    def end_of(self, member: int) -> int:
        """Return the index of the word with a member's state. The next word has the last round.

        The states of members on this node are in the members' own segments instead.
        """
        return self._ends + 2 * member

    def starts(self, side: int, blocks: Sequence[int]) -> list[int]:
        """Return the offset of each node's vectors after an exchange, from the caller's node on."""
        found = [self.sent[side] + LINE]
        for distance, (start, _) in zip(self.distances, self.received[side], strict=True):
            at = start + LINE
            for node in range(distance, min(2 * distance, self._nodes)):
                found.append(at)
                at += blocks[node]
        return found
