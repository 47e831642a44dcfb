"""Draw time against size in a PNG file, with a panel for each number of PEs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redcoll.bench.results import BASELINE, LIMIT, OPENSHMEM, Point
from redcoll.bench.tables import Heading, groups, human_bytes, labels, title
from redcoll.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# redcoll has blue and similar colours, peers have warm colours, and the limit is black. The colours
# differ for any colour vision, and the markers differ, too.
_COLOURS = {
    "core": "#0072b2",
    "shmem": "#009e73",
    "mpi": "#56b4e9",
    "pvm": "#5e4fa2",
    BASELINE: "#d55e00",
    "shmem4py": "#cc79a7",
    OPENSHMEM: "#e69f00",
    LIMIT: "black",
}
_MARKS = {"core": "o", "shmem": "D", "mpi": "^", "pvm": "v", BASELINE: "s", "shmem4py": "P",
          OPENSHMEM: "X", LIMIT: ""}  # fmt: skip
_PANEL_INCHES = (4.6, 3.5)
_MOST_COLUMNS = 2


def draw(path: Path, found: Iterable[Point]) -> Heading:
    """Draw the group with the most points; return its heading.

    Raise ``ArgumentError`` if there is nothing to draw, or Matplotlib is not installed.
    """
    named = groups(point for point in found if point.error is None)
    if not named:
        raise ArgumentError("--plot: nothing was measured")
    heading = max(named, key=lambda key: len(named[key]))
    draw_group(path, heading, named[heading])
    return heading


def draw_group(path: Path, heading: Heading, group: Sequence[Point]) -> None:
    """Draw a group: microseconds over bytes, both logarithmic, with the spread as a band."""
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


def _panel(panel: Axes, group: Sequence[Point], names: Sequence[str]) -> dict[str, Artist]:
    """Draw the panel for a number of PEs; return the curves by lane."""
    curves = {}
    sizes = sorted({point.cell.n_bytes for point in group})
    for name in names:
        mine = sorted(
            (point for point in group if point.label == name), key=lambda p: p.cell.n_bytes
        )
        if mine:
            curves[name] = _curve(panel, mine)
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
    colour = _COLOURS.get(lane, "#777777")
    (curve,) = panel.plot(
        sizes,
        times,
        color=colour,
        marker=_MARKS.get(lane, "."),
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
