"""Remote memory access (OpenSHMEM 1.4, section 9.5): put, get, and single values.

``shmem_TYPE_put`` and so on for every type of the specification; by the number of bits
(``shmem_put32``) for elements of any type of that size, or plain bytes; and
``shmem_putmem``, which counts bytes of anything. Only the remote side must be symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import rma
from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._publish import publish, signature
from redcoll_shmem._types import C_TYPES, RMA_TYPES, describe, number_type, require

Array = NDArray[Any]
Routine = Callable[..., Any]

SIZES = (8, 16, 32, 64, 128)

_COPY_DOC = """{verb} {what} {direction}.

Parameters
----------
target : ndarray{of}
    At least ``nelems`` elements, contiguous{target_is}.
source : ndarray{of}
    At least ``nelems`` elements, contiguous{source_is}.
nelems : int
    {counts} to copy. With 0 the arrays may be None.
pe : int
    Number of the other PE.

Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``).
StateError
    The memory of the symmetric array has been freed.

Notes
-----
{note}
"""

_PUT_NOTE = """The source may be reused on return. The elements arrive in any order; ``shmem_fence``
puts earlier calls before later ones, ``shmem_quiet`` and the barriers complete them."""
_GET_NOTE = "The elements have arrived on return."


def _copy_doc(direction: str, what: str, of: str, counts: str) -> str:
    is_put = direction == "put"
    return _COPY_DOC.format(
        verb="Copy",
        what=what,
        direction="to another PE" if is_put else "from another PE",
        of=of,
        target_is="; symmetric" if is_put else "",
        source_is="" if is_put else "; symmetric",
        counts=counts,
        note=_PUT_NOTE if is_put else _GET_NOTE,
    )


_COPY_SIGNATURE = signature(
    {"target": "Array | None", "source": "Array | None", "nelems": "int", "pe": "int"}
)


def _typed(direction: str, type_name: str) -> Routine:
    """``shmem_TYPE_put`` or ``shmem_TYPE_get``."""
    name = f"shmem_{type_name}_{direction}"
    dtype = C_TYPES[type_name]
    copy = rma.put if direction == "put" else rma.get

    def routine(target: Any, source: Any, nelems: int, pe: int) -> None:
        try:
            count = integer(nelems, "nelems")
            if count == 0:
                rma.check_pe(pe)
                return
            require(target, dtype, "target")
            require(source, dtype, "source")
            copy(target, source, count, pe, "nelems")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _copy_doc(direction, f"{type_name} elements", f" of {dtype}", "Elements")
    return publish(routine, name, _COPY_SIGNATURE, doc)


def _sized(direction: str, bits: int | None) -> Routine:
    """``shmem_put32`` and the like, and ``shmem_putmem`` for no size."""
    name = f"shmem_{direction}{bits or 'mem'}"
    size = (bits or 8) // 8
    copy = rma.put_bytes if direction == "put" else rma.get_bytes

    def check(array: Any, nelems: int, argument: str) -> None:
        if not isinstance(array, np.ndarray):
            raise DatatypeError(f"{argument} is {describe(array)}; it must be a numpy.ndarray")
        if bits is not None and array.itemsize not in (1, size):
            raise DatatypeError(
                f"{argument} is of {array.dtype}, {array.itemsize} bytes an element; this routine "
                f"takes elements of {size} bytes, or a view of plain bytes"
            )
        if nelems * size > array.nbytes:
            raise ArgumentError(
                f"nelems is {nelems}, {nelems * size} bytes; {argument} has {array.nbytes}"
            )

    def routine(target: Any, source: Any, nelems: int, pe: int) -> None:
        try:
            count = integer(nelems, "nelems")
            if count == 0:
                rma.check_pe(pe)
                return
            check(target, count, "target")
            check(source, count, "source")
            copy(target, source, count * size, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    what = f"elements of {bits} bits" if bits else "bytes"
    doc = _copy_doc(direction, what, "", "Elements" if bits else "Bytes")
    return publish(routine, name, _COPY_SIGNATURE, doc)


_P_DOC = """Store one {type_name} value on another PE.

Parameters
----------
target : ndarray of {dtype}
    Symmetric; its first element is meant.
value : {number}
    What to store.
pe : int
    Number of the PE.

Raises
------
ArgumentError
    A wrong argument, or a value that the element cannot hold.
StateError
    The memory has been freed.
"""


def _p(type_name: str) -> Routine:
    """``shmem_TYPE_p``."""
    name = f"shmem_{type_name}_p"
    dtype = C_TYPES[type_name]

    def routine(target: Any, value: Any, pe: int) -> None:
        try:
            require(target, dtype, "target")
            rma.store(target, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    shown = signature({"target": "Array", "value": number_type(dtype), "pe": "int"})
    doc = _P_DOC.format(type_name=type_name, dtype=dtype, number=number_type(dtype))
    return publish(routine, name, shown, doc)


_G_DOC = """One {type_name} value of another PE.

Parameters
----------
source : ndarray of {dtype}
    Symmetric; its first element is meant.
pe : int
    Number of the PE.

Raises
------
ArgumentError
    A wrong argument.
StateError
    The memory has been freed.
"""


def _g(type_name: str) -> Routine:
    """``shmem_TYPE_g``."""
    name = f"shmem_{type_name}_g"
    dtype = C_TYPES[type_name]

    def routine(source: Any, pe: int) -> Any:
        try:
            require(source, dtype, "source")
            return rma.load(source, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    shown = signature({"source": "Array", "pe": "int"}, number_type(dtype))
    doc = _G_DOC.format(type_name=type_name, dtype=dtype)
    return publish(routine, name, shown, doc)


ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for routine in (
        *(_typed(direction, name) for direction in ("put", "get") for name in RMA_TYPES),
        *(_sized(direction, bits) for direction in ("put", "get") for bits in (*SIZES, None)),
        *(_p(name) for name in RMA_TYPES),
        *(_g(name) for name in RMA_TYPES),
    )
}
