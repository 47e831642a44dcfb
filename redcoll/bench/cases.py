"""Define the cells of the benchmark, their data, and the correct results.

The data repeat with a prime period. So the oracle needs only the left fold of one period. Because
the period is prime, a block in the wrong place gives wrong elements. The oracle uses only NumPy,
and no code of redcoll.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redcoll import MPI_PAIRS, ops
from redcoll.arguments import Array
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError, OpError

COLLECTIVES = ("allreduce", "reduce", "reduce_scatter", "scan")
ROOT = 0
Nodes = Sequence[Sequence[int]]
"""The team ranks of each node's members."""
PERIOD = 4093

OPS = {op.name.lower(): op for op in ops.OPS if op is not ops.EXACT_SUM}

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

_PAIRS = {name.lower(): dtype for name, dtype in MPI_PAIRS.items()}


def dtype_of(type_name: str) -> np.dtype[Any]:
    """Return the dtype for a name: NumPy's name, or MPI's name of a pair type.

    Raise ``DatatypeError`` for other names.
    """
    try:
        dtype = _PAIRS[type_name] if type_name in _PAIRS else np.dtype(type_name)
    except TypeError:
        raise DatatypeError(
            f"type {type_name!r}: it must be a NumPy type such as float64, or one of "
            f"{', '.join(_PAIRS)}"
        ) from None
    return element_type(dtype).dtype


def check_legal(op: str, type_name: str) -> None:
    """Raise ``ArgumentError`` if the operation does not exist or is not defined on this type."""
    if op not in OPS:
        raise OpError(f"op {op!r}: it must be one of {', '.join(OPS)}")
    OPS[op].element_of(dtype_of(type_name))


@dataclass(frozen=True, order=True)
class Cell:
    """A collective with an operation, an element type, a number of PEs and a size."""

    collective: str
    op: str
    type: str
    pes: int
    n_bytes: int
    """Size of each PE's source, before rounding to whole elements."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of source and target."""
        return dtype_of(self.type)

    @property
    def count(self) -> int:
        """Number of elements of a source; for reduce_scatter a multiple of ``pes``."""
        count = max(1, self.n_bytes // self.dtype.itemsize)
        if self.collective == "reduce_scatter":
            count = -(-count // self.pes) * self.pes
        return count

    @property
    def target_count(self) -> int:
        """Number of elements of a target."""
        return self.count // self.pes if self.collective == "reduce_scatter" else self.count

    @property
    def n_sets(self) -> int:
        """Number of buffer sets: 4 MiB divided by the size of a source, but from 2 to 8."""
        return max(2, min(8, (4 << 20) // (self.count * self.dtype.itemsize)))


def contribution(cell: Cell, seed: Sequence[int], index: int) -> Array:
    """Return one period of a member's source. Equal seeds give equal data on all PEs."""
    rng = np.random.default_rng([*seed, index])
    count, dtype = min(cell.count, PERIOD), cell.dtype
    if dtype.names is None:
        return _values(rng, dtype, count)
    pairs = np.empty(count, dtype)
    pairs["value"] = _values(rng, dtype["value"], count)
    pairs["index"] = index
    return pairs


def _values(rng: np.random.Generator, dtype: np.dtype[Any], count: int) -> Array:
    # Values near 1 with full mantissas make sums depend on the order of operands, and keep products
    # of many values finite.
    if dtype.kind == "c":
        result = np.empty(count, dtype)
        result.real, result.imag = rng.uniform(0.5, 1.5, (2, count))
        return result
    if dtype.kind == "f":
        values: Array = rng.uniform(0.5, 1.5, count) * rng.choice((-1.0, 1.0), count)
    elif dtype.kind == "b":
        values = rng.integers(0, 2, count)
    else:
        # Keep sums of 16 values in range, because Open MPI's sums saturate instead of wrapping.
        values = rng.integers(1, 8 if dtype.itemsize == 1 else 100, count)
    return values.astype(dtype)


def set_mark(pattern: Array, mark: int) -> Array:
    """Return a copy of the pattern with ``mark`` in its first byte, as in the source of a call."""
    marked = pattern.copy()
    marked.view(np.uint8)[0] = mark
    return marked


def _combine(op: str, a: Array, b: Array) -> Array:
    if op == "prod" and a.dtype.kind == "c":
        # Round every step: NumPy's own product uses fused multiply-adds on some processors.
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
    """Return ``((x0 op x1) op x2) ...``, computed by NumPy."""
    combine: Callable[[Array, Array], Array] = functools.partial(_combine, op)
    return functools.reduce(combine, operands)


def expected(
    cell: Cell, index: int, patterns: Sequence[Array], mark: int, nodes: Nodes = ()
) -> Array | None:
    """Return the target of a member after a call; None if the call must not write it.

    ``patterns`` has one period of every member's source, and ``mark`` is the first byte of every
    source. ``nodes`` has the members of each node, if sources are folded on each node first.
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
    # Only the first element has the mark. Its repetitions in later periods do not.
    whole[:1] = fold([set_mark(pattern[:1], mark) for pattern in patterns[:upto]])
    if cell.collective == "reduce_scatter":
        return whole[index * cell.target_count : (index + 1) * cell.target_count]
    return whole


def copied(cell: Cell, pattern: Array, mark: int) -> Array:
    """Return the correct copy of a member's source."""
    whole = np.resize(pattern, cell.count)
    whole[:1] = set_mark(pattern[:1], mark)
    return whole


def _bits(array: Array) -> list[Array]:
    """Return all bytes of an array, without padding."""
    if array.dtype.names is not None:
        return [
            part for name in array.dtype.names for part in _bits(np.ascontiguousarray(array[name]))
        ]
    raw = array.view(np.uint8)
    if array.dtype.char in "gG" and np.finfo(np.longdouble).nmant == 63:
        # The x87 format: only 10 of the 12 or 16 bytes of an element have bits of the number.
        return [raw.reshape(-1, np.dtype(np.longdouble).itemsize)[:, :10]]
    return [raw]


def difference(found: Array, wanted: Array, *, tolerance: float) -> str | None:
    """Return a text for the first difference of two arrays; None if they are equal.

    With ``tolerance`` 0, all bits must be equal. Otherwise ``tolerance`` is the allowed difference
    of an element, in units of rounding of the largest value.
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
    """Return all requested (op, type) pairs that are defined, and why other pairs are not.

    An op written as ``op:type`` has its own type. Any other op is combined with all of ``types``.
    Raise ``ArgumentError`` if a name is unknown, an ``op:type`` is not defined, or no pair remains.
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
