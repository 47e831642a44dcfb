"""Which team serves a communicator: made at its first reduction, freed with it.

The bond is an attribute of the communicator itself, so that all handles of it share one
team and freeing it through any of them ends the team; each handle of this module's classes
remembers it besides.
"""

from __future__ import annotations

import functools
import os
import time
from typing import cast

from mpi4py import MPI as mpi

from redcoll import config
from redcoll.errors import (
    CollectiveTimeoutError,
    HeapError,
    TeamLimitError,
)
from redcoll.liveness import shutdown
from redcoll.team import Team, split

_NAP_AFTER_S = 1e-3
_NAP_S = 1e-4
_LOOK_EVERY_S = 0.1


class Bond:
    """A communicator's team, or that it has none and MPI reduces."""

    __slots__ = ("_is_permanent", "team", "why")

    def __init__(self, comm: mpi.Intracomm) -> None:
        self.why: str | None = None
        """Why there is no team, in the words of ``REDCOLL_REPORT``."""
        self.team = self._make_team(comm)
        # COMM_WORLD and COMM_SELF lose their attributes in MPI_Finalize: too late to free.
        self._is_permanent = comm in (mpi.COMM_WORLD, mpi.COMM_SELF)

    def _make_team(self, comm: mpi.Intracomm) -> Team | None:
        """A team, or None where MPI itself must reduce: the same on all processes."""
        plain = mpi.Intracomm(comm)  # what the team does must not come back here
        _await_all(plain)
        try:
            return Team.from_comm(plain)
        except TeamLimitError as error:
            self.why = "too many teams"
            if config.MAX_TEAMS.name not in str(error):
                self.why = "too few communicators or file descriptors"
        except HeapError:
            self.why = "no room in shared memory"
        except mpi.Exception as error:
            self.why = f"no team: {error}"
        return None

    def revoke_unless_common(self, error: BaseException) -> None:
        """Revoke the team, if there is one, as :meth:`Team.revoke_unless_common` says."""
        if self.team is not None:
            self.team.revoke_unless_common(error)

    def release(self) -> None:
        """Free the team before its communicator.  Collective over the communicator.

        Raises
        ------
        CollectiveMismatchError
            Members are in another collective: nothing was freed.
        """
        team = self.team
        if team is not None and (team.can_go_on or team.is_closing):
            split.close(team)
        self.team = None

    def end(self) -> None:
        """Free the team with its communicator, which MPI is freeing just now."""
        if self.team is not None and self.team.can_go_on and not self._is_permanent:
            self.team.close(is_here=True)
        self.team = None


@functools.cache
def _keyval() -> int:
    def on_delete(_comm: mpi.Comm, _keyval: int, bond: Bond) -> None:
        bond.end()

    # No copy function: a duplicate starts without a team.
    return mpi.Comm.Create_keyval(delete_fn=on_delete)


@functools.cache
def _barrier_keyval() -> int:
    return mpi.Comm.Create_keyval()


def find(comm: mpi.Intracomm) -> Bond | None:
    """The communicator's bond, None before its first reduction.  Local."""
    return cast("Bond | None", comm.Get_attr(_keyval()))


def bind(comm: mpi.Intracomm) -> Bond:
    """The communicator's bond, made if need be.  Collective over it then.

    Raises
    ------
    ConfigError
        Processes have different settings: on all alike.
    CollectiveTimeoutError
        Not all processes came within ``REDCOLL_TIMEOUT``.
    """
    bond = find(comm)
    if bond is None:
        bond = Bond(comm)
        comm.Set_attr(_keyval(), bond)
    return bond


def unbind(comm: mpi.Intracomm) -> None:
    """Free the communicator's team, if it has one.  Collective over it."""
    bond = find(comm)
    if bond is not None:
        bond.release()
        comm.Delete_attr(_keyval())


def _await_all(comm: mpi.Intracomm) -> None:
    """Until all have come, so that Ctrl-C and the deadline hold for the first call too.

    Where these end the wait, the others count this process as one that has come: the barrier
    stays with the communicator, and the next call waits for the same.
    """
    timeout_s = config.TIMEOUT.get()
    start_s = time.monotonic()
    next_look_s = _LOOK_EVERY_S
    request = cast("mpi.Request | None", comm.Get_attr(_barrier_keyval()))
    if request is None:
        request = comm.Ibarrier()
        comm.Set_attr(_barrier_keyval(), request)
    while not request.Test():
        waited_s = time.monotonic() - start_s
        if timeout_s is not None and waited_s > timeout_s:
            raise CollectiveTimeoutError(
                f"first reduction on a communicator of {comm.Get_size()}: not all of its "
                f"processes came within {timeout_s:g} s ({config.TIMEOUT.name})"
            )
        if waited_s > _NAP_AFTER_S:
            if waited_s > next_look_s:
                next_look_s = waited_s + _LOOK_EVERY_S
                shutdown.tidy()
            time.sleep(_NAP_S)
        else:
            os.sched_yield()
    comm.Delete_attr(_barrier_keyval())
