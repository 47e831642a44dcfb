"""How the calls of members find each other: what they are about, and between whom."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from redcoll_pvm.runtime.transport import Key, Route
from redcoll_pvm.runtime.group_snapshot import Member, View

_KIND_SHIFT = 32


def subject(kind: int, tag: int) -> int:
    """One number for a kind of call (from 0, below 2^20) and a tag (from 0, below 2^32)."""
    return kind << _KIND_SHIFT | tag


class Due(NamedTuple):
    """What the caller is owed by some members, for its calls about one subject."""

    view: View
    subject: int
    members: Sequence[Member]
    keys: Sequence[Key]
    """By member: in which queue its contributions stand."""
    expected: array[int]
    """The same for :meth:`redcoll_pvm.runtime.inbox.Inbox.collect`."""


def route(view: View, to: Member, subject: int) -> Route:
    """The way from the caller, a member, to another one."""
    own = view.require_own()
    return Route(to.pe, to.stamp, subject, own.pe, own.instance, own.stamp)
