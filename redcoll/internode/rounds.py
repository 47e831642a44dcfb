"""Run rounds over several nodes: publish a header, exchange it through the leader, compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from redcoll.internode.leaders import Leader, row_of, told_posts, write_posts
from redcoll.internode.one_way import Row
from redcoll.internode.room import Room
from redcoll.kernels.base import BaseChannel
from redcoll.kernels.interface import Fold, InternodeChannel, TeamHooks
from redcoll.liveness.progress import QUICK_POLLS
from redcoll.protocol.call_sites import CallSites
from redcoll.protocol.descriptor import DELEGATED, Call, root_of
from redcoll.protocol.layout import UNKNOWN_POST, Post
from redcoll.topology import Layout

_FOREVER: Final = (1 << 63) - 1


class Rounds(InternodeChannel):
    """The methods of a channel that each round uses.

    A member publishes its header on its node. The leader exchanges the node's header with the other
    leaders, and then releases the node. ``near`` is the kernel's channel for the members on the
    caller's node. ``fold`` calls the kernel's fold without warnings of NumPy. ``fence`` orders
    stores and loads; None if the processor orders them.
    """

    def __init__(
        self,
        near: BaseChannel,
        layout: Layout,
        room: Room,
        fold: Fold,
        fence: Callable[[], object] | None,
        hooks: TeamHooks,
    ) -> None:
        self.sequence = 0
        self.completed = 0
        """The last round that is complete for the caller."""
        self.disputed = 0
        self.current = (0, 0, 0)
        """Word, count and extra of the current round."""
        self.told: Sequence[Post] = ()
        """The headers of all members in the last round that was compared; empty if all were
        equal."""
        self.leader: Leader | None = None
        """The object that does the leader's work; None if the caller is not a leader."""
        self._near = near
        self._layout = layout
        self._size = sum(map(len, layout.nodes))
        self.members: Sequence[int] = range(self._size)
        """The team ranks whose headers :meth:`posts` returns."""
        self._room = room
        self._words = room.words
        self._fold = fold
        self._fence = fence
        self._hooks = hooks
        self._calls: Any = None
        """The kernel's ``CompiledCalls``; None if Python performs all calls."""

    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Publish a header, wait for the headers of all members, and compare them."""
        self.sequence += 1
        self._near.publish(word, count, extra, source, target, 0)
        if not self._agree(word, count, extra):
            self._hooks.raise_mismatch(self)

    def catch_up(self) -> None:
        """Wait for a round that the caller declined, or that it left before the leader did."""
        if self._near.unwaited:
            self._near.catch_up()
        if self._calls is not None:
            self._calls.catch_up()

    def decline(self, word: int, text: str) -> None:
        """Publish that the caller does not take part in the coming round, with the reason.

        A leader must take part for its node, and so waits. Another member waits only for an earlier
        round that it left before its leader did.
        """
        self.catch_up()
        self._near.decline(word, text)
        self.sequence += 1
        if self.leader is not None:
            self.current = (word, 0, 0)
            self._near.catch_up()
            self._lead(self.leader, is_wrong=True)
            self.completed = self.sequence

    def conclude(self, word: int, count: int, extra: int, text: str | None) -> bool:
        """Run a round in which each member reports success or failure.

        Return whether all members succeeded.
        """
        self.catch_up()
        self.sequence += 1
        if text is None:
            self._near.publish(word, count, extra, -1, -1, 0)
        else:
            self._near.decline(word, text)
        return self._agree(word, count, extra, has_failed=text is not None)

    def posts(self, sequence: int) -> list[Post]:  # noqa: ARG002 - only the last round is kept
        """Return the headers of all members in the last round that was compared."""
        return list(self.told) or [Post(*self.current, -1, -1, "", is_ahead=False)] * self._size

    def said(self) -> tuple[int, int, int]:
        """Return word, count and extra of the current round."""
        return self.current

    def absent(self) -> list[int]:
        """Return the team ranks of the members that the caller waits for."""
        if self.leader is None:
            is_released = self._words[self._room.release] >= self.sequence
            return [] if is_released else [self._layout.members[0]]
        if self.leader.one_way.disputed:
            return []  # the wait ends with the error of the dispute
        return self.late() or self.leader.notices.absent()

    @property
    def call_sites(self) -> CallSites:
        """The call sites that the members on the caller's node have recorded."""
        return self._near.call_sites

    def where(self, rank: int) -> str:
        """Describe the call in which a team rank waits, or else its last call; empty if unknown."""
        if rank not in self._layout.members:
            return "" if self.leader is None else self.leader.notices.where(rank)
        return self._near.where(self._layout.members.index(rank))

    def late(self) -> list[int]:
        """Return the team ranks of members on this node that have not published in this round."""
        return [self._layout.members[place] for place in self._near.absent()]

    def sends(self) -> tuple[int, list[int]]:
        """Return the node for whose message a leader waits, and the header that it has sent.

        Without such a node return -1, and without a header zeros.
        """
        assert self.leader is not None  # noqa: S101 - for the type checker
        at = self._room.sent[self.sequence & 1] // 8
        header = self._words[at : at + 4].tolist()
        return self.leader.awaited, header if header[3] == self.sequence else [0] * 4

    # -- through the leader -------------------------------------------------------------

    def _agree(
        self,
        word: int,
        count: int,
        extra: int,
        call: Call | None = None,
        *,
        has_failed: bool = False,
        after: Callable[[], None] | None = None,
    ) -> bool:
        """Wait for the headers of the round that the caller has published, and compare them.

        ``call`` is the call whose vectors travel in this round. A leader calls ``after`` when all
        members agree, before it releases its node.
        """
        self.current = (word, count, extra)
        leader = self.leader
        if leader is None:
            is_wrong = self.await_release()
        else:
            self._near.await_all()
            is_wrong = has_failed or not self._near.agrees(word, count, extra)
            if call is not None and call.is_folded and not is_wrong:
                vectors = call.views
                near = vectors.near[self._near.sequence % len(vectors.near)]
                if vectors.parts is not None:
                    vectors.parts.take(near)
                else:
                    own = vectors.by_side[self.sequence & 1][self._layout.node]
                    self._fold(call.op, near, own)
            is_wrong = self._lead(leader, is_wrong, call, after)
        self.disputed = self.completed = self.sequence
        self.told = told_posts(self._room, self._size) if is_wrong else ()
        return not is_wrong

    def _lead(
        self,
        leader: Leader,
        is_wrong: bool,
        call: Call | None = None,
        after: Callable[[], None] | None = None,
    ) -> bool:
        """Do a leader's part of a round, after the members of its node have published.

        Return whether the round failed.
        """
        vectors = None if call is None else call.views
        is_one_way = vectors is not None and self.is_one_way(leader, vectors)
        if is_wrong and (is_one_way or self._is_any_ahead()):
            self.dispute(self.sequence)
        if is_one_way:
            self._run_one_way(leader, vectors)
            return False
        plan = None if vectors is None else vectors.plan
        if not leader.exchange(self.sequence, *self.current, is_wrong, plan):
            is_wrong = True
            self.tell_posts()
        elif vectors is not None and vectors.parts is not None:
            leader.combine(self.sequence, vectors.parts)
        elif vectors is not None and vectors.blocks is not None:
            leader.gather(self.sequence & 1, vectors.blocks)
        elif after is not None:
            after()
        self._settle(leader, vectors, not is_wrong)
        self._release(is_wrong)
        return is_wrong

    def _is_any_ahead(self) -> bool:
        """Return whether a member of the node can have returned from the current round."""
        return any(post.is_ahead for post in self._near.posts(self._near.sequence))

    def is_one_way(self, leader: Leader, vectors: Any) -> bool:
        """Return whether the current round is one-way."""
        return vectors.plan_one_way is not None and leader.one_way.allows(self.current)

    def _settle(self, leader: Leader, vectors: Any, do_agree: bool) -> None:
        """Record a complete round that was not one-way."""
        leader.one_way.settle()
        if vectors is not None and vectors.plan_one_way is not None and do_agree:
            leader.one_way.agree(self.current)
        if self.current[0] & DELEGATED:
            leader.one_way.stop()
        self._words[self._room.ahead] = leader.one_way.ahead(self.sequence, self.current)

    def _run_one_way(self, leader: Leader, vectors: Any) -> None:
        """Do a leader's part of a one-way round.

        The leader releases its node before the exchange, unless the root is there.
        """
        leader.one_way.note(self.sequence, self._near.sequence, self.current)
        self._words[self._room.ahead] |= 1
        needs_result = self._layout.node_of(root_of(self.current[0])) == self._layout.node
        if not needs_result:
            self._release(is_wrong=False)
        leader.exchange(self.sequence, *self.current, False, vectors.plan_one_way, True)
        if needs_result:
            self._release(is_wrong=False)

    def tell_posts(self) -> None:
        """Exchange the headers of all members with the other leaders, as a leader."""
        assert self.leader is not None  # noqa: S101 - for the type checker
        near = self._near.posts(self._near.sequence)
        self.leader.tell_posts(list(zip(self._layout.members, near, strict=True)))

    def raise_mismatch(self) -> NoReturn:
        """Raise the error of a round for which the leader has told the headers of all members."""
        state = self._words[self._room.release + 1]
        if state < 0:
            self.disputed = -state
        if self._fence is not None:
            self._fence()  # acquire: the headers that belong to the state are visible
        self.told = told_posts(self._room, self._size)
        self._hooks.raise_mismatch(self, is_common=state >= 0)

    def dispute(self, number: int) -> NoReturn:
        """Raise the error of a dispute about a round on all members of the node, as a leader."""
        leader = self.leader
        assert leader is not None  # noqa: S101 - for the type checker
        write_posts(self._room, leader.answers(number))
        if self._fence is not None:
            self._fence()  # release: a member that reads the state also reads the headers
        self._end_wait(_FOREVER, -leader.one_way.disputed)
        self.raise_mismatch()

    def rows_of(self, number: int) -> list[Row]:
        """Return what the members of a leader's node called in a round, as far as it is known."""
        near, leader, members = self._near, self.leader, self._layout.members
        assert leader is not None  # noqa: S101 - for the type checker
        posts = [UNKNOWN_POST] * len(members)
        if (found := leader.one_way.call_in(number)) is not None:
            said, its_number = found
            is_ahead = self._layout.node_of(root_of(said[0])) != self._layout.node
            sites = [near.call_sites.of(place, its_number) for place in range(len(members))]
            posts = [Post(*said, -1, -1, "", is_ahead, site) for site in sites]
        elif number == self.sequence:
            late = self.late() if len(members) > 1 else []
            posts = near.posts(near.sequence)
            for place, member in enumerate(members):
                if member in late:
                    posts[place] = UNKNOWN_POST
        return [row_of(*each) for each in zip(members, posts, strict=True)]

    def _bring(self, call: Call, move: Callable[[Leader, int], None]) -> None:
        """Run the rest of a round in which leaders move vectors but exchange no headers."""
        self._near.publish(call.word, call.count, call.extra, -1, -1, 0)
        leader = self.leader
        if leader is None:
            self.await_release()
        else:
            self._near.await_all()
            move(leader, self.sequence & 1)
            self._release(is_wrong=False)
        self.completed = self.sequence

    def _release(self, is_wrong: bool) -> None:
        self._end_wait(self.sequence, is_wrong)

    def _end_wait(self, number: int, state: int) -> None:
        """Release the members of the node up to a round.

        :attr:`Room.release` documents the state.
        """
        at = self._room.release
        self._words[at + 1] = state
        if self._fence is not None:
            self._fence()
        # Release: a member that reads this number sees the vectors and words of the round.
        self._words[at] = number

    def await_release(self, has_left: bool = False) -> int:
        """Wait until the leader has released the node; return whether the round failed.

        ``has_left`` is whether the caller left the round before, and waits in its next call.
        """
        words, at, number = self._words, self._room.release, self.sequence
        for _ in QUICK_POLLS:
            if words[at] >= number:
                break
            os.sched_yield()
        else:
            if not has_left:
                self._near.note_site(self._near.sequence)
            poll = self._hooks.start_wait(self)
            while words[at] < number:
                poll()
        if self._fence is not None:
            # Acquire: everything that the leader wrote before it released the round is visible from
            # here on.
            self._fence()
        # The leader can open a dispute about a round after it has released the round. So read once.
        state = words[at + 1]
        if state < 0:
            self.sequence += has_left  # the error says how many calls ago the dispute was
            self.raise_mismatch()
        return state
