"""Test reductions of arrays of redcoll.shared_arrays, made and freed in random order."""

import os
import random

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import MAXLOC, SUM, kernels
from redcoll.memory import arena as arena_module
from redcoll.protocol.layout import IN_ARENA

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.every_size,
    pytest.mark.skipif(not kernels.is_built(), reason="the compiled kernel was not built"),
]

STEPS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "1000"))
LEAST, MOST = 4096, 50_000
"""Numbers of 8-byte elements. LEAST is 32 KiB, the smallest array that is shared."""


@pytest.fixture
def team(world):
    """Return a team whose members have mapped each other's arenas."""
    with redcoll.shared_arrays():
        result = redcoll.Team.from_comm(MPI.COMM_WORLD)
    yield result
    if result.can_go_on:
        result.close()


def is_shared(array):
    return arena_module.offset(array.ctypes.data) >= 0


def test_random_allocations_views_frees_and_reductions(team):
    """All ranks reduce equal shapes, but each rank chooses the placement of its arrays."""
    me, n = team.index, team.size
    common, own = random.Random("common"), random.Random(me)
    kept, shared, compared = [], 0, 0
    functions = (redcoll.allreduce, redcoll.reduce, redcoll.scan)
    for step in range(STEPS):
        with redcoll.shared_arrays():
            for _ in range(own.randrange(3)):
                count = own.randrange(100, MOST)
                make = own.choice([np.full, lambda size, value: np.zeros(size) + value])
                kept.append((make(count, float(step)), step))
            while len(kept) > 20:
                array, value = kept.pop(own.randrange(len(kept)))
                assert (array == value).all()
                if own.random() < 0.5:
                    kept.append((array[own.randrange(50) :], value))
                del array
            if common.random() < 0.7:
                continue
            count = common.randrange(LEAST, MOST)
            op, dtype = common.choice(
                [
                    ("SUM", np.dtype("f8")),
                    ("PROD", np.dtype("i8")),
                    ("MAXLOC", oracle.pair("f8", "i8")),
                ]
            )
            function = common.choice(functions)
            rows = oracle.rows(op, dtype, n, count, seed=step)
            # Take a view of a larger shared array, a whole shared array, or an ordinary array.
            room = np.empty(count + 10, dtype)
            start = own.randrange(10)
            source = room[start : start + count]
            target = np.empty(count, dtype)
        if own.random() < 0.2:
            target = np.empty(count, dtype)
        source[...] = rows[me]
        shared += is_shared(source) and is_shared(target)
        arguments = (getattr(redcoll, op),)
        if function is redcoll.reduce:
            root = common.randrange(n)
            arguments += (root,)
        function(target, source, *arguments, team=team)
        if function is redcoll.scan:
            compared += oracle.assert_same(target, oracle.fold(op, rows[: me + 1]))
        elif function is redcoll.allreduce or me == root:
            compared += oracle.check_reduced(op, rows, target)
        oracle.assert_same(source, rows[me], what="source")
        del room, source, target
    for array, value in kept:
        assert (array == value).all()
    assert shared
    assert compared > STEPS * LEAST // 20


@pytest.mark.parametrize("is_all", [True, False])
def test_all_ranks_read_shared_arrays_where_they_are(team, is_all):
    """Every member publishes the place of its array, unless a member has an ordinary array."""
    if not team.layout.is_one_node:
        pytest.skip(f"needs one node, the PEs are on {len(team.layout.nodes)}")
    count, me, n = 20_000, team.index, team.size
    is_mine_shared = is_all or me != n - 1
    for turn in range(3):
        if is_mine_shared:
            with redcoll.shared_arrays():
                source, target = np.full(count, me + turn), np.zeros(count, np.int64)
        else:
            source, target = np.full(count, me + turn), np.zeros(count, np.int64)
        assert is_shared(source) == is_mine_shared
        redcoll.allreduce(target, source, SUM, team=team)
        assert (target == n * turn + n * (n - 1) // 2).all()
        places = team.channel.posts(team.channel.sequence - 1)
        if is_all and n > 1:
            assert all(post.source & IN_ARENA and post.target & IN_ARENA for post in places)


def test_team_made_before_the_first_shared_array_copies(world):
    """The members have not mapped the arenas, so their arrays pass through staging buffers."""
    before = redcoll.Team.from_comm(MPI.COMM_WORLD)
    # This team does not know the memory of any rank, as before the first call of shared_arrays.
    before.members = before.members._replace(arenas=None)
    me, n = before.index, before.size
    with redcoll.shared_arrays():
        rows = oracle.rows("MAXLOC", oracle.MPI_PAIRS["DOUBLE_INT"], n, 9000)
        source, target = rows[me].copy(), np.empty_like(rows[me])
    redcoll.allreduce(target, source, MAXLOC, team=before)
    assert oracle.check_reduced("MAXLOC", rows, target) == 9000
    before.close()


def test_memory_of_a_broken_team_is_not_used_again(team):
    """A slower rank may still write to the arrays of a call that another rank has left."""
    if team.size == 1:
        pytest.skip("nobody to wait for")
    with redcoll.shared_arrays():
        x = np.ones(10_000)
    team.life.revoke(KeyboardInterrupt())
    at = arena_module.offset(x.ctypes.data)
    del x
    with redcoll.shared_arrays():
        later = [arena_module.offset(np.ones(10_000).ctypes.data) for _ in range(50)]
    assert min(later) >= 0
    assert at not in later
    assert len(set(later)) < len(later)
