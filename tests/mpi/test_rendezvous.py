"""Test the rendezvous of the members of an active set. Members can withdraw at any time."""

from __future__ import annotations

import time

import pytest
from mpi4py import MPI

from redcoll.internode import notices
from redcoll.world.rendezvous import NODE, Rendezvous, tag_of

pytestmark = pytest.mark.mpi(min_size=2)

ROUNDS = 30


@pytest.fixture
def comm():
    comm = MPI.COMM_WORLD.Dup()
    yield comm
    comm.Free()


def await_all(rendezvous):
    """Wait until no member is absent."""
    until = time.monotonic() + 30
    while rendezvous.absent():
        assert time.monotonic() < until
        time.sleep(1e-4)


def come_to_an_end(rendezvous):
    until = time.monotonic() + 30
    while not rendezvous.try_complete():
        assert time.monotonic() < until
        time.sleep(1e-4)


def be_there_until_the_first_has_seen_all(comm, rendezvous):
    # A member answers only while it polls for messages.
    if comm.rank == 0:
        await_all(rendezvous)
    seen = comm.Ibarrier()
    while not seen.Test():
        if comm.rank:
            assert rendezvous.absent() == [0]
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
    tags = {tag_of(key, n) + which for key in [NODE, *keys] for which in (0, 1)}
    assert len(tags) == 2 * (1 + len(keys)) > 2 * n
    others = (notices.TAG,)
    assert min(tags) > max(others)
    assert max(tags) <= MPI.COMM_WORLD.Get_attr(MPI.TAG_UB)


def let_messages_arrive(comm):
    comm.Barrier()
    looks, until = 0, time.monotonic() + 0.03
    while looks < 100 or time.monotonic() < until:
        comm.Iprobe(MPI.ANY_SOURCE, 8)  # finds no message, but MPI makes progress
        looks += 1


def test_repeated_rendezvous(comm, rng):
    for _ in range(ROUNDS):
        rendezvous = Rendezvous(comm, list(range(comm.size)), 7)
        time.sleep(rng.random() * 2e-3)
        rendezvous.join()
        come_to_an_end(rendezvous)


def test_an_answer_that_is_withdrawn_before_the_release(comm):
    """The first member has seen all members. Then the last member withdraws and joins again."""
    last = comm.size - 1
    for _ in range(ROUNDS):
        rendezvous = Rendezvous(comm, list(range(comm.size)), 7)
        rendezvous.join()
        be_there_until_the_first_has_seen_all(comm, rendezvous)
        if comm.rank == last:
            assert not rendezvous.withdraw()
        let_messages_arrive(comm)
        if comm.rank == 0:
            # The first member has not yet seen the withdrawal. Its last check
            # finds the withdrawal.
            assert not rendezvous.try_complete()
            assert rendezvous.absent() == [last]
        comm.Barrier()
        if comm.rank == last:
            rendezvous.join()
        come_to_an_end(rendezvous)


def test_withdraw_returns_true_after_the_release(comm):
    last = comm.size - 1
    for _ in range(ROUNDS):
        rendezvous = Rendezvous(comm, list(range(comm.size)), 7)
        rendezvous.join()
        be_there_until_the_first_has_seen_all(comm, rendezvous)
        if comm.rank == 0:
            assert rendezvous.try_complete()
        let_messages_arrive(comm)
        if comm.rank == last:
            assert rendezvous.withdraw()
        elif comm.rank:
            come_to_an_end(rendezvous)
