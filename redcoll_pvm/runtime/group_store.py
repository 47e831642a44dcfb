"""Dynamic named groups: who is a member, at which instance.

Any PE joins and leaves any group at any time. Members are numbered by *instances*, the
lowest free one first. A *stamp*, which never returns, names one membership of one PE. A
group exists while it has a member.

What was read of a group (a :class:`~redcoll_pvm.runtime.group_snapshot.View`) is kept as long as the version
of its record stands.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from time import monotonic

from redcoll.errors import ArgumentError, NoGroupError, RedcollError
from redcoll_pvm.runtime.task_set import Commons
from redcoll_pvm.runtime.group_table import NAME_BYTES, VERSION, Records
from redcoll_pvm.runtime.register import Register
from redcoll_pvm.runtime.group_snapshot import Member, View


class Table(ABC):
    """The groups of all PEs, as this PE uses them."""

    def __init__(self, commons: Commons) -> None:
        self._commons = commons
        self._views: dict[str, View] = {}
        self.join_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each new membership of this PE."""
        self.leave_hooks: list[Callable[[int], object]] = []
        """Called with the stamp of each membership that this PE is about to give up."""

    @abstractmethod
    def view(self, name: str) -> View:
        """The group as it is now.

        Raises
        ------
        NoGroupError
            No group of this name has a member.
        """

    @abstractmethod
    def is_current(self, view: View) -> bool:
        """Whether the group is still as ``view`` shows it, as far as this PE knows."""

    @abstractmethod
    def holds(self, record: int, stamp: int) -> bool:
        """Whether this membership still stands."""

    @abstractmethod
    def freeze(self, record: int) -> None:
        """Close a group for newcomers, for good."""

    @abstractmethod
    def bury_the_gone(self) -> None:
        """Take dead and departed PEs out of their groups; looks a few times a second."""

    @abstractmethod
    def _join(self, name: str) -> Member: ...

    @abstractmethod
    def _leave(self, record: int, instance: int) -> None: ...

    def join(self, name: str) -> Member:
        """Become a member, at the lowest free instance.

        Raises
        ------
        AlreadyInGroupError
            The caller is one.
        NotInGroupError
            The group is frozen: nobody joins it any more.
        GroupLimitError
            ``REDCOLL_MAX_GROUPS`` would be passed.
        ArgumentError
            The name is empty or too long.
        """
        length = len(name.encode())
        if not 0 < length <= NAME_BYTES:
            raise ArgumentError(f"group {name!r}: a name has 1 to {NAME_BYTES} bytes, not {length}")
        member = self._join(name)
        for hook in self.join_hooks:
            hook(member.stamp)
        return member

    def leave(self, name: str) -> None:
        """Give up the caller's membership; the last one out ends the group.

        Raises
        ------
        NoGroupError
            There is no such group.
        NotInGroupError
            The caller is not a member.
        """
        view = self.view(name)
        own = view.require_own()
        # First the hooks: once the membership has ended, others need not ask this PE any more.
        for hook in self.leave_hooks:
            hook(own.stamp)
        try:
            self._leave(view.record, own.instance)
        except BaseException:
            # What is wrong is told, whatever comes of this.
            with contextlib.suppress(RedcollError):
                if self.holds(view.record, own.stamp):
                    # The caller is a member still, and others' later calls meet its own.
                    for hook in self.join_hooks:
                        hook(own.stamp)
            raise

    def _keep(self, view: View, most: int) -> View:
        if len(self._views) >= most:
            self._views.clear()
        self._views[view.name] = view
        return view


class NearTable(Table):
    """Groups in records that this PE reads and changes by itself."""

    def __init__(self, commons: Commons, records: Records) -> None:
        super().__init__(commons)
        self._records = records
        self._words = records.words
        own = commons.index
        self._register = Register(records, lambda pe: pe != own and commons.fate(pe) is not None)
        commons.leave_hooks.append(self._leave_all)

    def view(self, name: str) -> View:
        """As of :class:`Table`."""
        if monotonic() >= self._commons.next_census_s:
            self.bury_the_gone()
        view = self._views.get(name)
        if view is not None and self._words[view.record + VERSION] == view.version:
            return view
        return self._read(name)

    def is_current(self, view: View) -> bool:
        """As of :class:`Table`."""
        return self._words[view.record + VERSION] == view.version

    def holds(self, record: int, stamp: int) -> bool:
        """As of :class:`Table`."""
        return self._register.holds(record, stamp)

    def freeze(self, record: int) -> None:
        """As of :class:`Table`."""
        self._register.freeze(record)

    def bury_the_gone(self) -> None:
        """As of :class:`Table`."""
        if self._commons.newly_gone():
            self._register.bury()

    def _read(self, name: str) -> View:
        try:
            entry = self._register.read(name)
        except NoGroupError:
            self._views.pop(name, None)
            raise
        return self._keep(View(entry, self._commons.index), self._records.most)

    def _join(self, name: str) -> Member:
        gone = self._commons.newly_gone()
        return self._register.join(name, self._commons.index, after_burial=bool(gone))

    def _leave(self, record: int, instance: int) -> None:
        self._register.leave([(record, instance)])

    def _leave_all(self) -> None:
        self._register.leave(self._register.places(self._commons.index))
