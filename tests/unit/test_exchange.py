"""Test, without MPI, how many bytes the node leaders exchange."""

import numpy as np
import pytest

from redcoll import ops
from redcoll.datatypes import element_type
from redcoll.internode.exchange import Exchange
from redcoll.internode.parts import blocks_of_nodes
from redcoll.internode.room import Room, most_part_bytes, total_bytes
from redcoll.internode.steps import around
from redcoll.protocol.descriptor import REDUCE_SCATTER, Call, pack
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.topology import Layout


class _Silent:
    """A communicator that never sends its messages."""

    def __init__(self):
        self.Isend = self.Irecv = None

    def Recv_init(self, *_):
        return None

    Send_init = Recv_init


def exchange_of(node, nodes):
    layout = Layout(tuple((each,) for each in range(nodes)), node)
    memory = memoryview(bytearray(total_bytes(nodes, nodes)))
    return Exchange(_Silent(), layout, Room(memory, 0, nodes, nodes), None, None, None)


def sent_bytes(step):
    return len(step[2][0]) - LINE


@pytest.mark.parametrize("nodes", [2, 3, 5, 8, 13])
def test_a_tree_brings_each_vector_to_one_node_once(nodes):
    for root in (0, nodes // 2, nodes - 1):
        blocks = [8 * (1 + node) for node in range(nodes)]
        steps = {}
        for node in range(nodes):
            in_order = [blocks[each] for each in around(node, nodes)]
            steps[node] = exchange_of(node, nodes).steps.of_vectors(in_order, None, root)
        for side in (0, 1):
            arrived = {node: {node} for node in range(nodes)}
            for place in range(len(steps[0][side])):
                before = {node: set(held) for node, held in arrived.items()}
                for node in range(nodes):
                    step = steps[node][side][place]
                    n_bytes = sent_bytes(step)
                    if n_bytes:
                        assert n_bytes == sum(blocks[each] for each in before[node])
                        assert not arrived[step[3]] & before[node]
                        arrived[step[3]] |= before[node]
            assert arrived[root] == set(range(nodes))
            senders = [n for n in range(nodes) if any(map(sent_bytes, steps[n][side]))]
            assert senders == [node for node in range(nodes) if node != root]


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 8, 13, 16])
def test_a_one_way_round_has_one_message_for_each_node_but_the_roots(nodes):
    for root in (0, nodes // 2, nodes - 1):
        sent, received = [], []
        for node in range(nodes):
            found = exchange_of(node, nodes).steps.of_vectors(
                [64] * nodes, None, root, is_one_way=True
            )
            for side in (0, 1):
                steps = found[side]
                places = [(step.to, place) for place, step in enumerate(steps) if step.message]
                assert len(places) == (node != root)
                # After its message, a leader has nothing more to do.
                assert all(place == len(steps) - 1 for _, place in places)
            sent += [(node, step.to) for step in steps if step.message]
            received += [(step.source, node) for step in steps if step.at >= 0]
        assert sorted(sent) == sorted(received)
        assert len(sent) == nodes - 1


@pytest.mark.parametrize("nodes", [2, 3, 5, 8])
def test_without_a_root_all_nodes_get_all_vectors(nodes):
    for node in range(nodes):
        steps = exchange_of(node, nodes).steps.of_vectors([64] * nodes)
        assert sum(map(sent_bytes, steps[0])) == 64 * (nodes - 1)


def test_parts_take_the_bytes_of_the_parts():
    nodes = 4
    own = [np.zeros(100, np.uint8) for _ in range(nodes)]
    steps, arrived = exchange_of(1, nodes).steps.of_parts(128, own)
    assert [sent_bytes(step) for step in steps[0]] == [2 * 128, 2 * 128]
    assert arrived[0][1] is own[1]
    assert {part.size for part in arrived[1]} == {100, 128}


@pytest.mark.parametrize(("kib", "is_split"), [(100, True), (255, False)])
def test_no_node_gets_a_block_that_is_too_long_for_one_exchange(kib, is_split):
    element = element_type(np.dtype("f8"))
    count = kib * 128 // 3 * 3
    call = Call(pack(REDUCE_SCATTER, 1, element.code), count, 0, ops.SUM, element, True, None)
    layout = Layout(((0, 1), (2,)), 0)
    blocks = blocks_of_nodes(layout, call, most_part_bytes(2))
    assert blocks == ([(0, count // 3 * 2), (count // 3 * 2, count)] if is_split else None)


def deliver(nodes, exchanges, plans):
    """Send all messages of plans for all nodes, step by step, and do the work of each step."""
    for place in range(max(map(len, plans))):
        steps = [plan[place] if place < len(plan) else None for plan in plans]
        sent = {}
        for node, step in enumerate(steps):
            for at, source in step.pack:
                at[...] = source
            if step.message is not None:
                sent[node, step.to] = bytes(step.message[0])
        for node, step in enumerate(steps):
            memory = exchanges[node]._room.memory
            for (_, to), message in sent.items():
                if to == node and step.into is not None:
                    step.into[0][...] = np.frombuffer(message, np.uint8)
                elif to == node:
                    memory[8 * step.at :][: len(message)] = message
            for at, source in step.unpack:
                at[...] = source
            for into, (first, second) in step.folds:
                # The digits show which vectors were folded, and in which order.
                into[...] = 1000 * first + second


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_halves_are_folded_on_the_way_in_the_order_of_the_nodes(nodes, side):
    exchanges = [exchange_of(node, nodes) for node in range(nodes)]
    plans, operands = [], []
    for node in range(nodes):
        own = [np.full(3, 1 + node + 10 * part) for part in range(nodes)]
        steps, last = exchanges[node].steps.of_halves(64, own)
        plans.append(steps[side])
        operands.append(last[side])
        sizes = [sent_bytes(step) for step in steps[side]]
        assert sizes == [64 * nodes >> k for k in range(1, nodes.bit_length())]
    deliver(nodes, exchanges, plans)
    for node in range(nodes):
        first, second = operands[node]
        found = int(first[0]) * 1000 + int(second[0])
        assert found == fold_in_pairs([1 + each + 10 * node for each in range(nodes)])


def fold_in_pairs(values):
    while len(values) > 1:
        values = [1000 * low + high for low, high in zip(values[::2], values[1::2], strict=True)]
    return values[0]


@pytest.mark.parametrize("root", [None, 0, 1])
@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_steps_back_bring_parts_to_their_places(nodes, root):
    exchanges = [exchange_of(node, nodes) for node in range(nodes)]
    sizes = [8 * (1 + part % 3) for part in range(nodes)]
    ends = np.cumsum([0, *sizes])
    whole = np.arange(sum(sizes), dtype=np.uint8)
    results = []
    for node in range(nodes):
        result = np.zeros_like(whole)
        own = slice(ends[node], ends[node + 1])
        result[own] = whole[own]
        results.append(result)
    plans = [
        exchanges[node].steps.back([result, result], sizes, root)[0]
        for node, result in enumerate(results)
    ]
    n_sent = sum(step.message is not None for plan in plans for step in plan)
    assert n_sent == (nodes - 1 if root is not None else nodes * (nodes.bit_length() - 1))
    for distance in exchanges[0]._room.distances:
        sent = {}
        for node, plan in enumerate(plans):
            for step in plan:
                if step.to == node ^ distance and step.message is not None:
                    sent[step.to] = step.message[0].copy()
        for node, plan in enumerate(plans):
            for step in plan:
                if step.to == node ^ distance and step.into is not None:
                    step.into[0][...] = sent.pop(node)
        assert not sent
    for node in range(nodes) if root is None else [root]:
        assert np.array_equal(results[node], whole)


@pytest.mark.parametrize("nodes", [2, 3, 8])
def test_steps_to_all_receive_before_they_send(nodes):
    receives = [np.zeros(8, np.uint8) for _ in range(nodes)]
    sends = [np.full(8, node, np.uint8) for node in range(nodes)]
    steps = exchange_of(1, nodes).steps.to_all(receives, sends)
    arriving, leaving = steps[: nodes - 1], steps[nodes - 1 :]
    others = [node for node in range(nodes) if node != 1]
    assert sorted(step.to for step in arriving) == sorted(step.to for step in leaving) == others
    assert all(step.into[0] is receives[step.to] and not step.waits for step in arriving)
    assert all(step.message[0] is sends[step.to] for step in leaving)
    one = [sends[node] if node == 0 else None for node in range(nodes)]
    assert [step.to for step in exchange_of(1, nodes).steps.to_all([None] * nodes, one)] == [0]
