"""Draw the picture of app.py's results."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from app_reference import Analysis, Array
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

INK, LINES, ACCENT = "#22303c", "#b8c0c8", "#c8553d"
STYLE = {
    "font.size": 9,
    "axes.edgecolor": LINES,
    "axes.titlesize": 9,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), INK
    ),
}


def heading(figure: SubFigure, text: str) -> None:
    """Draw the title of a part of the picture."""
    figure.suptitle(text, x=0.012, ha="left", weight="bold", fontsize=11)


def show(
    axes: Axes, pixels: Array, title: str, *, colours: str = "bone_r", top: float = 16
) -> None:
    """Draw an image of 8 x 8 pixels, in which zero is white."""
    least = -top if colours == "RdBu_r" else 0
    axes.imshow(pixels.reshape(8, 8), cmap=colours, vmin=least, vmax=top)
    axes.set_title(title, pad=4)
    axes.set(xticks=[], yticks=[])


def pixels_panel(figure: SubFigure, result: Analysis) -> None:
    """Draw the statistics of each pixel."""
    heading(figure, "Each pixel over all images")
    axes = figure.subplots(2, 3).flat
    difference = result.even_mean - result.mean
    show(axes[0], result.mean, "mean")
    show(axes[1], result.even_mean, "mean on even PEs")
    show(axes[2], difference, "difference of the two", colours="RdBu_r", top=1)
    show(axes[3], result.deviation, "standard deviation", top=8)
    show(axes[4], result.darkest, "minimum")
    show(axes[5], result.brightest, "maximum")


def table_panel(axes: Axes, table: Array) -> None:
    """Draw the table of images by cluster and digit."""
    axes.imshow(table, cmap="Blues")
    for (cluster, digit), count in np.ndenumerate(table):
        if count:
            colour = "white" if count > table.max() / 2 else INK
            axes.text(digit, cluster, count, ha="center", va="center", fontsize=7.5, color=colour)
    hits = table.max(axis=1).sum() / table.sum()
    axes.set_title(f"{hits:.0%} of the images are of their cluster's digit")
    axes.set(xticks=range(10), yticks=range(len(table)), xlabel="digit", ylabel="cluster")
    axes.tick_params(length=0)


def inertia_panel(axes: Axes, inertia: Array) -> None:
    """Draw how k-means converges."""
    axes.plot(np.arange(len(inertia)) + 1, inertia / 1e6, color=ACCENT, marker="o", markersize=4)
    axes.set_title("k-means settles")
    axes.set(xlabel="iteration", ylabel="squared distances to the centres, sum in millions")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=LINES, alpha=0.4)


def draw(result: Analysis, images: Array, digits: Array, n_pes: int, path: str) -> None:
    """Draw the clusters, the farthest images, the statistics, and the quality of the clusters."""
    clusters = range(len(result.centres))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(12.5, 8.2), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
        title, top, middle, bottom = figure.subfigures(4, 1, height_ratios=[0.3, 1, 1, 2.6])
        pes = "1 PE" if n_pes == 1 else f"{n_pes} PEs"
        title.text(
            0.5, 0.4, f"{len(images)} handwritten digits, clustered on {pes}", size=15, ha="center"
        )

        heading(top, "Cluster centres")
        for k, axes in zip(clusters, top.subplots(1, len(clusters)), strict=True):
            counts = result.table[k]
            show(axes, result.centres[k], f"mostly {counts.argmax()}, of {counts.sum()}")
        heading(middle, "The image farthest from each centre")
        for k, axes in zip(clusters, middle.subplots(1, len(clusters)), strict=True):
            number = result.oddest[k]
            show(axes, images[number], f"a {digits[number]}, no. {number}")

        left, right = bottom.subfigures(1, 2, width_ratios=[1, 1.55])
        pixels_panel(left, result)
        heading(right, "How well the clusters find the digits")
        table_axes, inertia_axes = right.subplots(1, 2, width_ratios=[1.25, 1])
        table_panel(table_axes, result.table)
        inertia_panel(inertia_axes, result.inertia)

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
