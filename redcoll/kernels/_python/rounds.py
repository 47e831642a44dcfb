"""The posts of a team, on one memoryview over its window.

What makes it quick enough: a flag is looked at by indexing that view (some 20 ns, where a
NumPy scalar costs 100), and views of the staging are made once per shape of call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels._python.folds import Rows
from redcoll.protocol.descriptor import AHEAD, FAILED, Call
from redcoll.protocol.layout import (
    COUNT,
    EXTRA,
    INLINE_AT,
    INLINE_BYTES,
    SOURCE,
    STATUS,
    TARGET,
    WORD,
    Post,
    Scratch,
)

Array = NDArray[Any]

_MOST_PLACES: Final = 2
_LEAST_ROWS: Final = 4
"""From so many members on their vectors are also kept as the rows of a matrix."""
_YIELDS: Final = range(20)
_sched_yield = os.sched_yield


class _Inline:
    """Views of the vectors in heads, by place: made when asked for, all would take megabytes."""

    def __init__(
        self,
        memory: memoryview,
        dtype: np.dtype[Any],
        count: int,
        places: Sequence[Sequence[int]],
    ) -> None:
        first = places[0]
        # Members follow each other in equal steps.
        step = first[1] - first[0] if len(first) > 1 else 0
        steps = (places[1][0] - first[0], step, dtype.itemsize)
        shape = (len(places), len(first), count)
        self._all = np.ndarray(shape, dtype, memory, first[0], steps)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, place: int) -> Rows:
        matrix = self._all[place]
        rows = Rows(matrix)
        rows.matrix = matrix
        return rows


class _Places(Sequence[list[int]]):
    """Members' places in turn, each turn a step further; found when asked for."""

    def __init__(self, firsts: Sequence[int], times: int, step: int) -> None:
        self._firsts = firsts
        self._times = times
        self._step = step

    def __len__(self) -> int:
        return self._times

    def __getitem__(self, turn: Any) -> Any:
        if not 0 <= turn < self._times:
            raise IndexError(turn)
        return [first + turn * self._step for first in self._firsts]


def _in_turn(firsts: Sequence[int], times: int, step: int) -> Sequence[list[int]]:
    """Places of all members, by turn: kept where they are few."""
    places = _Places(firsts, times, step)
    return places if times > _MOST_PLACES else [places[turn] for turn in range(times)]


class Rounds:
    """The posts of a team as one member sees them.

    Every member has heads of 64 bytes for its posts, used in turn by the sequence number, and
    by its parity two rooms to stage a small vector.

    Parameters
    ----------
    scratch
        The team's window and what lies where in it.
    me
        The caller's index.
    spin
        Looks before the first turn of a wait.
    fence
        Orders stores and loads where the machine does not, else None.
    turns
        Called when a wait is slow; gives the function to call between looks.
    disagree
        Called when the members' posts differ; raises the error that says how.
    """

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], Any] | None,
        turns: Callable[[], Callable[[], bool]],
        disagree: Callable[[], NoReturn],
    ) -> None:
        self.sequence = 0
        self.size = len(scratch.stages)
        self.me = me
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        heads, depth, step = scratch.heads, scratch.depth, scratch.head_step
        words = [head // 8 for head in heads]
        self._rooms = _in_turn(scratch.rooms, 2, scratch.room_step)
        self._inline = _in_turn([head + INLINE_AT for head in heads], depth, step)
        self._heads = _in_turn(words, depth, step // 8)
        self._others = _in_turn([*words[:me], *words[me + 1 :]], depth, step // 8)
        self._place_mask = depth - 1
        self._room_bytes = scratch.room_bytes
        self._spin = range(spin)
        self._fence = fence
        self._turns = turns
        self._disagree = disagree
        self._posted: list[Call | None] = [None] * scratch.depth
        self.unwaited = False
        """Whether the last round has not been waited for, because it was declined or needed
        nobody else."""
        self.behind = 0
        """By so many rounds the one that is waited for is behind the current one."""
        self.disputed = 0
        """The round that an error would be about: the one compared last, or the first before it in
        which members differed."""

    def views(self, dtype: np.dtype[Any], count: int) -> Sequence[list[Array]] | _Inline:
        """Where every member's short vector is, as vectors: by its head's place, or by parity."""
        places = self._payloads(count * dtype.itemsize)
        if len(places) > _MOST_PLACES:
            return _Inline(self._memory, dtype, count, places)
        return [self._rows(dtype, count, starts) for starts in places]

    def _rows(self, dtype: np.dtype[Any], count: int, starts: Sequence[int]) -> list[Array]:
        vectors = [np.frombuffer(self._memory, dtype, count, start) for start in starts]
        if self.size < _LEAST_ROWS:
            return vectors
        rows = Rows(vectors)
        strides = (starts[1] - starts[0], dtype.itemsize)
        rows.matrix = np.ndarray((self.size, count), dtype, self._memory, starts[0], strides)
        return rows

    def _payloads(self, n_bytes: int) -> Sequence[Sequence[int]]:
        """Where payloads of this length are: the members' heads, or their rooms, in turn."""
        return self._inline if n_bytes <= INLINE_BYTES else self._rooms

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """One round that carries ``source``: every member's contribution, in order.

        The views stay valid until the caller posts again: who sees that post may fill them anew.
        """
        if self.unwaited:
            self.catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        views: list[Array] = call.views[sequence % len(call.views)]
        views[self.me][...] = source
        words = self._words
        place = sequence & self._place_mask
        head = self._heads[place][self.me]
        if self._posted[place] is not call:
            words[head + WORD] = call.word
            words[head + COUNT] = call.count
            words[head + EXTRA] = call.extra
            self._posted[place] = call
        if self._fence is not None:
            self._fence()
        # Release: whoever sees this number sees the vector and the words above.
        words[head] = sequence
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        return views

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member each one's ``tag`` and ``data``, in order.

        ``data`` must fit where a small vector is staged.
        """
        if self.unwaited:
            self.catch_up()
        memory = self._memory
        places = self._payloads(len(data))
        at = places[(self.sequence + 1) % len(places)][self.me]
        memory[at : at + len(data)] = data
        self.publish(word, 0, extra, tag, len(data), 0)
        self.await_all()
        if not self.agrees(word, 0, extra):
            self._disagree()
        words = self._words
        result = []
        for index, head in enumerate(self._heads[self.sequence & self._place_mask]):
            length = words[head + TARGET]
            places = self._payloads(length)
            at = places[self.sequence % len(places)][index]
            result.append((words[head + SOURCE], bytes(memory[at : at + length])))
        return result

    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Post, wait for everybody's post, compare."""
        self.publish(word, count, extra, source, target, 0)
        self.await_all()
        if not self.agrees(word, count, extra):
            self._disagree()

    def agrees(self, word: int, count: int, extra: int) -> bool:
        """Whether all members posted these words in the round just waited for."""
        words = self._words
        self.disputed = self.sequence
        for other in self._others[self.sequence & self._place_mask]:
            if (
                words[other + WORD] != word
                or words[other + COUNT] != count
                or words[other + EXTRA] != extra
            ):
                return False
        return True

    def await_all(self) -> None:
        """Wait until every member has posted the current round."""
        sequence = self.sequence
        words = self._words
        for other in self._others[sequence & self._place_mask]:
            if words[other] < sequence:
                self._wait(sequence, other)
        if self._fence is not None:
            # Acquired: what the others wrote before their posts is visible from here on.
            self._fence()

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Post without waiting."""
        if self.unwaited:
            self.catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        place = sequence & self._place_mask
        self._posted[place] = None
        words = self._words
        head = self._heads[place][self.me]
        words[head + WORD] = word
        words[head + COUNT] = count
        words[head + EXTRA] = extra
        words[head + SOURCE] = source
        words[head + TARGET] = target
        words[head + STATUS] = status
        if self._fence is not None:
            self._fence()
        # Release: whoever sees this number sees the words above, and what the caller
        # stored into shared memory before.
        words[head] = sequence

    def decline(self, word: int, text: str) -> None:
        """Post that the caller will not take part in the coming round, and why.

        Does not wait; the next post does, so that no slot is reused under a reader.
        """
        self._write_text(text)
        self.publish(word | FAILED, 0, 0, -1, -1, self._text_bytes)
        self.unwaited = True

    def conclude(self, word: int, count: int, extra: int, text: str | None) -> bool:
        """A round that says whether each member came through; True if all did."""
        if text is None:
            self.publish(word, count, extra, -1, -1, 0)
        else:
            self._write_text(text)
            self.publish(word | FAILED, count, extra, -1, -1, self._text_bytes)
        self.await_all()
        do_agree = self.agrees(word, count, extra)
        return text is None and do_agree

    def posts(self, sequence: int) -> list[Post]:
        """What every member posted in a round that has been waited for, of the last ones."""
        result = []
        for at, head in zip(
            self._rooms[sequence & 1], self._heads[sequence & self._place_mask], strict=True
        ):
            _, word, count, extra, source, target, status = self._words[head : head + 7]
            text = ""
            if word & FAILED:
                # Of an earlier round the room may be in use again.
                text = "its own error says what"
                if sequence == self.sequence:
                    text = bytes(self._memory[at : at + status]).decode(errors="replace")
            result.append(Post(word, count, extra, source, target, text, status == AHEAD))
        return result

    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Heap offsets of all members' sources and targets, as posted in this round."""
        heads = self._heads[self.sequence & self._place_mask]
        words = self._words
        return (
            tuple([words[head + SOURCE] for head in heads]),
            tuple([words[head + TARGET] for head in heads]),
        )

    def absent(self) -> list[int]:
        """Indices of the members that have not posted the round that is waited for."""
        sequence = self.sequence - self.behind
        heads = self._heads[sequence & self._place_mask]
        return [i for i, head in enumerate(heads) if self._words[head] < sequence]

    def _write_text(self, text: str) -> None:
        if self.unwaited:
            self.catch_up()
        data = text.encode()[: self._room_bytes]
        at = self._rooms[(self.sequence + 1) & 1][self.me]
        self._memory[at : at + len(data)] = data
        self._text_bytes = len(data)

    def _wait(self, sequence: int, head: int) -> None:
        """Until the member whose post is at ``head`` has reached ``sequence``."""
        words = self._words
        for _ in self._spin:
            if words[head] >= sequence:
                return
        # Where PEs outnumber cores most waits end within a few of these.
        for _ in _YIELDS:
            _sched_yield()
            if words[head] >= sequence:
                return
        turn = self._turns()
        while words[head] < sequence:
            turn()

    def catch_up(self) -> None:
        """Wait out a round that this member declined."""
        self.unwaited = False
        self.await_all()
