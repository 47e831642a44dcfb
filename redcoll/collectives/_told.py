"""Errors that say in text how the calls of the members differ.

A header has room for numbers only. So when the headers of such a call differ, each member publishes
a text in one more round.
"""

from __future__ import annotations

from collections.abc import Sequence

from redcoll.errors import CollectiveMismatchError
from redcoll.protocol.descriptor import FAILED, root_of
from redcoll.protocol.mismatch import listed
from redcoll.team import Team


def is_about_details(team: Team, error: CollectiveMismatchError) -> bool:
    """Return whether all members made the same call, and only its details differ.

    The answer is equal on all members.
    """
    channel = team.channel
    if not team.is_common(error) or channel.disputed != channel.sequence:
        return False
    posts = channel.posts(channel.disputed)
    calls = {(post.word & 255, root_of(post.word), post.word & FAILED) for post in posts}
    return len(calls) == 1 and not any(post.word & FAILED for post in posts)


def disagreement(team: Team, word: int, text: str, what: str) -> CollectiveMismatchError:
    """Return the error that shows the text of each member.  Collective over the team."""
    team.channel.conclude(word, 0, 0, text)
    groups: dict[str, list[str]] = {}
    posts = team.channel.posts(team.channel.sequence)
    for name, post in zip(team.members.names, posts, strict=True):
        groups.setdefault(post.text, []).append(name)
    told = "; ".join(f"{listed(names)} has {its_text}" for its_text, names in groups.items())
    return team.common(
        CollectiveMismatchError(
            f"the members of the team do not agree about {what}: {told}. Nothing was written."
        )
    )


def first_difference(team: Team, word: int, details: Sequence[tuple[int, int]]) -> int:
    """Return the number of the first detail that differs; their number if the members differ later.

    Collective over the team.

    Parameters
    ----------
    details
        Two numbers for each detail.
    """
    for number, (first, second) in enumerate(details):
        if not team.conclude(word, None, first, second):
            return number
    team.conclude(word, None, -1, -1)
    return len(details)
