"""Define collective copies on teams (OpenSHMEM 1.5, section 9.10).

``shmem_TYPE_broadcast`` and similar routines exist for each type that has a ``shmem_TYPE_put``.
``shmem_broadcast`` takes arrays of any type (C11's generic form). ``shmem_broadcastmem`` takes any
array, and counts bytes. All these routines return 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from redcoll.arguments import Array, plain
from redcoll.onesided import rma
from redcoll.protocol.descriptor import COLLECT
from redcoll_shmem._arguments import vector, writable
from redcoll_shmem._calls import checked_call, outermost
from redcoll_shmem._copies import VERBS, Verb
from redcoll_shmem._docs import document
from redcoll_shmem._handles import core_of, shmem_team_t
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import RMA_TYPES, array_of, dtype_of, of_type, require_type

_ROOT = """PE_root : int
    Number of the root in the team.
"""


def _elements(
    dtype: np.dtype[Any] | None, is_bytes: bool, array: Any, count: int | None, name: str
) -> Array:
    """Check an array; return its first ``count`` elements, or all if ``count`` is None."""
    array = plain(array, name)
    if dtype is not None:
        require_type(array, dtype, name)
    if is_bytes:
        array = rma.flat(array, name).view(np.uint8)
    if name == "target":
        writable(array, name)
    return vector(array, array.size if count is None else count, name, "nelems")


def _routine(name: str, type_name: str | None, verb: Verb, *, is_bytes: bool = False) -> Routine:
    dtype = dtype_of(type_name)
    elements = partial(_elements, dtype, is_bytes)

    def call(team: Any, arrays: tuple[Any, Any], nelems: Any, *others: Any) -> int:
        core = core_of(name, team)
        checked_call(
            name,
            verb.collective,
            core,
            lambda core: verb.call(elements, core, arrays, nelems, *others),
        )
        return 0

    def routine(team: Any, target: Any, source: Any, nelems: int) -> int:
        return call(team, (target, source), nelems)

    def rooted(team: Any, target: Any, source: Any, nelems: int, PE_root: int) -> int:
        return call(team, (target, source), nelems, PE_root)

    def with_steps(team: Any, target: Any, source: Any, dst: int, sst: int, nelems: int) -> int:
        return call(team, (target, source), nelems, dst, sst)

    doc = document(
        verb.summary,
        f"Collective over the team, whose members must pass equal arguments{verb.equals}.",
        verb.parameters("bytes" if is_bytes else "elements", of_type(dtype), _ROOT),
        on_team=True,
        differ="counts, types or roots",
    )
    array = array_of(dtype)
    parameters = {
        "team": shmem_team_t,
        "target": array if verb.collective == COLLECT else array | None,
        "source": array | None,
        **dict.fromkeys(verb.numbers, int),
    }
    made = (routine, rooted, with_steps)[len(verb.numbers) - 1]
    return finish_routine(outermost(made), name, parameters, int, doc)


ROUTINES = LazyRoutines(
    {
        **{
            name: make
            for word, verb in VERBS.items()
            for name, make in makers(_routine, word, RMA_TYPES, verb).items()
        },
        **{
            f"shmem_{word}mem": partial(_routine, f"shmem_{word}mem", None, verb, is_bytes=True)
            for word, verb in VERBS.items()
        },
    }
)
