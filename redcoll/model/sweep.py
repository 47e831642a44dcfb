"""The model over many layouts and sizes, as rows for tables, files and plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from redcoll.bench.tables import human_bytes, microseconds
from redcoll.model import algorithms
from redcoll.model.algorithms import Cost
from redcoll.model.machine import Layout, Machine
from redcoll.model.parameters import Parameters

_SCHEMA = 1


@dataclass(frozen=True)
class Row:
    """All algorithms at one layout and size."""

    nodes: int
    ppn: int
    n_bytes: int
    costs: dict[str, Cost]
    taken: str
    """The algorithm that redcoll takes here."""

    @property
    def best_mpi(self) -> str:
        """The fastest of MPI's."""
        return algorithms.fastest(self.costs, algorithms.YARDSTICKS)

    @property
    def ratio(self) -> float:
        """The time that redcoll takes, relative to the fastest of MPI's."""
        return self.costs[self.taken].time_s / self.costs[self.best_mpi].time_s


def sweep(
    parameters: Parameters, nodes: Sequence[int], ppn: Sequence[int], sizes: Sequence[int]
) -> list[Row]:
    """All combinations, sizes innermost."""
    rows = []
    for n_nodes in nodes:
        for n_pes in ppn:
            machine = Machine(parameters, Layout.even(n_nodes, n_pes))
            rows += [
                Row(
                    n_nodes,
                    n_pes,
                    n_bytes,
                    algorithms.costs(machine, n_bytes),
                    algorithms.taken(machine, n_bytes),
                )
                for n_bytes in sizes
            ]
    return rows


def save(path: Path, parameters: Parameters, rows: Iterable[Row]) -> None:
    """Write rows to a JSON file, one row a line."""
    lines = [
        json.dumps(
            {
                "nodes": row.nodes,
                "ppn": row.ppn,
                "bytes": row.n_bytes,
                "taken": row.taken,
                "ratio": round(row.ratio, 4),
                "algorithms": {name: asdict(cost) for name, cost in row.costs.items()},
            }
        )
        for row in rows
    ]
    text = ",\n  ".join(lines)
    head = f'{{"schema": {_SCHEMA}, "parameters": {json.dumps(asdict(parameters))},\n "rows": [\n  '
    path.write_text(f"{head}{text}]}}\n")


def present(rows: Iterable[Row]) -> list[str]:
    """The algorithms that some row has, in a fixed order."""
    known = {name for row in rows for name in row.costs}
    return [name for name in algorithms.ALL if name in known]


def times(rows: Sequence[Row]) -> list[list[str]]:
    """A table of microseconds; the first row is its head."""
    names = present(rows)
    table = [["nodes", "PEs", "bytes", *names, "redcoll takes", "to MPI"]]
    for row in rows:
        words = [
            microseconds(row.costs[name].time_s) if name in row.costs else "-" for name in names
        ]
        where = [str(row.nodes), str(row.nodes * row.ppn), human_bytes(row.n_bytes)]
        table.append([*where, *words, row.taken, f"{row.ratio:.2f}"])
    return table


def needs(rows: Sequence[Row]) -> list[list[str]]:
    """A table of what a PE sends and keeps: messages, bytes sent, bytes of scratch."""
    names = [name for name in present(rows) if name not in algorithms.YARDSTICKS]
    table = [["nodes", "PEs", "bytes", *names]]
    for row in rows:
        where = [str(row.nodes), str(row.nodes * row.ppn), human_bytes(row.n_bytes)]
        table.append([*where, *(_need(row.costs.get(name)) for name in names)])
    return table


def _need(cost: Cost | None) -> str:
    if cost is None:
        return "-"
    return f"{cost.messages} / {amount(cost.sent_bytes)} / {amount(cost.scratch_bytes)}"


def amount(n_bytes: float) -> str:
    """Bytes to three digits."""
    for unit, name in ((1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.3g} {name}"
    return f"{n_bytes:.3g}"


def choices(rows: Iterable[Row]) -> list[str]:
    """Say what redcoll takes where: a line for each number of PEs per node and size."""
    lines = []
    ordered = sorted(rows, key=lambda row: (row.ppn, row.n_bytes, row.nodes))
    for (ppn, n_bytes), group in groupby(ordered, key=lambda row: (row.ppn, row.n_bytes)):
        parts = []
        for taken, runs in groupby(group, key=lambda row: row.taken):
            nodes = [row.nodes for row in runs]
            span = str(nodes[0]) if len(nodes) == 1 else f"{nodes[0]} to {nodes[-1]}"
            parts.append(f"{taken} at {span}")
        pes = "1 PE" if ppn == 1 else f"{ppn} PEs"
        lines.append(f"{human_bytes(n_bytes)}, {pes} a node: {', '.join(parts)} nodes")
    return lines


def aligned(table: Sequence[Sequence[str]]) -> str:
    """A table as text, columns aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))
        for row in table
    )


def markdown(table: Sequence[Sequence[str]]) -> str:
    """A table as Markdown."""
    head, *rows = table
    rule = ["---:"] * len(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])
