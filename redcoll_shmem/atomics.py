"""Atomic memory operations (OpenSHMEM 1.5, sections 9.8 and 9.9).

``shmem_TYPE_atomic_VERB`` for every type of the specification, ``shmem_atomic_VERB`` for
whatever type the array has (C11's generic form), the names of 1.3 without ``atomic``, and
the ``_nbi`` forms, which are complete on return.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import atomics
from redcoll_shmem._arguments import refuse, require_element, writable
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import (
    ATOMIC_TYPES,
    BITWISE_ATOMIC_TYPES,
    C_TYPES,
    EXTENDED_ATOMIC_TYPES,
    OLD_ATOMIC_TYPES,
    OLD_EXTENDED_ATOMIC_TYPES,
    number_type,
    require,
)

Array = NDArray[Any]
Routine = Callable[..., Any]


class Verb(NamedTuple):
    """One line of the table: a kind of operation, and the types that take it."""

    name: str
    operands: tuple[str, ...]
    op: str
    """The core's word for it."""
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
         "The value of one element on a PE"),
        ("set", "value", "set", False, EXTENDED_ATOMIC_TYPES, "set", OLD_EXTENDED_ATOMIC_TYPES,
         "Set one element on a PE"),
        ("swap", "value", "set", True, EXTENDED_ATOMIC_TYPES, "swap", OLD_EXTENDED_ATOMIC_TYPES,
         "Set one element on a PE; its value before"),
        ("compare_swap", "cond value", "compare_swap", True, ATOMIC_TYPES, "cswap",
         OLD_ATOMIC_TYPES, "Set one element on a PE where it is ``cond``; its value before"),
        ("inc", "", "add", False, ATOMIC_TYPES, "inc", OLD_ATOMIC_TYPES,
         "Add 1 to one element on a PE"),
        ("fetch_inc", "", "add", True, ATOMIC_TYPES, "finc", OLD_ATOMIC_TYPES,
         "Add 1 to one element on a PE; its value before"),
        ("add", "value", "add", False, ATOMIC_TYPES, "add", OLD_ATOMIC_TYPES,
         "Add to one element on a PE"),
        ("fetch_add", "value", "add", True, ATOMIC_TYPES, "fadd", OLD_ATOMIC_TYPES,
         "Add to one element on a PE; its value before"),
        ("and", "value", "and", False, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise AND with one element on a PE"),
        ("fetch_and", "value", "and", True, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise AND with one element on a PE; its value before"),
        ("or", "value", "or", False, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise OR with one element on a PE"),
        ("fetch_or", "value", "or", True, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise OR with one element on a PE; its value before"),
        ("xor", "value", "xor", False, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise exclusive OR with one element on a PE"),
        ("fetch_xor", "value", "xor", True, BITWISE_ATOMIC_TYPES, None, (),
         "Bitwise exclusive OR with one element on a PE; its value before"),
    )
)
# fmt: on

_DOC = """{summary}.

Atomic against all other atomic operations.

Parameters
----------
{fetch}{word} : ndarray{of}
    Symmetric; its first element is meant.
{operands}pe : int
    Number of the PE.

Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``), or an operand that the
    element cannot hold.
StateError
    The memory has been freed.
"""

_FETCH = """fetch : ndarray{of}
    Private or symmetric; its first element receives the value. It is there on return.
"""
_OPERANDS = {
    "value": "value : {number}\n    The operand.\n",
    "cond": "cond : {number}\n    What the element must be to be set.\n",
}


def _blocking(name: str, verb: Verb, dtype: np.dtype[Any] | None) -> Routine:
    """A routine whose arguments are an array, the operands and the PE.

    Written out by the number of operands: these are called millions of times.
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
    """As :func:`_blocking`, with an array for the value in front."""
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
    """What the symmetric array is called."""
    return "source" if verb.op == "fetch" else "target"


def _routine(name: str, verb: Verb, type_name: str | None, *, is_nbi: bool = False) -> Routine:
    """One routine of the table."""
    dtype = C_TYPES[type_name] if type_name else None
    number = number_type(dtype)
    of = f" of {dtype}" if dtype is not None else ""
    word = _word(verb)
    doc = _DOC.format(
        summary=verb.summary,
        fetch=_FETCH.format(of=of) if is_nbi else "",
        word=word,
        of=of,
        operands="".join(_OPERANDS[each].format(number=number) for each in verb.operands),
    )
    parameters = {
        **({"fetch": "Array"} if is_nbi else {}),
        word: "Array",
        **dict.fromkeys(verb.operands, number),
        "pe": "int",
    }
    returns = number if verb.fetches and not is_nbi else "None"
    make = _nonblocking if is_nbi else _blocking
    return publish(make(name, verb, dtype), name, signature(parameters, returns), doc)


def _makers() -> dict[str, Callable[[], Routine]]:
    made: dict[str, Callable[[], Routine]] = {}
    for verb in TABLE:
        for type_name in (*verb.types, None):
            prefix = f"shmem_{type_name}_" if type_name else "shmem_"
            name = f"{prefix}atomic_{verb.name}"
            made[name] = partial(_routine, name, verb, type_name)
            if verb.fetches:
                name += "_nbi"
                made[name] = partial(_routine, name, verb, type_name, is_nbi=True)
    return made


def _old_makers() -> dict[str, Callable[[], Routine]]:
    """Deprecated in OpenSHMEM 1.4; those without a type are C11's."""
    return {
        name: partial(_routine, name, verb, type_name)
        for verb in TABLE
        if verb.old_name is not None
        for type_name in (*verb.old_types, None)
        for name in (
            f"shmem_{type_name}_{verb.old_name}" if type_name else f"shmem_{verb.old_name}",
        )
    }


_CURRENT = _makers()

WITH_CONTEXT = tuple(_CURRENT)
"""Those that also have a form with a context."""

ROUTINES = Routines({**_CURRENT, **_old_makers()})
