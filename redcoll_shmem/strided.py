"""Strided put and get (OpenSHMEM 1.5, sections 9.6.4 and 9.6.8), and of blocks (1.6).

``shmem_TYPE_iput`` and so on for the types of put and get, ``shmem_iput`` for whatever
type the arrays have (C11's generic form), ``shmem_iput32`` for elements of any type of
that size, or plain bytes. ``shmem_TYPE_ibput`` and its like copy blocks of elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma, strided
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import C_TYPES, RMA_TYPES, require
from redcoll_shmem.rma import SIZES

Array = NDArray[Any]
Routine = Callable[..., None]

_DOC = """Copy {what} {direction} another PE, with steps between them.

Parameters
----------
target : ndarray{of}
    Contiguous{target}; {a} is written at every ``dst``-th element, and nothing between.
source : ndarray{of}
    Contiguous{source}; {a} is read at every ``sst``-th element.
dst, sst : int
    Elements from the start of {one} of target, or source, to that of the next; at least
    {least}.
{counts}
pe : int
    Number of the other PE.

Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``).
StateError
    The memory of the symmetric array has been freed.
"""

_ELEMENTS = {
    "a": "an element",
    "one": "one element",
    "least": "1",
    "counts": "nelems : int\n    Elements to copy. With 0 the arrays may be None.",
}
_BLOCKS = {
    "a": "a block",
    "one": "one block",
    "least": "``bsize``",
    "counts": "bsize : int\n    Elements of a block, that lie side by side.\n"
    "nblocks : int\n    Blocks to copy. With 0 of either the arrays may be None.",
}


def _signature(*counts: str) -> Signature:
    arrays = dict.fromkeys(("target", "source"), "Array | None")
    return signature({**arrays, **dict.fromkeys(("dst", "sst", *counts, "pe"), "int")})


_SIGNATURE, _SIGNATURE_OF_BLOCKS = _signature("nelems"), _signature("bsize", "nblocks")


def _routine(name: str, verb: str, what: str, type_name: str | None, bits: int | None) -> Routine:
    dtype = C_TYPES[type_name] if type_name else None
    is_put, has_blocks = verb.endswith("put"), verb.startswith("ib")
    core = strided.iput if is_put else strided.iget
    # Of elements that are only moved, the size is all that counts.
    moved = np.dtype(f"V{bits // 8}") if bits else None

    def copy(
        target: Any, source: Any, steps: tuple[Any, Any], count: int, pe: Any, block: int = 1
    ) -> None:
        if not (count and block):
            rma.check_pe(pe)
            return
        require(target, dtype, "target")
        require(source, dtype, "source")
        core(target, source, *steps, count, pe, moved, block)

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

    doc = _DOC.format(
        what=f"blocks of {what}" if has_blocks else what,
        direction="to" if is_put else "from",
        of=f" of {dtype}" if dtype is not None else "",
        target="; symmetric" if is_put else "",
        source="" if is_put else "; symmetric",
        **(_BLOCKS if has_blocks else _ELEMENTS),
    )
    if has_blocks:
        return publish(of_blocks, name, _SIGNATURE_OF_BLOCKS, doc)
    return publish(of_elements, name, _SIGNATURE, doc)


def _makers(verb: str) -> dict[str, Callable[[], Routine]]:
    """What makes the routines of a verb: its words, and the bits or the type of elements."""
    kinds: list[tuple[str, str, str | None, int | None]] = [
        (f"shmem_{verb}", "elements", None, None),
        *((f"shmem_{name}_{verb}", f"{name} elements", name, None) for name in RMA_TYPES),
        *((f"shmem_{verb}{bits}", f"elements of {bits} bits", None, bits) for bits in SIZES),
    ]
    return {
        name: partial(_routine, name, verb, what, type_name, bits)
        for name, what, type_name, bits in kinds
    }


VERBS = ("iput", "iget", "ibput", "ibget")

ROUTINES = Routines(
    {name: maker for verb in VERBS for name, maker in _makers(verb).items()},
)
WITH_CONTEXT = tuple(ROUTINES)
