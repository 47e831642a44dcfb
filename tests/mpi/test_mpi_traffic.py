"""
Test reductions in a program that also sends messages of its own: nothing may hang.

Each rank sends 10 MB to the next rank before the reductions, and receives 10 MB before or after
them. Each rank also puts into windows of other ranks, and has nonblocking reductions of MPI
pending. Each rank makes these calls in its own order, with delays. ``REDCOLL_TEST_ROUNDS=500`` runs
the full test.
"""

import os
import random
import time

import numpy as np
import pytest
from mpi4py import MPI

import redcoll
from redcoll import user_op

pytestmark = [pytest.mark.mpi(min_size=2), pytest.mark.every_size]

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "5"))

MESSAGE = 10_000_000 // 8
SLOTS = 1000
COUNTS = (1, 100, 3000, 60_000)
"""Numbers of elements, from a short vector to a vector of several messages between nodes."""


class Program:
    """The MPI objects of a program, and a round of its MPI calls."""

    def __init__(self, team, take):
        self.team, self.me, self.n = team, team.index, team.size
        self.next, self.previous = (self.me + 1) % self.n, (self.me - 1) % self.n
        self.comm = MPI.COMM_WORLD.Dup()
        self.comm.Set_name("the program's own")
        self.outgoing, self.incoming = np.empty(MESSAGE), np.empty(MESSAGE)
        self.window = MPI.Win.Allocate(SLOTS * 8, 8, comm=self.comm)
        self.slots = np.frombuffer(self.window, np.int64)
        self.put = np.empty(SLOTS, np.int64)
        most = max(COUNTS)
        self.symmetric = take(most, np.int64), take(most, np.int64)
        self.private = np.empty(most, np.int64), np.empty(most, np.int64)
        self.compared = 0

    def close(self):
        self.window.Free()
        self.comm.Free()

    def round(self, turn):
        # ``common`` makes the choices that all ranks share, and ``own`` makes this rank's choices.
        common, own = random.Random(f"common {turn}"), random.Random(f"{turn} {self.me}")
        n, me = self.n, self.me
        flying = [np.empty(count) for count in (1, 50_000)]
        # The sources must live until the requests complete: mpi4py's requests hold no references.
        sources = [np.full(each.size, float(me + turn)) for each in flying]
        requests = [
            self.comm.Iallreduce(source, into) for source, into in zip(sources, flying, strict=True)
        ]
        self.outgoing[:] = me * 1000 + turn
        if own.random() < 0.5:
            delay(own)
        sending = self.comm.Isend(self.outgoing, self.next, 1)
        is_fenced = common.random() < 0.5
        if is_fenced:
            self.window.Fence()
        self.put[:] = me + turn
        around = [self.receive, self.put_to_the_next_but_one if is_fenced else self.lock_and_put]
        own.shuffle(around)
        before = own.randrange(len(around) + 1)
        for do in around[:before]:
            do()
            delay(own)
        for _ in range(common.randrange(1, 4)):
            self.reduce(turn, common)
            delay(own)
        for do in around[before:]:
            do()
        if is_fenced:
            self.window.Fence()
        if own.random() < 0.5:
            # Ranks that skip ``Test`` make progress on their requests only from the reduction on.
            requests = [each for each in requests if not each.Test()]
        self.reduce(turn, common)
        MPI.Request.Waitall([*requests, sending])
        del sources
        self.comm.Barrier()
        self.window.Fence(MPI.MODE_NOPUT) if is_fenced else self.see()
        for each in flying:
            assert (each == n * (n - 1) / 2 + n * turn).all()
        assert (self.incoming == self.previous * 1000 + turn).all()
        assert (self.slots == (me - 2) % n + turn).all()
        # Every rank must read its window before the next round puts into it.
        self.comm.Barrier()
        self.compared += flying[1].size + self.incoming.size + self.slots.size

    def receive(self):
        self.incoming[:] = -1
        self.comm.Recv(self.incoming, self.previous, 1)

    def put_to_the_next_but_one(self):
        self.window.Put(self.put, (self.me + 2) % self.n)

    def lock_and_put(self):
        target = (self.me + 2) % self.n
        self.window.Lock(target)
        self.window.Put(self.put, target)
        self.window.Unlock(target)

    def see(self):
        self.window.Lock(self.me)
        self.window.Sync()
        self.window.Unlock(self.me)

    def reduce(self, turn, common):
        n, me, team = self.n, self.me, self.team
        count = common.choice(COUNTS)
        arrays = self.symmetric if common.random() < 0.5 else self.private
        target, source = (each[:count] for each in arrays)
        base = np.arange(count)
        source[:] = base + me * turn
        kind = common.randrange(5)
        if kind <= 1:
            redcoll.allreduce(target, source, team=team)
            wanted = n * base + turn * (n * (n - 1) // 2)
        elif kind == 2:
            root = turn % n
            target[:] = -1
            redcoll.reduce(target, source, redcoll.MAX, root=root, team=team)
            wanted = base + (n - 1) * turn if me == root else np.full(count, -1)
        elif kind == 3:
            redcoll.scan(target, source, team=team)
            wanted = base * (me + 1) + turn * (me * (me + 1) // 2)
        else:
            redcoll.allreduce(target, source, user_op(np.minimum), team=team)
            wanted = base
        assert (target == wanted).all()
        self.compared += count


def delay(numbers):
    kind = numbers.random()
    if kind < 0.1:
        time.sleep(numbers.random() * 5e-3)
    elif kind < 0.5:
        os.sched_yield()


@pytest.mark.parametrize("node_size", [None, 1, 2], ids=["nodes as they are", "of 1", "of 2"])
def test_reductions_amid_the_programs_own_traffic(world, arena, pretend_nodes, node_size):
    if node_size is not None:
        pretend_nodes(node_size)
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    program = Program(team, arena.take)
    for turn in range(ROUNDS):
        program.round(turn)
    assert program.compared > ROUNDS * MESSAGE
    program.close()
    team.close()
