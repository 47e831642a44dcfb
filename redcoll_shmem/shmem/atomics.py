"""Define atomic operations on arrays of one element, on any PE.

The array is symmetric and has one element, which the operation changes in the memory of PE ``pe``.
Integers take all operations. Reals can only be fetched, set and swapped. With ``ctx``, PE numbers
refer to the context's team. The ``_nbi`` forms store the element's old value in ``fetch``, and are
complete when they return.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redcoll.arguments import Array
from redcoll.errors import ArgumentError, DatatypeError, OpError, StateError
from redcoll.onesided import atomics as core
from redcoll_shmem._arguments import refuse, writable
from redcoll_shmem._types import is_like
from redcoll_shmem.shmem._checks import one_element
from redcoll_shmem.shmem._errors import UnlikeTypesError
from redcoll_shmem.shmem.constants import AMO
from redcoll_shmem.shmem.contexts import Ctx, pe_of

Number = int | float

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_compare_swap",
    "atomic_compare_swap_nbi",
    "atomic_fetch",
    "atomic_fetch_add",
    "atomic_fetch_add_nbi",
    "atomic_fetch_and",
    "atomic_fetch_and_nbi",
    "atomic_fetch_inc",
    "atomic_fetch_inc_nbi",
    "atomic_fetch_nbi",
    "atomic_fetch_op",
    "atomic_fetch_op_nbi",
    "atomic_fetch_or",
    "atomic_fetch_or_nbi",
    "atomic_fetch_xor",
    "atomic_fetch_xor_nbi",
    "atomic_inc",
    "atomic_op",
    "atomic_or",
    "atomic_set",
    "atomic_swap",
    "atomic_swap_nbi",
    "atomic_xor",
]


def _run(
    routine: str,
    array: Array,
    pe: int,
    ctx: Ctx | None,
    operate: Callable[[int], Any],
    name: str = "target",
    fetch: Array | None = None,
) -> Number:
    """Perform an operation on a PE's element of ``array``; return the element's old value."""
    try:
        one_element(array, name)
        if array.dtype.kind not in "iuf":
            raise DatatypeError(f"{name} is of {array.dtype}; it must be of integers or reals")
        if fetch is not None:
            one_element(fetch, "fetch")
            writable(fetch, "fetch")
            if not is_like(fetch.dtype, array.dtype):
                raise UnlikeTypesError(
                    f"fetch is of {fetch.dtype}, {name} of {array.dtype}; they must be of one type"
                )
        before: Number = operate(pe_of(pe, ctx))
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
    if fetch is not None:
        fetch[...] = before
    return before


def _update(
    routine: str,
    target: Array,
    op: object,
    value: Any,
    pe: int,
    ctx: Ctx | None,
    fetch: Array | None = None,
) -> Number:
    """Do one of the operations of ``AMO``, and return the old value."""

    def operate(number: int) -> Any:
        word = op.lower() if isinstance(op, str) else ""
        if word not in set(AMO):
            raise OpError(f"op is {op!r}; it must be one of {', '.join(AMO)}")
        if word == AMO.INC:
            return core.update(target, "add", 1, number)
        return core.update(target, word, value, number)

    return _run(routine, target, pe, ctx, operate, fetch=fetch)


def atomic_op(target: Array, value: Number, op: AMO, pe: int, ctx: Ctx | None = None) -> None:
    """Do one of the operations of ``AMO``. ``INC`` ignores ``value``."""
    _update("atomic_op", target, op, value, pe, ctx)


def atomic_fetch_op(
    target: Array, value: Number, op: AMO, pe: int, ctx: Ctx | None = None
) -> Number:
    """Do one of the operations of ``AMO``, and return the old value."""
    return _update("atomic_fetch_op", target, op, value, pe, ctx)


def atomic_fetch_op_nbi(
    fetch: Array, target: Array, value: Number, op: AMO, pe: int, ctx: Ctx | None = None
) -> None:
    """Do one of the operations of ``AMO``. ``fetch`` gets the old value."""
    _update("atomic_fetch_op_nbi", target, op, value, pe, ctx, fetch)


def atomic_set(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> None:
    """Set the element to ``value``."""
    _update("atomic_set", target, AMO.SET, value, pe, ctx)


def atomic_inc(target: Array, pe: int, ctx: Ctx | None = None) -> None:
    """Add 1 to the element."""
    _update("atomic_inc", target, AMO.INC, 1, pe, ctx)


def atomic_add(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> None:
    """Add ``value`` to the element."""
    _update("atomic_add", target, AMO.ADD, value, pe, ctx)


def atomic_and(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> None:
    """Combine the element with ``value`` by bitwise AND."""
    _update("atomic_and", target, AMO.AND, value, pe, ctx)


def atomic_or(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> None:
    """Combine the element with ``value`` by bitwise OR."""
    _update("atomic_or", target, AMO.OR, value, pe, ctx)


def atomic_xor(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> None:
    """Combine the element with ``value`` by bitwise exclusive OR."""
    _update("atomic_xor", target, AMO.XOR, value, pe, ctx)


def atomic_fetch(source: Array, pe: int, ctx: Ctx | None = None) -> Number:
    """Read the element atomically, and return its value."""
    return _run("atomic_fetch", source, pe, ctx, lambda at: core.fetch(source, at), "source")


def atomic_swap(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> Number:
    """Set the element to ``value``, and return the old value."""
    return _update("atomic_swap", target, AMO.SET, value, pe, ctx)


def atomic_compare_swap(
    target: Array, cond: Number, value: Number, pe: int, ctx: Ctx | None = None
) -> Number:
    """If the element equals ``cond``, set it to ``value``. Return the old value."""
    return _compare_swap("atomic_compare_swap", target, cond, value, pe, ctx)


def _compare_swap(
    routine: str,
    target: Array,
    cond: Number,
    value: Number,
    pe: int,
    ctx: Ctx | None,
    fetch: Array | None = None,
) -> Number:
    def operate(number: int) -> Any:
        return core.compare_swap(target, cond, value, number)

    return _run(routine, target, pe, ctx, operate, fetch=fetch)


def atomic_fetch_inc(target: Array, pe: int, ctx: Ctx | None = None) -> Number:
    """Add 1 to the element, and return the old value."""
    return _update("atomic_fetch_inc", target, AMO.INC, 1, pe, ctx)


def atomic_fetch_add(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> Number:
    """Add ``value`` to the element, and return the old value."""
    return _update("atomic_fetch_add", target, AMO.ADD, value, pe, ctx)


def atomic_fetch_and(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> Number:
    """Combine the element with ``value`` by bitwise AND, and return the old value."""
    return _update("atomic_fetch_and", target, AMO.AND, value, pe, ctx)


def atomic_fetch_or(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> Number:
    """Combine the element with ``value`` by bitwise OR, and return the old value."""
    return _update("atomic_fetch_or", target, AMO.OR, value, pe, ctx)


def atomic_fetch_xor(target: Array, value: Number, pe: int, ctx: Ctx | None = None) -> Number:
    """Combine the element with ``value`` by bitwise exclusive OR, and return the old value."""
    return _update("atomic_fetch_xor", target, AMO.XOR, value, pe, ctx)


def atomic_fetch_nbi(fetch: Array, source: Array, pe: int, ctx: Ctx | None = None) -> None:
    """Store the value of the element in ``fetch``."""

    def operate(number: int) -> Any:
        return core.fetch(source, number)

    _run("atomic_fetch_nbi", source, pe, ctx, operate, "source", fetch)


def atomic_swap_nbi(
    fetch: Array, target: Array, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """Set the element to ``value``. ``fetch`` gets the old value."""
    _update("atomic_swap_nbi", target, AMO.SET, value, pe, ctx, fetch)


def atomic_compare_swap_nbi(
    fetch: Array, target: Array, cond: Number, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """If the element equals ``cond``, set it to ``value``. ``fetch`` gets the old value."""
    _compare_swap("atomic_compare_swap_nbi", target, cond, value, pe, ctx, fetch)


def atomic_fetch_inc_nbi(fetch: Array, target: Array, pe: int, ctx: Ctx | None = None) -> None:
    """Add 1 to the element. ``fetch`` gets the old value."""
    _update("atomic_fetch_inc_nbi", target, AMO.INC, 1, pe, ctx, fetch)


def atomic_fetch_add_nbi(
    fetch: Array, target: Array, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """Add ``value`` to the element. ``fetch`` gets the old value."""
    _update("atomic_fetch_add_nbi", target, AMO.ADD, value, pe, ctx, fetch)


def atomic_fetch_and_nbi(
    fetch: Array, target: Array, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """Combine the element with ``value`` by bitwise AND. ``fetch`` gets the old value."""
    _update("atomic_fetch_and_nbi", target, AMO.AND, value, pe, ctx, fetch)


def atomic_fetch_or_nbi(
    fetch: Array, target: Array, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """Combine the element with ``value`` by bitwise OR. ``fetch`` gets the old value."""
    _update("atomic_fetch_or_nbi", target, AMO.OR, value, pe, ctx, fetch)


def atomic_fetch_xor_nbi(
    fetch: Array, target: Array, value: Number, pe: int, ctx: Ctx | None = None
) -> None:
    """Combine the element with ``value`` by bitwise XOR. ``fetch`` gets the old value."""
    _update("atomic_fetch_xor_nbi", target, AMO.XOR, value, pe, ctx, fetch)
