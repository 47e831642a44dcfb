"""Couriers with an engine in memory: what holds a message up holds no PE without a way out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any, cast

import pytest
from mpi4py import MPI

from redcoll import courier as courier_module
from redcoll import kernels
from redcoll.courier import Courier
from redcoll.kernels._bundles import ALL, SOME
from redcoll.kernels._rounds import HEAD_BYTES, WORD
from redcoll.signature import Scratch
from redcoll.topology import Layout

SLOT, CHUNK = HEAD_BYTES + 64, 128
SEGMENT = HEAD_BYTES + 2 * SLOT + 2 * CHUNK

# Members 0 and 1 are one node, 2 the other.
LAYOUT = Layout(((0, 1), (2,)), 0)
NODES = len(LAYOUT.nodes)


class Lost(Exception):
    """Ends a wait, as the team's turns do."""


class Network:
    """Messages on their way, and which forms of them do not get on."""

    def __init__(self) -> None:
        self.under_way: dict[tuple[int, int], deque[Message]] = {}
        self.held: set[int] = set()
        self.is_cut = False
        """Whether what has begun to come never ends."""


class Message:
    """A request for one message; there is no call that waits for it."""

    def __init__(self, network: Network, ends: tuple[int, int], data: memoryview) -> None:
        self._network, self._ends, self._data = network, ends, data
        self._is_over = True

    def Free(self) -> None:
        assert self._is_over, "freed under way"


class Outgoing(Message):
    def Start(self) -> None:
        self.content = bytes(self._data)
        self.form = self._data.cast("q")[0]
        self._is_over = False
        self._network.under_way.setdefault(self._ends, deque()).append(self)

    def Test(self) -> bool:
        self._is_over = self._is_over or self.form not in self._network.held
        return self._is_over


class Incoming(Message):
    _begun: Outgoing | None = None
    is_freed = False

    def Start(self) -> None:
        self._is_over = False

    def Test(self) -> bool:
        waiting = self._network.under_way.get(self._ends)
        is_free = not self._is_over and self._begun is None
        if is_free and waiting and waiting[0].form not in self._network.held:
            self._begun = waiting.popleft()
        if self._begun is not None and not self._network.is_cut:
            self._data[: len(self._begun.content)] = self._begun.content
            self._begun, self._is_over = None, True
        return self._is_over

    def Cancel(self) -> None:
        self._is_over = self._begun is None

    def Free(self) -> None:
        self.is_freed = True


class Engine:
    """One PE's end of the network."""

    def __init__(self, network: Network, me: int) -> None:
        self._network, self._me = network, me
        self.incoming: list[Incoming] = []

    def prepare_send(self, data: memoryview, rank: int, tag: int) -> Outgoing:
        return Outgoing(self._network, (self._me, rank), data)

    def send(self, data: memoryview, rank: int, tag: int) -> Outgoing:
        message = self.prepare_send(data, rank, tag)
        message.Start()
        return message

    def prepare_receive(self, into: memoryview, rank: int, tag: int) -> Incoming:
        self.incoming.append(Incoming(self._network, (rank, self._me), into))
        return self.incoming[-1]


class Node:
    """A node's memory and its courier."""

    def __init__(self, network: Network, node: int, kernel: ModuleType) -> None:
        layout = replace(LAYOUT, node=node)
        starts = [place * SEGMENT for place in layout.places]
        self.memory = memoryview(bytearray(len(starts) * SEGMENT))
        self._words = self.memory.cast("q")
        self.heads = tuple(start + HEAD_BYTES for start in starts)
        self.engine = Engine(network, layout.members[0])
        self.turn: Callable[[], object] = lambda: None
        scratch = Scratch(
            self.memory,
            heads=self.heads,
            depth=2,
            head_step=SLOT,
            rooms=tuple(head + HEAD_BYTES for head in self.heads),
            room_step=SLOT,
            room_bytes=SLOT - HEAD_BYTES,
            stages=tuple(start + HEAD_BYTES + 2 * SLOT for start in starts),
            results=0,
            chunk_bytes=CHUNK,
        )
        self.courier = Courier(
            cast("MPI.Intracomm", None),
            cast("Any", self.engine),
            layout,
            scratch,
            [start // 8 for start in starts],
            None,
            kernel,
            lambda: self.turn,
            has_core=True,
        )

    def head(self, member: int, sequence: int) -> int:
        return (self.heads[member] + (sequence & 1) * SLOT) // 8

    def post(self, member: int, sequence: int) -> None:
        head = self.head(member, sequence)
        # Different ones, so that a message of all of them is of the form ``ALL``.
        self._words[head + WORD] = 100 * sequence + member
        self._words[head] = sequence

    def seen(self, sequence: int) -> list[int]:
        """What each member has posted, as this node sees it."""
        heads = [self.head(member, sequence) for member in range(3)]
        return [self._words[head + WORD] * (self._words[head] == sequence) for head in heads]


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def pair(network: Network, monkeypatch: pytest.MonkeyPatch) -> tuple[Node, Node]:
    """Two nodes, which tell each other at once who has come."""
    monkeypatch.setattr(courier_module, "_TELL_AFTER_S", -1.0)
    kernel = kernels.load("numpy")
    one, other = (Node(network, node, kernel) for node in range(NODES))
    return one, other


def begin(pair: tuple[Node, Node], sequence: int) -> None:
    """All post, the first node's members one after the other, and the other courier sends."""
    one, other = pair
    one.post(0, sequence)
    for _ in range(2):
        one.courier.meanwhile(sequence)
    one.post(1, sequence)
    other.post(2, sequence)
    other.courier._send(sequence, False)
    other.courier._is_over(sequence & 1)


def test_rounds_with_announcements(pair: tuple[Node, Node]) -> None:
    one, other = pair
    for sequence in range(1, 5):
        begin(pair, sequence)
        assert [bool(word) for word in other.seen(sequence)] == [True, False, True]
        one.courier.carry(sequence, False)
        other.courier.carry(sequence, False)
        wanted = [100 * sequence + member for member in range(3)]
        assert one.seen(sequence) == other.seen(sequence) == wanted


def test_that_all_have_come_is_told_by_their_posts_alone(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one comes while it is being announced that the others are here."""
    one, other = pair
    pack = one.courier._pack

    def pack_late(*arguments: Any) -> int:
        one.post(1, 1)
        n_bytes: int = pack(*arguments)
        return n_bytes

    monkeypatch.setattr(one.courier, "_pack", pack_late)
    begin(pair, 1)
    assert other.seen(1) == [0, 0, 102]
    one.courier.carry(1, False)
    other.courier.carry(1, False)
    assert one.seen(1) == other.seen(1) == [100, 101, 102]


@pytest.mark.parametrize("form", [SOME, ALL], ids=["who has come", "the posts"])
def test_a_round_is_over_when_all_has_left(
    pair: tuple[Node, Node], network: Network, form: int
) -> None:
    """What does not leave is waited for in turns, which name the other courier."""
    one, other = pair
    network.held = {form}
    begin(pair, 1)
    turns = []

    def turn() -> None:
        turns.append(one.courier.unsent())
        if len(turns) == 3:
            raise Lost

    one.turn = turn
    with pytest.raises(Lost):
        one.courier.carry(1, False)
    assert one.seen(1) == [100, 101, 102]
    assert turns == [[2]] * 3
    # It leaves after all.
    network.held = set()
    one.courier.carry(1, False)
    assert not one.courier.unsent()
    other.courier.carry(1, False)
    assert other.seen(1) == [100, 101, 102]


def test_the_end_waits_for_nothing_that_has_not_left(
    pair: tuple[Node, Node], network: Network
) -> None:
    """The memory stays for who may still fetch from it."""
    one, _ = pair
    network.held = {SOME, ALL}
    begin(pair, 1)
    one.courier._send(1, False)
    before = len(courier_module._under_way)
    one.courier.close()
    one.courier.free()
    assert len(courier_module._under_way) == before + 1


@pytest.mark.parametrize("is_cut", [False, True])
def test_the_end_waits_for_nothing_that_never_comes(
    pair: tuple[Node, Node], network: Network, is_cut: bool
) -> None:
    """A message that has begun to come when its sender is lost; its memory stays."""
    one, other = pair
    network.is_cut = True
    other.post(2, 1)
    other.courier._send(1, False)
    one.post(0, 1)
    one.courier.meanwhile(1)
    network.is_cut = is_cut
    before = len(courier_module._under_way)
    one.courier.close()
    assert len(courier_module._under_way) == before + is_cut
    assert all(message.is_freed for message in one.engine.incoming)
