"""What pvm_reduce, pvm_gather and pvm_scatter share.

Who does not need the result hands its part over and returns; see
:mod:`redcoll_pvm.runtime.rooted_exchange` for how calls meet. A member's call that fails its
checks counts as one, too: the others' part is told, or thrown away.
"""

from __future__ import annotations

from collections.abc import Iterable

from redcoll.errors import RedcollError
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import MOST_TAG, PvmError
from redcoll_pvm.groups import view_of
from redcoll_pvm.runtime.pvm_runtime import Job
from redcoll_pvm.runtime.matching import route, subject
from redcoll_pvm.runtime.group_snapshot import Member, View

REDUCE, GATHER, SCATTER = range(3)


def in_words(name: str, msgtag: int, group: str) -> str:
    """The call, for messages."""
    return f"{name} with tag {msgtag} in group {group!r}"


def require(is_right: bool) -> None:
    """Refuse an argument.

    Raises
    ------
    PvmError
        With PvmBadParam, unless it is right.
    """
    if not is_right:
        raise PvmError(pvm.PvmBadParam)


def subject_of(kind: int, msgtag: int, view: View) -> int:
    """What the call is about.

    Raises
    ------
    PvmError
        The tag is out of range; in a group of one nobody sees it.
    """
    if not 0 <= msgtag <= MOST_TAG:
        if view.size > 1:
            raise PvmError(pvm.PvmBadParam, f"tag {msgtag}")
        msgtag = 0
    return subject(kind, msgtag)


def require_no_hole(view: View) -> None:
    """Require that the members' instance numbers count from 0 on.

    Raises
    ------
    NoInstanceError
        They do not.
    """
    for instance in range(view.size):
        view.at(instance)


def decline(
    job: Job, kind: int, msgtag: int, group: str | None, rootginst: int, error: Exception
) -> None:
    """Keep a call that fails here in step with the others' calls, where they can be told."""
    try:
        view = view_of(job, group)
        own, root = view.require_own(), view.at(rootginst)
        about = subject_of(kind, msgtag, view)
    except (PvmError, RedcollError):
        return  # no call that the others could make
    reason = error.code if isinstance(error, PvmError) else pvm.PvmBadParam
    is_giver = (root is own) == (kind == SCATTER)
    partners = view.others if root is own else (root,)
    if not is_giver:
        job.contributions.skip(
            job.contributions.due_from(view, partners, about), with_former=kind == REDUCE
        )
        return
    refuse(job, view, partners, about, reason)


def refuse(job: Job, view: View, members: Iterable[Member], about: int, reason: int) -> None:
    """Tell members that they get nothing from a call of the caller's, which has failed."""
    for member in members:
        job.contributions.refuse(view, route(view, member, about), reason)
