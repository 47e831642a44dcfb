"""Pack the items of a call into one vector of bytes, and unpack the results.

The numbers come first, and one struct packs them all. The arrays follow, and one ``bytes.join``
appends them. In both parts, elements of the widest type come first, so no padding separates the
items.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives._items import LOGICAL, Item, quick_fold, split
from redcoll.collectives._tree import PYTHONS
from redcoll.kernels.interface import Kernel, Results
from redcoll.ops import Op
from redcoll.protocol.partition import round_up

_SIGNED: Final = {"i1": "b", "i2": "h", "i4": "i", "i8": "q"}
_UNSIGNED: Final = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
_FORMATS: Final = {"b1": "?", "f2": "e", "f4": "f", "f8": "d", **_SIGNED, **_UNSIGNED}
"""The letter of an element in a struct, by its kind and size."""
_MOST_NUMBERS: Final = 4
"""Python's operators fold at most this many numbers of a segment faster than NumPy."""
_MOST_KEPT: Final = 16
"""The most results of earlier calls that a process keeps."""
_KEPT_PER_BLOCK: Final = 2
"""A program often drops the results of a call only when it has those of the next call."""
_KEPT_BYTES: Final = 1 << 20
"""The longest results that are kept."""
_kept: Final[deque[list[Results]]] = deque()


def in_order(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that selects the values at these places of a sequence, in this order."""
    if len(places) < 2:
        return lambda values: [values[place] for place in places]
    return itemgetter(*places)


class Block:
    """Items that are packed one after the other into a vector of bytes.

    ``places`` are the places of the block's items in all ``items`` of the call. The size of the
    block in bytes is a multiple of ``unit``, and not 0. The block's vectors have elements of type
    ``dtype``.
    """

    def __init__(
        self,
        kernel: Kernel,
        items: Sequence[Item],
        places: Iterable[int],
        unit: int,
        dtype: np.dtype[Any],
    ) -> None:
        groups: dict[tuple[Op, np.dtype[Any]], int] = {}

        def key(place: int) -> tuple[bool, int, int, int]:
            item = items[place]
            dtype = item.dtype
            group = groups.setdefault((item.op, dtype), len(groups))
            return item.kind is np.ndarray, -dtype.alignment, -dtype.itemsize, group

        self.places = sorted(places, key=key)
        """The places of the items, in the order of the block."""
        ordered = [items[place] for place in self.places]
        numbers = [item for item in ordered if item.kind is not np.ndarray]
        arrays = ordered[len(numbers) :]
        self.rows: list[tuple[Op, np.dtype[Any], int, int]] = []
        """For each segment its operation, element type, start and stop, which are in bytes."""
        at = self._add(numbers, 0)
        start = round_up(at, arrays[0].dtype.alignment) if arrays else at
        stop = self._add(arrays, start)
        self.n_bytes = max(round_up(stop, unit), unit)
        self._tail = bytes(self.n_bytes - stop)
        gap = start - at if arrays else self.n_bytes - at
        self._struct = struct.Struct(f"={''.join(map(_format_of, numbers))}{gap}x")
        self._n_numbers = len(numbers)
        self._encoders = _coders(numbers, _encoder)
        self._decoders = _coders(numbers, _decoder)
        self._halves = [at for at, item in enumerate(numbers) if item.is_split][::-1]
        is_short = not arrays and len(numbers) <= _MOST_NUMBERS * len(self.rows)
        quick = [quick_fold(item) for item in numbers] if is_short else []
        self._quick_folds = [fold for fold in quick if fold is not None]
        self.has_quick_folds = bool(quick) and len(self._quick_folds) == len(quick)
        """Whether :meth:`fold_numbers` can fold the block."""
        self._runs = _runs(arrays, start)
        self._dtype = dtype
        self._keep_results = kernel.keep_results
        self._kept: list[Results] = []
        self._most_kept = _KEPT_PER_BLOCK if self.n_bytes <= _KEPT_BYTES else 0
        self.own = None if arrays else self._new_vector()
        """The vector for all results, if they are numbers, which are copied out of it."""
        self._is_all = self.places == list(range(len(items)))
        self._select = in_order(self.places)

    def chosen(self, values: Sequence[Any]) -> Sequence[Any]:
        """Select the block's items from all values of the call."""
        return values if self._is_all else self._select(values)

    @property
    def has_only_arrays(self) -> bool:
        """Whether no item is a number."""
        return self._n_numbers == 0

    def _add(self, items: Iterable[Item], at: int) -> int:
        """Append consecutive items from byte ``at`` on; return the byte after the last item."""
        for item in items:
            stop = at + item.n_bytes
            if self.rows and self.rows[-1][:2] == (item.op, item.dtype) and self.rows[-1][3] == at:
                self.rows[-1] = (*self.rows[-1][:3], stop)
            elif stop > at:
                self.rows.append((item.op, item.dtype, at, stop))
            at = stop
        return at

    def pack(self, values: Sequence[Any]) -> bytes:
        """Select the block's items from all values of the call, and return their bytes.

        Raise ``OverflowError`` or ``struct.error`` if an integer does not fit into its element.
        """
        if not self.places:
            return self._tail
        chosen = self.chosen(values)
        n = self._n_numbers
        numbers = chosen
        if self._runs or self._encoders or self._halves:
            numbers = list(chosen[:n])
            for at, encode in self._encoders:
                numbers[at] = encode(numbers[at])
            for at in self._halves:
                numbers[at : at + 1] = split(numbers[at])
        packed = self._struct.pack(*numbers)
        if not self._runs:
            return packed
        arrays = chosen[n:]
        try:
            return b"".join([packed, *arrays, self._tail])
        except TypeError:  # an array is not contiguous
            return b"".join([packed, *[each.tobytes() for each in arrays], self._tail])

    def _new_vector(self) -> Array:
        return np.empty(self.n_bytes // self._dtype.itemsize, self._dtype)

    def results(self) -> tuple[Array, list[Any]]:
        """Return a vector for the block's results, and views of the vector as the block's arrays.

        The program has no reference to the arrays: they are new, or the program has dropped the
        results of an earlier call.
        """
        if self.own is not None:
            return self.own, []
        for each in self._kept:
            found = each.again()
            if found is not None:
                return found
        vector = self._new_vector()
        arrays: list[Any] = []
        for count, shape, dtype, start in self._runs:
            if count == 1:
                arrays.append(np.ndarray(shape, dtype, vector, start))
            else:
                arrays.extend(np.ndarray((count, *shape), dtype, vector, start))
        if len(self._kept) < self._most_kept:
            self._keep(vector, list(arrays))
        return vector, arrays

    def _keep(self, vector: Array, arrays: list[Any]) -> None:
        kept = self._keep_results(vector, arrays)
        if kept is None:
            self._most_kept = 0
            return
        self._kept.append(kept)
        _kept.append(self._kept)
        if len(_kept) > _MOST_KEPT:
            _kept.popleft().clear()

    def unpack(self, vector: Array, arrays: list[Any]) -> list[Any]:
        """Return all results, in the order of the block, after a call has written ``vector``.

        The arguments are those that :meth:`results` has returned.
        """
        if not self._n_numbers:
            return arrays
        found = self._decoded(self._numbers(vector))
        found += arrays
        return found

    def fold_numbers(self, operands: Sequence[Array]) -> list[Any]:
        """Fold a block of numbers by Python's operators; return the results."""
        found = self._numbers(operands[0])
        for operand in operands[1:]:
            numbers = self._numbers(operand)
            folds = zip(self._quick_folds, found, numbers, strict=True)
            found = [fold(a, b) for fold, a, b in folds]
        return self._decoded(found)

    def _numbers(self, data: Array) -> list[Any]:
        """Unpack the numbers of a vector of the block, and join the halves of split integers."""
        found = list(self._struct.unpack_from(data.data))
        for at in reversed(self._halves):
            high, low = found[at : at + 2]
            found[at : at + 2] = ((high << 32) + low,)
        return found

    def _decoded(self, found: list[Any]) -> list[Any]:
        for at, decode in self._decoders:
            found[at] = decode(found[at])
        return found


def _runs(arrays: Iterable[Item], at: int) -> list[tuple[int, tuple[int, ...], np.dtype[Any], int]]:
    """Return length, shape, type and start of each run of arrays with one shape and type."""
    runs: list[tuple[int, tuple[int, ...], np.dtype[Any], int]] = []
    for item in arrays:
        # Do not extend a run by arrays without dimensions, because rows of the run would be NumPy
        # numbers.
        if runs and item.shape and runs[-1][1:3] == (item.shape, item.dtype):
            runs[-1] = (runs[-1][0] + 1, *runs[-1][1:])
        else:
            runs.append((1, item.shape, item.dtype, at))
        at += item.n_bytes
    return runs


# -- numbers ------------------------------------------------------------------------------


def _format_of(item: Item) -> str:
    """Return the format of a number in a struct."""
    if item.is_split:
        return "qq"
    name = f"{item.dtype.kind}{item.dtype.itemsize}"
    return _FORMATS.get(name, f"{item.n_bytes}s")


def _encoder(item: Item) -> Callable[[Any], Any] | None:
    """Return a function that converts a number to a value of a struct; None if none is needed."""
    if item.op in LOGICAL:
        return bool
    if not _format_of(item).endswith("s"):
        return None
    dtype = item.dtype
    return lambda value: np.asarray(value, dtype).tobytes()


def _decoder(item: Item) -> Callable[[Any], Any] | None:
    """Return a function that converts a value of a struct to a number; None if none is needed."""
    if item.op in LOGICAL:
        return None
    if _format_of(item).endswith("s"):
        dtype, is_pythons = item.dtype, item.kind in PYTHONS
        return lambda data: (
            np.frombuffer(data, dtype)[0].item() if is_pythons else np.frombuffer(data, dtype)[0]
        )
    return None if item.kind in PYTHONS else item.kind


def _coders(
    items: Sequence[Item], of: Callable[[Item], Callable[[Any], Any] | None]
) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return the place and the coder of each number that has a coder."""
    coders = [(at, of(item)) for at, item in enumerate(items)]
    return [(at, coder) for at, coder in coders if coder is not None]
