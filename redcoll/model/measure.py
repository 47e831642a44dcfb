"""The parameters of the machine on which a job runs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from redcoll import config, kernels, ops
from redcoll.bench.job import sleep_until_all
from redcoll.bench.places import node_of_each
from redcoll.collectives.barrier import barrier
from redcoll.kernels import thresholds
from redcoll.model.parameters import KNOWN, Parameters
from redcoll.team import Team
from redcoll.topology import Process, usable_cores

T = TypeVar("T")

_REPEATS = 15
_BATCH_S = 0.003
_MOST_CALLS = 10_000
_SHORT_BYTES = 8
_LONG_BYTES = 1 << 20
_BURST = 32
_PIECE_BYTES = 128 << 10
_MEMORY_BYTES = 16 << 20

FALLBACK = KNOWN["cluster"]
"""Where a job cannot show a figure: without a second node, or without a second PE on one."""


def measure() -> Parameters | None:
    """Measure.  Collective over all PEs; PE 0 gets the parameters, others None.

    What happens on a node is measured on the first one, between nodes with the first PE of
    each of the first two.
    """
    comm = MPI.COMM_WORLD
    nodes = node_of_each(comm)
    own_node = nodes[comm.Get_rank()]
    node = _split(comm, own_node)
    alone = _split(comm, comm.Get_rank())
    cores = _cores(comm, node)
    call_s, small_bytes, chunk_bytes = _alone(comm, comm.Get_rank() == 0, lambda: _own(alone))
    if len(set(nodes)) > 1:
        small_bytes, chunk_bytes = _sizes_across()
    fold_rate, copy_rate = _alone(comm, comm.Get_rank() == 0, _rates)
    memory_rate = 2 * node.allreduce(_PIECE_BYTES / _seconds(_copy(), node))
    post_s, look_s, switch_s, local_s = _rounds(
        comm, node, own_node == 0, nodes.count(0), cores, call_s
    )
    latency_s, overhead_s, link_rate = _between(comm, nodes)
    for each in (node, alone):
        each.Free()
    if comm.Get_rank() != 0:
        return None
    return Parameters(
        call_s=call_s,
        post_s=post_s,
        look_s=look_s,
        switch_s=switch_s,
        local_s=local_s,
        cores=cores,
        fold_rate=fold_rate,
        copy_rate=copy_rate,
        memory_rate=memory_rate,
        latency_s=latency_s,
        overhead_s=overhead_s,
        link_rate=link_rate,
        small_bytes=small_bytes,
        chunk_bytes=chunk_bytes,
    )


def _split(comm: MPI.Intracomm, part: int) -> MPI.Intracomm:
    return cast("MPI.Intracomm", comm.Split(part))


def _alone(comm: MPI.Intracomm, takes_part: bool, work: Callable[[], T]) -> T:
    """What the work gives on PE 0, which takes part; the PEs that do not sleep meanwhile."""
    result = work() if takes_part else None
    sleep_until_all(comm)
    return comm.bcast(result, root=0)  # type: ignore[no-any-return]


def _seconds(work: Callable[[], object], comm: MPI.Intracomm) -> float:
    """Seconds of a call that all processes of ``comm`` make together: the slowest's."""
    n_calls = 1
    while (took_s := _batch_s(work, comm, n_calls)) < _BATCH_S / 2 and n_calls < _MOST_CALLS:
        n_calls = min(_MOST_CALLS, 2 * n_calls, int(n_calls * _BATCH_S / max(took_s, 1e-9)) + 1)
    # What disturbs a batch only makes it longer.
    return min(_batch_s(work, comm, n_calls) for _ in range(_REPEATS)) / n_calls


def _batch_s(work: Callable[[], object], comm: MPI.Intracomm, n_calls: int) -> float:
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(n_calls):
        work()
    return float(comm.allreduce(time.perf_counter() - start, MPI.MAX))


def _cores(comm: MPI.Intracomm, node: MPI.Intracomm) -> float:
    """Cores of a node's PEs: a share of them, where several nodes are one machine."""
    cores = usable_cores(node.allgather(Process.here()))
    try:
        machine = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        machine = f"node of PE {comm.Get_rank()}"
    leaders = comm.allgather((machine, node.Get_rank() == 0))
    return cores / max(1, leaders.count((node.bcast(machine, root=0), True)))


def _own(alone: MPI.Intracomm) -> tuple[float, int, int]:
    """What a call costs a PE alone; the sizes at which redcoll changes its ways."""
    team = Team.from_comm(alone)
    call_s = _seconds(lambda: barrier(team=team), alone)
    sizes = (team.small_bytes, team.chunk_bytes)
    team.close()
    return (call_s, *sizes)


def _sizes_across() -> tuple[int, int]:
    """Those sizes where there are several nodes."""
    small, chunk = config.SMALL_BYTES.get(), config.CHUNK_BYTES.get()
    return (
        thresholds.SMALL_BYTES_ACROSS if small is None else small,
        thresholds.CHUNK_BYTES_ACROSS if chunk is None else chunk,
    )


def _rates() -> tuple[float, float]:
    """Bytes per second that this PE folds and copies, none of them in its own cache.

    In a reduction most were written by another PE.
    """
    kernel = kernels.load(kernels.choose())
    into = np.zeros(_PIECE_BYTES // 8)
    others = itertools.cycle(_pieces())
    fold_s = _seconds(lambda: kernel.fold(ops.SUM, [into, next(others)], into), MPI.COMM_SELF)
    return _PIECE_BYTES / fold_s, _PIECE_BYTES / _seconds(_copy(), MPI.COMM_SELF)


def _pieces() -> list[NDArray[np.float64]]:
    """Pieces of more memory than a core's cache holds."""
    return list(np.ones((_MEMORY_BYTES // _PIECE_BYTES, _PIECE_BYTES // 8)))


def _copy() -> Callable[[], None]:
    pairs = itertools.cycle(zip(_pieces(), _pieces(), strict=True))

    def copy() -> None:
        source, target = next(pairs)
        np.copyto(target, source)

    return copy


def _rounds(
    comm: MPI.Intracomm,
    node: MPI.Intracomm,
    is_first: bool,
    pes: int,
    cores: float,
    call_s: float,
) -> tuple[float, float, float, float]:
    """Post, look, switch and a message on the first node, which has ``pes`` PEs."""
    post_s, look_s, switch_s, local_s = (
        FALLBACK.post_s,
        FALLBACK.look_s,
        FALLBACK.switch_s,
        FALLBACK.local_s,
    )
    takes_part = is_first and node.Get_rank() < 2
    pair = _split(comm, 0 if takes_part else MPI.UNDEFINED)
    if pes > 1:
        post_s = max(0.0, _alone(comm, takes_part, lambda: _round_s(pair)) - call_s)
        local_s = _alone(comm, takes_part, lambda: _one_way_s(pair))
    if pes > 2:
        all_s = comm.bcast(_round_s(node), root=0)
        further_s = max(0.0, all_s - call_s - post_s)
        if pes <= cores:
            look_s = further_s / (pes - 2)
        else:
            switch_s = max(0.0, further_s - (pes - 2) * look_s) / (pes / cores - 1)
    if takes_part:
        pair.Free()
    return post_s, look_s, switch_s, local_s


def _round_s(comm: MPI.Intracomm) -> float:
    """A round of the processes of one node, with the call it is in."""
    team = Team.from_comm(comm)
    round_s = _seconds(lambda: barrier(team=team), comm)
    team.close()
    return round_s


def _one_way_s(pair: MPI.Intracomm) -> float:
    """A short message of two processes, from the call of one to that of the other."""
    data = np.zeros(_SHORT_BYTES, np.uint8)

    def there_and_back() -> None:
        if pair.Get_rank() == 0:
            pair.Send(data, 1)
            pair.Recv(data, 1)
        else:
            pair.Recv(data, 0)
            pair.Send(data, 0)

    return _seconds(there_and_back, pair) / 2


def _between(comm: MPI.Intracomm, nodes: list[int]) -> tuple[float, float, float]:
    """Latency, overhead and rate between the first two nodes."""
    if 1 not in nodes:
        return FALLBACK.latency_s, FALLBACK.overhead_s, FALLBACK.link_rate
    takes_part = comm.Get_rank() in (0, nodes.index(1))
    ends = _split(comm, 0 if takes_part else MPI.UNDEFINED)
    result = _alone(comm, takes_part, lambda: _network(ends))
    if takes_part:
        ends.Free()
    return result


def _network(ends: MPI.Intracomm) -> tuple[float, float, float]:
    latency_s = _one_way_s(ends)
    short_s, burst_s = (_swap_s(ends, count, _SHORT_BYTES) for count in (1, _BURST))
    # Each message more is one to send and one to receive.
    overhead_s = max(0.0, burst_s - short_s) / (2 * (_BURST - 1))
    long_s = _swap_s(ends, 1, _LONG_BYTES)
    return latency_s, overhead_s, _LONG_BYTES / max(long_s - latency_s, 1e-9)


def _swap_s(pair: MPI.Intracomm, count: int, n_bytes: int) -> float:
    """So many messages each way at once."""
    other = 1 - pair.Get_rank()
    sent = np.zeros(n_bytes, np.uint8)
    received = [np.zeros(n_bytes, np.uint8) for _ in range(count)]

    def swap() -> None:
        requests = [pair.Irecv(each, other) for each in received]
        requests += [pair.Isend(sent, other) for _ in range(count)]
        MPI.Request.Waitall(requests)

    return _seconds(swap, pair)
