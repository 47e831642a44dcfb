"""Groups that the registrar keeps."""

from __future__ import annotations

from time import monotonic

from redcoll.errors import NoGroupError
from redcoll_pvm import _settings
from redcoll_pvm.runtime.far.commons import FarCommons
from redcoll_pvm.runtime.far.inbox import FarInbox
from redcoll_pvm.runtime.group_store import Table
from redcoll_pvm.runtime.group_snapshot import Entry, Member, View

_LOOK_EVERY_S = 0.1


class FarTable(Table):
    """Groups that this PE asks for, each time: a message there and one back."""

    def __init__(self, commons: FarCommons, inbox: FarInbox) -> None:
        super().__init__(commons)
        self._sent_to = commons.sent_to
        self._registry = commons.registry
        self._inbox = inbox
        self._most = _settings.MAX_GROUPS.get()
        self._next_look_s = 0.0

    def view(self, name: str) -> View:
        """As of :class:`Table`."""
        if monotonic() >= self._commons.next_census_s:
            self.bury_the_gone()
        # Who asks again and again for what is not there yet must hear, and answer, the others.
        self._inbox.look()
        view = self._views.get(name)
        known = None if view is None else (view.record, view.version)
        try:
            entry: Entry | None = self._registry.call("read", name, known)
        except NoGroupError:
            self._views.pop(name, None)
            raise
        self._await_owed()
        if entry is not None:
            view = self._keep(View(entry, self._commons.index), self._most)
        if view is None:
            raise NoGroupError(f"there is no group {name!r}")
        return view

    def _await_owed(self) -> None:
        """Until what those have sent is here who are seen to have left.

        It was sent before they left, and has only been overtaken.
        """
        owed, received = self._registry.owed, self._inbox.received

        def ready() -> bool:
            self._inbox.look()
            for pe in [pe for pe, count in owed.items() if received[pe] >= count]:
                del owed[pe]
            return not owed

        def absent() -> list[int]:
            for pe in [pe for pe in owed if self._commons.is_dead(pe)]:
                del owed[pe]
            return [pe for pe in owed if self._commons.fate(pe) is None]

        self._commons.wait(ready, absent, lambda: "what has been sent by who left a group")

    def is_current(self, view: View) -> bool:
        """As of :class:`Table`; asks a few times a second."""
        now_s = monotonic()
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + _LOOK_EVERY_S
            try:
                self.view(view.name)
            except NoGroupError:
                return False
        return self._views.get(view.name) is view

    def holds(self, record: int, stamp: int) -> bool:
        """As of :class:`Table`."""
        return bool(self._registry.call("holds", record, stamp))

    def freeze(self, record: int) -> None:
        """As of :class:`Table`."""
        self._registry.call("freeze", record)

    def bury_the_gone(self) -> None:
        """As of :class:`Table`: the registrar does, told of deaths."""
        self._commons.newly_gone()

    def _join(self, name: str) -> Member:
        self._commons.newly_gone()
        self._inbox.look()
        member: Member = self._registry.call("join", name, undo=("unjoin",))
        return member

    def _leave(self, record: int, instance: int) -> None:
        self._registry.call("leave", record, instance, self._sent_to)
