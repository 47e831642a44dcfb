"""Compute correctly rounded sums in NumPy, by error-free additions or by long integers.

A *superaccumulator* is an integer that is long enough for every sum of floats (U. Kulisch; R. M.
Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571). Here a
superaccumulator is a row of int64: words of 32 bits with space for carries, then :data:`SPECIALS`
counters. Rows of several ranks are merged by adding them, which is associative. So every partition
of the elements, and every order, gives the same sum.

Rows in ``redcoll/kernels/_compiled/superaccumulator.hpp`` have the same layout.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array

LOWEST: Final = -2162
"""Word w of a row for products counts units of ``2**(32 * w + LOWEST)``."""
WORDS_OF_PRODUCTS: Final = 134
WORDS_OF_SUMS: Final = 68
"""Number of words in a row for sums of elements. These sums need no units below ``2**-1074``."""
SPECIALS: Final = 5
"""Number of counters after the words. They count NaN, infinity, minus infinity, minus zero, and all
other numbers."""
_FIRST_OF_SUMS: Final = 34
_BLOCK: Final = 1 << 16

EXACT_TYPES: Final = ("float32", "float64", "complex64", "complex128")
"""The names of the element types that have exact sums."""


def rows_of_sums(n: int) -> Array:
    """Return ``n`` empty rows for sums of elements."""
    return np.zeros((n, WORDS_OF_SUMS + SPECIALS), np.int64)


def rows_of_products(n: int) -> Array:
    """Return ``n`` empty rows for sums of products."""
    return np.zeros((n, WORDS_OF_PRODUCTS + SPECIALS), np.int64)


def _first_word(rows: Array) -> int:
    return 0 if rows.shape[1] == WORDS_OF_PRODUCTS + SPECIALS else _FIRST_OF_SUMS


# -- long sums ----------------------------------------------------------------------------


def accumulate(rows: Array, numbers: Array) -> None:
    """Add each row of ``numbers`` to a row of ``rows``, or to two rows for complex numbers."""
    if numbers.dtype.kind == "c":
        accumulate(rows[0::2], numbers.real)
        accumulate(rows[1::2], numbers.imag)
        return
    step = max(1, _BLOCK // max(1, len(numbers)))
    for start in range(0, numbers.shape[1], step):
        part = np.ascontiguousarray(numbers[:, start : start + step], np.float64)
        for first in range(0, len(rows), _BLOCK):
            _add(rows[first : first + _BLOCK], part[first : first + _BLOCK])


def _add(rows: Array, numbers: Array) -> None:
    """Add numbers to rows. The numbers must be so few that no word overflows."""
    bits = numbers.view(np.int64)
    exponent = bits >> 52 & 2047
    mantissa = bits & ((1 << 52) - 1)
    mantissa |= np.where(exponent > 0, 1 << 52, 0)
    mantissa[exponent == 2047] = 0
    place = exponent - (exponent > 0) + 32 * (_FIRST_OF_SUMS - _first_word(rows))
    place[exponent == 2047] = 0
    shift = place & 31
    low = (mantissa & 0xFFFFFFFF) << shift
    high = (mantissa >> 32) << shift
    sign = np.where(bits < 0, -1, 1)
    at = (place >> 5) + np.arange(len(rows))[:, None] * rows.shape[1]
    for word, piece in enumerate((low & 0xFFFFFFFF, (low >> 32) + (high & 0xFFFFFFFF), high >> 32)):
        # `bincount` adds floats. The sums are exact, because 2**16 pieces of 33 bits need 49 bits.
        total = np.bincount((at + word).ravel(), (sign * piece).ravel(), rows.size)
        rows += total.astype(np.int64).reshape(rows.shape)
    is_zero = numbers == 0
    is_minus_zero = is_zero & (bits < 0)
    kinds = (np.isnan(numbers), numbers == np.inf, numbers == -np.inf, is_minus_zero)
    counts = [kind.sum(axis=1) for kind in kinds]
    rows[:, -SPECIALS:-1] += np.stack(counts, axis=1)
    rows[:, -1] += numbers.shape[1] - sum(counts)
    _carry(rows)


def _carry(rows: Array) -> None:
    """Move all bits of a word above the lowest 32 bits to the next word."""
    words = rows[:, :-SPECIALS]
    carries = words[:, :-1] >> 32
    words[:, :-1] &= 0xFFFFFFFF
    words[:, 1:] += carries


_LEAST_PRODUCT: Final = 2.0**-900
_LARGEST: Final = 2.0**990


def accumulate_products(row: Array, a: Array, b: Array) -> None:
    """Add the products of two vectors of real numbers to a row for products."""
    rows = row[None, :]
    for start in range(0, a.size, _BLOCK):
        x = a[start : start + _BLOCK].astype(np.float64)
        y = b[start : start + _BLOCK].astype(np.float64)
        with np.errstate(all="ignore"):
            product = x * y
            size = np.abs(product)
            is_safe = (size >= _LEAST_PRODUCT) | (x == 0) | (y == 0)
            is_safe &= (size <= _LARGEST) & (np.abs(x) <= _LARGEST) & (np.abs(y) <= _LARGEST)
            # A product with a zero, infinity or NaN has no rounding error.
            is_plain = is_safe | (x == 0) | (y == 0) | ~np.isfinite(x) | ~np.isfinite(y)
            _add(rows, product[None, is_plain])
            error = _error_of_product(x[is_safe], y[is_safe], product[is_safe])
        _add(rows, error[None, error != 0])
        for u, v in zip(x[~is_plain].tolist(), y[~is_plain].tolist(), strict=True):
            _add_integer(row, *_product(u, v))


def _error_of_product(a: Array, b: Array, product: Array) -> Array:
    """Return the rounding error of a product that does not overflow or underflow (Dekker)."""
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    rest = ((product - a_high * b_high) - a_low * b_high) - a_high * b_low
    error: Array = a_low * b_low - rest
    return error


def _upper_half(a: Array) -> Array:
    """Return the upper 26 bits of each number (Veltkamp)."""
    big = a * 134217729.0  # 2**27 + 1
    upper: Array = big - (big - a)
    return upper


def _product(u: float, v: float) -> tuple[int, int]:
    """Return the product of two finite numbers as ``integer * 2**exponent``."""
    (a, i), (b, j) = math.frexp(u), math.frexp(v)
    return int(a * 2.0**53) * int(b * 2.0**53), i + j - 106


def _add_integer(row: Array, integer: int, exponent: int) -> None:
    """Add ``integer * 2**exponent`` to a row for products."""
    shift = exponent - LOWEST
    # All bits below the lowest word are zero, so drop these bits.
    magnitude = abs(integer) << shift if shift >= 0 else abs(integer) >> -shift
    sign = 1 if integer > 0 else -1
    word = 0
    while magnitude:
        row[word] += sign * (magnitude & 0xFFFFFFFF)
        magnitude >>= 32
        word += 1
    row[-1] += 1


# -- rounding -----------------------------------------------------------------------------


def round_sums(rows: Array, out: Array) -> None:
    """Write the rounded sum of each row to ``out``, which is of float32 or float64.

    A sum of zero is minus zero if all elements are minus zeros, and otherwise plus zero.
    """
    unit = 32 * _first_word(rows) + LOWEST
    for index, row in enumerate(rows.tolist()):
        *words, nans, infinities, minus_infinities, minus_zeros, others = row
        if nans or (infinities and minus_infinities):
            out[index] = math.nan
        elif infinities or minus_infinities:
            out[index] = math.inf if infinities else -math.inf
        else:
            total = sum(word << 32 * at for at, word in enumerate(words) if word)
            zero = -0.0 if minus_zeros and not others else 0.0
            out[index] = _rounded(total, unit, out.dtype) if total else zero


def _rounded(integer: int, unit: int, dtype: np.dtype[Any]) -> float:
    """Return ``integer * 2**unit``, rounded to the nearest number of ``dtype``, ties to even."""
    digits, least_unit = (24, -149) if dtype == np.float32 else (53, -1074)
    magnitude = abs(integer)
    wanted = max(unit + magnitude.bit_length() - digits, least_unit)
    shift = wanted - unit
    if shift > 0:
        quotient, rest = magnitude >> shift, magnitude & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        quotient += rest > half or (rest == half and quotient & 1)
    else:
        quotient = magnitude << -shift
    try:
        rounded = math.ldexp(quotient, wanted)
    except OverflowError:
        rounded = math.inf
    if dtype == np.float32 and rounded >= 2.0**128:
        rounded = math.inf
    return rounded if integer > 0 else -rounded


# -- sums of a few operands -----------------------------------------------------------------


def fold_exactly(operands: Sequence[Array], out: Array) -> None:
    """Write the correctly rounded sum of the operands to ``out``, element by element.

    Elements without an exact sum, such as integers, are added one after the other. ``out`` can be
    any of the operands.
    """
    if out.dtype.kind == "c" and out.dtype.name in EXACT_TYPES:
        real = out.real.dtype
        fold_exactly([each.view(real) for each in operands], out.view(real))
    elif len(operands) == 2:
        np.add(operands[0], operands[1], out)  # one rounding
    elif out.dtype.name not in EXACT_TYPES:
        total = operands[0] + operands[1]
        for operand in operands[2:]:
            total += operand
        out[...] = total
    else:
        _fold_reals(operands, out)


def _fold_reals(operands: Sequence[Array], out: Array) -> None:
    """Keep each sum as ``total + rest``. If such a pair is not exact, use a superaccumulator."""
    total = operands[0].astype(np.float64)
    rest = np.zeros_like(total)
    is_exact = np.ones(total.shape, bool)
    for operand in operands[1:]:
        total, error = _two_sum(total, operand.astype(np.float64, copy=False))
        rest, lost = _two_sum(rest, error)
        is_exact &= lost == 0
    result, error = _two_sum(total, rest)
    result = np.where(rest == 0, total, result)  # -0.0 + 0.0 would be 0.0
    if out.dtype == np.float32:
        # Round to odd in float64. Otherwise the second rounding, to float32, could be wrong.
        bits = result.view(np.int64)
        is_even = (error != 0) & (bits & 1 == 0)
        bits[is_even] += np.where((error > 0) == (result > 0), 1, -1)[is_even]
    hard = np.flatnonzero(~is_exact)
    if hard.size:
        rows, sums = rows_of_sums(hard.size), np.empty(hard.size, out.dtype)
        accumulate(rows, np.stack([operand[hard] for operand in operands], axis=1))
        round_sums(rows, sums)
    out[...] = result
    if hard.size:
        out[hard] = sums


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded sums, and their rounding errors (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)
