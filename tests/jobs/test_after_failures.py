"""Test targets, messages and the limit of teams after a failed call."""

import pytest

CALLS = {
    "allreduce": "redcoll.allreduce(y, x, team=team)",
    "reduce": "redcoll.reduce(y, x, root=0, team=team)",
    "scan": "redcoll.scan(y, x, team=team)",
    "reduce_scatter": "redcoll.reduce_scatter(y[: count // 3], x, team=team)",
}
ENDS = {
    # The code that PE 1 runs instead of the call, and the error that PE 2 raises.
    "timeout": ('await_marks("through", 0, 2)', "CollectiveTimeoutError"),
    "exit": ("sys.exit()", "PeerLostError"),
    "interrupt": ('await_marks("through", 0, 2)', "KeyboardInterrupt"),
}


@pytest.mark.parametrize("node_size", ["", "1", "2"])
@pytest.mark.parametrize("end", ENDS)
def test_targets_are_untouched_by_a_call_that_a_member_never_joins(start_job, end, node_size):
    """PE 2 waits in the first call of a new team, and PE 1 never joins the call."""
    instead, error = ENDS[end]
    environment = {"REDCOLL_TIMEOUT": "2" if end == "timeout" else "50"}
    if node_size:
        environment["REDCOLL_NODE_SIZE"] = node_size
    jobs = [
        start_job(
            f"""
            import signal
            from mpi4py import MPI

            def stop(number, frame):
                raise KeyboardInterrupt

            teams = {{count: redcoll.Team.from_comm(MPI.COMM_WORLD) for count in (6, 90_000)}}
            if pe == 1:
                {instead}
            else:
                signal.signal(signal.SIGALRM, stop)
                for count, team in teams.items():
                    x, y = np.arange(count) + pe + 1.0, np.full(count, -7.0)
                    if {end == "interrupt"}:
                        signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
                    try:
                        {call}
                        say("done")
                    except (redcoll.CollectiveError, KeyboardInterrupt) as error:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                        say(type(error).__name__)
                    say(
                        "untouched" if (y == -7).all() else "written",
                        "source as it was" if (x == np.arange(count) + pe + 1).all() else "changed",
                    )
                mark("through")
            """,
            3,
            **environment,
        )
        for call in CALLS.values()
    ]
    for job in jobs:
        job.wait(60)
        told, of_targets = job.lines(2)[::2], job.lines(2)[1::2]
        # If PE 0 is interrupted first, PE 2 raises PeerLostError instead of KeyboardInterrupt.
        assert len(told) == 2, job.describe()
        assert set(told) <= ({error, "PeerLostError"} if end != "exit" else {error}), job.describe()
        assert of_targets == ["untouched source as it was"] * 2, job.describe()


def test_timeout_between_nodes_is_printed_before_it_is_sent(start_job):
    """A send to a dead host can crash MPI, so the line on stderr comes first."""
    job = start_job(
        """
        if pe == 1:
            await_marks("through", 0)
        else:
            try:
                reduce()
            except redcoll.CollectiveTimeoutError:
                mark("through")
                raise
        """,
        2,
        REDCOLL_NODE_SIZE="1",
        REDCOLL_TIMEOUT="1",
    )
    job.fail()
    [line] = [line for line in job.err.splitlines() if "gives up" in line]
    start = "redcoll: PE 0 gives up: "
    assert line[line.index("redcoll:") :].startswith(start), job.describe()
    assert "PE 1 did not arrive within 1 s (REDCOLL_TIMEOUT)" in line, job.describe()


def test_broken_team_of_a_set_counts_to_the_limit(start_job):
    job = start_job(
        """
        broken, new = redcoll.ActiveSet(0, 0, 2), redcoll.ActiveSet(0, 0, 3)
        if pe < 2:
            say(*reduce(active_set=broken))
            try:
                if pe == 1:
                    await_marks("gave up", 0)
                reduce(active_set=broken)
                # PE 0 published its data before it timed out, so PE 1 completes the call above.
                reduce(active_set=broken)
            except redcoll.CollectiveError as error:
                say(type(error).__name__)
            mark("gave up")
        redcoll.world.start().team.watch.timeout_s = 30
        if pe < 3:
            try:
                reduce(active_set=new)
            except redcoll.TeamLimitError as error:
                say("REDCOLL_MAX_TEAMS" in str(error))
        say(*reduce())
        """,
        4,
        REDCOLL_MAX_TEAMS="2",
        REDCOLL_TIMEOUT="2",
    )
    job.succeed()
    assert job.lines(0) == ["3.0 3.0", "CollectiveTimeoutError", "True", "10.0 10.0"]
    assert job.lines(1) == ["3.0 3.0", "PeerLostError", "True", "10.0 10.0"]
    assert job.lines(2) == ["True", "10.0 10.0"]


@pytest.mark.parametrize("node_size", ["", "1"])
@pytest.mark.parametrize("end", ["timeout", "exit", "other call"])
def test_profile_ends_if_a_rank_raises_in_its_block(start_job, end, node_size):
    """PE 1 raises in the block and continues, while PE 0 reaches the end of the block."""
    job = start_job(
        f"""
        reduce()
        try:
            with redcoll.profile() as p:
                reduce()
                if pe == 1:
                    raise LookupError("own")
        except Exception as error:
            say(type(error).__name__, [row.calls for row in p.rows()], p.is_complete)
            mark("through")
        if {end!r} == "timeout" and pe == 1:
            await_marks("through", 0)
        if {end!r} == "other call":
            if pe == 1:
                try:
                    reduce()
                except redcoll.CollectiveMismatchError as error:
                    say("profile()" in str(error))
            with redcoll.profile() as p:  # the team is usable
                reduce()
            say([row.calls for row in p.rows()], p.is_complete)
        """,
        REDCOLL_TIMEOUT="1" if end == "timeout" else "50",
        REDCOLL_NODE_SIZE=node_size,
    )
    job.succeed(20)
    error = {"timeout": "CollectiveTimeoutError", "exit": "PeerLostError"}
    after = {0: [], 1: ["True"]} if end == "other call" else {}
    for pe, name in enumerate((error.get(end, "CollectiveMismatchError"), "LookupError")):
        last = ["[2] True"] if end == "other call" else []
        expected = [f"{name} [1] False", *after.get(pe, []), *last]
        assert job.lines(pe) == expected, job.describe()


def test_profile_of_the_job_allows_no_block(start_job):
    job = start_job(
        """
        try:
            with redcoll.profile():
                reduce()
        except redcoll.StateError as error:
            say("REDCOLL_PROFILE" in str(error))
        for _ in range(3):
            reduce()
        """,
        REDCOLL_PROFILE="./profile.txt",
    )
    job.succeed(20)
    assert job.lines(0) == job.lines(1) == ["True"], job.describe()
    assert " 6 calls" in (job.directory / "profile.txt").read_text()


def test_profile_puts_all_functions_back(start_job):
    """A profile restores all functions, even if its block imports redcoll.MPI."""
    job = start_job(
        """
        import types

        for _ in range(2):
            with redcoll.profile() as p:
                from redcoll import MPI

                MPI.COMM_WORLD.Allreduce(np.ones(2), np.empty(2))
                MPI.COMM_WORLD.allreduce(1.0)
                reduce()
                redcoll.mean(np.ones(2))
            say(sorted(row.call for row in p.rows()))
            calls = redcoll.allreduce, redcoll.mean, MPI.Intracomm.allreduce
            say(all(type(call) is types.FunctionType for call in calls))
            say(redcoll.allreduce.__code__.co_name)
        """,
        REDCOLL_REPORT="0",
    )
    job.succeed(20)
    calls = str(["Allreduce", "allreduce", "redcoll.allreduce", "redcoll.mean"])
    for pe in range(2):
        assert job.lines(pe) == [calls, "True", "allreduce"] * 2, job.describe()
