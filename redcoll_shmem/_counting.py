"""The reductions of the SHMEM API, counted: see :mod:`redcoll.tally`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from redcoll import config

Routine = Callable[..., Any]

_REDUCTION = re.compile(r"(_to_all|_to_one|reduce|_inscan|_exscan)$")
IS_ON = config.REPORT.get() is not None
"""Whether reductions are counted at all."""


def count_all(names: dict[str, Any], prefix: str = "") -> None:
    """Put counting routines in the place of the reductions among these names."""
    for name, routine in names.items():
        if callable(routine):
            names[name] = counted(name, routine, prefix)


def counted(name: str, routine: Routine, prefix: str = "") -> Routine:
    """The routine, counted if it is a reduction."""
    if not IS_ON or not _REDUCTION.search(name):
        return routine
    from redcoll import tally

    return tally.counted(routine, prefix + name, _bytes)


def _bytes(*args: Any, **named: Any) -> int:
    """What this PE contributes: the elements of the source that are reduced."""
    values = [*args, *named.values()]
    arrays = [at for at, value in enumerate(values) if isinstance(value, ndarray)]
    if len(arrays) < 2:
        return 0
    source, rest = values[arrays[1]], values[arrays[1] + 1 :]
    count = next((value for value in rest if isinstance(value, int)), source.size)
    return int(count * source.itemsize)
