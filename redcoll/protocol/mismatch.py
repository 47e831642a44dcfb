"""Build the error for a round in which the members' headers differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redcoll.errors import CollectiveError, CollectiveMismatchError, DelegatedError, RemoteOpError
from redcoll.protocol.descriptor import DELEGATED, describe, root_of
from redcoll.protocol.layout import Post

_MOST_NAMED = 8
_END = " Some ranks had run ahead, so the team cannot go on; with REDCOLL_AHEAD=1 it could."


def found(
    posts: Sequence[Post],
    names: Sequence[str],
    ago: int,
    error: type[CollectiveMismatchError | RemoteOpError],
    *,
    can_go_on: bool = True,
) -> CollectiveError:
    """Return an error that describes the headers of all members. The error is equal on all members.

    ``ago`` is the number of rounds since the round of the headers. ``error`` is the class of the
    error, such as ``RemoteOpError`` if a user's function failed. ``can_go_on`` says whether the
    team stays usable. If all members called the same collective, and some members want MPI itself
    to make the call, return a ``DelegatedError`` instead.
    """
    members = list(zip(names, posts, strict=True))
    when = f" about the call {ago} before this one" if ago else ""
    end = "" if can_go_on else _END
    sites = grouped(((name, post.site) for name, post in members), " at ")
    if sites:
        sites = f"Call sites: {sites}"
    failed = [(name, post) for name, post in members if post.text]
    if failed:
        verb = "raised" if error is RemoteOpError else "refused its arguments:"
        told = "; ".join(f"{name} {verb} {post.text}" for name, post in failed)
        told += f" ({when.strip()})" if ago else ""
        return error(told + (sites and f". {sites}") + (end and f".{end}"))
    delegated = [name for name, post in members if post.word & DELEGATED]
    is_one_call = len({(post.word & 255, root_of(post.word)) for post in posts}) == 1
    # A member that ran ahead has returned from the call, so falling back to MPI is impossible.
    if delegated and is_one_call and can_go_on and not any(post.is_ahead for post in posts):
        return DelegatedError(f"{listed(delegated)} wants MPI itself to do this collective")
    advice = ""
    if delegated and is_one_call:
        advice = (
            f" {listed(delegated)} wants MPI itself to do it, as for a buffer on a device, but "
            "others have run ahead of it; pass such buffers on all ranks, or set REDCOLL_AHEAD=1."
        )
    calls = ((name, describe(post.word, post.count, post.extra)) for name, post in members)
    told = grouped(calls, " called ")
    now = " in this call" if ago else ""
    return error(
        f"the members of the team do not agree{when}: {told}. Nothing was written{now}.{advice}"
        + (sites and f" {sites}.")
        + end
    )


def grouped(texts: Iterable[tuple[str, str]], verb: str) -> str:
    """Join pairs of a name and a text, with the names of equal texts together.

    The function omits pairs without text.
    """
    groups: dict[str, list[str]] = {}
    for name, text in texts:
        if text:
            groups.setdefault(text, []).append(name)
    return "; ".join(f"{listed(group)}{verb}{text}" for text, group in groups.items())


def listed(names: Sequence[str]) -> str:
    """Join the names of members, and write their common noun only once: ``PE 0, 2, 3``."""
    noun = names[0].partition(" ")[0]
    numbers = ", ".join(name.removeprefix(f"{noun} ") for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{noun} {numbers}{more}"
