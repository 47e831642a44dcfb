"""Barriers whose words the registrar counts in."""

from __future__ import annotations

from time import monotonic

from redcoll.errors import RedcollError
from redcoll_pvm.runtime.task_set import AT_A_TIME_S
from redcoll_pvm.runtime.far.commons import FarCommons
from redcoll_pvm.runtime.group_barrier import Meeting, broken
from redcoll_pvm.runtime.group_store import Table
from redcoll_pvm.runtime.group_snapshot import View


class FarMeeting(Meeting):
    """Barriers that this PE is told the end of."""

    def __init__(self, commons: FarCommons, table: Table) -> None:
        super().__init__(commons, table)
        self._registry = commons.registry

    def _arrive(self, view: View, at: int, wanted: int, doing: str) -> int | None:  # noqa: ARG002
        return self._ask_to_be_counted(at, wanted, doing, None)

    def _arrive_freezing(self, view: View, at: int, wanted: int, doing: str) -> int | None:
        return self._ask_to_be_counted(at, wanted, doing, view.record)

    def _ask_to_be_counted(
        self, at: int, wanted: int, doing: str, freezing: int | None
    ) -> int | None:
        # What is there still belongs to waits that are over.
        self._registry.ended.clear()
        generation: int | None = self._registry.call(
            "arrive", at, wanted, doing, freezing, undo=("withdraw", at)
        )
        return generation

    def _withdraw(self, at: int, generation: int) -> bool:
        if (at, generation) in self._registry.ended:
            return False
        try:
            return bool(self._registry.call("withdraw", at))
        except RedcollError:
            # What ended the wait is to be told.
            return True

    def _linger(self, at: int, generation: int, limit_s: float) -> bool:
        until_s = monotonic() + limit_s
        while (at, generation) not in self._registry.ended:
            if monotonic() >= until_s:
                return False
            self._registry.give_way()
            self._registry.progress()
        return True

    def _await(self, view: View, at: int, generation: int, wanted: int, doing: str) -> None:
        registry = self._registry

        def ready() -> bool:
            registry.progress()
            return (at, generation) in registry.ended

        def absent() -> list[int]:
            self._table.bury_the_gone()
            lack = registry.call("lack", view.record, at, generation)
            if lack is None:
                registry.ended.add((at, generation))
                return []
            is_broken, waiting, count = lack
            if is_broken:
                raise broken(view)
            may_come = [pe for pe in self._commons.others() if pe not in waiting]
            return self._absent(view, may_come, wanted - count, doing)

        def linger() -> bool:
            return self._linger(at, generation, AT_A_TIME_S)

        self._commons.wait(ready, absent, lambda: doing, linger)
