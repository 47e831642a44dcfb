"""Test that interrupts do not prevent protected actions from completing."""

import pytest
from mpi4py import MPI

from redcoll.liveness import shield
from redcoll.liveness.shield import Unbroken


class Alarm(Exception):
    """An exception that a signal handler of the program raises."""


@pytest.fixture(params=[True, False], ids=["apart", "here"])
def is_apart(request, monkeypatch):
    """Run actions in another thread (True) or in the calling thread, which can be interrupted."""
    monkeypatch.setattr(shield, "_may_be_interrupted", lambda: request.param)
    return request.param


def test_an_action_that_fails_is_over_and_raises_in_each_call(is_apart):
    calls = []

    def fail():
        calls.append(1)
        raise MPI.Exception(MPI.ERR_INTERN)

    action = Unbroken(fail)
    for _ in range(3):
        with pytest.raises(MPI.Exception):
            action.do()
        assert action.is_over
        action.begin()
    assert len(calls) == 1


def test_an_action_that_an_interrupt_tears_is_called_again(monkeypatch):
    monkeypatch.setattr(shield, "_may_be_interrupted", lambda: False)
    calls = []

    def act():
        calls.append(1)
        if len(calls) < 3:
            raise Alarm

    action = Unbroken(act)
    for _ in range(2):
        with pytest.raises(Alarm):
            action.do()
        assert not action.is_over
    action.do()
    assert action.is_over
    action.do()
    assert len(calls) == 3
