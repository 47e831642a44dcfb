"""What a team on several nodes has besides: the way between them, and its end.

Each node has a window of its own, with the segments of its members first and then a mirror
segment for every other member. The first member of a node is its courier (:mod:`redcoll.courier`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final

from numpy.typing import NDArray

from redcoll._mpi4py import MPI
from redcoll.courier import BULK, POSTS, RESULTS, Courier, longest_bytes, tell_the_end
from redcoll.engines import Engine, Messages
from redcoll.exchange import Exchange
from redcoll.mailboxes import Mailboxes
from redcoll.ops import Op
from redcoll.signature import ALLREDUCE, REDUCE, REDUCE_SCATTER, Scratch
from redcoll.topology import Layout
from redcoll.waiting import Watch, wait_for_all

Array = NDArray[Any]
Fold = Callable[[Op, Sequence[Array], Array], None]

FOLDED_BY_NODES: Final = frozenset({ALLREDUCE, REDUCE, REDUCE_SCATTER})
"""Collectives in which nodes fold their members' vectors before others see them."""

_given_up: list[Span] = []
"""What MPI may still use of teams that were closed after a failure."""


def fold_by_nodes(
    firsts: Sequence[int], fold: Fold, op: Op, operands: Sequence[Array], out: Array
) -> None:
    """The nodes in their order, each folded before; a user's function flat."""
    fold(op, operands if op.is_user else [operands[index] for index in firsts], out)


class Span:
    """One member's part between the nodes.  Making one is collective over the team.

    Parameters
    ----------
    comm
        The team's.
    layout
        Which members share a node.
    index
        The caller's.
    scratch
        The window of the caller's node, and what lies where in it.
    states
        Where in its words the members' state lines are.
    fence
        Orders stores and loads where the machine does not, else None.
    kernel
        Packs and delivers posts.
    watch, turns
        How to wait for the members; for a courier's neighbours.
    has_core
        Whether no other member wants the caller's core.
    internode
        What ``REDCOLL_INTERNODE`` says.
    chunk_bytes
        Of a long vector that nodes fold before others see it; None where they do not.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        index: int,
        scratch: Scratch,
        states: Sequence[int],
        fence: Callable[[], Any] | None,
        kernel: ModuleType,
        watch: Watch,
        turns: Callable[[], Callable[[], bool]],
        has_core: bool,
        internode: str,
        chunk_bytes: int | None,
    ) -> None:
        self._comm = comm
        self._layout = layout
        self._index = index
        self._engine: Engine = Messages(comm)
        if internode != "messages":
            self._engine = self._mailboxes(scratch, chunk_bytes)
        self.courier: Courier | None = None
        if index == layout.members[0]:
            self.courier = Courier(
                comm, self._engine, layout, scratch, states, fence, kernel, turns, has_core
            )
        self.exchange: Exchange | None = None
        """How the nodes' parts of long vectors come together."""
        if chunk_bytes is not None:
            self.exchange = Exchange(self._engine, layout, index, watch)
        self._watch = watch
        self._told: list[Any] = []
        self._verdict = array("b", (0,))
        self._asked: list[MPI.Request] = []
        """The one request that brings the verdict whether all can go on; empty before."""

    def _mailboxes(self, scratch: Scratch, chunk_bytes: int | None) -> Mailboxes:
        layout = self._layout
        firsts = layout.firsts if self._index in layout.firsts else []
        mates = layout.mates(self._index) if chunk_bytes is not None else []
        peers = {POSTS: firsts, BULK: mates, RESULTS: mates}
        most_bytes = {
            POSTS: longest_bytes(scratch, max(map(len, layout.nodes))),
            BULK: chunk_bytes or 0,
            RESULTS: chunk_bytes or 0,
        }
        others = {tag: [pe for pe in pes if pe != self._index] for tag, pes in peers.items()}
        return Mailboxes(self._comm, others, most_bytes)

    def progress(self) -> None:
        """Let all messages move, and hear of ends elsewhere."""
        self._engine.progress()
        if self.courier is not None:
            self.courier.hear()
        else:
            self._comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)

    def hear(self) -> None:
        """Take what others have said when they left."""
        if self.courier is not None:
            self.courier.hear()

    def tell(self, state: int, sequence: int) -> None:
        """Tell other nodes, without waiting, that this member posts no more after ``sequence``."""
        if self.courier is not None and not self.courier.has_sent(sequence):
            sequence -= 1
        self._told += tell_the_end(self._comm, self._layout, self._index, state, sequence)

    def can_all_go_on(self, can_go_on: bool) -> bool:
        """Whether no member has given the team up, or left.  Collective over the team."""
        if not self._asked:
            self._verdict[0] = can_go_on
            data = [self._verdict, MPI.SIGNED_CHAR]
            # One call for Python: no handler can raise after the start of the request and before
            # it is kept. A second call must not start another one.
            self._asked.extend(map(self._comm.Iallreduce, [MPI.IN_PLACE], [data], [MPI.MIN]))
        if not can_go_on:
            return False  # nobody will hear anything else
        size = self._comm.Get_size()
        test = self._asked[0].Test
        return wait_for_all(self._watch, self._index, size, test, "close") and bool(
            self._verdict[0]
        )

    def leave(self) -> None:
        """Give up what is under way; the process will never come again."""
        if self.courier is not None:
            self.courier.close()
        self._engine.abandon()

    def close(self) -> None:
        """End in order.  Collective over the team."""
        if self.courier is not None:
            self.courier.close()
            self.courier.free()
        self._engine.free()

    def give_up(self) -> None:
        """Close after a failure; the communicator may be freed no more.

        Messages that nobody fetched would reach the next one in its place, and those under
        way the memory that they were meant for.
        """
        self.leave()
        _given_up.append(self)
