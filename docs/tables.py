"""The tables of the documentation that come from tables of the code, as Markdown files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

import redcoll_shmem
from redcoll import MPI, config, datatypes, ops
from redcoll.MPI import _generate
from redcoll_shmem._types import C_TYPES
from redcoll_shmem.reductions import OPERATIONS, TABLE


def settings() -> str:
    """A definition list of all settings."""
    return "\n".join(
        f"`{row.name}`\n: {row.meaning}\n\n  It takes {row.takes}. Default: "
        f"{'unset' if row.default is None else f'`{row.show(row.default)}`'}.\n"
        for row in config.SETTINGS
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + [":-:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def operations() -> str:
    """Which operation takes which kinds of element."""
    kinds = datatypes.KIND_WORDS
    rows = [
        [f"`{op.name}`", *("yes" if kind in op.kinds else "" for kind in kinds)] for op in ops.OPS
    ]
    return _table(["operation", *kinds.values()], rows)


def shmem_reductions() -> str:
    """The types and operations in the names of the ``_to_all`` routines."""
    rows = [
        [
            f"`{row.prefix}_{row.type_name}_`",
            "longdouble" if row.dtype == np.longdouble else str(row.dtype),
            *("yes" if operation in row.operations.split() else "" for operation in OPERATIONS),
            row.family,
        ]
        for row in TABLE
    ]
    return _table(["name starts with", "element", *OPERATIONS, "from"], rows)


def shmem_typed() -> str:
    """The other routines with a type in their names: each family with its types."""
    families: dict[str, list[str]] = {}
    for name in redcoll_shmem.__all__:
        prefix, _, rest = name.partition("_")
        type_name, _, action = rest.partition("_")
        if prefix == "shmem" and type_name in C_TYPES and not action.endswith("_to_all"):
            families.setdefault(f"`shmem_TYPE_{action}`", []).append(f"`{type_name}`")
    return _table(["routine", "TYPE"], [[name, " ".join(t)] for name, t in families.items()])


def mpi_names() -> str:
    """All names of the MPI face, by what runs when they are used."""
    ours = "redcoll"
    adopting = "mpi4py; gives communicators of redcoll's"
    theirs = "mpi4py"
    rows = []
    for kind in (MPI.Intracomm, MPI.Op, MPI.Request, MPI.Prequest):
        where: dict[str, list[str]] = {ours: [], adopting: [], theirs: []}
        for name in dir(kind):
            if name.startswith("_") or name == "replaces":
                continue
            home = next(each for each in kind.__mro__ if name in vars(each))
            is_theirs = not home.__module__.startswith("redcoll")
            place = theirs if is_theirs else adopting if issubclass(home, MPI.Comm) else ours
            where[place].append(name)
        rows += [[f"`{kind.__name__}`", place, _words(found)] for place, found in where.items()]
    rows.append(["`MPI`", ours, _words(sorted(_generate.own_names()))])
    rows.append(["`MPI`", theirs, _words(_generate.mpi4pys_names())])
    return _table(["class", "runs on", "names"], [row for row in rows if row[2]])


def _words(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


TABLES = {
    "mpi_names": mpi_names,
    "settings": settings,
    "operations": operations,
    "shmem_reductions": shmem_reductions,
    "shmem_typed": shmem_typed,
}


def write(folder: Path) -> None:
    """Write all tables; files that would not change keep their times."""
    folder.mkdir(exist_ok=True)
    for name, make in TABLES.items():
        path = folder / f"{name}.md"
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
