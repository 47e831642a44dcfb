"""
Compute the expected results of reductions without redcoll, by formulas from the standards.

A test makes the sources of *all* PEs with :func:`rows`. Every PE computes the same rows, so no
messages are needed. Each PE passes its own row to the library, and compares the result::

    rows = oracle.rows("SUM", np.float64, n_pes, count)
    redcoll.allreduce(target, rows[me].copy(), redcoll.SUM)
    oracle.check_reduced("SUM", rows, target)

If the order can change the result, a reduction folds the rows of each node, and then the results of
the nodes. Scans and reductions by users' functions fold all rows in rank order, so use
:func:`check` for their results.

Results are compared bit for bit in all functions of this file, with two exceptions:

* NaN: any NaN equals any NaN. IEEE 754 (section 6.2.3) does not define the payload and sign of the
  result of an operation on NaNs.
* The zero of MAX and MIN: if the operands have zeros of both signs, both zeros are right. If all
  zeros have the same sign, the result's zero must have that sign.

Padding is not part of the value. So only the two fields of a pair are compared, and only the bytes
of a long double that hold the number.

The test that all members got *the same* bits needs messages: see ``same_everywhere`` in
``conftest.py``.
"""

from __future__ import annotations

import copy
import fractions
import functools
import math
import operator
import zlib
from collections import defaultdict

import ml_dtypes
import numpy as np

OPS = (
    *("SUM", "PROD", "MAX", "MIN", "AND", "OR", "XOR", "LAND", "LOR", "LXOR", "MAXLOC", "MINLOC"),
    "EXACT_SUM",
)

PLAIN_TYPES = tuple(
    np.dtype(name)
    for name in (
        "bool",
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "longdouble"),
        *("complex64", "complex128", "clongdouble"),
    )
)

# NumPy gives most of these types the kind "V", because it does not know them.
SMALL_FLOATS = tuple(
    np.dtype(getattr(ml_dtypes, name))
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3")
)
IN_FLOAT32 = " in float32"
"""The suffix of SUM and PROD for sums and products that are accumulated in float32."""

# The kinds of elements that each operation takes, copied from the standards. Logical operations
# need numbers that can be true or false, bitwise operations need bits, and MAX and MIN need an
# order.
KINDS = {
    **dict.fromkeys(("SUM", "PROD"), "biufc"),
    **dict.fromkeys(("MAX", "MIN"), "biuf"),
    **dict.fromkeys(("AND", "OR", "XOR"), "biu"),
    **dict.fromkeys(("LAND", "LOR", "LXOR"), "biuf"),
    **dict.fromkeys(("MAXLOC", "MINLOC"), "V"),
    "EXACT_SUM": "fc",
}
EXACT_TYPES = ("float32", "float64", "complex64", "complex128")


def pair(value, index) -> np.dtype:
    """Return the type of a pair with the layout of a C compiler."""
    return np.dtype([("value", value), ("index", index)], align=True)


# These types are in MPI 4.1, section 6.9.4. Fortran's REAL and INTEGER have 4 bytes, and DOUBLE
# PRECISION has 8 bytes.
MPI_PAIRS = {
    "FLOAT_INT": pair("f4", "i4"),
    "DOUBLE_INT": pair("f8", "i4"),
    "LONG_INT": pair("l", "i4"),
    "2INT": pair("i4", "i4"),
    "SHORT_INT": pair("i2", "i4"),
    "LONG_DOUBLE_INT": pair("g", "i4"),
    "2REAL": pair("f4", "f4"),
    "2DOUBLE_PRECISION": pair("f8", "f8"),
    "2INTEGER": pair("i4", "i4"),
}
# Pairs of any real or integer value with a 64-bit index.
WIDE_PAIRS = {f"{dtype}_INT64": pair(dtype, "i8") for dtype in PLAIN_TYPES if dtype.kind in "iuf"}
PAIRS = {**MPI_PAIRS, **WIDE_PAIRS}


def legal(op: str, dtype) -> bool:
    if op.endswith(IN_FLOAT32):
        return dtype == np.float16 or dtype in SMALL_FLOATS
    if op == "EXACT_SUM":
        return str(dtype) in EXACT_TYPES or np.dtype(dtype).name in EXACT_TYPES
    return ("f" if dtype in SMALL_FLOATS else np.dtype(dtype).kind) in KINDS[op]


def is_wide(op: str, dtype) -> bool:
    """Return whether an operation computes in float32, and rounds to ``dtype`` only at the end."""
    return op.endswith(IN_FLOAT32) or dtype in SMALL_FLOATS


def types_of(op: str) -> dict[str, np.dtype]:
    """Return the element types that an operation takes. The keys are names for test ids."""
    if KINDS[op] == "V":
        return PAIRS
    return {str(dtype): dtype for dtype in PLAIN_TYPES if legal(op, dtype)}


# -- sources ------------------------------------------------------------------------------------


def boundary(dtype) -> np.ndarray:
    """Return those values of a plain type with which implementations often give wrong results."""
    dtype = np.dtype(dtype)
    if dtype in SMALL_FLOATS:
        codes = np.arange(1 << 8 * min(dtype.itemsize, 1), dtype=f"u{dtype.itemsize}")
        codes <<= 8 * (dtype.itemsize - 1)  # bfloat16: the codes that end in zeros
        return np.concatenate([codes, codes[1:] - 1]).view(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1}
        values |= {info.max // 2, info.max // 2 + 1}  # around the top bit of unsigned types
        if dtype.kind == "i":
            values |= {-1, -2, -7}
        return np.array(sorted(values), dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        positive = [0.0, 1.0, 1.5, 3.0, info.max, info.tiny, info.smallest_subnormal, info.eps]
        values = np.array([*positive, np.inf], dtype)
        return np.concatenate([values, -values, np.array([np.nan], dtype)])
    part = boundary(np.empty(0, dtype).real.dtype)
    values = np.zeros((len(part), len(part)), dtype)
    values.real = part[:, None]
    values.imag = part[None, :]
    return values.reshape(-1)


def values(dtype, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return a PE's vector of a plain type, which mixes boundary, ordinary and random values."""
    dtype = np.dtype(dtype)
    edge = boundary(dtype)
    if dtype in SMALL_FLOATS:
        ordinary = rng.standard_normal(count) * 10.0 ** rng.integers(-2, 3, count)
        edges = edge[rng.integers(0, len(edge), count)]
        return np.where(rng.integers(0, 4, count) == 0, edges, ordinary.astype(dtype))
    if dtype.kind == "c":
        result = np.zeros(count, dtype)
        real = result.real.dtype
        result.real = values(real, count, rng)
        result.imag = values(real, count, rng)
        return result
    if dtype.kind == "f":
        ordinary = rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)
        ordinary = ordinary.astype(dtype)
        # Also set the bits that a long double has and a double lacks.
        ordinary += (rng.standard_normal(count) * np.finfo(dtype).eps).astype(dtype)
    elif dtype.kind == "b":
        ordinary = rng.integers(0, 2, count).astype(dtype)
    else:
        raw = rng.integers(0, 256, count * dtype.itemsize, np.uint8)
        ordinary = raw.view(dtype)
    few = rng.integers(-2, 3, count).astype(dtype)  # so that some operands are equal
    kind = rng.integers(0, 4, count)
    edges = edge[rng.integers(0, len(edge), count)]
    return np.where(kind == 0, edges, np.where(kind == 1, few, ordinary)).astype(dtype)


def rows(op: str, dtype, n: int, count: int, seed: int = 0) -> np.ndarray:
    """Return the sources of ``n`` PEs, a row for each PE. All PEs get the same rows.

    Every tenth column of floats has neither NaN nor infinity. So some results are not
    NaN, even with many members.
    """
    dtype = np.dtype(dtype)
    key = zlib.crc32(f"{op} {dtype} {n} {count}".encode())
    rng = np.random.default_rng([key, seed])
    result = np.zeros((n, count), dtype)
    if dtype.kind == "V" and dtype not in SMALL_FLOATS:
        value, index = dtype["value"], dtype["index"]
        for row in result:
            row["value"] = values(value, count, rng)
            row["index"] = rng.integers(-3 if index.kind == "i" else 0, 100, count)
        # In columns with equal values, or with NaN only, the index decides the result.
        result["value"][:, ::3] = rng.integers(0, 3, (n, len(range(0, count, 3))))
        if value.kind == "f" and count > 4:
            result["value"][n // 2 :, 4::7] = np.nan
            result["value"][: n // 2, 4::21] = np.nan
        return result
    for row in result:
        row[...] = values(dtype, count, rng)
    if dtype.kind in "fc":
        calm = result[:, ::10]
        ordinary = rng.standard_normal(calm.shape).astype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            is_calm = np.isfinite(calm) & (np.abs(calm) < 100)
        result[:, ::10] = np.where(is_calm, calm, ordinary)
    return result


# -- formulas -----------------------------------------------------------------------------------


def left_fold(function, rows) -> np.ndarray:
    """Return ``((x0 f x1) f x2) ...``. Each step is rounded to the element type."""
    result = np.array(rows[0])
    for row in rows[1:]:
        result = np.asarray(function(result, row)).astype(result.dtype)
    return result


def _sum(a, b):
    kind = a.dtype.kind
    if kind == "b":
        return (a.astype(np.int64) + b) > 0  # True is 1, and every number except 0 is True
    if kind in "iu":
        return (a.astype(np.uint64) + b.astype(np.uint64)).astype(a.dtype)  # modulo 2**bits
    if kind == "c":
        return _complex(a.real + b.real, a.imag + b.imag, a.dtype)
    if a.dtype == np.float16:
        return a.astype(np.float64) + b  # exact in a double, then rounded once
    return a + b


def _prod(a, b):
    kind = a.dtype.kind
    if kind == "b":
        return (a.astype(np.int64) * b) > 0
    if kind in "iu":
        return (a.astype(np.uint64) * b.astype(np.uint64)).astype(a.dtype)
    if kind == "c":
        # The textbook product: four products and two sums, each rounded.
        real = a.real * b.real - a.imag * b.imag
        imag = a.real * b.imag + a.imag * b.real
        return _complex(real, imag, a.dtype)
    if a.dtype == np.float16:
        return a.astype(np.float64) * b
    return a * b


def _complex(real, imag, dtype):
    result = np.empty(real.shape, dtype)
    result.real, result.imag = real, imag
    return result


def exact_sum(numbers, dtype) -> float:
    """Return the correctly rounded sum of real numbers, some of which may be infinite or NaN."""
    numbers = np.asarray(numbers, dtype).reshape(-1, 1)
    return float(exact_sums(numbers)[0]) if len(numbers) else 0.0


def exact_sums(rows) -> np.ndarray:
    """Return the correctly rounded sums of the columns of a matrix of reals."""
    dtype = rows.dtype
    is_finite = np.isfinite(rows)
    columns = list(zip(*np.where(is_finite, rows, 0).astype(np.float64).tolist(), strict=True))
    sums = [_fsum(column) for column in columns]
    doubles = np.array([math.nan if each is None else each for each in sums])
    # Compute the exact sum if the double may lie halfway between two floats, or is NaN.
    is_hard = np.isnan(doubles)
    if dtype == np.float32:
        size = np.abs(doubles)
        is_hard |= (doubles.view(np.int64) & (2**29 - 1)) == 2**28
        is_hard |= ((size > 0) & (size < 2.0**-125)) | (size > 2.0**127)
    with np.errstate(over="ignore", invalid="ignore"):
        result = doubles.astype(dtype)
        for at in np.flatnonzero(is_hard):
            whole, exponent = integers(columns[at])
            result[at] = rounded(sum(whole), exponent, dtype)
        result[(result == 0) & np.signbit(rows).all(axis=0)] = -0.0
        # With NaN or infinities in a column, the sum is NaN, or an infinity if all infinities have
        # the same sign and no number is NaN.
        wrong = np.where(is_finite, 0, rows).sum(axis=0)
    return np.where(is_finite.all(axis=0), result, wrong).astype(dtype)


def _fsum(numbers) -> float | None:
    """Return the sum as a double; None if the sum or an intermediate sum is too large."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return None


def integers(numbers) -> tuple[list[int], int]:
    """Return integers for the numbers, and a common exponent: number = integer * 2**exponent."""
    mantissas, exponents = np.frexp(np.asarray(numbers, np.float64))
    least = exponents.min(initial=0)
    whole, shifts = (mantissas * 2.0**53).astype(int).tolist(), (exponents - least).tolist()
    return list(map(operator.lshift, whole, shifts)), int(least) - 53


def rounded(total: int, exponent: int, dtype) -> float:
    """Round ``total * 2**exponent`` to the nearest number of a type. A tie rounds to even."""
    if total == 0:
        return 0.0
    info = np.finfo(dtype)
    digits, least = info.nmant + 1, int(info.minexp) - info.nmant
    size = abs(total) << 1100  # so that ``size`` has all digits of the result
    exponent -= 1100
    last = max(size.bit_length() + exponent - digits, least)  # the exponent of the last digit
    below, rest = divmod(size, 2 ** (last - exponent))
    half = 2 ** (last - exponent - 1)
    nearest = below + (rest > half or (rest == half and below % 2 == 1))
    largest = (2**digits - 1, int(info.maxexp) - digits)
    is_too_large = nearest * fractions.Fraction(2) ** (last - largest[1]) > largest[0]
    value = math.inf if is_too_large else math.ldexp(nearest, last)
    return value if total > 0 else -value


def _exact_sum(rows):
    rows = np.stack(rows)
    if rows.dtype.kind == "c":
        return _complex(_exact_sum(rows.real), _exact_sum(rows.imag), rows.dtype)
    return exact_sums(rows)


def _truth(rows):
    return np.stack([np.asarray(row) != 0 for row in rows])  # NaN is true


def _extreme(op: str, rows):
    """Return MAX or MIN by sorting all rows at once, and NaN where any row has NaN."""
    rows = np.stack(rows)
    reverse = -1 if op.startswith("MAX") else 1
    is_nan = np.isnan(rows) if rows.dtype.kind == "f" else np.zeros(rows.shape, bool)
    column = np.arange(rows.shape[1])
    order = np.sort(rows, axis=0)[::reverse]  # NaN is at the end, or at the start if reversed
    if reverse == 1:
        first = order[0]
    else:
        nans = is_nan.sum(axis=0)
        first = order[np.minimum(nans, len(rows) - 1), column]
    if rows.dtype.kind == "f":
        first = np.where(is_nan.any(axis=0), np.array(np.nan, rows.dtype), first)
    return first


def _extreme_with_location(op: str, rows):
    """Return MAXLOC or MINLOC by the definition: the extreme value with its smallest index.

    NaN is the extreme value of both operations. All NaNs are equal, and so are zeros of both signs.
    The result takes its value from the first row with an extreme value.
    """
    rows = np.stack(rows)
    extreme = _extreme(op[:3], list(rows["value"]))
    ties = rows["value"] == extreme
    if extreme.dtype.kind == "f":
        ties |= np.isnan(rows["value"]) & np.isnan(extreme)
    index = rows["index"]
    beyond = np.inf if index.dtype.kind == "f" else np.iinfo(index.dtype).max
    result = np.zeros(rows.shape[1], rows.dtype)
    result["value"] = rows["value"][ties.argmax(axis=0), np.arange(rows.shape[1])]
    result["index"] = np.where(ties, index, beyond).min(axis=0)
    return result


def fold(op: str, rows) -> np.ndarray:
    """Return the reduction of these rows in their order.

    A single row is the result itself, even for logical operations, because nothing is combined.
    """
    rows = [np.asarray(row).reshape(-1) for row in rows]
    dtype = rows[0].dtype
    if op.removesuffix(IN_FLOAT32) not in OPS or not legal(op, dtype):
        raise ValueError(f"the oracle has no {op} of {dtype}")
    if len(rows) == 1:
        return rows[0].copy()
    if is_wide(op, dtype):
        with np.errstate(all="ignore"):
            return fold(op.removesuffix(IN_FLOAT32), widened(rows)).astype(dtype)
    with np.errstate(all="ignore"):
        if op == "SUM":
            return left_fold(_sum, rows)
        if op == "EXACT_SUM":
            return _exact_sum(rows)
        if op == "PROD":
            return left_fold(_prod, rows)
        if op in ("MAX", "MIN"):
            return _extreme(op, rows)
        if op in ("MAXLOC", "MINLOC"):
            return _extreme_with_location(op, rows)
        if op in ("LAND", "LOR", "LXOR"):
            true = _truth(rows).sum(axis=0)
            result = {"LAND": true == len(rows), "LOR": true > 0, "LXOR": true % 2 == 1}[op]
            return result.astype(dtype)
        bits = np.stack([np.unpackbits(np.ascontiguousarray(row).view(np.uint8)) for row in rows])
        ones = bits.sum(axis=0, dtype=np.int64)
        bits = {"AND": ones == len(rows), "OR": ones > 0, "XOR": ones % 2 == 1}[op]
        return np.packbits(bits).view(dtype)


def widened(rows) -> list[np.ndarray]:
    return [np.asarray(row).reshape(-1).astype(np.float32) for row in rows]


def value_bytes(array) -> bytes:
    """Return the bytes of all elements without padding, so that equal values give equal bytes."""
    array = np.ascontiguousarray(array).reshape(-1)
    if array.dtype.names:
        return b"".join(value_bytes(array[name].copy()) for name in array.dtype.names)
    if array.dtype.kind == "c":
        return value_bytes(array.real.copy()) + value_bytes(array.imag.copy())
    if array.dtype == np.longdouble and np.finfo(np.longdouble).nmant == 63:
        return array.view(np.uint8).reshape(-1, array.itemsize)[:, :10].tobytes()  # x87: 10 bytes
    return array.tobytes()


# -- comparison ---------------------------------------------------------------------------------


def _differs(actual, expected):
    """Return where two vectors of the same plain type differ in significant bits."""
    dtype = actual.dtype
    if dtype.kind in "biu":
        size = dtype.itemsize
        return (actual.view(np.uint8) != expected.view(np.uint8)).reshape(-1, size).any(axis=1)
    if dtype.kind == "c":
        return _differs(actual.real.copy(), expected.real.copy()) | _differs(
            actual.imag.copy(), expected.imag.copy()
        )
    if dtype.kind != "f" and dtype not in SMALL_FLOATS:
        raise TypeError(f"cannot compare {dtype}")
    both_nan = np.isnan(actual) & np.isnan(expected)
    if dtype.itemsize in (1, 2, 4, 8):
        bits = np.dtype(f"u{dtype.itemsize}")
        return (actual.view(bits) != expected.view(bits)) & ~both_nan
    # Equal numbers with equal signs have equal bits.
    same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
    return ~same & ~both_nan


def assert_same(actual, expected, *, either_zero=None, what: str = "result") -> int:
    """Compare bit for bit; return the number of elements compared, which is never 0.

    ``either_zero`` marks the elements that may be a zero of either sign.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype:
        raise AssertionError(f"{what} is of {actual.dtype}, expected {expected.dtype}")
    if actual.size != expected.size:
        raise AssertionError(f"{what} has {actual.size} elements, expected {expected.size}")
    if not actual.size:
        raise AssertionError(f"{what}: nothing to compare")
    actual = np.ascontiguousarray(actual).reshape(-1)
    expected = np.ascontiguousarray(expected).reshape(-1)
    if actual.dtype.names:
        wrong = np.zeros(actual.size, bool)
        for name in actual.dtype.names:
            wrong |= _differs(actual[name].copy(), expected[name].copy())
    else:
        wrong = _differs(actual, expected)
        if either_zero is not None:
            wrong &= ~(either_zero & (actual == 0) & (expected == 0))
    if wrong.any():
        at = int(wrong.argmax())
        raise AssertionError(
            f"{what}: {int(wrong.sum())} of {actual.size} elements of {actual.dtype} are wrong; "
            f"[{at}] is {actual[at]!r}, expected {expected[at]!r}"
        )
    return actual.size


class Expected:
    """The left fold of some rows, computed once and compared with many results."""

    def __init__(self, op: str, rows) -> None:
        self.what = f"{op} of {len(rows)} PEs"
        self.result = fold(op, rows)
        self._either_zero = None
        dtype = self.result.dtype
        if op in ("MAX", "MIN") and (dtype.kind == "f" or dtype in SMALL_FLOATS):
            stacked = np.stack(widened(rows) if is_wide(op, dtype) else rows).reshape(len(rows), -1)
            zero, negative = stacked == 0, np.signbit(stacked)
            self._either_zero = (zero & negative).any(axis=0) & (zero & ~negative).any(axis=0)

    def check(self, actual, block: slice = slice(None), *, what: str | None = None) -> int:
        """Compare a result with ``block`` of the fold; return the number of elements compared."""
        either_zero = None if self._either_zero is None else self._either_zero[block]
        return assert_same(
            actual, self.result[block], either_zero=either_zero, what=what or self.what
        )

    def rolled(self, shift: int) -> Expected:
        """Return the fold of the rows whose elements are rolled by ``shift``, as by numpy.roll."""
        other = copy.copy(self)
        other.result = np.roll(self.result, shift)
        if self._either_zero is not None:
            other._either_zero = np.roll(self._either_zero, shift)
        return other


ORDERED = ("SUM", "PROD")
"""The operations whose result depends on the order."""


def nodes_of(pes, node_size: int, hosts) -> list[list[int]]:
    """Return the team ranks on each node. The nodes are in the order of their first members."""
    return _grouped((hosts[pe], pe // node_size) for pe in pes)


def _grouped(node_of_place) -> list[list[int]]:
    nodes = defaultdict(list)
    for place, node in enumerate(node_of_place):
        nodes[node].append(place)
    return list(nodes.values())


_node_of: list[object] = []


def place(node_of) -> None:
    """Set the node of each PE of the job. :func:`by_node` folds the PEs of a node first."""
    _node_of[:] = node_of


def by_node(fold_rows, rows, pes=None, nodes=None) -> np.ndarray:
    """Fold the rows of each node in order, and then the results of the nodes, as reductions do.

    ``fold_rows`` folds a list of rows. By default there is a row for each PE of the job. Otherwise
    ``pes`` gives the PE of each row. Instead of ``pes``, ``nodes`` can list the indices of
    the rows on each node.
    """
    if nodes is None:
        nodes = _grouped(_node_of[pe] for pe in (range(len(rows)) if pes is None else pes))
    return fold_rows([fold_rows([rows[place] for place in node]) for node in nodes])


class Reduced(Expected):
    """The expected result of a reduction. :func:`by_node` describes ``pes`` and ``nodes``."""

    def __init__(self, op: str, rows, pes=None, nodes=None) -> None:
        super().__init__(op, rows)
        name, dtype = op.removesuffix(IN_FLOAT32), self.result.dtype
        if name in ORDERED and is_wide(op, dtype):
            total = by_node(functools.partial(fold, name), widened(rows), pes, nodes)
            with np.errstate(all="ignore"):
                self.result = total.astype(dtype)
        elif op in ORDERED:
            self.result = by_node(functools.partial(fold, op), rows, pes, nodes)


def check(op: str, rows, actual, *, what: str | None = None) -> int:
    """Compare a result with the left fold of ``rows``; return the number of elements compared."""
    return Expected(op, rows).check(actual, what=what)


def check_reduced(op: str, rows, actual, pes=None, *, what: str | None = None) -> int:
    """Compare the result of a reduction of ``rows``; return the number of elements compared."""
    return Reduced(op, rows, pes).check(actual, what=what)


# -- guards -------------------------------------------------------------------------------------

_GUARD_BYTE = 0xA5


class Guarded:
    """An array between guard elements. The array and the guards are filled with a pattern.

    ``make(count, dtype)`` allocates the memory. With ``redcoll.empty`` the array is symmetric, and
    all PEs must construct it together. ``before`` and ``after`` are the numbers of guard elements.
    ``before`` also determines the alignment of the array.
    """

    def __init__(self, shape, dtype, make=np.empty, *, before: int = 3, after: int = 5) -> None:
        extents = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
        count = int(np.prod(extents, dtype=np.int64))
        self.whole = make(before + count + after, np.dtype(dtype))
        self._bytes = self.whole.view(np.uint8)
        self._bytes[...] = _GUARD_BYTE
        self.array = self.whole[before : before + count].reshape(extents)
        size = self.whole.dtype.itemsize
        self._start, self._stop = before * size, (before + count) * size

    def check(self) -> None:
        """Check that every guard has its pattern."""
        for name, guards in (
            ("before", self._bytes[: self._start]),
            ("after", self._bytes[self._stop :]),
        ):
            if not len(guards):
                raise AssertionError(f"no guard {name} the array")
            if (guards != _GUARD_BYTE).any():
                raise AssertionError(f"guard {name} the array was overwritten")

    def check_untouched(self) -> None:
        """Check that the guards and the array itself have the pattern."""
        self.check()
        if (self._bytes[self._start : self._stop] != _GUARD_BYTE).any():
            raise AssertionError("the array was written to")
