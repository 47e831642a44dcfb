"""Test that ``redcoll.profile()`` names late ranks, and the waits that they cause."""

import threading
import time

import numpy as np
import pytest
from mpi4py import MPI

import redcoll
from redcoll import MPI as RMPI

pytestmark = [pytest.mark.mpi(min_size=2)]

CLOCK_ERROR_S = 1e-4
"""The largest difference of the recorder's clock and Python's clock."""


def test_planted_stragglers_are_named(world):
    comm = RMPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    source, target = np.ones(100), np.empty(100)
    comm.Allreduce(source, target)
    clocks = []
    with redcoll.profile() as p:
        for step in range(40):
            if rank == size - 1 and step % 20 == 7:
                time.sleep(0.05)
            if rank == 0 and step == 30:
                time.sleep(0.05)
            start = time.monotonic()
            comm.Allreduce(source, target)
            clocks.append((start, time.monotonic()))
    everyone = np.array(MPI.COMM_WORLD.allgather(clocks))
    [row] = p.rows()
    assert (row.calls, row.ranks, row.n_bytes) == (40 * size, size, 40 * size * 800)
    assert row.site.startswith("test_profile.py:")
    assert row.call == "Allreduce"
    found = np.zeros(size)
    for late in p.late():
        found[late.rank] += late.seconds
    if rank == 0:
        starts = np.array([log.calls["start_s"] for log in p.logs])
        stops = np.array([log.calls["stop_s"] for log in p.logs])
        # A process can lose its core between the clocks around a call and the recorder's clocks.
        # But the recorded time is always within the clocks, and no call ends before all began.
        before, after = everyone[..., 0], everyone[..., 1]
        error_s = CLOCK_ERROR_S + max(log.error_s for log in p.logs)
        assert error_s < 0.05
        assert (before - error_s <= starts).all()
        assert (stops <= after + error_s).all()
        assert (stops >= before.max(0) - error_s).all()
        assert np.median(starts - before) < 1e-3
        assert np.median(after - stops) < 1e-3
        # The sums of the recorded times, computed once more.
        inside = float((stops - starts).sum() / size)
        assert row.inside_s == pytest.approx(inside, rel=1e-6)
        waits = np.clip(starts.max(0) - starts, 0, stops - starts)
        assert row.waiting_s == pytest.approx(float(waits.sum() / size), rel=1e-6)
        costs = np.zeros(size)
        for step, last in enumerate(starts.argmax(0)):
            costs[last] += waits[:, step].sum() / (size - 1)
        assert found == pytest.approx(costs, rel=1e-6)
    named = {late.rank for late in p.late() if late.seconds > 0.03}
    assert {0, size - 1} <= named
    assert sum(late.times for late in p.late()) == 40


def test_profile_of_communicators_and_native_calls(world):
    comm = RMPI.COMM_WORLD
    half = comm.Split(comm.Get_rank() % 2)
    with redcoll.profile() as p:
        half.allreduce(1.0)
        redcoll.allreduce(np.zeros(1), np.ones(1))
    calls = {row.call: row for row in p.rows()}
    assert set(calls) == {"allreduce", "redcoll.allreduce"}
    assert all(row.calls == row.ranks == comm.Get_size() for row in calls.values())
    half.Free()


def test_all_ranks_have_the_result_and_rank_0_has_the_calls(world, tmp_path):
    comm = RMPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    with redcoll.profile() as p:
        for step in range(10):
            if rank == step % size:
                time.sleep(0.002)
            comm.allreduce(step)
    assert p.is_complete
    assert sorted(p.waits) == list(range(size))
    found = MPI.COMM_WORLD.allgather((p.rows(), p.late(), p.waits, p.table()))
    assert all(each == found[0] for each in found)
    assert sum(late.times for late in p.late()) == 10
    p.trace(tmp_path / "trace.json")
    assert (tmp_path / "trace.json").exists() == (rank == 0)
    assert [len(log.calls) for log in p.logs] == [10] * size * (rank == 0)


def test_profile_within_a_profile_is_an_error(world):
    with redcoll.profile():
        second = redcoll.profile()
        with pytest.raises(redcoll.errors.StateError, match="being recorded"):
            second.__enter__()


def test_profile_ends_while_another_thread_waits(world):
    """The other thread's call begins inside the profile's block and ends after the block."""
    if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
        pytest.skip("MPI allows only one thread")
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    result, errors = np.zeros(1), []

    def reduce():
        try:
            redcoll.allreduce(result, np.ones(1), team=team)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    for _ in range(2):
        reduce()
    thread = threading.Thread(target=reduce)
    is_last = world.pe == world.n_pes - 1
    with redcoll.profile():
        if not is_last:
            thread.start()
            time.sleep(0.1)
    if is_last:
        thread.start()
    thread.join()
    assert not errors
    assert result[0] == world.n_pes
    team.close()


class OnDevice:
    """A buffer that only MPI reduces."""

    def __init__(self, array):
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}


@pytest.mark.parametrize("count", [4, 30_000])
def test_profile_names_no_wrong_rank_if_a_late_rank_delegates(world, count):
    """The other ranks first wait, and then learn that MPI makes the reduction."""
    comm = RMPI.COMM_WORLD
    source, target = np.ones(count), np.empty(count)
    is_last = comm.Get_rank() == comm.Get_size() - 1
    for _ in range(3):
        comm.Allreduce(source, target)
    with redcoll.profile() as p:
        for _ in range(4):
            if is_last:
                time.sleep(0.02)
            comm.Allreduce(OnDevice(source) if is_last else source, target)
    assert target[0] == comm.Get_size()
    assert sum(row.calls for row in p.rows()) == 4 * comm.Get_size()
    assert {late.rank for late in p.late()} <= {comm.Get_size() - 1}
