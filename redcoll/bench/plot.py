"""Draw time against size in a PNG file, with a panel for each number of PEs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redcoll.bench.results import BASELINE, LIMIT, OPENSHMEM, SHMEM4PY, Point
from redcoll.bench.tables import Heading, groups, human_bytes, labels, title
from redcoll.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# redcoll has blue and similar colours, peers have warm colours, and the limit is black. The colours
# differ for any colour vision, and the markers differ, too.
_STYLES = {
    "core": ("#0072b2", "o"),
    "shmem": ("#009e73", "D"),
    "mpi": ("#56b4e9", "^"),
    "pvm": ("#5e4fa2", "v"),
    BASELINE: ("#d55e00", "s"),
    SHMEM4PY: ("#cc79a7", "P"),
    OPENSHMEM: ("#e69f00", "X"),
    LIMIT: ("black", ""),
}
"""Colours and markers of the lanes."""
_PANEL_INCHES = (4.6, 3.5)
_MOST_COLUMNS = 2


def draw(path: Path, found: Iterable[Point]) -> Heading:
    """Draw the group with the most points; return its heading.

    The chart shows microseconds over bytes, both logarithmic, with the spread as a band. Raise
    ``ArgumentError`` if there is nothing to draw, or Matplotlib is not installed.
    """
    named = groups(point for point in found if point.error is None)
    if not named:
        raise ArgumentError("--plot: nothing was measured")
    heading, group = max(named.items(), key=lambda item: len(item[1]))
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArgumentError(
            f"--plot: Matplotlib is needed (pip install 'redcoll[bench]'): {error}"
        ) from None

    all_pes = sorted({point.cell.pes for point in group})
    columns = min(len(all_pes), _MOST_COLUMNS)
    rows = math.ceil(len(all_pes) / columns)
    names = labels(group)
    legend_columns = max(columns * 2, 3)
    below_inches = 0.15 + 0.25 * math.ceil(len(names) / legend_columns)
    width = max(columns * _PANEL_INCHES[0], 6)
    height = rows * _PANEL_INCHES[1] + below_inches + 0.3
    figure = Figure((width, height))
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for panel in panels.flat[len(all_pes) :]:
        panel.set_visible(False)
    curves: dict[str, Artist] = {}
    for panel, pes in zip(panels.flat, all_pes, strict=False):
        curves |= _panel(panel, [point for point in group if point.cell.pes == pes], names)
        panel.set_title("1 PE" if pes == 1 else f"{pes} PEs", fontsize=11)
    for panel in panels[:, 0]:
        panel.set_ylabel("microseconds per call")
    figure.suptitle(title(heading), fontsize=12)
    present = [name for name in names if name in curves]
    figure.legend(
        [curves[name] for name in present],
        present,
        loc="lower center",
        ncols=legend_columns,
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout(rect=(0, below_inches / height, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Leave Matplotlib's version out of the file, so that equal results give equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return heading


def _panel(panel: Axes, group: Sequence[Point], names: Sequence[str]) -> dict[str, Artist]:
    """Draw the panel for a number of PEs; return the curves by lane."""
    curves = {}
    sizes = sorted({point.cell.n_bytes for point in group})
    for name in names:
        mine = [point for point in group if point.label == name]
        if mine:
            curves[name] = _curve(panel, sorted(mine, key=lambda point: point.cell.n_bytes))
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_xticks(sizes, [human_bytes(size) for size in sizes], rotation=30, fontsize=8)
    panel.minorticks_off()
    panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
    panel.set_axisbelow(True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    return curves


def _curve(panel: Axes, mine: Sequence[Point]) -> Artist:
    lane = mine[0].lane
    sizes = [point.cell.n_bytes for point in mine]
    times = [point.median_s * 1e6 for point in mine]
    spreads = [0 if math.isnan(point.spread) else min(point.spread, 0.9) for point in mine]
    is_private = mine[0].path == "private"
    colour, mark = _STYLES.get(lane, ("#777777", "."))
    (curve,) = panel.plot(
        sizes,
        times,
        color=colour,
        marker=mark,
        markersize=5,
        markerfacecolor="white" if is_private else colour,
        linestyle=(0, (4, 2)) if is_private else "-",
        linewidth=1.4 if lane != LIMIT else 1,
        zorder=2 if mine[0].is_peer else 3,
    )
    low = [time * (1 - spread) for time, spread in zip(times, spreads, strict=True)]
    high = [time * (1 + spread) for time, spread in zip(times, spreads, strict=True)]
    panel.fill_between(sizes, low, high, color=colour, alpha=0.15, linewidth=0)
    return curve
