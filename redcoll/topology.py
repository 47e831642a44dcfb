"""Which PEs share a node, and how many cores they share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from redcoll import config
from redcoll.errors import TopologyError

if TYPE_CHECKING:
    from mpi4py import MPI


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
            namespace = str(Path("/proc/self/ns/pid").readlink())
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
            words = Path(quota_file).read_text().split()
            if period_file is not None:
                words.append(Path(period_file).read_text().strip())
            quota, period = float(words[0]), float(words[1])
        except (OSError, ValueError, IndexError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return float("inf")


def usable_cores(processes: list[Process]) -> int:
    """Cores that these processes of one node can keep busy together, at least 1.

    The union of their masks: a launcher that binds each PE to a core of its own
    leaves every single mask with one core.
    """
    union = frozenset[int]().union(*(process.cores for process in processes))
    quota = min(process.core_quota for process in processes)
    return max(1, int(min(float(len(union)), quota)))


def require_one_node(comm: MPI.Intracomm) -> None:
    """Refuse a communicator whose processes are on several nodes.  Collective over ``comm``.

    Raises
    ------
    TopologyError
        On every process alike: the nodes are named.
    """
    from mpi4py import MPI  # here, since importing redcoll must not start MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    together = node.Get_size() == comm.Get_size()
    node.Free()
    if not together:
        hosts = sorted(set(comm.allgather(os.uname().nodename)))
        raise TopologyError(
            f"the {comm.Get_size()} PEs are on several nodes ({', '.join(hosts)}); "
            "several nodes are not supported yet: start the job on one"
        )
    size = config.NODE_SIZE.get()
    if size is not None and size < comm.Get_size():
        raise TopologyError(
            f"{config.NODE_SIZE.name}={size} makes several nodes of {comm.Get_size()} PEs; "
            "several nodes are not supported yet: unset it"
        )
