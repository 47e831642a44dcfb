"""On which node each PE is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redcoll import config

if TYPE_CHECKING:
    from mpi4py import MPI


def node_of_each(comm: MPI.Intracomm) -> list[int]:
    """The number of each PE's node, in the order of first PEs.  Collective over ``comm``.

    What ``REDCOLL_NODE_SIZE`` makes nodes counts as such.
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
