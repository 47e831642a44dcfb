"""Make errors that show in text how the calls of the members differ.

A header contains only numbers. So if a call can raise such an error and its headers differ, each
member publishes a text in one more round.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import accumulate

from redcoll.errors import CollectiveMismatchError
from redcoll.protocol.descriptor import FAILED, root_of
from redcoll.protocol.mismatch import listed
from redcoll.team import Team


def is_about_details(team: Team, error: CollectiveMismatchError) -> bool:
    """Return whether the members' calls differ only in details, such as their counts.

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


def first_difference(team: Team, word: int, details: Sequence[str], most: int) -> int:
    """Return the number of the first detail that differs; ``most`` if no detail differs.

    Collective over the team. The search takes one round for each bit of ``most``. ``details`` are
    this member's texts, and ``most`` is the largest number of texts that any member has.
    """
    absent = [""] * (most - len(details))
    marks = list(accumulate([*details, *absent], _mark, initial=0))
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if team.conclude(word, None, middle, marks[middle + 1]):
            low = middle + 1
        else:
            high = middle
    return low


def _mark(before: int, text: str) -> int:
    """Return the hash of a detail and of all details before it."""
    return zlib.crc32(f"{text}\n".encode(), before)
