"""Test that an interrupted close of a team is completed later."""

import textwrap

import pytest

PROGRAM = """
import contextlib
import signal
import threading
import redcoll_shmem
from mpi4py import MPI
from redcoll.MPI import COMM_WORLD
from redcoll.team import Team
from redcoll.team.lifecycle import Lifecycle

class Stop(Exception):
    pass

def stop(*_):
    raise Stop

signal.signal(signal.SIGALRM, stop)

def interrupt(team):
    while team.life not in begun:
        time.sleep(1e-3)
    time.sleep(0.1)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

real, real_free = Team.close, Lifecycle._free
begun = set()

def free(life):
    begun.add(life)
    return real_free(life)

Lifecycle._free = free

def close(team, **options):
    in_main = threading.current_thread() is threading.main_thread()
    if pe == turn and in_main and not team.is_closing:
        threading.Thread(target=interrupt, args=(team,)).start()
    if turn >= 0 and (pe - turn) % n == n - 2:
        await_marks(f"stopped{turn}", turn)
    real(team, **options)

Team.close = close

def make_team():
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    return lambda: redcoll.barrier(team=team), team.close

def make_comm():
    comm = COMM_WORLD.Dup()
    return (lambda: comm.Allreduce(np.ones(1), np.empty(1))), comm.Free

def make_split():
    team = redcoll_shmem.shmem_team_split_strided(redcoll_shmem.SHMEM_TEAM_WORLD, 0, 1, n, None, 0)
    return (lambda: redcoll_shmem.shmem_team_sync(team)), (
        lambda: redcoll_shmem.shmem_team_destroy(team)
    )

"""


def start(start_job, text, node_size, level="multiple", n=4, **environment):
    """Start a job of 4 PEs, on one node or on simulated nodes."""
    return start_job(
        PROGRAM + textwrap.dedent(text),
        n,
        REDCOLL_NODE_SIZE=node_size,
        MPI4PY_RC_THREAD_LEVEL=level,
        **{"REDCOLL_TIMEOUT": "30", **environment},
    )


def said(job, timeout_s=120):
    """Check that the job ends in time with exit code 0; return the lines of each PE."""
    job.succeed(timeout_s)
    return [job.lines(pe) for pe in range(4)]


@pytest.mark.parametrize(
    ("node_size", "level"),
    [
        ("", "multiple"),
        ("2", "multiple"),
        ("1", "multiple"),
        ("", "serialized"),
        ("", "funneled"),
        ("2", "serialized"),
        ("2", "funneled"),
    ],
)
@pytest.mark.parametrize("way", ["team", "comm", "split"])
def test_a_close_that_is_interrupted_can_be_called_again(start_job, way, node_size, level):
    text = f"""
        assert (MPI.Query_thread() == MPI.THREAD_MULTIPLE) == ("{level}" == "multiple")
        if "{way}" == "split":
            redcoll_shmem.start_pes(0)
        for turn in range(n):
            use, free = make_{way}()
            use()
            try:
                free()
                assert pe != turn
            except Stop:
                assert pe == turn
                try:
                    use()
                except (redcoll.RedcollError, MPI.Exception):
                    pass
                else:
                    say("came through")
                mark(f"stopped{{turn}}")
                free()
        use, free = make_{way}()
        use()
        turn = -1
        free()
        say("done")
        """
    job = start(start_job, text, node_size, level)
    assert said(job) == [["done"]] * 4, job.describe()


@pytest.mark.parametrize(
    ("node_size", "level"),
    [("", "multiple"), ("2", "multiple"), ("2", "serialized"), ("2", "funneled")],
)
def test_a_normal_exit_completes_an_interrupted_close(start_job, node_size, level):
    """The other members wait for PE 1's close, so PE 1 must complete the close at its exit."""
    text = """
        turn = 1
        use, free = make_team()
        use()
        try:
            free()
        except Stop:
            mark("stopped1")
        else:
            say("done")
        """
    job = start(start_job, text, node_size, level)
    assert said(job) == [["done"], [], ["done"], ["done"]], job.describe()


@pytest.mark.parametrize("level", ["multiple", "serialized"])
def test_an_interrupted_close_still_receives_notices_for_neighbours(start_job, level):
    """PE 3 exits during PE 1's close. Only PE 0, PE 1's node leader, is notified of the exit."""
    text = """
        turn = -1
        pair = redcoll.Team.from_comm(MPI.COMM_WORLD.Split(pe // 2))
        turn = 0
        use, free = make_team()
        use()
        if pe == 3:
            await_marks("stopped0", 0)
        else:
            try:
                free()
            except Stop:
                mark("stopped0")
        if pe < 2:
            redcoll.barrier(team=pair)
            say("met")
        """
    job = start(start_job, text, "2", level)
    assert said(job) == [["met"], ["met"], [], []], job.describe()


@pytest.mark.parametrize("node_size", ["", "2"])
def test_a_close_notices_that_another_member_exits(start_job, node_size):
    """A PE announces its exit before it waits for its own unfinished close."""
    text = """
        turn = -1
        other, _ = make_team()
        turn = 1
        use, free = make_team()
        use()
        if pe in (0, 2, 3):
            await_marks("stopped1", 1)
            try:
                other()
            except redcoll.PeerLostError as error:
                say("PE 1 has left the job" in str(error) or "gave up" in str(error))
        turn = 1 if pe == 1 else -1
        try:
            free()
        except Stop:
            mark("stopped1")
        else:
            say("done")
        """
    job = start(start_job, text, node_size)
    told = ["True", "done"]
    assert said(job) == [told, [], told, told], job.describe()


@pytest.mark.parametrize("node_size", ["", "2"])
def test_an_uncaught_interrupt_of_a_close_ends_the_job(start_job, node_size):
    text = """
        turn = 1
        use, free = make_team()
        use()
        free()
        """
    job = start(start_job, text, node_size)
    job.fail(120)
    assert "Stop" in job.err
    job.wait_until_gone()


@pytest.mark.parametrize("level", ["multiple", "serialized"])
def test_the_table_of_groups_outlives_closes_at_exit(start_job, level):
    """At exit, PE 0 waits for PE 2's close, and must still answer PE 2's request for a group."""
    text = """
        from redcoll_pvm import pvm_joingroup, pvm_mytid
        pvm_mytid()
        turn = 0
        use, free = make_team()
        use()
        if pe == 2:
            await_marks("stopped0", 0)
            time.sleep(0.5)
            say(pvm_joingroup("late"))
        try:
            free()
        except Stop:
            mark("stopped0")
        else:
            say("done")
        """
    job = start(start_job, text, "2", level)
    lines = [[], ["done"], ["0", "done"], ["done"]]
    assert said(job) == lines, job.describe()


@pytest.mark.parametrize("node_size", ["", "2", "1"])
@pytest.mark.parametrize("way", ["comm", "split"])
def test_an_interrupted_close_does_not_delay_later_callers(start_job, way, node_size):
    """PE 1 times out in a close. Members that close later must not wait for PE 1."""
    text = f"""
        turn = -1
        if pe == 1:
            os.environ["REDCOLL_TIMEOUT"] = "1"
        redcoll_shmem.start_pes(0)
        use, free = make_{way}()
        use()
        if pe == 1:
            try:
                free()
            except redcoll.CollectiveTimeoutError as error:
                say("did not arrive within 1 s" in str(error))
            mark("gave_up")
        else:
            await_marks("gave_up", 1)
            # Between nodes, the notice about PE 1 may arrive before earlier messages of PE 1.
            with contextlib.suppress(redcoll.PeerLostError):
                free()
        try:
            use()
        except (redcoll.RedcollError, MPI.Exception):
            say("closed")
        mark("done")
        await_marks("done", *range(n))
        """
    job = start(start_job, text, node_size)
    assert said(job, 60) == [["closed"], ["True", "closed"], ["closed"], ["closed"]], job.describe()


@pytest.mark.parametrize("node_size", ["", "2", "1"])
def test_later_callers_name_the_member_that_timed_out_in_a_split(start_job, node_size):
    text = """
        turn = -1
        redcoll_shmem.start_pes(0)
        if pe != 1:
            await_marks("gave_up", 1)
        for _ in range(2):
            try:
                make_split()
            except redcoll.RedcollError as error:
                say(f"{type(error).__name__} {error}")
            mark("gave_up")
        mark("done")
        await_marks("done", *range(n))
        """
    job = start(start_job, text, node_size, REDCOLL_TIMEOUT="2")
    job.succeed(60)
    assert job.lines(1)[0].startswith("CollectiveTimeoutError split"), job.describe()
    for pe in (0, 2, 3):
        assert job.lines(pe)[0].startswith("PeerLostError split"), job.describe()
        assert "gave up" in job.lines(pe)[0], job.describe()
    for pe in range(4):
        assert job.lines(pe)[1].startswith("TeamBrokenError"), job.describe()


@pytest.mark.parametrize("node_size", ["", "2"])
@pytest.mark.parametrize("closes", [True, False])
def test_close_of_a_broken_team_does_not_wait(start_job, closes, node_size):
    """PE 1 times out in a collective. Other members' closes do not wait for PE 1."""
    text = f"""
        turn = -1
        if pe == 1:
            os.environ["REDCOLL_TIMEOUT"] = "1"
        use, free = make_team()
        if pe == 1:
            try:
                use()
            except redcoll.CollectiveTimeoutError:
                say("gave up")
            if {closes}:
                free()
            mark("gave_up")
        else:
            await_marks("gave_up", 1)
            with contextlib.suppress(redcoll.PeerLostError):
                use()
                use()
                say("came through")
            free()
            say("closed")
        mark("done")
        await_marks("done", *range(n))
        """
    job = start(start_job, text, node_size)
    assert said(job, 60) == [["closed"], ["gave up"], ["closed"], ["closed"]], job.describe()


@pytest.mark.parametrize("node_size", ["", "2"])
def test_an_interrupted_close_continues_after_the_window_was_freed(start_job, node_size):
    """PE 1 completes its close alone, even if MPI's thread level allows no helper thread."""
    text = """
        from redcoll.memory.shared_window import SharedWindow
        turn = -1
        use, free = make_team()
        use()
        free_window = SharedWindow.free

        def stop_after(window):
            free_window(window)
            SharedWindow.free = free_window
            raise Stop

        if pe == 1:
            SharedWindow.free = stop_after
            try:
                free()
            except Stop:
                say("stopped")
        free()
        use, free = make_team()
        use()
        free()
        say("closed")
        """
    job = start(start_job, text, node_size, "serialized")
    assert said(job, 60) == [["closed"], ["stopped", "closed"], ["closed"], ["closed"]], (
        job.describe()
    )


@pytest.mark.parametrize("node_size", ["", "1"])
def test_close_interrupted_at_any_step_is_completed_by_the_next_call(start_job, node_size):
    """The second call of close does only the remaining steps. MPI allows no helper thread.

    A handler interrupts the close at each point at which Python runs signal handlers.
    """
    text = """
        import dis
        from redcoll.memory import shared_window
        turn = -1
        left_out = {"are_here", "_are_all", "progress", "receive_notices",
            "<genexpr>", "poll", "_check"}
        parts = ("team/team", "team/lifecycle", "memory/node_scratch", "memory/shared_window",
            "liveness/shield", "internode/span", "internode/notices", "internode/exchange")
        files = {f"{os.path.dirname(redcoll.__file__)}/{part}.py" for part in parts}

        def stop_before(number):
            def trace(frame, event, _):
                code = frame.f_code
                if code.co_filename not in files or code.co_name in left_out:
                    return None
                frame.f_trace_opcodes = True
                # Python runs handlers at the start of a function and after calls.
                if event == "call" or last.get(frame, "").startswith("CALL"):
                    seen[0] += 1
                    if seen[0] == number:
                        sys.settrace(None)
                        raise Stop
                last[frame] = ""
                if event == "opcode":
                    last[frame] = dis.opname[code.co_code[frame.f_lasti]]
                return trace

            seen, last = [0], {}
            sys.settrace(trace)

        comm = MPI.COMM_WORLD.Dup()
        mapped_bytes = shared_window.mapped_bytes()
        number, stopped = 0, 0
        goes_on = True
        while goes_on:
            number += 1
            team = redcoll.Team.from_comm(comm)
            scratch = team.life.scratch if team.node is None else team.life.scratch._scratch
            redcoll.barrier(team=team)
            goes_on = False
            if pe == 1:
                stop_before(number)
                try:
                    team.close()
                except Stop:
                    goes_on = True
                    stopped += 1
                sys.settrace(None)
            team.close()
            assert team.comm == MPI.COMM_NULL and team.node_comm == MPI.COMM_NULL
            assert not scratch.window._win
            assert shared_window.mapped_bytes() == mapped_bytes
            goes_on = comm.bcast(goes_on, 1)
        say(pe != 1 or stopped == number - 1 > 50)
        """
    job = start(start_job, text, node_size, "serialized", n=2)
    job.succeed(100)
    assert job.lines(0) == job.lines(1) == ["True"], job.describe()
