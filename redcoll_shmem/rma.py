"""Remote memory access (OpenSHMEM 1.5, sections 9.6 and 9.7): put, get, single values.

``shmem_TYPE_put`` and so on for every type of the specification, and ``shmem_put`` for
whatever type the arrays have (C11's generic form); by the number of bits
(``shmem_put32``) for elements of any type of that size, or plain bytes; and
``shmem_putmem``, which counts bytes of anything. Only the remote side must be symmetric.
The ``_nbi`` forms may be complete on return; programs rely on it after ``shmem_quiet``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import C_TYPES, RMA_TYPES, number_type, require

Array = NDArray[Any]
Routine = Callable[..., Any]
Copy = Callable[[Any, Any, Any, Any], None]

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
_NBI_NOTE = "Complete after ``shmem_quiet``; until then the program leaves both arrays alone."


def _copy_doc(direction: str, suffix: str, what: str, of: str, counts: str) -> str:
    is_put = direction == "put"
    note = _PUT_NOTE if is_put else _GET_NOTE
    return _COPY_DOC.format(
        verb="Copy",
        what=what,
        direction="to another PE" if is_put else "from another PE",
        of=of,
        target_is="; symmetric" if is_put else "",
        source_is="" if is_put else "; symmetric",
        counts=counts,
        note=_NBI_NOTE if suffix else note,
    )


_COPY_SIGNATURE = signature(
    {"target": "Array | None", "source": "Array | None", "nelems": "int", "pe": "int"}
)


def _prefix(type_name: str | None) -> str:
    return f"shmem_{type_name}_" if type_name else "shmem_"


def typed_copy(direction: str, type_name: str | None) -> Copy:
    """What ``shmem_TYPE_put`` or ``shmem_TYPE_get`` does, and the generic form for no type."""
    dtype = C_TYPES[type_name] if type_name else None
    move = rma.put if direction == "put" else rma.get

    def copy(target: Any, source: Any, nelems: Any, pe: Any) -> None:
        count = integer(nelems, "nelems")
        if count == 0:
            rma.check_pe(pe)
            return
        require(target, dtype, "target")
        require(source, dtype, "source")
        move(target, source, count, pe, "nelems")

    return copy


def sized_copy(direction: str, bits: int | None) -> Copy:
    """What ``shmem_put32`` and the like do, and ``shmem_putmem`` for no size."""
    size = (bits or 8) // 8
    move = rma.put_bytes if direction == "put" else rma.get_bytes

    def check(array: Any, nelems: int, argument: str) -> None:
        require(array, None, argument)
        if bits is not None and array.itemsize not in (1, size):
            raise DatatypeError(
                f"{argument} is of {array.dtype}, {array.itemsize} bytes an element; this routine "
                f"takes elements of {size} bytes, or a view of plain bytes"
            )
        if nelems * size > array.nbytes:
            raise ArgumentError(
                f"nelems is {nelems}, {nelems * size} bytes; {argument} has {array.nbytes}"
            )

    def copy(target: Any, source: Any, nelems: Any, pe: Any) -> None:
        count = integer(nelems, "nelems")
        if count == 0:
            rma.check_pe(pe)
            return
        check(target, count, "target")
        check(source, count, "source")
        move(target, source, count * size, pe)

    return copy


def _copying(name: str, copy: Copy, doc: str) -> Routine:
    def routine(target: Any, source: Any, nelems: int, pe: int) -> None:
        try:
            copy(target, source, nelems, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    return publish(routine, name, _COPY_SIGNATURE, doc)


def _typed(name: str, direction: str, suffix: str, type_name: str | None) -> Routine:
    what, of = _typed_words(type_name)
    doc = _copy_doc(direction, suffix, what, of, "Elements")
    return _copying(name, typed_copy(direction, type_name), doc)


def _typed_words(type_name: str | None) -> tuple[str, str]:
    """What is copied, and the arrays' type, in words."""
    if type_name is None:
        return "elements", ""
    return f"{type_name} elements", f" of {C_TYPES[type_name]}"


def _sized(name: str, direction: str, suffix: str, bits: int | None) -> Routine:
    what = f"elements of {bits} bits" if bits else "bytes"
    doc = _copy_doc(direction, suffix, what, "", "Elements" if bits else "Bytes")
    return _copying(name, sized_copy(direction, bits), doc)


def _single(type_name: str | None) -> dict[str, str]:
    """How documentation speaks of one value."""
    if type_name is None:
        return {"type_name": "", "of": ""}
    return {"type_name": f"{type_name} ", "of": f" of {C_TYPES[type_name]}"}


_P_DOC = """Store one {type_name}value on another PE.

Parameters
----------
target : ndarray{of}
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


def _p(name: str, type_name: str | None) -> Routine:
    """``shmem_TYPE_p``, and the generic form for no type."""
    dtype = C_TYPES[type_name] if type_name else None

    def routine(target: Any, value: Any, pe: int) -> None:
        try:
            require(target, dtype, "target")
            rma.store(target, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    number = number_type(dtype)
    shown = signature({"target": "Array", "value": number, "pe": "int"})
    doc = _P_DOC.format(**_single(type_name), number=number)
    return publish(routine, name, shown, doc)


_G_DOC = """One {type_name}value of another PE.

Parameters
----------
source : ndarray{of}
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


def _g(name: str, type_name: str | None) -> Routine:
    """``shmem_TYPE_g``, and the generic form for no type."""
    dtype = C_TYPES[type_name] if type_name else None

    def routine(source: Any, pe: int) -> Any:
        try:
            require(source, dtype, "source")
            return rma.load(source, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    shown = signature({"source": "Array", "pe": "int"}, number_type(dtype))
    doc = _G_DOC.format(**_single(type_name))
    return publish(routine, name, shown, doc)


def _makers() -> dict[str, Callable[[], Routine]]:
    made: dict[str, Callable[[], Routine]] = {}
    for direction in ("put", "get"):
        for suffix in ("", "_nbi"):
            for type_name in (*RMA_TYPES, None):
                name = f"{_prefix(type_name)}{direction}{suffix}"
                made[name] = partial(_typed, name, direction, suffix, type_name)
            for bits in (*SIZES, None):
                name = f"shmem_{direction}{bits or 'mem'}{suffix}"
                made[name] = partial(_sized, name, direction, suffix, bits)
    for letter, make in (("p", _p), ("g", _g)):
        for type_name in (*RMA_TYPES, None):
            name = f"{_prefix(type_name)}{letter}"
            made[name] = partial(make, name, type_name)
    return made


ROUTINES = Routines(_makers())
WITH_CONTEXT = tuple(ROUTINES)
