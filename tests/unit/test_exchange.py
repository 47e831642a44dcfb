"""The exchange between mates, with an engine in memory."""

from __future__ import annotations

import os
from typing import Any, cast

import numpy as np
import pytest

from redcoll import peers as peers_module
from redcoll import waiting
from redcoll.errors import PeerLostError
from redcoll.exchange import Exchange
from redcoll.topology import Layout, Process

PROCESS = Process("here", os.getpid(), "namespace", frozenset({0}), float("inf"))


class Coming:
    """An engine whose messages come when MPI makes progress for the n-th time."""

    def __init__(self, comes_after: int) -> None:
        self.left = comes_after
        self.wanted: list[Any] = []

    def send(self, data: Any, rank: int, tag: int) -> Any:
        return self

    def receive(self, into: Any, rank: int, tag: int) -> Any:
        self.wanted.append(into)
        return self

    def progress(self) -> None:
        self.left -= 1
        if not self.left:
            for into in self.wanted:
                into.view(np.float64)[...] = 41

    def Test(self) -> bool:
        return self.left <= 0


def fold(parts, targets):
    for target in targets:
        target[...] = sum(parts)


@pytest.fixture
def exchange(monkeypatch):
    """A function that makes one of two mates, the other of which is in this state."""
    now_s = iter(range(10_000))
    monkeypatch.setattr(waiting.time, "monotonic", lambda: float(next(now_s)))
    monkeypatch.setattr(waiting.time, "sleep", lambda _: None)
    monkeypatch.delenv("REDCOLL_TIMEOUT", raising=False)

    def make(state: int, comes_after: int) -> Exchange:
        engine = Coming(comes_after)
        states = [peers_module.OPEN, state]
        peers = peers_module.Peers([PROCESS] * 2, ["PE 0", "PE 1"], PROCESS, states.__getitem__)
        watch = waiting.Watch(peers, engine.progress)
        return Exchange(cast("Any", engine), Layout(((0,), (1,)), 0), 0, watch)

    return make


@pytest.mark.parametrize("state", [peers_module.OPEN, peers_module.LEFT, peers_module.GAVE_UP])
def test_what_comes_together_with_the_news_of_the_senders_end_counts(exchange, state):
    mates = exchange(state, 1)
    out = np.zeros(5)
    mates.begin(0, np.full(5, 1.0), None)
    mates.finish(0, [out], fold, lambda: "allreduce(...)")
    assert (out == 42).all()


@pytest.mark.parametrize("state", [peers_module.LEFT, peers_module.GAVE_UP])
def test_a_mate_that_went_without_sending_is_lost(exchange, state):
    mates = exchange(state, 10**9)
    mates.begin(0, np.full(5, 1.0), None)
    with pytest.raises(PeerLostError, match=r"^allreduce\(\.\.\.\): PE 1 "):
        mates.finish(0, [np.zeros(5)], fold, lambda: "allreduce(...)")
