"""The two engines that move bytes from node to node, alone: no team, no collective."""

import os
import random
import time
import zlib

import numpy as np
import pytest
from mpi4py import MPI

from redcoll.engines import Messages
from redcoll.errors import ArgumentError, StateError
from redcoll.mailboxes import DEPTH, Mailboxes

pytestmark = [pytest.mark.mpi(min_size=2), pytest.mark.every_size]

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "20"))

SMALL, LARGE = 1, 3
MOST_BYTES = {SMALL: 1000, LARGE: 70_001}

DEADLINE_S = 40


def payload(*about, n_bytes):
    """Bytes that nobody sends twice."""
    seed = zlib.crc32(repr(about).encode())
    return np.random.default_rng(seed).integers(0, 256, n_bytes, np.uint8)


def finish(requests, doing=lambda: None):
    """Until all are over, tested in turn as a courier does; the number of turns."""
    until = time.monotonic() + DEADLINE_S
    left = list(requests)
    turns = 0
    while left:
        left = [each for each in left if not each.Test()]
        turns += 1
        doing()
        if turns % 64 == 0:
            os.sched_yield()
            assert time.monotonic() < until, f"{len(left)} of {len(requests)} are not over"
    return turns


class Setting:
    """An engine between all PEs."""

    def __init__(self, kind, comm, peers=None):
        self.comm, self.me, self.n = comm, comm.rank, comm.size
        others = [rank for rank in range(self.n) if rank != self.me] if peers is None else peers
        self.others = others
        self.kind = kind
        self.engine = (
            Messages(comm)
            if kind == "messages"
            else Mailboxes(comm, {SMALL: others, LARGE: others}, MOST_BYTES)
        )
        self.send, self.receive = self.engine.send, self.engine.receive

    def next(self):
        return (self.me + 1) % self.n

    def previous(self):
        return (self.me - 1) % self.n


@pytest.fixture
def make(request):
    """A function that makes an engine between all PEs; closed in order if the test passes."""
    comm = MPI.COMM_WORLD.Dup()
    made = []

    def make_one(kind, peers=None):
        made.append(Setting(kind, comm, peers))
        return made[-1]

    yield make_one
    for each in made:
        each.engine.free()
    comm.Free()


@pytest.fixture(params=["messages", "window"])
def mail(request, make):
    return make(request.param)


@pytest.mark.parametrize("tag", MOST_BYTES)
def test_any_size_to_all_at_once(mail, tag):
    most = MOST_BYTES[tag]
    compared = 0
    for n_bytes in (0, 1, 7, 8, 9, 63, 64, 65, most // 2, most - 1, most):
        into = {rank: np.full(n_bytes + 16, 77, np.uint8) for rank in mail.others}
        requests = [mail.receive(into[rank][8 : 8 + n_bytes], rank, tag) for rank in mail.others]
        for rank in mail.others:
            data = payload(mail.me, rank, n_bytes, n_bytes=n_bytes)
            requests.append(mail.send(data, rank, tag))
        finish(requests)
        for rank, got in into.items():
            wanted = payload(rank, mail.me, n_bytes, n_bytes=n_bytes)
            assert got[8:-8].tobytes() == wanted.tobytes(), (rank, n_bytes)
            assert (got[:8] == 77).all()
            assert (got[-8:] == 77).all()
            compared += n_bytes
    assert compared > 2 * most


@pytest.mark.parametrize("tag", MOST_BYTES)
def test_random_sizes_and_delays_both_ways(mail, delays, tag):
    """Each PE with its two neighbours; receives may be longer than what comes."""
    most = MOST_BYTES[tag]
    n = mail.n

    def length(turn, sender, receiver):
        """The same on both; some are empty, some are full."""
        numbers = random.Random(f"{turn} {sender} {receiver} {tag}")
        return numbers.choice([0, most, numbers.randrange(most), numbers.randrange(64)])

    compared = 0
    partners = sorted({mail.next(), mail.previous()})
    for turn in range(ROUNDS):
        delays()
        requests, into = [], {}
        for rank in partners:
            into[rank] = np.zeros(most, np.uint8)
            requests.append(mail.receive(into[rank], rank, tag))
        delays()
        for rank in partners:
            data = payload(turn, mail.me, rank, n_bytes=length(turn, mail.me, rank))
            requests.append(mail.send(data, rank, tag))
        finish(requests, delays if turn % 8 == 0 else lambda: None)
        for rank, got in into.items():
            n_bytes = length(turn, rank, mail.me)
            assert (
                got[:n_bytes].tobytes() == payload(turn, rank, mail.me, n_bytes=n_bytes).tobytes()
            )
            assert not got[n_bytes:].any()
            compared += n_bytes
    assert compared > 0 or n == 1


def test_one_direction_in_order(mail, delays):
    """PE 0 sends to all, many at a time; nobody sends to PE 0."""
    count = 3 * ROUNDS
    if mail.me == 0:
        requests = []
        for number in range(count):
            for rank in mail.others:
                data = np.full(number % 40, number % 251, np.uint8)
                requests += [mail.send(data, rank, SMALL)]
            if number % 10 == 0:
                delays()
                requests = [each for each in requests if not each.Test()]
        finish(requests)
    else:
        for number in range(count):
            if number % 7 == 0:
                delays()
            got = np.zeros(40, np.uint8)
            finish([mail.receive(got, 0, SMALL)])
            assert (got[: number % 40] == number % 251).all()
            assert not got[number % 40 :].any()


def test_many_receives_ahead_of_what_they_receive(mail):
    """Each gets its own, both tags at once, whatever is tested first."""
    count = 5 * DEPTH
    into = {
        (tag, number): np.zeros(MOST_BYTES[tag], np.uint8)
        for number in range(count)
        for tag in MOST_BYTES
    }
    receives = [mail.receive(got, mail.previous(), tag) for (tag, _), got in into.items()]
    sends = [
        mail.send(payload(mail.me, tag, number, n_bytes=MOST_BYTES[tag]), mail.next(), tag)
        for number in range(count)
        for tag in reversed(MOST_BYTES)
    ]
    finish([*receives[::-1], *sends[::-1]])
    for (tag, number), got in into.items():
        wanted = payload(mail.previous(), tag, number, n_bytes=MOST_BYTES[tag])
        assert got.tobytes() == wanted.tobytes()


def test_the_data_may_change_when_the_send_is_over(mail, delays):
    data, got = np.zeros(50_000, np.uint8), np.zeros(50_000, np.uint8)
    for turn in range(max(10, ROUNDS // 4)):
        data[:] = turn % 256
        send = mail.send(data, mail.next(), LARGE)
        delays()
        receive = mail.receive(got, mail.previous(), LARGE)
        finish([send])
        data[:] = 255
        finish([receive])
        assert (got == turn % 256).all()


def test_a_sender_that_is_done_may_be_away(mail):
    """What it has sent has arrived without its further help, and it needs no other PE's."""
    into = np.zeros(MOST_BYTES[LARGE], np.uint8)
    if mail.me == 0:
        finish([mail.send(payload(rank, n_bytes=into.size), rank, LARGE) for rank in mail.others])
        time.sleep(1)
    else:
        start = time.monotonic()
        finish([mail.receive(into, 0, LARGE)])
        # PE 0 could be done only when all had it, and then slept.
        assert into.tobytes() == payload(mail.me, n_bytes=into.size).tobytes()
        assert time.monotonic() - start < DEADLINE_S


def test_streams_that_nobody_asks_for_do_not_stand_still(make):
    """PE 0 waits for PE 1 only, which waits for more of PE 0 than is on its way at once."""
    mail = make("window")
    count = 4 * DEPTH
    if mail.me == 0:
        sends = [mail.send(np.full(8, i, np.uint8), 1, SMALL) for i in range(count)]
        answer = np.zeros(4, np.uint8)
        if mail.n > 2:
            # By way of PE 2, so that nothing of this stream is tested.
            finish([mail.receive(answer, 2, SMALL)])
        else:
            finish([mail.receive(answer, 1, LARGE)])
        finish(sends)
        assert answer[0] == 5
    elif mail.me == 1:
        for i in range(count):
            got = np.zeros(8, np.uint8)
            finish([mail.receive(got, 0, SMALL)])
            assert (got == i).all()
        data = np.full(4, 5, np.uint8)
        finish([mail.send(data, 2, SMALL) if mail.n > 2 else mail.send(data, 0, LARGE)])
    elif mail.me == 2:
        data = np.zeros(4, np.uint8)
        finish([mail.receive(data, 1, SMALL)])
        finish([mail.send(data, 0, SMALL)])


def test_progress_alone_moves_everything(make):
    mail = make("window")
    into = [np.zeros(100, np.uint8) for _ in range(4 * DEPTH)]
    requests = [mail.receive(each, mail.previous(), SMALL) for each in into]
    requests += [
        mail.send(np.full(100, i + mail.me, np.uint8), mail.next(), SMALL) for i in range(len(into))
    ]
    until = time.monotonic() + DEADLINE_S
    while not all(each.is_over for each in requests):
        mail.engine.progress()
        assert time.monotonic() < until
        os.sched_yield()
    for i, each in enumerate(into):
        assert (each == i + mail.previous()).all()


def test_other_mpi_traffic_at_the_same_time(mail):
    """Large messages of the program's own around the engine's."""
    comm = MPI.COMM_WORLD
    data, got = np.full(300_000, float(mail.me)), np.empty(300_000)
    for turn in range(6):
        request = comm.Isend(data, mail.next(), 5)
        into = np.zeros(1000, np.uint8)
        receive = mail.receive(into, mail.previous(), SMALL)
        send = mail.send(np.full(1000, turn, np.uint8), mail.next(), SMALL)
        if mail.me % 2 == 0:
            finish([receive, send])
            comm.Recv(got, mail.previous(), 5)
        else:
            own = comm.Irecv(got, mail.previous(), 5)
            finish([receive, send])
            own.Wait()
        request.Wait()
        assert (into == turn).all()
        assert (got == mail.previous()).all()


def test_a_receiver_that_has_not_come_holds_nobody(make):
    """A send is not over, but its sender is free to look at its watch."""
    mail = make("window")
    comm = MPI.COMM_WORLD
    into = np.zeros(MOST_BYTES[LARGE], np.uint8)
    if mail.me == 0:
        data = payload("late", n_bytes=into.size)
        start = time.monotonic()
        sends = [mail.send(data, 1, LARGE) for _ in range(2 * DEPTH)]
        looks = 0
        while time.monotonic() - start < 0.4:
            assert not any(each.Test() for each in sends)
            looks += 1
        comm.send(looks, 1, 6)
        finish(sends)
    elif mail.me == 1:
        time.sleep(0.6)  # away from MPI
        looks = comm.recv(source=0, tag=6)
        for _ in range(2 * DEPTH):
            finish([mail.receive(into, 0, LARGE)])
            assert into.tobytes() == payload("late", n_bytes=into.size).tobytes()
        assert looks > 10


def test_cancelled_and_abandoned(make):
    """As after a failure: nothing arrives, nothing waits, and nothing is written any more."""
    mail = make("window")
    into = np.zeros(500, np.uint8)
    receive = mail.receive(into, mail.previous(), SMALL)
    sends = [mail.send(np.ones(9, np.uint8), mail.next(), LARGE) for _ in range(3 * DEPTH)]
    assert not receive.Test()
    for each in (receive, *sends):
        each.Cancel()
        assert each.Test()
    mail.comm.Barrier()
    # One more, which is under way when all is given up.
    mail.send(np.ones(5, np.uint8), mail.next(), SMALL)
    mail.engine.progress()
    mail.engine.abandon()
    mail.engine.abandon()
    mail.engine.free()
    mail.engine.progress()
    with pytest.raises(StateError):
        mail.receive(into, mail.previous(), SMALL)
    MPI.COMM_WORLD.Barrier()
    assert not into.any()


def test_a_receive_cancelled_in_time_leaves_its_message_to_the_next(mail):
    """A courier expects one message more than comes when its team is closed."""
    first, second = np.zeros(10, np.uint8), np.zeros(10, np.uint8)
    cancelled = mail.receive(first, mail.previous(), SMALL)
    cancelled.Test()
    cancelled.Cancel()
    assert cancelled.Test()
    mail.comm.Barrier()
    finish(
        [
            mail.receive(second, mail.previous(), SMALL),
            mail.send(np.full(10, 4, np.uint8), mail.next(), SMALL),
        ]
    )
    assert not first.any()
    assert (second == 4).all()


def test_some_pairs_only(make):
    """Here every PE has its neighbours, and no other."""
    comm = MPI.COMM_WORLD
    peers = sorted({(comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size})
    mail = make("window", peers)
    into = np.zeros(MOST_BYTES[LARGE], np.uint8)
    finish(
        [
            mail.receive(into, mail.previous(), LARGE),
            mail.send(payload(mail.me, n_bytes=into.size), mail.next(), LARGE),
        ]
    )
    assert into.tobytes() == payload(mail.previous(), n_bytes=into.size).tobytes()
    with pytest.raises(ArgumentError, match=rf"rank={mail.me}: no messages of tag {SMALL}"):
        mail.send(b"", mail.me, SMALL)
    with pytest.raises(ArgumentError, match="no messages of tag 9"):
        mail.receive(bytearray(1), mail.next(), 9)


def test_messages_that_are_too_long(mail):
    if mail.kind == "window":
        with pytest.raises(ArgumentError, match=r"1001 bytes: messages of tag 1 have 1000 bytes"):
            mail.send(bytes(1001), mail.next(), SMALL)
    into = bytearray(10)
    receive = mail.receive(into, mail.previous(), SMALL)
    send = mail.send(bytes(range(1, 12)), mail.next(), SMALL)
    with pytest.raises(MPI.Exception) as caught:
        finish([receive])
    assert caught.value.Get_error_class() == MPI.ERR_TRUNCATE
    finish([send])


def test_any_contiguous_buffer(mail):
    source = np.arange(24.0).reshape(4, 6)
    target = np.zeros((4, 6))
    into = bytearray(3)
    finish(
        [
            mail.receive(target, mail.previous(), SMALL),
            mail.receive(memoryview(into)[1:], mail.previous(), SMALL),
            mail.send(source, mail.next(), SMALL),
            mail.send(b"ab", mail.next(), SMALL),
        ]
    )
    assert (target == source).all()
    assert into == b"\0ab"


def test_made_and_freed_again_and_again(make):
    """Past the number of windows that MPICH has would take too long; a few of them."""
    for turn in range(8):
        mail = make("window")
        into = np.zeros(8, np.uint8)
        finish(
            [
                mail.receive(into, mail.previous(), SMALL),
                mail.send(np.full(8, turn, np.uint8), mail.next(), SMALL),
            ]
        )
        assert (into == turn).all()
        mail.engine.free()
