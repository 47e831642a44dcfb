"""Test that errors on a simulated node reach the other nodes, and that every job ends."""

import textwrap

import pytest

# PEs 0 and 1 are on one node, PEs 2 and 3 on another. PEs 0 and 2 are the node leaders.
TWO_BY_TWO = {"REDCOLL_NODE_SIZE": "2", "REDCOLL_TIMEOUT": "30"}
APART = {"REDCOLL_NODE_SIZE": "1", "REDCOLL_TIMEOUT": "30"}

# Vectors of this number of 64-bit elements travel along rails with both MPI libraries.
LONG = 200_000

# This program makes a call. It prints the outcome, and whether the call ended long before
# REDCOLL_TIMEOUT. All PEs live until each PE has printed, so that no PE counts as dead.
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
    """Check that each PE has written one line; return the lines in PE order."""
    lines = [job.lines(pe) for pe in range(n)]
    assert [len(each) for each in lines] == [1] * n, job.describe()
    return [line for [line] in lines]


# -- small floats ---------------------------------------------------------------------------------


def test_small_floats_of_all_lengths_with_exact_sums(start_job):
    """Members add bfloat16 in float32, whose sums are then exact."""
    text = """
        import ml_dtypes
        compared = 0
        for count in (1000, 40_000, 200_000, 400_000):
            base = np.arange(count) % 5
            source = (base + pe).astype(ml_dtypes.bfloat16)
            for _ in range(3):
                target = np.zeros_like(source)
                redcoll.allreduce(target, source)
                compared += int((target.astype(int) == n * base + n * (n - 1) // 2).sum())
        say(compared)
        """
    job = start_job(program(text), 4, **APART, REDCOLL_SUM="exact")
    job.succeed()
    assert said(job, 4) == [str(3 * 641_000)] * 4


# -- nodes agree --------------------------------------------------------------------------------


@pytest.mark.parametrize("poor", [0, 1])
def test_a_node_with_little_shared_memory_cuts_vectors_like_the_others(start_job, poor):
    """All nodes use the same chunk size, which must fit into the smaller shared memory."""
    text = f"""
        from redcoll.team import sizes
        real = sizes.room_bytes
        sizes.room_bytes = lambda comm: 6 << 20 if pe // 2 == {poor} else real(comm)
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        sizes = MPI.COMM_WORLD.allgather((team.sizes.chunk_bytes, team.node.sizes.chunk_bytes))
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


def test_no_memory_for_a_team_on_one_node_raises_on_all(start_job):
    text = """
        from redcoll.memory import shared_window
        class Refuses(shared_window.SharedWindow):
            made = 0
            def __init__(self, comm, *arguments, **others):
                Refuses.made += 1
                if pe >= 2 and Refuses.made == 1:
                    raise redcoll.HeapError("no room on this node")
                super().__init__(comm, *arguments, **others)
        real, shared_window.SharedWindow = shared_window.SharedWindow, Refuses
        attempt(lambda: redcoll.Team.from_comm(MPI.COMM_WORLD))
        shared_window.SharedWindow = real
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        out = np.empty(50_000)
        redcoll.allreduce(out, np.ones(50_000), team=team)
        assert (out == 4).all()
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed()
    assert said(job, 4) == ["soon HeapError: no room on this node"] * 4


def test_nodes_that_are_changed_later_lie_within_the_first_ones(start_job):
    text = """
        redcoll.barrier()
        for size in ("2", "1", "3", None):
            os.environ.pop("REDCOLL_NODE_SIZE")
            if size is not None:
                os.environ["REDCOLL_NODE_SIZE"] = size
            try:
                team = redcoll.Team.from_comm(MPI.COMM_WORLD)
                say(redcoll.allreduce(redcoll.ones(50_000), redcoll.ones(50_000), team=team))
            except redcoll.ConfigError as error:
                say(str(error).partition(";")[0])
            os.environ["REDCOLL_NODE_SIZE"] = "2"
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed()
    refused = "REDCOLL_NODE_SIZE is {}, and was 2 when redcoll started".format
    for pe in range(4):
        assert job.lines(pe) == ["None", "None", refused(3), refused("not set")], job.describe()


# -- a member fails -----------------------------------------------------------------------------


@pytest.mark.parametrize("who", range(4))
@pytest.mark.parametrize("count", [4, 40_000])
def test_a_member_that_fails_in_a_call_ends_every_wait_for_it(start_job, who, count):
    """A member ends its call by an exception, before the other PE of its node has called."""
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
        # The PE may have published all its data for the first call, so make a second call.
        attempt(lambda: [reduce({count}), reduce({count})])
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(who) == "soon RuntimeError: stopped"
    assert all(line.startswith("soon PeerLostError: ") for line in lines), job.describe()


@pytest.mark.quick
@pytest.mark.parametrize("end", ["gives up", "returns"])
def test_an_exit_is_noticed_on_all_nodes(start_job, end):
    text = f"""
        redcoll.barrier()
        if pe == 0:
            say("soon")
            mark("attempted")
            if {end!r} == "returns":
                sys.exit()
            redcoll.world.start().team.life.revoke(RuntimeError("stopped"))
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
    """PEs of the owner's node wait for the slice, and other nodes wait for these PEs."""
    text = f"""
        reduce({LONG})
        if pe == {who}:
            def fails(*_):
                raise MemoryError("no room")
            redcoll.world.start().team.rails.begin = fails
        attempt(lambda: reduce({LONG}))
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(who) == "soon MemoryError: no room"
    assert all(line.startswith("soon PeerLostError: ") for line in lines), job.describe()


def test_a_member_without_data_notices_that_the_root_has_failed(start_job):
    """In a reduction to PE 0, PE 1 receives no data, but notices that PE 0 has failed."""
    text = """
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        source, out = np.ones(1 << 20), np.empty(1 << 20)
        begin, begun = team.rails.begin, []
        def fails_then(*arguments):
            begun.append(arguments)
            if len(begun) == 3:
                raise MemoryError("no room")
            begin(*arguments)
        if pe == 0:
            team.rails.begin = fails_then
        attempt(lambda: redcoll.reduce(out, source, root=0, team=team))
        """
    job = start_job(program(text), 2, **APART, REDCOLL_CHUNK_BYTES="1M")
    job.wait(60)
    lines = said(job, 2)
    assert lines[0] == "soon MemoryError: no room"
    assert lines[1].startswith("soon PeerLostError: "), job.describe()


@pytest.mark.alone
@pytest.mark.parametrize("first", [0, 1])
def test_a_waiting_neighbour_is_named_with_the_rank_for_which_it_waits(start_job, first):
    """PE 3 stops, so PE 1 and PE 2 wait for PE 3, and PE 0 waits for PE 2."""
    text = f"""
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        if pe == 3:
            team.rails.begin = lambda *_: await_marks("attempted", 0, 1, 2)
        # One of PE 0 and PE 1 times out while the other one still waits.
        team.watch.timeout_s = team.node.watch.timeout_s = 2 if pe == {first} else 6
        attempt(lambda: redcoll.allreduce(np.empty({LONG}), np.ones({LONG}), team=team))
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.wait(60)
    lines = said(job, 4)
    late, told = lines[first], lines[1 - first]
    whom = "PE 3" if first else "PE 2, PE 3"  # PE 0 waits for PE 2, which waits for PE 3
    assert late.startswith("soon CollectiveTimeoutError: allreduce("), job.describe()
    assert late.endswith(f": {whom} did not arrive within 2 s (REDCOLL_TIMEOUT)"), job.describe()
    assert told.startswith("soon PeerLostError: allreduce("), job.describe()
    assert f": PE {first} gave up waiting for PE " in told, job.describe()


@pytest.mark.parametrize("slow", [1, 2, 3])
def test_stall_lines_name_the_slow_rank_on_another_node(start_job, slow):
    """All other PEs name the slow rank, even if the slow rank is not a node leader."""
    text = f"""
        redcoll.barrier()
        mark("enters")
        if pe == {slow}:
            await_marks("enters", *range(n))
            time.sleep(2.5)
        redcoll.barrier()
        """
    job = start_job(program(text), 4, REDCOLL_STALL_WARN="1", **TWO_BY_TWO)
    job.succeed()
    lines = [line for line in job.err.splitlines() if "redcoll: barrier()" in line]
    assert len(lines) == 3, job.describe()  # one line from each PE that waits
    assert all(f"1 s for PE {slow}" in line or f"for PE {slow}" in line for line in lines), lines


def test_a_team_closed_after_a_failure_leaves_nothing_to_the_next(start_job):
    """Messages of a closed team do not reach the next team or its memory."""
    text = """
        for turn in range(12):
            team = redcoll.Team.from_comm(MPI.COMM_WORLD)
            out = np.empty(3000)
            redcoll.allreduce(out, np.full(3000, pe + turn + 0.0), team=team)
            assert (out == 4 * turn + 6).all(), out
            if turn % 2:
                # One member revokes the team at once, as after an interrupt.
                if pe == turn // 2 % 4:
                    team.life.revoke(RuntimeError("stopped"))
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


def test_members_that_disagree_whether_a_team_is_broken_close_it_together(start_job):
    """One member revokes the team after a round that succeeded on all members."""
    text = """
        for turn in range(4):
            team = redcoll.Team.from_comm(MPI.COMM_WORLD)
            redcoll.barrier(team=team)
            if pe == turn:
                team.life.revoke(RuntimeError("stopped"))
            team.close()
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        attempt(lambda: redcoll.barrier(team=team))
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed(60)
    assert said(job, 4) == ["soon came through"] * 4


@pytest.mark.parametrize("node_size", ["1", "2"])
def test_a_team_that_a_member_has_left_is_closed_without_it(start_job, node_size):
    text = """
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        redcoll.barrier(team=team)
        if pe == 3:
            sys.exit()
        start = time.monotonic()
        try:
            redcoll.barrier(team=team)
        except redcoll.PeerLostError as error:
            team.close()
            say("soon" if time.monotonic() - start < 10 else "late", error)
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE=node_size, REDCOLL_TIMEOUT="30")
    job.wait(40)
    for pe in range(3):
        [line] = job.lines(pe)
        assert line.startswith("soon barrier(): PE "), job.describe()


def test_a_close_warns_that_it_waits_beyond_the_timeout(start_job):
    """PE 2 is late. The other members have announced their close, so they cannot stop waiting."""
    text = """
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        redcoll.barrier(team=team)
        team.watch.timeout_s = 2.0
        start = time.monotonic()
        if pe == 2:
            time.sleep(8)
        team.close()
        say("late" if time.monotonic() - start > 4 else "soon")
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE="2", REDCOLL_TIMEOUT="30")
    job.succeed(60)
    assert said(job, 4) == ["late"] * 4
    line = "redcoll: close: not all members arrived within 2 s (REDCOLL_TIMEOUT); close waits on"
    # Each PE except PE 2 prints the line once or twice.
    assert job.err.splitlines().count(line) >= 3, job.describe()


def test_a_leader_notices_the_exit_for_which_its_neighbour_waits(start_job):
    """PE 1 waits for PE 3 on another node. Only PE 0, PE 1's leader, can notice PE 3's exit."""
    text = """
        near, across = redcoll.ActiveSet(0, 0, 2), redcoll.ActiveSet(1, 1, 2)
        if pe < 2:
            redcoll.barrier(active_set=near)
        redcoll.barrier()
        if pe == 3:
            sys.exit()
        if pe == 1:
            start = time.monotonic()
            try:
                redcoll.barrier(active_set=across)
            except redcoll.PeerLostError as error:
                say("soon" if time.monotonic() - start < 10 else "late", error)
        if pe < 2:
            redcoll.barrier(active_set=near)
        """
    job = start_job(program(text), 4, **TWO_BY_TWO)
    job.succeed(60)
    [line] = job.lines(1)
    assert line.startswith("soon first use of ActiveSet("), line
    assert line.endswith(": PE 3 has left the job"), line


def test_a_get_completes_only_puts_to_the_same_pe(start_job):
    """Completing a put may wait for its target PE, so a get completes only puts to the same PE."""
    text = """
        from redcoll.onesided import rma
        a = redcoll.zeros(4)
        redcoll.barrier()
        remote, flushed, inside = redcoll.world.start().remote, [], []
        class Recording:
            def __init__(self, window):
                self.window = window
            def __getattr__(self, name):
                return getattr(self.window, name)
            def Rput(self, data, pe, place):
                remote.complete([pe])  # as another thread might at this moment
                return self.window.Rput(data, pe, place)
            def Flush(self, pe):
                flushed.append(pe)
                if not inside:
                    inside.append(pe)
                    remote.complete([pe])  # or at this moment; it must wait for the same flush
                    inside.pop()
                self.window.Flush(pe)
        remote.window = Recording(remote.window)
        if pe == 0:
            got = np.empty(4)
            def get(other):
                rma.get(got, a, 4, other)
                say(got.tolist(), flushed)
            rma.put(a, np.full(4, 2.0), 4, 2)
            rma.put(a, np.full(4, 3.0), 4, 3)
            flushed.clear()
            get(1)
            get(2)
            get(2)
            rma.quiet()
            say(flushed)
            rma.quiet()
            get(3)
        redcoll.barrier()
        say(a.tolist())
        remote.window = remote.window.window
        """
    job = start_job(program(text), 4, **APART)
    job.succeed(60)
    zeros, twos, threes = ([value] * 4 for value in (0.0, 2.0, 3.0))
    assert job.lines(0) == [
        *(f"{zeros} []", f"{twos} [2, 2]", f"{twos} [2, 2]", "[2, 2, 3, 3]"),
        f"{threes} [2, 2, 3, 3]",
        str(zeros),
    ]
    assert [job.lines(pe) for pe in (1, 2, 3)] == [[str(each)] for each in (zeros, twos, threes)]


def test_a_team_with_a_member_that_died_is_closed_by_the_others(start_job):
    """The job ends, although memory shared with the dead PE cannot be freed."""
    text = """
        import signal
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        redcoll.barrier(team=team)
        if pe == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        attempt(lambda: redcoll.barrier(team=team))
        team.close()
        mark("closed")
        """
    text = program(text).replace("range(n)", "(0, 1, 2)")
    job = start_job(text, 4, survivors=True, **TWO_BY_TWO)
    for pe in range(3):
        job.pid(pe, "closed")
        [line] = job.lines(pe)
        assert line.startswith("soon PeerLostError: barrier(): PE "), job.describe()
    job.wait(60)
    job.wait_until_gone()


# This program raises an exception right before a line of redcoll, as a signal handler might.
STOP_BEFORE = """
def stop_before(path, text):
    path = os.path.join(os.path.dirname(redcoll.__file__), path)
    [line] = [number for number, each in enumerate(open(path), 1) if text in each]
    def look(frame, event, _):
        if event == "line" and frame.f_lineno == line:
            raise RuntimeError("stopped")
        return look
    sys.settrace(lambda frame, *_: look if frame.f_code.co_filename == path else None)

"""


@pytest.mark.parametrize("settings", [{}, {"REDCOLL_NODE_SIZE": "2"}], ids=["one node", "two"])
@pytest.mark.parametrize(
    ("call", "path", "line"),
    [
        ("redcoll.collect(target, source)", "collectives/collect.py", "total = int(sum(counts))"),
        ("reduce_by(function)", "collectives/_replicated.py", "came_through = team.conclude("),
        ("reduce_by(elementwise)", "collectives/_sliced.py", "came_through = self._team.conclude("),
    ],
    ids=["collect", "function", "elementwise function"],
)
def test_an_interrupt_between_two_rounds_raises_on_the_others(
    start_job, settings, call, path, line
):
    """All other PEs raise at once when PE 3 is interrupted between two rounds of a call."""
    text = f"""
        source, target = redcoll.zeros(40_000), redcoll.zeros(40_000 * n)
        function = redcoll.user_op(lambda x, y: x + y)
        elementwise = redcoll.user_op(np.add, elementwise=True)
        def reduce_by(op):
            redcoll.allreduce(target[:40_000], source, op)
        def call():
            {call}
        call()
        redcoll.barrier()
        if pe == 3:
            stop_before({path!r}, {line!r})
        attempt(call)
        """
    job = start_job(STOP_BEFORE + program(text), 4, **{"REDCOLL_TIMEOUT": "30"} | settings)
    job.wait(60)
    lines = said(job, 4)
    assert lines.pop(3) == "soon RuntimeError: stopped"
    assert all(line.startswith("soon PeerLostError: ") for line in lines), job.describe()
    assert any("PE 3 gave up" in line for line in lines)


# -- waits for stores, and first uses of teams --------------------------------------------------


@pytest.mark.parametrize("late", [(), (0,), (2, 3)], ids=str)
@pytest.mark.parametrize(("node_size", "waiter"), [(1, 3), (2, 1), (2, 2)])
@pytest.mark.parametrize("gives_up_first", [False, True])
def test_a_wait_for_a_word_ends_when_all_others_have_left(
    start_job, node_size, waiter, late, gives_up_first
):
    """The wait also ends if the waiting PE's node leader leaves before other PEs leave."""
    text = f"""
        import operator
        from redcoll.onesided import rma
        word = redcoll.zeros(1, "int64")
        redcoll.barrier()
        if pe == {waiter}:
            start = time.monotonic()
            try:
                rma.wait_until(word, operator.eq, 1)
            except redcoll.PeerLostError as error:
                say("soon" if time.monotonic() - start < 10 else "late", error)
            sys.exit()
        if {gives_up_first}:
            redcoll.world.start().team.life.revoke(RuntimeError("stopped"))
        if pe in {late}:
            time.sleep(1)
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE=str(node_size))
    job.succeed(40)
    [line] = job.lines(waiter)
    assert line.startswith("soon "), job.describe()
    assert line.endswith("all other PEs have left"), job.describe()


def test_a_pe_that_timed_out_in_a_wait_can_still_store(start_job):
    text = """
        import operator
        from redcoll.onesided import rma
        word = redcoll.zeros(1, "int64")
        redcoll.barrier()
        if pe == 1:
            redcoll.world.start().team.life.revoke(RuntimeError("stopped"))
            time.sleep(1)
            rma.put(word, np.ones(1, "int64"), 1, 0)
            rma.quiet()
            await_marks("attempted", 0)
        else:
            attempt(lambda: rma.wait_until(word, operator.eq, 1))
        """
    for node_size in ("1", "2"):
        job = start_job(
            program(text).replace('await_marks("attempted", *range(n))', ""),
            2,
            REDCOLL_NODE_SIZE=node_size,
            REDCOLL_TIMEOUT="30",
        )
        job.succeed(40)
        assert job.lines(0) == ["soon came through"], job.describe()


@pytest.mark.parametrize("late", [(), (1,)], ids=str)
def test_first_use_of_a_set_ends_when_a_member_has_exited(start_job, late):
    text = f"""
        redcoll.barrier()
        if pe == 0:
            start = time.monotonic()
            try:
                reduce(active_set=redcoll.ActiveSet(0, 0, 2))
            except redcoll.PeerLostError as error:
                say("soon" if time.monotonic() - start < 10 else "late", error)
        elif pe in {late}:
            time.sleep(1)
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE="1")
    job.succeed(40)
    [line] = job.lines(0)
    assert line.startswith("soon first use of ActiveSet("), job.describe()
    assert line.endswith(": PE 1 has left the job"), job.describe()


_OF_THE_SET = (
    "ActiveSet(start=0, log_stride=0, size=2)",
    "reduce(active_set=redcoll.ActiveSet(0, 0, 2))[0]",
    "3.0",
)
_OF_THE_NODE = (
    "the team of the node",
    "shmem.shmem_team_sync(shmem.SHMEM_TEAM_NODE)",
    "0",
)


@pytest.mark.parametrize(
    ("node_size", "what", "use", "result"),
    [("1", *_OF_THE_SET), ("2", *_OF_THE_SET), ("2", *_OF_THE_NODE)],
)
def test_an_interrupted_first_use_does_not_count_as_waiting(
    start_job, node_size, what, use, result
):
    """PE 1 times out twice and then PE 0 once. Finally both PEs call, and the call succeeds."""
    text = f"""
        import redcoll_shmem as shmem
        def tries():
            try:
                say({use})
            except redcoll.CollectiveTimeoutError as error:
                say(error)
        shmem.shmem_init()
        if pe == 1:
            tries()
            tries()
            mark("gave-up")
            await_marks("gave-up", 0)
        elif pe == 0:
            await_marks("gave-up", 1)
            tries()
            mark("gave-up")
        if pe < 2:
            redcoll.world.start().team.watch.timeout_s = 30
            os.environ["REDCOLL_TIMEOUT"] = "30"
            tries()
        """
    job = start_job(program(text), 3, REDCOLL_NODE_SIZE=node_size, REDCOLL_TIMEOUT="1")
    job.succeed(40)
    late = f"first use of {what}: PE {{}} did not arrive within 1 s (REDCOLL_TIMEOUT)".format
    assert job.lines(0) == [late(1), result], job.describe()
    assert job.lines(1) == [late(0), late(0), result], job.describe()


def test_first_use_of_a_set_names_the_absent_member_everywhere(start_job):
    text = """
        redcoll.barrier()
        if pe in (1, 2):
            try:
                reduce(active_set=redcoll.ActiveSet(1, 0, 3))
            except redcoll.CollectiveError as error:
                say(error)
        mark("attempted")
        await_marks("attempted", *range(n))
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE="1", REDCOLL_TIMEOUT="2")
    job.wait(40)
    first_use = "first use of ActiveSet(start=1, log_stride=0, size=3)"
    [line] = job.lines(1)
    assert line.startswith(f"{first_use}: PE 3 did not arrive within 2 s"), job.describe()
    [line] = job.lines(2)
    assert line.startswith(f"{first_use}: PE 3 did not arrive within 2 s"), job.describe()


@pytest.mark.parametrize("node_size", ["1", "2"])
@pytest.mark.parametrize("gone", [1, 2])
def test_first_use_of_a_set_raises_on_all_when_a_member_has_exited(start_job, node_size, gone):
    """All waiting PEs raise, although the first PE of the set sends nothing after its own error."""
    text = f"""
        redcoll.barrier()
        if pe == {gone}:
            sys.exit()
        if pe < 3:
            attempt(lambda: reduce(active_set=redcoll.ActiveSet(0, 0, 3)))
        """
    text = program(text).replace("range(n)", f"({{0, 1, 2}} - {{{gone}}})")
    job = start_job(text, 4, REDCOLL_NODE_SIZE=node_size, REDCOLL_TIMEOUT="60")
    job.wait(60)
    first_use = "soon PeerLostError: first use of ActiveSet(start=0, log_stride=0, size=3)"
    for pe in {0, 1, 2} - {gone}:
        assert job.lines(pe) == [f"{first_use}: PE {gone} has left the job"], job.describe()


@pytest.mark.parametrize("way", ["leaves", "dies"])
def test_first_use_of_the_team_of_a_node_ends_when_a_neighbour_has_exited(start_job, way):
    text = f"""
        import signal
        import redcoll_shmem as shmem
        shmem.shmem_barrier_all()
        mark("started")
        if pe == 1:
            await_marks("started", *range(n))
            if {way!r} == "leaves":
                sys.exit()
            os.kill(os.getpid(), signal.SIGKILL)
        attempt(lambda: shmem.shmem_team_sync(shmem.SHMEM_TEAM_SHARED))
        if {way!r} == "dies":
            os._exit(0)
        """
    text = program(text).replace('"attempted", *range(n)', '"attempted", 0, 2, 3')
    job = start_job(text, 4, survivors=True, **TWO_BY_TWO)
    job.wait(40)
    gone = {"leaves": "PE 1 has left the job", "dies": "PE 1 has died"}[way]
    lost = f"soon PeerLostError: first use of the team of the node: {gone}"
    [line] = job.lines(0)
    assert line.partition(" (process")[0] == lost, job.describe()
    assert [job.lines(pe) for pe in (2, 3)] == [["soon came through"]] * 2, job.describe()


# -- ends of jobs, and threads ---------------------------------------------------------------------


def test_an_exception_while_another_node_is_in_mpi_ends_the_job(start_job):
    """PE 1 waits in MPI for a message that never arrives, so PE 0 aborts the job."""
    text = """
        import redcoll
        from mpi4py import MPI
        COMM = MPI.COMM_WORLD
        {start}
        if COMM.rank == 0:
            raise ValueError("what went wrong")
        COMM.Recv(bytearray(1), 0)
        """
    # Run the jobs at the same time, because they mostly wait.
    jobs = [
        start_job(text.format(start=start), 2, prelude=False, **APART)
        for start in ("redcoll.init()", "team = redcoll.Team.from_comm(COMM)")
    ]
    for job in jobs:
        job.fail(40)
        assert "ValueError: what went wrong" in job.err


@pytest.mark.parametrize("node_size", ["1", "2", "4"])
def test_threads_make_teams_in_any_order(start_job, node_size):
    """Threads do not block each other, and all PEs free the remaining windows in the same order."""
    text = """
        import threading
        from redcoll.team import sizes
        from redcoll.liveness import shutdown
        comms = [MPI.COMM_WORLD.Dup() for _ in range(2)]
        out = np.zeros((2, 50_000))
        late = threading.local()
        def one_before_the_other(real):
            def wait_first(*arguments):
                time.sleep(late.seconds)
                return real(*arguments)
            return wait_first
        shutdown.free_at_the_end = one_before_the_other(shutdown.free_at_the_end)
        sizes.agree = one_before_the_other(sizes.agree)
        def reduce_on(which):
            late.seconds = 0.3 * (which ^ pe & 1)
            team = redcoll.Team.from_comm(comms[which])
            redcoll.allreduce(out[which], np.full(50_000, pe + which + 0.0), team=team)
        threads = [threading.Thread(target=reduce_on, args=(which,)) for which in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        say(out.min(axis=1).tolist(), out.max(axis=1).tolist())
        """
    job = start_job(program(text), 4, REDCOLL_NODE_SIZE=node_size, REDCOLL_TIMEOUT="30")
    job.succeed(60)
    assert said(job, 4) == ["[6.0, 10.0] [6.0, 10.0]"] * 4


def test_threads_make_and_free_one_shared_window_at_a_time(start_job):
    """One thread at a time makes or frees a window, because MPICH can lose a window otherwise."""
    text = """
        import threading
        from redcoll.memory import shared_window
        inside, most, n_calls = [], [0], [0]
        def one_more(call):
            n_calls[0] += 1
            inside.append(None)
            most.append(len(inside))
            try:
                time.sleep(0.05)  # an eternity for another thread
                return call()
            finally:
                inside.pop()
        class Window:
            def __init__(self, window):
                self.window = window
            def __getattr__(self, name):
                return getattr(self.window, name)
            def Free(self):
                one_more(self.window.Free)
        class Windows:
            def __getattr__(self, name):
                return getattr(MPI.Win, name)
            def Allocate_shared(self, *args, **kwargs):
                return Window(one_more(lambda: MPI.Win.Allocate_shared(*args, **kwargs)))
        class Library:
            Win = Windows()
            def __getattr__(self, name):
                return getattr(MPI, name)
        shared_window.MPI = Library()
        members = MPI.COMM_WORLD.Split(pe % 3 == 0)
        comms = [MPI.COMM_WORLD.Dup(), members, MPI.COMM_WORLD.Dup(), members.Dup()]
        right = []
        def make_on(which):
            comm = comms[which]
            for again in range(3):
                time.sleep(0.02 * ((which + pe + again) % 4))
                shared = shared_window.SharedWindow(comm, 4096, "test")
                shared.words[512 * comm.rank] = which + pe
                comm.Barrier()
                words = shared.words[::512].tolist()
                right.append(words == [which + other for other in comm.allgather(pe)])
                shared.free()
        threads = [threading.Thread(target=make_on, args=(which,)) for which in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        say(max(most), n_calls[0], all(right), len(right))
        """
    job = start_job(program(text), 5, REDCOLL_TIMEOUT="50")
    job.succeed(150)
    # Each of the four threads makes and frees three windows.
    assert said(job, 5) == ["1 24 True 12"] * 5


def test_revoking_a_team_after_leaving_it_keeps_the_state_left(start_job):
    text = """
        left, closed = (redcoll.Team.from_comm(MPI.COMM_WORLD) for _ in range(2))
        closed.close()
        closed.life.revoke(RuntimeError("late"))
        if pe == 1:
            left.life.leave()
            left.life.revoke(RuntimeError("late"))
            attempt(lambda: None)
        else:
            attempt(lambda: redcoll.barrier(team=left))
        """
    job = start_job(program(text), 2, REDCOLL_TIMEOUT="30")
    job.wait(60)
    assert said(job, 2)[0].startswith("soon PeerLostError: barrier(): PE 1 has left the job;")
