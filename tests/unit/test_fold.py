"""
Compare the folds of the compiled kernel with those of the NumPy kernel, bit for bit.

Each test runs on the extension module, which uses the widest vector instructions of this machine.
It also runs on a separate build for the baseline instruction set, if there is a compiler.
"""

import ctypes
import itertools
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import from_dtype
from mpi import oracle

from redcoll import kernels
from redcoll.datatypes import ELEMENT_TYPES, element_type
from redcoll.kernels import numpy as twin
from redcoll.ops import EXACT_SUM, MAX, MIN, MINLOC, OPS, PROD, SUM

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "redcoll" / "kernels" / "_compiled"
FLAGS = ["-O3", "-std=c++17", "-ffp-contract=off", "-shared", "-fPIC"]

SMALL = [element_type(dtype) for dtype in oracle.SMALL_FLOATS]
IN_FLOAT32 = [op.accumulating("float32") for op in (SUM, PROD)]
FLOAT16 = element_type(np.dtype("f2"))
# The compiled kernel has no float16 loops, except for pairs and for accumulation in float32.
LEGAL = [
    (op, element)
    for op, element in itertools.product(OPS, [*ELEMENT_TYPES, *SMALL])
    if op.takes(element) and element != FLOAT16
]
LEGAL += itertools.product(IN_FLOAT32, [FLOAT16, *SMALL])
# Small floats share their loops except for the conversion and the operation, so a few pairs of
# operation and type cover all loops.
LOOPS = [
    (op, element)
    for op, element in LEGAL
    if element not in SMALL or op == SUM or (element, op) == (SMALL[1], PROD)
    or (element == SMALL[0] and op not in IN_FLOAT32)
]  # fmt: skip
each_loop = pytest.mark.parametrize(
    ("op", "element"), LOOPS, ids=[f"{op.name}-{element.name}" for op, element in LOOPS]
)
SAMPLE = [(op, element) for op, element in LOOPS if op in (SUM, MAX, MINLOC)]

GUARD = 0xA5

# A larger number, such as 20000, finds more errors.
EXAMPLES = int(os.environ.get("REDCOLL_TEST_EXAMPLES", "150"))


# -- loops under test -----------------------------------------------------------------------------


class Extension:
    """The loops in the extension module of the compiled kernel."""

    def __init__(self):
        if not kernels.is_built():
            pytest.skip("the compiled kernel was not built")
        from redcoll.kernels._compiled import folds

        self._loops = folds

    def has_loop(self, op_code, type_code):
        nothing = np.zeros(64, np.uint8)
        return self._loops.fold(op_code, type_code, [nothing], nothing, 0)

    def fold(self, op, element, sources, out):
        assert self._loops.fold(op.code, element.code, sources, out, out.size)

    def fold_to_many(self, op, element, sources, targets):
        assert self._loops.fold_to_many(
            op.code, element.code, sources, targets, 0, sources[0].size, element.dtype.itemsize
        )

    def scan(self, op, element, sources, targets, is_inclusive):
        assert self._loops.scan(
            op.code, element.code, sources, targets, 0, sources[0].size, element.dtype.itemsize,
            is_inclusive,
        )  # fmt: skip


class Baseline:
    """The loops of the headers, compiled for the baseline instruction set."""

    def __init__(self, folder):
        compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
        if compiler is None:
            pytest.skip("no C++ compiler")
        library = folder / "fold_loops.so"
        command = [compiler, *FLAGS, "-I", HEADERS, HERE / "fold_loops.cpp", "-o", library]
        build = subprocess.run(command, capture_output=True, text=True, check=False)
        assert build.returncode == 0, build.stderr
        self._loops = ctypes.CDLL(str(library))
        self._loops.has_loop.restype = ctypes.c_bool

    def has_loop(self, op_code, type_code):
        return self._loops.has_loop(op_code, type_code)

    def fold(self, op, element, sources, out):
        size = ctypes.c_size_t(out.size)
        (into,) = _pointers([out])
        self._loops.fold(
            op.code, element.code, _pointers(sources), len(sources), ctypes.c_void_p(into), size
        )

    def fold_to_many(self, op, element, sources, targets):
        self._loops.fold_to_many(
            op.code, element.code, _pointers(sources), len(sources), _pointers(targets),
            len(targets), *_extent(sources, element),
        )  # fmt: skip

    def scan(self, op, element, sources, targets, is_inclusive):
        self._loops.scan(
            op.code, element.code, _pointers(sources), len(sources), _pointers(targets),
            ctypes.c_bool(is_inclusive), *_extent(sources, element),
        )  # fmt: skip


def _pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


def _extent(sources, element):
    return ctypes.c_size_t(sources[0].size), ctypes.c_size_t(element.dtype.itemsize)


@pytest.fixture(scope="module", params=["extension", "baseline"])
def loops(request, tmp_path_factory):
    if request.param == "extension":
        return Extension()
    return Baseline(tmp_path_factory.mktemp("fold"))


# -- expected results -----------------------------------------------------------------------------


def fold_of(op, rows):
    """Return the fold by the NumPy kernel."""
    result = np.zeros(len(rows[0]), rows[0].dtype)
    with np.errstate(all="ignore"):
        twin.fold(op, list(rows), result)
    return result


def scan_of(op, rows, is_inclusive):
    """Return the scan by the NumPy kernel. An exclusive scan has no first result."""
    targets = [np.zeros_like(row) for row in rows]
    with np.errstate(all="ignore"):
        twin.scan(op, list(rows), targets, 0, len(rows[0]), is_inclusive)
    return targets[0 if is_inclusive else 1 :]


def assert_same(op, actual, expected):
    """Compare bit for bit; return the number of elements compared."""
    is_either = op in (MAX, MIN) and element_type(expected.dtype).kind == "f"
    return oracle.assert_same(actual, expected, either_zero=expected == 0 if is_either else None)


def room(size, dtype, shift_bytes=0):
    """Return an array of guard bytes that starts ``shift_bytes`` after a cache line's start."""
    raw = np.full(size * dtype.itemsize + 128, GUARD, np.uint8)
    start = -raw.ctypes.data % 64 + shift_bytes
    return raw[start : start + size * dtype.itemsize].view(dtype)


def copy(rows, shift_bytes=0):
    """Return copies of the rows, with their padding bytes, as separate vectors."""
    vectors = [room(row.size, row.dtype, shift_bytes) for row in rows]
    for vector, row in zip(vectors, rows, strict=True):
        vector.view(np.uint8)[...] = row.view(np.uint8)
    return vectors


# -- the table ------------------------------------------------------------------------------------


def test_there_is_a_loop_for_every_legal_pair_of_codes_and_no_other(loops):
    legal = {(op.code, element.code) for op, element in LEGAL}
    legal |= {(op.code, 11) for op in IN_FLOAT32}  # float32, for partial sums of nodes
    # With REDCOLL_SUM=exact the code of the exact sum replaces that of SUM.
    legal |= {(EXACT_SUM.code, element.code) for op, element in LEGAL if op is SUM}
    codes = itertools.product(range(-1, 65), range(-1, 65))
    assert {pair for pair in codes if loops.has_loop(*pair)} == legal


# -- folds ----------------------------------------------------------------------------------------

COUNTS = [*range(71), 127, 128, 129, 1000, 2111]


@each_loop
def test_fold(loops, op, element):
    """Fold 1 to 17 sources. The results of all counts share an array, with guards between them."""
    dtype = element.dtype
    rows = list(oracle.rows(op.name, dtype, 17, COUNTS[-1] + 40))
    whole = rows[0]
    compared = 0
    for n in range(1, 18):
        if op is EXACT_SUM or op.accumulator(dtype) is not None:
            whole = fold_of(op, rows[:n])
        elif n > 1:
            whole = fold_of(op, [whole, rows[n - 1]])
        results = room(sum(COUNTS) + 3 * len(COUNTS) + 3, dtype)
        is_guard = np.ones(results.size, bool)
        expected = []
        at = 3
        for count in COUNTS:
            first = count % 37
            is_guard[at : at + count] = False
            sources = [row[first : first + count] for row in rows[:n]]
            loops.fold(op, element, sources, results[at : at + count])
            expected.append(whole[first : first + count])
            at += count + 3
        compared += assert_same(op, results[~is_guard], np.concatenate(expected))
        assert (results.view(np.uint8).reshape(results.size, -1)[is_guard] == GUARD).all()
    assert compared == 17 * sum(COUNTS)


@each_loop
def test_fold_in_place(loops, op, element):
    """Fold into each of the sources in turn."""
    for n, count in [(1, 5), (2, 3), (2, 100), (3, 70), (9, 31), (17, 2)]:
        rows = oracle.rows(op.name, element.dtype, n, count)
        expected = fold_of(op, rows)
        for index in range(n):
            sources = copy(rows)
            loops.fold(op, element, sources, sources[index])
            assert_same(op, sources[index], expected)
            for source, row in zip(sources, rows, strict=True):
                assert source is sources[index] or source.tobytes() == row.tobytes()


@pytest.mark.parametrize(
    ("op", "element"),
    [
        pytest.param(op, element, id=f"{op.name}-{element.name}")
        for op, element in LOOPS
        if element.kind == "p"
    ],
)
def test_padding_is_left_alone(loops, op, element):
    dtype = element.dtype
    is_padding = np.ones(dtype.itemsize, bool)
    for field, at in dtype.fields.values():
        is_padding[at : at + field.itemsize] = False
    rows = oracle.rows(op.name, dtype, 3, 21)
    out = room(21, dtype)
    loops.fold(op, element, list(rows), out)
    assert (out.view(np.uint8).reshape(21, -1)[:, is_padding] == GUARD).all()


@each_loop
@pytest.mark.parametrize("count", [1, 77, 9000 // 8])
def test_fold_to_many(loops, op, element, count):
    """Fold to separate targets, to one of the sources, and to all sources in another order."""
    n = 5
    rows = oracle.rows(op.name, element.dtype, n, count)
    expected = fold_of(op, rows)
    for places in [(None,), (None, 3, None), (4, 2, 0, 1, 3), (0, 1, 2, 3, 4), (None,) * 7]:
        sources = copy(rows)
        targets = [
            room(count, element.dtype) if place is None else sources[place] for place in places
        ]
        loops.fold_to_many(op, element, sources, targets)
        for target in targets:
            assert_same(op, target, expected)
        for place in set(range(n)) - set(places):
            assert sources[place].tobytes() == rows[place].tobytes()


@each_loop
@pytest.mark.parametrize("is_inclusive", [True, False], ids=["inclusive", "exclusive"])
def test_scan(loops, op, element, is_inclusive):
    for n, count in [(1, 5), (2, 1), (3, 129), (6, 40)]:
        rows = oracle.rows(op.name, element.dtype, n, count)
        expected = scan_of(op, rows, is_inclusive)
        for is_in_place in (False, True):
            sources = copy(rows)
            targets = sources if is_in_place else [room(count, element.dtype) for _ in rows]
            untouched = targets[0].tobytes()
            loops.scan(op, element, sources, targets, is_inclusive)
            for target, right in zip(targets[not is_inclusive :], expected, strict=True):
                assert_same(op, target, right)
            assert is_inclusive or targets[0].tobytes() == untouched


# -- non-temporal stores --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "element"), SAMPLE, ids=[f"{op.name}-{element.name}" for op, element in SAMPLE]
)
@pytest.mark.parametrize("kind", ["aligned", "unaligned", "in place"])
def test_large(loops, op, element, kind):
    """Fold and scan targets so large that the loops use non-temporal stores where possible."""
    n, count = 16, (70 << 10) // element.dtype.itemsize + 3
    rows = oracle.rows(op.name, element.dtype, n, count)
    shift_bytes = 8 if kind == "unaligned" else 0

    def targets_for(sources):
        if kind == "in place":
            return sources
        return [room(count, element.dtype, shift_bytes) for _ in sources]

    sources = copy(rows)
    targets = targets_for(sources)
    loops.fold_to_many(op, element, sources, targets)
    expected = fold_of(op, rows)
    for target in targets:
        assert_same(op, target, expected)

    for is_inclusive in (True, False):
        sources = copy(rows)
        targets = targets_for(sources)
        loops.scan(op, element, sources, targets, is_inclusive)
        expected = scan_of(op, rows, is_inclusive)
        for target, right in zip(targets[not is_inclusive :], expected, strict=True):
            assert_same(op, target, right)


@pytest.mark.parametrize("op", [SUM, MIN], ids=str)
@pytest.mark.parametrize("count", [1, 77, 9000])
@pytest.mark.parametrize(
    "places", [(2,), (2, None), (3, 0), (None, 4), (4, 2, 0, 1, 3), (1,), (0,)]
)
def test_numpy_fold_to_many(op, count, places):
    """Test the NumPy kernel with a source among the targets."""
    rows = oracle.rows(op.name, np.float64, 5, count)
    expected = oracle.fold(op.name, rows)
    sources = copy(rows)
    targets = [room(count, expected.dtype) if at is None else sources[at] for at in places]
    with np.errstate(all="ignore"):
        twin.fold_to_many(op, sources, targets, 0, count)
    for target in targets:
        assert_same(op, target, expected)
    for at in set(range(5)) - set(places):
        assert sources[at].tobytes() == rows[at].tobytes()


# -- random cases from hypothesis -----------------------------------------------------------------


@st.composite
def operands(draw):
    """Draw an operation, an element type, and unaligned vectors of a few different values."""
    op, element = draw(st.sampled_from(LOOPS))
    dtype = element.dtype
    plain = np.dtype(f"u{dtype.itemsize}") if dtype in oracle.SMALL_FLOATS else dtype
    few = np.array(draw(st.lists(from_dtype(plain), min_size=1, max_size=6)), plain).view(dtype)
    n = draw(st.integers(1, 17))
    count = draw(st.integers(1, 70) | st.integers(1000, 3000))
    choice = np.random.default_rng(draw(st.integers(0, 1 << 32))).integers(0, len(few), (n, count))
    vectors = [room(count, dtype, draw(st.integers(0, 63))) for _ in range(n)]
    for vector, row in zip(vectors, choice, strict=True):
        vector[...] = few[row]
    return op, element, vectors


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operands(), st.data())
def test_no_difference_is_found(loops, case, data):
    op, element, sources = case
    n = len(sources)
    call = data.draw(st.sampled_from(["fold", "fold_to_many", "inclusive", "exclusive"]))
    rows = [source.copy() for source in sources]
    fresh = room(sources[0].size, element.dtype, data.draw(st.integers(0, 63)))
    if call == "fold":
        out = data.draw(st.sampled_from([fresh, *sources]))
        loops.fold(op, element, sources, out)
        assert_same(op, out.copy(), fold_of(op, rows))
    elif call == "fold_to_many":
        targets = data.draw(st.permutations([fresh, *sources]))[: data.draw(st.integers(1, n + 1))]
        loops.fold_to_many(op, element, sources, targets)
        for target in targets:
            assert_same(op, target.copy(), fold_of(op, rows))
    else:
        loops.scan(op, element, sources, sources, call == "inclusive")
        expected = scan_of(op, rows, call == "inclusive")
        for target, right in zip(sources[call == "exclusive" :], expected, strict=True):
            assert_same(op, target.copy(), right)
