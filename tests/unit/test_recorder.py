"""Test the compiled and the Python recorder of calls against a record that the test keeps."""

import functools
import importlib
import random
import resource
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from redcoll import kernels

needs_compiled = pytest.mark.skipif(
    not kernels.is_built(), reason="the compiled kernel was not built"
)


@pytest.fixture(params=[pytest.param("_compiled", marks=needs_compiled), "_python"])
def recorder(request):
    found = importlib.import_module(f"redcoll.kernels.{request.param}.recorder")
    yield found
    found.end()


class Sites:
    """The sites of a profile. Each pair of a name and a way is a site."""

    def __init__(self):
        self.keys = []
        self.owners = []

    def find(self, owner, name, way):
        self.owners.append(owner)
        if name == "hidden":
            return -1
        if (name, way) not in self.keys:
            self.keys.append((name, way))
        return self.keys.index((name, way))


def rows_of(records):
    return np.frombuffer(records, np.int64).reshape(-1, 5).tolist()


def about(_self, n_bytes=8):
    return None, n_bytes


def test_recorded_counts_calls_bytes_and_time(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)
    name = "Allreduce"
    method = recorder.Recorded(lambda _self, n_bytes=8: n_bytes, name, about)
    owner = type("Comm", (), {"method": method})()
    first, _ = recorder.moment()
    for size in range(10):
        assert owner.method(n_bytes=size) == size
    last, _ = recorder.moment()
    records, totals, mask = recorder.end()
    rows = rows_of(records)
    assert sites.keys == [(name, None)]
    assert mask == 0
    assert [row[:3] for row in rows] == [[0, -1 - n, n] for n in range(10)]
    times = [tick for row in rows for tick in row[3:]]
    assert times == sorted(times)
    assert first <= times[0]
    assert times[-1] <= last
    assert totals == [(10, 45, sum(stop - start for *_, start, stop in rows))]
    assert owner.method() == 8  # no profile is on
    recorder.begin(1000, sites.find)
    assert recorder.end() == (b"", [], 0)


def test_recorded_leaves_out_the_calls_inside(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)
    inner = recorder.Recorded(lambda _: None, "inner", about)

    def body(_):
        inner(0)
        recorder.note_way("object")

    recorder.Recorded(body, "outer", about)(0)
    inner(0)
    recorder.Recorded(lambda _: None, "nonblocking", about, "always")(0)
    _, totals, _ = recorder.end()
    assert sites.keys == [("outer", "object"), ("inner", None), ("nonblocking", "always")]
    assert [calls for calls, *_ in totals] == [1, 1, 1]


def test_recorded_call_that_raises_is_recorded(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)

    def body(argument):
        raise KeyError(argument)

    def refuse(argument):
        raise TypeError(argument)

    with pytest.raises(KeyError, match="7"):
        recorder.Recorded(body, "raises", refuse)(7)
    recorder.Recorded(lambda _: None, "after", about)(0)
    _, totals, _ = recorder.end()
    assert sites.keys == [("raises", None), ("after", None)]
    assert [total[:2] for total in totals] == [(1, 0), (1, 8)]


def test_recorded_by_threads_is_not_nested(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)
    inner = recorder.Recorded(lambda _: None, "inner", about)

    def body(_):
        thread = threading.Thread(target=inner, args=(0,))
        thread.start()
        thread.join()

    recorder.Recorded(body, "outer", about)(0)
    recorder.end()
    assert sites.keys == [("inner", None), ("outer", None)]


def test_recorded_hidden_site_is_left_out(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)
    for _ in range(3):
        recorder.Recorded(lambda _: None, "hidden", about)(0)
    assert recorder.end() == (b"", [], 0)


def test_profile_can_end_during_a_call(recorder):
    """Another thread may leave the block of a profile while a call waits."""

    def about():
        recorder.end()
        return None, 8

    recorder.begin(1000, Sites().find)
    recorder.Recorded(lambda: None, "call", about)()
    assert recorder.end()[1] == []


def team_of(calls):
    """Return a team whose fast path makes only these calls."""

    def small(*arguments):
        channel.sequence += 1
        return arguments in calls

    channel = SimpleNamespace(small=small, sequence=0)
    return SimpleNamespace(channel=channel)


def test_recorded_fast_path_leaves_out_calls_that_it_does_not_make(recorder):
    sites = Sites()
    recorder.begin(1000, sites.find)
    array = np.zeros(3)
    known = (1, None, array, "op", -1, 0), (2, None, [array, "name"], "op", 3, 5)
    team = team_of([known[1], known[0]][::-1][1:])
    small = recorder.RecordedFastPath(team).small
    assert not small(1, None, None, "op")
    assert small(2, None, known[1][2], "op", 3, 5)
    records, totals, _ = recorder.end()
    assert [row[:3] for row in rows_of(records)] == [[0, 2, 24]]
    assert [total[:2] for total in totals] == [(1, 24)]
    assert sites.owners == [team]


@pytest.mark.parametrize("most", [1, 16, 100])
def test_full_record_keeps_calls_by_the_hash_of_their_number(recorder, most):
    sites = Sites()
    recorder.begin(most, sites.find)
    random.seed(most)
    numbers = random.sample(range(-(2**40), 2**40), 1500)
    owner = SimpleNamespace(channel=SimpleNamespace(sequence=0))
    call = recorder.Recorded(lambda: None, "call", lambda: (owner, 4))
    for number in numbers:
        owner.channel.sequence = number
        call()
    records, totals, mask = recorder.end()
    product = [number * 0x9E3779B97F4A7C15 % 2**64 for number in numbers]
    kept = [n for n, x in zip(numbers, product, strict=True) if not (x >> 40) % (mask + 1)]
    assert mask & (mask + 1) == 0
    found = [row[1] for row in rows_of(records)]
    assert len(found) <= most
    assert found == kept[: len(found)]
    assert len(kept) - len(found) <= 1
    assert totals[0][:2] == (1500, 6000)


@needs_compiled
def test_compiled_recorder_finds_a_site_once_for_each_place():
    recorder = importlib.import_module("redcoll.kernels._compiled.recorder")
    found = []

    def find(_owner, _name, _way):
        frame = sys._getframe(1)
        found.append((frame.f_code.co_name, frame.f_lineno))
        return 0

    recorder.begin(1000, find)
    call = recorder.Recorded(lambda _: None, "call", about)
    ours = functools.partial(call, 0)
    for _ in range(5):
        call(0)
    for _ in range(5):
        ours()
    _, totals, _ = recorder.end()
    assert totals[0][0] == 10
    assert len(found) == len(set(found)) == 2


@needs_compiled
def test_compiled_recorder_has_no_page_faults_during_calls():
    """A rank with a page fault in a call delays all other ranks."""
    recorder = importlib.import_module("redcoll.kernels._compiled.recorder")
    call = recorder.Recorded(lambda: None, "call", lambda: (None, 8))
    # malloc never reuses memory for blocks of more than 32 MiB.
    recorder.begin(1_000_000, Sites().find)
    call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20_000):
        call()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    records, _, _ = recorder.end()
    pages = len(records) // resource.getpagesize()
    assert pages > 10
    assert faults < pages / 4


MUCH_CODE = """
import importlib, sys
import redcoll

recorder = importlib.import_module("redcoll.kernels._compiled.recorder")
file = redcoll.__file__.replace("__init__", "made")
lines = []

def find(owner, name, way):
    frame = sys._getframe(1)
    while frame.f_code.co_filename == file:
        frame = frame.f_back
    if frame.f_lineno not in lines:
        lines.append(frame.f_lineno)
    return lines.index(frame.f_lineno)

call = recorder.Recorded(lambda: None, "call", lambda: (None, 1))
made = []
for _ in range(2200):
    names = {"call": call}
    exec(compile("def function():\\n    call()", file, "exec"), names)
    made.append(names["function"])
recorder.begin(100_000, find)
for function in made:
    function()
function()
for _ in range(5):
    function()
print([calls for calls, *_ in recorder.end()[1]])
"""


@needs_compiled
def test_call_sites_differ_also_if_the_table_of_redcolls_code_is_full():
    found = subprocess.run(
        [sys.executable, "-c", MUCH_CODE], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[2200, 1, 5]\n"
