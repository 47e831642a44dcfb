"""Jobs on pretended nodes: what goes wrong on one node reaches the others, and every job ends."""

import textwrap

import pytest

# PEs 0 and 1 are one node, 2 and 3 the other; 0 and 2 are the couriers.
TWO_BY_TWO = {"REDCOLL_NODE_SIZE": "2", "REDCOLL_TIMEOUT": "30"}
APART = {"REDCOLL_NODE_SIZE": "1", "REDCOLL_TIMEOUT": "30"}

# Runs a call and says how it went, and whether that was soon: long before REDCOLL_TIMEOUT. All
# live on until each has done so, so that nobody is found dead.
ATTEMPT = """
from mpi4py import MPI

def attempt(call, soon_s=10):
    start = time.monotonic()
    try:
        call()
        words = "came through"
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
    say("soon" if time.monotonic() - start < soon_s else "late", words)
    mark("attempted")
    await_marks("attempted", *range(n))

"""


def program(text):
    return ATTEMPT + textwrap.dedent(text)


def said(job, n):
    """The one thing that each PE said."""
    lines = [job.lines(pe) for pe in range(n)]
    assert [len(each) for each in lines] == [1] * n, job.describe()
    return [line for [line] in lines]


# -- nodes agree --------------------------------------------------------------------------------


@pytest.mark.parametrize("poor", [0, 1])
def test_a_node_with_little_shared_memory_cuts_vectors_like_the_others(start_job, poor):
    """A chunk as large as fits on one node would not fit the other node's."""
    text = f"""
        from redcoll import team as team_module
        real = team_module.room_bytes
        team_module.room_bytes = lambda comm: 6 << 20 if pe // 2 == {poor} else real(comm)
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        sizes = MPI.COMM_WORLD.allgather((team.chunk_bytes, team.node.chunk_bytes))
        base = np.arange(200_000.0)
        out, scanned = np.empty_like(base), np.empty_like(base)
        redcoll.allreduce(out, base + pe, team=team)
        redcoll.scan(scanned, base + pe, team=team)
        say(len(set(sizes)), (out == 4 * base + 6).all(),
            (scanned == (pe + 1) * base + pe * (pe + 1) // 2).all())
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed()
    assert said(job, 4) == ["1 True True"] * 4


@pytest.mark.parametrize("nth", [1, 2], ids=["of the whole team", "of the node's own"])
def test_no_room_for_scratch_on_one_node_is_an_error_on_all(start_job, nth):
    text = f"""
        from redcoll import window
        class Refuses(window.SharedWindow):
            made = 0
            def __init__(self, comm, *arguments):
                Refuses.made += 1
                if pe >= 2 and Refuses.made == {nth}:
                    raise redcoll.HeapError("no room on this node")
                super().__init__(comm, *arguments)
        real, window.SharedWindow = window.SharedWindow, Refuses
        attempt(lambda: redcoll.Team.from_comm(MPI.COMM_WORLD))
        window.SharedWindow = real
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        out = np.empty(5000)
        redcoll.allreduce(out, np.ones(5000), team=team)
        assert (out == 4).all()
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed()
    assert said(job, 4) == ["soon HeapError: no room on this node"] * 4


# -- a member gives up --------------------------------------------------------------------------


@pytest.mark.parametrize("who", range(4))
@pytest.mark.parametrize("count", [4, 20_000])
def test_a_member_that_breaks_off_is_heard_of_in_every_wait(start_job, who, count):
    """Before its neighbour has come."""
    text = f"""
        import signal
        reduce({count})
        def stop(*_):
            raise RuntimeError("stopped")
        redcoll.barrier()
        if pe == {who}:
            signal.signal(signal.SIGUSR2, stop)
            mark("enters")
        elif pe == {who} ^ 1:
            await_marks("enters", {who})
            time.sleep(0.2)
            os.kill(int(open(os.path.join(DIR, "enters-{who}")).read()), signal.SIGUSR2)
            await_marks("attempted", {who})
        # It may have posted all that the first call needs.
        attempt(lambda: [reduce({count}), reduce({count})])
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(who) == "soon RuntimeError: stopped"
    assert all(line.startswith("soon PeerLostError: ") for line in lines), job.describe()


@pytest.mark.parametrize("end", ["gives up", "returns"])
def test_nodes_that_are_not_told_hear_it_from_others(start_job, end):
    """Node 0 tells nodes 1 and 2; node 3 has the posts of these, and waits for node 0 alone."""
    text = f"""
        redcoll.barrier()
        if pe == 0:
            say("soon")
            mark("attempted")
            if {end!r} == "returns":
                sys.exit()
            redcoll.world.start().team.give_up(RuntimeError("stopped"))
            await_marks("attempted", 1, 2, 3)
        else:
            time.sleep(0.5)
            attempt(redcoll.barrier)
        """
    job = start_job(program(text), 4, **APART)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(0) == "soon"
    assert all(line.startswith("soon PeerLostError: barrier(): PE ") for line in lines), lines


@pytest.mark.parametrize("who", [0, 3])
def test_an_owner_of_a_slice_that_fails_between_two_rounds(start_job, who):
    """Its mates wait for its part of the vector, its neighbours for them; all of it is alive."""
    text = f"""
        reduce(20_000)
        if pe == {who}:
            def fails(*_):
                raise MemoryError("no room")
            redcoll.world.start().team.exchange.begin = fails
        attempt(lambda: reduce(20_000))
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(who) == "soon MemoryError: no room"
    assert all(line.startswith("soon PeerLostError: ") for line in lines), job.describe()


def test_who_waits_only_for_a_mate_to_receive_hears_that_it_gave_up(start_job):
    """Of a reduction to PE 0 alone the other has nothing to receive."""
    text = """
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        source, out = np.ones(1 << 20), np.empty(1 << 20)
        begin, begun = team.exchange.begin, []
        def fails_then(*arguments):
            begun.append(arguments)
            if len(begun) == 3:
                raise MemoryError("no room")
            begin(*arguments)
        if pe == 0:
            team.exchange.begin = fails_then
        attempt(lambda: redcoll.reduce(out, source, root=0, team=team))
        """
    job = start_job(program(text), 2, **APART)
    job.wait(60)
    lines = said(job, 2)
    assert lines[0] == "soon MemoryError: no room"
    assert lines[1].startswith("soon PeerLostError: "), job.describe()


def test_a_team_closed_after_a_failure_leaves_nothing_to_the_next(start_job):
    """Messages that nobody fetched do not reach the next team, nor late ones its memory."""
    text = """
        for turn in range(12):
            team = redcoll.Team.from_comm(MPI.COMM_WORLD)
            out = np.empty(3000)
            redcoll.allreduce(out, np.full(3000, pe + turn + 0.0), team=team)
            assert (out == 4 * turn + 6).all(), out
            if turn % 2:
                # One member posts and gives up at once, as after an interrupt.
                if pe == turn // 2 % 4:
                    team.give_up(RuntimeError("stopped"))
                else:
                    try:
                        redcoll.allreduce(out, np.full(3000, -1.0), team=team)
                    except redcoll.CollectiveError:
                        pass
                    else:
                        say("came through")
            team.close()
        attempt(lambda: None)
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed(90)
    assert said(job, 4) == ["soon came through"] * 4


# -- how jobs end -------------------------------------------------------------------------------


def test_an_exception_while_another_node_is_in_mpi_ends_the_job(start_job):
    """What the other waits for in MPI never comes: after a moment the job is aborted."""
    text = """
        import redcoll
        from mpi4py import MPI
        COMM = MPI.COMM_WORLD
        {start}
        if COMM.rank == 0:
            raise ValueError("what went wrong")
        COMM.Recv(bytearray(1), 0)
        """
    # At the same time: each of them mostly waits.
    jobs = [
        start_job(text.format(start=start), 2, prelude=False, **APART)
        for start in ("redcoll.init()", "team = redcoll.Team.from_comm(COMM)")
    ]
    for job in jobs:
        job.fail(40)
        assert "ValueError: what went wrong" in job.err


def test_persistent_reductions_between_nodes_go_on_without_their_pes(start_job):
    """Started, they need no help of PEs that are in MPI for something else."""
    text = """
        from redcoll import MPI as ours
        comm = ours.COMM_WORLD
        for make in (comm.Allreduce_init, comm.Scan_init):
            out = np.zeros(4)
            plan = make(np.ones(4), out, ours.SUM)
            for turn in range(3):
                out[:] = 0
                plan.Start()
                if pe == 0:
                    comm.Recv(bytearray(1), 1)
                    plan.Wait()
                else:
                    plan.Wait()
                    comm.Send(bytearray(1), 0)
                wanted = 2 if make == comm.Allreduce_init else pe + 1
                assert (out == wanted).all(), out
        attempt(lambda: None)
        """
    job = start_job(program(text), 2, **APART)
    job.succeed(40)
    assert said(job, 2) == ["soon came through"] * 2
