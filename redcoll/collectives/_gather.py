"""Gather one short vector of each member, in one round."""

from __future__ import annotations

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives._gathering import COPY
from redcoll.datatypes import element_type
from redcoll.protocol.descriptor import GATHER, Call, pack
from redcoll.team import Team

_LEAST_BYTES = 128
"""A vector of this size fits into every eager buffer."""


def most_bytes(team: Team) -> int:
    """Return the largest size of a vector for :func:`gather`. The size is equal on all members."""
    return max(team.sizes.small_bytes, _LEAST_BYTES)


def gather(team: Team, vector: Array, extra: int = 0) -> Array:
    """Return a matrix whose rows are the members' vectors in team order. Collective over the team.

    ``extra`` is a number, such as a hash, for all other arguments that must be equal on all
    members. Raise ``CollectiveMismatchError`` on all members if they passed different types, sizes
    or ``extra``.
    """
    key = GATHER, vector.dtype, vector.size, extra
    call = team.calls.get(key)
    if call is None:
        element = element_type(vector.dtype)
        word = pack(GATHER, element=element.code)
        views = team.channel.views(vector.dtype, vector.size)
        call = Call(word, vector.size, extra, COPY, element, is_small=True, views=views)
        team.remember(key, call)
    return np.array(team.channel.exchange(call, vector))
