"""Test that `typing.get_type_hints` resolves the types of the public routines."""

from __future__ import annotations

import inspect
import typing

import pytest

import redcoll
import redcoll_pvm
import redcoll_shmem
from redcoll import MPI
from redcoll_shmem import shmem


def routines(module, names):
    """Yield the name and the function of each public function and method of a module."""
    for name in names:
        found = getattr(module, name)
        if not inspect.isclass(found):
            yield name, found
            continue
        for parent in found.__mro__:
            for attribute, member in vars(parent).items():
                if not attribute.startswith("_"):
                    yield f"{name}.{attribute}", plain(member)


def plain(member):
    """Return the function of a method or property."""
    if isinstance(member, staticmethod | classmethod):
        return member.__func__
    return member.fget if isinstance(member, property) else member


@pytest.mark.parametrize(
    ("module", "names", "least"),
    [
        (redcoll, redcoll.__all__, 45),
        (redcoll_pvm, redcoll_pvm.__all__, 85),
        (redcoll_shmem, redcoll_shmem.__all__, 1900),
        (shmem, shmem.__all__, 110),
        (MPI, dir(MPI), 130),
    ],
    ids=["redcoll", "redcoll_pvm", "redcoll_shmem", "shmem4py", "redcoll.MPI"],
)
def test_every_public_routine_has_types(module, names, least):
    seen = 0
    for name, routine in routines(module, names):
        if not inspect.isfunction(routine) or not routine.__module__.startswith("redcoll"):
            continue
        hints = typing.get_type_hints(routine)
        assert set(inspect.signature(routine).parameters) - {"self", "cls"} < set(hints), name
        assert "return" in hints, name
        seen += 1
    assert seen >= least


def test_types_of_fortrans_names_are_those_of_the_calls():
    hints = typing.get_type_hints(redcoll_pvm.pvmfgettid)
    assert hints == {
        "group": str,
        "inum": int,
        "tid": redcoll_pvm.fortran.OutParameter,
        "return": int,
    }
    assert typing.get_type_hints(shmem.Team.create_ctx)["return"] is shmem.Ctx
