"""Test that locks admit one PE at a time and in order, and that no lost holder causes a hang."""

import os
import time

import numpy as np
import pytest

import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    StateError,
    SymmetryError,
)
from redcoll.onesided import atomics, locks

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "60"))


@pytest.fixture
def lock(arena):
    word = arena.take(3, "l")[1:]
    word[...] = 0
    shmem.shmem_barrier_all()
    yield word
    shmem.shmem_barrier_all()
    assert (word == 0).all()


def test_read_modify_write(arena, lock, delays):
    """The counter changes by a load and a store, so its value is right only under the lock."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    cells = arena.take(2, "l")
    cells[...] = 0
    shmem.shmem_barrier_all()
    for _ in range(ROUNDS):
        shmem.shmem_set_lock(lock)
        value = shmem.shmem_long_g(cells, 0)
        delays()
        assert shmem.shmem_long_g(cells[1:], 0) == value
        shmem.shmem_long_p(cells, value + 1, 0)
        shmem.shmem_long_p(cells[1:], value + 1, 0)
        shmem.shmem_clear_lock(lock)
        delays()
    shmem.shmem_barrier_all()
    if me == 0:
        assert cells.tolist() == [ROUNDS * n] * 2
    shmem.shmem_barrier_all()


def test_taken_without_waiting(arena, lock, delays):
    """A PE that gets the lock increments the counter. PEs wait for the lock, or only try it."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    cells = arena.take(n + 1, "l")
    cells[...] = 0
    shmem.shmem_barrier_all()
    taken = 0
    for turn in range(ROUNDS):
        delays()
        if (turn + me) % 3 == 0:
            shmem.shmem_set_lock(lock)
        elif shmem.shmem_test_lock(lock) != 0:
            continue
        taken += 1
        value = shmem.shmem_long_g(cells, 0)
        delays()
        shmem.shmem_long_p(cells, value + 1, 0)
        shmem.shmem_clear_lock(lock)
    shmem.shmem_long_p(cells[1 + me :], taken, 0)
    shmem.shmem_barrier_all()
    if me == 0:
        assert cells[0] == cells[1:].sum()
    assert taken >= ROUNDS // 3
    shmem.shmem_barrier_all()


def test_the_order_of_requests(arena, lock):
    """The PEs join the queue in the order of their numbers, and must get the lock in that order."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    go, counter, order = arena.take(1, "l"), arena.take(1, "l"), arena.take(n, "l")
    go[0], counter[0], order[...] = 0, 0, -1
    shmem.shmem_barrier_all()
    if me == 0:
        shmem.shmem_set_lock(lock)
        queue = locks._lock(lock, "lock")
        for pe in range(1, n):
            shmem.shmem_long_p(go, 1, pe)
            end = time.monotonic() + 20
            while atomics.fetch(queue.last, queue.home) != pe + 1:
                assert time.monotonic() < end
                time.sleep(1e-4)
    else:
        shmem.shmem_long_wait_until(go, shmem.SHMEM_CMP_EQ, 1)
        shmem.shmem_set_lock(lock)
    place = shmem.shmem_long_atomic_fetch_inc(counter, 0)
    shmem.shmem_long_p(order[place:], me, 0)
    shmem.shmem_clear_lock(lock)
    shmem.shmem_barrier_all()
    if me == 0:
        assert order.tolist() == list(range(n))
    shmem.shmem_barrier_all()


def test_two_locks_at_once(arena, lock):
    other = arena.take(1, "l")
    other[0] = 0
    shmem.shmem_barrier_all()
    for _ in range(10):
        shmem.shmem_set_lock(lock)
        shmem.shmem_set_lock(other)
        assert shmem.shmem_test_lock(lock) == 1
        assert shmem.shmem_test_lock(other) == 1
        shmem.shmem_clear_lock(lock)
        shmem.shmem_clear_lock(other)
    shmem.shmem_barrier_all()
    assert other[0] == 0


def test_wrong_arguments(arena, lock):
    private = np.zeros(1, "l")
    for kind, text, array in (
        (DatatypeError, "lock is None", None),
        (DatatypeError, "lock is of int32", lock.view("i4")),
        (SymmetryError, "lock is a private", private),
        (ArgumentError, "no elements", lock[:0]),
    ):
        for name in ("set", "test", "clear"):
            with pytest.raises(kind, match=f"shmem_{name}_lock: .*{text}"):
                getattr(shmem, f"shmem_{name}_lock")(array)
    with pytest.raises(StateError, match="does not have it"):
        shmem.shmem_clear_lock(lock)
    shmem.shmem_barrier_all()
    if shmem.shmem_my_pe() == 0:
        shmem.shmem_set_lock(lock)
        with pytest.raises(StateError, match="has it already"):
            shmem.shmem_set_lock(lock)
        assert shmem.shmem_test_lock(lock) == 1
        shmem.shmem_clear_lock(lock)
        with pytest.raises(StateError, match="does not have it"):
            shmem.shmem_clear_lock(lock)
    freed = shmem.zeros(1, "l")
    shmem.shmem_free(freed)
    with pytest.raises(StateError, match="freed"):
        shmem.shmem_set_lock(freed)
    shmem.shmem_barrier_all()


@pytest.mark.mpi(min_size=2)
def test_a_deadline(arena, world, monkeypatch):
    """A wait that times out names the PE for which it waited.

    The PE that timed out cannot use the lock until the lock's memory is reset to 0.
    """
    me = shmem.shmem_my_pe()
    word = shmem.zeros(1, "l")
    shmem.shmem_barrier_all()
    if me == 0:
        shmem.shmem_set_lock(word)
    shmem.shmem_barrier_all()
    if me == 1:
        monkeypatch.setattr(world.team.watch, "timeout_s", 0.2)
        with pytest.raises(CollectiveTimeoutError, match="in the queue behind PE 0"):
            shmem.shmem_set_lock(word)
        with pytest.raises(StateError, match="was interrupted or timed out"):
            shmem.shmem_set_lock(word)
        monkeypatch.undo()
    shmem.shmem_barrier_all()
    # All PEs can use the lock again after they have set its memory to 0.
    word[0] = 0
    shmem.shmem_barrier_all()
    if me == 1:
        shmem.shmem_set_lock(word)
        shmem.shmem_clear_lock(word)
    shmem.shmem_barrier_all()
    shmem.shmem_free(word)
