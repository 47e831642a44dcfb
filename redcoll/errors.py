"""Define all exceptions of redcoll.

There are two large families. ``ArgumentError`` and its subclasses concern the arguments of one PE.
A call raises them before it writes anything. ``CollectiveError`` and its subclasses concern all
members of a team, and all members raise them. Each exception also derives from the built-in
exception that callers expect.
"""

from __future__ import annotations


class RedcollError(Exception):
    """Base of all exceptions of redcoll."""


class ArgumentError(RedcollError, ValueError):
    """An argument breaks a rule. The message names argument, value and rule."""


class DatatypeError(ArgumentError, TypeError):
    """The call does not take arguments of this class or element type."""


class OpError(ArgumentError, TypeError):
    """The operation does not exist, or is not defined on this element type."""


class ActiveSetError(ArgumentError):
    """An active set is malformed, or the calling PE is not a member of it."""


class SymmetryError(ArgumentError):
    """An array is not on the symmetric heap, but it must be there."""


class OverlapError(ArgumentError):
    """Target and source overlap in memory, but are not the same elements."""


class ConfigError(ArgumentError):
    """A setting (environment variable) has a wrong value, or differs between ranks."""


class HeapError(RedcollError, MemoryError):
    """Shared memory cannot be mapped, or the symmetric heap is exhausted."""


class StateError(RedcollError, RuntimeError):
    """A call came before the start of redcoll, after its end, or on a freed object."""


class TeamLimitError(RedcollError, RuntimeError):
    """The limit of teams is reached: ``REDCOLL_MAX_TEAMS``, or a limit of MPI or the system.

    A team needs communicators, of which MPICH has 2046, and file descriptors.
    """


class CollectiveError(RedcollError, RuntimeError):
    """Base of the errors that concern all members of a team."""

    blamed: object = None
    """The process that did not arrive, if it is known. Members that wait for the member with this
    error also name that process as the cause."""


class CollectiveMismatchError(CollectiveError):
    """Members called different collectives, or passed different op, type, count or root.

    All members raise it in the same call. Nothing was written, and the team stays usable.

    A small reduce or scan behaves differently: up to 8 bytes on one node, or a reduce of up to 16
    KiB on several nodes. A member that needs no data of the members with other arguments may have
    returned from the call already. Such a member raises in a later call (``REDCOLL_AHEAD``). It
    never raises if the job ends or the team is closed before that call. On several nodes the team
    cannot go on after that.
    """


class DelegatedError(CollectiveError):
    """A member cannot make this call by redcoll and wants MPI to make it.

    All members raise it in the same call, and nothing was written. The API then calls MPI's own
    reduction.
    """


class RemoteOpError(CollectiveError):
    """A user's operation raised on another member. That member raises the original exception."""


class CollectiveTimeoutError(CollectiveError, TimeoutError):
    """Members did not arrive within ``REDCOLL_TIMEOUT``, or before the deadline of a block.

    A block is the code under ``with redcoll.timeout(...)``. The message names the members and the
    block.
    """

    deadline: str = ""
    """The name of the block whose deadline has passed, for messages of other ranks; else empty."""


class PeerLostError(CollectiveError, ConnectionError):
    """A member's process ended, or the member's call failed, so this call cannot complete."""


class TeamBrokenError(CollectiveError):
    """The team is unusable, because an earlier call on it failed.

    The cause was a timeout, a lost peer or an interrupt.
    """


class GroupError(RedcollError, LookupError):
    """Base of the errors about the state of a dynamic group."""


class NoGroupError(GroupError):
    """The group does not exist, or it was frozen and a member has left it."""


class NotInGroupError(GroupError):
    """A PE is not a member of the group, or has left it, but the call needs a member."""


class NoInstanceError(GroupError):
    """The group has no member with this instance number."""


class AlreadyInGroupError(GroupError):
    """The caller is a member of the group already, or the group is frozen already."""


class GroupLimitError(GroupError):
    """The call would make more groups than ``REDCOLL_MAX_GROUPS`` allows."""
