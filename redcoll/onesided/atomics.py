"""Carry out atomic operations on single elements of symmetric memory, on any PE.

Each operation reads an element, writes it, and returns the value that it read. No other atomic
operation on the element takes effect in between. MPI performs the operations on the window of the
heap. On a node an operation takes one or two microseconds, and the PE that owns the memory need not
take part.

Integers of any width take all operations. ``float32`` and ``float64`` can be fetched, set and
swapped. MPI treats them as integers of the same size, so no bit is lost.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from redcoll import world
from redcoll._mpi4py import MPI
from redcoll.arguments import Array, no_elements, not_array, not_writable
from redcoll.datatypes import checked_element
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.memory.heap import Heap
from redcoll.onesided import rma

_MOST_KEPT = 1024

_MPI_OPS: dict[str, MPI.Op] = {
    "set": MPI.REPLACE,
    "add": MPI.SUM,
    "and": MPI.BAND,
    "or": MPI.BOR,
    "xor": MPI.BXOR,
}
_UFUNCS: dict[str, np.ufunc] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_MPI_TYPES: dict[tuple[str, int], MPI.Datatype] = {
    ("i", 1): MPI.INT8_T,
    ("i", 2): MPI.INT16_T,
    ("i", 4): MPI.INT32_T,
    ("i", 8): MPI.INT64_T,
    ("u", 1): MPI.UINT8_T,
    ("u", 2): MPI.UINT16_T,
    ("u", 4): MPI.UINT32_T,
    ("u", 8): MPI.UINT64_T,
    ("f", 4): MPI.INT32_T,
    ("f", 8): MPI.INT64_T,
}

_alone = threading.Lock()
"""The lock that makes operations of threads atomic in a job of one PE, which has no window."""


def _place(pe: int, offset: int) -> tuple[MPI.Win, int, int] | None:
    """Return window, rank and displacement in bytes for an offset in a PE's heap.

    The result is None in a job of one PE, which has no window. In MPI, operations on one window are
    atomic with respect to each other. Operations on two windows over the same memory are not
    atomic. So all PEs must access an element through the same window.
    """
    job = world.start()
    if job.remote is not None:
        return job.remote.window, pe, offset
    window = job._window  # noqa: SLF001 - the heap's window
    win = window._win  # noqa: SLF001
    if win is None:
        return None
    return win, 0, pe * window.segment_bytes + offset


class _Operands:
    """Memory for the operands of one operation, and a description of this memory for MPI."""

    __slots__ = ("compare", "expect", "found", "operand", "origin", "result")

    def __init__(self, dtype: np.dtype[Any]) -> None:
        operand, compare, result = (np.zeros(1, dtype) for _ in range(3))
        datatype = _MPI_TYPES[dtype.kind, dtype.itemsize]
        self.origin, self.expect, self.found = (
            (array, 1, datatype) for array in (operand, compare, result)
        )
        self.operand, self.compare, self.result = operand.data, compare.data, result.data


class _Spot:
    """An element of a PE's heap, after all checks."""

    __slots__ = ("array", "at", "dtype", "epoch", "heap", "here", "pool", "rank", "win")

    def __init__(self, array: Array, pe: int, name: str) -> None:
        number = rma.check_pe(pe)
        if not isinstance(array, np.ndarray):
            raise not_array(array, name)
        dtype = array.dtype
        if (dtype.kind, dtype.itemsize) not in _MPI_TYPES or not dtype.isnative:
            raise DatatypeError(
                f"{name} is of {dtype}; atomic operations take the integers, float32 and float64"
            )
        if not array.size:
            raise no_elements(name)
        if not array.flags.aligned:
            raise ArgumentError(
                f"{name} starts at an address that its type {dtype} does not allow; it must be a "
                f"multiple of {dtype.alignment} bytes"
            )
        self.array = array  # kept alive: otherwise another array could get its id
        self.dtype = dtype
        self.heap: Heap = world.start().heap
        self.epoch = self.heap.epoch
        first: Array = array[(slice(1),) * array.ndim] if array.ndim else array
        offset = self.heap.require(first, name)
        place = _place(number, offset)
        self.here: Array = array if place is not None else self.heap.view(number, offset, dtype, 1)
        self.win: MPI.Win | None = None
        self.rank = self.at = 0
        if place is not None:
            self.win, self.rank, self.at = place
        # pop and append of a list are atomic in Python, so threads never share operands.
        self.pool = _pools.setdefault(dtype.char, [])

    def operands(self) -> _Operands:
        """Return operands from the pool. After use, the caller puts them back."""
        try:
            return self.pool.pop()
        except IndexError:
            made = _Operands(self.dtype)
            _kept.append(made)
            return made


_pools: dict[str, list[_Operands]] = {}
_kept: list[_Operands] = []
"""All operands, because MPI may still write to them after an interrupt."""
_spots: dict[tuple[int, int], _Spot] = {}


def _spot(array: Array, pe: int, name: str) -> _Spot:
    """Return the first element of a symmetric array on a PE, after all checks.

    Raise ``ArgumentError`` if there is no such PE, or if the array is empty or not aligned. Raise
    ``DatatypeError`` for a wrong type of element, ``SymmetryError`` if the array is not symmetric,
    and ``StateError`` if it has been freed.
    """
    if type(pe) is not int:  # True == 1, so only a checked int may be a key below
        pe = rma.check_pe(pe)
    spot = _spots.get((id(array), pe))
    if spot is not None and spot.epoch == spot.heap.epoch and spot.dtype is array.dtype:
        return spot
    spot = _Spot(array, pe, name)
    if len(_spots) >= _MOST_KEPT:
        _spots.clear()
    _spots[id(array), pe] = spot
    return spot


def _require_integers(spot: _Spot, what: str) -> None:
    if spot.dtype.kind == "f":
        raise DatatypeError(f"target is of {spot.dtype}; {what} takes integers")


def _set(memory: memoryview, value: Any, dtype: np.dtype[Any], name: str) -> None:
    try:
        # The memoryview itself refuses integers that are too large. Floats need a check first,
        # because a float that is too large would become infinite.
        memory[0] = checked_element(value, dtype, name) if dtype.kind == "f" else value
    except (TypeError, ValueError, OverflowError):
        memory[0] = checked_element(value, dtype, name)


def check(
    target: Array, value: Any, pe: int, name: str = "target", value_name: str = "value"
) -> None:
    """Check the arguments as :func:`update` does, without changing anything."""
    spot = _spot(target, pe, name)
    if not target.flags.writeable:
        raise not_writable(name)
    operands = spot.operands()
    _set(operands.operand, value, spot.dtype, value_name)
    spot.pool.append(operands)


def fetch(source: Array, pe: int, name: str = "source") -> Any:
    """Return the first element of a symmetric array on a PE, atomically.

    ``source`` has integers, ``float32`` or ``float64``. Errors are those of :func:`update`.
    """
    spot = _spot(source, pe, name)
    win = spot.win
    if win is None:
        with _alone:
            return spot.here.item(0)
    operands = spot.operands()
    win.Fetch_and_op(operands.origin, operands.found, spot.rank, spot.at, MPI.NO_OP)
    win.Flush(spot.rank)
    found = operands.result[0]
    spot.pool.append(operands)
    return found


def update(target: Array, op: str, value: Any, pe: int, name: str = "target") -> Any:
    """Change the first element of a symmetric array on a PE; return its old value.

    ``op`` is ``"set"``, ``"add"`` (wraps around), ``"and"``, ``"or"`` or ``"xor"``. All
    operations take integers, and ``"set"`` also takes ``float32`` and ``float64``. Raise
    ``ArgumentError``, ``DatatypeError`` or ``SymmetryError`` for a wrong argument, and
    ``StateError`` if the memory has been freed. ``name`` is the name of ``target`` in messages.
    """
    spot = _spot(target, pe, name)
    if not target.flags.writeable:
        raise not_writable(name)
    mpi_op = _MPI_OPS.get(op)
    if mpi_op is None:
        raise ArgumentError(f"op is {op!r}; it must be one of {', '.join(_MPI_OPS)}")
    if op != "set":
        _require_integers(spot, op)
    operands = spot.operands()
    _set(operands.operand, value, spot.dtype, "value")
    win = spot.win
    if win is None:
        found = _update_alone(spot, op, operands)
    elif op in ("and", "or", "xor") and world.start().remote is not None:
        found = _update_remote(spot, win, op, operands)
    else:
        win.Fetch_and_op(operands.origin, operands.found, spot.rank, spot.at, mpi_op)
        win.Flush(spot.rank)
        found = operands.result[0]
    spot.pool.append(operands)
    return found


def _update_remote(spot: _Spot, win: MPI.Win, op: str, operands: _Operands) -> Any:
    """Carry out a bitwise operation by a loop of compare-and-swap, for jobs on several nodes.

    compat(openmpi 5.0): MPI's bitwise operations give wrong results on windows of
    ``MPI_Win_create``.
    """
    value, wanted = operands.origin[0].copy(), np.empty_like(operands.origin[0])
    win.Fetch_and_op(operands.origin, operands.found, spot.rank, spot.at, MPI.NO_OP)
    win.Flush(spot.rank)
    while True:
        before = operands.result[0]
        operands.compare[0] = before
        _UFUNCS[op](operands.found[0], value, wanted)
        operands.origin[0][...] = wanted
        win.Compare_and_swap(operands.origin, operands.expect, operands.found, spot.rank, spot.at)
        win.Flush(spot.rank)
        if operands.result[0] == before:
            return before


def _update_alone(spot: _Spot, op: str, operands: _Operands) -> Any:
    here, value = spot.here, operands.origin[0]
    with _alone:
        before = here.item(0)
        if op == "set":
            here[...] = value
        else:
            _UFUNCS[op](here, value, here)
    return before


def compare_swap(target: Array, cond: Any, value: Any, pe: int, name: str = "target") -> Any:
    """Set the first element on a PE if it equals ``cond``; return its old value.

    ``target``, ``cond`` and ``value`` are integers. Errors are those of :func:`update`.
    """
    spot = _spot(target, pe, name)
    if not target.flags.writeable:
        raise not_writable(name)
    _require_integers(spot, "compare_swap")
    operands = spot.operands()
    _set(operands.compare, cond, spot.dtype, "cond")
    _set(operands.operand, value, spot.dtype, "value")
    win = spot.win
    if win is None:
        with _alone:
            found = spot.here.item(0)
            if found == operands.compare[0]:
                spot.here[...] = operands.origin[0]
    else:
        win.Compare_and_swap(operands.origin, operands.expect, operands.found, spot.rank, spot.at)
        win.Flush(spot.rank)
        found = operands.result[0]
    spot.pool.append(operands)
    return found
