"""Choose how to fold the vectors of all members, by the size of a vector and the operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives._replicated import fold_whole
from redcoll.collectives._sliced import run_large
from redcoll.protocol.descriptor import Call
from redcoll.team import Team

Large = Callable[[Team, Call, Array, Array, int, Sequence[int]], None]
"""A function that carries out a long call. Its arguments are those of :func:`fold`."""


def fold(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    upto: int,
    offsets: Sequence[int] = (),
    large: Large = run_large,
) -> None:
    """Set ``target`` to the fold of the vectors of the first ``upto`` members.

    Collective over the team. A member that gets no result passes 0 for ``upto``, and any array of
    the right length as the target. If each member gets one block of the result, block i begins at
    ``offsets[i]`` and ends at ``offsets[i + 1]``.
    """
    me, result = team.index, target
    if call.is_widened:
        source = source.astype(call.element.dtype)
        is_whole = target.size == source.size
        result = source if is_whole else np.empty(target.size, source.dtype)
    if team.size == 1:
        if upto:
            result[...] = source
    elif call.op.may_raise and (call.is_small or not call.op.elementwise):
        whole = fold_whole(team, call, source, upto)
        if whole is not None:
            result[...] = whole[offsets[me] : offsets[me + 1]] if offsets else whole
    elif call.is_small:
        operands = team.channel.exchange(call, source)
        if upto < len(operands):
            operands = operands[:upto]
        if offsets:
            operands = [view[offsets[me] : offsets[me + 1]] for view in operands]
        if operands:
            team.run_silently(team.kernel.fold, call.op, operands, result)
    else:
        large(team, call, result, source, upto, offsets)
    if call.is_widened and upto:
        # Rounding to the type of the target may overflow.
        team.run_silently(np.copyto, target, result, "unsafe")
