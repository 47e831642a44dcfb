"""Test the compiled exchange between node leaders with functions in place of MPI's."""

import ctypes
import resource
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from redcoll import kernels, ops
from redcoll.datatypes import element_type
from redcoll.protocol.descriptor import FAILED, ONE_WAY, REDUCE, Call, pack

pytestmark = pytest.mark.skipif(not kernels.is_built(), reason="the compiled kernel was not built")

SEND_AT, RECEIVED_AT = 4, (10, 20)
"""The first words of the header that is sent, and of those that arrive in the two steps."""
RECEIVES, SENDS = (1, 2), (11, None)
"""The values of the requests. The second message has no persistent request."""
TAG, BYTE, COMM = 5, 6, -7
NUMBER = 2
HEADER = 33, 44, 55
"""Word, count and extra of the call. The header also has the number of the round."""


class FakeMPI:
    """Functions that MPI's callers call by address, and a record of the calls."""

    def __init__(self, has_pointers):
        self.words = np.zeros(40, np.int64)
        self.calls = []
        self.arriving = {1: (*HEADER, NUMBER), 2: (*HEADER, NUMBER)}
        self.tests_until_done = dict.fromkeys((1, 2, 11, 77, 88), 1)
        self.codes = {}
        handle = ctypes.c_void_p if has_pointers else ctypes.c_int
        pointer = ctypes.POINTER(ctypes.c_int64)
        code, number, flag = ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
        transfer = ctypes.CFUNCTYPE(
            code, ctypes.c_void_p, number, handle, number, number, handle, pointer
        )
        self.functions = (
            ctypes.CFUNCTYPE(code, pointer)(self.start),
            ctypes.CFUNCTYPE(code, pointer, flag, ctypes.c_void_p)(self.test),
            transfer(self.isend),
            transfer(self.irecv),
        )
        self.kept = {}
        self.has_pointers = has_pointers

    def address_of(self, value):
        self.kept.setdefault(value, ctypes.c_int64(value))
        return ctypes.addressof(self.kept[value])

    def start(self, request):
        self.calls.append(("start", request[0]))
        return self.codes.get("start", 0)

    def test(self, request, flag, _status):
        name = request[0]
        self.tests_until_done[name] -= 1
        flag[0] = self.tests_until_done[name] <= 0
        if flag[0] and name in self.arriving:
            at = RECEIVED_AT[name - 1]
            self.words[at : at + 5] = *self.arriving[name], 100 + name
        if flag[0]:
            self.calls.append(("done", name))
        return self.codes.get("test", 0)

    def isend(self, buffer, n_bytes, datatype, to, tag, comm, request):
        shown = [ctypes.c_int32(each or 0).value for each in (datatype, comm)]
        words = np.frombuffer((ctypes.c_char * n_bytes).from_address(buffer), np.int64)
        self.calls.append(("isend", words.tolist(), *shown, to, tag))
        request[0] = 77
        return self.codes.get("isend", 0)

    def irecv(self, buffer, n_bytes, datatype, source, tag, comm, request):
        shown = [ctypes.c_int32(each or 0).value for each in (datatype, comm)]
        self.calls.append(("irecv", n_bytes, *shown, source, tag))
        ctypes.memset(buffer, 7, n_bytes)
        request[0] = 88
        return self.codes.get("irecv", 0)


def exchange_of(mpi, waits, patience_ns=0):
    from redcoll.kernels._compiled.exchange import CompiledExchange, MPIFunctions

    def finish(test):
        waits.append(test.__name__)
        while not test():
            pass

    def raise_error(code):
        raise KeyError(code)

    def dispute(number):
        raise LookupError(number)

    functions = MPIFunctions(
        [ctypes.cast(each, ctypes.c_void_p).value for each in mpi.functions],
        mpi.address_of,
        mpi.has_pointers,
        raise_error,
    )
    memory = memoryview(mpi.words).cast("B")
    vector = np.array([9], np.int64).view("u1")
    found = CompiledExchange(
        *(functions, COMM, BYTE, memory, [SEND_AT, SEND_AT], vector),
        *(TAG, FAILED, ONE_WAY, finish, dispute, patience_ns),
    )
    words = mpi.words.view(np.uint8)
    sent = slice(8 * (SEND_AT + 4), 8 * (SEND_AT + 5))
    message = memoryview(words)[8 * SEND_AT : 8 * (SEND_AT + 5)]
    unpack = words[8 * 30 : 8 * 31], words[8 * 14 : 8 * 15]
    steps = [
        (RECEIVES[0], SENDS[0], [message], 3, RECEIVED_AT[0], [], [unpack], [], None, True, 5),
        (
            RECEIVES[1],
            SENDS[1],
            [message],
            8,
            RECEIVED_AT[1],
            [(words[sent], vector)],
            [],
            [],
            None,
            True,
            6,
        ),
    ]
    return SimpleNamespace(
        run=found.exchange,
        awaited=lambda: found.awaited,
        prepare=found.plan,
        functions=functions,
        plan=found.plan([steps, steps]),
        make_plan=lambda: found.plan([steps, steps]),
    )


@pytest.mark.parametrize("has_pointers", [False, True])
def test_steps_send_receive_and_copy_in_order(has_pointers):
    mpi, waits = FakeMPI(has_pointers), []
    exchange = exchange_of(mpi, waits)
    assert exchange.run(NUMBER, *HEADER, False, exchange.plan)
    assert mpi.calls == [
        ("start", 1),
        ("start", 11),
        ("done", 1),
        ("start", 2),
        ("done", 11),  # the second message overwrites the first one
        ("isend", [*HEADER, NUMBER, 9], BYTE, COMM, 8, TAG),
        ("done", 2),
        ("done", 77),
    ]
    assert mpi.words[30] == 101  # the copy of the word that arrived
    assert waits == []


def test_long_waits_continue_where_they_began():
    mpi, waits = FakeMPI(has_pointers=False), []
    mpi.tests_until_done = {1: 10, 11: 4, 2: 12, 77: 5}
    exchange = exchange_of(mpi, waits)
    assert exchange.run(NUMBER, *HEADER, False, exchange.plan)
    assert waits == ["_test_message", "_test_sends", "_test_message", "_test_sends"]
    starts = [call[0] for call in mpi.calls if call[0] != "done"]
    assert starts == ["start", "start", "start", "isend"]
    assert mpi.words[30] == 101


def test_short_waits_call_no_python():
    mpi, waits = FakeMPI(has_pointers=False), []
    mpi.tests_until_done = {1: 10, 11: 4, 2: 12, 77: 5}
    exchange = exchange_of(mpi, waits, patience_ns=60 * 10**9)
    assert exchange.run(NUMBER, *HEADER, False, exchange.plan)
    assert waits == []
    assert [mpi.tests_until_done[name] for name in (1, 11, 2, 77)] == [0, 0, 0, 0]
    assert mpi.words[30] == 101


@pytest.mark.parametrize("has_pointers", [False, True])
def test_request_is_polled_until_it_is_complete(has_pointers):
    mpi = FakeMPI(has_pointers)
    functions = exchange_of(mpi, []).functions
    mpi.tests_until_done[77] = 3
    # A call polls for 0.1 ms, which is over after one test if another process takes the core.
    assert any(functions.completes(77) for _ in range(3))
    assert mpi.tests_until_done[77] == 0
    mpi.tests_until_done[77] = 10**9
    assert not functions.completes(77)
    assert 10**9 - 10**6 < mpi.tests_until_done[77] < 10**9
    mpi.codes["test"] = 15
    with pytest.raises(KeyError, match="15"):
        functions.completes(77)


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("step", [0, 1])
def test_other_header_fails_and_is_told_to_later_nodes(step, index):
    mpi, waits = FakeMPI(has_pointers=True), []
    wrong = [*HEADER, NUMBER]
    wrong[index] += 1
    mpi.arriving[1 + step] = wrong
    mpi.tests_until_done[11] = 3
    exchange = exchange_of(mpi, waits)
    assert not exchange.run(NUMBER, *HEADER, False, exchange.plan)
    [sent] = [call[1] for call in mpi.calls if call[0] == "isend"]
    assert sent == [HEADER[0] | (0 if step else FAILED), *HEADER[1:], NUMBER, 9]
    assert mpi.words[SEND_AT] == HEADER[0] | FAILED


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize(
    ("theirs", "is_one_way", "number"),
    [
        ((*HEADER, NUMBER + 4), False, NUMBER),
        ((*HEADER, NUMBER - 1), False, NUMBER - 1),
        ((HEADER[0] | ONE_WAY, *HEADER[1:], NUMBER), False, NUMBER),
        ((*HEADER, NUMBER), True, NUMBER),
        ((HEADER[0] | ONE_WAY, HEADER[1] + 1, HEADER[2], NUMBER), True, NUMBER),
    ],
)
def test_other_round_or_other_call_in_a_one_way_round_is_disputed(step, theirs, is_one_way, number):
    mpi = FakeMPI(has_pointers=True)
    if is_one_way:
        mpi.arriving[1] = HEADER[0] | ONE_WAY, *HEADER[1:], NUMBER
    mpi.arriving[1 + step] = theirs
    exchange = exchange_of(mpi, [])
    with pytest.raises(LookupError, match=f"^{number}$"):
        exchange.run(NUMBER, *HEADER, False, exchange.plan, is_one_way)
    assert mpi.words[SEND_AT : SEND_AT + 4].tolist() == [
        HEADER[0] | (ONE_WAY if is_one_way else 0), *HEADER[1:], NUMBER
    ]  # fmt: skip


def test_awaited_is_the_node_whose_message_is_late():
    mpi, seen = FakeMPI(has_pointers=False), []
    mpi.tests_until_done = {1: 10, 11: 1, 2: 10, 77: 5}

    class Waits(list):
        def append(self, name):
            seen.append((name, exchange.awaited()))

    exchange = exchange_of(mpi, Waits())
    assert exchange.awaited() == -1
    assert exchange.run(NUMBER, *HEADER, False, exchange.plan)
    assert seen == [("_test_message", 5), ("_test_message", 6), ("_test_sends", -1)]
    assert exchange.awaited() == -1


def test_own_failure_is_told():
    mpi, waits = FakeMPI(has_pointers=False), []
    exchange = exchange_of(mpi, waits)
    assert not exchange.run(NUMBER, *HEADER, True, exchange.plan)
    assert mpi.words[SEND_AT] == HEADER[0] | FAILED


@pytest.mark.parametrize("call", ["start", "test", "isend"])
@pytest.mark.parametrize("tests", [1, 10])
def test_error_code_of_mpi_is_raised(call, tests):
    mpi, waits = FakeMPI(has_pointers=False), []
    mpi.codes[call] = 15
    mpi.tests_until_done[1] = tests
    exchange = exchange_of(mpi, waits)
    with pytest.raises(KeyError, match="15"):
        exchange.run(NUMBER, *HEADER, False, exchange.plan)


def test_plans_free_their_memory():
    mpi = FakeMPI(has_pointers=False)
    exchange = exchange_of(mpi, [])
    size = 0
    for _ in range(3):
        for _ in range(4000):
            exchange.make_plan()
        before, size = size, int(Path("/proc/self/statm").read_text().split()[1])
    assert (size - before) * resource.getpagesize() < 4000 * 100


@pytest.mark.parametrize("is_wrong", [False, True])
@pytest.mark.parametrize("has_pointers", [False, True])
def test_steps_fold_the_vectors_that_arrive_unless_headers_differ(has_pointers, is_wrong):
    mpi = FakeMPI(has_pointers)
    exchange = exchange_of(mpi, [])
    element = element_type(np.dtype("i8"))
    call = Call(pack(REDUCE, 1, element.code), 1, 0, ops.SUM, element, True, None)
    mine, arrived = np.array([1000]), mpi.words[RECEIVED_AT[0] + 4 :][:1]
    folds = [(mine, [mine, arrived])]
    steps = [(RECEIVES[0], None, None, 3, RECEIVED_AT[0], [], [], folds, None, True, 5)]
    assert (
        exchange.run(NUMBER, *HEADER, is_wrong, exchange.prepare([steps, steps], call)) != is_wrong
    )
    assert mine == (1000 if is_wrong else 1101)


@pytest.mark.parametrize("has_pointers", [False, True])
def test_messages_without_headers_are_sent_and_received(has_pointers):
    mpi, waits = FakeMPI(has_pointers), []
    exchange = exchange_of(mpi, waits)
    places, message = np.zeros((2, 16), np.uint8), np.arange(2)
    steps = [
        (None, None, None, 4, -1, [], [], [], [places[0], BYTE], False, -1),
        (None, None, [message.view(np.uint8), BYTE], 6, -1, [], [], [], None, True, -1),
        (None, None, None, 5, -1, [], [], [], [places[1], BYTE], True, -1),
    ]
    assert exchange.run(NUMBER, *HEADER, False, exchange.prepare([steps, steps]))
    # The first receive is awaited at the end, and the last one before it.
    assert mpi.calls == [
        ("irecv", 16, BYTE, COMM, 4, TAG),
        ("isend", [0, 1], BYTE, COMM, 6, TAG),
        ("irecv", 16, BYTE, COMM, 5, TAG),
        ("done", 88),
        ("done", 77),
        ("done", 88),
    ]
    assert (places == 7).all()
    assert waits == []
