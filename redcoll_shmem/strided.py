"""Define strided put and get of elements (OpenSHMEM 1.5, 9.6.4 and 9.6.8) and of blocks (1.6).

``shmem_TYPE_iput`` and similar routines exist for each type that has a ``shmem_TYPE_put``.
``shmem_iput`` takes arrays of any type (C11's generic form). ``shmem_iput32`` takes arrays of
bytes, or of any type whose elements have 32 bits. ``shmem_TYPE_ibput`` and similar routines copy
blocks of elements.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma, strided
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._docs import one_sided_errors
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import array_of, dtype_of, of_type, require
from redcoll_shmem.rma import TYPED_OR_SIZED, Elements

_DOC = """Copy {what} {direction} another PE, with strides.

Parameters
----------
target : ndarray{of}
    Contiguous{target} array, in which every ``dst``-th element {writes}. Other
    elements stay unchanged.
source : ndarray{of}
    Contiguous{source} array, in which every ``sst``-th element {reads}.
dst, sst : int
    Distances in elements from the start of {one} to the start of the next, in target and
    in source. They must be at least {least}.
{counts}
pe : int
    Number of the other PE.
{raises}"""

_ELEMENTS = {
    "writes": "is written",
    "reads": "is read",
    "one": "one element",
    "least": "1",
    "counts": "nelems : int\n    Number of elements to copy. With 0 the arrays can be None.",
}
_BLOCKS = {
    "writes": "starts a block that is written",
    "reads": "starts a block that is read",
    "one": "one block",
    "least": "``bsize``",
    "counts": "bsize : int\n    Number of elements of a block, which are contiguous.\n"
    "nblocks : int\n    Number of blocks to copy. With 0 blocks, or blocks of 0 elements, the\n"
    "    arrays can be None.",
}


def _routine(name: str, verb: str, elements: Elements) -> Routine:
    dtype, bits = dtype_of(elements.type_name), elements.bits
    is_put, has_blocks = verb.endswith("put"), verb.startswith("ib")
    core = strided.iput if is_put else strided.iget
    # A routine with a size in its name copies elements of any type that has this size.
    element = np.dtype(f"V{bits // 8}") if bits else None

    def copy(
        target: Any, source: Any, steps: tuple[Any, Any], count: int, pe: Any, block: int = 1
    ) -> None:
        if not (count and block):
            rma.check_pe(pe)
            return
        require(target, dtype, "target")
        require(source, dtype, "source")
        core(target, source, *steps, count, pe, element, block, ("dst", "sst"))

    def of_elements(target: Any, source: Any, dst: Any, sst: Any, nelems: Any, pe: Any) -> None:
        try:
            copy(target, source, (dst, sst), integer(nelems, "nelems"), pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def of_blocks(
        target: Any, source: Any, dst: Any, sst: Any, bsize: Any, nblocks: Any, pe: Any
    ) -> None:
        try:
            block, count = integer(bsize, "bsize"), integer(nblocks, "nblocks")
            copy(target, source, (dst, sst), count, pe, block)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    what = elements.words()["what"]
    doc = _DOC.format(
        what=f"blocks of {what}" if has_blocks else what,
        direction="to" if is_put else "from",
        of=of_type(dtype),
        target=" symmetric" if is_put else "",
        source="" if is_put else " symmetric",
        raises=one_sided_errors(),
        **(_BLOCKS if has_blocks else _ELEMENTS),
    )
    counts = ("bsize", "nblocks") if has_blocks else ("nelems",)
    parameters = {
        **dict.fromkeys(("target", "source"), array_of(dtype) | None),
        **dict.fromkeys(("dst", "sst", *counts, "pe"), int),
    }
    return finish_routine(of_blocks if has_blocks else of_elements, name, parameters, None, doc)


ROUTINES = LazyRoutines(
    {
        name: partial(_routine, name, verb, elements)
        for verb in ("iput", "iget", "ibput", "ibget")
        for elements in TYPED_OR_SIZED
        for name in (elements.name(verb),)
    }
)
WITH_CONTEXT = tuple(ROUTINES)
