"""Test which arguments a routine recognises as those of an earlier call."""

from __future__ import annotations

import gc
import weakref
from array import array
from types import SimpleNamespace

import numpy as np
import pytest

from redcoll.kernels import is_built, load
from redcoll.kernels.interface import PreparedCall
from redcoll.ops import SUM

NUMBERS = (4, 0, 1, 3)


class Prepared:
    """The fields of a prepared call that only counts how often it is made."""

    def __init__(self, heap, target=None, source=None, further=None):
        small = SimpleNamespace(small=lambda *_: False, channel=None)
        self.team, self.call = small, SimpleNamespace(op=SUM)
        self.target = np.zeros(4) if target is None else target
        self.source = np.ones(4) if source is None else source
        self.sync = np.full(2, -1)
        self.heap, self.epoch = heap, heap.epoch
        self.passed = (self.target, self.source, further, self.sync)
        self.words, self.initialized = self.sync.data, self.sync.copy().data
        self.n_made = 0

    def perform(self):
        self.n_made += 1

    def complete(self):
        names = PreparedCall._fields
        return PreparedCall(**{name: getattr(self, name) for name in names})


class Heap:
    def __init__(self):
        self.epoch_word = array("q", [0])

    @property
    def epoch(self):
        return self.epoch_word[0]


@pytest.fixture(params=["numpy", "compiled"])
def known(request):
    if request.param == "compiled" and not is_built():
        pytest.skip("the compiled kernel was not built")
    return load(request.param).KnownCalls()


@pytest.fixture
def heap():
    return Heap()


@pytest.fixture
def prepared(known, heap):
    result = Prepared(heap)
    known.keep(result.complete(), NUMBERS)
    return result


def test_repeat_the_same_arguments(known, prepared):
    for n_made in range(1, 4):
        assert known.repeat(*prepared.passed, *NUMBERS)
        assert prepared.n_made == n_made


@pytest.mark.parametrize("at", range(8))
def test_repeat_another_argument(known, prepared, at):
    given = [*prepared.passed, *NUMBERS]
    given[at] = given[at] + 1 if at >= 4 else np.zeros(4)
    assert not known.repeat(*given)
    assert not prepared.n_made


@pytest.mark.parametrize("number", [np.int64, np.int8, np.uint64, bool])
def test_repeat_numbers_of_other_types(known, prepared, number):
    given = [each if number is bool and each > 1 else number(each) for each in NUMBERS]
    assert known.repeat(*prepared.passed, *given)


@pytest.mark.parametrize("at", range(4))
def test_repeat_a_number_as_a_float(known, prepared, at):
    numbers = [*NUMBERS]
    numbers[at] = float(numbers[at])
    assert not known.repeat(*prepared.passed, *numbers)


class NoNumber:
    __hash__ = None

    def __index__(self):
        raise ValueError


@pytest.mark.parametrize(
    "number", [None, "4", 4.5, 2**64 + 4, -(2**70), NoNumber(), np.zeros(2), [4]]
)
def test_repeat_what_is_no_known_number(known, prepared, number):
    for at in range(4, 8):
        given = [*prepared.passed, *NUMBERS]
        given[at] = number
        assert not known.repeat(*given)
    assert not prepared.n_made


def test_repeat_after_memory_was_freed(known, heap, prepared):
    heap.epoch_word[0] += 1
    assert not known.repeat(*prepared.passed, *NUMBERS)
    prepared.epoch = heap.epoch
    known.keep(prepared.complete(), NUMBERS)
    assert known.repeat(*prepared.passed, *NUMBERS)
    assert prepared.n_made == 1


def test_repeat_after_a_word_was_changed(known, prepared):
    prepared.sync[1] = 5
    assert not known.repeat(*prepared.passed, *NUMBERS)
    prepared.sync[1] = -1
    assert known.repeat(*prepared.passed, *NUMBERS)


@pytest.mark.parametrize("is_part", [False, True])
def test_repeat_with_a_target_that_became_read_only(known, heap, is_part):
    prepared = Prepared(heap)
    if is_part:
        prepared.target = prepared.target[:2]
    known.keep(prepared.complete(), NUMBERS)
    prepared.passed[0].flags.writeable = False
    assert not known.repeat(*prepared.passed, *NUMBERS)
    prepared.passed[0].flags.writeable = True
    assert known.repeat(*prepared.passed, *NUMBERS)


def test_repeat_with_a_target_in_the_order_of_fortran(known, heap):
    prepared = Prepared(heap, target=np.zeros((2, 3)).T)
    known.keep(prepared.complete(), NUMBERS)
    assert known.repeat(*prepared.passed, *NUMBERS)


def test_forget_drops_the_calls_of_one_team(known, heap):
    gone, *kept = (Prepared(heap) for _ in range(20))
    for each in (gone, *kept):
        known.keep(each.complete(), NUMBERS)
    known.forget(gone.team)
    assert not known.repeat(*gone.passed, *NUMBERS)
    assert all(known.repeat(*each.passed, *NUMBERS) for each in kept)


def test_keep_more_calls_than_there_are_places(known, heap):
    several = [Prepared(heap, further=object()) for _ in range(1000)]
    for each in several:
        known.keep(each.complete(), NUMBERS)
        assert known.repeat(*each.passed, *NUMBERS)
    n_known = sum(known.repeat(*each.passed, *NUMBERS) for each in several)
    assert 100 <= n_known <= 256
    assert sum(each.n_made for each in several) == len(several) + n_known


def test_keep_one_call_again_and_again(known, heap):
    others = [Prepared(heap) for _ in range(5)]
    for each in others:
        known.keep(each.complete(), NUMBERS)
    again = Prepared(heap)
    for _ in range(1000):
        known.keep(again.complete(), NUMBERS)
    assert all(known.repeat(*each.passed, *NUMBERS) for each in (*others, again))


def test_the_garbage_collector_can_clear_the_words_before_the_call(known, heap):
    """It does so at exit, in the order in which the objects were made."""

    def make_cycle():
        prepared = Prepared(heap)
        calls = type(known)()
        cycle = [calls]
        calls.keep(prepared.complete()._replace(perform=cycle.append), NUMBERS)
        return weakref.ref(prepared.target)

    target = make_cycle()
    assert target() is not None
    gc.collect()
    assert target() is None
