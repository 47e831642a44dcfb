"""Draw the charts of the performance page: the speedup over mpi4py, and a map of slow calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure

from redcoll.bench.results import Point
from redcoll.bench.tables import human_bytes

CORES = 2
"""Number of cores of the machine that measured the recorded results."""
Kind = tuple[str, str, str]
SUM: Kind = ("allreduce", "sum", "float64")

_COLOURS = {"MPICH": "#0072b2", "Open MPI": "#d55e00"}
_MARKS = {"MPICH": "o", "Open MPI": "s"}
_MOST = 8.0
"""Larger factors have the same colour as this factor."""
_SLOW, _FAST = "#b2182b", "#2166ac"


def kinds(found: Iterable[Point]) -> list[Kind]:
    """Return each combination of collective, operation and type that the points have."""
    return list(
        dict.fromkeys((p.cell.collective, p.cell.op, p.cell.type) for p in found),
    )


def speedup(path: Path, found: Sequence[Point]) -> None:
    """Draw the speedup of Allreduce over mpi4py, in jobs that have a core for each rank."""
    mine = [
        p for p in found if p.kernel == "compiled" and p.cell.pes == CORES and kinds([p]) == [SUM]
    ]
    figure = new_figure(6.4, 3.6)
    panel = figure.subplots()
    sizes = sorted({point.cell.n_bytes for point in mine})
    for mpi in dict.fromkeys(point.mpi for point in mine):
        name = mpi.rpartition(" ")[0]
        of_mpi = {p.cell.n_bytes: 1 / p.ratio for p in mine if p.mpi == mpi}
        places = [sizes.index(size) for size in of_mpi]
        panel.plot(
            places,
            list(of_mpi.values()),
            color=_COLOURS.get(name),
            marker=_MARKS.get(name, "o"),
            label=f"redcoll on {mpi}",
        )
        for place, value in zip(places, of_mpi.values(), strict=True):
            is_low = any(value < 1 / p.ratio for p in mine if p.cell.n_bytes == sizes[place])
            panel.annotate(f"{value:.1f}x", (place, value), (0, -13 if is_low else 6),
                           textcoords="offset points", ha="center", fontsize=8,
                           color=_COLOURS.get(name))  # fmt: skip
    panel.axhline(1, color="#777777", linewidth=1, linestyle="--")
    panel.text(2, 1.05, "mpi4py", color="#777777", fontsize=8, va="bottom", ha="center")
    panel.set_ylim(0, 1.15 * max((1 / point.ratio for point in mine), default=1))
    panel.set_xticks(range(len(sizes)), [human_bytes(size) for size in sizes])
    panel.set_xlabel("bytes of each rank's array")
    panel.set_ylabel("times faster than mpi4py")
    panel.set_title(
        "Allreduce is faster than mpi4py at every size (2 ranks on 2 cores)", fontsize=11
    )
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    if mine:
        panel.legend(frameon=False, fontsize=9)
    save(figure, path)


def slower(path: Path, found: Sequence[Point]) -> None:
    """Draw a map of calls and sizes, blue where redcoll is faster and red where it is slower."""
    mine = [point for point in found if point.cell.pes == CORES]
    jobs = sorted({(point.kernel, point.mpi) for point in mine})
    names = kinds(mine)
    sizes = sorted({point.cell.n_bytes for point in mine})
    rows = max(math.ceil(len(jobs) / 2), 1)
    figure = new_figure(8.2, 0.9 + rows * (0.8 + 0.28 * max(len(names), 3)))
    panels = figure.subplots(rows, 2, sharey=True, squeeze=False).flat
    for panel, (kernel, mpi) in zip(panels, jobs, strict=False):
        of_job = [point for point in mine if (point.kernel, point.mpi) == (kernel, mpi)]
        _map(panel, of_job, names, sizes)
        shown = "NumPy" if kernel == "numpy" else kernel
        panel.set_title(f"{shown} kernel, {mpi}", fontsize=9)
    figure.suptitle("Without the compiled kernel many calls are slower than mpi4py (2 ranks)",
                    fontsize=11)  # fmt: skip
    figure.supxlabel("bytes of each rank's array. 3.0: redcoll is 3 times faster; "
                     "1/3.0: 3 times slower", fontsize=8)  # fmt: skip
    save(figure, path)


def _map(panel: Axes, found: Sequence[Point], names: Sequence[Kind], sizes: Sequence[int]) -> None:
    colours = LinearSegmentedColormap.from_list("speed", [_SLOW, "#f7f7f7", _FAST])
    norm = LogNorm(1 / _MOST, _MOST)
    for point in found:
        kind = (point.cell.collective, point.cell.op, point.cell.type)
        x, y = sizes.index(point.cell.n_bytes), names.index(kind)
        speed = 1 / point.ratio
        shade = norm(min(max(speed, 1 / _MOST), _MOST))
        panel.fill_between([x, x + 1], y, y + 1, color=colours(shade), linewidth=0)
        is_dark = speed > 3.5 or speed < 1 / 3.5
        text = f"{speed:.1f}" if speed >= 1 else f"1/{1 / speed:.1f}"
        panel.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=7,
                   color="white" if is_dark else "black")  # fmt: skip
    panel.set_xlim(0, len(sizes))
    panel.set_ylim(len(names), 0)
    panel.set_xticks([x + 0.5 for x in range(len(sizes))], [human_bytes(size) for size in sizes],
                     rotation=40, fontsize=7)  # fmt: skip
    panel.set_yticks([y + 0.5 for y in range(len(names))], [" ".join(name) for name in names],
                     fontsize=8)  # fmt: skip
    panel.tick_params(length=0)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this width and height in inches."""
    figure = Figure((width, height))
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write the figure as PNG. Equal results give equal files."""
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Leave the version of matplotlib out of the file, so that equal results give equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})


CHARTS: dict[str, Callable[[Path, Sequence[Point]], None]] = {
    "speedup": speedup,
    "slower": slower,
}
