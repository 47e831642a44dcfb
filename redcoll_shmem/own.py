"""Define reductions that OpenSHMEM does not have.

They reduce arrays of any type, reduce to one PE, compute exact sums, or reduce several values at
once. The names start with ``redcoll_``, to distinguish them from names of the standard. Like the
standard's routines for teams, most of these routines return 0. Only the exact sums, and the
reductions of several values, return their result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redcoll.arguments import Array, integer
from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.exact import exact_dot, exact_sum
from redcoll.collectives.many import allreduce_many, reduce_many
from redcoll.collectives.scan import exscan, scan
from redcoll.op_lookup import OpLike
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, REDUCE, REDUCE_MANY, SCAN
from redcoll.team import Team
from redcoll_shmem._arguments import sync, team_of
from redcoll_shmem._calls import Call, checked_call, outermost
from redcoll_shmem._handles import core_of, shmem_team_t
from redcoll_shmem._reducing import to_all_call, to_one_call

__all__ = [
    "redcoll_allreduce",
    "redcoll_allreduce_many",
    "redcoll_exact_dot",
    "redcoll_exact_sum",
    "redcoll_exscan",
    "redcoll_inscan",
    "redcoll_reduce",
    "redcoll_reduce_many",
    "redcoll_to_all",
    "redcoll_to_one",
]


@outermost
def redcoll_allreduce(
    team: shmem_team_t, target: Array | None, source: Array | None, nreduce: int, op: OpLike
) -> int:
    """Reduce on a team. Every member gets the result.

    Collective over the team, whose members must pass equal arguments.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    target
        Contiguous symmetric array of the type of ``source``. It must be the same array as
        ``source``, or disjoint from ``source``.
    source
        Contiguous symmetric array of at least ``nreduce`` elements of any type that redcoll takes.
        The program can change the array after the call.
    nreduce
        Number of elements to reduce. With 0 the call ignores the arrays, and they can be None.
    op
        An operation of redcoll or of MPI, the name of an operation, a binary ufunc, or a function
        of two arrays (see ``redcoll.user_op``).

    Returns
    -------
    int
        0.

    Raises
    ------
    ArgumentError
        An argument is wrong, or the team is ``SHMEM_TEAM_INVALID``. The error can be a
        ``DatatypeError``, ``OpError``, ``SymmetryError`` or ``OverlapError``. The other members get
        ``CollectiveMismatchError``.
    StateError
        The team has been destroyed, or the memory of an array has been freed.
    CollectiveMismatchError
        Members passed different counts, types, operations or roots. All members raise this error.
    RemoteOpError
        The program's function ``op`` raised an exception on another member.
    PeerLostError, CollectiveTimeoutError, TeamBrokenError
        A member has left, has died or is late; or an earlier call broke the team.
    """
    return _on_team("redcoll_allreduce", team, ALLREDUCE, allreduce, target, source, nreduce, op)


@outermost
def redcoll_inscan(
    team: shmem_team_t, target: Array | None, source: Array | None, nreduce: int, op: OpLike
) -> int:
    """Reduce on a team. Member i gets the result for the sources of members 0 to i.

    Arguments and errors are those of :func:`redcoll_allreduce`. On one node, if the vectors have at
    most 8 bytes, a member may get a mismatch with higher members in a later call.
    """
    return _on_team("redcoll_inscan", team, SCAN, scan, target, source, nreduce, op)


@outermost
def redcoll_exscan(
    team: shmem_team_t, target: Array | None, source: Array | None, nreduce: int, op: OpLike
) -> int:
    """Reduce on a team. Member i gets the result for the sources of members 0 to i - 1.

    The target of member 0 stays unchanged. Arguments and errors are those of
    :func:`redcoll_inscan`.
    """
    return _on_team("redcoll_exscan", team, EXSCAN, exscan, target, source, nreduce, op)


def _on_team(routine: str, team: Any, collective: int, call: Any, *given: Any) -> int:
    target, source, nreduce, op = given

    def prepare(core: Team) -> Call:
        return to_all_call(core, collective, call, None, (target, source), nreduce, op)

    checked_call(routine, collective, core_of(routine, team), prepare)
    return 0


@outermost
def redcoll_reduce(
    team: shmem_team_t,
    target: Array | None,
    source: Array | None,
    nreduce: int,
    op: OpLike,
    PE_root: int,
) -> int:
    """Reduce on a team. One member gets the result.

    ``PE_root`` is the number of that member in the team. On other members the target can be None,
    and stays unchanged. The other arguments and the errors are those of :func:`redcoll_allreduce`.
    If the vectors have at most 8 bytes, or at most 16 KiB on several nodes, members other than the
    root may get a mismatch in a later call.
    """
    name = "redcoll_reduce"

    def prepare(core: Team) -> Call:
        return to_one_call(core, (target, source), nreduce, op, PE_root)

    checked_call(name, REDUCE, core_of(name, team), prepare)
    return 0


@outermost
def redcoll_to_all(
    target: Array | None,
    source: Array | None,
    nreduce: int,
    op: OpLike,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: Array,
) -> int:
    """Reduce on an active set. Every member gets the result.

    The active set and ``pSync`` are those of ``shmem_double_sum_to_all``. The other arguments and
    the errors are those of :func:`redcoll_allreduce`. A wrong active set raises ``ActiveSetError``.
    """
    name = "redcoll_to_all"

    def prepare(core: Team) -> Call:
        sync(pSync, "SHMEM_REDUCE_SYNC_SIZE")
        return to_all_call(core, ALLREDUCE, allreduce, None, (target, source), nreduce, op)

    checked_call(name, ALLREDUCE, team_of(name, PE_start, logPE_stride, PE_size), prepare)
    return 0


@outermost
def redcoll_to_one(
    target: Array | None,
    source: Array | None,
    nreduce: int,
    op: OpLike,
    PE_root: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: Array,
) -> int:
    """Reduce on an active set. One member gets the result.

    ``PE_root`` is that member's index in the set. The other arguments are those of
    :func:`redcoll_to_all` and :func:`redcoll_reduce`. Errors are those of these two functions.
    """
    name = "redcoll_to_one"

    def prepare(core: Team) -> Call:
        sync(pSync, "SHMEM_REDUCE_SYNC_SIZE")
        return to_one_call(core, (target, source), nreduce, op, PE_root)

    checked_call(name, REDUCE, team_of(name, PE_start, logPE_stride, PE_size), prepare)
    return 0


@outermost
def redcoll_exact_sum(team: shmem_team_t, x: Any, axis: int | Sequence[int] | None = None) -> Any:
    """Return the correctly rounded sum of the elements of ``x``, over all members of a team.

    Collective over the team. The arrays need not be symmetric, and can have different lengths on
    different PEs.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    x, axis
        The arguments of :func:`redcoll.exact_sum`, which has the same result and raises the same
        errors.
    """
    return exact_sum(x, axis, team=core_of("redcoll_exact_sum", team))


@outermost
def redcoll_exact_dot(team: shmem_team_t, a: Any, b: Any) -> Any:
    """Return the correctly rounded sum of the products ``a[i] * b[i]``, over all members of a team.

    Collective over the team. The arrays need not be symmetric, and can have different lengths on
    different PEs.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    a, b
        The arguments of :func:`redcoll.exact_dot`, which has the same result and raises the same
        errors.
    """
    return exact_dot(a, b, team=core_of("redcoll_exact_dot", team))


@outermost
def redcoll_allreduce_many(team: shmem_team_t, values: Any, op: Any) -> Any:
    """Reduce several arrays and numbers at once. Every member of the team gets all results.

    Collective over the team. The arrays need not be symmetric.

    Parameters
    ----------
    team
        A team that contains the calling PE.
    values, op
        The arguments of :func:`redcoll.allreduce_many`, which has the same result and raises the
        same errors.
    """
    return allreduce_many(values, op, team=core_of("redcoll_allreduce_many", team))


@outermost
def redcoll_reduce_many(team: shmem_team_t, values: Any, op: Any, PE_root: int) -> Any:
    """Reduce several arrays and numbers at once. One member gets the results; others get None.

    ``PE_root`` is that member's number in the team. The other arguments and the errors are those of
    :func:`redcoll_allreduce_many`.
    """
    name = "redcoll_reduce_many"
    core = core_of(name, team)
    with core.checking(REDUCE_MANY, name):
        root = integer(PE_root, "PE_root", 0, core.size - 1)
    return reduce_many(values, op, root, team=core)
