"""Check the items of a call on several values, and convert them to the elements to reduce.

The result of each item equals the result of a separate call on the item. In a separate call,
Python's operators reduce Python's integers and bools. So a sum of bools is the number of true
values, and a sum of integers can need more than 64 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from redcoll import ops
from redcoll.arguments import Array, plain
from redcoll.collectives._tree import CHARS, PYTHONS, SCALARS, is_container, walk
from redcoll.datatypes import ElementType
from redcoll.errors import ArgumentError, DatatypeError, RedcollError
from redcoll.op_lookup import as_op
from redcoll.ops import Op

LOGICAL: Final = (ops.LAND, ops.LOR, ops.LXOR)
_PACKED: Final = (
    *(ops.SUM, ops.PROD, ops.MAX, ops.MIN, ops.AND, ops.OR, ops.XOR),
    *(*LOGICAL, ops.MAXLOC, ops.MINLOC),
)
"""The operations whose folds need no data besides the elements."""
_LOW: Final = (1 << 32) - 1
_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1


class Item(NamedTuple):
    """One value of a call."""

    place: str
    """Where the item is in the structure, such as ``values['b'][0]``."""
    kind: type
    """The type of a number; ``numpy.ndarray`` for an array."""
    shape: tuple[int, ...]
    op: Op
    dtype: np.dtype[Any]
    """The type of the elements to reduce."""
    element: ElementType

    @property
    def size(self) -> int:
        """The number of elements."""
        return 2 if self.is_split else prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """The size of the elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def is_split(self) -> bool:
        """Whether the item is a sum of Python integers.

        Each of these integers is split into two halves, whose sums cannot overflow.
        """
        return self.kind is int and self.op is ops.SUM

    @property
    def can_be_packed(self) -> bool:
        """Whether the item's elements can be a segment of a packed vector."""
        is_known = self.dtype.char in CHARS or self.element.kind == "p"
        # Between nodes, an operation with its own fold may exchange other data besides elements.
        is_plain = self.op in _PACKED and self.op.fold is None
        return is_plain and is_known and not (self.kind is int and self.op is ops.PROD)

    def describe(self) -> str:
        """Describe the item for a message about a mismatch."""
        what = f"{self.element.name} array of shape {self.shape}"
        if self.kind is not np.ndarray:
            what = self.kind.__name__
        return f"{what} in {self.place}, op={self.op.name}"


def checked_items(values: Any, op: Any) -> list[Item]:
    """Check the arguments of a call, and return its items.

    Raise ``ArgumentError``, ``DatatypeError`` or ``OpError`` for a wrong argument. The message
    names the item.
    """
    if not is_container(values):
        kind = "None" if values is None else f"a {type(values).__name__}"
        raise DatatypeError(f"values is {kind}; it must be a list, a tuple or a dict")
    if not is_container(op):
        op = as_op(op)
    found = list(walk(values, op, "values"))
    return [_named(f"item {at} of {len(found)}, ", *each) for at, each in enumerate(found, 1)]


def _named(what: str, place: str, value: Any, op: Any) -> Item:
    try:
        return _checked(place, value, op)
    except RedcollError as error:
        raise type(error)(f"{what}{place}: {error}") from error.__cause__


def _checked(place: str, value: Any, op: Any) -> Item:
    kind = type(value)
    if kind in SCALARS:
        shape: tuple[int, ...] = ()
        dtype = np.dtype(kind)
    elif not isinstance(value, np.ndarray):
        told = "None" if value is None else f"a {kind.__name__}"
        raise DatatypeError(f"it is {told}; it must be a number or a numpy.ndarray")
    else:
        value = plain(value, "it")
        kind, shape, dtype = np.ndarray, value.shape, value.dtype
    op = as_op(op)
    op.element_of(dtype)  # raises if the operation does not take this type
    if kind is int and not _LEAST <= value <= _MOST:
        raise ArgumentError(f"it is {value}; an integer must fit into 64 bits")
    if kind is not np.ndarray and op in LOGICAL:
        dtype = np.dtype(bool)
    elif kind is bool and op in (ops.SUM, ops.PROD):
        dtype = np.dtype(np.int64)  # a sum of bools is the number of true values
    return Item(place, kind, shape, op, dtype, op.element_of(dtype))


_ON_INTEGERS: Final[dict[Op, Callable[[Any, Any], Any]]] = {
    ops.MAX: max,
    ops.MIN: min,
    ops.AND: operator.and_,
    ops.OR: operator.or_,
    ops.XOR: operator.xor,
}
_ON_BOOLS: Final[dict[Op, Callable[[Any, Any], Any]]] = {
    ops.LAND: operator.and_,
    ops.LOR: operator.or_,
    ops.LXOR: operator.xor,
}
_ON_DOUBLES: Final[dict[Op, Callable[[Any, Any], Any]]] = {
    ops.PLAIN_SUM: operator.add,
    ops.PROD: operator.mul,
}


def quick_fold(item: Item) -> Callable[[Any, Any], Any] | None:
    """Return a Python function that combines two numbers to the same bits as NumPy, or None.

    For a single pair of numbers, the Python function is faster than NumPy.
    """
    op, dtype = item.op, item.dtype
    if item.kind is np.ndarray:
        return None
    if op in LOGICAL:
        return _ON_BOOLS[op]
    if dtype.kind in "iu":
        # Add only Python's numbers, because sums of NumPy's integers wrap.
        can_add = item.is_split or item.kind is bool
        return operator.add if can_add and op is ops.SUM else _ON_INTEGERS.get(op)
    if dtype.char in "efd" and op in (ops.MAX, ops.MIN):
        return _extreme(op, dtype)
    return _ON_DOUBLES.get(op) if dtype.char == "d" else None


def _extreme(op: Op, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    first = operator.gt if op is ops.MAX else operator.lt

    def combine(a: float, b: float) -> Any:
        if first(a, b) or (a == b and a):
            return a
        if first(b, a):
            return b
        # If ``a`` and ``b`` are zeros, or if one of them is NaN, NumPy chooses the result.
        found = np.empty(1, dtype)
        op.combine(np.array([a], dtype), np.array([b], dtype), found)
        return found.item()

    return combine


def split(value: int) -> tuple[int, int]:
    """Return the two halves of an integer of up to 64 bits; the lower half is not negative."""
    if not _LEAST <= value <= _MOST:
        raise OverflowError("the integer does not fit into 64 bits")
    return value >> 32, value & _LOW


def vector_of(item: Item, value: Any) -> Array:
    """Return the elements of an item that is not packed, as a contiguous vector."""
    if item.is_split:
        return np.array(split(value), item.dtype)
    if item.kind is not np.ndarray and item.op in LOGICAL:
        value = bool(value)
    return np.ascontiguousarray(value, item.dtype).reshape(-1)


def value_of(item: Item, vector: Array) -> Any:
    """Return the result of an item whose elements were reduced as a vector."""
    if item.kind is np.ndarray:
        return vector.reshape(item.shape)
    if item.is_split:
        high, low = vector.tolist()
        return (high << 32) + low
    is_pythons = item.kind in PYTHONS or (item.op in LOGICAL)
    return vector[0].item() if is_pythons else vector[0]
