"""The parameters of the machine on which a job runs."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from redcoll import config, kernels, ops
from redcoll.bench.job import sleep_until_all
from redcoll.bench.places import node_of_each
from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.barrier import barrier
from redcoll.kernels import thresholds
from redcoll.model.machine import Layout, Machine
from redcoll.model.parameters import KNOWN, Parameters
from redcoll.team import Team
from redcoll.topology import Process, usable_cores

T = TypeVar("T")

_REPEATS = 15
_BATCH_S = 0.003
_SHARED_BATCH_S = 0.03
"""Where PEs share cores they come to the start of a batch one after the other."""
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

    What happens on a node is measured on the first one, between nodes on the first two.
    """
    comm = MPI.COMM_WORLD
    nodes = node_of_each(comm)
    own_node = nodes[comm.Get_rank()]
    node = _split(comm, own_node)
    alone = _split(comm, comm.Get_rank())
    cores = _cores(comm, own_node)
    call_s, empty_s, small_bytes, chunk_bytes = _alone(
        comm, comm.Get_rank() == 0, lambda: _own(alone)
    )
    if len(set(nodes)) > 1:
        small_bytes, chunk_bytes = _sizes_across()
    fold_rate, copy_rate = _alone(comm, comm.Get_rank() == 0, _rates)
    memory_rate = 2 * node.allreduce(_PIECE_BYTES / _seconds(_copy(), node))
    post_s, look_s, switch_s, local_s = _rounds(
        comm, node, own_node == 0, nodes.count(0), cores, empty_s
    )
    latency_s, overhead_s, link_rate = _between(comm, nodes)
    for each in (node, alone):
        each.Free()
    found = Parameters(
        call_s=call_s,
        post_s=post_s,
        look_s=look_s,
        switch_s=switch_s,
        switch_across_s=FALLBACK.switch_across_s,
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
    # The barrier of several nodes is what a short vector goes through, without the vector.
    round_s = Machine(found, Layout.even(1, nodes.count(0))).round_s()
    switch_across_s = _switch_across(comm, nodes, cores, empty_s + 2 * round_s + latency_s)
    return replace(found, switch_across_s=switch_across_s) if comm.Get_rank() == 0 else None


def _split(comm: MPI.Intracomm, part: int) -> MPI.Intracomm:
    return cast("MPI.Intracomm", comm.Split(part))


def _alone(comm: MPI.Intracomm, takes_part: bool, work: Callable[[], T]) -> T:
    """What the work gives on PE 0, which takes part; the PEs that do not sleep meanwhile."""
    result = work() if takes_part else None
    sleep_until_all(comm)
    return comm.bcast(result, root=0)  # type: ignore[no-any-return]


def _seconds(
    work: Callable[[], object],
    comm: MPI.Intracomm,
    batch_s: float = _BATCH_S,
    pick: Callable[[Iterable[float]], float] = min,
) -> float:
    """Seconds of a call that all processes of ``comm`` make together: the slowest's.

    What disturbs a batch only makes it longer, so the shortest counts, or what else is to be
    picked of several.
    """
    n_calls = 1
    while (took_s := _batch_s(work, comm, n_calls)) < batch_s / 2 and n_calls < _MOST_CALLS:
        n_calls = min(_MOST_CALLS, 2 * n_calls, int(n_calls * batch_s / max(took_s, 1e-9)) + 1)
    return pick(_batch_s(work, comm, n_calls) for _ in range(_REPEATS)) / n_calls


def _batch_s(work: Callable[[], object], comm: MPI.Intracomm, n_calls: int) -> float:
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(n_calls):
        work()
    return float(comm.allreduce(time.perf_counter() - start, MPI.MAX))


def _cores(comm: MPI.Intracomm, own_node: int) -> float:
    """Cores of a node's PEs: a share of them, where several nodes are one machine."""
    try:
        machine = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        machine = f"node {own_node}"
    places = comm.allgather((machine, own_node, Process.here()))
    here = [(node, process) for which, node, process in places if which == machine]
    return usable_cores([process for _, process in here]) / len({node for node, _ in here})


def _own(alone: MPI.Intracomm) -> tuple[float, float, int, int]:
    """What a call costs a PE alone, and a barrier; the sizes at which redcoll changes its ways."""
    team = Team.from_comm(alone)
    source, target = np.zeros(1), np.zeros(1)
    call_s = _seconds(lambda: allreduce(target, source, team=team), alone)
    empty_s = _seconds(lambda: barrier(team=team), alone)
    sizes = (team.small_bytes, team.chunk_bytes)
    team.close()
    return (call_s, empty_s, *sizes)


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
    empty_s: float,
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
        post_s = max(0.0, _alone(comm, takes_part, lambda: _round_s(pair)) - empty_s)
        local_s = _alone(comm, takes_part, lambda: _one_way_s(pair))
    if pes > min(2, cores):
        is_shared = pes > cores
        all_s = comm.bcast(_round_s(node, _SHARED_BATCH_S if is_shared else _BATCH_S), root=0)
        further_s = max(0.0, all_s - empty_s - post_s)
        if not is_shared:
            look_s = further_s / (pes - 2)
        else:
            switch_s = max(0.0, further_s - (pes - 2) * look_s) / (pes / cores - 1)
    if takes_part:
        pair.Free()
    return post_s, look_s, switch_s, local_s


def _round_s(comm: MPI.Intracomm, batch_s: float = _BATCH_S) -> float:
    """A barrier of some processes, which is a round, with the call it is in."""
    team = Team.from_comm(comm)
    round_s = _seconds(lambda: barrier(team=team), comm, batch_s)
    team.close()
    return round_s


def _switch_across(comm: MPI.Intracomm, nodes: list[int], cores: float, known_s: float) -> float:
    """What is left of a round of the first two nodes beyond ``known_s``, by switches of a core."""
    pes = nodes.count(0)
    if 1 not in nodes or pes <= cores:
        return FALLBACK.switch_across_s
    takes_part = nodes[comm.Get_rank()] < 2
    both = _split(comm, 0 if takes_part else MPI.UNDEFINED)
    all_s = _alone(comm, takes_part, lambda: _round_s(both, _SHARED_BATCH_S))
    if takes_part:
        both.Free()
    return max(0.0, all_s - known_s) / (pes / cores - 1)


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
    rank = comm.Get_rank()
    first, second = ([pe for pe, at in enumerate(nodes) if at == node] for node in (0, 1))
    pairs = list(zip(first, second, strict=False))  # as many as the smaller one has
    number = next((which for which, pair in enumerate(pairs) if rank in pair), None)
    takes_part = number is not None
    pair = _split(comm, MPI.UNDEFINED if number is None else number)
    both = _split(comm, 0 if takes_part else MPI.UNDEFINED)
    latency_s, overhead_s = _alone(comm, number == 0, lambda: _latency(pair))
    # All at once: this is what they do, and what a network may not stand.
    long_s = _alone(comm, takes_part, lambda: _swap_s(pair, both, 1, _LONG_BYTES))
    for each in (pair, both):
        if each != MPI.COMM_NULL:
            each.Free()
    return latency_s, overhead_s, len(pairs) * _LONG_BYTES / max(long_s - latency_s, 1e-9)


def _latency(pair: MPI.Intracomm) -> tuple[float, float]:
    """A short message each way at once, and what each message more costs."""
    short_s, burst_s = (_swap_s(pair, pair, count, _SHORT_BYTES) for count in (1, _BURST))
    # Each is one to send and one to receive.
    return short_s, max(0.0, burst_s - short_s) / (2 * (_BURST - 1))


def _swap_s(pair: MPI.Intracomm, comm: MPI.Intracomm, count: int, n_bytes: int) -> float:
    """So many messages each way at once, by each pair of ``comm``."""
    other = 1 - pair.Get_rank()
    sent = np.zeros(n_bytes, np.uint8)
    received = [np.zeros(n_bytes, np.uint8) for _ in range(count)]

    def swap() -> None:
        requests = [pair.Irecv(each, other) for each in received]
        requests += [pair.Isend(sent, other) for _ in range(count)]
        MPI.Request.Waitall(requests)

    # Long messages on a network have good times and bad ones, whoever else is there.
    return _seconds(swap, comm, pick=min if n_bytes == _SHORT_BYTES else statistics.median)
