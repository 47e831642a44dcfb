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

from redcoll.kernels._folds import Rows
from redcoll.signature import FAILED, Call, Post, Scratch

Array = NDArray[Any]

HEAD_BYTES: Final = 64
INLINE_BYTES: Final = 8
# Words of a post's head. The last one holds a payload of up to 8 bytes, so that the
# smallest reductions move one cache line per PE.
_SEQUENCE, WORD, COUNT, EXTRA, _SOURCE, _TARGET, STATUS, PAYLOAD = range(8)
_INLINE_AT: Final = 8 * PAYLOAD
_LEAST_ROWS: Final = 4
"""From so many members on their vectors are also kept as the rows of a matrix."""
_YIELDS: Final = range(20)
_sched_yield = os.sched_yield


class Rounds:
    """The posts of a team as one member sees them.

    Every member has two slots in its segment, used in turn by the parity of the
    sequence number: a head of 64 bytes, and staging for a small vector behind it.

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
    give_up
        Called with the exception that ends a wait early.
    """

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], Any] | None,
        turns: Callable[[], Callable[[], bool]],
        disagree: Callable[[], NoReturn],
        give_up: Callable[[BaseException], None],
    ) -> None:
        self.sequence = 0
        self.size = len(scratch.slots)
        self.me = me
        self.near: Sequence[int] = range(self.size)
        """Indices of the members on the caller's node."""
        self._memory = scratch.memory
        self._words = scratch.memory.cast("q")
        slot_bytes = scratch.slot_bytes
        self._starts = [[slot + side * slot_bytes for slot in scratch.slots] for side in (0, 1)]
        self._heads = [[start // 8 for start in starts] for starts in self._starts]
        self._others = [
            [head for index, head in enumerate(heads) if index != me] for heads in self._heads
        ]
        self._room = slot_bytes - HEAD_BYTES
        self._spin = range(spin)
        self._fence = fence
        self._turns = turns
        self._disagree = disagree
        self._give_up = give_up
        self._posted: list[Call | None] = [None, None]
        self.unwaited = False
        """Whether the last round was declined, and not waited for."""
        self.carried = 0
        """What the next post has to take along to other nodes (:mod:`._bundles`)."""

    def views(self, dtype: np.dtype[Any], count: int) -> tuple[list[Array], list[Array]]:
        """Per parity, every member's staging as a vector."""
        at = self._payload_at(count * dtype.itemsize)
        even, odd = (self._rows(dtype, count, starts, at) for starts in self._starts)
        return even, odd

    def _rows(
        self, dtype: np.dtype[Any], count: int, starts: Sequence[int], at: int
    ) -> list[Array]:
        vectors = [np.frombuffer(self._memory, dtype, count, start + at) for start in starts]
        if self.size < _LEAST_ROWS:
            return vectors
        rows = Rows(vectors)
        strides = (starts[1] - starts[0], dtype.itemsize)
        rows.matrix = np.ndarray((self.size, count), dtype, self._memory, starts[0] + at, strides)
        return rows

    @staticmethod
    def _payload_at(n_bytes: int) -> int:
        """Where in a slot a payload of this length is."""
        return _INLINE_AT if n_bytes <= INLINE_BYTES else HEAD_BYTES

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """One round that carries ``source``: every member's contribution, in order.

        The views stay valid until the caller enters the round after the next.
        """
        if self.unwaited:
            self._catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        parity = sequence & 1
        views: list[Array] = call.views[parity]
        views[self.me][...] = source
        words = self._words
        head = self._heads[parity][self.me]
        if self._posted[parity] is not call:
            self._posted[parity] = call
            words[head + WORD] = call.word
            words[head + COUNT] = call.count
            words[head + EXTRA] = call.extra
        if self._fence is not None:
            self._fence()
        # Release: whoever sees this number sees the vector and the words above.
        words[head] = sequence
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        return views

    def post(self, call: Call, source: Array) -> None:
        """The first half of :meth:`exchange`: stage and post, without waiting.

        Until :meth:`collect` has been called the channel is good for nothing else.
        """
        if self.unwaited:
            self._catch_up()
        call.views[(self.sequence + 1) & 1][self.me][...] = source
        self.publish(call.word, call.count, call.extra, -1, -1, 0)

    def collect(self, call: Call) -> list[Array]:
        """The second half of :meth:`exchange`, after :meth:`post`."""
        self.await_all()
        if not self.agrees(call.word, call.count, call.extra):
            self._disagree()
        views: list[Array] = call.views[self.sequence & 1]
        return views

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]:
        """One round that gives every member each one's ``tag`` and ``data``, in order.

        ``data`` must fit where a small vector is staged.
        """
        if self.unwaited:
            self._catch_up()
        memory = self._memory
        at = self._starts[(self.sequence + 1) & 1][self.me] + self._payload_at(len(data))
        memory[at : at + len(data)] = data
        self.publish(word, 0, extra, tag, len(data), 0)
        self.await_all()
        if not self.agrees(word, 0, extra):
            self._disagree()
        words = self._words
        parity = self.sequence & 1
        result = []
        for start, head in zip(self._starts[parity], self._heads[parity], strict=True):
            length = words[head + _TARGET]
            at = start + self._payload_at(length)
            result.append((words[head + _SOURCE], bytes(memory[at : at + length])))
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
        for other in self._others[self.sequence & 1]:
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
        for other in self._others[sequence & 1]:
            if words[other] < sequence:
                self._wait(sequence, other)
        if self._fence is not None:
            # Acquired: what the others wrote before their posts is visible from here on.
            self._fence()

    def await_near(self) -> None:
        """Wait until every member on this node has posted the current round."""
        sequence = self.sequence
        heads = self._heads[sequence & 1]
        for index in self.near:
            if self._words[heads[index]] < sequence:
                self._wait(sequence, heads[index])
        if self._fence is not None:
            # Acquired: what they wrote before their posts is visible from here on.
            self._fence()

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Post without waiting."""
        if self.unwaited:
            self._catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        parity = sequence & 1
        self._posted[parity] = None
        words = self._words
        head = self._heads[parity][self.me]
        words[head + WORD] = word
        words[head + COUNT] = count
        words[head + EXTRA] = extra
        words[head + _SOURCE] = source
        words[head + _TARGET] = target
        words[head + STATUS] = status or self.carried
        self.carried = 0
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

    def conclude(self, word: int, text: str | None) -> bool:
        """A round that says whether each member came through; True if all did."""
        if text is None:
            self.publish(word, 0, 0, -1, -1, 0)
        else:
            self._write_text(text)
            self.publish(word | FAILED, 0, 0, -1, -1, self._text_bytes)
        self.await_all()
        return text is None and self.agrees(word, 0, 0)

    def posts(self) -> list[Post]:
        """What every member posted in the round just waited for."""
        parity = self.sequence & 1
        result = []
        for start, head in zip(self._starts[parity], self._heads[parity], strict=True):
            _, word, count, extra, source, target, status = self._words[head : head + 7]
            text = ""
            if word & FAILED:
                at = start + HEAD_BYTES
                text = bytes(self._memory[at : at + status]).decode(errors="replace")
            result.append(Post(word, count, extra, source, target, text))
        return result

    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Heap offsets of all members' sources and targets, as posted in this round."""
        heads = self._heads[self.sequence & 1]
        words = self._words
        return (
            tuple([words[head + _SOURCE] for head in heads]),
            tuple([words[head + _TARGET] for head in heads]),
        )

    def absent(self) -> list[int]:
        """Indices of the members that have not posted the current round."""
        heads = self._heads[self.sequence & 1]
        return [i for i, head in enumerate(heads) if self._words[head] < self.sequence]

    def has_come(self, call: Call | None) -> bool:  # noqa: ARG002 - matters over several nodes
        """Whether every member has posted the current round; does not wait.

        Parameters
        ----------
        call
            What was given to :meth:`post`; None where the post carries nothing.
        """
        return not self.absent()

    def _write_text(self, text: str) -> None:
        data = text.encode()[: self._room]
        at = self._starts[(self.sequence + 1) & 1][self.me] + HEAD_BYTES
        if self.unwaited:
            self._catch_up()
        self._memory[at : at + len(data)] = data
        self._text_bytes = len(data)

    def _wait(self, sequence: int, head: int) -> None:
        """Until the member whose post is at ``head`` has reached ``sequence``."""
        try:
            self._wait_long(sequence, head)
        except BaseException as error:
            self._give_up(error)
            raise

    def _wait_long(self, sequence: int, head: int) -> None:
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

    def _catch_up(self) -> None:
        """Wait out a round that this member declined."""
        self.unwaited = False
        self.await_all()
