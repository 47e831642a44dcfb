"""OpenSHMEM for Python programs: ``import redcoll_shmem as shmem``.

The C names of OpenSHMEM 1.5 with their older forms, a module for each chapter of the
specification, and beside them names in the manner of NumPy (``redcoll_shmem.arrays``).
Symmetric arrays are plain ndarrays; where C takes an address, any view of one will do.
``redcoll_shmem.shmem`` is shmem4py's interface to the same.
"""

from __future__ import annotations

from typing import Any

from redcoll_shmem import (
    _counting,
    arrays,
    atomics,
    barriers,
    caches,
    collectives,
    constants,
    contexts,
    extensions,
    library,
    locks,
    memory,
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
    extensions,
    arrays,
)
"""Where the public names come from: written by hand, in a table, or made from one."""

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
    # Routines of tables are made when they are first asked for.
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    routine = globals()[name] = _counting.counted(name, _TABLES[name].ROUTINES[name])
    return routine


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
