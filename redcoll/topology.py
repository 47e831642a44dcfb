"""Which PEs share a node, and how many cores they share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redcoll import config
from redcoll.errors import ConfigError

if TYPE_CHECKING:
    from redcoll._mpi4py import MPI


@dataclass(frozen=True)
class Process:
    """What a PE tells the others of itself when a team is made."""

    host: str
    pid: int
    pid_namespace: str
    """Process ids mean the same process only inside one namespace."""
    cores: frozenset[int]
    """Cores that the process may run on."""
    core_quota: float
    """CPU time per unit of time that its control group grants; infinite if unlimited."""

    @classmethod
    def here(cls) -> Process:
        """The calling process."""
        try:
            namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - as in _text
        except OSError:
            namespace = ""
        if hasattr(os, "sched_getaffinity"):
            cores = frozenset(os.sched_getaffinity(0))
        else:
            cores = frozenset(range(os.cpu_count() or 1))
        return cls(os.uname().nodename, os.getpid(), namespace, cores, _core_quota())


def _core_quota() -> float:
    """Cores' worth of time that the control group allows (cgroup v2, then v1)."""
    for quota_file, period_file in (
        ("/sys/fs/cgroup/cpu.max", None),
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
    ):
        try:
            words = _text(quota_file).split()
            if period_file is not None:
                words.append(_text(period_file).strip())
            quota, period = float(words[0]), float(words[1])
        except (OSError, ValueError, IndexError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return float("inf")


def _text(path: str) -> str:
    # To import pathlib takes 3 ms of each PE's start.
    with open(path, encoding="ascii") as file:  # noqa: PTH123
        return file.read()


def usable_cores(processes: list[Process]) -> int:
    """Cores that these processes of one node can keep busy together, at least 1.

    The union of their masks: a launcher that binds each PE to a core of its own
    leaves every single mask with one core.
    """
    union = frozenset[int]().union(*(process.cores for process in processes))
    quota = min(process.core_quota for process in processes)
    return max(1, int(min(float(len(union)), quota)))


def names_of(pes: Sequence[int], processes: Sequence[Process]) -> list[str]:
    """What messages call PEs: ``PE 3``, or ``PE 3 on host2`` where there are several hosts."""
    if len({process.host for process in processes}) == 1:
        return [f"PE {pe}" for pe in pes]
    return [f"PE {pe} on {process.host}" for pe, process in zip(pes, processes, strict=True)]


@dataclass(frozen=True)
class Layout:
    """Which members of a communicator share a node."""

    nodes: tuple[tuple[int, ...], ...]
    """Indices of each node's members, in order; nodes in the order of their first member."""
    node: int
    """The caller's node."""

    @property
    def members(self) -> tuple[int, ...]:
        """Indices of those on the caller's node."""
        return self.nodes[self.node]

    def node_of(self, index: int) -> int:
        """The node of a member."""
        return next(node for node, members in enumerate(self.nodes) if index in members)

    @property
    def firsts(self) -> list[int]:
        """The first member of each node."""
        return [members[0] for members in self.nodes]

    @property
    def owners(self) -> int:
        """How many of each node share the work on long vectors: as many as the smallest has."""
        return min(len(members) for members in self.nodes)

    def mates(self, index: int) -> list[int]:
        """Who on each node, in their order, has the same share of that work as a member."""
        place = self.nodes[self.node_of(index)].index(index)
        return [members[place] for members in self.nodes] if place < self.owners else []

    @property
    def is_one_node(self) -> bool:
        """Whether all members share one node."""
        return len(self.nodes) == 1


_first_size: list[int | None] = []
"""``REDCOLL_NODE_SIZE`` as it was at the first call."""


def _check_within_first(size: int | None) -> None:
    if not _first_size:
        _first_size.append(size)
    [first] = _first_size
    # The heap's nodes are the first ones, and who shares a node has to share its heap.
    if first is not None and (size is None or first % size):
        raise ConfigError(
            f"{config.NODE_SIZE.name} is {size or 'not set'}, and was {first} when redcoll "
            f"started; later nodes must lie within those: set it to a divisor of {first}"
        )


def lay_out(comm: MPI.Intracomm) -> tuple[Layout, MPI.Intracomm]:
    """Who shares a node with whom, and a communicator of those on the caller's.

    Collective over ``comm``. What MPI says counts, and ``REDCOLL_NODE_SIZE``, by which so many
    consecutive PEs of the job are a node of their own.

    Raises
    ------
    ConfigError
        ``REDCOLL_NODE_SIZE`` has changed so that nodes do not lie within those of the first call.
    TeamLimitError
        MPI has no communicator left, on some process: on all processes.
    """
    from redcoll._mpi4py import MPI  # here, since importing redcoll must not start MPI
    from redcoll.comm import no_communicator

    size = config.NODE_SIZE.get()
    _check_within_first(size)
    made: list[MPI.Intracomm] = []
    error, leader = None, -1
    try:
        made.append(MPI.Intracomm(comm.Split_type(MPI.COMM_TYPE_SHARED, comm.Get_rank())))
        if size is not None:
            color = MPI.COMM_WORLD.Get_rank() // size
            made.append(MPI.Intracomm(made[0].Split(color, comm.Get_rank())))
            made.pop(0).Free()
        leader = made[0].bcast(comm.Get_rank(), root=0)
    except MPI.Exception as refusal:  # on all of a node, and maybe on other nodes not
        error = no_communicator(refusal)
    nodes: dict[int, list[int]] = {}
    told = comm.allgather((leader, error))
    for index, (its_leader, refused) in enumerate(told):
        if refused is not None:
            while made:
                made.pop().Free()
            raise refused
        nodes.setdefault(its_leader, []).append(index)
    [node] = made
    found = tuple(tuple(nodes[each]) for each in sorted(nodes))
    return Layout(found, sorted(nodes).index(leader)), node
