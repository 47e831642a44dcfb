"""Test that messages name the line of the program for each rank."""

import re
import sys

import numpy as np
import pytest
from mpi4py import MPI

import redcoll
from redcoll import CollectiveMismatchError, CollectiveTimeoutError, Team, kernels

pytestmark = [pytest.mark.mpi(min_size=2)]

FILE = "test_call_sites.py"


def here():
    """Return the number of the caller's line."""
    return sys._getframe(1).f_lineno


def known(team):
    """Call twice on a team, so that the fast path knows the call; return the line of the call."""
    for _ in range(2):
        redcoll.allreduce(np.zeros(1), np.ones(1), team=team)
    return here() - 1


def differ(team, target, source):
    if team.index == team.size - 1:
        redcoll.allreduce(target, source, redcoll.MAX, team=team)
    else:
        redcoll.allreduce(target, source, team=team)


def test_mismatch_names_the_line_of_each_rank(world):
    size = MPI.COMM_WORLD.Get_size()
    team = Team.from_comm(MPI.COMM_WORLD)
    known(team)
    target, source = np.zeros(1), np.ones(1)
    with pytest.raises(CollectiveMismatchError) as caught:
        differ(team, target, source)
    first = differ.__code__.co_firstlineno
    lines = first + 4, first + 2
    expected = re.compile(
        rf"Call sites: PE [\d, ]+ at {FILE}:{lines[0]} \w+; PE {size - 1} at {FILE}:{lines[-1]} \w+"
    )
    assert expected.search(str(caught.value)), str(caught.value)
    assert MPI.COMM_WORLD.allgather(str(caught.value)) == [str(caught.value)] * size
    known(team)  # the team still works
    team.close()


def test_wrong_argument_names_the_line_of_each_rank(world):
    me, last = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size() - 1
    team = Team.from_comm(MPI.COMM_WORLD)
    source = "wrong" if me == last else np.ones(1)
    with pytest.raises(redcoll.RedcollError) as caught:
        redcoll.allreduce(np.zeros(1), source, team=team)
    if me < last:
        line = here() - 2
        pes = ", ".join(map(str, range(last + 1)))
        name = "test_wrong_argument_names_the_line_of_each_rank"
        assert f"Call sites: PE {pes} at {FILE}:{line} {name}" in str(caught.value)
    known(team)  # the team still works
    team.close()


def time_out(team):
    """Set a short timeout for later waits on a team."""
    for each in (team, team.node or team):
        each.watch.timeout_s = 0.3


def test_timeout_names_the_last_call_of_the_absent_rank(world):
    comm = MPI.COMM_WORLD
    me, last = comm.Get_rank(), comm.Get_size() - 1
    team = Team.from_comm(comm)
    line_of_last = known(team)
    comm.Barrier()
    time_out(team)
    if me == last:
        for rank in range(last):
            comm.recv(source=rank)
    else:
        line = here() + 2
        with pytest.raises(redcoll.CollectiveError) as caught:
            redcoll.barrier(team=team)
        comm.send(None, last)
        message = str(caught.value)
        name = "test_timeout_names_the_last_call_of_the_absent_rank"
        assert message.endswith(f"; PE {me}: waiting at {FILE}:{line} {name}")
        if team.layout.is_one_node and isinstance(caught.value, CollectiveTimeoutError):
            call = "last call allreduce(op=SUM, type=float64, count=1)"
            # The NumPy kernel does not record call sites.
            at = f" at {FILE}:{line_of_last} known" if kernels.choose() == "compiled" else ""
            assert f"PE {last}: {call}{at};" in message
    comm.Barrier()


def test_rank_that_waits_on_another_team_is_reported(world):
    comm = MPI.COMM_WORLD
    first, second = Team.from_comm(comm), Team.from_comm(comm)
    if not first.layout.is_one_node:
        nodes = len(first.layout.nodes)
        first.close()
        second.close()
        pytest.skip(f"needs one node, the PEs are on {nodes}")
    comm.Barrier()
    time_out(first)
    time_out(second)
    line = here() + 2
    with pytest.raises(redcoll.CollectiveError) as caught:
        redcoll.barrier(team=first if comm.Get_rank() else second)
    if isinstance(caught.value, CollectiveTimeoutError):
        assert f"waiting in barrier() at {FILE}:{line}" in str(caught.value)
    kinds = comm.allgather(type(caught.value).__name__)
    assert "CollectiveTimeoutError" in kinds, kinds
