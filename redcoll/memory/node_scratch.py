"""Manage the scratch memory of a team on one node, with a state word for each member."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from redcoll._mpi4py import MPI
from redcoll.liveness import deadlines
from redcoll.liveness.peers import CLOSES, LEFT
from redcoll.liveness.progress import Watch, wait_for_all
from redcoll.memory.shared_window import SharedWindow

_DEADLINE: Final = 3
"""Distance in words from a member's state to the text of the deadline that ended its wait."""


class NodeScratch:
    """The access of a member to the scratch memory of its node.

    This object owns ``window``. ``states`` has the index of each member's state word in
    ``window.words``.
    """

    def __init__(self, comm: MPI.Intracomm, window: SharedWindow, states: Sequence[int]) -> None:
        self._comm = comm
        self._index = comm.Get_rank()
        self.window = window
        self.states = states

    def state_of(self, index: int) -> int:
        """Return the state word of a member."""
        window = self.window
        state = window.words[self.states[index]]
        if window.fence is not None:
            # Acquire: headers that the member wrote before its state are visible from here on.
            window.fence()
        return state

    def publish(self, state: int) -> None:
        """Write the caller's state word.  Does not wait."""
        window = self.window
        if window.fence is not None:
            # Release: a member that sees the state sees every header that this member wrote before.
            window.fence()
        window.words[self.states[self._index]] = state

    def revoke(self, state: int, deadline: str = "") -> None:
        """Write the caller's state word, and the deadline that has ended its wait."""
        at = self.states[self._index] + _DEADLINE
        # Write the text before the state, so that a member that sees the state sees the text.
        for place, word in enumerate(deadlines.to_words(deadline)):
            self.window.words[at + place] = word
        self.publish(state)

    def deadline_words(self, index: int) -> list[int]:
        """Return the words of the deadline that ended a member's wait, or zeros."""
        at = self.states[index] + _DEADLINE
        return self.window.words[at : at + deadlines.TEXT_WORDS].tolist()

    def deadline_of(self, index: int) -> str:
        """Describe the deadline that ended a member's wait. Call :meth:`state_of` first."""
        return deadlines.from_words(self.deadline_words(index))

    def leave(self) -> None:
        """Publish that the caller's process runs no more rounds."""
        self.publish(LEFT)

    def have_all_left(self) -> bool:
        """Return whether every member has left."""
        return self._are_all(LEFT)

    def _are_all(self, state: int) -> bool:
        return all(self.window.words[at] == state for at in self.states)

    def progress(self) -> None:
        """Let MPI progress pending messages."""
        # The probe finds no message, but lets MPI progress pending messages of all communicators.
        self._comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)

    def receive_notices(self) -> None:
        """Do nothing, because the members read each other's states in memory."""

    def can_all_close(self, can_close: bool, watch: Watch) -> bool:
        """Wait for the other members; return whether every member can close the team.

        A round would not show whether every member can close the team, because a member may revoke
        the team after it has published its header.
        """
        if not can_close:
            return False  # the caller's state shows the others why
        # No member withdraws this state. All members free the memory together, so the memory exists
        # until every member has read the states of all members.
        self.publish(CLOSES)
        are_here = partial(self._are_all, CLOSES)
        return wait_for_all(watch, self._index, len(self.states), are_here, "close")

    def keep(self) -> None:
        """Do nothing, because MPI uses the memory only through the window, which is not freed."""

    def free(self) -> None:
        """Free the memory.  Collective. After an interrupt, a second call completes the first."""
        self.window.free()
