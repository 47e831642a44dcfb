"""Test that every collective of the native API accepts a communicator or a Team as ``team``."""

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI as theirs

import redcoll
from redcoll import MPI as ours
from redcoll import ArgumentError, CollectiveMismatchError
from redcoll.team import comm_state

pytestmark = pytest.mark.mpi
pytest_plugins = ["mpi.mpi_tools"]

COUNT = 6


@pytest.fixture
def plain():
    """Yield an mpi4py communicator that has all ranks of the job in reverse order."""
    comm = theirs.COMM_WORLD.Split(0, -theirs.COMM_WORLD.rank)
    yield comm
    comm_state.detach(comm)
    comm.Free()


def spellings(comm):
    """Return every way to pass the ranks of a communicator as a team."""
    return {
        "mpi4py": comm,
        "redcoll.MPI": ours.Intracomm(comm),
        "Team": comm_state.attach(comm).require(),
    }


WAYS = ("mpi4py", "redcoll.MPI", "Team")


class Place:
    """The position of a rank in a team, and symmetric arrays for one call."""

    def __init__(self, comm, arena):
        self.n, self.me, self._arena = comm.size, comm.rank, arena
        self.rows = oracle.rows("SUM", "i8", self.n, COUNT * self.n)

    def arrays(self, n_target, values=None):
        """Return a target and a source. By default the source holds this rank's row."""
        values = self.rows[self.me] if values is None else np.asarray(values)
        self._arena.reset()
        target, source = self._arena.take(n_target, "i8"), self._arena.take(values.size, "i8")
        target[...], source[...] = 0, values
        return target, source


def allreduce(team, at):
    target, source = at.arrays(COUNT * at.n)
    redcoll.allreduce(target, source, team=team)
    return target, at.rows.sum(axis=0)


def reduce(team, at):
    target, source = at.arrays(COUNT * at.n)
    redcoll.reduce(target, source, root=at.n - 1, team=team)
    return target, at.rows.sum(axis=0) if at.me == at.n - 1 else 0 * source


def reduce_scatter(team, at):
    target, source = at.arrays(COUNT)
    redcoll.reduce_scatter(target, source, team=team)
    return target, at.rows.sum(axis=0)[COUNT * at.me :][:COUNT]


def scan(team, at):
    target, source = at.arrays(COUNT * at.n)
    redcoll.scan(target, source, team=team)
    return target, at.rows[: at.me + 1].sum(axis=0)


def exscan(team, at):
    target, source = at.arrays(COUNT * at.n)
    redcoll.exscan(target, source, team=team)
    return target, at.rows[: at.me].sum(axis=0)


def broadcast(team, at):
    target, source = at.arrays(COUNT * at.n)
    redcoll.broadcast(target, source, 0, team=team)
    return target, at.rows[0]


def collect(team, at):
    target, source = at.arrays(at.n * (at.n + 1) // 2, [at.me] * (at.me + 1))
    assert redcoll.collect(target, source, team=team) == target.size
    return target, np.repeat(np.arange(at.n), np.arange(1, at.n + 1))


def fcollect(team, at):
    target, source = at.arrays(COUNT * at.n * at.n)
    redcoll.fcollect(target, source, team=team)
    return target, at.rows.reshape(-1)


def alltoall(team, at):
    target, source = at.arrays(at.n, np.arange(at.n) + 10 * at.me)
    redcoll.alltoall(target, source, 1, team=team)
    return target, 10 * np.arange(at.n) + at.me


def barrier(team, at):
    redcoll.barrier(team=team)
    return allreduce(team, at)


CALLS = (
    *(allreduce, reduce, reduce_scatter, scan, exscan),
    *(broadcast, collect, fcollect, alltoall, barrier),
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CALLS)
def test_every_collective_takes_every_spelling_of_a_team(plain, arena, call, way):
    at, team = Place(plain, arena), spellings(plain)[way]
    for _ in range(3):
        target, wanted = call(team, at)
        assert oracle.assert_same(target, wanted.astype("i8")) == target.size
    theirs.COMM_WORLD.Barrier()


def test_one_communicator_has_one_team(plain, arena):
    found = spellings(plain)
    for team in found.values():
        target, wanted = allreduce(team, Place(plain, arena))
        assert oracle.assert_same(target, wanted) == target.size
    found["redcoll.MPI"].Allreduce(np.ones(2), np.zeros(2))
    assert found["redcoll.MPI"]._attach().team is found["Team"]
    assert comm_state.find(plain).team is found["Team"]


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("way", ["mpi4py", "redcoll.MPI"])
def test_wrong_argument_on_one_rank_is_reported_to_the_communicator(plain, arena, way):
    team, me = spellings(plain)[way], plain.rank
    target = np.zeros(3 if me == 0 else 4)
    with pytest.raises(ArgumentError if me == 0 else CollectiveMismatchError, match="target has"):
        redcoll.allreduce(target, np.ones(4), team=team)
    target, wanted = allreduce(team, Place(plain, arena))
    assert oracle.assert_same(target, wanted) == target.size


def test_arguments_that_are_not_teams():
    freed = theirs.COMM_WORLD.Dup()
    freed.Free()
    for wrong in (theirs.COMM_NULL, theirs.Intracomm(), freed, 3, "world"):
        with pytest.raises(ArgumentError, match=r"it must be a redcoll\.Team"):
            redcoll.allreduce(np.zeros(1), np.zeros(1), team=wrong)
        with pytest.raises(ArgumentError, match=r"it must be a redcoll\.Team"):
            redcoll.barrier(team=wrong)
