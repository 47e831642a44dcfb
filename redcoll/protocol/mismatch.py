"""Say what the members of a team posted in a round in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from redcoll.errors import (
    CollectiveError,
    CollectiveMismatchError,
    DelegatedError,
    RemoteOpError,
)
from redcoll.protocol.descriptor import DELEGATED, describe, root_of
from redcoll.protocol.layout import Post

_MOST_NAMED = 8


def found(
    posts: Sequence[Post],
    pes: Sequence[int],
    ago: int,
    error: type[CollectiveMismatchError | RemoteOpError],
) -> CollectiveError:
    """The error that follows from the posts of all members: the same on each.

    Parameters
    ----------
    posts, pes
        Of each member: what it posted, and its number.
    ago
        How many rounds before the present one; 0 where it is the present one.
    error
        Its class; ``RemoteOpError`` where a user's function failed.

    Returns
    -------
    CollectiveError
        A ``DelegatedError`` where members want MPI itself to do the collective that all have
        called.
    """
    when = f" about the call {ago} before this one" if ago else ""
    failed = [(pe, post) for pe, post in zip(pes, posts, strict=True) if post.text]
    if failed:
        verb = "raised" if error is RemoteOpError else "refused its arguments:"
        told = "; ".join(f"PE {pe} {verb} {post.text}" for pe, post in failed)
        return error(told + (f" ({when.strip()})" if ago else ""))
    delegated = [pe for pe, post in zip(pes, posts, strict=True) if post.word & DELEGATED]
    is_one_call = len({(post.word & 255, root_of(post.word)) for post in posts}) == 1
    # Who went ahead will not come back for MPI.
    if delegated and is_one_call and not any(post.is_ahead for post in posts):
        return DelegatedError(f"PE {_named(delegated)} wants MPI itself to do this collective")
    advice = ""
    if delegated and is_one_call:
        advice = (
            f" PE {_named(delegated)} wants MPI itself to do it, as for a buffer on a device, but "
            "others have run ahead of it; pass such buffers on all ranks, or set REDCOLL_AHEAD=1."
        )
    groups: dict[str, list[int]] = {}
    for pe, post in zip(pes, posts, strict=True):
        groups.setdefault(describe(post.word, post.count, post.extra), []).append(pe)
    told = "; ".join(
        f"PE {_named(who)}{' ...' if len(who) > _MOST_NAMED else ''} called {text}"
        for text, who in groups.items()
    )
    now = " in this call" if ago else ""
    return error(
        f"the members of the team do not agree{when}: {told}. Nothing was written{now}.{advice}"
    )


def _named(pes: Sequence[int]) -> str:
    return ", ".join(map(str, pes[:_MOST_NAMED]))
