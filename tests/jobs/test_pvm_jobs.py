"""Test whole PVM programs: the examples, busy tasks, tasks that die or leave, and the output."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import textwrap
import time
from pathlib import Path

import pytest
from jobs.conftest import SPEECH

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads(gzip.decompress((ROOT / "tests/data/pvm_golden.json.gz").read_bytes()))
RUNS = GOLDEN["example_programs"]

BEGINNING = (
    SPEECH
    + """
import signal
import numpy as np
from redcoll_pvm import *

tid = pvm_mytid()
pe, n = tid - 0x40001, pvm_siblings(None)

def join_in_order(group):
    while max(pvm_gsize(group), 0) < pe:
        time.sleep(1e-3)
    assert pvm_joingroup(group) == pe
    assert pvm_barrier(group, n) == 0

def add(group, value, tag=1, root=0):
    data = np.array([float(value)])
    return pvm_reduce(PvmSum, data, 1, PVM_DOUBLE, tag, group, root), float(data[0])

mark("pid")
"""
)


@pytest.fixture
def start_tasks(start_job):
    """Return a function that starts a job, whose program begins with the text BEGINNING."""

    def start(program: str, n: int = 2, **options):
        return start_job(BEGINNING + textwrap.dedent(program), n, prelude=False, **options)

    return start


# -- examples -------------------------------------------------------------------------------------


@pytest.fixture
def run_example(start_job):
    def run(name, n, *arguments, **environment):
        program = f"""
            import runpy, sys
            sys.argv[:] = {[name, *map(str, arguments)]!r}
            runpy.run_path({str(ROOT / "examples" / name)!r}, run_name="__main__")
        """
        job = start_job(textwrap.dedent(program), n, prelude=False, **environment)
        job.succeed(120)
        return job.out

    return run


@pytest.mark.parametrize("n", [1, 4, 8])
def test_gexample_gives_the_recorded_output(n, run_example):
    [run] = [run for run in RUNS["gexample"] if run["nprocs"] == n]
    output = run_example("pvm_gexample.py", n, run["dimension"])
    assert f"The 1-Norm is {run['one_norm']}\n" in output
    assert f"The product of column 1 is {run['product_of_column_1']}\n" in output


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_trsg_gives_the_recorded_output(n, run_example):
    [run] = [run for run in RUNS["trsg"] if run["nprocs"] == n]
    output = run_example("pvm_trsg.py", n, run["count"])
    assert "ERROR" not in output
    for line in run["output"]:
        assert line in output


def test_trsg_on_fewer_tasks_than_the_job_has(run_example):
    [run] = [run for run in RUNS["trsg"] if run["nprocs"] == 4]
    output = run_example("pvm_trsg.py", 6, run["count"], 4, REDCOLL_PVM_HOLD="1")
    for line in run["output"]:
        assert line in output


@pytest.mark.parametrize("node_size", [2, 1])
def test_a_held_task_stays_held_after_its_wait_has_timed_out(start_job, node_size):
    program = """
        import os
        from redcoll.errors import CollectiveTimeoutError
        pe = int(os.environ.get("PMI_RANK") or os.environ["PMIX_RANK"])
        from redcoll_pvm import *
        if pe == 0:
            pvm_mytid()
            await_marks("tried", 1)
            say(pvm_spawn("any", None, 0, None, 1, None))
        else:
            for _ in range(2):
                try:
                    say(pvm_mytid())
                except CollectiveTimeoutError:
                    say("held")
            mark("tried")
            while True:
                try:
                    say(pvm_mytid())
                    break
                except CollectiveTimeoutError:
                    pass
    """
    job = start_job(
        SPEECH + textwrap.dedent(program),
        2,
        prelude=False,
        REDCOLL_PVM_HOLD="1",
        REDCOLL_TIMEOUT="1",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.succeed(60)
    assert job.lines(0) == ["1"], job.describe()
    assert job.lines(1) == ["held", "held", str(0x40002)], job.describe()


# -- a task that computes delays no other task ----------------------------------------------------


@pytest.mark.parametrize("busy", [0, 1])
def test_a_busy_task_delays_nothing_that_it_has_no_part_in(busy, start_tasks):
    """Other tasks join and leave groups, look them up, and reduce, while one task computes."""
    job = start_tasks(
        f"""
        BUSY, ROOT = {busy}, {1 - busy}
        GROUP = "all"
        join_in_order(GROUP)
        if pe == BUSY:
            mark("busy")
            others = [other for other in range(n) if other != BUSY]
            until = time.monotonic() + 40
            while not all(is_marked("through", other) for other in others):
                sum(range(1000))  # computes without calls of redcoll
                assert time.monotonic() < until, "the others wait for this task"
        else:
            await_marks("busy", BUSY)
            assert pvm_joingroup("others") >= 0
            assert pvm_barrier("others", n - 1) == 0
            assert pvm_gsize("others") == n - 1
            assert pvm_getinst(GROUP, 0x40001 + BUSY) == BUSY
            for turn in range(100):
                code, value = add("others", pe + 1, turn, pvm_getinst("others", 0x40001 + ROOT))
                assert code == 0
                assert pvm_barrier("others", -1) == 0
            if pe == ROOT:
                assert value == sum(range(1, n + 1)) - (BUSY + 1)
            assert pvm_lvgroup("others") == 0
            # A task that contributes to a reduction to the busy task does not wait, either.
            assert add(GROUP, pe + 1, 5, BUSY)[0] == 0
            # Members of the busy task's group can leave and join.
            if pe == 2:
                assert pvm_lvgroup(GROUP) == 0
                assert pvm_joingroup(GROUP) >= 0
            mark("through")
        if pe == BUSY:
            code, value = add(GROUP, pe + 1, 5, BUSY)
            assert (code, value) == (0, sum(range(1, n + 1)))
        say("ok")
        """,
        n=4,
    )
    job.succeed(90)
    assert all(job.lines(pe) == ["ok"] for pe in range(4)), job.describe()


# -- lost tasks -----------------------------------------------------------------------------------


@pytest.mark.quick
def test_a_task_that_returns_leaves_its_groups(start_tasks):
    job = start_tasks(
        """
        join_in_order("g")
        if pe == 1:
            sys.exit()
        start = time.monotonic()
        while pvm_gsize("g") == n:
            time.sleep(1e-3)
        say(pvm_gsize("g"), pvm_gettid("g", 1))
        assert pvm_barrier("g", n - 1) == 0
        pvm_exit()
        """,
        n=3,
    )
    job.succeed()
    assert job.lines(0) == job.lines(2) == ["2 -21"]


def test_after_pvm_exit_calls_fail_and_the_process_goes_on(start_tasks):
    job = start_tasks(
        """
        join_in_order("g")
        if pe == 1:
            assert pvm_exit() == 0
            time.sleep(0.3)
            say(pvm_gsize("g"), pvm_mytid(), pvm_exit())
        else:
            while pvm_gsize("g") == 2:
                time.sleep(1e-3)
            pvm_initsend(PvmDataDefault)
            say(pvm_gettid("g", 1), pvm_send(0x40002, 1), pvm_recv(0x40002, 1))
        """,
        n=2,
    )
    job.succeed()
    assert job.lines(1) == ["-14 -14 -14"]
    assert job.lines(0) == ["-21 0 -31"]
    assert "libpvm [t40002]: pvm_mytid(): Can't contact local daemon" in job.err
    assert "pvm_recv(): No such task (pvm_recv of tag 1 from t40002: PE 1 has gone" in job.err


@pytest.mark.alone
def test_a_root_that_waits_for_a_task_that_returns_fails(start_tasks):
    job = start_tasks(
        """
        join_in_order("g")
        if pe == 2:
            time.sleep(0.3)
            sys.exit()
        start = time.monotonic()
        code, _ = add("g", 1)
        if pe == 0:
            say(code, time.monotonic() - start < 2)
        assert pvm_barrier("g", 2) == 0
        if pe == 0:
            # The first reduction failed on all tasks. The next reduction needs only PE 0 and PE 1.
            say(add("g", 1))
        else:
            add("g", 10)
        """,
        n=3,
    )
    job.succeed()
    assert job.lines(0) == ["-20 True", "(0, 11.0)"]
    assert "pvm_reduce(): Not in group (pvm_reduce with tag 1 in group 'g': " in job.err
    assert "PE 2" in job.err


@pytest.mark.parametrize("node_size", [2, 1])
def test_a_forked_child_cannot_act_as_its_parent(start_tasks, node_size):
    job = start_tasks(
        """
        from redcoll.errors import StateError
        join_in_order("g")
        if pe == 1:
            pvm_initsend(PvmDataDefault)
            child = os.fork()
            if not child:
                calls = (
                    lambda: add("g", 1000), lambda: pvm_lvgroup("g"), lambda: pvm_joingroup("h"),
                    lambda: pvm_barrier("g", n), lambda: pvm_send(0x40001, 1), pvm_mytid,
                    lambda: pvm_pkint([1], 1, 1), lambda: pvm_perror("here"), pvm_exit,
                )
                told = []
                for call in calls:
                    try:
                        told.append(call())
                    except StateError as error:
                        told.append("was made before this process was forked" in str(error))
                say(*told)
                os._exit(0)
            say(os.waitpid(child, 0)[1])
        for turn in range(2):
            say(*add("g", 10**pe))
        say(pvm_gsize("g"))
        assert pvm_barrier("g", n) == 0
        """,
        2,
        REDCOLL_NODE_SIZE=str(node_size),
        REDCOLL_TIMEOUT="20",
    )
    job.succeed()
    assert job.lines(0) == ["0 11.0"] * 2 + ["2"], job.describe()
    assert job.lines(1) == [" ".join(["True"] * 9), "0"] + ["0 10.0"] * 2 + ["2"], job.describe()


@pytest.mark.parametrize("level", ["funneled", "multiple"])
@pytest.mark.parametrize("call", ["gsize", "nrecv", "probe"])
def test_the_first_task_answers_while_it_asks_again_and_again(start_tasks, call, level):
    """Task 0 keeps the groups, so it must answer requests although none of its calls waits."""
    job = start_tasks(
        f"""
        CALL = {call!r}
        deadline = time.monotonic() + 30
        if CALL == "gsize":
            # At first the group "g" does not exist.
            while pe == 0 and pvm_gsize("g") < n - 1 and time.monotonic() < deadline:
                pass
            assert pvm_joingroup("g") >= 0
            # No task leaves before task 0 has seen all members.
            assert pvm_barrier("g", n) == 0
        elif pe:
            assert pvm_joingroup("g") >= 0
            assert pvm_gsize("g") > 0
            pvm_initsend(PvmDataDefault)
            assert pvm_send(0x40001, pe) == 0
        else:
            got = 0
            while got < n - 1 and time.monotonic() < deadline:
                got += (pvm_nrecv if CALL == "nrecv" else pvm_probe)(0x40001 + got + 1, got + 1) > 0
        say(time.monotonic() < deadline)
        """,
        n=3,
        REDCOLL_NODE_SIZE="1",
        REDCOLL_TIMEOUT="60",
        MPI4PY_RC_THREAD_LEVEL=level,
    )
    job.succeed()
    assert [job.lines(pe) for pe in range(3)] == [["True"]] * 3, job.describe()


@pytest.mark.parametrize("node_size", ["", "1", "2"])
def test_a_task_killed_when_the_others_have_ended_is_named(start_tasks, node_size):
    """The job uses PVM only, and the launcher keeps the other tasks alive."""
    job = start_tasks(
        """
        join_in_order("g")
        if pe == 1:
            await_marks("ends", 0, 2)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGKILL)
        mark("ends")
        """,
        n=3,
        survivors=True,
        REDCOLL_NODE_SIZE=node_size,
    )
    job.wait(30)
    assert re.search(r"redcoll: end of the job: .*1 .*has died \(process", job.err), job.describe()
    job.wait_until_gone()


@pytest.mark.parametrize("place", ["reduce", "barrier", "frozen barrier", "recv"])
@pytest.mark.alone
def test_a_task_that_is_killed_is_named(start_tasks, place):
    """The launcher lets the other tasks live, and they name the killed task."""
    job = start_tasks(
        f"""
        PLACE = {place!r}
        join_in_order("g")
        if PLACE == "frozen barrier":
            assert pvm_freezegroup("g", -1) == n
        if pe == 2:
            mark("ready")
            time.sleep(60)
        start = None
        if PLACE == "reduce":
            code, _ = add("g", 1)
        elif PLACE == "recv":
            code = pvm_recv(0x40003, 7)
        else:
            code = pvm_barrier("g", -1)
        if pe == 0 or PLACE != "reduce":
            say(code)
        # A task that is killed stays a member.
        say("size", pvm_gsize("g"))
        mark("done")
        # The other task may still wait in the barrier that failed here.
        while pvm_barrier("g", 2) == PvmMismatch:
            time.sleep(1e-3)
        os._exit(0)
        """,
        n=3,
        survivors=True,
    )
    victim = job.pid(2, "ready")
    time.sleep(0.3)
    start = time.monotonic()
    os.kill(victim, signal.SIGKILL)
    for pe in (0, 1):
        job.pid(pe, "done", 20)
    took = time.monotonic() - start
    expected = -31 if place == "recv" else -20
    for pe in (0, 1):
        code = [] if place == "reduce" and pe else [str(expected)]
        assert job.lines(pe) == [*code, "size 3"], job.describe()
    # A barrier prints nothing, as in PVM.
    while place in ("reduce", "recv") and "PE 2" not in job.err:
        # The launcher may forward the output late.
        assert time.monotonic() < start + 30, job.describe()
        time.sleep(0.05)
    assert took < 2 + 3, f"took {took:.1f} s; it must take less than 2 s on an idle machine"


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("where", ["others", "_missing"])
def test_a_death_in_the_midst_of_a_poll_ends_a_barrier(start_tasks, nodes, where):
    """The killed task dies right after the waiting task has checked for dead tasks."""
    job = start_tasks(
        f"""
        from redcoll_pvm.runtime.pvm_runtime import start
        join_in_order("g")
        assert pvm_freezegroup("g", -1) == n
        if pe == 1:
            mark("ready")
            time.sleep(60)
        await_marks("ready", 1)
        with open(os.path.join(DIR, "ready-1")) as file:
            victim = int(file.read())
        job, WHERE = start(), {where!r}
        looker = job.tasks if WHERE == "others" else job.barrier
        look, is_killed = getattr(looker, WHERE), False
        def kill():
            global is_killed
            if not is_killed:
                is_killed = True
                os.kill(victim, signal.SIGKILL)
                while job.tasks.fate(1) is None:
                    time.sleep(1e-3)
        def look_and_kill(*arguments):
            if WHERE == "others":
                kill()
                return look()
            found = look(*arguments)
            kill()
            return found
        setattr(looker, WHERE, look_and_kill)
        say(pvm_barrier("g", -1), is_killed)
        mark("done")
        os._exit(0)
        """,
        survivors=True,
        REDCOLL_NODE_SIZE=str(2 // nodes),
    )
    job.pid(0, "done", 20)
    assert job.lines(0) == ["-20 True"], job.describe()


@pytest.mark.alone
def test_a_task_killed_while_it_holds_the_lock_ends_the_calls_that_need_it(start_tasks):
    job = start_tasks(
        """
        from redcoll_pvm.runtime.pvm_runtime import start
        join_in_order("g")
        if pe == 1:
            held = start().store._table._locked()
            held.__enter__()
            mark("locked")
            os.kill(os.getpid(), signal.SIGKILL)
        await_marks("locked", 1)
        begin = time.monotonic()
        say(pvm_joingroup("other"), time.monotonic() - begin < 5)
        try:
            start().store.join("other")
        except Exception as error:
            say(error)
        mark("done")
        await_marks("done", 0, 2)
        os._exit(0)
        """,
        n=3,
        survivors=True,
    )
    for pe in (0, 2):
        job.pid(pe, "done", 30)
        code, error = job.lines(pe)
        assert code == "-20 True", job.describe()
        assert "lock of the group table: PE 1 " in error, job.describe()
        assert "has died" in error, job.describe()


def test_a_root_times_out_and_names_the_absent_members(start_tasks):
    job = start_tasks(
        """
        join_in_order("g")
        if pe == 0:
            add("g", 1)
        else:
            time.sleep(60)
        """,
        n=3,
        REDCOLL_TIMEOUT="1",
    )
    job.fail(30)
    assert "CollectiveTimeoutError" in job.err
    assert "PE 1, PE 2 did not arrive within 1 s (REDCOLL_TIMEOUT)" in job.err
    job.wait_until_gone()


@pytest.mark.parametrize("goes", [1, 2])
@pytest.mark.parametrize("way", ["exit", "dies"])
@pytest.mark.parametrize("node_size", [3, 1])
@pytest.mark.alone
def test_a_task_that_exits_during_a_scatter_does_not_delay_others(
    start_tasks, node_size, way, goes
):
    """The parts are larger than the buffer, so the root waits until a task takes its part."""
    job = start_tasks(
        f"""
        GOES, WAY, count = {goes}, {way!r}, 100_000
        join_in_order("g")
        part = np.zeros(count)
        if pe == GOES:
            await_marks("in", 0)
            time.sleep(0.3)
            if WAY == "dies":
                os._exit(1)
            pvm_exit()
        else:
            whole = np.arange(n * count, dtype=float)
            mark("in")
            code = pvm_scatter(part, whole if pe == 0 else None, count, PVM_DOUBLE, 3, "g", 0)
            say(code, (part == np.arange(pe * count, (pe + 1) * count)).all())
            # Later calls still match.
            while WAY == "exit" and pvm_gsize("g") == n:
                time.sleep(1e-3)
            say(add("g", 10 ** pe, tag=3) if pe == 0 else add("g", 10 ** pe, tag=3)[0])
            mark("done")
            await_marks("done", *{{0, 1, 2}} - {{GOES}})
            if WAY == "dies":
                os._exit(0)
        """,
        n=3,
        survivors=True,
        REDCOLL_TIMEOUT="10",
        REDCOLL_HANDOVER_BYTES="65536",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    other = 3 - goes
    for pe in (0, other):
        job.pid(pe, "done", 30)
    # A task that dies stays a member, so the next reduction fails.
    added = f"(0, {1.0 + 10**other})" if way == "exit" else "(-20, 1.0)"
    assert job.lines(0) == ["0 True", added], job.describe()
    assert job.lines(other) == ["0 True", "0"], job.describe()


# A part of 100,000 elements fills the buffer. A part of 5,000 elements fits into the buffer, but
# leaves too little space for the second part.
@pytest.mark.parametrize("count", [100_000, 5_000])
@pytest.mark.parametrize("node_size", [3, 1])
def test_an_interrupted_scatter_fails_at_the_members_without_a_part(start_tasks, node_size, count):
    job = start_tasks(
        f"""
        from redcoll.errors import CollectiveTimeoutError
        count = {count}
        join_in_order("g")
        part, whole = np.zeros(count), np.ones(n * count)
        if pe == 0:
            try:
                pvm_scatter(part, whole, count, PVM_DOUBLE, 3, "g", 0)
            except CollectiveTimeoutError:
                say("timeout", part.all())
            mark("over")
        elif pe == 2:
            await_marks("over", 0)
            say(pvm_scatter(part, None, count, PVM_DOUBLE, 3, "g", 0))
            mark("over")
        await_marks("over", 0, 2)
        """,
        n=3,
        REDCOLL_TIMEOUT="1",
        REDCOLL_HANDOVER_BYTES="65536",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.succeed(60)
    assert job.lines(0) == ["timeout True"], job.describe()
    assert job.lines(2) == ["-3"], job.describe()


@pytest.mark.parametrize("node_size", [2, 1])
def test_calls_without_a_free_slot_do_not_count(start_tasks, node_size):
    """The root does not count its failed calls, so its later calls match those of other tasks."""
    job = start_tasks(
        """
        from redcoll.errors import CollectiveTimeoutError
        from redcoll_pvm.runtime import pvm_runtime
        from redcoll_pvm.runtime.transport import SLOTS
        join_in_order("g")
        part, watch = np.zeros(1), pvm_runtime.start().tasks.watch
        def scatter(value, root=0):
            whole = np.array([0.0, value]) if pe == root and value is not None else None
            try:
                return pvm_scatter(part, whole, 1, PVM_DOUBLE, 3, "g", root), part[0]
            except CollectiveTimeoutError as error:
                assert f"sending while {SLOTS} contributions wait to be taken" in str(error)
                return "timeout"
        if pe == 0:
            assert [scatter(value) for value in range(SLOTS)] == [(0, 0.0)] * SLOTS
            watch.timeout_s = 1
            say(scatter(-1.0), scatter(None), scatter(-2.0))
            watch.timeout_s = 30
            mark("over")
            say(add("g", 1, 4), scatter(7.0)[0])
            await_marks("done", 1)  # a scatter fails if the root has left the group
        else:
            await_marks("over", 0)
            assert [scatter(None) for _ in range(SLOTS)] == [(0, value) for value in range(SLOTS)]
            say(add("g", 2, 4)[0], *scatter(None))
            mark("done")
        """,
        n=2,
        REDCOLL_TIMEOUT="30",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.succeed(60)
    assert job.lines(0) == ["timeout timeout timeout", "(0, 3.0) 0"], job.describe()
    assert job.lines(1) == ["0 0 7.0"], job.describe()


@pytest.mark.parametrize("node_size", [2, 1])
def test_a_contribution_that_finds_no_free_slot_does_not_count(start_tasks, node_size):
    job = start_tasks(
        """
        from redcoll.errors import CollectiveTimeoutError
        from redcoll_pvm.runtime import pvm_runtime
        from redcoll_pvm.runtime.transport import SLOTS
        join_in_order("g")
        if pe == 1:
            for value in range(SLOTS):
                assert add("g", value)[0] == 0
            watch = pvm_runtime.start().tasks.watch
            watch.timeout_s = 3
            try:
                add("g", -1)
            except CollectiveTimeoutError as error:
                assert f"sending while {SLOTS} contributions wait to be taken" in str(error)
                say("timeout")
            watch.timeout_s = 30
            mark("over")
            say(add("g", 5)[0])
        else:
            await_marks("over", 1)
            assert [add("g", 1) for _ in range(SLOTS)] == [(0, value + 1) for value in range(SLOTS)]
            say(add("g", 1))
        """,
        n=2,
        REDCOLL_TIMEOUT="30",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.succeed(60)
    assert job.lines(1) == ["timeout", "0"], job.describe()
    assert job.lines(0) == ["(0, 6.0)"], job.describe()


FULL_OF_WHAT_NOBODY_TAKES = """
from redcoll_pvm.runtime.pvm_runtime import start

def await_gone():
    while start().tasks.fate(2) is None:
        start().tasks.progress()
        time.sleep(0.01)

if pe == 2:
    # Receive all messages, because MPICH would otherwise delay everything that PE 1 sends.
    while not is_marked("full", 1):
        pvm_probe(-1, -1)
    {goes}
elif pe == 1:
    for value in range(256):
        assert add("g", value, tag=2, root=2)[0] == 0
    mark("full")
    await_gone()
    say(pvm_reduce(PvmSum, None, 1, PVM_DOUBLE, 1, "g", 0))
    pvm_barrier("g", 2)
else:
    await_gone()
    say(add("g", 1)[0])
    pvm_barrier("g", 2)
"""


@pytest.mark.parametrize("goes", ["pvm_exit()", "sys.exit()", "os.kill(pvm_pid, signal.SIGKILL)"])
@pytest.mark.parametrize("node_size", [3, 1])
def test_a_failed_call_is_reported_although_dead_tasks_occupy_all_slots(
    start_tasks, node_size, goes
):
    goes = goes.replace("pvm_pid", "os.getpid()")
    end = """
    mark("done")
    await_marks("done", *{0, 1} - {pe})
    os._exit(0)
    """
    job = start_tasks(
        'join_in_order("g")' + FULL_OF_WHAT_NOBODY_TAKES.format(goes=goes) + textwrap.dedent(end),
        n=3,
        survivors=True,
        REDCOLL_TIMEOUT="30",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.wait(60)
    # A killed task stays a member, and the root does not get its contribution.
    code = "-20" if "kill" in goes else "-3"
    assert [job.lines(pe) for pe in (0, 1)] == [[code], ["-2"]], job.describe()


@pytest.mark.parametrize("node_size", [2, 1])
def test_a_failed_call_waits_for_a_free_slot(start_tasks, node_size):
    job = start_tasks(
        """
        from redcoll_pvm.runtime.transport import SLOTS
        join_in_order("g")
        if pe == 1:
            for value in range(SLOTS):
                assert add("g", value)[0] == 0
            mark("full")
            say(pvm_reduce(PvmSum, None, 1, PVM_DOUBLE, 1, "g", 0), is_marked("taken", 0))
            say(add("g", 5)[0])
        else:
            await_marks("full", 1)
            time.sleep(0.2)
            mark("taken")
            assert [add("g", 1) for _ in range(SLOTS)] == [(0, value + 1) for value in range(SLOTS)]
            say(add("g", 1)[0])
            say(add("g", 1))
        """,
        n=2,
        REDCOLL_TIMEOUT="30",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.succeed(60)
    assert job.lines(1) == ["-2 True", "0"], job.describe()
    assert job.lines(0) == ["-3", "(0, 6.0)"], job.describe()


@pytest.mark.both_mpis
def test_control_c_ends_a_waiting_root_at_once(start_tasks, vendor):
    if vendor != "mpich":
        pytest.skip("Open MPI's launcher does not pass the interrupt on: it ends the processes")
    job = start_tasks(
        """
        join_in_order("g")
        mark("in")
        if pe == 0:
            add("g", 1)
        else:
            time.sleep(60)
        """,
        n=2,
    )
    job.pid(0, "in")
    job.pid(1, "in")
    time.sleep(0.5)
    job.process.send_signal(signal.SIGINT)
    job.wait_until_gone(5)
    job.fail(15)
    assert "KeyboardInterrupt" in job.err


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5", "REDCOLL_MAX_GROUPS must be the same everywhere; found PE 0: 256, PE 1: 5"),
        ("no", "PE 1: REDCOLL_MAX_GROUPS='no'"),
    ],
)
def test_settings_that_differ_raise_everywhere(value, text, start_job):
    job = start_job(
        f"""
        import os
        if int(os.environ.get("PMI_RANK") or os.environ["PMIX_RANK"]) == 1:
            os.environ["REDCOLL_MAX_GROUPS"] = {value!r}
        import redcoll
        from redcoll_pvm import *
        try:
            pvm_mytid()
        except redcoll.ConfigError as error:
            print(error, flush=True)
        """,
        n=2,
        prelude=False,
    )
    job.succeed()
    assert text in job.out
    assert job.out.count("REDCOLL_MAX_GROUPS") == 2


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ("", "MPI has not been initialized"),
        ("MPI.Init(); MPI.Finalize()", "MPI has been finalized"),
    ],
)
def test_a_call_without_mpi_raises_state_error(steps, text, start_job):
    job = start_job(
        f"""
        import mpi4py
        mpi4py.rc.initialize = mpi4py.rc.finalize = False
        from mpi4py import MPI
        import redcoll
        from redcoll_pvm import *
        {steps}
        try:
            pvm_mytid()
        except redcoll.StateError as error:
            print(error, flush=True)
        """,
        n=1,
        prelude=False,
    )
    job.succeed()
    assert text in job.out


# -- the end of messages --------------------------------------------------------------------------


def test_large_unreceived_messages_do_not_delay_the_exit(start_tasks):
    job = start_tasks(
        """
        pvm_initsend(PvmDataDefault)
        pvm_pkdouble(np.ones(2_000_000), 2_000_000, 1)
        for to in range(n):
            assert pvm_send(0x40001 + to, 3) == 0
        if pe == 0:
            time.sleep(0.5)
        say("ok")
        """,
        n=3,
    )
    job.succeed(60)
    assert [job.lines(pe) for pe in range(3)] == [["ok"]] * 3


def test_a_large_message_of_a_task_that_has_exited_arrives(start_tasks):
    job = start_tasks(
        """
        if pe == 0:
            pvm_initsend(PvmDataDefault)
            pvm_pkdouble(np.arange(500_000.0), 500_000, 1)
            assert pvm_send(0x40002, 3) == 0
            pvm_exit()
        else:
            time.sleep(0.5)
            out = np.zeros(500_000)
            assert pvm_recv(0x40001, 3) > 0
            assert pvm_upkdouble(out, 500_000, 1) == 0
            say((out == np.arange(500_000.0)).all())
        """,
        n=2,
    )
    job.succeed(60)
    assert job.lines(1) == ["True"]


DEATH = """
from redcoll_pvm.runtime.pvm_runtime import start
data = np.full(5_000_000, 7, np.int32)

def send_and_die():
    pvm_psend(0x40001, 7, data, len(data), PVM_INT)
    os._exit(1)

def await_death_of(pe):
    # Make no MPI calls here, so that no message moves before the task has died.
    while not start().tasks.has_died(pe):
        time.sleep(0.01)
"""


@pytest.mark.parametrize("node_size", [3, 1])
@pytest.mark.alone
def test_a_large_message_of_a_task_that_died_early_is_dropped(start_tasks, node_size):
    job = start_tasks(
        DEATH
        + """
if pe == 1:
    send_and_die()
await_death_of(1)
if pe == 0:
    begin = time.monotonic()
    say(pvm_recv(0x40002, 7), pvm_recv(0x40002, -1), pvm_nrecv(0x40002, 7), pvm_probe(-1, 7))
    say(time.monotonic() - begin < 5)
mark("done")
await_marks("done", 0, 2)
os._exit(0)
""",
        n=3,
        survivors=True,
        REDCOLL_NODE_SIZE=str(node_size),
    )
    job.pid(2, "done", 30)
    job.pid(0, "done", 30)
    assert job.lines(0) == ["-31 -31 0 0", "True"], job.describe()


@pytest.mark.parametrize("node_size", [3, 1])
@pytest.mark.alone
def test_incomplete_messages_of_dead_tasks_do_not_delay_others(start_tasks, node_size):
    job = start_tasks(
        DEATH
        + """
if pe == 1:
    send_and_die()
await_death_of(1)
if pe == 2:
    pvm_initsend(PvmDataDefault)
    pvm_pkint([5], 1, 1)
    assert pvm_send(0x40001, 8) == 0
    mark("sent")
    await_marks("received", 0)
    pvm_exit()
    mark("left")
else:
    await_marks("sent", 2)
    tag, value = [0], [0]
    bufid = pvm_recv(-1, -1)
    pvm_bufinfo(bufid, None, tag, None)
    pvm_upkint(value, 1, 1)
    say(bufid > 0, tag, value)
    mark("received")
    await_marks("left", 2)
    # The calling task is the only remaining task.
    say(pvm_recv(-1, -1))
mark("done")
await_marks("done", 0, 2)
os._exit(0)
""",
        n=3,
        survivors=True,
        REDCOLL_TIMEOUT="10",
        REDCOLL_NODE_SIZE=str(node_size),
    )
    for pe in (0, 2):
        job.pid(pe, "done", 30)
    assert job.lines(0) == ["True [8] [5]", "-31"], job.describe()


@pytest.mark.parametrize("node_size", [3, 1])
@pytest.mark.alone
def test_a_large_contribution_of_a_task_that_died_after_its_call(start_tasks, node_size):
    """On one node the data survive in shared memory; across nodes they are lost with the task."""
    job = start_tasks(
        DEATH
        + """
join_in_order("g")
part = np.full(500_000, 10.0 ** pe)

def reduce():
    return pvm_reduce(PvmSum, part, len(part), PVM_DOUBLE, 1, "g", 0)

if pe == 1:
    assert reduce() == 0
    os._exit(1)
await_death_of(1)
say(reduce())
if pe == 0:
    say((part == 111.0).all())
# A task that dies stays a member.
say(reduce())
mark("done")
await_marks("done", 0, 2)
os._exit(0)
""",
        n=3,
        survivors=True,
        REDCOLL_TIMEOUT="10",
        REDCOLL_HANDOVER_BYTES=str(1 << 24),
        REDCOLL_NODE_SIZE=str(node_size),
    )
    for pe in (0, 2):
        job.pid(pe, "done", 30)
    first = ["0", "True"] if node_size == 3 else ["-20", "False"]
    assert job.lines(0) == [*first, "-20"], job.describe()
    assert job.lines(2) == ["0", "0"], job.describe()


# -- next to the other APIs -----------------------------------------------------------------------


@pytest.mark.quick
def test_mpi_and_shmem_in_one_program(start_tasks):
    job = start_tasks(
        """
        import redcoll_shmem as shmem
        join_in_order("g")
        x, y = shmem.ones(4), shmem.zeros(4)
        for turn in range(50):
            shmem.shmem_sum_reduce(shmem.SHMEM_TEAM_WORLD, y, x, 4)
            code, value = add("g", y[0], turn)
            assert code == 0
            if pe == 0:
                assert value == n * n
        say("ok")
        """,
        n=3,
    )
    job.succeed(60)
    assert [job.lines(pe) for pe in range(3)] == [["ok"]] * 3


def test_the_timing_script_runs_and_checks_its_results(start_job):
    program = f"""
        import sys
        sys.path.insert(0, {str(ROOT / "benchmarks")!r})
        import pvm
        sys.argv[:] = ["pvm", "--repeats", "20"]
        pvm.main()
    """
    job = start_job(textwrap.dedent(program), 2, prelude=False)
    job.succeed(120)
    lines = job.out.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["2", "2", "2"]
    assert "reduce(100000) + barrier" in lines[4]
