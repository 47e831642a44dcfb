"""Test teams over active sets and all kinds of communicators, and the limits and end of teams."""

import resource
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded
from mpi4py import MPI

import redcoll
from redcoll import (
    ActiveSet,
    ActiveSetError,
    ArgumentError,
    ConfigError,
    StateError,
    Team,
    TeamLimitError,
)
from redcoll.liveness import peers, shutdown
from redcoll.team import split

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

COUNTS = (1, 17, 5000)


def check_team(team, pes, *, take=None, small_only=False):
    """Compare the collectives of this team with the oracle, in the order of its members."""
    assert list(team.pes) == list(pes)
    n, me = team.size, team.index
    assert n == len(pes)
    compared = 0
    for count in COUNTS[:2] if small_only else COUNTS:
        rows = oracle.rows("SUM", "f8", n, count)
        for make in (np.empty, take) if take else (np.empty,):
            source, target = Guarded(count, "f8", make), Guarded(count, "f8", make)
            source.array[...] = rows[me]
            redcoll.allreduce(target.array, source.array, team=team)
            compared += oracle.check_reduced("SUM", rows, target.array, pes)
            redcoll.scan(target.array, source.array, team=team)
            compared += oracle.check("SUM", rows[: me + 1], target.array)
            redcoll.reduce(target.array, source.array, root=n - 1, team=team)
            if me == n - 1:
                compared += oracle.check_reduced("SUM", rows, target.array, pes)
            for each in (source, target):
                each.check()
    redcoll.barrier(team=team)
    assert compared >= 2 * sum(COUNTS[:2])


# -- active sets --------------------------------------------------------------------------------


def sets(n_pes):
    for start in range(3):
        for log_stride in range(3):
            for size in range(1, n_pes + 1):
                if start + ((size - 1) << log_stride) < n_pes:
                    yield start, log_stride, size


def test_the_sweep_of_active_sets(world, arena):
    """The starts and log strides are 0 to 2, and all sizes that fit are tested."""
    taken = 0
    for triple in sets(world.n_pes):
        active = ActiveSet(*triple)
        index = active.index(world.pe)
        count = 40
        # All PEs allocate the same arrays, so that the members' offsets are equal.
        arena.reset()
        source, target = Guarded(count, "i4", arena.take), Guarded(count, "i4", arena.take)
        rows = oracle.rows("SUM", "i4", active.size, count, seed=triple[0])
        source.array[...] = rows[index] if index is not None else 77
        if index is not None:
            redcoll.allreduce(target.array, source.array, active_set=active)
            assert oracle.check_reduced("SUM", rows, target.array, active.pes) == count
            redcoll.allreduce(target.array, source.array, redcoll.MAX, active_set=active)
            assert oracle.check_reduced("MAX", rows, target.array, active.pes) == count
            target.check()
            taken += 1
        redcoll.barrier()
        if index is None:
            target.check_untouched()
            assert (source.array == 77).all()
        source.check()
        redcoll.barrier()
    assert taken > 0


@pytest.mark.mpi(min_size=3)
def test_large_vectors_and_every_collective_on_a_strided_set(world, arena):
    active = ActiveSet(1, 1, world.n_pes // 2)
    if active.index(world.pe) is not None:
        team = world.team_of(active)
        check_team(team, list(active.pes), take=arena.take)
        assert world.team_of(ActiveSet(1, 1, world.n_pes // 2)) is team
    else:
        for _ in range(2 * len(COUNTS)):
            arena.take(0, "f8")
    redcoll.barrier()


def test_the_set_of_all_is_the_world_team(world):
    assert world.team_of(ActiveSet(0, 0, world.n_pes)) is world.team


def test_sets_of_one_pe_need_no_company(world):
    """An active set of one PE needs no other PE, whatever the stride."""
    before = None
    for log_stride in (0, 1, 5):
        active = ActiveSet(world.pe, log_stride, 1)
        x = np.arange(5.0)
        y = np.zeros(5)
        redcoll.allreduce(y, x, active_set=active)
        assert oracle.assert_same(y, x) == 5
        big = np.arange(100_000.0)
        redcoll.allreduce(big, big, redcoll.PROD, active_set=active)
        assert oracle.assert_same(big, np.arange(100_000.0)) == 100_000
        y = np.full(5, 3.0)
        redcoll.exscan(y, x, active_set=active)
        assert (y == 3).all()
        team = world.team_of(active)
        assert before in (None, team)  # the stride of a single PE has no meaning
        before = team


def test_sets_that_overshoot_or_leave_the_caller_out(world):
    n, me = world.n_pes, world.pe
    x, y = np.ones(3), np.zeros(3)
    for active in (ActiveSet(0, 0, n + 1), ActiveSet(n, 0, 1), ActiveSet(0, 10, 2)):
        with pytest.raises(ActiveSetError, match=f"the job's last PE is {n - 1}"):
            redcoll.allreduce(y, x, active_set=active)
        with pytest.raises(ActiveSetError):
            redcoll.barrier(active_set=active)
    other = (me + 1) % n
    if other != me:
        with pytest.raises(ActiveSetError, match=f"PE {me} is not in the active set"):
            redcoll.allreduce(y, x, active_set=ActiveSet(other, 0, 1))
    assert not y.any()
    redcoll.barrier()


# -- communicators ------------------------------------------------------------------------------


def test_dup(world, arena):
    comm = MPI.COMM_WORLD.Dup()
    team = Team.from_comm(comm)
    check_team(team, range(world.n_pes), take=arena.take)
    # The communicator still belongs to the caller. The caller can free it before the team is
    # closed.
    assert comm.allreduce(1) == world.n_pes
    comm.Free()
    check_team(team, range(world.n_pes))
    team.close()


def test_split_by_parity(world, arena):
    n, me = world.n_pes, world.pe
    comm = MPI.COMM_WORLD.Split(me % 2, me)
    team = Team.from_comm(comm)
    check_team(team, range(me % 2, n, 2))
    team.close()
    comm.Free()


def test_split_in_reverse_order(world, arena):
    """Members reduce in the order of the communicator's ranks, not of the PE numbers."""
    n = world.n_pes
    comm = MPI.COMM_WORLD.Split(0, -world.pe)
    team = Team.from_comm(comm)
    assert team.index == n - 1 - world.pe
    check_team(team, range(n - 1, -1, -1), take=arena.take)
    x = np.array([float(10**team.index % 7)])
    y = np.zeros(1)
    redcoll.allreduce(y, x, redcoll.user_op(lambda a, b: 2 * a + b), team=team)
    rows = [np.array([float(10**i % 7)]) for i in range(n)]
    assert oracle.assert_same(y, oracle.left_fold(lambda a, b: 2 * a + b, rows)) == 1
    team.close()
    comm.Free()


def test_create_group_with_reversed_ranks(world):
    n, me = world.n_pes, world.pe
    group = MPI.COMM_WORLD.group
    chosen = [pe for pe in range(n - 1, -1, -1) if pe != 1]
    members = group.Incl(chosen)
    if me in chosen:
        comm = MPI.COMM_WORLD.Create_group(members, 5)
        team = Team.from_comm(comm)
        check_team(team, chosen)
        team.close()
        comm.Free()
    members.Free()
    redcoll.barrier()


@pytest.mark.mpi(min_size=3)
def test_an_order_that_is_no_permutation_of_strides(world, arena):
    n = world.n_pes
    order = sorted(range(n), key=lambda pe: (pe * 7 + 3) % n if n % 7 else (pe * 5 + 3) % n)
    members = MPI.COMM_WORLD.group.Incl(order)
    comm = MPI.COMM_WORLD.Create(members)
    team = Team.from_comm(comm)
    check_team(team, order, take=arena.take)
    team.close()
    comm.Free()


def test_comm_self(world):
    team = Team.from_comm(MPI.COMM_SELF)
    check_team(team, [world.pe])
    team.close()
    redcoll.barrier()


def test_a_communicator_of_other_processes_is_used_by_its_ranks(world):
    """PE numbers are those of the job, even in a subset of a subset."""
    n, me = world.n_pes, world.pe
    half = MPI.COMM_WORLD.Split(me < n // 2, me)
    quarter = half.Split(half.rank % 2, -half.rank)
    team = Team.from_comm(quarter)
    assert team.pes[team.index] == me
    check_team(team, team.pes)
    team.close()
    quarter.Free()
    half.Free()


def test_split_by_keyword_raises_its_own_error(world):
    team = Team.from_comm(MPI.COMM_WORLD)
    with pytest.raises(ArgumentError, match="split_strided"):
        split.split_strided(parent=team, start=0, stride=1, size=team.size + 1)
    with pytest.raises(ArgumentError, match="split_2d"):
        split.split_2d(parent=team, x_range=0)
    check_team(team, range(world.n_pes), small_only=True)
    split.close(team=team)


def test_many_teams_at_once_do_not_mix(world, delays):
    n, me = world.n_pes, world.pe
    teams = [Team.from_comm(MPI.COMM_WORLD) for _ in range(6)]
    for turn in range(50):
        for number, team in enumerate(teams):
            delays()
            y = np.zeros(3)
            redcoll.allreduce(y, np.full(3, me + 100.0 * number + turn), team=team)
            expected = n * (n - 1) / 2 + n * (100.0 * number + turn)
            assert oracle.assert_same(y, np.full(3, expected)) == 3
    # All ranks close the teams in the same order, which is not the order of creation.
    for number in (3, 0, 5, 1, 4, 2):
        teams[number].close()


# -- limits and the end of teams ------------------------------------------------------------------


def test_a_closed_team_raises_state_error(world):
    team = Team.from_comm(MPI.COMM_WORLD)
    team.close()
    team.close()  # no effect
    x = np.ones(3)
    for call in (
        lambda: redcoll.allreduce(x, x, team=team),
        lambda: redcoll.allreduce(np.ones(99_999), np.ones(99_999), team=team),
        lambda: redcoll.reduce(x, x, team=team),
        lambda: redcoll.scan(x, x, team=team),
        lambda: redcoll.reduce_scatter(np.ones(1), np.ones(team.size), team=team),
        lambda: redcoll.barrier(team=team),
        lambda: redcoll.allreduce(x, np.ones(3, "f4"), team=team),
    ):
        with pytest.raises(StateError, match="closed"):
            call()
    redcoll.barrier()


@pytest.mark.one_node
def test_a_closed_team_does_not_read_unmapped_memory(world):
    """Objects that still refer to parts of the team raise an error, and do not crash."""
    team = Team.from_comm(MPI.COMM_WORLD)
    watch, waits, window = team.watch, team.watch.peers.waits, team.life.scratch.window
    known, words = watch.peers, window.words
    team.close()
    for look in (
        lambda: team.watch.peers.fate(0),
        lambda: watch.peers.fate(0),
    ):
        with pytest.raises(StateError, match="closed"):
            look()
    for look in (
        lambda: known.fate(0),
        lambda: waits.publish(0),
        lambda: waits.root_cause(0),
        lambda: words[0],
        lambda: window.words[0],
    ):
        with pytest.raises(ValueError, match="released memoryview"):
            look()


class Recorded:
    """A window that records the order of a member's loads, stores and fences."""

    def __init__(self, words):
        self._words = words
        self.words = self
        self.events = []

    def fence(self):
        self.events.append("fence")

    def __getitem__(self, at):
        self.events.append(f"load {at}")
        return self._words[at]

    def __setitem__(self, at, value):
        self.events.append(f"store {at}")
        self._words[at] = value


@pytest.mark.one_node
def test_the_state_of_a_member_is_ordered_with_its_headers(world):
    """Check the order of the loads and stores, because only weakly ordered machines show the race.

    A member that leaves or times out writes its state after its headers. A reader first
    reads the state and then the headers.
    """
    team = Team.from_comm(MPI.COMM_WORLD)
    scratch = team.life.scratch
    window, states = scratch.window, scratch.states
    scratch.window = recorded = Recorded(window.words)
    team.watch.peers.fate(team.index)
    assert recorded.events == [f"load {states[team.index]}", "fence"]
    recorded.events.clear()
    scratch.publish(peers.OPEN)
    assert recorded.events == ["fence", f"store {states[team.index]}"]
    scratch.window = window
    check_team(team, range(world.n_pes), small_only=True)
    team.close()


def test_a_32_bit_python_is_refused_on_all_ranks(world, monkeypatch):
    with monkeypatch.context() as patch:
        if world.pe == world.n_pes - 1:
            patch.setattr(sys, "maxsize", 2**31 - 1)
        with pytest.raises(ConfigError, match="64-bit"):
            Team.from_comm(MPI.COMM_WORLD)
    Team.from_comm(MPI.COMM_WORLD).close()


def test_refused_active_set_raises_again_without_its_former_calls(world):
    """redcoll keeps the exception, which must not refer to the frames and arrays of later calls."""

    def fail():
        raise TeamLimitError("no more")

    key, depths = (world.n_pes, 0, 1), []
    for _ in range(3):
        with pytest.raises(TeamLimitError) as caught:
            world._team(key, fail)
        depths.append(len(caught.traceback))
    del world._refused[key]
    assert depths[2] == depths[1]


def test_the_limit_of_teams_raises_everywhere(world, monkeypatch):
    """Beyond REDCOLL_MAX_TEAMS all members raise. After closing a team, they can make a team."""
    limit = MPI.COMM_WORLD.allreduce(shutdown.registered() + 3, MPI.MAX)
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", str(limit))
    teams = [Team.from_comm(MPI.COMM_WORLD) for _ in range(3)]
    for _ in range(3):
        with pytest.raises(TeamLimitError, match="REDCOLL_MAX_TEAMS"):
            Team.from_comm(MPI.COMM_WORLD)
    teams.pop().close()
    teams.append(Team.from_comm(MPI.COMM_WORLD))
    with pytest.raises(TeamLimitError):
        Team.from_comm(MPI.COMM_WORLD)
    for team in teams:
        check_team(team, range(world.n_pes), small_only=True)
        team.close()


@pytest.mark.mpi(min_size=2)
def test_the_limit_on_one_member_is_the_limit_of_all(world, monkeypatch):
    limit = MPI.COMM_WORLD.allreduce(shutdown.registered() + 2, MPI.MAX)
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", str(limit))
    own = []
    if world.pe == 0:
        own = [Team.from_comm(MPI.COMM_SELF) for _ in range(limit - shutdown.registered())]
    with pytest.raises(TeamLimitError):
        Team.from_comm(MPI.COMM_WORLD)
    for team in own:
        team.close()
    team = Team.from_comm(MPI.COMM_WORLD)
    check_team(team, range(world.n_pes), small_only=True)
    team.close()


def own(name):
    """Return the lines of a file in ``/proc/self``."""
    return Path("/proc/self", name).read_text().splitlines()


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def resident_bytes():
    return int(own("statm")[0].split()[1]) * resource.getpagesize()


@pytest.mark.soak
def test_many_teams_made_and_closed_leak_nothing(world):
    # If there are more processes than cores, MPI takes long, because its waits do not yield.
    warm_up, often = (50, 450) if world.n_pes <= 4 else (10, 60)

    def once():
        team = Team.from_comm(MPI.COMM_WORLD)
        y = np.zeros(2)
        redcoll.allreduce(y, np.ones(2), team=team)
        assert y[0] == team.size
        team.close()

    for _ in range(warm_up):
        once()
    before = (descriptors(), len(own("maps")), resident_bytes())
    for _ in range(often):
        once()
    after = (descriptors(), len(own("maps")), resident_bytes())
    grown = [b - a for a, b in zip(before, after, strict=True)]
    assert grown[0] <= 2, "descriptors"
    assert grown[1] <= 20, "mappings"
    assert grown[2] < 8 << 20, "memory"


def test_two_threads_that_first_use_two_sets_at_once(world):
    """The threads arrive in different orders on the ranks. Threads of the same set must match."""
    keys = [(0, 30, 1), (0, 31, 1)]  # no other test uses these sets
    pes = range(world.n_pes)
    threads = [
        threading.Thread(target=world._meet, args=(pes, key, "first use"), daemon=True)
        for key in keys[:: 1 if world.pe % 2 else -1]
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.01)
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert not world._rendezvous
