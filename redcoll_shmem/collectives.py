"""Define broadcast, collect and alltoall on active sets (OpenSHMEM 1.4, 9.8.5 to 9.8.9).

Elements of the arrays can have any type with the size in the routine's name. The arrays can also be
views of plain bytes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from redcoll.arguments import Array, plain, require_itemsize
from redcoll.errors import ArgumentError
from redcoll.onesided import rma
from redcoll.protocol.descriptor import COLLECT
from redcoll.team import Team
from redcoll_shmem._arguments import sync, team_of, vector, writable
from redcoll_shmem._calls import Call, checked_call, outermost
from redcoll_shmem._copies import TO_OTHERS, VERBS, Verb
from redcoll_shmem._docs import ACTIVE_SET, document, sync_array
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import LONG, array_of

BITS = (32, 64)

_ROOT = """PE_root : int
    Index of the root in the set (not a PE number).
"""


def _block(bits: int, array: Any, count: int | None, name: str) -> Array:
    """Return ``count`` elements of a symmetric array as unsigned integers (None: all)."""
    size = bits // 8
    array = plain(array, name)
    vector(array, 0, name, "nelems")  # this checks the array
    require_itemsize(array, size, name)
    if name == "target":
        writable(array, name)
    data = rma.flat(array, name).view(np.uint8)
    available = data.size // size
    if count is None:
        count = available
    if count > available:
        raise ArgumentError(
            f"nelems and the set ask for {count} elements of {bits} bits of {name}; it has "
            f"{available}"
        )
    return data[: count * size].view(f"u{size}")


def _routine(name: str, verb: Verb, bits: int) -> Routine:
    block = partial(_block, bits)

    def call(arrays: tuple[Any, Any], nelems: Any, others: tuple[Any, ...], *on: Any) -> None:
        def prepare(team: Team) -> Call:
            target = arrays[0]
            if not verb.is_empty(nelems):
                sync(on[3], verb.size_name)
                if target is None and verb.collective == COLLECT:
                    # If no member contributes elements, the target can be None. So treat None as an
                    # empty array.
                    target = on[3].view(np.uint8)[:0]
            return verb.call(block, team, (target, arrays[1]), nelems, *others)

        checked_call(name, verb.collective, team_of(name, *on[:3]), prepare)

    def routine(
        target: Any,
        source: Any,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        call((target, source), nelems, (), PE_start, logPE_stride, PE_size, pSync)

    def rooted(
        target: Any,
        source: Any,
        nelems: int,
        PE_root: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        call((target, source), nelems, (PE_root,), PE_start, logPE_stride, PE_size, pSync)

    def with_steps(
        target: Any,
        source: Any,
        dst: int,
        sst: int,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: Any,
    ) -> None:
        call((target, source), nelems, (dst, sst), PE_start, logPE_stride, PE_size, pSync)

    doc = document(
        verb.summary,
        "Collective over the active set. Only members of the set can call, and they must pass "
        f"equal\narguments{verb.equals}.",
        verb.parameters(f"elements of {bits} bits", "", _ROOT)
        + ACTIVE_SET
        + sync_array(verb.size_name),
        on_team=False,
        differ="counts or types",
    )
    parameters = {
        **dict.fromkeys(("target", "source"), Array | None),
        **dict.fromkeys((*verb.numbers, "PE_start", "logPE_stride", "PE_size"), int),
        "pSync": array_of(LONG),
    }
    made = (routine, rooted, with_steps)[len(verb.numbers) - 1]
    return finish_routine(outermost(made), name, parameters, None, doc)


ROUTINES = LazyRoutines(
    {
        f"shmem_{word}{bits}": partial(_routine, f"shmem_{word}{bits}", verb, bits)
        for bits in BITS
        for word, verb in {**VERBS, "broadcast": TO_OTHERS}.items()
    }
)
