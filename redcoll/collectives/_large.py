"""Vectors beyond the small path: folded in slices, directly or through staging.

*Direct*: all members' arrays lie on the symmetric heap, so the owner of a slice folds
it from everybody's source into everybody's target. Two rounds, no copy besides.

*Staged*: arrays are private, so they pass through the team's scratch in pieces. One
round per chunk says both "chunk c is staged" and "chunk c-1 is folded".

Which of them is taken depends on what all members posted, never on local knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.signature import Call
from redcoll.team import Team

Array = NDArray[Any]
Block = tuple[int, int]
"""Start and stop in elements."""

BLOCK_BYTES = 32 << 10
"""Folds run over blocks of this size: accumulator and operand stay in the first cache."""


def even_blocks(count: int, n: int) -> list[Block]:
    """``count`` elements in ``n`` blocks whose lengths differ by at most one."""
    base, rest = divmod(count, n)
    starts = [index * base + min(index, rest) for index in range(n + 1)]
    return list(pairwise(starts))


def cut(start: int, stop: int, step: int) -> Iterator[Block]:
    """``[start, stop)`` in pieces of at most ``step`` elements."""
    for at in range(start, stop, step):
        yield at, min(at + step, stop)


@dataclass(frozen=True, slots=True)
class Operands:
    """All members' sources and targets, when they can be addressed directly."""

    at: tuple[tuple[int, ...], tuple[int, ...]]
    """Heap offsets of the sources and of the targets."""
    sources: list[Array]
    targets: list[Array]
    """As long as the sources; only for collectives whose targets are."""


def _operands(team: Team, call: Call) -> Operands:
    """Everybody's arrays as posted; views made for the last call serve again."""
    at = team.channel.locations()
    known: Operands | None = call.locations
    if known is not None and known.at == at:
        return known
    heap = world.start().heap
    dtype, count = call.element.dtype, call.count
    sources, targets = (
        [heap.view(pe, offset, dtype, count) for pe, offset in zip(team.pes, each, strict=True)]
        for each in at
    )
    operands = call.locations = Operands(at, sources, targets)
    return operands


def offsets(team: Team, target: Array, source: Array) -> tuple[int, int]:
    """Where source and target lie on the heap; (-1, -1) unless both do."""
    if not (team.is_in_world and world.is_running()):
        return -1, -1
    heap = world.start().heap
    at_source, at_target = heap.offset(source), heap.offset(target)
    if at_source < 0 or at_target < 0:
        return -1, -1
    heap.require_live(at_source, source.nbytes, "source")
    heap.require_live(at_target, target.nbytes, "target")
    return at_source, at_target


class Pieces:
    """How blocks pass through the staging: piece ``c`` of every block makes chunk ``c``."""

    def __init__(self, team: Team, call: Call, blocks: Sequence[Block]) -> None:
        itemsize = call.element.dtype.itemsize
        self.blocks = blocks
        self.length = max(1, team.chunk_bytes // team.size // itemsize)
        longest = max(stop - start for start, stop in blocks)
        self.chunks = -(-longest // self.length)

    def of(self, chunk: int, owner: int) -> Block:
        """Elements of the vector that make an owner's piece of a chunk; may be none."""
        start, stop = self.blocks[owner]
        at = min(start + chunk * self.length, stop)
        return at, min(at + self.length, stop)


class Staging:
    """One call's passage through the staging of its team."""

    def __init__(self, team: Team, call: Call, source: Array, pieces: Pieces) -> None:
        self._team = team
        self._source = source
        self.pieces = pieces
        self._stages, self._folded = team.buffers(call.element.dtype)

    def staged(self, chunk: int, member: int, owner: int) -> Array:
        """What a member staged of an owner's piece."""
        start, stop = self.pieces.of(chunk, owner)
        at = owner * self.pieces.length
        return self._stages[chunk & 1][member][at : at + stop - start]

    def folded(self, chunk: int, owner: int) -> Array:
        """What an owner folded of its piece."""
        start, stop = self.pieces.of(chunk, owner)
        return self._folded[chunk & 1][owner][: stop - start]

    def stage(self, chunk: int, *, own_too: bool) -> None:
        """Copy this PE's source of one chunk into its staging."""
        me = self._team.index
        for owner in range(self._team.size):
            if owner != me or own_too:
                start, stop = self.pieces.of(chunk, owner)
                if start < stop:
                    self.staged(chunk, me, owner)[...] = self._source[start:stop]


def enter(
    team: Team, call: Call, target: Array, source: Array, stage_first: Callable[[], None]
) -> Operands | None:
    """The first round of a large call: everybody's arrays, or None for the staged path.

    On return from the staged choice chunk 0 of every member is staged: those with
    private arrays know at once that it will be needed, and stage it before the round;
    only where some arrays are symmetric does it take a round more.
    """
    at_source, at_target = offsets(team, target, source)
    if at_source < 0:
        stage_first()
    team.round(call.word, call.count, call.extra, at_source, at_target)
    private = sum(offset < 0 for offset in team.channel.locations()[0])
    if private == 0:
        return _operands(team, call)
    if private < team.size:
        if at_source >= 0:
            stage_first()
        team.round(call.word, call.count, call.extra)
    return None


def run_staged(
    team: Team,
    call: Call,
    pieces: Pieces,
    staging: Staging,
    work: Callable[[int], None],
    deliver: Callable[[int], None],
    *,
    own_too: bool,
) -> None:
    """The pipeline, from chunk 0 staged on all members.

    ``work(c)`` folds this PE's piece of chunk c; ``deliver(c)`` copies out what all
    have folded of chunk c. A buffer is used again two chunks later: by then the round
    in between has shown that everybody is done with it.
    """
    for chunk in range(pieces.chunks):
        if chunk:
            staging.stage(chunk, own_too=own_too)
            team.round(call.word, call.count, call.extra)
        work(chunk)
        if chunk:
            deliver(chunk - 1)
    team.round(call.word, call.count, call.extra)
    deliver(pieces.chunks - 1)


class Guard:
    """Runs the folds of one call; keeps a user function's exception for the last round.

    Predefined operations follow the hardware silently (NumPy's warnings and error modes
    are a matter of the thread and would end the call on some members only).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None

    def fold(self, operands: Sequence[Array], out: Array) -> None:
        """``out`` becomes the left fold of the operands; it is none of them."""
        if not self._call.op.is_user:
            with np.errstate(all="ignore"):
                self._team.kernel.fold(self._call.op, operands, out)
        elif self._error is None:
            try:
                self._team.kernel.fold(self._call.op, [read_only(o) for o in operands], out)
            except Exception as error:  # noqa: BLE001 - whatever a user's function raises
                self._error = error

    def fold_blocks(
        self, sources: Sequence[Array], block: Block, store: Callable[[int, int, Array], None]
    ) -> None:
        """Fold one block of directly addressed sources, part by part."""
        dtype = self._call.element.dtype
        step = max(1, BLOCK_BYTES // dtype.itemsize)
        scratch = np.empty(min(step, max(1, block[1] - block[0])), dtype)
        for start, stop in cut(*block, step):
            part = scratch[: stop - start]
            self.fold([source[start:stop] for source in sources], part)
            store(start, stop, part)

    def finish(self) -> None:
        """Raise on all members alike if a user's function raised on any.

        Raises
        ------
        RemoteOpError
            It was on another member.
        """
        if self._call.op.is_user:
            self._team.conclude(self._call.word, self._error)


def read_only(operand: Array) -> Array:
    """A view that a user's function cannot write through: it may be another PE's memory."""
    view = operand.view()
    view.flags.writeable = False
    return view
