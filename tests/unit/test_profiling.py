"""Compare the waits and late ranks of profiles with values computed by hand; test the trace."""

import json
import random

import numpy as np
import pytest

from redcoll.kernels._python.recorder import hashed
from redcoll.profiling import Late, Profile, recorder
from redcoll.profiling.log import CALL, Key, Log, thinned

GROUP = ((0, 1, 2), 0)


def logs_of(arrivals, stops, offsets=(0.0, 0.0, 0.0)):
    """Return the logs of three ranks with calls at these times of rank 0's clock."""
    logs = []
    for rank in range(3):
        log = Log()
        log.rank = rank
        log.groups.append(GROUP)
        total = log.totals.setdefault(Key("a.py:1 f", "Allreduce", "redcoll", 0), [0, 0, 0.0])
        calls = []
        for number, (starts, stop) in enumerate(zip(arrivals, stops, strict=True), 1):
            start = starts[rank] - offsets[rank]
            times = start, max(stop - offsets[rank], start)
            calls.append((0, number, 8, *times))
            for at, value in enumerate((1, 8, times[1] - times[0])):
                total[at] += value
        log.calls = np.array(calls, CALL)
        log.shift(offsets[rank])
        logs.append(log)
    return logs


def profile_of(*args):
    result = Profile()
    result.take(logs_of(*args), is_complete=True)
    return result


@pytest.mark.parametrize("offsets", [(0.0, 0.0, 0.0), (0.0, 512.0, -64.0)])
def test_waits_and_late_ranks(offsets):
    # On average the other ranks wait 4 s and then 2 s for rank 2, and then 1 s for rank 0. Binary
    # floating-point numbers represent all times exactly.
    arrivals = [(0.0, 0.0, 4.0), (10.0, 12.0, 13.0), (21.0, 20.0, 20.0)]
    result = profile_of(arrivals, [5.0, 14.0, 22.0], offsets)
    [row] = result.rows()
    assert (row.calls, row.n_bytes, row.ranks) == (9, 72, 3)
    inside = (5 + 5 + 1) + (4 + 2 + 1) + (1 + 2 + 2)
    waiting = (4 + 4) + (3 + 1) + (1 + 1)
    assert row.inside_s == pytest.approx(inside / 3)
    assert row.waiting_s == pytest.approx(waiting / 3)
    two = Late(2, "a.py:1 f", 2, 4.0 + 2.0)
    assert result.late() == [two, Late(0, "a.py:1 f", 1, 1.0)]
    assert "rank 2: 2x, 6 s" in result.table()


def test_rank_that_returns_before_the_last_arrives_waits_only_until_it_returns():
    [row] = profile_of([(0.0, 0.0, 8.0)], [2.0]).rows()
    assert row.waiting_s == pytest.approx((2 + 2 + 0) / 3)


def test_calls_with_a_missing_rank_are_counted_and_not_compared():
    logs = logs_of([(0.0, 1.0, 2.0), (5.0, 6.0, 7.0)], [3.0, 8.0])
    logs[1].calls = logs[1].calls[:1]
    result = Profile()
    result.take(logs, is_complete=True)
    assert [(late.rank, late.times) for late in result.late()] == [(2, 1)]
    assert result.rows()[0].calls == 6


def test_thinned_logs_keep_the_same_calls_and_represent_all():
    random.seed(3)
    n = 4000
    late_in = [random.random() < 0.05 for _ in range(n)]
    arrivals = [(10.0 * i, 10.0 * i, 10.0 * i + late) for i, late in enumerate(late_in)]
    logs = logs_of(arrivals, [10.0 * i + 2 for i in range(n)])
    for log, mask in zip(logs, (3, 1, 3), strict=True):
        log.mask = mask
        log.calls = thinned(log.calls, mask)
    result = Profile()
    result.take(logs, is_complete=True)
    assert result.rows()[0].calls == 3 * n
    seconds = sum(late.seconds for late in result.late() if late.rank == 2)
    assert seconds == pytest.approx(sum(late_in), rel=0.3)


@pytest.mark.parametrize("is_kept", [False, True])
def test_long_wait_in_a_thinned_log_counts_once(is_kept):
    n, mask = 4000, 15
    long = 1 + int(np.argmax((hashed(np.arange(1, n)) & mask == 0) == is_kept))
    # All calls take 1 ms without a wait, except one call in which two ranks wait 10 s.
    arrivals = [(20.0 * i, 20.0 * i, 20.0 * i + 10 * (i + 1 == long)) for i in range(n)]
    logs = logs_of(arrivals, [20.0 * i + 10 * (i + 1 == long) + 0.001 for i in range(n)])
    for log in logs:
        log.mask = mask
        log.calls = thinned(log.calls, mask)
    result = Profile()
    result.take(logs, is_complete=True)
    [row] = result.rows()
    assert row.waiting_s <= row.inside_s
    assert row.waiting_s == pytest.approx(20 / 3 if is_kept else 0, rel=0.5)
    assert sum(late.seconds for late in result.late()) == pytest.approx(10 * is_kept, rel=0.5)
    assert max(result.waits.values()) <= 14.001


def test_trace_is_chromes_format(tmp_path):
    """The events of a profile follow the rules of Chrome's trace format."""
    result = profile_of([(0.0, 0.0, 4.0), (10.0, 12.0, 13.0)], [5.0, 14.0])
    result.trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert len(slices) == 6
    for event in events:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        assert event["ts"] >= 0
        assert event["ph"] != "X" or event["dur"] >= 0
    assert {event["tid"] for event in slices} == {0, 1, 2}
    assert min(event["ts"] for event in slices) == 0
    assert max(event["ts"] + event["dur"] for event in slices) == pytest.approx(14e6)
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert len(starts) == len(ends) == 4
    assert starts.keys() == ends.keys()
    for name, start in starts.items():
        assert start["ts"] <= ends[name]["ts"]
        for event in (start, ends[name]):  # both ends of an arrow lie in slices
            assert any(
                each["tid"] == event["tid"]
                and each["ts"] <= event["ts"] <= each["ts"] + each["dur"]
                for each in slices
            )
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert names == {"rank 0", "rank 1", "rank 2"}
    assert trace["otherData"]["clock_error_us"] == 0


def test_chart_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    profile_of([(0.0, 0.0, 4.0)], [5.0]).plot(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text().startswith("<?xml")


def test_second_end_of_a_profile_returns_the_same_log():
    """A rank ends the profile of a job again if the job is aborted while the logs are gathered."""
    recorder.begin()
    recorder.recorded(lambda: None, "call", lambda: (None, 8))()
    log = recorder.end()
    assert [key.call for key in log.totals] == ["call"]
    assert log.calls["key"].tolist() == [0]
    assert recorder.end() is log


def random_logs(random, n_ranks=4, n_calls=60):
    """Return logs with several groups, sites and ways, in which calls are missing or doubled."""
    groups = [(tuple(range(n_ranks)), 0), ((1, 3), 0), ((1, 3), 1), ((2,), 0)]
    logs = []
    for rank in range(n_ranks):
        log = Log()
        log.rank = rank
        log.groups = [group for group in groups if rank in group[0]]
        random.shuffle(log.groups)
        calls = []
        for name in range(3):
            for index in range(-1, len(log.groups)):
                key = Key(f"f.py:{name}", random.choice("ab"), "redcoll", index)
                log.totals[key] = [0, 0, 0.0]
        for index in range(-1, len(log.groups)):
            numbers = [n for n in range(n_calls) if random.random() < 0.9]
            numbers += random.choices(numbers, k=3)
            for number in numbers:
                at = random.choice([i for i, key in enumerate(log.totals) if key.group == index])
                start = 100 * number + random.random() * 50
                calls.append((at, number, 8, start, start + random.random() * 60))
                for place, value in enumerate((1, 8, calls[-1][4] - start)):
                    log.totals[list(log.totals)[at]][place] += value
        random.shuffle(calls)
        log.calls = np.array(calls, CALL)
        logs.append(log)
    return logs


@pytest.mark.parametrize("seed", range(5))
def test_waits_equal_a_search_of_all_pairs_of_calls(seed):
    logs = random_logs(random.Random(seed))
    entries = [
        (log.groups[key.group], number, log.rank, key, start, stop)
        for log in logs
        for at, number, _, start, stop in log.calls.tolist()
        for key in [list(log.totals)[at]]
        if key.group >= 0
    ]
    waits, late, compared = {}, {}, 0
    of_rank = dict.fromkeys(range(4), 0.0)
    for group, number in {each[:2] for each in entries}:
        found = [each for each in entries if each[:2] == (group, number)]
        if len(group[0]) == 1 or sorted(each[2] for each in found) != sorted(group[0]):
            continue
        compared += 1
        last = max(found, key=lambda each: each[4])
        for _, _, rank, key, start, stop in found:
            waited = min(max(last[4] - start, 0), stop - start)
            waits[key[:3]] = waits.get(key[:3], 0) + waited
            of_rank[rank] += waited
            times, seconds = late.get((last[2], last[3].site), (set(), 0))
            late[last[2], last[3].site] = (
                times | {(group, number)},
                seconds + waited / (len(found) - 1),
            )
    result = Profile()
    result.take(logs, is_complete=True)
    assert compared > 60
    assert {each[:2]: each.times for each in result.late()} == {
        key: len(times) for key, (times, _) in late.items()
    }
    for each in result.late():
        assert each.seconds == pytest.approx(late[each[:2]][1])
    for row in result.rows():
        assert row.waiting_s * row.ranks == pytest.approx(waits.get(row[:3], 0))
    assert result.waits == pytest.approx(of_rank)


def test_log_is_thinned_by_the_rule_of_a_full_record():
    log = Log()
    log.calls = np.zeros(5000, CALL)
    log.calls["number"] = np.arange(-2500, 2500)
    log.thin(5000)
    assert (log.mask, len(log.calls)) == (0, 5000)
    log.thin(1000)
    assert (log.mask, 400 < len(log.calls) <= 1000) == (7, True)
    for number in log.calls["number"].tolist():
        assert number * 0x9E3779B97F4A7C15 % 2**64 >> 40 & 7 == 0
