"""Test, in a separate build, the compiled kernel's copies to memory that other PEs read."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "redcoll" / "kernels" / "_compiled"
FLAGS = ["-O2", "-std=c++17", "-shared", "-fPIC"]

GUARD = 0xA5
PERIOD, TIMED = 64, 4
# The tests set times of whole seconds, so that the real time of a call is negligible.
SECOND_NS = 10**9


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    path = tmp_path_factory.mktemp("copies") / "copies.so"
    command = [compiler, *FLAGS, "-I", HEADERS, HERE / "copies.cpp", "-o", path]
    build = subprocess.run(command, capture_output=True, text=True, check=False)
    assert build.returncode == 0, build.stderr
    found = ctypes.CDLL(str(path))
    found.make_choice.restype = ctypes.c_void_p
    for name in ("can_copy_past_caches", "begin", "is_timed"):
        getattr(found, name).restype = ctypes.c_bool
    return found


@pytest.mark.parametrize("is_past_caches", [False, True])
def test_a_copy_is_complete_and_writes_nothing_else(library, is_past_caches):
    rng = np.random.default_rng(20)
    sizes = [0, 1, 63, 64, 65, 4095, 4096, 4097, 4160, 8191, 8192, 100_000]
    cases = 0
    for n_bytes in sizes:
        for to_offset in (0, 1, 15, 16, 63):
            for of_offset in (0, 3, 8):
                source = rng.integers(0, 256, n_bytes + 64, np.uint8)
                target = np.full(n_bytes + 256, GUARD, np.uint8)
                at = -target.ctypes.data % 64 + to_offset
                library.share_copy(
                    ctypes.c_void_p(target.ctypes.data + at),
                    ctypes.c_void_p(source.ctypes.data + of_offset),
                    ctypes.c_size_t(n_bytes),
                    ctypes.c_bool(is_past_caches),
                )
                wanted = np.full_like(target, GUARD)
                wanted[at : at + n_bytes] = source[of_offset : of_offset + n_bytes]
                assert np.array_equal(target, wanted), (n_bytes, to_offset, of_offset)
                cases += 1
    assert cases == len(sizes) * 15


class Choice:
    """The kernel's choice between two ways to copy; the test sets the time of each call."""

    def __init__(self, library):
        if not library.can_copy_past_caches():
            pytest.skip("this machine has but one way to copy")
        self._library = library
        self._choice = ctypes.c_void_p(library.make_choice())

    def drop(self):
        self._library.drop_choice(self._choice)

    def begin(self, n_bytes):
        return self._library.begin(self._choice, ctypes.c_size_t(n_bytes))

    def is_timed(self):
        return self._library.is_timed(self._choice)

    def call(self, n_bytes, seconds, waited_s=0.0):
        """Make a call. ``seconds`` are the times of the loop and of non-temporal stores."""
        way = self.begin(n_bytes)
        worked_s = seconds[way]
        self._library.end(
            self._choice,
            ctypes.c_int64(int((worked_s + waited_s) * SECOND_NS)),
            ctypes.c_int64(int(waited_s * SECOND_NS)),
        )
        return way

    def period(self, n_bytes, seconds):
        """Make a period of calls; return the choices in the timed calls and in all other calls."""
        ways = [self.call(n_bytes, seconds) for _ in range(PERIOD)]
        return ways[:TIMED], set(ways[TIMED:])


@pytest.fixture
def choice(library):
    choice = Choice(library)
    yield choice
    choice.drop()


BOTH_TWICE = [False, False, True, True]


def test_the_faster_way_to_copy_is_chosen(choice):
    assert choice.period(1 << 20, (1, 2)) == (BOTH_TWICE, {False})
    assert choice.period(1 << 20, (2, 1)) == (BOTH_TWICE, {True})
    assert choice.period(1 << 20, (2, 1)) == (BOTH_TWICE, {True})
    assert choice.period(1 << 20, (1, 2)) == (BOTH_TWICE, {False})


def test_each_size_has_its_own(choice):
    for _ in range(PERIOD):
        choice.call(1 << 14, (1, 2))
        choice.call(1 << 20, (2, 1))
    for _ in range(TIMED):
        choice.call(1 << 14, (1, 2))
        choice.call((1 << 20) + 8, (2, 1))  # in the same class of sizes
    assert choice.call(1 << 14, (1, 2)) is False
    assert choice.call(1 << 20, (2, 1)) is True


def test_one_disturbed_call_does_not_decide(choice):
    for seconds in ((1, 2), (9, 2), (1, 2), (1, 2)):
        choice.call(4096, seconds)
    assert choice.begin(4096) is False


def test_two_kinds_of_calls_that_alternate_are_timed_apart(choice):
    for turn in range(2 * PERIOD):
        way = choice.call(4096, ((2, 1), (20, 10))[turn % 2])
        assert way is (BOTH_TWICE[turn % PERIOD] if turn % PERIOD < TIMED else True)


def test_waiting_does_not_count(choice):
    for waited_s in (50, 40, 0, 0):
        choice.call(4096, (1, 2), waited_s)
    assert choice.begin(4096) is False
    assert not choice.is_timed()


def test_a_call_that_does_not_reach_end_is_not_timed(choice):
    for turn in range(TIMED):
        assert choice.begin(4096) is BOTH_TWICE[turn]
        assert choice.is_timed()
        assert choice.call(4096, (2, 1)) is BOTH_TWICE[turn]
    assert choice.begin(4096) is True
