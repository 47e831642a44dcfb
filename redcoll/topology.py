"""Find the nodes of a job: which ranks share a node, and how many cores they share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from redcoll import config
from redcoll.errors import ConfigError

if TYPE_CHECKING:
    from redcoll._mpi4py import MPI


class Process(NamedTuple):
    """A rank's process and cores. Ranks exchange this tuple when they make a team."""

    host: str
    pid: int
    pid_namespace: str
    """The namespace of process ids. Equal ids mean the same process only in one namespace."""
    cores: frozenset[int]
    """The cores that the process may run on."""
    core_quota: float
    """The CPU limit of the control group, in cores; infinite if there is no limit."""

    @classmethod
    def here(cls) -> Process:
        """Return the calling process."""
        try:
            namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - as in _text
        except OSError:
            namespace = ""
        if hasattr(os, "sched_getaffinity"):
            cores = frozenset(os.sched_getaffinity(0))
        else:
            cores = frozenset(range(os.cpu_count() or 1))
        return cls(os.uname().nodename, os.getpid(), namespace, cores, _core_quota())


known_processes: dict[int, Process] = {}
"""The processes of all ranks with which this rank has made a team, by PE number."""


def _core_quota() -> float:
    """Return the CPU limit of the control group, in cores (cgroup v2, or else v1)."""
    for files in (
        ("/sys/fs/cgroup/cpu.max",),
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
    ):
        try:
            quota, period = map(float, " ".join(map(_text, files)).split())
        except (OSError, ValueError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return float("inf")


def _text(path: str) -> str:
    # This function does not use pathlib, because the import adds 3 ms to the start of each rank.
    with open(path, encoding="ascii") as file:  # noqa: PTH123
        return file.read()


def usable_cores(processes: list[Process]) -> int:
    """Return how many cores these processes of one node can keep busy together, at least 1.

    The result is the size of the union of the affinity masks, because a launcher may bind each rank
    to one core. A quota of the control group can lower the result.
    """
    union = frozenset[int]().union(*(process.cores for process in processes))
    quota = min(process.core_quota for process in processes)
    return max(1, int(min(float(len(union)), quota)))


def names_of(pes: Sequence[int], *, by_rank: bool = False) -> list[str]:
    """Return the names of members for messages, such as ``PE 3``, in the order of ``pes``.

    With ``by_rank`` the names also have ranks in a communicator, such as ``rank 2 (PE 3)``. If all
    ranks equal the PE numbers, a name is only ``rank 3``.
    """
    if not by_rank:
        return [f"PE {pe}" for pe in pes]
    if list(pes) == list(range(len(pes))):
        return [f"rank {pe}" for pe in pes]
    return [f"rank {rank} (PE {pe})" for rank, pe in enumerate(pes)]


def on_hosts(names: list[str], processes: Sequence[Process]) -> list[str]:
    """Add hosts to the names, as in ``PE 3 on host2``, if there are several hosts."""
    if len({process.host for process in processes}) == 1:
        return names
    return [f"{name} on {process.host}" for name, process in zip(names, processes, strict=True)]


class Layout(NamedTuple):
    """The distribution of a communicator's members over nodes."""

    nodes: tuple[tuple[int, ...], ...]
    """Team ranks of each node's members, in order. Nodes are in the order of their first
    members."""
    node: int
    """The number of the caller's node."""

    @property
    def members(self) -> tuple[int, ...]:
        """Team ranks of the members on the caller's node."""
        return self.nodes[self.node]

    def node_of(self, index: int) -> int:
        """Return the number of a member's node."""
        return next(node for node, members in enumerate(self.nodes) if index in members)

    @property
    def firsts(self) -> list[int]:
        """The first member of each node."""
        return [members[0] for members in self.nodes]

    @property
    def owners(self) -> int:
        """How many members of each node work on long vectors: the size of the smallest node."""
        return min(len(members) for members in self.nodes)

    def rail_of(self, index: int) -> list[int]:
        """Return the rail of a member: the members with the same place on all nodes.

        A member that is not an owner has an empty rail.
        """
        place = self.nodes[self.node_of(index)].index(index)
        return [members[place] for members in self.nodes] if place < self.owners else []

    @property
    def is_one_node(self) -> bool:
        """Whether all members share one node."""
        return len(self.nodes) == 1


@cache
def _first_size() -> int | None:
    """Return the value of ``REDCOLL_NODE_SIZE`` at the first call."""
    return config.NODE_SIZE.get()


def lay_out(comm: MPI.Intracomm) -> tuple[Layout, MPI.Intracomm]:
    """Return the nodes of a communicator's members, and a communicator of the caller's node.

    Collective over ``comm``. MPI determines which ranks share memory and so form a node.
    ``REDCOLL_NODE_SIZE`` divides such a node into smaller nodes, each of that many consecutive
    ranks of the job. Raise ``ConfigError`` if ``REDCOLL_NODE_SIZE`` is not a divisor of its value
    at the first call. Raise ``TeamLimitError`` on all processes if MPI has no communicator left on
    one of them.
    """
    from redcoll._mpi4py import MPI  # not at the top: importing redcoll must not start MPI
    from redcoll.comm import gather_objects, least, no_communicator

    size, first = config.NODE_SIZE.get(), _first_size()
    # The heap was mapped with the first node size, and members of a node must share the heap.
    if first is not None and (size is None or first % size):
        raise ConfigError(
            f"{config.NODE_SIZE.name} is {size or 'not set'}, and was {first} when redcoll "
            f"started; it must be a divisor of {first}"
        )
    made: list[MPI.Intracomm] = []
    error, leader = None, -1
    try:
        made.append(MPI.Intracomm(comm.Split_type(MPI.COMM_TYPE_SHARED, comm.Get_rank())))
        if size is not None:
            color = MPI.COMM_WORLD.Get_rank() // size
            made.append(MPI.Intracomm(made[0].Split(color, comm.Get_rank())))
            made.pop(0).Free()
        leader = least(made[0], comm.Get_rank())
    # All ranks of this node raise this error, but ranks of other nodes may have succeeded.
    except MPI.Exception as refusal:
        error = no_communicator(refusal)
    nodes: dict[int, list[int]] = {}
    told = gather_objects(comm, (leader, error))
    for index, (its_leader, refused) in enumerate(told):
        if refused is not None:
            while made:
                made.pop().Free()
            raise refused
        nodes.setdefault(its_leader, []).append(index)
    [node] = made
    found = tuple(tuple(nodes[each]) for each in sorted(nodes))
    return Layout(found, sorted(nodes).index(leader)), node
