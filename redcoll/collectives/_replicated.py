"""Fold whole vectors: every PE that needs the result computes all of it.

User functions that are not declared as elementwise need whole vectors. Each member passes its
vector through its staging buffers, chunk by chunk. If the function raises on a PE, the PE keeps the
exception and takes part in the remaining rounds. A last round reports the failure to all members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from redcoll.arguments import Array
from redcoll.collectives._sliced import enter, read_only
from redcoll.protocol.descriptor import Call
from redcoll.protocol.partition import cut
from redcoll.team import Team


def _contributions(team: Team, call: Call, source: Array) -> Iterator[Array]:
    """Yield every member's vector in team order.

    A vector is valid until the caller takes the next vector.

    After the last vector the caller must make one more round, so that the members can reuse their
    staging buffers.
    """
    if not team.layout.is_one_node:
        team.round(call.word, call.count, call.extra)
        whole = np.empty(call.count, source.dtype)
        for member in range(team.size):
            for start, view in team.channel.pieces_of(call, source, member):
                whole[start : start + view.size] = view
            yield whole
        return
    operands = enter(team, call, source, source, lambda: None)
    if operands is not None:
        yield from operands.sources
        return
    dtype = call.element.dtype
    step = max(1, team.sizes.chunk_bytes // dtype.itemsize)
    chunks = list(cut(0, call.count, step))
    received = np.empty(call.count, dtype)
    stages = team.channel.buffers(dtype)[0]
    pieces = [(member, *chunk) for member in range(team.size) for chunk in chunks]

    def stage(turn: int) -> None:
        member, start, stop = pieces[turn]
        if member == team.index:
            team.channel.put_on_stage(turn & 1, source[start:stop])

    turns = team.channel.in_turn(call, len(pieces), stage, is_first_staged=False)
    # Zip stops after the last piece, before in_turn makes its last round. Instead of that round,
    # the caller calls conclude().
    for (member, start, stop), turn in zip(pieces, turns, strict=False):
        received[start:stop] = stages[turn & 1][member][: stop - start]
        if stop == call.count:
            yield received


def fold_whole(team: Team, call: Call, source: Array, upto: int) -> Array | None:
    """Fold the vectors of the first ``upto`` members by a user's function; return the result.

    Collective: members that need no result pass 0 for ``upto`` and get None. Raise
    ``RemoteOpError`` if the function raised on another member.
    """
    result: Array | None = None
    error: BaseException | None = None
    operands: Iterable[Array]
    if call.is_small:
        operands = team.channel.exchange(call, source)
    else:
        operands = _contributions(team, call, source)
    for index, operand in enumerate(operands):
        if index >= upto or error is not None:
            continue
        if result is None:
            result = operand.copy()
            continue
        try:
            call.op.combine(result, read_only(operand), result)
        except Exception as raised:  # noqa: BLE001 - whatever a user's function raises
            error = raised
    came_through = team.conclude(call.word, error, call.count, call.extra)
    team.raise_unless(came_through, error)
    return result
