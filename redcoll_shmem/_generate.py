"""Write ``__init__.pyi``: what type checkers and editors see of the package.

::

    python -m redcoll_shmem._generate           write the stub
    python -m redcoll_shmem._generate --check   exit with 1 if the one on disk differs

Routines made from tables get their signatures here; what is written by hand is imported
from its module, where its own signature and documentation stand.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import redcoll_shmem

STUB = Path(__file__).with_name("__init__.pyi")
LINE_LENGTH = 100

_HEAD = """\
# Made by `python -m redcoll_shmem._generate` from the tables in this folder: do not edit.

from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

"""

# In the package there is no name for the type of arrays.
_TYPE, _PRIVATE = re.compile(r"\bArray\b"), "_Array"
_TYPES = """
_Array: TypeAlias = NDArray[Any]

CHAPTERS: tuple[ModuleType, ...]

"""


def stub() -> str:
    """The text of the stub."""
    imported = {"redcoll_shmem._rc": ["rc as rc"]}
    generated: list[str] = []
    for chapter in redcoll_shmem.CHAPTERS:
        by_hand = [*getattr(chapter, "__all__", ()), *getattr(chapter, "CONSTANTS", ())]
        if by_hand:
            imported[chapter.__name__] = by_hand
        if hasattr(chapter, "ROUTINES"):
            title = (chapter.__doc__ or "").partition("\n")[0]
            routines = chapter.ROUTINES.items()
            lines = "".join(_definition(name, routine) for name, routine in routines)
            generated.append(f"# {title}\n\n{lines}")
    imports = [
        _block(f"from {module} import (", _sorted(imported[module], str.lower), ")")
        for module in sorted(imported)
    ]
    exports = [f'"{name}"' for name in _sorted(redcoll_shmem.__all__, str)]
    parts = (*imports, "\n", _block("__all__ = [", exports, "]"), _TYPES, "\n".join(generated))
    return _HEAD + "".join(parts)


def _block(first: str, lines: Iterable[str], last: str) -> str:
    return "".join([f"{first}\n", *(f"    {line},\n" for line in lines), f"{last}\n"])


def _definition(name: str, routine: Callable[..., object]) -> str:
    shown = inspect.signature(routine)
    parameters = [
        f"{each.name}: {_TYPE.sub(_PRIVATE, each.annotation)}" for each in shown.parameters.values()
    ]
    end = f") -> {shown.return_annotation}: ..."
    line = f"def {name}({', '.join(parameters)}{end}\n"
    return line if len(line) <= LINE_LENGTH + 1 else _block(f"def {name}(", parameters, end)


def _sorted(names: Iterable[str], letters: Callable[[str], str]) -> list[str]:
    """As linters want it: constants first, and numbers in names by their value."""

    def order(name: str) -> tuple[bool, list[str]]:
        digits = re.split("([0-9]+)", letters(name))
        return not name.isupper(), [part.zfill(9) if part.isdigit() else part for part in digits]

    return sorted(names, key=order)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the stub; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m redcoll_shmem._generate")
    parser.add_argument("--check", action="store_true", help="change nothing, compare only")
    wanted = stub()
    if not parser.parse_args(arguments).check:
        STUB.write_text(wanted)
        return 0
    if STUB.exists() and STUB.read_text() == wanted:
        return 0
    sys.stderr.write(f"{STUB.name} is out of date: run python -m redcoll_shmem._generate\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
