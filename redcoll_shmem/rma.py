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
from typing import Any, NamedTuple

from redcoll.arguments import require_itemsize
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma
from redcoll_shmem._arguments import integer, refuse
from redcoll_shmem._docs import one_sided_errors
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import RMA_TYPES, array_of, dtype_of, name_of, number_of, of_type, require

Copy = Callable[[Any, Any, Any, Any], None]


class Elements(NamedTuple):
    """What a routine copies, as its name says: ``double``, ``32`` bits, bytes, or any elements."""

    type_name: str | None = None
    bits: int | None = None
    is_bytes: bool = False

    def name(self, verb: str, suffix: str = "") -> str:
        """Return the name of the routine that copies these elements."""
        size = "mem" if self.is_bytes else self.bits or ""
        return name_of(f"{verb}{size}{suffix}", self.type_name)

    def words(self) -> dict[str, str]:
        """Return the words that describe the elements in docstrings."""
        what = f"{self.type_name} elements" if self.type_name else "elements"
        if self.bits:
            what = f"elements of {self.bits} bits"
        counts = "bytes" if self.is_bytes else "elements"
        of = of_type(dtype_of(self.type_name))
        return {"what": "bytes" if self.is_bytes else what, "of": of, "counts": counts}

    def copy(self, direction: str) -> Copy:
        """Return the function that checks the arguments of a put or get, and copies."""
        dtype = dtype_of(self.type_name)
        size = 1 if self.is_bytes else (self.bits or 0) // 8
        is_put = direction == "put"
        move = rma.put if is_put else rma.get
        move_bytes = rma.put_bytes if is_put else rma.get_bytes

        def copy(target: Any, source: Any, nelems: Any, pe: Any) -> None:
            count = integer(nelems, "nelems")
            if count == 0:
                rma.check_pe(pe)
            elif size:
                self._check_size(target, count, size, "target")
                self._check_size(source, count, size, "source")
                move_bytes(target, source, count * size, pe)
            else:
                require(target, dtype, "target")
                require(source, dtype, "source")
                move(target, source, count, pe, "nelems")

        return copy

    def _check_size(self, array: Any, nelems: int, size: int, name: str) -> None:
        require(array, None, name)
        if self.bits:
            require_itemsize(array, size, name)
        if nelems * size > array.nbytes:
            raise ArgumentError(
                f"nelems is {nelems}, {nelems * size} bytes; {name} has {array.nbytes}"
            )


TYPED_OR_SIZED = (
    *(Elements(name) for name in (*RMA_TYPES, None)),
    *(Elements(bits=bits) for bits in (8, 16, 32, 64, 128)),
)
ELEMENTS = (*TYPED_OR_SIZED, Elements(is_bytes=True))

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
{raises}
Notes
-----
{note}
"""

_PUT_NOTE = """The program can change the source after the call. The elements arrive in any order.
``shmem_fence`` orders earlier puts before later puts. ``shmem_quiet`` and the barriers complete
earlier puts."""
_GET_NOTE = "The elements have arrived on return."
_NBI_NOTE = "The copy is complete after ``shmem_quiet``. Do not use the arrays before that call."


def _copying(name: str, direction: str, elements: Elements) -> Routine:
    copy = elements.copy(direction)

    def routine(target: Any, source: Any, nelems: int, pe: int) -> None:
        try:
            copy(target, source, nelems, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    is_put = direction == "put"
    note = _PUT_NOTE if is_put else _GET_NOTE
    doc = _COPY_DOC.format(
        **elements.words(),
        direction="to" if is_put else "from",
        target_is=" symmetric" if is_put else "",
        source_is="" if is_put else " symmetric",
        raises=one_sided_errors(),
        note=_NBI_NOTE if name.endswith("_nbi") else note,
    )
    array = array_of(dtype_of(elements.type_name))
    parameters = {"target": array | None, "source": array | None, "nelems": int, "pe": int}
    return finish_routine(routine, name, parameters, None, doc)


_VALUE_DOC = """{summary} another PE.

Parameters
----------
{word} : ndarray{of}
    Symmetric array, of which the call uses the first element.
{value}pe : int
    Number of the PE.
{raises}"""


def _single(name: str, type_name: str | None, *, is_put: bool) -> Routine:
    """Make ``shmem_TYPE_p`` or ``shmem_TYPE_g``, or the generic form if the type is None."""
    dtype = dtype_of(type_name)

    def p(target: Any, value: Any, pe: int) -> None:
        try:
            require(target, dtype, "target")
            rma.store(target, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def g(source: Any, pe: int) -> Any:
        try:
            require(source, dtype, "source")
            return rma.load(source, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    number, word = number_of(dtype), "target" if is_put else "source"
    what = f"a {type_name} value" if type_name else "a value"
    doc = _VALUE_DOC.format(
        summary=f"Store {what} on" if is_put else f"Return {what} from",
        word=word,
        of=of_type(dtype),
        value=f"value : {number.__name__}\n    The value to store.\n" if is_put else "",
        raises=one_sided_errors(", or the element cannot hold the value" if is_put else ""),
    )
    parameters = {word: array_of(dtype), **({"value": number} if is_put else {}), "pe": int}
    return finish_routine(p if is_put else g, name, parameters, None if is_put else number, doc)


ROUTINES = LazyRoutines(
    {
        **{
            name: partial(_copying, name, direction, elements)
            for direction in ("put", "get")
            for suffix in ("", "_nbi")
            for elements in ELEMENTS
            for name in (elements.name(direction, suffix),)
        },
        **makers(partial(_single, is_put=True), "p", RMA_TYPES),
        **makers(partial(_single, is_put=False), "g", RMA_TYPES),
    }
)
WITH_CONTEXT = tuple(ROUTINES)
