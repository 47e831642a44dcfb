"""Show results as text: microseconds and ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from redcoll.bench.results import BASELINE, Point, Run, geometric_mean, points

_MOST_OTHERS = 0.2
"""Cores that other programs may keep busy during a run without a warning."""

Heading = tuple[str, str, int, bool, int, str, str, str]


def groups(found: Iterable[Point]) -> dict[Heading, list[Point]]:
    """Group points that are comparable: by MPI, kernel, job, nodes, collective, op and type.

    Jobs of different sizes share a group if all PEs of each job measured together.
    """
    result: dict[Heading, list[Point]] = {}
    for point in found:
        cell = point.cell
        key = (
            *(point.mpi, point.kernel, point.shared_job, point.has_competitor, point.nodes),
            *(cell.collective, cell.op, cell.type),
        )
        result.setdefault(key, []).append(point)
    return result


def labels(found: Iterable[Point]) -> list[str]:
    """Return the labels of lanes in the order of their first appearance, with peers last."""
    ordered = {point.label: point.is_peer for point in found}
    return sorted(ordered, key=ordered.__getitem__)


def human_bytes(n_bytes: int) -> str:
    """Return a size in binary units."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if n_bytes >= unit and n_bytes % unit == 0:
            return f"{n_bytes // unit} {name}"
    return f"{n_bytes} B"


def microseconds(seconds: float) -> str:
    """Return a time in microseconds. Times below 100 us have at most three digits."""
    if math.isnan(seconds):
        return "-"
    value = seconds * 1e6
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def number(value: float) -> str:
    """Return a ratio as text; a dash for NaN."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def title(heading: Heading) -> str:
    """Return a title for a group."""
    mpi, kernel, job, has_competitor, nodes, collective, op, type_name = heading
    where = f"; the first PEs of a job of {job}" if job else ""
    beside = "; a busy program on the core of PE 0" if has_competitor else ""
    spread = f"; on {nodes} nodes" if nodes > 1 else ""
    return f"{collective} {op} {type_name} on {mpi}, {kernel} kernel{where}{beside}{spread}"


def report(runs: Sequence[Run]) -> str:
    """Return the text with all results of the runs."""
    parts = [_group(heading, group) for heading, group in groups(points(runs)).items()]
    missing = absences(runs)
    if missing:
        parts.append("\n  ".join(["not measured", *missing]))
    parts += _disturbances(runs)
    parts += _errors(runs)
    return "\n\n".join(parts)


def grid(group: Sequence[Point]) -> list[tuple[int, int]]:
    """Return the rows of a group's table as pairs (PEs, bytes)."""
    return sorted({(point.cell.pes, point.cell.n_bytes) for point in group})


def lookup(group: Sequence[Point]) -> dict[tuple[int, int, str], Point]:
    """Return a dictionary of points by (PEs, bytes, lane).

    If several points have the same key, the last one counts.
    """
    return {(point.cell.pes, point.cell.n_bytes, point.label): point for point in group}


def _group(heading: Heading, group: Sequence[Point]) -> str:
    names = labels(group)
    peers = {point.label for point in group if point.is_peer}
    known = lookup(group)
    # A lane of redcoll has two columns: microseconds with their spread, and the ratio. A peer has
    # only the first column.
    rows = [["PEs", "bytes"]]
    for name in names:
        rows[0] += [name] if name in peers else [name, "ratio"]
    for pes, n_bytes in grid(group):
        row = [str(pes), human_bytes(n_bytes)]
        for name in names:
            row += _columns(known.get((pes, n_bytes, name)), name in peers)
        rows.append(row)
    means = ["", "mean"]
    for name in names:
        means.append("")
        if name not in peers:
            means.append(number(mean_ratio(p for p in group if p.label == name)))
    rows.append(means)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{word:>{width}}" for word, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    rule = "-" * max(map(len, lines))
    intro = (
        f"{title(heading)}\n"
        f"microseconds of the slowest PE: median of the repeats, +- half the interquartile range; "
        f"ratio to the best of {BASELINE}"
    )
    return "\n".join([intro, rule, lines[0], rule, *lines[1:-1], rule, lines[-1]])


def mean_ratio(found: Iterable[Point]) -> float:
    """Return the geometric mean of the ratios to the baseline, without wrong results."""
    return geometric_mean(point.ratio for point in found if point.error is None)


def _columns(point: Point | None, is_peer: bool) -> list[str]:
    if point is None:
        words = ["-", "-"]
    elif point.error is not None:
        words = ["WRONG", "-"]
    else:
        spread = "" if math.isnan(point.spread) else f" +-{point.spread:3.0%}"
        words = [microseconds(point.median_s) + spread, number(point.ratio)]
    return words[:1] if is_peer else words


def absences(runs: Sequence[Run]) -> list[str]:
    """Return the lanes that could not be measured, with reasons. Equal lines appear once."""
    rows = (f"{row['lane']}/{row['path']}: {row['reason']}" for run in runs for row in run.absent)
    return list(dict.fromkeys(rows))


def _disturbances(runs: Sequence[Run]) -> list[str]:
    alone = [run for run in runs if not run.facts["options"].get("competitor")]
    busy = [run.facts["others_cores"] or 0 for run in alone]
    if max(busy, default=0) < _MOST_OTHERS:
        return []
    warning = (
        f"The machine was not quiet: other programs kept up to {max(busy):.1f} of its cores busy.\n"
        "If ranks have to wait for a core, times and ratios mean little."
    )
    return [warning]


def _errors(runs: Sequence[Run]) -> list[str]:
    rows = [
        f"  {record.lane}/{record.path}, {cell.collective} {cell.op} {cell.type}, "
        f"{cell.pes} PEs, {human_bytes(cell.n_bytes)}: {record.error}"
        for run in runs
        for record in run.records
        for cell in [record.cell]
        if record.error
    ]
    return ["WRONG RESULTS\n" + "\n".join(rows)] if rows else []
