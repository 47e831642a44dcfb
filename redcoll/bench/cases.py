"""Cells of the grid, the data that go through them, and what must come out.

The data repeat with a period that is prime, so that a block in the wrong place shows,
and yet a left fold of the period is all that the oracle needs. The oracle is NumPy's own:
nothing of redcoll's arithmetic is used to check redcoll.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import redcoll
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError, OpError

Array = NDArray[Any]

COLLECTIVES = ("allreduce", "reduce", "reduce_scatter", "scan")
ROOT = 0
PERIOD = 4093

OPS: dict[str, redcoll.Op] = {
    "sum": redcoll.SUM,
    "prod": redcoll.PROD,
    "max": redcoll.MAX,
    "min": redcoll.MIN,
    "and": redcoll.AND,
    "or": redcoll.OR,
    "xor": redcoll.XOR,
    "land": redcoll.LAND,
    "lor": redcoll.LOR,
    "lxor": redcoll.LXOR,
    "maxloc": redcoll.MAXLOC,
    "minloc": redcoll.MINLOC,
}

_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "land": np.logical_and,
    "lor": np.logical_or,
    "lxor": np.logical_xor,
}

_PAIRS = {name.lower(): dtype for name, dtype in redcoll.MPI_PAIRS.items()}


def dtype_of(type_name: str) -> np.dtype[Any]:
    """The dtype of an element type: NumPy's name, or MPI's name of a pair type.

    Raises
    ------
    DatatypeError
        There is no such element type.
    """
    dtype: np.dtype[Any]
    if type_name in _PAIRS:
        dtype = _PAIRS[type_name]
    else:
        try:
            dtype = np.dtype(type_name)
        except TypeError:
            raise DatatypeError(
                f"type {type_name!r}: it must be a NumPy type such as float64, or one of "
                f"{', '.join(_PAIRS)}"
            ) from None
    element_type(dtype)
    return dtype


def check_legal(op: str, type_name: str) -> None:
    """Refuse an operation that does not exist, or not on this type.

    Raises
    ------
    ArgumentError
        There is no such operation or type, or the two do not go together.
    """
    if op not in OPS:
        raise OpError(f"op {op!r}: it must be one of {', '.join(OPS)}")
    OPS[op].check(element_type(dtype_of(type_name)))


@dataclass(frozen=True, order=True)
class Cell:
    """One point of the grid."""

    collective: str
    op: str
    type: str
    pes: int
    n_bytes: int
    """Size of each PE's source, before it is rounded to whole elements."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of source and target."""
        return dtype_of(self.type)

    @property
    def count(self) -> int:
        """Elements of a source: at least one, and whole blocks for reduce_scatter."""
        count = max(1, self.n_bytes // self.dtype.itemsize)
        if self.collective == "reduce_scatter":
            count = -(-count // self.pes) * self.pes
        return count

    @property
    def target_count(self) -> int:
        """Elements of a target."""
        return self.count // self.pes if self.collective == "reduce_scatter" else self.count

    @property
    def n_sets(self) -> int:
        """Buffer sets to rotate through: more than one, and 4 MiB of sources if that takes few."""
        return max(2, min(8, (4 << 20) // (self.count * self.dtype.itemsize)))


def contribution(cell: Cell, seed: Sequence[int], index: int) -> Array:
    """One period of a member's source; of equal seeds come equal data on all PEs."""
    rng = np.random.default_rng([*seed, index])
    count, dtype = min(cell.count, PERIOD), cell.dtype
    if dtype.names is None:
        return _values(rng, dtype, count)
    pairs = np.empty(count, dtype)
    pairs["value"] = _values(rng, dtype["value"], count)
    pairs["index"] = index
    return pairs


def _values(rng: np.random.Generator, dtype: np.dtype[Any], count: int) -> Array:
    # Magnitudes near 1 and whole mantissas: sums depend on the order of the operands, and
    # products of many stay finite.
    if dtype.kind == "c":
        result = np.empty(count, dtype)
        result.real, result.imag = rng.uniform(0.5, 1.5, (2, count))
        return result
    if dtype.kind == "f":
        values: Array = rng.uniform(0.5, 1.5, count) * rng.choice((-1.0, 1.0), count)
    elif dtype.kind == "b":
        values = rng.integers(0, 2, count)
    else:
        # Sums of 16 stay in range: beyond it Open MPI's do not wrap, they stick to the limit.
        values = rng.integers(1, 8 if dtype.itemsize == 1 else 100, count)
    return values.astype(dtype)


def set_mark(pattern: Array, mark: int) -> Array:
    """A copy of the pattern whose first byte is ``mark``, as a source's is in a call."""
    marked = pattern.copy()
    marked.view(np.uint8)[0] = mark
    return marked


def _combine(op: str, a: Array, b: Array) -> Array:
    if op == "prod" and a.dtype.kind == "c":
        # Each step rounded; NumPy's own product fuses two of them on some processors.
        product = np.empty_like(a)
        product.real = a.real * b.real - a.imag * b.imag
        product.imag = a.real * b.imag + a.imag * b.real
        return product
    if op in _UFUNCS:
        result: Array = np.asarray(_UFUNCS[op](a, b)).astype(a.dtype, copy=False)
        return result
    better = b["value"] > a["value"] if op == "maxloc" else b["value"] < a["value"]
    tie = (b["value"] == a["value"]) & (b["index"] < a["index"])
    return np.where(better | tie, b, a)


def left_fold(op: str, operands: Sequence[Array]) -> Array:
    """``((x0 op x1) op x2) ...`` by NumPy."""
    combine: Callable[[Array, Array], Array] = functools.partial(_combine, op)
    return functools.reduce(combine, operands)


def expected(
    cell: Cell,
    index: int,
    patterns: Sequence[Array],
    mark: int,
    nodes: Sequence[Sequence[int]] = (),
) -> Array | None:
    """The target of a member after a call, None where it must be left alone.

    Parameters
    ----------
    patterns
        One period of every member's source.
    mark
        First byte of every source.
    nodes
        Indices of the members on each node, where each is folded before the nodes are.
    """
    if cell.collective == "reduce" and index != ROOT:
        return None
    is_scan = cell.collective == "scan"
    upto = index + 1 if is_scan else cell.pes

    def fold(operands: Sequence[Array]) -> Array:
        if is_scan or not nodes:
            return left_fold(cell.op, operands)
        parts = [left_fold(cell.op, [operands[each] for each in members]) for members in nodes]
        return left_fold(cell.op, parts)

    whole = np.resize(fold(patterns[:upto]), cell.count)
    # The mark is in the first element alone, and not in its repetitions.
    whole[:1] = fold([set_mark(pattern[:1], mark) for pattern in patterns[:upto]])
    if cell.collective == "reduce_scatter":
        return whole[index * cell.target_count : (index + 1) * cell.target_count]
    return whole


def copied(cell: Cell, pattern: Array, mark: int) -> Array:
    """What a copy of a member's source must be."""
    whole = np.resize(pattern, cell.count)
    whole[:1] = set_mark(pattern[:1], mark)
    return whole


def _bits(array: Array) -> list[Array]:
    """All bytes of an array but those that only fill."""
    if array.dtype.names is not None:
        return [
            part for name in array.dtype.names for part in _bits(np.ascontiguousarray(array[name]))
        ]
    raw = array.view(np.uint8)
    if array.dtype.char in "gG" and np.finfo(np.longdouble).nmant == 63:
        # The x87 format: ten bytes of a place of twelve or sixteen.
        return [raw.reshape(-1, np.dtype(np.longdouble).itemsize)[:, :10]]
    return [raw]


def difference(found: Array, wanted: Array, *, tolerance: float) -> str | None:
    """Where two arrays differ first, in words; None if they are equal.

    Parameters
    ----------
    tolerance
        0 asks for the same bits; otherwise how many units of rounding, relative to the
        largest value, an element may be off.
    """
    if tolerance == 0:
        equal = all(map(np.array_equal, _bits(found), _bits(wanted)))
        if equal:
            return None
        wrong = np.array([found[i].tobytes() != wanted[i].tobytes() for i in range(found.size)])
    else:
        wrong = ~_close(found, wanted, tolerance)
        if not wrong.any():
            return None
    at = int(wrong.argmax())
    return f"element {at} is {found[at]!r}, not {wanted[at]!r} ({int(wrong.sum())} differ)"


def _close(found: Array, wanted: Array, tolerance: float) -> Array:
    if found.dtype.names is not None:
        result: Array = np.logical_and.reduce(
            [_close(found[name], wanted[name], tolerance) for name in found.dtype.names]
        )
        return result
    if found.dtype.kind not in "fc":
        return np.asarray(found == wanted)
    scale = np.abs(wanted).max(initial=1)
    allowed = tolerance * np.finfo(found.dtype).eps * scale
    return np.asarray(np.abs(found - wanted) <= allowed)


def legal_pairs(
    ops: Sequence[str], types: Sequence[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Every (op, type) asked for that is defined, and why others are not.

    An op written ``op:type`` brings its own type; any other goes with all of ``types``.

    Raises
    ------
    ArgumentError
        A name is unknown, a pair written out is not defined, or nothing is left.
    """
    pairs: list[tuple[str, str]] = []
    left_out = []
    for word in ops:
        op, colon, own_type = word.partition(":")
        if colon:
            check_legal(op, own_type)
            pairs.append((op, own_type))
            continue
        for type_name in types:
            dtype_of(type_name)
            try:
                check_legal(op, type_name)
            except OpError as error:
                if op not in OPS:
                    raise
                left_out.append(str(error))
            else:
                pairs.append((op, type_name))
    if not pairs:
        raise ArgumentError("; ".join(left_out) or "no operation was asked for")
    return list(dict.fromkeys(pairs)), left_out
