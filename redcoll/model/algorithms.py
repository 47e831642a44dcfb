"""The algorithms of allreduce: time, and what each PE needs for it.

Of a vector of ``n`` bytes on each PE, private arrays. Between nodes by messages. Where the PEs
of a node are not as many as those of another, the node with most sets the pace of what happens on
a node, and the one with fewest says how many slices there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redcoll.kernels import thresholds
from redcoll.model.machine import Machine
from redcoll.slices import LINE_BYTES


@dataclass(frozen=True)
class Cost:
    """What one allreduce costs."""

    time_s: float
    messages: int
    """Between nodes, sent by the PE that sends most."""
    sent_bytes: float
    """In these messages."""
    scratch_bytes: float
    """Of the PE that needs most, beside its arrays and what the MPI library keeps."""


ELEMENT_BYTES = 8

Algorithm = Callable[[Machine, int], Cost]


def _posts_bytes(machine: Machine) -> int:
    """Heads of posts, more of them where members may go ahead, and two rooms for small vectors."""
    nodes, kernel = machine.layout.nodes, thresholds.COMPILED
    if nodes == 1:
        ahead, small_bytes = kernel.ahead, kernel.small_bytes
    else:
        ahead, small_bytes = 1, thresholds.small_bytes_across(nodes, machine.layout.most)
    return 2 * (ahead * LINE_BYTES + min(small_bytes, machine.parameters.small_bytes))


def _chunks_bytes(machine: Machine) -> int:
    """Posts, and staging for two chunks."""
    return _posts_bytes(machine) + 2 * machine.parameters.chunk_bytes


def _chunks(machine: Machine, n_bytes: int) -> tuple[int, float]:
    """How many chunks there are, and the bytes of each: all alike, for simplicity."""
    count = max(1, -(-n_bytes // machine.parameters.chunk_bytes))
    return count, n_bytes / count


def _steps(n: int) -> int:
    """Steps in which everybody hears of everybody: the logarithm, rounded up."""
    return (n - 1).bit_length()


# -- one node -------------------------------------------------------------------------------------


def node_small(machine: Machine, n_bytes: int) -> Cost:
    """One round; everybody folds all of it."""
    pes = machine.layout.most
    time_s = (
        machine.parameters.call_s
        + machine.copy_s(n_bytes, pes)
        + machine.round_s()
        + machine.fold_s((pes - 1) * n_bytes, pes)
    )
    return Cost(time_s, 0, 0, _posts_bytes(machine))


def node_large(machine: Machine, n_bytes: int) -> Cost:
    """Chunk by chunk: stage, fold a slice, copy out; one round for each chunk and one more."""
    pes = machine.layout.most
    chunks, chunk_bytes = _chunks(machine, n_bytes)
    time_s = (
        machine.parameters.call_s
        + (chunks + 1) * machine.round_s()
        + chunks * _on_node_s(machine, chunk_bytes, pes)
    )
    return Cost(time_s, 0, 0, _chunks_bytes(machine))


def _on_node_s(machine: Machine, n_bytes: float, owners: int) -> float:
    """A chunk staged by all, folded by the owners of its slices, and copied out by all."""
    pes = machine.layout.most
    return machine.fold_s((pes - 1) * n_bytes / owners, owners) + 2 * machine.copy_s(n_bytes, pes)


# -- several nodes: a small vector, by the leaders ------------------------------------------------


def _by_leaders(machine: Machine, n_bytes: int, exchange_s: float) -> float:
    """Members post; the leader folds, exchanges, folds the nodes' partials, and publishes."""
    layout = machine.layout
    return (
        machine.parameters.call_s
        + 2 * (machine.round_s() + machine.copy_s(n_bytes, layout.most))
        + machine.fold_s((layout.most - 1) * n_bytes, 1)
        + exchange_s
        + machine.fold_s((layout.nodes - 1) * n_bytes, 1)
    )


def leaders_direct(machine: Machine, n_bytes: int) -> Cost:
    """Each leader sends its node's partial to every other."""
    others = machine.layout.nodes - 1
    time_s = _by_leaders(machine, n_bytes, machine.exchange_s(others, n_bytes, 1))
    scratch_bytes = _posts_bytes(machine) + others * n_bytes
    return Cost(time_s, others, others * n_bytes, scratch_bytes)


def leaders_bruck(machine: Machine, n_bytes: int) -> Cost:
    """The leaders gather all partials in log2(nodes) steps, each passing on what it has."""
    nodes = machine.layout.nodes
    pieces = [min(1 << step, nodes - (1 << step)) for step in range(_steps(nodes))]
    exchange_s = sum(machine.exchange_s(1, piece * n_bytes, 1) for piece in pieces)
    time_s = _by_leaders(machine, n_bytes, exchange_s)
    others = nodes - 1
    scratch_bytes = _posts_bytes(machine) + others * n_bytes
    return Cost(time_s, len(pieces), others * n_bytes, scratch_bytes)


# -- several nodes: a large vector, by the owners of slices ---------------------------------------


@dataclass(frozen=True)
class _Slices:
    """How a long vector is cut: into chunks, and these into slices."""

    chunks: int
    chunk_bytes: float
    owners: int
    """PEs of each node that own a slice: a slice has a cache line at least."""

    @property
    def slice_bytes(self) -> float:
        return self.chunk_bytes / self.owners

    @classmethod
    def of(cls, machine: Machine, n_bytes: int) -> _Slices:
        chunks, chunk_bytes = _chunks(machine, n_bytes)
        lines = -(-chunk_bytes // LINE_BYTES)
        return cls(chunks, chunk_bytes, min(machine.layout.least, int(lines)))


def _by_owners(
    machine: Machine, cut: _Slices, exchanges: list[int], part_bytes: float
) -> tuple[float, int]:
    """Time and messages of all chunks.

    Parameters
    ----------
    machine
        What it runs on.
    cut
        How the vector is cut.
    exchanges
        How many messages an owner sends, in each exchange, for one chunk.
    part_bytes
        In each of them.
    """
    each_s = (
        2 * machine.round_s()
        + _on_node_s(machine, cut.chunk_bytes, cut.owners)
        + sum(machine.exchange_s(messages, part_bytes, cut.owners) for messages in exchanges)
        + machine.fold_s((machine.layout.nodes - 1) * part_bytes, cut.owners)
    )
    return machine.parameters.call_s + cut.chunks * each_s, cut.chunks * sum(exchanges)


def owners_direct(machine: Machine, n_bytes: int) -> Cost:
    """Each slice's owner sends its node's partial of it to the owners on all other nodes."""
    cut = _Slices.of(machine, n_bytes)
    others = machine.layout.nodes - 1
    time_s, messages = _by_owners(machine, cut, [others], cut.slice_bytes)
    scratch_bytes = _chunks_bytes(machine) + others * cut.slice_bytes
    return Cost(time_s, messages, messages * cut.slice_bytes, scratch_bytes)


def owners_scatter(machine: Machine, n_bytes: int) -> Cost:
    """A slice's owners fold a part of it each, and send what came out to each other."""
    cut = _Slices.of(machine, n_bytes)
    nodes = machine.layout.nodes
    # A part has an element at least: of a short slice not every node gets one.
    parts = min(nodes, max(1, int(cut.slice_bytes // ELEMENT_BYTES)))
    part_bytes = cut.slice_bytes / parts
    exchanges = [min(parts, nodes - 1), nodes - 1]
    time_s, messages = _by_owners(machine, cut, exchanges, part_bytes)
    scratch_bytes = _chunks_bytes(machine) + (nodes - 1) * part_bytes
    return Cost(time_s, messages, messages * part_bytes, scratch_bytes)


def chain(machine: Machine, n_bytes: int) -> Cost:
    """The flat order: each node folds its PEs onto what the node before sent.

    The last node spreads the result by a binomial tree. Chunks follow each other: the first one
    takes the whole way, each further one what the slowest place on it needs.
    """
    layout = machine.layout
    cut = _Slices.of(machine, n_bytes)
    steps = _steps(layout.nodes)
    hop_s = machine.exchange_s(1, cut.slice_bytes, cut.owners)
    gap_s = machine.exchange_s(2, cut.slice_bytes, cut.owners) - hop_s
    fold_s = machine.fold_s(layout.most * cut.slice_bytes, cut.owners)
    time_s = (
        machine.parameters.call_s
        + 2 * (machine.round_s() + cut.chunks * machine.copy_s(cut.chunk_bytes, layout.most))
        + layout.nodes * fold_s
        + (layout.nodes - 1 + steps) * hop_s
        + (cut.chunks - 1) * max(fold_s, steps * gap_s)
    )
    messages = cut.chunks * steps
    scratch_bytes = _chunks_bytes(machine) + cut.slice_bytes
    return Cost(time_s, messages, messages * cut.slice_bytes, scratch_bytes)


# -- MPI libraries, which know all PEs alike, numbered node by node -------------------------------


def mpi_doubling(machine: Machine, n_bytes: int) -> Cost:
    """Recursive doubling: in each step everybody exchanges all it has with one other.

    A number that is no power of two takes two steps more, before and after.
    """
    layout = machine.layout
    local, between = (
        n.bit_length() - 1 + (0 if n & (n - 1) == 0 else 2) for n in (layout.most, layout.nodes)
    )
    folded_s = machine.fold_s(n_bytes, layout.most)
    time_s = (
        machine.parameters.call_s
        + local * (machine.local_s(n_bytes) + folded_s)
        + between * (machine.exchange_s(1, n_bytes, layout.most) + folded_s)
    )
    return Cost(time_s, between, between * n_bytes, n_bytes)


def mpi_rabenseifner(machine: Machine, n_bytes: int) -> Cost:
    """Reduce-scatter by halving, near PEs first, then allgather by doubling."""
    layout = machine.layout
    left_bytes = float(n_bytes)
    time_s = machine.parameters.call_s
    for _ in range(_steps(layout.most)):
        left_bytes /= 2
        time_s += 2 * machine.local_s(left_bytes) + machine.fold_s(left_bytes, layout.most)
    sent_bytes = 0.0
    for _ in range(_steps(layout.nodes)):
        left_bytes /= 2
        time_s += 2 * machine.exchange_s(1, left_bytes, layout.most)
        time_s += machine.fold_s(left_bytes, layout.most)
        sent_bytes += 2 * left_bytes
    return Cost(time_s, 2 * _steps(layout.nodes), sent_bytes, n_bytes)


def mpi_ring(machine: Machine, n_bytes: int) -> Cost:
    """Reduce-scatter and allgather around a ring, which leaves and enters each node once."""
    layout = machine.layout
    pes = layout.nodes * layout.most
    part_bytes = n_bytes / pes
    hop_s = machine.local_s(part_bytes) if layout.most > 1 else 0.0
    if layout.nodes > 1:
        hop_s = max(hop_s, machine.exchange_s(1, part_bytes, 1))
    turns = pes - 1
    folded_s = turns * machine.fold_s(part_bytes, layout.most)
    time_s = machine.parameters.call_s + 2 * turns * hop_s + folded_s
    messages = 2 * turns if layout.nodes > 1 else 0
    return Cost(time_s, messages, messages * part_bytes, n_bytes)


# -- which there are ------------------------------------------------------------------------------

ON_NODE: dict[str, Algorithm] = {"node-small": node_small, "node-large": node_large}
BETWEEN: dict[str, Algorithm] = {
    "leaders": leaders_direct,
    "bruck": leaders_bruck,
    "direct": owners_direct,
    "scatter": owners_scatter,
}
STRICT: dict[str, Algorithm] = {"chain": chain}
YARDSTICKS: dict[str, Algorithm] = {
    "mpi-doubling": mpi_doubling,
    "mpi-rabenseifner": mpi_rabenseifner,
    "mpi-ring": mpi_ring,
}
ALL = {**ON_NODE, **BETWEEN, **STRICT, **YARDSTICKS}


def costs(machine: Machine, n_bytes: int) -> dict[str, Cost]:
    """The costs of all algorithms that this layout can use, by name."""
    if machine.layout.nodes == 1:
        usable = {**ON_NODE, **YARDSTICKS}
    else:
        usable = {**BETWEEN, **STRICT, **YARDSTICKS}
    return {name: algorithm(machine, n_bytes) for name, algorithm in usable.items()}


def fastest(found: dict[str, Cost], among: dict[str, Algorithm]) -> str:
    """The name of the fastest one among some."""
    return min((name for name in found if name in among), key=lambda name: found[name].time_s)


def taken(machine: Machine, n_bytes: int) -> str:
    """Return the name of the algorithm that redcoll takes for a vector of this length.

    redcoll decides by length and layout alone. It never takes ``bruck``, which it does not have.
    """
    layout = machine.layout
    if layout.nodes == 1:
        return "node-small" if n_bytes <= thresholds.COMPILED.small_bytes else "node-large"
    small_bytes = thresholds.small_bytes_across(layout.nodes, layout.most)
    if n_bytes <= min(machine.parameters.small_bytes, small_bytes):
        return "leaders"
    return "direct" if layout.nodes == 2 else "scatter"


def redcoll_s(machine: Machine, n_bytes: int) -> float:
    """Return the seconds that redcoll takes."""
    return ALL[taken(machine, n_bytes)](machine, n_bytes).time_s


def mpi_s(machine: Machine, n_bytes: int) -> float:
    """Seconds that an MPI library takes if it chooses well."""
    found = costs(machine, n_bytes)
    return found[fastest(found, YARDSTICKS)].time_s
