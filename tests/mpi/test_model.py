"""The model's figures, measured in the running job."""

from __future__ import annotations

import os
from dataclasses import asdict

import pytest
from mpi4py import MPI

from redcoll import kernels
from redcoll.bench.places import node_of_each
from redcoll.kernels import thresholds
from redcoll.model import algorithms
from redcoll.model.machine import Layout, Machine
from redcoll.model.measure import FALLBACK, measure
from redcoll.topology import Process, usable_cores

pytestmark = pytest.mark.mpi

comm = MPI.COMM_WORLD


@pytest.fixture(params=[None, 1, 2])
def node_size(request, pretend_nodes):
    """``REDCOLL_NODE_SIZE``, unset at first."""
    if request.param is not None:
        pretend_nodes(request.param)
    elif "REDCOLL_NODE_SIZE" in os.environ:
        pytest.skip("REDCOLL_NODE_SIZE is set: the nodes are not the real ones")
    return request.param


def test_the_nodes_are_numbered_from_the_first_pe_on(node_size):
    nodes = node_of_each(comm)
    assert len(nodes) == comm.size
    assert comm.allgather(nodes) == [nodes] * comm.size
    assert [*dict.fromkeys(nodes)] == list(range(max(nodes) + 1))
    if node_size is not None:
        sizes = [nodes.count(node) for node in range(max(nodes) + 1)]
        assert max(sizes) <= node_size
    shared = comm.Split_type(MPI.COMM_TYPE_SHARED)
    mine = [nodes[pe] for pe in shared.allgather(comm.rank)]
    shared.Free()
    if node_size is None:
        assert set(mine) == {nodes[comm.rank]}
        assert nodes.count(nodes[comm.rank]) == len(mine)


def test_measured_figures_are_figures(world, node_size):
    machines = comm.allgather(MPI.Get_processor_name())
    everybody = comm.allgather(Process.here())
    found = measure()
    n_nodes = len(set(node_of_each(comm)))
    are_several = n_nodes > 1
    assert comm.allgather(found is not None) == [True] + [False] * (comm.size - 1)
    if found is None:
        return
    values = asdict(found)
    assert all(value > 0 for name, value in values.items() if not name.endswith("_s")), values
    assert 0 < found.call_s < 1
    on_a_node = kernels.load(kernels.choose()).SMALL_BYTES
    assert found.small_bytes == (thresholds.SMALL_BYTES_ACROSS if are_several else on_a_node)
    if len(set(machines)) == 1:
        assert found.cores * n_nodes == pytest.approx(usable_cores(everybody))
    nodes = [1] * comm.size if node_size == 1 else [comm.size]
    if node_size == 1 and comm.size > 1:
        assert found.latency_s != FALLBACK.latency_s
        assert found.post_s == FALLBACK.post_s
    machine = Machine(found, Layout.of(nodes))
    assert 0 < algorithms.redcoll_s(machine, 8) < 10
    assert 0 < algorithms.mpi_s(machine, 8) < 10
