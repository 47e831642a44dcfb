"""Implement the steps that pvm_reduce, pvm_gather and pvm_scatter share.

:mod:`redcoll_pvm.runtime.rooted_exchange` explains how the members' calls match.
"""

from __future__ import annotations

from collections.abc import Callable

from redcoll.errors import RedcollError
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import MOST_TAG, PvmError
from redcoll_pvm.groups import snapshot_of
from redcoll_pvm.runtime.group_snapshot import GroupSnapshot
from redcoll_pvm.runtime.pvm_runtime import PvmRuntime
from redcoll_pvm.runtime.rooted_exchange import endpoint_to

REDUCE, GATHER, SCATTER = range(3)
_KIND_SHIFT = 32


def describe(name: str, msgtag: int, group: str) -> Callable[[], str]:
    """Return a function that describes a call in error messages."""
    return lambda: f"{name} with tag {msgtag} in group {group!r}"


def require(is_right: bool) -> None:
    """Raise PvmError with PvmBadParam if a condition on an argument does not hold."""
    if not is_right:
        raise PvmError(pvm.PvmBadParam)


def subject_of(kind: int, msgtag: int, snapshot: GroupSnapshot) -> int:
    """Return the number by which the members' calls match.

    Raise ``PvmError`` if the tag is out of range. A group with one member accepts any tag, as in
    PVM.
    """
    if not 0 <= msgtag <= MOST_TAG:
        if snapshot.size > 1:
            raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
        msgtag = 0
    return kind << _KIND_SHIFT | msgtag


def require_no_hole(snapshot: GroupSnapshot) -> None:
    """Raise NoInstanceError unless the instance numbers are 0, 1, 2 and so on, without a gap."""
    for instance in range(snapshot.size):
        snapshot.at(instance)


def decline(
    runtime: PvmRuntime, kind: int, msgtag: int, group: str | None, rootginst: int, error: Exception
) -> None:
    """Count this call although it has failed its checks, so that later calls still match.

    A sender sends an error code, and a recipient discards what the other members send.
    """
    try:
        snapshot = snapshot_of(runtime, group)
        own, root = snapshot.require_own(), snapshot.at(rootginst)
        subject = subject_of(kind, msgtag, snapshot)
    except (PvmError, RedcollError):
        return  # no call of another member can match this call
    partners = snapshot.others if root is own else (root,)
    if (root is own) == (kind == SCATTER):
        code = error.code if isinstance(error, PvmError) else pvm.PvmBadParam
        for member in partners:
            runtime.exchange.send_error(endpoint_to(snapshot, member, subject), code, wait=True)
    else:
        expected = runtime.exchange.expect(snapshot, partners, subject)
        runtime.exchange.discard(expected, snapshot, include_departed=kind == REDUCE)
