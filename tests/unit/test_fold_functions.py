"""Test folds and scans of the compiled kernel with a compiled function of the program."""

import ctypes
import itertools

import numpy as np
import pytest

from redcoll import kernels

LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
BLOCK_BYTES = 8192
SIZES = (8, 24, 8808)
"""Bytes of an element. An element of the last size is longer than a block."""


@pytest.fixture(scope="module")
def folds():
    if not kernels.is_built():
        pytest.skip("the compiled kernel was not built")
    from redcoll.kernels._compiled import folds

    return folds


class Function:
    """A function on elements of several doubles, which checks its arguments."""

    def __init__(self, itemsize):
        self.itemsize = itemsize
        self.calls = 0
        self.problems = []
        self._loop = LOOP(self._call)
        self.address = ctypes.cast(self._loop, ctypes.c_void_p).value

    def _call(self, a, b, out, n):
        self.calls += 1
        if out in (a, b) or n < 1 or (n > 1 and n * self.itemsize > BLOCK_BYTES):
            self.problems.append((a, b, out, n))
        left, right, result = (self._doubles(at, n) for at in (a, b, out))
        result[...] = left * 0.5 + right

    def _doubles(self, at, n):
        count = n * self.itemsize // 8
        return np.ctypeslib.as_array(ctypes.cast(at, ctypes.POINTER(ctypes.c_double)), (count,))


def left_fold(rows):
    total = rows[0].copy()
    for row in rows[1:]:
        total = total * 0.5 + row
    return total


def elements(itemsize, n, count):
    dtype = np.dtype([("values", "f8", itemsize // 8)])
    rows = np.random.default_rng(n + count).standard_normal((n, count * itemsize // 8))
    return dtype, rows


def same(array, expected):
    assert array.tobytes() == expected.tobytes()
    return expected.size


@pytest.mark.parametrize("itemsize", SIZES)
def test_folds_into_any_targets(folds, itemsize):
    compared = 0
    per_block = max(BLOCK_BYTES // itemsize, 1)
    for n, m, count in itertools.product((1, 2, 3, 5), (1, 3), (1, 2 * per_block + 1)):
        dtype, rows = elements(itemsize, n, count)
        expected = left_fold(rows)
        for own in (None, *range(n)):  # a target that is one of the sources
            function = Function(itemsize)
            sources = [row.copy() for row in rows]
            targets = [np.zeros_like(expected) for _ in range(m)]
            if own is not None:
                targets[m // 2] = sources[own]
            of, to = [each.view(dtype) for each in sources], [each.view(dtype) for each in targets]
            assert folds.fold_to_many(63, 0, of, to, 0, count, itemsize, function.address)
            compared += sum(same(target, expected) for target in targets)
            out = np.zeros_like(expected) if own is None else sources[own]
            out[...] = 0 if own is None else rows[own]
            assert folds.fold(63, 0, of, out.view(dtype), count, function.address)
            compared += same(out, expected)
            assert not function.problems
            assert function.calls == 2 * (n - 1) * -(-count // per_block)
    assert compared > 1000


@pytest.mark.parametrize("itemsize", SIZES)
@pytest.mark.parametrize("is_inclusive", [True, False])
def test_scans_in_place_and_apart(folds, itemsize, is_inclusive):
    compared = 0
    per_block = max(BLOCK_BYTES // itemsize, 1)
    for n, count, in_place in itertools.product((1, 2, 4), (1, 2 * per_block + 1), (True, False)):
        dtype, rows = elements(itemsize, n, count)
        function = Function(itemsize)
        sources = [row.copy() for row in rows]
        targets = sources if in_place else [np.full_like(row, 7) for row in rows]
        first = targets[0].copy()
        of, to = [each.view(dtype) for each in sources], [each.view(dtype) for each in targets]
        assert folds.scan(63, 0, of, to, 0, count, itemsize, is_inclusive, function.address)
        for index, target in enumerate(targets):
            upto = rows[: index + is_inclusive]
            compared += same(target, left_fold(upto) if len(upto) else first)
        assert not function.problems
    assert compared > 30


def test_long_targets_are_written_past_the_caches(folds):
    bytes_each = 4 << 20
    dtype, rows = elements(8, 2, bytes_each // 8)
    room = np.empty(2 * bytes_each // 8 + 8)
    start = -room.ctypes.data % 64 // 8
    targets = room[start : start + 2 * bytes_each // 8].reshape(2, -1)
    function = Function(8)
    of, to = [row.view(dtype) for row in rows], [row.view(dtype) for row in targets]
    assert folds.fold_to_many(63, 0, of, to, 0, bytes_each // 8, 8, function.address)
    assert sum(same(target, left_fold(rows)) for target in targets) == 2 * bytes_each // 8
    assert function.calls == bytes_each // BLOCK_BYTES
    assert not function.problems
