"""The tables of the documentation that come from tables of the code, as Markdown files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import redcoll_shmem
from redcoll import config, datatypes, ops
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


TABLES = {
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
