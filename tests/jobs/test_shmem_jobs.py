"""Test jobs of the SHMEM API: start, exit, signals, lost PEs, and the examples."""

import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def launch(n_pes, *arguments, **environment):
    launcher = shlex.split(os.environ.get("REDCOLL_TEST_MPIEXEC", "mpiexec"))
    return subprocess.Popen(
        [*launcher, "-n", str(n_pes), sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "REDCOLL_TIMEOUT": "60", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(n_pes, *arguments, **environment):
    """Run a job; return its exit code and output."""
    process = launch(n_pes, *arguments, **environment)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err


def program(text):
    return "-c", "import redcoll_shmem as shmem\n" + textwrap.dedent(text)


@pytest.mark.quick
@pytest.mark.parametrize("example", ["shmem_max_even.py", "shmem_alternating.py"])
@pytest.mark.parametrize("n_pes", [1, 2, 5])
def test_examples(example, n_pes):
    code, out, err = run(n_pes, f"examples/{example}")
    assert code == 0, err
    assert {"shmem_max_even.py": "maxima over PEs [0", "shmem_alternating.py": "three"}[
        example
    ] in out


@pytest.mark.parametrize("name", ["shmem_global_exit", "globalexit"])
@pytest.mark.parametrize("status", [0, 1, 42, 255])
def test_global_exit_ends_all(name, status):
    """All PEs end with the status of the caller, even if they wait for the caller."""
    code, out, _ = run(
        3,
        *program(f"""
            me = shmem.shmem_my_pe()
            print("in", flush=True)
            if me == 1:
                shmem.{name}({status})
            shmem.shmem_barrier_all()
            print("out", flush=True)
        """),
    )
    assert "out" not in out
    assert code == status


def test_global_exit_takes_a_status():
    code, out, err = run(
        1,
        *program("""
            for status in (-1, 256, 1.5, None):
                try:
                    shmem.shmem_global_exit(status)
                except ValueError as error:
                    print(error)
        """),
    )
    assert code == 0, err
    assert out.count("shmem_global_exit: status is") == 4


def test_version_and_settings_are_printed_once_by_one_pe():
    text = program("shmem.shmem_init(); shmem.shmem_init(); shmem.shmem_finalize()")
    code, out, err = run(2, *text)
    assert (code, out) == (0, ""), err
    code, out, err = run(2, *text, SHMEM_VERSION="1")
    assert code == 0, err
    lines = out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("redcoll ")
    assert lines[0].endswith("OpenSHMEM 1.5")
    code, later, err = run(
        2, *program("shmem.shmem_my_pe(); shmem.shmem_init()"), SHMEM_VERSION="1"
    )
    assert (code, later) == (0, out), err
    code, out, err = run(2, *text, SHMEM_INFO="1")
    assert code == 0, err
    assert out.count("SHMEM_SYMMETRIC_SIZE") == 1
    assert out.count("REDCOLL_TIMEOUT") == 1


def test_nothing_works_after_the_end():
    code, out, err = run(
        2,
        *program("""
            import numpy as np
            from redcoll import StateError
            shmem.start_pes(0)
            me, n = shmem.my_pe(), shmem.n_pes()
            x, y = shmem.ones(3), shmem.zeros(3)
            sync = shmem.full(1, shmem.SHMEM_SYNC_VALUE, "l")
            for _ in range(3):
                shmem.shmem_double_sum_to_all(y, x, 3, 0, 0, n, None, sync)
                shmem.shmem_double_put(x, np.ones(3), 3, 0)
            shmem.shmem_finalize()
            shmem.shmem_finalize()
            calls = [
                lambda: shmem.shmem_double_sum_to_all(y, x, 3, 0, 0, n, None, sync),
                lambda: shmem.shmem_double_put(x, np.ones(3), 3, 0),
                lambda: shmem.shmem_double_g(x, 0),
                lambda: shmem.shmem_malloc(8),
                lambda: shmem.shmem_free(x),
                lambda: shmem.shmem_barrier_all(),
                lambda: shmem.shmem_barrier(0, 0, n, sync),
                lambda: shmem.shmem_long_test(sync, shmem.SHMEM_CMP_EQ, -1),
                lambda: shmem.shmem_sum_reduce(shmem.SHMEM_TEAM_WORLD, y, x, 3),
                lambda: shmem.shmem_quiet(),
                lambda: shmem.shmem_my_pe(),
                lambda: shmem.shmem_init(),
            ]
            for call in calls:
                try:
                    call()
                except StateError:
                    continue
                raise SystemExit("no StateError")
            assert (y == n).all()  # results can still be read
            print(f"refused {len(calls)}\\n", end="", flush=True)
        """),
    )
    assert code == 0, err
    assert out.splitlines() == ["refused 12"] * 2


def test_the_last_of_as_many_ends_stops_the_library():
    code, out, err = run(
        2,
        *program("""
            from redcoll import StateError
            states = [shmem.shmem_query_initialized()]
            shmem.shmem_init()
            shmem.shmem_init_thread(shmem.SHMEM_THREAD_SINGLE)
            shmem.start_pes(0)  # does nothing, because the library has started
            shmem.shmem_init()
            x, y = shmem.ones(3), shmem.zeros(3)
            for _ in range(3):
                states.append(shmem.shmem_query_initialized())
                shmem.shmem_sum_reduce(shmem.SHMEM_TEAM_WORLD, y, x, 3)
                shmem.shmem_finalize()
            states.append(shmem.shmem_query_initialized())
            try:
                shmem.shmem_sum_reduce(shmem.SHMEM_TEAM_WORLD, y, x, 3)
            except StateError:
                print(f"{states} {y[0]}\\n", end="", flush=True)
        """),
    )
    assert code == 0, err
    assert out.splitlines() == ["[False, True, True, True, False] 2.0"] * 2


def test_waiting_for_pes_that_have_left():
    code, out, err = run(
        3,
        *program("""
            import sys
            from redcoll import PeerLostError
            box = shmem.zeros(1, "l")
            shmem.shmem_barrier_all()
            if shmem.shmem_my_pe():
                sys.exit()
            try:
                shmem.shmem_wait_until(box, shmem.SHMEM_CMP_EQ, 3)
            except PeerLostError as error:
                print(error)
        """),
    )
    assert code == 0, err
    assert "wait_until(ivar eq 3), it is 0: all other PEs have left" in out


def test_a_value_from_a_pe_that_then_left():
    """PE 0 waits for a value that the last PE stored before it left."""
    code, out, err = run(
        3,
        *program("""
            import sys, time
            box = shmem.zeros(1, "l")
            shmem.shmem_barrier_all()
            if shmem.shmem_my_pe():
                time.sleep(0.4 * shmem.shmem_my_pe())
                shmem.shmem_long_p(box[0:], shmem.shmem_my_pe(), 0)
                sys.exit()
            shmem.shmem_wait_until(box, shmem.SHMEM_CMP_EQ, 2)
            print("got", box[0])
        """),
    )
    assert code == 0, err
    assert out == "got 2\n"


@pytest.mark.parametrize(
    "waiting",
    [
        "shmem.shmem_wait_until(box, shmem.SHMEM_CMP_EQ, 3)",
        "shmem.shmem_long_sum_to_all(box, box, 1, 0, 0, 2, None, sync)",
    ],
)
def test_an_interrupt_ends_a_wait_at_once(waiting):
    process = launch(
        2,
        *program(f"""
            import os, time
            box, sync = shmem.zeros(1, "l"), shmem.full(1, shmem.SHMEM_SYNC_VALUE, "l")
            shmem.shmem_barrier_all()
            if shmem.shmem_my_pe():
                time.sleep(60)
            print(os.getpid(), flush=True)
            try:
                {waiting}
            except KeyboardInterrupt:
                print("interrupted", time.time(), flush=True)
                shmem.shmem_global_exit(7)
        """),
    )
    try:
        pid = int(process.stdout.readline())
        time.sleep(1)  # by then the PE sleeps between polls
        start = time.time()
        os.kill(pid, signal.SIGINT)
        word, when = process.stdout.readline().split()
        assert word == "interrupted"
        assert float(when) - start < 3
        process.communicate(timeout=30)
        assert process.returncode == 7
    finally:
        process.kill()
        process.communicate()


def test_teams_and_atomics_after_the_end():
    code, out, err = run(
        2,
        *program("""
            import numpy as np
            from redcoll import SUM, StateError
            shmem.shmem_init()
            n = shmem.shmem_n_pes()
            box, other = shmem.zeros(2, "l"), shmem.zeros(2, "l")
            word = shmem.zeros(1, "u8")
            team = shmem.shmem_team_split_strided(shmem.SHMEM_TEAM_WORLD, 0, 1, n)
            ctx = shmem.shmem_team_create_ctx(team, 0)
            EQ, WORLD = shmem.SHMEM_CMP_EQ, shmem.SHMEM_TEAM_WORLD
            calls = [
                lambda: shmem.shmem_long_atomic_inc(box, 0),
                lambda: shmem.shmem_long_atomic_fetch(box, 0),
                lambda: shmem.shmem_long_sum_reduce(WORLD, box, other, 2),
                lambda: shmem.shmem_long_sum_reduce(team, box, other, 2),
                lambda: shmem.shmem_long_sum_inscan(team, box, other, 2),
                lambda: shmem.shmem_long_broadcast(team, box, other, 2, 0),
                lambda: shmem.redcoll_allreduce(team, box, other, 2, SUM),
                lambda: shmem.shmem_team_sync(team),
                lambda: shmem.shmem_long_iput(box, other, 1, 1, 2, 0),
                lambda: shmem.shmem_long_test_all(box, 2, None, EQ, 0),
                lambda: shmem.shmem_long_put_signal(box, other, 2, word, 1, 0, 0),
                lambda: shmem.shmem_signal_fetch(word),
                lambda: shmem.shmem_ctx_long_g(ctx, box, 0),
                lambda: shmem.shmem_ctx_long_g(shmem.SHMEM_CTX_DEFAULT, box, 0),
                lambda: shmem.shmem_test_lock(other),
            ]
            for call in calls:
                call()
            shmem.shmem_barrier_all()
            calls += [
                lambda: shmem.shmem_set_lock(other),
                lambda: shmem.shmem_clear_lock(other),
                lambda: shmem.shmem_team_my_pe(team),
                lambda: shmem.shmem_team_n_pes(WORLD),
                lambda: shmem.shmem_team_destroy(team),
                lambda: shmem.shmem_ctx_destroy(ctx),
                lambda: shmem.shmem_ctx_create(0),
                lambda: shmem.shmem_malloc_with_hints(8, 0),
            ]
            shmem.shmem_finalize()
            for call in calls:
                try:
                    call()
                except StateError:
                    continue
                raise SystemExit("no StateError")
            print(f"refused {len(calls)}\\n", end="", flush=True)
        """),
    )
    assert code == 0, err
    assert out.splitlines() == ["refused 23"] * 2


def test_the_holder_of_a_lock_that_timed_out_elsewhere_still_releases_it(start_job):
    job = start_job(
        """
        import signal
        import redcoll_shmem as shmem
        lock = shmem.zeros(1, "l")

        class Enough(Exception):
            pass

        def stop(*_):
            raise Enough

        signal.signal(signal.SIGALRM, stop)
        if pe == 0:
            shmem.shmem_set_lock(lock)
        shmem.shmem_barrier_all()
        if pe == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                shmem.shmem_barrier_all()
            except Enough:
                say("gave up")
            await_marks("enters", 1)
            time.sleep(1)
            shmem.shmem_clear_lock(lock)
        else:
            mark("enters")
            shmem.shmem_set_lock(lock)
            say("has it")
            shmem.shmem_clear_lock(lock)
        mark("done")
        await_marks("done", 0, 1)
        """,
        2,
    )
    job.wait(30)
    assert [job.lines(pe) for pe in (0, 1)] == [["gave up"], ["has it"]], job.describe()


@pytest.mark.parametrize(
    ("node_size", "asks", "answers"),
    [("", 1, "1 4 0 0"), ("2", 1, "1 2 0 0"), ("2", 3, "1 2 2 0")],
)
def test_queries_on_the_team_of_the_node_are_local(start_job, node_size, asks, answers):
    job = start_job(
        f"""
        import redcoll_shmem as shmem
        shmem.shmem_init()
        if pe == {asks}:
            team = shmem.SHMEM_TEAM_SHARED
            say(shmem.shmem_team_my_pe(team), shmem.shmem_team_n_pes(team),
                shmem.shmem_team_translate_pe(team, 0, shmem.SHMEM_TEAM_WORLD),
                shmem.shmem_team_get_config(team, 0).num_contexts)
        shmem.shmem_barrier_all()
        """,
        4,
        REDCOLL_NODE_SIZE=node_size,
        REDCOLL_TIMEOUT="20",
    )
    job.wait(40)
    assert job.lines(asks) == [answers], job.describe()


def test_split_2d_without_communicators_raises_on_all_and_keeps_the_parent(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        import redcoll_shmem as shmem
        class Full(MPI.Intracomm):
            def Split(self, *_):
                raise MPI.Exception(MPI.ERR_NO_MEM)
        parent = shmem.shmem_team_split_strided(shmem.SHMEM_TEAM_WORLD, 0, 1, n)
        core = parent.core()
        core.comm = Full(core.comm)
        try:
            shmem.shmem_team_split_2d(parent, 2)
        except redcoll.TeamLimitError as error:
            say("MPI makes no more communicators" in str(error))
        core.comm = MPI.Intracomm(core.comm)
        shmem.shmem_team_sync(parent)
        rows, columns = shmem.shmem_team_split_2d(parent, 2)
        say(shmem.shmem_team_n_pes(rows))
        shmem.shmem_barrier_all()
        """,
        3,
        REDCOLL_TIMEOUT="20",
    )
    job.succeed(40)
    wanted = [["True", "2"], ["True", "2"], ["True", "1"]]
    assert [job.lines(pe) for pe in range(3)] == wanted, job.describe()


@pytest.mark.parametrize(
    ("end", "word"),
    [("sys.exit()", "has left"), ("os.kill(os.getpid(), signal.SIGKILL)", "has died")],
)
def test_the_holder_of_a_lock_is_lost(start_job, end, word):
    """A PE that waits for the lock gets an error that names the lost holder."""
    job = start_job(
        f"""
        import signal
        import redcoll_shmem as shmem
        lock = shmem.zeros(1, "l")
        if pe == 1:
            shmem.shmem_set_lock(lock)
        shmem.shmem_barrier_all()
        if pe == 1:
            await_marks("enters", 2)
            time.sleep(0.3)
            {end}
        if pe == 2:
            mark("enters")
            try:
                shmem.shmem_set_lock(lock)
            except redcoll.PeerLostError as error:
                say(error)
            mark("told")
        await_marks("told", 2)
        """,
        3,
        survivors=True,
    )
    job.wait(30)
    (line,) = job.lines(2)
    assert "in the queue behind PE 1: PE 1" in line, job.describe()
    assert word in line, job.describe()
