"""Strided put and get (OpenSHMEM 1.5, sections 9.6.4 and 9.6.8).

``shmem_TYPE_iput`` and so on for the types of put and get, ``shmem_iput`` for whatever
type the arrays have (C11's generic form), ``shmem_iput32`` for elements of any type of
that size, or plain bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import rma, strided
from redcoll.errors import ArgumentError, StateError
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._publish import publish, signature
from redcoll_shmem._types import C_TYPES, RMA_TYPES, require
from redcoll_shmem.rma import SIZES

Array = NDArray[Any]
Routine = Callable[..., None]

_DOC = """Copy {what} {direction} another PE, with steps between them.

Parameters
----------
target : ndarray{of}
    Contiguous{target}; every ``dst``-th element is written, and nothing between.
source : ndarray{of}
    Contiguous{source}; every ``sst``-th element is read.
dst, sst : int
    Distance between one element of target, or source, and the next; at least 1.
nelems : int
    Elements to copy. With 0 the arrays may be None.
pe : int
    Number of the other PE.

Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``).
StateError
    The memory of the symmetric array has been freed.
"""

_SIGNATURE = signature(
    {
        "target": "Array | None",
        "source": "Array | None",
        "dst": "int",
        "sst": "int",
        "nelems": "int",
        "pe": "int",
    }
)


def _routine(
    name: str, verb: str, what: str, dtype: np.dtype[Any] | None, bits: int | None
) -> Routine:
    copy = strided.iput if verb == "iput" else strided.iget
    # Of elements that are only moved, the size is all that counts.
    moved = np.dtype(f"V{bits // 8}") if bits else None

    def routine(target: Any, source: Any, dst: Any, sst: Any, nelems: Any, pe: Any) -> None:
        try:
            count = integer(nelems, "nelems")
            if count == 0:
                rma.check_pe(pe)
                return
            require(target, dtype, "target")
            require(source, dtype, "source")
            copy(target, source, dst, sst, count, pe, moved)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    is_put = verb == "iput"
    doc = _DOC.format(
        what=what,
        direction="to" if is_put else "from",
        of=f" of {dtype}" if dtype is not None else "",
        target="; symmetric" if is_put else "",
        source="" if is_put else "; symmetric",
    )
    return publish(routine, name, _SIGNATURE, doc)


def _routines(verb: str) -> list[Routine]:
    return [
        _routine(f"shmem_{verb}", verb, "elements", None, None),
        *(
            _routine(f"shmem_{name}_{verb}", verb, f"{name} elements", C_TYPES[name], None)
            for name in RMA_TYPES
        ),
        *(
            _routine(f"shmem_{verb}{bits}", verb, f"elements of {bits} bits", None, bits)
            for bits in SIZES
        ),
    ]


ROUTINES: dict[str, Routine] = {
    routine.__name__: routine for verb in ("iput", "iget") for routine in _routines(verb)
}
WITH_CONTEXT = ROUTINES
