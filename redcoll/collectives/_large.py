"""Vectors beyond the small path: folded in slices, directly or through staging.

*Direct*: all members' arrays lie on the symmetric heap, so the owner of a slice folds
it from everybody's source into everybody's target. Two rounds, no copy besides.

*Staged*: arrays are private, so they pass through the team's scratch chunk by chunk. One
round per chunk says both "chunk c is staged" and "chunk c-1 is folded".

Which of them is taken depends on what all members posted, never on local knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from redcoll import world
from redcoll.signature import Call
from redcoll.team import Team
from redcoll.window import LINE

Array = NDArray[Any]
Block = tuple[int, int]
"""Start and stop in elements."""


def even_slices(count: int, n: int, itemsize: int) -> list[Block]:
    """``count`` elements in ``n`` slices as even as whole cache lines allow."""
    grain = max(1, LINE // itemsize)
    grains = -(-count // grain)
    ends = [min(index * grains // n * grain, count) for index in range(n + 1)]
    return list(pairwise(ends))


def cut(start: int, stop: int, step: int) -> Iterator[Block]:
    """``[start, stop)`` in chunks of at most ``step`` elements."""
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
    return at_source, at_target


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


class Guard:
    """Runs the folds of one call; keeps a user function's exception for the last round.

    Predefined operations follow the hardware silently (``Team.quiet``).
    """

    def __init__(self, team: Team, call: Call) -> None:
        self._team = team
        self._call = call
        self._error: BaseException | None = None

    def run(self, loop: Callable[..., None], operands: Sequence[Array], *rest: Any) -> None:
        """``loop(op, operands, *rest)``, a loop of the kernel."""
        op = self._call.op
        if not op.is_user:
            self._team.quiet.run(loop, op, operands, *rest)
        elif self._error is None:
            try:
                loop(op, [read_only(operand) for operand in operands], *rest)
            except Exception as error:  # noqa: BLE001 - whatever a user's function raises
                self._error = error

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


def run_large(
    team: Team,
    call: Call,
    target: Array,
    source: Array,
    direct: Callable[[Guard, Operands, Block], None],
    deliver: Callable[[int, int, Array], None],
    own: Array | None = None,
) -> None:
    """A large call in which each PE folds its slice of every range, from start to end.

    Parameters
    ----------
    direct
        ``direct(guard, operands, slice)`` folds this PE's slice of the whole vector,
        all arrays being addressable.
    deliver
        ``deliver(start, stop, folded)`` takes what this PE needs of a part of the result.
    own
        A vector that wants the whole result: what this PE folds is stored there at once,
        and only the rest is delivered.
    """
    me, members = team.index, range(team.size)
    dtype = call.element.dtype
    guard = Guard(team, call)
    stages, results = team.buffers(dtype)
    chunks = list(cut(0, call.count, len(results[0])))

    def stage(chunk: int) -> None:
        """Copy the source of one chunk into this PE's staging, but for its own slice."""
        start, stop = chunks[chunk]
        first, last = even_slices(stop - start, team.size, dtype.itemsize)[me]
        buffer = stages[chunk & 1][me]
        buffer[:first] = source[start : start + first]
        buffer[last : stop - start] = source[start + last : stop]

    def fold(chunk: int) -> None:
        start, stop = chunks[chunk]
        first, last = even_slices(stop - start, team.size, dtype.itemsize)[me]
        if first < last:
            parts = [stages[chunk & 1][member][first:last] for member in members]
            parts[me] = source[start + first : start + last]
            into = [results[chunk & 1][first:last]]
            if own is not None:
                into.append(own[start + first : start + last])
            guard.run(team.kernel.fold_to_many, parts, into, 0, last - first)

    def copy_out(chunk: int) -> None:
        start, stop = chunks[chunk]
        result = results[chunk & 1]
        if own is None:
            deliver(start, stop, result[: stop - start])
            return
        first, last = even_slices(stop - start, team.size, dtype.itemsize)[me]
        if first:
            deliver(start, start + first, result[:first])
        if start + last < stop:
            deliver(start + last, stop, result[last : stop - start])

    operands = enter(team, call, target, source, lambda: stage(0))
    if operands is not None:
        direct(guard, operands, even_slices(call.count, team.size, dtype.itemsize)[me])
        # All targets are complete, and all sources free, once all have posted.
        team.round(call.word, call.count, call.extra)
    else:
        pipeline(team, call, len(chunks), stage, fold, copy_out)
    guard.finish()


def pipeline(
    team: Team,
    call: Call,
    chunks: int,
    stage: Callable[[int], None],
    fold: Callable[[int], None],
    copy_out: Callable[[int], None],
) -> None:
    """The staged path, from chunk 0 staged on all members.

    A buffer is used again two chunks later: by then the round in between has shown that
    everybody is done with it.
    """
    for chunk in range(chunks):
        if chunk:
            stage(chunk)
            team.round(call.word, call.count, call.extra)
        fold(chunk)
        if chunk:
            copy_out(chunk - 1)
    team.round(call.word, call.count, call.extra)
    copy_out(chunks - 1)
