"""Who can still be waited for, and how long."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from redcoll import waiting
from redcoll.errors import CollectiveTimeoutError, PeerLostError
from redcoll.topology import Process

WITHOUT_DESCRIPTORS = ["descriptor", "no descriptor"]


@pytest.fixture(params=WITHOUT_DESCRIPTORS)
def system(request, monkeypatch):
    """With process descriptors and, as on older systems, without."""
    monkeypatch.setattr(waiting, "_process_fds", {})
    if request.param == "no descriptor":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    elif not hasattr(os, "pidfd_open"):
        pytest.skip("this Python has no os.pidfd_open")


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def eventually(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def test_a_living_process_has_not_ended(system, child):
    assert not waiting._has_ended(os.getpid())
    assert not waiting._has_ended(child.pid)


def test_a_dead_process_has_ended_also_as_a_zombie(system, child):
    assert not waiting._has_ended(child.pid)
    child.send_signal(signal.SIGKILL)
    # Nobody has waited for it yet: it is a zombie, as under a launcher that does not look.
    assert eventually(lambda: waiting._has_ended(child.pid))


def test_a_process_gone_without_trace_has_ended(system, child):
    child.kill()
    child.wait()
    assert waiting._has_ended(child.pid)


def test_a_process_of_another_user_is_seen(system):
    assert not waiting._has_ended(1)


def process(pid, host="here"):
    return Process(host, pid, "namespace", frozenset({0}), float("inf"))


def peers(pids, states, hosts=None):
    processes = [
        process(pid, host) for pid, host in zip(pids, hosts or ["here"] * len(pids), strict=True)
    ]
    names = [f"PE {10 + index}" for index in range(len(pids))]
    return waiting.Peers(processes, names, process(os.getpid()), states.__getitem__)


def test_fate_by_state(system):
    known = peers([os.getpid()] * 3, [waiting.OPEN, waiting.GAVE_UP, waiting.LEFT])
    assert known.fate(0) is None
    assert "gave up" in known.fate(1)
    assert "has left" in known.fate(2)
    assert not known.any_dead()


def test_fate_of_the_dead(system, child):
    known = peers([os.getpid(), child.pid], [waiting.OPEN, waiting.OPEN])
    assert known.fate(1) is None
    child.kill()
    child.wait()
    assert str(child.pid) in known.fate(1)
    assert known.fate(0) is None
    assert known.any_dead()


def test_a_process_elsewhere_is_not_judged_by_its_number(system, child):
    child.kill()
    child.wait()
    known = peers([child.pid], [waiting.OPEN], ["there"])
    assert known.fate(0) is None
    assert not known.any_dead()


# -- one wait -----------------------------------------------------------------------------------


class Clocked:
    """A wait whose clock the test advances."""

    def __init__(self, monkeypatch, absent, states=None, **settings):
        self.now_s = 0.0
        self.progressed = 0
        self.slept = []
        for name in ("REDCOLL_TIMEOUT", "REDCOLL_STALL_WARN"):
            monkeypatch.delenv(name, raising=False)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(waiting.time, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(waiting.time, "sleep", self.slept.append)
        known = peers([os.getpid()] * 12, states or [waiting.OPEN] * 12)
        watch = waiting.Watch(known, self.progress)
        self.wait = waiting.Wait(watch, lambda: absent, lambda: "allreduce(...)")

    def progress(self):
        self.progressed += 1

    def at(self, now_s):
        """Enough turns that one of them looks at the clock."""
        self.now_s = now_s
        for _ in range(100):
            self.wait.turn()


def test_without_a_timeout_one_line_says_who_is_missing(monkeypatch, capsys):
    clocked = Clocked(monkeypatch, [1, 5], REDCOLL_STALL_WARN="7")
    clocked.at(6.9)
    assert capsys.readouterr().err == ""
    for now_s in (7.5, 8.5, 100.0, 1000.0):
        clocked.at(now_s)
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "allreduce(...)" in line
    assert "PE 11, PE 15" in line


def test_the_timeout_names_the_absent_and_the_variable(monkeypatch):
    clocked = Clocked(monkeypatch, [3], REDCOLL_TIMEOUT="2")
    clocked.at(1.9)
    with pytest.raises(CollectiveTimeoutError, match=r"PE 13 did not .* 2 s .*REDCOLL_TIMEOUT"):
        clocked.at(2.1)


def test_many_absent_are_counted(monkeypatch):
    clocked = Clocked(monkeypatch, list(range(12)), REDCOLL_TIMEOUT="1")
    with pytest.raises(CollectiveTimeoutError, match="PE 17 and 4 more did not"):
        clocked.at(1.5)


@pytest.mark.parametrize("state", [waiting.GAVE_UP, waiting.LEFT])
def test_only_the_absent_are_judged(monkeypatch, state):
    states = [waiting.OPEN] * 12
    states[2] = state
    clocked = Clocked(monkeypatch, [1], states)
    clocked.at(5)  # PE 12 has arrived before it left
    clocked = Clocked(monkeypatch, [1, 2], states)
    with pytest.raises(PeerLostError, match="PE 12 "):
        clocked.at(1)


def test_a_wait_first_yields_then_naps_longer_and_longer_and_always_progresses(monkeypatch):
    clocked = Clocked(monkeypatch, [0])
    clocked.at(20e-6)
    assert clocked.slept == []
    assert clocked.progressed == 0
    clocked.at(1e-3)
    assert clocked.slept == []
    assert clocked.progressed > 0
    clocked.at(0.02)
    early = clocked.slept[-1]
    assert 0 < early <= 1e-3
    clocked.at(3)
    assert early <= clocked.slept[-1] <= 1e-3
    assert max(clocked.slept) == clocked.slept[-1]


def test_an_interrupt_ends_a_wait_at_once(monkeypatch):
    monkeypatch.setenv("REDCOLL_TIMEOUT", "30")
    watch = waiting.Watch(peers([os.getpid()], [waiting.OPEN]), lambda: None)
    wait = waiting.Wait(watch, lambda: [0], lambda: "barrier()")
    # In a background job of a shell it would be ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    start = time.monotonic()

    def wait_for_ever():
        while True:
            wait.turn()

    with pytest.raises(KeyboardInterrupt):
        wait_for_ever()
    assert 0.15 < time.monotonic() - start < 15
