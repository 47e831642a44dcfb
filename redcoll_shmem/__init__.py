"""Provide OpenSHMEM for Python programs: ``import redcoll_shmem as shmem``.

The package has the C names of OpenSHMEM 1.5, and the older forms of these names. Each chapter of
the specification has a module. Symmetric arrays are plain ndarrays. Where C takes an address, pass
an array or any view of an array. ``zeros`` and similar functions make symmetric arrays. Routines
whose names start with ``redcoll_`` reduce arrays of any type by any operation.

``redcoll_shmem.shmem`` has the names of shmem4py. Names that both packages have, such as ``zeros``,
``free`` and ``my_pe``, have the same meaning.
"""

from __future__ import annotations

import importlib
from typing import Any

from redcoll_shmem import _counting
from redcoll_shmem._names import NAMES
from redcoll_shmem._rc import rc as rc

_CHAPTER_OF = {name: chapter for chapter, names in NAMES.items() for name in names.split()}

__all__: list[str] = []
__all__ += list(_CHAPTER_OF)


def __getattr__(name: str) -> Any:
    # A job starts faster if it imports only the chapters that it uses. A chapter makes a routine of
    # its table only when a program first uses the routine's name.
    if name == "CHAPTERS":
        return tuple(map(_chapter, NAMES))
    if name in NAMES:
        return _chapter(name)
    if name not in _CHAPTER_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    chapter = _chapter(_CHAPTER_OF[name])
    table = getattr(chapter, "ROUTINES", ())
    value = table[name] if name in table else getattr(chapter, name)
    return globals().setdefault(name, _counting.counted(name, value))


def _chapter(name: str) -> Any:
    """Import the module of a chapter, and return the module."""
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES, *__all__})
