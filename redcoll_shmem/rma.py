"""Define remote memory access (OpenSHMEM 1.5, sections 9.6 and 9.7): put, get, single values.

``shmem_TYPE_put`` and similar routines exist for every type of the specification. ``shmem_put``
takes arrays of any type (C11's generic form). ``shmem_put32`` takes arrays of bytes, or of any type
whose elements have 32 bits. ``shmem_putmem`` takes any array, and counts bytes. Only the array on
the other PE must be symmetric. A ``_nbi`` form may complete its copy before it returns, but
programs can use the copy only after ``shmem_quiet``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from redcoll.errors import ArgumentError, DatatypeError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import (
    RMA_TYPES,
    array_of,
    dtype_of,
    name_of,
    number_of,
    of_type,
    require,
)

Copy = Callable[[Any, Any, Any, Any], None]

SIZES = (8, 16, 32, 64, 128)

_COPY_DOC = """Copy {what} {direction} another PE.

Parameters
----------
target : ndarray{of}
    Contiguous{target_is} array of at least ``nelems`` elements.
source : ndarray{of}
    Contiguous{source_is} array of at least ``nelems`` elements.
nelems : int
    Number of {counts} to copy. With 0 the arrays can be None.
pe : int
    Number of the other PE.

Raises
------
ArgumentError
    An argument is wrong. The error can be a ``DatatypeError`` or a ``SymmetryError``.
StateError
    The memory of the symmetric array has been freed.

Notes
-----
{note}
"""

_PUT_NOTE = """The program can change the source after the call. The elements arrive in any order.
``shmem_fence`` orders earlier puts before later puts. ``shmem_quiet`` and the barriers complete
earlier puts."""
_GET_NOTE = "The elements have arrived on return."
_NBI_NOTE = "The copy is complete after ``shmem_quiet``. Do not use the arrays before that call."


def moved(type_name: str | None, bits: int | None, *, is_bytes: bool = False) -> dict[str, str]:
    """Return words that describe the elements of a copy in docstrings."""
    if is_bytes:
        return {"what": "bytes", "of": "", "counts": "bytes"}
    what = f"{type_name} elements" if type_name else "elements"
    if bits:
        what = f"elements of {bits} bits"
    return {"what": what, "of": of_type(dtype_of(type_name)), "counts": "elements"}


def typed_copy(direction: str, type_name: str | None) -> Copy:
    """Return the function that copies for ``shmem_TYPE_put`` or ``shmem_TYPE_get``."""
    dtype = dtype_of(type_name)
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
    """Return the function that copies for ``shmem_putmem``, ``shmem_put32`` and similar names."""
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


def _copying(
    name: str, direction: str, type_name: str | None, copy: Copy, words: dict[str, str]
) -> Routine:
    def routine(target: Any, source: Any, nelems: int, pe: int) -> None:
        try:
            copy(target, source, nelems, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    is_put = direction == "put"
    note = _PUT_NOTE if is_put else _GET_NOTE
    doc = _COPY_DOC.format(
        **words,
        direction="to" if is_put else "from",
        target_is=" symmetric" if is_put else "",
        source_is="" if is_put else " symmetric",
        note=_NBI_NOTE if name.endswith("_nbi") else note,
    )
    array = array_of(dtype_of(type_name))
    parameters = {"target": array | None, "source": array | None, "nelems": int, "pe": int}
    return finish_routine(routine, name, parameters, None, doc)


def _typed(name: str, direction: str, type_name: str | None) -> Routine:
    words = moved(type_name, None)
    return _copying(name, direction, type_name, typed_copy(direction, type_name), words)


def _sized(name: str, direction: str, bits: int | None) -> Routine:
    words = moved(None, bits, is_bytes=bits is None)
    return _copying(name, direction, None, sized_copy(direction, bits), words)


_P_DOC = """Store a {type_name}value on another PE.

Parameters
----------
target : ndarray{of}
    Symmetric array, of which the call uses the first element.
value : {number}
    The value to store.
pe : int
    Number of the PE.

Raises
------
ArgumentError
    An argument is wrong, or the element cannot hold the value.
StateError
    The memory has been freed.
"""


def _p(name: str, type_name: str | None) -> Routine:
    """Make ``shmem_TYPE_p``, or the generic form if the type is None."""
    dtype = dtype_of(type_name)

    def routine(target: Any, value: Any, pe: int) -> None:
        try:
            require(target, dtype, "target")
            rma.store(target, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    number = number_of(dtype)
    doc = _P_DOC.format(
        type_name=f"{type_name} " if type_name else "", of=of_type(dtype), number=number.__name__
    )
    parameters = {"target": array_of(dtype), "value": number, "pe": int}
    return finish_routine(routine, name, parameters, None, doc)


_G_DOC = """Return a {type_name}value from another PE.

Parameters
----------
source : ndarray{of}
    Symmetric array, of which the call uses the first element.
pe : int
    Number of the PE.

Raises
------
ArgumentError
    An argument is wrong.
StateError
    The memory has been freed.
"""


def _g(name: str, type_name: str | None) -> Routine:
    """Make ``shmem_TYPE_g``, or the generic form if the type is None."""
    dtype = dtype_of(type_name)

    def routine(source: Any, pe: int) -> Any:
        try:
            require(source, dtype, "source")
            return rma.load(source, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    doc = _G_DOC.format(type_name=f"{type_name} " if type_name else "", of=of_type(dtype))
    parameters = {"source": array_of(dtype), "pe": int}
    return finish_routine(routine, name, parameters, number_of(dtype), doc)


def _makers() -> dict[str, Callable[[], Routine]]:
    made: dict[str, Callable[[], Routine]] = {}
    for direction in ("put", "get"):
        for suffix in ("", "_nbi"):
            for type_name in (*RMA_TYPES, None):
                name = name_of(direction + suffix, type_name)
                made[name] = partial(_typed, name, direction, type_name)
            for bits in (*SIZES, None):
                name = f"shmem_{direction}{bits or 'mem'}{suffix}"
                made[name] = partial(_sized, name, direction, bits)
    for letter, make in (("p", _p), ("g", _g)):
        for type_name in (*RMA_TYPES, None):
            name = name_of(letter, type_name)
            made[name] = partial(make, name, type_name)
    return made


ROUTINES = LazyRoutines(_makers())
WITH_CONTEXT = tuple(ROUTINES)
