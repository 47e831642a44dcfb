"""Test the benchmark's stopwatch."""

import time

import pytest

from redcoll.bench import timing


class Clock:
    """A clock that only the test advances."""

    def __init__(self):
        self.now_s = 0.0
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return self.now_s

    def work(self, seconds):
        self.now_s += seconds


def heads(count):
    return [memoryview(bytearray(8)) for _ in range(count)]


def test_warm_up_and_start_are_outside_the_clock():
    clock = Clock()
    cycle = timing.steps([lambda: clock.work(2)], heads(1))

    def prepare():
        timing.run(cycle, 50)

    took_s = timing.elapsed_s(
        cycle, 3, prepare=prepare, start=lambda: clock.work(1000), clock=clock
    )
    assert took_s == 6
    assert clock.now_s == 100 + 1000 + 6
    assert clock.looks == 2


def test_the_order_is_prepare_start_calls():
    order = []
    cycle = timing.steps([lambda: order.append("call")], heads(1))
    timing.elapsed_s(
        cycle, 2, prepare=lambda: order.append("prepare"), start=lambda: order.append("start")
    )
    assert order == ["prepare", "start", "call", "call"]


def test_sleeping_counts():
    cycle = timing.steps([lambda: time.sleep(0.02)], heads(1))
    took_s = timing.elapsed_s(cycle, 3, prepare=lambda: None, start=lambda: None)
    assert took_s >= 0.06


def test_calls_rotate_and_each_finds_a_changed_source():
    seen = []
    buffers = heads(3)
    calls = [lambda which=which: seen.append((which, buffers[which][0])) for which in range(3)]
    timing.run(timing.steps(calls, buffers), 8)
    assert seen == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0), (1, 0)]


@pytest.mark.parametrize("n_sets", [1, 2, 3, 8])
@pytest.mark.parametrize("n_calls", [8, 9, 15, 16, 17, 24, 25, 1000])
def test_last_mark_is_what_the_last_call_on_a_set_found(n_sets, n_calls):
    buffers = heads(n_sets)
    timing.run(timing.steps([lambda: None] * n_sets, buffers), n_calls)
    found = [buffer[0] for buffer in buffers]
    assert [timing.last_mark(n_calls, n_sets, which) for which in range(n_sets)] == found


def test_collection_of_garbage_is_off_inside_and_as_before_outside():
    import gc

    inside = []
    cycle = timing.steps([lambda: inside.append(gc.isenabled())], heads(1))
    assert gc.isenabled()
    timing.elapsed_s(cycle, 1, prepare=lambda: None, start=lambda: None)
    assert inside == [False]
    assert gc.isenabled()


def test_an_error_in_a_call_is_not_swallowed():
    import gc

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        timing.elapsed_s(
            timing.steps([fail], heads(1)), 1, prepare=lambda: None, start=lambda: None
        )
    assert gc.isenabled()


@pytest.mark.parametrize("call_s", [3e-7, 1e-5, 1e-3, 0.02, 0.5])
def test_calibration_fills_a_batch(call_s):
    n_calls = timing.calibrate(lambda n: n * call_s, 2, 0.03)
    if call_s > 0.015:
        assert n_calls == 2
    else:
        assert n_calls * call_s == pytest.approx(0.03, abs=max(call_s, 3e-4))


def test_calibration_does_not_believe_a_single_hiccup():
    timings = iter([5.0])

    def measure(n_calls):
        return next(timings, n_calls * 1e-6)

    assert timing.calibrate(measure, 2, 0.03) == pytest.approx(30_000, rel=0.01)


def test_calibration_ends_when_a_call_takes_no_time():
    assert 1000 < timing.calibrate(lambda _: 0.0, 2, 0.03) <= 1_000_000
