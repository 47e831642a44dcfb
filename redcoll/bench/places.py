"""Find the node of each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redcoll import config

if TYPE_CHECKING:
    from mpi4py import MPI


def node_of_each(comm: MPI.Intracomm) -> list[int]:
    """Return the node number of each rank. Nodes are numbered in the order of their first ranks.

    Collective over ``comm``. Nodes that ``REDCOLL_NODE_SIZE`` simulates count as nodes.
    """
    from mpi4py import MPI

    shared = comm.Split_type(MPI.COMM_TYPE_SHARED)
    first = shared.bcast(comm.Get_rank(), root=0)
    shared.Free()
    size = config.NODE_SIZE.get()
    part = 0 if size is None else comm.Get_rank() // size
    told = comm.allgather((first, part))
    numbers = {node: number for number, node in enumerate(dict.fromkeys(told))}
    return [numbers[node] for node in told]
