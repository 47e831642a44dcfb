"""Test, without MPI, how many bytes the node leaders exchange."""

import numpy as np
import pytest

from redcoll import ops
from redcoll.datatypes import element_type
from redcoll.internode.exchange import Exchange, around
from redcoll.internode.parts import blocks_of_nodes
from redcoll.internode.room import Room, most_part_bytes, total_bytes
from redcoll.protocol.descriptor import REDUCE_SCATTER, Call, pack
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.topology import Layout


class _Silent:
    """A communicator that never sends its messages."""

    def __init__(self):
        self.Isend = None

    def Recv_init(self, *_):
        return None

    Send_init = Recv_init


def exchange_of(node, nodes):
    layout = Layout(tuple((each,) for each in range(nodes)), node)
    memory = memoryview(bytearray(total_bytes(nodes, nodes)))
    return Exchange(_Silent(), layout, Room(memory, 0, nodes, nodes), None)


def sent_bytes(step):
    return len(step[2][0]) - LINE


@pytest.mark.parametrize("nodes", [2, 3, 5, 8, 13])
def test_a_tree_brings_each_vector_to_one_node_once(nodes):
    for root in (0, nodes // 2, nodes - 1):
        blocks = [8 * (1 + node) for node in range(nodes)]
        steps = {}
        for node in range(nodes):
            in_order = [blocks[each] for each in around(node, nodes)]
            steps[node] = exchange_of(node, nodes).steps(in_order, None, root)
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


@pytest.mark.parametrize("nodes", [2, 3, 5, 8])
def test_without_a_root_all_nodes_get_all_vectors(nodes):
    for node in range(nodes):
        steps = exchange_of(node, nodes).steps([64] * nodes)
        assert sum(map(sent_bytes, steps[0])) == 64 * (nodes - 1)


def test_parts_take_the_bytes_of_the_parts():
    nodes = 4
    own = [np.zeros(100, np.uint8) for _ in range(nodes)]
    steps, arrived = exchange_of(1, nodes).steps_of_parts(128, own)
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
