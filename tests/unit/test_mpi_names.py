"""The MPI face has every name of mpi4py's, the same signatures, and a stub that says so."""

import abc
import inspect
import subprocess
import sys

import pytest
from mpi4py import MPI as theirs

from redcoll import MPI
from redcoll.MPI import _generate

CLASSES = (
    *("Comm", "Intracomm", "Intercomm", "Topocomm", "Cartcomm", "Graphcomm", "Distgraphcomm"),
    "Op",
)


def public(obj):
    return {name for name in dir(obj) if not name.startswith("_")}


def test_every_name_is_there():
    names = public(theirs)
    assert len(names) > 350
    assert names <= public(MPI)
    pairs = {"TWOREAL", "TWODOUBLE_PRECISION", "TWOINTEGER"}
    assert public(MPI) - names == pairs | {"install", "mpi4py_MPI"}
    assert sorted(MPI.__all__) == sorted(names)
    for name in names - _generate.own_names():
        assert getattr(MPI, name) is getattr(theirs, name)
    for name in _generate.own_names() & names:
        assert getattr(MPI, name) is not getattr(theirs, name)
    with pytest.raises(AttributeError):
        _ = MPI.Allreduce


@pytest.mark.parametrize("name", CLASSES)
def test_classes_stand_in_for_mpi4pys(name):
    ours, plain = getattr(MPI, name), getattr(theirs, name)
    assert issubclass(ours, plain)
    assert issubclass(plain, ours)
    assert ours.__module__ == "redcoll.MPI"
    assert public(plain) <= public(ours)
    assert ours.__doc__


def test_own_subclasses_may_be_abstract_and_are_no_mpi4pys():
    class Base(MPI.Intracomm, abc.ABC):
        @abc.abstractmethod
        def kind(self):
            pass

    class Mine(Base):
        def kind(self):
            return "mine"

    for _ in range(2):  # what is asked again is answered alike
        assert issubclass(Mine, MPI.Intracomm)
        assert isinstance(Mine(), MPI.Comm)
        assert isinstance(theirs.COMM_SELF, MPI.Comm)
        assert not isinstance(theirs.COMM_SELF, Base)
        assert not issubclass(theirs.Intracomm, Base)
        assert not issubclass(theirs.Intercomm, MPI.Intracomm)
    with pytest.raises(TypeError, match="abstract"):
        Base()


def test_methods_take_mpi4pys_arguments():
    # mpi4py's signatures are in the first lines of its docstrings.
    compared = 0
    for kind in CLASSES:
        for name in public(getattr(MPI, kind)):
            method = inspect.getattr_static(getattr(MPI, kind), name)
            original = getattr(getattr(theirs, kind), name, None)
            method = getattr(method, "__func__", method)
            if not inspect.isfunction(method) or original is None or hasattr(method, "__wrapped__"):
                continue
            first = original.__doc__.splitlines()[0]
            wanted = [word.split(":")[0].split("=")[0].strip() for word in arguments(first)]
            ours = [each for each in inspect.signature(method).parameters if each != "cls"]
            assert ours == [each for each in wanted if each not in ("cls", "/", "*")], first
            assert method.__doc__
            compared += 1
    assert compared > 40


def arguments(signature):
    """The parts between the parentheses, at commas that stand in no brackets."""
    depth, parts, start = 0, [], signature.index("(") + 1
    for at, character in enumerate(signature[start:], start):
        depth += (character in "([") - (character in ")]")
        if depth < 0 or (character == "," and depth == 0):
            parts.append(signature[start:at])
            start = at + 1
        if depth < 0:
            return [part for part in parts if part.strip()]
    raise AssertionError(signature)


def test_the_stub_is_up_to_date():
    assert _generate.main(["--check"]) == 0


def test_importing_redcoll_does_not_import_the_face():
    program = (
        "import sys, redcoll; print('mpi4py.MPI' in sys.modules, 'redcoll.MPI' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "False"]
