"""Collective copies on teams (OpenSHMEM 1.5, section 9.10): by type, and of plain bytes.

``shmem_TYPE_broadcast`` and so on for the types of put and get, ``shmem_broadcast`` for
whatever type the arrays have (C11's generic form), ``shmem_broadcastmem`` for bytes of
anything. All return 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from redcoll.collectives.alltoall import alltoall, span
from redcoll.collectives.broadcast import broadcast
from redcoll.collectives.collect import collect, fcollect
from redcoll.protocol.descriptor import ALLTOALL, BROADCAST, COLLECT, FCOLLECT
from redcoll.team import Team
from redcoll_shmem._arguments import integer
from redcoll_shmem._outermost import outermost
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._team_calls import ERRORS, TEAM, elements, run
from redcoll_shmem._types import C_TYPES, RMA_TYPES

Array = NDArray[Any]
Routine = Callable[..., int]

BYTES = "mem"
"""Stands for a type where a routine takes bytes of anything."""

_DOC = """{summary}

Collective over the team, whose members must pass equal arguments{but}.

Parameters
----------
team : shmem_team_t
    A team that the caller is in.
target : ndarray{of}
    Symmetric, contiguous; {target}.
source : ndarray{of}
    Symmetric, contiguous; {source}. It may be reused on return.
{steps}nelems : int
    {unit} {counts}.{zero}
{root}
Returns
-------
int
    0.

{errors}"""

_ROOT = """PE_root : int
    Number in the team of the PE whose source it is.
"""
_STEPS = """dst, sst : int
    Distance between one element of target, or source, and the next; 1 if side by side.
"""
_ZERO = " With 0 no array is looked at; they may be None."
_MAY_DIFFER = " It may differ between members; with 0 the source may be None."


class _Kind:
    """What the elements of a routine are."""

    def __init__(self, type_name: str | None) -> None:
        self.type_name = type_name
        self.as_bytes = type_name == BYTES
        self.dtype = C_TYPES[type_name] if type_name and not self.as_bytes else None

    def name(self, verb: str) -> str:
        """Name of a routine."""
        if self.as_bytes:
            return f"shmem_{verb}mem"
        return f"shmem_{self.type_name}_{verb}" if self.type_name else f"shmem_{verb}"

    def __call__(self, array: Any, count: int | None, name: str) -> Array:
        return elements(array, self.dtype, count, name, as_bytes=self.as_bytes)

    def doc(self, **parts: str) -> str:
        """The docstring of a routine."""
        more = {"but": "", "steps": "", "root": "", "zero": _ZERO, **parts}
        of = f" of {self.dtype}" if self.dtype is not None else ""
        unit = "Bytes" if self.as_bytes else "Elements"
        return _DOC.format(of=of, unit=unit, errors=ERRORS, **more)


_ARRAYS = {"team": TEAM, "target": "Array | None", "source": "Array | None"}


def _broadcast(kind: _Kind) -> Routine:
    name = kind.name("broadcast")

    def routine(team: Any, target: Any, source: Any, nelems: int, PE_root: int) -> int:
        def prepare(core: Team, count: int) -> Callable[[], object]:
            to, of = kind(target, count, "target"), kind(source, count, "source")
            root = integer(PE_root, "PE_root", 0, core.size - 1)
            return partial(broadcast, to, of, root, team=core)

        return run(name, BROADCAST, team, nelems, prepare)

    doc = kind.doc(
        summary="Copy the source of one member to the targets of all, its own included.",
        target="``nelems`` elements",
        source="``nelems`` elements; the same as ``target``, or disjoint from it",
        counts="to copy",
        root=_ROOT,
    )
    shown = signature({**_ARRAYS, "nelems": "int", "PE_root": "int"}, "int")
    return publish(outermost(routine), name, shown, doc)


def _fcollect(kind: _Kind) -> Routine:
    name = kind.name("fcollect")

    def routine(team: Any, target: Any, source: Any, nelems: int) -> int:
        def prepare(core: Team, count: int) -> Callable[[], object]:
            to = kind(target, count * core.size, "target")
            return partial(fcollect, to, kind(source, count, "source"), team=core)

        return run(name, FCOLLECT, team, nelems, prepare)

    doc = kind.doc(
        summary="The sources of all members one after the other, on every member.",
        target="``nelems`` elements for each member",
        source="``nelems`` elements, disjoint from ``target``",
        counts="of each member",
    )
    return publish(outermost(routine), name, signature({**_ARRAYS, "nelems": "int"}, "int"), doc)


def _collect(kind: _Kind) -> Routine:
    name = kind.name("collect")

    def routine(team: Any, target: Any, source: Any, nelems: int) -> int:
        def prepare(core: Team, count: int) -> Callable[[], object]:
            to = kind(target, None, "target")
            of = to[:0] if count == 0 else kind(source, count, "source")
            return partial(collect, to, of, team=core)

        return run(name, COLLECT, team, nelems, prepare)

    doc = kind.doc(
        summary="The sources of all members one after the other, on every member.",
        but=" but for ``nelems``",
        target="as many elements as all members contribute",
        source="``nelems`` elements, disjoint from what is written of ``target``",
        counts="of the caller",
        zero=_MAY_DIFFER,
    )
    shown = {**_ARRAYS, "target": "Array", "nelems": "int"}
    return publish(outermost(routine), name, signature(shown, "int"), doc)


def _exchange(
    kind: _Kind, target: Any, source: Any, dst: Any, sst: Any
) -> Callable[[Team, int], Callable[[], object]]:
    """The checks of both forms of alltoall."""

    def prepare(core: Team, count: int) -> Callable[[], object]:
        steps = integer(dst, "dst", 1), integer(sst, "sst", 1)
        to = kind(target, span(core.size, count, steps[0]), "target")
        of = kind(source, span(core.size, count, steps[1]), "source")
        return partial(alltoall, to, of, count, *steps, team=core)

    return prepare


def _alltoall(kind: _Kind) -> Routine:
    name = kind.name("alltoall")

    def routine(team: Any, target: Any, source: Any, nelems: int) -> int:
        return run(name, ALLTOALL, team, nelems, _exchange(kind, target, source, 1, 1))

    doc = kind.doc(
        summary="Block i of member j's target is block j of member i's source.",
        target="``nelems`` elements for each member",
        source="``nelems`` elements for each member, disjoint from ``target``",
        counts="in a block",
    )
    return publish(outermost(routine), name, signature({**_ARRAYS, "nelems": "int"}, "int"), doc)


def _alltoalls(kind: _Kind) -> Routine:
    name = kind.name("alltoalls")

    def routine(team: Any, target: Any, source: Any, dst: int, sst: int, nelems: int) -> int:
        return run(name, ALLTOALL, team, nelems, _exchange(kind, target, source, dst, sst))

    doc = kind.doc(
        summary="Block i of member j's target is block j of member i's source; with strides.",
        target="``(nelems * members - 1) * dst + 1`` elements",
        source="``(nelems * members - 1) * sst + 1`` elements, disjoint from ``target``",
        steps=_STEPS,
        counts="in a block",
    )
    shown = signature({**_ARRAYS, "dst": "int", "sst": "int", "nelems": "int"}, "int")
    return publish(outermost(routine), name, shown, doc)


ROUTINES = Routines(
    {
        kind.name(verb): partial(make, kind)
        for verb, make in (
            ("broadcast", _broadcast),
            ("collect", _collect),
            ("fcollect", _fcollect),
            ("alltoall", _alltoall),
            ("alltoalls", _alltoalls),
        )
        for kind in map(_Kind, (*RMA_TYPES, None, BYTES))
    }
)
