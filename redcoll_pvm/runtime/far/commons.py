"""PEs on several nodes: who still lives, as the registrar tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from redcoll._mpi4py import MPI
from redcoll.liveness.peers import LEFT, OPEN, Peers
from redcoll.topology import Process
from redcoll_pvm.runtime.task_set import Commons, Terms
from redcoll_pvm.runtime.group_server import Gone
from redcoll_pvm.runtime.group_client import Registry

_NEWS_EVERY_S = 0.1


class _FarPeers(Peers):
    """Processes of which others have to tell when they have died."""

    def __init__(
        self,
        processes: Sequence[Process],
        names: Sequence[str],
        here: Process,
        state: Callable[[int], int],
    ) -> None:
        super().__init__(processes, names, here, state)
        self.dead: dict[int, str] = {}
        """By index: what others have said."""

    def fate(self, index: int) -> str | None:
        return self.dead.get(index) or super().fate(index)

    def death(self, index: int) -> str | None:
        return self.dead.get(index) or super().death(index)


class FarCommons(Commons):
    """PEs on several nodes."""

    _peers: _FarPeers

    def __init__(self, comm: MPI.Intracomm, terms: Terms, near: Sequence[int]) -> None:
        self._states = [OPEN] * comm.Get_size()
        super().__init__(comm, terms, near)
        self.registry = Registry(self, self._hear)
        """Where the groups are."""
        self.sent_to = [0] * self.size
        """By PE: how many parcels this one has sent there, ever."""
        self._next_news_s = 0.0

    def _meet(self, processes: list[Process], names: list[str]) -> Peers:
        return _FarPeers(processes, names, Process.here(), self._state)

    def _state(self, index: int) -> int:
        return self._states[index]

    def _hear(self, gone: Gone) -> None:
        pe, why, has_died = gone
        if has_died:
            self._peers.dead.setdefault(pe, why)
        else:
            self._states[pe] = LEFT

    def _progress(self) -> None:
        super()._progress()
        now_s = time.monotonic()
        if now_s >= self._next_news_s:
            self._next_news_s = now_s + _NEWS_EVERY_S
            self.registry.ask_for_news()

    def newly_gone(self) -> list[int]:
        """As of :class:`Commons`; the registrar hears of deaths."""
        found = super().newly_gone()
        for pe in found:
            if self.is_dead(pe) and pe not in self._peers.dead:
                self.registry.tell("report death", pe, self.fate(pe))
        return found

    def claim(self, most: int) -> list[int]:
        """As of :class:`Commons`."""
        claimed: list[int] = self.registry.call("claim", most)
        return claimed

    def claimed_by(self) -> int | None:
        """As of :class:`Commons`."""
        self.registry.progress()
        return self.registry.claimed_by

    def _say_so(self) -> None:
        self._states[self.index] = LEFT
        self.registry.tell("depart", "has left the job", self.sent_to)

    def have_all_left(self) -> bool:
        """Say whether all tasks have left; ask them until all have finished."""
        if not self.has_finished:
            self._progress()
        return super().have_all_left()

    def finish(self, is_done: Callable[[], bool]) -> None:
        """As of :class:`Commons`; nobody asks the registrar afterwards."""
        super().finish(is_done)
        self.registry.close()
        self.errands.clear()

    def tidy(self) -> None:
        """As of :class:`Commons`; others may ask the registrar until all have left."""
        if self.has_left:
            for errand in self.errands:
                errand()

    def _how_all_finish(self) -> Callable[[], bool]:
        barrier = self.comm.Ibarrier()
        next_look_s = 0.0

        def have_all_finished() -> bool:
            nonlocal next_look_s
            if barrier.Test():
                return True
            now_s = time.monotonic()
            if now_s < next_look_s:
                return False
            next_look_s = now_s + _NEWS_EVERY_S
            self.newly_gone()
            return self.dead_peer() is not None

        return have_all_finished
