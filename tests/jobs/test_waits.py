"""Test waits in whole jobs: pending messages, deadlines, warnings, and the cost of waiting."""

import os
import signal
import time

import pytest

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("call", ["reduce()", "reduce(50_000)", "redcoll.barrier()"])
def test_pending_messages_move_while_waiting(start_job, call):
    """PE 0 starts to send 10 MB and makes the call. PE 1 receives before it makes the call."""
    job = start_job(
        f"""
        from mpi4py import MPI
        data = np.arange(1_250_000.0)
        if pe == 0:
            request = MPI.COMM_WORLD.Isend(data, 1)
        else:
            got = np.zeros_like(data)
            MPI.COMM_WORLD.Recv(got, 0)
            assert (got == data).all()
        {call}
        if pe == 0:
            request.Wait()
        say("done", *reduce())
        """,
        REDCOLL_TIMEOUT="50",
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["done 3.0 3.0"]


def test_the_timeout_names_the_absent_members(start_job):
    calls = [
        "reduce()",
        "reduce(50_000)",
        "redcoll.barrier()",
        "redcoll.zeros(5)",
        "reduce(active_set=redcoll.ActiveSet(0, 0, 2))",
    ]
    # Run the jobs at the same time, because they mostly wait.
    jobs = [
        start_job(
            f"""
            if pe == 1:
                time.sleep(60)
            else:
                start = time.monotonic()
                try:
                    {call}
                except redcoll.CollectiveTimeoutError as error:
                    say(f"{{time.monotonic() - start:.2f}} s:", error)
                    raise
            """,
            3,
            REDCOLL_TIMEOUT="2",
        )
        for call in calls
    ]
    for job in jobs:
        job.fail(30)
        said = [line for pe in (0, 2) for line in job.lines(pe)]
        # The PE that times out first may end the job before the other PE writes a line.
        assert said, job.describe()
        for line in said:
            waited, _, text = line.partition(" s: ")
            assert 1.9 < float(waited) < 5.5, job.describe()
            reason = "PE 1 did not arrive within 2 s (REDCOLL_TIMEOUT)"
            assert reason in text, job.describe()
        assert "CollectiveTimeoutError" in job.err


def test_a_late_member_of_a_set_does_not_hang_after_the_others_timed_out(start_job):
    """PE 0 times out in the first use of an active set, and then PE 1 makes the call."""
    job = start_job(
        """
        active = redcoll.ActiveSet(0, 0, 2)
        if pe == 1:
            await_marks("through", 0)
        if pe < 2:
            start = time.monotonic()
            try:
                reduce(active_set=active)
            except redcoll.CollectiveError as error:
                say(type(error).__name__, time.monotonic() - start < 4)
            mark("through")
        # No PE exits before PE 0 and PE 1 have ended their calls.
        await_marks("through", 0, 1)
        """,
        3,
        REDCOLL_TIMEOUT="1",
    )
    job.wait(20)
    assert job.lines(0) == ["CollectiveTimeoutError True"], job.describe()
    assert job.lines(1) in (["PeerLostError True"], ["CollectiveTimeoutError True"]), job.describe()


def test_after_a_timeout_later_calls_raise_team_broken_error_at_once(start_job):
    job = start_job(
        """
        if pe == 1:
            await_marks("through", 0)
        errors = []
        for _ in range(3):
            start = time.monotonic()
            try:
                reduce()
            except redcoll.CollectiveError as error:
                errors.append(type(error).__name__)
            waited = time.monotonic() - start
        say(*errors)
        say("last", waited < 1.5)
        mark("through")
        """,
        REDCOLL_TIMEOUT="2",
    )
    job.wait(30)
    assert job.lines(0) == ["CollectiveTimeoutError TeamBrokenError TeamBrokenError", "last True"]
    # PE 0 published its part of the first round before it timed out, so PE 1 completes that round.
    assert job.lines(1) == ["PeerLostError TeamBrokenError", "last True"]


def test_other_teams_go_on_after_one_is_broken(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        own = redcoll.Team.from_comm(MPI.COMM_WORLD)
        if pe == 0:
            try:
                redcoll.barrier(team=own)
            except redcoll.CollectiveTimeoutError:
                say("timeout")
                mark("timeout")
        else:
            await_marks("timeout", 0)
        say(*reduce())
        """,
        REDCOLL_TIMEOUT="2",
    )
    job.succeed(30)
    assert job.lines(0) == ["timeout", "3.0 3.0"]
    assert job.lines(1) == ["3.0 3.0"]


def test_without_a_timeout_one_line_warns(start_job):
    job = start_job(
        """
        mark("enters")
        if pe == 1:
            await_marks("enters", 0, 2)
            time.sleep(2.5)
        say(*reduce())
        """,
        3,
        REDCOLL_STALL_WARN="1",
    )
    job.succeed()
    lines = [line for line in job.err.splitlines() if "redcoll:" in line]
    assert len(lines) == 2, job.err  # one line from each PE that waits
    for line in lines:
        assert "waiting 1 s for PE 1" in line
        assert "allreduce(op=SUM, type=float64, count=4)" in line


def test_the_first_reduction_on_a_communicator_warns_of_a_late_rank(start_job):
    job = start_job(
        """
        import time
        from redcoll import MPI

        if MPI.COMM_WORLD.rank == 1:
            time.sleep(2.5)
        MPI.COMM_WORLD.allreduce(1)
        """,
        3,
        prelude=False,
        REDCOLL_STALL_WARN="1",
    )
    job.succeed()
    text = "redcoll: first reduction on a communicator of 3: waiting 1 s for all members"
    assert job.err.count(text) == 2, job.err  # one line from each rank that waits


def test_the_first_reduction_on_a_communicator_names_a_killed_rank(start_job):
    job = start_job(
        """
        from redcoll import MPI

        other = MPI.COMM_WORLD.Dup()
        mark("ready")
        if pe == 1:
            time.sleep(60)
        try:
            other.allreduce(1)
        except redcoll.CollectiveError as error:
            say(type(error).__name__, error)
            raise
        """,
        3,
        survivors=True,
    )
    killed = job.pid(1, "ready")
    for pe in (0, 2):
        job.pid(pe, "ready")
    time.sleep(0.5)
    os.kill(killed, signal.SIGKILL)
    job.wait_until_gone(20)
    told = job.lines(0) + job.lines(2)
    assert told, job.describe()
    death = f"first reduction on a communicator of 3: rank 1 has died (process {killed} "
    assert all(line.startswith(f"PeerLostError {death}") for line in told), told


def test_no_warning_before_its_time(start_job):
    job = start_job("time.sleep(pe)\nsay(*reduce())\n", 2, REDCOLL_STALL_WARN="30")
    job.succeed()
    assert "redcoll" not in job.err


def test_a_long_wait_costs_little(start_job):
    """A wait of 5 s uses less than a tenth of a core."""
    # Run the jobs at the same time, because they only wait.
    jobs = [
        start_job(
            f"""
            {call}
            if pe == 0:
                await_marks("enters", 1, 2)
                time.sleep(5)
                {call}
            else:
                mark("enters")
                before, start = os.times(), time.monotonic()
                {call}
                after, waited = os.times(), time.monotonic() - start
                used = after.user + after.system - before.user - before.system
                say(f"{{waited:.2f}} {{used:.3f}}")
            """,
            3,
        )
        for call in ("reduce()", "reduce(50_000)", "redcoll.barrier()")
    ]
    for job in jobs:
        job.succeed()
        for pe in (1, 2):
            [line] = job.lines(pe)
            waited, used = map(float, line.split())
            assert waited > 4.5, job.describe()
            assert used < 0.1 * waited, job.describe()


def test_a_wait_ends_soon_after_the_last_arrival(start_job):
    """A PE that has waited for 2 s notices an arrival within 0.5 s, so its sleeps are short."""
    job = start_job(
        """
        reduce()
        if pe == 0:
            time.sleep(2)
            open(os.path.join(DIR, "entered"), "w").write(repr(time.time()))
            reduce()
        else:
            reduce()
            left = time.time()
            say(left - float(open(os.path.join(DIR, "entered")).read()))
        """,
    )
    job.succeed()
    assert float(job.lines(1)[0]) < 0.5


@pytest.mark.parametrize(("node_size", "kernel"), [("", "auto"), ("1", "numpy"), ("2", "auto")])
def test_the_deadline_of_a_block_ends_waits_of_every_api(start_job, node_size, kernel):
    """PE 3 is late, and only PE 0 has a deadline. The errors of all PEs name PE 3."""
    job = start_job(
        """
        import redcoll_pvm as pvm
        import redcoll_shmem as shmem
        from redcoll import MPI
        comm = MPI.COMM_WORLD.Dup()
        comm.allreduce(1)
        tid = pvm.pvm_mytid()
        box = redcoll.zeros(1, "i4")

        def attempt(name, call):
            start = time.monotonic()
            try:
                with redcoll.timeout(0.3, name):
                    call()
            except redcoll.CollectiveTimeoutError as error:
                waited = time.monotonic() - start
                say(0.3 <= waited < 10, name, *str(error).split(" (waited ")[:1])

        def call_until_lost(call):
            try:
                while True:
                    call()
            except redcoll.PeerLostError as error:
                say(str(error).split(": ")[1].partition(";")[0])

        if pe == 0:
            attempt("word", lambda: shmem.shmem_int_wait_until(box, shmem.SHMEM_CMP_EQ, 8))
            attempt("message", lambda: pvm.pvm_recv(-1, 77))
        for name, call in {
            "mpi": lambda: comm.Allreduce(np.ones(3), np.ones(3)),
            "core": lambda: redcoll.barrier(),
        }.items():
            if pe == 0:
                attempt(name, call)
                mark(name)
            else:
                if pe == 3:
                    await_marks(name, 0)
                call_until_lost(call)
            mark("lost in " + name)
            await_marks("lost in " + name, *range(n))
        """,
        4,
        REDCOLL_KERNEL=kernel,
        **({"REDCOLL_NODE_SIZE": node_size} if node_size else {}),
    )
    job.wait(40)
    wanted = {
        "word": "wait_until(ivar eq 8), it is 0: no PE changed it",
        "message": "pvm_recv of tag 77 from any task: PE 1, PE 2, PE 3 did not arrive",
        "mpi": "allreduce(op=SUM, type=float64, count=3): rank 3 did not arrive",
        "core": "barrier(): PE 3 did not arrive",
    }
    assert job.lines(0) == [
        f"True {name} {text} within timeout '{name}' of 0.3 s" for name, text in wanted.items()
    ], job.describe()
    for name, rank in (("mpi", "rank"), ("core", "PE")):
        by_0 = f"{rank} 0 gave up waiting for {rank} 3 in timeout '{name}' of 0.3 s"
        lost = [job.lines(pe)[name == "core"] for pe in (1, 2, 3)]
        assert by_0 in lost, job.describe()
        # A line may name a rank that has raised PeerLostError earlier, instead of rank 0.
        assert all(f" gave up waiting for {rank} 3" in line for line in lost), job.describe()
