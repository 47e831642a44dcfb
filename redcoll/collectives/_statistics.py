"""Implement what all statistics share: the matrix of a member's elements, and the merge.

A member publishes a fixed number of fields, such as three numbers and a count for a variance. This
number does not depend on the member's elements. All members merge the same fields in the same way,
so all members get the same bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redcoll.arguments import Array, integer, shown
from redcoll.collectives._gathering import gather, most_bytes
from redcoll.collectives._told import disagreement, is_about_details
from redcoll.datatypes import FLOAT32, element_type, is_small_float
from redcoll.errors import ArgumentError, CollectiveMismatchError, DatatypeError
from redcoll.protocol.descriptor import GATHER, pack
from redcoll.team import Team

Axis = int | tuple[int, ...] | None
Merge = Callable[[Array, Array], Array]
"""A function ``merge(counts, fields)``. ``counts`` has a count for each member. The indices of
``fields`` are member, field and column. The indices of the result are statistic and column."""

REALS = "biuf"
NUMBERS = "biufc"
_PART = 8 << 10
"""The number of elements in a part of a matrix."""
_COUNT_BYTES = 16
"""The bytes of a count, padded to the largest alignment of an element."""
_WORD = pack(GATHER, element=element_type(np.dtype(np.uint8)).code)


class Columns(NamedTuple):
    """The elements of one member as a matrix. Each row gives one number of the result."""

    rows: Array
    shape: tuple[int, ...]
    """The shape of the result."""
    text: str
    """A text with all properties that must be equal on all members."""
    dtype: np.dtype[Any]
    """The type of the elements that the program passed. For small floats, the rows are float32."""

    @property
    def n_elements(self) -> int:
        """The number of this member's elements that contribute to each result."""
        return int(self.rows.shape[1])


# -- the arguments ------------------------------------------------------------------------


def array_of(x: ArrayLike, kinds: str) -> Array:
    if isinstance(x, np.ma.MaskedArray):  # NumPy would count the masked elements
        raise DatatypeError("x is a MaskedArray; it must not be masked; pass x.compressed()")
    try:
        array = np.asarray(x)
    except Exception as error:
        raise DatatypeError(
            f"x is {shown(x)}; it must be an array or convertible to one ({type(error).__name__})"
        ) from error
    if array.dtype.kind not in kinds and not is_small_float(array.dtype):
        what = "real numbers" if kinds == REALS else "numbers"
        raise DatatypeError(f"x is of {array.dtype}; it must hold {what}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _axes(axis: Any, n_dimensions: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(n_dimensions))
    given = axis if isinstance(axis, tuple) else (axis,)
    if n_dimensions == 0 and given:
        raise ArgumentError(f"axis is {shown(axis)}; x has no dimensions, so it must be None")
    found = [integer(each, "axis", -n_dimensions, n_dimensions - 1) for each in given]
    axes = tuple(sorted({each % n_dimensions for each in found}))
    if len(axes) < len(found):
        raise ArgumentError(f"axis is {axis}; it must not name a dimension twice")
    return axes


def columns_of(x: ArrayLike, axis: Any, kinds: str, **more: object) -> Columns:
    array = array_of(x, kinds)
    dtype = array.dtype
    if is_small_float(dtype):
        array = array.astype(FLOAT32)
    axes = _axes(axis, array.ndim)
    rows, shape = rows_of(array, axes)
    sizes = ["*" if each in axes else str(array.shape[each]) for each in range(array.ndim)]
    text = f"x of {dtype}"
    if axis is not None:
        text += f", shape ({', '.join(sizes)}{',' * (len(sizes) == 1)}), axis={axis}"
    text += "".join(f", {name}={value}" for name, value in more.items())
    return Columns(rows, shape, text, dtype)


def rows_of(array: Array, axes: Sequence[int]) -> tuple[Array, tuple[int, ...]]:
    """Return a matrix with a row for each number of the result, and the shape of the result."""
    kept = [each for each in range(array.ndim) if each not in axes]
    shape = tuple(array.shape[each] for each in kept)
    count = prod(array.shape[each] for each in axes)
    return array.transpose(*kept, *axes).reshape(prod(shape), count), shape


def wide_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the fields that describe elements of type ``dtype``."""
    return np.result_type(dtype, np.float64)


def result_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind in "fc" or is_small_float(dtype) else np.dtype(np.float64)


def parts_of(rows: Array) -> Iterator[tuple[slice, slice]]:
    """Yield slices of a matrix that are so small that temporary arrays stay in the cache."""
    n_rows, n_columns = rows.shape
    if n_columns < _PART:
        step = _PART // max(n_columns, 1)
        for start in range(0, n_rows, step):
            yield slice(start, start + step), slice(None)
        return
    for row in range(n_rows):
        for start in range(0, n_columns, _PART):
            yield slice(row, row + 1), slice(start, start + _PART)


# -- the round ----------------------------------------------------------------------------


def merged(team: Team, name: str, columns: Columns, fields: Array, merge: Merge) -> Array:
    """Return the merged fields of all members.  Collective over the team.

    Fields that do not fit into an eager buffer take several rounds. ``fields`` describes this
    member's ``columns``. The indices of ``fields`` are field and column.
    """
    n_fields, n_columns = fields.shape
    dtype, extra = fields.dtype, zlib.crc32(f"{name} {columns.text}".encode())
    width = max(1, (most_bytes(team) - _COUNT_BYTES) // (n_fields * dtype.itemsize))
    parts = []
    for start in range(0, max(n_columns, 1), width):
        block = np.ascontiguousarray(fields[:, start : start + width])
        vector = np.zeros(_COUNT_BYTES + block.nbytes, np.uint8)
        vector[:8].view(np.int64)[0] = columns.n_elements
        vector[_COUNT_BYTES:] = block.reshape(-1).view(np.uint8)
        try:
            told = gather(team, vector, extra)
        except CollectiveMismatchError as error:
            if is_about_details(team, error):
                what = f"the arguments of {name}"
                raise disagreement(team, _WORD, columns.text, what) from None
            raise
        counts = told[:, :8].copy().view(np.int64)[:, 0]
        theirs = told[:, _COUNT_BYTES:].copy().view(dtype)
        with np.errstate(all="ignore"):
            parts.append(merge(counts, theirs.reshape(team.size, *block.shape)))
    return np.concatenate(parts, axis=1)


def shaped(result: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return the results of all columns in this shape and type; a scalar if the shape is ``()``."""
    with np.errstate(all="ignore"):
        if is_small_float(dtype) and result.dtype != FLOAT32:
            result = _rounded_to_odd(result)
        return result.astype(dtype).reshape(shape)[()]


def _rounded_to_odd(values: Array) -> Array:
    """Round float64 to float32, so that rounding again gives the nearest small float.

    ``ml_dtypes`` converts float64 to float32 first, so a value could be rounded twice. Here a value
    between two neighbours in float32 becomes the neighbour whose last bit is 1. So no value moves
    to the midpoint between two small floats.
    """
    found = values.astype(FLOAT32)
    error = values - found
    bits = found.view(np.int32)
    is_even = (error != 0) & np.isfinite(values) & (bits & 1 == 0)
    bits[is_even] += np.where((error > 0) == (found > 0), 1, -1)[is_even].astype(np.int32)
    return found
