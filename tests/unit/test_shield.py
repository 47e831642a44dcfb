"""Test that protected actions are completed, and what their outcome is."""

import pytest
from mpi4py import MPI

from redcoll.liveness import shield
from redcoll.liveness.shield import Unbroken


class Alarm(Exception):
    """What a program's signal handler may raise."""


@pytest.fixture(params=[True, False], ids=["apart", "here"])
def is_apart(request, monkeypatch):
    """Another thread does it; or the caller, whom an interrupt may tear."""
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
