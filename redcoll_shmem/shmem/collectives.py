"""Barriers, copies and reductions of all PEs, or of a team.

Collective over the team, whose members must pass equal arguments where nothing else is
said. Arrays are symmetric and contiguous; ``size`` counts elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from redcoll import collectives as core
from redcoll.collectives.allreduce import perform, prepare_call
from redcoll.collectives.alltoall import span
from redcoll.errors import ArgumentError, StateError
from redcoll.ops import OpLike, as_op
from redcoll.protocol.descriptor import (
    ALLREDUCE,
    ALLTOALL,
    BARRIER,
    BROADCAST,
    COLLECT,
    FCOLLECT,
    pack,
)
from redcoll.team import Team as CoreTeam
from redcoll_shmem._arguments import integer, refuse, vector, writable
from redcoll_shmem._outermost import outermost
from redcoll_shmem._reducing import operands
from redcoll_shmem.shmem._checks import Array, elements, require_pair, room
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


def barrier_all() -> None:
    """Return when all PEs have called, and all puts before are complete."""
    core.barrier()


def sync_all() -> None:
    """Return when all PEs have called."""
    core.barrier()


@outermost
def sync(team: Team | None = None) -> None:
    """Return when all members of the team have called."""
    _run("sync", BARRIER, team, lambda group: partial(core.barrier, team=group))


def _run(
    routine: str,
    collective: int,
    team: Team | None,
    prepare: Callable[[CoreTeam], Callable[[], object]],
) -> None:
    """Check a call, whose arguments but the team ``prepare`` checks, and make it."""
    try:
        group = members(team)
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
    with group.checking(collective, routine):
        call = prepare(group)
    call()


def _nothing(group: CoreTeam, collective: int) -> Callable[[], object]:
    """A round that shows who has passed another count than 0."""
    return partial(group.round, pack(collective))


@outermost
def broadcast(
    target: Array, source: Array, root: int, size: int | None = None, team: Team | None = None
) -> None:
    """Copy the source of one member to the targets of all, its own too.

    Parameters
    ----------
    target
        Symmetric; the same elements as ``source``, or disjoint from them.
    source
        Symmetric; its elements matter on the root alone.
    root
        Number of the member in the team.
    size
        Elements to copy; as many as both arrays have, unless given.
    """

    def prepare(group: CoreTeam) -> Callable[[], object]:
        to, of = require_pair(target, source)
        count = elements(size, target=to.size, source=of.size)
        index = integer(root, "root", 0, group.size - 1)
        writable(to, "target")
        to, of = vector(to, count, "target", "size"), vector(of, count, "source", "size")
        if count == 0:
            return _nothing(group, BROADCAST)
        return partial(core.broadcast, to, of, index, team=group)

    _run("broadcast", BROADCAST, team, prepare)


@outermost
def collect(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Put the sources of all members one after the other into the target of each.

    Parameters
    ----------
    target
        Symmetric, with room for all.
    source
        Symmetric; disjoint from what is written of ``target``.
    size
        Elements of ``source`` to copy, which may differ between members; all of them,
        unless given.
    """

    def prepare(group: CoreTeam) -> Callable[[], object]:
        to, of = require_pair(target, source)
        count = elements(size, source=of.size)
        if count > to.size:
            raise CountError(f"size is {count}; target has room for {to.size}")
        writable(to, "target")
        to = vector(to, to.size, "target", "size")
        of = vector(of, count, "source", "size")
        return partial(core.collect, to, of, team=group)

    _run("collect", COLLECT, team, prepare)


@outermost
def fcollect(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """As :func:`collect`, with the same ``size`` on all members."""

    def prepare(group: CoreTeam) -> Callable[[], object]:
        to, of = require_pair(target, source)
        count = elements(size, source=of.size)
        total = count * group.size
        if total > to.size:
            raise CountError(
                f"size is {count}, {total} elements from all members; target has room for {to.size}"
            )
        writable(to, "target")
        to, of = vector(to, total, "target", "size"), vector(of, count, "source", "size")
        if count == 0:
            return _nothing(group, FCOLLECT)
        return partial(core.fcollect, to, of, team=group)

    _run("fcollect", FCOLLECT, team, prepare)


@outermost
def alltoall(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Block i of member j's target is block j of member i's source.

    Parameters
    ----------
    target, source
        Symmetric and disjoint.
    size
        Elements of a block; as many as both arrays have room for, unless given.
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
    """As :func:`alltoall`, with strides.

    Parameters
    ----------
    tst, sst
        Distance between one element of target, or source, and the next; 1 if side by side.
    """
    _run("alltoalls", ALLTOALL, team, _exchange(target, source, tst, sst, size))


def _exchange(
    target: Array, source: Array, tst: int, sst: int, size: int | None
) -> Callable[[CoreTeam], Callable[[], object]]:
    """What prepares :func:`alltoall`; in its strided form, too."""

    def prepare(group: CoreTeam) -> Callable[[], object]:
        to, of = require_pair(target, source)
        to_step, of_step = integer(tst, "tst", 1), integer(sst, "sst", 1)
        rooms = {"target": room(to, to_step), "source": room(of, of_step)}
        if size is None and (least := min(rooms.values())) % group.size:
            raise CountError(
                f"target and source have room for {least} elements; without size it must be a "
                f"multiple of the {group.size} members"
            )
        count = elements(size, **{name: each // group.size for name, each in rooms.items()})
        writable(to, "target")
        to = vector(to, span(group.size, count, to_step), "target", "size")
        of = vector(of, span(group.size, count, of_step), "source", "size")
        if count == 0:
            return _nothing(group, ALLTOALL)
        return partial(core.alltoall, to, of, count, to_step, of_step, team=group)

    return prepare


@outermost
def reduce(
    target: Array,
    source: Array,
    op: OpLike = OP.SUM,
    size: int | None = None,
    team: Team | None = None,
) -> None:
    """Reduce the sources of all members, element by element, into the target of each.

    The result is the left fold in the order of the members, the same bits on all.

    Parameters
    ----------
    target
        Symmetric; the same elements as ``source``, or disjoint from them.
    source
        Symmetric.
    op
        A member of ``OP``, or any name of an operation; also an operation of redcoll or of
        MPI, a binary ufunc, or a callable on two arrays.
    size
        Elements to reduce; as many as both arrays have, unless given.
    """
    _reduce("reduce", target, source, op, size, team)


def _reduce(
    routine: str, target: Any, source: Any, op: object, size: int | None, team: Team | None
) -> None:
    def prepare(group: CoreTeam) -> Callable[[], object]:
        operation = as_op(op)
        to, of = require_pair(target, source)
        count = elements(size, target=to.size, source=of.size)
        to, of = operands(None, to, of, count, "size")
        # What the core refuses it tells the other members itself.
        return lambda: perform(group, prepare_call(group, to, of, operation), to, of)

    _run(routine, ALLREDUCE, team, prepare)


@outermost
def and_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Bitwise AND over the team; otherwise as :func:`reduce`."""
    _reduce("and_reduce", target, source, OP.AND, size, team)


@outermost
def or_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Bitwise OR over the team; otherwise as :func:`reduce`."""
    _reduce("or_reduce", target, source, OP.OR, size, team)


@outermost
def xor_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Bitwise exclusive OR over the team; otherwise as :func:`reduce`."""
    _reduce("xor_reduce", target, source, OP.XOR, size, team)


@outermost
def max_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Maximum over the team; otherwise as :func:`reduce`."""
    _reduce("max_reduce", target, source, OP.MAX, size, team)


@outermost
def min_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Minimum over the team; otherwise as :func:`reduce`."""
    _reduce("min_reduce", target, source, OP.MIN, size, team)


@outermost
def sum_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Sum over the team; otherwise as :func:`reduce`."""
    _reduce("sum_reduce", target, source, OP.SUM, size, team)


@outermost
def prod_reduce(
    target: Array, source: Array, size: int | None = None, team: Team | None = None
) -> None:
    """Product over the team; otherwise as :func:`reduce`."""
    _reduce("prod_reduce", target, source, OP.PROD, size, team)
