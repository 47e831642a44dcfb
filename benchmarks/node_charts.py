"""Plot the ratio of redcoll's time to MPI's time against the number of nodes.

``python benchmarks/node_charts.py DIRECTORY`` reads the files ``hosts-*.json`` of
``benchmarks/several_hosts.py`` in DIRECTORY. It plots the measured ratios in ``hosts.png``, and the
ratios that ``benchmarks/scaling.py`` computes in ``scaling.png``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import charts
import hosts_page
import scaling

from redcoll.bench import results
from redcoll.bench.tables import human_bytes

Lines = Mapping[int, Sequence[tuple[int, float]]]
"""For each number of bytes, pairs of the number of nodes and the ratio of times."""


def across_nodes(path: Path, title: str, panels: Mapping[str, Lines], nodes: str) -> None:
    """Draw ratios over the number of nodes (x axis), with one line for each number of bytes."""
    rows = math.ceil(len(panels) / 2)
    figure = charts.new_figure(8.4, 0.5 + 2.9 * rows)
    axes = figure.subplots(rows, 2, sharey=True, squeeze=False)
    for panel, (name, lines) in zip(axes.flat, panels.items(), strict=True):
        for n_bytes, points in lines.items():
            panel.plot(*zip(*points, strict=True), marker=".", label=human_bytes(n_bytes))
        panel.axhline(1, color="#777777", linewidth=1, linestyle="--")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log", base=2)
        panel.xaxis.set_major_formatter("{x:.0f}")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.set_title(name, fontsize=9)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    axes[0, -1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    figure.supylabel("redcoll's time / MPI's time", fontsize=9)
    figure.supxlabel(nodes, fontsize=9)
    figure.suptitle(title, fontsize=11)
    charts.save(figure, path)


def measured(directory: Path) -> None:
    """Draw the ratios measured with REDCOLL_ORDER=node, on one and on two ranks of each host."""
    panels: dict[str, dict[int, list[tuple[int, float]]]] = {}
    runs = results.load(sorted(directory.glob("hosts-*.json")))
    for run in sorted(runs, key=hosts_page.layout_of):
        hosts, ranks = hosts_page.layout_of(run)
        if ranks > 2 or run.facts["order"] != "node":
            continue
        name = f"{run.facts['mpi']} over {run.facts['network']}, {ranks} a host"
        for point in results.points([run]):
            if point.label == "core/private" and point.cell.collective == "allreduce":
                lines = panels.setdefault(name, {})
                lines.setdefault(point.cell.n_bytes, []).append((hosts, point.ratio))
    title = "Allreduce on hosts that share 2 cores, measured (lower is better)"
    across_nodes(directory / "hosts.png", title, panels, "hosts")


def computed(directory: Path) -> None:
    """Draw the model's ratios on the network with RDMA, for both values of REDCOLL_ORDER."""
    ranks, node_s, mpi_node_s, _ = scaling.measured(scaling.RESULTS, None)
    machine = scaling.Machine(scaling.NETWORKS["cluster"], ranks, node_s, mpi_node_s)

    def ratio(nodes: int, n_bytes: int, order: str) -> float:
        ours_s = scaling.redcoll_s(machine, nodes, n_bytes, order)
        return ours_s / scaling.mpi_s(machine, nodes, n_bytes)

    panels = {
        f"order {order}": {
            n_bytes: [(nodes, ratio(nodes, n_bytes, order)) for nodes in scaling.NODES]
            for n_bytes in scaling.SIZES
        }
        for order in ("node", "mpi")
    }
    title = f"Allreduce, {ranks} ranks on each node, computed (lower is better)"
    across_nodes(directory / "scaling.png", title, panels, "nodes")


if __name__ == "__main__":
    measured(Path(sys.argv[1]))
    computed(Path(sys.argv[1]))
