"""Test targets, messages and the limit of teams after a failed call."""

import pytest

CALLS = {
    "allreduce": "redcoll.allreduce(y, x, team=team)",
    "reduce": "redcoll.reduce(y, x, root=0, team=team)",
    "scan": "redcoll.scan(y, x, team=team)",
    "reduce_scatter": "redcoll.reduce_scatter(y[: count // 3], x, team=team)",
}
ENDS = {
    # By name: the code that PE 1 runs instead of the call, and the error that PE 2 raises.
    "timeout": ('await_marks("through", 0, 2)', "CollectiveTimeoutError"),
    "exit": ("sys.exit()", "PeerLostError"),
    "interrupt": ('await_marks("through", 0, 2)', "KeyboardInterrupt"),
}


@pytest.mark.parametrize("node_size", ["", "1", "2"])
@pytest.mark.parametrize("end", ENDS)
def test_targets_are_untouched_by_a_call_that_a_member_never_joins(start_job, end, node_size):
    """Each call is the first call of a new team, and PE 2 waits in it."""
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
