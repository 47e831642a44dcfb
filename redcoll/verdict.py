"""Whether all members of a team come to its close, where MPI waits for them without deadline.

That all have posted in a round does not say so: one that waited for the others too long may have
given up by then. So they ask once more, and nobody gives up who has asked.
"""

from __future__ import annotations

from array import array

from mpi4py import MPI

from redcoll import departure
from redcoll.errors import CollectiveTimeoutError
from redcoll.waiting import JointWait, Watch

_unanswered: set[Verdict] = set()
"""MPI may write to these yet."""


class Verdict:
    """One question to all members, the last that is said on their communicator.

    Where one of them never asks, no later collective of MPI on it would come through.

    Parameters
    ----------
    comm
        The team's.
    watch
        How to wait for the members.
    """

    def __init__(self, comm: MPI.Intracomm, watch: Watch) -> None:
        self._comm = comm
        self._watch = watch
        self._verdict = array("b")
        self._request: MPI.Request | None = None

    def ask(self, *, can_go_on: bool) -> bool:
        """Wait for all members, longer than ``REDCOLL_TIMEOUT`` if need be.  Collective.

        One that was interrupted in it asks again, and must: the others take its word for it.

        Parameters
        ----------
        can_go_on
            What the caller says, the first time.

        Returns
        -------
        bool
            Whether all of them have said that they can.

        Raises
        ------
        PeerLostError
            A member has given the team up, or left, before it asked.
        """
        if self._request is None:
            _unanswered.add(self)
            self._verdict = array("b", (can_go_on,))
            self._request = self._comm.Iallreduce(
                MPI.IN_PLACE, [self._verdict, MPI.SIGNED_CHAR], MPI.MIN
            )
        are_here = self._request.Test
        me = self._comm.Get_rank()
        others = [index for index in range(self._comm.Get_size()) if index != me]
        while not are_here():
            wait = JointWait(self._watch, others, are_here, lambda: "close")
            try:
                while not are_here():
                    wait.turn()
            except CollectiveTimeoutError as error:
                departure.report(f"redcoll: {error}; close goes on waiting\n")
        _unanswered.discard(self)
        return bool(self._verdict[0])
