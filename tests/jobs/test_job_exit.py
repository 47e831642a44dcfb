"""Test that jobs end with a reason after Ctrl-C, killed processes, early exits and exceptions."""

import os
import re
import signal
import textwrap
import time

import pytest
from jobs.conftest import PRELUDE

# A PE that has waited for this time sleeps between its polls.
NAPS_BY_THEN_S = 0.2

# Calls in which all other PEs wait for PE 1.
WAITS = {
    "small": "reduce()",
    "chunks": "reduce(200_000)",
    "barrier": "redcoll.barrier()",
    "allocation": "redcoll.zeros(5)",
    "first use of a set": "reduce(active_set=redcoll.ActiveSet(0, 0, 2))",
}


def waiting(name, what, *, raises=True):
    """Return a program in which PE 1 runs ``what`` while the other PEs wait for PE 1."""
    others = [0] if name == "first use of a set" else [0, 2]
    return f"""
        import signal
        reduce()
        if pe == 1:
            await_marks("enters", *{others})
            time.sleep({NAPS_BY_THEN_S})
            mark("ready")
            {what}
        elif pe in {others}:
            mark("enters")
            try:
                {WAITS[name]}
                say("came through")
            except redcoll.PeerLostError as error:
                gone = float(open(os.path.join(DIR, "gone")).read())
                say(f"{{time.time() - gone:.2f}} s: {{error}}")
                {"raise" if raises else "pass"}
            finally:
                mark("told")
        else:
            await_marks("told", 0)
        """


def lost(name, how, *, raises=True):
    """Return a program in which PE 1 ends while the other PEs wait for PE 1."""
    note = "open(os.path.join(DIR, 'gone'), 'w').write(repr(time.time()))"
    return waiting(name, f"{note}; {how}", raises=raises)


def soon_gone(job):
    """Wait until all other PEs wait for PE 1; record the time before the test ends PE 1."""
    job.pid(1, "ready")
    (job.directory / "gone").write_text(repr(time.time()))


def check_reports(job, words, pes=(0, 2)):
    """Check that each PE that wrote a report named PE 1 within 2 s.

    The job may end before all PEs have written a report.
    """
    said = [line for pe in pes for line in job.lines(pe)]
    assert said, job.describe()
    for line in said:
        after, _, text = line.partition(" s: ")
        assert float(after) < 2, job.describe()
        assert f"PE 1 {words}" in text, job.describe()


# -- a process dies -----------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.quick
@pytest.mark.parametrize("name", WAITS)
def test_a_killed_process_is_named_and_the_job_ends(start_job, name):
    job = start_job(lost(name, "os.kill(os.getpid(), signal.SIGKILL)"), 3, survivors=True)
    job.wait(30)
    check_reports(job, "has died")
    assert "PeerLostError" in job.err
    job.wait_until_gone()


def test_a_process_killed_in_the_middle_of_a_long_call(start_job):
    """PE 1 is killed in the middle of a call with many chunks."""
    job = start_job(
        """
        import signal, threading
        reduce()
        if pe == 1:
            threading.Timer(0.7, os.kill, [os.getpid(), signal.SIGKILL]).start()
        try:
            while True:
                reduce(300_000)
        except redcoll.PeerLostError as error:
            say(error)
            raise
        """,
        3,
        survivors=True,
    )
    job.wait(30)
    said = [line for pe in (0, 2) for line in job.lines(pe)]
    assert said, job.describe()
    assert all("PE 1 has died" in line for line in said), job.describe()
    job.wait_until_gone()


def test_all_but_one_killed(start_job):
    job = start_job(
        """
        import signal
        reduce()
        if pe:
            os.kill(os.getpid(), signal.SIGKILL)
        reduce()
        """,
        3,
        survivors=True,
    )
    job.wait(30)
    assert "PeerLostError" in job.err
    assert "has died" in job.err
    job.wait_until_gone()


def test_a_survivor_that_handles_the_loss_still_ends(start_job):
    """The survivor skips MPI_Finalize, which would wait for the dead process forever."""
    program = lost("small", "os.kill(os.getpid(), signal.SIGKILL)", raises=False)
    job = start_job(program, 3, survivors=True)
    job.wait(30)
    check_reports(job, "has died")
    job.wait_until_gone()


def test_a_killed_process_under_the_launchers_own_rules(start_job):
    """With its default options the launcher ends the job itself, and no process remains."""
    job = start_job(lost("small", "os.kill(os.getpid(), signal.SIGKILL)"), 3)
    job.fail(30)
    job.wait_until_gone()


# -- a process leaves early ---------------------------------------------------------------------


@pytest.mark.parametrize("how", ["sys.exit(0)", "sys.exit(3)", "raise SystemExit", "sys.exit('x')"])
@pytest.mark.parametrize("name", WAITS)
def test_a_pe_that_returns_early_is_named_and_the_job_ends(start_job, name, how):
    if how != "sys.exit(0)" and name not in ("small", "first use of a set"):
        pytest.skip("the other waits are tried with exit code 0")
    job = start_job(lost(name, how), 3)
    job.fail(30)
    check_reports(job, "has left the job")
    assert "PeerLostError" in job.err
    job.wait_until_gone()


@pytest.mark.smoke
@pytest.mark.quick
def test_a_pe_that_runs_off_the_end_of_its_program(start_job):
    job = start_job(
        """
        reduce()
        if pe != 1:
            reduce()
        """,
        3,
    )
    job.fail(30)
    assert "PE 1 has left the job" in job.err
    job.wait_until_gone()


def test_a_pe_that_finalizes_mpi_early(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        reduce()
        if pe == 1:
            MPI.Finalize()
        else:
            reduce()
        """,
        3,
    )
    job.fail(30)
    assert "PE 1 has left the job" in job.err
    job.wait_until_gone()


def test_os_exit_does_not_hang_the_others(start_job):
    """No exit handler runs, but the launcher or the other PEs notice the exit."""
    job = start_job(lost("small", "os._exit(0)"), 3)
    job.wait(30)
    job.wait_until_gone()


def test_others_that_handle_an_early_return_end_in_order(start_job):
    job = start_job(lost("small", "sys.exit(0)", raises=False), 3)
    job.succeed(30)
    check_reports(job, "has left the job")


def test_unfreed_windows_in_a_different_order_on_each_pe(start_job):
    """Open MPI frees windows in the order of its slots, which differs between PEs.

    A new window takes a slot that an earlier window has left.
    """
    job = start_job(
        """
        from redcoll import MPI
        world = MPI.COMM_WORLD
        def make(*members):
            if pe not in members:
                return None
            comm = world.Create_group(world.group.Incl(members))
            assert comm.allreduce(1) == len(members)
            return comm
        last_two = make(1, 2)
        first_two = make(0, 1)
        if last_two is not None:
            last_two.Free()
        again = make(0, 1)
        say("came through")
        """,
        3,
    )
    job.succeed(30)
    assert [job.lines(pe) for pe in range(3)] == [["came through"]] * 3


def test_a_pe_may_be_done_before_the_others(start_job):
    """A PE that leaves causes an error only on PEs that wait for this PE."""
    job = start_job(
        """
        reduce()
        if pe < 2:
            for _ in range(20):
                time.sleep(0.05)
                result = reduce(active_set=redcoll.ActiveSet(0, 0, 2))
            say(*result)
        """,
        4,
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["3.0 3.0"]
    assert "redcoll" not in job.err


# -- a process dies while others exit -----------------------------------------------------------

DEATHS = {
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "os._exit": "os._exit(0)",
}

MOMENTS = {
    "before the others end": """
        if pe == 1:
            mark("dies")
            {death}
        await_marks("dies", 1)
        while is_running(1):
            time.sleep(0.01)
        """,
    "when the others have ended": """
        if pe == 1:
            await_marks("ends", 0, 2)
            time.sleep({naps_by_then})
            {death}
        mark("ends")
        """,
    "in its own end": """
        def last():
            await_marks("ends", 0, 2)
            time.sleep({naps_by_then})
            {death}
        if pe == 1:
            atexit.register(last)
        mark("ends")
        """,
    "once it has left": """
        def die():
            # During this sleep all other PEs leave, and wait for PE 1 to free windows together.
            time.sleep({naps_by_then})
            {death}
        if pe == 1:
            redcoll.liveness.shutdown._frees.clear()
            redcoll.liveness.shutdown._ends.append(die)
        """,
}


@pytest.mark.parametrize("node_size", ["", "1", "2"])
@pytest.mark.parametrize(
    ("death", "moment"),
    [
        *(("SIGKILL", moment) for moment in MOMENTS),
        ("SIGTERM", "when the others have ended"),
        ("os._exit", "when the others have ended"),
    ],
)
def test_a_rank_that_dies_at_the_end_is_named_and_the_job_ends(start_job, death, moment, node_size):
    body = MOMENTS[moment].format(death=DEATHS[death], naps_by_then=NAPS_BY_THEN_S)
    job = start_job(
        f"""
        import atexit, signal
        import redcoll.liveness.shutdown
        def is_running(other):
            pid = open(os.path.join(DIR, f"pid-{{other}}")).read()
            try:
                return open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()[0] not in "ZX"
            except OSError:
                return False
        reduce()
        {textwrap.indent(textwrap.dedent(body), " " * 8).strip()}
        """,
        3,
        survivors=True,
        REDCOLL_NODE_SIZE=node_size,
    )
    job.wait(30)
    pid = job.pid(1)
    assert re.search(rf"^redcoll: .*PE 1 has died \(process {pid} on ", job.err, re.MULTILINE), (
        job.describe()
    )
    job.wait_until_gone()


def test_a_rank_that_dies_while_others_finalize_mpi_is_named(start_job):
    job = start_job(
        """
        import signal
        from mpi4py import MPI
        reduce()
        if pe == 1:
            await_marks("ends", 0, 2)
            os.kill(os.getpid(), signal.SIGKILL)
        mark("ends")
        MPI.Finalize()
        """,
        3,
        survivors=True,
    )
    job.wait(30)
    assert "redcoll: end of the job: PE 1 has died" in job.err, job.describe()
    job.wait_until_gone()


def test_an_abort_ends_all_processes_although_the_launcher_does_not_answer(start_job):
    job = start_job(
        """
        import signal
        reduce()
        if pe == 0:
            say(os.getppid())
            os.kill(os.getppid(), signal.SIGSTOP)
            raise RuntimeError
        try:
            reduce()
        except redcoll.PeerLostError:
            say("PeerLostError")
            raise
        """,
        2,
    )
    job.pid(0)
    job.pid(1)
    try:
        job.wait_until_gone(20)
        assert job.lines(1) == ["PeerLostError"], job.describe()
    finally:
        # MPICH's process that starts the PEs has a session of its own.
        for parent in job.lines(0):
            os.kill(int(parent), signal.SIGKILL)


# -- exit codes and exit handlers ---------------------------------------------------------------


@pytest.mark.parametrize("use", ["redcoll.init()", "from redcoll import MPI"])
def test_exit_codes_of_ranks_that_reach_the_end(start_job, use):
    """All ranks finalize MPI before they exit, so the launcher returns the exit code of PE 1."""
    job = start_job(
        f"""
        import redcoll, sys
        {use}
        from mpi4py import MPI
        sys.exit(3 if MPI.COMM_WORLD.rank == 1 else 0)
        """,
        3,
        prelude=False,
    )
    assert job.fail(30) == 3, job.describe()
    assert "redcoll" not in job.err, job.describe()


def test_collective_calls_in_exit_handlers(start_job):
    """Calls work in handlers registered after redcoll's import, and raise in earlier handlers."""
    job = start_job(
        """
        import atexit
        def early():
            try:
                reduce()
            except redcoll.StateError:
                say("StateError")
        atexit.register(early)
        """
        + textwrap.indent(PRELUDE, " " * 8)
        + """
        reduce()
        atexit.register(lambda: say(*reduce()))
        atexit.register(lambda: say(*reduce(100_000)))
        """,
        3,
        prelude=False,
    )
    job.succeed(30)
    said = [["6.0 6.0", "6.0 6.0", "StateError"]] * 3
    assert [job.lines(pe) for pe in range(3)] == said, job.describe()


def test_an_exit_handler_that_raises_on_one_rank(start_job):
    """PE 1's exit handler raises. The other ranks' handlers wait for PE 1, and raise, too."""
    job = start_job(
        """
        import atexit
        def last():
            if pe == 1:
                raise KeyError("at exit")
            try:
                reduce()
            except redcoll.PeerLostError as error:
                say(error)
        reduce()
        atexit.register(last)
        """,
        3,
    )
    job.succeed(30)
    assert "KeyError: 'at exit'" in job.err, job.describe()
    for pe in (0, 2):
        assert len(job.lines(pe)) == 1, job.describe()
        assert "PE 1 has left the job" in job.lines(pe)[0], job.describe()


@pytest.mark.parametrize("end", ["", "MPI.Finalize()"], ids=["returns", "finalizes MPI"])
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_while_a_rank_waits_at_its_end(start_job, number, end):
    """The signal raises an exception on PE 0. All PEs end, even PE 1, which still computes."""
    job = start_job(
        f"""
        import atexit, signal
        from mpi4py import MPI
        from redcoll.liveness import shutdown
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
        reduce()
        wait_at_exit = shutdown.wait_at_exit
        def marked(*arguments):
            mark("ends")
            wait_at_exit(*arguments)
        shutdown.wait_at_exit = marked
        if pe == 1:
            time.sleep(60)
        {end}
        """,
        3,
    )
    for pe in (0, 2):
        job.pid(pe, "ends")
    os.kill(job.pid(0), getattr(signal, number))
    job.wait_until_gone(10)
    job.fail(15)
    error = {"SIGINT": "KeyboardInterrupt", "SIGTERM": "SystemExit"}[number]
    assert f"redcoll: end of the job: {error}" in job.err, job.describe()


def test_sigint_while_a_failed_rank_waits_for_the_others(start_job):
    """After an interrupt the failed rank no longer waits, but aborts the job at once."""
    job = start_job(
        """
        from redcoll.liveness import shutdown
        shutdown._GRACE_S = 60
        receive_notices = shutdown.receive_notices
        def marked():
            mark("waits")
            receive_notices()
        shutdown.receive_notices = marked
        if pe == 1:
            time.sleep(120)
        raise ValueError("what went wrong")
        """,
        2,
    )
    os.kill(job.pid(0, "waits"), signal.SIGINT)
    job.wait_until_gone(20)
    job.fail(15)
    assert "ValueError: what went wrong" in job.err, job.describe()


def test_second_sigint_while_a_rank_aborts_the_job(start_job):
    """A PE can get SIGINT twice, from the launcher and from the terminal.

    All PEs end, even PE 1, which still computes.
    """
    job = start_job(
        """
        from redcoll.liveness import aborting, shutdown
        aborting._TIME_TO_PRINT_S = 60
        aborting.before_abort(lambda: mark("aborts"))
        wait_at_exit = shutdown.wait_at_exit
        def marked(*arguments):
            mark("ends")
            wait_at_exit(*arguments)
        shutdown.wait_at_exit = marked
        if pe == 1:
            time.sleep(120)
        """,
        2,
    )
    job.pid(0, "ends")
    os.kill(job.pid(0), signal.SIGINT)
    os.kill(job.pid(0, "aborts"), signal.SIGINT)
    job.wait_until_gone(20)
    job.fail(15)


def test_waits_import_no_module(start_job):
    """Python drops a KeyboardInterrupt that it raises while an import releases its lock."""
    job = start_job(
        """
        from redcoll.liveness import shutdown
        reduce()
        modules = set(sys.modules)
        if pe == 1:
            time.sleep(2)  # the other PEs look for dead processes
        reduce()
        say(sorted(set(sys.modules) - modules))
        wait_at_exit = shutdown.wait_at_exit
        def checked(*arguments):
            start = time.monotonic()
            wait_at_exit(*arguments)
            if time.monotonic() - start > 1:
                say("end", sorted(set(sys.modules) - modules))
        shutdown.wait_at_exit = checked
        if pe == 1:
            time.sleep(2)
        """,
        2,
    )
    job.succeed(30)
    assert [job.lines(pe) for pe in range(2)] == [["[]", "end []"], ["[]"]], job.describe()


# -- exceptions ---------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.quick
@pytest.mark.parametrize("name", WAITS)
def test_an_exception_on_one_pe_ends_the_job(start_job, name):
    job = start_job(lost(name, "raise KeyError('what went wrong')"), 3)
    job.fail(30)
    assert "KeyError: 'what went wrong'" in job.err
    assert "Traceback" in job.err
    check_reports(job, "has left the job")
    job.wait_until_gone()


def test_an_exception_on_the_only_pe(start_job):
    job = start_job("reduce()\nraise KeyError('alone')\n", 1)
    job.fail()
    assert "KeyError: 'alone'" in job.err


def test_the_same_exception_on_all_pes(start_job):
    """Each traceback is in one piece, although several processes print at the same time."""
    job = start_job(
        """
        x = redcoll.zeros(1 << 60)
        """,
        5,
    )
    job.fail(30)
    reports = re.findall(
        r"^Traceback \(most recent call last\):\n(?:  .*\n)+(redcoll\S*)\.HeapError: (.*)\n",
        job.err,
        re.MULTILINE,
    )
    assert len(reports) == 5, job.describe()
    assert len(set(reports)) == 1, job.describe()
    job.wait_until_gone()


@pytest.mark.parametrize(
    ("call", "error", "setting"),
    [
        ("redcoll.zeros(1 << 60)", "HeapError", {}),
        ("redcoll.init()", "ConfigError", {"REDCOLL_SMALL_BYTES": "x"}),
        ("redcoll.init()", "ConfigError", {"REDCOLL_TIMEOUT": "soon"}),
        ("pvm_mytid()", "ConfigError", {"REDCOLL_MAX_GROUPS": "no"}),
    ],
)
def test_a_traceback_is_written_at_once(start_job, call, error, setting):
    """A single write prints the traceback, even if redcoll has not started."""
    job = start_job(
        f"""
        import atexit, os, sys

        class Pieces(list):
            write = list.append
            def flush(self):
                pass

        sys.stderr = pieces = Pieces()
        atexit.register(lambda: os.write(1, repr(["{error}" in each for each in pieces]).encode()))
        import redcoll
        from redcoll_pvm import *
        {call}
        """,
        1,
        prelude=False,
        **setting,
    )
    job.fail()
    assert job.out == "[True]", job.describe()


def test_a_mismatch_that_no_rank_handles(start_job):
    job = start_job("reduce(4 + pe)\n", 3)
    job.fail(30)
    assert "CollectiveMismatchError" in job.err
    assert "PE 1 called allreduce(op=SUM, type=float64, count=5)" in job.err
    job.wait_until_gone()


@pytest.mark.alone
def test_an_exception_before_the_others_arrive(start_job):
    """If a PE has failed, calls of the other PEs raise at once, before the job is aborted."""
    job = start_job(
        """
        reduce()
        if pe == 1:
            raise KeyError("early")
        time.sleep(1)
        start = time.monotonic()
        try:
            reduce()
        finally:
            say(time.monotonic() - start < 2)
        """,
        3,
    )
    job.fail(30)
    assert "KeyError: 'early'" in job.err
    said = job.lines(0) + job.lines(2)
    assert said
    assert set(said) == {"True"}
    job.wait_until_gone()


def test_an_exception_ends_the_job_if_no_thread_can_start(start_job):
    """The PE that fails shares no team with the other PE, so it ends the job after some time."""
    job = start_job(
        """
        import os, sys, threading, time
        import redcoll
        from mpi4py import MPI
        redcoll.Team.from_comm(MPI.COMM_SELF)
        if MPI.COMM_WORLD.Get_rank() == 1:
            def refuse(thread):
                raise RuntimeError("can't start new thread")
            threading.Thread.start = refuse
            raise KeyError("uncaught")
        time.sleep(600)
        """,
        2,
        prelude=False,
    )
    job.fail(30)
    assert "KeyError: 'uncaught'" in job.err


def test_an_exception_inside_a_function_of_the_user(start_job):
    job = start_job(
        """
        def bad(a, b):
            if pe == 1:
                raise KeyError("inside")
            return a
        redcoll.allreduce(np.zeros(3), np.ones(3), bad)
        """,
        3,
    )
    job.fail(30)
    assert "KeyError: 'inside'" in job.err
    assert "RemoteOpError" in job.err
    job.wait_until_gone()


def test_a_program_with_an_excepthook_of_its_own(start_job):
    """The hook is called, whether it was set before or after redcoll's first call."""
    for when in ("before", "after"):
        job = start_job(
            f"""
            def hook(kind, error, traceback):
                say("hooked", kind.__name__)
            if {when == "before"}:
                sys.excepthook = hook
            reduce()
            sys.excepthook = hook
            if pe == 1:
                raise KeyError
            reduce()
            """,
            2,
        )
        job.fail(30)
        assert job.lines(1) == ["hooked KeyError"], job.describe()
        job.wait_until_gone()


# -- signals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["small", "chunks", "barrier", "first use of a set"])
@pytest.mark.parametrize("busy", ["time.sleep(60)", "while True: pass"], ids=["sleeps", "computes"])
def test_ctrl_c_ends_a_waiting_job_at_once(start_job, name, busy):
    """The launcher gets SIGINT, as from a terminal, while other PEs wait for PE 1."""
    job = start_job(waiting(name, busy), 3)
    soon_gone(job)
    job.process.send_signal(signal.SIGINT)
    job.wait_until_gone(5)
    job.fail(15)


@pytest.mark.smoke
@pytest.mark.quick
def test_sigint_to_one_waiting_pe_ends_the_job(start_job):
    """The signal to PE 0 also ends PE 1, which is not in redcoll, and PE 2, which waits."""
    job = start_job(waiting("small", "time.sleep(60)"), 3)
    soon_gone(job)
    os.kill(job.pid(0), signal.SIGINT)
    job.wait_until_gone(5)
    job.fail(15)
    assert "KeyboardInterrupt" in job.err


def test_sigint_to_a_pe_that_computes_ends_the_job(start_job):
    job = start_job(waiting("small", "while True: pass"), 3)
    soon_gone(job)
    os.kill(job.pid(1), signal.SIGINT)
    job.fail(15)
    assert "KeyboardInterrupt" in job.err
    check_reports(job, "has left the job")
    job.wait_until_gone()


def test_an_interrupt_that_the_program_handles_breaks_the_team_only(start_job):
    job = start_job(
        """
        if pe == 1:
            await_marks("interrupted", 0)
            sys.exit(0)
        try:
            mark("ready")
            reduce()
        except KeyboardInterrupt:
            say("interrupted")
            mark("interrupted")
        try:
            reduce()
        except redcoll.TeamBrokenError as error:
            say("KeyboardInterrupt" in str(error))
        """,
        2,
    )
    job.pid(0, "ready")
    time.sleep(NAPS_BY_THEN_S)
    os.kill(job.pid(0), signal.SIGINT)
    job.wait(30)
    assert job.lines(0) == ["interrupted", "True"], job.describe()
    job.wait_until_gone()


def test_other_signals_are_handled_while_waiting(start_job):
    """A signal handler of the program runs during a wait, which then continues."""
    job = start_job(
        """
        import signal
        signal.signal(signal.SIGUSR2, lambda *_: (say("handled"), mark("handled")))
        mark("ready")
        if pe == 1:
            await_marks("handled", 0)
        say(*reduce())
        """,
        2,
    )
    job.pid(0, "ready")
    time.sleep(NAPS_BY_THEN_S)
    os.kill(job.pid(0), signal.SIGUSR2)
    job.succeed()
    assert job.lines(0) == ["handled", "3.0 3.0"]
