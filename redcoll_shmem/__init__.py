"""Provide OpenSHMEM for Python programs: ``import redcoll_shmem as shmem``.

The package has the C names of OpenSHMEM 1.5 and older forms of them, with a module for each chapter
of the specification. Symmetric arrays are plain ndarrays. Where C takes an address, pass an array
or any view of an array. ``zeros`` and similar functions make symmetric arrays, and the routines
whose names start with ``redcoll_`` reduce any type by any operation.

``redcoll_shmem.shmem`` has shmem4py's names for the same library. Names that are in both, such as
``zeros``, ``free`` and ``my_pe``, have the same meaning.
"""

from __future__ import annotations

from typing import Any

from redcoll_shmem import (
    _counting,
    atomics,
    barriers,
    caches,
    collectives,
    constants,
    contexts,
    library,
    locks,
    memory,
    own,
    reductions,
    rma,
    signals,
    strided,
    synchronization,
    team_collectives,
    team_reductions,
    teams,
    waits,
)
from redcoll_shmem._rc import rc as rc

CHAPTERS = (
    constants,
    library,
    memory,
    teams,
    rma,
    strided,
    atomics,
    barriers,
    collectives,
    team_collectives,
    reductions,
    team_reductions,
    signals,
    synchronization,
    waits,
    locks,
    contexts,
    caches,
    own,
)
"""The modules with the public names, which are written by hand or made from tables."""

_TABLES = {name: chapter for chapter in CHAPTERS for name in getattr(chapter, "ROUTINES", ())}

__all__: list[str] = []
__all__ += list(_TABLES)
for _chapter in CHAPTERS:
    _names = {name: getattr(_chapter, name) for name in getattr(_chapter, "__all__", ())}
    _names |= getattr(_chapter, "CONSTANTS", {})
    __all__ += list(_names)
    globals().update(_names)
del _chapter, _names
if _counting.IS_ON:
    _counting.count_all(globals())


def __getattr__(name: str) -> Any:
    # A routine of a table is made when a program first asks for it.
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    routine = globals()[name] = _counting.counted(name, _TABLES[name].ROUTINES[name])
    return routine


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
