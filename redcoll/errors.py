"""Every exception that redcoll raises, in one place.

Two families: what one PE can tell from its own arguments (``ArgumentError`` and its
kin, raised before anything is written), and what only a round shows
(``CollectiveError`` and its kin, raised on all members of the team alike).
Each also derives from the built-in exception a caller would guess.
"""

from __future__ import annotations


class RedcollError(Exception):
    """Base of all exceptions of redcoll."""


class ArgumentError(RedcollError, ValueError):
    """An argument breaks a rule; the message names argument, value and rule."""


class DatatypeError(ArgumentError, TypeError):
    """An object or element type that the call does not take."""


class OpError(ArgumentError, TypeError):
    """An operation that does not exist, or is not defined on this element type."""


class ActiveSetError(ArgumentError):
    """An active set that is malformed, or that the calling PE is not a member of."""


class SymmetryError(ArgumentError):
    """An array that must lie on the symmetric heap does not."""


class OverlapError(ArgumentError):
    """Target and source share memory without being the same elements."""


class ConfigError(ArgumentError):
    """A setting (environment variable) has a value that cannot be used."""


class HeapError(RedcollError, MemoryError):
    """The symmetric heap cannot be mapped, or is exhausted."""


class StateError(RedcollError, RuntimeError):
    """A call out of order: before the start, after the end, or on something freed."""


class TeamLimitError(RedcollError, RuntimeError):
    """No more teams: ``REDCOLL_MAX_TEAMS`` is reached, or MPI or the system has run out.

    A team needs communicators, of which MPICH has 2046, and file descriptors.
    """


class CollectiveError(RedcollError, RuntimeError):
    """Base of the errors that a round brings to light."""

    blamed: object = None
    """The process that did not come, as far as it is known; for those who wait for this one."""


class CollectiveMismatchError(CollectiveError):
    """Members called different collectives, or with other op, type, count or root.

    Every member raises it in the same round. Nothing was written, and the team stays usable.

    A reduce or scan of up to 8 bytes is the exception: members that need nobody's vector may
    have returned from it already. They raise in a later call (``REDCOLL_AHEAD``), or never, if
    the job ends before.
    """


class DelegatedError(CollectiveError):
    """A member cannot give this call to redcoll and wants MPI to do it.

    Raised by every member in the same round; nothing was written. The MPI face takes
    it as its cue to call MPI's own reduction.
    """


class RemoteOpError(CollectiveError):
    """A user's operation raised on another member (the original is raised there)."""


class CollectiveTimeoutError(CollectiveError, TimeoutError):
    """Members did not arrive within ``REDCOLL_TIMEOUT``; the message names them."""


class PeerLostError(CollectiveError, ConnectionError):
    """A member's process ended, left or gave up, so the round can never complete."""


class TeamBrokenError(CollectiveError):
    """The team lost a round earlier (timeout, lost peer, interrupt); it cannot go on."""


class GroupError(RedcollError, LookupError):
    """Base of the errors that the state of a dynamic group gives rise to."""


class NoGroupError(GroupError):
    """There is no such group, or no longer: it was frozen and a member has left it."""


class NotInGroupError(GroupError):
    """A PE that would have to be in the group, or to stay in it, is not or did not."""


class NoInstanceError(GroupError):
    """The group has no member of this instance number."""


class AlreadyInGroupError(GroupError):
    """The caller is a member already, or the group is frozen already."""


class GroupLimitError(GroupError):
    """More groups than ``REDCOLL_MAX_GROUPS`` would have to live at once."""
