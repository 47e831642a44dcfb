"""Compute the time of an allreduce on 1 to 4096 nodes, for redcoll and for MPI.

The time on a node is measured. ``python -m redcoll bench --json FILE`` writes the file that
``--results`` names. The time between nodes comes from the LogGP model. A message of ``n`` bytes
takes ``latency + 2 * overhead + n / rate``, and the ranks of a node share its link.

The output is a Markdown table. With ``--page FILE`` the program renders the tables of a page
instead. Each table is between ``<!-- scaling OPTIONS -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import math
import re
import shlex
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from redcoll.bench import results, tables
from redcoll.environment import parse_bytes
from redcoll.errors import ArgumentError
from redcoll.kernels import thresholds

RESULTS = Path(__file__).parents[1] / "docs" / "performance" / "mpich-compiled.json"
NODES = (1, 2, 4, 8, 16, 64, 256, 1024, 4096)
SIZES = (8, 1 << 10, 32 << 10, 256 << 10, 1 << 20, 8 << 20)
HEADER_BYTES = 64


@dataclass(frozen=True)
class Network:
    """The links between nodes, and the bytes per second that a core folds."""

    latency_s: float
    overhead_s: float
    """Time that a rank is busy with each message that it sends or receives."""
    link_rate: float
    """Bytes per second that a node can send while it receives the same number."""
    fold_rate: float = 12e9

    def message_s(self, n_bytes: float, rails: int = 1) -> float:
        """Return the time in which ``rails`` ranks of every node send a message each."""
        return self.latency_s + 2 * self.overhead_s + rails * n_bytes / self.link_rate

    def fold_s(self, n_bytes: float) -> float:
        """Return the time in which one core folds ``n_bytes``."""
        return n_bytes / self.fold_rate


NETWORKS = {
    # RDMA, 100 Gbit/s.
    "cluster": Network(latency_s=1e-6, overhead_s=0.25e-6, link_rate=12e9),
    # TCP over 10 Gbit/s Ethernet.
    "ethernet": Network(latency_s=14e-6, overhead_s=3e-6, link_rate=1.2e9),
}

# The functions below compute the times of MPI's algorithms. `rails` ranks of every node run an
# algorithm at the same time.


def allgather(net: Network, nodes: int, block: float, rails: int = 1, header: int = 0) -> float:
    """Return the time of Bruck's allgather, in which messages grow from step to step."""
    blocks = (min(1 << step, nodes - (1 << step)) for step in range((nodes - 1).bit_length()))
    return sum(net.message_s(header + count * block, rails) for count in blocks)


def alltoall(net: Network, nodes: int, block: float, rails: int = 1) -> float:
    """Return the time in which each rank sends a block to each other rank, all at the same time."""
    return net.latency_s + (nodes - 1) * (2 * net.overhead_s + rails * block / net.link_rate)


def recursive_doubling(net: Network, nodes: int, n_bytes: float, rails: int = 1) -> float:
    """Return the time of an allreduce in which pairs of ranks exchange whole vectors."""
    whole = nodes.bit_length() - 1
    rest = int(nodes != 1 << whole)
    exchanges_s = (whole + 2 * rest) * net.message_s(n_bytes, rails)
    return exchanges_s + (whole + rest) * net.fold_s(n_bytes)


def rabenseifner(net: Network, nodes: int, n_bytes: float, rails: int = 1) -> float:
    """Return the time of a reduce-scatter by halving and an allgather by doubling."""
    whole = nodes.bit_length() - 1
    time_s = sum(
        2 * net.message_s(n_bytes / 2**step, rails) + net.fold_s(n_bytes / 2**step)
        for step in range(1, whole + 1)
    )
    if nodes != 1 << whole:
        time_s += 2 * net.message_s(n_bytes, rails) + net.fold_s(n_bytes)
    return time_s


def ring(net: Network, nodes: int, n_bytes: float, rails: int = 1) -> float:
    """Return the time of a reduce-scatter and an allgather around a ring."""
    part = n_bytes / nodes
    return (nodes - 1) * (2 * net.message_s(part, rails) + net.fold_s(part))


def binomial(net: Network, nodes: int, n_bytes: float, rails: int = 1) -> float:
    """Return the time of a reduce and a broadcast along a binomial tree."""
    return (nodes - 1).bit_length() * (2 * net.message_s(n_bytes, rails) + net.fold_s(n_bytes))


ALLREDUCE = (recursive_doubling, rabenseifner, ring, binomial)


def allreduce(net: Network, nodes: int, n_bytes: float, rails: int = 1) -> float:
    """Return the time of MPI's fastest algorithm."""
    return min(each(net, nodes, n_bytes, rails) for each in ALLREDUCE)


@dataclass(frozen=True)
class Curve:
    """Measured times as pairs of bytes and seconds, in the order of the bytes."""

    points: Sequence[tuple[int, float]]

    def __call__(self, n_bytes: int) -> float:
        """Interpolate on logarithmic axes; beyond the last point, time grows with the bytes."""
        known, times = np.log(np.array(self.points)).T
        beyond = max(1.0, n_bytes / self.points[-1][0])
        return float(np.exp(np.interp(math.log(n_bytes), known, times))) * beyond


@dataclass(frozen=True)
class Machine:
    """Nodes with ``ranks`` ranks each, and the measured times on one node."""

    net: Network
    ranks: int
    node_s: Curve
    mpi_node_s: Curve


def exchange_of_parts_s(net: Network, nodes: int, part: float) -> float:
    """Return the time in which leaders exchange headers and send each node its parts to fold."""
    steps = (nodes - 1).bit_length()
    counts = (sum(1 for row in range(nodes) if row >> step & 1) for step in range(steps))
    return sum(net.message_s(HEADER_BYTES + count * part, 1) for count in counts)


def redcoll_s(machine: Machine, nodes: int, n_bytes: int, order: str) -> float:
    """Return the time of redcoll's allreduce: two rounds on a node, and an exchange in between."""
    net = machine.net
    if nodes == 1:
        return machine.node_s(n_bytes)
    on_node_s = machine.node_s(n_bytes) + machine.node_s(8)
    if n_bytes <= thresholds.inline_bytes_across(nodes):
        data_s = allgather(net, nodes, n_bytes, header=HEADER_BYTES)
        return on_node_s + data_s + net.fold_s((nodes - 1) * n_bytes)
    part = n_bytes / nodes
    headers_s = allgather(net, nodes, 0, header=HEADER_BYTES)
    if n_bytes <= thresholds.fold_bytes_across(nodes, machine.ranks):
        # From four nodes on, a power of two lets leaders fold the parts on their way.
        folds_on_way = order == "mpi" and nodes > 2 and nodes & (nodes - 1) == 0
        if n_bytes > thresholds.parts_bytes_across(nodes, is_ordered=not folds_on_way):
            parts_s = headers_s + alltoall(net, nodes, part, 1) + net.fold_s((nodes - 1) * part)
        elif folds_on_way:
            # This leaves out the bytes of the headers.
            return on_node_s + rabenseifner(net, nodes, n_bytes)
        else:
            parts_s = exchange_of_parts_s(net, nodes, part) + net.fold_s((nodes - 1) * part)
        return on_node_s + parts_s + allgather(net, nodes, part)
    rails = min(machine.ranks, -(-n_bytes // 64))
    slice_bytes = n_bytes / rails
    chunk = min(n_bytes, thresholds.chunk_bytes_across(machine.ranks))
    if order == "mpi" and chunk / rails < nodes * thresholds.BLOCK_BYTES_OF_MPI:
        data_s = allreduce(net, nodes, slice_bytes, rails)
    else:
        # A node folds at least one element.
        part = max(8, slice_bytes / nodes)
        to_owners_s = alltoall(net, nodes, part, rails) + net.fold_s((nodes - 1) * part)
        data_s = to_owners_s + allgather(net, nodes, slice_bytes / nodes, rails)
    return on_node_s + headers_s + data_s


def mpi_s(machine: Machine, nodes: int, n_bytes: int) -> float:
    """Return the time of MPI's fastest allreduce, with one rank of each node or with all ranks."""
    if nodes == 1:
        return machine.mpi_node_s(n_bytes)
    ways = (allreduce(machine.net, nodes, n_bytes / rails, rails) for rails in (1, machine.ranks))
    return machine.mpi_node_s(n_bytes) + min(ways)


def measured(path: Path, ranks: int | None) -> tuple[int, Curve, Curve, str]:
    """Return the number of ranks, redcoll's and MPI's times on one node, and the machine's name."""
    found = results.load([path])
    for run in sorted(found, key=lambda run: -run.facts["job_pes"]):
        job, cores = run.facts["job_pes"], run.facts["cores"]
        lanes: dict[str, list[tuple[int, float]]] = {"core/private": [], "mpi4py/private": []}
        for each in run.records:
            kind = (each.cell.collective, each.cell.op, each.cell.type, each.cell.pes)
            if kind == ("allreduce", "sum", "float64", job) and each.label in lanes:
                lanes[each.label].append((each.cell.n_bytes, statistics.median(each.seconds)))
        is_wanted = job <= cores if ranks is None else job == ranks
        if is_wanted and all(lanes.values()) and not run.facts["options"].get("competitor"):
            crowded = f", **{job} ranks on {cores} cores: oversubscribed**" if job > cores else ""
            where = f"{run.facts['cpu']}, {run.facts['mpi']}, {run.facts['date'][:10]}{crowded}"
            ours, theirs = (Curve(sorted(points)) for points in lanes.values())
            return job, ours, theirs, where
    raise ArgumentError(f"{path}: --ranks {ranks}: no such allreduce sum float64 of core, mpi4py")


def table(machine: Machine, nodes: Sequence[int], sizes: Sequence[int], order: str) -> list[str]:
    """Return the lines of a Markdown table with times in microseconds. Ratios above 1 are bold."""
    lines = [f"| nodes | {' | '.join(map(tables.human_bytes, sizes))} |"]
    lines.append(f"|---:|{'---:|' * len(sizes)}")
    for count in nodes:
        cells = []
        for n_bytes in sizes:
            ours, theirs = redcoll_s(machine, count, n_bytes, order), mpi_s(machine, count, n_bytes)
            ratio = f"{ours / theirs:.2f}"
            mark = "**" if float(ratio) > 1 else ""
            times = f"{tables.microseconds(ours)} / {tables.microseconds(theirs)}"
            cells.append(f"{times} ({mark}{ratio}{mark})")
        lines.append(f"| {count} | {' | '.join(cells)} |")
    return lines


# fmt: off
def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    made = argparse.ArgumentParser(
        description="Compute the time of an allreduce (float64 sum) on many nodes.",
        epilog="Example: benchmarks/scaling.py --network ethernet --nodes 2,16,512 --bytes 8,1m",
    )
    add = made.add_argument
    add("--results", type=Path, default=RESULTS, metavar="FILE",
        help="times on a node (default: docs/performance/mpich-compiled.json)")
    add("--ranks", type=int, metavar="N",
        help="ranks on each node, as in the file (default: the most that had a core each)")
    add("--network", choices=NETWORKS, default="cluster", help="figures (default: cluster)")
    add("--set", action="append", default=[], metavar="NAME=X",
        help="replace a figure of the network, such as latency_s=2e-6 (default: none)")
    add("--order", choices=("node", "mpi"), default="node", help="REDCOLL_ORDER (default: node)")
    add("--nodes", type=numbers, default=NODES, metavar="N,N",
        help=f"numbers of nodes (default: {','.join(map(str, NODES))})")
    add("--bytes", type=numbers, default=SIZES, metavar="N,N",
        help="sizes of the vector (default: 8,1k,32k,256k,1m,8m)")
    add("--page", type=Path, metavar="FILE",
        help="render the tables of this page (default: print one table)")
    return made
# fmt: on


def numbers(text: str) -> list[int]:
    """Return the numbers in a list such as ``8,1k``."""
    found = [parse_bytes(word) for word in text.split(",")]
    if min(found) < 1:
        raise ValueError
    return found


def render(options: argparse.Namespace) -> str:
    """Return the text with the network's parameters and the table."""
    ranks, node_s, mpi_node_s, where = measured(options.results, options.ranks)
    figures = {name: float(x) for name, _, x in (word.partition("=") for word in options.set)}
    machine = Machine(replace(NETWORKS[options.network], **figures), ranks, node_s, mpi_node_s)
    return "\n".join([
        f"`{options.network}`, order `{options.order}`, {ranks} ranks on each node; " + ", ".join(
            f"`{name}` {figure:.3g}" for name, figure in asdict(machine.net).items()
        ) + ";",
        f"times on a node: {where}.",
        "",
        *table(machine, options.nodes, options.bytes, options.order),
    ])  # fmt: skip


def render_page(text: str) -> str:
    """Return the page with its tables rendered anew."""

    def replaced(match: re.Match[str]) -> str:
        made = render(parser().parse_args(shlex.split(match["options"])))
        return f"{match['begin']}\n{made}\n\n<!-- end -->"

    pattern = r"(?P<begin><!-- scaling(?P<options>.*?)-->\n).*?<!-- end -->"
    return re.sub(pattern, replaced, text, flags=re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or render the page; return the exit code."""
    options = parser().parse_args(arguments)
    try:
        if options.page:
            options.page.write_text(render_page(options.page.read_text()))
        else:
            print(render(options))
    except (ArgumentError, OSError, TypeError, ValueError) as error:
        sys.stderr.write(f"scaling.py: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
