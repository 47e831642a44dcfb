"""The engine that moves bytes from node to node through a window.

There a PE has a few *boxes* for each PE and tag that it exchanges messages with, used in
turn, and a line of words beside them. A message goes in four steps:

1. the sender copies it into its next box, in its own memory, and puts one word into the line that
   the receiver has for it: the message's number and length;
2. the receiver, which looks at that word in its own memory, gets the message out of the box;
3. when it has arrived, the receiver puts its number into the sender's line: the box is free again;
4. the sender sees that word in its own memory.

What a word speaks of is thus complete before the word is put: the message because it lies in its
sender's memory, the copy because the request of the get says so (MPI-4.1, section 12.3.7). Nobody
ever flushes. A put that was to be followed by a word would need a flush in between, which waits for
the target inside MPI, without deadline, signals, or a way out if the target has died. Here each
wait is a look at one's own memory, which may end whenever its caller wants.

The last operation of either side is a put of one word, complete when it has left. A sender has to
stay until the receiver has its message, since a get needs the other side's help where there is no
hardware that does without: so it is done only after step 4. A PE that looks keeps MPI going.

Memory per PE: for each tag and each PE exchanged with, a line of 64 bytes and ``DEPTH`` boxes of
that tag's longest message. Only what has been used of a box takes memory. MPI keeps some words of
each member of the window.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from redcoll import departure, turns
from redcoll._mpi4py import MPI
from redcoll.engines import PROBED, Prepared, Request
from redcoll.errors import ArgumentError, StateError
from redcoll.slices import LINE_BYTES
from redcoll.window import free, reach

DEPTH: Final = 2
"""Messages of one PE to another, with the same tag, that may be under way at a time."""

_WORD: Final = 8
_TOLD: Final = 0
_FREED: Final = DEPTH
"""Places of words in a line: of the messages there are to get, of the boxes that are free."""

_NUMBER_BITS: Final = 24
_NUMBERS: Final = (1 << _NUMBER_BITS) - 1


class Mailboxes:
    """The engine that moves messages through a window.  Collective over ``comm``.

    Parameters
    ----------
    comm
        Its members exchange messages. It stays the caller's, who uses other tags than 0 on it.
    peers
        For each tag the ranks that this PE exchanges messages of that tag with; if one PE names
        another, the other names it too.
    most_bytes
        For each tag the length of its longest message, in bytes, equal on all members.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        peers: Mapping[int, Sequence[int]],
        most_bytes: Mapping[int, int],
    ) -> None:
        self._comm = comm
        self._is_abandoned = False
        ends = [(tag, rank) for tag in sorted(peers) for rank in sorted(peers[tag])]
        # Lines first, boxes behind them, each from the start of a cache line on.
        places = np.zeros((len(ends), 2), np.int64)
        at = LINE_BYTES * len(ends)
        for number, (tag, _) in enumerate(ends):
            places[number] = LINE_BYTES * number, at
            at += DEPTH * _box_bytes(most_bytes[tag])
        # Pages are there once they are touched.
        self._memory = memoryview(mmap.mmap(-1, max(at, LINE_BYTES)))
        self._window = MPI.Win.Create(self._memory, 1, comm=comm)
        # One epoch for life (MPI-4.1, section 12.5.3).
        self._window.Lock_all(MPI.MODE_NOCHECK)
        far = np.empty_like(places)
        told = [comm.Irecv(row, rank, PROBED) for row, (_, rank) in zip(far, ends, strict=True)]
        told += [comm.Isend(row, rank, PROBED) for row, (_, rank) in zip(places, ends, strict=True)]
        MPI.Request.Waitall(told)
        reach(self._window, comm, {rank for _, rank in ends})
        self._streams: dict[tuple[int, int], _Stream] = {
            (rank, tag): _Stream(
                self._window, self._memory, rank, most_bytes[tag], own.tolist(), other.tolist()
            )
            for (tag, rank), own, other in zip(ends, places, far, strict=True)
        }
        self._busy: deque[_Stream] = deque()
        """Those that have something under way."""
        departure.free_at_the_end(self, self._free_window, turns.agree(comm))

    def send(self, data: Any, rank: int, tag: int) -> Request:
        """See :meth:`Engine.send`; no longer than ``most_bytes`` of its tag.

        Raises
        ------
        ArgumentError
            The message is too long, or ``peers`` did not name ``rank`` for this tag.
        """
        stream = self._stream(rank, tag)
        view = memoryview(data).cast("B")
        if view.nbytes > stream.most_bytes:
            raise ArgumentError(
                f"data of {view.nbytes} bytes: messages of tag {tag} have {stream.most_bytes} "
                "bytes at most"
            )
        item = _Item(self, stream, view)
        stream.outgoing.append(item)
        self._begin(stream)
        return item

    def receive(self, into: Any, rank: int, tag: int) -> Request:
        """See :meth:`Engine.receive`.

        Raises
        ------
        ArgumentError
            ``peers`` did not name ``rank`` for this tag.
        """
        stream = self._stream(rank, tag)
        item = _Item(self, stream, memoryview(into).cast("B"))
        stream.incoming.append(item)
        self._begin(stream)
        return item

    def prepare_send(self, data: Any, rank: int, tag: int) -> Prepared:
        """See :meth:`Engine.prepare_send`."""
        return _Again(partial(self.send, data, rank, tag))

    def prepare_receive(self, into: Any, rank: int, tag: int) -> Prepared:
        """See :meth:`Engine.prepare_receive`."""
        return _Again(partial(self.receive, into, rank, tag))

    def _stream(self, rank: int, tag: int) -> _Stream:
        stream = self._streams.get((rank, tag))
        if stream is None:
            if self._is_closed:
                raise StateError("the mailboxes have been closed")
            raise ArgumentError(f"rank={rank}: no messages of tag {tag} are exchanged with it")
        return stream

    @property
    def _is_closed(self) -> bool:
        return not self._memory

    def _begin(self, stream: _Stream) -> None:
        if stream not in self._busy:
            self._busy.append(stream)
        stream.advance()

    def progress(self) -> None:
        """See :meth:`Engine.progress`."""
        if self._is_closed:
            return
        # It finds nothing, but moves what is under way, on any transport.
        self._comm.Iprobe(MPI.ANY_SOURCE, PROBED)
        self._window.Sync()
        for _ in range(len(self._busy)):
            self._advance_next()

    def look(self, stream: _Stream) -> None:
        """Let a stream move on, and one other: those that nobody asks for must not stand still."""
        if self._is_closed:
            return
        self._comm.Iprobe(MPI.ANY_SOURCE, PROBED)
        self._window.Sync()
        stream.advance()
        if self._busy:
            self._advance_next()

    def _advance_next(self) -> None:
        stream = self._busy.popleft()
        stream.advance()
        if stream.is_busy():
            self._busy.append(stream)

    def free(self) -> None:
        """See :meth:`Engine.free`; after :meth:`abandon` it does nothing."""
        if self._is_abandoned:
            return
        self._close()
        departure.freed(self)
        self._free_window()

    def abandon(self) -> None:
        """See :meth:`Engine.abandon`."""
        if not self._is_closed:
            self._is_abandoned = True
            _abandoned.append((self._memory, self._streams))
            self._close()

    def _free_window(self) -> None:
        if self._window:
            free(self._window)

    def _close(self) -> None:
        self._memory = memoryview(b"")
        self._streams = {}
        self._busy.clear()


_abandoned: list[Any] = []
"""What others may still put to and get from, and what MPI may still write to."""


def _box_bytes(most_bytes: int) -> int:
    return -(-most_bytes // LINE_BYTES) * LINE_BYTES


class _Item:
    """A message that is to be sent or received."""

    def __init__(self, engine: Mailboxes, stream: _Stream, view: memoryview) -> None:
        self._engine = engine
        self._stream = stream
        self.view = view
        self.is_over = False
        self.is_too_long = False

    def Test(self) -> bool:
        if not self.is_over:
            self._engine.look(self._stream)
        if self.is_too_long:
            raise MPI.Exception(MPI.ERR_TRUNCATE)
        return self.is_over

    def Cancel(self) -> None:
        for waiting in (self._stream.outgoing, self._stream.incoming):
            if self in waiting:
                waiting.remove(self)
        self.is_over = True


class _Again:
    """A message that can be started again."""

    def __init__(self, start: Callable[[], Request]) -> None:
        self._start = start
        self._item: Request | None = None

    def Start(self) -> None:
        self._item = self._start()

    def Test(self) -> bool:
        return self._item is None or self._item.Test()

    def Cancel(self) -> None:
        if self._item is not None:
            self._item.Cancel()

    def Free(self) -> None:
        self._item = None


class _Sent:
    """A box in use: what is in it, and the put that told the receiver."""

    def __init__(self, item: _Item, number: int, put: MPI.Request) -> None:
        self.item = item
        self.number = number
        self.put = put


class _Fetched:
    """A message being got from its sender, and then the put that frees its box."""

    def __init__(self, item: _Item, number: int, get: MPI.Request) -> None:
        self.item = item
        self.number = number
        self.get = get
        self.put: MPI.Request | None = None


class _Stream:
    """The messages of one tag between this PE and another, both ways.

    Parameters
    ----------
    own, far
        Where the line and the boxes for this stream begin in this PE's memory and in the other's.
    """

    def __init__(
        self,
        window: MPI.Win,
        memory: memoryview,
        rank: int,
        most_bytes: int,
        own: Sequence[int],
        far: Sequence[int],
    ) -> None:
        self.most_bytes = most_bytes
        self.outgoing: deque[_Item] = deque()
        """What is in no box yet."""
        self.incoming: deque[_Item] = deque()
        """What has not been told of yet."""
        self._window = window
        self._rank = rank
        line, boxes = own
        self._words = memory[line : line + LINE_BYTES].cast("q")
        step = _box_bytes(most_bytes)
        self._boxes = [memory[boxes + i * step : boxes + (i + 1) * step] for i in range(DEPTH)]
        self._far_line = far[0]
        self._far_boxes = [far[1] + i * step for i in range(DEPTH)]
        # Words on their way to the other PE's line.
        self._notes = [np.zeros(1, np.int64) for _ in range(2 * DEPTH)]
        self._sent: list[_Sent | None] = [None] * DEPTH
        self._fetched: list[_Fetched | None] = [None] * DEPTH
        self._n_sent = self._n_received = 0

    def is_busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self.outgoing or self.incoming or any(self._sent) or any(self._fetched))

    def advance(self) -> None:
        """Do what can be done without waiting."""
        for slot, sent in enumerate(self._sent):
            # Both: the note's memory is used again, too.
            if sent and self._words[_FREED + slot] == sent.number and sent.put.Test():
                sent.item.is_over = True
                self._sent[slot] = None
        while self.outgoing and not self._sent[(self._n_sent + 1) % DEPTH]:
            self._send(self.outgoing.popleft())
        while self.incoming and self._fetch():
            pass
        for slot, fetched in enumerate(self._fetched):
            if fetched and self._is_over(slot, fetched):
                fetched.item.is_over = True
                self._fetched[slot] = None

    def _tell(self, place: int, word: int) -> MPI.Request:
        """Put a word into the other PE's line."""
        note = self._notes[place]
        note[0] = word
        # One aligned word, of which the other waits for one value: it is either there or not.
        target = (self._far_line + place * _WORD, 1, MPI.INT64_T)
        return self._window.Rput([note, 1, MPI.INT64_T], self._rank, target)

    def _send(self, item: _Item) -> None:
        self._n_sent = number = self._n_sent + 1
        slot = number % DEPTH
        n_bytes = item.view.nbytes
        self._boxes[slot][:n_bytes] = item.view
        # The message is there for whoever sees the word.
        self._window.Sync()
        word = n_bytes << _NUMBER_BITS | number & _NUMBERS
        self._sent[slot] = _Sent(item, number, self._tell(_TOLD + slot, word))

    def _fetch(self) -> bool:
        """Begin to get the next message; whether it could be done."""
        number = self._n_received + 1
        slot = number % DEPTH
        word = self._words[_TOLD + slot]
        if self._fetched[slot] or word & _NUMBERS != number & _NUMBERS:
            return False
        self._n_received = number
        item = self.incoming.popleft()
        n_bytes = word >> _NUMBER_BITS
        item.is_too_long = n_bytes > item.view.nbytes
        get = MPI.REQUEST_NULL
        if n_bytes and not item.is_too_long:
            into = [item.view[:n_bytes], MPI.BYTE]
            target = (self._far_boxes[slot], n_bytes, MPI.BYTE)
            get = self._window.Rget(into, self._rank, target)
        self._fetched[slot] = _Fetched(item, number, get)
        return True

    def _is_over(self, slot: int, fetched: _Fetched) -> bool:
        if fetched.put is None:
            if not fetched.get.Test():
                return False
            fetched.put = self._tell(_FREED + slot, fetched.number)
        return fetched.put.Test()
