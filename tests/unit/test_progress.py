"""Test how a wait finds ranks that cannot arrive any more, and when it times out."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import redcoll
from redcoll.errors import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    PeerLostError,
)
from redcoll.liveness import deadlines, progress
from redcoll.liveness import peers as peers_module
from redcoll.liveness.wait_graph import Waits
from redcoll.topology import Process

WITHOUT_DESCRIPTORS = ["descriptor", "no descriptor"]


@pytest.fixture(params=WITHOUT_DESCRIPTORS)
def system(request, monkeypatch):
    """Run the test with process descriptors and without them, as on older systems."""
    monkeypatch.setattr(peers_module, "_process_fds", {})
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
    assert not peers_module._has_ended(os.getpid())
    assert not peers_module._has_ended(child.pid)


def test_a_dead_process_has_ended_also_as_a_zombie(system, child):
    assert not peers_module._has_ended(child.pid)
    child.send_signal(signal.SIGKILL)
    # The test has not called wait() yet, so the process is a zombie.
    assert eventually(lambda: peers_module._has_ended(child.pid))


def test_a_process_that_has_vanished_has_ended(system, child):
    child.kill()
    child.wait()
    assert peers_module._has_ended(child.pid)


def test_a_process_of_another_user_is_seen(system):
    assert not peers_module._has_ended(1)


def process(pid, host="here"):
    return Process(host, pid, "namespace", frozenset({0}), float("inf"))


def peers(pids, states, hosts=None):
    processes = [
        process(pid, host) for pid, host in zip(pids, hosts or ["here"] * len(pids), strict=True)
    ]
    names = [f"PE {10 + index}" for index in range(len(pids))]
    return peers_module.Peers(processes, names, process(os.getpid()), states.__getitem__)


def test_fate_by_state(system):
    known = peers([os.getpid()] * 3, [peers_module.OPEN, peers_module.GAVE_UP, peers_module.LEFT])
    assert known.fate(0) is None
    assert "gave up" in known.fate(1)
    assert "has left" in known.fate(2)
    assert known.first_dead() is None


def test_a_member_that_times_out_publishes_for_whom_it_waited(monkeypatch):
    """A member that times out publishes for whom it waited, so later errors name the first missing
    member."""
    hosts = [f"host{index}" for index in range(12)]
    states = [peers_module.OPEN] * 12
    clocked = Clocked(monkeypatch, [3], states, hosts, REDCOLL_TIMEOUT="1")
    with pytest.raises(CollectiveTimeoutError) as late:
        clocked.at(2)
    states[5] = clocked.peers.state_after(late.value)
    assert clocked.peers.fate(5) == "gave up waiting for PE 13"
    with pytest.raises(PeerLostError, match=r"PE 15 gave up waiting for PE 13") as lost:
        Clocked(monkeypatch, [5], states, hosts).at(2)
    states[7] = clocked.peers.state_after(lost.value)
    assert clocked.peers.fate(7) == "gave up waiting for PE 13"
    states[8] = clocked.peers.state_after(KeyboardInterrupt())
    assert clocked.peers.fate(8) == "gave up"
    assert clocked.peers.fate(3) is None


def test_members_that_left_are_named_before_members_that_timed_out(monkeypatch):
    states = [peers_module.GAVE_UP] * 12
    states[9] = peers_module.LEFT
    with pytest.raises(PeerLostError, match=r"PE 19 has left the job"):
        Clocked(monkeypatch, [4, 9, 11], states).at(2)


def test_fate_of_the_dead(system, child):
    known = peers([os.getpid(), child.pid], [peers_module.OPEN, peers_module.OPEN])
    assert known.fate(1) is None
    child.kill()
    child.wait()
    assert str(child.pid) in known.fate(1)
    assert known.fate(0) is None
    assert known.first_dead() == f"PE 11 has died (process {child.pid} on here)"


def test_a_process_elsewhere_is_not_judged_by_its_number(system, child):
    child.kill()
    child.wait()
    known = peers([child.pid], [peers_module.OPEN], ["there"])
    assert known.fate(0) is None
    assert known.first_dead() is None


# -- chains of waits ----------------------------------------------------------------------------


class Chained:
    """Members 0 to 5 of a team on one node (PE 10 to PE 15), which publish whom they wait for."""

    def __init__(self, monkeypatch):
        self.now_s = 1e6
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now_s)
        self.memory = memoryview(bytearray(6 * 16)).cast("q")
        self.processes = [process(100 + index) for index in range(6)]

    def of(self, caller):
        names = [f"PE {10 + index}" for index in range(6)]
        places = dict(enumerate(range(1, 12, 2)))
        return Waits(self.memory, places, self.processes, names, caller)

    def says(self, caller, index, after_s=0.0):
        self.now_s += after_s
        self.of(caller).publish(index)


def test_the_root_cause_of_a_chain_of_waits_is_named(monkeypatch):
    chained = Chained(monkeypatch)
    assert chained.of(0).root_cause(1) is None
    chained.says(1, 4)
    assert chained.of(0).root_cause(1) == ("PE 11 waits for PE 14", chained.processes[4])
    chained.says(4, 2, after_s=0.9)
    assert chained.of(0).root_cause(1) == ("PE 14 waits for PE 12", chained.processes[2])
    assert chained.of(5).root_cause(2) is None
    assert set(chained.memory[0::2]) == {0}


def test_old_entries_of_the_wait_for_graph_are_ignored(monkeypatch):
    chained = Chained(monkeypatch)
    chained.says(1, 4)
    chained.says(4, 2, after_s=1.1)
    assert chained.of(0).root_cause(1) is None
    assert chained.of(0).root_cause(4) == ("PE 14 waits for PE 12", chained.processes[2])
    chained.now_s -= 60  # as if the other members had another time namespace
    assert chained.of(0).root_cause(4) is None


def test_a_cycle_in_the_wait_for_graph_ends_the_search(monkeypatch):
    chained = Chained(monkeypatch)
    chained.says(1, 0)
    assert chained.of(0).root_cause(1) is None
    chained.says(2, 3)
    chained.says(3, 2)
    assert chained.of(0).root_cause(2) == ("PE 12 waits for PE 13", chained.processes[3])


def test_a_part_of_a_team_numbers_its_own_members(monkeypatch):
    chained = Chained(monkeypatch)
    part = chained.of(3)._replace(members=(1, 3, 4))
    part.publish(2)
    assert chained.of(0).root_cause(3) == ("PE 13 waits for PE 14", chained.processes[4])
    chained.says(1, 5)
    assert part.root_cause(0) == ("PE 11 waits for PE 15", chained.processes[5])


@pytest.mark.parametrize("patience", ["timeout", "warning"])
def test_a_wait_names_the_absent_member_and_the_reason(monkeypatch, capsys, patience):
    settings = {"timeout": {"REDCOLL_TIMEOUT": "2"}, "warning": {"REDCOLL_STALL_WARN": "2"}}
    clocked = Clocked(monkeypatch, [3], **settings[patience])
    memory = memoryview(bytearray(12 * 8)).cast("q")
    names, processes = clocked.peers.names, [process(index) for index in range(12)]
    clocked.peers.waits = Waits(memory, range(12), processes, names, 0)
    clocked.at(1.0)
    Waits(memory, range(12), processes, names, 3).publish(7)
    told = "PE 13 waits for PE 17"
    assert Waits(memory, range(12), processes, names, 9).root_cause(0)[0] == told
    if patience == "timeout":
        with pytest.raises(CollectiveTimeoutError, match=rf"PE 13 did not .*\); {told}$") as late:
            clocked.at(2.0)
        assert late.value.blamed == processes[7]
    else:
        clocked.at(2.0)
        assert capsys.readouterr().err.endswith(f"waiting 2 s for PE 13; {told}\n")


# -- a wait -------------------------------------------------------------------------------------


class Clocked:
    """A wait with a clock that the test advances."""

    def __init__(
        self, monkeypatch, absent, states=None, hosts=None, *, is_one_node=True, **settings
    ):
        self.now_s = 0.0
        self.progressed = 0
        self.slept = []
        for name in ("REDCOLL_TIMEOUT", "REDCOLL_STALL_WARN"):
            monkeypatch.delenv(name, raising=False)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(progress.time, "sleep", self.slept.append)
        self.peers = peers([os.getpid()] * 12, states or [peers_module.OPEN] * 12, hosts)
        self.watch = watch = progress.Watch(self.peers, self.progress, is_one_node=is_one_node)
        self.wait = progress.Wait(watch, lambda: absent, lambda: "allreduce(...)")

    def progress(self):
        self.progressed += 1

    def at(self, now_s):
        """Set the clock to ``now_s`` and poll often enough for the wait to read it."""
        self.now_s = now_s
        for _ in range(100):
            self.wait.poll()


def test_without_a_timeout_one_line_names_the_missing_ranks(monkeypatch, capsys):
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


@pytest.mark.parametrize("state", [peers_module.GAVE_UP, peers_module.LEFT])
def test_only_the_absent_are_judged(monkeypatch, state):
    states = [peers_module.OPEN] * 12
    states[2] = state
    clocked = Clocked(monkeypatch, [1], states)
    clocked.at(5)  # PE 12 arrived before it left
    clocked = Clocked(monkeypatch, [1, 2], states)
    with pytest.raises(PeerLostError, match="PE 12 "):
        clocked.at(1)


def test_between_nodes_data_may_arrive_after_the_exit_notice(monkeypatch):
    states, absent = [peers_module.OPEN] * 12, [2, 4]
    clocked = Clocked(monkeypatch, absent, states, is_one_node=False)
    clocked.at(3)
    states[2], states[4] = peers_module.LEFT, peers_module.GAVE_UP
    clocked.at(3.2)
    clocked.at(3.6)
    absent.remove(4)
    # PE 12 arrives, and the wait for PE 14 fails.
    absent[:] = [4]
    with pytest.raises(PeerLostError, match="PE 14 gave up"):
        clocked.at(3.7)
    absent[:] = [2]
    with pytest.raises(PeerLostError, match="PE 12 has left"):
        clocked.at(3.9)


def test_each_that_left_has_its_own_time_to_arrive(monkeypatch):
    states, absent = [peers_module.OPEN] * 12, [2, 4]
    clocked = Clocked(monkeypatch, absent, states, is_one_node=False)
    states[2] = peers_module.LEFT
    clocked.at(3)
    absent.remove(2)
    clocked.at(3.4)
    states[4] = peers_module.LEFT
    clocked.at(5)
    clocked.at(5.4)
    with pytest.raises(PeerLostError, match="PE 14 has left"):
        clocked.at(5.6)


@pytest.mark.parametrize("is_one_node", [True, False])
def test_a_wait_for_all_names_only_members_that_cannot_arrive(monkeypatch, capsys, is_one_node):
    states, is_over = [peers_module.OPEN] * 12, False
    settings = {"REDCOLL_STALL_WARN": "2", "REDCOLL_TIMEOUT": "5"}
    clocked = Clocked(monkeypatch, [], states, is_one_node=is_one_node, **settings)
    others = list(range(1, 12))
    clocked.wait = progress.BarrierWait(clocked.watch, others, lambda: is_over, lambda: "close")
    clocked.at(2.5)
    line = "redcoll: close: waiting 2 s for all members\n"
    assert capsys.readouterr().err == line
    states[3] = peers_module.LEFT
    if not is_one_node:
        clocked.at(2.8)
    is_over = True
    clocked.at(3.4)  # PE 13 left after all had arrived
    is_over = False
    with pytest.raises(PeerLostError, match="close: PE 13 has left the job"):
        clocked.at(3.9)
    states[3] = peers_module.OPEN
    with pytest.raises(CollectiveTimeoutError, match=r"close: not all members arrived within 5 s"):
        clocked.at(5.5)


def test_a_wait_yields_first_then_sleeps_longer_and_always_progresses(monkeypatch):
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
    watch = progress.Watch(peers([os.getpid()], [peers_module.OPEN]), lambda: None)
    wait = progress.Wait(watch, lambda: [0], lambda: "barrier()")
    # A shell starts background jobs with SIGINT ignored, so set Python's handler.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    start = time.monotonic()

    def wait_for_ever():
        while True:
            wait.poll()

    with pytest.raises(KeyboardInterrupt):
        wait_for_ever()
    assert 0.15 < time.monotonic() - start < 15


# -- redcoll.timeout blocks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths_s", "setting_s", "ends_s", "words"),
    [
        ([3], None, 3, "timeout 'block 0' of 3 s (waited 2 s)"),
        ([3, 9], None, 3, "timeout 'block 0' of 3 s (waited 2 s)"),
        ([9, 3], None, 3, "timeout 'block 1' of 3 s (waited 2 s)"),
        ([None, 4, None], None, 4, "timeout 'block 1' of 4 s (waited 3 s)"),
        ([9], 5, 6, "5 s (REDCOLL_TIMEOUT)"),
        ([3], 5, 3, "timeout 'block 0' of 3 s (waited 2 s)"),
        ([0], None, 1.001, "timeout 'block 0' of 0 s (waited 0.001 s)"),
    ],
)
def test_the_nearest_deadline_ends_a_wait(monkeypatch, lengths_s, setting_s, ends_s, words):
    """Enter all ``redcoll.timeout`` blocks at 0 s, and start the wait at 1 s."""
    settings = {} if setting_s is None else {"REDCOLL_TIMEOUT": str(setting_s)}
    clocked = Clocked(monkeypatch, [3], **settings)
    with contextlib.ExitStack() as blocks:
        for place, length_s in enumerate(lengths_s):
            blocks.enter_context(redcoll.timeout(length_s, f"block {place}"))
        clocked.now_s = 1.0
        clocked.wait = progress.Wait(clocked.watch, lambda: [3], lambda: "allreduce(...)")
        clocked.at(1.0)
        clocked.at(ends_s - 0.001)
        with pytest.raises(CollectiveTimeoutError) as late:
            # A wait checks its deadlines every 0.1 s.
            clocked.at(ends_s + 0.1)
    wanted = words.replace("waited 2 s", "waited 2.1 s").replace("waited 3 s", "waited 3.1 s")
    wanted = wanted.replace("0.001", "0.1")
    assert str(late.value) == f"allreduce(...): PE 13 did not arrive within {wanted}"
    assert deadlines.nearest() is None


def test_a_deadline_without_a_name_and_one_that_is_not_the_thread_s(monkeypatch):
    clocked = Clocked(monkeypatch, [3])
    seen = []
    with redcoll.timeout(2):
        thread = threading.Thread(target=lambda: seen.append(deadlines.nearest()))
        thread.start()
        thread.join()
        clocked.wait = progress.Wait(clocked.watch, lambda: [3], lambda: "allreduce(...)")
        with pytest.raises(CollectiveTimeoutError, match=r"within timeout of 2 s \(waited 3 s\)$"):
            clocked.at(3)
    assert seen == [None]
    clocked.wait = progress.Wait(clocked.watch, lambda: [3], lambda: "allreduce(...)")
    clocked.at(100)


def test_a_decorated_function_has_a_deadline_at_each_call(monkeypatch):
    clocked = Clocked(monkeypatch, [3])

    @redcoll.timeout(2, "step")
    def step(depth):
        return [deadlines.nearest().ends_s, *(step(depth - 1) if depth else [])]

    assert step(1) == [2, 2]
    clocked.now_s = 10
    assert step(1) == [12, 12]
    assert deadlines.nearest() is None


def test_a_deadline_does_not_end_the_close_of_a_team(monkeypatch, capsys):
    clocked = Clocked(monkeypatch, [])
    moments = iter(range(500))

    def are_here():
        clocked.now_s = next(moments) * 0.1
        return clocked.now_s > 40

    with redcoll.timeout(2, "close"):
        assert progress.wait_for_all(clocked.watch, 0, 12, are_here, "close")
        assert deadlines.nearest().ends_s == 2
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["checkpoint", "", "x" * 99, "\u00e4\u00f6" * 30, "two\nlines"])
def test_other_members_read_the_text_of_the_deadline(monkeypatch, name):
    states, hosts = [peers_module.OPEN] * 12, [f"host{index}" for index in range(12)]
    clocked = Clocked(monkeypatch, [3], states, hosts)
    with redcoll.timeout(2, name):
        words = deadlines.to_words(deadlines.nearest().short)
        clocked.wait = progress.Wait(clocked.watch, lambda: [3], lambda: "allreduce(...)")
        with pytest.raises(CollectiveTimeoutError) as late:
            clocked.at(3)
    assert len(words) == deadlines.TEXT_WORDS
    text = deadlines.from_words(words)
    assert late.value.deadline == text
    assert text.endswith("of 2 s")
    assert len(name) > 20 or (f"timeout {text} (waited 3 s)" in str(late.value))
    assert (len(name) > 20) == ("...' of " in text)
    states[5] = clocked.peers.state_after(late.value)
    clocked.peers.deadline_of = lambda index: text if index == 5 else ""
    fate = f"gave up waiting for PE 13 in timeout {text}"
    assert clocked.peers.fate(5) == fate


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((-1,), ArgumentError, "timeout: seconds is -1; it must be at least 0"),
        ((float("nan"),), ArgumentError, "timeout: seconds is nan; it must be at least 0"),
        (("3",), DatatypeError, "timeout: seconds is '3'; it must be a number of seconds or None"),
        ((True,), DatatypeError, "timeout: seconds is True; it must be a number"),
        ((1, 2), DatatypeError, "timeout: name is 2; it must be a string"),
    ],
)
def test_wrong_arguments_of_a_timeout(arguments, error, text):
    with pytest.raises(error, match=text):
        redcoll.timeout(*arguments)
