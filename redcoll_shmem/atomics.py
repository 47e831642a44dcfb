"""Define atomic memory operations (OpenSHMEM 1.5, sections 9.8 and 9.9).

``shmem_TYPE_atomic_VERB`` exists for every type of the specification, and ``shmem_atomic_VERB``
takes an array of any of these types (C11's generic form). The names of OpenSHMEM 1.3 lack
``atomic``. The ``_nbi`` forms are complete when they return.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import atomics
from redcoll_shmem._arguments import refuse, require_element, writable
from redcoll_shmem._docs import one_sided_errors
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine, makers
from redcoll_shmem._types import (
    ATOMIC_TYPES,
    BITWISE_ATOMIC_TYPES,
    EXTENDED_ATOMIC_TYPES,
    OLD_ATOMIC_TYPES,
    OLD_EXTENDED_ATOMIC_TYPES,
    array_of,
    dtype_of,
    number_of,
    of_type,
    require,
)


class Verb(NamedTuple):
    """A row of the table: a kind of operation, and its element types."""

    name: str
    operands: tuple[str, ...]
    op: str
    """The core's name for the operation."""
    fetches: bool
    types: tuple[str, ...]
    old_name: str | None
    old_types: tuple[str, ...]
    summary: str


# fmt: off
TABLE = tuple(
    Verb(name, tuple(operands.split()), op, fetches, types, old_name, old_types, summary)
    for name, operands, op, fetches, types, old_name, old_types, summary in (
        ("fetch", "", "fetch", True, EXTENDED_ATOMIC_TYPES, "fetch", OLD_EXTENDED_ATOMIC_TYPES,
         "Return the value of an element on a PE"),
        ("set", "value", "set", False, EXTENDED_ATOMIC_TYPES, "set", OLD_EXTENDED_ATOMIC_TYPES,
         "Set an element on a PE"),
        ("swap", "value", "set", True, EXTENDED_ATOMIC_TYPES, "swap", OLD_EXTENDED_ATOMIC_TYPES,
         "Set an element on a PE, and return its old value"),
        ("compare_swap", "cond value", "compare_swap", True, ATOMIC_TYPES, "cswap",
         OLD_ATOMIC_TYPES,
         "Set an element on a PE if it equals ``cond``, and return its old value"),
        ("inc", "", "add", False, ATOMIC_TYPES, "inc", OLD_ATOMIC_TYPES,
         "Add 1 to an element on a PE"),
        ("fetch_inc", "", "add", True, ATOMIC_TYPES, "finc", OLD_ATOMIC_TYPES,
         "Add 1 to an element on a PE, and return its old value"),
        ("add", "value", "add", False, ATOMIC_TYPES, "add", OLD_ATOMIC_TYPES,
         "Add to an element on a PE"),
        ("fetch_add", "value", "add", True, ATOMIC_TYPES, "fadd", OLD_ATOMIC_TYPES,
         "Add to an element on a PE, and return its old value"),
        ("and", "value", "and", False, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise AND"),
        ("fetch_and", "value", "and", True, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise AND, and return its old value"),
        ("or", "value", "or", False, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise OR"),
        ("fetch_or", "value", "or", True, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise OR, and return its old value"),
        ("xor", "value", "xor", False, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise exclusive OR"),
        ("fetch_xor", "value", "xor", True, BITWISE_ATOMIC_TYPES, None, (),
         "Combine an element on a PE by bitwise exclusive OR, and return its old value"),
    )
)
# fmt: on

_DOC = """{summary}.

The operation is atomic with respect to all other atomic operations.

Parameters
----------
{fetch}{word} : ndarray{of}
    Symmetric array, of which the call uses the first element.
{operands}pe : int
    Number of the PE.
{raises}"""

_FETCH = """fetch : ndarray{of}
    Any array. Its first element receives the old value.
"""
_OPERANDS = {
    "value": "value : {number}\n    The operand.\n",
    "cond": "cond : {number}\n    The element is set only if it has this value.\n",
}


def _blocking(name: str, verb: Verb, dtype: np.dtype[Any] | None) -> Routine:
    """Make a routine whose arguments are an array, the operands and the PE.

    Programs call such routines millions of times. So there is a separate function for each number
    of operands.
    """
    op, fetches = verb.op, verb.fetches
    word = _word(verb)

    def check(array: Any) -> None:
        if dtype is None or getattr(array, "dtype", None) is not dtype:
            require(array, dtype, word)

    def fetch(source: Any, pe: Any) -> Any:
        try:
            check(source)
            return atomics.fetch(source, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    def count(target: Any, pe: Any) -> Any:
        try:
            check(target)
            before = atomics.update(target, op, 1, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        return before if fetches else None

    def change(target: Any, value: Any, pe: Any) -> Any:
        try:
            check(target)
            before = atomics.update(target, op, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        return before if fetches else None

    def compare_swap(target: Any, cond: Any, value: Any, pe: Any) -> Any:
        try:
            check(target)
            return atomics.compare_swap(target, cond, value, pe)
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    if op == "fetch":
        return fetch
    return (count, change, compare_swap)[len(verb.operands)]


def _nonblocking(name: str, verb: Verb, dtype: np.dtype[Any] | None) -> Routine:
    """Make a routine as :func:`_blocking` does. The routine stores its result in ``fetch``."""
    plain, word = _blocking(name, verb, dtype), _word(verb)

    def run(fetch: Any, array: Any, *others: Any) -> None:
        try:
            require(array, dtype, word)
            require(fetch, array.dtype, "fetch")
            writable(fetch, "fetch")
            require_element(fetch, "fetch")
        except (ArgumentError, StateError) as error:
            refuse(name, error)
        fetch.flat[0] = plain(array, *others)

    def fetch_nbi(fetch: Any, source: Any, pe: Any) -> None:
        run(fetch, source, pe)

    def count_nbi(fetch: Any, target: Any, pe: Any) -> None:
        run(fetch, target, pe)

    def change_nbi(fetch: Any, target: Any, value: Any, pe: Any) -> None:
        run(fetch, target, value, pe)

    def compare_swap_nbi(fetch: Any, target: Any, cond: Any, value: Any, pe: Any) -> None:
        run(fetch, target, cond, value, pe)

    if verb.op == "fetch":
        return fetch_nbi
    return (count_nbi, change_nbi, compare_swap_nbi)[len(verb.operands)]


def _word(verb: Verb) -> str:
    """Return the parameter name of the symmetric array."""
    return "source" if verb.op == "fetch" else "target"


def _routine(name: str, type_name: str | None, verb: Verb) -> Routine:
    dtype, is_nbi = dtype_of(type_name), name.endswith("_nbi")
    number, array = number_of(dtype), array_of(dtype)
    of, word = of_type(dtype), _word(verb)
    doc = _DOC.format(
        summary=verb.summary,
        fetch=_FETCH.format(of=of) if is_nbi else "",
        word=word,
        of=of,
        raises=one_sided_errors(", or the element cannot hold an operand"),
        operands="".join(_OPERANDS[each].format(number=number.__name__) for each in verb.operands),
    )
    parameters = {
        **({"fetch": array} if is_nbi else {}),
        word: array,
        **dict.fromkeys(verb.operands, number),
        "pe": int,
    }
    returns = number if verb.fetches and not is_nbi else None
    make = _nonblocking if is_nbi else _blocking
    return finish_routine(make(name, verb, dtype), name, parameters, returns, doc)


_CURRENT = {
    name: make
    for verb in TABLE
    for suffix in (("", "_nbi") if verb.fetches else ("",))
    for name, make in makers(_routine, f"atomic_{verb.name}{suffix}", verb.types, verb).items()
}
# OpenSHMEM 1.4 deprecates these names.
_OLD = {
    name: make
    for verb in TABLE
    if verb.old_name is not None
    for name, make in makers(_routine, verb.old_name, verb.old_types, verb).items()
}

WITH_CONTEXT = tuple(_CURRENT)
"""The names that also have a form with a context."""

ROUTINES = LazyRoutines({**_CURRENT, **_OLD})
