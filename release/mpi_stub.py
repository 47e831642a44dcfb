"""Write redcoll.MPI's ``__init__.pyi``, the stub that type checkers and editors read.

``python release/mpi_stub.py`` writes the stub, and a test compares it.

A stub cannot import a name and then give it another type. So the stub has no ``import *``: it lists
all names of mpi4py that redcoll does not replace.
"""

from __future__ import annotations

from pathlib import Path

from redcoll._mpi4py import MPI
from redcoll.MPI import _comm, _datatypes, _modules, _ops

STUB = Path(__file__).parents[1] / "redcoll" / "MPI" / "__init__.pyi"

CLASSES = {
    "_comm": (
        "Cartcomm",
        "Comm",
        "Distgraphcomm",
        "Graphcomm",
        "Intercomm",
        "Intracomm",
        "Topocomm",
    ),
    "_ops": ("Op",),
}
"""The classes that replace mpi4py's classes, by module."""

ADDED = ("install", "mpi4py_MPI")
"""The names that mpi4py lacks, except datatypes."""

_HEAD = "# Made by `python release/mpi_stub.py` from mpi4py's names: do not edit.\n"
_HEAD += "# ruff: noqa: A004, I001\n\n"


def own_names() -> set[str]:
    """Return the names of ``redcoll.MPI`` that redcoll defines."""
    classes = {name for names in CLASSES.values() for name in names}
    return {*classes, *ADDED, *_comm.CONSTANTS, *_ops.PREDEFINED, *_datatypes.FORTRAN_PAIRS}


def mpi4pys_names() -> list[str]:
    """Return the names of ``redcoll.MPI`` that mpi4py defines, in alphabetical order."""
    return sorted(name for name in dir(MPI) if name[0] != "_" and name not in own_names())


def stub() -> str:
    """Return the text of the stub."""
    theirs = mpi4pys_names()
    lines = [_HEAD, "from typing import Final\n\n", _import("mpi4py", _modules.NAMES)]
    lines.append(_import("mpi4py.MPI", theirs))
    lines += [_import(f"redcoll.MPI.{module}", names) for module, names in CLASSES.items()]
    lines += ["from mpi4py import MPI as _mpi\n"]
    lines += ["from redcoll.MPI._install import install as install\n"]
    lines += ["\nmpi4py_MPI = _mpi\n"]
    lines += [
        "\n",
        *(f"{name}: Final[{type(comm).__name__}]\n" for name, comm in _comm.CONSTANTS.items()),
    ]
    lines += ["\n", *(f"{name}: Final[Op]\n" for name in _ops.PREDEFINED)]
    lines += ["\n", *(f"{name}: Final[Datatype]\n" for name in _datatypes.FORTRAN_PAIRS)]
    return "".join(lines)


def _import(module: str, names: list[str] | tuple[str, ...]) -> str:
    # Type checkers treat a name that is imported with "as" as exported.
    return f"from {module} import (\n" + "".join(f"    {n} as {n},\n" for n in names) + ")\n"


if __name__ == "__main__":
    STUB.write_text(stub())
