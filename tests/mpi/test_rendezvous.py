"""How the members of a set meet by messages: answers that are taken back, at any moment."""

from __future__ import annotations

import time

import pytest
from mpi4py import MPI

from redcoll.internode import notices
from redcoll.world.rendezvous import Meeting

pytestmark = pytest.mark.mpi(min_size=2)

ROUNDS = 30


@pytest.fixture
def comm():
    comm = MPI.COMM_WORLD.Dup()
    yield comm
    comm.Free()


def await_all(meeting):
    """Until nobody is absent."""
    until = time.monotonic() + 30
    while meeting.absent():
        assert time.monotonic() < until
        time.sleep(1e-4)


def come_to_an_end(meeting):
    until = time.monotonic() + 30
    while not meeting.can_end():
        assert time.monotonic() < until
        time.sleep(1e-4)


def be_there_until_the_first_has_seen_all(comm, meeting):
    # A member answers when it looks.
    if comm.rank == 0:
        await_all(meeting)
    seen = comm.Ibarrier()
    while not seen.Test():
        if comm.rank:
            assert meeting.absent() == [0]
    comm.Barrier()


def test_each_set_is_made_with_a_tag_of_its_own(world):
    n = world.n_pes
    keys = [
        (start, log_stride, size)
        for start in range(n)
        for log_stride in range(n.bit_length())
        for size in range(1, n + 1)
        if start + ((size - 1) << log_stride) < n
    ]
    tags = {world._tag_of(key) + which for key in keys for which in (0, 1)}
    assert len(tags) == 2 * len(keys) >= 2 * n
    others = (notices.TAG,)
    assert min(tags) > max(others)
    assert max(tags) <= MPI.COMM_WORLD.Get_attr(MPI.TAG_UB)


def let_messages_arrive(comm):
    comm.Barrier()
    looks, until = 0, time.monotonic() + 0.03
    while looks < 100 or time.monotonic() < until:
        comm.Iprobe(MPI.ANY_SOURCE, 8)  # finds nothing, but MPI makes progress
        looks += 1


def test_all_meet_again_and_again(comm, rng):
    for _ in range(ROUNDS):
        meeting = Meeting(comm, list(range(comm.size)), 7)
        time.sleep(rng.random() * 2e-3)
        meeting.come()
        come_to_an_end(meeting)


def test_an_answer_that_is_taken_back_before_all_go_on(comm):
    """The first has seen all; then the last one gives up, and comes again."""
    last = comm.size - 1
    for _ in range(ROUNDS):
        meeting = Meeting(comm, list(range(comm.size)), 7)
        meeting.come()
        be_there_until_the_first_has_seen_all(comm, meeting)
        if comm.rank == last:
            assert not meeting.take_back()
        let_messages_arrive(comm)
        if comm.rank == 0:
            # What it has not looked at since is found at the last moment.
            assert not meeting.can_end()
            assert meeting.absent() == [last]
        comm.Barrier()
        if comm.rank == last:
            meeting.come()
        come_to_an_end(meeting)


def test_who_gives_up_when_all_go_on_hears_that_it_is_too_late(comm):
    last = comm.size - 1
    for _ in range(ROUNDS):
        meeting = Meeting(comm, list(range(comm.size)), 7)
        meeting.come()
        be_there_until_the_first_has_seen_all(comm, meeting)
        if comm.rank == 0:
            assert meeting.can_end()
        let_messages_arrive(comm)
        if comm.rank == last:
            assert meeting.take_back()
        elif comm.rank:
            come_to_an_end(meeting)
