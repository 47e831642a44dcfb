"""Time against nodes, one panel for each size, as a PNG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redcoll.bench.tables import human_bytes
from redcoll.errors import ArgumentError
from redcoll.model import algorithms
from redcoll.model.sweep import Row, present

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Blue and green for redcoll, warm colours for MPI; told apart by line and mark, too.
_LOOKS = {
    "node-small": ("#0072b2", "o"),
    "node-large": ("#0072b2", "s"),
    "leaders": ("#0072b2", "o"),
    "bruck": ("#56b4e9", "^"),
    "direct": ("#009e73", "s"),
    "scatter": ("#5e4fa2", "D"),
    "chain": ("#777777", "x"),
    "mpi-doubling": ("#d55e00", "v"),
    "mpi-rabenseifner": ("#e69f00", "P"),
    "mpi-ring": ("#cc79a7", "X"),
}
_PANEL_INCHES = (4.6, 3.5)
_COLUMNS = 2


def draw(path: Path, rows: Sequence[Row]) -> None:
    """Draw the rows with most PEs per node: microseconds over nodes, both logarithmic.

    Raises
    ------
    ArgumentError
        Matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArgumentError(
            f"--plot: Matplotlib is needed (pip install 'redcoll[bench]'): {error}"
        ) from None

    ppn = max(row.ppn for row in rows)
    rows = [row for row in rows if row.ppn == ppn]
    sizes = sorted({row.n_bytes for row in rows})
    columns = min(_COLUMNS, len(sizes))
    lines = math.ceil(len(sizes) / columns)
    names = present(rows)
    legend_lines = math.ceil(len(names) / (2 * columns))
    height = lines * _PANEL_INCHES[1] + 0.6 + 0.25 * legend_lines
    figure = Figure((max(columns * _PANEL_INCHES[0], 6), height))
    FigureCanvasAgg(figure)
    panels = figure.subplots(lines, columns, squeeze=False)
    for panel in panels.flat[len(sizes) :]:
        panel.set_visible(False)
    curves: dict[str, Artist] = {}
    for panel, n_bytes in zip(panels.flat, sizes, strict=False):
        curves |= _panel(panel, [row for row in rows if row.n_bytes == n_bytes], names)
        panel.set_title(human_bytes(n_bytes), fontsize=11)
    for panel in panels[:, 0]:
        panel.set_ylabel("microseconds, computed")
    pes = "1 PE" if ppn == 1 else f"{ppn} PEs"
    figure.suptitle(f"allreduce, {pes} a node, over nodes", fontsize=12)
    figure.legend(
        [curves[name] for name in names],
        names,
        loc="lower center",
        ncols=2 * columns,
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout(rect=(0, (0.15 + 0.25 * legend_lines) / height, 1, 1))
    # Nothing in the file but the picture: no version that changes it.
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _panel(panel: Axes, rows: Sequence[Row], names: Sequence[str]) -> dict[str, Artist]:
    curves: dict[str, Artist] = {}
    for name in names:
        mine = [row for row in rows if name in row.costs]
        colour, mark = _LOOKS[name]
        (curves[name],) = panel.plot(
            [row.nodes for row in mine],
            [row.costs[name].time_s * 1e6 for row in mine],
            color=colour,
            marker=mark,
            markersize=4,
            linewidth=1.3,
            linestyle=(0, (4, 2)) if name in algorithms.YARDSTICKS else "-",
        )
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_major_formatter("{x:g}")
    panel.minorticks_off()
    panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
    panel.set_axisbelow(True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    return curves
