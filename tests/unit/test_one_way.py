"""Test a leader's record of one-way rounds."""

import json
from types import SimpleNamespace

import pytest

from redcoll.internode.one_way import OneWay
from redcoll.protocol.descriptor import ONE_WAY
from redcoll.topology import Layout

CALL, OTHER = (33, 4, 0), (34, 4, 0)
MOST = 4


@pytest.fixture
def record():
    """Return the record of the leader of the second of three nodes; it keeps what it sends."""
    sent = []

    def send(message, whom, _tag):
        sent.append((whom, json.loads(bytes(message[0]))))

    layout = Layout(((0, 3), (1,), (2,)), 1)
    found = OneWay(SimpleNamespace(Isend=send), layout, MOST, lambda number: [[1, number]])
    found.messages = sent
    return found


def run(record, first, near, *calls):
    for place, said in enumerate(calls):
        record.note(first + place, near + place, said)


def test_only_agreed_calls_are_one_way_and_not_too_often(record):
    assert not record.allows(CALL)
    record.agree(CALL)
    allowed = []
    for number in range(1, 9):
        allowed.append(record.allows(CALL))
        assert not record.allows(OTHER)
        if allowed[-1]:
            record.note(number, number, CALL)
        else:
            record.settle()
    assert allowed == [True] * (MOST - 1) + [False] + [True] * (MOST - 1) + [False]


def test_members_know_which_rounds_can_be_one_way(record):
    """The word for the members gives the same answer as the leader's record."""
    record.settle()
    assert record.ahead(7, CALL) == 2 * (7 + MOST - 1)
    record.agree(CALL)
    word = record.ahead(7, CALL)
    assert word & 1 == 1
    for number in range(8, 8 + 2 * MOST):
        assert record.allows(CALL) == (number <= word >> 1)
        record.note(number, number, CALL)
    record.stop()
    assert record.ahead(50, CALL) >> 1 == 50


def test_calls_of_the_last_two_groups_of_one_way_rounds_are_known(record):
    run(record, 10, 100, CALL, OTHER)
    record.settle()
    record.settle()
    run(record, 15, 106, OTHER)
    assert [record.call_in(number) for number in (9, 10, 11, 12, 14, 15, 16)] == [
        None, (CALL, 100), (OTHER, 101), None, None, (OTHER, 106), None
    ]  # fmt: skip
    record.settle()
    run(record, 20, 110, CALL)
    assert record.call_in(10) is None
    assert record.call_in(15) == (OTHER, 106)
    assert record.call_in(20) == (CALL, 110)


@pytest.mark.parametrize(
    ("theirs", "own", "is_disputed"),
    [
        (CALL, OTHER, False),  # both leaders send all messages, and find the mismatch
        ((CALL[0] | ONE_WAY, *CALL[1:]), OTHER, True),
        (CALL, (OTHER[0] | ONE_WAY, *OTHER[1:]), True),
        ((CALL[0] | ONE_WAY, *CALL[1:]), (CALL[0] | ONE_WAY, *CALL[1:]), False),
        (CALL, None, True),
        ((CALL[0] | ONE_WAY, *CALL[1:]), None, False),
    ],
)
def test_calls_in_one_round_are_compared(record, theirs, own, is_disputed):
    """If the caller is no longer in the round, it compares with its record of the round."""
    run(record, 7, 1, CALL)
    record.compare(7, theirs, own)
    assert record.disputed == (7 if is_disputed else 0)


def test_a_dispute_is_told_to_all_other_leaders_and_the_first_round_counts(record):
    record.agree(CALL)
    for number in (8, 9, 6):
        record.open(number)
    assert record.disputed == 6
    assert record.messages == [(0, [8, 1, [[1, 8]]]), (2, [8, 1, [[1, 8]]])] + [
        (whom, [6, 1, [[1, 6]]]) for whom in (0, 2)
    ]
    assert record.rows() == [[1, 6]]
    assert not record.have_all_answered()
    assert not record.allows(CALL)


def test_an_interrupt_while_a_dispute_is_opened_loses_nothing(record):
    rows_of, calls = record._rows_of, []

    def interrupted(number):
        calls.append(number)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return rows_of(number)

    record._rows_of = interrupted
    with pytest.raises(KeyboardInterrupt):
        record.open(8)
    record.open(8)
    assert record.disputed == 8
    assert record.messages == [(whom, [8, 1, [[1, 8]]]) for whom in (0, 2)]


def test_leaders_with_the_same_last_rounds_have_the_same_digest(record):
    empty = record.digest()
    run(record, 7, 1, CALL, OTHER)
    both = record.digest()
    record.settle()
    assert record.digest() == empty != both
    run(record, 20, 9, CALL, OTHER)
    assert record.digest() == both
