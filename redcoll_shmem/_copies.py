"""Implement collective copies. The routines on active sets and on teams use them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from redcoll.arguments import Array
from redcoll.collectives.alltoall import alltoall, span
from redcoll.collectives.broadcast import broadcast
from redcoll.collectives.collect import collect, fcollect
from redcoll.protocol.descriptor import ALLTOALL, BROADCAST, COLLECT, FCOLLECT
from redcoll.team import Team
from redcoll_shmem._arguments import integer, is_zero
from redcoll_shmem._calls import Call, empty_call
from redcoll_shmem._docs import NO_ELEMENTS

Vector = Callable[[Any, int | None, str], Array]
"""A function of an array, a count and the array's name. It checks the array, and returns the first
``count`` elements. If the count is None, it returns all elements."""


def _broadcast(
    vector: Vector, team: Team, arrays: tuple[Any, Any], count: int, PE_root: Any, *, to_root: bool
) -> Call:
    to, of = vector(arrays[0], count, "target"), vector(arrays[1], count, "source")
    root = integer(PE_root, "PE_root", 0, team.size - 1)
    return partial(broadcast, to, of, root, to_root=to_root, team=team)


def _fcollect(vector: Vector, team: Team, arrays: tuple[Any, Any], count: int) -> Call:
    to = vector(arrays[0], count * team.size, "target")
    return partial(fcollect, to, vector(arrays[1], count, "source"), team=team)


def _collect(vector: Vector, team: Team, arrays: tuple[Any, Any], count: int) -> Call:
    to = vector(arrays[0], None, "target")
    # A member that contributes no elements still takes part, with an empty source.
    of = to[:0] if count == 0 else vector(arrays[1], count, "source")
    return partial(collect, to, of, team=team)


def _alltoall(
    vector: Vector, team: Team, arrays: tuple[Any, Any], count: int, dst: Any = 1, sst: Any = 1
) -> Call:
    steps = integer(dst, "dst", 1), integer(sst, "sst", 1)
    to = vector(arrays[0], span(team.size, count, steps[0]), "target")
    of = vector(arrays[1], span(team.size, count, steps[1]), "source")
    return partial(alltoall, to, of, count, *steps, team=team)


class Verb(NamedTuple):
    """A kind of collective copy."""

    collective: int
    prepare: Callable[..., Call]
    """The function that checks arguments and returns the call. Its arguments are a :data:`Vector`,
    the team, both arrays, the count, and the routine's other arguments."""
    size_name: str
    """The name of the constant for the length of ``pSync``."""
    numbers: tuple[str, ...]
    """The names of the parameters after the arrays: strides, the count, a root."""
    summary: str
    target: str
    source: str
    counts: str

    def call(
        self, vector: Vector, team: Team, arrays: tuple[Any, Any], nelems: Any, *others: Any
    ) -> Call:
        """Check the arguments; return the call."""
        if self.is_empty(nelems):
            return empty_call(team, self.collective)
        return self.prepare(vector, team, arrays, integer(nelems, "nelems"), *others)

    def is_empty(self, nelems: Any) -> bool:
        """Return whether the call copies no elements at all.

        For a collect the result is False, because other members can pass other counts.
        """
        return self.collective != COLLECT and is_zero(nelems)

    def parameters(self, unit: str, of: str, root: str) -> str:
        """Return the docstring's entries for the arrays, the count and the other parameters."""
        zero = (
            " The number can differ between members. With 0 the source can be None."
            if self.collective == COLLECT
            else NO_ELEMENTS
        )
        return (
            f"target : ndarray{of}\n    Contiguous symmetric array of {self.target}.\n"
            f"source : ndarray{of}\n    Contiguous symmetric array of {self.source}.\n"
            "    The program can change the source after the call.\n"
            f"{_STEPS if 'dst' in self.numbers else ''}"
            f"nelems : int\n    Number of {unit} {self.counts}.\n   {zero}\n"
            f"{root if 'PE_root' in self.numbers else ''}"
        )

    @property
    def equals(self) -> str:
        """The docstring's words for an argument that can differ between members."""
        return " except ``nelems``" if self.collective == COLLECT else ""


_STEPS = """dst, sst : int
    Distances between consecutive elements of target and of source. 1 means contiguous elements.
"""

_ALL_TO_ALL = "Copy block j of member i's source to block i of member j's target"

VERBS = {
    "broadcast": Verb(
        BROADCAST,
        partial(_broadcast, to_root=True),
        "SHMEM_BCAST_SYNC_SIZE",
        ("nelems", "PE_root"),
        "Copy the source of one member to the targets of all members, including the root.",
        "``nelems`` elements",
        "``nelems`` elements; the same array as ``target``, or disjoint from it",
        "to copy",
    ),
    "collect": Verb(
        COLLECT,
        _collect,
        "SHMEM_COLLECT_SYNC_SIZE",
        ("nelems",),
        "Copy the sources of all members, one after the other, to every member.",
        "as many elements as all members contribute",
        "``nelems`` elements, disjoint from the part of ``target`` that is written",
        "that the calling PE contributes",
    ),
    "fcollect": Verb(
        FCOLLECT,
        _fcollect,
        "SHMEM_COLLECT_SYNC_SIZE",
        ("nelems",),
        "Copy the sources of all members, one after the other, to every member.",
        "``nelems`` elements for each member",
        "``nelems`` elements, disjoint from ``target``",
        "that each member contributes",
    ),
    "alltoall": Verb(
        ALLTOALL,
        _alltoall,
        "SHMEM_ALLTOALL_SYNC_SIZE",
        ("nelems",),
        f"{_ALL_TO_ALL}.",
        "``nelems`` elements for each member",
        "``nelems`` elements for each member, disjoint from ``target``",
        "in a block",
    ),
    "alltoalls": Verb(
        ALLTOALL,
        _alltoall,
        "SHMEM_ALLTOALLS_SYNC_SIZE",
        ("dst", "sst", "nelems"),
        f"{_ALL_TO_ALL}, with strides.",
        "``(nelems * members - 1) * dst + 1`` elements",
        "``(nelems * members - 1) * sst + 1`` elements, disjoint from ``target``",
        "in a block",
    ),
}

TO_OTHERS = VERBS["broadcast"]._replace(
    prepare=partial(_broadcast, to_root=False),
    summary="Copy the source of one member to the targets of all other members.",
    target="``nelems`` elements, which stay unchanged on the root",
)
"""The broadcast of active sets, which leaves the root's target unchanged."""
