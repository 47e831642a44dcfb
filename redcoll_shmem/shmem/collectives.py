"""Define barriers, collective copies and reductions of all PEs or of a team.

All calls are collective over the team. The members of the team must pass equal arguments, unless a
docstring says otherwise. Arrays must be symmetric and contiguous. ``size`` counts elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from redcoll.arguments import Array
from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.barrier import barrier
from redcoll.errors import ArgumentError, StateError
from redcoll.op_lookup import OpLike, as_op
from redcoll.protocol.descriptor import ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, COLLECT, FCOLLECT
from redcoll.team import Team as CoreTeam
from redcoll_shmem._arguments import integer, refuse, vector, writable
from redcoll_shmem._calls import Call, checked_call, empty_call, outermost
from redcoll_shmem._copies import VERBS
from redcoll_shmem._reducing import operands
from redcoll_shmem.barriers import shmem_barrier_all as barrier_all
from redcoll_shmem.barriers import shmem_sync_all as sync_all
from redcoll_shmem.shmem._checks import elements, require_pair, room
from redcoll_shmem.shmem._errors import CountError
from redcoll_shmem.shmem.constants import OP
from redcoll_shmem.shmem.teams import Team, members

__all__ = [
    "alltoall",
    "alltoalls",
    "and_reduce",
    "barrier_all",
    "broadcast",
    "collect",
    "fcollect",
    "max_reduce",
    "min_reduce",
    "or_reduce",
    "prod_reduce",
    "reduce",
    "sum_reduce",
    "sync",
    "sync_all",
    "xor_reduce",
]


@outermost
def sync(team: Team | None = None) -> None:
    """Wait until all members of the team have arrived."""
    _run("sync", BARRIER, team, lambda group: partial(barrier, team=group))


def _run(
    routine: str, collective: int, team: Team | None, prepare: Callable[[CoreTeam], Call]
) -> None:
    try:
        group = members(team)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
    checked_call(routine, collective, group, prepare)


def _vector(array: Array, count: int | None, name: str) -> Array:
    if name == "target":
        writable(array, name)
    return vector(array, array.size if count is None else count, name, "size")


def _copy(
    verb: str, group: CoreTeam, target: Array, source: Array, count: int, *others: int
) -> Call:
    row = VERBS[verb]
    call = row.prepare(_vector, group, (target, source), count, *others)
    return empty_call(group, row.collective) if row.is_empty(count) else call


@outermost
def broadcast(
    target: Array, source: Array, root: int, size: int | None = None, team: Team | None = None
) -> None:
    """Copy the source of one member to the targets of all members, including the root.

    Parameters
    ----------
    target
        Symmetric array, the same as ``source`` or disjoint from it.
    source
        Symmetric array. Only the root's source is read.
    root
        Number of the root in the team.
    size
        Number of elements to copy (default: the length of the shorter array).
    """

    def prepare(group: CoreTeam) -> Call:
        to, of = require_pair(target, source)
        count = elements(size, target=to.size, source=of.size)
        index = integer(root, "root", 0, group.size - 1)
        return _copy("broadcast", group, to, of, count, index)

    _run("broadcast", BROADCAST, team, prepare)


@outermost
def collect(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Copy the sources of all members, one after the other, to every member.

    Parameters
    ----------
    target
        Symmetric array with room for the elements of all members.
    source
        Symmetric array, disjoint from the part of ``target`` that is written.
    size
        Number of elements of ``source`` to copy (default: all). The number can differ between
        members.
    """

    def prepare(group: CoreTeam) -> Call:
        to, of = require_pair(target, source)
        count = elements(size, source=of.size)
        if count > to.size:
            raise CountError(f"size is {count}; target has room for {to.size}")
        return _copy("collect", group, to, of, count)

    _run("collect", COLLECT, team, prepare)


@outermost
def fcollect(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Copy as :func:`collect` does, with the same ``size`` on all members."""

    def prepare(group: CoreTeam) -> Call:
        to, of = require_pair(target, source)
        count = elements(size, source=of.size)
        total = count * group.size
        if total > to.size:
            raise CountError(
                f"size is {count}, {total} elements from all members; target has room for {to.size}"
            )
        return _copy("fcollect", group, to, of, count)

    _run("fcollect", FCOLLECT, team, prepare)


@outermost
def alltoall(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Copy block j of member i's source to block i of member j's target.

    Parameters
    ----------
    target, source
        Disjoint symmetric arrays.
    size
        Number of elements of a block (default: the largest number for which both arrays have room).
    """
    _run("alltoall", ALLTOALL, team, _exchange(target, source, 1, 1, size))


@outermost
def alltoalls(
    target: Array,
    source: Array,
    tst: int = 1,
    sst: int = 1,
    size: int | None = None,
    team: Team | None = None,
) -> None:
    """Copy as :func:`alltoall` does, with strides.

    Parameters
    ----------
    tst, sst
        Distances between consecutive elements of target and of source. 1 means contiguous elements.
    """
    _run("alltoalls", ALLTOALL, team, _exchange(target, source, tst, sst, size))


def _exchange(
    target: Array, source: Array, tst: int, sst: int, size: int | None
) -> Callable[[CoreTeam], Call]:
    """Return the function that checks the arguments of :func:`alltoall` or :func:`alltoalls`."""

    def prepare(group: CoreTeam) -> Call:
        to, of = require_pair(target, source)
        to_step, of_step = integer(tst, "tst", 1), integer(sst, "sst", 1)
        rooms = {"target": room(to, to_step), "source": room(of, of_step)}
        if size is None and (least := min(rooms.values())) % group.size:
            raise CountError(
                f"target and source have room for {least} elements; without size it must be a "
                f"multiple of the {group.size} members"
            )
        count = elements(size, **{name: each // group.size for name, each in rooms.items()})
        return _copy("alltoalls", group, to, of, count, to_step, of_step)

    return prepare


@outermost
def reduce(
    target: Array,
    source: Array,
    op: OpLike = OP.SUM,
    size: int | None = None,
    team: Team | None = None,
) -> None:
    """Reduce the sources of all members, element by element, to the targets of all members.

    The result is the left fold in team order, with the same bits on all members.

    Parameters
    ----------
    target
        Symmetric array, the same as ``source`` or disjoint from it.
    source
        Symmetric array.
    op
        A member of ``OP``, the name of any operation, an operation of redcoll or of MPI, a
        binary ufunc, or a callable that takes two arrays.
    size
        Number of elements to reduce (default: the length of the shorter array).
    """
    _reduce("reduce", target, source, op, size, team)


def _reduce(
    routine: str, target: Any, source: Any, op: object, size: int | None, team: Team | None
) -> None:
    def prepare(group: CoreTeam) -> Call:
        operation = as_op(op)
        to, of = require_pair(target, source)
        count = elements(size, target=to.size, source=of.size)
        to, of = operands(None, to, of, count, "size")
        return partial(allreduce, to, of, operation, team=group)

    _run(routine, ALLREDUCE, team, prepare)


@outermost
def and_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by bitwise AND."""
    _reduce("and_reduce", target, source, OP.AND, size, team)


@outermost
def or_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by bitwise OR."""
    _reduce("or_reduce", target, source, OP.OR, size, team)


@outermost
def xor_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by bitwise exclusive OR."""
    _reduce("xor_reduce", target, source, OP.XOR, size, team)


@outermost
def max_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by maximum."""
    _reduce("max_reduce", target, source, OP.MAX, size, team)


@outermost
def min_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by minimum."""
    _reduce("min_reduce", target, source, OP.MIN, size, team)


@outermost
def sum_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by sum."""
    _reduce("sum_reduce", target, source, OP.SUM, size, team)


@outermost
def prod_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Reduce as :func:`reduce` does, by product."""
    _reduce("prod_reduce", target, source, OP.PROD, size, team)
