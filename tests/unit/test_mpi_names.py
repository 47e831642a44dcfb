"""Test that redcoll.MPI and its stub have every name of mpi4py.MPI, with the same signatures."""

import abc
import ctypes
import inspect
import subprocess
import sys
from pathlib import Path

import mpi_stub
import pytest
from mpi4py import MPI as theirs

from redcoll import MPI

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
    assert public(MPI) - names == pairs | {"install", "mpi4py_MPI", "EXACT_SUM"}
    assert sorted(MPI.__all__) == sorted(names)
    for name in names - mpi_stub.own_names():
        assert getattr(MPI, name) is getattr(theirs, name)
    for name in mpi_stub.own_names() & names:
        assert getattr(MPI, name) is not getattr(theirs, name)
    with pytest.raises(AttributeError):
        _ = MPI.Allreduce


@pytest.mark.parametrize("name", CLASSES)
def test_classes_stand_in_for_mpi4pys(name):
    ours, plain = getattr(MPI, name), getattr(theirs, name)
    assert issubclass(ours, plain)
    assert not issubclass(plain, ours)
    assert ours.__module__ == "redcoll.MPI"
    assert public(plain) <= public(ours)
    assert ours.__doc__


def test_isinstance_distinguishes_redcolls_objects_from_mpi4pys():
    """redcoll's objects are instances of mpi4py's classes, but not the other way round."""
    assert type(type(MPI.COMM_WORLD)) is type(type(MPI.SUM)) is type
    for name in ("COMM_WORLD", "COMM_SELF", "COMM_NULL", "SUM", "OP_NULL"):
        plain, ours = getattr(theirs, name), getattr(MPI, name)
        assert type(ours).__name__ == type(plain).__name__
        assert isinstance(ours, type(plain))
        assert not isinstance(plain, type(ours))
        assert ours == plain


def test_own_subclasses_may_have_any_metaclass():
    class Base(abc.ABC):
        @abc.abstractmethod
        def kind(self):
            pass

    class Mine(MPI.Intracomm, Base):
        def kind(self):
            return "mine"

    assert isinstance(Mine(), MPI.Comm)
    assert not isinstance(MPI.COMM_SELF, Base)


@pytest.mark.parametrize(
    "name", [each for each in dir(theirs) if inspect.isclass(getattr(theirs, each))]
)
def test_subclasses_with_new(name):
    """If a class of mpi4py allows subclasses with ``__new__``, redcoll's class allows them too."""

    def made(kind):
        class Own(kind):
            def __new__(cls, *arguments):
                return super().__new__(cls, *arguments)

        return Own, Own()

    try:
        made(getattr(theirs, name))
    except TypeError:
        return
    own, instance = made(getattr(MPI, name))
    assert type(instance) is own
    assert isinstance(instance, getattr(theirs, name))


def test_modules_derived_from_the_name_are_mpi4pys():
    """A program such as PySPOD imports modules by a name built from ``MPI.__spec__.parent``."""
    names = ["util", "util.dtlib", "util.pkl5", "util.sync", "futures", "futures.pool", "run"]
    program = f"""
import importlib, sys
from redcoll import MPI
for name in {names}:
    ours = importlib.import_module(f"{{MPI.__spec__.parent}}.{{name}}")
    theirs = importlib.import_module(f"mpi4py.{{name}}")
    assert ours is theirs is sys.modules[f"redcoll.MPI.{{name}}"], name
    assert theirs.__spec__.name == theirs.__name__ == f"mpi4py.{{name}}", theirs.__spec__
import mpi4py.util, mpi4py.util.dtlib
from redcoll.MPI.util import dtlib
assert dtlib is mpi4py.util.dtlib
import redcoll.MPI.util.pkl5
assert redcoll.MPI.util is MPI.util is mpi4py.util
assert importlib.reload(mpi4py.util.dtlib) is dtlib
assert importlib.import_module("redcoll.MPI.MPI") is MPI
assert MPI.__spec__.name == "redcoll.MPI"
try:
    import redcoll.MPI.nothing
except ModuleNotFoundError as error:
    print(error)
"""
    first = "from redcoll.MPI import futures, util; print(futures.__name__, util.__name__)"
    attribute = "from redcoll import MPI; print(MPI.util.__name__, MPI.futures.__name__)"
    texts = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True
        ).stdout.strip()
        for text in (program, first, attribute)
    ]
    assert texts == [
        "No module named 'redcoll.MPI.nothing'",
        "mpi4py.futures mpi4py.util",
        "mpi4py.util mpi4py.futures",
    ]


def test_file_is_the_library_with_mpis_functions():
    """Programs that call MPI from C or Numba load the library by ``ctypes.CDLL(MPI.__file__)``."""
    assert ctypes.CDLL(MPI.__file__).MPI_Initialized
    assert Path(MPI.__file__).with_name("libmpi.pxd").is_file()


def test_methods_take_mpi4pys_arguments():
    # The first line of an mpi4py docstring is the signature.
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
    """Return the arguments in a signature, split at the commas outside brackets."""
    depth, parts, start = 0, [], signature.index("(") + 1
    for at, character in enumerate(signature[start:], start):
        depth += (character in "([") - (character in ")]")
        if depth < 0 or (character == "," and depth == 0):
            parts.append(signature[start:at])
            start = at + 1
        if depth < 0:
            return [part for part in parts if part.strip()]
    raise AssertionError(signature)


@pytest.mark.skipif(not mpi_stub.STUB.parent.exists(), reason="there are no sources here")
def test_the_stub_is_up_to_date():
    assert mpi_stub.STUB.read_text() == mpi_stub.stub(), "run python release/mpi_stub.py"


def test_importing_redcoll_does_not_import_the_api():
    program = (
        "import sys, redcoll; print('mpi4py.MPI' in sys.modules, 'redcoll.MPI' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "False"]
