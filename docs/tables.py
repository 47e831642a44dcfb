"""The tables of the documentation that come from tables of the code, as Markdown files."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mpi_stub
import numpy as np

import redcoll_shmem
from redcoll import MPI, config, datatypes, ops
from redcoll.environment import format_bytes
from redcoll.kernels import thresholds as kernel_thresholds
from redcoll_shmem._types import C_TYPES
from redcoll_shmem.reductions import OPERATIONS, TABLE


def settings() -> str:
    """A definition list of all settings."""
    config.load_all()
    return "\n".join(
        f"`{row.name}`\n: {row.meaning}\n\n  It takes {row.takes}. Default: "
        f"{'unset' if row.default is None else f'`{row.show(row.default)}`'}.\n"
        for row in config.settings()
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + [":-:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def thresholds() -> str:
    """The measured thresholds of the kernels."""
    names = {
        "small_bytes": "`REDCOLL_SMALL_BYTES`",
        "chunk_bytes": "`REDCOLL_CHUNK_BYTES`",
        "spin": "`REDCOLL_SPIN` if each rank has a core",
        "ahead": "`REDCOLL_AHEAD`",
    }
    rows = [
        [setting, *(_number(getattr(each, name)) for each in kernel_thresholds.TABLE.values())]
        for name, setting in names.items()
    ]
    across = [
        f"{_number(kernel_thresholds.LEADER_BYTES_ACROSS)} / ranks of a node",
        f"{_number(kernel_thresholds.CHUNKS_BYTES_ACROSS)} / ranks of a node",
    ]
    for row, value in zip(rows, [*across, "0", "1"], strict=True):
        row.append(value)
    heads = [f"{name.replace('numpy', 'NumPy')} kernel" for name in kernel_thresholds.TABLE]
    return _table(["setting", *heads, "several nodes"], rows)


def _number(value: int) -> str:
    return format_bytes(value) if value >= 1024 else str(value)


def operations() -> str:
    """Which operation takes which kinds of element."""
    kinds = datatypes.KIND_WORDS
    rows = [
        [f"`{op.name}`", *(yes if kind in op.kinds else "" for kind in kinds)]
        for op in ops.OPS
        for yes in ["yes" if op.types is None else "yes (32 and 64 bits)"]
    ]
    return _table(["operation", *kinds.values()], rows)


def shmem_reductions() -> str:
    """The types and operations in the names of the ``_to_all`` routines."""
    rows = [
        [
            f"`{row.name('').partition('__')[0]}_`",
            "longdouble" if row.dtype == np.longdouble else str(row.dtype),
            *("yes" if operation in row.operations.split() else "" for operation in OPERATIONS),
            row.family,
        ]
        for row in TABLE
    ]
    return _table(["name starts with", "element", *OPERATIONS, "from"], rows)


def _shmem_family(name: str) -> tuple[str, str]:
    """A routine's name with TYPE or SIZE for what varies in it, and that."""
    words = name.split("_")
    at = 2 if words[1:2] == ["ctx"] else 1
    if len(words) > at + 1 and words[at] in C_TYPES:
        return "_".join([*words[:at], "TYPE", *words[at + 1 :]]), words[at]
    match = re.fullmatch(
        r"(.*(?:put|get|broadcast|collect|alltoalls?))(8|16|32|64|128)(_.*)?", name
    )
    if match:
        return f"{match[1]}SIZE{match[3] or ''}", match[2]
    return name, ""


_OLD_ATOMICS = {"fetch", "set", "swap", "cswap", "inc", "finc", "add", "fadd"}
_DEPRECATED = {
    **dict.fromkeys(("_my_pe", "_num_pes", "my_pe", "num_pes", "start_pes"), "1.2"),
    **dict.fromkeys(("shmalloc", "shmemalign", "shrealloc", "shfree"), "1.2"),
    **dict.fromkeys(("shmem_barrier", "shmem_sync", "shmem_broadcastSIZE"), "1.5"),
    **dict.fromkeys(("shmem_collectSIZE", "shmem_fcollectSIZE", "shmem_alltoallSIZE"), "1.5"),
    **dict.fromkeys(("shmem_alltoallsSIZE",), "1.5"),
    **dict.fromkeys(("shmem_wait", "shmem_TYPE_wait"), "1.4"),
}
_SHORT = ("array", "empty", "free", "full", "n_pes", "ones", "zeros")
_NEW = (
    *("sum_inscan", "sum_exscan", "signal_set", "signal_add", "ibput", "ibget", "ibputSIZE"),
    *("ibgetSIZE", "pe_quiet", "session_start", "session_stop", "session_config_t", "team_ptr"),
    "query_initialized",
)


def _shmem_status(chapter: str, family: str, types: list[str]) -> str:
    verb = family.removeprefix("shmem_").removeprefix("TYPE_")
    if chapter in ("own", "statistics"):
        return "only in redcoll"
    if family in _SHORT:
        return "short name, only in redcoll"
    if chapter == "caches":
        return "deprecated in 1.3, does nothing"
    if family == "globalexit":
        return "old name of shmem_global_exit"
    if family in _DEPRECATED:
        return f"deprecated in {_DEPRECATED[family]}"
    if chapter == "atomics" and verb in _OLD_ATOMICS and "TYPE" in family:
        return "deprecated in 1.4"
    if any(family.endswith(new) for new in _NEW):
        return "1.6"
    if verb in ("and_reduce", "or_reduce", "xor_reduce") and "long" in types:
        return "1.5; with short, int, long and longlong only in libraries"
    if chapter == "contexts" and "TYPE" not in family and "SIZE" not in family:
        plain = family.removeprefix("shmem_ctx_")
        if not plain.startswith(("create", "destroy", "fence", "quiet", "get_team", "t")):
            return "1.5" if "mem" in plain else "generic form of C11 with a context"
    return "1.5"


def shmem_names() -> str:
    """All routines of the face, by chapter: one line for each family, with its status.

    But for the reductions on active sets, which have a table of their own.
    """
    rows: list[list[str]] = []
    for chapter in redcoll_shmem.CHAPTERS:
        short = chapter.__name__.rpartition(".")[2]
        if short == "reductions":
            continue
        names = [*getattr(chapter, "__all__", ()), *getattr(chapter, "ROUTINES", ())]
        families: dict[str, list[str]] = {}
        for name in names:
            if not callable(getattr(redcoll_shmem, name)):
                continue
            family, of = _shmem_family(name)
            families.setdefault(family, []).extend([of] if of else [])
        for family, types in families.items():
            status = _shmem_status(short, family, types)
            rows.append([f"`{family}`", short, str(max(1, len(types))), _words(types), status])
    return _table(["routine", "chapter", "names", "TYPE or SIZE", "status"], rows)


def shmem4py_names() -> str:
    """All names of shmem4py's interface: what each takes, and the first line of what it does."""
    from redcoll_shmem import shmem

    rows = []
    for name in shmem.__all__:
        value = getattr(shmem, name)
        is_enum = inspect.isclass(value) and issubclass(value, enum.Enum)
        if callable(value) and not is_enum:
            rows.append([f"`{name}{_parameters(value)}`", _first_line(value)])
            for method, function in vars(value).items() if inspect.isclass(value) else ():
                if not method.startswith("_") and not inspect.ismemberdescriptor(function):
                    shown = f"`{name}.{method}{_parameters(getattr(value, method))}`"
                    rows.append([shown, _first_line(getattr(value, method))])
        elif is_enum:
            members = " ".join(
                f"`{name}_{member}` = {each.value!r}," for member, each in value.__members__.items()
            )
            rows.append([f"`{name}`", f"{_first_line(value)} {members.rstrip(',')}"])
        elif not isinstance(value, enum.Enum):
            rows.append([f"`{name}`", _constant(value)])
    head = "| name | what it does |\n| --- | --- |\n"
    return head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _parameters(value: Any) -> str:
    """Names and defaults of the parameters, as in a call."""
    shown = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in inspect.signature(value).parameters.values()
        if each.name != "self"
    ]
    text = str(inspect.Signature(shown))
    return re.sub(r"<class '(\w+)'>", r"\1", re.sub(r"<(\w+)\.(\w+): [^>]*>", r"\1_\2", text))


def _first_line(value: Any) -> str:
    line = inspect.cleandoc(value.__doc__ or "").partition("\n")[0]
    return re.sub(r":\w+:(?=`)", "", line).replace("``", "`").replace("  ", " ")


def _constant(value: Any) -> str:
    return (
        f"`{value!r}`"
        if isinstance(value, int | str)
        else f"An object of the class `{type(value).__name__}`."
    )


def mpi_names() -> str:
    """All names of the MPI face, by what runs when they are used."""
    ours = "redcoll"
    adopting = "mpi4py, and returns communicators of redcoll"
    theirs = "mpi4py"
    rows = []
    for kind in (MPI.Intracomm, MPI.Op):
        where: dict[str, list[str]] = {ours: [], adopting: [], theirs: []}
        for name in dir(kind):
            if name.startswith("_"):
                continue
            home = next(each for each in kind.__mro__ if name in vars(each))
            is_theirs = not home.__module__.startswith("redcoll")
            place = theirs if is_theirs else adopting if MPI.Comm in home.__mro__ else ours
            where[place].append(name)
        rows += [[f"`{kind.__name__}`", place, _words(found)] for place, found in where.items()]
    rows.append(["`MPI`", ours, _words(sorted(mpi_stub.own_names()))])
    rows.append(["`MPI`", theirs, _words(mpi_stub.mpi4pys_names())])
    return _table(["class", "runs on", "names"], [row for row in rows if row[2]])


def _words(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


TABLES = {
    "mpi_names": mpi_names,
    "settings": settings,
    "thresholds": thresholds,
    "operations": operations,
    "shmem_reductions": shmem_reductions,
    "shmem_names": shmem_names,
    "shmem4py_names": shmem4py_names,
}


def write(folder: Path) -> None:
    """Write all tables; files that would not change keep their times."""
    folder.mkdir(exist_ok=True)
    for name, make in TABLES.items():
        path = folder / f"{name}.md"
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
