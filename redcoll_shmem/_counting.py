"""Count the reductions of the SHMEM API, for :mod:`redcoll.tally`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from redcoll import config

Routine = Callable[..., Any]

_HAVE_SOURCE = ("_to_all", "_to_one", "reduce", "_inscan", "_exscan")
"""The ends of the names of reductions that have a source."""
IS_ON = config.REPORT.get() is not None or config.PROFILE.get() is not None
"""Whether the job counts reductions."""


def count_all(names: dict[str, Any], prefix: str = "") -> None:
    """Replace each reduction in ``names`` by a routine that counts its calls."""
    for name, routine in names.items():
        if callable(routine):
            names[name] = counted(name, routine, prefix)


def counted(name: str, routine: Routine, prefix: str = "") -> Routine:
    """Count the calls of a reduction, if the job counts reductions. Return the routine to use."""
    has_source = name.endswith(_HAVE_SOURCE)
    if not IS_ON or not (has_source or name.startswith("redcoll_")):
        return routine
    # Import these modules here, because few programs need them.
    from redcoll import tally
    from redcoll.collectives import allreduce

    has_fast_path = name.startswith("shmem") and name.endswith(("_to_all", "_reduce"))
    if has_fast_path and tally.has_fast_records():
        rest = (allreduce, "reduce_prepared", None)
        tally.record_fast({name: routine}, [rest])
        return routine
    return tally.counted(routine, prefix + name, _about if has_source else _about_values)


def _about_values(*args: Any, **named: Any) -> tuple[None, int]:
    """Return None for the team, and the size of the values in bytes. ``args[0]`` is the team."""
    from redcoll import tally

    named.pop("team", None)
    return None, tally.bytes_of_first(*args[1:], **named)


def _about(*args: Any, **named: Any) -> tuple[None, int]:
    """Return None for the team, and the size in bytes of the elements that this PE contributes."""
    values = [*args, *named.values()]
    arrays = [at for at, value in enumerate(values) if isinstance(value, ndarray)]
    if len(arrays) < 2:
        return None, 0
    source, rest = values[arrays[1]], values[arrays[1] + 1 :]
    count = next((value for value in rest if isinstance(value, int)), source.size)
    return None, int(count * source.itemsize)
